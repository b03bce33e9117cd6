"""Offer the public function: check its arguments, divide the work into tasks, run them, and return the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Unpack, overload

from arraycoref.errors import ReadError
from arraycoref.interop.dask.tasks import current_client, require_dask, run_tasks, thread_total
from arraycoref.interop.overlap import note_overlap
from arraycoref.interop.two_tables import Request, assemble
from arraycoref.match.documents import check_paired
from arraycoref.options import PartitionOptions, signature
from arraycoref.read.table_shapes import Names
from arraycoref.runtime import progress_of
from arraycoref.scoring.scores import BatchScores, Scores


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
    Rows may
    be in any order, and the rows of a document in any number of partitions. If Parquet files are sorted by document,
    or, without a column of documents, by mention, tasks exchange no rows. The numbers do not depend on the partitions
    or the cluster; they are those of `arraycoref.score_table` on the same tables, but for rounding in one clustering.

    Tasks are sent to ``client``; without it, to the current ``distributed.Client``; without one, to the scheduler that
    Dask is configured for, by default threads of this process.

    Args:
        key: Parquet files (a path, a directory, a glob pattern, a URI, or several), which all workers can read; or a
            Dask DataFrame, whose index may be the documents.
        response: likewise.
        document: column of the documents; None for one clustering, which is divided among tasks by its mentions.
        mention: column of the mentions, or columns that identify a mention together, such as ``["start", "end"]``.
        label: column of the labels. A row whose label is -1, null or NaN is left out.
        keep_documents: return each document's counts. False returns the scores of the corpus alone: its sums are added
            up on the cluster, which allows more documents than the memory of this process could hold.
        client: a ``distributed.Client``.
        report: called with each warning, in place of `ReadWarning`.
        max_bytes: limit for Parquet files; see `arraycoref.interop.parquet.list_row_groups`.
        **options: see `arraycoref.options`. ``duplicates`` may keep the first or last row of a mention, in the order of
            the partitions; ``progress`` counts parts of the work.

    Returns:
        Scores of the documents in the order of their first rows in the key; scores of the corpus if ``keep_documents``
        is false.

    Raises:
        InputError: something that is no table, a column that is not there or of another type, a null, a label below -1;
            the message names the file or partition, the row and the value.
        ReadError: a file that cannot be read, is not a Parquet file, exceeds ``max_bytes``, or contradicts its footer;
            no row in the files of either side.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        MissingDependencyError: Dask or PyArrow is not installed.
    """
    request = Request.of(Names.of(document, mention, label), options, PartitionOptions)
    policies, progress = request.policies, progress_of(options)
    require_dask()
    from arraycoref.interop.dask import by_cell, by_document
    from arraycoref.interop.dask.inputs import list_pieces
    from arraycoref.interop.dask.shares import shared_tasks
    from arraycoref.interop.parquet import require_rows

    names = request.names
    by = names.document or (names.mention[0] if len(names.mention) == 1 else None)
    ours = list_pieces(key, names, "key", by, max_bytes)
    theirs = list_pieces(response, names, "response", by, max_bytes)
    require_rows(key, (*ours, *theirs))
    client = current_client(client)
    threads = thread_total(client)
    if names.document is None:
        counted, seen, watched = by_cell.count_task(ours, theirs, request, threads)
        counts, found = run_tasks([counted, seen], watched, client, progress)
        note_overlap([found], key, response, report)
        one = BatchScores(request.metrics, counts, signature(policies))
        return one if keep_documents else one.corpus
    if keep_documents:
        tasks = shared_tasks(by_document.packed_counts, ours, theirs, request, threads)
        return assemble(run_tasks(tasks, tasks, client, progress), request, key, response, report)
    total, watched = by_document.total_tasks(ours, theirs, request, threads)
    totals = run_tasks([total], watched, client, progress)[0]
    check_paired(totals.missing, totals.extra, policies)
    note_overlap([totals.overlap], key, response, report)
    return Scores(request.metrics, totals.counts, signature(policies), totals.n_documents)
