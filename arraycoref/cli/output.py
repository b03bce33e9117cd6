"""Write the result of a command, and its warnings and progress bar on standard error; check its paths."""

from __future__ import annotations

import errno
import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli.runs import BLOCK
from arraycoref.cli.surroundings import import_matplotlib
from arraycoref.runtime import print_bytes

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from arraycoref.errors import ReadError

WRITTEN = ("output", "plot", "save", "target")
"""Names of the arguments of commands that are paths of files to write."""

PATIENCE = 1.0  # seconds of work before a progress bar appears by itself


def write_output(text: str, path: str | None = None) -> None:
    """Write text to a file, all or nothing, or to standard output.

    A character that the encoding of standard output lacks, say in a document's name, becomes a backslash escape.

    Args:
        text: what to write.
        path: the file, compressed if its suffix is one of compression; None or ``-`` for standard output.

    Raises:
        OSError: the file cannot be written.
    """
    if path is not None and path != "-":
        from arraycoref.runtime import write_text

        write_text(text, path)
    elif sys.stdout is None or (isinstance(sys.stdout, io.TextIOWrapper) and os.linesep == "\n"):
        print_bytes([text.encode(getattr(sys.stdout, "encoding", "utf-8"), "backslashreplace")])
    else:
        click.echo(text, nl=False)


def warn(quiet: bool, error: ReadError) -> None:
    """Print a warning of a fault that a reader passed over, unless ``quiet`` is set."""
    if not quiet:
        click.echo(f"arraycoref: warning: {error}", err=True)


def prepare_figure(path: str | None) -> None:
    """Check, before the work begins, that the suffix of a path is a format of figures; None for no figure.

    It also calls `import_matplotlib`, before anything else imports matplotlib.

    Raises:
        OptionError: it is not.
    """
    if path is not None:
        from arraycoref.stats.figures.style import check_suffix

        check_suffix(path)
        import_matplotlib()


def check_paths(ctx: click.Context) -> None:
    """Check the paths of a command line before anything is read: none is empty, and no input would be overwritten.

    Inputs are the arguments of the command, and the options whose placeholder in ``--help`` contains ``FILE``, except
    those in `WRITTEN`. A file to write in a directory of inputs is refused too, even where it does not exist yet: the
    next run would read it as one more document.

    Raises:
        click.UsageError: an empty path, a file to write that is also an input or in a directory of inputs, or one that
            two options write.
        OSError: a file to write that is a directory, or in a directory that does not exist.
    """
    read: list[tuple[str, str]] = []
    written: dict[str, str] = {}
    for param in ctx.command.params:
        is_written, value = param.name in WRITTEN, ctx.params.get(param.name or "")
        is_read = isinstance(param, click.Argument) or "FILE" in (param.metavar or "")
        if value is None or not (is_written or is_read):
            continue
        typed = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name.rstrip(".")
        paths = [value] if isinstance(value, str) else value
        if "" in paths and value != param.default:
            raise click.UsageError(f"{typed} is empty; expected a path")
        if is_written and value != "-":
            _check_target(typed, value, written)
            written[typed] = value
        elif is_read:
            read += [(typed, path) for path in paths]
    for typed, target in written.items():
        for reader, given in read:
            for path in _meant(given, ctx.params):
                if _same(path, target):
                    lost = f"which {reader} names too and which would be lost"
                    raise click.UsageError(f"{typed} is {target!r}, {lost}; expected another file")
                if _is_below(path, target):
                    where = f"in {path!r}, a directory of {reader}, whose files are read"
                    raise click.UsageError(f"{typed} is {target!r} {where}; expected a file elsewhere")


def _check_target(typed: str, target: str, written: Mapping[str, str]) -> None:
    """Refuse a path to write that is a directory, has no existing directory, or is written by another option too.

    Args:
        typed: the option or argument that gives the path, as it is typed.
        target: the path.
        written: the paths of the options and arguments checked before, by these.
    """
    for other, path in written.items():
        if _same(path, target):
            raise click.UsageError(f"{other} and {typed} are both {target!r}; expected two files")
    wrong = errno.EISDIR if os.path.isdir(target) else errno.ENOENT
    if wrong == errno.EISDIR or not os.path.isdir(os.path.dirname(os.path.realpath(target))):
        raise OSError(wrong, os.strerror(wrong), target)


def _meant(typed: str, params: Mapping[str, Any]) -> Iterator[str]:
    """List the files and directories that an argument may name.

    The argument may be NAME=PATH, a glob pattern, a path with ``{block}``, or a list of pairs, which names more files.
    """
    from arraycoref.read.sources import matches

    blocks = [block.strip() for block in (params.get("blocks") or "").split(",")]
    for path in filter(None, (typed, typed.partition("=")[2])):
        for each in dict.fromkeys(path.replace(BLOCK, block) for block in blocks):
            yield from [each] if os.path.exists(each) else matches(each)
    if params.get("pairs") and not params["response"] and os.path.isfile(typed):
        from arraycoref.sweeps.pairs import read_list

        yield from chain.from_iterable(read_list(typed))


def _same(one: str, other: str) -> bool:
    """Whether two paths are one file, which need not exist; False for a device or a pipe, where nothing is replaced."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.isfile(one) and os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _is_below(directory: str, path: str) -> bool:
    """Whether a file at this path would be read with the directory, as all files are that are not hidden."""
    top, below = os.path.realpath(directory), PurePath(os.path.realpath(path))
    if not os.path.isdir(top) or not below.is_relative_to(top):
        return False
    parts = below.relative_to(top).parts
    return bool(parts) and not any(part.startswith(".") for part in parts)


def announce_compiling() -> None:
    """Print a note when the first kernel is compiled, if standard error is a terminal, as this takes some seconds.

    Later runs load the machine code from disk, compile nothing and print no note.
    """
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
        what: what is counted, such as ``documents``: the label of the bar.

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
