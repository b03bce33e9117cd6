"""Lay a table of scores out in groups of columns, and say below it what its numbers and marks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arraycoref.metrics.base import RATIOS
from arraycoref.report.escapes import Styled, html_text, latex_title, markdown_text
from arraycoref.report.grouped import BEST, PLAIN, RIVAL, GroupedTable, marked
from arraycoref.report.values import f_name, is_count, metric_title, number_of, shown, unit
from arraycoref.stats.options import CORRECTIONS, TESTS

if TYPE_CHECKING:
    from arraycoref.stats.score_table import ScoreTable


SYSTEM = Styled.of("system", latex="System", markdown="system", html="system")


def lay_out(table: ScoreTable, digits: int) -> GroupedTable:
    """Lay out a row for each system: columns of scores, and of the intervals of those that are marked."""
    columns = [_names(table)]
    headers: list[str] = [SYSTEM]
    specs, sizes = ["l"], dict.fromkeys(table.metrics, 0)
    for k, f in table.places:
        columns.append(_cells(table, k, f, digits))
        headers.append(_header(table, k, f))
        specs.append(_siunitx(table, k, f, digits))
        has_interval = f in marked_fields(table.fields) and not np.isnan(table.low[:, :, k, f]).all()
        if has_interval:
            columns.append(_intervals(table, k, f, digits))
            headers.append(f"{100 * table.confidence:g}% interval")
            specs.append("c")
        sizes[table.metrics[k]] += 1 + has_interval
    several = len(table.blocks) > 1
    return GroupedTable(
        headers,
        list(map(list, zip(*columns, strict=True))),
        groups=[("", 1), *((_title(metric), size) for metric, size in sizes.items() if size)],
        sections=[(block, len(table.systems)) for block in table.blocks] if several else [],
        specs=specs,
    )


def marked_fields(fields: tuple[str, ...]) -> list[int]:
    """Return positions of the fields that are marked and have intervals: F, or all where F is not shown."""
    return [RATIOS.index("f1")] if "f1" in fields else [RATIOS.index(field) for field in fields]


def _names(table: ScoreTable) -> list[str]:
    return [str(table.systems[s]) for b in range(len(table.blocks)) for s in table.order(b)]


def _title(metric: str) -> str:
    title = metric_title(metric)
    return Styled.of(title, latex=latex_title(title), markdown=markdown_text(title), html=html_text(title))


def _header(table: ScoreTable, k: int, f: int) -> str:
    if is_count(table.metrics[k]):
        return ""
    return f_name(table.signature.beta) if RATIOS[f] == "f1" else RATIOS[f][0].upper()


def _texts(table: ScoreTable, k: int, f: int, digits: int) -> list[tuple[str, str]]:
    """Write the numbers of a column and their standard deviations, block by block."""
    metric, profile = table.metrics[k], table.signature.profile
    return [
        (
            shown(float(table.values[b, s, k, f]), metric, digits, profile=profile),
            shown(float(table.sd[b, s, k, f]), metric, digits),
        )
        for b in range(len(table.blocks))
        for s in table.order(b)
    ]


def _cells(table: ScoreTable, k: int, f: int, digits: int) -> list[str]:
    """Write the cells of a column, with their marks."""
    best, rivals, differing = table.best, table.rivals, table.differing
    texts = _texts(table, k, f, digits)
    width = max(len(value.partition(".")[0]) for value, _ in texts)
    several, cells = len(table.systems) > 1 and f in marked_fields(table.fields), []
    places = [(b, s, k, f) for b in range(len(table.blocks)) for s in table.order(b)]
    for place, (value, sd) in zip(places, texts, strict=True):
        mark = BEST if several and best[place] else RIVAL if rivals[place] else PLAIN
        cells.append(marked(value, sd, mark=mark, differs=bool(differing[place]), width=width))
    return cells


def _intervals(table: ScoreTable, k: int, f: int, digits: int) -> list[str]:
    found: list[str] = []
    for b in range(len(table.blocks)):
        for s in table.order(b):
            ends = (float(ends[b, s, k, f]) for ends in (table.low, table.high))
            low, high = (shown(value, table.metrics[k], digits) for value in ends)
            text = f"{low} to {high}" if low else ""
            found.append(Styled.of(text, latex=f"[{low}, {high}]" if low else "", markdown=text, html=text))
    return found


def _siunitx(table: ScoreTable, k: int, f: int, digits: int) -> str:
    """Describe a column to siunitx: digits before and after the point, and those of standard deviations."""
    texts = _texts(table, k, f, digits)
    before = max(len(value.partition(".")[0].lstrip("-")) for value, _ in texts)
    after = max(len(value.partition(".")[2]) for value, _ in texts)
    sign = "-" if any(value.startswith("-") for value, _ in texts) else ""
    figures = max(len(sd.replace(".", "").lstrip("0")) for _, sd in texts)
    if not any(sd for _, sd in texts):
        return f"S[table-format={sign}{before}.{after}]"
    options = "separate-uncertainty, table-align-uncertainty=false"
    return f"S[table-format={sign}{before}.{after}({max(figures, 1)}), {options}]"


def caption(table: ScoreTable) -> list[str]:
    """Return the lines below the table."""
    several = len(table.blocks) > 1
    documents = [number_of(n, "document") for n in table.n_documents]
    sizes = ", ".join(f"{block}: {n}" for block, n in zip(table.blocks[:-1], documents, strict=False))
    lines = [f"{sizes if several else documents[0]}, {table.average} average, {unit(*table.metrics)}"]
    if several:
        lines.append(f"{table.blocks[-1]}: mean of the scores of {len(table.blocks) - 1} blocks, which weigh the same")
    lines += _words_on_runs(table)
    lines += _words_on_marks(table) + _words_on_resamples(table)
    return [*lines, *(f"note: {note}" for note in table.notes), str(table.signature)]


def _words_on_runs(table: ScoreTable) -> list[str]:
    if max(table.n_runs) == 1:
        return []
    least, most = min(table.n_runs), max(table.n_runs)
    of = f"{least} to {most} runs" if least < most else f"{most} runs"
    return [f"scores of the sums over {of}" if table.seeds == "pool" else f"mean ± standard deviation over {of}"]


def _words_on_marks(table: ScoreTable) -> list[str]:
    """Say what bold, underlines and daggers mean."""
    if len(table.systems) == 1:
        return []
    lines = ["bold or *: the best of its column" + (" in each block" if len(table.blocks) > 1 else "")]
    if not np.isnan(table.pvalues).all():
        level = f"{_test(table, 'randomisation')}, alpha {table.alpha:g} for all systems of a column together"
        lines.append(f"underlined or =: not significantly different from the best ({level})")
    if not np.isnan(table.adjusted).all():
        correction = f"{CORRECTIONS[table.correction]} over the systems of a column"
        level = f"{_test(table, table.test)}, two-sided, alpha {table.alpha:g}, {correction}"
        lines.append(f"†: significantly different from {table.baseline} ({level})")
    return lines


def _test(table: ScoreTable, test: str) -> str:
    """Name a test; where runs are redrawn, and for means over blocks, it is the bootstrap."""
    if max(table.n_runs) > 1 or len(table.blocks) == 1 or test == "bootstrap":
        return TESTS["bootstrap" if max(table.n_runs) > 1 else test]
    return f"{TESTS[test]}, of the {table.blocks[-1]} {TESTS['bootstrap']}"


def _words_on_resamples(table: ScoreTable) -> list[str]:
    """Say how intervals and tests were made."""
    several, lines = max(table.n_runs) > 1, []
    if not np.isnan(table.low).all():
        differs = len(table.blocks) > 1 and table.method == "bca"
        kind = f"{table.method}, of the {table.blocks[-1]} percentile" if differs else table.method
        lines.append(f"intervals: {100 * table.confidence:g}%, {kind} bootstrap")
    if lines or not (np.isnan(table.pvalues) & np.isnan(table.adjusted)).all():
        drawn = "; each draws runs, then documents, with replacement" if several else ""
        lines.append(f"{table.n_resamples} resamples, seed {table.seed}{drawn}")
    return lines
