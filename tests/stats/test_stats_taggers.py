"""Statistics of taggers: the same code, whose intervals and tests are held against scipy's beside coreference's."""

import math

import pytest
from scipy import stats
from stats_data import WEIGHTS, tagged

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.stats import bootstrap, compare, correlate, paired_test
from arraycoref.tagging import score_tag_files
from arraycoref.tagging.weights import Weights


def test_compare_and_correlate():
    runs = {f"tagger {wrong}": tagged(seed, wrong, n_documents=40) for seed, wrong in enumerate((0.1, 0.3, 0.5))}
    ranked = compare(runs, metric="pa", resamples=500)
    assert [row.name for row in ranked.systems] == ["tagger 0.1", "tagger 0.3", "tagger 0.5"]
    assert [row.score.estimate for row in ranked.systems] == pytest.approx([b["pa"].f1 for b in runs.values()])
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


def test_names_and_conventions():
    a, mine = tagged(1), Weights({**WEIGHTS, "case": 4}, source="mine")
    with pytest.raises(UnknownNameError, match="unknown metric 'conll'; expected one of: exact, pos, pa, wpa"):
        paired_test(a, tagged(2))
    with pytest.raises(InputError, match=r"scored with weights pos=4,number=1,case=3,.* and 'b' with mine"):
        paired_test(a, tagged(2, weights=mine), metric="wpa")
