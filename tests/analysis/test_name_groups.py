"""Groups of documents in names: which there are, how they are tested, how often one is named without reason."""

import re
from itertools import combinations

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.analysis.name_groups import flipped, groups_of_names, in_units
from arraycoref.scoring.counts import score_sums
from arraycoref.scoring.signature import Signature
from arraycoref.stats.groups import differ, permuted


def bcub(sums):
    return score_sums(sums.reshape(-1, 4, *sums.shape[1:]), ("bcub",), "bcub", Signature("0")).f1


NAMES = {
    "GUM_news_a GUM_news_b GUM_news_c GUM_bio_d GUM_bio_e GUM_bio_f": ["bio", "news"],
    "x/1 x/2 x/3 y/1 y/2 y/3 z/9": ["x", "y"],
    "a/1 a/2 a/3 a/c/4 a/c/5 a/c/6": ["c", "a"],  # a folder does not have the documents of those in it
    "a1 a2 a3 a4 a5": [],  # a group of three leaves fewer than three
    "news news2 news3 2news 3news 4news": ["news", "news"],  # as the first part, as the second
    "a_x b_x c_x d e f g h i j k": [],  # most documents are in no group
    "": [],
}


@pytest.mark.parametrize("names", NAMES)
def test_groups_of_names(names):
    """A pattern finds the documents of its group and no others."""
    listed = names.split()
    groups = groups_of_names(listed)
    for group in groups:
        assert [bool(re.search(group.pattern, name)) for name in listed] == group.members.tolist()
        assert 3 <= group.members.sum() <= len(listed) - 3
    assert [group.name for group in groups] == NAMES[names]


def test_units_are_inside_as_a_whole():
    names = [f"{'ab'[d % 2]}_{d}" for d in range(12)]
    groups = groups_of_names(names)
    assert [group.name for group, _ in in_units(groups, np.arange(12))] == ["a", "b"]
    assert not in_units(groups, np.arange(12) // 2)  # a unit has documents of both groups
    assert not in_units(groups, np.where(np.arange(12) < 6, np.arange(12), -1))  # too few are left
    by_group = in_units(groups, np.arange(12) % 2 + 2 * (np.arange(12) // 3))
    assert all(inside.sum() == 4 for _, inside in by_group)


def test_differences_and_their_errors():
    """F of the group and of the others; the error is that of small changes of each document's weight."""
    rng = np.random.default_rng(0)
    rows = rng.random((20, 4)) + np.array([0, 2, 0, 2])
    members = rng.random((2, 20)) < 0.4
    inside, outside, error, *_ = differ(rows, members, bcub)
    for g, own in enumerate(members):
        variance = 0
        for chosen, f1 in ((own, inside[g]), (~own, outside[g])):
            sums, n = rows[chosen].sum(axis=0), chosen.sum()
            assert f1 == pytest.approx(float(bcub(sums)))
            slopes = [(float(bcub(sums + 1e-6 * row)) - f1) / 1e-6 for row in rows[chosen]]
            variance += n / (n - 1) * np.square(slopes).sum()
        assert error[g] == pytest.approx(variance**0.5, rel=1e-4)


def test_permutations_of_few_documents():
    """With all permutations at hand, the p-value is the share of them that are as extreme, up to chance."""
    rng = np.random.default_rng(3)
    rows = rng.random((8, 4)) + np.array([0, 1, 0, 1])
    rows[:3, ::2] /= 4
    members = np.array([[True] * 3 + [False] * 5])
    p = permuted(rows, members, bcub, 0)[-1, 0]
    groups = np.array([np.isin(np.arange(8), three) for three in combinations(range(8), 3)])
    pvalues = differ(rows, groups, bcub)[-1]
    expected = (pvalues <= differ(rows, members, bcub)[-1] + 1e-12).mean()
    assert p == pytest.approx(expected, abs=0.03)


def test_signs():
    """A number far above its error is named, one below 0 only if asked for on both sides."""
    rng = np.random.default_rng(0)
    influences = rng.normal(size=(3, 60)) / 60
    influences -= influences.mean(axis=1, keepdims=True)
    values = np.array([0.0, 0.8, -0.8])
    one, both = flipped(influences, values, 0), flipped(influences, values, 0, two_sided=True)
    assert (one <= 0.05).tolist() == [False, True, False]
    assert (both <= 0.05).tolist() == [False, True, True]


def test_few_signs():
    """No number is named that has no influences, or those of few units, however large it is."""
    influences = np.zeros((3, 40))
    influences[1, :4] = 1e-3, -1e-3, 2e-3, -2e-3
    influences[2] = np.where(np.arange(40) % 2, 1e-3, -1e-3)
    assert (flipped(influences, np.ones(3), 0) <= 0.05).tolist() == [False, False, True]


def test_groups_are_seldom_named_without_reason():
    """Of 100 corpora with names at random, about five have a group that is named; a planted one is always named."""
    rng = np.random.default_rng(7)
    key = rng.integers(0, 4, 1200)
    offsets = range(0, 1201, 20)
    strength = rng.gamma(2, 0.1, 60).repeat(20)
    response = np.where(rng.random(1200) < strength, rng.integers(0, 4, 1200), key)
    names, n_named = [f"{'abcdef'[d % 6]}_{d}" for d in range(60)], 0
    for _ in range(100):
        shuffled = rng.permutation(names).tolist()
        a = ac.analyze_labels(key, response, offsets, names=shuffled)
        n_named += any(finding.kind == "documents" for finding in a.findings)
    assert n_named <= 11  # 5 % and more than 2.5 standard errors
    planted = np.where(np.arange(1200) // 20 % 6 == 2, rng.integers(0, 4, 1200), response)
    a = ac.analyze_labels(key, planted, offsets, names=names)
    assert "10 documents named “c” score" in " ".join(finding.text for finding in a.findings)
