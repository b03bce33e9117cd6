"""Tagger scores and tables as text, in the formats of `arraycoref.report`."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.report import render
from arraycoref.report.cells import Cells
from arraycoref.report.percent import f_name, formatter
from arraycoref.report.rows import FIELDS, score_rows
from arraycoref.tagging.conll18 import render_conll18
from arraycoref.tagging.results import Correctness, TagScores, tags_dict

STYLES = {"table": "simple", "markdown": "pipe", "latex": "latex_booktabs"}
TABLE_FORMATS = ("table", "json", "csv", "markdown", "latex")
"""The output formats of tables of errors."""

FORMATS = (*TABLE_FORMATS, "conll")
"""The output formats of scores."""


def render_tags(
    scores: TagScores,
    format: str = "table",
    *,
    per_document: bool = False,
    macro: bool = False,
    digits: int = 2,
    kinds: Mapping[str, TagScores] | None = None,
) -> str:
    """Write tagger scores as text.

    Args:
        scores: the results.
        format: one of `FORMATS`.
        per_document: tell every unit's scores too (csv: these only).
        macro: tell means over units, in the place of the scores of all (json: besides them).
        digits: decimals of percentages; json, csv and conll have their own precision.
        kinds: scores of known, unknown and ambiguous words, to be told as well (not with per_document or macro in csv).

    Returns:
        Text that ends with a newline.

    Raises:
        UnknownNameError: there is no such format.
        InputError: the format cannot tell what was asked for.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if format == "conll":
        if per_document or macro or kinds is not None or scores.signature.beta != 1:
            raise InputError("format 'conll' has F1 of all words; no other F, units, means, or kinds of words")
        return render_conll18(scores)
    if format == "json":
        found = tags_dict(scores, per_document=per_document, macro=macro)
        if kinds is not None:
            found["words"] = {kind: tags_dict(of_kind)["scores"] for kind, of_kind in kinds.items()}
        return json.dumps(found, indent=2, allow_nan=False) + "\n"
    if format == "csv":
        return (
            render(scores, "csv", per_document=per_document, macro=macro)
            if per_document or macro
            else _csv(scores, kinds)
        )
    tables = [] if macro else [_correctness(scores, digits)]
    if kinds is not None:
        tables += _kinds(kinds, scores, digits)
    parts = [cells.tabulate(STYLES[format]) for cells in tables]
    return "\n\n".join([*parts, render(scores, format, per_document=per_document, macro=macro, digits=digits)])


def render_rows(headers: Sequence[str], rows: Sequence[Sequence[object]], format: str = "table") -> str:
    """Write a table of counts as text.

    Args:
        headers: a name for each column.
        rows: the rows.
        format: one of `TABLE_FORMATS`; json is a list of objects.

    Raises:
        UnknownNameError: there is no such format.
    """
    if format == "json":
        found = [dict(zip(headers, row, strict=True)) for row in rows]
        return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    if format == "csv":
        return _write_csv([headers, *rows])
    if format not in STYLES:
        raise UnknownNameError("format", format, TABLE_FORMATS)
    return Cells(list(headers), [[str(value) for value in row] for row in rows]).tabulate(STYLES[format]) + "\n"


def _correctness(scores: TagScores, digits: int) -> Cells:
    percent = formatter(scores.signature, digits)
    rows = []
    for measure in scores.metrics:
        weak, strong, accuracy = scores.correctness(measure)
        rows.append([measure, percent(strong), percent(weak), percent(math.nan if accuracy is None else accuracy)])
    return Cells(["measure", "strong correctness", "weak correctness", "aligned accuracy"], rows)


def _kinds(kinds: Mapping[str, TagScores], scores: TagScores, digits: int) -> list[Cells]:
    """Lay out F of each kind of words, and accuracy where they have one tag."""
    percent = formatter(scores.signature, digits)
    found = []
    for title in (f_name(scores.signature.beta), "accuracy"):
        rows = []
        for kind, of_kind in kinds.items():
            correctness = [of_kind.correctness(measure).aligned_accuracy for measure in scores.metrics]
            accuracy = [math.nan if value is None else value for value in correctness]
            values = accuracy if title == "accuracy" else [of_kind[measure].f1 for measure in scores.metrics]
            rows.append([kind, *map(percent, values)])
        if any(any(row[1:]) for row in rows):
            found.append(Cells([f"words ({title})", *scores.metrics], rows))
    return found


def _csv(scores: TagScores, kinds: Mapping[str, TagScores] | None) -> str:
    """Write a line a measure; where there are kinds of words, a line a kind and measure."""
    lines: list[Sequence[object]] = [
        (*([] if kinds is None else ["words"]), "metric", *FIELDS, *Correctness._fields),
    ]
    for kind, of_kind in {"all": scores, **(kinds or {})}.items():
        for row in score_rows(of_kind, of_kind.metrics):
            values = [*row[2:], *of_kind.correctness(row.metric)]
            shown = ["" if value is None or math.isnan(value) else repr(value) for value in values]
            lines.append([*([] if kinds is None else [kind]), row.metric, *shown])
    return _write_csv(lines)


def _write_csv(lines: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
