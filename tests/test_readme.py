"""The README: its commands and its Python run, and print what it says; its tables agree with the package."""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from arraycoref.cli import main
from arraycoref.options import OPTIONS
from arraycoref.options.policies import PROFILES, Policies
from arraycoref.scoring.metrics.registry import DEFAULT_METRICS, METRICS
from test_pages import pages

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SAID = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)
"""A line of Python that prints, with what it prints as a comment."""


def without_setup(text):
    """Return a page without the blocks that install the package."""
    return re.sub(r"```sh\n[^`]*pip install.*?```", "", text, flags=re.DOTALL)


def differences(text, printed):
    """List what each block says beside what it printed, where these differ."""
    module = pages()
    found = module.blocks(without_setup(text))
    said = [said_by(block) for block in found]
    assert len(said) == len(printed) >= 2
    return [(one, other) for one, other in zip(said, printed, strict=True) if not module.same(one, other)]


def said_by(block):
    if block.language == "sh":
        return block.said
    values = SAID.findall(block.code)
    assert len(values) == block.code.count("print("), "a print without its value"
    return "".join(f"{value}\n" for value in values)


def test_everything_printed_is_what_the_readme_says(tmp_path):
    text = README.read_text(encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(without_setup(text), encoding="utf-8")
    printed = [printed for _, printed in pages().run(page, tmp_path)]
    assert differences(text, printed) == []
    values = [found.span(1) for found in SAID.finditer(text)]
    values += [found.span(1) for found in re.finditer(r"^(?:muc|- coreference|conll) +(\S+)", text, re.MULTILINE)]
    assert len(values) >= 8
    for first, last in values:  # otherwise this test could not fail
        assert differences(text[:first] + "0.123" + text[last:], printed), text[first:last]


def test_commands_and_options_exist():
    text = README.read_text(encoding="utf-8")
    for command in set(re.findall(r"`arraycoref\s(\w+)", text)):
        assert command in main.list_commands(None)
    offered = CliRunner().invoke(main, ["score", "--help-all"]).output
    for option in set(re.findall(r"`(--[\w-]+)", text)):
        assert option in offered


def rows(table_head, page=README):
    """Return the cells of a table of a page, whose first line begins so."""
    table = re.search(
        rf"^{re.escape(table_head)}.*?\n\|[-|]+\|\n(.*?)\n\n", page.read_text(encoding="utf-8"), re.M | re.S
    )
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[1].splitlines()]


def test_metrics_are_the_default_ones_of_the_registry():
    said = {cells[0].strip("`"): cells[2] for cells in rows("| name |")}
    assert tuple(said) == DEFAULT_METRICS
    for name, source in said.items():
        assert METRICS[name].source.startswith(source)


@pytest.mark.parametrize("policy", ["duplicates", "missing_documents", "extra_documents", "singletons"])
def test_conventions_are_those_of_the_options(policy):
    table = rows("| situation |", ROOT / "docs" / "conventions.md")
    cells = next(cells for cells in table if f"`{policy}=" in cells[-1])
    assert tuple(re.split(r"[=,`]\s*", cells[-1])[2:-1]) == OPTIONS[policy].choices
    for profile, cell in zip(("paper", "conll"), cells[1:3], strict=True):
        assert cell.strip("`").replace("kept", "keep") == getattr(PROFILES[profile], policy)


def test_profiles_are_those_of_the_options():
    page = ROOT / "docs" / "conventions.md"
    head = re.search(r"^\| profile \| programs \|(.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    policies = re.findall(r"`(\w+)`", head[1])
    table = {cells[0].strip("`"): cells[2:] for cells in rows("| profile | programs |", page)}
    assert table == {name: [getattr(profile, each) for each in policies] for name, profile in PROFILES.items()}
    for profile in PROFILES.values():  # what the table leaves out is as in `paper`
        assert replace(profile, **{each: getattr(Policies, each) for each in (*policies, "profile")}) == Policies()


@pytest.mark.kernels
def test_kernels_page(capsys):
    page = (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8")
    for module, name in set(re.findall(r"`kernels\.(\w+)\.(\w+)`", page)):
        assert callable(getattr(import_module(f"arraycoref.kernels.{module}"), name))
    names = {}
    for code, said in re.findall(r"```python\n(.*?)```\n\nprints `?([^\n`:;]*)", page, re.DOTALL):
        exec(compile(code, "kernels.md", "exec"), names)
        assert capsys.readouterr().out.strip() == said.strip().rstrip(".")
