"""Explain the score of a document as papers draw their examples: its entities, their parts, sums of exact fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.worked_metrics import LETTERS, WORKED, Step, Sums, TextsOfDocument, f_step, over, set_text
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable
from arraycoref.scoring.signature import Signature

WIDEST = 400
"""Most characters of a cell in a table, whose rows are as wide as the widest; other formats have all of it."""

TEXTS = ("entity", "parts", "mention", "key", "response", "both", "links")
"""The columns of texts."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Report):
    """How a metric scores one document of a response, in exact fractions.

    Attributes:
        metric: name of the metric.
        document: name of the document.
        entities: the entities of key and response, a text for each mention, in the order of the text.
        headers: titles of the table.
        parts: rows of the table: those of recall, then those of precision, or one part for both. A cell is a text, a
            whole number or a fraction; it is an empty text where the side lacks the mention.
        totals: the last row of each part, maybe empty.
        steps: the lines that compute the score from the rows.
        sums: the sums of the metric's groups, as `arraycoref.Counts` has them: recall numerator and denominator,
            precision numerator and denominator. BLANC's groups are coreference links and non-coreference links.
        recall: from 0 to 1.
        precision: from 0 to 1.
        f1: from 0 to 1; with the signature's beta.
        signature: signature of the scores.
        notes: notes of the run.
    """

    metric: str
    document: str
    entities: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]
    headers: tuple[str, ...]
    parts: Sequence[Sequence[Sequence[Any]]]
    totals: Sequence[Sequence[Any]]
    steps: Sequence[Step]
    sums: Sequence[Sums]
    recall: Fraction
    precision: Fraction
    f1: Fraction
    signature: Signature
    notes: tuple[str, ...] = ()

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the entities, and the parts with their sums."""
        named = [
            (f"{letter}{i}", _short(set_text(names)), str(len(names)))
            for letter, entities in zip(LETTERS, self.entities, strict=True)
            for i, names in enumerate(entities, 1)
        ]
        align = "".join("l" if title in TEXTS else "r" for title in self.headers)
        parts = zip(self.parts, self.totals, strict=True)
        tables = [
            TextTable(self.headers, [[_short(str(cell)) for cell in row] for row in (*rows, total) if row], align)
            for rows, total in parts
        ]
        return [TextTable(("entity", "mentions", "size"), named, "llr"), *tables]

    def caption(self, digits: int) -> list[str]:
        """Write the steps; notes and the signature come last."""
        about = f"{self.metric} of document {self.document}; K: entities of the key, R: of the response"
        return [about, *(step.text(digits) for step in self.steps), *self.notes, str(self.signature)]

    def facts(self) -> dict[str, Any]:
        """Return entities, sums and scores; fractions are texts."""
        key, response = ([list(names) for names in side] for side in self.entities)
        scores = {name: str(getattr(self, name)) for name in ("recall", "precision", "f1")}
        of_document = {"metric": self.metric, "document": self.document, "key": key, "response": response}
        return {**of_document, "sums": [list(map(str, group)) for group in self.sums], **scores}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the table; fractions are texts such as ``35/12``."""
        for row in (row for part in self.parts for row in part):
            cells = (str(cell) if isinstance(cell, Fraction) else cell for cell in row)
            yield dict(zip(self.headers, cells, strict=True))


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def explain_document(
    index: MentionIndex, side: int, metric: str, signature: Signature, notes: tuple[str, ...]
) -> Explanation:
    """Explain a metric's score of one document; see `arraycoref.explain`.

    Args:
        index: the index of this document alone.
        side: side of the response, from 1.
        metric: a name of `WORKED`.
        signature: signature of the scores.
        notes: notes of the run.
    """
    document = TextsOfDocument(index, side)
    worked = WORKED[metric](document)
    groups = [(over(group[0], group[1]), over(group[2], group[3])) for group in worked.sums]
    subs = ("_c", "_n") if metric == "blanc" else ("",)
    f_steps = [f_step(r, p, signature.beta, sub) for (r, p), sub in zip(groups, subs, strict=True)]
    scores = [[r, p, step.value or Fraction(0)] for (r, p), step in zip(groups, f_steps, strict=True)]
    steps, means = [*worked.steps, *f_steps], scores[0]
    if metric == "blanc":
        used = [
            sub
            for sub, group in zip(subs, worked.sums, strict=True)
            if group[1] or (signature.profile != "conll" and group[3])
        ]
        none = Fraction(signature.profile == "paper" and document.mentions[0] == document.mentions[1])
        chosen = [score for sub, score in zip(subs, scores, strict=True) if sub in used] or [[none] * 3]
        means = [sum(values, Fraction(0)) / len(chosen) for values in zip(*chosen, strict=True)]
        for name, letter, mean in zip(("R", "P", "BLANC"), "RPF", means, strict=True):
            formula = " + ".join(letter + sub for sub in used) or "no links; 1 for the same mentions"
            steps.append(Step(name, f"({formula}) / 2" if len(used) > 1 else formula, mean))
    return Explanation(
        metric=metric,
        document=index.names[0],
        entities=document.texts,
        headers=worked.headers,
        parts=worked.parts,
        totals=worked.totals,
        steps=steps,
        sums=worked.sums,
        recall=means[0],
        precision=means[1],
        f1=means[2],
        signature=signature,
        notes=notes,
    )
