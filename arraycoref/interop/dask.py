"""Score long tables in partitions, on a Dask cluster or the threads of one machine.

Needs ``pip install arraycoref[dask]``. Dask's shuffle brings all rows of a document (in one clustering, of a mention)
into one partition. ``docs/scale.md`` says at what cost.
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
from arraycoref.interop.frames import Side, check_columns, encode_tables, is_text_type, label_numbers, refuse_null
from arraycoref.interop.tables import arrow_table, column_types, names_in, open_table, parquet_files, read_file
from arraycoref.match.documents import Unpaired, check_paired, lacking
from arraycoref.match.overlap import Overlap
from arraycoref.options import PartitionOptions, Progress, resolve_policies
from arraycoref.options.policies import Notes, Policies
from arraycoref.read.shapes import Names
from arraycoref.read.sources import warn
from arraycoref.runtime import byte_limit, import_extra, progress_of, thread_count
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.labels import Integers
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.scores import BatchScores, Scores
from arraycoref.scoring.signature import signature, written_notes

ROW, PIECE_ROWS = "arraycoref: row", 2**40
"""Column that each partition gets, the number of the row on its side; and the numbers set aside for each piece of a
side, whose length is unknown: piece p starts with row number p times this."""


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
    Rows may be in any order. The numbers are those of `arraycoref.score_table`, but for rounding.

    Args:
        key: Parquet files (a path, a directory, a glob pattern, a URI, or several), which all workers can read; or a
            Dask DataFrame, whose index may be the documents.
        response: likewise.
        document: column of the documents; None for one clustering, which is divided among tasks by its mentions.
        mention: column of the mentions, or columns that identify a mention together, such as ``["start", "end"]``.
        label: column of the labels. A row whose label is -1, null or NaN is left out.
        keep_documents: return each document's counts. False returns the scores of the corpus alone: each partition
            returns its sums, which allows more documents than the memory of this process could hold.
        client: a ``distributed.Client`` that tasks are sent to; without it, the current one; without one, they are sent
            to the scheduler that Dask is configured for, by default threads of this process.
        on_error: called with each warning, in place of `ReadWarning`.
        max_bytes: limit for Parquet files; see `arraycoref.interop.tables.score_parquet`.
        **options: see `arraycoref.options`. ``duplicates`` may keep the first or last row of a mention, in the order of
            the partitions; ``progress`` counts parts of the work.

    Returns:
        Scores of the documents in the order of their first rows in the key; without ``keep_documents``, of the corpus.

    Raises:
        InputError: a column that is not there or of another type, a null, a label below -1; the message names the file
            or partition, the row and the value.
        ReadError: a file that cannot be read or exceeds ``max_bytes``; no row in the files of either side.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        MissingDependencyError: Dask, PyArrow or narwhals is not installed.
    """
    policies, metrics = resolve_policies(options, PartitionOptions), resolve_metrics(options.get("metrics"))
    names, progress = Names.of(document, mention, label), progress_of(options.get("progress"))
    import_extra("dask.dataframe", "scoring in partitions needs Dask", "dask")
    import_extra("pyarrow", "tables in partitions need PyArrow", "parquet")
    from dask.delayed import delayed

    given = {"key": key, "response": response}
    sources = [str(table) if isinstance(table, str | os.PathLike) else side for side, table in given.items()]
    names = names if hasattr(key, "to_delayed") else names_in(key, names)
    with nullcontext() if client is None else client.as_current():
        sides = [list_pieces(table, side, names, max_bytes) for side, table in given.items()]
        if not any(side.tables for side in sides):
            raise ReadError(sources[0], None, "no row here, nor in the response; expected one for each mention")
        parts = bring_together(sides, names)
        ask = Request(names, policies, metrics, tuple(side.places for side in sides))
        if document is None:
            clusterings, overlap = _clustering(run([delayed(count_pairs)(*part, ask) for part in parts], progress))
            overlap.warn(sources, on_error or warn)
            whole = score_clusterings(clusterings, policies, {"metrics": metrics})
            return whole if keep_documents else whole.corpus
        found = run([delayed(count_part)(*part, ask, keep_documents) for part in parts], progress)
    missing, extra = (Unpaired.joined(part.unpaired[s] for part in found) for s in (0, 1))
    check_paired(missing, extra, policies)
    notes = written_notes(sum((part.notes for part in found), policies.notes))
    Overlap.joined(part.overlap for part in found if part.overlap).warn(sources, on_error or warn)
    scores, signed = [part.scores for part in found], signature(policies)
    rows, counted = [each.counts.rows for each in scores], scores[0].counts.metrics
    if not keep_documents:
        totals = Counts.read_only(None, counted, np.sum(rows, axis=0))
        return Scores(metrics, totals, signed, sum(each.n_documents for each in scores), notes=notes)
    order = np.argsort(np.concatenate([part.first for part in found]))
    listed = [name for each in scores for name in each.names]
    counts = Counts.read_only(tuple(listed[d] for d in order), counted, np.concatenate(rows)[order])
    return BatchScores(metrics, counts, signed, notes=notes)


class Pieces(NamedTuple):
    """The rows of one side, in pieces: row groups of Parquet files, or partitions of a Dask DataFrame.

    Attributes:
        tables: Delayed tables, of PyArrow or pandas.
        places: words for the file or partition of each piece, for messages.
        first: number of each piece's first row in its file or partition.
        types: of the columns; see `arraycoref.interop.tables.column_types`.
    """

    tables: list[Any]
    places: list[str]
    first: list[int]
    types: dict[str, Any]


def list_pieces(table: Any, side: str, names: Names, max_bytes: int | None) -> Pieces:
    """List the pieces of Parquet files, or of a Dask DataFrame, whose index may be one of the columns.

    Raises:
        InputError: no column of a name, or a column of another type than whole numbers or texts.
        ReadError: a file that cannot be read.
    """
    import pandas as pd
    from dask.delayed import delayed

    if hasattr(table, "to_delayed"):
        table = table.reset_index() if table.index.name in names.all else table
        check_columns(names.all, list(table.columns), side)
        empty = pd.DataFrame({name: pd.Series(dtype=table.dtypes[name]) for name in names.all})
        types = column_types(arrow_table(empty, names, side).schema, names, side)
        if len(types) < len(names.all):  # columns of objects: their first values say what they hold
            types |= column_types(arrow_table(table.head(1), names, side).schema, names, side)
        tables = table[list(names.all)].to_delayed()
        return Pieces(tables, [f"partition {p} of the {side}" for p in range(len(tables))], [0] * len(tables), types)
    found, most = Pieces([], [], [], {}), byte_limit(max_bytes)
    for path in parquet_files(table):
        row, place = 0, f"the {side}'s file {path}"
        schema, metadata, _ = open_table(path, names, side, most)
        found.types.update(column_types(schema, names, place) if not found.types else {})
        for group in range(metadata.num_row_groups if metadata.num_rows else 0):
            found.tables.append(delayed(read_file)(path, names, side, most, [group]))
            found.places.append(place)
            found.first.append(row)
            row += metadata.row_group(group).num_rows
    return found


def bring_together(sides: Sequence[Pieces], names: Names) -> list[tuple[Any, Any]]:
    """Shuffle both sides by document, or by mention; return the Delayed frames of key and response of each partition.

    Raises:
        InputError: documents or mentions that are numbers on one side and texts on the other.
    """
    import dask.dataframe
    import pyarrow
    from dask.delayed import delayed

    order = [pyarrow.int64(), pyarrow.uint64(), pyarrow.large_string()]
    common = {}
    for name in names.all:
        known = [side.types[name] for side in sides if name in side.types]
        if name != names.label and len(set(map(is_text_type, known))) > 1:
            sides_are = f"{known[0]} in the key and {known[1]} in the response"
            raise InputError(f"column {name!r} is {sides_are}; expected whole numbers in both, or texts in both")
        common[name] = max(known, default=pyarrow.large_string(), key=order.index)
    by = list(names.mention) if names.document is None else [names.document]
    n_parts = max(len(side.tables) for side in sides)
    how = None if hasattr(dask.base.get_scheduler(), "__self__") else "tasks"  # whether a cluster has its own way
    shuffled = []
    for side in sides:
        schema = pyarrow.schema(common | {names.label: side.types.get(names.label, common[names.label])})
        meta = check_piece(schema.empty_table(), names, schema, "", 0)
        pieces = [
            delayed(check_piece)(table, names, schema, place, p * PIECE_ROWS + first)
            for p, (table, place, first) in enumerate(zip(side.tables, side.places, side.first, strict=True))
        ]
        frame = dask.dataframe.from_delayed(pieces or [delayed(meta)], meta=meta, verify_meta=False)
        shuffled.append(frame.shuffle(by, npartitions=n_parts, shuffle_method=how).to_delayed())
    return list(zip(*shuffled, strict=True))


def check_piece(piece: Any, names: Names, schema: Any, place: str, first: int) -> Any:
    """Check a piece of a table; return it as pandas' DataFrame with the types of a schema, and `ROW` from ``first`` on.

    Raises:
        InputError: a column that is not there or of another type, a null, a value that is not a label.
    """
    import pandas as pd
    import pyarrow

    table = piece if isinstance(piece, pyarrow.Table) else arrow_table(piece, names, place)
    rows = Side.of(table, names.all, names.label, place)
    rows = rows._replace(where=lambda row: f"{place}: row {first % PIECE_ROWS + row}")
    for name in names.all[:-1]:
        refuse_null(rows, name)
    labels, table = label_numbers(rows), rows.frame.to_native()
    if not is_text_type(table[names.label].type) and table[names.label].type != pyarrow.uint64():
        labels = pyarrow.array(labels, mask=labels < 0)
        table = table.set_column(table.column_names.index(names.label), names.label, labels)
    columns, kinds = {}, column_types(table.schema, names, place)
    for field in schema:
        kind = kinds.get(field.name, field.type)
        if is_text_type(kind) != is_text_type(field.type):  # "1" is not 1
            raise InputError(f"{place}: column {field.name!r} is {kind}; expected {field.type} as elsewhere")
        try:
            column = table[field.name].cast(field.type)
        except pyarrow.ArrowInvalid as error:
            raise InputError(f"{place}: column {field.name!r}: {error}; expected {field.type} as elsewhere") from None
        whole = field.type == pyarrow.int64() and field.name != names.label  # without nulls, as NumPy has them
        columns[field.name] = column.to_pandas(types_mapper=None if whole else pd.ArrowDtype)
    return pd.DataFrame(columns | {ROW: first + np.arange(len(table))})


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

    def side(self, frame: Any, response: bool) -> Side:
        """Return the rows of one side in a partition, in their order."""
        frame = frame.sort_values(ROW, kind="stable")
        numbers = frame[ROW].to_numpy()

        def where(row: int) -> str:
            piece, row_in_piece = divmod(int(numbers[row]), PIECE_ROWS)
            return f"{self.places[response][piece]}: row {row_in_piece}"

        side = Side.of(frame, (*self.names.all, ROW), self.names.label, ("key", "response")[response])
        return side._replace(where=where)


class Counted(NamedTuple):
    """The counts of one partition.

    Attributes:
        scores: `BatchScores` of D documents, or `Scores` of their corpus.
        first: int64 (D,) number of the first row of each document in the key; empty for a corpus.
        unpaired: the documents that the response lacks, and those that the key lacks.
        overlap: how many of the mentions both sides have.
        notes: what happened, `Policies.notes`.
    """

    scores: Any
    first: Integers
    unpaired: list[Unpaired]
    overlap: Overlap | None
    notes: Notes


def count_part(ours: Any, theirs: Any, ask: Request, keep: bool) -> Counted:
    """Count the documents of one partition, from its frames of key and response."""
    key, response = ask.side(ours, False), ask.side(theirs, True)
    unpaired, kept = list[Unpaired](), list[int]()

    def pair(ours: Sequence[str], theirs: Sequence[str]) -> list[int]:
        known, skip = set(theirs), ask.policies.missing_documents == "skip"
        unpaired.extend([lacking(ours, known), lacking(theirs, set(ours))])
        kept.extend(d for d, name in enumerate(ours) if not skip or name in known)
        return kept

    document = str(ask.names.document)
    own = ask.policies.with_own_notes()
    clusterings, overlap = encode_tables(key, response, document, ask.names.mention, own, pair)
    scores = score_clusterings(clusterings, ask.policies, {"metrics": ask.metrics})
    rows = key.frame.to_native()
    begins = np.unique(rows[document].array.factorize()[0], return_index=True)[1]
    first = rows[ROW].to_numpy()[begins][kept]
    return Counted(scores if keep else scores.corpus, first if keep else first[:0], unpaired, overlap, own.notes)


def count_pairs(ours: Any, theirs: Any, ask: Request) -> Any:
    """Count the mentions of each pair of labels in one partition; a null label means that a side lacks the mention."""
    import pandas as pd

    label, frames = ask.names.label, (ours, theirs)
    codes, values = zip(*(frame[label].array.factorize() for frame in frames), strict=True)
    sides = [ask.side(frame.assign(**{label: codes[s]}), s == 1) for s, frame in enumerate(frames)]
    found, _ = encode_tables(sides[0], sides[1], None, ask.names.mention, ask.policies)
    found.require_labels("a clustering in partitions")
    counts = pd.DataFrame({"key": found.key, "response": found.response}).value_counts()
    labels = [of.take(counts.index.get_level_values(s).to_numpy(), allow_fill=True) for s, of in enumerate(values)]
    return pd.DataFrame({"key": labels[0], "response": labels[1], "n": counts.to_numpy()})


def _clustering(parts: Sequence[Any]) -> tuple[Clusterings, Overlap]:
    """Make one clustering of the numbers of mentions of each pair of labels in each partition."""
    import pandas as pd

    counts = pd.concat(parts)
    key, response = (np.repeat(counts[side].factorize()[0], counts["n"]) for side in ("key", "response"))
    n_shared = int(np.count_nonzero((key >= 0) & (response >= 0)))
    overlap = Overlap(1, (int(np.count_nonzero(key >= 0)), int(np.count_nonzero(response >= 0))), n_shared)
    return Clusterings.from_labels(key, response), overlap


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
