"""``arraycoref score KEY RESPONSE``."""

from __future__ import annotations

from typing import Any

import click

from arraycoref.cli.messages import progress_bar, warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.tables import TableOptions, are_tables, score_tables, table_options
from arraycoref.report.formats import FORMATS

METRICS_HELP = (
    "Of mentions, muc, bcub, ceafm, ceafe, blanc, lea, pairwise, conll (the default), ceaf-phi1, ceaf-phi2, bcub-0, "
    "bcub-all, bcub-rn, ceafm-rn, ceafe-rn, bcub-sys, ceafm-sys, ceafe-sys, blanc-gold and rand."
)
REFERENCE_METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc")


def split_metrics(_ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Take names that are separated by commas or given by repeating the option, each once."""
    names = [name.strip().lower() for value in values for name in value.split(",")]
    if values and not any(names):
        raise click.BadParameter("no metric named")
    return tuple(dict.fromkeys(filter(None, names)))


documents_format = click.option(
    "--input-format", type=click.Choice(["conll", "jsonlines"]), help="Of all files.  [default: by each file's suffix]"
)
"""Of commands that read documents only, no tables."""


@click.command()
@click.argument("key")
@click.argument("response")
@click.option("--metrics", multiple=True, callback=split_metrics, metavar="NAME,...", help=METRICS_HELP)
@click.option(
    "--profile",
    type=click.Choice(["paper", "conll"]),
    help="Conventions: of the papers, or of the reference scorer 8.01.  [default: paper; conll with --format conll]",
)
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "last", "drop"]),
    help="A mention in two entities, or twice in one.  [default: as the profile has it]",
)
@click.option(
    "--missing-documents",
    type=click.Choice(["error", "empty", "skip"]),
    help="Key documents that the response lacks.  [default: as the profile has it]",
)
@click.option(
    "--extra-documents",
    type=click.Choice(["error", "ignore"]),
    help="Response documents that the key lacks.  [default: as the profile has it]",
)
@click.option("--singletons", type=click.Choice(["keep", "drop"]), default="keep", show_default=True)
@click.option(
    "--beta",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Weight of recall against precision in F.",
)
@click.option("--threads", type=click.IntRange(min=0), default=1, show_default=True, help="0: one a core.")
@click.option("--column", type=int, help="Coreference column, from 1, or from -1 at the right.  [default: the last]")
@click.option("--input-format", metavar="NAME", help="conll, jsonlines or parquet.  [default: by each file's suffix]")
@table_options
@click.option("--lenient", is_flag=True, help="Warn of faults in the files and go on.")
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Refuse files that hold more, decompressed.  [default: 1 GiB or 200 times a compressed file's size]",
)
@click.option("--per-document", is_flag=True, help="Print the scores of every document.")
@click.option("--macro", is_flag=True, help="Print means over documents.")
@click.option("--format", "output_format", type=click.Choice([*FORMATS, "conll"]), default="table", show_default=True)
@click.option("--output", metavar="FILE", help="Write there, whole or not at all.  [default: standard output]")
@click.option("--quiet", is_flag=True, help="No warnings, no progress bar.")
@click.option("--progress/--no-progress", default=None, help="Progress bar.  [default: on long work in a terminal]")
def score(
    *,
    key: str,
    response: str,
    metrics: tuple[str, ...],
    profile: str | None,
    duplicates: str | None,
    missing_documents: str | None,
    extra_documents: str | None,
    singletons: str,
    beta: float,
    threads: int,
    column: int | None,
    input_format: str | None,
    columns: str,
    engine: str,
    scheduler: str | None,
    lenient: bool,
    max_bytes: int | None,
    per_document: bool,
    macro: bool,
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
) -> None:
    """Score the file RESPONSE against the file KEY.

    Either may be a file, compressed or not, a directory, a quoted glob, a pipe, or - for standard input; or both
    Parquet files of long tables, a row a mention.
    """
    if output_format == "conll":
        if macro or beta != 1:
            raise click.UsageError("--format conll has neither --macro nor --beta")
        profile = profile or "conll"
        metrics = _reference_metrics(metrics)
    tables = TableOptions(columns, engine, scheduler)
    as_tables = are_tables(key, response, input_format, tables)
    if macro and per_document and output_format == "csv":
        raise click.UsageError("--format csv has rows of documents with --per-document, or of means with --macro")
    if as_tables and (column is not None or lenient or max_bytes is not None):
        raise click.UsageError("Parquet tables have neither --column, --lenient nor --max-bytes")

    import arraycoref
    from arraycoref.report.scores import render

    options: dict[str, Any] = {
        "metrics": metrics or None,
        "profile": profile or "paper",
        "duplicates": duplicates,
        "missing_documents": missing_documents,
        "extra_documents": extra_documents,
        "singletons": singletons,
        "beta": beta,
        "threads": threads,
    }
    with progress_bar(progress, quiet, "parts" if as_tables else "documents") as show:
        if as_tables:
            b = score_tables(key, response, tables, progress=show, **options)
        else:
            b = arraycoref.score_files(
                key,
                response,
                **options,
                format=input_format,
                column=column,
                lenient=lenient,
                report=warn_of(quiet),
                max_bytes=max_bytes,
                progress=show,
            )
    write_output(render(b, output_format, per_document=per_document, macro=macro), output)


def _reference_metrics(metrics: tuple[str, ...]) -> tuple[str, ...]:
    """Return the metrics to score for ``--format conll``: those that it shows, and the mentions in any case."""
    if not metrics:
        return REFERENCE_METRICS
    strange = [name for name in metrics if name not in REFERENCE_METRICS]
    if strange or metrics == ("mentions",):
        shown = ", ".join(REFERENCE_METRICS[1:])
        raise click.UsageError(f"--format conll shows the metrics {shown}; not {', '.join(strange or metrics)}")
    return ("mentions", *(name for name in metrics if name != "mentions"))
