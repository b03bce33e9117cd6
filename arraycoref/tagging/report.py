"""Tagger scores and tables as text, in the formats of `arraycoref.report`."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence

from arraycoref.errors import UnknownNameError
from arraycoref.report import render
from arraycoref.report.cells import Cells
from arraycoref.report.percent import f_name, formatter
from arraycoref.report.rows import FIELDS, score_rows
from arraycoref.results import Scores
from arraycoref.tagging.results import Correctness, TagScores, tags_dict

STYLES = {"table": "simple", "markdown": "pipe", "latex": "latex_booktabs"}
FORMATS = ("table", "json", "csv", "markdown", "latex")
"""The output formats; ``conll`` is for coreference alone."""


def render_tags(
    scores: TagScores,
    format: str = "table",
    *,
    per_document: bool = False,
    macro: bool = False,
    digits: int = 2,
    kinds: Mapping[str, Scores] | None = None,
) -> str:
    """Write tagger scores as text.

    Args:
        scores: the results.
        format: one of `FORMATS`.
        per_document: tell every unit's scores too (csv: these only).
        macro: tell means over units, in the place of the scores of all (json: besides them).
        digits: decimals of percentages; json and csv have full precision.
        kinds: scores of known, unknown and ambiguous words, to be told as well (csv: not).

    Returns:
        Text that ends with a newline.

    Raises:
        UnknownNameError: there is no such format.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if format == "json":
        found = tags_dict(scores, per_document=per_document, macro=macro)
        if kinds is not None:
            found["words"] = {kind: of_kind.to_dict() for kind, of_kind in kinds.items()}
        return json.dumps(found, indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return render(scores, "csv", per_document=True) if per_document else _csv(scores, macro)
    tables = [] if macro else [_correctness(scores, digits)]
    if kinds is not None:
        tables.append(_kinds(kinds, scores, digits))
    parts = [cells.tabulate(STYLES[format]) for cells in tables]
    return "\n\n".join([*parts, render(scores, format, per_document=per_document, macro=macro, digits=digits)])


def render_rows(headers: Sequence[str], rows: Sequence[Sequence[object]], format: str = "table") -> str:
    """Write a table of counts as text.

    Args:
        headers: a name for each column.
        rows: the rows.
        format: one of `FORMATS`; json is a list of objects.

    Raises:
        UnknownNameError: there is no such format.
    """
    if format == "json":
        found = [dict(zip(headers, row, strict=True)) for row in rows]
        return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    if format == "csv":
        return _write_csv([headers, *rows])
    if format not in STYLES:
        raise UnknownNameError("format", format, FORMATS)
    return Cells(list(headers), [[str(value) for value in row] for row in rows]).tabulate(STYLES[format]) + "\n"


def _correctness(scores: TagScores, digits: int) -> Cells:
    percent = formatter(scores.signature, digits)
    rows = []
    for measure in scores.metrics:
        weak, strong, accuracy = scores.correctness(measure)
        rows.append([measure, percent(strong), percent(weak), percent(math.nan if accuracy is None else accuracy)])
    return Cells(["measure", "strong correctness", "weak correctness", "aligned accuracy"], rows)


def _kinds(kinds: Mapping[str, Scores], scores: TagScores, digits: int) -> Cells:
    percent = formatter(scores.signature, digits)
    rows = [[kind, *(percent(of_kind[measure].f1) for measure in scores.metrics)] for kind, of_kind in kinds.items()]
    return Cells([f"words ({f_name(scores.signature.beta)})", *scores.metrics], rows)


def _csv(scores: TagScores, macro: bool) -> str:
    if macro:
        return render(scores, "csv", macro=True)
    lines: list[Sequence[object]] = [("metric", *FIELDS, *Correctness._fields)]
    for row in score_rows(scores, scores.metrics):
        values = [*row[2:], *scores.correctness(row.metric)]
        lines.append([row.metric, *("" if value is None or math.isnan(value) else repr(value) for value in values)])
    return _write_csv(lines)


def _write_csv(lines: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
