"""Scores of many pairs of files as a report: a row per pair, and the total of all documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arraycoref.report.conll import first_line, render_conll
from arraycoref.report.formats import Format, Report
from arraycoref.report.rows import FIELDS, BatchScoresLike, Row, document_rows, f_cells, rows_of, to_dict
from arraycoref.report.table import TextTable
from arraycoref.report.values import f_name, number_of

TOTAL = "total"


def _conll(report: PairsReport, digits: int) -> str:
    """Write what the reference scorer prints for each pair, which is its first line alone where it fails."""
    batches, options = report.batches, {"per_document": report.per_document, "macro": report.macro}
    failed = first_line(report.b.signature.version) + "\n"
    return "".join(render_conll(batches[name], **options) if name in batches else failed for name in report.names)


@dataclass(frozen=True)
class PairsReport(Report):
    """Scores of many pairs, as they are to be printed.

    Attributes:
        b: all documents as one batch.
        names: of all pairs, in order.
        batches: the scores of the pairs that were scored.
        failures: why each of the others was not.
        per_document: print the scores of every document too (csv: these only).
        macro: print means over documents instead of corpus scores (json: besides them; conll: refused).
    """

    b: BatchScoresLike
    names: Sequence[str]
    batches: Mapping[str, BatchScoresLike]
    failures: Mapping[str, str]
    per_document: bool = False
    macro: bool = False
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll}

    def _rows(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield the name and the rows of each pair, and those of the total."""
        for name, b in (*self.batches.items(), (TOTAL, self.b)):
            yield name, rows_of(b.macro if self.macro else b, self.b.metrics)

    def _document_rows(self) -> Iterator[tuple[str, str, list[Row]]]:
        for pair, b in self.batches.items():
            yield from ((pair, name, rows) for name, rows in document_rows(b))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if it is asked for, and that of pairs: the F of each metric."""
        f, metrics, profile = f_name(self.b.signature.beta), self.b.metrics, self.b.signature.profile
        pairs = [[name, *f_cells(rows, digits, profile)] for name, rows in self._rows()]
        tables = [TextTable([f"pair ({f})", *metrics], pairs)]
        if self.per_document and self.batches:
            documents = [[pair, name, *f_cells(rows, digits, profile)] for pair, name, rows in self._document_rows()]
            tables.insert(0, TextTable(["pair", f"document ({f})", *metrics], documents, "ll" + "r" * len(metrics)))
        return tables

    def caption(self, digits: int) -> list[str]:
        """Say what the numbers are, and which pairs have none."""
        sizes = f"{number_of(len(self.batches), 'pair')}, {number_of(len(self.b), 'document')}"
        lines = [f"{'means over documents; ' if self.macro else ''}{sizes}, ratios in percent"]
        if self.failures:
            lines.append(f"not scored, and not in the total: {', '.join(self.failures)}")
        return [*lines, str(self.b.signature)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each pair and metric, the total last, or for each document and metric, in fractions 0-1."""
        if self.per_document:
            yield ("pair", "document", "metric", *FIELDS)
            for pair, name, rows in self._document_rows():
                yield from ((pair, name, row.name, *row.values) for row in rows)
        else:
            yield ("pair", "metric", *FIELDS)
            for name, rows in self._rows():
                yield from ((name, row.name, *row.values) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores of each pair and in total, and why others failed."""

        def plain(b: BatchScoresLike, per_document: bool) -> dict[str, Any]:
            found = to_dict(b, per_document=per_document, macro=self.macro)
            return {name: value for name, value in found.items() if name != "signature"}

        return {
            "signature": self.b.signature.as_dict(),
            "pairs": {name: plain(b, self.per_document) for name, b in self.batches.items()},
            "total": plain(self.b, False),
            "failures": dict(self.failures),
        }
