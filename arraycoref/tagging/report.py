"""Tagger scores, and tables of errors, as reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arraycoref.errors import InputError
from arraycoref.report.formats import Format, Report
from arraycoref.report.tables import TextTable
from arraycoref.scoring.metrics.score import ratio
from arraycoref.scoring.print import ScoresReport
from arraycoref.scoring.rows import FIELDS, format_score, rows_of
from arraycoref.tagging.measures import CONLL18, WORDS
from arraycoref.tagging.scores import Correctness, TagScores, tags_dict

HEADER = "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
RULE = "-----------+-----------+-----------+-----------+-----------"


def _conll18(report: TagsReport, digits: int) -> str:
    """Write a line per measure, in percent: precision, recall, F1 and, except for `WORDS`, accuracy on aligned words.

    Raises:
        InputError: the report has something that the evaluation of the CoNLL 2018 shared task does not print.

    Source: universaldependencies.org/conll18/evaluation.html, option ``-v``.
    """
    scores = report.b
    if report.per_document or report.macro or report.kinds is not None or scores.signature.beta != 1:
        raise InputError("format 'conll' shows F1 of all words; expected beta 1, and no units, means or kinds of words")
    strange = [measure for measure in scores.metrics if measure not in CONLL18]
    if strange:
        raise InputError(f"format 'conll' shows the measures {', '.join(CONLL18)}; not {', '.join(strange)}")
    lines = [HEADER, RULE]
    for measure in (measure for measure in CONLL18 if measure in scores.metrics):
        score = scores[measure]
        # F1 is one division, as in that evaluation: F1 of rounded ratios may differ in the last digit shown.
        f1 = ratio(2 * score.recall_num, score.precision_den + score.recall_den)
        shares = "|".join(f"{100 * value:10.2f} " for value in (score.precision, score.recall, f1))
        accuracy = scores.correctness(measure).aligned_accuracy or 0.0
        lines.append(f"{measure:11}|{shares}|" + ("" if measure == WORDS else f"{100 * accuracy:10.2f}"))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class TagsReport(ScoresReport):
    """Tagger scores, as they are to be printed.

    Attributes:
        b: the scores.
        per_document: print the scores of every unit too (csv: these only).
        macro: print means over units instead of the scores of all units together (json: both).
        kinds: scores of known, unknown and ambiguous words, to be printed as well (csv: not with ``per_document`` or
            ``macro``).
    """

    b: TagScores
    kinds: Mapping[str, TagScores] | None = None
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll18}

    @property
    def document_titles(self) -> tuple[str, ...]:  # type: ignore[override]
        """Title of the column of units."""
        return (getattr(self.b.signature, "unit", ""),)

    def tables(self, digits: int) -> list[TextTable]:
        """Return tables of correctness and of kinds of words, then the tables that all reports of scores have."""
        correctness = [] if self.macro else [self._correctness(digits)]
        return [*correctness, *self._kinds(digits), *super().tables(digits)]

    def _correctness(self, digits: int) -> TextTable:
        rows = []
        for measure in self.b.metrics:
            weak, strong, accuracy = self.b.correctness(measure)
            rows.append([measure, *(format_score(value, measure, digits) for value in (strong, weak, accuracy))])
        return TextTable(["measure", "strong correctness", "weak correctness", "aligned accuracy"], rows)

    def _kinds(self, digits: int) -> list[TextTable]:
        """Lay out F for each kind of words, and accuracy for kinds whose aligned words all have one tag."""
        measures = self.b.metrics
        f1, accuracy = [], []
        for kind, scores in (self.kinds or {}).items():
            f1.append([kind, *(format_score(scores[name].f1, name, digits) for name in measures)])
            accuracy.append(
                [kind, *(format_score(scores.correctness(name).aligned_accuracy, name, digits) for name in measures)]
            )
        tables = ((f"F{self.b.signature.beta:g}", f1), ("accuracy", accuracy))
        return [
            TextTable([f"words ({title})", *measures], rows)
            for title, rows in tables
            if any(any(row[1:]) for row in rows)
        ]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row with correctness for each kind of words and measure; for units and means, rows without it."""
        if self.per_document or self.macro:
            yield from super().records()
            return
        kinds = {"all": self.b, **(self.kinds or {})}
        skipped = 1 if self.kinds is None else 0  # skip the column of kinds if there is only one kind
        yield ("words", "metric", *FIELDS, *Correctness._fields)[skipped:]
        for kind, scores in kinds.items():
            for row in rows_of(scores, scores.metrics):
                yield (kind, row.metric, *row.values, *scores.correctness(row.metric))[skipped:]

    def to_dict(self) -> dict[str, Any]:
        """Return signature, number of units and scores; see `arraycoref.tagging.scores.tags_dict`."""
        found = tags_dict(self.b, per_document=self.per_document, macro=self.macro)
        if self.kinds is not None:
            found["words"] = {kind: tags_dict(scores)["scores"] for kind, scores in self.kinds.items()}
        return found


@dataclass(frozen=True)
class CountsReport(Report):
    """A table of counts, such as those of `arraycoref.tagging.category_errors`.

    Attributes:
        headers: a name for each column.
        rows: for each row its texts and counts, one for each column.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[object]]

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table."""
        return [TextTable(self.headers, [[str(value) for value in row] for row in self.rows])]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield the header and the rows."""
        yield self.headers
        yield from self.rows

    def to_dict(self) -> list[dict[str, object]]:
        """Return a dictionary for each row."""
        return [dict(zip(self.headers, row, strict=True)) for row in self.rows]
