"""Write what a command has to say: its result, warnings, and a progress bar on standard error."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from arraycoref.cli.surroundings import import_matplotlib
from arraycoref.saving import print_bytes

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from arraycoref.errors import ReadError

PATIENCE = 1.0  # seconds of work before a progress bar appears by itself


def write_output(text: str, path: str | None = None) -> None:
    """Write text to a file, all or nothing, or to standard output.

    Where the terminal's encoding lacks a character of a document's name, standard output has a backslash escape.

    Args:
        text: what to write.
        path: the file, compressed where its suffix says so; None or ``-`` for standard output.

    Raises:
        OSError: the file cannot be written.
    """
    if path is not None and path != "-":
        from arraycoref.read.unpacking import write_text

        write_text(text, path)
    elif sys.stdout is None or (isinstance(sys.stdout, io.TextIOWrapper) and os.linesep == "\n"):
        print_bytes([text.encode(getattr(sys.stdout, "encoding", "utf-8"), "backslashreplace")])
    else:
        click.echo(text, nl=False)


def warn_of(quiet: bool) -> Callable[[ReadError], None]:
    """Return what is to be called with each fault that a reader passes over."""

    def warn(error: ReadError) -> None:
        if not quiet:
            click.echo(f"arraycoref: warning: {error}", err=True)

    return warn


def prepare_figure(path: str | None, output: str | None) -> None:
    """Make sure, before the work begins, that a figure can be written to a path; None for no figure.

    Raises:
        OptionError: a suffix that no figure has.
        UsageError: the path of the text, which the figure would replace.
    """
    if path is not None:
        if path == output:
            raise click.UsageError(f"--output and --plot are both {path!r}; expected two files")
        from arraycoref.plot.style import check_suffix

        check_suffix(path)
        import_matplotlib()


def announce_compiling() -> None:
    """Have the first kernel that is compiled announced on a terminal: later runs load its machine code from disk."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    import logging

    log = logging.getLogger("arraycoref.kernels")

    def announce(_record: logging.LogRecord) -> bool:
        log.removeFilter(announce)
        log.setLevel(logging.WARNING)
        click.echo("arraycoref: compiling kernels once, some seconds ...", err=True)
        return False

    log.setLevel(logging.INFO)
    log.addFilter(announce)


@contextmanager
def progress_bar(
    wanted: bool | None, quiet: bool, what: str = "documents"
) -> Iterator[Callable[[int, int], None] | None]:
    """Open a progress bar on standard error, and close it in the end.

    Args:
        wanted: True shows it from the start, False never; None shows it on a terminal when the work is long.
        quiet: never show it.
        what: is counted.

    Yields:
        A function to be called with (how many are done, how many there are in all), or None if there will be no bar.
    """
    if quiet or wanted is False or sys.stderr is None or (wanted is None and not sys.stderr.isatty()):
        yield None
        return
    appears = time.monotonic() + (0.0 if wanted else PATIENCE)
    bar: ProgressBar[int] | None = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None and time.monotonic() >= appears:
            bar = click.progressbar(length=total, label=what, show_pos=True, file=sys.stderr)
            bar.render_progress()
        if bar is not None:
            bar.update(done - bar.pos)

    try:
        yield show
    finally:
        if bar is not None:
            bar.render_finish()
