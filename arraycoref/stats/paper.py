"""Make the table that papers on coreference print, of one key or several, and of systems with one run or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Unpack

import numpy as np

from arraycoref.errors import OptionError, UnknownNameError
from arraycoref.metrics.base import RATIOS
from arraycoref.metrics.score import Floats
from arraycoref.options import Metrics, takes
from arraycoref.stats.columns import Plan, by_redraws, by_swaps, resampled_method
from arraycoref.stats.comparable import convention_notes, document_notes, smallest_pvalue
from arraycoref.stats.multiple_tests import floor_note
from arraycoref.stats.options import STATISTICS, Settings, TableOptions
from arraycoref.stats.repeated import MACRO, Repeated, Runs, named_runs, parts_of
from arraycoref.stats.resampling import count_swaps
from arraycoref.stats.score_table import ScoreTable, marked_fields, places_of

METRICS = ("muc", "bcub", "ceafe", "conll")
SEEDS = ("mean", "pool")


@takes(TableOptions, known=STATISTICS)
def table(
    runs: Mapping[str, Runs] | Mapping[str, Mapping[str, Runs]],
    *,
    metrics: Metrics = METRICS,
    fields: str | Sequence[str] = RATIOS,
    seeds: str = "mean",
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
        runs: scores of each system on the same D documents, by the systems' names. A sequence of them is one system's
            runs, by different seeds for instance. A mapping from names of keys to such mappings makes a block of rows
            for each key, and a last one of the means over them; each block has the same systems.
        metrics: groups of columns, in this order.
        fields: of ``recall``, ``precision`` and ``f1``, those to show.
        seeds: what is made of several runs of a system. ``mean``: the mean of their scores with its standard deviation,
            which says how runs differ. ``pool``: the score of their sums over documents, one number as of one large
            response. Intervals and marks are the same kind either way: runs are redrawn, then documents.
        intervals: show a confidence interval beside each F.
        marks: underline what is not significantly different from the best of its column.
        baseline: name of a system; a dagger marks what differs significantly from it.
        differences: show, beside each F that is tested, its difference from the baseline with an interval, or from the
            best of its column if there is no baseline. CSV, JSON and frames hold them without being asked.
        sort: put the systems of each block in the order of their last score, the best first.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no system, no documents, a system or a run that a block lacks, different conventions, an option out
            of range.
        DocumentMismatchError: systems of a block scored on different documents.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    settings = Settings.of(options, TableOptions)
    if seeds not in SEEDS:
        raise UnknownNameError("seeds", seeds, SEEDS)
    wanted = _wanted(fields)
    parts = parts_of(runs, metrics, seeds == "pool", settings)
    first, names = next(iter(parts.values())), list(next(iter(parts.values())).runs)
    if first.pooled and settings.average == "macro" and not first.single:
        raise OptionError("seeds is 'pool', which adds up sums, and average 'macro'; expected average 'micro'")
    if not places_of(first.metrics, wanted):
        raise OptionError(f"{', '.join(first.metrics)} has no {' or '.join(wanted)}; expected fields 'f1'")
    if baseline is not None and baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    plan = Plan(
        settings,
        first.metrics,
        places_of(first.metrics, marked_fields(wanted)),
        intervals,
        marks and len(names) > 1,
        None if baseline is None else names.index(baseline),
    )
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
        seeds=seeds,
        sort=sort,
        baseline=None if baseline is None else str(baseline),
        differences=differences,
        method=settings.method if first.single else resampled_method(settings.method),
        signature=first.first.signature,
        notes=_notes(parts, plan),
        **{name: np.stack([numbers[name] for numbers in found]) for name in found[0]},
    )


def _wanted(fields: str | Sequence[str]) -> tuple[str, ...]:
    """Return the fields to show, in their order.

    Raises:
        OptionError: no names.
        UnknownNameError: none, or a name that is none of them.
    """
    if not isinstance(fields, Iterable):
        raise OptionError(f"fields is {fields!r}; expected some of {', '.join(RATIOS)}")
    given = [field.strip() for field in fields.split(",")] if isinstance(fields, str) else list(fields)
    for field in given or [""]:
        if field not in RATIOS:
            raise UnknownNameError("field", field, RATIOS)
    return tuple(field for field in RATIOS if field in given)


def _scored(parts: Sequence[Repeated], plan: Plan) -> list[dict[str, Floats]]:
    """Score and test each block, and the means over them if there are several."""
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
    """Redraw means over blocks, each with documents of its own, and the same runs in all: float64 (R, S, K, 3)."""
    seeds = np.random.SeedSequence(parts[0].settings.seed).generate_state(len(parts), np.uint64).tolist()
    means: Floats = np.mean([part.redraws(seed) for part, seed in zip(parts, seeds, strict=True)], axis=0)
    return means


def _sd(parts: Sequence[Repeated]) -> Floats:
    """Standard deviation over the runs of each system, of means over blocks: float64 (S, K, 3), nan of one run."""
    found = []
    for blocks in zip(*(part.scores() for part in parts), strict=True):
        scores = np.mean(blocks, axis=0)
        defined = len(scores) > 1 and not parts[0].pooled
        found.append(scores.std(axis=0, ddof=1) if defined else np.full(scores.shape[1:], np.nan))
    return np.stack(found)


def _notes(parts: Mapping[str, Repeated], plan: Plan) -> tuple[str, ...]:
    """Say what makes intervals and tests weak, and where runs were not scored alike."""
    settings, first, notes = plan.settings, next(iter(parts.values())), []
    for name, part in parts.items():
        runs = named_runs(part.runs)
        found = document_notes(runs, settings.average) if plan.asks else convention_notes(runs)
        notes += [f"{name}: {note}" if name else note for note in found]
    if not plan.asks:
        return tuple(notes)
    swapped = len(parts) == 1 and first.single and settings.test == "randomisation"
    listed = swapped and count_swaps(len(first.first)) <= settings.n_resamples
    smallest = smallest_pvalue(len(first.first)) if listed else 1.0 / (1.0 + settings.n_resamples)
    floor = floor_note(settings.correction, smallest, len(plan.others(len(first.runs))), settings.alpha)
    return (*notes, floor) if floor else tuple(notes)
