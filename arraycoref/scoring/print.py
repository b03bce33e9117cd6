"""Make reports of scores (tables, rows and a dictionary), and the views of Python shells and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arraycoref.report.formats import Format, Report
from arraycoref.report.notebook import HEAD
from arraycoref.report.tables import TextTable
from arraycoref.scoring.conll import first_line, render_conll
from arraycoref.scoring.rows import FIELDS, BatchScoresLike, Row, ScoresLike, document_rows, rows_of, to_dict
from arraycoref.scoring.values import counts, f_name, number_of, shown

Named = tuple[tuple[str, ...], list[Row]]
"""Names, such as those of a pair and of a document, and the rows that have these names."""


def _conll(report: ScoresReport, digits: int) -> str:
    return render_conll(report.b, per_document=report.per_document, macro=report.macro)


@dataclass(frozen=True)
class ScoresReport(Report):
    """Scores of a batch, as they are to be printed.

    Attributes:
        b: the scores.
        per_document: print the scores of every document too (csv: these only).
        macro: print means over documents instead of the corpus's scores (json: both; conll: refused).
        titles: the titles of the columns of names, in tables and rows of all documents together.
        document_titles: the same, in tables and rows of each document.
    """

    b: BatchScoresLike
    per_document: bool = False
    macro: bool = False
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll}
    titles: ClassVar[tuple[str, ...]] = ()
    document_titles: ClassVar[tuple[str, ...]] = ("document",)

    def totals(self) -> Iterator[Named]:
        """Yield the rows of the corpus, or of the means over documents."""
        yield (), rows_of(self.b.macro if self.macro else self.b, self.b.metrics)

    def documents(self) -> Iterator[Named]:
        """Yield the name and the rows of each document."""
        yield from (((name,), rows) for name, rows in document_rows(self.b))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if there are any and ``per_document`` is set, and the table of metrics.

        The table of metrics has recall, precision, F and the two pairs of sums of each metric; means have no sums.
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
        if self.per_document and len(self.b):
            return [self.f_table(self.document_titles, self.documents(), digits), metrics]
        return [metrics]

    def f_table(self, titles: Sequence[str], named: Iterator[Named], digits: int) -> TextTable:
        """Lay out F of each metric, with a row for each element of ``named``."""
        *others, last = titles
        headers = [*others, f"{last} ({f_name(self.b.signature.beta)})", *self.b.metrics]
        profile = self.b.signature.profile
        cells = [
            [*names, *(shown(row.f1, row.metric, digits, profile=profile) for row in rows if not row.link_class)]
            for names, rows in named
        ]
        return TextTable(headers, cells, "l" * len(titles) + "r" * len(self.b.metrics))

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: how many documents, whether the scores are means over documents, and the signature."""
        documents = number_of(len(self.b), getattr(self.b.signature, "unit", "document"))  # or sentences, for taggers
        return [f"{'mean over ' if self.macro else ''}{documents}, ratios in percent", str(self.b.signature)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each metric, or for each document and metric, in fractions 0-1.

        BLANC's link classes are the metrics ``blanc_coreference`` and ``blanc_non_coreference``.
        """
        yield (*(self.document_titles if self.per_document else self.titles), "metric", *FIELDS)
        for names, rows in self.documents() if self.per_document else self.totals():
            yield from ((*names, row.name, *row.values) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return signature, number of documents and scores; see `arraycoref.scoring.rows.to_dict`."""
        return to_dict(self.b, per_document=self.per_document, macro=self.macro)


def _pairs_conll(report: PairsReport, digits: int) -> str:
    """Write what the reference scorer prints for each pair; for a pair that fails, this is the first line only."""
    batches, options = report.batches, {"per_document": report.per_document, "macro": report.macro}
    failed = first_line(report.b.signature.version) + "\n"
    return "".join(render_conll(batches[name], **options) if name in batches else failed for name in report.names)


@dataclass(frozen=True, kw_only=True)
class PairsReport(ScoresReport):
    """Scores of many pairs of files, as they are to be printed; ``b`` has the documents of all pairs.

    Attributes:
        names: the names of all pairs, in order.
        batches: the scores of each pair that was scored, by name.
        failures: the reason why each other pair was not scored, by name.
    """

    names: Sequence[str]
    batches: Mapping[str, BatchScoresLike]
    failures: Mapping[str, str]
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _pairs_conll}
    titles: ClassVar[tuple[str, ...]] = ("pair",)
    document_titles: ClassVar[tuple[str, ...]] = ("pair", "document")

    def totals(self) -> Iterator[Named]:
        """Yield the name and the rows of each pair, and those of the total, if any pair was scored."""
        totals = {"total": self.b} if self.batches else {}
        for name, b in (*self.batches.items(), *totals.items()):
            yield (name,), rows_of(b.macro if self.macro else b, self.b.metrics)

    def documents(self) -> Iterator[Named]:
        """Yield the name of the pair, the name of the document, and the rows, for each document."""
        for pair, b in self.batches.items():
            yield from (((pair, name), rows) for name, rows in document_rows(b))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if ``per_document`` is set, and the table of pairs: the F of each metric."""
        pairs = self.f_table(self.titles, self.totals(), digits)
        if self.per_document and self.batches:
            return [self.f_table(self.document_titles, self.documents(), digits), pairs]
        return [pairs]

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: how many pairs and documents, which pairs were not scored, and the signature."""
        sizes = f"{number_of(len(self.batches), 'pair')}, {number_of(len(self.b), 'document')}"
        lines = [f"{'means over documents; ' if self.macro else ''}{sizes}, ratios in percent"]
        if not self.batches:
            lines = [f"no pair was scored: {', '.join(self.failures)}"]
        elif self.failures:
            lines.append(f"not scored, and not in the total: {', '.join(self.failures)}")
        return [*lines, str(self.b.signature)]

    def to_dict(self) -> dict[str, Any]:
        """Return the scores of each pair and of all pairs together, and the reasons why other pairs failed."""
        pairs = {name: to_dict(b, per_document=self.per_document, macro=self.macro) for name, b in self.batches.items()}
        total = to_dict(self.b, macro=self.macro)
        signature = total["signature"]
        for each in (*pairs.values(), total):
            del each["signature"]
        failures = dict(self.failures)
        return {"signature": signature, "pairs": pairs, "total": total if pairs else None, "failures": failures}


def render_repr(scores: ScoresLike) -> str:
    """Write recall, precision and F of a document or a batch, in percent, and the number of documents of a batch.

    Args:
        scores: the scores of one document or of a batch.
    """
    title, table = short_table(scores)
    width = max((len(name) for name, *_ in table.rows), default=0)
    lines = [f"{name:{width}}  {r:>9}  {p:>9}  {f:>6}" for name, r, p, f in (table.headers, *table.rows)]
    return "\n".join((f"<{title}", *lines)) + ">"


def short_table(scores: ScoresLike, digits: int = 2) -> tuple[str, TextTable]:
    """Return a title, and a table with a row for each metric.

    Args:
        scores: as for `render_repr`.
        digits: decimals of percentages.
    """
    signature = scores.signature
    title = type(scores).__name__
    name = getattr(scores, "name", None)
    if name is not None:
        title += f" of document {name!r}"
    if hasattr(scores, "documents"):
        title += f" of {number_of(scores.counts.n_documents, getattr(signature, 'unit', 'document'))}"
    rows = [
        [row.name, *(shown(ratio, row.metric, digits, profile=signature.profile) for ratio in row.ratios)]
        for row in rows_of(scores, scores.metrics)
        if not row.link_class
    ]
    headers = ("", "recall", "precision", f_name(signature.beta))
    return f"{title}, percent, profile {signature.profile}", TextTable(headers, rows)


def score_rows(scores: ScoresLike) -> dict[str, list[Any]]:
    """Return columns of ratios and sums, with a row for each metric and for each of BLANC's link classes."""
    rows = rows_of(scores, scores.metrics)
    return {"metric": [row.name for row in rows]} | {f: [row.values[k] for row in rows] for k, f in enumerate(FIELDS)}


def document_table(scores: Any, digits: int) -> TextTable:
    """Lay out F of the first documents, or settings, by metric.

    Args:
        scores: the scores by metric; the attributes of each are arrays with a value per document or setting.
        digits: decimals of percentages.
    """
    n, profile = min(scores.n_documents, HEAD), scores.signature.profile
    names = list(map(str, scores.counts.names or range(n)))
    rows = [
        [names[d], *(shown(float(scores[metric].f1[d]), metric, digits, profile=profile) for metric in scores.metrics)]
        for d in range(n)
    ]
    return TextTable([f"({f_name(scores.signature.beta)})", *scores.metrics], rows)
