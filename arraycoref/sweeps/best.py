"""Find the best setting of a sweep, and the settings that may be as good; the resampling is `arraycoref.stats`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.errors import InputError
from arraycoref.metrics import direction
from arraycoref.metrics.score import Floats, levelled
from arraycoref.records import Record
from arraycoref.report.notebook import Shown
from arraycoref.report.table import TextTable
from arraycoref.report.values import pvalue_text
from arraycoref.results import BatchScores
from arraycoref.sweeps.settings import Setting, beside, parameters_of, text_of

if TYPE_CHECKING:
    from arraycoref.stats import Interval
    from arraycoref.stats.options import Settings
    from arraycoref.stats.systems import Systems

SETTINGS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Best(Record, Shown):
    """The best of S settings by one score.

    Attributes:
        setting: the best setting, the earliest of equals.
        position: its position in the sweep.
        score: its score with its confidence interval, fractions. The best of many scores is too high an estimate of
            what its setting gives on other documents, the more so the more settings; the interval does not know that.
        differences: (S,) score of each setting minus that of the best, each with its confidence interval by itself.
        pvalues: float64 (S,) of each setting being as good as any, see `arraycoref.stats.best_set`; NaN where there is
            one document only.
        confidence: of the intervals; the truly best setting is the best or among the `rivals` about this often.
        positions: int64 (R + 1,) the best setting and its rivals, from the best to the worst.
        settings: (R + 1,) the same as settings.
        metric: name of the metric that was compared.
        measure: ``recall``, ``precision`` or ``f1``, which was compared.
        n_resamples: behind intervals and tests.
        seed: repeats the numbers.
        notes: what a reader should know before trusting them.
        profile: of the scores, which says how they are written.
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
    measure: str
    n_resamples: int
    seed: int
    notes: tuple[str, ...] = ()
    profile: str = "paper"

    @property
    def rivals(self) -> tuple[Setting, ...]:
        """Settings that may be as good as the best, from the best to the worst of them, without the best."""
        return self.settings[1:]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the best setting and its rivals, with the p-values of their being as good as any."""
        parameters = parameters_of(self.settings)
        rows = [
            [*(str(values[place]) for values in parameters.values()), pvalue_text(self.pvalues[position])]
            for place, position in enumerate(self.positions.tolist())
        ]
        return [TextTable([*parameters, "p"], rows)]

    def caption(self, digits: int) -> list[str]:
        """Say how good the best setting is."""
        return [str(self), *self.notes]

    def columns(self) -> dict[str, Any]:
        """Return a row for the best setting and each rival: its parameters, and the p-value of being as good as any."""
        return beside(parameters_of(self.settings), {"pvalue": self.pvalues[self.positions]})

    def __str__(self) -> str:
        score = self.score.in_brackets(self.metric, profile=self.profile)
        found = f"{text_of(self.setting)}: {self.metric} {self.measure} {score}"
        if math.isnan(self.score.low):
            return f"{found}, without an interval: there is one document only"
        return f"{found}, not significantly different from {len(self.rivals)} of {self.pvalues.size - 1} others"


def find_best(settings: Sequence[Setting], runs: Sequence[BatchScores], scores: Floats, asked: Settings) -> Best:
    """Find the best setting, its interval, and its rivals.

    A setting stays a rival unless the largest difference to its competitors is more than exchanging documents would
    make it, with the clearly worse left out first: `arraycoref.stats.best_set`. As the largest is taken anew for each
    exchange, it is accounted for that the best was picked after looking, and no further correction for the number of
    settings is needed.

    Args:
        settings: (S,) their names.
        runs: (S,) their scores, all on the same documents.
        scores: float64 (S,) the corpus scores that are compared.
        asked: what they are scores of, and how they are tested.

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
        measure=asked.field,
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


def ranked(scores: Floats, metric: str, measure: str = "f1") -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return positions from the best score of a metric to the worst, int64 (S,); the earlier first of equals.

    Raises:
        OptionError: a measure that the metric lacks, whose scores are nan.
    """
    from arraycoref.stats.comparable import check_field

    check_field(measure, metric)
    return np.argsort(levelled(-direction(metric) * scores), kind="stable")


def bands(
    runs: Sequence[BatchScores], metric: str, measure: str, confidence: float, resamples: int, seed: int
) -> Floats:
    """Return lower and upper ends of the percentile interval of every setting, (2, S); NaN if there is one document.

    The same documents are drawn for all settings.
    """
    from arraycoref.stats.bootstrapping import replicates
    from arraycoref.stats.comparable import check_field

    field = check_field(measure, metric)
    values = [replicates(systems, resamples, seed)[:, :, 0, field] for systems in _in_parts(runs, metric)]
    tail = (1.0 - confidence) / 2.0
    return np.quantile(np.concatenate(values, axis=1), [tail, 1.0 - tail], axis=0)


def _in_parts(runs: Sequence[BatchScores], metric: str, *before: BatchScores) -> Iterator[Systems]:
    """Yield some settings at a time, others before them, as systems to resample."""
    from arraycoref.stats.systems import Systems

    for first in range(0, len(runs), SETTINGS_AT_ONCE):
        some = (*before, *runs[first : first + SETTINGS_AT_ONCE])
        yield Systems.of({str(position): run for position, run in enumerate(some)}, (metric,), "micro")
