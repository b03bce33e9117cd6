"""Lay out labels of many documents, in each form in which programs hold them, as one vector for each side.

| form | one document is |
|---|---|
| vectors (M,) and ``offsets`` (D+1,) | the labels from one offset to the next |
| vectors (M,) and ``documents`` (M,), names or numbers in any order | the labels with one name |
| a list of vectors, or a column of lists | a vector |
| an array (D, L), padded with -1 on both sides, or with ``ignore_index`` in the key | a row |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Ints, bounds
from arraycoref.scoring.columns import coded
from arraycoref.scoring.labels import is_missing, label_array, label_matrix, one_column, require_one_index


def lay_out(
    sides: Mapping[str, Any],
    offsets: Any = None,
    documents: Any = None,
    names: Iterable[str] | None = None,
    ignore_index: int | None = None,
) -> tuple[list[Ints], Any, Iterable[str] | None]:
    """Lay out the labels of two sides or more; labels and offsets are checked later, as those of one vector are.

        >>> key, response = [[0, 0, 1], [0, 0, -100]], [[0, 0, 0], [0, 1, 1]]
        >>> vectors, offsets, _ = lay_out({"key": key, "response": response}, ignore_index=-100)
        >>> [vector.tolist() for vector in vectors], offsets.tolist()
        ([[0, 0, 1, 0, 0, -1], [0, 0, 0, 0, 1, -1]], [0, 3, 6])

    Args:
        sides: the labels of each side, by names for messages; the key first.
        offsets: (D+1,) bounds of the documents of vectors.
        documents: (M,) the document of each label of vectors.
        names: (D,) names of documents.
        ignore_index: a label of the key whose positions are left out on all sides; None for none.

    Returns:
        The vectors, int64 (M,) each; offsets, None for vectors without any; and the names of the documents, those in
        ``documents`` in the order in which they first appear.

    Raises:
        InputError: sides with different documents, or documents that are said twice or not known.
    """
    require_one_index(**sides, **({} if documents is None else {"documents": documents}))
    laid = {what: _vectors(labels, what) for what, labels in sides.items()}
    sizes = {what: len(side) if isinstance(side, np.ndarray) else list(map(len, side)) for what, side in laid.items()}
    (first, expected), *others = sizes.items()
    for what, n in others:
        if n != expected:
            counts, noun = (expected, n), "labels"
            if isinstance(expected, list) and isinstance(n, list):
                differ = [(*pair, f"labels in document {d}") for d, pair in enumerate(zip(expected, n, strict=False))]
                *counts, noun = next(
                    (each for each in differ if each[0] != each[1]), (len(expected), len(n), "documents")
                )
            raise InputError(
                f"{first} has {counts[0]!s:.60} {noun} and {what} {counts[1]!s:.60}; expected equally many"
            )
    if (offsets is not None) + (documents is not None) + isinstance(expected, list) > 1:
        raise InputError("documents are said twice; expected offsets, documents, or a vector for each document")
    vectors = [side if isinstance(side, np.ndarray) else np.concatenate(side) for side in laid.values()]
    if isinstance(expected, list):
        offsets = bounds(np.array(expected))
    if ignore_index is not None:
        left_out = vectors[0] == ignore_index
        vectors = [np.where(left_out, -1, vector) for vector in vectors]
    if documents is not None:
        number, names = _numbered(documents, len(vectors[0]))
        order, offsets = np.argsort(number, kind="stable"), bounds(np.bincount(number, minlength=len(names)))
        vectors = [vector[order] for vector in vectors]
    return vectors, offsets, names


def _vectors(labels: Any, what: str) -> Ints | list[Ints]:
    """Return labels as one vector, int64 (M,), or as a vector for each document."""
    codes, values = (None, labels) if isinstance(labels, list | tuple) else coded(one_column(labels, what))
    is_listed = codes is None and (isinstance(values, list | tuple) or (values.dtype == object and values.ndim == 1))
    if not is_listed or not len(values) or isinstance(values[0], str) or np.ndim(values[0]) == 0:
        values = label_matrix(labels, what)
        if values.ndim == 1:
            return label_array(values, what)
    return [label_array(row, f"{what}, document {d}") for d, row in enumerate(values)]


def _numbered(documents: Any, n_labels: int) -> tuple[Ints, list[str]]:
    """Number the documents of labels by first appearance, int64 (M,), and return their names."""
    codes, values = coded(one_column(documents, "documents"))
    items = (values if codes is None else np.append(values.astype(object), None)[codes]).tolist()
    if values.ndim != 1 or len(items) != n_labels:
        raise InputError(f"documents has {len(items)} names; expected one for each of {n_labels} labels")
    numbers: dict[Any, int] = {}
    number = np.array([numbers.setdefault(item, len(numbers)) for item in items], np.int64)
    for item in filter(is_missing, numbers):
        raise InputError(f"documents is {item} for label {items.index(item)}; expected a name or a number")
    return number, list(map(str, numbers))
