"""Writing a command's result: to standard output, or to a file that appears whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from pathlib import Path

import click


def write_output(text: str, path: str | None) -> None:
    """Write text to a file, or to standard output.

    A regular file is written beside its place under another name, as UTF-8, and then renamed, so that nobody sees half
    of it and an earlier version survives a failure. A symbolic link stays one; a device or pipe is written directly.

    Args:
        text: what to write.
        path: the file; None or ``-`` stands for standard output.

    Raises:
        OSError: the file cannot be written.
    """
    if path is None or path == "-":
        _print(text)
        return
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        target.write_text(text, encoding="utf-8", newline="")
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except OSError as error:
        if error.filename is not None:
            error.filename = path
            error.filename2 = None
        raise
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _print(text: str) -> None:
    """Print text, with a backslash escape where the terminal's encoding lacks a character of a document's name."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    click.echo(text, nl=False)
