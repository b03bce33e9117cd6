"""The options of each group of public functions, which accept them as keywords: ``**options: Unpack[BatchOptions]``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from arraycoref.exceptions import ReadError

Metrics = str | Iterable[str] | None
Progress = Callable[[int, int], None]


class ScoreOptions(TypedDict, total=False):
    """Policies of every scoring function, and its engine."""

    profile: str
    singletons: str | None
    restrict: str
    beta: float
    zero_division: str
    corpus: str | None
    engine: str | None


class MentionOptions(ScoreOptions, total=False):
    """Policies for clusters, in which a mention may repeat, of documents that may have words."""

    duplicates: str | None
    tokens: str


class PolicyOptions(MentionOptions, total=False):
    """Policies for documents that are paired by name."""

    missing_documents: str | None
    extra_documents: str | None


class LabelOptions(ScoreOptions, total=False):
    """Options for one document given as labels."""

    metrics: Metrics


class LabelBatchOptions(LabelOptions, total=False):
    """Options for documents given as labels."""

    threads: int
    progress: Progress | bool | None


class ClusterOptions(LabelOptions, MentionOptions, total=False):
    """Options for one document given as clusters."""


class BatchOptions(LabelBatchOptions, PolicyOptions, total=False):
    """Options for documents that are paired by name."""


class SpanOptions(ClusterOptions, total=False):
    """Options for one document given as clusters, of spans if heads are given."""

    matching: str | None
    end: str | None


class SpanBatchOptions(SpanOptions, BatchOptions, total=False):
    """Options for documents given as clusters, of spans if heads are given."""


class PartitionOptions(LabelOptions, PolicyOptions, total=False):
    """Options for documents that another engine, such as Dask, distributes to its workers."""

    progress: Progress | bool | None


class SideOptions(TypedDict, total=False):
    """Options for reading files of one side."""

    format: str | None
    unit: str | None
    end: str | None
    start: int | str | None
    clusters_field: str | None
    name_field: str | None
    column: int | str | None
    columns: Any
    frame: float
    level: str
    join: str | None
    relations: Any
    annotator: str | None
    max_bytes: int | None


class ReadOptions(SideOptions, total=False):
    """Options for reading files of both sides."""

    key_format: str | None
    response_format: str | None
    lenient: bool
    on_error: Callable[[ReadError], None] | None


class FileOptions(BatchOptions, ReadOptions, total=False):
    """Options for documents in files."""

    matching: str | None
    zeros: str
    heads: str
    upos: str | None
    window: int | str | None
    max_changed: float | str | None


class SweepFileOptions(FileOptions, total=False):
    """Options for a key and many responses in files."""

    group: str | None


class SweepOptions(BatchOptions, total=False):
    """Options for a key and many responses."""

    names: Iterable[str] | None


class CutOptions(SweepOptions, total=False):
    """Options for the links or the hierarchical clustering of one system, cut at many thresholds."""

    present: Any
    mentions: Iterable[Any] | Mapping[str, Iterable[Any]] | None


class PairOptions(CutOptions, SideOptions, total=False):
    """Options for scored pairs, of mentions or of records in tables."""

    edge_columns: str | None
