"""The options of each group of public functions, which accept them as keywords: ``**options: Unpack[BatchOptions]``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

from arraycoref.exceptions import ReadError
from arraycoref.options import policies as values

Metrics = str | Iterable[str] | None
Progress = Callable[[int, int], None]


class ScoreOptions(TypedDict, total=False):
    """Policies of every scoring function, and its engine."""

    profile: values.Profile
    singletons: values.Singletons | None
    restrict: values.Restrict
    beta: float
    zero_division: values.ZeroDivision
    corpus: values.Corpus | None
    engine: Literal["numpy", "numba"] | None


class MentionOptions(ScoreOptions, total=False):
    """Policies for clusters, in which a mention may repeat, of documents that may have words."""

    duplicates: values.Duplicates | None
    tokens: values.Tokens


class PolicyOptions(MentionOptions, total=False):
    """Policies for documents that are paired by name."""

    missing_documents: values.MissingDocuments | None
    extra_documents: values.ExtraDocuments | None


class LabelOptions(ScoreOptions, total=False):
    """Options for one document given as labels."""

    metrics: Metrics


class SampleOptions(LabelOptions, total=False):
    """Options for one document given as labels, whose key may be a sample."""

    truth_sample: values.TruthSample


class LabelBatchOptions(LabelOptions, total=False):
    """Options for documents given as labels."""

    threads: int
    progress: Progress | bool | None


class ClusterOptions(LabelOptions, MentionOptions, total=False):
    """Options for one document given as clusters."""


class BatchOptions(LabelBatchOptions, PolicyOptions, total=False):
    """Options for documents that are paired by name."""


class TableOptions(BatchOptions, SampleOptions, total=False):
    """Options for tables, whose key may be a sample."""


class SpanOptions(ClusterOptions, total=False):
    """Options for one document given as clusters, of spans if heads are given."""

    matching: values.Matching | None
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
    level: values.Level
    join: Literal["overlap"] | None
    relations: Any
    annotator: str | None
    max_bytes: int | None


class ReadOptions(SideOptions, total=False):
    """Options for reading files of both sides."""

    key_format: str | None
    response_format: str | None
    lenient: bool
    on_error: Callable[[ReadError], None] | None


class ConvertOptions(SideOptions, total=False):
    """Options for documents that may get the words of other files."""

    missing_documents: values.MissingDocuments | None
    extra_documents: values.ExtraDocuments | None
    tokens: values.Tokens
    max_changed: float | str | None


class FileOptions(BatchOptions, ReadOptions, total=False):
    """Options for documents in files."""

    matching: values.Matching | None
    zeros: values.Zeros
    heads: values.Heads
    upos: str | None
    window: int | str | None
    max_changed: float | str | None


class ScoredFileOptions(FileOptions, SampleOptions, total=False):
    """Options for documents in files, whose key may be a sample."""


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
