"""Writing a command's result: to standard output, or to a file that appears whole or not at all."""

from __future__ import annotations

import io
import os
import sys

import click

from arraycoref.saving import print_bytes, write_text


def write_output(text: str, path: str | None) -> None:
    """Write text to a file, whole or not at all, or to standard output.

    Args:
        text: what to write.
        path: the file; None or ``-`` stands for standard output.

    Raises:
        OSError: the file cannot be written.
    """
    if path is None or path == "-":
        _print(text)
    else:
        write_text(text, path)


def _print(text: str) -> None:
    """Print text, with a backslash escape where the terminal's encoding lacks a character of a document's name."""
    if sys.stdout is None or (isinstance(sys.stdout, io.TextIOWrapper) and os.linesep == "\n"):
        print_bytes([text.encode(getattr(sys.stdout, "encoding", "utf-8"), "backslashreplace")])
    else:
        click.echo(text, nl=False)
