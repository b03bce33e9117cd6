"""Make the table that papers on coreference print, for one key or several, and for systems with one run or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from arraycoref.deadline import within_time
from arraycoref.errors import OptionError, check_name
from arraycoref.options import Metrics
from arraycoref.scoring.metrics.registry import RATIOS, direction
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.stats.best_set import best_of_redraws, best_pvalues
from arraycoref.stats.bootstrapping import interval, intervals_of
from arraycoref.stats.comparable import baseline_place, convention_notes, document_notes, smallest_pvalue
from arraycoref.stats.multiple_tests import adjust_pvalues, floor_note, step_down
from arraycoref.stats.options import Settings, TableOptions
from arraycoref.stats.paired import TOLERANCE, tests_of
from arraycoref.stats.repeated import MACRO, Repeated, Runs, named_runs, parts_of
from arraycoref.stats.resampling import count_swaps
from arraycoref.stats.score_table import ScoreTable, marked_fields, places_of
from arraycoref.stats.systems import Systems

METRICS = ("muc", "bcub", "ceafe", "conll")

Tested = dict[str, Floats]
"""Arrays by name, each float64 (S, K, 3) with nan where undefined.

``low`` and ``high``: ends of the score's interval. ``pvalues``: of being the best of the column. ``difference``: from
the baseline, or from the best of the column if there is no baseline. ``difference_low`` and ``difference_high``: ends
of its interval. ``adjusted``: p-values of the difference from the baseline, corrected for the number of systems.
"""


def table(
    runs: Mapping[str, Runs] | Mapping[str, Mapping[str, Runs]],
    *,
    metrics: Metrics = METRICS,
    fields: str | Sequence[str] = RATIOS,
    pool: bool = False,
    intervals: bool = False,
    marks: bool = False,
    baseline: str | None = None,
    differences: bool = False,
    sort: bool = False,
    **options: Unpack[TableOptions],
) -> ScoreTable:
    r"""Lay out the scores of systems as papers print them: a row per system, metrics in groups of columns.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 1, 1, 1] * 5, offsets)
        >>> found = ac.table({"good": good, "poor": poor}, metrics="muc,bcub", fields="f1")
        >>> print(*str(found).splitlines()[:5], sep="\n")
                      MUC       B³
        system         F1       F1
        --------  -------  -------
        good      *100.00  *100.00
        poor        50.00    70.59

    Args:
        runs: mapping from names of systems to their scores on the same D documents. The scores may be a sequence, of
            several runs of the system with different seeds, for instance. A mapping from names of keys to such mappings
            makes a block of rows for each key, and a last block of the means over keys; all have the same systems.
        metrics: metrics to show, each a group of columns, in this order.
        fields: which of ``recall``, ``precision`` and ``f1`` to show.
        pool: how several runs of a system become one score. False: the mean of their scores, shown with the standard
            deviation of the runs. True: the score of the sums over all runs, as if these were one large response.
            Intervals and tests are made in the same way for both: runs are redrawn, then documents.
        intervals: show a confidence interval beside each F.
        marks: underline scores that are not significantly different from the best of their column.
        baseline: name of a system; a dagger marks scores that differ significantly from its score.
        differences: show, beside each F that is tested by ``marks`` or against a ``baseline``, its difference from the
            baseline (without a baseline, from the best of its column), with an interval. CSV, JSON and data frames hold
            these differences even if ``differences`` is False.
        sort: put the systems of each block in the order of their last score, the best first.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no system, no documents, a block that lacks a system or a run, different conventions, an option out
            of range.
        DocumentMismatchError: systems of a block scored on different documents.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    settings = Settings.of(options, TableOptions)
    wanted = _wanted(fields)
    parts = parts_of(runs, metrics, pool, settings)
    first, names = next(iter(parts.values())), list(next(iter(parts.values())).runs)
    if first.pooled and settings.average == "macro" and not first.single:
        raise OptionError("pool adds up documents' sums, and average is 'macro'; expected average 'micro'")
    if not places_of(first.metrics, wanted):
        raise OptionError(f"{', '.join(first.metrics)} has no {' or '.join(wanted)}; expected fields 'f1'")
    without = [name for name in first.metrics if not places_of([name], wanted)]
    left_out = [f"left out: {', '.join(without)}, without {' or '.join(wanted)}"] if without else []
    reference = baseline_place(baseline, names)
    if differences and not marks and reference is None:
        raise OptionError("no differences are tested that could be shown; expected marks=True or a baseline")
    marks = marks and len(names) > 1
    columns = places_of(first.metrics, marked_fields(wanted)) if marks or baseline is not None else []
    plan = Plan(settings, first.metrics, columns, intervals, marks, reference)
    found = _scored(list(parts.values()), plan)
    blocks = (*parts, MACRO) if len(parts) > 1 else tuple(parts)
    sizes = [len(part.first) for part in parts.values()]
    return settings.result(
        ScoreTable,
        systems=tuple(map(str, names)),
        blocks=blocks,
        metrics=first.metrics,
        fields=wanted,
        n_runs=tuple(map(len, first.runs.values())),
        n_documents=(*sizes, sum(sizes))[: len(blocks)],
        pool=pool,
        sort=sort,
        baseline=None if baseline is None else str(baseline),
        differences=differences,
        method=settings.method if first.single else resampled_method(settings.method),
        signature=first.first.signature,
        notes=(*left_out, *_notes(parts, plan)),
        **{name: np.stack([numbers[name] for numbers in found]) for name in found[0]},
    )


def _wanted(fields: str | Sequence[str]) -> tuple[str, ...]:
    """Return the fields to show, in the order recall, precision, F.

    Raises:
        OptionError: ``fields`` is no string and cannot be iterated.
        UnknownNameError: ``fields`` is empty, or holds a name that is no field.
    """
    if not isinstance(fields, Iterable):
        raise OptionError(f"fields is {fields!r}; expected some of {', '.join(RATIOS)}")
    given = [field.strip() for field in fields.split(",")] if isinstance(fields, str) else list(fields)
    for field in given or [""]:
        check_name("field", field, RATIOS)
    return tuple(field for field in RATIOS if field in given)


@dataclass(frozen=True)
class Plan:
    """The intervals and tests that a table needs.

    Attributes:
        settings: settings of intervals and tests.
        metrics: (K,) names.
        columns: positions of metric and field of the columns to test; empty if there are neither marks nor a baseline.
        intervals: whether to find the intervals of the scores, in all columns.
        marks: whether to test which systems may be the best.
        reference: position of the baseline to test against, or None.
    """

    settings: Settings
    metrics: Sequence[str]
    columns: Sequence[tuple[int, int]]
    intervals: bool
    marks: bool
    reference: int | None

    @property
    def asks(self) -> bool:
        """Whether any interval or test is needed."""
        return self.intervals or bool(self.columns)

    def best(self, estimates: Floats, k: int, f: int) -> int:
        """Return the position of the best system of a column."""
        return int(np.argmax(rounded_for_ties(direction(self.metrics[k]) * estimates[:, k, f])))

    def differences(self, values: Floats, estimates: Floats) -> Floats:
        """Subtract in each tested column the score of the reference: (..., S, K, 3) -> (..., S, K, 3).

        The reference is the baseline, or the system with the best estimate. Its own differences are nan, as are those
        in columns that are not tested.
        """
        found = np.full(values.shape, np.nan)
        for k, f in self.columns:
            reference = self.best(estimates, k, f) if self.reference is None else self.reference
            found[..., k, f] = values[..., k, f] - values[..., reference, k, f][..., np.newaxis]
            found[..., reference, k, f] = np.nan
        return found

    def shown(self, values: Floats, estimates: Floats) -> Floats:
        """Stack the scores (nan if they need no intervals) and the differences: (..., S, K, 3) -> (..., 2, S, K, 3)."""
        scores = values if self.intervals else np.full_like(values, np.nan)
        return np.stack([scores, self.differences(values, estimates)], axis=-4)

    def others(self, n: int) -> list[int]:
        """Return the positions of the systems that are tested against the baseline."""
        return [] if self.reference is None else [s for s in range(n) if s != self.reference]


def _scored(parts: Sequence[Repeated], plan: Plan) -> list[dict[str, Floats]]:
    """Score and test each block, and the means over blocks if there are several."""
    found = []
    for part in parts:
        values = part.estimates()
        tested = by_swaps(part.systems(), plan) if part.single else by_redraws(values, part.redraws, plan)
        found.append({"values": values, "sd": _sd([part]), **tested})
    if len(parts) > 1:
        values = np.mean([numbers["values"] for numbers in found], axis=0)
        found.append({"values": values, "sd": _sd(parts), **by_redraws(values, lambda: _means(parts), plan)})
    return found


def _means(parts: Sequence[Repeated]) -> Floats:
    """Redraw means over blocks, float64 (R, S, K, 3): documents independently for each block, the same runs for all."""
    seeds = np.random.SeedSequence(parts[0].settings.seed).generate_state(len(parts), np.uint64).tolist()
    return np.asarray(np.mean([part.redraws(seed) for part, seed in zip(parts, seeds, strict=True)], axis=0))


def _sd(parts: Sequence[Repeated]) -> Floats:
    """Return the standard deviation over a system's runs of their means over blocks, float64 (S, K, 3).

    It is nan for systems with one run, and where runs are pooled.
    """
    found = []
    for blocks in zip(*(part.scores() for part in parts), strict=True):
        scores = np.mean(blocks, axis=0)
        defined = len(scores) > 1 and not parts[0].pooled
        found.append(scores.std(axis=0, ddof=1) if defined else np.full(scores.shape[1:], np.nan))
    return np.stack(found)


def nothing(shape: tuple[int, ...]) -> Tested:
    """Return arrays of nan, to be filled by the tests and intervals that are found."""
    ends = "low", "high", "difference_low", "difference_high"
    return {name: np.full(shape, np.nan) for name in (*ends, "pvalues", "adjusted", "difference")}


def by_swaps(systems: Systems, plan: Plan) -> Tested:
    """Find intervals and tests of systems with one run each, as `bootstrap`, `best_pvalues` and `compare` do."""
    estimates = systems.estimates()
    found, others = nothing(estimates.shape), plan.others(len(estimates))
    if plan.asks:
        each = intervals_of(
            systems, plan.settings, lambda values: plan.shown(values, estimates).reshape(*values.shape[:-3], -1)
        )
        _put_intervals(found, plan, estimates, [(one.low, one.high) for one in each])
    for k, f in plan.columns:
        settings = replace(plan.settings, metric=plan.metrics[k], field=RATIOS[f])
        if plan.marks:
            best = plan.best(estimates, k, f)
            found["pvalues"][:, k, f] = best_pvalues(list(systems.runs.values()), best, settings)
        column = Systems.of(systems.runs, (settings.metric,), settings.average)
        pairs = [(s, plan.reference or 0) for s in others]
        found["adjusted"][others, k, f] = tests_of(column, pairs, settings).adjusted
    return found


def by_redraws(estimates: Floats, draw: Callable[[], Floats], plan: Plan) -> Tested:
    """Find intervals and tests of systems from their scores on redrawn documents and runs.

    Args:
        estimates: float64 (S, K, 3) observed scores.
        draw: function that returns redrawn scores, float64 (R, S, K, 3).
        plan: which intervals and tests to find.
    """
    found, others = nothing(estimates.shape), plan.others(len(estimates))
    if not plan.asks:
        return found
    drawn, method = draw(), resampled_method(plan.settings.method)
    shown, about = plan.shown(drawn, estimates), plan.shown(estimates, estimates)
    confidence, places = plan.settings.confidence, within_time(np.ndindex(about.shape))
    ends = [interval(shown[:, *at], float(about[at]), None, method, confidence) for at in places]
    _put_intervals(found, plan, estimates, ends)
    for k, f in plan.columns:
        observed, replicates = (direction(plan.metrics[k]) * values[..., k, f].T for values in (estimates, drawn))
        if plan.marks:
            found["pvalues"][:, k, f] = best_of_redraws(replicates, observed, plan.settings.alpha)
        if others:
            difference = observed[others] - observed[plan.reference]
            strays = replicates[others] - replicates[plan.reference] - difference[:, np.newaxis]
            found["adjusted"][others, k, f] = _adjusted(difference, strays, plan.settings.correction)
    return found


def _put_intervals(found: Tested, plan: Plan, estimates: Floats, ends: Sequence[tuple[float, float]]) -> None:
    """Store the differences, and the ends of the intervals of what `Plan.shown` stacked, under their names."""
    low, high = np.moveaxis(np.reshape(ends, (2, *estimates.shape, 2)), -1, 0)
    (found["low"], found["difference_low"]), (found["high"], found["difference_high"]) = low, high
    found["difference"] = plan.differences(estimates, estimates)


def resampled_method(method: str) -> str:
    """Return the method of intervals from redrawn runs or blocks: ``percentile`` if ``bca`` was asked for.

    The corrections of ``bca`` are computed from documents alone.
    """
    return "percentile" if method == "bca" else method


def _adjusted(observed: Floats, strays: Floats, correction: str) -> Floats:
    """Compute corrected two-sided p-values, float64 (P,), from how far redraws deviate from the observed differences.

    Args:
        observed: float64 (P,) observed differences.
        strays: float64 (P, R) redrawn differences minus the observed ones.
        correction: correction for the number of tests.
    """
    if np.isnan(strays).any():
        return np.full(len(observed), np.nan)
    if correction == "maxt":
        scale = np.sqrt((strays**2).mean(axis=1))
        return step_down(observed, scale, [(strays, np.ones(strays.shape[1]))], 1.0, TOLERANCE)
    extreme = np.abs(strays) >= np.abs(observed)[:, np.newaxis] - TOLERANCE
    return adjust_pvalues((1.0 + extreme.sum(axis=1)) / (1.0 + strays.shape[1]), correction)


def _notes(parts: Mapping[str, Repeated], plan: Plan) -> tuple[str, ...]:
    """Write notes on what makes intervals and tests weak, and on runs that were scored differently."""
    settings, first, notes = plan.settings, next(iter(parts.values())), []
    for name, part in parts.items():
        runs = named_runs(part.runs)
        found = document_notes(runs, settings.average) if plan.asks else convention_notes(runs)
        notes += [f"{name}: {note}" if name else note for note in found]
    if not plan.asks:
        return tuple(notes)
    swapped = len(parts) == 1 and first.single and settings.test == "randomisation"
    listed = swapped and count_swaps(len(first.first)) <= settings.resamples
    smallest = smallest_pvalue(len(first.first)) if listed else 1.0 / (1.0 + settings.resamples)
    floor = floor_note(settings.correction, smallest, len(plan.others(len(first.runs))), settings.alpha)
    return (*notes, floor) if floor else tuple(notes)
