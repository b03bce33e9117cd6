"""Run ``arraycoref score KEY RESPONSE``: score files or tables, and check bounds and earlier scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arraycoref.cli import options as shared
from arraycoref.cli.main import as_typed, main, refuse_without, warn, write_output
from arraycoref.errors import InputError, check_name, printable
from arraycoref.options import FileOptions
from arraycoref.report.formats import FORMATS
from arraycoref.scoring.metrics import registry

if TYPE_CHECKING:
    from arraycoref.scoring.print import GatedReport, ScoresReport
    from arraycoref.scoring.scores import BatchScores

FAILED = 3
"""Exit status if a score does not reach its bound."""

CHANGES: dict[str, dict[str, Any]] = {
    "profile": {"default": None, "show_default": "paper; conll with --format conll"},
    "format": {
        "help": "Read all files as conll, jsonlines or parquet, or as JSON or a table of this tool.  [default: by each "
        "file's suffix and content]"
    },
}

OF_TABLES = ("columns", "frame", "engine", "scheduler")
OF_DOCUMENTS = ("unit", "end", "clusters_field", "name_field", "column", "lenient", "tokens")

table_options = shared.together(
    click.option(
        "--columns",
        default="document,mention,label",
        metavar="NAMES",
        help="Read these columns of tables; start+end: columns that make one mention; MENTION,LABEL: one document.",
    ),
    click.option("--frame", type=float, default=0.01, metavar="SECONDS", help="Cut RTTM into frames this long."),
    shared.choice("--engine", "memory", "dask", help="Score Parquet tables in memory, or in parts with Dask."),
    click.option(
        "--scheduler", metavar="ADDRESS", help="Use this Dask cluster, tcp://host:port.  [default: none, but --threads]"
    ),
)
bounds = shared.together(
    click.option(
        "--fail-under",
        multiple=True,
        metavar="METRIC[.FIELD]=POINTS",
        help="End with status 3 if this score, in percent, is worse than POINTS: conll=70, muc.recall=60.",
    ),
    click.option(
        "--compare-to",
        metavar="FILE",
        help="Test the difference from earlier scores, in a FILE that --format json --per-document wrote.",
    ),
    click.option(
        "--fail-under-previous",
        multiple=True,
        metavar="[METRIC[.FIELD]=]POINTS",
        help="End with status 3 if the score is worse than in --compare-to by more than POINTS: 0.5, muc.recall=0.5. "
        "METRIC is conll by default, or the first of --metrics if conll cannot be computed from these.",
    ),
)


@main.command()
@click.argument("key")
@click.argument("response", default="", metavar="RESPONSE")
@click.option(
    "--pairs",
    is_flag=True,
    help="Score many pairs, each by itself, and their total: KEY is a file, or -, whose lines hold the paths of a key "
    "and a response, separated by a tab; or KEY and RESPONSE are folders whose files are paired by name.",
)
@shared.metrics
@shared.options_of(FileOptions, **CHANGES)
@table_options
@shared.per_document
@shared.macro
@bounds
@shared.output_options(
    *FORMATS,
    "github",
    "conll",
    help="Print in this format; github: a summary for GitHub Actions; conll: as the reference scorer does.",
)
@shared.progress
def score(
    *,
    key: str,
    response: str,
    pairs: bool,
    metrics: tuple[str, ...],
    per_document: bool,
    macro: bool,
    fail_under: tuple[str, ...],
    compare_to: str | None,
    fail_under_previous: tuple[str, ...],
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool,
    **options: Any,
) -> None:
    """Score the file RESPONSE against the file KEY.

    Either may be a file, compressed or not, a directory, a quoted glob, a pipe, or - for standard input. Or both are
    tables with one row per mention, in Parquet or as text: booknlp, clueval, clusim, dedupe, long, rttm, s2and,
    splink, zingg. Without --pairs, two directories are the two sides of one corpus.

    With --fail-under and --fail-under-previous, the exit status is 3 if a score does not reach its bound.
    """
    if not response and not pairs:
        raise click.MissingParameter(param_hint="'RESPONSE'", param_type="argument")
    if output_format == "csv" and macro and per_document:
        raise click.UsageError("--format csv has rows for one of --per-document and --macro; expected one of these")
    asked = registry.resolve_metrics(",".join(metrics)) if metrics else None
    if output_format == "conll":
        if macro or options["beta"] != 1:
            raise click.UsageError("--format conll has neither --macro nor --beta")
        options["profile"] = options["profile"] or "conll"
        asked = _metrics_of_reference(asked)
    options["profile"] = options["profile"] or "paper"
    gate = None
    if fail_under or compare_to or fail_under_previous or output_format == "github":
        gate = Gate.of(asked, fail_under, compare_to, fail_under_previous)
        asked = gate.metrics(asked)

    import arraycoref
    from arraycoref.scoring.print import ScoresReport

    options |= {"metrics": asked, "progress": progress and not quiet, "on_error": partial(warn, quiet)}
    of_tables = {name: options.pop(name) for name in OF_TABLES}
    report: ScoresReport
    failures: Mapping[str, Exception] = {}
    if pairs:
        refuse_without("tables and no --pairs", *OF_TABLES)
        found = arraycoref.score_pairs(key, response or None, **options)
        report, failures = found.report(per_document, macro), found.failures
    else:
        kind = _kind_of_tables(key, response, of_tables["engine"], options)
        if kind is None:
            b = arraycoref.score_files(key, response, **options)
        else:
            b = _score_tables(key, response, kind, **of_tables, **options)
        report = ScoresReport(b, per_document, macro)
    for name, error in failures.items():
        click.echo(f"arraycoref: error: {printable(f'pair {name!r}: {as_typed(error)}')}", err=True)
    judged = None if gate is None else gate.judge(report)
    write_output((judged or report).render(output_format), output)
    if failures:
        click.get_current_context().exit(1)
    if judged is not None:
        _end(judged, output_format == "github")


def _metrics_of_reference(asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return ``mentions`` and the metrics of ``--format conll`` that are asked for; all where none is."""
    from arraycoref.scoring.conll import METRICS

    metrics = [name for name in asked or METRICS if name != "mentions"]
    for name in metrics or ["mentions"]:
        check_name("metric in --format conll", name, METRICS)
    return ("mentions", *metrics)


def _kind_of_tables(key: str, response: str, engine: str, options: Mapping[str, Any]) -> str | None:
    """Return ``dask``, ``parquet`` or ``text`` for two tables, None for documents.

    Where one side is a table of text and the other is not, both are read as tables if ``--columns`` or ``--frame`` is
    typed, otherwise as documents.

    Raises:
        UsageError: sides of two kinds, or options that have no effect on their kind.
    """
    from arraycoref.read.texts import tables_of

    source = click.get_current_context().get_parameter_source
    typed = [name for name in OF_TABLES if source(name) is ParameterSource.COMMANDLINE]
    if engine == "dask":
        kind: str | None = "dask"
    else:
        if "scheduler" in typed:
            raise click.UsageError("--scheduler needs --engine dask")
        kinds = {
            tables_of(key, options["key_format"] or options["format"]),
            tables_of(response, options["response_format"] or options["format"]),
        }
        if kinds == {"text", None}:
            kinds = {"text" if "columns" in typed or "frame" in typed else None}
        if len(kinds) == 2:
            raise click.UsageError("one side is a Parquet table and the other is not; expected two of a kind")
        (kind,) = kinds
    if kind is not None:
        refuse_without("files of documents", *OF_DOCUMENTS)
    elif typed:
        refuse_without("tables with one row per mention", "columns", "frame")
    return kind


def _score_tables(
    key: str, response: str, kind: str, columns: str, frame: float, engine: str, scheduler: str | None, **options: Any
) -> BatchScores:
    """Score two tables of a kind; ``options`` are those of `arraycoref.score_files`, other arguments are as typed."""
    names = [name.strip() for name in columns.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise click.UsageError(f"--columns is {columns!r}; expected DOCUMENT,MENTION,LABEL or MENTION,LABEL")
    formats = {name: options[name] or options["format"] for name in ("key_format", "response_format")}
    options = {name: value for name, value in options.items() if name not in (*OF_DOCUMENTS, "format", *formats)}
    options |= {"document": names[0] if len(names) == 3 else None, "mention": names[-2].split("+"), "label": names[-1]}
    if kind == "text":
        from arraycoref.interop.tables import score_table_files

        return score_table_files(key, response, frame=frame, **formats, **options)
    refuse_without("RTTM", "frame")
    if kind == "parquet":
        from arraycoref.interop.tables import score_parquet

        return score_parquet(key, response, **options)
    from arraycoref.interop.dask import connected, score_table

    with connected(scheduler, options.pop("threads")) as client:
        scores: BatchScores = score_table(key, response, client=client, **options)
        return scores


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
        usual = "conll" if asked is None or not _lacking(asked, ["conll"]) else asked[0]
        bounds = [_bound("--fail-under", text) for text in fail_under]
        allowed = [_bound("--fail-under-previous", text, usual) for text in drops]
        if compare_to is None:
            refuse_without("--compare-to", "fail_under_previous")
            return cls(bounds, allowed)
        from arraycoref.scoring.store import load_scores

        previous = load_scores(compare_to)
        compared = list(dict.fromkeys(each[:2] for each in allowed)) or [(usual, "f1")]
        for metric in _lacking(previous.metrics, [metric for metric, _ in compared]):
            raise InputError(f"{compare_to} holds no {metric}; its metrics are {', '.join(previous.metrics)}")
        return cls(bounds, allowed, compared, compare_to, previous)

    def metrics(self, asked: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the metrics to score: those asked for, then those that only bounds and comparisons need."""
        wanted = registry.DEFAULT_METRICS if asked is None else asked
        added = _lacking(wanted, [*(each[0] for each in self.bounds), *(each[0] for each in self.compared)])
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
            Verdict(metric, field, _value(view, metric, field) if len(b) else math.nan, limit, b.signature.beta, origin)
            for metric, field, limit, origin in limits
        ]
        return GatedReport(report, list(comparisons.values()), verdicts, self.path)


def _value(view: Any, metric: str, field: str) -> float:
    """Return a score, also of a metric that is not printed but can be computed from the sums of those that are."""
    value: float = getattr(replace(view, metrics=(metric,))[metric], field)
    return value


def _in_order(previous: BatchScores, names: Sequence[str]) -> BatchScores:
    """Return scores with their documents in the order of ``names``, if these are the names of all of them."""
    if sorted(previous.names) != sorted(names):
        return previous
    positions = {name: d for d, name in enumerate(previous.names)}
    return replace(previous, counts=previous.counts.take([positions[name] for name in names]))


def _lacking(scored: Sequence[str], metrics: Iterable[str]) -> list[str]:
    """Return those of ``metrics`` that cannot be computed from the sums of the metrics in ``scored``."""
    counted = {metric.name for metric in registry.counted_metrics(tuple(scored))}
    return [metric for metric in dict.fromkeys(metrics) if not counted.issuperset(registry.find_metric(metric).counted)]


def _end(report: GatedReport, github: bool) -> None:
    """Print each bound that is not reached, and end the command with status 3 if there is one."""
    from arraycoref.report.tables import github_command

    missed = [str(verdict) for verdict in report.verdicts if not verdict.reached]
    for each in missed:
        line = github_command("error", each, title="arraycoref score") if github else f"arraycoref: {each}"
        click.echo(line, err=True)
    if missed:
        click.get_current_context().exit(FAILED)
