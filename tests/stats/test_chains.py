"""Alpha of chains and kappa of links: a worked example, and equal to an oracle from the definitions."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.stats.draws import multiplicities
from oracle import alpha as oracle

ANNA = [[0, 2, 13, 20, 23], [(2, 3), 6, 9, (23, 24)], [(9, 10), (16, 17)], [(20, 21)]]
BEN = [[0, 2, 20, 23], [(2, 3), 6, 9, 13], [(9, 10), (16, 17)], [(23, 24)]]
CARL = [[0, 2, 13, 20], [(2, 3), 6, 9], [(9, 10), (16, 17)], [(23, 24)], [23]]
TWO, THREE = {"Anna": ANNA, "Ben": BEN}, {"Anna": ANNA, "Ben": BEN, "Carl": CARL}


@pytest.mark.parametrize(
    ("annotators", "restrict", "expected"),
    [
        (TWO, "shared", ["8/197", "6/13", "3671/6716", "6529/21796", "3461/4658"]),
        (TWO, "none", ["34/241", "340/639", "5141/8476", "10355/27076", "4667/5978"]),
        (THREE, "shared", ["59/475", "651/1195", "16275/27791", "34027/90511", "3773/4782"]),
    ],
)
def test_worked_example(annotators, restrict, expected):
    chains = ac.agree(annotators, restrict=restrict).chains
    assert [chains[name].estimate for name in oracle.DISTANCES] == pytest.approx([float(Fraction(x)) for x in expected])
    assert (chains.units, chains.n_units) == {"shared": ("common", 11), "none": ("union", 12)}[restrict]
    if annotators is TWO:
        assert chains["kappa"].estimate == pytest.approx({"shared": 0.5447, "none": 0.5709}[restrict], abs=5e-5)


def random_documents(rng, n_annotators):
    documents = []
    for _ in range(rng.integers(1, 4)):
        labels = rng.integers(-1, rng.integers(1, 5), (n_annotators, rng.integers(0, 9)))
        documents.append([[np.flatnonzero(row == e).tolist() for e in np.unique(row[row >= 0])] for row in labels])
    return documents


@pytest.mark.parametrize("n_annotators", [2, 3, 4])
@pytest.mark.parametrize("restrict", ["none", "shared"])
def test_equals_the_oracle(restrict, n_annotators):
    rng, n_defined = np.random.default_rng(n_annotators), 0
    for _ in range({2: 500, 3: 80, 4: 40}[n_annotators]):
        documents = random_documents(rng, n_annotators)
        annotators = {
            str(a): {str(d): document[a] for d, document in enumerate(documents)} for a in range(n_annotators)
        }
        try:
            chains = ac.agree(annotators, restrict=restrict, metrics="mentions", resamples=1).chains
        except ac.InputError:  # no mention is left of a pair
            assert restrict == "shared"
            continue
        if not chains.n_units:
            assert np.isnan([i.estimate for i in chains.intervals.values()]).all()
            continue
        n_defined += 1
        found = {name: i.estimate for name, i in chains.intervals.items()}
        assert found == pytest.approx(oracle.measures(documents, chains.units), abs=1e-9)
    assert n_defined > 20


def test_intervals_are_those_of_resampled_documents():
    rng = np.random.default_rng(1)
    documents = [document for _ in range(4) for document in random_documents(rng, 2)]
    annotators = {str(a): {str(d): document[a] for d, document in enumerate(documents)} for a in range(2)}
    drawn = multiplicities(7, len(documents))(0, 20).astype(int)
    often = [[document for n, document in zip(row, documents, strict=True) for _ in range(n)] for row in drawn]
    expected = [oracle.measures(each, "union") for each in often]
    options = {"resamples": 20, "seed": 7, "metrics": "mentions"}
    chains = ac.agree(annotators, method="percentile", confidence=0.8, **options).chains
    for name, interval in chains.intervals.items():
        values = [each[name] for each in expected]
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(values, [0.1, 0.9])))
        assert interval.standard_error == pytest.approx(np.std(values, ddof=1))
    assert ac.agree(annotators, **options).chains["kappa"].low < chains["kappa"].estimate
    caption = "\n".join(chains.caption(2))
    assert (
        f"80% intervals (percentile bootstrap over documents, 20 resamples, seed 7); from only {len(documents)}"
        in caption
    )


LACKING = {
    "Ada": {"x": [[1, 2], [3]], "y": [[1, 2, 3]]},
    "Bob": {"x": [[1, 2, 3], [4, 5], [6]]},
    "Cleo": {"z": [[4, 5]], "x": [[1], [2, 3]]},
}


@pytest.mark.parametrize("missing", ["empty", "skip"])
@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_any_order_and_documents_that_some_lack(missing, singletons):
    names = "xyz" if missing == "empty" else "x"
    n_least = 1 if singletons == "keep" else 2
    documents = [[[e for e in LACKING[who].get(name, []) if len(e) >= n_least] for who in LACKING] for name in names]
    expected = oracle.measures(documents, "union")
    for order in permutations(LACKING):
        annotators = {name: LACKING[name] for name in order}
        agreement = ac.agree(annotators, missing_documents=missing, singletons=singletons)
        found = {name: i.estimate for name, i in agreement.chains.intervals.items()}
        assert found == pytest.approx(expected)


def test_mentions_in_several_entities_have_no_chain():
    annotators = {"Ada": [["a", "b"], ["a", "c"]], "Bob": [["a", "b"]]}
    agreement = ac.agree(annotators, duplicates="both")
    assert agreement.chains is None
    assert "no alpha or kappa, as mentions are in several entities" in str(agreement)
    assert agreement.to_dict()["chains"] is None
    assert ac.agree(annotators, duplicates="first").chains["kappa"].estimate == 1


@pytest.mark.parametrize("n_annotators", [2, 3])
def test_measures_are_scores_like_others(n_annotators):
    """They are resampled, compared and grouped as all scores are."""
    rng = np.random.default_rng(5)
    documents = [document for _ in range(9) for document in random_documents(rng, n_annotators) if any(document)]
    annotators = {
        str(a): {f"{'ab'[d % 2]}{d}": each[a] for d, each in enumerate(documents)} for a in range(n_annotators)
    }
    chains = ac.agree(annotators, metrics="mentions", method="percentile", resamples=50).chains
    found = ac.bootstrap(chains.scores, method="percentile", resamples=50)
    for (name, interval), metric in zip(chains.intervals.items(), found, strict=True):
        assert vars(found[metric].f1) == vars(interval), name
    parts = chains.scores.by(r"(.)\d")
    for name, part in parts.items():
        own = [document for d, document in enumerate(documents) if "ab"[d % 2] == name]
        assert part["alpha_jaccard"].f1 == pytest.approx(oracle.measures(own, "union")["alpha_jaccard"])
    again = dict(zip("xy", [chains.scores, chains.scores], strict=True))
    assert ac.compare(again, metric="alpha_masi", resamples=50).systems[1].pvalue == 1


def test_rows_of_machine_formats():
    agreement = ac.agree(TWO, metrics="mentions,muc")
    header, rows = zip(*agreement.columns().items(), strict=True)
    rows = list(zip(*rows, strict=True))
    assert rows[-1] == ("all", "", "", None, None, *(i.estimate for i in agreement.chains.intervals.values()), "")
    assert header[-7:] == (*oracle.DISTANCES, "kappa", "notes")
    record = agreement.to_dict()
    assert list(record["rows"][0]) == list(header)
    kappa = {"measure": "kappa", "units": "union", "estimate": pytest.approx(0.5709, abs=5e-5)}
    assert record["chains"]["rows"][-1] == kappa | dict.fromkeys(("low", "high", "standard_error", "errors"))
    assert agreement.chains.columns()["units"] == ["union"] * 6
    with pytest.raises(ac.UnknownNameError, match="did you mean 'alpha_masi'"):
        agreement.chains["alpha-masi"]
