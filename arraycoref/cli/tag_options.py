"""Define the options that the commands about tags share, with each other and with ``score``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from arraycoref.cli.score import score

Command = Callable[..., Any]

tagset_option = click.option(
    "--tagset", metavar="NAME|FILE.toml", help="Parse tags as nkjp, ipipan, ud, prague or a definition file says."
)
input_option = click.option(
    "--input-format", "format", metavar="NAME", help="Read all files as conllu, xces or tsv.  [default: by suffix]"
)
separator_option = click.option(
    "--separator",
    default="|",
    show_default=True,
    metavar="TEXT",
    help="Split the tags of a word at TEXT, in tab-separated files; '' where a word has one tag.",
)
missing_option = click.option(
    "--missing-documents",
    type=click.Choice(["error", "empty", "skip"]),
    default="error",
    show_default=True,
    help="Refuse files of GOLD that SYSTEM lacks, leave their words unaligned (empty), or skip them.",
)
extra_option = click.option(
    "--extra-documents",
    type=click.Choice(["error", "ignore"]),
    default="error",
    show_default=True,
    help="Refuse or ignore files of SYSTEM that GOLD lacks.",
)


def reading_options(command: Command) -> Command:
    """Add what is to be known to read tags."""
    return tagset_option(input_option(separator_option(command)))


def pairing_options(command: Command) -> Command:
    """Add what is to be known to read and pair the files of two sides."""
    return reading_options(missing_option(extra_option(command)))


def shared(command: click.Command, *names: str) -> None:
    """Give a command some options of ``score``, which mean here what they mean there, in that order."""
    command.params += [option for option in score.params if option.name in names]
