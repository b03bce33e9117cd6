"""Check scores against bounds and against earlier scores, for ``arraycoref score``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli.main import refuse
from arraycoref.errors import InputError
from arraycoref.scoring.metrics import registry

if TYPE_CHECKING:
    from arraycoref.scoring.print import GatedReport, ScoresReport
    from arraycoref.scoring.scores import BatchScores

FAILED = 3
"""Exit status if a score does not reach its bound."""

Bound = tuple[str, str, float]
"""A metric, a field of it, and a limit: a fraction (one point is 0.01), or a number where the metric is a count."""


def _bound(option: str, text: str, default: str = "") -> Bound:
    """Read ``METRIC=POINTS`` or ``METRIC.FIELD=POINTS``; with a default metric, ``POINTS`` alone too.

    Raises:
        UsageError: text of another form, or points that no score can have. Without a default metric, this includes
            points between 0 and 1, as in ``conll=0.7``: they are probably a fraction by mistake, and as a bound in
            percent they would let nearly every score pass. With a default metric, ``text`` gives a difference, which
            may be that small.
        UnknownNameError: there is no such metric, or the metric has no such field.
    """
    from arraycoref.scoring.rows import is_count

    name, _, number = text.rpartition("=")
    try:
        points = float(number)
    except ValueError:
        points = math.nan
    metric, field = "", "f1"
    if name.strip() or default:
        metric, field = registry.split_field(name.strip() or default, f"metric in {option}")
    counted = is_count(metric)
    if not metric or not 0 <= points <= (math.inf if counted else 100) or (not (counted or default) and 0 < points < 1):
        expected = "points, as in 0.5 or muc.recall=0.5" if default else "percent, as in conll=70 or muc.recall=60"
        raise click.UsageError(f"{option} is {text!r}; expected {expected}")
    return metric, field, points if counted else points / 100


@dataclass(frozen=True)
class Gate:
    """The bounds that scores must reach, and the earlier scores that they are compared with.

    Attributes:
        bounds: the bounds of ``--fail-under``.
        drops: how much worse than the earlier scores each metric may be, from ``--fail-under-previous``.
        compared: the metric and field of each comparison with the earlier scores.
        path: the file of the earlier scores; "" if there are none.
        previous: the earlier scores; None if there are none.
    """

    bounds: Sequence[Bound]
    drops: Sequence[Bound]
    compared: Sequence[tuple[str, str]] = ()
    path: str = ""
    previous: BatchScores | None = None

    @classmethod
    def of(
        cls, asked: Sequence[str] | None, fail_under: Sequence[str], compare_to: str | None, drops: Sequence[str]
    ) -> Gate:
        """Read the bounds as typed, and the file of earlier scores, before anything is scored.

        Args:
            asked: the metrics of ``--metrics``; None for the default metrics.
            fail_under: the values of ``--fail-under``.
            compare_to: the file of ``--compare-to``.
            drops: the values of ``--fail-under-previous``.

        Raises:
            UsageError: a bound that cannot be read, see `_bound`.
            ReadError: a file that does not hold earlier scores.
            InputError: earlier scores without a metric that is to be compared.
        """
        usual = "conll" if asked is None or not lacking(asked, ["conll"]) else asked[0]
        bounds = [_bound("--fail-under", text) for text in fail_under]
        allowed = [_bound("--fail-under-previous", text, usual) for text in drops]
        if compare_to is None:
            refuse("needs --compare-to", "fail_under_previous")
            return cls(bounds, allowed)
        from arraycoref.scoring.store import load_scores

        previous = load_scores(compare_to)
        compared = list(dict.fromkeys(each[:2] for each in allowed)) or [(usual, "f1")]
        for metric in lacking(previous.metrics, [metric for metric, _ in compared]):
            raise InputError(f"{compare_to} holds no {metric}; its metrics are {', '.join(previous.metrics)}")
        return cls(bounds, allowed, compared, compare_to, previous)

    def metrics(self, asked: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the metrics to score: those asked for, then those that only bounds and comparisons need."""
        wanted = registry.DEFAULT_METRICS if asked is None else asked
        added = lacking(wanted, [*(each[0] for each in self.bounds), *(each[0] for each in self.compared)])
        return (*wanted, *added) if added else asked

    def judge(self, report: ScoresReport) -> GatedReport:
        """Check the scores of a report, or the total of its pairs, against the bounds and the earlier scores.

        Raises:
            InputError: the earlier scores follow other conventions.
            DocumentMismatchError: the earlier scores are those of other documents, or of another key.
        """
        from arraycoref.scoring.print import GatedReport, Verdict
        from arraycoref.scoring.rows import format_score
        from arraycoref.stats.ranking import compare

        b: Any = report.b
        view = b.macro if report.macro else b.corpus
        limits = [(*each, "") for each in self.bounds]
        comparisons = {}
        if self.previous is not None:
            runs = {"previous": _in_order(self.previous, b.names), "now": b}
            average = "macro" if report.macro else "micro"
            for metric, field in self.compared:
                made = compare(runs, metric=metric, field=field, average=average, baseline="previous")
                comparisons[metric, field] = made
        for metric, field, drop in self.drops:
            before = next(s.score.estimate for s in comparisons[metric, field].systems if s.name == "previous")
            sign = registry.direction(metric)
            origin = f", {format_score(drop, metric)} {'less' if sign > 0 else 'more'} than in {self.path}"
            limits.append((metric, field, before - sign * drop, origin))
        verdicts = [
            Verdict(
                metric, field, value_of(view, metric, field) if len(b) else math.nan, limit, b.signature.beta, origin
            )
            for metric, field, limit, origin in limits
        ]
        return GatedReport(report, list(comparisons.values()), verdicts, self.path)


def value_of(view: Any, metric: str, field: str) -> float:
    """Return a score, also of a metric that is not printed but can be computed from the sums of those that are."""
    value: float = getattr(replace(view, metrics=(metric,))[metric], field)
    return value


def _in_order(previous: BatchScores, names: Sequence[str]) -> BatchScores:
    """Return scores with their documents in the order of ``names``, if these are the names of all of them."""
    if sorted(previous.names) != sorted(names):
        return previous
    positions = {name: d for d, name in enumerate(previous.names)}
    return replace(previous, counts=previous.counts.take([positions[name] for name in names]))


def lacking(scored: Sequence[str], metrics: Iterable[str]) -> list[str]:
    """Return those of ``metrics`` that cannot be computed from the sums of the metrics in ``scored``."""
    counted = {metric.name for metric in registry.counted_metrics(tuple(scored))}
    return [metric for metric in dict.fromkeys(metrics) if not counted.issuperset(registry.find_metric(metric).counted)]


def end(report: GatedReport, github: bool) -> None:
    """Print each bound that is not reached, and end the command with status 3 if there is one."""
    from arraycoref.report.tables import github_command

    missed = [str(verdict) for verdict in report.verdicts if not verdict.reached]
    for each in missed:
        line = github_command("error", each, title="arraycoref score") if github else f"arraycoref: {each}"
        click.echo(line, err=True)
    if missed:
        click.get_current_context().exit(FAILED)
