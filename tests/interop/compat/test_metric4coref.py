"""metric4coref's numbers, as its README prints them and as its definitions, written out here, give them."""

from itertools import combinations, permutations

import pytest
from hypothesis import example, given, settings, strategies as st

from arraycoref.exceptions import InputError
from arraycoref.interop.compat.metric4coref import b_cubed, ceaf, conll_coref_f1, muc

README_PREDICTED = [list("abc"), list("defg"), list("hij"), ["k"]]
README_GOLD = [list("abd"), list("cefg"), list("hijk")]

clusterings = st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=5), max_size=4)


def f1(p, r):
    return 2 * p * r / (p + r) if p + r else 0.0


def expected_muc(predicted, gold):
    p = {pair for c in predicted for pair in combinations(c, 2)}
    g = {pair for c in gold for pair in combinations(c, 2)}
    return ratio(len(p & g), len(p)), ratio(len(p & g), len(g))


def expected_b_cubed(predicted, gold):
    precisions, recalls = [], []
    for mention in {m for c in predicted for m in c} & {m for c in gold for m in c}:
        p = next(c for c in predicted if mention in c)
        g = next(c for c in gold if mention in c)
        precisions.append(len(set(p) & set(g)) / len(p))
        recalls.append(len(set(p) & set(g)) / len(g))
    return ratio(sum(precisions), len(precisions)), ratio(sum(recalls), len(recalls))


def expected_ceaf(predicted, gold):
    small, large = sorted((predicted, gold), key=len)
    best = max(
        sum(len(set(a) & set(b)) for a, b in zip(small, chosen, strict=True))
        for chosen in permutations(large, len(small))
    )
    return ratio(best, sum(map(len, predicted))), ratio(best, sum(map(len, gold)))


def ratio(num, den):
    return num / den if den else 0.0


def test_readme_example():
    assert muc(README_PREDICTED, README_GOLD) == pytest.approx((7 / 12, 7 / 15, 0.5185185185185186), abs=1e-12)
    assert b_cubed(README_PREDICTED, README_GOLD) == pytest.approx(
        (0.7424242424242423, 0.606060606060606, 0.6673476336397685), abs=1e-12
    )
    assert ceaf(README_PREDICTED, README_GOLD) == pytest.approx((8 / 11, 8 / 11, 8 / 11), abs=1e-12)
    assert conll_coref_f1(README_PREDICTED, README_GOLD) == pytest.approx(0.6377129598103382, abs=1e-12)


def test_names_of_mappings_are_no_mentions():
    """metric4coref fails on them, but in muc; here all functions scored the names."""
    for mapping in ({"ab": ["a", "b"]}, [{"a": 1, "b": 2}]):
        for function in (muc, b_cubed, ceaf, conll_coref_f1):
            with pytest.raises(InputError, match="expected clusters that are lists of mentions"):
                function([["a", "b"]], mapping)


@given(clusterings, clusterings)
@example([["b", "a"]], [["a", "b"]])
@example([], [])
@settings(max_examples=300, deadline=None)
def test_every_function_follows_its_definition(predicted, gold):
    """Pairs in the order of their cluster count in muc; where metric4coref divides by zero, the score is 0."""
    for function, expected in (muc, expected_muc), (b_cubed, expected_b_cubed), (ceaf, expected_ceaf):
        p, r = expected(predicted, gold)
        assert function(predicted, gold) == pytest.approx((p, r, f1(p, r)), abs=1e-12)


def test_any_iterables_and_spans_as_lists():
    def generators():
        return (iter(cluster) for cluster in ("ab", "c"))

    for function in (muc, b_cubed, ceaf):
        assert function(["ab", "c"], generators()) == (1.0, 1.0, 1.0)
        assert function([[[0, 1], [2, 3]]], [[[0, 1], [2, 3]]]) == (1.0, 1.0, 1.0)
    assert conll_coref_f1(generators(), generators()) == 1.0


def test_a_missing_mention_is_an_error():
    """In muc, NaN was equal to itself where both sides had the one object."""
    nan = float("nan")
    for mentions in (["a", nan], ["a", (1, nan)]):
        for function in (muc, b_cubed, ceaf, conll_coref_f1):
            with pytest.raises(InputError, match=r"_clusters: mention .* missing value"):
                function([mentions], [mentions])
