"""Data frames of scores: libraries that are missing, and names that none of them takes."""

import sys

import pytest
from made import batch

from arraycoref.errors import MissingDependencyError, UnknownNameError


def test_missing_and_unknown_backends(paper, monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match="needs polars; install with: pip install polars"):
        paper.to_frame("polars")
    with pytest.raises(MissingDependencyError, match="one of pandas, polars, pyarrow"):
        paper.to_frame()
    with pytest.raises(UnknownNameError, match="unknown backend 'excel'"):
        paper.to_frame("excel")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_names_that_are_no_unicode(backend):
    """Half a surrogate pair, as Python reads bytes of file names that are no text, is escaped: no library takes it."""
    pytest.importorskip(backend)
    b = batch(["a\udcff", "b"], {"mentions": [[1, 2, 1, 1]] * 2})
    assert [str(name) for name in b.to_frame(backend)["name"]] == [r"a\udcff", "b"]
