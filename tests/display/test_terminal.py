"""Tables in terminals: bold and color, folding, counts that give way. Pipes and files get plain text."""

import os
import pty
import re
import sys

import pytest

import arraycoref as ac
from arraycoref.cli.main import write_report
from arraycoref.display.tables import TextTable

KEY, WORSE = [0, 0, 1, 1] * 3, [0, 1, 1, 1] * 3
NUMBERS = r"\d+\.\d\d"


@pytest.fixture
def table():
    runs = {"a": KEY, "b": WORSE}
    scored = {name: ac.score_labels_batch(KEY, labels, [0, 4, 8, 12]) for name, labels in runs.items()}
    return ac.table(scored, metrics="muc,bcub", marks=True, resamples=50)


def printed(report, monkeypatch, **environment):
    """Return what a terminal of 60 columns gets."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": "60", **environment}.items():
        monkeypatch.setenv(name, value)
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w") as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        write_report(report, "table", None)
    text = os.read(reader, 2**16).decode().replace("\r\n", "\n")
    os.close(reader)
    return text


def test_the_best_is_bold_and_marks_have_color(table, monkeypatch):
    text = printed(table, monkeypatch)
    best = re.findall(rf"\x1b\[36m\*\x1b\[0m\x1b\[1m({NUMBERS})\x1b\[0m", text)
    assert best == ["100.00", "100.00"]
    assert "\x1b[33mnote: only 3 documents" in text
    assert text.endswith(f"\n\x1b[2m{table.signature}\x1b[0m\n")
    assert re.sub(r"\x1b\[\d+m", "", text) == table.render(width=60)  # codes take no place


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_color_where_none_is_wanted(table, monkeypatch, environment):
    assert printed(table, monkeypatch, **environment) == table.render(width=60)


def test_pipes_are_plain(table, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    write_report(table, "table", None)
    assert capsys.readouterr().out == table.render()


def test_no_word_is_broken(table):
    wide, narrow = table.render().replace("--", ""), table.render(width=40).replace("--", "")
    assert set(narrow.split()) - {"-"} == set(wide.split()) - {"-"}
    assert max(len(line) for line in narrow.split("\n") if "|" not in line) <= 40


@pytest.mark.parametrize(("width", "is_shown"), [(None, True), (30, True), (20, False)])
def test_counts_give_way_before_a_table_is_folded(width, is_shown):
    table = TextTable(["metric", "F", "recall counts"], [["muc", "66.67", "2 / 3"]], spare=1)
    text = table.text(width)
    assert ("counts" in text, "\n\n" in text) == (is_shown, False)


def test_compared_systems_have_the_best_in_bold(monkeypatch):
    runs = {name: ac.score_labels_batch(KEY, labels, [0, 4, 8, 12]) for name, labels in (("a", KEY), ("b", WORSE))}
    c = ac.compare(runs, metric="muc", resamples=20)
    assert re.findall(rf"\x1b\[1m({NUMBERS})\x1b", printed(c, monkeypatch)) == ["100.00"]
    assert "<strong>100.00</strong>" in c.render("html")
    assert "**100.00**" in c.render("markdown")


def test_html_has_a_style_of_its_own(table):
    page = table._repr_html_()
    assert page.startswith("<style>")
    assert "prefers-color-scheme:dark" in page
    assert '<th scope="col" class="l">system</th>' in page  # text left, numbers right
    assert '<th scope="col">F1</th>' in page
    assert page.endswith(f"<br>{table.signature}</p></div>")  # notes below
