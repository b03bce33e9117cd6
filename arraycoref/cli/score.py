"""Run ``arraycoref score KEY RESPONSE``: score files or tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arraycoref.cli import options as shared
from arraycoref.cli.gate import Gate, end, lacking, value_of
from arraycoref.cli.main import as_typed, examples, main, refuse_without, warn, write_output, write_report
from arraycoref.errors import check_name, printable
from arraycoref.options import OPTIONS, FileOptions
from arraycoref.report.formats import FORMATS
from arraycoref.scoring.metrics import registry

if TYPE_CHECKING:
    from arraycoref.scoring.print import ScoresReport
    from arraycoref.scoring.scores import BatchScores

CHANGES: dict[str, dict[str, Any]] = {
    "profile": {
        "default": None,
        "help": OPTIONS["profile"].brief + "  [default: paper; with --format conll, conll]",
    },
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


@main.command(
    epilog=examples(
        "score key.conll response.conll",
        "score gold/ response/ --metrics b3,lea --per-document",
        "score key.conll response.conll -b b3 --fail-under muc=50",
    )
)
@click.argument("key")
@click.argument("response", default="", metavar="RESPONSE")
@click.option(
    "--pairs",
    is_flag=True,
    help="Score many pairs, each by itself, and their total: KEY is a file, or -, whose lines hold the paths of a key "
    "and a response, separated by a tab; or KEY and RESPONSE are folders whose files are paired by name.",
)
@shared.metrics
@click.option("-b", "--bare", metavar="NAME[.FIELD]", help="Print this score only, as a bare number.")
@shared.options_of(FileOptions, **CHANGES)
@table_options
@shared.per_document
@shared.macro
@shared.by
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
    bare: str | None,
    per_document: bool,
    macro: bool,
    by: str | None,
    fail_under: tuple[str, ...],
    compare_to: str | None,
    fail_under_previous: tuple[str, ...],
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool,
    **options: Any,
) -> None:
    """Score a response against a key.

    Either of KEY and RESPONSE may be a file, compressed or not, a directory, a quoted glob, a pipe, or - for standard
    input. Or both are tables with one row per mention, in Parquet or as text: booknlp, clueval, clusim, dedupe, long,
    rttm, s2and, splink, zingg. Without --pairs, two directories are the two sides of one corpus.

    With --fail-under and --fail-under-previous, the exit status is 3 if a score does not reach its bound.
    """
    if not response and not pairs:
        raise click.MissingParameter(param_hint="'RESPONSE'", param_type="argument")
    if output_format == "csv" and macro and per_document:
        raise click.UsageError("--format csv has rows for one of --per-document and --macro; expected one of these")
    asked = registry.resolve_metrics(",".join(metrics)) if metrics else None
    only = None if bare is None else registry.split_field(bare)
    if only is not None:
        asked = (*(asked or ()), *lacking(asked or (), only[:1]))
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
    if by is not None:
        report = report.b.by(by).report(per_document, macro)
    for name, error in failures.items():
        click.echo(f"arraycoref: error: {printable(f'pair {name!r}: {as_typed(error)}')}", err=True)
    judged = None if gate is None else gate.judge(report)
    if only is not None:
        write_output(_bare(report, *only), output)
    else:
        write_report(judged or report, output_format, output)
    if failures:
        click.get_current_context().exit(1)
    if judged is not None:
        end(judged, output_format == "github")


def _bare(report: ScoresReport, metric: str, field: str) -> str:
    """Return one score of a report as a line that holds only the number."""
    from arraycoref.scoring.rows import format_score

    value = value_of(report.b.macro if report.macro else report.b.corpus, metric, field)
    return format_score(value, metric, profile=report.b.signature.profile) + "\n"


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
