"""Choose a setting on the development set and score it on the test set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.records import Record
from arraycoref.report.formats import Displayable
from arraycoref.report.tables import TextTable
from arraycoref.stats.best_set import Best
from arraycoref.sweeps.repeats import Averages, average, mean_and_sd, pool
from arraycoref.sweeps.result import Sweep
from arraycoref.sweeps.settings import Setting, identity, text_of

if TYPE_CHECKING:
    from arraycoref.stats import Interval, Intervals
    from arraycoref.stats.resampling import Seed


@dataclass(frozen=True, eq=False)
class Choice(Record, Displayable):
    """A setting that was chosen on one set of documents, and its scores on another.

    Attributes:
        setting: the chosen setting.
        dev: the best setting on the development set, with its interval and its `rivals`, which may be as good. As the
            best score of many, its score is too high an estimate for other documents.
        test: intervals of all metrics on the test set, which had no part in the choice.
        over: parameter whose values are repeated runs, such as the seed; None if runs were not repeated. If they were,
            ``dev`` and ``test`` are about the sums over all runs.
        dev_runs: mean and standard deviation, over its runs, of the chosen setting's score on the development set; None
            if runs were not repeated.
        test_runs: the same on the test set.
        notes: what a reader should know before trusting the scores.
    """

    setting: Setting
    dev: Best
    test: Intervals
    over: str | None = None
    dev_runs: tuple[float, float] | None = None
    test_runs: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> Interval:
        """The chosen setting's score on the test set, in the metric and field that it was chosen by."""
        found: Interval = getattr(self.test[self.dev.metric], self.dev.field)
        return found

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the best settings on the development set, and the intervals on the test set."""
        return [*self.dev.tables(digits), *self.test.tables(digits)]

    def caption(self, digits: int) -> list[str]:
        """Name the chosen setting, and its scores on both sets."""
        return str(self).split("\n")

    def columns(self) -> dict[str, Any]:
        """Return a row for each metric and field on the test set; see `arraycoref.stats.Intervals`."""
        return self.test.columns()

    def __str__(self) -> str:
        metric = self.dev.metric
        lines = [
            f"chosen on dev: {text_of(self.setting)}",
            f"dev: {self.dev}",
            f"test: {metric} {self.dev.field} {self.score.in_brackets(metric, profile=self.dev.profile)}",
        ]
        if self.dev_runs is not None and self.test_runs is not None:
            both, profile = (self.dev_runs, self.test_runs), self.dev.profile
            dev, test = (mean_and_sd(*runs, metric, profile=profile) for runs in both)
            lines.append(f"mean over {self.over}: dev {dev}, test {test}")
        return "\n".join((*lines, *self.notes))


def choose(
    dev: Sweep,
    test: Sweep,
    metric: str | None = None,
    field: str = "f1",
    *,
    over: str | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed = 0,
    threads: int = 1,
) -> Choice:
    """Choose the best setting on the development set, and score it on the test set.

        >>> import arraycoref as ac
        >>> settings = {"t": [0.1, 0.2]}
        >>> dev = ac.sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]], settings=settings, metrics="muc")
        >>> test = ac.sweep([0, 0, 0], [[0, 0, 0], [0, 0, 1]], settings=settings, metrics="muc")
        >>> chosen = ac.sweeps.choose(dev, test)
        >>> chosen.setting, chosen.dev.score.estimate, chosen.test["muc"].recall.estimate
        ({'t': 0.2}, 1.0, 0.5)

    Args:
        dev: sweep of S settings on the development set.
        test: sweep of the same settings, in any order, on the test set.
        metric: name of the metric to choose by; None for the CoNLL average if it was asked for, or else the first one.
        field: ``recall``, ``precision`` or ``f1`` of the metric.
        over: a parameter such as ``seed``, whose values are repeated runs, the same number for each setting. The
            setting with the best mean over its runs is chosen; intervals and rivals are those of the sums over runs
            (see `pool`).
        confidence: confidence level of the intervals, and of the tests against the best.
        resamples: number of bootstrap resamples of the documents.
        seed: seed of the resamples: an integer, a generator or None. ``dev.seed`` of the result repeats the numbers.
        threads: number of threads that share the resamples; no result depends on it.

    Raises:
        InputError: other settings or policies on the test set; see also `Sweep.best` and `pool`.
        UnknownNameError: a metric that one of the sweeps lacks.
        DocumentMismatchError: settings that were scored on different documents.
    """
    from arraycoref.stats import bootstrap

    _require_same_settings(dev, test)
    pools = (dev, test) if over is None else (pool(dev, over), pool(test, over))
    best = pools[0].best(metric, field, confidence=confidence, resamples=resamples, seed=seed, threads=threads)
    if best.metric not in test.metrics:
        raise UnknownNameError("metric", best.metric, test.metrics)
    setting, dev_runs, test_runs = best.setting, None, None
    if over is not None:
        averages = average(dev, over)
        setting = averages.best(best.metric, field)
        dev_runs, test_runs = (_over_runs(found, setting, best) for found in (averages, average(test, over)))
    chosen = pools[1].at(setting)
    intervals = bootstrap(chosen, confidence=confidence, resamples=resamples, seed=best.seed, threads=threads)
    return Choice(setting, best, intervals, over, dev_runs, test_runs, _notes(dev, test, setting, best))


def _over_runs(found: Averages, setting: Setting, best: Best) -> tuple[float, float]:
    position = list(map(identity, found.settings)).index(identity(setting))
    mean, sd = found.mean(best.metric, best.field), found.sd(best.metric, best.field)
    return float(mean[position]), float(sd[position])


def _require_same_settings(dev: Sweep, test: Sweep) -> None:
    """Check that a setting chosen in one sweep means the same in the other.

    Raises:
        InputError: ``dev`` or ``test`` is no sweep, or they have different settings or policies.
    """
    for side, found in (("dev", dev), ("test", test)):
        given: object = found
        if not isinstance(given, Sweep):
            raise InputError(f"{side} is {given!r:.60}; expected a sweep")
    ours, theirs = ({identity(setting): setting for setting in found.settings} for found in (dev, test))
    for side, here, there in (("dev", ours, theirs), ("test", theirs, ours)):
        only = [setting for name, setting in here.items() if name not in there]
        if only:
            raise InputError(
                f"{len(only)} of {len(here)} settings are in the sweep of {side} only, such as {text_of(only[0])}; "
                "expected the same settings in both (of dendrograms: the same thresholds=)"
            )
    if dev.signature != test.signature:
        raise InputError(f"dev was scored under {dev.signature} and test under {test.signature}; expected the same")


def _notes(dev: Sweep, test: Sweep, setting: Setting, best: Best) -> tuple[str, ...]:
    notes = []
    if dev.key_digest == test.key_digest:
        notes.append("dev and test have the same key: the score on test is too high, as the choice was made on it")
    if identity(setting) != identity(best.setting):
        notes.append(f"by the sums over all runs {text_of(best.setting)} is the best, not by the mean of the runs")
    return tuple(notes)
