"""``arraycoref demo``: score the example that ships inside the package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Score a short example, and show it: entities in numbered brackets."""
    from importlib.resources import as_file, files

    from arraycoref.cli.output import write_output
    from arraycoref.cli.score import score

    with as_file(files("arraycoref") / "data") as folder:
        key, response = folder / "demo_key.conll", folder / "demo_response.conll"
        for title, path in (("key", key), ("response", response)):
            write_output(f"{title}: {path}\n\n{bracketed(path)}\n\n", None)
        write_output(f"$ arraycoref score {key} {response}\n\n", None)
        ctx.invoke(score, key=str(key), response=str(response))


def bracketed(path: Path) -> str:
    """Return the text of a CoNLL file, a sentence a line, each mention as ``[3 its words]``.

    Args:
        path: a file of ours: its word stands in the last column but one, its coreference in the last.
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
