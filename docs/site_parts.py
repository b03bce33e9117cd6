"""The parts of the site that are made from the code: drawings of metrics' examples, help texts, tables of options.

An extension of Sphinx. It also writes formulas as MathML, which browsers show without a script, makes a dark copy of
each figure, and reads comments such as ``<!--{help} score-->`` as directives, which a code host does not show.
"""

from __future__ import annotations

import ast
import doctest
import html
import inspect
import os
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from latex2mathml.converter import convert
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parent.parent
PAGES = {"../README.md": "index.md", "../benchmarks/README.md": "speed.md", "../CHANGELOG.md": "changelog.md"}
PAGES |= {"../CONTRIBUTING.md": "contributing.md", "examples/README.md": "training.md"}
"""Pages of the repository that the site has under other names, as pages of `docs` point to them."""

FILES = {"speed": "../benchmarks/README.md", "changelog": "../CHANGELOG.md", "contributing": "../CONTRIBUTING.md"}
"""Pages of the site that are files beside `docs`."""


HIDDEN = re.compile(r"^<!--(\{[\w-]+\}.*?)-->", re.DOTALL | re.MULTILINE)
"""A directive that only the site has."""


class Example(SphinxDirective):
    """``{example} NAME`` draws and prints the example in the docstring of a metric's module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Draw the first two arguments of the example's first call of ``ac.score...``."""
        module = import_module(f"arraycoref.scoring.metrics.{self.arguments[0]}")
        lines = doctest.DocTestParser().get_examples(inspect.getdoc(module) or "")
        call = next(node for line in lines for node in ast.walk(ast.parse(line.source)) if is_score(node))
        sides = [entities(eval(ast.unparse(side))) for side in call.args[:2]]
        code = "".join(f">>> {line.source}{line.want}" for line in lines)
        return [nodes.raw("", drawing(*sides), format="html"), *self.parse_text_to_nodes(f"```pycon\n{code}```")]


def is_score(node: ast.AST) -> bool:
    """Whether code calls one of the functions that score."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("score")


def entities(side: list[Any]) -> list[list[str]]:
    """Return entities as lists of letters, of entities or of labels."""
    if isinstance(side[0], list):
        return side
    return [[chr(97 + n) for n, label in enumerate(side) if label == one] for one in dict.fromkeys(side)]


def drawing(key: list[list[str]], response: list[list[str]]) -> str:
    """Draw the entities of key and response as SVG: a box per entity, a line from each mention to itself."""
    places: list[dict[str, int]] = [{}, {}]
    boxes, right = "", 0
    for side, (y, name, clusters) in enumerate(((40, "key", key), (130, "response", response))):
        x = 90
        boxes += f'<text class="side" x="4" y="{y + 5}">{name}</text>'
        for n, cluster in enumerate(clusters, 1):
            width = 36 * len(cluster)
            boxes += f'<rect x="{x}" y="{y - 18}" width="{width}" height="36" rx="18"/>'
            boxes += f'<text class="name" x="{x + width / 2}" y="{y + (32 if side else -24)}">{name[0]}{n}</text>'
            places[side] |= {mention: x + 18 + 36 * k for k, mention in enumerate(cluster)}
            x += width + 16
        right = max(right, x)
    links, circles = "", ""
    of_key = {mention: f"e{n}" for n, cluster in enumerate(key, 1) for mention in cluster}
    for side, y in enumerate((40, 130)):
        for mention, x in places[side].items():
            alone = "" if mention in places[1 - side] else "alone"
            color = of_key.get(mention, "")
            circles += f'<g class="{color}"><circle class="{alone}" cx="{x}" cy="{y}" r="13"/></g>'
            circles += f'<text x="{x}" y="{y + 5}">{mention}</text>'
            if side and not alone:
                links += f'<g class="{color}"><line x1="{places[0][mention]}" y1="54" x2="{x}" y2="116"/></g>'
    title = " against ".join(", ".join(f"{{{' '.join(cluster)}}}" for cluster in side) for side in (key, response))
    return (
        f'<svg class="entities" role="img" width="{right}" height="170" viewBox="0 0 {right} 170">'
        f"<title>{title}</title>{boxes}{links}{circles}</svg>"
    )


class Report(SphinxDirective):
    """``{report} TEXT`` makes the report of two systems on the openings of novels, and a link to it."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Make the report, once."""
        import arraycoref as ac

        path, novels = Path(self.env.app.outdir) / "litbank.html", ROOT / "docs" / "litbank" / "test"
        if not path.exists():
            responses = {"rules": novels / "rules.jsonl.gz", "large": novels / "system=large,seed=1.jsonl.gz"}
            ac.report(novels / "key.conll.gz", responses, path, engine="numpy")  # compiles nothing
        link = nodes.reference(text := self.arguments[0], text, refuri=path.name)
        return [nodes.paragraph("", "", link)]


class Help(SphinxDirective):
    """``{help}`` writes a section for each command: what it prints with ``--help-all``."""

    def run(self) -> list[nodes.Node]:
        """Make the help texts at the width of the page."""
        import click

        from arraycoref.cli import main
        from arraycoref.cli.main import ALL_SHOWN

        above = click.Context(main, info_name="arraycoref", terminal_width=96, max_content_width=96)
        sections: list[nodes.Node] = []
        for name in main.list_commands(above):
            command = main.get_command(above, name)
            context = click.Context(command, above, name, terminal_width=96)
            context.meta[ALL_SHOWN] = True
            block = nodes.literal_block(text := command.get_help(context), text, language="text")
            sections.append(nodes.section("", nodes.title("", name), block, ids=[name], names=[name]))
        return sections


class Options(SphinxDirective):
    """``{options}`` writes three tables of options: those about scores, reading files, and statistics."""

    def run(self) -> list[nodes.Node]:
        """Write a row for each option with a help text."""
        from arraycoref.options import OPTIONS

        sections: list[nodes.Node] = []
        titles = {"scores": "What is scored", "reading": "Reading files", "statistics": "Statistics"}
        for about, title in titles.items():
            lines = ["| option | values | default | what it does |", "|---|---|---|---|"]
            for name, option in OPTIONS.items():
                if option.about == about and option.brief:
                    values = ", ".join(f"`{value}`" for value in option.choices) or getattr(option.kind, "__name__", "")
                    brief = option.brief.replace("|", "\\|")
                    lines.append(f"| `{name}` | {values} | `{option.default!r}` | {brief} |")
            table = self.parse_text_to_nodes("\n".join(lines))
            sections.append(nodes.section("", nodes.title("", title), *table, ids=[about], names=[about]))
        return sections


def with_pages_of_the_site(app: Sphinx, name: str, source: list[str]) -> None:
    """Put files from beside `docs` in their pages; turn links to pages of the repository into links to the site's."""
    text = source[0]
    if name in FILES:
        file = FILES[name]
        text = (
            (Path(app.srcdir) / file).read_text(encoding="utf-8").replace("](../docs/", "](").replace("](docs/", "](")
        )
        text = re.sub(r"\]\((\w+\.(?:svg|csv))\)", rf"]({file.rpartition('/')[0]}/\1)", text)
    for target, page in PAGES.items():
        text = text.replace(f"]({target}", f"]({page}").replace(f"]({target.removeprefix('../')}", f"]({page}")
    if name == "changelog":  # whose words would be found before the pages that explain them
        text = f"---\nno-search: true\n---\n{text}"
    text = HIDDEN.sub(r"````\1\n````", text)
    source[0] = re.sub(r"(?<!!)\[([^]\n]*)\]\(\.\./arraycoref[^)\n]*\)", r"`\1`", text)  # code is no page


def add_dark_figures(app: Sphinx, document: nodes.document) -> None:
    """Put a copy beside each figure, with light and dark exchanged and all hues kept, for readers on dark ground."""
    folder = Path(app.srcdir, app.env.docname).parent
    for figure in list(document.findall(nodes.image)):
        path = folder / figure["uri"]
        if path.suffix == ".png":
            pixels = np.asarray(Image.open(path).convert("RGB")).astype(np.float32)
            dark = 19 + 0.9 * (pixels + 255 - pixels.max(axis=2, keepdims=True) - pixels.min(axis=2, keepdims=True))
            copy = Path(app.doctreedir) / f"{path.stem}_dark.png"
            Image.fromarray(dark.astype(np.uint8)).quantize(128).save(copy)
            twin = figure.deepcopy()
            twin["uri"] = os.path.relpath(copy, folder)
            figure["classes"], twin["classes"] = ["only-light"], ["only-dark"]
            figure.parent.insert(figure.parent.index(figure) + 1, twin)


def write_math(translator: Any, node: Any) -> None:
    """Write a formula as MathML."""
    is_block = isinstance(node, nodes.math_block)
    translator.body.append(convert(node.astext(), display="block" if is_block else "inline"))
    raise nodes.SkipNode


def write_text_for_models(app: Sphinx, failure: Exception | None) -> None:
    """Write ``llms.txt``: a line for each page, for programs that read the documentation."""
    if failure or app.builder.name != "html":
        return
    lines = ["# arraycoref", "", f"> {import_module('arraycoref').__doc__.splitlines()[0]}", ""]  # type: ignore[union-attr]
    for name in sorted(app.env.found_docs):
        title = html.unescape(app.env.titles[name].astext())
        first = next((node.astext() for node in app.env.get_doctree(name).findall(nodes.paragraph)), "")
        brief = textwrap.shorten(first, 160, placeholder=" ...")
        lines.append(f"- [{title}]({name}.html): {brief}")
    (Path(app.outdir) / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the parts to Sphinx."""
    for name, directive in (("example", Example), ("report", Report), ("help", Help), ("options", Options)):
        app.add_directive(name, directive)
    app.connect("source-read", with_pages_of_the_site)
    app.connect("doctree-read", add_dark_figures, priority=100)  # before Sphinx lists the pictures
    app.connect("build-finished", write_text_for_models)
    for kind in ("math", "math_block"):
        app.add_node(getattr(nodes, kind), override=True, html=(write_math, None))
    return {"parallel_read_safe": True}
