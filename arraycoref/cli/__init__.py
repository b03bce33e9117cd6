"""Define the command ``arraycoref``. Each subcommand imports the modules that do its work only when it runs."""

from __future__ import annotations

import click

from arraycoref.cli.check import check
from arraycoref.cli.compare import compare
from arraycoref.cli.convert import convert
from arraycoref.cli.demo import demo
from arraycoref.cli.group import Commands
from arraycoref.cli.output import announce_compiling
from arraycoref.cli.score import score
from arraycoref.cli.surroundings import import_numba
from arraycoref.cli.sweep import sweep
from arraycoref.cli.table import table
from arraycoref.cli.tags import tags
from arraycoref.cli.warmup import warmup

__all__ = ["main"]


STATUSES = (
    "Exit status: 0; 1 for input that cannot be scored, or has faults; 2 for a wrong command line; 3 for a score "
    "that does not reach the bound of --fail-under or --fail-under-previous; 130 after Ctrl-C, which leaves no "
    "half-written file (a second Ctrl-C ends the command at once); 141 when nobody reads the output any more."
)


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


@click.group(cls=Commands, epilog=STATUSES, context_settings=SETTINGS)
@click.version_option(package_name="arraycoref", prog_name="arraycoref")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Give up, with a message and status 1, when a command takes longer.",
)
@click.pass_context
def main(ctx: click.Context, time_limit: float | None) -> None:
    """Score coreference resolution and other clusterings: MUC, B-cubed, CEAF, BLANC, LEA."""
    announce_compiling()
    import_numba()
    if time_limit is not None:
        from arraycoref import deadline

        ctx.with_resource(deadline.time_limit(time_limit))


for command in (score, compare, table, sweep, check, convert, tags, warmup, demo):
    main.add_command(command)
