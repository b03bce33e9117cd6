"""Score two long tables: pair their documents, give equal mentions equal numbers, count, and join the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.interop.columns import Column, Numbers, combine, concat_columns, factorize, group, take
from arraycoref.interop.counting import SideRows, count_sides, n_shared, union_labels
from arraycoref.interop.long_table import LongTable
from arraycoref.interop.overlap import Overlap, note_overlap, overlap, written_otherwise
from arraycoref.match.documents import SHOWN, Unpaired, check_paired
from arraycoref.match.mentions import Describe
from arraycoref.options import BatchOptions, Policies, Progress, resolve_policies, signature
from arraycoref.read.table_shapes import Names
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.counts import Counts, Floats
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.scores import BatchScores


class TableOptions(BatchOptions, total=False):
    """Options for documents in files of tables."""

    max_bytes: int | None


@dataclass(frozen=True)
class Request:
    """What is to be computed.

    Attributes:
        names: of the columns of the tables.
        metrics: names of the metrics that the user asked for.
        policies: from the options and the defaults of the profile.
    """

    names: Names
    metrics: tuple[str, ...]
    policies: Policies

    @classmethod
    def of(cls, names: Names, options: Mapping[str, Any], group: type) -> Request:
        """Check the options of a public function, and add defaults; ``group`` is the ``TypedDict`` of its options."""
        return cls(names, resolve_metrics(options.get("metrics")), resolve_policies(options, group))


class Sums(Protocol):
    """The sums of documents: `Counts`, or packed in less memory to be sent between processes."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""

    @property
    def rows(self) -> Floats:
        """The sums, float64 (D, K, 4)."""


@dataclass(frozen=True, eq=False)
class CountedDocuments:
    """Counts of some documents.

    Attributes:
        document: (D,) the documents.
        first: int64 (D,) number of the first row of each document in the key.
        counts: the sums of each document.
        missing: documents that the response lacks.
        extra: documents that the key lacks.
        overlap: how many of the mentions both sides have.
    """

    document: Column
    first: Integers
    counts: Sums
    missing: Unpaired
    extra: Unpaired
    overlap: Overlap


def pair(key: LongTable, response: LongTable, names: Names) -> tuple[LongTable, LongTable, Integers, Integers]:
    """Join the segments of each document, and find the key's documents in the response.

    Args:
        key: table of the key.
        response: table of the response.
        names: of the columns, for messages.

    Returns:
        The two tables with one segment per document; int64 (D,) for each document of the key, its segment in the
        response, -1 if the response lacks it; and int64, the response's segments of documents that the key lacks.

    Raises:
        InputError: documents that are numbers on one side and texts on the other.
    """
    codes = factorize(concat_columns([key.document, response.document], names.document or "").codes)[0]
    ours, theirs = codes[: len(key.document)], codes[len(key.document) :]
    key = _merged(key, ours)
    local, places = factorize(theirs)
    response = _merged(response, local)
    theirs = theirs[places]
    at = np.full(key.first.size, -1)
    known = theirs < at.size
    at[theirs[known]] = np.flatnonzero(known)
    return key, response, at, np.flatnonzero(~known)


def _merged(table: LongTable, codes: Integers) -> LongTable:
    """Join segments of equal ``codes``: the number of each segment's document, by first appearance."""
    n_documents = int(codes.max(initial=-1)) + 1
    if n_documents == codes.size:
        return table
    bounds, order = group(codes, n_documents)
    ordered = table if order is None else table.select(order)
    starts = bounds[:-1]
    document, first = take(ordered.document, starts), ordered.first[starts]
    return LongTable(document, first, ordered.bounds[bounds], ordered.mention, ordered.label)


def pair_sides(
    key: LongTable, response: LongTable, ours: Integers, theirs: Integers, names: Names
) -> tuple[SideRows, SideRows, Describe]:
    """Make the rows of both sides for paired documents, with equal numbers for equal mentions.

    Args:
        key: table of the key, one segment per document.
        response: table of the response, likewise.
        ours: int64 (D,) the key's segment of each document.
        theirs: int64 (D,) the response's segment of each document, -1 where it lacks the document.
        names: of the columns, for messages.

    Returns:
        The rows of each side, and the function that describes repeated mentions, for
        `arraycoref.interop.counting.union_labels`.

    Raises:
        InputError: mentions that are numbers on one side and texts on the other.
    """
    key_mention, response_mention = mention_numbers(key.mention, response.mention, names.mention)
    starts = np.append(response.bounds, 0)  # position -1, for documents that it lacks, is 0:0
    ends = np.append(response.bounds[1:], 0)
    return (
        SideRows(key.bounds[ours], key.bounds[ours + 1], key_mention, label_numbers(key.label)),
        SideRows(starts[theirs], ends[theirs], response_mention, label_numbers(response.label)),
        lambda side, first, second: _describe(side, key if side == "key" else response, names, first, second),
    )


def label_numbers(label: Column) -> Integers:
    """Return numbers >= 0 that are equal for equal labels."""
    return factorize(label.codes)[0] if isinstance(label, Numbers) and label.unsigned else label.codes


def labels_of(label: Column, numbers: Integers) -> Column:
    """Return the labels to which `label_numbers` gave some numbers, int64 (n,)."""
    if isinstance(label, Numbers) and label.unsigned:
        numbers = label.codes[factorize(label.codes)[1]][numbers]
    return replace(label, codes=numbers)


def mention_numbers(
    key: Sequence[Column], response: Sequence[Column], names: Sequence[str]
) -> tuple[Integers, Integers]:
    """Return numbers that are equal for equal mentions, also across the sides.

    Args:
        key: the columns that identify a mention together, (Nk,) each.
        response: likewise, (Nr,) each.
        names: of the columns, for messages.

    Returns:
        int64 (Nk,) and int64 (Nr,).
    """
    if len(names) == 1 and _signed(key[0]) and _signed(response[0]):
        return key[0].codes, response[0].codes
    both = combine([concat_columns(sides, name) for *sides, name in zip(key, response, names, strict=True)])
    return both[: len(key[0])], both[len(key[0]) :]


def _signed(column: Column) -> bool:
    return isinstance(column, Numbers) and not column.unsigned


def _describe(side: str, table: LongTable, names: Names, first: int, second: int) -> str:
    """Describe two rows of one side that hold the same mention, for a message."""
    segment = np.searchsorted(table.bounds, [first], side="right") - 1
    where = side
    if names.document is not None:
        where += f" of document {take(table.document, segment).to_list()[0]!r}"
    rows = np.array([first, second])
    parts = [take(column, rows[:1]).to_list()[0] for column in table.mention]
    mention = parts[0] if len(parts) == 1 else tuple(parts)
    labels = take(table.label, rows).to_list()
    return f"{where}: mention {mention!r} has two rows, with the labels {labels[0]!r} and {labels[1]!r}"


def _unpaired(table: LongTable, segments: Integers) -> Unpaired:
    """Return the documents of some segments, int64 (n,), as unpaired; each document of the table has one segment."""
    first = segments[np.argsort(table.first[segments])][:SHOWN]
    names = map(str, take(table.document, first).to_list())
    return Unpaired(segments.size, table.first.size, tuple(zip(table.first[first].tolist(), names, strict=True)))


def count_tables(
    key: LongTable, response: LongTable, request: Request, *, threads: int = 1, progress: Progress | None = None
) -> CountedDocuments:
    """Count the documents of two tables, each of which holds all rows of its documents.

    Raises:
        InputError: columns of different kinds on the two sides; a metric for gold mentions only, and sides with
            different mentions.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    policies, metrics = request.policies, counted_metrics(request.metrics)
    key, response, at, strange = pair(key, response, request.names)
    kept = np.flatnonzero(at >= 0) if policies.missing_documents == "skip" else np.arange(at.size)
    document, names = take(key.document, kept), None
    if request.names.document is not None and any(metric.gold_mentions for metric in metrics):  # for the message
        names = [str(name) for name in document.to_list()]
    sides = pair_sides(key, response, kept, at[kept], request.names)
    counts, shared = count_sides(*sides[:2], policies, metrics, sides[2], names, threads=threads, progress=progress)

    def count(ours: LongTable, theirs: LongTable) -> int:
        once = replace(policies, key_duplicates="first", response_duplicates="first")
        one, other, describe = pair_sides(ours, theirs, kept, at[kept], request.names)
        return n_shared(*union_labels(one, other, once, describe)[:2])

    paired = at[kept] >= 0
    n_mentions = [int((side.end - side.start)[paired].sum()) for side in sides[:2]]
    otherwise = ((way, count(*both)) for way, *both in written_otherwise(key, response, request.names.mention))
    found = overlap(int(paired.sum()), n_mentions, shared, otherwise)
    missing, extra = _unpaired(key, np.flatnonzero(at < 0)), _unpaired(response, strange)
    return CountedDocuments(document, key.first[kept], counts, missing, extra, found)


def assemble(
    parts: Sequence[CountedDocuments],
    request: Request,
    key: Any,
    response: Any,
    report: Callable[[ReadError], None] | None = None,
) -> BatchScores:
    """Join counts, with the documents in the order of the key's rows, and issue the warnings of `note_overlap`.

    Args:
        parts: one or more; no document is in two of them.
        request: the request for which they were counted.
        key: the path or table that the key was read from; warnings name a path.
        response: likewise.
        report: called with each warning, in place of `ReadWarning`.

    Raises:
        DocumentMismatchError: documents on one side only, where the policies refuse that.
    """
    missing, extra = (Unpaired.joined(getattr(part, side) for part in parts) for side in ("missing", "extra"))
    check_paired(missing, extra, request.policies)
    first = np.concatenate([part.first for part in parts])
    order = np.argsort(first, kind="stable")
    names = None
    if request.names.document is not None:
        document = concat_columns([part.document for part in parts], request.names.document)
        names = tuple(map(str, take(document, order).to_list()))
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    counted = parts[0].counts.metrics
    rows = np.empty((first.size, len(group_names(counted)), 4))
    ends = np.cumsum([part.first.size for part in parts])
    for part, places in zip(parts, np.split(place, ends[:-1]), strict=True):
        rows[places] = part.counts.rows
    note_overlap([part.overlap for part in parts], key, response, report)
    return BatchScores(request.metrics, Counts.read_only(names, counted, rows), signature(request.policies))
