"""Each command has a function, as the table of the page on the command line says, and both print the same."""

import importlib
import pkgutil
import re
import warnings
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from pages_of_html import records

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="no documentation beside the tests")

DEMO = Path(ac.__file__).parent / "cli"
TYPED = {
    "KEY": "key.conll",
    "RESPONSE": "response.conll",
    "METRIC": "muc",
    "SYSTEM...": "response.conll other.conll",
    "ANNOTATOR...": "key.conll response.conll",
    "FILES...": "other.conll",
    "IN": "response.conll",
    "OUT": "out.jsonl",
    "PAGE": "page.html",
}
"""What is typed for the words in capitals of a command."""

NAMES = {
    "ac": ac,
    "key": "key.conll",
    "response": "response.conll",
    "metric": "muc",
    "systems": {"response": "response.conll", "other": "other.conll"},
    "runs": ["response.conll", "other.conll"],
    "annotators": {"key": "key.conll", "response": "response.conll"},
    "files": "other.conll",
    "source": "response.conll",
    "target": "out.jsonl",
    "page": "page.html",
}
"""The values of the names in the code of a function."""

FULL = {"conventions", "explain", "agree"}
"""Commands of which the functions return all."""

NOT_RUN = {"corefud", "tags", "warmup"}
"""Commands for other files or in another form."""


def table():
    """Return the command line and the code of each command in the table; of two rows of one command, the first."""
    cells = re.findall(r"^\| `([^`]+)` \| (?:`([^`]+)` )?\| \[[^]]+\]\(\w+\.md\) \|$", PAGE.read_text("utf-8"), re.M)
    return {line.split()[0]: (line, code) for line, code in reversed(cells)}


@pytest.fixture(scope="module")
def everything_is_imported():
    """In an order in which a module could take the place of a function of its name."""
    with warnings.catch_warnings(action="ignore"):
        for module in pkgutil.walk_packages(ac.__path__, "arraycoref."):
            with suppress(ImportError):
                importlib.import_module(module.name)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    for name, source in (("key", "key"), ("response", "response"), ("other", "key")):
        Path(f"{name}.conll").write_bytes((DEMO / f"demo_{source}.conll").read_bytes())


def test_table_has_every_command():
    assert {*table()} == {*main.list_commands(None)}
    assert [command for command, (_, code) in table().items() if not code] == ["demo"]


@pytest.mark.parametrize("command", sorted(table()))
def test_functions_are_there(command, everything_is_imported):
    """After every module is imported, too: ``ac.errors`` is no module."""
    for name in re.findall(r"ac\.([\w.]+)\(", table()[command][1]):
        found = ac
        for part in name.split("."):
            found = getattr(found, part)
        assert callable(found)
        assert name.split(".")[0] in {*ac.__all__, "tagging"}


def shown_by(written):
    """Return what a file has; of a page, without the commands, which name the files that were typed."""
    if written.suffix != ".html":
        return written.read_bytes()
    index, documents = records(written)
    return index | {"findings": [finding | {"command": ""} for finding in index["findings"]]}, documents


@pytest.mark.parametrize("command", sorted(set(table()) - NOT_RUN - {"demo"}))
def test_functions_print_what_commands_print(command, files):
    line, code = table()[command]
    words = [TYPED.get(word, word) for word in line.split()] + ["--all"] * (command in FULL)
    done = CliRunner().invoke(main, " ".join(words), catch_exceptions=False)
    assert done.exit_code == 0
    written = Path(NAMES["page"] if command == "report" else NAMES["target"])
    expected = shown_by(written) if written.exists() else done.stdout
    written.unlink(missing_ok=True)
    result = eval(code, dict(NAMES))
    if written.exists():
        assert shown_by(written) == expected
        return
    if command == "agree":  # which prints a command for the files that were typed
        expected, _, _ = expected.partition("\n\nCoNLL F1 lost: ")
    if command == "errors":  # whose findings name the files that were typed
        expected = expected.replace("key.conll response.conll", "KEY RESPONSE")
    printed = [result if isinstance(result, str) else str(result)]
    if hasattr(result, "render"):
        printed.append(result.render())
    assert expected.rstrip("\n") in [text.rstrip("\n") for text in printed]
