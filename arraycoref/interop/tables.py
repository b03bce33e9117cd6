"""Score tables with one row per mention: frames of pandas, polars, PyArrow and others, and files of Parquet or text."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from arraycoref.api import score_clusterings, score_files
from arraycoref.exceptions import InputError, ReadError
from arraycoref.interop.frames import SideTable, encode_tables, table_of, warn_of_labels_across, wrap
from arraycoref.options import TableOptions, resolve_policies
from arraycoref.read.columns import check_columns, joined, parquet_columns, parquet_files
from arraycoref.read.layouts import LAYOUTS, Names, find_columns, mention_columns
from arraycoref.read.parquet import folder_values, open_parquet
from arraycoref.read.paths import Source
from arraycoref.read.problems import ProblemLog
from arraycoref.read.tables import tables_of
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.scores import BatchScores
from arraycoref.twin import with_engine


class FileTableOptions(TableOptions, total=False):
    """Options for documents in files of tables."""

    max_bytes: int | None


@with_engine
def score_table(
    frame: Any,
    response_frame: Any = None,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] | None = "mention",
    key: str = "key",
    response: str = "response",
    label: str = "label",
    **options: Unpack[TableOptions],
) -> BatchScores:
    """Score a table with one row per mention, or two tables, of the key and of the response.

        >>> import pandas
        >>> rows = {"document": ["a", "a", "a"], "mention": [3, 5, 8]}
        >>> score_table(pandas.DataFrame(rows | {"key": ["Ada", "Ada", None], "response": [0, 0, 0]}))["muc"].precision
        0.5

    Labels are whole numbers or texts, as `arraycoref.scoring.labels` defines them: null, NaN, None and -1 of any dtype
    mean that the side lacks the mention. In one table, a mention may have one row for both sides or a row for each
    side.

    In two tables, each row means that the side has the mention, unless its label means that it lacks it; documents and
    mentions are whole numbers or texts, without nulls.

    Args:
        frame: one table of both sides, or the key's table: of pandas, polars, PyArrow or another library that narwhals
            knows, not a lazy one, or a relation of DuckDB. Or the path of a file, of Parquet or of text, with the
            columns named here or those of a tool that `arraycoref.read.tables` lists.
        response_frame: the response's table or path; None if ``frame`` has both sides.
        document: column of the documents; None for one document, as for a table without the column ``document``.
        mention: column of the mentions, or columns that identify a mention together, such as ``["start", "end"]``; None
            if each row of the one table is a mention of its own. If there is no column ``mention``, those of a tool
            that files may have too, such as Splink's ``unique_id`` and, for the label, ``cluster_id``.
        key: column of the key's labels in one table. Equal labels are one entity only within a document.
        response: column of the response's labels in one table, the same.
        label: column of the labels in each of two tables.
        **options: see `arraycoref.options`. If a mention has labels of one side in two rows, ``duplicates`` may keep
            the first or last row. In one table, both sides have every document, so that the policies for documents on
            one side only have no effect.

    Returns:
        Scores of the documents in the order of their first rows; their names are their values as texts.

    Raises:
        InputError: a column that is not there or there twice, a document or mention that is null, or values that are
            not labels.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: a document in one of two tables only, where the policy is ``error``.
    """
    if isinstance(frame, str | os.PathLike):
        columns: Any = Names.from_columns(document, mention, label)
        if response_frame is None:
            of = [*filter(None, [document]), "+".join(columns.mention), f"key:{key}", f"response:{response}"]
            return score_files(frame, frame, columns=",".join(of), **options)
        if {tables_of(os.fspath(path)) for path in (frame, response_frame)} != {"parquet"}:
            return score_files(frame, response_frame, columns=None if columns == Names() else columns, **options)
        return score_parquet(frame, response_frame, document=document, mention=columns.mention, label=label, **options)
    policies = resolve_policies(options, TableOptions)
    if response_frame is None:
        asked = Names(document, mention_columns(mention), key)
        ours, names = _side(frame, asked, "the table", response)
        warn_of_labels_across(ours, names.document, names.mention, ProblemLog())
        clusterings, _ = encode_tables(ours, ours._replace(label=response), names.document, names.mention, policies)
        return score_clusterings(clusterings, policies, options)
    asked = Names.from_columns(document, mention, label)
    ours, names = _side(frame, asked, "the key's table")
    theirs, others = _side(response_frame, asked, "the response's table")
    if replace(others, label=names.label) != names:
        kinds = [", ".join(each.all) for each in (names, others)]
        raise InputError(f"the key's table has {kinds[0]} and the response's {kinds[1]}; expected the same columns")
    warn_of_labels_across(ours, names.document, names.mention, ProblemLog())
    clusterings, overlap = encode_tables(ours, theirs, names.document, names.mention, policies)
    if overlap is not None:
        overlap.warn(("key", "response"), ProblemLog())
    return score_clusterings(clusterings, policies, options)


@with_engine
def score_parquet(
    key: Source,
    response: Source,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    on_error: Callable[[ReadError], None] | None = None,
    **options: Unpack[FileTableOptions],
) -> BatchScores:
    """Score Parquet files of long tables, as `arraycoref.score_table` scores two tables.

        >>> import pandas
        >>> rows = {"document": ["a", "a", "b"], "mention": [3, 5, 8]}
        >>> pandas.DataFrame(rows | {"label": ["Ada", "Ada", "Bob"]}).to_parquet("key.parquet")
        >>> pandas.DataFrame(rows | {"label": ["x", "x", "y"]}).to_parquet("response.parquet")
        >>> scores = score_parquet("key.parquet", "response.parquet")
        >>> scores.names, scores["bcub"].f1
        (('a', 'b'), 1.0)

    A folder ``document=a`` makes a column ``document`` of the files in it, of whole numbers if the other side's is, or
    else of texts.

    Args:
        key: a file, a directory, a glob pattern, a URI that PyArrow has a file system for, or several of them.
        response: the same.
        document: column of the documents; None for one document.
        mention: column of the mentions, or columns that identify a mention together; as for `score_table`, those of a
            tool if the key has these.
        label: column of the labels.
        on_error: called with each warning, instead of `ReadWarning`.
        **options: see `arraycoref.options`. ``max_bytes`` is the most bytes that the named columns of a file may take,
            decompressed; None for the limit in the environment variable ``ARRAYCOREF_MAX_BYTES``. Without either, 1
            GiB, or 200 times the file's size if that is more.

    Raises:
        ReadError: a file that cannot be read, is not a Parquet file, or exceeds ``max_bytes``; no row on either side.
        InputError: a column that is not there or of another type, a null, a label below -1.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: a document on one side only, where the policy is ``error``.
        MissingDependencyError: PyArrow is not installed.
    """
    policies, metrics = resolve_policies(options, FileTableOptions), resolve_metrics(options.get("metrics"))
    names = names_in(key, Names.from_columns(document, mention, label))
    whole = whole_columns(key, names) | whole_columns(response, names)
    ours = read_parquet(key, names, "key", options.get("max_bytes"), whole)
    theirs = read_parquet(response, names, "response", options.get("max_bytes"), whole)
    if not len(ours.frame) and not len(theirs.frame):
        raise ReadError(str(key), None, "no row here, nor in the response; expected one for each mention")
    problems = ProblemLog.from_options({"on_error": on_error})
    warn_of_labels_across(ours, names.document, names.mention, problems)
    clusterings, overlap = encode_tables(ours, theirs, names.document, names.mention, policies)
    if overlap is not None:
        overlap.warn((str(key), str(response)), problems)
    return score_clusterings(clusterings, policies, options | {"metrics": metrics})


def _side(frame: Any, asked: Names, place: str, *more: str) -> tuple[SideTable, Names]:
    """Return the rows of a table, with ``more`` columns, and the names of its columns, see `usual_names`."""
    table = table_of(frame, place)
    names = usual_names(table.columns, asked, place)
    return SideTable.from_frame(table, [*names.all, *more], names.label, place), names


def usual_names(header: Sequence[str], asked: Names, place: str) -> Names:
    """Return the names of columns by the layout that a table has, see `LAYOUTS`; those asked for if it has none."""
    if asked.document not in (None, Names().document, *header):
        return asked
    tried = LAYOUTS.values() if asked.label == Names().label else [LAYOUTS["long"]]
    found = find_columns(header, [layout.change(asked) for layout in tried], place)
    return asked if found is None else found.as_written()


def names_in(source: Source, asked: Names) -> Names:
    """Return the names of the columns of Parquet files, by those of the first one; see `usual_names`."""
    path = parquet_files(source)[0]
    with open_parquet(path)[0] as file:
        return usual_names([*file.schema_arrow.names, *folder_values(path)], asked, path)


def whole_columns(source: Any, names: Names) -> set[str]:
    """Return the columns of whole numbers in a table, of Dask too, or in the first file of a source."""
    if hasattr(source, "to_delayed"):
        kinds = source.dtypes.items()
    elif hasattr(source, "columns"):
        kinds = wrap(source, names.all, "the table").schema.items()
    else:
        with open_parquet(parquet_files(source)[0])[0] as file:
            kinds = zip(file.schema_arrow.names, file.schema_arrow.types, strict=True)
    return {name for name, kind in kinds if str(kind).lower().startswith(("int", "uint"))}


def checked(names: Names, side: str, header: Sequence[str], path: str) -> Names:
    """Return the names of columns that a file must have; see `arraycoref.read.columns.Choose`."""
    check_columns(names.all, header, f"the {side}'s file {path}")
    return names


def read_parquet(
    source: Source, names: Names, side: str, max_bytes: int | None = None, whole: Collection[str] = ()
) -> SideTable:
    """Read the Parquet files of one side.

    Args:
        source: see `score_parquet`; in directories, files whose names start with an underscore are not tables.
        names: of the columns to read.
        side: ``key`` or ``response``, for messages.
        max_bytes: see `score_parquet`.
        whole: columns whose values are whole numbers where folders name them; of others, they are texts.

    Raises:
        ReadError: a file that cannot be read, is not a Parquet file, or exceeds the limit; a directory without files.
        InputError: a column that is not there, or whose type differs from that in the first file.
        MissingDependencyError: PyArrow is not installed.
    """
    paths, choose = parquet_files(source), partial(checked, names, side)
    tables = [parquet_columns(path, choose, max_bytes, whole=whole).values for path in paths]
    ends = np.cumsum([len(each) for each in tables])

    def where(row: int) -> str:
        file = int(np.searchsorted(ends, row, side="right"))
        return f"the {side}'s file {paths[file]}: row {row - int(ends[file]) + len(tables[file])}"

    return SideTable(wrap(joined(tables), names.all, str(source)), names.label, f"the {side}'s files {source}", where)
