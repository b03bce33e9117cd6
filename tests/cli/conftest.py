"""Two small files in the CoNLL format, written for each test, and a way to run the command in this process."""

import pytest
from click.testing import CliRunner

from arraycoref.cli import main

# In part 000 the response finds MUC recall 3/5 at precision 1; part 001 is right.
KEY = [["(0)", "(0)", "(0)", "(0)", "(0)", "(0)"], ["(1)", "-", "(1)"]]
RESPONSE = [["(0)", "(0)", "(1)", "(1)", "(1)", "(2)"], ["(7)", "-", "(7)"]]


def conll(columns, names=("text/a", "text/a")):
    """Write documents, given as their coreference columns, as parts 000, 001 and so on."""
    lines = []
    for part, (name, column) in enumerate(zip(names, columns, strict=True)):
        lines.append(f"#begin document ({name}); part {part:03d}")
        lines += [f"{name}\t{part}\t{token}\tword\t{mark}" for token, mark in enumerate(column)]
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def write(tmp_path):
    """Write columns to a file and return its path as text."""

    def file(name, columns, **options):
        path = tmp_path / name
        path.write_text(conll(columns, **options), encoding="utf-8")
        return str(path)

    return file


@pytest.fixture
def key(write):
    return write("key.conll", KEY)


@pytest.fixture
def response(write):
    return write("response.conll", RESPONSE)


@pytest.fixture
def run():
    """Run ``arraycoref`` with arguments; the result has ``exit_code``, ``stdout`` and ``stderr``."""

    def command(*arguments, **options):
        return CliRunner(env={"COLUMNS": None}).invoke(
            main, list(map(str, arguments)), prog_name="arraycoref", **options
        )

    return command
