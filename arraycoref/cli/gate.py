"""Check scores against bounds and earlier scores: ``--fail-under``, ``--compare-to`` and ``--fail-under-previous``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import click

from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError
from arraycoref.match.documents import lacking
from arraycoref.report.escapes import github_command
from arraycoref.scoring.gated import GatedReport, Verdict
from arraycoref.scoring.metrics.registry import DEFAULT_METRICS, METRIC_NAMES, counted_metrics, direction, find_metric
from arraycoref.scoring.print import ScoresReport
from arraycoref.scoring.store import load_scores
from arraycoref.scoring.values import is_count, shown
from arraycoref.stats.comparable import check_field, key_difference

if TYPE_CHECKING:
    from arraycoref.scoring.scores import BatchScores
    from arraycoref.stats.ranking import Comparison

FAILED = 3
"""Exit status of a command when a score does not reach its bound."""

Bound = tuple[str, str, float]
"""A metric, a field of it, and a limit: a fraction (one point is 0.01), or a number where the metric is a count."""


def bound(option: str, text: str, default: str = "") -> Bound:
    """Read ``METRIC=POINTS`` or ``METRIC.FIELD=POINTS``; with a default metric, ``POINTS`` alone too.

    Raises:
        UsageError: text of another form, or points that no score can have. Without a default metric, this includes
            points between 0 and 1, as in ``conll=0.7``: they are probably a fraction by mistake, and as a bound in
            percent they would let nearly every score pass. With a default metric, ``text`` gives a difference, which
            may be that small.
        UnknownNameError: there is no such metric or field.
        OptionError: recall or precision of a metric that has none.
    """
    name, _, number = text.rpartition("=")
    metric, _, field = (name.strip().lower() or default).partition(".")
    if metric and metric not in METRIC_NAMES:
        raise UnknownNameError(f"metric in {option}", metric, METRIC_NAMES)
    try:
        points = float(number)
    except ValueError:
        points = math.nan
    most = math.inf if is_count(metric) else 100.0
    if not metric or not 0 <= points <= most or (most == 100 and not default and 0 < points < 1):
        expected = "points, as in 0.5 or muc.recall=0.5" if default else "percent, as in conll=70 or muc.recall=60"
        raise click.UsageError(f"{option} is {text!r}; expected {expected}")
    check_field(field or "f1", metric)
    return metric, field or "f1", points if is_count(metric) else points / 100


@dataclass(frozen=True)
class Gate:
    """The bounds that scores must reach, and the earlier scores that they are compared with.

    Attributes:
        bounds: the bounds of ``--fail-under``.
        path: the file of the earlier scores; "" if there are none.
        previous: the earlier scores; None if there are none.
        drops: how much worse than the earlier scores each metric may be, from ``--fail-under-previous``.
        compared: the metric and field of each comparison with the earlier scores.
    """

    bounds: tuple[Bound, ...]
    path: str = ""
    previous: BatchScores | None = None
    drops: tuple[Bound, ...] = ()
    compared: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        fail_under: Sequence[str],
        compare_to: str | None,
        fail_under_previous: Sequence[str],
        asked: Sequence[str] | None,
        pairs: bool,
    ) -> Gate:
        """Read the bounds as typed, and the file of earlier scores, before anything is scored.

        Args:
            fail_under: the values of ``--fail-under``.
            compare_to: the file of ``--compare-to``.
            fail_under_previous: the values of ``--fail-under-previous``.
            asked: the values of ``--metrics``; None for the default metrics.
            pairs: whether ``--pairs`` is given.

        Raises:
            UsageError: a bound that cannot be read, see `bound`; or options that do not go together.
            ReadError: a file that does not hold earlier scores.
            InputError: earlier scores without a metric that is to be compared.
        """
        usual = "conll" if asked is None or not _lacking(asked, ["conll"]) else asked[0]
        bounds = tuple(bound("--fail-under", text) for text in fail_under)
        drops = tuple(bound("--fail-under-previous", text, usual) for text in fail_under_previous)
        if compare_to is None:
            if drops:
                raise click.UsageError("--fail-under-previous needs --compare-to")
            return cls(bounds)
        if pairs:
            raise click.UsageError("--compare-to takes the scores of one pair; expected no --pairs")
        previous, compared = load_scores(compare_to), tuple(dict.fromkeys(each[:2] for each in drops))
        compared = compared or ((usual, "f1"),)
        for metric in _lacking(previous.metrics, [metric for metric, _ in compared]):
            raise InputError(f"{compare_to} holds no {metric}; its metrics are {', '.join(previous.metrics)}")
        return cls(bounds, compare_to, previous, drops, compared)

    def metrics(self, asked: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the metrics to score: those asked for, then those that only bounds and comparisons need."""
        wanted = DEFAULT_METRICS if asked is None else asked
        added = _lacking(wanted, [*(each[0] for each in self.bounds), *(each[0] for each in self.compared)])
        return (*wanted, *added) if added else asked

    def judge(self, report: ScoresReport) -> GatedReport:
        """Check the scores of a report, or the total of its pairs, against the bounds and the earlier scores.

        Raises:
            InputError: the earlier scores follow other conventions.
            DocumentMismatchError: the earlier scores are those of other documents, or of another key.
        """
        b = cast("BatchScores", report.b)
        view = b.macro if report.macro else b.corpus

        def verdict(metric: str, field: str, limit: float, origin: str = "") -> Verdict:
            value = getattr(replace(view, metrics=(metric,))[metric], field) if len(b) else math.nan
            return Verdict(metric, field, value, limit, b.signature.beta, origin)

        verdicts = [verdict(*each) for each in self.bounds]
        average = "macro" if report.macro else "micro"
        comparisons = {} if self.previous is None else self._compare(self.previous, b, average)
        for metric, field, drop in self.drops:
            systems = comparisons[metric, field].systems
            before = next(system.score.estimate for system in systems if system.name == "previous")
            sign = direction(metric)
            origin = f", {shown(drop, metric)} {'less' if sign > 0 else 'more'} than in {self.path}"
            verdicts.append(verdict(metric, field, before - sign * drop, origin))
        return GatedReport(report, list(comparisons.values()), verdicts, self.path)

    def _compare(self, previous: BatchScores, b: BatchScores, average: str) -> dict[tuple[str, str], Comparison]:
        """Test the difference from the earlier scores, paired by document, for each metric and field to compare."""
        from arraycoref.stats.ranking import compare

        runs = {"previous": self._aligned(previous, b), "now": b}
        return {
            (metric, field): compare(runs, metric=metric, field=field, average=average, baseline="previous")
            for metric, field in self.compared
        }

    def _aligned(self, previous: BatchScores, b: BatchScores) -> BatchScores:
        """Return the earlier scores with documents in the order of ``b``, checked for the same key and conventions."""
        theirs = previous.signature.as_dict()
        for name, value in b.signature.as_dict().items():
            if name != "version" and theirs[name] != value:
                raise InputError(f"{self.path} has {name} {theirs[name]}, these scores {value}; expected the same")
        positions = {name: d for d, name in enumerate(previous.names)}
        for names, known, what in ((b.names, positions, "lacks"), (previous.names, set(b.names), "alone has")):
            if (unpaired := lacking(names, known)).n:
                raise DocumentMismatchError(f"{self.path} {what} {unpaired}; expected scores of the same documents")
        found = replace(previous, counts=previous.counts.take([positions[name] for name in b.names]))
        if (differing := key_difference(b, found)) is not None:
            d, metric, now, before = differing
            sums = f"the denominator of {metric} recall is {now:g} and was {before:g}"
            raise DocumentMismatchError(f"the key of document {b.names[d]!r} is not that of {self.path}: {sums}")
        return found


def _lacking(scored: Sequence[str], metrics: Iterable[str]) -> list[str]:
    """Return those of ``metrics`` that cannot be computed from the sums of the metrics in ``scored``."""
    counted = {metric.name for metric in counted_metrics(tuple(scored))}
    return [metric for metric in dict.fromkeys(metrics) if not counted.issuperset(find_metric(metric).counted)]


def end(report: GatedReport, github: bool) -> None:
    """Print each bound that is not reached, and end the command with status 3 if there is one."""
    missed = [str(verdict) for verdict in report.verdicts if not verdict.reached]
    for each in missed:
        line = github_command("error", each, title="arraycoref score") if github else f"arraycoref: {each}"
        click.echo(line, err=True)
    if missed:
        click.get_current_context().exit(FAILED)
