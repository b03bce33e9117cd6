"""Run ``arraycoref score KEY RESPONSE``: score files or tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.gate import Gate, end, lacking, value_of
from arraycoref.cli.main import as_typed, examples, main, refuse, warner, write_output, write_report
from arraycoref.errors import check_name, printable
from arraycoref.options import OPTIONS, BatchOptions, FileOptions
from arraycoref.report.formats import FORMATS
from arraycoref.scoring.metrics import registry

if TYPE_CHECKING:
    from arraycoref.scoring.scores import BatchScores

NOT_IN_VARIANTS = (
    *("per_document", "macro", "by", "fail_under", "compare_to", "fail_under_previous", "engine", "scheduler"),
    *("matching", "singletons"),
)
"""Options that have no effect with ``--variants``."""

OF_FORMAT = ("format", "key_format", "response_format", "columns")
"""Options that have done their work where tables are known to be in Parquet."""

CHANGES: dict[str, dict[str, Any]] = {
    "profile": {
        "default": None,
        "help": OPTIONS["profile"].brief + "  [default: paper; with --format conll, conll]",
    },
    "format": {
        "help": "Read all files as conll, craft, conllu, jsonlines or parquet, or as JSON or a table of this tool.  "
        "[default: by each file's suffix and content]"
    },
}

table_options = shared.together(
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
@click.argument("response", default="", metavar="[RESPONSE]")
@click.option(
    "--pairs",
    is_flag=True,
    help="Score many pairs, each by itself, and their total: KEY is a file, or -, whose lines hold the paths of a key "
    "and a response, separated by a tab; or KEY and RESPONSE are folders whose files are paired by name.",
)
@shared.metrics
@shared.variants
@click.option(
    "-b",
    "--bare",
    metavar="NAME[.FIELD]",
    help="Print this score only, as a bare number; with --variants, a line for each, and of --pairs the mean.",
)
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
    variants: bool,
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
    rttm, s2and, splink, zingg. Without RESPONSE, KEY is one table with the columns document, mention, key and response.
    Without --pairs, two directories are the two sides of one corpus.

    With --fail-under and --fail-under-previous, the exit status is 3 if a score does not reach its bound.
    """
    if macro and output_format == "csv":
        refuse("has no effect with --macro and --format csv", "per_document")
    asked = registry.resolve_metrics(",".join(metrics)) if metrics else None
    only = None if bare is None else registry.split_field(bare)
    if only is not None:
        asked = (*(asked or ()), *lacking(asked or (), only[:1]))
    if output_format == "conll":
        refuse("has no effect with --format conll", "macro", "beta")
        options["profile"] = options["profile"] or "conll"
        asked = _metrics_of_reference(asked)
    options["profile"] = options["profile"] or ("corefud" if variants else "paper")
    if variants:
        refuse("has no effect with --variants", *NOT_IN_VARIANTS)
        check_name("--format with --variants", output_format, FORMATS)
    gate = None
    if fail_under or compare_to or fail_under_previous or output_format == "github":
        gate = Gate.of(asked, fail_under, compare_to, fail_under_previous)
        asked = gate.metrics(asked)
    options |= {"metrics": asked, "progress": progress and not quiet, "on_error": warner(quiet)}
    report, failures = _report(key, response, pairs, variants, options)
    if not variants:
        report = (report if by is None else report.b.by(by)).report(per_document=per_document, macro=macro)
    for name, error in failures.items():
        click.echo(f"arraycoref: error: {printable(f'pair {name!r}: {as_typed(error)}')}", err=True)
    judged = None if gate is None else gate.judge(report)
    if only is not None:
        reports = report.reports.values() if variants else [report]
        write_output("".join(_bare(each, *only, of_pairs=pairs and variants) for each in reports), output)
    else:
        write_report(judged or report, output_format, output)
    if failures:
        click.get_current_context().exit(1)
    if judged is not None:
        end(judged, output_format == "github")


def _report(
    key: str, response: str, pairs: bool, variants: bool, options: dict[str, Any]
) -> tuple[Any, Mapping[str, Exception]]:
    """Score files, or pairs of them, in one or all ways; return the errors of pairs that could not be scored too."""
    import arraycoref
    from arraycoref.scoring.print import ScoresReport

    engine, scheduler = options.pop("engine"), options.pop("scheduler")
    if not (pairs or variants):
        return ScoresReport(_score(key, response, engine, scheduler, options)), {}
    if not (response or pairs):
        raise click.MissingParameter(param_hint="'RESPONSE'", param_type="argument")
    if variants:
        found = arraycoref.score_variants(key, response or None, pairs=pairs, **options)
        return found, found.failures
    refuse("has no effect with --pairs", "engine", "scheduler")
    of_pairs = arraycoref.score_pairs(key, response or None, **options)
    return of_pairs, of_pairs.failures


def _bare(report: Any, metric: str, field: str, *, of_pairs: bool = False) -> str:
    """Return one score of a report, or the mean of its pairs, if any, as a line that holds only the number."""
    from arraycoref.scoring.rows import format_score

    means = [row for row in report.mean if row.name == metric] if of_pairs else []
    value = math.nan  # where no pair was scored
    if means:
        value = means[0].ratios[registry.RATIOS.index(field)]
    elif len(report.b):
        value = value_of(report.b.macro if report.macro else report.b.corpus, metric, field)
    return format_score(value, metric, profile=report.b.signature.profile) + "\n"


def _metrics_of_reference(asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return ``mentions`` and the metrics of ``--format conll`` that are asked for; all where none is."""
    from arraycoref.scoring.conll import METRICS

    metrics = [name for name in asked or METRICS if name != "mentions"]
    for name in metrics or ["mentions"]:
        check_name("metric in --format conll", name, METRICS)
    return ("mentions", *metrics)


def _score(key: str, response: str, engine: str, scheduler: str | None, options: dict[str, Any]) -> BatchScores:
    """Score files; tables in Parquet on both sides without making documents of them, or in parts with Dask.

    Raises:
        UsageError: one side is missing, and the other is no table.
    """
    import arraycoref
    from arraycoref.read.shapes import Names
    from arraycoref.read.texts import tables_of

    kinds = {
        tables_of(path, options[f"{side}_format"] or options["format"])
        for side, path in (("key", key), ("response", response))
        if path
    }
    if not response:
        if kinds == {None}:
            raise click.MissingParameter(param_hint="'RESPONSE'", param_type="argument")
        response, options["columns"] = key, options["columns"] or "document,mention,key:key,response:response"
    if engine != "dask":
        refuse("needs --engine dask", "scheduler")
    columns = options["columns"] or "document,mention,label"
    if engine != "dask" and (kinds != {"parquet"} or ":" in columns):
        return arraycoref.score_files(key, response, **options)
    names = Names.parse(columns, "key")
    given = {*BatchOptions.__annotations__, "on_error", "max_bytes"}
    refuse("has no effect on Parquet tables", *FileOptions.__annotations__.keys() - {*given, *OF_FORMAT})
    of_tables = {name: value for name, value in options.items() if name in given}
    of_tables |= {"document": names.document, "mention": names.mention, "label": names.label}
    if engine == "memory":
        from arraycoref.interop.tables import score_parquet

        return score_parquet(key, response, **of_tables)
    from arraycoref.interop.dask import connected, score_table

    with connected(scheduler, of_tables.pop("threads")) as client:
        scores: BatchScores = score_table(key, response, client=client, **of_tables)
        return scores
