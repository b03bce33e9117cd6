"""Check that the scores of several systems belong together: same documents, same key, same conventions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError
from arraycoref.options import Metrics
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, find_metric, names_beside, resolve_metrics
from arraycoref.scoring.scores import BatchScores, Scores
from arraycoref.stats.settings import as_setting, text_of


def as_batch(scores: Any) -> Any:
    """Return the scores of one clustering as `BatchScores` of one document; anything else as it is."""
    if not isinstance(scores, Scores) or scores.clusterings is None:
        return scores
    counts = Counts(scores.counts.names, scores.counts.metrics, scores.counts.rows[np.newaxis])
    return BatchScores(scores.metrics, counts, scores.signature, notes=scores.notes, clusterings=scores.clusterings)


def require_same_conventions(runs: Any) -> None:
    """Check that there are systems, that their names differ, and that they were scored under the same conventions.

    Raises:
        InputError: no system, a value that is no `BatchScores` or has no documents; two systems of one name; signatures
            that differ in more than version and subset.
    """
    if not isinstance(runs, Mapping) or isinstance(runs, BatchScores) or not runs:
        raise InputError(f"systems are {type(runs).__name__}; expected a mapping from one name or more to BatchScores")
    for name, b in runs.items():
        if not isinstance(b, BatchScores):
            raise InputError(
                f"{name!r} is {type(b).__name__}; expected BatchScores, the scores of each document, as score_batch, "
                "score_labels_batch and score_files return"
            )
        if not len(b):
            raise InputError(f"the scores of {name!r} hold no documents; expected one at least")
    (text, n), *_ = Counter(text_of(as_setting(name)) for name in runs).most_common(1)
    if n > 1:
        raise InputError(f"{n} systems are named {text}; expected names that differ as texts")
    (first_name, first), *others = runs.items()
    for name, b in others:
        ours, theirs = first.signature.conventions, b.signature.conventions
        option = next((each for each in ours if ours[each] != theirs.get(each)), None)
        if option is not None:
            found = f"{first_name!r} was scored with {option} {ours[option]} and {name!r} with {theirs.get(option)}"
            raise InputError(f"{found}; expected the same", option)


def require_same_documents(first_name: Any, first: BatchScores, name: Any, b: BatchScores) -> None:
    """Check that two systems were scored on the same documents, against one key.

    Raises:
        DocumentMismatchError: they were not; the message names the first document that differs.
    """
    if len(b) != len(first):
        raise DocumentMismatchError(
            f"{first_name!r} was scored on {len(first)} documents and {name!r} on {len(b)}; expected the same"
        )
    if b.names != first.names:
        d = next(d for d, (x, y) in enumerate(zip(first.names, b.names, strict=True)) if x != y)
        raise DocumentMismatchError(
            f"document {d} is {first.names[d]!r} for {first_name!r} but {b.names[d]!r} for {name!r}; "
            "expected the same documents in the same order"
        )
    if (differing := key_difference(first.counts, b.counts)) is not None:
        d, metric, ours, theirs = differing
        raise DocumentMismatchError(
            f"the key of document {first.names[d]!r} differs: the denominator of {metric} recall is {ours:g} for "
            f"{first_name!r} and {theirs:g} for {name!r}; expected systems scored against one key"
        )


def key_difference(one: Counts, other: Counts) -> tuple[int, str, float, float] | None:
    """Find the first metric in which the keys of two systems have different counts, and the first such document.

    Returns:
        Position of the document, the metric, and the recall denominators of the two systems; None if all are equal.
    """
    for metric in names_beside(one.metrics[0]):
        if find_metric(metric).key_only_denominator and metric in one and metric in other:
            ours, theirs = one[metric][..., 1], other[metric][..., 1]
            changed = (ours != theirs) & ~np.isnan(ours) & ~np.isnan(theirs)  # nan: a document that one skipped
            if changed.any():
                place = np.unravel_index(changed.argmax(), changed.shape)  # BLANC: (document, group)
                return int(place[0]), metric, float(ours[place]), float(theirs[place])
    return None


def require_one_key(one: Any, other: Any) -> None:
    """Check that two `Runs` can be joined: same key and documents, same metrics and policies.

    Raises:
        InputError: they cannot; the message says what differs.
    """
    for what, ours, theirs in (
        ("metrics", one.metrics, other.metrics),
        ("signature", str(one.signature), str(other.signature)),
        ("number of documents", one.n_documents, other.n_documents),
        ("documents", one.document_names, other.document_names),
        ("key", one.key_digest, other.key_digest),
    ):
        if ours != theirs:
            raise InputError(f"the runs that are joined have different {what}: {ours!r:.80} and {theirs!r:.80}")
    if len(one) and len(other) and key_difference(*(each.counts.setting(0) for each in (one, other))):
        raise InputError("the runs that are joined have different keys; expected one key")


def require_shared_documents(runs: Any) -> None:
    """Check that all of `Runs` were scored on the same documents.

    Raises:
        DocumentMismatchError: two of them were not; the message names the first such document.
    """
    scored = runs.scored
    differing = (scored != scored[:1]).any(axis=1)
    if differing.any():
        s = int(differing.argmax())
        d = int((scored[s] != scored[0]).argmax())
        has, lacks = (0, s) if scored[0, d] else (s, 0)
        document = (runs.document_names or range(runs.n_documents))[d]
        raise DocumentMismatchError(
            f"document {document!r} was scored for setting {runs.names[has]} but skipped for {runs.names[lacks]}, "
            "so that their scores cannot be compared; on_shared_documents() keeps the documents that all have"
        )


def counts_of(counts: Counts, metrics: tuple[str, ...], of: str) -> Counts:
    """Return the counts from which metrics are computed."""
    needed = tuple(metric.name for metric in counted_metrics(metrics))
    missing = [metric for metric in needed if metric not in counts]
    if missing:
        raise UnknownNameError(f"metric (not scored for {of})", missing[0], counts.metrics)
    return counts.only(needed)


def stacked(runs: Any, metrics: Metrics) -> tuple[Mapping[Any, BatchScores], tuple[str, ...], Counts]:
    """Check that the scores of systems belong together, and stack their counts: rows float64 (S, D, K, 4).

    Args:
        runs: scores by the names of the systems.
        metrics: metrics to keep; None for all of the first system.

    Returns:
        The scores, those of one clustering as a batch; the metrics; the counts.

    Raises:
        InputError: see `require_same_conventions`.
        DocumentMismatchError: other documents, or another key.
        UnknownNameError: a metric that a system was not scored in.
    """
    if isinstance(runs, Mapping) and not isinstance(runs, BatchScores):
        runs = {name: as_batch(b) for name, b in runs.items()}
    require_same_conventions(runs)
    (first_name, first), *others = runs.items()
    for name, b in others:
        require_same_documents(first_name, first, name, b)
    wanted = first.metrics if metrics is None else resolve_metrics(metrics, names_beside(first.metrics[0]))
    counts = [counts_of(b.counts, wanted, repr(name)) for name, b in runs.items()]
    rows = np.stack([each.rows for each in counts])
    return runs, wanted, Counts.read_only(first.counts.names, counts[0].metrics, rows)
