"""Sort mentions into classes by an attribute: of the mention, of its entity, or of the link to its antecedent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.pair import stable_order
from arraycoref.errors import InputError, check_name
from arraycoref.ragged import Ints
from arraycoref.read.mentions import UPOS

NONE = "(none)"
"""The class of mentions whose attribute is not known."""

FIRST = "first"
"""The class of the first mentions of their entities, which have no antecedent."""

LENGTHS, SIZES = (1, 2, 3, 5, 10), (1, 2, 3, 6, 11)
RANGES, DISTANCES, SENTENCES = (0, 1, 11, 51, 201, 1001), (1, 2, 6, 11, 21, 51), (0, 1, 2, 4, 8, 16)
"""The least value of each class; the last one has no end."""

KINDS = ("pronoun", "name", "noun", "other")


@dataclass(frozen=True, eq=False)
class Attribute:
    """The class of each mention by one attribute.

    Attributes:
        name: name of the attribute.
        classes: (C,) names of the classes, in order.
        codes: int64 (1+S, M) the class of each mention as one of the key's and of each response's; -1 for none.
        of_mention: whether a mention has one class on all sides. Otherwise recall is that of the key's mentions of a
            class, and precision that of the response's, and there is no F of both.
    """

    name: str
    classes: tuple[str, ...]
    codes: Ints
    of_mention: bool = True


def attribute_of(index: MentionIndex, name: str | ArrayLike | Mapping[Any, Any], title: str = "label") -> Attribute:
    """Sort the mentions of an index into classes.

    Args:
        index: the mentions.
        name: one of `ATTRIBUTES`; or a label for each mention of the index, (M,); or a mapping from mentions, as they
            were given, to labels. Labels of other types than text are shown as text, None as ``(none)``.
        title: name of the attribute that is given as labels.

    Raises:
        UnknownNameError: there is no such attribute.
        InputError: the mentions do not have it; or not a label for each mention.
    """
    if isinstance(name, str):
        check_name("attribute", name, ATTRIBUTES)
        return ATTRIBUTES[name](index, name)
    if isinstance(name, Mapping):
        pairs = zip(index.start.tolist(), index.end.tolist(), strict=True) if index.has_spans else None
        mentions = index.values.tolist() if index.values is not None else list(pairs or range(len(index)))
        name = np.array([name.get(mention) for mention in mentions], object)
    labels = np.asarray(name, object)
    if labels.shape != (len(index),):
        raise InputError(f"labels of shape {labels.shape}; expected ({len(index)},), one for each mention of the index")
    return _of_texts(index, title, [labels] * len(index.labels))


def _binned(
    index: MentionIndex, name: str, values: Sequence[Any], least: Sequence[int], special: str = "", **more: Any
) -> Attribute:
    """Sort by numbers, one array for each side; numbers below the least are in the class ``special``."""
    ends = [f"{low}" if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(least)]
    classes = [*([special] if special else []), *ends, f"{least[-1]}+"]
    codes = np.stack([np.searchsorted(least, each, side="right") - (not special) for each in values])
    return Attribute(name, tuple(classes), np.where(index.labels < 0, -1, codes), **more)


def _of_texts(index: MentionIndex, name: str, sides: Sequence[Any]) -> Attribute:
    """Sort by texts, of which a mention has that of the first side that knows it; the most frequent class is first."""
    known = [side.tolist() for side in sides if side is not None]
    labels = [
        next((label for label in of_mention if label is not None), None) for of_mention in zip(*known, strict=True)
    ]
    texts = np.array([NONE if label is None else str(label) for label in labels], str)
    classes, codes, n = np.unique(texts, return_inverse=True, return_counts=True)
    order = np.lexsort((classes, -n, classes == NONE))
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    codes = np.broadcast_to(rank[codes], index.labels.shape)
    return Attribute(name, tuple(classes[order].tolist()), np.where(index.labels < 0, -1, codes))


def _length(index: MentionIndex, name: str) -> Attribute:
    _require_spans(index, name)
    return _binned(index, name, [index.end - index.start + 1] * len(index.labels), LENGTHS)


def _upos(index: MentionIndex, name: str) -> Attribute:
    upos = _known_upos(index, name)
    texts = np.array([*UPOS, None], object)[upos]
    return _of_texts(index, name, [texts])


def _kind(index: MentionIndex, name: str) -> Attribute:
    upos = _known_upos(index, name)
    kind_of = [{"PRON": 0, "PROPN": 1, "NOUN": 2}.get(each, 3) for each in (*UPOS, "")]
    codes = np.broadcast_to(np.array(kind_of)[upos], index.labels.shape)
    return Attribute(name, KINDS, np.where(index.labels < 0, -1, codes))


def _type(index: MentionIndex, name: str) -> Attribute:
    sides = [index.types(side) for side in range(len(index.labels))]
    if all(side is None for side in sides):
        raise InputError(f"attribute {name!r} needs types of mentions, which these files do not have")
    return _of_texts(index, name, sides)


def _size(index: MentionIndex, name: str) -> Attribute:
    sizes = [np.bincount(labels + 1, minlength=1)[labels + 1] for labels in index.labels]
    return _binned(index, name, sizes, SIZES, of_mention=False)


def _range(index: MentionIndex, name: str) -> Attribute:
    _require_spans(index, name)
    values = []
    for side in range(len(index.labels)):
        mentions, entity_bounds = index.members(side)
        labels, words = index.labels[side], np.zeros(max(entity_bounds.size - 1, 1), np.int64)
        if mentions.size:
            starts, ends = index.start[mentions], index.end[mentions]
            words = np.maximum.reduceat(ends, entity_bounds[:-1]) - starts[entity_bounds[:-1]] + 1
            words[np.diff(entity_bounds) == 1] = 0
        values.append(words[labels])
    attribute = _binned(index, name, values, RANGES, of_mention=False)
    return Attribute(name, ("one mention", *attribute.classes[1:]), attribute.codes, of_mention=False)


def _distance(index: MentionIndex, name: str) -> Attribute:
    values = np.full_like(index.labels, -1)
    for labels, distance in zip(index.labels, values, strict=True):
        present = np.flatnonzero(labels >= 0)
        order = stable_order(labels[present])
        same = np.flatnonzero(np.diff(labels[present][order]) == 0)
        distance[present[order[same + 1]]] = order[same + 1] - order[same]
    return _binned(index, name, list(values), DISTANCES, FIRST, of_mention=False)


def _token_distance(index: MentionIndex, name: str) -> Attribute:
    _require_spans(index, name)
    start = index.start
    values = [np.where((of := antecedents(labels)) < 0, -1, start - start[of]) for labels in index.labels]
    return _binned(
        index, name, [np.where(v < 0, -1, np.maximum(v, 1)) for v in values], DISTANCES, FIRST, of_mention=False
    )


def _sentence_distance(index: MentionIndex, name: str) -> Attribute:
    _require_spans(index, name)
    sentence = np.zeros(len(index), np.int64)
    for d in range(len(index.names)):
        rows, starts = slice(*index.offsets[d : d + 2].tolist()), index.sentence_bounds(d)
        if starts is None:
            raise InputError(f"attribute {name!r} needs sentences, which document {index.names[d]!r} does not have")
        sentence[rows] = starts.searchsorted(index.start[rows], side="right")
    values = [np.where((of := antecedents(labels)) < 0, -1, sentence - sentence[of]) for labels in index.labels]
    return _binned(index, name, values, SENTENCES, FIRST, of_mention=False)


ATTRIBUTES: Mapping[str, Callable[[MentionIndex, str], Attribute]] = {
    "length": _length,
    "upos": _upos,
    "kind": _kind,
    "type": _type,
    "size": _size,
    "range": _range,
    "distance": _distance,
    "distance-tokens": _token_distance,
    "distance-sentences": _sentence_distance,
}
"""The attributes by name: number of words; part of speech of the head; pronoun, name or noun; the type that files give
with a mention or entity; number of mentions of the entity; words from its first to its last mention; distance to the
closest antecedent in mentions, words, and sentences. A new one is a function, and a line here."""


def antecedents(labels: Ints) -> Ints:
    """Return the closest earlier mention of the same entity for each mention, int64 (M,); -1 where there is none.

    >>> antecedents(np.array([0, 1, -1, 0, 0])).tolist()
    [-1, -1, -1, 0, 3]
    """
    present = np.flatnonzero(labels >= 0)
    order = present[stable_order(labels[present])]
    result = np.full(labels.size, -1)
    same = labels[order[1:]] == labels[order[:-1]]
    result[order[1:][same]] = order[:-1][same]
    return result


def _require_spans(index: MentionIndex, name: str) -> None:
    if not index.has_spans:
        raise InputError(f"attribute {name!r} needs mentions that are spans of words")


def _known_upos(index: MentionIndex, name: str) -> Ints:
    if index.any_upos is None:
        raise InputError(f"attribute {name!r} needs parts of speech of heads, which are in CoNLL-U only")
    return index.any_upos
