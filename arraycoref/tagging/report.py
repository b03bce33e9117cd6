"""Tagger scores, and tables of errors, as reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arraycoref.display.formats import Format, Report
from arraycoref.display.tables import TextTable
from arraycoref.exceptions import InputError
from arraycoref.scoring.format import FIELDS, format_score, rows_of
from arraycoref.scoring.metrics.score import ratio
from arraycoref.scoring.reports import ScoresReport
from arraycoref.tagging.measures import CONLL18, WORDS
from arraycoref.tagging.scores import TagScores

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
    counts: bool = True
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll18}

    @property
    def document_titles(self) -> tuple[str, ...]:  # type: ignore[override]
        """Title of the column of units."""
        return (self.b.signature.unit,)

    def tables(self, digits: int) -> list[TextTable]:
        """Return tables of correctness and of kinds of words, then the tables that all reports of scores have."""
        measures, kinds = self.b.metrics, self.kinds or {}
        correct = {} if self.macro else {measure: self.b.correctness(measure) for measure in measures}
        tables = {
            ("measure", "strong correctness", "weak correctness", "aligned accuracy"): {
                measure: [each.strong, each.weak, each.aligned_accuracy] for measure, each in correct.items()
            },
            (f"words (F{self.b.signature.beta:g})", *measures): {
                kind: [scores[measure].f1 for measure in measures] for kind, scores in kinds.items()
            },
            ("words (accuracy)", *measures): {  # of kinds whose aligned words all have one tag
                kind: [scores.correctness(measure).aligned_accuracy for measure in measures]
                for kind, scores in kinds.items()
            },
        }
        laid = []
        for headers, values in tables.items():
            rows = [[name, *(format_score(value, "exact", digits) for value in row)] for name, row in values.items()]
            if any(any(row[1:]) for row in rows):
                laid.append(TextTable(headers, rows))
        return [*laid, *super().tables(digits)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row with correctness for each kind of words and measure; for units and means, rows without it."""
        if self.per_document or self.macro:
            yield from super().rows()
            return
        for kind, scores in {"all": self.b, **(self.kinds or {})}.items():
            for row in rows_of(scores, scores.metrics):
                values = dict(zip(FIELDS, row.values, strict=True)) | scores.correctness(row.metric)._asdict()
                yield {**({} if self.kinds is None else {"words": kind}), "metric": row.metric, **values}

    def nested(self) -> Any:
        """Return signature, number of units and scores; see `TagScores.nested`."""
        found = super().nested()
        if self.kinds is not None:
            found["words"] = {kind: scores.nested()["scores"] for kind, scores in self.kinds.items()}
        return found


@dataclass(frozen=True)
class CountsReport(Report):
    """A table of counts, such as those of `arraycoref.tagging.category_errors`.

    Attributes:
        headers: a name for each column.
        counted: for each row its texts and counts, one for each column.
    """

    headers: Sequence[str]
    counted: Sequence[Sequence[object]]

    def columns(self) -> dict[str, Any]:
        """Return the columns."""
        return {name: [row[k] for row in self.counted] for k, name in enumerate(self.headers)}
