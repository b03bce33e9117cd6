"""Scores of a batch as a report: a table of metrics, one of documents, rows for CSV; and the format ``conll``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arraycoref.report.conll import render_conll
from arraycoref.report.formats import Format, Report
from arraycoref.report.rows import FIELDS, BatchScoresLike, document_rows, f_cells, rows_of, to_dict
from arraycoref.report.table import TextTable
from arraycoref.report.values import counts, f_name, number_of, shown


def _conll(report: ScoresReport, digits: int) -> str:
    return render_conll(report.b, per_document=report.per_document, macro=report.macro)


@dataclass(frozen=True)
class ScoresReport(Report):
    """Scores of a batch, as they are to be printed.

    Attributes:
        b: the scores.
        per_document: print the scores of every document too (csv: these only).
        macro: print means over documents instead of the corpus's scores (json: besides them; conll: refused).
    """

    b: BatchScoresLike
    per_document: bool = False
    macro: bool = False
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll}

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if there are any and they are asked for, and that of metrics.

        The latter has recall, precision, F and the two pairs of sums of each metric; means have no sums.
        """
        profile = self.b.signature.profile
        headers = ["metric", "recall", "precision", f_name(self.b.signature.beta), "recall counts", "precision counts"]
        rows = [
            [
                "- " + row.link_class.replace("_", "-") if row.link_class else row.metric,
                *(shown(ratio, row.metric, digits, profile=profile) for ratio in row.ratios),
                counts(*row.sums[:2]),
                counts(*row.sums[2:]),
            ]
            for row in rows_of(self.b.macro if self.macro else self.b, self.b.metrics)
        ]
        n = 4 if self.macro else 6
        metrics = TextTable(headers[:n], [row[:n] for row in rows])
        return [self._documents(digits), metrics] if self.per_document and len(self.b) else [metrics]

    def _documents(self, digits: int) -> TextTable:
        """Lay out the F of each document and metric."""
        profile = self.b.signature.profile
        rows = [[name, *f_cells(rows, digits, profile)] for name, rows in document_rows(self.b)]
        return TextTable([f"document ({f_name(self.b.signature.beta)})", *self.b.metrics], rows)

    def caption(self, digits: int) -> list[str]:
        """Say what the numbers are: the corpus's, or means over documents."""
        documents = number_of(len(self.b), "document")
        return [f"{'mean over ' if self.macro else ''}{documents}, ratios in percent", str(self.b.signature)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each metric, or for each document and metric, in fractions 0-1.

        BLANC's link classes are the metrics ``blanc_coreference`` and ``blanc_non_coreference``.
        """
        if self.per_document:
            yield ("document", "metric", *FIELDS)
            for name, rows in document_rows(self.b):
                yield from ((name, row.name, *row.values) for row in rows)
        else:
            yield ("metric", *FIELDS)
            rows = rows_of(self.b.macro if self.macro else self.b, self.b.metrics)
            yield from ((row.name, *row.values) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return signature, number of documents and scores; see `arraycoref.report.rows.to_dict`."""
        return to_dict(self.b, per_document=self.per_document, macro=self.macro)


def render(
    b: BatchScoresLike, format: str = "table", *, per_document: bool = False, macro: bool = False, digits: int = 2
) -> str:
    """Write scores as text.

    Args:
        b: the scores.
        format: a name in `arraycoref.report.formats.FORMATS`, or ``conll`` for what the reference scorer prints.
        per_document: write the scores of every document too (csv: these only).
        macro: write means over documents instead of the corpus's scores (json: besides them; conll: refused).
        digits: decimals of percentages; json, csv and conll have their own precision.

    Returns:
        Text that ends with a newline.

    Raises:
        UnknownNameError: there is no such format.
        InputError: the format cannot show what was asked for.
    """
    return ScoresReport(b, per_document, macro).render(format, digits=digits)
