"""Make the table that papers on coreference print, for one key or several, and for systems with one run or several.

The input is blocks, one for each key, of systems, each with one run or several. The score of a system is the mean of
its runs' scores, or the score of the sum of their counts. Standard deviations are over runs; with several runs, and for
means over blocks, intervals and tests come from redrawn runs and documents.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.display.formats import Report, plain
from arraycoref.display.tables import Styled, TextTable, in_latex, plural
from arraycoref.exceptions import InputError, OptionError, UnknownNameError, check_name
from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.scoring.format import fields_of, format_score, is_count, latex_title, metric_title, unit
from arraycoref.scoring.grouped import ABOUT_OTHER, MEAN, OTHER
from arraycoref.scoring.metrics.registry import RATIOS, direction, known_metric, split_field
from arraycoref.scoring.metrics.score import best_first, rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats.draws import Draws, TestOptions, how_of, multiplicities, redrawn_runs
from arraycoref.stats.how import CORRECTIONS, LINEARIZED, METHODS, RIVAL, TESTS, By, How
from arraycoref.stats.intervals import Interval, Resamples
from arraycoref.stats.notes import exact_notes, few_notes, floor_notes, sample_notes
from arraycoref.stats.ranking import position_of
from arraycoref.stats.run_scores import RunScores, as_batch, as_setting, grouped_over, name_of, require_same_conventions
from arraycoref.stats.sample import DOCUMENT, Sample, by_name, sample_of
from arraycoref.stats.tests import Family, best_of_redraws, best_pvalues, redrawn_pvalues

Flags = NDArray[np.bool_]
Place = tuple[int, int]
"""Positions of a metric and of a field."""

BESIDE = {"": "values", "_sd": "sd", "_low": "low", "_high": "high", "_best_pvalue": "pvalues"} | {
    "_baseline_pvalue": "adjusted",
    "_difference": "difference",
    "_difference_low": "difference_low",
    "_difference_high": "difference_high",
}
"""Suffixes of column names in CSV, JSON and data frames, and the attribute that the columns of each suffix hold."""


def places_of(metrics: Sequence[str], fields: Sequence[str]) -> list[Place]:
    """Return the positions of metric and field of all columns; a metric has no column for a field that it lacks."""
    return [(k, RATIOS.index(f)) for k, metric in enumerate(metrics) for f in fields if f in fields_of(metric)]


def marked_fields(fields: Sequence[str]) -> Sequence[str]:
    """Return the fields that have marks and intervals: F, or all fields shown if F is not one of them."""
    return ["f1"] if "f1" in fields else fields


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ScoreTable(Report):
    """Scores of S systems in K metrics, in B blocks: one for each key and, if there are several keys, one of the means.

    Attributes:
        systems: (S,) names.
        blocks: (B,) names; the name of an only block is empty, that of the means over blocks `MEAN`.
        metrics: (K,) names, each the head of a group of columns.
        fields: those of ``recall``, ``precision`` and ``f1`` that are shown.
        values: float64 (B, S, K, 3) recall, precision and F, fractions 0-1; nan where a metric lacks the field.
        sd: float64 (B, S, K, 3) standard deviation over a system's runs; nan if there is one run or runs are pooled.
        low: float64 (B, S, K, 3) lower end of the score's interval; nan if intervals were not asked for.
        high: float64 (B, S, K, 3) upper end, the same.
        pvalues: float64 (B, S, K, 3) p-values of being the best of the column; nan if marks were not asked for, or no
            test can be made.
        adjusted: float64 (B, S, K, 3) p-values of the difference from the baseline, corrected for the number of
            systems; nan if there is no baseline, or no test can be made.
        difference: float64 (B, S, K, 3) score minus the score of the baseline or, without a baseline, of the best of
            the column; nan for the baseline or the best itself, and if neither marks nor a baseline were asked for.
        difference_low: float64 (B, S, K, 3) lower end of the difference's interval.
        difference_high: float64 (B, S, K, 3) upper end of the difference's interval.
        differences: whether the differences are shown beside each F.
        n_runs: (S,) number of runs of each system.
        notes_of: for each block, what happened in the runs of each of its S systems.
        n_documents: (B,) number of documents of each block; for the means over blocks, of all blocks together.
        pool: whether the score of several runs of a system is that of their sums, and not the mean of their scores.
        sort: positions of the metric and the field by which the systems of a block are ordered, the best first; None
            for their own order.
        baseline: name of the baseline, or None.
        how: how documents were resampled; if the method is ``bca``, intervals of means over blocks are ``percentile``.
        notes: what a reader should know before trusting the numbers, and what happened in the runs.
        signature: signature of the scores.
    """

    systems: tuple[str, ...]
    blocks: tuple[str, ...]
    metrics: tuple[str, ...]
    fields: tuple[str, ...]
    values: Floats
    sd: Floats
    low: Floats
    high: Floats
    pvalues: Floats
    adjusted: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    differences: bool
    n_runs: tuple[int, ...]
    notes_of: tuple[tuple[tuple[str, ...], ...], ...]
    n_documents: tuple[int, ...]
    pool: bool
    sort: Place | None
    baseline: str | None
    how: How
    notes: tuple[str, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("block", "system")

    @property
    def best(self) -> Flags:
        """Whether a score is the best of its column, bool (B, S, K, 3)."""
        signs = np.array([direction(metric) for metric in self.metrics])[:, np.newaxis]
        signed = np.where(np.isnan(self.values), -np.inf, rounded_for_ties(signs * self.values))
        return np.asarray((signed == signed.max(axis=1, keepdims=True)) & np.isfinite(signed))

    @property
    def rivals(self) -> Flags:
        """Whether a score is not the best of its column but may be as good, bool (B, S, K, 3)."""
        return np.asarray((self.pvalues > self.how.alpha) & ~self.best)

    @property
    def differing(self) -> Flags:
        """Whether a score differs significantly from that of the baseline, bool (B, S, K, 3)."""
        return np.asarray(self.adjusted <= self.how.alpha)

    @property
    def places(self) -> list[Place]:
        """Positions of the metric and the field of each column of scores."""
        return places_of(self.metrics, self.fields)

    @property
    def row_places(self) -> list[Place]:
        """Positions of the block and the system of each row."""
        return [(b, s) for b in range(len(self.blocks)) for s in self.order(b)]

    def order(self, block: int) -> list[int]:
        """Return the positions of the systems of a block in the order in which they are shown."""
        if self.sort is None:
            return list(range(len(self.systems)))
        k, f = self.sort
        order: list[int] = best_first(direction(self.metrics[k]) * self.values[block, :, k, f]).tolist()
        return order

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each system: scores, and beside marked scores the intervals and differences asked for."""
        columns: list[Sequence[str]] = [[self.systems[s] for _, s in self.row_places]]
        headers: list[str] = ["system"]
        specs, sizes = ["l"], Counter[str]()
        for place in self.places:
            values, errors = self._texts("values", place, digits), self._texts("sd", place, digits)
            columns.append(self._cells(place, values, errors))
            headers.append(self._header(place))
            specs.append(siunitx(values, errors))
            for header, cells in self._beside(place, digits):
                columns.append(cells)
                headers.append(header)
                specs.append("c")
            sizes[self.metrics[place[0]]] += len(headers) - 1 - sizes.total()
        titles = (in_latex(title, latex_title(title)) for title in map(metric_title, sizes))
        table = TextTable(
            headers,
            list(map(list, zip(*columns, strict=True))),
            groups=[("", 1), *zip(titles, sizes.values(), strict=True)],
            sections=[(block, len(self.systems)) for block in self.blocks] if len(self.blocks) > 1 else [],
            specs=specs,
        )
        return [table]

    def caption(self, digits: int) -> list[str]:
        """Describe what the table shows, with all settings that a reader needs to repeat it."""
        has_means = self.blocks[-1] == MEAN
        keys = self.blocks[:-1] if has_means else self.blocks
        runs = plural(max(self.n_runs), "run")
        sizes = [plural(n, self.signature.unit) for n in self.n_documents]
        named = ", ".join(f"{block}: {n}" for block, n in zip(keys, sizes, strict=False)) if keys[0] else sizes[0]
        lines = [f"{named}, {self.how.average} average, {unit(*self.metrics)}"]
        lines += [ABOUT_OTHER] if OTHER in keys else []
        if has_means:
            lines.append(f"{self.blocks[-1]}: mean of the scores of {len(keys)} blocks, which weigh the same")
        if max(self.n_runs) > 1:
            runs = runs if min(self.n_runs) == max(self.n_runs) else f"{min(self.n_runs)} to {runs}"
            what = "scores of the sums" if self.pool else "mean ± standard deviation"
            lines.append(f"{what} over {runs}")
        if len(self.systems) > 1:
            lines.append("bold or *: the best of its column" + (" in each block" if len(self.blocks) > 1 else ""))
        lines += self._words_on_tests()
        return [*lines, *(f"note: {note}" for note in self.notes), str(self.signature)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each block and system: scores, fractions 0-1, and the numbers of `BESIDE`."""
        columns = {
            f"{self.metrics[k]}_{RATIOS[f]}{end}": getattr(self, name)[..., k, f]
            for k, f in self.places
            for end, name in BESIDE.items()
            if not end or self._has(name, (k, f))
        }
        for b, s in self.row_places:
            notes = "; ".join(self.notes_of[b][s] if b < len(self.notes_of) else ())
            head = {"block": self.blocks[b], "system": self.systems[s], "runs": self.n_runs[s]}
            yield {**head, **{name: plain(each[b, s]) for name, each in columns.items()}, "notes": notes}

    def facts(self) -> dict[str, Any]:
        """Return the settings, and the number of documents of each block."""
        shown = {"fields": self.fields, "pool": self.pool, "baseline": self.baseline}
        made = "test", "correction", "alpha", "method", "confidence", "average", "resamples", "resample_by", "seed"
        documents = dict(zip(self.blocks, self.n_documents, strict=True))
        return {**shown, **self.how.facts(*made), "documents": documents}

    def _has(self, name: str, place: tuple[int, ...] = ()) -> bool:
        """Return whether an attribute holds any number but nan in a column, or in any column if no place is given."""
        return not np.isnan(getattr(self, name)[..., *place]).all()

    def _texts(self, name: str, place: Place, digits: int) -> list[str]:
        """Write the scores, or their standard deviations, of a column, in the order of the rows."""
        profile = self.signature.profile if name == "values" else "paper"  # "paper" rounds
        column, metric = getattr(self, name)[..., *place], self.metrics[place[0]]
        return [format_score(float(column[row]), metric, digits, profile=profile) for row in self.row_places]

    def _beside(self, place: Place, digits: int) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield header and cells of each column beside a score: interval, difference, interval of the difference."""
        if RATIOS[place[1]] not in marked_fields(self.fields):
            return
        interval, profile = f"{self.how.level} interval", self.signature.profile
        if self._has("low", place):
            yield interval, self._intervals(place, ("values", "low", "high"), digits, profile=profile)[1]
        if self.differences and self._has("difference", place):
            names = ("difference", "difference_low", "difference_high")
            differences, ends = self._intervals(place, names, digits, sign="+")
            yield "difference", differences
            if self._has("difference_low", place):
                yield interval, ends

    def _intervals(self, place: Place, names: Sequence[str], digits: int, **how: str) -> list[Sequence[str]]:
        """Write the values of a column, and their intervals, from the attributes that hold value, low and high."""
        columns = ([float(getattr(self, name)[*row, *place]) for row in self.row_places] for name in names)
        intervals = (Interval(value, low, high, math.nan) for value, low, high in zip(*columns, strict=True))
        return list(zip(*(each.cells(self.metrics[place[0]], digits, **how) for each in intervals), strict=True))

    def _header(self, place: Place) -> str:
        metric, field = self.metrics[place[0]], RATIOS[place[1]]
        if is_count(metric):
            return ""
        return f"F{self.signature.beta:g}" if field == "f1" else field[0].upper()

    def _cells(self, place: Place, values: list[str], errors: list[str]) -> list[str]:
        """Write the cells of a column, with their marks."""
        k, f = place
        best, rivals, differing = (flags[..., k, f] for flags in (self.best, self.rivals, self.differing))
        if len(self.systems) == 1 or RATIOS[f] not in marked_fields(self.fields):
            best = np.zeros_like(best)
        width = max(len(value.partition(".")[0]) for value in values)
        marks = [BEST if best[row] else RIVAL if rivals[row] else PLAIN for row in self.row_places]
        differs = [bool(differing[row]) for row in self.row_places]
        cells = zip(values, errors, marks, differs, strict=True)
        return [marked(value, error, mark=mark, differs=dagger, width=width) for value, error, mark, dagger in cells]

    def _words_on_tests(self) -> list[str]:
        """Describe how marks, differences and intervals were made; nothing if the table has none."""
        lines, how = [], self.how
        several, has_means = max(self.n_runs) > 1, self.blocks[-1] == MEAN

        def level(test: str) -> str:  # always the bootstrap if runs are redrawn, and for the means over blocks
            differs = has_means and test != "bootstrap" and not several
            made = TESTS["bootstrap" if several else test]
            return f"{made}, of the {self.blocks[-1]} {TESTS['bootstrap']}" if differs else made

        if self._has("pvalues"):
            made = f"{level('randomization')}, alpha {how.alpha:g} for all systems of a column together"
            lines.append(f"underlined or =: not significantly different from the best ({made})")
        if self._has("adjusted"):
            correction = f"{CORRECTIONS[how.correction]} over the systems of a column"
            made = f"{level(how.test)}, two-sided, alpha {how.alpha:g}, {correction}"
            lines.append(f"†: significantly different from {self.baseline} ({made})")
        shows_differences = self.differences and self._has("difference")
        if shows_differences:
            reference = "the best of its column" if self.baseline is None else self.baseline
            lines.append(f"difference from {reference}; intervals are not adjusted for the number of systems")
        if self._has("low") or (shows_differences and self._has("difference_low")):
            differs = has_means and how.method == "bca"
            kind = f"bca, of the {self.blocks[-1]} percentile bootstrap" if differs else METHODS[how.method]
            lines.append(f"intervals: {how.level}, {kind}")
        drawn = f"{how.drawn}{'; each draws runs, then documents, with replacement' * several}"
        return [*lines, drawn] if lines else []


PLAIN, BEST = "", "*"
"""The marks of a number in its column that is not a rival, and of the best."""

DAGGER = r"\rlap{$^\dagger$}"
"""LaTeX code for a dagger that takes no space, so that the number before it stays aligned."""

_AROUND = {PLAIN: ("", ""), BEST: ("**", "strong"), RIVAL: ("<ins>", "u")}


def marked(value: str, error: str = "", *, mark: str = PLAIN, differs: bool = False, width: int = 0) -> str:
    """Write a number as a cell: the best is bold, a rival is underlined; for terminals, the mark is written before it.

    Args:
        value: the number.
        error: its standard deviation; empty if there is none.
        mark: `PLAIN`, `BEST` or `RIVAL`.
        differs: whether to add a dagger, which marks a significant difference from the baseline.
        width: the most digits before the point that a number of the column has.
    """
    text, dagger = f"{value} ± {error}" if error else value, "†" if differs else ""
    sign, tag = _AROUND[mark]
    return Styled.coded(
        dagger + mark + text,
        latex=_latex_number(value, error, mark, differs, width),
        markdown=sign + text + sign.replace("<", "</") + dagger,
        html=(f"<{tag}>{text}</{tag}>" if tag else text) + (f"<sup>{dagger}</sup>" if dagger else ""),
        is_best=mark == BEST,
    )


def _latex_number(value: str, error: str, mark: str, differs: bool, width: int) -> str:
    """Write a number for a siunitx column: as it is; or, if it is marked, as a text of the same width."""
    number = rf"{value} \pm {error}" if error else value
    if not mark and not differs:
        return number
    bold, upright = (r"$\mathbf{%s}$", r"$%s$") if error else (r"\textbf{%s}", "%s")
    number = (bold if mark == BEST else upright) % number
    number = rf"\underline{{{number}}}" if mark == RIVAL else number
    narrower = width - len(value.partition(".")[0])
    space = rf"\phantom{{{'0' * narrower}}}" if narrower > 0 else ""
    return f"{{{space}{number}{DAGGER if differs else ''}}}"


def siunitx(values: Sequence[str], errors: Sequence[str]) -> str:
    """Return the siunitx type of a column of numbers: digits before and after the point, and of standard deviations."""
    before, after = (max(len(value.lstrip("-").partition(".")[k]) for value in values) for k in (0, 2))
    sign = "-" if any(value.startswith("-") for value in values) else ""
    figures = max(len(error.replace(".", "").lstrip("0")) for error in errors)
    options = f"({max(figures, 1)}), separate-uncertainty, table-align-uncertainty=false" if any(errors) else ""
    return f"S[table-format={sign}{before}.{after}{options}]"


@dataclass(frozen=True, eq=False)
class Block:
    """S systems on the same documents, each with one run or more; N runs in all.

    Attributes:
        names: (S,) names of the systems.
        sizes: (S,) numbers of runs.
        runs: the N runs; those of the first system come first.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    runs: RunScores

    @classmethod
    def from_runs(cls, given: Any, metrics: Metrics, over: str | None) -> Block:
        """Gather the runs of each system.

        Raises:
            InputError, DocumentMismatchError, UnknownNameError: see `Runs.from_scores`; runs without ``over``.
        """
        if isinstance(given, RunScores):
            if over is None:
                return cls(given.names, (1,) * len(given), RunScores.from_scores(given, metrics))
            settings, positions = grouped_over(given.settings, over)
            runs_of_systems = RunScores.from_scores(given.select(positions.ravel()), metrics)
            return cls(tuple(map(name_of, settings)), (positions.shape[1],) * len(settings), runs_of_systems)
        listed = {name_of(as_setting(name)): as_batch(each) for name, each in given.items()}
        listed = {name: [own] if isinstance(own, BatchScores) else list(own) for name, own in listed.items()}
        runs = {f"{s}, run {k + 1}" if k else s: run for s, each in listed.items() for k, run in enumerate(each)}
        return cls(tuple(listed), tuple(map(len, listed.values())), RunScores.from_scores(runs, metrics))

    @property
    def is_single(self) -> bool:
        """Whether each system has one run."""
        return max(self.sizes) == 1

    @property
    def firsts(self) -> list[int]:
        """The position of the first run of each system."""
        return [sum(self.sizes[:s]) for s in range(len(self.sizes))]

    @property
    def notes(self) -> tuple[tuple[str, ...], ...]:
        """What happened in the runs of each system."""
        return tuple(self.runs.notes_of(*range(f, f + n)) for f, n in zip(self.firsts, self.sizes, strict=True))

    def mean(self, values: Floats) -> Floats:
        """Average values of runs over the runs of each system: float64 (..., N) -> (..., S)."""
        return np.add.reduceat(values, self.firsts, axis=-1) / self.sizes

    def in_order(self, names: Sequence[str]) -> Block:
        """Return the same block with its systems in another order."""
        order = [self.names.index(name) for name in names]
        runs = np.split(np.arange(len(self.runs)), self.firsts[1:])
        chosen = self.runs.select(np.concatenate([runs[s] for s in order]))
        return Block(tuple(names), tuple(self.sizes[s] for s in order), chosen)

    def redraws(self, draws: Draws, average: str, pool: bool, document_seed: int, by: By = None) -> Floats:
        """Score the systems on redrawn documents (the same for all systems) and runs: float64 (K, 3, S, R).

        Runs are always drawn with the seed of ``draws``, so that a system's runs are drawn alike for several keys.
        """
        sample = Sample.from_runs(self.runs, average, by)
        if sample.clustering is not None:
            sample = Sample.from_runs(self.runs, average, DOCUMENT)
        n, drawn = sample.n_units, zip(self.names, self.sizes, strict=True)
        weights = np.concatenate([redrawn_runs(draws.seed, s, size, draws.resamples).T for s, size in drawn])
        scale = [(size if pool else 1) / max(1, size - 1) for size in self.sizes]  # pooled: to the counts of all runs
        weights *= np.repeat(scale, self.sizes)[:, np.newaxis]
        found, first = [], 0
        for sums in draws.over_blocks(sample.sums, multiplicities(document_seed, n), n):
            some = weights[:, first : first + sums.shape[-1]]
            first += sums.shape[-1]
            values = sums if pool else sample.scores(sums, n)
            summed = np.add.reduceat(values * some, self.firsts, axis=-2)
            found.append(sample.scores(summed, n) if pool else summed)
        scores = np.concatenate(found, axis=-1)
        return scores if n > 1 else np.full_like(scores, np.nan)


def blocks_of(runs: Any, metrics: Metrics, over: str | None) -> dict[str, Block]:
    """Arrange the user's scores as blocks, and check that they go together; the name of an only block is empty."""
    is_blocks = (
        not isinstance(runs, RunScores)
        and bool(runs)
        and all(isinstance(given, Mapping) and not isinstance(as_batch(given), BatchScores) for given in runs.values())
    )
    blocks: dict[str, Block] = {}
    for name, given in (runs if is_blocks else {"": runs}).items():
        try:
            blocks[str(name)] = Block.from_runs(given, metrics, over)
        except UnknownNameError:
            raise
        except InputError as error:
            raise type(error)(f"block {name!r}: {error}" if name else str(error)) from None
        metrics = blocks[str(name)].runs.metrics  # those found for the first block are used for all
    require_same_conventions({name: block.runs.batch(0) for name, block in blocks.items()})
    (first_name, first), *others = blocks.items()
    for name, block in others:
        here, there = (dict(zip(each.names, each.sizes, strict=True)) for each in (block, first))
        for system in there | here:
            if here.get(system, 0) != there.get(system, 0):
                raise InputError(
                    f"block {name!r} has {plural(here.get(system, 0), 'run')} of system {system!r}, and block "
                    f"{first_name!r} has {there.get(system, 0)}; expected the same systems and runs in all blocks"
                )
        blocks[name] = block.in_order(first.names)
    return blocks


FEW_RUNS = {
    1: "one run, as if all runs of it had these scores: intervals are too narrow, and tests find too much",
    2: "two runs, too few to know their spread: where runs differ much, tests find too much",
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
    how, draws = how_of(options, TestOptions)
    given = fields.replace(",", " ").split() if isinstance(fields, str) else list(fields)
    for field in given or [""]:
        check_name("field", field, RATIOS)
    shown, blocks = tuple(field for field in RATIOS if field in given), blocks_of(runs, metrics, over)
    first, *others = blocks.values()
    systems, names, sizes, whole = first.names, first.runs.metrics, first.sizes, [first, *others][-1]
    if by is not None:
        if others:
            raise OptionError(f"by makes blocks of one key's documents; there are {len(blocks)} keys", "by")
        blocks = {group: replace(whole, runs=part) for group, part in whole.runs.by(by).items()} | {"total": whole}
    if pool and not first.is_single and how.average == "macro":
        raise OptionError("pool adds up documents' sums, and average is 'macro'; expected average 'micro'", "pool")
    if pool and len(set(sizes)) > 1:
        some = f"{min(sizes)} to {max(sizes)}"
        raise InputError(f"pool adds up the runs of systems, which have {some} of them; expected the same number")
    method = how.method if first.is_single else "percentile"  # the corrections of bca are computed from documents alone
    how = replace(how, resample_by=by_name(how.resample_by, whole.runs), method=method)
    without = [metric for metric in names if not places_of([metric], shown)]
    notes = [f"left out: {', '.join(without)}, without {' or '.join(shown)}"] if without else []
    marks = marks and len(systems) > 1
    columns = places_of(names, marked_fields(shown)) if marks or baseline is not None else []
    reference = None if baseline is None else position_of(baseline, systems)
    sort_by = places_of(names, shown)[-1] if sort is True else None
    if sort and isinstance(sort, str):
        metric, field = split_field(sort)
        sort_by = names.index(known_metric(metric, names)), RATIOS.index(field)
    plan = Plan(names, columns, intervals, marks, reference, pool, draws, how)
    samples = [plan.sample(block) for block in blocks.values()]
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
        n_runs=sizes,
        n_documents=(*documents, sum(documents))[: len(titles)],
        pool=pool,
        sort=sort_by,
        baseline=None if reference is None else systems[reference],
        differences=differences,
        signature=replace(first.runs.signature, average=how.average, subset=subset),
        notes_of=tuple(block.notes for block in blocks.values()),
        notes=(*notes, *plan.notes(blocks, samples)),
        how=samples[-1][1],
        **numbers,
    )


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
        how: the other options.
    """

    metrics: tuple[str, ...]
    columns: Sequence[Place]
    intervals: bool
    marks: bool
    reference: int | None
    pool: bool
    draws: Draws
    how: How

    def sample(self, block: Block) -> tuple[Sample, How]:
        """Take the units of a block; of one clustering the document, unless each system has a single run."""
        sample, how = sample_of(block.runs, self.how)
        if sample.clustering is None or block.is_single:
            return sample, how
        return sample_of(block.runs, replace(self.how, resample_by=DOCUMENT))

    def numbers(self, blocks: Sequence[Block], samples: Sequence[tuple[Sample, How]], means: bool) -> list[Numbers]:
        """Score and test each block, and their means if these are asked for; arrays are float64 (K, 3, S)."""
        found, values = [], []
        for block, (sample, how) in zip(blocks, samples, strict=True):
            values.append(sample.pooled(block.firsts).estimates if self.pool else block.mean(sample.estimates))
            if block.is_single and self.resamples:
                resampled = Resamples.from_sample(sample, self.draws, how.method, how.confidence)
            else:
                resampled = self._redrawn(values[-1], {self.draws.seed: block})
            tested = self._tested(resampled, block if block.is_single else None)
            found.append({"sd": self._sd(block, [sample.estimates]), **tested})
        if means:  # documents are drawn for each block by itself, the same runs for all
            seeds = np.random.SeedSequence(self.draws.seed).generate_state(len(blocks), np.uint64).tolist()
            resampled = self._redrawn(np.mean(values, axis=0), dict(zip(seeds, blocks, strict=True)))
            sd = self._sd(blocks[0], [sample.estimates for sample, _ in samples])
            found.append({"sd": sd, **self._tested(resampled, None)})
        return found

    @property
    def resamples(self) -> bool:
        """Whether any interval or test was asked for."""
        return self.intervals or bool(self.columns)

    def _redrawn(self, values: Floats, blocks: Mapping[int, Block]) -> Resamples:
        """Redraw the documents, by a seed for each block, and the runs of scores, means over blocks."""
        drawn = np.empty((*values.shape, 0))
        if self.resamples:
            average, by = self.how.average, self.how.resample_by
            drawn = np.mean([b.redraws(self.draws, average, self.pool, seed, by) for seed, b in blocks.items()], axis=0)
        return Resamples(values, drawn, None, self.how.confidence)

    def _sd(self, block: Block, scores: Sequence[Floats]) -> Floats:
        """Return the standard deviation over a system's runs of their means over blocks.

        It is nan for systems with one run, and where runs are pooled.
        """
        found = []
        for each in np.split(np.mean(scores, axis=0), block.firsts[1:], axis=-1):
            defined = not self.pool and each.shape[-1] > 1
            found.append(each.std(axis=-1, ddof=1) if defined else np.full(each.shape[:-1], np.nan))
        return np.stack(found, axis=-1)

    def _tested(self, resampled: Resamples, block: Block | None) -> Numbers:
        """Find intervals, differences and p-values, nan where undefined or not asked for.

        Args:
            resampled: the scores, and the scores resampled.
            block: the systems, if each has one run; their tests exchange documents, all others are from redrawn scores.
        """
        values, alpha, correction = resampled.estimates, self.how.alpha, self.how.correction
        found = {"values": values, **{name: np.full(values.shape, np.nan) for name in NUMBERS}}
        if self.intervals:
            found["low"], found["high"] = resampled.ends()
        scores = [direction(self.metrics[k]) * values[k, f] for k, f in self.columns]
        bests = [int(np.argmax(rounded_for_ties(signed))) for signed in scores]
        references = [best if self.reference is None else self.reference for best in bests]
        columns = [(k, f, reference) for (k, f), reference in zip(self.columns, references, strict=True)]
        both = zip(columns, scores, bests, resampled.intervals(*columns), strict=True)
        for (k, f, reference), signed, best, apart in both:
            metric, others = self.metrics[k], [s for s in range(signed.size) if s != reference]
            for name, end in DIFFERENCES.items():
                found[name][k, f] = [getattr(each.interval, end) for each in apart]
            differences = found["difference"][k, f, others]
            runs = block and RunScores.from_scores(block.runs, (metric,))
            sample = runs and Sample.from_runs(runs, self.how.average, self.how.resample_by)
            if self.marks and sample:
                found["pvalues"][k, f] = best_pvalues(sample, f, best, alpha, self.draws).pvalues
            elif self.marks:
                found["pvalues"][k, f] = best_of_redraws(direction(metric) * resampled.drawn[k, f], signed, alpha)
            if self.reference is not None and sample:
                family = Family(sample, [(s, reference) for s in others], f, self.how.test, self.draws)
                found["adjusted"][k, f, others] = family.corrected(correction)[1]
            elif self.reference is not None:
                strays = resampled.drawn[k, f, others] - resampled.drawn[k, f, reference] - differences[:, np.newaxis]
                found["adjusted"][k, f, others] = redrawn_pvalues(differences, strays, correction)
        return found

    def notes(self, blocks: Mapping[str, Block], samples: Sequence[tuple[Sample, How]]) -> list[str]:
        """Write notes on what makes intervals and tests weak, and on runs that were scored differently."""
        notes, exchanges = [], self.reference is not None and self.how.test == "randomization"
        for (name, block), (sample, how) in zip(blocks.items(), samples, strict=True):
            own, n_differing = block.runs.joint_notes, 0
            if self.resamples:
                own = sample_notes(block.runs, sample, how=how if self.intervals else None)
            if block.is_single and (self.marks or exchanges):
                n_differing = sample.differing(range(len(sample))).size
            few = FEW_RUNS if self.resamples and not block.is_single else {}
            lacking = joint_notes(block.names, [[few[size]] if size in few else [] for size in block.sizes])
            own = (*own, *exact_notes(sample, n_differing, self.draws.resamples))
            notes += [f"{name}: {note}" if name else note for note in own]
            notes += [note for note in lacking if note not in notes]
        drawn = any(how.method != LINEARIZED for _, how in samples)
        notes += few_notes(self.how) if self.intervals and drawn else ()
        n_tests = len(block.names) - 1 if self.reference is not None else len(self.columns[:1])
        return [*notes, *floor_notes(self.how.correction, self.draws.resamples, n_tests, self.how.alpha)]
