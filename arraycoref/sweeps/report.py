"""Show a sweep as a report: its settings from the best to the worst, and which of them may be as good as the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arraycoref.report.formats import Report, plain
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.rows import field_name, score_columns, unit
from arraycoref.scoring.settings import beside

if TYPE_CHECKING:
    from arraycoref.stats.best_set import Best
    from arraycoref.sweeps.result import Sweep

TESTED = ("difference", "difference_low", "difference_high")


@dataclass(frozen=True, eq=False)
class SweepReport(Report):
    """The settings of a sweep in the order of their rank.

    ``*`` marks the best, ``=`` settings that do not differ significantly from it.

    Attributes:
        sweep: S settings.
        best: the best of them, by the score that ranks them, with its rivals.
        top: how many settings to show; None for all.
    """

    sweep: Sweep
    best: Best
    top: int | None = None

    @property
    def order(self) -> list[int]:
        """Positions of the settings to show."""
        order: list[int] = self.sweep.order(self.best.metric, self.best.field).tolist()
        return order[: self.top]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out for each setting its parameters, score in every metric, difference from the best, and mark."""
        sweep, field = self.sweep, self.best.field
        name = field_name(field, sweep.signature.beta)
        interval = f"{100 * self.best.confidence:g}% interval"
        first, *others = [*sweep.parameters, *sweep.metrics, "difference", interval, ""]

        def difference(position: int) -> tuple[str, str]:
            found = self.best.differences[position]
            return ("", "") if position == self.best.position else found.cells(self.best.metric, digits, sign="+")

        rows = [
            [
                *scores,
                *difference(position),
                "*" if position == self.best.position else "=" if position in self.best.positions else "",
            ]
            for position, scores in zip(self.order, sweep.cells(self.order, field, digits), strict=True)
        ]
        return [TextTable([f"{first} ({name})", *others], rows)]

    def caption(self, digits: int) -> list[str]:
        """Name the score that ranks, its best value, and the number of settings that may be as good."""
        sweep, best = self.sweep, self.best
        sizes = f"{number_of(len(sweep), 'setting')}, {number_of(sweep.n_documents, 'document')}"
        score = best.score.in_brackets(best.metric, digits, profile=best.profile)
        found = f"* best by {best.metric} {best.field}: {score}"
        rivals = f"= not significantly different from it: {len(best.rivals)}"
        caption = [f"{sizes}, in {unit(*sweep.metrics)}", f"{found}, {rivals}", *best.notes]
        return ["; ".join(caption), str(sweep.signature)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header, then a row for each setting: parameters, scores, difference (fractions 0-1), p-value, rival.

        Raises:
            InputError: a parameter has the name of another column.
        """
        settings, *others = zip(*self._rows(), strict=True)
        first, *_ = rows = [scores | tested for scores, tested in zip(*others, strict=True)]
        yield tuple(beside(settings[0], first))
        for setting, numbers in zip(settings, rows, strict=True):
            yield (*setting.values(), *numbers.values())

    def _rows(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """Yield the parameters of each setting (infinite ones as strings), its scores, and the results of its test."""
        sweep, best = self.sweep, self.best
        parameters, scores = sweep.parameters, score_columns(sweep.corpus, sweep.metrics)
        for position in self.order:
            setting = {name: column[position] for name, column in parameters.items()}
            found = best.differences[position]
            tested = (found.estimate, found.low, found.high, best.pvalues[position])
            yield (
                {name: value if plain(value) == value else str(value) for name, value in setting.items()},
                {name: plain(column[position]) for name, column in scores.items()},
                dict(zip((*TESTED, "pvalue"), map(plain, tested), strict=True))
                | {"rival": int(position in best.positions)},
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the best setting, and all settings shown, as plain values: fractions 0-1, None in place of nan."""
        sweep, best = self.sweep, self.best
        settings: list[dict[str, Any]] = [
            {"setting": setting, "scores": scores, **tested, "rival": bool(tested["rival"])}
            for setting, scores, tested in self._rows()
        ]
        score = {name: plain(getattr(best.score, name)) for name in ("estimate", "low", "high")}
        options = {name: getattr(best, name) for name in ("metric", "field", "confidence", "seed", "resamples")}
        return {
            "signature": sweep.signature.as_dict(),
            "n_settings": len(sweep),
            "n_documents": sweep.n_documents,
            "best": {**options, "score": score, "setting": settings[0]["setting"], "notes": list(best.notes)},
            "settings": settings,
        }
