"""Turn errors into messages and exit statuses; the messages name options as they are typed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

from arraycoref.cli.output import check_paths
from arraycoref.errors import ArraycorefError, OptionError, UnknownNameError, printable

INTERRUPTED = 130  # the exit status that shells report for a program ended by Ctrl-C: 128 + 2
BROKEN_PIPE = 141  # the exit status that shells report for a program ended by SIGPIPE: 128 + 13


class Command(click.Command):
    """A command that ends with a message on standard error, never with a traceback, when the input is at fault.

    Bugs keep their tracebacks.
    """

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the command line; errors are handled here too, because ``--help`` and ``--version`` print here."""
        with _statuses(None):
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _statuses(ctx):
            check_paths(ctx)
            return super().invoke(ctx)


class Commands(Command, click.Group):
    """A group of commands that handles errors as `Command` does."""

    command_class = Command
    group_class = type


def refuse_without(needed: str, *names: str) -> None:
    """Refuse options that were typed but have no effect, because something that they need is absent.

    Args:
        needed: the absent option or kind of input, as the message is to name it.
        names: names of the command's parameters that have no effect.

    Raises:
        click.UsageError: one of these options was typed.
    """
    ctx = click.get_current_context()
    for option in ctx.command.params:
        if option.name in names and ctx.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} needs {needed}")


@contextmanager
def _statuses(ctx: click.Context | None) -> Iterator[None]:
    """Turn errors in the input, the options or the output, and Ctrl-C, into messages and exit statuses."""
    try:
        yield
    except (OptionError, UnknownNameError) as error:
        raise click.UsageError(printable(as_typed(error, ctx)), ctx) from error
    except click.ClickException as error:
        lines = map(printable, error.message.split("\n"))  # may be a help text of many lines
        error.message = "\n".join(lines)  # type: ignore[misc]
        raise
    except BrokenPipeError:
        _give_up_output()
        raise click.exceptions.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        click.echo("arraycoref: interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except (ArraycorefError, OSError) as error:
        message = as_typed(error, ctx) if isinstance(error, ArraycorefError) else _message(error)
        click.echo(f"arraycoref: error: {printable(message)}", err=True)
        raise click.exceptions.Exit(1) from None


def as_typed(error: ArraycorefError, ctx: click.Context | None) -> str:
    """Return the message of an error with its option named as on the command line, in place of as in Python.

    ``threads is -1`` becomes ``--threads is -1``, ``unknown format`` ``unknown --input-format``, and
    ``tokens='ignore'`` ``--tokens 'ignore'``.

    Args:
        error: the error.
        ctx: context of the command, which may have the option.
    """
    message = str(error)
    for option in ctx.command.params if ctx else ():
        if option.name == error.option and isinstance(option, click.Option):
            before, assigned, after = message.rpartition(f"{option.name}=")
            if assigned:
                return f"{before}{option.opts[0]} {after}"
            return message.replace(error.option, option.opts[0], 1)
    return message


def _message(error: OSError) -> str:
    if error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error)


def _give_up_output() -> None:
    """Redirect standard output to the null device, so that the interpreter can flush and close it without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
