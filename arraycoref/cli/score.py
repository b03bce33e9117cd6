"""Run ``arraycoref score KEY RESPONSE``: score files or tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

import arraycoref
from arraycoref.cli import options as cli
from arraycoref.cli.main import as_typed, corrected, is_terminal, refuse, write_output
from arraycoref.display.formats import FORMATS
from arraycoref.exceptions import check_name, printable
from arraycoref.options import OPTIONS, FileOptions, TableOptions
from arraycoref.scoring.metrics import registry

OF_FORMAT = ("format", "key_format", "response_format", "columns")
"""Options that have done their work where tables are known to be in Parquet."""

CHANGES: dict[str, dict[str, Any]] = {
    "profile": {"default": None, "help": OPTIONS["profile"].brief + "  [default: paper; with --format conll, conll]"},
    "format": {"help": OPTIONS["format"].brief.replace(", or as", ", parquet, or as")},
    "method": {"needs": ["intervals"]},
    **{name: {"needs": ["intervals", "contrast"]} for name in cli.SAMPLING},
}


WHOLE = ("file_pairs", "corefud_columns", "engine")
"""Options that need the whole truth."""


@cli.reports(
    *FORMATS,
    "github",
    "conll",
    about_format={
        "help": "Print in this format; github: a summary for GitHub Actions; conll: as the reference scorer does.",
        "not_with": {"conll": ("macro", "beta", "sort", "worst", "intervals")},
    },
    usual="metrics profile per_document by intervals fail_under output_format",
    context_settings={"allow_extra_args": True},
    examples=(
        "score key.conll response.conll",
        "score gold/ response/ --metrics b3,lea --sort lea --worst 10",
        "score key.conll response.conll -b b3 --fail-under muc=50",
    ),
    takes=(FileOptions, cli.SAMPLING, ("method",)),
    changes=CHANGES,
)
def score(
    key: str,
    response: str = cli.argument("[RESPONSE]", default=""),
    *,
    file_pairs: bool = cli.flag(
        "Score pairs of files singly and in total. KEY lists two paths per line, tab-separated; or KEY and RESPONSE "
        "are folders, paired by name.",
        group=cli.SCORED,
        not_with=("engine", "scheduler", "intervals"),
    ),
    metrics: str | None = cli.METRICS,
    truth_sample: str = cli.entry("truth_sample", not_with=dict.fromkeys(("entities", "entities:size"), WHOLE)),
    corefud_columns: bool = cli.flag(
        "Print the columns of CorefUD's tasks: head, partial, exact, head with singletons.",
        group=cli.SCORED,
        not_with=(
            *("per_document", "sort", "worst", "macro", "by", "fail_under", "compare_to", "fail_under_previous"),
            *("engine", "scheduler", "intervals", "matching", "singletons"),
        ),
    ),
    bare: str | None = cli.text(
        "NAME[.FIELD]",
        "Print only this score, as a number. With --file-pairs: the total; with --corefud-columns: one line each; with "
        "both: the means over pairs.",
        "-b",
        "--bare",
        group=cli.SCORED,
        not_with=("intervals",),
    ),
    engine: str = cli.choice(
        "memory", "dask", group=cli.READING, help="Score Parquet tables in memory, or in parts with Dask."
    ),
    scheduler: str | None = cli.text(
        "ADDRESS",
        "Use this Dask cluster, tcp://host:port.  [default: none, but --threads]",
        group=cli.READING,
        needs=["engine=dask"],
    ),
    counts: bool = cli.flag("Print numerators and denominators, the classes of BLANC's links, and all policies, too."),
    per_document: bool = cli.PER_DOCUMENT,
    sort: str | None = cli.text("NAME[.FIELD]", "List documents, worst first by this score, e.g. muc.recall."),
    worst: int | None = cli.number(
        "N", "Print the scores of the N worst documents, by --sort or else by conll or the first of --metrics."
    ),
    macro: bool = cli.flag(cli.MACRO, group=cli.SCORED),
    by: str | None = cli.BY,
    contrast: str | None = cli.text(
        "A,B",
        "Test the difference in F between two groups of --by: documents are permuted between them.",
        group=cli.STATISTICS,
        needs=["by"],
        not_with=("per_document", "sort", "worst", "counts", "bare", "corefud_columns"),
    ),
    intervals: bool = cli.INTERVALS,
    cite: bool = cli.flag(
        "Print a sentence for a paper, and BibTeX of the metrics, after the table.",
        group=cli.STATISTICS,
        needs=["intervals"],
    ),
    fail_under: tuple[str, ...] = cli.points(
        "End with status 3 if this score is worse than POINTS percent: 70, muc.recall=60. Default METRIC: conll, or "
        "the only one of --metrics.",
        group=cli.BOUNDS,
    ),
    compare_to: str | None = cli.text(
        "FILE",
        "Test the difference from earlier scores, in a FILE that --format json --per-document wrote.",
        group=cli.BOUNDS,
    ),
    fail_under_previous: tuple[str, ...] = cli.points(
        "End with status 3 if the score got worse by more than POINTS since --compare-to: 0.5, muc.recall=0.5. "
        "Default METRIC: conll, or the first of --metrics.",
        group=cli.BOUNDS,
        needs=["compare_to"],
    ),
    progress: bool = cli.PROGRESS,
    **options: Any,
) -> Iterator[Any]:
    """Score a response against a key.

    Either of KEY and RESPONSE may be a file, compressed or not, a directory, a quoted glob, a pipe, or - for standard
    input. Without --file-pairs, two directories are the two sides of one corpus.

    Or both are tables with one row per mention, in Parquet or as text: booknlp, clueval, clusim, dedupe, labels, long,
    members, rttm, s2and, splink, zingg. Without RESPONSE, KEY is one table with the columns document, mention, key and
    response.

    With --fail-under and --fail-under-previous, the exit status is 3 if a score does not reach its bound.
    """
    ctx = click.get_current_context()
    output_format, output = ctx.params["output_format"], ctx.params["output"]
    _refuse(ctx, key, response)
    only, order = (None if name is None else registry.split_field(name) for name in (bare, sort))
    asked = None if metrics is None else registry.resolve_metrics(metrics)
    for wanted, usual in ((only, ()), (order, registry.DEFAULT_METRICS)):
        if wanted is not None:
            asked = (*(asked or usual), *registry.lacking(asked or usual, wanted[:1]))
    asked = _metrics_of_reference(asked) if output_format == "conll" else asked
    gate = None
    if fail_under or compare_to or fail_under_previous or output_format == "github":
        from arraycoref.cli.gate import Gate

        gate = Gate.from_options(asked, fail_under, compare_to, fail_under_previous)
        asked = gate.metrics(asked)
    usual_profile = "conll" if output_format == "conll" else "corefud" if corefud_columns else "paper"
    options |= {"profile": options["profile"] or usual_profile, "metrics": asked, "progress": progress}
    options |= {"engine": engine, "scheduler": scheduler}
    options |= {} if truth_sample == "none" else {"truth_sample": truth_sample}
    sampling = cli.sampling_of(options)
    result = _scored(key, response, file_pairs, corefud_columns, options)
    failures: Mapping[str, Exception] = getattr(result, "failures", {})
    for name, error in failures.items():
        click.echo(f"arraycoref: error: {printable(f'pair {name!r}: {as_typed(error)}')}", err=True)
    total = getattr(result, "total", result)
    report = result
    if by is not None:
        report = total.by(by).worst_first(*order or ("conll" if "conll" in total.metrics else total.metrics[0],))
    if intervals:
        from arraycoref.stats.intervals import ScoresWithIntervals

        report = ScoresWithIntervals.from_batch(total, macro=macro, **sampling)
    if contrast:
        del sampling["method"]
        groups = map(report.__getitem__, contrast.split(","))
        report = arraycoref.contrast(*groups, average="macro" if macro else "micro", **sampling)
    if not corefud_columns:
        choices = {"per_document": bool(per_document or sort or worst), "sort": ".".join(order or ())}
        report = report.report(**choices, macro=macro, counts=counts, worst=worst or 0)
    judged = None if gate is None else gate.judge(total, report, macro)
    if only is not None:
        lines = [_bare(b, *only, macro) for b in (result.values() if corefud_columns else [total])]
        write_output("".join(lines), output)
    else:
        yield report if judged is None else judged
        if cite:
            write_output(f"\n{report.intervals.cite()}\n")
        if response and total is result and output_format == "table" and is_terminal(output):
            write_output(f"errors by type: {corrected(ctx, key, response, command='errors')}\n")
    if failures:
        ctx.exit(1)
    if judged is not None:
        judged.end(output_format == "github")


def _refuse(ctx: click.Context, key: str, response: str) -> None:
    """Refuse more files than two, and options that have no effect beside several others.

    Raises:
        UsageError: these were typed.
        UnknownNameError: a format that ``--corefud-columns`` does not have.
    """
    typed, output_format = ctx.params, ctx.params["output_format"]
    if ctx.args:
        files = [key, response, *ctx.args]
        reason = f"{len(files)} files; expected a key and a response (each may be a folder or a quoted pattern)"
        raise click.UsageError(f"{reason}. For several responses, try: {corrected(ctx, *files, command='compare')}")
    if output_format == "csv" and typed["macro"]:
        refuse("has no effect with --macro and --format csv", "per_document")
    if output_format == "csv" and (typed["per_document"] or typed["sort"] or typed["worst"]):
        refuse("has no effect with scores of documents as csv", "intervals")
    if output_format in ("csv", "json") and not typed["output"]:
        refuse(f"prints text; add --output FILE for the {output_format}", "cite")
    if typed["by"] is not None:
        refuse("has no effect with --by; arraycoref table has both", "intervals")
    if typed["contrast"] and typed["contrast"].count(",") != 1:
        refuse("needs two groups: A,B", "contrast")
    if typed["corefud_columns"]:
        check_name("--format with --corefud-columns", output_format, FORMATS)


def _scored(key: str, response: str, file_pairs: bool, corefud_columns: bool, options: dict[str, Any]) -> Any:
    """Score files, or pairs of them, in one or all ways: `BatchScores`, or `GroupedScores`.

    Tables in Parquet on both sides are scored without making documents of them, or in parts with Dask.

    Raises:
        UsageError: one side is missing, and the other is not a table.
    """
    engine, scheduler = options.pop("engine"), options.pop("scheduler")
    if not (response or file_pairs) and corefud_columns:
        raise click.MissingParameter(param_hint="'RESPONSE'", param_type="argument")
    if corefud_columns:
        return arraycoref.score_corefud(key, response or None, file_pairs=file_pairs, **options)
    if file_pairs:
        return arraycoref.score_file_pairs(key, response or None, **options)
    from arraycoref.read.layouts import Names
    from arraycoref.read.tables import tables_of

    typed = {"key": key, "response": response} if response else {"key": key}
    kinds = {tables_of(path, options[f"{side}_format"] or options["format"]) for side, path in typed.items()}
    if not response:
        if kinds == {None}:
            raise click.MissingParameter(param_hint="'RESPONSE'", param_type="argument")
        response, options["columns"] = key, options["columns"] or "document,mention,key:key,response:response"
    columns = options["columns"] or "document,mention,label"
    if engine != "dask" and (kinds != {"parquet"} or ":" in columns):
        return arraycoref.score_files(key, response, **options)
    names = Names.parse(columns)
    accepted = {*TableOptions.__annotations__, "on_error", "max_bytes"}
    refuse("has no effect on Parquet tables", *FileOptions.__annotations__.keys() - {*accepted, *OF_FORMAT})
    of_tables = {name: value for name, value in options.items() if name in accepted}
    of_tables |= {"document": names.document, "mention": names.mention, "label": names.label}
    if names.document is None and "truth_sample" not in options:
        of_tables["metrics"] = options["metrics"] or registry.RECORD_METRICS
    if engine == "memory":
        from arraycoref.interop.tables import score_parquet

        return score_parquet(key, response, **of_tables)
    from arraycoref.interop.dask import connected, score_table

    with connected(scheduler, of_tables.pop("threads")) as client:
        return score_table(key, response, client=client, **of_tables)


def _bare(result: Any, metric: str, field: str, macro: bool) -> str:
    """Return one score of a batch, or the mean of pairs, as a line that holds only the number."""
    from arraycoref.scoring.format import format_score

    total, means = getattr(result, "total", result), getattr(result, "mean", ())
    value = math.nan  # where no pair was scored
    if means:
        value = next(row.ratios[registry.RATIOS.index(field)] for row in means if row.name == metric)
    elif len(total):
        value = getattr(replace(total.macro if macro else total.corpus, metrics=(metric,))[metric], field)
    return format_score(value, metric, profile=total.signature.profile) + "\n"


def _metrics_of_reference(asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return ``mentions`` and the metrics of ``--format conll`` that are asked for; all where none is."""
    metrics = [name for name in asked or registry.OF_REFERENCE if name != "mentions"]
    for name in metrics or ["mentions"]:
        check_name("metric in --format conll", name, registry.OF_REFERENCE)
    return ("mentions", *metrics)
