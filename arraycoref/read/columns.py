"""Find columns of tables, and read them: from files of text, where all values are texts, and from Parquet files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from arraycoref.exceptions import InputError, OptionError, ReadError
from arraycoref.options.policies import of_side
from arraycoref.read.layouts import LAYOUTS, SIDES, Names, TableLayout, find_columns, usual_columns, way_of
from arraycoref.read.parquet import SUFFIXES, batches_of, folder_values, n_bytes, open_parquet
from arraycoref.read.paths import Source, expand, named
from arraycoref.read.recognize import looks_like
from arraycoref.runtime import PLENTY, RATIO, byte_limit, decoded, import_extra, load, split_suffixes, too_large

ROWS = 4096
"""Rows of text that are lists at a time: many lists take the collector of garbage long."""

BATCH = 2**20
"""Rows of Parquet that are read at a time; the limit of bytes is checked after each such batch."""


class ReadColumns(Protocol):
    """The columns of a table that are read."""

    @property
    def all(self) -> tuple[str, ...]:
        """Their names in the header."""


C = TypeVar("C", bound=ReadColumns)
Choose = Callable[[Sequence[str], str], C]
"""Returns the columns to read, from the names of all columns and the path of the file."""


@dataclass(frozen=True, eq=False)
class Columns(Generic[C]):
    """Columns of one file.

    Attributes:
        chosen: which columns were chosen.
        path: of the file.
        values: lists of texts by name, or a table of PyArrow.
        text: the file, if it is text.
        delimiter: what separates its columns.
        quoted: whether its values may be in quotation marks.
    """

    chosen: C
    path: str
    values: Any
    text: str = ""
    delimiter: str = ","
    quoted: bool = True

    def line_of(self, row: int) -> int:
        """Return the number of the line on which a row ends; rows of Parquet are lines after a header."""
        if not self.text:
            return row + 2
        reader = rows_of(self.text, self.delimiter, self.quoted)
        lines = (reader.line_num for fields in reader if fields)
        line: int = next(line for n, line in enumerate(lines) if n == row + 1)
        return line


def rows_of(text: str, delimiter: str, quoted: bool) -> Any:
    """Return a reader of the rows of a table of text."""
    lines, quoting = io.StringIO(text, newline=""), {} if quoted else {"quoting": csv.QUOTE_NONE}
    return csv.reader(lines, delimiter=delimiter, strict=True, **quoting)  # type: ignore[arg-type]  # a literal


def text_columns(text: str, path: str, choose: Choose[C]) -> Columns[C]:
    """Read columns of a table of text; what is chosen may have an attribute ``quoted``.

    Raises:
        ReadError: no table; names path and line.
        InputError: what ``choose`` raises.
    """
    opening = text.partition("\n")[0]
    delimiter = "\t" if split_suffixes(path)[1].lower() in (".tsv", ".entities") else max("\t,;", key=opening.count)
    reader = rows_of(text, delimiter, True)
    try:
        header: list[str] = next(reader, [])
        chosen = choose(header, path)
        quoted = getattr(chosen, "quoted", True)
        if not quoted:
            reader = rows_of(text, delimiter, False)
            next(reader)
        columns: Columns[C] = Columns(chosen, path, {name: [] for name in chosen.all}, text, delimiter, quoted)
        places, n_rows, may_swallow = [header.index(name) for name in chosen.all], 0, delimiter == "\t" and '"' in text
        while lines := list(islice(reader, ROWS)):
            rows = [row for row in lines if row]
            if set(map(len, rows)) - {len(header)}:
                n = next(n for n, row in enumerate(rows) if len(row) != len(header))
                reason = f"{len(rows[n])} columns; expected {len(header)}, as in the first line"
                raise ReadError(path, columns.line_of(n_rows + n), reason)
            swallowed = [any("\t" in value and "\n" in value for value in row) for row in rows if may_swallow]
            if any(swallowed):
                reason = "a value in quotes that holds tabs and ends of lines; expected no quotation mark to begin a"
                reason += " value, unless it is doubled and in quotes"
                raise ReadError(path, columns.line_of(n_rows + swallowed.index(True)), reason)
            for name, at in zip(chosen.all, places, strict=True):
                columns.values[name].extend([row[at] for row in rows])
            n_rows += len(rows)
    except csv.Error as error:
        raise ReadError(path, reader.line_num, f"no table separated by {delimiter!r}: {error}") from error
    return columns


def parquet_columns(
    path: str,
    choose: Choose[C],
    max_bytes: int | None,
    groups: Sequence[int] | None = None,
    whole: Collection[str] = (),
) -> Columns[C]:
    """Read columns of a Parquet file, those that the folders of its path name too.

    Args:
        path: of the file, or its URI.
        choose: see `Choose`.
        max_bytes: the most bytes that the columns may take; None for 1 GiB, or 200 times the file's size if that is
            more.
        groups: numbers of the row groups to read; None for all.
        whole: columns whose values are whole numbers where folders name them; of others, they are texts.

    Raises:
        ReadError: a file that cannot be read, is not a Parquet file, or exceeds the limit.
        InputError: what ``choose`` raises.
        MissingDependencyError: PyArrow is not installed.
    """
    schema, _, chosen, most = open_table(path, choose, max_bytes)
    pyarrow: Any = import_extra("pyarrow", "Parquet files need PyArrow", "parquet")
    own = [name for name in chosen.all if name in schema.names]
    texts = [name for name in own if "string" in str(schema.field(name).type)]
    batches, size = [], 0
    for batch in batches_of(path, BATCH, own, groups, read_dictionary=texts):  # a text that repeats is held once
        size += sum(map(n_bytes, batch.columns))
        if size > most:
            raise too_large(path, most)
        batches.append(batch.select(own))
    fields = batches[0].schema if batches else pyarrow.schema([schema.field(name) for name in own])
    table = with_folders(pyarrow.Table.from_batches(batches, fields), path, chosen.all, whole)
    return Columns(chosen, path, table)


def open_table(path: str, choose: Choose[C], max_bytes: int | None) -> tuple[Any, Any, C, int]:
    """Read the footer of a Parquet file; arguments and errors are those of `parquet_columns`.

    Returns:
        Its schema, its metadata, the columns that are chosen, and the most bytes that these may take.
    """
    file, size = open_parquet(path)
    with file:
        schema, metadata = file.schema_arrow, file.metadata
    chosen = choose([*schema.names, *(folder_values(path).keys() - schema.names)], path)
    most = byte_limit(max_bytes) or max(PLENTY, RATIO * size)
    if 8 * metadata.num_rows * len(chosen.all) > most:
        raise too_large(path, most)
    return schema, metadata, chosen, most


def with_folders(table: Any, path: str, names: Sequence[str], whole: Collection[str]) -> Any:
    """Return a table of PyArrow with the columns that the folders of its path name, in the order of the names.

    Raises:
        ReadError: a value that is not a whole number, in one of the columns ``whole``.
    """
    import pyarrow

    for name, text in folder_values(path).items():
        if name in names and name not in table.column_names:
            try:
                value = int(text) if name in whole else text
            except ValueError:
                expected = f"expected a whole number, as column {name!r} of the other side holds"
                raise ReadError(path, None, f"the folder is of {name} {text!r}; {expected}") from None
            table = table.append_column(name, pyarrow.repeat(value, len(table)))
    return table.select(list(names))


def read_columns(source: Source, choose: Choose[C], max_bytes: int | None) -> tuple[C, Any]:
    """Read columns of a table in files of text or of Parquet, see `Columns`; the rows of all files are one table.

    Args:
        source: a file, a folder, a pattern or several files.
        choose: see `Choose`.
        max_bytes: the most bytes that a file may hold.

    Raises:
        ReadError: a file that cannot be read, is not a table, or holds more bytes than it may.
        InputError: what ``choose`` raises.
    """
    files = list(expand(source))
    if any(path.lower().endswith(SUFFIXES) for path in files):
        parts = [parquet_columns(path, choose, max_bytes) for path in parquet_files(source)]
        return parts[0].chosen, joined([part.values for part in parts])
    texts = [_of_file(path, choose, max_bytes) for path in files]
    names = texts[0].chosen.all
    return texts[0].chosen, {name: list(chain.from_iterable(part.values[name] for part in texts)) for name in names}


def joined(tables: Sequence[Any]) -> Any:
    """Join tables of PyArrow; whole numbers of two widths become the wider one.

    Raises:
        InputError: columns of one name and different types.
    """
    import pyarrow

    try:
        return pyarrow.concat_tables(tables, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise InputError(f"files have columns of different types; expected one type ({error})") from error


def _of_file(path: str, choose: Choose[C], max_bytes: int | None) -> Columns[C]:
    content = load(path, max_bytes)
    try:
        return text_columns(decoded(bytes(content), path).removeprefix("\ufeff"), path, choose)
    except InputError as error:
        error.args = (f"{error}{looks_like(content)}",)
        raise


def parquet_files(source: Source) -> list[str]:
    """List files; in directories, skip files whose names start with an underscore, such as Spark's ``_SUCCESS``."""
    listed = []
    for path in named(source):
        if "://" in path:
            files = list(_remote_files(path))
        else:
            files = [file for file in expand(path) if file == path or not os.path.basename(file).startswith("_")]
        if not files:
            raise ReadError(path, None, "no file to read; those whose names begin with '_' or '.' do not count")
        listed += files
    return listed


def _remote_files(uri: str) -> Iterator[str]:
    from pyarrow import fs

    try:
        system, path = fs.FileSystem.from_uri(uri)
        if system.get_file_info(path).type != fs.FileType.Directory:
            yield uri
            return
        infos = system.get_file_info(fs.FileSelector(path, recursive=True))
    except (OSError, ValueError) as error:
        raise ReadError(uri, None, str(error)) from error
    for file in sorted(infos, key=lambda info: info.path):
        if file.type == fs.FileType.File and not file.base_name.startswith((".", "_")):
            yield uri.rstrip("/") + file.path.removeprefix(path.rstrip("/"))


def check_columns(wanted: Iterable[str], columns: Sequence[Any], place: str) -> None:
    """Refuse a table that lacks a wanted column, or has two columns of a wanted name.

    Raises:
        InputError: a wanted column that is not there or there twice.
    """
    for name in wanted:
        n = sum(column == name for column in columns)
        if n == 0:
            known = list(map(str, columns))
            meant = usual_columns(known, ["label"]) or usual_columns(known, SIDES)
            parts = {kind: column.split("+") if "+" in column else column for kind, column in meant.items()}
            hint = ", ".join(f"{kind}={value!r}" for kind, value in ({"document": None} | parts).items())
            reason = f"{place} has no column {name!r}; expected one of: {', '.join(known)}"
            raise InputError(f"{reason} (in Python: {hint})" if meant else reason, way_of(meant, "")[1])
        if n > 1:
            raise InputError(f"{place} has {n} columns {name!r}; expected one")


RECORDS = (
    ("unique_id_l", "unique_id_r"),
    *((f"{name}_l", f"{name}_r") for name in ("record_id", "id")),
    *((f"{name}{part}1", f"{name}{part}2") for name in ("record_id", "rec_id", "id") for part in ("_", "")),
    *((f"{left}id", f"{right}id") for left, right in (("ltable_", "rtable_"), ("left_", "right_"), ("l_", "r_"))),
    ("left", "right"),
    ("source", "target"),
)
"""Usual names of the columns of the two records of a pair; Splink's come first."""

SCORES = ("match_probability", "match_weight", "probability", "score", "similarity", "confidence", "weight", "proba")
"""Usual names of the column of scores; the first one that a table has counts."""

_IN_SOURCES = [("source_dataset_l", left, "source_dataset_r", right) for left, right in RECORDS]
PAIRS = [TableLayout(score, (*_IN_SOURCES, *RECORDS)) for score in SCORES]
"""Layouts of scored pairs: the columns of both records, and of the scores; data sets are part of ids."""

WEIGHTS = {"match_probability": "match_weight", "probability": "weight"}
"""Columns of probabilities, and of the weights that still differ where probabilities are rounded to 1."""

OF_TWO_TABLES = ("ltable_", "left_", "l_")
"""How the names of the first record's columns begin if the two records of a pair are of two tables."""

EXPECTED = "pair_columns='LEFT,RIGHT,SCORE' names others, SOURCE+ID where two columns make an id"


class PairColumns(NamedTuple):
    """Names of the columns of a table of pairs.

    Attributes:
        left: columns that make the id of one record.
        right: columns that make the id of the other.
        score: column of the scores; empty for none.
        weight: column of weights beside probabilities; empty for none.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    score: str = ""
    weight: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*self.left, *self.right, *filter(None, [self.score, self.weight]))

    @classmethod
    def from_header(cls, header: Sequence[str], asked: str | None, place: str) -> PairColumns:
        """Find the columns of a table of pairs.

            >>> PairColumns.from_header(["unique_id_l", "unique_id_r", "gamma", "match_probability"], None, "").score
            'match_probability'

        Args:
            header: names of the table's columns.
            asked: ``LEFT,RIGHT,SCORE``, with ``SOURCE+ID`` for ids of two columns; None for usual names.
            place: words for the table, for messages.

        Raises:
            OptionError: another number of names.
            InputError: a column that is not there.
        """
        names = [tuple(name.split("+")) for name in (asked or "").replace(" ", "").split(",")]
        if asked is None:
            found = find_columns(header, PAIRS, place)
            if found is not None:
                parts, score = found.names.mention, found.names.label
                n, weight = len(parts) // 2, WEIGHTS.get(score, "")
                return cls(parts[:n], parts[n:], score, weight if weight in header else "")
            has_ids = any(set(records) <= set(header) for records in RECORDS)
            lacks = "match_probability or the like" if has_ids else "unique_id_l, unique_id_r or the like"
        elif len(names) != 3 or len(names[0]) != len(names[1]) or len(names[2]) != 1 or not all(chain(*names)):
            expected = "LEFT,RIGHT,SCORE, with as many names of columns joined by + on the left as on the right"
            raise OptionError(f"pair_columns is {asked!r}; expected {expected}", "pair_columns")
        elif not (lacks := ", ".join(name for name in chain(*names) if name not in header)):
            return cls(names[0], names[1], names[2][0])
        shown = ", ".join(map(str, header))[:200]
        raise InputError(f"the columns of {place} are {shown}; expected {lacks}; {EXPECTED}", "pair_columns")


def record_columns(header: Sequence[str], n_parts: int, asked: Any, place: str) -> Names:
    """Find the columns of ids and labels in a table of records.

    Args:
        header: names of the table's columns.
        n_parts: number of columns that make an id.
        asked: ``ID,LABEL``, or `Names`; None for those of tools, see `arraycoref.read.tables`.
        place: words for the table, for messages.

    Raises:
        InputError: a column that is not there.
    """
    names = Names.parse(of_side(asked, "key")) if isinstance(asked, str) else asked or Names()
    layouts = [layout.change(names) for layout in LAYOUTS.values()]
    of_ids = [replace(one, mention=tuple(parts for parts in one.mention if len(parts) == n_parts)) for one in layouts]
    found = find_columns(header, of_ids, place)
    if found is not None:
        return replace(found.as_written(), document=None)
    source = "source_dataset+" * (n_parts == 2)
    meant = usual_columns(header, ["label"], guess=n_parts == 1) if source.rstrip("+") in ("", *header) else {}
    meant = {kind: source * (kind == "mention") + name for kind, name in meant.items() if kind != "document"}
    hint, fixes = way_of(meant, f"{'SOURCE+' * bool(source)}ID,LABEL")
    reason = f"the columns of {place} are {', '.join(map(str, header))[:200]}; expected {source}unique_id"
    raise InputError(f"{reason} and cluster_id, or the like; {hint}", fixes)
