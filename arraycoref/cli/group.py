"""The group of commands: it turns errors into messages and exit statuses."""

from __future__ import annotations

import os
import sys
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
        try:
            return super().make_context(*arguments, **options)
        except BrokenPipeError:
            _give_up_output()
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        except OSError as error:
            click.echo(f"arraycoref: error: {_message(error)}", err=True)
            raise click.exceptions.Exit(1) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and see to the errors that users meet."""
        try:
            return super().invoke(ctx)
        except (OptionError, UnknownNameError) as error:
            raise click.UsageError(str(error), ctx) from error
        except BrokenPipeError:
            _give_up_output()
            ctx.exit(BROKEN_PIPE)
        except KeyboardInterrupt:
            click.echo("arraycoref: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except (ArraycorefError, OSError) as error:
            click.echo(f"arraycoref: error: {_message(error)}", err=True)
            ctx.exit(1)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error)


def _give_up_output() -> None:
    """Point standard output at nothing, or the interpreter would complain when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
