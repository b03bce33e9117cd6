"""The command ``arraycoref``: options only; what they ask for is done elsewhere, and imported when it is asked for.

Exit status: 0, 1 for input that cannot be scored, 2 for a wrong command line, 130 after Ctrl-C, 141 when the reader of
the output went away.
"""

from __future__ import annotations

import click

from arraycoref.cli.compare import compare
from arraycoref.cli.convert import convert
from arraycoref.cli.demo import demo
from arraycoref.cli.group import Commands
from arraycoref.cli.score import score
from arraycoref.cli.sweep import sweep
from arraycoref.cli.tags import tags
from arraycoref.cli.warmup import warmup

__all__ = ["main"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="arraycoref", prog_name="arraycoref")
def main() -> None:
    """Score coreference resolution and other clusterings: MUC, B-cubed, CEAF, BLANC, LEA."""


for command in (score, compare, sweep, convert, tags, warmup, demo):
    main.add_command(command)
