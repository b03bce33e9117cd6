"""Match the sides of files: pair their documents, compare tokens, and bring their mentions on one index.

A matching says which mentions match: `arraycoref.match.matchings` has its pairs and weights, and
`arraycoref.match.tree_matching` a line for it.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from arraycoref.exceptions import OptionError
from arraycoref.match.documents import in_one_unit, paired, with_like_characters
from arraycoref.match.mentions import label_mentions, match_exactly, union_numbers
from arraycoref.match.overlap import Overlap, Values
from arraycoref.match.same_text import check_mention_texts, check_tokens
from arraycoref.options import ConvertOptions, FileOptions, SideOptions, check_options, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints
from arraycoref.read import format_of, read_documents, read_side
from arraycoref.read.annotation import with_types_of_all
from arraycoref.read.documents import Documents, repeated_mention, with_reference
from arraycoref.read.layers import listed
from arraycoref.read.paths import Source
from arraycoref.read.problems import OnError, ProblemLog
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.signature import written_notes

__all__ = ["MatchedSides", "convert", "match_documents", "on_words"]


class MatchedSides(NamedTuple):
    """Key and response whose mentions were matched.

    Attributes:
        clusterings: the labels of both sides on one index of M mentions, in D documents.
        sides: the D documents of key and response, or their windows, in the key's order, with the mentions that
            policies leave.
        places: int64, the place of each mention of each side in the index, 0..M-1.
    """

    clusterings: Clusterings
    sides: tuple[Documents, Documents]
    places: tuple[Ints, Ints]


def match_documents(
    key: Documents, response: Documents, policies: Policies, on_error: OnError | ProblemLog | None = None
) -> MatchedSides:
    """Pair the documents of both sides, match their mentions, and lay these out as label vectors.

    Args:
        key: what the key's files hold.
        response: what the response's files hold.
        policies: for documents on one side only, for tokens that differ and for repeated mentions.
        on_error: called with each warning, instead of `ReadWarning`.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy is ``error``; or a document whose
            tokens or texts of mentions differ; or two documents without names that should pair, but seem to differ.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        OptionError: a matching by heads, but no heads.
        InputError: mentions in units, or in columns of tables, that cannot be compared.
    """
    problems = ProblemLog.from_options({"on_error": on_error})
    key, response = with_types_of_all(key, response)
    key, response = _checked(key, response, policies, problems)
    for name, side in (("key", key), ("response", response)):
        n = sum(len({*relations.whole.tolist()}) for relations in side.relations if relations is not None)
        policies.note(n, "entity", f"of the {name} with split antecedents (split: {policies.split})")
    if policies.window:
        from arraycoref.match.scoring_windows import in_windows  # few texts are so long

        key, response = in_windows(*in_one_unit(key, response, problems), policies.window)
    sides = in_one_unit(key, response, problems)  # `key` and `response` keep the mentions of the files, for messages
    links = None
    if key.relations and response.relations and not policies.window:
        from arraycoref.match.bridging import match_links  # few files have links

        links = match_links(*sides, policies)
    if key.relations or response.relations:
        key, response, *ours = (with_reference(side) for side in (key, response, *sides))
        sides = ours[0], ours[1]
    matched = None
    has_nodes = any(side.mentions.has_parts or side.mentions.head is not None for side in sides)
    if has_nodes or policies.matching != "exact" or policies.upos:
        from arraycoref.match.tree_matching import match_nodes  # most files have no trees, and need none of it

        (key, response), occurrences, matched = match_nodes(*sides, policies, problems)
        sides = key, response
    else:
        occurrences = match_exactly(*sides, policies.profile)
    as_read = {"key": key, "response": response}
    offsets, *places = union_numbers(*occurrences)
    numbered = [side._replace(code=numbers) for side, numbers in zip(occurrences, places, strict=True)]
    labels = label_mentions(
        numbered[0], numbered[1], offsets, policies, lambda side, *rows: repeated_mention(as_read[side], *rows)
    )
    repeated = labels.repeated
    if matched is not None and matched.table is not None and policies.duplicates == "both":
        repeated = matched.table.repeated(occurrences, repeated, policies.profile)
    split = None
    if policies.split == "keep":
        from arraycoref.match.split_antecedents import split_antecedents  # few users ask for it

        split = split_antecedents(labels, sides, policies)
    both = np.array([bool(one and other) for one, other in zip(key.files, response.files, strict=True)], np.bool_)
    n_equal = None if matched is None else matched.n_equal
    overlap = Overlap.from_labels(
        labels,
        lambda chosen: (Values.of_documents(sides[0], chosen), Values.of_documents(sides[1], chosen)),
        both,
        n_equal,
    )
    overlap.warn([next(filter(None, side.files), name) for name, side in as_read.items()], problems)
    spurious = None
    if len(key) == 1:  # one clustering, whose mentions may be compared with those of other responses
        own = np.flatnonzero(~np.isin(occurrences[1].code, occurrences[0].code))
        own = own[np.sort(np.unique(occurrences[1].code[own], return_index=True)[1])]
        spurious = response.mentions.start[own].astype(np.int64) << 32 | response.mentions.end[own]
    known: dict[str, Any] = {"matched": matched, "links": links, "repeated": repeated, "split": split}
    clusterings = Clusterings(labels.key, labels.response, labels.offsets, key.names, spurious=spurious, **known)
    return MatchedSides(clusterings, sides, (places[0], places[1]))


def _checked(
    key: Documents, response: Documents, policies: Policies, problems: ProblemLog
) -> tuple[Documents, Documents]:
    """Pair the documents of both sides, and check their tokens and the texts of their mentions."""
    if key.names != response.names or not (key.named.all() and response.named.all()):
        key, response = paired(key, response, policies)
    in_windows = any(text.are_windows for text in response.text)
    is_aligned = policies.tokens == "align" or in_windows or "string" in response.units
    if is_aligned:
        check_mention_texts(key, response, policies, problems)
    if "character" in key.units:
        key, response = with_like_characters(key, response, policies, problems)
    if is_aligned:
        from arraycoref.match.aligned_text import with_key_words  # most files have the same words

        response = with_key_words(key, response, policies, problems)
    sides = key, response
    if key.have_trees != response.have_trees:
        from arraycoref.match.aligned_text import with_empty_nodes

        sides = with_empty_nodes(key, response), with_empty_nodes(response, key)
    check_tokens(*sides, policies, problems)
    if not is_aligned:
        check_mention_texts(key, response, policies, problems)
    return sides


def on_words(documents: Documents, key: Documents, **options: Unpack[FileOptions]) -> Documents:
    r"""Bring documents on the words of other files, so that these and all that is said of them can be written too.

    Mentions of characters become mentions of words.

        >>> from pathlib import Path
        >>> from arraycoref.read import read_documents
        >>> from arraycoref.read.write import write_documents
        >>> words = "1\tour\t_\t_\t_\t_\t2\t_\t_\t_\n2\tdog\t_\t_\t_\t_\t0\t_\t_\t_\n"
        >>> _ = Path("key.conllu").write_text(f"# newdoc id = d\n{words}")
        >>> _ = Path("r.jsonl").write_text('{"doc_key": "d", "clusters": [[[0, 0]], [[0, 1]]]}')
        >>> write_documents(on_words(read_documents("r.jsonl"), read_documents("key.conllu")), "r.conllu")
        >>> print(Path("r.conllu").read_text().expandtabs(4), end="")
        # newdoc id = d
        # global.Entity = eid-etype-head
        1   our _   _   _   _   2   _   _   Entity=(e2--2(e1--1)
        2   dog _   _   _   _   0   _   _   Entity=e2)
        <BLANKLINE>

    Args:
        documents: documents of any format, without heads or with those of a CoNLL-U file, which are kept. Others get
            heads from the key's trees, if it has trees; see `arraycoref.match.head_rules`.
        key: documents with words.
        **options: see `arraycoref.options`: ``missing_documents``, ``extra_documents`` and ``tokens`` say what is done
            with documents on one side only, and with words that differ.

    Returns:
        The documents in the key's order, with its words.

    Raises:
        DocumentMismatchError: a document on one side only, or whose words or texts of mentions differ.
        OptionError: a key without words.
    """
    for d, name in enumerate(key.names):
        if key.units[d] == "character" or not key.text[d].sentences():
            raise OptionError(f"{key.files[d]}: no text of document {name!r}; expected the text of each", "words")
    policies = replace(resolve_policies(options, FileOptions), heads="key-tree")
    problems = ProblemLog.from_options(options)
    documents = documents.with_types()
    key, documents = _checked(key, documents, policies, problems)
    for note in written_notes(policies.notes) if policies.tokens == "align" else ():
        problems.warning(next(filter(None, documents.files), "no file"), None, note)
    known, of_words = ([text.layers() for text in side.text] for side in (documents, key))
    kept, lost = {name for layers in of_words for name in layers.counts()}, Counter[str]()
    for layers in known:
        lost.update({name: n for name, n in layers.counts().items() if name not in kept})
        lost.update(layers.of_entities)
    if lost:
        file, other = (next(filter(None, side.files), "") for side in (documents, key))
        reason = f"the words are those of {other}, without what is said of them here: {listed(lost)}"
        problems.warning(file, None, reason)
    key, documents = in_one_unit(key, documents, problems)
    if key.have_trees and not documents.mentions.has_heads:
        from arraycoref.match.head_rules import with_heads

        documents = with_heads(key, documents, policies)[1]
    sources = tuple(dict.fromkeys(filter(None, key.files)))
    return replace(documents, names=key.names, headers=key.headers, text=key.text, sources=sources)


def convert(
    source: Source,
    target: str | os.PathLike[str],
    *,
    to: Literal["conll", "jsonlines", "conllu", "xml-text", "markdown"] | None = None,
    words: Source | None = None,
    zeros: Literal["keep", "drop"] = "keep",
    side: Literal["key", "response"] = "key",
    lenient: bool = False,
    on_error: OnError | None = None,
    **options: Unpack[ConvertOptions],
) -> None:
    """Convert files to another format, as the command ``convert`` does.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [2, 2]]]}')
        >>> ac.convert("key.jsonl", "key.conll")
        >>> [mention for cluster in next(iter(ac.read_documents("key.conll"))).clusters for mention in cluster]
        [(0, 1), (2, 2)]

    Args:
        source: files as for `arraycoref.read_documents`.
        target: the file that is written, as for `arraycoref.read.write.write_documents`.
        to: its format; None to go by its suffix.
        words: files whose words, and what they say of these, the target has; heads are from the source, or else from
            the trees of these files. None for the words of the source.
        zeros: ``drop`` leaves out mentions of empty nodes, and all empty nodes in others.
        side: ``key`` or ``response``, for files that have the clusters of both.
        lenient: skip problems in the files, and mentions that CoNLL-U cannot hold.
        on_error: called with each of these, and with what the format cannot hold, instead of warnings.
        **options: see `arraycoref.options`; of documents, ``tokens`` and ``max_changed``, with ``words`` only.

    Raises:
        ReadError, InputError, OptionError, OSError: as for `arraycoref.read_documents`,
            `arraycoref.match.on_words` and `arraycoref.read.write.write_documents`.
    """
    from arraycoref.read.write import write_documents

    check_options(options, ConvertOptions)
    policies: Any = {name: value for name, value in options.items() if name not in SideOptions.__annotations__}
    is_conllu = (to or format_of(os.fspath(target))) == "conllu"
    reading: Any = {"lenient": lenient, "on_error": on_error, "layers": True, "keep_relations": is_conllu}
    documents = read_side(source, {**options, **reading}, side)
    if words is not None:
        of_words = read_documents(words, on_error=on_error, layers=True)
        documents = on_words(documents, of_words, on_error=on_error, **policies)
    elif is_conllu and documents.have_trees and not documents.mentions.has_heads:
        documents = on_words(documents, documents, on_error=on_error)
    writing: Any = {"zeros": zeros, "lenient": lenient, "on_error": on_error, "max_bytes": options.get("max_bytes")}
    write_documents(documents, target, format=to, **writing)
