"""Many systems at once: the step-down maximum and the set of the best, held against loops over the same exchanges."""

import math
from functools import partial
from itertools import combinations, compress, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from stats_data import scored

from arraycoref.stats import best, compare
from arraycoref.stats.draws import multiplicities, swaps
from arraycoref.stats.runs import Runs
from arraycoref.sweeps import sweep
from marks import cases
from oracle import many_systems as oracle
from strategies import examples


def documents(b, metric):
    return b.counts[metric].tolist()


def f1(rows):
    recall_num, recall_den, precision_num, precision_den = (math.fsum(column) for column in zip(*rows, strict=True))
    recall = recall_num / recall_den if recall_den else 0.0
    precision = precision_num / precision_den if precision_den else 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def mean_f1(rows):
    return math.fsum(f1([row]) for row in rows) / len(rows)


def drawn(seed, n_systems, n_documents, metric="bcub"):
    return {
        f"s{s}": scored(10 * seed + s, n_documents=n_documents, n_mentions=9, wrong=0.15 + 0.07 * s, metrics=metric)
        for s in range(n_systems)
    }


@given(st.integers(1, 300), st.integers(2, 5), st.integers(2, 9), st.sampled_from(["muc", "bcub"]), st.booleans())
@examples(0.2)
def test_step_down_equals_loops(seed, n_systems, n_documents, metric, macro):
    """For all pairs and for those with a baseline."""
    if macro:
        n_documents = min(n_documents, 6)  # documents with equal scores may have other counts
    runs = drawn(seed, n_systems, n_documents, metric)
    score, average = (mean_f1, "macro") if macro else (f1, "micro")
    for baseline in (None, "s1"):
        c = compare(runs, metric=metric, baseline=baseline, average=average, resamples=100)
        names = [s.name for s in c.systems]
        rows = {name: documents(b, metric) for name, b in runs.items()}
        some = swaps(0, n_documents)(0, 100)
        patterns = oracle.exchanges(list(rows.values()), 100, partial(list, some))
        pairs = [pair for pair in combinations(range(n_systems), 2) if baseline in (None, *(names[s] for s in pair))]
        both = [(rows[names[i]], rows[names[j]]) for i, j in pairs]
        values = [oracle.swapped_differences(*pair, score, patterns) for pair in both]
        expected = oracle.step_down_pvalues([value[0] for value in values], values)
        own = [
            oracle.swapped_differences(*pair, score, oracle.exchanges(pair, 100, partial(list, some))) for pair in both
        ]
        alone = [np.mean(np.abs(value) >= abs(value[0]) - 1e-12) for value in own]  # exact where few documents differ
        assert [c.pvalues[pair] for pair in pairs] == pytest.approx(alone, abs=1e-12)
        assert [c.adjusted[pair] for pair in pairs] == pytest.approx(np.maximum(expected, alone), abs=1e-12)


@given(st.integers(1, 300), st.integers(2, 4), st.integers(2, 4))
@examples(0.1)
def test_step_down_of_the_bootstrap_equals_loops(seed, n_systems, n_documents):
    runs = drawn(seed, n_systems, n_documents)
    c = compare(runs, metric="bcub", test="bootstrap", resamples=100)
    rows = [documents(runs[s.name], "bcub") for s in c.systems]
    pairs = list(combinations(range(n_systems), 2))
    times = multiplicities(0, n_documents)(0, 100)
    values = [oracle.drawn_differences(rows[i], rows[j], f1, times) for i, j in pairs]
    expected = oracle.step_down_pvalues([value[0] for value in values], values)
    assert [c.adjusted[pair] for pair in pairs] == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 300), st.integers(1, 5), st.integers(2, 7), st.sampled_from([0.05, 0.3, 0.8]))
@examples(0.2)
def test_the_set_of_the_best_equals_loops(seed, n_systems, n_documents, alpha):
    runs = drawn(seed, n_systems, n_documents)
    rows = [documents(b, "bcub") for b in runs.values()]
    drawn_patterns = swaps(0, n_documents)(0, 50).astype(bool)
    patterns = [*drawn_patterns, *~drawn_patterns]
    differing = [d for d in range(n_documents) if len({tuple(row[d]) for row in rows}) > 1]
    if 2 ** len(differing) <= 100:  # all exchanges of one document or more
        chosen = product([False, True], repeat=len(differing))
        patterns = [np.isin(range(n_documents), list(compress(differing, some))) for some in chosen][1:]
    found = best(runs, "bcub", confidence=1 - alpha, resamples=100)
    positions = {list(runs).index(setting) for setting in (found.setting, *found.rivals)}
    assert positions == oracle.may_be_best(rows, f1, alpha, patterns)
    assert found.systems[0].adjusted == 1
    assert found.score.estimate == pytest.approx(max(map(f1, rows)))


def pvalues(found):
    """Return the p-values of systems for being the best, in the order of their names."""
    return [s.adjusted for s in sorted(found.systems, key=lambda s: int(s.name))]


def of_adjusted(c):
    return c.adjusted[np.triu_indices(len(c.systems), 1)]


def test_identical_systems(a, b):
    """A pair without any difference is never significant, nor in the way of others."""
    c = compare({"x": a, "twin": a, "z": scored(5, wrong=0.9)}, resamples=4096)
    assert of_adjusted(c).tolist() == [1, *of_adjusted(c)[1:]]
    assert of_adjusted(c)[1] == of_adjusted(c)[2] < 0.01
    same = compare({str(s): a for s in range(4)}, resamples=100)
    assert (of_adjusted(same) == 1).all()
    assert pvalues(best({"0": a, "1": a}, "bcub")) == [1, 1]
    assert pvalues(best({"0": b, "1": a, "2": b}, "bcub"))[::2] == [1, 1]
    assert pvalues(best({"0": a}, "bcub")) == [1]


def test_a_floor_above_alpha_is_said():
    """15 systems and 1,000 resamples: Holm's smallest p-value is 105/1001."""
    runs = {f"s{s:02}": scored(s, n_documents=40, wrong=0.05 * s) for s in range(15)}
    holm, bh, maxt = (compare(runs, resamples=1000, correction=name) for name in ("holm", "bh", "maxt"))
    assert {s.mark for s in holm.systems} == {"a"}
    assert "Holm: of 105 tests with p-values of 0.001 or more none can be significant" in holm.notes[0]
    assert holm.notes[0] in str(holm)
    assert "fewer than 3 cannot be significant" in bh.notes[0]
    assert maxt.notes == ()
    assert not set(maxt.systems[0].mark) & set(maxt.systems[-1].mark)


def test_many_systems_leave_out_those_far_below():
    """With more than 64, the hopeless go by their distance to the best alone, and the same remain."""
    good = [scored(s, n_documents=40, metrics="bcub", wrong=0.2) for s in range(4)]
    bad = [scored(s, n_documents=40, metrics="bcub", wrong=0.9) for s in range(100, 165)]
    alone, among = (
        best(Runs.from_scores({str(n): b for n, b in enumerate(some)}), "bcub", resamples=1000)
        for some in (good, good + bad)
    )
    assert pvalues(among)[:4] == pytest.approx(pvalues(alone))
    assert max(pvalues(among)[4:]) <= 0.05
    assert (alone.setting, alone.rivals) == (among.setting, among.rivals)


def test_the_set_of_the_best_in_another_order():
    runs = {s: scored(s, n_documents=40, metrics="bcub", wrong=0.2 + 0.01 * s) for s in range(70)}
    expected = best(runs, "bcub", resamples=400, seed=3)
    order = np.random.default_rng(1).permutation(70).tolist()
    found = best({s: runs[s] for s in order}, "bcub", resamples=400, seed=3, threads=2)
    assert 0 < len(expected.rivals) < 69
    assert (found.setting, found.rivals) == (expected.setting, expected.rivals)
    assert pvalues(found) == pytest.approx(pvalues(expected), abs=1e-12)
    lows = ({s.setting: s.difference.low for s in each.systems} for each in (found, expected))
    assert next(lows) == pytest.approx(next(lows), abs=1e-12, nan_ok=True)


@cases("n_settings", [60, 65, 100])
@cases("n_documents", [1, 30])
@cases("metric", ["bcub", "conll"])
def test_the_best_of_many_remains(n_settings, n_documents, metric):
    """One setting is clearly the best, and no other remains to be resampled; of one clustering and of documents."""
    rng = np.random.default_rng(0)
    key = np.repeat(np.arange(300), 3)
    noise, other = rng.random(key.size), rng.integers(0, 300, key.size)
    responses = np.array(
        [np.where(noise < min(0.9, 0.02 + 0.2 * (s > 0) + 0.01 * s), other, key) for s in range(n_settings)]
    )
    found = sweep(key, responses, np.linspace(0, key.size, n_documents + 1).astype(int), metrics=metric)
    ranked = found.best(metric, resamples=1000)
    assert (ranked.setting, ranked.rivals) == (0, ())
    assert pvalues(ranked)[0] == 1.0
    assert max(pvalues(ranked)[1:]) == pytest.approx(10 / 1001)
    is_said = f"{n_settings - 1} of {n_settings} are worse without resamples" in str(ranked)
    assert is_said == (n_settings > 64)


def test_the_best_of_many_equal_settings():
    ranked = best({str(s): scored(1, n_documents=20, metrics="bcub") for s in range(70)}, "bcub", resamples=400)
    assert (ranked.setting, len(ranked.rivals)) == ("0", 69)
