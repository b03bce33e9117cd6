"""Match clusters of spans whose heads are given, as files with heads are matched."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from arraycoref.exceptions import InputError, OptionError, check_name
from arraycoref.match import match_documents
from arraycoref.match.objects import Clusters, ObjectMentions, encode
from arraycoref.match.spacy_stanza import clusters_of, refuse_units, words_of
from arraycoref.options.policies import Policies
from arraycoref.ragged import owners
from arraycoref.read.documents import Documents
from arraycoref.read.layouts import ENDS
from arraycoref.read.mentions import BITS, Mentions
from arraycoref.read.problems import quote
from arraycoref.scoring.clusterings import Clusterings, document_names

Heads = Mapping[Hashable, int]
"""The head, a word, of each mention (first word, last word) of both sides of a document."""


def encode_spans(
    keys: Sequence[Clusters],
    responses: Sequence[Clusters],
    policies: Policies,
    names: Sequence[str] | None,
    heads: Sequence[Heads] | None,
    end: str | None,
) -> Clusterings:
    """Match pairs of clusterings: with heads as files are, and otherwise as `encode` does.

    Args:
        keys: D clusterings; with heads, of mentions (first word, last word), words from 0.
        responses: as many.
        policies: for the matching, singletons and repeated mentions.
        names: (D,) document names, for messages and for the result.
        heads: (D,) the heads of each document's mentions.
        end: ``exclusive`` if the second number of a mention is that of the word after the last.

    Raises:
        OptionError: a matching that needs heads, and none; or not a mapping for each document.
        InputError: a mention that is not a span, or whose head is missing or not one of its words; and as for `encode`.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
    """
    if heads is None:
        refuse_heads(policies)
        return encode(keys, responses, policies, names)
    if len(heads) != len(keys) or not all(isinstance(head_of, Mapping) for head_of in heads):
        shown = quote(heads[0] if len(heads) == 1 else heads)
        raise OptionError(f"heads is {shown}; expected a mapping from mentions to heads for each document", "heads")
    if end is not None:
        check_name("end", end, ENDS)
    elif any(hasattr(clusters, "spans") for clusters in (*keys, *responses)):
        raise OptionError("spans of a Doc end after their last word; expected end='exclusive', also in heads", "end")
    sides = {"key": keys, "response": responses}
    key, response = (documents_of_spans(what, side, names, heads, end) for what, side in sides.items())
    refuse_units(key, response)
    own = replace(policies, heads="file")  # heads of one mapping are of one rule
    empty = not (key.mentions and response.mentions)
    labeled = match_documents(key, response, own, (lambda _doubt: None) if empty else None).clusterings
    return replace(labeled, names=document_names(names, len(keys)))


def refuse_heads(policies: Policies) -> None:
    """Refuse to match clusters without heads by a matching that needs them, `OptionError`."""
    if policies.matching != "exact":
        raise OptionError(f"matching {policies.matching!r} needs heads={{mention: head}}", "heads")


def documents_of_spans(
    side: str,
    clusterings: Sequence[Clusters],
    names: Sequence[str] | None,
    heads: Sequence[Heads] | None,
    end: str | None,
) -> Documents:
    """Make documents of clusters of one side; arguments and errors are those of `encode_spans`."""
    is_exclusive = end == "exclusive"
    clusters = list(map(clusters_of, clusterings))
    index, read = ObjectMentions(side, clusters, names), words_of(side, clusters, names)
    offsets, entity = index.occurrences.offsets, index.occurrences.entity
    document = owners(offsets)
    rows: list[tuple[int, int, int]] = []
    for d, mention in zip(document.tolist(), index.mentions, strict=True):
        is_span = isinstance(mention, tuple) and list(map(type, mention)) == [int, int]
        first, last = (mention[0], mention[1] - is_exclusive) if is_span else (0, -1)  # type: ignore[index]
        if not 0 <= first <= last:
            expected = "expected a first word, from 0, and a last one" + ", exclusive" * is_exclusive
            raise InputError(f"{index.place(d)}: mention {quote(mention)}; with heads, {expected}")
        head = last if heads is None else heads[d].get(mention)
        if head is None or not first <= head <= last:
            what = "has no head" if head is None else f"has the head {head!r}"
            raise InputError(f"{index.place(d)}: mention {quote(mention)} {what}; expected one of its words in heads")
        rows.append((first, last, head))
    first, last, head = np.array(rows, np.int64).reshape(-1, 3).T
    number = np.unique(document << 32 | entity, return_inverse=True)[1]  # without those of empty clusters
    number -= np.append(number, 0)[offsets[:-1]][document]
    columns = [column.astype(np.int32) for column in (document, first, last, number)]
    mentions = Mentions(columns[0], columns[1], columns[2], columns[3], np.zeros(head.size, np.int64))
    lengths = read.lengths.copy()
    needed = lengths >= 0
    np.maximum.at(lengths, document[needed[document]], last[needed[document]] + 1)
    text = tuple([replace(text, n_tokens=n) for text, n in zip(read.text, lengths.tolist(), strict=True)])
    if heads is not None:
        mentions = replace(mentions, head=head + 1 << BITS)
    return replace(read, mentions=mentions, text=text)
