"""Run the code of a page of the documentation, and compare what it prints with what the page says.

``python docs/pages.py docs/tutorial.md`` names each block that prints something else; with ``--write``, the page is
changed to say what was printed, and its pictures are replaced by those that its code drew under their names. A table of
all metrics is written between two marks, where a page has them.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

BLOCK = re.compile(r"```(python|sh)\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
OURS = re.compile(r"^((?:arraycoref(?:(?: *\\\n *| )(?:'[^'\n]*'|(?:[\w./=:,-]|\{\w+\})+))+\n)+)", re.MULTILINE)
"""Lines of nothing but commands of this package, whose words the shell would hand on as they are."""
PICTURE = re.compile(r"!\[[^]]*\]\((figures/(?!report)([\w.-]+))\)")
TABLE = re.compile(r"(?<=<!-- begin metrics -->\n).*?(?=<!-- end metrics -->)", re.DOTALL)
MEASURES = {
    "mentions": "mentions on both sides",
    "muc": "links that a spanning tree of each entity needs",
    "bcub": "how much of each mention's entity is right",
    "ceafm": "mentions in the best one-to-one alignment of entities",
    "ceafe": "the same alignment, each entity weighted alike",
    "blanc": "links, and pairs that are rightly not linked",
    "lea": "resolved links of each entity, weighted by its size",
    "pairwise": "all links: pairs of mentions in one entity",
    "conll": "mean F1 of `muc`, `bcub` and `ceafe`",
    "blanc-gold": "BLANC for sides with the same mentions",
    "cluster": "entities that are right to the last mention",
    "mor": "words that mentions share, whatever their entities",
    "zero": "links of zero anaphors",
    "bridging-anaphors": "anaphors of bridging links",
    "bridging-mentions": "bridging links to the same mention",
    "bridging-entities": "bridging links to the right entity",
    "non-referring": "mentions that refer to nothing",
    "kbp": "mean F1 of `muc`, `bcub`, `ceafe` and `blanc`",
    "ceaf-phi2": "entities that share a mention with their partner",
    "rand": "pairs that both sides treat alike",
    "vmeasure": "mutual information, as completeness and homogeneity",
    "ari": "the Rand index above chance",
    "ami": "mutual information above chance",
    "fowlkes-mallows": "geometric mean of precision and recall of links",
    "purity": "mentions in the largest piece of their response entity",
    "inverse-purity": "mentions in the largest piece of their key entity",
    "merge-distance": "splits and merges that correct the response",
}
"""What each metric measures, for the table of all metrics. One without a line here is listed by its title."""
VERSION = re.compile(r"(?<=\|v:)[^|]*")


class Block(NamedTuple):
    """A block of Python or of shell commands, and what the page says that it prints: nothing, if it says nothing."""

    language: str
    code: str
    said: str
    line: int
    """Of the page, from 1, where the block begins."""


def blocks(text: str) -> list[Block]:
    """List the blocks of a page: fenced ``python`` and ``sh``, with the ``text`` that comes right behind, if any."""
    return [
        Block(found[1], found[2], found[3] or "", text.count("\n", 0, found.start()) + 1)
        for found in BLOCK.finditer(text)
    ]


def run(page: str | os.PathLike[str], folder: str | os.PathLike[str]) -> Iterator[tuple[Block, str]]:
    """Run the blocks of a page, one behind the other; those of Python share their names.

    Args:
        page: path of the page.
        folder: the working folder of all blocks, with a copy of the novels' openings or examples if the page uses them.

    Yields:
        Each block, and what it printed on standard output.

    Raises:
        Exception: what a block of Python raises.
        subprocess.CalledProcessError: a shell command failed.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    text = Path(page).read_text(encoding="utf-8")
    for name in ("litbank", "examples"):
        if f" {name}/" in text or f'"{name}/' in text:
            shutil.copytree(Path(__file__).parent / name, Path(folder) / name)
    for block in blocks(text):
        printed = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            if block.language == "sh":
                run_shell(block.code)
            else:  # behind as many empty lines that tracebacks name the page's line
                exec(compile("\n" * block.line + block.code, str(page), "exec"), names)
        yield block, printed.getvalue()


def run_shell(code: str) -> None:
    """Run shell in bash, but for `OURS` in this process, which has imported what each command would import again."""
    from arraycoref.cli import main

    bin_first = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    for n, part in enumerate(OURS.split(code)):
        if n % 2 == 0:
            done = subprocess.run(
                ["bash", "-euc", part],
                env={**os.environ, "PATH": bin_first},
                check=True,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            print(done.stdout, end="")
            continue
        for line in part.replace("\\\n", " ").splitlines():
            name, *arguments = shlex.split(line)
            try:
                main(arguments, prog_name=name)
            except SystemExit as end:
                if end.code:
                    raise subprocess.CalledProcessError(int(end.code), line) from None


def same(said: str, printed: str) -> bool:
    """Whether two outputs are the same but for the version in the signature."""
    return VERSION.sub("", said) == VERSION.sub("", printed)


def written(text: str, outputs: list[str]) -> str:
    """Return a page in which each output is replaced by what was printed."""
    ahead = iter(outputs)

    def replaced(found: re.Match[str]) -> str:
        printed = next(ahead)
        return f"```{found[1]}\n{found[2]}```" + (f"\n\n```text\n{printed}```" if printed else "")

    return BLOCK.sub(replaced, text)


def metrics_table() -> str:
    """Write the registry of metrics as a Markdown table: name, page, what it measures, source, when it is computed."""
    from arraycoref.scoring.metrics.registry import DEFAULT_METRICS, METRICS

    lines = ["| metric | measures | source | computed |", "|---|---|---|---|"]
    for metric in METRICS.values():
        when = "by default" if metric.name in DEFAULT_METRICS else "on request"
        if metric.gold_mentions:
            when += ", for gold mentions only"
        if metric.counted_from != "entities":
            when += f", from {'files with links' if metric.counted_from == 'links' else 'CoNLL-U files only'}"
        page = f"metrics/{(metric.counted_by or metric.scored_by).partition('.')[0]}.md"
        measures = MEASURES.get(metric.name, metric.title + ", an older form" * page.endswith("twinless.md"))
        lines.append(f"| [`{metric.name}`]({page}) | {measures} | {metric.source} | {when} |")
    return "".join(f"{line}\n" for line in lines)


def main(*arguments: str) -> int:
    """Check pages, or write them; return how many blocks print something else."""
    pages, differing = [Path(name) for name in arguments if name != "--write"], 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            found = list(run(page.absolute(), folder))
            for target, name in PICTURE.findall(text) if "--write" in arguments else ():
                shutil.copyfile(Path(folder) / name, page.parent / target)
        different = [(block, printed) for block, printed in found if not same(block.said, printed)]
        for block, printed in different:
            print(f"{page}:{block.line} prints\n{printed}")
        new = TABLE.sub(lambda _: metrics_table(), text)
        if new != text:
            print(f"{page}: the table of metrics is not that of the registry")
        if "--write" in arguments and (different or new != text):
            page.write_text(written(new, [printed for _, printed in found]), encoding="utf-8")
        differing += len(different) + (new != text)
    return differing


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
