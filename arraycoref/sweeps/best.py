"""Find the best setting of a sweep, and the settings that may be as good, by the tests of `arraycoref.stats`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.errors import InputError
from arraycoref.records import Record
from arraycoref.report.formats import Displayable
from arraycoref.report.tables import TextTable, pvalue_text
from arraycoref.scoring.metrics.registry import direction
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.sweeps.settings import Setting, beside, parameters_of, text_of

if TYPE_CHECKING:
    from arraycoref.stats import Interval
    from arraycoref.stats.options import Settings
    from arraycoref.stats.systems import Systems

SETTINGS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Best(Record, Displayable):
    """The best of S settings by one score.

    Attributes:
        setting: the best setting; of equally good ones, the earliest.
        position: its position in the sweep.
        score: its score with its confidence interval. As the best of many scores, it is too high an estimate of the
            setting's score on other documents, the more so the more settings there are; the interval does not correct
            for that.
        differences: (S,) score of each setting minus that of the best, each with its confidence interval by itself.
        pvalues: float64 (S,) p-value of each setting for being as good as any other, see `arraycoref.stats.best_set`;
            NaN if there is one document only.
        confidence: level of the intervals; the truly best setting is ``setting`` or one of the `rivals` about this
            often.
        positions: int64 (R + 1,) positions of the best setting and its R rivals, from the best to the worst.
        settings: (R + 1,) the settings at these positions.
        metric: name of the metric that was compared.
        field: the field that was compared: ``recall``, ``precision`` or ``f1``.
        resamples: number of resamples for intervals and tests.
        seed: integer that repeats the numbers.
        notes: what a reader should know before trusting the numbers.
        profile: profile of the scores; ``conll`` cuts percentages off after their decimals, others round them.
    """

    setting: Setting
    position: int
    score: Interval
    differences: tuple[Interval, ...]
    pvalues: Floats
    confidence: float
    positions: np.ndarray[tuple[int], np.dtype[np.int64]]
    settings: tuple[Setting, ...]
    metric: str
    field: str
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()
    profile: str = "paper"

    @property
    def rivals(self) -> tuple[Setting, ...]:
        """Settings that may be as good as the best, from the best to the worst of them, without the best."""
        return self.settings[1:]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the best setting and its rivals, each with its p-value for being as good as any other."""
        parameters = parameters_of(self.settings)
        rows = [
            [*(str(values[place]) for values in parameters.values()), pvalue_text(self.pvalues[position])]
            for place, position in enumerate(self.positions.tolist())
        ]
        return [TextTable([*parameters, "p"], rows)]

    def caption(self, digits: int) -> list[str]:
        """Name the best setting, its score and the number of its rivals."""
        return [str(self), *self.notes]

    def columns(self) -> dict[str, Any]:
        """Return a row for the best setting and each rival: its parameters, and its p-value."""
        return beside(parameters_of(self.settings), {"pvalue": self.pvalues[self.positions]})

    def __str__(self) -> str:
        score = self.score.in_brackets(self.metric, profile=self.profile)
        found = f"{text_of(self.setting)}: {self.metric} {self.field} {score}"
        if math.isnan(self.score.low):
            return f"{found}, without an interval: there is one document only"
        return f"{found}, not significantly different from {len(self.rivals)} of {self.pvalues.size - 1} others"


def find_best(settings: Sequence[Setting], runs: Sequence[BatchScores], scores: Floats, asked: Settings) -> Best:
    """Find the best setting, its interval, and its rivals.

    A setting is a rival unless the largest difference of another setting from it is larger than exchanges of documents
    would make it; clearly worse settings are left out before, see `arraycoref.stats.best_set`. The largest
    difference is found anew for each exchange. So the test accounts for the choice of the best setting from the scores,
    and no further correction for the number of settings is needed.

    Args:
        settings: (S,) settings.
        runs: (S,) scores of the settings, all on the same documents.
        scores: float64 (S,) the corpus scores that are compared.
        asked: metric, field and average of ``scores``, and the options of intervals and tests.

    Raises:
        InputError: no settings or no documents.

    Source: Romano, Shaikh and Wolf (2014).
    """
    from arraycoref.stats.best_set import best_pvalues
    from arraycoref.stats.comparable import document_notes

    if not runs or not len(runs[0]):
        raise InputError(f"the sweep has 0 {'documents' if runs else 'settings'}; expected some")
    order = ranked(scores, asked.metric)
    best = int(order[0])
    score, differences = _intervals(runs, best, asked)
    pvalues = best_pvalues(runs, best, asked)
    rivals = order[~(pvalues[order] <= asked.alpha)]
    rivals = np.concatenate(([best], rivals[rivals != best]))
    chosen = tuple(settings[position] for position in rivals)
    return asked.result(
        Best,
        setting=chosen[0],
        position=best,
        score=score,
        differences=differences,
        pvalues=pvalues,
        positions=rivals,
        settings=chosen,
        field=asked.field,
        notes=document_notes({"": runs[best]}, asked.average),
        profile=runs[best].signature.profile,
    )


def _intervals(runs: Sequence[BatchScores], best: int, settings: Settings) -> tuple[Interval, tuple[Interval, ...]]:
    """Find the interval of the best setting's score, and those of the differences of all settings from it."""
    from arraycoref.stats.bootstrapping import intervals_of

    def score_and_differences(values: Floats) -> Floats:
        scored = values[..., 0, settings.place]
        return np.concatenate((scored[..., :1], scored[..., 1:] - scored[..., :1]), axis=-1)

    differences: list[Interval] = []
    for systems in _in_parts(runs, settings.metric, runs[best]):
        score, *found = intervals_of(systems, settings, score_and_differences)
        differences += found
    return score, tuple(differences)


def ranked(scores: Floats, metric: str, field: str = "f1") -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return positions from the best score of a metric to the worst, int64 (S,); equal ones keep their order.

    Raises:
        OptionError: the metric lacks the field, so that its scores are nan.
    """
    from arraycoref.stats.comparable import check_field

    check_field(field, metric)
    return np.argsort(rounded_for_ties(-direction(metric) * scores), kind="stable")


def bands(runs: Sequence[BatchScores], metric: str, field: str, confidence: float, resamples: int, seed: int) -> Floats:
    """Return lower and upper ends of the percentile interval of every setting, (2, S); NaN if there is one document.

    The same documents are drawn for all settings.
    """
    from arraycoref.stats.bootstrapping import replicates
    from arraycoref.stats.comparable import check_field

    place = check_field(field, metric)
    values = [replicates(systems, resamples, seed)[:, :, 0, place] for systems in _in_parts(runs, metric)]
    tail = (1.0 - confidence) / 2.0
    return np.quantile(np.concatenate(values, axis=1), [tail, 1.0 - tail], axis=0)


def _in_parts(runs: Sequence[BatchScores], metric: str, *before: BatchScores) -> Iterator[Systems]:
    """Yield the settings in parts, as systems to resample; the runs ``before`` come first in each part."""
    from arraycoref.stats.systems import Systems

    for first in range(0, len(runs), SETTINGS_AT_ONCE):
        some = (*before, *runs[first : first + SETTINGS_AT_ONCE])
        yield Systems.of({str(position): run for position, run in enumerate(some)}, (metric,), "micro")
