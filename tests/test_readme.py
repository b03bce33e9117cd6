"""The README's Python runs and prints what its comments say; its commands exist."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from arraycoref.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_python_example(capsys):
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "0.48571428571428577 0.3333333333333333"
    assert f"# {printed[0]}" in code
    assert len(printed) >= code.count("print(")


def test_commands_and_metrics_are_those_of_the_program():
    for command in set(re.findall(r"`arraycoref (\w+)", README)):
        assert command in main.commands
    from arraycoref import METRIC_NAMES

    documented = re.search(r"\| name \| what \| source \|\n(.*?)\n\n", README, re.DOTALL)[1]
    names = {name for row in documented.splitlines()[1:] for name in re.findall(r"`([\w-]+)`", row.split("|")[1])}
    assert names == set(METRIC_NAMES)


@pytest.mark.parametrize("option", ["--format", "--per-document", "--profile", "--lenient"])
def test_options_exist(option):
    assert option in CliRunner().invoke(main, ["score", "--help"]).output


def test_kernels_page(capsys):
    page = (Path(__file__).parent.parent / "docs" / "kernels.md").read_text(encoding="utf-8")
    for module, name in set(re.findall(r"`kernels\.(\w+)\.(\w+)`", page)):
        assert callable(getattr(import_module(f"arraycoref.kernels.{module}"), name))
    exec(compile(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], "kernels.md", "exec"), {})
    assert capsys.readouterr().out == "0.4\n"
