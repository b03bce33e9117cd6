"""Many systems: correction, letters, and independence of order and company."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from stats_data import equal_up_to_rounding, scored, some_documents

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.stats import adjust_pvalues, bootstrap, compare, paired_test
from arraycoref.stats.ranking import compact_letters
from strategies import examples


def test_holm_by_hand():
    # 4 x .01, 3 x .02, 2 x .03, and never less than the one before
    assert adjust_pvalues([0.03, 0.01, 0.02, 0.04]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert adjust_pvalues([0.9, math.nan, 0.7], "holm").tolist() == pytest.approx([1, math.nan, 1], nan_ok=True)
    assert adjust_pvalues([], "holm").size == 0
    assert adjust_pvalues([0.2, 0.1], "none").tolist() == [0.2, 0.1]
    with pytest.raises(InputError, match=r"pvalues hold 1\.5; expected p-values between 0 and 1"):
        adjust_pvalues([0.5, 1.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@examples()
def test_benjamini_hochberg_equals_scipy(pvalues):
    assert adjust_pvalues(pvalues, "bh") == pytest.approx(stats.false_discovery_control(pvalues, method="bh"))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.3]))
@examples()
def test_holm_equals_its_definition(pvalues, alpha):
    """Reject in order while p <= alpha / tests left."""
    rejected, order = set(), sorted(range(len(pvalues)), key=lambda t: pvalues[t])
    for step, t in enumerate(order):
        if pvalues[t] * (len(pvalues) - step) > alpha:
            break
        rejected.add(t)
    assert set(np.flatnonzero(adjust_pvalues(pvalues) <= alpha)) == rejected


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))))
@examples()
def test_letters_say_exactly_what_differs(drawn):
    n, pairs = drawn
    different = np.zeros((n, n), bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = i != j
    assert_letters(different)


def assert_letters(different):
    letters = [re.findall("[A-Za-z][0-9]*", text) for text in compact_letters(different)]
    assert letters[0][0] == "a"
    for i in range(len(letters)):
        for j in range(len(letters)):
            assert bool(set(letters[i]) & set(letters[j])) != different[i, j]


def test_letters_beyond_the_alphabet():
    assert compact_letters(~np.eye(60, dtype=bool))[51:53] == ["Z", "a1"]


def test_rank_and_reference(runs):
    c = compare(runs, resamples=500)
    scores = [s.score.estimate for s in c.systems]
    assert scores == sorted(scores, reverse=True)
    assert [s.rank for s in c.systems] == [1, 2, 3, 4, 5]
    assert (c.reference, c.baseline, c.n_tests) == (c.systems[0].name, False, 10)
    assert math.isnan(c.systems[0].difference.estimate)
    assert c.differences[2, 0] == c.systems[2].difference.estimate == pytest.approx(scores[2] - scores[0])
    assert c.systems[0].mark == "a"
    wanted = bootstrap(runs[c.systems[2].name], runs[c.reference], metrics="conll", resamples=500)["conll"].f1
    found = c.systems[2].difference.low, c.systems[2].difference.high
    assert found == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert f"{100 * wanted.low:+.2f} to {100 * wanted.high:+.2f}" in str(c).splitlines()[4]


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_numbers_do_not_depend_on_order_or_company(runs, test, average):
    options = {"test": test, "average": average, "resamples": 700, "seed": 3}
    c = compare(runs, **options)
    turned = compare(dict(reversed(runs.items())), threads=2, **options)
    assert c.how.correction == "maxt"
    np.testing.assert_allclose(c.pvalues, turned.pvalues, atol=1e-12)
    np.testing.assert_allclose(c.adjusted, turned.adjusted, atol=1e-12)
    for s, other in zip(c.systems, turned.systems, strict=True):
        alone = bootstrap(runs[s.name], metrics="conll", average=average, resamples=700, seed=3)["conll"].f1
        for found in (s.score, other.score):
            assert list(vars(found).values()) == pytest.approx(list(vars(alone).values()), abs=1e-12)
    pairs = np.tril_indices(5, -1)
    named = [[runs[c.systems[s].name] for s in pair] for pair in zip(*pairs, strict=True)]
    assert c.pvalues[pairs] == pytest.approx([paired_test(*pair, **options).pvalue for pair in named])
    assert (c.adjusted[pairs] >= c.pvalues[pairs]).all()
    assert c.adjusted[pairs].min() == pytest.approx(1 / 701)


def test_baseline(runs):
    c = compare(runs, baseline="s3", resamples=2000, correction="bh")
    row = {s.name: s for s in c.systems}
    assert (c.reference, c.n_tests, row["s3"].mark) == ("s3", 4, "")
    assert row["s1"].mark == row["s5"].mark == "*"
    assert np.isfinite(c.pvalues).sum() == 8
    others = [s for s in c.systems if s.name != "s3"]
    assert [s.adjusted for s in others] == adjust_pvalues([s.pvalue for s in others], "bh").tolist()


def test_equal_scores_share_a_rank(a):
    c = compare({"y": a, "x": a, "z": scored(5, wrong=0.9)}, resamples=100)
    assert [(s.rank, s.name) for s in c.systems] == [(1, "x"), (1, "y"), (3, "z")]
    assert "x and y: the systems have the same counts" in c.notes[-1]


def test_scores_that_are_equal_up_to_rounding():
    runs = equal_up_to_rounding()
    c = compare(runs, metric="bcub", resamples=50)
    assert [(s.rank, s.name) for s in c.systems] == [(1, "p"), (1, "q")]
    table = ac.table(runs, metrics="bcub", fields="f1", marks=True, differences=True, resamples=50)
    assert table.best[0, :, 0, 2].tolist() == [True, True]
    assert "-0.00" not in str(c) + str(table)
    assert ac.stats.best(runs, "bcub").setting == "p"


def test_one_system_and_one_document(a, b):
    alone = compare({"a": a}, resamples=100)
    assert (alone.n_tests, alone.systems[0].mark) == (0, "a")
    c = compare({"a": some_documents(a, [0]), "b": some_documents(b, [0])}, resamples=100)
    assert np.isnan(c.pvalues).all()
    assert [s.mark for s in c.systems] == ["", ""]
    assert c.notes[0].startswith("one document")


def test_letters_of_pairs_that_differ_within_only():
    """As of forty models with and without a small step each: of the groups that cannot be extended there are 2^40."""
    different = np.kron(np.eye(40, dtype=bool), [[False, True], [True, False]])
    assert_letters(different)
    assert max(map(len, compact_letters(different))) < 20


def test_systems_of_other_conventions_are_refused(a, b):
    """The signature below a table is that of every system; another version is a note."""
    for name, value in (("duplicates", "first"), ("lenient", True), ("zero_division", "skip"), ("beta", 2.0)):
        other = replace(b, signature=replace(b.signature, **{name: value}))
        message = f"'a' was scored with {name} {getattr(a.signature, name)} and 'b' with {value}; expected the same"
        for made in (
            lambda other=other: compare({"a": a, "b": other}, resamples=20),
            lambda other=other: paired_test(a, other, resamples=20),
            lambda other=other: ac.correlate({"a": a, "b": other, "c": a}),
        ):
            with pytest.raises(InputError, match=re.escape(message)):
                made()
    older = replace(b, signature=replace(b.signature, version="0.0.1"))
    assert "b: scored by version 0.0.1" in compare({"a": a, "b": older}, resamples=20).notes


def test_a_document_of_most_mentions_is_no_matter_of_macro_averages():
    large = ac.score_labels_batch([0] * 90 + [0, 1] * 5, [0] * 80 + [1] * 10 + [0, 1] * 5, [0, 90, 92, 94, 96, 98, 100])
    for average, times in (("micro", 1), ("macro", 0)):
        for result in (
            bootstrap(large, average=average, resamples=20),
            compare({"a": large}, average=average, resamples=20),
            ac.table({"a": large}, average=average, intervals=True, resamples=20),
        ):
            assert sum("of the key: it decides" in note for note in result.notes) == times


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_exact_pvalues_do_not_depend_on_other_systems(average):
    """Two systems that differ in five documents, always to the harm of one: 2 of the 2^5 ways to exchange them."""
    key, offsets = np.array([0, 0, 1, 1] * 60), range(0, 241, 4)

    def wrong_in(documents):
        labels = key.reshape(-1, 4).copy()
        labels[list(documents)] = [0, 1, 1, 1]
        return ac.score_labels_batch(key, labels.ravel(), offsets, metrics="muc")

    systems = {"right": wrong_in(()), "five": wrong_in(range(5)), "thirty": wrong_in(range(10, 40))}
    for seed in range(10):
        options = {"metric": "muc", "correction": "none", "resamples": 99, "seed": seed, "average": average}
        ranked = compare(systems, baseline="right", **options)
        assert [(s.name, s.pvalue) for s in ranked.systems][1] == ("five", 2 / 2**5)
        assert compare(systems, **options).pvalues[0, 1] == 2 / 2**5
        assert compare(systems, **options | {"correction": "maxt"}).adjusted[0, 1] >= 2 / 2**5
