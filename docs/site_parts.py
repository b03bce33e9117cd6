"""The parts of the site that are made from the code: definitions of metrics, help texts, tables of options.

An extension of Sphinx. It also writes formulas as MathML, which browsers show without a script.
"""

from __future__ import annotations

import html
import inspect
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parent.parent
PAGES = {"../README.md": "index.md", "../benchmarks/README.md": "speed.md", "../CHANGELOG.md": "changelog.md"}
PAGES |= {"../CONTRIBUTING.md": "contributing.md", "examples/README.md": "training.md"}
"""Pages of the repository that the site has under other names, as pages of `docs` point to them."""

FILES = {"speed": "../benchmarks/README.md", "changelog": "../CHANGELOG.md", "contributing": "../CONTRIBUTING.md"}
"""Pages of the site that are files beside `docs`."""


class Definition(SphinxDirective):
    """``{definition} NAME`` writes what the code says of a metric: its source, definition and worked example."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the docstring of the metric's module; its example as a block."""
        from arraycoref.scoring.metrics.registry import DEFAULT_METRICS, METRICS

        name = self.arguments[0]
        metric = METRICS[name]
        module = import_module(
            f"arraycoref.scoring.metrics.{(metric.counted_by or metric.scored_by).partition('.')[0]}"
        )
        text, _, example = re.sub(r"^ {4}", "", inspect.getdoc(module) or "", flags=re.MULTILINE).partition(">>> ")
        when = "computed by default" if name in DEFAULT_METRICS else f"computed on request: `--metrics {name}`"
        lines = [f"`{name}`, {when}. Source: {metric.source}.", "", text.strip()]
        if example:
            lines += ["", "```pycon", f">>> {example.strip()}", "```"]
        return self.parse_text_to_nodes("\n".join(lines))


class Help(SphinxDirective):
    """``{help} COMMAND`` writes the help text of a command, as it prints it with ``--help-all``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Make the help text at the width of the page."""
        import click

        from arraycoref.cli import main
        from arraycoref.cli.main import ALL_SHOWN

        name = self.arguments[0]
        above = click.Context(main, info_name="arraycoref", terminal_width=96, max_content_width=96)
        command = main.get_command(above, name) if name != "arraycoref" else main
        assert command is not None, f"there is no command {name}"
        context = above if command is main else click.Context(command, above, name, terminal_width=96)
        context.meta[ALL_SHOWN] = True
        block = nodes.literal_block(text := command.get_help(context), text)
        block["language"] = "text"
        return [block]


class Options(SphinxDirective):
    """``{options} KIND`` writes a table of options: those about ``scores``, ``reading``, or ``statistics``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write a row for each option with a help text."""
        from arraycoref.options import OPTIONS

        lines = ["| option | values | default | what it does |", "|---|---|---|---|"]
        for name, option in OPTIONS.items():
            if option.about == self.arguments[0] and option.brief:
                values = ", ".join(f"`{value}`" for value in option.choices) or getattr(option.kind, "__name__", "")
                brief = option.brief.replace("|", "\\|")
                lines.append(f"| `{name}` | {values} | `{option.default!r}` | {brief} |")
        return self.parse_text_to_nodes("\n".join(lines))


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
    source[0] = re.sub(r"(?<!!)\[([^]\n]*)\]\(\.\./arraycoref[^)\n]*\)", r"`\1`", text)  # code is no page


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
    for name, directive in (("definition", Definition), ("help", Help), ("options", Options)):
        app.add_directive(name, directive)
    app.connect("source-read", with_pages_of_the_site)
    app.connect("build-finished", write_text_for_models)
    for kind in ("math", "math_block"):
        app.add_node(getattr(nodes, kind), override=True, html=(write_math, None))
    return {"parallel_read_safe": True}
