"""Run ``arraycoref score KEY RESPONSE``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.group import Command
from arraycoref.cli.output import progress_bar, warn, write_output
from arraycoref.cli.tables import kind_of_tables, score_tables, table_options
from arraycoref.errors import printable
from arraycoref.options import FileOptions
from arraycoref.report.formats import FORMATS
from arraycoref.scoring.metrics.registry import resolve_metrics

if TYPE_CHECKING:
    from arraycoref.scoring.print import ScoresReport


CHANGES: dict[str, dict[str, Any]] = {
    "profile": {"default": None, "show_default": "paper; conll with --format conll"},
    "format": {
        "help": "Read all files as conll, jsonlines or parquet, or as JSON or a table of this tool.  [default: by each "
        "file's suffix and content]"
    },
}


@click.command(cls=Command)
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
@shared.bounds
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
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
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
    options["metrics"] = resolve_metrics(",".join(metrics).lower()) if metrics else None
    if output_format == "conll":
        _follow_reference(options, macro)
    options["profile"] = options["profile"] or "paper"
    tables = kind_of_tables(key, response, pairs, options)
    of_tables = {name: options.pop(name) for name in ("columns", "frame", "engine", "scheduler")}
    if macro and per_document and output_format == "csv":
        raise click.UsageError("--format csv has rows for one of --per-document and --macro; expected one of these")
    bounds = {name: options.pop(name) for name in ("fail_under", "compare_to", "fail_under_previous")}
    gate = None
    if any(bounds.values()) or output_format == "github":
        from arraycoref.cli.gate import Gate, end

        gate = Gate.of(**bounds, asked=options["metrics"], pairs=pairs)
        options["metrics"] = gate.metrics(options["metrics"])

    import arraycoref
    from arraycoref.scoring.print import ScoresReport

    report: ScoresReport
    failures: dict[str, str] = {}
    options["report"] = partial(warn, quiet)
    with progress_bar(progress, quiet, "pairs" if pairs else "parts" if tables == "parquet" else "documents") as show:
        options["progress"] = show
        if pairs:
            found = arraycoref.score_pairs(key, response or None, **options)
            report, failures = found.report(per_document, macro), found.failures
        else:
            if tables:
                b = score_tables(key, response, tables, **of_tables, **options)
            else:
                b = arraycoref.score_files(key, response, **options)
            report = ScoresReport(b, per_document, macro)
    ctx = click.get_current_context()
    for name, message in failures.items():
        click.echo(f"arraycoref: error: {printable(f'pair {name!r}: {message}')}", err=True)
    judged = None if gate is None else gate.judge(report)
    write_output((judged or report).render(output_format), output)
    if failures:
        ctx.exit(1)
    if judged is not None:
        end(judged, output_format == "github")


def _follow_reference(options: dict[str, Any], macro: bool) -> None:
    """Set the profile and metrics for ``--format conll``: the metrics asked for, or all it prints, and ``mentions``."""
    if macro or options["beta"] != 1:
        raise click.UsageError("--format conll has neither --macro nor --beta")
    from arraycoref.scoring.conll import METRICS

    options["profile"] = options["profile"] or "conll"
    metrics = options["metrics"] or METRICS
    strange = [name for name in metrics if name not in ("mentions", *METRICS)]
    if strange or metrics == ("mentions",):
        shown = ", ".join(METRICS)
        raise click.UsageError(f"--format conll shows the metrics {shown}; not {', '.join(strange or metrics)}")
    options["metrics"] = ("mentions", *(name for name in metrics if name != "mentions"))
