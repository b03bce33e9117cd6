"""Results show as tables in notebooks, become tables of other libraries, and complete their names."""

import csv
import io
import json
import re
import sys
from html.parser import HTMLParser
from types import ModuleType

import pytest

import arraycoref as ac
from arraycoref.display.formats import FORMATS
from arraycoref.exceptions import MissingDependencyError, UnknownNameError
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
    "sweep": lambda: ac.sweep(KEY, [KEY, KEY[::-1]], settings={"t": [1, float("inf")]}, metrics="muc"),
    "best": lambda: ac.sweep(KEY, [KEY, KEY[::-1]], settings={"t": [1, 2]}, metrics="muc").best(resamples=50),
    "macro": lambda: scored(2).macro,
    "groups": lambda: scored(2).by(["x", "x", "y", "y", "y"]),
    "test": lambda: ac.paired_test(scored(), scored(2), metric="muc", resamples=50),
    "analysis": lambda: ac.analyze_labels(KEY, {"a": KEY, "b": KEY[::-1]}, range(0, 21, 4)),
    "power": lambda: ac.power(scored(), scored(2), metric="muc", resamples=50, sizes=[20]),
}
MORE = {"table": lambda: ac.table({"a": scored(), "b": scored(2)}, metrics="muc,bcub")}  # with heads of groups


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


@cases("make", RESULTS | MORE)
def test_results_speak_one_vocabulary(make):
    """Each is written in every format, as plain values and as floats by name; `print` shows text for people."""
    result = make()
    for format in FORMATS:
        assert result.render(format).endswith("\n")
    assert json.loads(result.render("json")) == json.loads(json.dumps(result.to_dict()))
    assert len(list(csv.reader(io.StringIO(result.render("csv"))))) > 1
    flat = result.to_dict(flat=True, prefix="dev/")
    assert flat
    assert {type(value) for value in flat.values()} == {float}
    assert all(name.startswith("dev/") for name in flat)
    assert not re.search(r"array\(|object at", f"{result}{result!r}")
    signature = getattr(result, "signature", None)
    assert signature is None or result.render().endswith(f"{signature}\n")


def test_floats_for_tools_that_log_experiments():
    flat = scored(2).to_dict(flat=True, prefix="dev/")
    assert flat["dev/muc_f1"] == scored(2)["muc"].f1 == scored(2).corpus.to_dict(flat=True)["muc_f1"]
    fields = [f"dev/{metric}_{field}" for metric in ("muc", "bcub", "blanc") for field in ("recall", "precision", "f1")]
    assert list(flat) == fields
    assert len(RESULTS["groups"]().to_dict(flat=True)) == 3 * len(fields)  # two groups and all documents
    more = scored(2).to_dict(flat=True, counts=True)
    assert (more["documents"], more["muc_recall_num"]) == (5.0, scored(2)["muc"].recall_num)
    assert more["blanc_coreference_f1"] == scored(2)["blanc"].coreference.f1
    assert not any("signature" in name or "notes" in name for name in more)
    assert str(RESULTS["test"]()).split()[:2] == ["difference", "p"]


def test_public_names_only():
    rooms = {name for name in dir(ac) if isinstance(getattr(ac, name), ModuleType)}
    assert set(dir(ac)) == {*ac.__all__, *rooms, "__version__"}
    assert dir(ac.read) == sorted(ac.read.__all__)


def test_figures_show_by_themselves():
    pytest.importorskip("matplotlib")
    figure = RESULTS["sweep"]().select([0]).plot(confidence=None)
    assert figure._repr_png_().startswith(b"\x89PNG")


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
