"""Match the sides of files: pair their documents, compare tokens, and bring their mentions on one index.

A matching says which mentions match: a page of its own in this folder, and a line in `arraycoref.match.nodes`.
"""

from __future__ import annotations

import numpy as np

from arraycoref.match.documents import in_one_unit, paired
from arraycoref.match.doubts import Overlap, Values
from arraycoref.match.exact import match_exactly
from arraycoref.match.mentions import number_mentions
from arraycoref.match.nodes import match_nodes
from arraycoref.match.tokens import check_tokens
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents, repeated_mention
from arraycoref.read.sources import OnError, warn
from arraycoref.scoring.clusterings import Clusterings

__all__ = ["encode_documents"]


def encode_documents(
    key: Documents, response: Documents, policies: Policies, on_doubt: OnError | None = None
) -> Clusterings:
    """Pair the documents of both sides, match their mentions, and lay these out as label vectors.

    Args:
        key: what the key's files hold.
        response: what the response's files hold.
        policies: for documents on one side only, for tokens that differ and for repeated mentions.
        on_doubt: called with each doubt, in place of a warning.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy refuses that; or a document whose tokens
            differ; or two documents without names that should pair, but seem to be different documents.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        OptionError: a matching by heads, but no heads.
        InputError: mentions in units, or in columns of tables, that cannot be compared.
    """
    on_doubt = on_doubt or warn
    if key.names != response.names or not (key.named.all() and response.named.all()):
        key, response = paired(key, response, policies)
    check_tokens(key, response, policies, on_doubt)
    sides = in_one_unit(key, response)  # `key` and `response` stay as read: errors show mentions as in the files
    by_nodes = bool(key.nodes or response.nodes or policies.matching != "exact" or policies.upos)
    matched = None
    if by_nodes:
        (key, ours), (response, theirs), matched = match_nodes(*sides, policies)
        sides = key, response
    else:
        ours, theirs = match_exactly(*sides)
    as_read = {"key": key, "response": response}
    found = number_mentions(ours, theirs, policies, lambda side, *rows: repeated_mention(as_read[side], *rows))
    both = np.array([bool(one and other) for one, other in zip(key.sources, response.sources, strict=True)], np.bool_)
    overlap = Overlap.of(found, lambda: (Values.of_documents(sides[0]), Values.of_documents(sides[1])), both)
    sources = [next(filter(None, side.sources), name) for name, side in as_read.items()]
    overlap.warn(sources, on_doubt)
    return Clusterings(found.key, found.response, found.offsets, key.names, matched=matched)
