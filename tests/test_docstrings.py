"""The examples of docstrings run, and print what they say."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import arraycoref

PACKAGE = Path(arraycoref.__file__).parent
MODULES = [
    ".".join(("arraycoref", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
NEEDS = {
    "arraycoref.interop.dask": ("dask.dataframe", "pandas", "pyarrow"),
    "arraycoref.interop.inspect_ai": ("inspect_ai",),
    "arraycoref.interop.torchmetrics": ("torchmetrics",),
    "arraycoref.interop.tables": ("pandas", "narwhals", "pyarrow"),
    "arraycoref.display.figure": ("matplotlib",),
    "arraycoref.stats.figures": ("matplotlib",),
}
"""What the examples of a module need besides the package."""


LISTED = ("", "analysis", "read", "read.write", "stats", "stats.figures", "sweeps", "tagging")
OTHERS = {
    "scoring.antecedents": ("antecedent_labels", "antecedent_links", "roots_of"),
    "interop.compat.metric4coref": ("b_cubed", "ceaf", "conll_coref_f1", "muc"),
    "interop.accumulator": ("Accumulator",),
    "interop.rows": ("document_counts", "scores_from_counts"),
    "interop.tools": ("characters_to_tokens", "read_row", "read_rows", "read_spacy", "read_spans"),
    "interop.sklearn": ("ClusterScorer", "metric_score"),
    "interop.tables": ("score_parquet", "score_table"),
}
"""Public functions of modules without ``__all__``."""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    for needed in NEEDS.get(name, ()):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(import_module(name))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("name", [*LISTED, *OTHERS])
def test_public_functions_have_an_example(name):
    """But for `warmup`, which does nothing that could be shown."""
    module = import_module(f"arraycoref.{name}".rstrip("."))
    listed = [each for each in getattr(module, "__all__", ()) if inspect.isfunction(getattr(module, each))]
    functions = set(OTHERS.get(name, listed)) - {"warmup"}
    assert [public for public in functions if ">>> " not in getattr(module, public).__doc__] == []
