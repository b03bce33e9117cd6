"""Prepare and count documents as policies ask: without singletons, or without the mentions that one side lacks.

Some scorers skip singletons in some metrics only, see `WITHOUT`. The formulas of metrics stay what they are: documents
are counted several times, as they are and without the singletons that a metric skips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.options import Progress
from arraycoref.options.policies import Notes, Policies
from arraycoref.ragged import Bools, Floats, Ints, bounds
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.entity_sample import count_sample
from arraycoref.scoring.metrics.registry import METRICS, Metric, group_slices
from arraycoref.scoring.metrics.score import ratio

BOTH = ("key", "response")

DROPPED = {"drop": BOTH, "drop-response": BOTH[1:]}
"""By a policy, the sides whose singletons are dropped before all metrics are counted."""

WITHOUT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "neural": {"bcub": BOTH, "lea": BOTH, "ceafe": ("response",)},
    "drop-in-lea": {"lea": BOTH},
}
"""By a policy for singletons and a metric, the sides whose singletons the metric does not see. The evaluator that comes
with most neural models skips them in the sums of B³ and LEA, and in the response before CEAF; others only in LEA."""

AS_SUMS = ("lea",)
"""Metrics that weigh documents by their size under every policy for a corpus."""

WHERE = ("left out: not in the response", "left out: not in the key")


class Prepared(NamedTuple):
    """Documents as they are counted.

    Attributes:
        clusterings: their labels.
        left_out: int64 (2, D) number of mentions of the key and of the response that are left out; None for no
            restriction.
        scored: bool (D,) whether a document has mentions left; None for no restriction.
    """

    clusterings: Clusterings
    left_out: Ints | None = None
    scored: Bools | None = None

    def note(
        self, notes: Notes, restrict: str, documents: Bools | slice = slice(None), *, is_part: bool = False
    ) -> None:
        """Note how many mentions, and how many documents without others, were left out of some documents.

        Args:
            notes: what is added to.
            restrict: the policy.
            documents: which documents.
            is_part: whether there are other documents elsewhere, so that all of these may be left out.

        Raises:
            InputError: nothing is left.
        """
        if self.left_out is None or self.scored is None:
            return
        n_left_out, scored = self.left_out[:, documents].sum(axis=1).tolist(), self.scored[documents]
        if scored.size and not scored.any() and not is_part:
            raise InputError(
                f"no mention is left of {n_left_out[0]} of the key and {n_left_out[1]} of the response; "
                "expected some on both sides, or restrict='none'",
                "restrict",
            )
        for n, side, what in zip(n_left_out, ("key", "response"), WHERE, strict=True):
            if n:
                notes[f"{side} mention", f"{what} (restrict: {restrict})"] += n
        if not scored.all():
            notes["document", f"skipped: no mention is left (restrict: {restrict})"] += int((~scored).sum())


def prepare(clusterings: Clusterings, policies: Policies) -> Prepared:
    """Drop singletons, then leave out mentions that one side lacks, if the policies ask for it."""
    dropped = DROPPED.get(policies.singletons, ())
    if dropped and clusterings.matched is None:  # otherwise dropped before mentions were matched
        clusterings = clusterings.without_singletons(dropped)
    if policies.restrict == "none":
        return Prepared(clusterings)
    kept, of_documents = clusterings.restricted(policies.restrict), clusterings.response_bounds
    sides = (np.tile(clusterings.key, clusterings.n_responses), kept.key), (clusterings.response, kept.response)
    n_before, n_kept = (
        np.array([np.diff(bounds(labels != -1)[of_documents]) for labels in of_sides])
        for of_sides in zip(*sides, strict=True)
    )
    return Prepared(kept, n_before - n_kept, n_kept.sum(axis=0) > 0)


def are_plain(policies: Policies) -> bool:
    """Whether the counts of all metrics are those of the documents as they were prepared."""
    return policies.singletons not in WITHOUT and policies.corpus == "sums"


def count_prepared(
    clusterings: Clusterings,
    metrics: Sequence[Metric],
    policies: Policies,
    *,
    threads: int = 1,
    progress: Progress | bool | None = None,
) -> Counts:
    """Count each metric's sums as policies ask.

    Args:
        clusterings: the labels of D documents, as `prepare` returns them.
        metrics: entries of the registry that have counts.
        policies: for singletons that single metrics skip, and for corpora of ratios.
        threads: number of threads, see `arraycoref.scoring.batch.count_documents`, which also says what is raised.
        progress: called with the number of documents counted so far and the number of all; True for a bar.
    """
    if policies.truth_sample != "none":
        return count_sample(clusterings, tuple(metric.name for metric in metrics), policies)
    if are_plain(policies):
        return count_documents(clusterings, metrics, threads=threads, progress=progress)
    skipping: dict[tuple[str, ...], list[Metric]] = {}
    for metric in metrics:
        skipping.setdefault(WITHOUT.get(policies.singletons, {}).get(metric.name, ()), []).append(metric)
    names = tuple(metric.name for metric in metrics)
    places, of_metric = group_slices(names), dict[str, Floats]()
    for sides, those in skipping.items():
        left = clusterings.without_singletons(sides, hide=True) if sides else clusterings
        of_metric |= count_documents(left, those, threads=threads, progress=progress)
        progress = None
    rows = np.concatenate([of_metric[name].reshape(len(clusterings), -1, 4) for name in names], axis=1)
    if policies.corpus == "ratios":
        for name in names:
            if not METRICS[name].scored_by and name not in AS_SUMS:
                part = rows[:, places[name]]
                part[..., ::2] = ratio(part[..., ::2], part[..., 1::2])
                part[..., 1::2] = 1.0
    return Counts.read_only(clusterings.names, names, rows)
