"""The sums from which every score is computed: for each document, groups of four sums.

The last of four records that scoring makes: `Clusterings`, `Cells`, `Totals` and `Counts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import InputError
from arraycoref.ragged import Bools, Floats
from arraycoref.scoring.metrics.registry import RATIOS, find_metric, group_slices, known_metric, resolve_metrics
from arraycoref.scoring.metrics.score import BlancScore, Score, single_value
from arraycoref.scoring.signature import Signature


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Mapping[str, Floats]):
    """Sums of documents, by metric: ``counts["muc"]`` is float64 (D, 4), ``counts["blanc"]`` (D, 3, 4).

    The four sums of a group are recall numerator, recall denominator, precision numerator and precision denominator,
    unless the metric's page says otherwise. Most metrics have one group; BLANC has three: coreference links,
    non-coreference links and mentions. Sums may be added over documents, resampled and scored again: the score of a
    corpus is computed from sums over its documents.

        >>> import arraycoref as ac
        >>> counts = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], metrics="muc,bcub").counts
        >>> counts["bcub"].shape, counts.rows.shape, counts.total()["bcub"].tolist()
        ((2, 4), (2, 2, 4), [3.0, 4.0, 4.0, 4.0])

    Attributes:
        names: (D,) document names; None for documents without names, and for totals.
        metrics: names of the metrics, in the order of their groups.
        rows: float64 (..., D, K, 4) for K groups; read-only where scoring returns it. Those of several runs have a
            leading axis of runs; totals lack the axis of documents. A document that was not scored has nan.
    """

    names: tuple[str, ...] | None
    metrics: tuple[str, ...]
    rows: Floats

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @classmethod
    def read_only(cls, names: tuple[str, ...] | None, metrics: tuple[str, ...], rows: Floats) -> Counts:
        """Make counts from a read-only view of ``rows``."""
        view = rows.view()
        view.flags.writeable = False
        return cls(names, metrics, view)

    def __getitem__(self, metric: str) -> Floats:
        place = group_slices(self.metrics)[known_metric(metric, self.metrics)]
        one = place.stop - place.start == 1
        sums: Floats = self.rows[..., place.start if one else place, :]
        return sums

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @cached_property
    def numbers(self) -> list[Any]:
        """The sums as lists of Python's numbers, from which the scores of one document or corpus are computed."""
        numbers: list[Any] = self.rows.tolist()
        return numbers

    @property
    def n_documents(self) -> int:
        """Number of documents, D; not of totals, which have none."""
        return int(self.rows.shape[-3])

    @property
    def scored(self) -> Bools:
        """Which documents were scored, bool (..., D)."""
        return np.asarray(~np.isnan(self.rows[..., 0, 0]))

    @property
    def flat(self) -> Floats:
        """The sums of each document in one row, float64 (..., D, 4K)."""
        return self.rows.reshape(*self.rows.shape[:-2], 4 * self.rows.shape[-2])

    def take(self, documents: slice | NDArray[Any] | Sequence[int]) -> Counts:
        """Return the counts of some documents, with their names.

        Args:
            documents: positions, a slice or a mask (D,) of the documents.

        Raises:
            IndexError: a position that no document has, or a mask of another length.
        """
        chosen = np.arange(self.n_documents)[documents if isinstance(documents, slice) else list(documents)]
        names = None if self.names is None else tuple([self.names[position] for position in chosen.tolist()])
        return Counts(names, self.metrics, self.rows[..., chosen, :, :])

    def only(self, metrics: str | Iterable[str]) -> Counts:
        """Return the counts of some metrics, in the order in which they are named.

        Raises:
            OptionError: no metric named.
            UnknownNameError: a metric that was not counted.
        """
        names, places = resolve_metrics(metrics, self.metrics), group_slices(self.metrics)
        rows = np.concatenate([self.rows[..., places[name], :] for name in names], axis=-2)
        return Counts(self.names, names, rows)

    def setting(self, position: int) -> Counts:
        """Return the counts of one run of several, without a copy."""
        return replace(self, rows=self.rows[position])

    def total(self) -> Counts:
        """Add up the documents that were scored: rows float64 (..., K, 4)."""
        rows = np.nan_to_num(self.rows) if np.isnan(self.rows[..., 0, 0]).any() else self.rows
        sums = np.einsum("...dks->...ks", rows)  # a quarter of the time of `sum`, which adds up four numbers at a time
        sums.flags.writeable = False
        return Counts(None, self.metrics, sums)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.metrics)

    def __repr__(self) -> str:
        return f"<Counts of {', '.join(self.metrics)}, rows {self.rows.shape}>"


def score_counts(counts: Counts, metric: str, signature: Signature) -> Score[Any]:
    """Compute the score of one metric from its sums: plain floats for one document or corpus, otherwise arrays.

    Where the signature says ``macro``, these are averaged over documents.

    Raises:
        InputError: the score needs a metric that was not counted.
    """
    rows = counts.rows
    if rows.ndim == 2:
        score, places = _plan(metric, counts.metrics)
        return score(*map(counts.numbers.__getitem__, places), signature.profile, signature.beta)
    scores = score_sums(columns(rows, rows.ndim - 2), counts.metrics, metric, signature)
    if signature.average == "micro":
        return scores
    lost = undefined(counts, metric, signature) if signature.zero_division == "skip" else None
    means = mean_score(scores, lost)
    return means if "recall" in find_metric(metric).fields else single_value(means.f1)


def score_sums(sums: Floats, counted: tuple[str, ...], metric: str, signature: Signature) -> Score[Any]:
    """Compute the score of one metric, arrays (...), from the sums of the K groups of some metrics.

    Args:
        sums: float64 (K, 4, ...), the groups of the counted metrics.
        counted: names of these.
        metric: name of the metric.
        signature: profile and beta.
    """
    score, places = _plan(metric, counted)
    return score(*[sums[place] for place in places], signature.profile, signature.beta)


@lru_cache(maxsize=1024)
def _plan(metric: str, counted: tuple[str, ...]) -> tuple[Callable[..., Score[Any]], list[int | slice]]:
    """Return the function that scores a metric, and the places of the sums that it needs, in counts of ``counted``."""
    entry = find_metric(metric)
    missing = [part for part in entry.made_of if part not in counted]
    if missing:
        raise InputError(f"{metric} needs {', '.join(missing)}, which was not scored; add {metric!r} to the metrics")
    places = [group_slices(counted)[part] for part in entry.made_of]
    return entry.score, [place.start if place.stop - place.start == 1 else place for place in places]


def columns(rows: Floats, n_leading: int) -> Floats:
    """Move the axes of the sums to the front: float64 (..., 4) becomes (4, ...), (..., G, 4) becomes (G, 4, ...)."""
    return rows.transpose(*range(n_leading, rows.ndim), *range(n_leading))


OF_RATIOS = "", "purity.score", "fowlkes_mallows.score"
"""Scores, as `Metric.scored_by` names them, that are 0/0 where their denominators are 0."""


def undefined(counts: Counts, metric: str, signature: Signature) -> Bools:
    """Find where recall, precision and F of a metric are 0/0, bool (3, ...): F where both are.

    The CoNLL average is undefined where F of one of its parts is. BLANC's recall and precision are where both classes
    of links have a denominator of 0; where all four denominators are 0, the paper defines a value. Other
    scores that are not ratios, such as V-measure, are defined everywhere.
    """
    entry = find_metric(metric)
    if entry.parts:
        parts = [undefined(counts, part, signature)[2] for part in entry.parts]
        return np.stack([np.logical_or.reduce(parts)] * len(RATIOS))
    denominators = counts[metric][..., 1::2]
    links = len(entry.groups) > 1
    recall, precision = np.moveaxis((denominators[..., :2, :].sum(axis=-2) if links else denominators) == 0, -1, 0)
    both = recall & precision
    if entry.scored_by not in OF_RATIOS and not links:
        return np.zeros((len(RATIOS), *both.shape), np.bool_)
    if links and signature.profile == "paper":
        return np.stack([recall & ~both, precision & ~both, np.zeros_like(both)])
    return np.stack([recall, precision, both])


def mean_score(scores: Score[Floats], lost: Bools | None = None) -> Score[float]:
    """Average recall, precision and F over documents; the sums become nan, since their means say nothing.

    Args:
        scores: the scores of D documents.
        lost: bool (3, D) which recalls, precisions and F are left out; None for none.
    """
    kept = scores if lost is None else [values[~out] for values, out in zip(scores, lost, strict=True)]
    recall, precision, f1 = [float(values.mean()) if values.size else 0.0 for values in kept]
    means = Score(recall, precision, f1, math.nan, math.nan, math.nan, math.nan)
    if not isinstance(scores, BlancScore):
        return means
    classes = []
    for links in (scores.coreference, scores.non_coreference):
        empty = links.recall_den == 0, links.precision_den == 0
        classes.append(mean_score(links, None if lost is None else np.array([*empty, empty[0] & empty[1]])))
    return BlancScore(**vars(means), coreference=classes[0], non_coreference=classes[1])


def macro_notes(counts: Counts, metrics: Sequence[str], signature: Signature) -> tuple[str, ...]:
    """Write the note that means over documents need: of each metric, in how many documents a ratio of it is 0/0."""
    n_undefined = {name: int(undefined(counts, name, signature).any(axis=0).sum()) for name in metrics}
    lost = [f"{name} in {n}" for name, n in n_undefined.items() if n]
    how = "is left out of the means" if signature.zero_division == "skip" else "counts as 0 in the means"
    chosen = f"(zero_division={signature.zero_division})"
    return (f"0/0 {how} {chosen}: of {counts.n_documents} documents, {', '.join(lost)}",) if lost else ()
