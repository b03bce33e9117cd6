"""Results show as tables in notebooks, become tables of other libraries, and complete their names."""

import sys
from html.parser import HTMLParser

import pytest

import arraycoref as ac
from arraycoref.errors import MissingDependencyError, UnknownNameError
from marks import cases

BACKENDS = ("pandas", "polars", "pyarrow")
KEY = [0, 0, 1, 1] * 5


def scored(n=1):
    return ac.score_labels_batch(KEY, [0, 1, 1, 1] * n + KEY[4 * n :], range(0, 21, 4), metrics="muc,bcub,blanc")


RESULTS = {
    "batch": scored,
    "documents": lambda: scored().documents,
    "corpus": lambda: scored().corpus,
    "comparison": lambda: ac.compare({"a": scored(), "b": scored(2)}, metric="muc", resamples=50),
    "intervals": lambda: ac.bootstrap(scored(2), resamples=50),
    "correlation": lambda: ac.correlate({"a": scored(1), "b": scored(2), "c": scored(3)}),
    "sweep": lambda: ac.sweep(KEY, [KEY, KEY[::-1]], settings={"t": [1, 2]}, metrics="muc"),
}


class Rows(HTMLParser):
    """The number of cells in each row of a page's tables."""

    def __init__(self):
        super().__init__()
        self.rows, self.open = [], []

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@cases("make", RESULTS)
def test_results_are_tables_and_frames(make):
    result = make()
    page = Rows()
    page.feed(result._repr_html_())
    assert page.open == []
    assert page.rows == [len(t.headers) for t in result.tables(2) for _ in range(1 + len(t.rows))]
    columns = result.columns()
    for backend in BACKENDS:
        pytest.importorskip(backend)
        frame = result.to_frame(backend)
        assert list(frame.column_names if backend == "pyarrow" else frame.columns) == list(columns)
        assert len(frame) == len(next(iter(columns.values())))


def test_missing_and_unknown_backends(monkeypatch):
    for name in BACKENDS:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match="needs polars; install with: pip install polars"):
        scored().to_frame("polars")
    with pytest.raises(MissingDependencyError, match="one of pandas, polars, pyarrow"):
        scored().to_frame()
    with pytest.raises(UnknownNameError, match="unknown backend 'excel'"):
        scored().to_frame("excel")


@pytest.mark.parametrize("backend", BACKENDS)
def test_names_that_are_no_unicode(backend):
    """Half a surrogate pair, as Python reads bytes of file names that are no text, is escaped: no library takes it."""
    pytest.importorskip(backend)
    b = ac.score_labels_batch([0, 0], [0, 0], [0, 1, 2], names=["a\udcff", "b"])
    assert [str(name) for name in b.to_frame(backend)["name"]] == [r"a\udcff", "b"]


def test_names_complete():
    assert scored()._ipython_key_completions_()[:3] == ["muc", "bcub", "blanc"]
    assert RESULTS["intervals"]()._ipython_key_completions_()[0] == "muc"


def test_progress(monkeypatch):
    key = {str(d): [["a", "b"], ["c"]] for d in range(5)}
    seen = []
    ac.score_batch(key, key, progress=lambda *done: seen.append(done))
    assert seen == [(5, 5)]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(MissingDependencyError, match=r"arraycoref\[progress\]"):
        ac.score_batch(key, key, progress=True)
