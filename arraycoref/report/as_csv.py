"""The format ``csv``: tidy, one row a metric, or one row a document and metric."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from arraycoref.report.rows import FIELDS, Row, document_rows, score_rows

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


def render_csv(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False, digits: int = 2) -> str:
    """Write a header and rows, in fractions 0-1 at full precision; a field that a metric lacks is empty.

    BLANC's link classes are the metrics ``blanc_coreference`` and ``blanc_non_coreference``.

    Args:
        b: the results.
        per_document: write one row a document and metric, with the document's name first, and not the corpus's.
        macro: write means over documents in the place of the corpus's scores.
        digits: ignored, for CSV is not for reading.
    """
    del digits
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if per_document:
        writer.writerow(("document", "metric", *FIELDS))
        writer.writerows((name, *_fields(row)) for name, rows in document_rows(b) for row in rows)
    else:
        writer.writerow(("metric", *FIELDS))
        writer.writerows(_fields(row) for row in score_rows(b.macro if macro else b, b.metrics))
    return text.getvalue()


def _fields(row: Row) -> list[str]:
    return [row.name, *("" if math.isnan(value) else repr(value) for value in row[2:])]
