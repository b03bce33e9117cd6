"""Lay a table of scores out in groups of columns, and say below it what its numbers and marks mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from arraycoref.metrics.base import RATIOS
from arraycoref.metrics.score import Floats
from arraycoref.report.escapes import Styled, html_text, latex_title, markdown_text
from arraycoref.report.grouped import BEST, PLAIN, RIVAL, GroupedTable, marked, siunitx
from arraycoref.report.values import f_name, is_count, metric_title, number_of, shown, unit
from arraycoref.stats.options import CORRECTIONS, TESTS
from arraycoref.stats.table_numbers import Place, TableNumbers, marked_fields

SYSTEM = Styled.of("system", latex="System", markdown="system", html="system")


def lay_out(table: TableNumbers, digits: int) -> GroupedTable:
    """Lay out a row for each system: columns of scores, and of what was asked for beside those that are marked."""
    columns = [[table.systems[s] for _, s in table.rows]]
    headers: list[str] = [SYSTEM]
    specs, sizes = ["l"], Counter[str]()
    for place in table.places:
        values, errors = _texts(table, table.values, place, digits), _texts(table, table.sd, place, digits)
        columns.append(_cells(table, place, values, errors))
        headers.append(_header(table, place))
        specs.append(siunitx(values, errors))
        for header, cells in _beside(table, place, digits):
            columns.append(cells)
            headers.append(header)
            specs.append("c")
        sizes[table.metrics[place[0]]] += len(headers) - 1 - sizes.total()
    return GroupedTable(
        headers,
        list(map(list, zip(*columns, strict=True))),
        groups=[("", 1), *((_title(metric), size) for metric, size in sizes.items())],
        sections=[(block, len(table.systems)) for block in table.blocks] if len(table.blocks) > 1 else [],
        specs=specs,
    )


def _texts(table: TableNumbers, values: Floats, place: Place, digits: int, sign: str = "") -> list[str]:
    """Write one of the numbers that there are to the scores of a column."""
    are_scores = any(values is each for each in (table.values, table.low, table.high))
    profile = table.signature.profile if are_scores else "paper"  # which rounds, as of any difference
    metric, column = table.metrics[place[0]], values[..., place[0], place[1]]
    return [shown(float(column[row]), metric, digits, profile=profile, sign=sign) for row in table.rows]


def _has(table: TableNumbers, values: Floats, place: Place) -> bool:
    """Whether there are such numbers to the scores of a column, which is one that has marks and intervals."""
    return RATIOS[place[1]] in marked_fields(table.fields) and not bool(np.isnan(values[..., *place]).all())


def _beside(table: TableNumbers, place: Place, digits: int) -> Iterator[tuple[str, list[str]]]:
    """Yield header and cells of each column beside a score: its interval, its difference, and that one's interval."""
    interval = f"{100 * table.confidence:g}% interval"
    if _has(table, table.low, place):
        yield interval, _intervals(table, place, digits, table.low, table.high)
    if table.differences and _has(table, table.difference, place):
        yield "difference", [_signed(text) for text in _texts(table, table.difference, place, digits, "+")]
        if _has(table, table.difference_low, place):
            yield interval, _intervals(table, place, digits, table.difference_low, table.difference_high, "+")


def _intervals(table: TableNumbers, place: Place, digits: int, low: Floats, high: Floats, sign: str = "") -> list[str]:
    """Write the intervals of a column."""
    ends = (_texts(table, each, place, digits, sign) for each in (low, high))
    texts = (f"{a} to {b}" if a else "" for a, b in zip(*ends, strict=True))
    maths = "$" if sign else ""
    return [
        Styled.of(text, latex=f"{maths}[{text.replace(' to ', ', ')}]{maths}" if text else "", markdown=text, html=text)
        for text in texts
    ]


def _signed(text: str) -> str:
    """Write a number with its sign, which LaTeX sets as text outside of formulas."""
    return Styled.of(text, latex=f"${text}$" if text else "", markdown=text, html=text)


def _title(metric: str) -> str:
    title = metric_title(metric)
    return Styled.of(title, latex=latex_title(title), markdown=markdown_text(title), html=html_text(title))


def _header(table: TableNumbers, place: Place) -> str:
    metric, field = table.metrics[place[0]], RATIOS[place[1]]
    if is_count(metric):
        return ""
    return f_name(table.signature.beta) if field == "f1" else field[0].upper()


def _cells(table: TableNumbers, place: Place, values: list[str], errors: list[str]) -> list[str]:
    """Write the cells of a column, with their marks."""
    k, f = place
    best, rivals, differing = (flags[..., k, f] for flags in (table.best, table.rivals, table.differing))
    if len(table.systems) == 1 or RATIOS[f] not in marked_fields(table.fields):
        best = np.zeros_like(best)
    width = max(len(value.partition(".")[0]) for value in values)
    marks = [BEST if best[row] else RIVAL if rivals[row] else PLAIN for row in table.rows]
    return [
        marked(value, error, mark=mark, differs=bool(differing[row]), width=width)
        for row, value, error, mark in zip(table.rows, values, errors, marks, strict=True)
    ]


def words(table: TableNumbers) -> list[str]:
    """Return the lines below a table."""
    several, runs = len(table.blocks) > 1, number_of(max(table.n_runs), "run")
    sizes = [number_of(n, "document") for n in table.n_documents]
    named = ", ".join(f"{block}: {n}" for block, n in zip(table.blocks[:-1], sizes, strict=False)) or sizes[0]
    lines = [f"{named}, {table.average} average, {unit(*table.metrics)}"]
    if several:
        lines.append(f"{table.blocks[-1]}: mean of the scores of {len(table.blocks) - 1} blocks, which weigh the same")
    if max(table.n_runs) > 1:
        runs = runs if min(table.n_runs) == max(table.n_runs) else f"{min(table.n_runs)} to {runs}"
        what = "scores of the sums" if table.seeds == "pool" else "mean ± standard deviation"
        lines.append(f"{what} over {runs}")
    if len(table.systems) > 1:
        lines.append("bold or *: the best of its column" + (" in each block" if several else ""))
    lines += _words_on_tests(table)
    return [*lines, *(f"note: {note}" for note in table.notes), str(table.signature)]


def _words_on_tests(table: TableNumbers) -> list[str]:
    """Say how marks and intervals were made."""
    lines = []
    if not np.isnan(table.pvalues).all():
        level = f"{_test(table, 'randomisation')}, alpha {table.alpha:g} for all systems of a column together"
        lines.append(f"underlined or =: not significantly different from the best ({level})")
    if not np.isnan(table.adjusted).all():
        correction = f"{CORRECTIONS[table.correction]} over the systems of a column"
        level = f"{_test(table, table.test)}, two-sided, alpha {table.alpha:g}, {correction}"
        lines.append(f"†: significantly different from {table.baseline} ({level})")
    shows_differences = table.differences and not np.isnan(table.difference).all()
    if shows_differences:
        reference = table.baseline or "the best of its column"
        lines.append(f"differences: from {reference}, each interval by itself")
    if not np.isnan(table.low).all() or (shows_differences and not np.isnan(table.difference_low).all()):
        differs = len(table.blocks) > 1 and table.method == "bca"
        kind = f"{table.method}, of the {table.blocks[-1]} percentile" if differs else table.method
        lines.append(f"intervals: {100 * table.confidence:g}%, {kind} bootstrap")
    if lines:
        drawn = "; each draws runs, then documents, with replacement" if max(table.n_runs) > 1 else ""
        lines.append(f"{table.n_resamples} resamples, seed {table.seed}{drawn}")
    return lines


def _test(table: TableNumbers, test: str) -> str:
    """Name a test; where runs are redrawn, and for means over blocks, it is the bootstrap."""
    if max(table.n_runs) > 1:
        return TESTS["bootstrap"]
    differs = len(table.blocks) > 1 and test != "bootstrap"
    return f"{TESTS[test]}, of the {table.blocks[-1]} {TESTS['bootstrap']}" if differs else TESTS[test]
