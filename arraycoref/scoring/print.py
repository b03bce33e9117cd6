"""Reports of scores: of a batch, of pairs of files, of scores with bounds; and what shells and notebooks show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from arraycoref.errors import UnknownNameError, first_names
from arraycoref.report.formats import FORMATS, HEAD, Format, Report, plain
from arraycoref.report.tables import TextTable, markdown_text, number_of
from arraycoref.scoring.conll import first_line, render_conll
from arraycoref.scoring.metrics.registry import RATIOS, direction
from arraycoref.scoring.rows import (
    FIELDS,
    Row,
    document_rows,
    format_counts,
    format_score,
    is_count,
    rows_of,
    score_cells,
    score_name,
)
from arraycoref.scoring.signature import joint_notes

MEAN = "mean of pairs"
"""Name of the row, or the block of rows, of the means over pairs of files, each of which counts the same."""

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

    b: Any
    per_document: bool = False
    macro: bool = False
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll}
    titles: ClassVar[tuple[str, ...]] = ()
    document_titles: ClassVar[tuple[str, ...]] = ("document",)

    @property
    def view(self) -> Any:
        """The scores that are printed: of the corpus, or means over documents."""
        return self.b.macro if self.macro else self.b

    def totals(self) -> Iterator[Named]:
        """Yield the rows of the corpus, or of the means over documents."""
        yield (), rows_of(self.view, self.b.metrics)

    def documents(self) -> Iterator[Named]:
        """Yield the name and the rows of each document."""
        yield from (((name,), rows) for name, rows in document_rows(self.b))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if there are any and ``per_document`` is set, and the table of metrics.

        The table of metrics has recall, precision, F and the two pairs of sums of each metric; means have no sums.
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
            for row in rows_of(self.view, self.b.metrics)
        ]
        n = 4 if self.macro else 6
        metrics = TextTable(headers[:n], [row[:n] for row in rows])
        if self.per_document and len(self.b):
            return [self.f_table(self.document_titles, self.documents(), digits), metrics]
        return [metrics]

    def f_table(self, titles: Sequence[str], named: Iterator[Named], digits: int) -> TextTable:
        """Lay out F of each metric, with a row for each element of ``named``."""
        *others, last = titles
        headers = [*others, f"{last} (F{self.b.signature.beta:g})", *self.b.metrics]
        profile = self.b.signature.profile
        cells = [
            [*names, *(format_score(row.f1, row.metric, digits, profile=profile) for row in rows if not row.link_class)]
            for names, rows in named
        ]
        return TextTable(headers, cells, "l" * len(titles) + "r" * len(self.b.metrics))

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: how many documents, whether they are means over documents, notes and signature."""
        documents = number_of(len(self.b), self.b.signature.unit)
        return [
            f"{'mean over ' if self.macro else ''}{documents}, ratios in percent",
            *self.view.notes,
            str(self.view.signature),
        ]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each metric, or for each document and metric, in fractions 0-1, with the notes of the run.

        BLANC's link classes are the metrics ``blanc_coreference`` and ``blanc_non_coreference``.
        """
        yield (*(self.document_titles if self.per_document else self.titles), "metric", *FIELDS, "notes")
        for names, rows in self.documents() if self.per_document else self.totals():
            notes = "; ".join(self.notes_of(*names))
            yield from ((*names, row.name, *row.values, notes) for row in rows)

    def notes_of(self, *names: str) -> Sequence[str]:
        """Return the notes that belong to rows with these names."""
        notes: Sequence[str] = self.view.notes
        return notes

    def report(self, **choices: bool) -> ScoresReport:
        """Return the same scores with other choices."""
        return replace(self, **choices) if choices else self

    def nested(self) -> Any:
        """Return signature, notes, number of documents and scores; see `arraycoref.scoring.rows.to_dict`."""
        return self.b.nested(per_document=self.per_document, macro=self.macro)


def _groups_conll(groups: GroupScores, digits: int) -> str:
    """Write what the reference scorer prints for each group; for a pair that failed, this is the first line only."""
    options = {"per_document": groups.per_document, "macro": groups.macro}
    failed = first_line(groups.b.signature.version) + "\n"
    return "".join(render_conll(groups[name], **options) if name in groups else failed for name in groups.names)


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(ScoresReport, Mapping[str, Any]):
    """Scores of groups of documents, such as genres or pairs of files: a mapping from their names to `BatchScores`.

    Each group has documents of its own, so that groups are not compared, but added up in ``total``.

    Attributes:
        batches: the scores of each group, by its name.
        names: names of all groups, of pairs that failed too, in the order given.
        kind: what a group is: ``group`` or ``pair``.
        failures: the error of each pair that could not be scored, by its name.
    """

    batches: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    kind: str = "group"
    failures: Mapping[str, Exception] = field(default_factory=dict)
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _groups_conll}

    def __getitem__(self, name: str) -> Any:
        if name not in self.batches:
            raise UnknownNameError(f"{self.kind} that was scored", name, first_names(tuple(self.batches)))
        return self.batches[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)

    @property
    def total(self) -> Any:
        """Scores of the documents of all groups."""
        return self.b

    @property
    def titles(self) -> tuple[str, ...]:  # type: ignore[override]
        """Title of the column of groups."""
        return (self.kind,)

    @property
    def document_titles(self) -> tuple[str, ...]:  # type: ignore[override]
        """Titles of the columns of groups and documents."""
        return (self.kind, "document")

    def totals(self) -> Iterator[Named]:
        """Yield the name and the rows of each group, of the total, if any was scored, and of the mean of pairs."""
        for name, b in (*self.items(), *([("total", self.b)] if self.batches else [])):
            yield (name,), rows_of(b.macro if self.macro else b, self.b.metrics)
        if self.mean:
            yield (MEAN,), self.mean

    @property
    def mean(self) -> list[Row]:
        """Means over pairs, each of which counts the same, as shared tasks over several data sets report them."""
        if self.kind != "pair" or len(self) < 2:
            return []
        of_pairs = [rows_of(b.macro if self.macro else b, self.b.metrics) for b in self.values()]
        found = []
        for first, *others in zip(*of_pairs, strict=True):
            ratios = zip(first.ratios, *(row.ratios for row in others), strict=True)
            means = [math.fsum(values) / len(self) for values in ratios]
            found.append(Row(first.metric, first.link_class, means, 4 * [math.nan]))
        return found

    def notes_of(self, *names: str) -> Sequence[str]:
        """Return the notes of a group; none for the total."""
        b = self.batches.get(names[0])
        notes: Sequence[str] = () if b is None else b.macro.notes if self.macro else b.notes
        return notes

    def documents(self) -> Iterator[Named]:
        """Yield the name of the group, the name of the document, and the rows, for each document."""
        for group, b in self.items():
            yield from (((group, name), rows) for name, rows in document_rows(b))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of documents, if ``per_document`` is set, and the table of groups: the F of each metric."""
        groups = self.f_table(self.titles, self.totals(), digits)
        if self.per_document and self.batches:
            return [self.f_table(self.document_titles, self.documents(), digits), groups]
        return [groups]

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: how many groups and documents, which pairs were not scored, and the signature."""
        sizes = f"{number_of(len(self), self.kind)}, {number_of(len(self.b), 'document')}"
        lines = [f"{'means over documents; ' if self.macro else ''}{sizes}, ratios in percent"]
        if not self.batches:
            lines = [f"no {self.kind} was scored: {', '.join(self.failures)}"]
        elif self.failures:
            lines.append(f"not scored, and not in the total: {', '.join(self.failures)}")
        notes = joint_notes(tuple(self), list(map(self.notes_of, self)))
        return [*lines, *notes, str(self.view.signature)]

    def nested(self) -> dict[str, Any]:
        """Return the scores of each group and of all together, and the reasons why other pairs failed."""
        options = {"per_document": self.per_document, "macro": self.macro}
        groups = {name: b.nested(**options) for name, b in self.items()}
        total = self.b.nested(macro=self.macro)
        signature = total["signature"]
        for each in (*groups.values(), total):
            del each["signature"]
        mean = {row.name: dict(zip(RATIOS, map(plain, row.ratios), strict=True)) for row in self.mean}
        failures = {name: str(error) for name, error in self.failures.items()}
        found = {"signature": signature, f"{self.kind}s": groups, "total": total if groups else None}
        return found | ({"mean": mean or None, "failures": failures} if self.kind == "pair" else {})

    def __repr__(self) -> str:
        return f"<GroupScores of {len(self)} {self.kind}s, {len(self.failures)} failed, in total {self.total!r}>"


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
    if hasattr(scores, "documents"):
        title += f" of {number_of(scores.counts.n_documents, signature.unit)}"
    rows = [
        [row.name, *(format_score(ratio, row.metric, digits, profile=signature.profile) for ratio in row.ratios)]
        for row in rows_of(scores, scores.metrics)
        if not row.link_class
    ]
    headers = ("", "recall", "precision", f"F{signature.beta:g}")
    how = f"percent, profile {signature.profile}{signature.unusual.replace('|', ', ')}"
    return f"{title}, {how}", TextTable(headers, rows)


def score_rows(scores: Any) -> dict[str, list[Any]]:
    """Return columns of ratios and sums, with a row for each metric and for each of BLANC's link classes."""
    rows = rows_of(scores, scores.metrics)
    return {"metric": [row.name for row in rows]} | {f: [row.values[k] for row in rows] for k, f in enumerate(FIELDS)}


def document_table(scores: Any, digits: int) -> TextTable:
    """Lay out F of the first documents, or settings, by metric.

    Args:
        scores: the scores by metric; the attributes of each are arrays with a value per document or setting.
        digits: decimals of percentages.
    """
    shown = range(min(scores.n_documents, HEAD))
    names = map(str, (scores.counts.names or shown)[: len(shown)])
    rows = [[name, *cells] for name, cells in zip(names, score_cells(scores, shown, digits), strict=True)]
    return TextTable([f"(F{scores.signature.beta:g})", *scores.metrics], rows)


TOLERANCE = 1e-12
"""A score that misses its bound by at most this much reaches it, since sums and divisions round."""


class Verdict(NamedTuple):
    """A score and its bound; both are fractions, or counts if the metric counts.

    Attributes:
        metric: the metric's name.
        field: ``recall``, ``precision`` or ``f1``.
        value: the score; nan, which means that it is undefined, reaches no bound.
        bound: the lowest acceptable value, or the highest if lower values are better.
        beta: the beta of F.
        origin: a text that states where the bound comes from, written after it.
    """

    metric: str
    field: str
    value: float
    bound: float
    beta: float = 1.0
    origin: str = ""

    @property
    def reached(self) -> bool:
        """Whether the score is as good as its bound."""
        return direction(self.metric) * (self.value - self.bound) >= -TOLERANCE

    def __str__(self) -> str:
        scale, more = 1 if is_count(self.metric) else 100, direction(self.metric) > 0
        value, bound, gap = (scale * each for each in (self.value, self.bound, abs(self.value - self.bound)))
        least = 0 if is_count(self.metric) else 2
        digits = next((n for n in range(least, 12) if round(gap, n) > 0), least)  # the fewest that show the gap
        name, limit = score_name(self.metric, self.field, self.beta), f"{bound:.{digits}f}{self.origin}"
        how = (
            f"at {'least' if more else 'most'}" if self.reached else f"{gap:.{digits}f} {'below' if more else 'above'}"
        )
        return f"{name} is {value:.{digits}f}, {how} {limit}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        found = {"metric": self.metric, "field": self.field, "value": self.value, "bound": self.bound}
        return {name: plain(value) for name, value in found.items()} | {"reached": self.reached}


@dataclass(frozen=True)
class GatedReport:
    """Scores, comparisons with earlier ones, and verdicts, as they are to be printed.

    Attributes:
        scores: the report of the scores.
        comparisons: the comparisons of the earlier scores with these.
        verdicts: a verdict for each bound.
        previous: the name of the earlier scores.
    """

    scores: ScoresReport
    comparisons: Sequence[Report]
    verdicts: Sequence[Verdict]
    previous: str

    def render(self, format: str, *, digits: int = 2, width: int | None = None) -> str:
        """Write the scores, followed by the comparisons, in a format of reports or in the format ``github``.

        JSON has the keys ``compared`` and ``bounds`` if there are any; CSV and ``conll`` have the scores only.
        """
        if format == "github":
            return self._github(digits)
        if format == "json":
            return FORMATS["json"](self, digits)
        parts = (self.scores, *self.comparisons) if format not in ("csv", "conll") else (self.scores,)
        return "\n".join(each.render(format, digits=digits, width=width) for each in parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        added: dict[str, Sequence[Any]] = {"compared": self.comparisons, "bounds": self.verdicts}
        found: dict[str, Any] = self.scores.nested()
        return found | {name: [each.to_dict() for each in all] for name, all in added.items() if all}

    def _github(self, digits: int) -> str:
        """Write a summary for GitHub in Markdown: scores, bounds, comparisons, and a folded table of documents."""
        parts = ["### Coreference scores\n", replace(self.scores, per_document=False).render("markdown", digits=digits)]
        signs = {True: ":white_check_mark:", False: ":x:"}
        parts += ["".join(f"- {signs[each.reached]} {markdown_text(str(each))}\n" for each in self.verdicts)]
        for each in self.comparisons:
            parts += [f"#### Compared with {markdown_text(self.previous)}\n", each.render("markdown", digits=digits)]
        for table in self.scores.tables(digits)[:-1]:
            title = f"<details>\n<summary>{number_of(len(table.rows), 'document')}</summary>\n"
            parts += [title, table.markdown() + "\n", "</details>\n"]
        return "\n".join(filter(None, parts))
