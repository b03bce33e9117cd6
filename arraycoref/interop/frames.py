"""Lay out tables with one row per mention as label vectors: number documents and mentions, pair and match them.

Each column is numbered by the library of its table: narwhals reads pandas, polars, PyArrow and others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arraycoref.exceptions import BELOW, InputError
from arraycoref.match.documents import pair_documents
from arraycoref.match.mentions import Occurrences, number_mentions
from arraycoref.match.overlap import Overlap, Values, rows_of
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, number_by_appearance, run_starts
from arraycoref.read.columns import check_columns
from arraycoref.read.problems import ProblemLog
from arraycoref.read.tables import labels_across
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.columns import WHOLE, codes_of_all, kind_of, series_of
from arraycoref.scoring.labels import are_rounded, is_missing, label_array

if TYPE_CHECKING:
    import narwhals


LOOKED_AT = 500
"""Rows that decide whether labels of all rows are compared across documents."""

Pair = Callable[[Sequence[str], Sequence[str]], Sequence[int]]


class SideTable(NamedTuple):
    """The rows of one side.

    Attributes:
        frame: the table; one table may be that of both sides.
        label: name of the column of the side's labels.
        place: words for the table, for messages.
        where: returns words for a row, from its number, for messages.
    """

    frame: narwhals.DataFrame[Any]
    label: str
    place: str
    where: Callable[[int], str]

    @classmethod
    def from_frame(cls, frame: Any, columns: Iterable[str], label: str, place: str) -> SideTable:
        """Wrap a table, and check its columns."""
        return cls(wrap(frame, columns, place), label, place, lambda row: f"{place}: row {row}")


def table_of(frame: Any, place: str) -> narwhals.DataFrame[Any]:
    """Wrap a table with narwhals, or what can be read as one of PyArrow: a relation of DuckDB, a reader of batches.

    Raises:
        InputError: a table of no library that narwhals knows.
    """
    import narwhals

    if not narwhals.dependencies.is_into_dataframe(frame) and hasattr(frame, "__arrow_c_stream__"):
        with suppress(ValueError):  # a single column is refused below
            frame = import_module("pyarrow").table(frame)
    try:
        table: narwhals.DataFrame[Any] = narwhals.from_native(frame, eager_only=True)
    except TypeError:
        kind = f"{type(frame).__module__}.{type(frame).__name__}"
        expected = "expected a table of pandas, polars or PyArrow, not a lazy one; or paths, of both sides"
        raise InputError(f"{place} is a {kind}; {expected}") from None
    return table


def wrap(frame: Any, columns: Iterable[str], place: str) -> narwhals.DataFrame[Any]:
    """Take columns of a table, with values instead of categories, dictionaries and runs.

    Raises:
        InputError: as for `table_of`; a table that does not have each of the columns exactly once.
    """
    table, wanted = table_of(frame, place), tuple(dict.fromkeys(columns))
    check_columns(wanted, table.columns, place)
    return table.select(*(series_of(table[name]).alias(name) for name in wanted))


class RowIds(NamedTuple):
    """Ids of the mentions of one document, as its tables have them.

    Attributes:
        columns: for each column of a mention, those of the key and of the response.
        sides: the rows that are mentions, of both sides.
    """

    columns: Sequence[tuple[narwhals.Series[Any], narwhals.Series[Any]]]
    sides: tuple[Occurrences, Occurrences]

    def listed(self) -> list[Any]:
        """Return the ids in the order of the mentions: those of the key, then those that it lacks."""
        _, first = by_first_appearance(np.concatenate([side.code for side in self.sides]))
        n = self.sides[0].code.size
        parts = (self.sides[0].rank[first[first < n]], self.sides[1].rank[first[first >= n] - n])
        values = [
            [value for column, rows in zip(pair, parts, strict=True) for value in _values(column, rows)]
            for pair in self.columns
        ]
        return values[0] if len(values) == 1 else list(zip(*values, strict=True))


def encode_tables(
    key: SideTable,
    response: SideTable,
    document: str | None,
    mention: Sequence[str],
    policies: Policies,
    pair: Pair | None = None,
) -> tuple[Clusterings, Overlap | None]:
    """Pair the documents of two sides, and lay out the labels of their mentions.

    Args:
        key: rows of the key.
        response: rows of the response, which may be those of the same table.
        document: column of the documents; None for one document.
        mention: columns that identify a mention together; none if each row of the one table is a mention.
        policies: for documents on one side only, and for repeated mentions.
        pair: returns the positions of the key's documents to score, from the names of the documents of both sides; None
            for `pair_documents` under the policies.

    Returns:
        The documents in the order of their first rows in the key; and how many mentions both of two tables have.

    Raises:
        InputError: a document or mention that is null, or whose kind differs on the two sides; an invalid label.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: a document on one side only, where the policy is ``error``.
    """
    sides = (key, response)
    tables = sides[:1] if key.frame is response.frame else sides
    labels = [label_numbers(side) for side in sides]
    pair = pair or (lambda ours, theirs: pair_documents(ours, theirs, policies)[0])
    of_document, names = _pair(tables, document, pair)
    of_mention = _mentions(tables, mention)
    n_documents = 1 if names is None else len(names)

    def describe(side: str, *places: int) -> str:
        s = ("key", "response").index(side)
        given, rows = sides[s], (ours, theirs)[s].rank[list(places)]
        values = [_values(given.frame[name], rows[:1])[0] for name in mention]
        shown = values[0] if len(values) == 1 else tuple(values)
        of = "" if names is None else f" of document {names[of_document[s][rows[0]]]!r}"
        where = " and ".join(given.where(int(row)) for row in rows)
        return f"{side}{of}: mention {shown!r} is in two rows, {where}"

    columns = zip(of_document, of_mention, labels, strict=True)
    ours, theirs = (Occurrences.of_rows(*of_side, n_documents) for of_side in columns)
    found = number_mentions(ours, theirs, policies, describe)
    overlap = None
    if len(tables) == 2:
        there = [np.bincount(documents[documents >= 0], minlength=n_documents) > 0 for documents in of_document]
        overlap = Overlap.from_labels(
            found,
            lambda chosen: (
                _mention_values(key, mention, ours, chosen),
                _mention_values(response, mention, theirs, chosen),
            ),
            np.logical_and(*there),
        )
    in_order = not mention and int(labels[0].min(initial=0)) >= 0  # rows are mentions, all of which the key has
    clusterings = Clusterings.from_labels(*found[:3], names)
    ids = None
    if document is None and mention:
        ids = RowIds([(key.frame[name], response.frame[name]) for name in mention], (ours, theirs))
    return replace(clusterings, repeated=found.repeated, positions=in_order, ids=ids), overlap


def warn_of_labels_across(key: SideTable, document: str | None, mention: Sequence[str], problems: ProblemLog) -> None:
    """Warn of labels in several documents, see `labels_across`; the first rows decide whether all are looked at."""
    if document is None:
        return
    way, doubt = f"document=None, mention={[document, *mention]!r}", None
    for rows in (key.frame.head(LOOKED_AT), key.frame):
        pairs = zip(rows[document].to_list(), rows[key.label].to_list(), strict=True)
        sizes = Counter(pair for pair in pairs if not is_missing(pair[1]) and pair[1] != -1)
        doubt = labels_across(sizes, "key", way)
        if doubt is None:
            return
    if doubt is not None:
        problems.report(doubt, "warning")


def label_numbers(side: SideTable) -> Ints:
    """Return labels as int64 (rows,), -1 where there is none."""
    labels = label_array(side.frame[side.label].to_native(), f"{side.place}: column {side.label!r}")
    if labels.min(initial=0) < -1:
        row = int((labels < -1).argmax())
        raise InputError(f"{side.where(row)} has the label {labels[row]} in column {side.label!r}; {BELOW}")
    return labels


def _pair(tables: Sequence[SideTable], document: str | None, pair: Pair) -> tuple[list[Ints], tuple[str, ...] | None]:
    """Return for each row of each side the number of its document, -1 if it is left out; and the documents' names."""
    if document is None:
        return [np.zeros(len(tables[side].frame), np.int64) for side in (0, -1)], None
    codes = number_values(tables, document)
    numbers, first = by_first_appearance(np.concatenate(codes))
    n_rows = codes[0].size
    names = [
        str(value)
        for table, rows in zip(tables, (first[first < n_rows], first[first >= n_rows] - n_rows), strict=False)
        for value in _values(table.frame[document], rows)
    ]
    if len(tables) == 1:
        return [numbers, numbers], tuple(names)
    ours, theirs = numbers[:n_rows], numbers[n_rows:]
    there = theirs[number_by_appearance(theirs, len(names))[1]]
    kept = pair(names[: np.count_nonzero(first < n_rows)], [names[d] for d in there])
    place = np.full(len(names), -1)
    place[kept] = np.arange(len(kept))
    return [place[ours], place[theirs]], tuple(names[d] for d in kept)


def _mentions(tables: Sequence[SideTable], mention: Sequence[str]) -> list[Ints]:
    """Return for each row of each side a number, equal for equal mentions."""
    if not mention:
        return [np.arange(len(tables[0].frame))] * 2
    columns = [number_values(tables, name) for name in mention]
    combined = combine([np.concatenate(each) for each in columns])
    parts = np.split(combined, [columns[0][0].size])[: len(tables)]
    return [parts[0], parts[-1]]


def combine(columns: Sequence[Ints]) -> Ints:
    """Return one number per row, int64 (N,), equal for rows that are equal in every column; one column or more."""
    combined = columns[0]
    for column in columns[1:]:
        pair, widths = [combined, column], []
        for c, each in enumerate(pair):
            least = int(each.min()) if each.size else 0
            if int(each.max(initial=least)) - least < 2**31:
                pair[c] = each - least
            else:
                pair[c] = np.unique(each, return_inverse=True)[1]
            widths.append(int(pair[c].max(initial=0)) + 1)
        combined = pair[0] * widths[1] + pair[1]
    return combined


def by_first_appearance(values: Ints) -> tuple[Ints, Ints]:
    """Number the distinct values of an array by first appearance.

    Returns:
        int64 (N,) the numbers, and int64 (V,) the first position of each distinct value.
    """
    starts = run_starts(values)  # values are looked up once per run of equal ones
    codes = values[starts]
    least = int(codes.min()) if codes.size else 0
    if int(codes.max(initial=least)) - least >= 4 * values.size + 64:
        codes, least = np.unique(codes, return_inverse=True)[1], 0
    numbers, first = number_by_appearance(codes - least, int(codes.max(initial=least)) - least + 1)
    return np.repeat(numbers, np.diff(starts, append=values.size)), starts[first]


def number_values(tables: Sequence[SideTable], name: str) -> list[Ints]:
    """Number the values of a column of one or two tables: equal values have equal numbers, in both tables.

    Returns:
        int64 (rows,) for each table; whole numbers stay as they are.

    Raises:
        InputError: a value that is null, or of another kind than those of the other table.
    """
    columns = [table.frame[name] for table in tables]
    for table in tables:
        refuse_null(table, name)
        refuse_rounded(table, name)
    check_kinds([table for table in tables if len(table.frame)], name)
    if all(kind_of(column) == WHOLE for column in columns if len(column)):
        return [np.asarray(column.to_numpy()).astype(np.int64) for column in columns]
    try:
        codes = codes_of_all([column for column in columns if len(column)])
    except Exception as error:  # lists, and types without an order in their library; each library has its own errors
        kind = f"{tables[0].place}: column {name!r} has dtype {columns[0].dtype}"
        raise InputError(f"{kind}; expected whole numbers, texts or other comparable values ({error})") from error
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def check_kinds(tables: Sequence[SideTable], name: str) -> None:
    """Refuse a column of whole numbers in one table, and of other values in another."""
    if len({kind_of(table.frame[name]) for table in tables} - {"Unknown"}) > 1:  # a column of nulls alone, without rows
        shown = " and ".join(f"{table.frame[name].dtype} in {table.place}" for table in tables)
        raise InputError(f"column {name!r} is {shown}; expected whole numbers in both, or texts in both")


def refuse_null(side: SideTable, name: str) -> None:
    """Refuse a column with a value that is null, None or NaN."""
    column = side.frame[name]
    missing = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
    if missing.any():
        row = int(np.asarray(missing.to_numpy()).argmax())
        raise InputError(f"{side.where(row)} has no value in column {name!r}; expected one in each row")


def refuse_rounded(side: SideTable, name: str) -> None:
    """Refuse a column with a float that may be another number, rounded: two ids would be one."""
    column = side.frame[name]
    if column.dtype.is_float() and (rounded := are_rounded(values := np.asarray(column.to_numpy()))).any():
        row = int(rounded.argmax())
        value = f"{side.where(row)} has {values[row]} in column {name!r}, a {values.dtype}"
        raise InputError(f"{value} to which other whole numbers are rounded; expected integers or texts")


def _values(series: narwhals.Series[Any], rows: Any) -> list[Any]:
    """Return the values in some rows as Python objects."""
    return series[list(map(int, rows))].to_list()


def _mention_values(side: SideTable, mention: Sequence[str], kept: Occurrences, chosen: Ints) -> Values:
    """Return the mentions of the rows that are kept of some documents, in the order of these."""
    offsets, rank = rows_of(kept.offsets, chosen)
    rank = kept.rank[rank]
    columns = [side.frame[name] for name in mention]
    if len(columns) > 1 and all(column.dtype.is_integer() for column in columns):
        rows = np.stack([column.to_numpy().astype(np.int64) for column in columns], axis=1)
        return Values(offsets, rows[rank])
    values = [_values(column, rank) for column in columns]
    return Values(offsets, values[0] if len(values) == 1 else list(zip(*values, strict=True)))
