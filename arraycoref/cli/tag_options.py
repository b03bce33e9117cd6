"""The options that the commands about tags share, with each other and with ``score``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from arraycoref.cli.score import score

Command = Callable[..., Any]

tagset_option = click.option(
    "--tagset", metavar="NAME|FILE.toml", help="nkjp, ipipan, ud, prague, or a definition file."
)
input_option = click.option("--input-format", metavar="NAME", help="conllu, xces or tsv.  [default: by suffix]")
separator_option = click.option(
    "--separator",
    default="|",
    show_default=True,
    metavar="TEXT",
    help="Between the tags of a word in tab-separated files; '' where a word has one tag.",
)


def shared(command: click.Command, *names: str) -> None:
    """Give a command some options of ``score``, which mean here what they mean there, in that order."""
    command.params += [option for option in score.params if option.name in names]


def policy_options(command: Command) -> Command:
    """Add what is done with files that one side lacks."""
    extra = click.option(
        "--extra-documents",
        type=click.Choice(["error", "ignore"]),
        default="error",
        show_default=True,
        help="Files of SYSTEM that GOLD lacks.",
    )
    missing = click.option(
        "--missing-documents",
        type=click.Choice(["error", "empty", "skip"]),
        default="error",
        show_default=True,
        help="Files of GOLD that SYSTEM lacks; empty: their words are unaligned.",
    )
    return missing(extra(command))
