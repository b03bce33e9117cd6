"""Write the format ``conll``: the lines that the reference scorer, version 8.01, prints, for scripts that read them.

Without ``per_document`` the output is that of ``scorer.pl all key response none``. With it, the output is that of the
same command without ``none``, except that the token positions of every entity are not listed. After the version number
in the first line, the reference scorer prints the path of a Perl module, and this format the name of this package. The
documents are in the order of the key; the reference scorer prints them in no fixed order. If one side has no links of
one of BLANC's two classes, BLANC is computed as the profile of the results requires.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arraycoref.exceptions import InputError, printable
from arraycoref.scoring.format import Row, document_rows, rows_of, truncate
from arraycoref.scoring.metrics.registry import OF_REFERENCE

RULE = "-" * 74


def render_conll(b: Any, *, per_document: bool = False, macro: bool = False) -> str:
    """Write the reference scorer's output for those of its five metrics that were scored.

    A single metric has no ``METRIC`` line, as in ``scorer.pl muc key response``.

    Args:
        b: the results. They need the metric ``mentions``, with whose counts each block begins.
        per_document: write each document's block before the totals.
        macro: must be False, since the reference scorer has no means over documents.

    Raises:
        InputError: the results have a ``beta`` other than 1, none of the five metrics, or no ``mentions``; or ``macro``
            is True.
    """
    if macro or b.signature.beta != 1:
        raise InputError("format 'conll' shows F1 of the whole corpus; expected beta 1 and no means over documents")
    metrics = [metric for metric in OF_REFERENCE if metric in b.metrics]
    if not metrics:
        raise InputError(f"format 'conll' shows the metrics {', '.join(OF_REFERENCE)}; none of them was scored")
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
    """Return the first line, which is printed even if files cannot be read."""
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
    """Return the lines of a document; with BLANC, they have neither the document's name nor its score."""
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


def _documents(b: Any) -> Iterator[tuple[str, dict[str, Row]]]:
    headers: Sequence[str] = getattr(b, "headers", None) or b.names
    for header, (_, rows) in zip(headers, document_rows(b), strict=True):
        yield printable(header), _by_name(rows)


def _by_name(rows: Sequence[Row]) -> dict[str, Row]:
    return {row.name: row for row in rows}


def number(value: float) -> str:
    """Write a number as Perl does: integers in full, others with 15 significant digits and no trailing zeros."""
    if value == int(value) and abs(value) < 2**63:
        return str(int(value))
    return f"{value:.15g}"
