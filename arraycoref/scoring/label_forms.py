"""Lay out labels of many documents, in each form in which programs hold them, as one vector for each side.

| form | one document is |
|---|---|
| vectors (M,) and ``offsets`` (D+1,) | the labels from one offset to the next |
| vectors (M,) and ``documents`` (M,), names or numbers in any order | the labels with one name |
| a list of vectors, or a column of lists | a vector |
| an array (D, L), padded with -1 on both sides, or with ``ignore_index`` in the key | a row |
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Ints, bounds, bounds_of
from arraycoref.scoring.columns import coded, numbered_alike
from arraycoref.scoring.labels import is_missing, label_array, label_matrix, one_column, require_one_index


def lay_out(
    sides: Mapping[str, Any], offsets: Any = None, documents: Any = None, names: Any = None, ignore_index: Any = None
) -> tuple[list[Ints], Any, Any]:
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
        InputError: sides with different documents, or documents that are given twice or not known.
    """
    require_one_index(**sides, **({} if documents is None else {"documents": documents}))
    laid = {what: _vectors(labels, what) for what, labels in sides.items()}
    are_listed = any(isinstance(side, list) for side in laid.values())
    if are_listed and all(isinstance(side, list | tuple) for side in sides.values()):
        for d, rows in enumerate(zip(*sides.values(), strict=False)):
            require_one_index(**{f"{what}, document {d}": row for what, row in zip(sides, rows, strict=True)})
    parts = {what: side if isinstance(side, list) else [side] for what, side in laid.items()}
    (first, own), *others = parts.items()
    for what, side in others:
        for d, (n, other) in enumerate(zip_longest(map(len, own), map(len, side), fillvalue=0)):
            if n != other:
                place = f" in document {d}" if are_listed else ""
                raise InputError(f"{first} has {n} labels and {what} {other}{place}; expected equally many")
    has_documents = documents is not None
    if (offsets is not None) + has_documents + are_listed + (has_documents and names is not None) > 1:
        expected = "expected offsets, documents, or a vector for each document; names only without documents"
        raise InputError(f"documents are given twice; {expected}")
    vectors = [np.concatenate([np.zeros(0, np.int64), *side]) for side in parts.values()]
    if are_listed:
        offsets = bounds_of(own)
    if ignore_index is not None:
        if not isinstance(ignore_index, int | np.integer):
            raise InputError(f"ignore_index is {ignore_index!r}; expected a whole number, or None")
        left_out = vectors[0] == ignore_index
        vectors = [np.where(left_out, -1, vector) for vector in vectors]
    if documents is not None:
        number, names = _numbered(documents, len(vectors[0]))
        order, offsets = np.argsort(number, kind="stable"), bounds(np.bincount(number, minlength=len(names)))
        vectors = [vector[order] for vector in vectors]
    return vectors, offsets, names


def _vectors(labels: Any, what: str) -> Ints | list[Ints]:
    """Return labels as one vector, int64 (M,), or as a vector for each document."""
    labels = one_column(labels, what)  # once, as a reader of batches is at its end then
    codes, values = (None, labels) if isinstance(labels, list | tuple) else coded(labels)
    is_listed = codes is None and (isinstance(values, list | tuple) or (values.dtype == object and values.ndim == 1))
    if not is_listed or not len(values) or isinstance(values[0], str) or np.ndim(values[0]) == 0:
        values = label_matrix(labels, what)
        if values.ndim == 1:
            return label_array(values, what)
    return [label_array(row, f"{what}, document {d}") for d, row in enumerate(values)]


def _numbered(documents: Any, n_labels: int) -> tuple[Ints, list[str]]:
    """Number the documents of labels by first appearance, int64 (M,), and return their names."""
    codes, values = coded(one_column(documents, "documents"))
    if (shape := (values if codes is None else codes).shape) != (n_labels,):
        raise InputError(f"documents has shape {shape}; expected a name or a number per label, shape ({n_labels},)")
    items = values.tolist() if codes is None else np.array([*values.tolist(), None], object)[codes].tolist()
    names = dict.fromkeys(items)
    for item in filter(is_missing, names):
        raise InputError(f"documents is {item} for label {items.index(item)}; expected a name or a number")
    return numbered_alike([(np.arange(n_labels), items)])[0], list(map(str, names))
