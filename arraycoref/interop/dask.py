"""Score long tables in partitions, on a Dask cluster or the threads of one machine.

    >>> from arraycoref.interop.dask import score_table
    >>> scores = score_table("key/*.parquet", "response/*.parquet")  # doctest: +SKIP

Needs ``pip install arraycoref[dask]``. Dask's shuffle brings all rows of a document, of both sides, into one partition,
or, in one clustering, all rows of a mention. ``docs/scale.md`` says at what cost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from arraycoref.api import score_clusterings
from arraycoref.errors import ArraycorefError, InputError, ReadError
from arraycoref.interop.frames import (
    WAYS,
    Overlap,
    Side,
    check_columns,
    encode_tables,
    is_text_type,
    label_numbers,
    note_overlap,
    refuse_null,
)
from arraycoref.interop.tables import open_table, parquet_files, read_file
from arraycoref.match.documents import Unpaired, check_paired, lacking
from arraycoref.options import PartitionOptions, Policies, Progress, resolve_policies, signature
from arraycoref.read.shapes import Names
from arraycoref.read.sources import warn
from arraycoref.runtime import byte_limit, import_extra, progress_of, thread_count
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts, Floats
from arraycoref.scoring.labels import Integers
from arraycoref.scoring.metrics.registry import counted_metrics, resolve_metrics
from arraycoref.scoring.scores import BatchScores, Scores

ROW, RESPONSE = "arraycoref: row", "arraycoref: response"
"""Columns that each partition gets: the number of the row on its side, and whether the side is the response."""

PIECE_ROWS = 2**40
"""Row numbers set aside per piece of a side, as its length is unknown: piece p starts with row number p times this."""


@overload
def score_table(key: Any, response: Any, *, keep_documents: Literal[True] = ..., **options: Any) -> BatchScores: ...
@overload
def score_table(key: Any, response: Any, *, keep_documents: Literal[False], **options: Any) -> Scores: ...
def score_table(
    key: Any,
    response: Any,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    keep_documents: bool = True,
    client: Any = None,
    on_error: Callable[[ReadError], None] | None = None,
    max_bytes: int | None = None,
    **options: Any,
) -> BatchScores | Scores:
    """Score two long tables in partitions; each row is a mention of its side, with a label.

        >>> import pandas
        >>> rows = {"document": ["a", "a", "b"], "mention": [3, 5, 8]}
        >>> pandas.DataFrame(rows | {"label": ["Ada", "Ada", "Bob"]}).to_parquet("key.parquet")
        >>> pandas.DataFrame(rows | {"label": ["x", "x", "y"]}).to_parquet("response.parquet")
        >>> scores = score_table("key.parquet", "response.parquet")
        >>> scores.names, scores["bcub"].f1
        (('a', 'b'), 1.0)

    Documents and mentions are whole numbers or texts, without nulls; `arraycoref.scoring.labels` defines the labels.
    Rows may be in any order, and the rows of a document in any number of partitions. The numbers are those of
    `arraycoref.score_table` on the same tables, but for rounding.

    Tasks are sent to ``client``; without it, to the current ``distributed.Client``; without one, to the scheduler that
    Dask is configured for, by default threads of this process.

    Args:
        key: Parquet files (a path, a directory, a glob pattern, a URI, or several), which all workers can read; or a
            Dask DataFrame, whose index may be the documents.
        response: likewise.
        document: column of the documents; None for one clustering, which is divided among tasks by its mentions.
        mention: column of the mentions, or columns that identify a mention together, such as ``["start", "end"]``.
        label: column of the labels. A row whose label is -1, null or NaN is left out.
        keep_documents: return each document's counts. False returns the scores of the corpus alone: each partition
            returns its sums, which allows more documents than the memory of this process could hold.
        client: a ``distributed.Client``.
        on_error: called with each warning, in place of `ReadWarning`.
        max_bytes: limit for Parquet files; see `arraycoref.interop.tables.score_parquet`.
        **options: see `arraycoref.options`. ``duplicates`` may keep the first or last row of a mention, in the order of
            the partitions; ``progress`` counts parts of the work.

    Returns:
        Scores of the documents in the order of their first rows in the key; scores of the corpus if ``keep_documents``
        is false.

    Raises:
        InputError: something that is no table, a column that is not there or of another type, a null, a label below -1;
            the message names the file or partition, the row and the value.
        ReadError: a file that cannot be read, is not a Parquet file, or exceeds ``max_bytes``; no row in the files of
            either side.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        MissingDependencyError: Dask, PyArrow or narwhals is not installed.
    """
    policies, metrics = resolve_policies(options, PartitionOptions), resolve_metrics(options.get("metrics"))
    names, progress = Names.of(document, mention, label), progress_of(options.get("progress"))
    import_extra("dask.dataframe", "scoring in partitions needs Dask", "dask")
    import_extra("pyarrow", "tables in partitions need PyArrow", "parquet")
    import dask.dataframe as dd
    from dask.delayed import delayed

    given = {"key": key, "response": response}
    sources = [str(table) if isinstance(table, str | os.PathLike) else side for side, table in given.items()]
    with nullcontext() if client is None else client.as_current():
        sides = [list_pieces(table, side, names, max_bytes) for side, table in given.items()]
        if not any(side.tables for side in sides):
            raise ReadError(sources[0], None, "no row here, nor in the response; expected one for each mention")
        both = dd.concat(_frames(sides, names))
        by = list(names.mention) if document is None else [document]
        n_parts, how = max(len(side.tables) for side in sides), None if current_client() else "tasks"
        parts = both.shuffle(by, npartitions=n_parts, shuffle_method=how).to_delayed()
        ask = Request(names, policies, metrics, tuple(side.places for side in sides))
        if document is None:
            dtype = "Int64" if both.dtypes[label] == np.int64 else both.dtypes[label]
            pairs = [delayed(count_pairs)(part, ask, dtype) for part in parts]
            meta = {"key": dtype, "response": dtype, "n": np.int64}
            cells = dd.from_delayed(pairs, meta=meta, verify_meta=False).groupby(["key", "response"], dropna=False)
            clusterings, overlap = _clustering(run(cells["n"].sum().to_delayed(), progress))
            note_overlap(overlap, sources, on_error or warn)
            scores = score_clusterings(clusterings, policies, {"metrics": metrics})
            return scores if keep_documents else scores.corpus
        found = run([delayed(count_part)(part, ask, keep_documents) for part in parts], progress)
    missing, extra = (Unpaired.joined(part.unpaired[s] for part in found) for s in (0, 1))
    check_paired(missing, extra, policies)
    note_overlap(np.sum([part.overlap for part in found], axis=0), sources, on_error or warn)
    counted = tuple(metric.name for metric in counted_metrics(metrics))
    if not keep_documents:
        totals = Counts.read_only(None, counted, np.sum([part.rows.sum(axis=0) for part in found], axis=0))
        return Scores(metrics, totals, signature(policies), sum(part.n_documents for part in found))
    order = np.argsort(np.concatenate([part.first for part in found]), kind="stable")
    listed = [name for part in found for name in part.names]
    rows = np.concatenate([part.rows for part in found])[order]
    return BatchScores(metrics, Counts.read_only(tuple(listed[d] for d in order), counted, rows), signature(policies))


class Pieces(NamedTuple):
    """The rows of one side, in pieces: row groups of Parquet files, or partitions of a Dask DataFrame.

    Attributes:
        tables: Delayed tables, of PyArrow or pandas.
        places: words for the file or partition of each piece, for messages.
        first: number of each piece's first row in its file or partition.
        types: the type of PyArrow of each column: int64, uint64, large_string, or null if it is not known.
    """

    tables: list[Any]
    places: list[str]
    first: list[int]
    types: dict[str, Any]


def list_pieces(table: Any, side: str, names: Names, max_bytes: int | None) -> Pieces:
    """List the pieces of a table.

    Args:
        table: Parquet files, or a Dask DataFrame.
        side: ``key`` or ``response``.
        names: of its columns; one of them may be the index of a DataFrame.
        max_bytes: limit for Parquet files.

    Raises:
        InputError: a table of another kind, without one of the columns, or with a column of another type.
        ReadError: a file that cannot be read or is not a Parquet file.
    """
    import pandas as pd
    from dask.delayed import delayed

    if hasattr(table, "to_delayed"):
        table = table.reset_index() if table.index.name in names.all else table
        check_columns(names.all, list(table.columns), side)
        empty = pd.DataFrame({name: pd.Series(dtype=table.dtypes[name]) for name in names.all})
        tables = table[list(names.all)].to_delayed()
        places = [f"partition {p} of the {side}" for p in range(len(tables))]
        return Pieces(tables, places, [0] * len(tables), _types(_arrow_table(empty, side).schema, names, side))
    if not isinstance(table, str | os.PathLike | Sequence):
        kind = f"{type(table).__module__}.{type(table).__name__}"
        raise InputError(f"{side} is a {kind}; expected the path of Parquet files or a Dask DataFrame")
    found, most = Pieces([], [], [], {}), byte_limit(max_bytes)
    for path in parquet_files(table):
        place, row = f"the {side}'s file {path}", 0
        schema, metadata, _ = open_table(path, names, side, most)
        found.types.update(_types(schema, names, place) if not found.types else {})
        for group in range(metadata.num_row_groups if metadata.num_rows else 0):
            found.tables.append(delayed(read_file)(path, names, side, most, [group]))
            found.places.append(place)
            found.first.append(row)
            row += metadata.row_group(group).num_rows
    return found


def _types(schema: Any, names: Names, place: str) -> dict[str, Any]:
    """Return the type that each column of a ``pyarrow.Schema`` gets; labels may be floats, which become integers."""
    import pyarrow
    from pyarrow import types

    found = {}
    for name in names.all:
        given = schema.field(name).type
        dtype = given.value_type if types.is_dictionary(given) else given
        if types.is_uint64(dtype) or types.is_null(dtype):
            found[name] = dtype
        elif types.is_integer(dtype) or (types.is_floating(dtype) and name == names.label):
            found[name] = pyarrow.int64()
        elif is_text_type(dtype):
            found[name] = pyarrow.large_string()
        else:
            raise InputError(f"{place}: column {name!r} has type {given}; expected whole numbers or texts")
    return found


def _frames(sides: Sequence[Pieces], names: Names) -> list[Any]:
    """Make a Dask DataFrame of each side, with columns of the same types on both.

    Raises:
        InputError: documents or mentions that are numbers on one side and texts on the other.
    """
    import dask.dataframe as dd
    import pyarrow
    from dask.delayed import delayed

    order = [pyarrow.int64(), pyarrow.uint64(), pyarrow.large_string()]
    schema = pyarrow.schema([])
    for name in names.all:
        kinds = [side.types.get(name, pyarrow.null()) for side in sides]
        known = [kind for kind in kinds if kind != pyarrow.null()]
        if name != names.label and len(set(map(is_text_type, known))) > 1:
            found = f"column {name!r} is {kinds[0]} in the key and {kinds[1]} in the response"
            raise InputError(f"{found}; expected whole numbers in both, or texts in both")
        schema = schema.append(pyarrow.field(name, max(known, default=pyarrow.large_string(), key=order.index)))
    meta = schema.empty_table().to_pandas(types_mapper=_pandas_type)
    meta = meta.assign(**{ROW: np.zeros(0, np.int64), RESPONSE: np.zeros(0, bool)})
    return [
        dd.from_delayed(
            [
                delayed(check_piece)(table, names, schema, place, p * PIECE_ROWS + first, s == 1)
                for p, (table, place, first) in enumerate(zip(side.tables, side.places, side.first, strict=True))
            ]
            or [delayed(meta)],
            meta=meta,
            verify_meta=False,
        )
        for s, side in enumerate(sides)
    ]


def check_piece(piece: Any, names: Names, schema: Any, place: str, first: int, response: bool) -> Any:
    """Check a piece of a table, and bring its columns to the types that all pieces have.

    Args:
        piece: a table of pandas or PyArrow.
        names: of the columns.
        schema: ``pyarrow.Schema`` with the type that each column gets.
        place: words for the file or partition, for messages.
        first: number of its first row, among all rows of the side.
        response: whether it is of the response.

    Returns:
        A DataFrame of pandas, with the columns `ROW` and `RESPONSE`.

    Raises:
        InputError: a column that is not there or of another type, a null, a value that is not a label.
    """
    import pyarrow

    if not isinstance(piece, pyarrow.Table):
        check_columns(names.all, list(piece.columns), place)
        piece = _arrow_table(piece[list(names.all)], place)
    rows = Side.of(piece, names.all, names.label, place)
    rows = rows._replace(where=lambda row: f"{place}: row {first % PIECE_ROWS + row}")
    for name in names.all[:-1]:
        refuse_null(rows, name)
    labels, table = label_numbers(rows), rows.frame.to_native()
    if not is_text_type(table[names.label].type) and table[names.label].type != pyarrow.uint64():
        absent = None if schema.field(names.label).type == pyarrow.int64() else labels < 0
        column = table.column_names.index(names.label)
        table = table.set_column(column, names.label, pyarrow.array(labels, mask=absent))
    columns = {}
    for field in schema:
        try:
            columns[field.name] = table[field.name].cast(field.type)
        except pyarrow.ArrowInvalid as error:
            raise InputError(f"{place}: column {field.name!r}: {error}; expected {field.type} as elsewhere") from None
    frame = pyarrow.table(columns).to_pandas(types_mapper=_pandas_type)
    return frame.assign(**{ROW: first + np.arange(len(frame)), RESPONSE: response})


def _pandas_type(dtype: Any) -> Any:
    """Return the type of a column in pandas: int64 as NumPy has it, without nulls, others as PyArrow has them."""
    import pandas as pd

    return None if str(dtype) == "int64" else pd.ArrowDtype(dtype)


def _arrow_table(frame: Any, place: str) -> Any:
    """Convert a frame of pandas to a ``pyarrow.Table``; errors name the column."""
    import pyarrow

    arrays = {}
    for name, column in frame.items():
        try:
            arrays[name] = pyarrow.array(column, from_pandas=True)
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:  # values of several types
            found = f"column {name!r} has dtype {column.dtype}"
            raise InputError(f"{place}: {found}; expected whole numbers or texts ({error})") from None
    return pyarrow.table(arrays)


class Request(NamedTuple):
    """What is computed of each partition.

    Attributes:
        names: of the columns.
        policies: of scoring.
        metrics: names of the metrics that the user asked for.
        places: for each side, the file or partition of each of its pieces, for messages.
    """

    names: Names
    policies: Policies
    metrics: tuple[str, ...]
    places: tuple[list[str], ...]

    def sides(self, frame: Any) -> list[Side]:
        """Split a partition into the rows of key and response, in their order."""
        frame, found = frame.sort_values(ROW, kind="stable"), []
        for s, side in enumerate(("key", "response")):
            here = frame[frame[RESPONSE] == bool(s)]
            numbers = here[ROW].to_numpy()

            def where(row: int, numbers: Any = numbers, places: list[str] = self.places[s]) -> str:
                piece, row_in_piece = divmod(int(numbers[row]), PIECE_ROWS)
                return f"{places[piece]}: row {row_in_piece}"

            columns = (*self.names.all, ROW)
            found.append(Side.of(here, columns, self.names.label, side)._replace(where=where))
        return found


class Counted(NamedTuple):
    """The counts of the documents of one partition.

    Attributes:
        names: of the documents.
        first: int64 (D,) number of the first row of each document in the key.
        rows: float64 (D, K, 4) the sums of each document, or (1, K, 4) those of all.
        n_documents: D.
        unpaired: the documents that the response lacks, and those that the key lacks.
        overlap: how many of the mentions both sides have.
    """

    names: tuple[str, ...]
    first: Integers
    rows: Floats
    n_documents: int
    unpaired: list[Unpaired]
    overlap: Overlap | None


def count_part(frame: Any, ask: Request, keep: bool) -> Counted:
    """Count the documents of one partition."""
    key, response = ask.sides(frame)
    unpaired, kept = list[Unpaired](), list[int]()

    def pair(ours: Sequence[str], theirs: Sequence[str]) -> list[int]:
        known, skip = set(theirs), ask.policies.missing_documents == "skip"
        unpaired.extend([lacking(ours, known), lacking(theirs, set(ours))])
        kept.extend(d for d, name in enumerate(ours) if not skip or name in known)
        return kept

    document = str(ask.names.document)
    clusterings, overlap = encode_tables(key, response, document, ask.names.mention, ask.policies, pair)
    rows = score_clusterings(clusterings, ask.policies, {"metrics": ask.metrics}).counts.rows
    first = key.frame.to_native().drop_duplicates(document)[ROW].to_numpy()[kept]
    if keep:
        return Counted(clusterings.names or (), first, rows, len(first), unpaired, overlap)
    return Counted((), first, rows.sum(axis=0, keepdims=True), len(first), unpaired, overlap)


def count_pairs(frame: Any, ask: Request, dtype: Any) -> Any:
    """Count the mentions of each pair of labels in one partition; a null label means that a side lacks the mention."""
    import pandas as pd

    values, sides = [], []
    for side in ask.sides(frame):
        table = side.frame.to_native()
        codes, labels = table[ask.names.label].factorize()
        if labels.dtype == np.int64:
            codes[np.asarray(labels == -1)[codes]] = -1
        values.append(pd.Series(labels, dtype=dtype).array)
        table = table.assign(**{ask.names.label: codes})
        sides.append(Side.of(table, ask.names.all, ask.names.label, side.place)._replace(where=side.where))
    found, _ = encode_tables(sides[0], sides[1], None, ask.names.mention, ask.policies)
    key, response = (
        of.take(codes, allow_fill=True) for of, codes in zip(values, (found.key, found.response), strict=True)
    )
    pairs = pd.DataFrame({"key": key, "response": response, "n": np.ones(len(key), np.int64)})
    return pairs.groupby(["key", "response"], dropna=False)["n"].sum().reset_index()


def _clustering(parts: Sequence[Any]) -> tuple[Clusterings, Overlap]:
    """Make one clustering of the numbers of mentions of each pair of labels."""
    import pandas as pd

    counts = pd.concat(parts).reset_index()
    key, response = (np.repeat(counts[side].factorize(sort=True)[0], counts["n"]) for side in ("key", "response"))
    n_shared = np.count_nonzero((key >= 0) & (response >= 0))
    overlap = [1, np.count_nonzero(key >= 0), np.count_nonzero(response >= 0), n_shared, *[n_shared] * len(WAYS)]
    return Clusterings.from_labels(key, response), np.array(overlap)


def current_client() -> Any:
    """Return the ``distributed.Client`` that Dask sends tasks to, None if it runs them in this process."""
    import dask

    return getattr(dask.base.get_scheduler(), "__self__", None)


def run(parts: Sequence[Any], progress: Progress | None) -> list[Any]:
    """Compute Delayed objects on the current cluster, or as Dask is configured; report each that is done.

    Raises:
        ArraycorefError: an error of a task; or workers die again and again over one task.
    """
    import dask
    from dask.callbacks import Callback

    client = current_client()
    if client is None:
        keys, done = {part.key for part in parts}, count(1)

        def after(key: Any, *_: object) -> None:
            if key in keys and progress is not None:
                progress(next(done), len(keys))

        with Callback(posttask=after):
            return list(dask.compute(*parts))
    from distributed import KilledWorker, as_completed

    futures = client.compute(list(parts))
    try:
        for n, _ in enumerate(as_completed(futures, raise_errors=False), 1):
            if progress is not None:
                progress(n, len(parts))
        return list(client.gather(futures))
    except KilledWorker as error:
        lack = "probably for lack of memory; expected more memory per worker, or smaller partitions"
        raise ArraycorefError(f"workers died again and again over one task, {lack} ({error})") from error
    finally:
        client.cancel(futures)


@contextmanager
def connected(address: str | None, threads: int = 1) -> Iterator[Any]:
    """Connect to a cluster, and disconnect at the end; the cluster keeps running.

    Args:
        address: of its scheduler, such as ``tcp://host:8786``; None for threads of this process.
        threads: number of threads of this process, if there is no address; 0 for one per core.

    Yields:
        A ``distributed.Client``; None for threads, which Dask is configured to use until the end.

    Raises:
        InputError: an address that is malformed.
        OSError: no scheduler answers at the address.
        MissingDependencyError: Dask is not installed.
    """
    dask = import_extra("dask", "scoring in partitions needs Dask", "dask")
    if address is None:
        with dask.config.set(scheduler="threads", num_workers=thread_count(threads)):
            yield None
        return
    distributed = import_extra("distributed", "a cluster needs distributed", "dask")
    try:
        client = distributed.Client(address, set_as_default=False)  # a default would stay set if nobody answers
    except ValueError as error:
        raise InputError(f"scheduler is {address!r}; expected an address such as tcp://host:8786 ({error})") from None
    with client:
        yield client
