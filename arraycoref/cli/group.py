"""The group of commands: it turns errors into messages and exit statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from arraycoref.errors import ArraycorefError, OptionError, UnknownNameError
from arraycoref.interrupt import INTERRUPTED

BROKEN_PIPE = 141  # as shells report SIGPIPE


class Commands(click.Group):
    """A group whose commands end with a message on standard error, never with a traceback, when the input is at fault.

    Bugs keep their tracebacks.
    """

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the command line, where ``--help`` and ``--version`` print."""
        with _statuses():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _statuses():
            return super().invoke(ctx)


@contextmanager
def _statuses() -> Iterator[None]:
    """Turn the errors that users meet into messages and exit statuses."""
    try:
        yield
    except (OptionError, UnknownNameError) as error:
        raise click.UsageError(str(error), click.get_current_context(silent=True)) from error
    except BrokenPipeError:
        _give_up_output()
        raise click.exceptions.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        click.echo("arraycoref: interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except (ArraycorefError, OSError) as error:
        click.echo(f"arraycoref: error: {_message(error)}", err=True)
        raise click.exceptions.Exit(1) from None


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error)


def _give_up_output() -> None:
    """Point standard output at nothing, or the interpreter would complain when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
