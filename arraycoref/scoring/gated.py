"""Report scores to a pipeline: whether they reach given bounds, and how they differ from earlier scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from arraycoref.report.escapes import markdown_text
from arraycoref.report.formats import FORMATS, Report, plain
from arraycoref.scoring.metrics.registry import direction
from arraycoref.scoring.print import ScoresReport
from arraycoref.scoring.values import is_count, number_of, score_name

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

    def render(self, format: str, *, digits: int = 2) -> str:
        """Write the scores, followed by the comparisons, in a format of reports or in the format ``github``.

        JSON has the keys ``compared`` and ``bounds`` if there are any; CSV and ``conll`` have the scores only.
        """
        if format == "github":
            return self._github(digits)
        if format == "json":
            return FORMATS["json"](self, digits)
        parts = (self.scores, *self.comparisons) if format not in ("csv", "conll") else (self.scores,)
        return "\n".join(each.render(format, digits=digits) for each in parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        added: dict[str, Sequence[Any]] = {"compared": self.comparisons, "bounds": self.verdicts}
        return self.scores.to_dict() | {name: [each.to_dict() for each in all] for name, all in added.items() if all}

    def _github(self, digits: int) -> str:
        """Write a summary for GitHub in Markdown: scores, bounds, comparisons, and a folded table of documents."""
        parts = ["### Coreference scores\n", replace(self.scores, per_document=False).render("markdown", digits=digits)]
        signs = {True: ":white_check_mark:", False: ":x:"}
        parts += ["".join(f"- {signs[each.reached]} {markdown_text(str(each))}\n" for each in self.verdicts)]
        for each in self.comparisons:
            parts += [f"#### Compared with {markdown_text(self.previous)}\n", each.render("markdown", digits=digits)]
        for table in self.scores.tables(digits)[:-1]:
            title = f"<details>\n<summary>{number_of(len(table.rows), 'document')}</summary>\n"
            parts += [title, table.tabulate("pipe", markdown_text) + "\n", "</details>\n"]
        return "\n".join(filter(None, parts))
