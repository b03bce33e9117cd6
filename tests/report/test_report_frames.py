"""Tables of documents and metrics, and the repr."""

import sys

import numpy as np
import pytest
from made import batch

from arraycoref.errors import MissingDependencyError, UnknownNameError

COLUMNS = ["name", "mentions_recall", "mentions_precision", "mentions_f1", "muc_recall", "muc_precision", "muc_f1"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_backends(paper, backend):
    module = pytest.importorskip(backend)
    frame = paper.to_frame(backend)
    assert isinstance(frame, module.Table if backend == "pyarrow" else module.DataFrame)
    names = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert names[:7] == COLUMNS
    assert names[-4:] == ["blanc_recall", "blanc_precision", "blanc_f1", "conll_f1"]
    assert [str(name) for name in frame["name"]] == list(paper.names)
    np.testing.assert_array_equal(np.asarray(frame["muc_f1"], dtype=float), paper.documents["muc"].f1)


def test_missing_and_unknown_backends(paper, monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match="needs polars; install with: pip install polars"):
        paper.to_frame("polars")
    with pytest.raises(MissingDependencyError, match="one of pandas, polars, pyarrow"):
        paper.to_frame()
    with pytest.raises(UnknownNameError, match="unknown backend 'excel'"):
        paper.to_frame("excel")


def test_repr_of_batch(paper):
    assert repr(paper).splitlines() == [
        "<BatchScores of 2 documents, percent, profile paper",
        "             recall  precision      F1",
        "mentions      87.50      77.78   82.35",
        "muc           66.67     100.00   80.00",
        "bcub          66.67      69.44   68.03",
        "ceafm         75.00      66.67   70.59",
        "ceafe         55.00      44.00   48.89",
        "blanc         48.18      37.50   42.09",
        "conll                            65.64>",
    ]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_names_that_are_no_unicode(backend):
    """Half a surrogate pair, as Python reads bytes of file names that are no text, is escaped: no library takes it."""
    pytest.importorskip(backend)
    b = batch(["a\udcff", "b"], {"mentions": [[1, 2, 1, 1]] * 2})
    assert [str(name) for name in b.to_frame(backend)["name"]] == [r"a\udcff", "b"]
