"""Hold columns of long tables without Python objects: numbers as int64, texts as codes into distinct texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.interop.arrow import find_texts, is_text_type
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.scoring.labels import BELOW, LOST, as_kernel_array, label_values, refuse_lost

MANY_TEXTS = 1024
"""Number of distinct texts up to which a part of a column keeps all texts of the column, even those it does not use."""

RUN = 8
"""Average length of runs of equal values from which `group_values` looks up one value per run, not one per row."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of whole numbers.

    Attributes:
        codes: int64 (N,) the numbers, or, where ``unsigned``, the bits of uint64 numbers.
        unsigned: whether the numbers are uint64, which only columns with a number above 2^63 - 1 need.
    """

    codes: Integers
    unsigned: bool = False

    def __len__(self) -> int:
        return self.codes.size

    def compact(self) -> Numbers:
        """Return the column itself."""
        return self

    def hashes(self, seed: np.uint64) -> NDArray[np.uint64]:
        """Hash each value, uint64 (N,), the same in every process."""
        from arraycoref.kernels.hashtable import hash_numbers

        hashes = np.empty(len(self), np.uint64)
        hash_numbers(as_kernel_array(self.codes), seed, hashes)
        return hashes

    def below(self, bound: Any) -> NDArray[np.bool_]:
        """Return which values are less than a number, bool (N,)."""
        limits = np.iinfo(self.values.dtype)
        if not limits.min < bound <= limits.max:  # numpy before 2 would convert both to floats and compare these
            return np.full(len(self), bound > limits.max)
        return np.asarray(self.values < bound, bool)

    def ranks(self) -> Integers:
        """Return the rank of each value among the distinct values, from 0, int64 (N,)."""
        return np.asarray(np.unique(self.values, return_inverse=True)[1], np.int64)

    @property
    def values(self) -> NDArray[np.integer[Any]]:
        """The numbers in their own dtype, (N,): uint64 where ``unsigned``, else int64."""
        return self.codes.view(np.uint64) if self.unsigned else self.codes

    def to_list(self) -> list[Any]:
        """Return the values as Python objects."""
        values: list[Any] = self.values.tolist()
        return values


@dataclass(frozen=True, eq=False)
class Texts:
    """A column of texts, stored as in Arrow's dictionary encoding.

    Attributes:
        codes: int64 (N,) for each row, the position of its text in ``dictionary``.
        dictionary: (V,) distinct texts, an Arrow array of type large_string without nulls.
    """

    codes: Integers
    dictionary: Any

    def __len__(self) -> int:
        return self.codes.size

    @classmethod
    def of(cls, codes: Integers, texts: Any) -> Texts:
        """Make a column of codes that are positions in ``texts``, where a text may occur several times."""
        encoded = texts.dictionary_encode()
        if len(encoded.dictionary) == len(texts):
            return cls(codes, texts)
        return cls(encoded.indices.to_numpy().astype(np.int64)[codes], encoded.dictionary)

    def compact(self) -> Texts:
        """Drop texts that no row uses, so that a part of a column does not carry all texts of the whole column."""
        if len(self.dictionary) <= max(MANY_TEXTS, self.codes.size // 4):
            return self
        codes, first = factorize(self.codes)
        return Texts(codes, self.dictionary.take(self.codes[first]))

    def hashes(self, seed: np.uint64) -> NDArray[np.uint64]:
        """Hash each value, uint64 (N,), the same in every process."""
        from arraycoref.kernels.hashtable import hash_texts

        used = self.compact()
        start = used.dictionary.offset
        _, bounds, data = used.dictionary.buffers()
        hashes = np.empty(len(used.dictionary), np.uint64)
        if hashes.size:
            offsets = np.frombuffer(bounds, np.int64)[start : start + hashes.size + 1]
            text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
            hash_texts(as_kernel_array(offsets), as_kernel_array(text, np.uint8), seed, hashes)
        return hashes[used.codes]

    def below(self, bound: Any) -> NDArray[np.bool_]:
        """Return which values come before a text in the order of code points, bool (N,)."""
        import pyarrow
        from pyarrow import compute

        less = compute.less(self.dictionary, pyarrow.scalar(bound, pyarrow.large_string()))
        return np.asarray(less.to_numpy(zero_copy_only=False), bool)[self.codes]

    def ranks(self) -> Integers:
        """Return the rank of each value among the texts of the dictionary, by code points, int64 (N,)."""
        from pyarrow import compute

        rank = np.empty(len(self.dictionary), np.int64)
        rank[compute.sort_indices(self.dictionary).to_numpy()] = np.arange(rank.size)
        return rank[self.codes]

    def to_list(self) -> list[str]:
        """Return the values as Python objects.

        Raises:
            InputError: bytes that are no UTF-8.
        """
        try:
            texts: list[str] = self.dictionary.take(self.codes).to_pylist()
        except UnicodeDecodeError as error:
            raise InputError(f"a text is not valid UTF-8: {error}") from None
        return texts


Column = Numbers | Texts


def take(column: Column, rows: Any) -> Column:
    """Take some rows of a column; the rows are int64 (n,) or a slice."""
    return replace(column, codes=column.codes[rows])


def factorize(values: Integers) -> tuple[Integers, Integers]:
    """Number the distinct values of an array by first appearance.

    Returns:
        int64 (N,) the numbers, and int64 (V,) the first position of each distinct value.
    """
    from arraycoref.kernels.hashtable import number_values

    codes, first = np.empty(values.size, np.int64), np.empty(values.size + 1, np.int64)
    n_distinct = number_values(as_kernel_array(values), LABEL_SEED, codes, first)
    return codes, first[:n_distinct].copy()


def group(codes: Integers, n_groups: int) -> tuple[Integers, Integers | None]:
    """Group rows by code.

    Args:
        codes: int64 (N,) 0 to G - 1.
        n_groups: G.

    Returns:
        int64 (G+1,) bounds of the groups, and int64 (N,) the rows sorted by group, or None if they already are.
    """
    from arraycoref.kernels.mentions import group_rows

    if (codes[1:] >= codes[:-1]).all():
        return np.searchsorted(codes, np.arange(n_groups + 1)), None
    bounds, order = np.empty(n_groups + 1, np.int64), np.empty(codes.size, np.int64)
    group_rows(as_kernel_array(codes), bounds, order)
    return bounds, order


def group_values(values: Integers) -> tuple[Integers, Integers | None, Integers]:
    """Group rows by any values; groups come in the order in which their values first appear.

    Args:
        values: int64 (N,).

    Returns:
        int64 (G+1,) bounds of the groups; int64 (N,) the rows sorted by group, or None if they already are; and int64
        (G,) the first row of each group.
    """
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    starts = np.append(np.arange(min(values.size, 1)), changes)  # first row of each run of equal values
    if starts.size * RUN > values.size + RUN:
        codes, first = factorize(values)
    else:
        of_run, places = factorize(values[starts])
        first = starts[places]
        if first.size == starts.size:
            return np.append(starts, values.size), None, first
        codes = np.repeat(of_run, np.diff(starts, append=values.size))
    return *group(codes, first.size), first


def combine(columns: Sequence[Column]) -> Integers:
    """Return one number per row, int64 (N,), equal for rows that are equal in every column; one column or more."""
    if len(columns) == 1 or len(columns[0]) == 0:
        return columns[0].codes
    combined, room = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        codes = column.codes
        least, largest = int(codes.min()), int(codes.max())
        if room * (largest - least + 1) > 2**62:
            combined, codes, least = factorize(combined)[0], factorize(codes)[0], 0
            room, largest = int(combined.max()) + 1, int(codes.max())
        combined = combined * (largest - least + 1) + (codes - least)
        room *= largest - least + 1
    return combined


def concat_columns(columns: Sequence[Column], what: str) -> Column:
    """Concatenate columns.

    Args:
        columns: one or more.
        what: name of the column, for messages.

    Raises:
        InputError: numbers in one and texts in another, or numbers above 2^63 - 1 together with negative numbers.
    """
    filled = [column for column in columns if len(column)] or [columns[0]]
    if len(filled) == 1:
        return filled[0]
    texts = [column for column in filled if isinstance(column, Texts)]
    numbers = [column for column in filled if isinstance(column, Numbers)]
    if texts and numbers:
        text, number = (take(some[0], slice(1)).to_list()[0] for some in (texts, numbers))
        found = f"holds the text {text!r:.60} in one part or side and the number {number} in another"
        raise InputError(f"column {what!r} {found}; expected one kind")
    if texts:
        return _concat_texts(texts)
    unsigned = any(column.unsigned for column in numbers)
    if unsigned and (least := min((int(c.codes.min()) for c in numbers if not c.unsigned), default=0)) < 0:
        largest = max(int(column.values.max()) for column in numbers if column.unsigned)
        raise InputError(f"column {what!r} holds {least} and {largest}; expected numbers of one 64-bit dtype")
    return Numbers(np.concatenate([column.codes for column in numbers]), unsigned)


def _concat_texts(columns: Sequence[Texts]) -> Texts:
    import pyarrow

    codes, dictionary = np.concatenate([column.codes for column in columns]), columns[0].dictionary
    if all(column.dictionary is dictionary for column in columns):
        return Texts(codes, dictionary)
    sizes = [len(column.dictionary) for column in columns]
    codes += np.repeat(np.cumsum([0, *sizes[:-1]]), list(map(len, columns)))
    return Texts.of(codes, pyarrow.concat_arrays([column.dictionary for column in columns]))


def from_arrow(column: Any, name: str, place: str, first_row: int = 0) -> Column:
    """Convert a column of an Arrow table.

    Args:
        column: a ``pyarrow.ChunkedArray`` of whole numbers of any width, or of texts, dictionary-encoded or not.
        name: of the column, for messages.
        place: words for the table, file or partition of the column, for messages.
        first_row: number of the column's first row in ``place``, for messages.

    Raises:
        InputError: a column of another type, or a null.
    """
    from pyarrow import types

    column, kind = _decoded(column)
    if not len(column):
        return Numbers(np.empty(0, np.int64))
    if not is_text_type(kind) and not types.is_integer(kind):
        raise InputError(f"{place}: column {name!r} has type {kind}; expected whole numbers or texts")
    if column.null_count:
        row = first_row + int(column.is_null().to_numpy().argmax())
        raise InputError(f"{place}: row {row} has no value in column {name!r}; expected one in each row")
    if is_text_type(kind):
        return _texts(column)
    chunks = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return _numbers(chunks[0] if len(chunks) == 1 else np.concatenate(chunks))


def labels_from_arrow(
    column: Any, name: str, place: str, first_row: int = 0
) -> tuple[Column, NDArray[np.bool_] | None]:
    """Convert a column of labels; `arraycoref.scoring.labels` defines what each value means.

    Args:
        column: a ``pyarrow.ChunkedArray``.
        name: of the column, for messages.
        place: words for the table, file or partition of the column, for messages.
        first_row: number of the column's first row in ``place``, for messages.

    Returns:
        The column, with arbitrary values in rows without a label; and bool (N,) which rows have a label, None if all
        rows do.

    Raises:
        InputError: a value that is not a label, or a label below -1.
    """
    column, kind = _decoded(column)
    if is_text_type(kind):
        texts = _texts(column.cast("large_string").fill_null("-") if column.null_count else column)
        if find_texts(texts.dictionary, LOST):  # a dictionary may have texts that no row uses
            used = texts.dictionary.take(np.unique(texts.codes))
            refuse_lost(find_texts(used, LOST), f"{place}: column {name!r}")
        return texts, ~column.is_null().to_numpy() if column.null_count else None
    values, missing = label_values(column, f"{place}: column {name!r}")
    numbers = _numbers(values)
    absent = np.zeros(len(numbers), bool) if missing is None else missing
    if not numbers.unsigned and numbers.codes.min(initial=0) < 0:
        if ((numbers.codes < -1) & ~absent).any():
            row = int(((numbers.codes < -1) & ~absent).argmax())
            found = f"row {first_row + row} has the label {numbers.codes[row]} in column {name!r}"
            raise InputError(f"{place}: {found}; {BELOW}")
        absent = absent | (numbers.codes == -1)
    return numbers, ~absent if absent.any() else None


def _decoded(column: Any) -> tuple[Any, Any]:
    """Undo run-end encoding, and dictionary encoding of other values than texts; also return the type of the values."""
    from pyarrow import compute, types

    if types.is_run_end_encoded(column.type):
        column = compute.run_end_decode(column)
    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        if not is_text_type(kind) or any(chunk.dictionary.null_count for chunk in column.chunks):
            column = column.cast(kind)  # a code may refer to a null, which `null_count` would not count
    return column, kind


def _numbers(values: NDArray[np.integer[Any]]) -> Numbers:
    if values.dtype == np.uint64:
        return Numbers(values.view(np.int64), bool(values.size and values.max() > np.iinfo(np.int64).max))
    return Numbers(values.astype(np.int64, copy=False))


def _texts(column: Any) -> Texts:
    import pyarrow

    large = pyarrow.large_string()
    encoded = column if pyarrow.types.is_dictionary(column.type) else column.cast(large).dictionary_encode()
    chunks = encoded.unify_dictionaries().chunks
    codes = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks]
    texts = chunks[0].dictionary if chunks else pyarrow.array([], large)
    return Texts.of(np.concatenate([np.empty(0, np.int64), *codes], dtype=np.int64), texts.cast(large))
