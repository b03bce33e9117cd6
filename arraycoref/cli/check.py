"""Run ``arraycoref check FILES...``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.group import Command
from arraycoref.cli.output import write_output
from arraycoref.options import SideOptions


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@shared.choice("--side", "key", "response", help="Check the clusters of this side, in JSON that has both.")
@shared.options_of(SideOptions)
@click.option("--strict", is_flag=True, help="End with status 1 for warnings too.")
@shared.output_options(
    "text", "json", "github", help="Print in this format; github: annotations that GitHub Actions shows beside lines."
)
def check(
    *,
    files: tuple[str, ...],
    strict: bool,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Check annotation FILES, and list all faults with their lines; the exit status is 1 if there are errors.

    FILES are files, directories, quoted globs, or - for standard input, in any format of documents that score reads.
    Errors are faults that score refuses without --lenient. Warnings are doubtful places: mentions in two entities or
    twice in one, files without a mention, numbers without a bracket.
    """
    from arraycoref.read.lint import check_files

    found = check_files(files, **options)
    shown = replace(found, findings=found.errors) if quiet else found
    write_output(shown.render(output_format), output)
    if found.errors or (strict and found.warnings):
        click.get_current_context().exit(1)
