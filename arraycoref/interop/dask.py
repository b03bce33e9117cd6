"""Score long tables in partitions, on a Dask cluster or the threads of one machine.

    >>> from arraycoref.interop.dask import score_table
    >>> scores = score_table("key/*.parquet", "response/*.parquet")  # doctest: +SKIP

Needs ``pip install arraycoref[dask]``. Dask's shuffle brings all rows of a document, of both sides, into one partition,
or, in one clustering, all rows of a mention. ``docs/scale.md`` says at what cost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import count
from typing import Any, Literal, NamedTuple, Unpack, overload

import numpy as np

from arraycoref.api import score_clusterings
from arraycoref.errors import ArraycorefError, InputError, ReadError
from arraycoref.interop.frames import (
    Overlap,
    Side,
    check_columns,
    encode_tables,
    is_text_type,
    label_numbers,
    note_overlap,
    refuse_null,
    wrap,
)
from arraycoref.interop.tables import open_table, parquet_files, read_file
from arraycoref.match.documents import Unpaired, check_paired, lacking
from arraycoref.match.mentions import warn_of_mentions
from arraycoref.options import PartitionOptions, Policies, Progress, resolve_policies, signature
from arraycoref.read.shapes import Names
from arraycoref.read.sources import warn
from arraycoref.runtime import byte_limit, import_extra, progress_of, thread_count
from arraycoref.scoring.cells import one_document
from arraycoref.scoring.counts import Counts, Floats
from arraycoref.scoring.labels import Integers
from arraycoref.scoring.metrics.registry import counted_metrics, resolve_metrics
from arraycoref.scoring.scores import BatchScores, Scores

ROW, RESPONSE = "arraycoref: row", "arraycoref: response"
"""Columns that each partition gets: the number of the row on its side, and whether the side is the response."""

PIECE_ROWS = 2**40
"""Row numbers set aside per piece of a side, as its length is unknown: piece p starts with row number p times this."""

MOST_MENTIONS = 2**32
"""Most mentions of one side of one clustering; up to this number, the number of pairs of mentions is below 2^63."""

TYPES = {"whole numbers": "Int64", "unsigned numbers": "UInt64", "texts": "string"}
"""The dtype that all partitions of a column get, by the kind of its values."""


class TableOptions(PartitionOptions, total=False):
    """Options for two long tables in partitions."""

    document: str | None
    mention: str | Sequence[str]
    label: str
    client: Any
    report: Callable[[ReadError], None] | None
    max_bytes: int | None


@overload
def score_table(
    key: Any, response: Any, *, keep_documents: Literal[True] = ..., **options: Unpack[TableOptions]
) -> BatchScores: ...
@overload
def score_table(
    key: Any, response: Any, *, keep_documents: Literal[False], **options: Unpack[TableOptions]
) -> Scores: ...
def score_table(
    key: Any,
    response: Any,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    keep_documents: bool = True,
    client: Any = None,
    report: Callable[[ReadError], None] | None = None,
    max_bytes: int | None = None,
    **options: Unpack[PartitionOptions],
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
        report: called with each warning, in place of `ReadWarning`.
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
    names = Names.of(document, mention, label)
    import_extra("dask.dataframe", "scoring in partitions needs Dask", "dask")
    import dask.dataframe as dd
    from dask.delayed import delayed

    given = {"key": key, "response": response}
    sources = [str(table) if isinstance(table, str | os.PathLike) else side for side, table in given.items()]
    with nullcontext() if client is None else client.as_current():
        sides = [Pieces.of(table, side, names, max_bytes) for side, table in given.items()]
        if not any(side.pieces for side in sides):
            raise ReadError(sources[0], None, "no row here, nor in the response; expected one for each mention")
        kinds = common_kinds(sides, names)
        both = dd.concat([side.frame(names, kinds) for side in sides])
        by = list(names.mention) if document is None else [document]
        parts = both.shuffle(by, npartitions=max(len(side.pieces) for side in sides)).to_delayed()
        ask = Request(names, policies, metrics, tuple(side.places for side in sides))
        if document is None:
            scores = score_clustering(parts, ask, kinds[label], sources, report or warn, progress_of(options))
            return scores if keep_documents else scores.corpus
        found = run([delayed(count_part)(part, ask, keep_documents) for part in parts], progress_of(options))
    missing, extra = (Unpaired.joined(part.unpaired[s] for part in found) for s in (0, 1))
    check_paired(missing, extra, policies)
    note_overlap(np.sum([part.overlap for part in found], axis=0), sources, report or warn)
    if not keep_documents:
        totals = Counts.read_only(None, ask.counted, np.sum([part.rows.sum(axis=0) for part in found], axis=0))
        return Scores(metrics, totals, signature(policies), sum(part.n_documents for part in found))
    order = np.argsort(np.concatenate([part.first for part in found]), kind="stable")
    listed = [name for part in found for name in part.names]
    rows = np.concatenate([part.rows for part in found])[order]
    counts = Counts.read_only(tuple(listed[d] for d in order), ask.counted, rows)
    return BatchScores(metrics, counts, signature(policies))


class Request(NamedTuple):
    """What is computed of each partition.

    Attributes:
        names: of the columns.
        policies: of scoring.
        metrics: names of the metrics that the user asked for.
        places: for each side, the file or partition that each piece of it came from, for messages.
    """

    names: Names
    policies: Policies
    metrics: tuple[str, ...]
    places: tuple[list[str], ...]

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of the metrics that are counted."""
        return tuple(metric.name for metric in counted_metrics(self.metrics))

    def sides(self, frame: Any) -> tuple[Side, Side, Integers]:
        """Split a partition into the rows of key and response, in their order; and return the key's row numbers."""
        frame = frame.sort_values(ROW)
        both, rows = [], []
        for s, side in enumerate(("key", "response")):
            here = frame[frame[RESPONSE] == bool(s)]
            numbers, places = here[ROW].to_numpy(), self.places[s]

            def where(row: int, numbers: Any = numbers, places: list[str] = places) -> str:
                piece, row_in_piece = divmod(int(numbers[row]), PIECE_ROWS)
                return f"{places[piece]}: row {row_in_piece}"

            both.append(Side.of(here, self.names.all, self.names.label, side)._replace(where=where))
            rows.append(numbers)
        return both[0], both[1], rows[0]


class Pieces(NamedTuple):
    """The rows of one side, in pieces: row groups of Parquet files, or partitions of a Dask DataFrame.

    Attributes:
        side: ``key`` or ``response``.
        pieces: functions' arguments or Delayed objects that make a table of each piece.
        places: words for the file or partition of each piece, for messages.
        first: number of each piece's first row in its file or partition.
        kinds: the kind of the values of each column, one of `TYPES`; without those that are not known.
    """

    side: str
    pieces: list[Any]
    places: list[str]
    first: list[int]
    kinds: dict[str, str]

    @classmethod
    def of(cls, table: Any, side: str, names: Names, max_bytes: int | None) -> Pieces:
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

        import_extra("pyarrow", "Parquet files need PyArrow", "parquet")
        if hasattr(table, "to_delayed"):
            table = table.reset_index() if table.index.name in names.all else table
            check_columns(names.all, list(table.columns), side)
            table = table[list(names.all)]
            schema = _arrow_table(
                pd.DataFrame({name: pd.Series(dtype=table.dtypes[name]) for name in names.all}), side
            ).schema
            pieces = table.to_delayed()
            places = [f"partition {p} of the {side}" for p in range(len(pieces))]
            return cls(side, pieces, places, [0] * len(pieces), kinds_of(schema, names, side))
        if not isinstance(table, str | os.PathLike | Sequence):
            kind = f"{type(table).__module__}.{type(table).__name__}"
            raise InputError(f"{side} is a {kind}; expected the path of Parquet files or a Dask DataFrame")
        found, most = cls(side, [], [], [], {}), byte_limit(max_bytes)
        for path in parquet_files(table):
            place, row = f"the {side}'s file {path}", 0
            schema, metadata, _ = open_table(path, names, side, most)
            if not found.kinds:
                found.kinds.update(kinds_of(schema, names, place))
            for group in range(metadata.num_row_groups if metadata.num_rows else 0):
                found.pieces.append(delayed(read_file)(path, names, side, most, [group]))
                found.places.append(place)
                found.first.append(row)
                row += metadata.row_group(group).num_rows
        return found

    def frame(self, names: Names, kinds: Mapping[str, str]) -> Any:
        """Make a Dask DataFrame whose partitions are the pieces, with columns of the same dtypes on both sides."""
        import dask.dataframe as dd
        import pandas as pd
        from dask.delayed import delayed

        meta = pd.DataFrame({name: pd.array([], TYPES[kinds[name]]) for name in names.all})
        meta = meta.assign(**{ROW: np.zeros(0, np.int64), RESPONSE: np.zeros(0, bool)})
        check = delayed(partial(check_piece, side=self.side, names=names, kinds=kinds, own=self.kinds))
        parts = [
            check(piece, place, p * PIECE_ROWS + first)
            for p, (piece, place, first) in enumerate(zip(self.pieces, self.places, self.first, strict=True))
        ]
        return dd.from_delayed(parts or [delayed(meta)], meta=meta, verify_meta=False)


def kinds_of(schema: Any, names: Names, place: str) -> dict[str, str]:
    """Return the kind of the values of each column of a ``pyarrow.Schema``; columns of nulls only are left out.

    Raises:
        InputError: a column of another type.
    """
    from pyarrow import types

    found = {}
    for name in names.all:
        given = schema.field(name).type
        dtype = given.value_type if types.is_dictionary(given) or types.is_run_end_encoded(given) else given
        if types.is_uint64(dtype):
            found[name] = "unsigned numbers"
        elif types.is_integer(dtype) or (types.is_floating(dtype) and name == names.label):
            found[name] = "whole numbers"
        elif is_text_type(dtype):
            found[name] = "texts"
        elif not types.is_null(dtype):
            raise InputError(f"{place}: column {name!r} has type {given}; expected whole numbers or texts")
    return found


def common_kinds(sides: Sequence[Pieces], names: Names) -> dict[str, str]:
    """Return the kind that the values of each column get in both tables; labels become texts if one side's are.

    Raises:
        InputError: documents or mentions that are numbers on one side and texts on the other.
    """
    found = {}
    for name in names.all:
        kinds = [side.kinds[name] for side in sides if name in side.kinds]
        if name != names.label and len({kind == "texts" for kind in kinds}) > 1:
            raise InputError(
                f"column {name!r} holds {' in the key and '.join(kinds)} in the response; expected one kind"
            )
        found[name] = max(kinds, default="texts", key=list(TYPES).index)
    return found


def check_piece(
    piece: Any, place: str, first: int, *, side: str, names: Names, kinds: Mapping[str, str], own: Mapping[str, str]
) -> Any:
    """Check a piece of a table, and bring its columns to the dtypes that all pieces have.

    Args:
        piece: a table of pandas or PyArrow.
        place: words for the file or partition, for messages.
        first: number of its first row, among all rows of the side.
        side: ``key`` or ``response``.
        names: of the columns.
        kinds: the kind of values that each column gets.
        own: the kind of values that each column has on this side.

    Returns:
        A DataFrame of pandas, with the columns `ROW` and `RESPONSE`.

    Raises:
        InputError: a column that is not there or of another type, a null, a value that is not a label.
    """
    import pandas as pd
    import pyarrow

    if not isinstance(piece, pyarrow.Table):
        check_columns(names.all, list(piece.columns), place)
        piece = _arrow_table(piece[list(names.all)], place)
    rows = Side.of(piece, names.all, names.label, place)
    rows = rows._replace(where=lambda row: f"{place}: row {first % PIECE_ROWS + row}")
    for name in names.all[:-1]:
        refuse_null(rows, name)
    labels, table = label_numbers(rows), rows.frame.to_native()
    dtypes = {"whole numbers": pyarrow.int64(), "unsigned numbers": pyarrow.uint64(), "texts": pyarrow.large_string()}
    columns, mapper = {}, {}
    for name, kind in kinds.items():
        column = table[name]
        found = kinds_of(table.schema, names, place).get(name)
        expected = own.get(name, kind)
        if found is not None and (found == "texts") != (expected == "texts"):
            raise InputError(f"{place}: column {name!r} holds {found}; expected {expected}, as elsewhere on this side")
        if name == names.label and found in (None, "whole numbers"):
            column = pyarrow.chunked_array([pyarrow.array(labels, mask=labels < 0)])
        dtype = dtypes[kind]
        try:
            columns[name] = column.cast(dtype)
        except pyarrow.ArrowInvalid as error:
            raise InputError(f"{place}: column {name!r}: {error}; expected numbers of one 64-bit dtype") from None
        mapper[dtype] = pd.api.types.pandas_dtype(TYPES[kind])
    frame = pyarrow.table(columns).to_pandas(types_mapper=mapper.get)
    return frame.assign(**{ROW: first + np.arange(len(frame)), RESPONSE: side == "response"})


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
    unpaired: tuple[Unpaired, Unpaired]
    overlap: Overlap


def count_part(frame: Any, ask: Request, keep: bool) -> Counted:
    """Count the documents of one partition."""
    key, response, numbers = ask.sides(frame)
    unpaired = []

    def pair(ours: Sequence[str], theirs: Sequence[str]) -> list[int]:
        known = set(theirs)
        unpaired.extend([lacking(ours, known), lacking(theirs, set(ours))])
        skip = ask.policies.missing_documents == "skip"
        return [d for d, name in enumerate(ours) if not skip or name in known]

    document = ask.names.document or ""
    clusterings, overlap = encode_tables(key, response, document, ask.names.mention, ask.policies, pair)
    found = score_clusterings(clusterings, ask.policies, {"metrics": ask.metrics}).counts.rows
    documents = key.frame[document].to_native()
    first = numbers[~documents.duplicated().to_numpy()]
    names = clusterings.names or ()
    if len(names) < first.size:
        places = {str(name): row for name, row in zip(documents.drop_duplicates(), first, strict=True)}
        first = np.array([places[name] for name in names], np.int64)
    rows = found if keep else found.sum(axis=0, keepdims=True)
    assert overlap is not None
    return Counted(names if keep else (), first, rows, len(names), (unpaired[0], unpaired[1]), overlap)


def score_clustering(
    parts: Sequence[Any],
    ask: Request,
    kind: str,
    sources: Sequence[str],
    note: Callable[[ReadError], None],
    progress: Progress | None,
) -> BatchScores:
    """Score one clustering from partitions that each have all rows of some mentions.

    A cell is the number of mentions that a key entity and a response entity share. Cells are counted in each partition
    and added up by Dask; entities are identified by their labels.
    """
    import dask.dataframe as dd
    import pandas as pd
    from dask.delayed import delayed

    none = pd.array([], TYPES[kind])
    meta = pd.DataFrame({"key": none, "response": none, "n": np.zeros(0, np.int64)})
    pairs = dd.from_delayed([delayed(count_pairs)(part, ask, meta) for part in parts], meta=meta, verify_meta=False)
    counts = run(pairs.groupby(["key", "response"], dropna=False)["n"].sum().to_delayed(), progress)
    frame = pd.concat(counts).reset_index()
    n = frame["n"].to_numpy(np.int64)
    least, codes, sizes = 2 if ask.policies.singletons == "drop" else 1, [], []
    for side in ("key", "response"):
        code, size = _entities(frame[side], n, least)
        codes.append(code)
        sizes.append(size)
    both = np.flatnonzero((codes[0] >= 0) & (codes[1] >= 0))
    order = both[np.lexsort([codes[1][both], codes[0][both]])]
    cells = one_document(codes[0][order], codes[1][order], n[order], *sizes)
    there = [frame[side].notna().to_numpy() for side in ("key", "response")]
    n_mentions, n_shared = [int(n[each].sum()) for each in there], int(n[there[0] & there[1]].sum())
    warn_of_mentions(sources, n_mentions, n_shared, (), note)
    metrics = counted_metrics(ask.metrics)
    for metric in metrics:
        if metric.gold_mentions and not n_shared == n_mentions[0] == n_mentions[1]:
            found = f"key ({n_mentions[0]} mentions) and response ({n_mentions[1]}) share {n_shared}"
            reason = f"{metric.name} is defined on gold mentions only, but {found}"
            raise InputError(f"{reason}; use blanc for predicted mentions")
    rows = np.concatenate([metric.count(cells).reshape(-1, 4) for metric in metrics])[np.newaxis]
    return BatchScores(ask.metrics, Counts.read_only(None, ask.counted, rows), signature(ask.policies))


def _entities(labels: Any, n: Integers, least: int) -> tuple[Integers, Integers]:
    """Number the entities of at least some size: int64 (pairs,), -1 for none; and return their sizes."""
    codes, _ = labels.factorize(sort=True)
    size = np.zeros(codes.max(initial=-1) + 2, np.int64)
    np.add.at(size, codes, n)  # those of no entity are added to the last one, which is left out
    size = size[:-1]
    if size.sum() > MOST_MENTIONS:
        raise InputError(f"there are {size.sum()} mentions on one side; expected at most 2^32, whose pairs fit 64 bits")
    kept = np.flatnonzero(size >= least)
    position = np.full(size.size + 1, -1)
    position[kept] = np.arange(kept.size)
    return position[codes], size[kept]


def count_pairs(frame: Any, ask: Request, meta: Any) -> Any:
    """Count the mentions of each pair of labels in one partition, where a null label means that a side lacks them."""
    import pandas as pd

    labels, sides = [], []
    for side in ask.sides(frame)[:2]:
        table = side.frame.to_native()
        codes, values = table[ask.names.label].factorize()
        labels.append(pd.Series(values, dtype=meta["key"].dtype).array)
        sides.append(side._replace(frame=wrap(table.assign(**{ask.names.label: codes}), ask.names.all, side.place)))
    found, _ = encode_tables(sides[0], sides[1], None, ask.names.mention, ask.policies)
    columns = [of.take(codes, allow_fill=True) for of, codes in zip(labels, (found.key, found.response), strict=True)]
    pairs = pd.DataFrame({"key": columns[0], "response": columns[1], "n": np.ones(len(found.key), np.int64)})
    return pairs.groupby(["key", "response"], dropna=False)["n"].sum().reset_index()


def run(parts: Sequence[Any], progress: Progress | None) -> list[Any]:
    """Compute Delayed objects on the current cluster, or as Dask is configured; report each that is done.

    Raises:
        ArraycorefError: an error of a task; or workers die again and again over one task.
    """
    import dask
    from dask.callbacks import Callback

    client = getattr(dask.base.get_scheduler(), "__self__", None)
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
