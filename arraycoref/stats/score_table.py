"""Hold the numbers of a table of scores, and print it in every format, with columns in groups and a caption below."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Floats
from arraycoref.report.formats import plain
from arraycoref.report.tables import Styled, TextTable, in_latex, number_of
from arraycoref.scoring.format import fields_of, format_score, is_count, latex_title, metric_title, unit
from arraycoref.scoring.grouped import ABOUT_OTHER, MEAN, OTHER
from arraycoref.scoring.metrics.registry import RATIOS, direction
from arraycoref.scoring.metrics.score import best_first, rounded_for_ties
from arraycoref.stats.results import CORRECTIONS, METHODS, RIVAL, TESTS, Interval, Tested

Flags = NDArray[np.bool_]
Place = tuple[int, int]
"""Positions of a metric and of a field."""

SETTINGS = (
    *("fields", "pool", "baseline", "test", "correction", "alpha", "method", "confidence", "average", "resamples"),
    *("resample_by", "seed"),
)
"""Attributes of a table that its JSON holds in addition to the rows."""

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
class ScoreTable(Tested):
    """Scores of S systems in K metrics, in B blocks: one for each key and, if there are several keys, one of the means.

    Attributes:
        systems: (S,) names.
        blocks: (B,) names; the name of an only block is empty, that of the means over blocks `MEAN`.
        metrics: (K,) names, each the head of a group of columns.
        fields: those of ``recall``, ``precision`` and ``f1`` that are shown.
        values: float64 (B, S, K, 3) recall, precision and F, fractions 0-1; nan where a metric lacks the field.
        sd: float64 (B, S, K, 3) standard deviation over a system's runs; nan if there is one run or runs are pooled.
        low: float64 (B, S, K, 3) lower end of the score's interval; nan if intervals were not asked for.
        high: float64 (B, S, K, 3) upper end, likewise.
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
        method: kind of the intervals; if it is ``bca``, those of means over blocks are ``percentile`` intervals.
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
        return np.asarray((self.pvalues > self.alpha) & ~self.best)

    @property
    def differing(self) -> Flags:
        """Whether a score differs significantly from that of the baseline, bool (B, S, K, 3)."""
        return np.asarray(self.adjusted <= self.alpha)

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
        keys = self.blocks[:-1] if self._has_means else self.blocks
        runs = number_of(max(self.n_runs), "run")
        sizes = [number_of(n, self.signature.unit) for n in self.n_documents]
        named = ", ".join(f"{block}: {n}" for block, n in zip(keys, sizes, strict=False)) if keys[0] else sizes[0]
        lines = [f"{named}, {self.average} average, {unit(*self.metrics)}"]
        lines += [ABOUT_OTHER] if OTHER in keys else []
        if self._has_means:
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
        documents = dict(zip(self.blocks, self.n_documents, strict=True))
        return {**{name: getattr(self, name) for name in SETTINGS}, "documents": documents}

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
        interval, profile = f"{100 * self.confidence:g}% interval", self.signature.profile
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
        columns = zip(
            *([float(getattr(self, name)[*row, *place]) for row in self.row_places] for name in names), strict=True
        )
        found = (Interval(value, low, high, math.nan) for value, low, high in columns)
        return list(zip(*(each.cells(self.metrics[place[0]], digits, **how) for each in found), strict=True))

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
        return [
            marked(value, error, mark=mark, differs=bool(differing[row]), width=width)
            for row, value, error, mark in zip(self.row_places, values, errors, marks, strict=True)
        ]

    def _words_on_tests(self) -> list[str]:
        """Describe how marks, differences and intervals were made; nothing if the table has none."""
        lines = []
        if self._has("pvalues"):
            level = f"{self._test('randomisation')}, alpha {self.alpha:g} for all systems of a column together"
            lines.append(f"underlined or =: not significantly different from the best ({level})")
        if self._has("adjusted"):
            correction = f"{CORRECTIONS[self.correction]} over the systems of a column"
            level = f"{self._test(self.test)}, two-sided, alpha {self.alpha:g}, {correction}"
            lines.append(f"†: significantly different from {self.baseline} ({level})")
        shows_differences = self.differences and self._has("difference")
        if shows_differences:
            reference = "the best of its column" if self.baseline is None else self.baseline
            lines.append(f"differences: from {reference}, each interval by itself")
        if self._has("low") or (shows_differences and self._has("difference_low")):
            differs = self._has_means and self.method == "bca"
            kind = f"bca, of the {self.blocks[-1]} percentile bootstrap" if differs else METHODS[self.method]
            lines.append(f"intervals: {100 * self.confidence:g}%, {kind}")
        if lines:
            drawn = "; each draws runs, then documents, with replacement" if max(self.n_runs) > 1 else ""
            lines.append(f"{self.resamples} resamples, seed {self.seed}{drawn}")
        return lines

    @property
    def _has_means(self) -> bool:
        return self.blocks[-1] == MEAN

    def _test(self, test: str) -> str:
        """Name the test that was made: always the bootstrap if runs are redrawn, and for the means over blocks."""
        if max(self.n_runs) > 1:
            return TESTS["bootstrap"]
        differs = self._has_means and test != "bootstrap"
        return f"{TESTS[test]}, of the {self.blocks[-1]} {TESTS['bootstrap']}" if differs else TESTS[test]


PLAIN, BEST = "", "*"
"""The marks of a number in its column that is no rival, and of the best."""

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
    return Styled.of(
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
