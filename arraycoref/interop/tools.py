"""Read the clusters of spans that coreference tools hold in memory, for `arraycoref.score`.

All functions return clusters as lists of tuples. Spans are compared as they are: both sides must count in the same
units, tokens or characters, from the same start, and their ends must both be inclusive or both exclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.exceptions import InputError, check_name
from arraycoref.match.objects import is_iterable, plain
from arraycoref.match.spacy_stanza import Span, SpanClusters, read_spacy, read_stanza
from arraycoref.read.layouts import SHAPES

__all__ = ["characters_to_tokens", "read_row", "read_rows", "read_spacy", "read_spans", "read_stanza"]

_OF_SHAPES = chain.from_iterable((layout.clusters, layout.predicted) for layout in SHAPES.values())
CLUSTER_FIELDS = tuple(dict.fromkeys(filter(None, (*_OF_SHAPES, "coref_clusters", "coreferences"))))
"""Fields of clusters in the JSON of tools, whose rows data sets have."""

NAME_FIELDS = ("doc_key", "document_id", "doc_id", "id", "name")


def read_spans(clusters: Iterable[Iterable[Any]]) -> SpanClusters:
    """Read clusters of spans, each a list, tuple or array of numbers, such as (start, end) or (sentence, start, end).

        >>> read_spans([[[0, 1], [4, 4]], np.array([[9, 9]])])
        [[(0, 1), (4, 4)], [(9, 9)]]

    Args:
        clusters: clusters of token or character offsets, as fastcoref, AllenNLP and most neural systems return them.

    Raises:
        InputError: something other than spans in a cluster.
    """
    return [_spans(cluster, f"cluster {c}") for c, cluster in enumerate(clusters)]


def _spans(given: Iterable[Any], place: str, *names: str) -> list[Span]:
    """Return spans as tuples of integers: as many as there are names, or any number of them without names."""
    found = []
    for span in given:
        try:
            numbers = np.asarray(span)
        except ValueError:  # nested lists of different lengths
            numbers = np.empty(())
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (names and numbers.size != len(names)):
            form = f"({', '.join(names)})" if names else "offsets, such as (start, end)"
            raise InputError(f"{place}: {span!r:.60} is not a span; expected {form}")
        found.append(tuple(numbers.tolist()))
    return found


def characters_to_tokens(
    clusters: Iterable[Iterable[Sequence[int]]], starts: ArrayLike, ends: ArrayLike, *, unaligned: str = "error"
) -> SpanClusters:
    """Turn clusters of character offsets into clusters of tokens.

        >>> characters_to_tokens([[(0, 3), (10, 13)]], starts=[0, 4, 10], ends=[3, 9, 13])
        [[(0, 0), (2, 2)]]

    Args:
        clusters: clusters of spans (first character, end), where the end is exclusive.
        starts: (T,) integers, the first character of each token, ascending.
        ends: (T,) integers, the exclusive end of each token, ascending, and not before the token's start.
        unaligned: what is done with a span that does not begin and end where tokens do: ``error``, ``drop``, or
            ``expand`` to the tokens that it touches.

    Returns:
        Clusters of (first token, last token), both counted from 0 and inclusive, as in files of the CoNLL format.

    Raises:
        InputError: a span that is not aligned, if ``unaligned`` is ``error``, or that touches no token, if it is
            ``expand``; something that is not a span; starts and ends that are not those of tokens.
        UnknownNameError: another value of ``unaligned``.
    """
    check_name("unaligned", unaligned, ("error", "drop", "expand"))
    first_of, end_of = (np.asarray(bound, np.int64) for bound in (starts, ends))
    odd = first_of > end_of
    odd[1:] |= (np.diff(first_of) < 0) | (np.diff(end_of) < 0)
    if odd.any():
        t = int(odd.argmax())
        place = f"token {t} of characters {first_of[t]}-{end_of[t]}"
        wrong = "ends before it starts, or lies before the token in front of it"
        raise InputError(f"{place} {wrong}; expected them in order")
    found: SpanClusters = []
    for c, cluster in enumerate(clusters):
        spans = np.array(_spans(cluster, f"cluster {c}", "start", "end"), np.int64).reshape(-1, 2)
        first = np.searchsorted(end_of, spans[:, 0], side="right")
        last = np.searchsorted(first_of, spans[:, 1], side="left") - 1
        some = (first <= last) & (spans[:, 0] < spans[:, 1])
        exact = some.copy()
        exact[some] = (first_of[first[some]] == spans[some, 0]) & (end_of[last[some]] == spans[some, 1])
        kept = exact if unaligned != "expand" else some
        if not kept.all() and unaligned != "drop":
            start, end = spans[int(kept.argmin())].tolist()
            allows = "are not whole tokens; unaligned='expand' or 'drop' allows that"
            if unaligned == "expand":
                allows = "are not whole tokens, and touch none; unaligned='drop' allows that"
            raise InputError(f"cluster {c}: characters {start}-{end} {allows}")
        found.append(list(zip(first[kept].tolist(), last[kept].tolist(), strict=True)))
    return found


def read_row(row: Mapping[str, Any], field: str | None = None) -> SpanClusters:
    """Read the clusters of a row of a Hugging Face dataset, or of any other dict from JSON.

        >>> read_row({"sentences": [{"coref_spans": [[7, 0, 1], [7, 4, 4]]}, {"coref_spans": [[7, 2, 2]]}]})
        [[(0, 0, 1), (0, 4, 4), (1, 2, 2)]]

    Args:
        row: a dict with clusters of spans, as lists or arrays, in one of the fields `CLUSTER_FIELDS`. Or a dict with
            ``sentences``, each of which has ``coref_spans``: (entity, first token, last token), counted in the
            sentence, as in the dataset ``conll2012_ontonotesv5``. The spans returned for these are (sentence, first
            token, last token).
        field: name of the field of the clusters, if it is another, or if the row has several of `CLUSTER_FIELDS`.

    Raises:
        InputError: a row that is not a dict, has no such field or several, or whose field holds something that is not
            a span.
    """
    if not isinstance(row, Mapping):
        raise InputError(f"the row is a {type(row).__name__}; expected a dict (a dataset may need with_format(None))")
    names = [field] if field else [name for name in CLUSTER_FIELDS if row.get(name) is not None]
    if len(names) > 1:
        raise InputError(f"the row has the fields {', '.join(names)}; expected field=... with the name of one")
    if names and names[0] in row:
        return read_spans(row[names[0]])
    spans = None if field else _sentence_spans(row.get("sentences"))
    if spans is None:
        wanted = field or "one of " + ", ".join(CLUSTER_FIELDS)
        raise InputError(f"the row has no field {wanted}; it has: {', '.join(map(str, row))}")
    entities: dict[int, list[Span]] = {}
    for s, sentence in enumerate(spans):
        for entity, start, end in _spans(sentence, f"sentence {s}", "entity", "start", "end"):
            entities.setdefault(entity, []).append((s, start, end))
    return list(entities.values())


def _sentence_spans(sentences: Any) -> list[Any] | None:
    """Return the ``coref_spans`` of each sentence, from a list of dicts or a dict of lists; None if there are none."""
    if isinstance(sentences, Mapping):  # a `datasets.Sequence` of a dict
        return list(sentences["coref_spans"]) if "coref_spans" in sentences else None
    found = list(sentences) if is_iterable(sentences) else []
    if found and all(isinstance(sentence, Mapping) and "coref_spans" in sentence for sentence in found):
        return [sentence["coref_spans"] for sentence in found]
    return None


def read_rows(
    rows: Iterable[Mapping[str, Any]], field: str | None = None, name: str | Sequence[str] | None = None
) -> dict[str, SpanClusters]:
    """Read the rows of a Hugging Face dataset: document names and their clusters, for `arraycoref.score_batch`.

        >>> read_rows([{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}])
        {'a': [[(0, 1), (4, 4)]]}

    Args:
        rows: a ``datasets.Dataset``, streamed or not, of plain Python, NumPy or torch values; or any iterable of dicts.
        field: see `read_row`.
        name: the field that names the document, or several fields, whose values are joined by ``_``. None for the first
            of `NAME_FIELDS` that the row has, joined with ``part_id`` if it has that; a row with none of them is named
            by its position.

    Raises:
        InputError: a row that is not a dict or lacks the fields, a name that is null, or two documents with the same
            name.
    """
    found: dict[str, SpanClusters] = {}
    for position, row in enumerate(rows):
        try:
            clusters, document = read_row(row, field), _name_of(row, name, position)
        except InputError as error:
            raise InputError(f"row {position}: {error}") from error
        if document in found:
            raise InputError(f"row {position}: a second document named {document!r}; expected name=[...], more fields")
        found[document] = clusters
    return found


def _name_of(row: Mapping[str, Any], name: str | Sequence[str] | None, position: int) -> str:
    if name is None:
        first = [field for field in NAME_FIELDS if row.get(field) is not None][:1]
        fields = first + [field for field in ("part_id",) if first and row.get(field) is not None]
    else:
        fields = [name] if isinstance(name, str) else list(name)
    for field in fields:
        if row.get(field) is None:
            raise InputError(f"no name in the field {field!r}; it has: {', '.join(map(str, row))}")
    return "_".join(str(plain(row[field])) for field in fields) if fields else str(position)
