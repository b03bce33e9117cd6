"""Correlation of metrics over systems."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from stats_data import scored

from arraycoref import score_files, score_labels_batch
from arraycoref.exceptions import InputError, UnknownNameError
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


def test_too_few_systems_or_metrics(runs):
    with pytest.raises(InputError, match="got 2 systems"):
        correlate(dict(list(runs.items())[:2]))
    apart = {name: score_labels_batch([0, 0, 1], [0, 1, 1], [0, 3], metrics=name) for name in ("muc", "bcub", "lea")}
    with pytest.raises(InputError, match="the systems share no metric; expected one at least"):
        correlate(apart)


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


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_ranks_of_scores_that_are_equal_up_to_rounding(method):
    """B-cubed of p and q is 44/87, added up in two orders; both metrics rank the systems alike, with the same tie."""
    key = [2, 1, 1, 0, 0, 0, 0, 0, 0]
    responses = [[3, 2, 3, 1, 0, 2, 1, 3, 0], [0, 0, 3, 1, 0, 2, 2, 3, 1], key, [*range(9)], [0] * 9]
    runs = {str(s): score_labels_batch(key, response, [0, 9]) for s, response in enumerate(responses)}
    assert len({b["bcub"].f1 for b in runs.values()}) == 5
    found = correlate(runs, metrics="bcub,muc", method=method).against("bcub")["muc"]
    bcub, muc = [44 / 87, 44 / 87, 1, 1 / 2, 41 / 61], [4 / 11, 4 / 11, 1, 0, 6 / 7]
    expected = FUNCTIONS[method](bcub, muc)
    assert found == pytest.approx((expected.statistic, expected.pvalue))
    assert found[0] == pytest.approx(1)
