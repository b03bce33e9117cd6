"""The command ``arraycoref``: options only; what they ask for is done elsewhere, and imported when it is asked for.

Exit status: 0, 1 for input that cannot be scored, 2 for a wrong command line, 130 after Ctrl-C, 141 when the reader of
the output went away.
"""

from __future__ import annotations

import gc

import click

from arraycoref.cli.compare import compare
from arraycoref.cli.convert import convert
from arraycoref.cli.demo import demo
from arraycoref.cli.group import Commands
from arraycoref.cli.score import score
from arraycoref.cli.sweep import sweep
from arraycoref.cli.tags import tags
from arraycoref.cli.warmup import warmup

__all__ = ["main", "run"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="arraycoref", prog_name="arraycoref")
def main() -> None:
    """Score coreference resolution and other clusterings: MUC, B-cubed, CEAF, BLANC, LEA."""


for command in (score, compare, sweep, convert, tags, warmup, demo):
    main.add_command(command)


def run() -> None:
    """Run the command line as a process of its own.

    What is imported and compiled lives as long as the process does; to look through it for garbage again and again
    takes an eighth of the time of a short run.
    """
    gc.set_threshold(100_000, 20, 20)
    main(prog_name="arraycoref")
