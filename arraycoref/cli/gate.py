"""Check scores against bounds and against earlier scores, for ``arraycoref score``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import click

from arraycoref.display.formats import FORMATS, Report, plain
from arraycoref.display.tables import github_command, markdown_text, plural
from arraycoref.exceptions import InputError
from arraycoref.scoring.format import format_score, is_count, score_name
from arraycoref.scoring.metrics import registry
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.ranking import compare
from arraycoref.stats.store import load_scores

FAILED = 3
"""Exit status if a score does not reach its bound."""

TOLERANCE = 1e-12
"""A score that misses its bound by at most this much reaches it, since sums and divisions round."""

Bound = tuple[str, str, float]
"""A metric, a field of it, and a limit: a fraction (one point is 0.01), or a number where the metric is a count."""


def _bound(option: str, text: str, asked: Sequence[str] | None) -> Bound:
    """Read ``METRIC=POINTS`` or ``METRIC.FIELD=POINTS``, or ``POINTS`` alone for the CoNLL average or the only metric.

    Args:
        option: ``--fail-under``, whose points are a score, or ``--fail-under-previous``, whose points are a difference.
        text: the bound as typed.
        asked: the metrics of ``--metrics``; None for the default metrics.

    Raises:
        UsageError: text of another form, points that no score can have, or points alone where several metrics have no
            CoNLL average. This includes a score between 0 and 1, as in ``conll=0.7``: it is probably a fraction by
            mistake, and in percent it would let nearly every score pass.
        UnknownNameError: there is no such metric, or the metric has no such field.
    """
    name, equals, number = map(str.strip, text.rpartition("="))
    is_score = option == "--fail-under"
    expected = "percent, as in conll=70 or muc.recall=60" if is_score else "points, as in 0.5 or muc.recall=0.5"
    try:
        points = float(number)
    except ValueError:
        points = math.nan
    usual = _usual(asked)
    if not name and is_score and asked is not None and len(asked) > 1 and usual != "conll":
        bounds = ", ".join(f"{metric}={number}" for metric in asked)
        raise click.UsageError(f"{option} {number} names no metric, and conll is not scored; expected one of {bounds}")
    metric, field = registry.split_field(name or usual, f"metric in {option}")
    counted = is_count(metric)
    if is_score and not counted and 0 < points < (1 if name else math.nextafter(1, 2)):
        meant = f"{text[: text.rindex('=') + 1] if equals else ''}{100 * points:g}"
        raise click.UsageError(f"{option} is {text!r}; expected percent; did you mean {option} {meant}?")
    if not 0 <= points <= (math.inf if counted else 100):
        raise click.UsageError(f"{option} is {text!r}; expected {expected}")
    return metric, field, points if counted else points / 100


def _usual(asked: Sequence[str] | None) -> str:
    """Return the metric of a bound that names none: the CoNLL average, or the first metric if that is not scored."""
    return "conll" if asked is None or not registry.lacking(asked, ["conll"]) else asked[0]


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
    def from_options(
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
        bounds = [_bound("--fail-under", text, asked) for text in fail_under]
        allowed = [_bound("--fail-under-previous", text, asked) for text in drops]
        if compare_to is None:
            return cls(bounds, allowed)
        previous = load_scores(compare_to)
        compared = list(dict.fromkeys(bound[:2] for bound in allowed)) or [(_usual(asked), "f1")]
        for metric in registry.lacking(previous.metrics, [metric for metric, _ in compared]):
            raise InputError(f"{compare_to} holds no {metric}; its metrics are {', '.join(previous.metrics)}")
        return cls(bounds, allowed, compared, compare_to, previous)

    def metrics(self, asked: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the metrics to score: those asked for, then those that only bounds and comparisons need."""
        wanted = registry.DEFAULT_METRICS if asked is None else asked
        added = registry.lacking(wanted, [*(pair[0] for pair in self.bounds), *(pair[0] for pair in self.compared)])
        return (*wanted, *added) if added else asked

    def judge(self, b: BatchScores, report: Report, macro: bool) -> GatedReport:
        """Check scores against the bounds and the earlier scores.

        Args:
            b: the scores, or the total of pairs.
            report: the report of the scores.
            macro: whether means over documents are checked.

        Raises:
            InputError: the earlier scores follow other conventions.
            DocumentMismatchError: the earlier scores are those of other documents, or of another key.
        """
        view: Any = b.macro if macro else b.corpus
        limits = [(*bound, "") for bound in self.bounds]
        comparisons = {}
        if self.previous is not None:
            runs = {"previous": _in_order(self.previous, b.names), "now": b}
            for metric, field in self.compared:
                asked: Any = {"metric": metric, "field": field, "average": "macro" if macro else "micro"}
                comparisons[metric, field] = compare(runs, baseline="previous", **asked)
        for metric, field, drop in self.drops:
            before = next(s.score.estimate for s in comparisons[metric, field].systems if s.name == "previous")
            sign = registry.direction(metric)
            origin = f", {format_score(drop, metric)} {'less' if sign > 0 else 'more'} than in {self.path}"
            limits.append((metric, field, before - sign * drop, origin))
        verdicts = []
        for metric, field, limit, origin in limits:
            value = getattr(replace(view, metrics=(metric,))[metric], field) if len(b) else math.nan
            verdicts.append(Verdict(metric, field, value, limit, b.signature.beta, origin))
        return GatedReport(report, list(comparisons.values()), verdicts, self.path)


def _in_order(previous: BatchScores, names: Sequence[str]) -> BatchScores:
    """Return scores with their documents in the order of ``names``, if these are the names of all of them."""
    if sorted(previous.names) != sorted(names):
        return previous
    positions = {name: d for d, name in enumerate(previous.names)}
    return replace(previous, counts=previous.counts.take([positions[name] for name in names]))


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
        return registry.direction(self.metric) * (self.value - self.bound) >= -TOLERANCE

    def __str__(self) -> str:
        scale, more = 1 if is_count(self.metric) else 100, registry.direction(self.metric) > 0
        value, bound, gap = (scale * score for score in (self.value, self.bound, abs(self.value - self.bound)))
        least = 0 if is_count(self.metric) else 2
        digits = next((n for n in range(least, 12) if round(gap, n) > 0), least)  # the fewest that show the gap
        name, limit = score_name(self.metric, self.field, self.beta), f"{bound:.{digits}f}{self.origin}"
        how = f"{gap:.{digits}f} {'below' if more else 'above'}"
        how = f"at {'least' if more else 'most'}" if self.reached else how
        return f"{name} is {value:.{digits}f}, {how} {limit}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        values = {"metric": self.metric, "field": self.field, "value": self.value, "bound": self.bound}
        return {name: plain(value) for name, value in values.items()} | {"reached": self.reached}


@dataclass(frozen=True)
class GatedReport:
    """Scores, comparisons with earlier ones, and verdicts, as they are to be printed.

    Attributes:
        scores: the report of the scores.
        comparisons: the comparisons of the earlier scores with these.
        verdicts: a verdict for each bound.
        previous: the name of the earlier scores.
    """

    scores: Report
    comparisons: Sequence[Report]
    verdicts: Sequence[Verdict]
    previous: str

    def render(self, format: str, *, digits: int = 2, width: int | None = None, color: bool = False) -> str:
        """Write the scores, followed by the comparisons, in a format of reports or in the format ``github``.

        JSON has the keys ``compared`` and ``bounds`` if there are any; CSV and ``conll`` have the scores only.
        """
        if format == "github":
            return self._github(digits)
        if format == "json":
            return FORMATS["json"](self, digits)
        parts = (self.scores, *self.comparisons) if format not in ("csv", "conll") else (self.scores,)
        return "\n".join(part.render(format, digits=digits, width=width, color=color) for part in parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        added: dict[str, Sequence[Any]] = {"compared": self.comparisons, "bounds": self.verdicts}
        scores: dict[str, Any] = self.scores.nested()
        return scores | {name: [part.to_dict() for part in parts] for name, parts in added.items() if parts}

    def _github(self, digits: int) -> str:
        """Write a summary for GitHub in Markdown: scores, bounds, comparisons, and a folded table of documents."""
        parts = ["### Coreference scores\n", self.scores.report(per_document=False).render("markdown", digits=digits)]
        signs = {True: ":white_check_mark:", False: ":x:"}
        parts += ["".join(f"- {signs[v.reached]} {markdown_text(str(v))}\n" for v in self.verdicts)]
        for comparison in self.comparisons:
            title = f"#### Compared with {markdown_text(self.previous)}\n"
            parts += [title, comparison.render("markdown", digits=digits)]
        for table in self.scores.tables(digits)[:-1]:
            order = getattr(self.scores, "order", "")
            size = plural(len(table.rows), "document") + (f", {order}" if order else "")
            title = f"<details>\n<summary>{size}</summary>\n"
            parts += [title, table.markdown() + "\n", "</details>\n"]
        return "\n".join(filter(None, parts))

    def end(self, github: bool) -> None:
        """Print each bound that is not reached, and end the command with status 3 if there is one."""
        missed = [str(verdict) for verdict in self.verdicts if not verdict.reached]
        for message in missed:
            line = github_command("error", message, title="arraycoref score") if github else f"arraycoref: {message}"
            click.echo(line, err=True)
        if missed:
            click.get_current_context().exit(FAILED)
