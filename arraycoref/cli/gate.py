"""Hold scores against bounds and earlier scores: ``--fail-under``, ``--compare-to`` and ``--fail-under-previous``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import click

from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError
from arraycoref.metrics import DEFAULT_METRICS, METRIC_NAMES, counted_metrics, direction, find_metric
from arraycoref.pairing import lacking
from arraycoref.report.escapes import github_command
from arraycoref.report.gated import GatedReport, Verdict
from arraycoref.report.scores import ScoresReport
from arraycoref.report.values import is_count, shown
from arraycoref.stats.comparable import check_field, key_difference
from arraycoref.stored import load_scores

if TYPE_CHECKING:
    from arraycoref.results import BatchScores
    from arraycoref.stats.ranking import Comparison

FAILED = 3
"""Exit status where a score does not reach its bound."""

Bound = tuple[str, str, float]
"""A metric, a field of it, and a number of points as a fraction; of a metric that counts, a number."""


def bound(option: str, text: str, default: str = "") -> Bound:
    """Read ``METRIC=POINTS`` or ``METRIC.FIELD=POINTS``; with a default metric, ``POINTS`` alone too.

    Raises:
        UsageError: text of another form, or points that no score has. Less than one point, as in ``conll=0.7``, is
            taken for a fraction, which would let everything pass; not of a difference.
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
    """What is asked of scores.

    Attributes:
        bounds: that they must reach.
        path: of a file of earlier scores, if they are to be compared.
        previous: those.
        drops: by how many points scores may be worse than those.
        compared: the metric and field of each comparison.
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
        """Read what was typed, and the earlier scores, before anything is scored.

        Raises:
            UsageError: what makes no sense; see `bound`.
            ReadError: a file without earlier scores.
            InputError: earlier scores that lack a metric.
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
            raise InputError(f"{compare_to} holds no {metric}, but {', '.join(previous.metrics)}")
        return cls(bounds, compare_to, previous, drops, compared)

    def metrics(self, asked: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the metrics to score: those asked for, and others where bounds and comparisons need their sums."""
        wanted = DEFAULT_METRICS if asked is None else asked
        added = _lacking(wanted, [*(each[0] for each in self.bounds), *(each[0] for each in self.compared)])
        return (*wanted, *added) if added else asked

    def judge(self, report: ScoresReport) -> GatedReport:
        """Hold the scores of a report, of pairs their total, against all that is asked.

        Raises:
            InputError: earlier scores of other conventions.
            DocumentMismatchError: earlier scores of other documents, or of another key.
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
        """Test the differences of scores from the earlier ones, document by document, for each metric and field."""
        from arraycoref.stats.ranking import compare

        runs = {"previous": self._aligned(previous, b), "now": b}
        return {
            (metric, field): compare(runs, metric=metric, field=field, average=average, baseline="previous")
            for metric, field in self.compared
        }

    def _aligned(self, previous: BatchScores, b: BatchScores) -> BatchScores:
        """Bring the earlier documents into the order of these, and see that both are of one key and one convention."""
        theirs = previous.signature.as_dict()
        for name, value in b.signature.as_dict().items():
            if name != "version" and theirs[name] != value:
                raise InputError(f"{self.path} has {name} {theirs[name]}, and this is {value}; expected the same")
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
    """Return those metrics that cannot be had from the sums of others."""
    counted = {metric.name for metric in counted_metrics(tuple(scored))}
    return [metric for metric in dict.fromkeys(metrics) if not counted.issuperset(find_metric(metric).counted)]


def end(report: GatedReport, github: bool) -> None:
    """Say which bounds are not reached, and end the command with status 3 if there are any."""
    missed = [str(verdict) for verdict in report.verdicts if not verdict.reached]
    for each in missed:
        line = github_command("error", each, title="arraycoref score") if github else f"arraycoref: {each}"
        click.echo(line, err=True)
    if missed:
        click.get_current_context().exit(FAILED)
