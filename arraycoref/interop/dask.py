"""Score long tables in partitions, on a Dask cluster or the threads of one machine.

Needs ``pip install arraycoref[dask]``. Partitions of whole documents are scored where they are; otherwise a shuffle
brings all rows of a document (in one clustering, of a mention) together. ``docs/performance.md`` says at what cost.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import count, pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from arraycoref.api import score_clusterings
from arraycoref.exceptions import ArraycorefError, InputError, ReadError
from arraycoref.interop.frames import SideTable, check_kinds, encode_tables, label_numbers, refuse_null, wrap
from arraycoref.interop.tables import checked, names_in, whole_columns
from arraycoref.match.documents import Unpaired, check_paired, lacking
from arraycoref.match.overlap import Overlap
from arraycoref.options import PartitionOptions, Progress, resolve_policies
from arraycoref.options.policies import Notes, Policies
from arraycoref.ragged import Ints
from arraycoref.read.columns import check_columns, open_table, parquet_columns, parquet_files, with_folders
from arraycoref.read.layouts import Names
from arraycoref.read.problems import ProblemLog
from arraycoref.runtime import byte_limit, import_extra, progress_of, thread_count
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.scores import BatchScores, Scores
from arraycoref.scoring.signature import signature, written_notes
from arraycoref.twin import in_engine

PIECE_ROWS = 2**40
"""Numbers set aside for the rows of each piece of a side, whose length is unknown: piece p starts with p times this."""


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
    whole_documents: bool = False,
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
    Rows may be in any order. The numbers are those of `arraycoref.score_table`, but for rounding.

    Args:
        key: Parquet files (path, directory, glob pattern, URI, or several), which all workers can read; a Dask
            DataFrame, whose index may be the documents; or a table of pandas, polars or PyArrow, one partition. Files
            sorted by document, and divisions known by document, are scored without a shuffle if both sides are.
        response: the same.
        document: column of the documents; None for one clustering, which is divided by its mentions.
        mention: column of the mentions, or columns that identify a mention together, such as ``["start", "end"]``.
        label: column of the labels. A row whose label is -1, null or NaN is left out.
        keep_documents: return each document's counts. False returns the corpus alone, for more than memory holds.
        whole_documents: True says that each partition, or row group of a file, has all rows of its documents, and that
            the one in the same place on the other side has the same documents: then nothing is shuffled either.
        client: a ``distributed.Client``; without it, the current one, or what Dask is configured for (threads).
        on_error: called with each warning, instead of `ReadWarning`.
        max_bytes: limit for Parquet files; see `arraycoref.interop.tables.score_parquet`.
        **options: see `arraycoref.options`. ``duplicates`` goes by the order of the partitions.

    Returns:
        Scores of the documents in the order of their first rows in the key; without ``keep_documents``, of the corpus.

    Raises:
        InputError: a column that is not there or of another type, a null, a label below -1; no whole documents.
        ReadError: a file that cannot be read or exceeds ``max_bytes``; no row in the files of either side.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: a document on one side only, where the policy is ``error``.
        MissingDependencyError: Dask or PyArrow is not installed.
    """
    policies, metrics = resolve_policies(options, PartitionOptions), resolve_metrics(options.get("metrics"))
    names, progress = Names.from_columns(document, mention, label), progress_of(options.get("progress"))
    problems = ProblemLog.from_options({"on_error": on_error})
    import_extra("dask.dataframe", "scoring in partitions needs Dask", "dask")
    work = import_extra("dask.delayed", "scoring in partitions needs Dask", "dask").delayed(in_engine)
    tables = {"key": key, "response": response}
    sources = [str(table) if isinstance(table, str | os.PathLike) else side for side, table in tables.items()]
    names = names if hasattr(key, "columns") else names_in(key, names)
    engine, numeric = options.get("engine"), whole_columns(key, names) | whole_columns(response, names)
    with nullcontext() if client is None else client.as_current():
        sides = {side: list_pieces(table, side, names, max_bytes, numeric) for side, table in tables.items()}
        if not any(pieces.tables for pieces in sides.values()):
            raise ReadError(sources[0], None, "no row here, nor in the response; expected one for each mention")
        parts = bring_together(sides, names, whole_documents)
        if names.document is None:
            tasks = [work(engine, count_pairs, *part, names, policies) for part in parts]
            clusterings, overlap = one_clustering(run(tasks, progress))
            overlap.warn(sources, problems)
            whole = in_engine(engine, score_clusterings, clusterings, policies, {"metrics": metrics})
            return whole if keep_documents else whole.corpus
        tasks = [work(engine, count_part, *part, names, policies, metrics, keep_documents) for part in parts]
        counted = run(tasks, progress)
    missing, extra = (Unpaired.joined(part.unpaired[s] for part in counted) for s in (0, 1))
    check_paired(missing, extra, policies)
    notes = written_notes(sum((part.notes for part in counted), policies.notes))
    Overlap.joined(part.overlap for part in counted if part.overlap).warn(sources, problems)
    scores, signed = [part.scores for part in counted], signature(policies)
    rows, groups = [one.counts.rows for one in scores], scores[0].counts.metrics
    n_documents = sum(getattr(one, "corpus", one).n_documents for one in scores)
    if policies.restrict != "none" and not n_documents:
        raise InputError("no mention is left; expected some on both sides, or restrict='none'", "restrict")
    if not keep_documents:
        totals = Counts.read_only(None, groups, np.sum(rows, axis=0))
        return Scores(metrics, totals, signed, n_documents, notes=notes)
    order = np.argsort(np.concatenate([part.first for part in counted]))
    every = [name for one in scores for name in one.names]
    if len(set(every)) < len(every):
        twice = next(name for name in every if every.count(name) > 1)
        raise InputError(f"document {twice!r} is in two partitions; expected whole documents, or whole_documents=False")
    counts = Counts.read_only(tuple([every[d] for d in order]), groups, np.concatenate(rows)[order])
    return BatchScores(metrics, counts, signed, notes=notes)


class Pieces(NamedTuple):
    """The rows of one side, in pieces: row groups of Parquet files, or partitions of a Dask DataFrame.

    Attributes:
        tables: Delayed tables, of PyArrow or pandas.
        ranges: least and greatest document (or mention) of each piece, or bounds of them; empty if not known.
        empty: a table of the same columns without rows.
    """

    tables: list[Any]
    ranges: list[tuple[Any, Any]]
    empty: Any

    @property
    def are_sorted(self) -> bool:
        """Whether the pieces are in the order of their documents; neighbors may share a document."""
        in_order = all(one[1] <= following[0] for one, following in pairwise(self.ranges))
        return 0 < len(self.tables) == len(self.ranges) and in_order


def list_pieces(table: Any, side: str, names: Names, max_bytes: int | None, whole: Collection[str]) -> Pieces:
    """List the pieces of Parquet files, in which columns ``whole`` of folders are numbers, or of a table."""
    import pandas as pd
    from dask.delayed import delayed

    by = names.all[0]
    if hasattr(table, "to_delayed"):
        ranges = list(pairwise(table.divisions)) if table.known_divisions and table.index.name == by else []
        table = table.reset_index() if table.index.name in names.all else table
        check_columns(names.all, list(table.columns), side)
        empty = pd.DataFrame({name: pd.Series(dtype=table.dtypes[name]) for name in names.all})
        return Pieces(table[list(names.all)].to_delayed(), ranges, empty)
    if hasattr(table, "columns"):
        rows = wrap(table, names.all, f"the {side}")
        return Pieces([delayed(rows.to_native(), traverse=False)], [], rows.head(0).to_native())
    pieces, choose, most = Pieces([], [], None), partial(checked, names, side), byte_limit(max_bytes)
    for path in parquet_files(table):
        schema, metadata, *_ = open_table(path, choose, most)
        if not pieces.tables:
            pieces = pieces._replace(empty=with_folders(schema.empty_table(), path, names.all, whole))
        columns = [metadata.schema.column(c).path for c in range(metadata.num_columns)]
        for group in range(metadata.num_row_groups if metadata.num_rows else 0):
            pieces.tables.append(delayed(read_piece)(path, choose, most, [group], whole))
            values = metadata.row_group(group).column(columns.index(by)).statistics if by in columns else None
            if values is not None and values.has_min_max:
                pieces.ranges.append((values.min, values.max))
    return pieces


def read_piece(*arguments: Any) -> Any:
    """Read a piece of a file as a table of PyArrow; the arguments are those of `parquet_columns`."""
    return parquet_columns(*arguments).values


def bring_together(sides: dict[str, Pieces], names: Names, whole: bool) -> list[tuple[Any, ...]]:
    """Return the Delayed frames of key and response of each part; a part has whole documents (or mentions).

    Raises:
        InputError: numbers on one side and texts on the other; other numbers of pieces that are said to be ``whole``.
    """
    import dask.dataframe
    from dask.delayed import delayed

    by = list(names.mention) if names.document is None else [names.document]
    tables = [SideTable.from_frame(own.empty, names.all, names.label, f"the {side}") for side, own in sides.items()]
    for name in by:
        check_kinds(tables, name)
    frames = [
        [delayed(prepare)(table, side, p, names) for p, table in enumerate(pieces.tables)]
        for side, pieces in sides.items()
    ]
    numbers = [len(pieces.tables) for pieces in sides.values()]
    if whole and numbers[0] != numbers[1]:
        raise InputError("the key has {} partitions, the response {}; expected as many of both".format(*numbers))
    if not whole and all(pieces.are_sorted for pieces in sides.values()):
        starts = sorted({least for least, _ in max((pieces.ranges for pieces in sides.values()), key=len)})[1:]
        frames = [
            [cut(own, pieces.ranges, by[0], *bounds) for bounds in pairwise([None, *starts, None])]
            for own, pieces in zip(frames, sides.values(), strict=True)
        ]
    elif not whole:
        how = None if hasattr(dask.base.get_scheduler(), "__self__") else "tasks"  # whether a cluster has its own way
        for s, pieces in enumerate(sides.values()):
            meta = prepare(pieces.empty, "", 0, names)
            frame = dask.dataframe.from_delayed(frames[s] or [delayed(meta)], meta=meta, verify_meta=False)
            frames[s] = frame.shuffle(by, npartitions=max(numbers), shuffle_method=how).to_delayed()
    return list(zip(*frames, strict=True))


def cut(frames: Sequence[Any], ranges: Sequence[tuple[Any, Any]], by: str, least: Any, end: Any) -> Any:
    """Return a Delayed frame with the rows of sorted frames from ``least`` on and below ``end``, None for no bound."""
    from dask.delayed import delayed

    first = 0 if least is None else min(bisect_left(ranges, least, key=itemgetter(1)), len(ranges) - 1)
    last = len(ranges) if end is None else bisect_left(ranges, end, key=itemgetter(0))
    return delayed(join)(frames[first : max(last, first + 1)], by, least, end)


def join(frames: Sequence[Any], by: str, least: Any, end: Any) -> Any:
    """Join the rows of frames from ``least`` on and below ``end``, None for no bound."""
    import pandas as pd

    rows = pd.concat(frames)
    rows = rows if least is None else rows[rows[by] >= least]
    return rows if end is None else rows[rows[by] < end]


def prepare(piece: Any, side: str, number: int, names: Names) -> Any:
    """Check a piece of PyArrow or pandas; return it as pandas' DataFrame, whose index numbers the rows of its side.

    Raises:
        InputError: a column that is not there, a null, a number that is not a label.
    """
    import pandas as pd

    rows = SideTable.from_frame(piece, names.all, names.label, f"partition {number} of the {side}")
    table = rows.frame.to_native()
    table = table.to_pandas(types_mapper=pd.ArrowDtype) if hasattr(table, "to_pandas") else table
    table = table.set_axis(number * PIECE_ROWS + np.arange(len(table)))
    for name in names.all[:-1]:
        refuse_null(rows, name)
        column = rows.frame[name]
        if column.dtype.is_integer():  # a hash of a negative number depends on its width
            table[name] = column.to_numpy().astype(np.int64 if column.dtype.is_signed_integer() else np.uint64)
    kind = rows.frame[names.label].dtype
    if str(kind) == "UInt64":  # may be above int64; NumPy's become floats beside a null
        table[names.label] = table[names.label].astype("UInt64")
    elif kind.is_integer() or kind.is_float():
        table[names.label] = label_numbers(rows)
    return table


def rows_of(frame: Any, side: str, names: Names) -> SideTable:
    """Return the rows of a part in their order."""
    frame = frame.sort_index()

    def where(row: int) -> str:
        partition, row_there = divmod(int(frame.index[row]), PIECE_ROWS)
        return f"partition {partition} of the {side}: row {row_there}"

    return SideTable.from_frame(frame, names.all, names.label, f"the {side}")._replace(where=where)


class Counted(NamedTuple):
    """The counts of one part.

    Attributes:
        scores: `BatchScores` of D documents, or `Scores` of their corpus.
        first: int64 (D,) number of the first row of each document in the key; empty for a corpus.
        unpaired: the documents that either side lacks.
        overlap, notes: how many mentions both sides have, and what happened.
    """

    scores: Any
    first: Ints
    unpaired: list[Unpaired]
    overlap: Overlap | None
    notes: Notes


def count_part(
    key: Any, response: Any, names: Names, policies: Policies, metrics: Sequence[str], keep: bool
) -> Counted:
    """Count the documents of one part, from its frames of key and response; ``keep`` the counts of each document."""
    sides = rows_of(key, "key", names), rows_of(response, "response", names)
    unpaired, kept = list[Unpaired](), list[int]()

    def pair(key: Sequence[str], response: Sequence[str]) -> list[int]:
        known = set(response)
        unpaired.extend([lacking(key, known), lacking(response, set(key))])
        kept.extend(d for d, name in enumerate(key) if policies.missing_documents != "skip" or name in known)
        return kept

    document, own = str(names.document), policies.with_own_notes()
    clusterings, overlap = encode_tables(*sides, document, names.mention, own, pair)
    scores = score_clusterings(clusterings, own, {"metrics": metrics}, is_part=True)
    if not keep:
        return Counted(scores.corpus, np.empty(0, np.int64), unpaired, overlap, own.notes)
    rows = sides[0].frame.to_native()
    first = rows.index.to_numpy()[~rows[document].duplicated()][kept][np.isin(clusterings.names or (), scores.names)]
    return Counted(scores, first, unpaired, overlap, own.notes)


def count_pairs(key: Any, response: Any, names: Names, policies: Policies) -> Any:
    """Count the mentions of each pair of labels in one part; a null label means that a side lacks the mention."""
    import pandas as pd

    columns = [frame[names.label] for frame in (key, response)]
    columns = [of.astype("Int64").mask(of == -1) if of.dtype == np.int64 else of for of in columns]
    codes, values = zip(*(column.array.factorize() for column in columns), strict=True)
    ours, theirs = (
        rows_of(frame.assign(**{names.label: numbers}), side, names)
        for frame, numbers, side in zip((key, response), codes, ("key", "response"), strict=True)
    )
    clusterings, _ = encode_tables(ours, theirs, None, names.mention, policies)
    clusterings.require_labels("a clustering in partitions")
    counts = pd.DataFrame({"key": clusterings.key, "response": clusterings.response}).value_counts()
    labels = [of.take(counts.index.get_level_values(s).to_numpy(), allow_fill=True) for s, of in enumerate(values)]
    return pd.DataFrame({"key": labels[0], "response": labels[1], "n": counts.to_numpy()})


def one_clustering(parts: Sequence[Any]) -> tuple[Clusterings, Overlap]:
    """Make one clustering of the numbers of mentions of each pair of labels in each part."""
    import pandas as pd

    counts = pd.concat(parts)
    key, response = (np.repeat(counts[side].factorize()[0], counts["n"]) for side in ("key", "response"))
    n_key, n_response, n_shared = (int((one >= 0).sum()) for one in (key, response, np.minimum(key, response)))
    return Clusterings.from_labels(key, response), Overlap(1, (n_key, n_response), n_shared)


def run(parts: Sequence[Any], progress: Progress | None) -> list[Any]:
    """Compute Delayed objects on the current cluster, or as Dask is configured; report each that is done.

    Raises:
        ArraycorefError: an error of a task; or workers die again and again over one task.
    """
    import dask
    from dask.callbacks import Callback

    client = getattr(dask.base.get_scheduler(), "__self__", None)  # of distributed; None to run tasks in this process
    keys, done = {part.key for part in parts}, count(1)

    def after(key: Any, *_: object) -> None:
        if key in keys and progress is not None:
            progress(next(done), len(keys))

    if client is None:
        with Callback(posttask=after):
            return list(dask.compute(*parts))
    from distributed import KilledWorker, as_completed

    futures = client.compute(list(parts))
    try:
        for future in as_completed(futures, raise_errors=False):
            after(future.key)
        return list(client.gather(futures))
    except KilledWorker as error:
        lack = "probably for lack of memory; expected more memory per worker, or smaller partitions"
        raise ArraycorefError(f"workers died again and again over one task, {lack} ({error})") from error
    finally:
        client.cancel(futures)


@contextmanager
def connected(address: str | None, threads: int = 1) -> Iterator[Any]:
    """Yield a client of the scheduler at an address, or None for threads of this process, one per core if 0.

    Raises:
        InputError: an address that is malformed.
        OSError: no scheduler answers at the address.
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
