"""Bootstrap intervals: equal to scipy's within resampling error, and to scipy's formula on the same replicates."""

import math
import re
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from stats_data import SEED, scipy_interval, scored, some_documents, statistic_of, tagged

from alike import alike
from arraycoref import score_batch, score_labels_batch
from arraycoref.exceptions import InputError, UnknownNameError
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import METRICS
from arraycoref.stats import bootstrap
from arraycoref.stats.intervals import ends_of
from arraycoref.tagging import score_tag_files

RESAMPLES = 4000


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("make", "metric", "field"),
    [
        (scored, "muc", "recall"),
        (scored, "conll", "f1"),
        (scored, "blanc", "f1"),
        (tagged, "pa", "f1"),
        (tagged, "wpa", "recall"),
        (tagged, "exact", "precision"),
    ],
)
def test_equal_to_scipy(make, metric, field, method, average):
    """Ends agree with `scipy.stats.bootstrap` to a fraction of the interval's width."""
    b, score = statistic_of(make, metric, field, average)
    expected = scipy_interval(score, len(b), method)
    found = getattr(bootstrap(b, metrics=metric, method=method, resamples=RESAMPLES, average=average)[metric], field)
    low, high = expected.confidence_interval
    assert found.estimate == pytest.approx(score(np.arange(len(b))), abs=1e-15)
    assert found.low == pytest.approx(low, abs=0.09 * (high - low))
    assert found.high == pytest.approx(high, abs=0.09 * (high - low))
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.1)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_same_formula_as_scipy(method):
    """On the same replicates the ends are scipy's to rounding."""
    rng = np.random.default_rng(4)
    data = rng.exponential(size=25)
    name = {"bca": "BCa"}.get(method, method)
    result = stats.bootstrap((data,), np.mean, n_resamples=999, method=name, **{SEED: rng})
    without = (data.sum() - data) / (data.size - 1) if method == "bca" else None
    low, high = ends_of(result.bootstrap_distribution, data.mean(), without, 0.95)
    assert (low, high) == pytest.approx(tuple(result.confidence_interval), rel=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_more_confidence_is_a_wider_interval(sign):
    """Of a statistic as skewed as one document makes it, up to the last fraction below 1."""
    replicates = sign * np.random.default_rng(0).normal(size=999)
    without = np.where(np.arange(50) == 0, sign, 0.0)
    ends = [ends_of(replicates, -2.0 * sign, without, c) for c in (0.9, 0.99, 0.999999, 1 - 1e-9, 1 - 2**-53)]
    for (low, high), (lower, higher) in pairwise(ends):
        assert lower <= low <= high <= higher


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_all_metrics_in_one_pass(a, average):
    """Every metric alone has the numbers it has beside the others, and the estimate that scoring gives."""
    together = bootstrap(a, resamples=300, average=average)
    assert tuple(together) == a.metrics
    for metric in a.metrics:
        alone, f1 = bootstrap(a, metrics=metric, resamples=300, average=average)[metric].f1, together[metric].f1
        source = a.corpus if average == "micro" else a.macro
        assert (f1.low, f1.high, f1.standard_error) == pytest.approx((alone.low, alone.high, alone.standard_error))
        assert f1.estimate == pytest.approx(source[metric].f1, abs=1e-15)
    assert math.isnan(together["conll"].recall.low)
    assert [row["field"] for row in together.to_dict()["rows"] if row["metric"] == "conll"] == ["f1"]
    with pytest.raises(UnknownNameError):
        together["rand"]


def test_difference(a, b):
    """The difference's replicates are the differences of the systems' replicates."""
    found = bootstrap(a, b, method="percentile", resamples=500)["muc"].f1
    turned = bootstrap(b, a, method="percentile", resamples=500)["muc"].f1
    assert found.estimate == a["muc"].f1 - b["muc"].f1
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low), abs=1e-12)
    assert found.standard_error == pytest.approx(turned.standard_error)
    same = bootstrap(a, a, resamples=100)["bcub"].f1
    assert (same.estimate, same.low, same.high, same.standard_error) == (0, 0, 0, 0)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_same_seed(average):
    b = scored(3, n_documents=60)
    first = bootstrap(b, resamples=1000, seed=11, average=average)  # in four blocks
    assert alike(bootstrap(b, resamples=1000, seed=11, average=average, threads=2), first)
    assert not alike(bootstrap(b, resamples=1000, seed=12, average=average), first)
    fresh = bootstrap(b, resamples=50, seed=None, metrics="muc")
    assert alike(bootstrap(b, resamples=50, seed=fresh.how.seed, metrics="muc")["muc"], fresh["muc"])


def test_perfect_scores_have_a_point_for_an_interval(a):
    perfect = type(a)(("muc",), Counts(None, ("muc",), np.full((20, 1, 4), 3.0)), a.signature)
    for method in ("percentile", "bca"):
        f1 = bootstrap(perfect, method=method, resamples=50)["muc"].f1
        assert (f1.low, f1.high) == (1.0, 1.0)


def test_few_documents(a):
    one = bootstrap(some_documents(a, [3]), resamples=50)
    assert math.isnan(one["muc"].f1.low)
    assert math.isnan(one["muc"].f1.standard_error)
    assert not math.isnan(one["muc"].f1.estimate)
    assert one.notes[0].startswith("one document")
    assert "only 12 documents" in bootstrap(a, resamples=50).notes[0]
    large = a.counts.rows * np.where(np.arange(12) == 4, 100, 1)[:, np.newaxis, np.newaxis]
    large = Counts(tuple("abcdefghijkl"), a.counts.metrics, large)
    notes = bootstrap(type(a)(a.metrics, large, a.signature), resamples=50).notes
    assert "document 'e' holds" in notes[1]
    key = [0, 0, 1, 1] + [0] * 50  # links of a document that the response has in single mentions
    blanc = score_labels_batch(key, [0, 0, 1, 1, *range(50)], [0, 4, 54], metrics="blanc", names=["x", "y"])
    assert "document 'y' holds 93% of the key" in bootstrap(blanc, resamples=50).notes[1]
    with pytest.raises(InputError, match="no documents"):
        bootstrap(some_documents(a, []))


def test_intervals_of_tagged_files(tmp_path):
    """CoNLL-U measures, sentence by sentence."""
    rows = "\n".join(f"{n}\tw{n}\t_\tNOUN\tX\tCase=Nom\t0\troot\t_\t_" for n in (1, 2))
    (tmp_path / "gold.conllu").write_text(f"{rows}\n\n" * 6)
    (tmp_path / "system.conllu").write_text(f"{rows}\n\n" * 3 + f"{rows}\n\n".replace("NOUN", "VERB", 1) * 3)
    scores = score_tag_files(tmp_path / "gold.conllu", tmp_path / "system.conllu", unit="sentence")
    found = bootstrap(scores, method="percentile", resamples=2000)
    assert tuple(found) == ("UPOS", "XPOS", "UFeats", "AllTags")
    # UPOS is 1 or 1/2 in each sentence, three of each: the variance is 1/16, that of the mean of six 1/96.
    assert found["UPOS"].f1.estimate == 0.75
    assert found["UPOS"].f1.standard_error == pytest.approx(math.sqrt(1 / 96), rel=0.05)
    assert found["XPOS"].f1.low == found["XPOS"].f1.high == 1


@pytest.mark.parametrize(("metric", "average"), [("bcub", "micro"), ("ceafe", "macro"), ("muc", "micro")])
def test_perfect_documents_have_a_note(metric, average):
    """An interval without width says little: if 1 - 0.05^(1/40) of all differ, 40 are alike with chance 0.05."""
    key = np.arange(160) // 2
    found = bootstrap(score_labels_batch(key, key, range(0, 161, 4), metrics=metric), average=average)
    assert (found[metric].f1.low, found[metric].f1.high) == (1, 1)
    said = f"{metric}: no document differs from others, so intervals have no width"
    assert found.notes[-1] == f"{said}; up to {1 - 0.05 ** (1 / 40):.1%} of all may differ (95% confidence)"
    assert not any("no width" in note for note in bootstrap(scored(1), resamples=99).notes)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(("key", "what"), [([0, 0, 1], "precision"), ([-1, -1, -1], "recall, precision, F")])
def test_why_an_empty_response_has_no_interval(n, key, what):
    """Its precision is 0 / 0; without key mentions, so are recall and F, and no method is named."""
    found = bootstrap(score_labels_batch(key * n, [-1, -1, -1] * n, range(0, 3 * n + 1, 3), metrics="bcub"))
    assert math.isnan(found["bcub"].precision.low)
    why = f"bcub: no interval of {what}: 0 / 0 in every document"
    if n == 1:
        why = "bcub: no interval: a denominator is 0"
    if n == 1 and key[0] < 0:
        why = "its entities cannot be resampled: neither key nor response has a mention"
    assert why in "\n".join(found.notes)
    assert (found.caption(2)[0] == f"no interval, {n} document{'s' * (n > 1)}, micro average, percent") is (key[0] < 0)


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("zero_division", ["zero", "skip"])
def test_scores_that_are_undefined_everywhere_have_no_interval(average, zero_division):
    """Singletons alone have no links."""
    key = np.arange(40)
    b = score_labels_batch(key, key, range(0, 41, 4), metrics="muc,bcub", zero_division=zero_division)
    found = bootstrap(b, average=average)
    assert math.isnan(found["muc"].f1.low)
    assert found["bcub"].f1.low == 1


def test_each_metric_is_cited_from_its_source():
    names = ["muc", "bcub", "ceafe", "blanc", "lea", "conll"]
    scores = score_batch({"x": [["a", "b"], ["c"]]}, {"x": [["a", "b", "c"]]}, metrics=names)
    sentence, *entries = bootstrap(scores, resamples=100).cite().split("\n\n")
    assert "MUC F1 " in sentence
    assert str(scores.signature) in sentence
    keys = {re.search(r"{(\w+),", entry)[1] for entry in entries}
    assert keys >= {"vilain1995", "bagga1998", "luo2005", "luo2014", "moosavi2016", "pradhan2014"}
    every = files("arraycoref.scoring.metrics").joinpath("sources.bib").read_text("utf-8")
    cited = {"".join(re.search(r"^(\w).*?\((\d+)", each.source).groups()).lower() for each in METRICS.values()}
    written = {f"{author[0]}{author[-4:]}" for author in re.findall(r"^@\w+{(\w+),", every, re.MULTILINE)}
    assert {year.replace("ž", "z") for year in cited} == written
