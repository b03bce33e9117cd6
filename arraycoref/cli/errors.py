"""Run ``arraycoref errors KEY RESPONSE``: count the errors of each type, and find what they cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import examples, main, refuse, warner, write_report
from arraycoref.cli.systems import named_systems, names_of
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import split_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from arraycoref.analysis import Analysis
    from arraycoref.report.formats import Report

TYPES, ENTITIES, RESPONSE_ENTITIES, DIFFERENCES = TABLES = "types", "entities", "response-entities", "differences"


@main.command(
    usual="table worst metric by profile output_format output",
    epilog=examples(
        "errors key.conll response.conll",
        "errors key.conll a.conll b.conll --table differences --worst 20",
        "errors key.conll a.conll --table entities --format csv",
    ),
)
@shared.systems
@shared.choice(
    "--table",
    *TABLES,
    help="Print the types; the key's entities of the first system by what it loses of them; the entities of the first "
    "system by what is wrong in them; or documents by the difference of the second system from the first.",
)
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="Print N entities or documents.")
@shared.option("metric", metavar="NAME[.FIELD]", help="Give costs in F of this metric, or sort documents by it.")
@shared.analyzing
@shared.by
@shared.option("method")
@shared.sampling
@shared.options_of(FileOptions)
@shared.output_options()
def errors(
    *,
    key: str,
    systems: tuple[str, ...],
    systems_in: str | None,
    table: str,
    worst: int | None,
    metric: str,
    by: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Count errors by type, and what each costs; or list them.

    For each type: the number of errors with its interval; the links that MUC loses by them; how much F gains if they
    alone are corrected; and what is lacking to 100 if all others are. The types are those of Kummerfeld and Klein
    (2013): conflated and divided entities, extra and missing mentions and entities, mentions whose span alone is
    wrong, and singletons beside them. A SYSTEM is named as in `arraycoref compare`.
    """
    sampling = sampling_of(options)
    wanted, field = split_field(metric)
    if field != "f1" and table != DIFFERENCES:
        raise click.UsageError(f"--metric {metric}: costs are in F; expected {wanted}, or --table differences")
    refuse(*("needs another --table", "worst") if table == TYPES else ("needs --table types", "by"))
    a = analyzed(key, systems, systems_in, quiet, options | {"metrics": wanted})
    report: Any
    if table == TYPES:
        report = by_group(a, by, lambda part: part.error_table(wanted, **sampling))
    elif table == DIFFERENCES:
        if len(a.systems) < 2:
            raise click.UsageError("--table differences needs two systems")
        report = replace(a.differences(metric=metric), head=worst)
    else:
        report = a.entities(of_response=table == RESPONSE_ENTITIES)
        report = report if worst is None else report.first(worst)
    write_report(report, output_format, output)


def sampling_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options out that say how documents are resampled, and return them."""
    from arraycoref.stats.resampling import IntervalOptions

    names = [name for name in IntervalOptions.__annotations__ if name in options and name != "threads"]
    return {"threads": options["threads"], **{name: options.pop(name) for name in names}}


def by_group(a: Analysis, by: str | None, report: Callable[[Analysis], Report]) -> Report:
    """Return the report of an analysis; with ``--by`` those of its groups of documents, and the total."""
    from arraycoref.scoring.grouped import Grouped

    groups = {} if by is None else {name: report(part) for name, part in a.by(by).items()}
    return Grouped(groups, "group", report(a)) if groups else report(a)


def analyzed(
    key: str, systems: tuple[str, ...], systems_in: str | None, quiet: bool, options: dict[str, Any]
) -> Analysis:
    """Analyze the systems that the user named; ``options`` are those of `arraycoref.analyze_files`."""
    import arraycoref
    from arraycoref.stats.settings import text_of

    named = named_systems(key, systems, systems_in, quiet)
    paths = {text_of(name): path for name, (_, path) in zip(names_of(named), named, strict=True)}
    return arraycoref.analyze_files(key, paths, **options, on_error=warner(quiet))
