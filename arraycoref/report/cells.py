"""The cells of text tables, shared by the formats ``table``, ``markdown`` and ``latex``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from arraycoref.errors import printable
from arraycoref.report.percent import as_printed, counts, f_name, formatter
from arraycoref.report.rows import Row, document_rows, score_rows

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


class Cells(NamedTuple):
    """A heading and rows of text, all of one length. The first column is text, the others are numbers."""

    headers: list[str]
    rows: list[list[str]]

    def tabulate(self, style: str) -> str:
        """Lay the cells out in one of tabulate's styles.

        Options are lists even where one value would do: tabulate asks whether it is an `Iterable`, and with numba
        imported a no takes 50 ms, for it goes through all of that class's subclasses.
        """
        from tabulate import tabulate

        return tabulate(
            self.rows,
            self.headers,
            tablefmt=style,
            colalign=["left"] + ["right"] * (len(self.headers) - 1),
            rowalign=["top"] * len(self.rows),
            disable_numparse=list(range(len(self.headers))),
        )


def metric_cells(b: BatchScoresLike, *, macro: bool, digits: int) -> Cells:
    """Return a row a metric: recall, precision, F, and the two pairs of sums.

    Args:
        b: the results.
        macro: show means over documents, which have no sums, in the place of the corpus's scores.
        digits: decimals of the percentages.
    """
    percent = formatter(b.signature, digits)
    headers = ["metric", "recall", "precision", f_name(b.signature.beta)]
    rows = as_printed(score_rows(b.macro if macro else b, b.metrics), b.signature)
    table = [[_label(row), percent(row.recall), percent(row.precision), percent(row.f1)] for row in rows]
    if not macro:
        headers += ["recall counts", "precision counts"]
        for cells, row in zip(table, rows, strict=True):
            cells += [counts(row.recall_num, row.recall_den), counts(row.precision_num, row.precision_den)]
    return Cells(headers, table)


def document_cells(b: BatchScoresLike, *, digits: int) -> Cells:
    """Return a row a document, with its F of each metric."""
    percent = formatter(b.signature, digits)
    table = [
        [printable(name)] + [percent(row.f1) for row in as_printed(rows, b.signature) if not row.link_class]
        for name, rows in document_rows(b)
    ]
    return Cells([f"document ({f_name(b.signature.beta)})", *b.metrics], table)


def tables(b: BatchScoresLike, *, per_document: bool, macro: bool, digits: int) -> list[Cells]:
    """Return the tables of a report: the documents where asked for and present, then the metrics."""
    found = [document_cells(b, digits=digits)] if per_document and len(b) else []
    return [*found, metric_cells(b, macro=macro, digits=digits)]


def caption(b: BatchScoresLike, *, macro: bool) -> str:
    """Say what the numbers are: the corpus's, or means over documents."""
    documents = f"{len(b)} document" + ("" if len(b) == 1 else "s")
    return f"{'mean over ' if macro else ''}{documents}, ratios in percent"


def _label(row: Row) -> str:
    return "- " + row.link_class.replace("_", "-") if row.link_class else row.metric
