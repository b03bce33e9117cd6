"""``arraycoref tags confusions GOLD SYSTEM``."""

from __future__ import annotations

from typing import Any

import click

from arraycoref.cli.messages import progress_bar, warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.tag_options import input_option, policy_options, separator_option, shared, tagset_option
from arraycoref.report.formats import FORMATS


@click.command()
@click.argument("gold")
@click.argument("system")
@click.option("--category", metavar="NAME", help="Values taken for one another.  [default: errors of all categories]")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the first N rows.")
@tagset_option
@input_option
@separator_option
@policy_options
@click.option("--format", "output_format", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def confusions(
    *,
    gold: str,
    system: str,
    category: str | None,
    top: int | None,
    tagset: str | None,
    input_format: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
    **reading: Any,
) -> None:
    """List errors by category, or which values of one category were taken for which; GOLD and SYSTEM as in score."""
    if not tagset:
        raise click.UsageError("expected --tagset")
    from arraycoref.cli.start import start_kernels
    from arraycoref.tagging import CategoryErrors, category_errors, compare_files
    from arraycoref.tagging import confusions as confused
    from arraycoref.tagging.report import CountsReport

    start_kernels()
    with progress_bar(progress, quiet, "files") as show:
        comparison = compare_files(
            gold, system, tagset=tagset, format=input_format, report=warn_of(quiet), progress=show, **reading
        )
    if category is None:
        report = CountsReport(CategoryErrors._fields, category_errors(comparison)[:top])
    else:
        report = CountsReport(("gold", "assigned", "tags"), confused(comparison, category)[:top])
    write_output(report.render(output_format), output)


shared(confusions, "threads", "lenient", "max_bytes", "output", "quiet", "progress")
