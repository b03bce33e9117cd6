"""Test how groups of documents differ: those in names from all other documents, and two groups of one system.

Documents are permuted among groups. The statistic of a group is its F minus that of the others over a standard error to
first order, as a p-value of Welch's t test, since statistics of small groups have heavy tails. The least of these
p-values in each permutation corrects for the number of groups, step by step. So groups may vary by different amounts.

Source: Westfall and Young (1993), Resampling-Based Multiple Testing, section 2.6; Chung and Romano (2013), Exact and
Asymptotically Robust Permutation Tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural, pvalue_text
from arraycoref.exceptions import InputError
from arraycoref.options import Metrics
from arraycoref.ragged import Bools, Floats
from arraycoref.scoring.format import field_name, format_score
from arraycoref.scoring.metrics.registry import RATIOS, check_field
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats.draws import ResampleOptions, how_of
from arraycoref.stats.how import Field, How
from arraycoref.stats.intervals import Interval
from arraycoref.stats.run_scores import RunScores, require_same_conventions
from arraycoref.stats.sample import STEP, sample_of
from arraycoref.stats.tests import step_down

PERMUTATIONS, LEAST_PERMUTATIONS, WORK = 999, 199, 1 << 25
"""How often documents are permuted; less often where groups times documents times permutations are more than `WORK`."""

AT_ONCE = 1 << 21
"""The most memberships of documents in permuted groups that are added up at once."""

Score = Callable[[Any], Any]
"""A function of sums (w, ...) that returns F of each (...)."""


def differ(rows: Floats, members: Bools, score: Score) -> Floats:
    """Score G groups of units and all other units, and find the standard error of the difference to first order.

    Args:
        rows: float64 (U, w) sums of units.
        members: bool (G, U) the units of each group.
        score: the function of their sums.

    Returns:
        float64 (5, G): F of the group, F of the others, standard error, degrees of freedom and p of Welch's t test.
    """
    from scipy.special import stdtr

    w, n_groups = rows.shape[1], len(members)
    one, other = np.triu_indices(w)
    products = rows[:, one] * rows[:, other] * np.where(one == other, 1.0, 2.0)
    together = np.concatenate([rows, products], axis=1)
    sums = members.astype(np.float64) @ together
    both = np.concatenate([sums, together.sum(axis=0) - sums]).T
    f1 = score(both[:w])
    slopes = slopes_of(both[:w], score)
    squares = np.einsum("pg,pg->g", slopes[one] * slopes[other], both[w:]).reshape(2, -1)
    n = np.stack([members.sum(axis=1), (~members).sum(axis=1)]).astype(np.float64)
    squares = np.maximum(squares * n / (n - 1.0), 1e-24)
    freedom = squares.sum(axis=0) ** 2 / (squares**2 / (n - 1.0)).sum(axis=0)
    inside, outside, error = f1[:n_groups], f1[n_groups:], np.sqrt(squares.sum(axis=0))
    return np.stack([inside, outside, error, freedom, 2.0 * stdtr(freedom, -np.abs(inside - outside) / error)])


def slopes_of(sums: Floats, score: Score) -> Floats:
    """Return how much F changes with each of the sums, float64 (w, G) -> (w, G), see `Sample.slopes`."""
    slopes = np.empty_like(sums)
    for c in range(len(sums)):
        moved = sums.astype(np.complex128)
        moved[c] += 1j * STEP
        slopes[c] = score(moved).imag / STEP
    slopes[sums == 0.0] = 0.0  # no document has any of these
    return slopes


def permuted(rows: Floats, members: Bools, score: Score, seed: int, n: int = 0) -> Floats:
    """Test groups by permuting the units among them.

    Args:
        rows: as of `differ`.
        members: the same.
        score: the same.
        seed: an integer that repeats the numbers.
        n: number of permutations; 0 for at most `PERMUTATIONS`.

    Returns:
        float64 (5, G) as of `differ`, with p-values of permutations, corrected for the number of groups.
    """
    n_groups, n_units = members.shape
    observed = differ(rows, members, score)
    n = n or min(max(WORK // (n_groups * n_units), LEAST_PERMUTATIONS), PERMUTATIONS)
    rng, strengths = np.random.default_rng(seed), []
    step = max(1, AT_ONCE // (n_groups * n_units))
    for first in range(0, n, step):
        orders = rng.permuted(np.tile(np.arange(n_units), (min(step, n - first), 1)), axis=1)
        moved = np.moveaxis(members[:, orders], 0, 1).reshape(-1, n_units)
        strengths.append(_strength(differ(rows, moved, score)).reshape(-1, n_groups).T)
    pvalues = step_down(_strength(observed), np.ones(n_groups), strengths)
    return np.stack([*observed[:-1], np.where(np.isnan(observed[-1]), np.nan, pvalues)])


def _strength(tests: Floats) -> Floats:
    """Return logarithms of p-values, float64 (G,), large for small ones, rounded so that equal ones are equal."""
    return np.asarray(-np.log(np.maximum(tests[-1], np.finfo(float).tiny)).round(9))


class GroupDifference(NamedTuple):
    """A score of two groups, and the first minus the second: fractions.

    Attributes:
        first, second: the score of each group.
        difference: of these.
        low, high: ends of its confidence interval.
        standard_error: its standard error, to first order.
        pvalue: two-sided.
    """

    first: float
    second: float
    difference: float
    low: float
    high: float
    standard_error: float
    pvalue: float


@dataclass(frozen=True, eq=False, repr=False)
class Contrast(Report):
    """How the scores of one system differ between two groups of documents.

    Attributes:
        groups: the number of documents of each group, by its name.
        differences: by metric.
        how: how documents were permuted.
        notes: what happened in the run.
        signature: signature of the scores.
    """

    groups: Mapping[str, int]
    differences: Mapping[str, GroupDifference]
    how: How
    notes: tuple[str, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("metric",)

    def facts(self) -> dict[str, Any]:
        """Return the groups, and how they were compared."""
        made = self.how.facts("field", "average", "confidence", "resamples", "resample_by", "seed")
        return {"groups": self.groups, **made}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each metric."""
        yield from ({"metric": metric, **d._asdict()} for metric, d in self.differences.items())

    def tables(self, digits: int) -> list[TextTable]:
        """Return a row for each metric."""
        rows = []
        for metric, (first, second, *ends, pvalue) in self.differences.items():
            scores = (format_score(value, metric, digits) for value in (first, second))
            rows.append([metric, *scores, *Interval(*ends).cells(metric, digits, sign="+"), pvalue_text(pvalue)])
        field = field_name(self.how.field, self.signature.beta)
        return [TextTable([f"metric ({field})", *self.groups, "difference", "interval", "p"], rows)]

    def caption(self, digits: int) -> list[str]:
        """Say what was compared, and how."""
        sizes = ", ".join(f"{name} {plural(n, 'document')}" for name, n in self.groups.items())
        about = f"{sizes}; percent; {self.how.level} intervals (linearized), p by {self.how.resamples} permutations of"
        return [f"{about} documents, seed {self.how.seed}", *self.notes, str(self.signature)]


def contrast(
    a: BatchScores,
    b: BatchScores,
    *,
    metrics: Metrics = None,
    field: Field = "f1",
    confidence: float = 0.95,
    **options: Unpack[ResampleOptions],
) -> Contrast:
    """Test whether one system scores differently on two groups of documents, such as two genres.

    The groups are independent samples of documents. The test permutes documents between them; its statistic divides
    the difference by the standard error, so that p-values are right where one group varies more, too.

        >>> import arraycoref as ac
        >>> key, response = [0, 0, 1, 1] * 8, [0, 0, 1, 1] * 4 + [0, 1, 1, 1] * 4
        >>> genres = ac.score_labels_batch(key, response, range(0, 33, 4)).by(["news"] * 4 + ["blog"] * 4)
        >>> d = ac.contrast(genres["news"], genres["blog"], field="recall", metrics="bcub").differences["bcub"]
        >>> d.first, d.second, round(d.pvalue, 2)  # 2 of the 70 ways to divide the documents are as extreme
        (1.0, 0.75, 0.03)

    Args:
        a: scores of the documents of one group, such as ``scores.by(genres)["news"]``.
        b: scores of the documents of the other group.
        metrics: names of metrics; None for all that were scored.
        field: ``recall``, ``precision`` or ``f1``.
        confidence: level of the intervals.
        **options: see `arraycoref.options`; ``resamples`` is the number of permutations.

    Raises:
        InputError: a group of fewer than two documents, documents that are in both, other conventions.
        OptionError, UnknownNameError: an option out of range, or a name that does not exist.

    Source: Chung and Romano (2013), section 3; degrees of freedom of intervals: Welch (1947).
    """
    from scipy.special import stdtrit

    how, draws = how_of(options, ResampleOptions, field=field, confidence=confidence)
    require_same_conventions({"a": a, "b": b})
    names = [each.signature.subset for each in (a, b)] if a.signature.subset != b.signature.subset else ["a", "b"]
    differences = dict[str, GroupDifference]()
    is_in_both = {*(a.document_names or ())}.intersection(b.document_names or ())
    for metric in RunScores.from_scores({"a": a}, metrics).metrics:
        samples = [sample_of(RunScores.from_scores({"": each}, metric), how) for each in (a, b)]
        rows, score = [sample.rows[0] for sample, _ in samples], samples[0][0].score
        if rows[0].shape[1] == len(RATIOS):  # ratios of documents, whose means are sums over numbers of documents
            rows = [np.hstack([own, np.ones_like(own)]) for own in rows]
        if is_in_both or min(len(a), len(b), *map(len, rows)) < 2:
            expected = "expected groups of different documents, with two or more units each"
            raise InputError(f"the groups are {names[0]!r} and {names[1]!r}; {expected}")
        members = np.arange(sum(map(len, rows)))[np.newaxis] < len(rows[0])
        of_sums = partial(score, k=0, f=check_field(how.field, metric))
        test = permuted(np.concatenate(rows), members, of_sums, draws.seed, draws.resamples)
        first, second, error, freedom, pvalue = test[:, 0].tolist()
        half = float(stdtrit(freedom, (1.0 + how.confidence) / 2.0)) * error
        ends = first - second - half, first - second + half
        differences[metric] = GroupDifference(first, second, first - second, *ends, error, pvalue)
    (sample, how), sizes = samples[0], dict(zip(names, map(len, (a, b)), strict=True))
    signature, notes = replace(sample.signature, subset=", ".join(names)), joint_notes(names, [a.notes, b.notes])
    return Contrast(sizes, differences, how, notes, signature)
