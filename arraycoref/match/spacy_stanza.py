"""Read the documents of spaCy and stanza that are held in memory, and compare the words of two of them.

| given for one document | recognized by | clusters of |
|---|---|---|
| a ``Document`` of stanza | ``coref`` | (sentence, first word, word after the last) |
| a ``Doc`` of spaCy | ``spans`` or the extension ``coref_clusters`` | (first token, token after the last) |
| anything else | | its items |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.match.same_text import check_tokens
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents, Text, make_documents
from arraycoref.read.mentions import Mentions
from arraycoref.read.problems import ProblemLog

Span = tuple[Any, ...]
SpanClusters = list[list[Span]]

USUAL = {list, tuple, set, frozenset}
"""Types of clusters that are accepted as they are."""


class ClustersOfText(SpanClusters):
    """Clusters with the words, or characters, that the numbers of their spans count.

    Args:
        clusters: clusters of spans.
        words: the words of the document; those of a sentence are not mixed up with the same words of another sentence.
        unit: ``word`` or ``character``.
    """

    def __init__(self, clusters: SpanClusters, words: list[str], unit: str = "word") -> None:
        super().__init__(clusters)
        self.words, self.unit = words, unit


def clusters_of(document: Any) -> Any:
    """Return the clusters of a document of stanza or spaCy, and any other object as it is."""
    if hasattr(document, "coref"):
        return read_stanza(document)
    is_spacy = hasattr(document, "spans") and hasattr(document, "_")
    return read_spacy(document) if is_spacy else document


def check_words(keys: Sequence[Any], responses: Sequence[Any], names: Sequence[str] | None, policies: Policies) -> None:
    """Check that documents have the same words on both sides, where both sides have words, as those of files.

    Args:
        keys: D documents; those with words are `ClustersOfText`.
        responses: as many.
        names: (D,) their names in messages; None for their numbers.
        policies: these say whether words are compared.

    Raises:
        DocumentMismatchError: see `arraycoref.match.same_text.check_tokens`.
        InputError: spans of characters on one side, and of tokens on the other.
    """
    if ClustersOfText in map(type, keys) and ClustersOfText in map(type, responses):
        key, response = words_of("key", keys, names), words_of("response", responses, names)
        refuse_units(key, response)
        check_tokens(key, response, policies, ProblemLog())


def refuse_units(key: Documents, response: Documents) -> None:
    """Refuse documents whose spans count characters on one side and tokens on the other, which would be compared."""
    for name, *units in zip(key.names, key.units, response.units, strict=True):
        if sorted(units) == ["character", "word"]:
            key_unit, response_unit = (unit.replace("word", "token") for unit in units)
            reason = f"spans count {key_unit}s in the key and {response_unit}s in the response"
            raise InputError(f"document {name!r}: {reason}; expected the same on both sides")


def words_of(side: str, clusterings: Sequence[Any], names: Sequence[str] | None) -> Documents:
    """Return documents with the words of clusters, without mentions; arguments are as for `check_words`."""
    n, none = len(clusterings), np.empty(0, np.int32)
    texts = [clusters if isinstance(clusters, ClustersOfText) else None for clusters in clusterings]
    shown = tuple(map(str, range(n) if names is None else names))
    units = tuple("" if text is None else text.unit for text in texts)
    words = [Text() if text is None else Text([text.words], len(text.words)) for text in texts]
    mentions = Mentions(none, none, none, none, np.empty(0, np.int64))
    return make_documents(f"the {side}", shown, mentions, words, headers=shown, units=units)


def read_stanza(doc: Any) -> SpanClusters:
    """Read the chains of a ``Document`` of stanza.

        >>> from types import SimpleNamespace as Object  # instead of a Document
        >>> ada, she = Object(sentence=0, start_word=0, end_word=2), Object(sentence=1, start_word=3, end_word=4)
        >>> read_stanza(Object(coref=[Object(mentions=[ada, she])]))
        [[(0, 0, 2), (1, 3, 4)]]

    Args:
        doc: has ``coref``, a list of chains, each with ``mentions``.

    Returns:
        Clusters of (sentence, first word, word after the last), words counted from 0 in the sentence. Instead of a
        word, an empty node has a pair (word, empty node), as in stanza.

    Raises:
        InputError: stanza's processor ``coref`` did not run on the document.
    """
    if doc.coref is None:
        raise InputError("the Document has no chains in .coref; expected one that the processor 'coref' made")
    clusters = [[(m.sentence, m.start_word, m.end_word) for m in chain.mentions] for chain in doc.coref]
    if not hasattr(doc, "sentences"):
        return clusters
    words = [f"{word.text} (sentence {s})" for s, sentence in enumerate(doc.sentences) for word in sentence.words]
    return ClustersOfText(clusters, words)


def read_spacy(doc: Any, prefix: str = "coref_clusters", *, allow_none: bool = False) -> SpanClusters:
    """Read the clusters of a spaCy ``Doc``: span groups, or what an extension put into ``doc._.coref_clusters``.

        >>> from types import SimpleNamespace  # instead of a Doc
        >>> ada, she = SimpleNamespace(start=0, end=2), SimpleNamespace(start=5, end=6)
        >>> read_spacy(SimpleNamespace(spans={"coref_clusters_1": [ada, she]}))
        [[(0, 2), (5, 6)]]

    Args:
        doc: a ``Doc``, or anything with ``spans`` like its.
        prefix: how the names of the span groups begin; spacy-experimental calls the first group ``coref_clusters_1``.
        allow_none: whether a ``Doc`` without such groups has no clusters, as some components leave it if they find
            none. Otherwise it is an error.

    Returns:
        Clusters of (first token, token after the last), like ``Span.start`` and ``Span.end``. If the extension holds
        character offsets, as that of fastcoref does, these are returned.

    Raises:
        InputError: the ``Doc`` has neither such groups nor the extension, unless ``allow_none``.
    """
    groups = {name: group for name, group in getattr(doc, "spans", {}).items() if name.startswith(prefix)}
    if groups:
        return _with_words(doc, list(groups.values()))
    extension = getattr(getattr(doc, "_", None), "coref_clusters", None)
    if extension is None:
        if allow_none:
            return []
        group_names = ", ".join(getattr(doc, "spans", {})) or "none"
        hint = "read_spacy(doc, allow_none=True) takes that as no clusters"
        raise InputError(f"the Doc has no span groups named {prefix}...; it has: {group_names}. {hint}")
    return _with_words(doc, [getattr(cluster, "mentions", cluster) for cluster in extension])


def _with_words(doc: Any, groups: list[Iterable[Any]]) -> SpanClusters:
    """Return spans as tuples, with the tokens of the ``Doc``, or its characters if the spans are offsets."""
    listed = [list(group) for group in groups]
    in_tokens = all(hasattr(span, "start") for span in chain.from_iterable(listed))
    clusters = [
        [(span.start, span.end) if hasattr(span, "start") else tuple(map(int, span)) for span in group]
        for group in listed
    ]
    if not hasattr(doc, "text"):
        return clusters
    words, unit = ([token.text for token in doc], "word") if in_tokens else (list(doc.text), "character")
    return ClustersOfText(clusters, words, unit)
