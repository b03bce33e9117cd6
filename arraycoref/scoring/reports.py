"""Reports of scores: of a batch; and what shells and notebooks show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from arraycoref.display.formats import Format, Report
from arraycoref.display.tables import TextTable, plural, written_name
from arraycoref.scoring.format import FIELDS, Row, document_rows, format_counts, format_score, rows_of
from arraycoref.scoring.metrics.registry import RATIOS, direction, find_metric, split_field
from arraycoref.scoring.metrics.score import best_first


def _conll(report: ScoresReport, digits: int) -> str:
    from arraycoref.scoring.conll_format import render_conll

    return render_conll(report.b, per_document=report.per_document, macro=report.macro)


@dataclass(frozen=True)
class ScoresReport(Report):
    """Scores of a batch, as they are to be printed.

    Attributes:
        b: the scores.
        per_document: print the scores of every document too (csv: these only).
        macro: print means over documents instead of the corpus's scores (json: both; conll: refused).
        counts: print the sums of each metric, the classes of BLANC's links, and the whole signature.
        short: print no sums, no classes of links and, among others, recall and precision of the mentions only.
        sort: a score, ``muc`` or ``muc.recall``: list the documents by it, the worst first. Empty for their own order.
        worst: list only so many documents, the worst by ``sort``, or by the first score if that is empty; 0 for all.
    """

    b: Any
    per_document: bool = False
    macro: bool = False
    counts: bool = False
    short: bool = False
    sort: str = ""
    worst: int = 0
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll}
    key_columns: ClassVar[tuple[str, ...]] = ("metric",)
    document_titles: ClassVar[tuple[str, ...]] = ("document",)

    @property
    def view(self) -> Any:
        """The scores that are printed: of the corpus, or means over documents."""
        return self.b.macro if self.macro else self.b

    @property
    def sorted_by(self) -> str:
        """The score by which the documents are listed, ``conll`` or ``muc.recall``; empty for their own order."""
        first = "conll" if "conll" in self.b.metrics else self.b.metrics[0]
        return self.sort or (first if self.worst else "")

    @property
    def order(self) -> str:
        """Which documents are listed in which order, for captions; empty for all in their own order."""
        if not (self.per_document and self.sorted_by):
            return ""
        some = f", {self.worst} of {len(self.b)}" if 0 < self.worst < len(self.b) else ""
        return f"the worst first by {self.sorted_by}{some}"

    @property
    def listed(self) -> Any:
        """The scores of the documents that are listed, in this order."""
        if not self.sorted_by or not len(self.b):
            return self.b
        metric, field = split_field(self.sorted_by)
        order = best_first(-direction(metric) * getattr(self.b.documents[metric], field))
        return self.b[order[: self.worst or None]]

    @property
    def of_metrics(self) -> list[Row]:
        """The rows of the corpus, or of the means over documents."""
        return rows_of(self.view, self.b.metrics)

    @property
    def in_table(self) -> list[Row]:
        """The rows of the table of metrics."""
        return [row for row in self.of_metrics if self.counts or not row.link_class]

    @property
    def zeros(self) -> list[str]:
        """The scores of the corpus that are 0/0, such as ``muc recall``; a metric's name alone if all of its are."""
        from arraycoref.scoring.counts import undefined

        names = list[str]()
        is_empty = self.macro or not len(self.b)
        for metric in () if is_empty else (name for name in self.b.metrics if not find_metric(name).parts):
            lost = undefined(self.b.counts.total(), metric, self.b.signature)
            fields = [field for field, is_lost in zip(RATIOS, lost, strict=True) if is_lost]
            names += [metric] if RATIOS[2] in fields else [f"{metric} {field}" for field in fields]
        return names

    @property
    def notes(self) -> Sequence[str]:
        """What happened in the run, and what means over documents leave out."""
        notes: Sequence[str] = self.view.notes
        return notes

    @property
    def signature(self) -> Any:
        """The signature of the scores that are printed."""
        return self.view.signature

    @property
    def heading(self) -> str:
        """What the numbers of a table of several results are, for the head of the column of names."""
        return "" if self.short else f"(F{self.b.signature.beta:g})"

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if there are any and ``per_document`` is set, and the table of metrics.

        The table of metrics has recall, precision and F of each metric, with ``counts`` its sums, which means lack.
        """
        profile = self.b.signature.profile
        headers = ["metric", "recall", "precision", f"F{self.b.signature.beta:g}", "recall counts", "precision counts"]
        rows = [
            [
                "- " + row.link_class.replace("_", "-") if row.link_class else row.metric,
                *(format_score(ratio, row.metric, digits, profile=profile) for ratio in row.ratios),
                format_counts(*row.sums[:2]),
                format_counts(*row.sums[2:]),
            ]
            for row in self.in_table
        ]
        n = 6 if self.counts and not self.macro else 4
        metrics = TextTable(headers[:n], [row[:n] for row in rows], spare=n - 4)
        if self.per_document and len(self.b):
            listed = self.listed
            names = [written_name(header) for header in getattr(listed, "headers", None) or ()] or listed.names
            documents = zip(names, document_rows(listed), strict=True)
            cells = [[name, *self._cells(rows, digits)[1]] for name, (_, rows) in documents]
            title = f"{self.document_titles[-1]} (F{self.b.signature.beta:g})"
            return [TextTable([title, *self.b.metrics], cells), metrics]
        return [metrics]

    def as_part(self, digits: int) -> TextTable:
        """Return a row with F of each metric, for a table of several results."""
        heads, cells = self._cells(self.of_metrics, digits)
        return TextTable(heads, [cells], "r" * len(heads))

    def _cells(self, rows: Sequence[Row], digits: int) -> tuple[list[str], list[str]]:
        """Return heads and cells of the F of each metric; if ``short``, of recall and precision of the mentions too."""
        heads, cells = [], []
        for row in rows:
            if not row.link_class:
                full = self.short and row.metric == "mentions"
                heads += [f"{row.metric} {letter}" for letter in "RPF"] if full else [row.metric]
                values = row.ratios if full else [row.f1]
                cells += [format_score(v, row.metric, digits, profile=self.b.signature.profile) for v in values]
        return heads, cells

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: how many documents, whether they are means over documents, notes and signature."""
        documents = plural(len(self.b), self.b.signature.unit)
        if self.macro:
            documents = f"mean over {documents}"
        elif "mentions" in self.b.metrics and len(self.b):
            mentions = self.b.corpus["mentions"]
            documents += f" with {mentions.recall_den:,.0f} key and {mentions.precision_den:,.0f} response mentions"
        signature = self.view.signature
        return [
            f"{documents}; recall, precision and F{signature.beta:g} in percent",
            *([f"0/0, printed as 0: {', '.join(zeros)}"] if (zeros := self.zeros) else []),
            *([self.order] if self.order else []),
            *self.notes,
            signature.full if self.counts else str(signature),
        ]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each metric, or for each document and metric, in fractions 0-1, with the notes of the run.

        BLANC's link classes are the metrics ``blanc_coreference`` and ``blanc_non_coreference``.
        """
        notes, fields = {"notes": "; ".join(self.notes)}, RATIOS if self.short else FIELDS
        titles = self.document_titles if self.per_document and not self.short else ()
        for name, rows in document_rows(self.listed) if titles else [("", self.of_metrics)]:
            document = dict.fromkeys(titles, name)
            for row in rows:
                if not (self.short and row.link_class):
                    yield {**document, "metric": row.name, **dict(zip(fields, row.values, strict=False)), **notes}

    def report(self, **choices: Any) -> ScoresReport:
        """Return the same scores with other choices."""
        return replace(self, **choices) if choices else self

    def nested(self) -> Any:
        """Return signature, notes, number of documents and scores; see `arraycoref.scoring.format.to_dict`."""
        record = self.b.nested(per_document=self.per_document, macro=self.macro)
        if self.per_document and self.sorted_by:  # the sums of all documents stay
            record["per_document"] = {name: record["per_document"][name] for name in self.listed.names}
        return record


def render_repr(scores: Any) -> str:
    """Write recall, precision and F in percent, what was scored by which unusual options, and notes.

    Args:
        scores: the scores of one document or of a batch.
    """
    title, table = short_table(scores)
    width = max((len(name) for name, *_ in table.rows), default=0)
    lines = [f"{name:{width}}  {r:>9}  {p:>9}  {f:>6}" for name, r, p, f in (table.headers, *table.rows)]
    return "\n".join((f"<{title}", *lines, *(f"note: {note}" for note in scores.notes))) + ">"


def short_table(scores: Any, digits: int = 2) -> tuple[str, TextTable]:
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
    if scores.counts.rows.ndim > 2:
        title += f" of {plural(scores.counts.n_documents, getattr(signature, 'unit', 'document'))}"
    rows = [
        [row.name, *(format_score(ratio, row.metric, digits, profile=signature.profile) for ratio in row.ratios)]
        for row in rows_of(scores, scores.metrics)
        if not row.link_class
    ]
    headers = ("", "recall", "precision", f"F{signature.beta:g}")
    how = f"percent, profile {signature.profile}{signature.changed.replace('|', ', ')}"
    return f"{title}, {how}", TextTable(headers, rows)


def score_rows(scores: Any) -> dict[str, list[Any]]:
    """Return columns of ratios and sums, with a row for each metric and for each of BLANC's link classes."""
    rows = rows_of(scores, scores.metrics)
    return {"metric": [row.name for row in rows]} | {f: [row.values[k] for row in rows] for k, f in enumerate(FIELDS)}


def table_of_f(names: Mapping[str, Sequence[object]], scores: Any, positions: Sequence[int], digits: int) -> TextTable:
    """Lay out F of some documents, or settings, by metric.

    Args:
        names: by the title of a column, what it says of each document or setting.
        scores: the scores by metric; the attributes of each are arrays with a value per document or setting.
        positions: which rows are shown.
        digits: decimals of percentages.
    """
    columns, profile = {metric: scores[metric].f1.tolist() for metric in scores.metrics}, scores.signature.profile
    rows = [
        [
            *(str(column[n]) for column in names.values()),
            *(format_score(values[n], metric, digits, profile=profile) for metric, values in columns.items()),
        ]
        for n in positions
    ]
    return TextTable([*names, *columns], rows)
