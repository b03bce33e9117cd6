"""Make the table that papers on coreference print, for one key or several, and for systems with one run or several.

The input is blocks, one for each key, of systems, each with one run or several. The score of a system is the mean of
its runs' scores, or the score of the sum of their counts. Standard deviations are over runs; with several runs, and for
means over blocks, intervals and tests come from redrawn runs and documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from arraycoref.errors import InputError, OptionError, check_name
from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.scoring.grouped import MEAN
from arraycoref.scoring.metrics.registry import RATIOS, direction, known_metric, split_field
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import joint_notes
from arraycoref.stats.blocks import Block, blocks_of, group_blocks
from arraycoref.stats.intervals import Bounds
from arraycoref.stats.notes import exact_notes, few_notes, floor_notes, sample_notes
from arraycoref.stats.paired_tests import Family, redrawn_pvalues
from arraycoref.stats.ranking import position_of
from arraycoref.stats.resampling import Draws, TestOptions, settings_of
from arraycoref.stats.results import LINEARISED
from arraycoref.stats.rivals import best_of_redraws, best_pvalues
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import Sample, by_name
from arraycoref.stats.score_table import Place, ScoreTable, marked_fields, places_of

FEW_RUNS = {
    1: "one run, as if all runs of it had these scores: intervals are too narrow, and tests find too much",
    2: "two runs, from which their spread is hardly known: where runs differ much, tests find too much",
}
"""Notes on systems with so few runs, where some have several."""

METRICS = ("muc", "bcub", "ceafe", "conll")

DIFFERENCES = {"difference": "estimate", "difference_low": "low", "difference_high": "high"}
"""What is found of differences, and the attribute of an interval that holds it."""

NUMBERS = ("low", "high", "pvalues", "adjusted", *DIFFERENCES)
"""What intervals and tests find for each column, attributes of a `ScoreTable`."""

Numbers = dict[str, Floats]
Given = BatchScores | Sequence[BatchScores]


def table(
    runs: RunScores | Mapping[str, Given] | Mapping[str, RunScores | Mapping[str, Given]],
    *,
    metrics: Metrics = METRICS,
    fields: str | Sequence[str] = RATIOS,
    by: str | Iterable[object] | None = None,
    over: str | None = None,
    pool: bool = False,
    intervals: bool = False,
    marks: bool = False,
    baseline: str | None = None,
    differences: bool = False,
    sort: bool | str = False,
    **options: Unpack[TestOptions],
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
        runs: `Runs`, or a mapping from names of systems to their scores on the same D documents. The scores may be a
            sequence, of several runs of the system with different seeds, for instance. A mapping from names of keys to
            any of these makes a block of rows for each key, and a last block of the means over keys; all have the same
            systems.
        metrics: metrics to show, each a group of columns, in this order.
        fields: which of ``recall``, ``precision`` and ``f1`` to show.
        by: labels of the documents, or a regular expression that finds them in the documents' names, as for
            `arraycoref.BatchScores.by`: a block of rows for each group, such as a genre, and a last block of all.
        over: for `Runs`, the parameter in which the runs of a system differ, such as the seed.
        pool: how several runs of a system become one score. False: the mean of their scores, shown with the standard
            deviation of the runs. True: the score of the sums over all runs, as if these were one large response.
            Intervals and tests are made in the same way for both: runs are redrawn, then documents.
        intervals: show a confidence interval beside each F.
        marks: underline scores that are not significantly different from the best of their column.
        baseline: name of a system; a dagger marks scores that differ significantly from its score.
        differences: show, beside each F that is tested by ``marks`` or against a ``baseline``, its difference from the
            baseline (without a baseline, from the best of its column), with an interval. CSV, JSON and data frames hold
            these differences even if ``differences`` is False.
        sort: put the systems of each block in the order of a score, ``muc`` or ``muc.recall``, the best first; True for
            the last score.
        **options: see `arraycoref.options`; ``test`` and ``correction`` are those of differences from the baseline.

    Raises:
        InputError: no system, no documents, a block that lacks a system or a run, different conventions, an option out
            of range.
        DocumentMismatchError: systems of a block scored on different documents.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    asked, draws = settings_of(options, TestOptions)
    given = fields.replace(",", " ").split() if isinstance(fields, str) else list(fields)
    for field in given or [""]:
        check_name("field", field, RATIOS)
    shown, blocks = tuple(field for field in RATIOS if field in given), blocks_of(runs, metrics, over)
    blocks = blocks if by is None else group_blocks(blocks, by)
    first, *_, whole = *blocks.values(), *blocks.values()  # of groups, the last block has all documents
    asked["resample_by"] = by_name(asked["resample_by"], whole.runs)
    systems, names = first.names, first.runs.metrics
    if pool:
        _check_pool(first.sizes, asked["average"])
    if max(first.sizes) > 1:
        asked["method"] = "percentile"  # the corrections of bca are computed from documents alone
    without = [metric for metric in names if not places_of([metric], shown)]
    notes = [f"left out: {', '.join(without)}, without {' or '.join(shown)}"] if without else []
    marks = marks and len(systems) > 1
    columns = places_of(names, marked_fields(shown)) if marks or baseline is not None else []
    reference = None if baseline is None else position_of(baseline, systems)
    sort_by = _column(sort, names, shown) if sort else None
    plan = Plan(names, columns, intervals, marks, reference, pool, draws, asked)
    samples = plan.samples(blocks)
    found = plan.numbers(list(blocks.values()), samples, means=by is None and len(blocks) > 1)
    numbers: dict[str, Any] = {name: np.stack([np.moveaxis(each[name], -1, 0) for each in found]) for name in found[0]}
    documents = [block.runs.n_documents for block in blocks.values()]
    titles = (*blocks, MEAN)[: len(found)]
    subset = first.runs.signature.subset if len(blocks) == 1 else "all"  # blocks may be parts of one key
    return ScoreTable(
        systems=systems,
        blocks=titles,
        metrics=names,
        fields=shown,
        n_runs=first.sizes,
        n_documents=(*documents, sum(documents))[: len(titles)],
        pool=pool,
        sort=sort_by,
        baseline=None if reference is None else systems[reference],
        differences=differences,
        signature=replace(first.runs.signature, average=asked["average"], subset=subset),
        notes_of=tuple(block.notes for block in blocks.values()),
        notes=(*notes, *plan.notes(blocks, samples)),
        **asked | {"method": plan.method(samples[-1]), "resample_by": samples[-1].units.by},
        n_units=samples[-1].n_units,
        **numbers,
    )


def _check_pool(sizes: Sequence[int], average: str) -> None:
    """Refuse to pool runs whose numbers differ between systems, or whose scores are means over documents."""
    if max(sizes) > 1 and average == "macro":
        raise OptionError("pool adds up documents' sums, and average is 'macro'; expected average 'micro'", "pool")
    if len(set(sizes)) > 1:
        some = f"{min(sizes)} to {max(sizes)}"
        raise InputError(f"pool adds up the runs of systems, which have {some} of them; expected the same number")


def _column(sort: bool | str, metrics: Sequence[str], fields: Sequence[str]) -> Place:
    """Return the positions of metric and field of the score to sort by; True is the last one shown."""
    if sort is True:
        return places_of(metrics, fields)[-1]
    metric, field = split_field(str(sort))
    return metrics.index(known_metric(metric, metrics)), RATIOS.index(field)


@dataclass(frozen=True, eq=False)
class Plan:
    """The intervals and tests that a table needs.

    Attributes:
        metrics: (K,) names.
        columns: positions of metric and field of the columns to test; empty if there are neither marks nor a baseline.
        intervals: whether to find the intervals of the scores, in all columns.
        marks: whether to test which systems may be the best.
        reference: position of the baseline to test against, or None.
        pool: whether the runs of a system are pooled.
        draws: how documents and runs are drawn.
        asked: the other options, by name.
    """

    metrics: tuple[str, ...]
    columns: Sequence[Place]
    intervals: bool
    marks: bool
    reference: int | None
    pool: bool
    draws: Draws
    asked: Mapping[str, Any]

    def samples(self, blocks: Mapping[str, Block]) -> list[Sample]:
        """Take the units of each block."""
        average, by = self.asked["average"], self.asked["resample_by"]
        return [block.sample(average, by, single=max(block.sizes) == 1) for block in blocks.values()]

    def method(self, sample: Sample) -> str:
        """Return the method of intervals of a sample."""
        method: str = self.asked["method"]
        return LINEARISED if sample.clustering is not None and method == "bca" else method

    def numbers(self, blocks: Sequence[Block], samples: Sequence[Sample], means: bool) -> list[Numbers]:
        """Score and test each block, and their means if these are asked for; arrays are float64 (K, 3, S)."""
        runs = [sample.estimates for sample in samples]
        found, values = [], []
        for block, sample, scores in zip(blocks, samples, runs, strict=True):
            pooled = sample.pooled(block.firsts) if self.pool else None
            values.append(pooled.estimates if pooled else block.mean(scores))
            single = max(block.sizes) == 1
            if single and self.resamples:
                bounds = Bounds.from_sample(sample, self.draws, self.method(sample), self.asked["confidence"])
            else:
                bounds = self._redrawn(values[-1], {self.draws.seed: block})
            found.append({"sd": self._sd(block, [scores]), **self._tested(bounds, block if single else None)})
        if means:  # documents are drawn for each block by itself, the same runs for all
            seeds = np.random.SeedSequence(self.draws.seed).generate_state(len(blocks), np.uint64).tolist()
            bounds = self._redrawn(np.mean(values, axis=0), dict(zip(seeds, blocks, strict=True)))
            found.append({"sd": self._sd(blocks[0], runs), **self._tested(bounds, None)})
        return found

    @property
    def resamples(self) -> bool:
        """Whether any interval or test was asked for."""
        return self.intervals or bool(self.columns)

    def _redrawn(self, values: Floats, blocks: Mapping[int, Block]) -> Bounds:
        """Redraw the documents, by a seed for each block, and the runs of scores, means over blocks."""
        drawn = np.empty((*values.shape, 0))
        if self.resamples:
            average, by = self.asked["average"], self.asked["resample_by"]
            drawn = np.mean([b.redraws(self.draws, average, self.pool, seed, by) for seed, b in blocks.items()], axis=0)
        return Bounds(values, drawn, None, self.asked["confidence"])

    def _sd(self, block: Block, scores: Sequence[Floats]) -> Floats:
        """Return the standard deviation over a system's runs of their means over blocks.

        It is nan for systems with one run, and where runs are pooled.
        """
        found = []
        for each in np.split(np.mean(scores, axis=0), block.firsts[1:], axis=-1):
            defined = not self.pool and each.shape[-1] > 1
            found.append(each.std(axis=-1, ddof=1) if defined else np.full(each.shape[:-1], np.nan))
        return np.stack(found, axis=-1)

    def _tested(self, bounds: Bounds, block: Block | None) -> Numbers:
        """Find intervals, differences and p-values, nan where undefined or not asked for.

        Args:
            bounds: the scores, and the scores resampled.
            block: the systems, if each has one run; their tests exchange documents, all others are from redrawn scores.
        """
        values, alpha, correction = bounds.estimates, self.asked["alpha"], self.asked["correction"]
        found = {"values": values, **{name: np.full(values.shape, np.nan) for name in NUMBERS}}
        if self.intervals:
            found["low"], found["high"] = bounds.ends()
        scores = [direction(self.metrics[k]) * values[k, f] for k, f in self.columns]
        bests = [int(np.argmax(rounded_for_ties(signed))) for signed in scores]
        references = [best if self.reference is None else self.reference for best in bests]
        columns = [(k, f, reference) for (k, f), reference in zip(self.columns, references, strict=True)]
        for (k, f, reference), signed, best, apart in zip(
            columns, scores, bests, bounds.intervals(*columns), strict=True
        ):
            metric, others = self.metrics[k], [s for s in range(signed.size) if s != reference]
            for name, end in DIFFERENCES.items():
                found[name][k, f] = [getattr(each.interval, end) for each in apart]
            differences = found["difference"][k, f, others]
            sample = block and Sample.from_runs(
                RunScores.of(block.runs, (metric,)), self.asked["average"], self.asked["resample_by"]
            )
            if self.marks and sample:
                found["pvalues"][k, f] = best_pvalues(sample, f, best, alpha, self.draws).pvalues
            elif self.marks:
                found["pvalues"][k, f] = best_of_redraws(direction(metric) * bounds.drawn[k, f], signed, alpha)
            if self.reference is not None and sample:
                family = Family(sample, [(s, reference) for s in others], f, self.asked["test"], self.draws)
                found["adjusted"][k, f, others] = family.corrected(correction)[1]
            elif self.reference is not None:
                strays = bounds.drawn[k, f, others] - bounds.drawn[k, f, reference] - differences[:, np.newaxis]
                found["adjusted"][k, f, others] = redrawn_pvalues(differences, strays, correction)
        return found

    def notes(self, blocks: Mapping[str, Block], samples: Sequence[Sample]) -> list[str]:
        """Write notes on what makes intervals and tests weak, and on runs that were scored differently."""
        notes = []
        for (name, block), sample in zip(blocks.items(), samples, strict=True):
            found = block.runs.joint_notes
            if self.resamples:
                asked = {**self.asked, "method": self.method(sample)} if self.intervals else None
                found = sample_notes(block.runs, sample, asked=asked)
            notes += [f"{name}: {note}" if name else note for note in found]
            few = FEW_RUNS if self.resamples and max(block.sizes) > 1 else {}
            lacking = [[few[size]] if size in few else [] for size in block.sizes]
            notes += [note for note in joint_notes(block.names, lacking) if note not in notes]
            if max(block.sizes) == 1 and (
                self.marks or (self.reference is not None and self.asked["test"] == "randomisation")
            ):
                exact = exact_notes(sample, sample.differing(range(len(sample))).size, self.draws.resamples)
                notes += [f"{name}: {note}" if name else note for note in exact]
        drawn = any(self.method(sample) != LINEARISED for sample in samples)
        notes += few_notes(self.asked) if self.intervals and drawn else ()
        n_tests = len(block.names) - 1 if self.reference is not None else len(self.columns[:1])
        return [*notes, *floor_notes(self.asked["correction"], self.draws.resamples, n_tests, self.asked["alpha"])]
