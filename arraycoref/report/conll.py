"""The format ``conll``: the lines that the reference scorer, version 8.01, prints, for scripts that read those.

Without ``per_document`` it is what ``scorer.pl all key response none`` prints; with it, what the same command prints
without ``none``, save the listing of every entity's token positions. What follows the version number in the first line
is the path of a Perl module there, and our own name here. Documents come in the order of the key, there in no order.
BLANC's class that one side lacks is treated as the profile of the results says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arraycoref.errors import InputError, printable
from arraycoref.report.rows import Row, document_rows, rows_of
from arraycoref.report.values import number, truncate

if TYPE_CHECKING:
    from arraycoref.report.rows import BatchScoresLike

METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
RULE = "-" * 74


def render_conll(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False) -> str:
    """Write the reference scorer's output for those of its five metrics that were scored.

    A single metric has no ``METRIC`` line, as in ``scorer.pl muc key response``.

    Args:
        b: the results, with the metric ``mentions`` among others, for each block begins with it.
        per_document: write each document's block before the totals.
        macro: refused, for the reference scorer has no means over documents.

    Raises:
        InputError: the results hold what this format cannot show, or lack what it does.
    """
    if macro or b.signature.beta != 1:
        raise InputError("format 'conll' shows F1 of the whole corpus; expected beta 1 and no means over documents")
    metrics = [metric for metric in METRICS if metric in b.metrics]
    if not metrics:
        raise InputError(f"format 'conll' shows the metrics {', '.join(METRICS)}; none of them was scored")
    if "mentions" not in b.metrics:
        raise InputError("format 'conll' begins with the mentions; expected metric 'mentions' among those scored")
    total = _by_name(rows_of(b, b.metrics))
    documents = list(_documents(b)) if per_document else []
    lines = [first_line(b.signature.version)]
    for metric in metrics:
        if len(metrics) > 1:
            lines += ["", f"METRIC {metric}:"]
        for header, rows in documents:
            lines += _document(metric, header, rows)
        lines += ["", "====== TOTALS ======="]
        lines += _line("Identification of Mentions: ", total["mentions"])
        lines += _totals(metric, total)
    return "\n".join(lines) + "\n"


def first_line(version: str) -> str:
    """Return what is printed before files are read."""
    return f"version: 8.01 arraycoref {version}"


def _totals(metric: str, rows: dict[str, Row]) -> list[str]:
    if metric != "blanc":
        return _line("Coreference: ", rows[metric])
    blanc = rows["blanc"]
    recall, precision, _ = blanc.ratios
    return [
        "",
        "Coreference:",
        *_line("Coreference links: ", rows["blanc_coreference"]),
        *_line("Non-coreference links: ", rows["blanc_non_coreference"]),
        *_line("BLANC: ", blanc._replace(sums=[recall, 1, precision, 1])),
    ]


def _document(metric: str, header: str, rows: dict[str, Row]) -> list[str]:
    """Return the lines of a document; those of BLANC have neither its name nor its score."""
    shared, n_key, _, n_response = rows["mentions"].sums
    lines = [
        ":" if metric == "blanc" else f"{header}:",
        f"Total key mentions: {number(n_key)}",
        f"Total response mentions: {number(n_response)}",
        f"Strictly correct identified mentions: {number(shared)}",
        "Partially correct identified mentions: 0",
        f"No identified: {number(n_key - shared)}",
        f"Invented: {number(n_response - shared)}",
    ]
    return lines if metric == "blanc" else lines + _line("", rows[metric])


def _line(title: str, row: Row) -> list[str]:
    recall, precision, f1 = (number(truncate(value)) for value in row.ratios)
    sums = list(map(number, row.sums))
    return [
        f"{title}Recall: ({sums[0]} / {sums[1]}) {recall}%\tPrecision: ({sums[2]} / {sums[3]}) {precision}%\tF1: {f1}%",
        RULE,
    ]


def _documents(b: BatchScoresLike) -> Iterator[tuple[str, dict[str, Row]]]:
    headers: Sequence[str] = getattr(b, "headers", None) or b.names
    for header, (_, rows) in zip(headers, document_rows(b), strict=True):
        yield printable(header), _by_name(rows)


def _by_name(rows: Sequence[Row]) -> dict[str, Row]:
    return {row.name: row for row in rows}
