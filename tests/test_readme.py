"""The README: its commands and its Python run, and print what it says; its tables agree with the package."""

import json
import re
import shlex
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.options import OPTIONS
from arraycoref.options.policies import PROFILES, Policies
from arraycoref.scoring.metrics.registry import DEFAULT_METRICS
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
    values += [found.span(1) for found in re.finditer(r"^(?:muc|bcub|lea|conll) +(\S+)", text, re.MULTILINE)]
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
    table = rows("| metric | measures |", ROOT / "docs" / "metrics.md")
    assert tuple(re.search(r"`(.+?)`", cells[0])[1] for cells in table if "default" in cells[-1]) == DEFAULT_METRICS


def test_what_to_type_runs(tmp_path, monkeypatch):
    """Each line of the table, as it is printed, on small files of those names."""
    monkeypatch.chdir(tmp_path)
    words = ["Ada", "said", "she", "and", "Bob"]
    key = {"doc_key": "d", "sentences": [words], "clusters": [[[0, 0], [2, 2]], [[4, 4]]]}
    Path("key.jsonl").write_text(json.dumps(key))
    Path("answers.jsonl").write_text('{"doc_key": "d", "text": "[Ada](#1) said [she](#1) and so [Bob](#2)"}')
    Path("truth.csv").write_text("unique_id,cluster_id\na,1\nb,1\nc,2\n")
    Path("pairs.csv").write_text("unique_id_l,unique_id_r,match_probability\na,b,0.9\nb,c,0.2\n")
    Path("runs").mkdir()
    for annotator in ("anna", "ben"):
        Path(annotator).mkdir()
        convert(f"{annotator}/d.conll")
    convert("key.conll", "response.conll", "a.conll", "b.conll", "key.conllu", "response.conllu")
    convert(*(f"runs/system={system},seed={seed}.conll" for system in "xy" for seed in (1, 2)))
    names = {"ac": ac, "key": [["a", "b"]], "response": [["a", "b"]]}
    table = rows("| I have ...")
    assert len(table) == 12
    for _, cell in table:
        line = re.match(r"(the same|`.*?`)", cell)[0].strip("`")
        if line.startswith("arraycoref"):
            done = CliRunner().invoke(main, shlex.split(line)[1:], prog_name="arraycoref")
            assert done.exit_code == 0, (line, done.output)
        elif line != "the same":
            assert eval(line, names | ({"key": [0, 0], "response": [0, 0]} if "labels" in line else {})).conll == 1


def convert(*targets):
    """Write the key of the test to these files."""
    for target in targets:
        words = [] if target.endswith("conll") else ["--words", "key.conll"]
        done = CliRunner().invoke(main, ["convert", "key.jsonl", target, *words])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("policy", ["duplicates", "missing_documents", "extra_documents", "singletons"])
def test_conventions_are_those_of_the_options(policy):
    table = rows("| situation |", ROOT / "docs" / "conventions.md")
    cells = next(cells for cells in table if f"`{policy}=" in cells[-1])
    assert tuple(re.split(r"[=,`]\s*", cells[-1])[2:-1]) == OPTIONS[policy].choices
    for profile, cell in zip(("paper", "conll"), cells[1:3], strict=True):
        assert cell.strip("`").replace("kept", "keep") == getattr(PROFILES[profile], policy)


def test_verified_page_counts_the_golden_files():
    page = (ROOT / "docs" / "verified.md").read_text(encoding="utf-8")
    said = {
        "reference_scorer": "300 random documents",
        "reference_cases": "the 36 cases",
        "reference_bare": "40 documents with numbers",
        "reference_repeated": "13 with repeated",
        "conll18": "100 pairs",
    }
    for file, words in said.items():
        lines = (ROOT / "tests" / "golden" / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
        assert words in page
        assert re.search(r"\d+", words)[0] == str(len(lines)), file


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
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    for module, name in set(re.findall(r"`kernels\.(\w+)\.(\w+)`", page)):
        assert callable(getattr(import_module(f"arraycoref.kernels.{module}"), name))
    names = {}
    for code, said in re.findall(r"```python\n([^`]*)```\n\nprints `?([^\n`:;]*)", page):
        exec(compile(code, "performance.md", "exec"), names)
        assert capsys.readouterr().out.strip() == said.strip().rstrip(".")
