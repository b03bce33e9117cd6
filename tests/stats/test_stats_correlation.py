"""Correlation of metrics over systems."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from stats_data import scored

from arraycoref import score_files
from arraycoref.errors import InputError, UnknownNameError
from arraycoref.stats import correlate

FUNCTIONS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("method", FUNCTIONS)
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_equal_to_scipy(runs, method, average):
    c = correlate(runs, method=method, average=average)
    assert c.coefficients.shape == c.pvalues.shape == (3, 9, 9)
    sources = [b.corpus if average == "micro" else b.macro for b in runs.values()]
    for f, field in enumerate(("recall", "precision", "f1")):
        x, y = ([getattr(source[metric], field) for source in sources] for metric in ("blanc", "muc"))
        expected = FUNCTIONS[method](x, y)
        found = c.against("blanc", field)["muc"]
        assert found == pytest.approx((expected.statistic, expected.pvalue))
        assert c.coefficients[f, c.metrics.index("muc"), c.metrics.index("blanc")] == found[0]


def test_missing_and_constant_scores(runs):
    """The CoNLL average has no recall, and a metric that is the same for all has no correlation: nan, no warning."""
    c = correlate(runs, metrics=["muc", "conll"])
    assert np.isnan(c.coefficients[0, 0, 1])
    assert not np.isnan(c.coefficients[2, 0, 1])
    same = correlate(dict.fromkeys("abc", runs["s1"]), metrics="muc,bcub")
    assert np.isnan(same.coefficients).all()


def test_shared_metrics_only(runs):
    fewer = {**runs, "extra": scored(9, metrics="muc,lea,bcub")}
    assert correlate(fewer).metrics == ("muc", "bcub", "lea")
    with pytest.raises(UnknownNameError, match="not scored for every system"):
        correlate(fewer, metrics="blanc")


@pytest.mark.parametrize(
    ("options", "message"), [({"method": "r"}, "pearson, spearman, kendall"), ({"average": "r"}, "micro, macro")]
)
def test_wrong_options(runs, options, message):
    with pytest.raises(UnknownNameError, match=message):
        correlate(runs, **options)


def test_too_few_systems(runs):
    with pytest.raises(InputError, match="got 2 systems"):
        correlate(dict(list(runs.items())[:2]))


PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
DATA = os.environ.get("ARRAYCOREF_DATA", "")


@pytest.mark.skipif(not DATA or not PAGE.exists(), reason="ARRAYCOREF_DATA is not set, or no documentation")
def test_table_of_real_systems():
    """The page's table is what scipy makes of the scores of the ECB+ outputs."""
    paths = [path for path in Path(DATA, "ecbplus").glob("*.conll") if path.stem != "key"]
    corpora = [score_files(Path(DATA, "ecbplus", "key.conll"), path).corpus for path in paths]
    rows = re.findall(r"^\| (\w+) \| (-?\d\.\d{3} .*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [metric for metric, _ in rows] == ["muc", "bcub", "ceafm", "ceafe", "lea"]
    for metric, cells in rows:
        for field, cell in zip(("recall", "precision", "f1"), cells.split(" | "), strict=True):
            x, y = ([getattr(corpus[name], field) for corpus in corpora] for name in ("blanc", metric))
            expected = stats.pearsonr(x, y)
            assert cell == f"{expected.statistic:.3f} ({expected.pvalue:.1g})"


def test_unknown_names(runs):
    c = correlate(runs, metrics="muc,bcub")
    with pytest.raises(UnknownNameError, match="muc, bcub"):
        c.against("lea")
    with pytest.raises(UnknownNameError, match="recall, precision, f1"):
        c.against("muc", "f2")
