"""The oracle itself is held against the papers' examples and the reference scorer's output."""

from fractions import Fraction

import pytest

import oracle
from marks import about
from oracle.ceaf import best_by_assignment, best_of_all_alignments
from oracle.golden import REFERENCE_METRICS, case_outputs, matches_print, reference_documents, worked_examples


def by_id(rows):
    return [pytest.param(row, id=row["name"]) for row in rows]


def triple(metric, key, response, profile="paper"):
    """Return (recall, precision, F) of a metric, or of one class of BLANC as `blanc.coreference`."""
    if metric == "blanc":
        return oracle.blanc_score(oracle.blanc(key, response), profile)
    return oracle.score(counts(metric, key, response))


def counts(metric, key, response):
    if metric.startswith("blanc."):
        return getattr(oracle.blanc(key, response), metric.removeprefix("blanc."))
    return oracle.LINEAR[metric](key, response)


def named(path, key, response):
    """Return the value of a path such as `bcub.precision` or `blanc.coreference.f1`."""
    metric, _, attribute = path.rpartition(".")
    return triple(metric, key, response)[("recall", "precision", "f1").index(attribute)]


@pytest.mark.parametrize("example", by_id(worked_examples()))
def test_worked_example(example):
    key, response = example["key"], example["response"]
    for metric, expected in example["counts"].items():
        assert list(counts(metric, key, response)) == expected, metric
    for path, expected in example["exact"].items():
        assert named(path, key, response) == expected, path
    for path, expected in example["printed"].items():
        assert abs(float(named(path, key, response)) - expected) <= 0.5 * 10 ** -example["decimals"] + 1e-12, path
    if "mean_f1" in example:
        values = [named(f"{metric}.f1", key, response) for metric in example["mean_f1"]["metrics"]]
        assert float(sum(values) / len(values)) == pytest.approx(example["mean_f1"]["value"], abs=1e-15)


@pytest.mark.parametrize("name", ["reference_scorer", "reference_cases"])
def test_reference_scorer(name):
    for case in reference_documents(name):
        with about(case["name"]):
            check_against_reference(case)


def check_against_reference(case):
    key, response = oracle.apply_policies(case["key"], case["response"], duplicates="first")
    assert key == case["key"]  # no key of the reference files repeats a mention
    for metric in REFERENCE_METRICS:
        expected = case["expected"][metric]["coreference"]
        assert [float(value) for value in counts(metric, key, response)] == pytest.approx(expected, rel=1e-12), metric
    assert list(counts("mentions", key, response)) == case["expected"]["muc"]["mentions"]
    blanc = oracle.blanc(key, response)
    assert list(blanc.coreference) == case["expected"]["blanc"]["coref"]
    assert list(blanc.non_coreference) == case["expected"]["blanc"]["noncoref"]
    for value, printed in zip(
        oracle.blanc_score(blanc, "conll"), case["expected"]["blanc"]["rpf_percent"], strict=True
    ):
        assert matches_print(value, printed, "truncated"), (float(value), printed)


@pytest.mark.parametrize("case", by_id(case_outputs()))
def test_other_scorers(case):
    documents = [
        oracle.apply_policies(document["key"], document["response"], duplicates="first")
        for document in case["documents"]
    ]
    for metric, rows in case["expected"].items():
        compute = oracle.blanc if metric == "blanc" else oracle.LINEAR[metric]
        corpus = oracle.total([compute(key, response) for key, response in documents])
        for row in rows:
            values = oracle.blanc_score(corpus, row["profile"]) if metric == "blanc" else oracle.score(corpus)
            for value, printed in zip(values, row["rpf"], strict=True):
                assert matches_print(value, printed, row["printed"]), (metric, row, float(value))


def test_arabic_average_is_of_muc_bcub_and_ceafe():
    assert round(oracle.conll_mean(47.8, 41.6, 41.2), 1) == 43.5


def test_both_ways_to_the_best_alignment_agree():
    weights = [[Fraction((7 * i + 3 * j * j) % 11, 5 + i + j) for j in range(6)] for i in range(4)]
    assert best_of_all_alignments(weights) == best_by_assignment(weights)
    assert best_of_all_alignments([[Fraction(2), Fraction(3)], [Fraction(1), Fraction(3)]]) == 5


def test_a_greedy_alignment_would_be_wrong():
    key = [["a", "b", "c", "d", "e"], ["f", "g", "h", "i"]]
    response = [["a", "b", "c", "f", "g", "h", "i"], ["d", "e"]]
    assert oracle.ceafm(key, response)[0] == 6
    key, response = [[1, 2, 3, 4, 5], [6, 7, 8]], [[1, 2, 3, 6, 7], [4, 5, 8]]  # greedy: 3 + 1; best: 2 + 2
    assert oracle.ceafm(key, response)[0] == 4


def test_luo_similarities():
    key, response = [[1, 2], [3], [4, 5]], [[1, 2], [3, 4]]
    assert oracle.ceaf_phi1(key, response) == (1, 3, 1, 2)
    assert oracle.ceaf_phi2(key, response) == (2, 3, 2, 2)


def test_lea_of_singletons():
    assert oracle.lea([["a"], ["b"], ["c", "d"]], [["a"], ["b", "c"], ["d"]]) == (1, 4, 1, 4)


def test_rand_and_blanc_gold_need_the_same_mentions():
    assert oracle.rand([["a", "b"], ["c"]], [["a"], ["b", "c"]]) == (1, 3, 1, 3)
    for metric in (oracle.rand, oracle.blanc_gold):
        with pytest.raises(ValueError, match="same mentions"):
            metric([["a"]], [["b"]])


@pytest.mark.parametrize(
    ("key", "response"),
    [([["a", "b"], ["c"]], [["a"], ["b", "c"]]), ([["a", "b", "c"]], [["a"], ["b"], ["c"]]), ([["a"]], [["a"]])],
)
def test_blanc_subsumes_blanc_gold(key, response):
    """Luo et al. (2014), section 4, the proposition."""
    assert oracle.blanc(key, response) == oracle.blanc_gold(key, response)


@pytest.mark.parametrize(
    ("key", "response", "paper", "conll"),
    [
        ([], [], 1, 0),
        ([["a"]], [["a"]], 1, 0),
        ([["a"]], [], 0, 0),
        ([["a", "b"]], [["a", "b"], ["c"]], Fraction(1, 2), 1),
        ([["a"], ["b"], ["c"]], [["a", "b"], ["c"]], Fraction(2, 5), Fraction(4, 5)),
    ],
)
def test_blanc_boundary_cases(key, response, paper, conll):
    counts = oracle.blanc(key, response)
    assert oracle.blanc_score(counts, "paper")[2] == paper
    assert oracle.blanc_score(counts, "conll")[2] == conll


def test_blanc_boundary_cases_rest_on_the_totals():
    one, two = oracle.blanc([["a"]], [["a"]]), oracle.blanc([["a"]], [["b"]])
    assert oracle.blanc_score(oracle.total([one, one]))[2] == 1
    assert oracle.blanc_score(oracle.total([one, two]))[2] == 0


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("first", [["a", "b"], ["c"]]), ("last", [["b"], ["c", "a"]]), ("drop", [["b"], ["c"]])],
)
def test_duplicate_policies(policy, expected):
    assert oracle.resolve_duplicates([["a", "a", "b"], ["c", "a"], ["a"]][:2], policy) == expected


def test_entities_left_empty_go():
    assert oracle.resolve_duplicates([["a"], ["a", "b"]], "last") == [["a", "b"]]
    assert oracle.resolve_duplicates([["a", "a"], ["b"]], "drop") == [["b"]]
    assert oracle.apply_policies([["a"], ["b", "c"]], [["b"]], singletons="drop") == ([["b", "c"]], [])


@pytest.mark.parametrize(("beta", "expected"), [(1, Fraction(1, 2)), (2, Fraction(5, 13)), ("1/2", Fraction(5, 7))])
def test_f_beta(beta, expected):
    assert oracle.f_beta(Fraction(1, 3), Fraction(1), Fraction(beta)) == expected
    assert oracle.f_beta(0, 0, Fraction(beta)) == 0


def test_macro_is_a_mean_of_scores():
    perfect, poor = oracle.score((1, 1, 1, 1)), oracle.score((1, 4, 1, 2))
    assert oracle.macro([perfect, poor]) == (Fraction(5, 8), Fraction(3, 4), Fraction(2, 3))
    assert oracle.micro([(1, 1, 1, 1), (1, 4, 1, 2)]) == (Fraction(2, 5), Fraction(2, 3), Fraction(1, 2))
