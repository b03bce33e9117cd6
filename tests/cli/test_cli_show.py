"""``arraycoref show`` and ``report``: options reach the analysis; colours, names, sizes."""

import pytest
from test_cli_compare import GOOD, KEYS, POOR

import arraycoref as ac
from arraycoref.analysis import page
from pages_of_html import records

NAMES = [f"d{n}" for n in range(len(KEYS))]


@pytest.fixture
def files(write):
    systems = [write(f"{name}.conll", columns, names=NAMES) for name, columns in (("good", GOOD), ("poor", POOR))]
    return write("key.conll", KEYS, names=NAMES), *systems


def test_shows_what_python_shows(run, files):
    analysis = ac.analyze_files(files[0], {"poor": files[2]})
    assert run("show", files[0], files[2]).stdout == analysis.show(worst=3, rows=12).text()
    chosen = run("show", files[0], files[2], "--worst=2", "--sort=muc.recall", "--rows=1").stdout
    assert chosen == analysis.show(worst=2, sort="muc.recall", rows=1).text()
    name = analysis.documents[3]
    assert run("show", files[0], files[2], name).stdout == analysis.show(name).text()
    done = run("show", files[0], files[2], "d")
    assert (done.exit_code, "unknown document 'd'" in done.stderr) == (2, True)
    done = run("show", files[0], files[2], name, "--worst=2")
    assert (done.exit_code, "--worst has no effect with DOCUMENT" in done.stderr) == (2, True)


def test_colours(run, files, monkeypatch):
    assert "\x1b[" not in run("show", *files[:2]).stdout
    assert "\x1b[" in run("show", *files[:2], "--colour=always", color=True).stdout
    assert "\x1b[" not in run("show", *files[:2], "--colour=never", color=True).stdout


def test_a_page_of_two_annotators(run, files, tmp_path):
    path = tmp_path / "report.html"
    done = run("report", *files, "--names=anna, ben,cleo", "--worst=3", "--sort=lea", "--no-words", "--output", path)
    assert (done.exit_code, done.output) == (0, "")
    index, documents = records(path)
    assert (index["key"], index["systems"], len(documents)) == ("anna", ["ben", "cleo"], 3)
    analysis = ac.analyze_files(files[0], {"good": files[1], "poor": files[2]})
    assert set(documents) == {analysis.documents[d] for d in analysis.worst(3, "lea")}
    assert all(document["kind"] == "plain" for document in documents.values())
    done = run("report", *files, "--names=anna,ben", "--output", path)
    assert (done.exit_code, "got 2 --names for a key and 2 responses" in done.stderr) == (2, True)


def test_a_large_page_is_warned_of(run, files, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "LARGE", 30_000)
    path = tmp_path / "report.html"
    assert "--worst N and --no-words make it smaller" in run("report", *files, "--output", path).stderr
    assert run("report", *files, "--quiet", "--output", path).stderr == ""
