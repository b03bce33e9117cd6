"""Columns of long tables: whole numbers as they are, texts as codes into the distinct ones; never Python objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.clusterings import LABEL_SEED
from arraycoref.errors import InputError

Integers = NDArray[np.int64]

MANY_TEXTS = 1024
"""Distinct texts beyond which a part of a column leaves behind those that it does not use."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of whole numbers.

    Attributes:
        values: int64 (N,); the bits of uint64 where ``unsigned``.
        unsigned: whether they are read as uint64, which only numbers past 2^63 - 1 need.
    """

    values: Integers
    unsigned: bool = False

    def __len__(self) -> int:
        return self.values.size

    @property
    def parts(self) -> Integers:
        """Numbers that are equal where the column's values are, int64 (N,)."""
        return self.values

    def with_parts(self, parts: Integers) -> Numbers:
        """The same kind of column with other rows."""
        return Numbers(parts, self.unsigned)

    def compact(self) -> Numbers:
        """The column itself."""
        return self

    def hashes(self, seed: np.uint64) -> NDArray[np.uint64]:
        """Hash each value, uint64 (N,), the same in every process."""
        from arraycoref.kernels.hashing import hash_numbers

        hashes = np.empty(len(self), np.uint64)
        hash_numbers(frozen(self.values), seed, hashes)
        return hashes

    def below(self, bound: Any) -> NDArray[np.bool_]:
        """Which values are less than a number, bool (N,)."""
        values = self.natural()
        limits = np.iinfo(values.dtype)
        if not limits.min < bound <= limits.max:  # numpy before 2 would compare floats
            return np.full(values.size, bound > limits.max)
        return np.asarray(values < bound, bool)

    def ranks(self) -> Integers:
        """The place of each value in their order, int64 (N,)."""
        return np.asarray(np.unique(self.natural(), return_inverse=True)[1], np.int64)

    def natural(self) -> NDArray[np.integer[Any]]:
        """The numbers as they are meant, uint64 or int64 (N,)."""
        return self.values.view(np.uint64) if self.unsigned else self.values

    def to_list(self) -> list[Any]:
        """The values as Python objects."""
        values: list[Any] = self.natural().tolist()
        return values


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of texts.

    Attributes:
        codes: int64 (N,) which of ``values`` stands in each row.
        values: (V,) distinct texts, an Arrow array of type large_string without nulls.
    """

    codes: Integers
    values: Any

    def __len__(self) -> int:
        return self.codes.size

    @property
    def parts(self) -> Integers:
        """Numbers that are equal where the column's values are, int64 (N,)."""
        return self.codes

    def with_parts(self, parts: Integers) -> Texts:
        """The same kind of column with other rows."""
        return Texts(parts, self.values)

    def compact(self) -> Texts:
        """The same column without the texts that it does not use, so that a part does not carry those of the whole."""
        if len(self.values) <= max(MANY_TEXTS, self.codes.size // 4):
            return self
        codes, first = number(self.codes)
        return Texts(codes, self.values.take(_arrow(self.codes[first])))

    def hashes(self, seed: np.uint64) -> NDArray[np.uint64]:
        """Hash each value, uint64 (N,), the same in every process."""
        from arraycoref.kernels.hashing import hash_texts

        used = self.compact()
        start = used.values.offset
        _, bounds, data = used.values.buffers()
        hashes = np.empty(len(used.values), np.uint64)
        if hashes.size:
            offsets = np.frombuffer(bounds, np.int64)[start : start + hashes.size + 1]
            text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
            hash_texts(frozen(offsets), frozen(text, np.uint8), seed, hashes)
        return hashes[used.codes]

    def below(self, bound: Any) -> NDArray[np.bool_]:
        """Which values come before a text, by code points, bool (N,)."""
        import pyarrow
        from pyarrow import compute

        less = compute.less(self.values, pyarrow.scalar(bound, pyarrow.large_string()))
        return np.asarray(less.to_numpy(zero_copy_only=False), bool)[self.codes]

    def ranks(self) -> Integers:
        """The place of each value in the order of code points, int64 (N,)."""
        from pyarrow import compute

        rank = np.empty(len(self.values), np.int64)
        rank[compute.sort_indices(self.values).to_numpy()] = np.arange(rank.size)
        return rank[self.codes]

    def to_list(self) -> list[str]:
        """The values as Python objects.

        Raises:
            InputError: bytes that are no UTF-8.
        """
        try:
            texts: list[str] = self.values.take(_arrow(self.codes)).to_pylist()
        except UnicodeDecodeError as error:
            raise InputError(f"a text is not valid UTF-8: {error}") from None
        return texts


Column = Numbers | Texts


def take(column: Column, rows: Any) -> Column:
    """Take some rows of a column, int64 (n,) or a slice."""
    return column.with_parts(column.parts[rows])


def number(parts: Integers) -> tuple[Integers, Integers]:
    """Number the distinct values of an array by first appearance.

    Returns:
        int64 (N,) the numbers, and int64 (V,) the first position of each distinct value.
    """
    from arraycoref.kernels.hashing import number_values

    codes, first = np.empty(parts.size, np.int64), np.empty(parts.size + 1, np.int64)
    n_distinct = number_values(frozen(parts), LABEL_SEED, codes, first)
    return codes, first[:n_distinct].copy()


def join(columns: Sequence[Column], what: str) -> Column:
    """Put columns one behind the other.

    Args:
        columns: one at least.
        what: names the column, for messages.

    Raises:
        InputError: numbers in one and texts in another, or numbers past 2^63 - 1 beside negative ones.
    """
    filled = [column for column in columns if len(column)] or [columns[0]]
    if len(filled) == 1:
        return filled[0]
    texts = [column for column in filled if isinstance(column, Texts)]
    numbers = [column for column in filled if isinstance(column, Numbers)]
    if texts and numbers:
        raise InputError(f"column {what!r} holds texts in one part and numbers in another; expected one kind")
    if texts:
        return _join_texts(texts)
    unsigned = any(column.unsigned for column in numbers)
    if unsigned and (least := min((int(c.values.min()) for c in numbers if not c.unsigned), default=0)) < 0:
        largest = max(int(column.natural().max()) for column in numbers if column.unsigned)
        raise InputError(f"column {what!r} holds {least} and {largest}, which no 64-bit dtype has both")
    return Numbers(np.concatenate([column.values for column in numbers]), unsigned)


def _join_texts(columns: Sequence[Texts]) -> Texts:
    import pyarrow

    same = all(column.values is columns[0].values for column in columns)
    if same:
        return Texts(np.concatenate([column.codes for column in columns]), columns[0].values)
    encoded = pyarrow.concat_arrays([column.values for column in columns]).dictionary_encode()
    new = encoded.indices.to_numpy().astype(np.int64)
    starts = np.cumsum([0, *(len(column.values) for column in columns)])
    return Texts(
        np.concatenate([new[start:][column.codes] for start, column in zip(starts[:-1], columns, strict=True)]),
        encoded.dictionary,
    )


def _arrow(rows: Integers) -> Any:
    import pyarrow

    return pyarrow.array(rows)


def from_arrow(column: Any, name: str, place: str, first_row: int = 0) -> Column:
    """Take over a column of an Arrow table.

    Args:
        column: a ``pyarrow.ChunkedArray`` of whole numbers of any width, or of texts, dictionary-encoded or not.
        name: of the column, for messages.
        place: what the column belongs to, for messages.
        first_row: number of its first row there.

    Raises:
        InputError: another type, or a null.
    """
    import pyarrow

    types = pyarrow.types
    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        if types.is_integer(kind) or any(chunk.dictionary.null_count for chunk in column.chunks):
            column = column.cast(kind)  # a code may stand for a null, which `null_count` would not count
    is_text = types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"
    if not is_text and not types.is_integer(kind) and not (types.is_null(kind) and len(column) == 0):
        raise InputError(f"{place}: column {name!r} has type {kind}; expected whole numbers or texts")
    if column.null_count:
        nulls = [chunk.is_null().to_numpy(zero_copy_only=False) for chunk in column.chunks]
        row = first_row + int(np.concatenate(nulls).argmax())
        raise InputError(f"{place}: row {row} has no value in column {name!r}; expected one in each row")
    if is_text:
        return _texts(column)
    chunks = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    values = chunks[0] if len(chunks) == 1 else np.concatenate(chunks) if chunks else np.empty(0, np.int64)
    if kind == pyarrow.uint64():
        return Numbers(values.view(np.int64), bool(values.size and values.max() > np.iinfo(np.int64).max))
    return Numbers(values.astype(np.int64, copy=False))


def _texts(column: Any) -> Texts:
    import pyarrow

    large = pyarrow.large_string()
    if not pyarrow.types.is_dictionary(column.type):
        array = column.cast(large).combine_chunks().dictionary_encode()
        return Texts(array.indices.to_numpy(zero_copy_only=False).astype(np.int64), array.dictionary)
    chunks = column.unify_dictionaries().chunks
    codes = [chunk.indices.to_numpy(zero_copy_only=False).astype(np.int64) for chunk in chunks]
    values = (chunks[0].dictionary if chunks else pyarrow.array([], large)).cast(large)
    encoded = values.dictionary_encode()  # whoever made the dictionary may have listed a text twice
    if len(encoded.dictionary) == len(values):
        return Texts(np.concatenate([np.empty(0, np.int64), *codes]), values)
    return Texts(encoded.indices.to_numpy().astype(np.int64)[np.concatenate(codes)], encoded.dictionary)
