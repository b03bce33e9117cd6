"""The statistics on tagger results: the same code, held against scipy's as for coreference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from stats_data import scipy_exchanges, scipy_interval, statistic_of

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.scoring.counts import Counts
from arraycoref.stats import bootstrap, compare, correlate, paired_test, power
from arraycoref.tagging import TagScores, load_tagset, score_tag_files, score_tag_ids, tag_table
from arraycoref.tagging.weights import Weights

TAGS = ["subst:sg:nom:n", "subst:sg:acc:n", "subst:pl:acc:n", "ger:sg:nom:n:perf:aff", "adj:sg:acc:n:pos", "conj"]
TABLE = tag_table(TAGS, load_tagset("nkjp"))
WEIGHTS = {"pos": 4, "number": 1, "case": 3, "gender": 1, "aspect": 0.5, "negation": 0.5, "degree": 0.5}
MEASURES = "exact,pos,pa,wpa"


def tagged(seed, wrong=0.3, n_documents=12, weights=WEIGHTS):
    """Score a tagger that errs on a share of the words and gives two tags to some; documents are the same for all."""
    rng = np.random.default_rng(77)
    documents = np.concatenate(([0], np.cumsum(rng.integers(5, 40, n_documents))))
    n_words = int(documents[-1])
    gold = rng.integers(0, len(TAGS), n_words)
    errors = np.random.default_rng(seed)
    first = np.where(errors.random(n_words) < wrong, errors.integers(0, len(TAGS), n_words), gold)
    both = errors.random(n_words) < 0.2
    offsets = np.concatenate(([0], np.cumsum(1 + both)))
    system = np.repeat(first, 1 + both)
    system[offsets[:-1][both] + 1] = (first[both] + 1) % len(TAGS)
    return score_tag_ids(
        gold, system, system_offsets=offsets, documents=documents, table=TABLE, measures=MEASURES, weights=weights
    )


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(("measure", "field"), [("pa", "f1"), ("wpa", "recall"), ("exact", "precision")])
def test_intervals_equal_scipy_s(measure, field, method, average):
    """Ends agree with `scipy.stats.bootstrap` to a fraction of the interval's width."""
    scores, score = statistic_of(tagged, measure, field, average)
    expected = scipy_interval(score, len(scores), method)
    intervals = bootstrap(scores, metrics=measure, method=method, resamples=4000, average=average)
    found = getattr(intervals[measure], field)
    low, high = expected.confidence_interval
    assert found.estimate == pytest.approx(score(np.arange(len(scores))), abs=1e-15)
    assert found.low == pytest.approx(low, abs=0.09 * (high - low))
    assert found.high == pytest.approx(high, abs=0.09 * (high - low))
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("measure", "field"), [("pa", "f1"), ("wpa", "precision"), ("exact", "recall")])
def test_paired_test_equals_scipy_s(measure, field, alternative):
    """Near the exact p-value of all 2^8 exchanges of documents between two taggers."""
    a, b = tagged(1, n_documents=8), tagged(2, wrong=0.36, n_documents=8)

    def value(picked):
        """Score system a with the documents that are picked from b."""
        rows = np.array([(b if p >= 8 else a).counts[measure][p % 8] for p in picked])
        mixed = TagScores((measure,), Counts(None, (measure,), rows[:, np.newaxis]), a.signature)
        return getattr(mixed.corpus[measure], field)

    def statistic(x, y):
        return value(np.asarray(x)) - value(np.asarray(y))

    expected = scipy_exchanges(statistic, alternative)
    found = paired_test(a, b, metric=measure, field=field, alternative=alternative)
    assert 0 < found.pvalue < 1
    assert found.difference == pytest.approx(expected.statistic, abs=1e-15)
    assert found.pvalue == pytest.approx(expected.pvalue, abs=0.015)


def test_compare_power_and_correlate():
    runs = {f"tagger {wrong}": tagged(seed, wrong, n_documents=40) for seed, wrong in enumerate((0.1, 0.3, 0.5))}
    ranked = compare(runs, metric="pa", resamples=500)
    assert [row.name for row in ranked.systems] == ["tagger 0.1", "tagger 0.3", "tagger 0.5"]
    expected = [scores["pa"].f1 for scores in runs.values()]
    assert [row.score.estimate for row in ranked.systems] == pytest.approx(expected)
    pair = paired_test(runs["tagger 0.1"], runs["tagger 0.3"], metric="pa", resamples=500)
    assert ranked.pvalues[0, 1] == pair.pvalue
    found = power(runs["tagger 0.1"], runs["tagger 0.3"], metric="pa", sizes=[4, 40], resamples=500)
    assert found.difference == pytest.approx(pair.difference)
    assert found.power[0] < found.power[1] == 1
    table = correlate(runs)
    assert table.metrics == ("exact", "pos", "pa", "wpa")
    expected = stats.pearsonr(*([scores[name].f1 for scores in runs.values()] for name in ("exact", "pa")))
    assert table.against("exact")["pa"] == pytest.approx((expected.statistic, expected.pvalue))


def test_intervals_of_files(tmp_path):
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


def test_another_gold():
    a, b = (score_tag_ids([0, 1, 1], [0, tag, 1], documents=[0, 1, 3]) for tag in (0, 2))
    shorter = score_tag_ids([0, 1], [0, 1], documents=[0, 1, 2])
    assert compare({"a": a, "b": b}, metric="exact").n_documents == 2
    with pytest.raises(InputError, match="key of document '1' differs: the denominator of exact recall is 2 for 'a'"):
        compare({"a": a, "shorter": shorter}, metric="exact")


def test_names_and_conventions():
    a, b = tagged(1), tagged(2)
    with pytest.raises(UnknownNameError, match="unknown metric 'conll'; expected one of: exact, pos, pa, wpa"):
        paired_test(a, b)
    with pytest.raises(UnknownNameError, match="unknown metric 'UPOS'"):
        bootstrap(a, metrics="pa,UPOS")
    with pytest.raises(UnknownNameError, match="unknown metric 'muc'"):
        correlate({"a": a, "b": b, "c": tagged(3)}, metrics="muc")
    with pytest.raises(InputError, match=r"scored with weights pos=4,number=1,case=3,.* and 'b' with mine"):
        paired_test(a, tagged(2, weights=Weights(WEIGHTS, source="mine")), metric="wpa")
    with pytest.raises(InputError, match="expected the same"):
        paired_test(a, tagged(2, weights={**WEIGHTS, "case": 4}), metric="wpa")
