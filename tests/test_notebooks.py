"""Every result shows as a table in notebooks, becomes a table of other libraries, and completes its names.

Results are found: every record that public functions return or lead to, as `test_copies` finds them.
"""

import importlib
import sys
from html.parser import HTMLParser
from importlib.util import find_spec

import numpy as np
import pytest
from test_copies import EVERY_CALL, FILES, reached

import arraycoref as ac
from arraycoref.errors import MissingDependencyError, OptionError
from arraycoref.records import Record
from arraycoref.report.notebook import HEAD
from marks import cases

PARTS = {"Finding", "Score", "BlancScore", "Interval", "ScoreInterval", "RankedSystem", "Counts"}
"""Records that are cells or rows of a result's table, and the sums behind all."""

INPUTS = {"Documents", "TagSide", "TagTable"}
"""Records that are scored."""


class Table(HTMLParser):
    """The rows of a page's tables, as their cells' number, and the words of the captions."""

    def __init__(self):
        super().__init__()
        self.rows, self.open, self.words = [], [], ""

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


def results(make):
    skipped = PARTS | INPUTS
    return [one for one in reached(make()) if isinstance(one, Record) and type(one).__name__ not in skipped]


@cases("make", EVERY_CALL)
def test_results_show_as_tables(make):
    for result in results(make):
        if getattr(result, "metrics", True) == ():
            continue
        page = Table()
        page.feed(result._repr_html_())
        assert page.open == []
        assert page.rows, type(result)
        tables = result.tables(2)
        assert page.rows == [n for t in tables for n in sizes_of_rows(t)]


def sizes_of_rows(table):
    """Number of cells in each row of HTML: titles of groups and of sections have rows of their own."""
    head = [len(groups)] if (groups := getattr(table, "groups", ())) else []
    sections = getattr(table, "sections", ()) or [(None, len(table.rows))]
    body = [n for title, size in sections for n in [1] * (title is not None) + [len(table.headers)] * size]
    return [*head, len(table.headers), *body]


@cases("make", EVERY_CALL)
def test_results_become_frames(make):
    modules = [importlib.import_module(name) for name in ("pandas", "polars", "pyarrow") if find_spec(name)]
    for result in results(make) if modules else ():
        columns = result.columns()
        for module in modules:
            check_frame(result.to_frame(module.__name__), module, columns)


def check_frame(frame, module, columns):
    """Check that a data frame is one of the module's, and holds the columns of a result."""
    arrow = module.__name__ == "pyarrow"
    assert isinstance(frame, module.Table if arrow else module.DataFrame)
    assert list(frame.column_names if arrow else frame.columns) == list(columns)
    for name, values in columns.items():
        numbers = [value for value in list(values) if not isinstance(value, str | bool | None)]
        if numbers and len(numbers) == len(values):
            np.testing.assert_array_equal(np.asarray(frame[name], np.float64), np.asarray(values, np.float64))


@cases("make", EVERY_CALL)
def test_names_complete(make):
    for result in reached(make()):
        if hasattr(type(result), "__getitem__") and hasattr(result, "metrics"):
            names = result._ipython_key_completions_()
            first = list(result if isinstance(result, ac.PairScores) else result.metrics)
            assert names[: len(first)] == first
            for name in names:
                result[name]


def test_names_complete_in_ipython():
    completer = pytest.importorskip("IPython.core.completer")
    b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["first", "second"], metrics="muc,bcub")
    names = {
        "b": b,
        "intervals": ac.bootstrap(b, n_resamples=20),
        "found": ac.sweep([0, 0, 1], [[0, 0, 0]], metrics="muc"),
    }

    def complete(text):
        with completer.provisionalcompleter():
            found = completer.IPCompleter(namespace=names, use_jedi=False).completions(text, len(text))
            return sorted(one.text for one in found)

    assert complete('b["') == ["bcub", "first", "muc", "second"]
    assert complete('b.counts["') == ["bcub", "muc"]
    assert complete('intervals["m') == ["muc"]
    assert complete('found["') == ["muc"]


def test_contents_of_frames():
    key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
    runs = {name: ac.score_labels_batch(key, [0, 1, 1, 1] * n + key[4 * n :], offsets) for n, name in enumerate("abc")}
    compared = ac.compare(runs, metric="bcub", n_resamples=50)
    frame = compared.to_frame("pandas")
    assert list(frame["system"]) == ["a", "b", "c"]
    assert list(frame["rank"]) == [1, 2, 3]
    assert frame["difference"].dtype == float
    assert np.isnan(frame["difference"][0])
    found = ac.bootstrap(runs["b"], n_resamples=50).to_frame("pandas")
    assert len(found[found.metric == "conll"]) == 1
    assert float(found[(found.metric == "muc") & (found.field == "recall")].estimate.iloc[0]) == runs["b"]["muc"].recall
    c = ac.correlate(runs, metrics="muc,bcub")
    pairs = c.to_frame("pandas")
    assert pairs.shape == (3, 5)
    assert float(pairs[pairs.field == "recall"].coefficient.iloc[0]) == c.against("muc", "recall")["bcub"][0]
    document = runs["b"][0].to_frame("pandas").set_index("metric")
    assert document.loc["muc", "recall"] == runs["b"][0]["muc"].recall
    assert "blanc_coreference" in document.index


def test_long_sweeps_show_their_best():
    """A notebook is not flooded with settings: the best come first, and the title says how many there are."""
    key = [0, 0, 1, 1, 2, 2]
    responses = [[0, 0, 1, 1, 2, 2]] + [[0, 1, 2, 2, 1, 0]] * (HEAD + 9)
    found = ac.sweep(key, responses[::-1], metrics="muc")
    (table,) = found.tables(2)
    assert len(table.rows) == HEAD
    assert table.rows[0] == [str(HEAD + 9), "100.00"]
    assert f"{HEAD} of {HEAD + 10}" in table.headers[0]
    assert f"best muc: 100.00 at {HEAD + 9}" in found._repr_html_()


def test_progress_bar(capsys, monkeypatch):
    pytest.importorskip("tqdm")
    key = {str(d): [["a", "b"], ["c"]] for d in range(5)}
    scored = ac.score_batch(key, key, progress=True)
    assert "5/5" in capsys.readouterr().err
    assert scored == ac.score_batch(key, key)
    ac.sweep([0, 0, 1], [[0, 0, 0], [0, 1, 1]], metrics="muc", progress=True)
    assert "2/2" in capsys.readouterr().err
    ac.sweep([0, 0, 1], ([0, 0, n] for n in range(3)), metrics="muc", progress=True)
    assert "3it" in capsys.readouterr().err
    ac.score_batch(key, key, progress=False)
    assert capsys.readouterr().err == ""
    with pytest.raises(OptionError, match="progress is 5; expected True for a bar"):
        ac.score_batch(key, key, progress=5)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(MissingDependencyError, match=r"arraycoref\[progress\]"):
        ac.score_batch(key, key, progress=True)
