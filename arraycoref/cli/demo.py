"""Run ``arraycoref demo``: score the example that ships inside the package."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import click

from arraycoref.cli.group import Command
from arraycoref.cli.output import write_output
from arraycoref.cli.score import score

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=Command)
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Print a short example, entities in numbered brackets, and score it."""
    from importlib.resources import as_file, files

    with as_file(files("arraycoref.cli")) as folder:
        key, response = folder / "demo_key.conll", folder / "demo_response.conll"
        for title, path in (("key", key), ("response", response)):
            write_output(f"{title}: {path}\n\n{bracketed(path)}\n\n")
        command = shlex.join(["arraycoref", "score", str(key), str(response)])
        write_output(f"$ {command}\n\n")
        ctx.invoke(score, key=str(key), response=str(response))


def bracketed(path: Path) -> str:
    """Return the text of a CoNLL file, one sentence per line, each mention as ``[3 its words]``.

    Args:
        path: a file whose last two columns are the word and its coreference.
    """
    lines, words = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, marks = line.split("\t")[-2:]
            opened = "".join(f"[{entity} " for entity in re.findall(r"\((\d+)", marks))
            words.append(opened + word + "]" * marks.count(")"))
        elif words:
            lines.append("  " + " ".join(words))
            words = []
        if line.startswith("#end"):
            lines.append("")
    return "\n".join(lines).rstrip()
