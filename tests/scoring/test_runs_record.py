"""The record of several systems: what belongs together, and what can be made of their counts."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.stats.runs import Runs
from arraycoref.sweeps import average, concat, pool

RNG = np.random.default_rng(5)
OFFSETS = np.arange(0, 81, 20)
NAMES = list("abcd")
KEY = RNG.integers(0, 5, 80)


def scored(labels, key=KEY, **options):
    return ac.score_labels_batch(key, labels, OFFSETS, **{"names": NAMES} | options)


LABELS = {
    name: np.where(RNG.random(80) < noise, RNG.integers(0, 5, 80), KEY)
    for name, noise in {"x": 0.1, "y": 0.2, "z": 0.4}.items()
}


@cache
def systems():
    return {name: scored(labels) for name, labels in LABELS.items()}


def test_a_mapping_from_systems_to_their_scores():
    muc = Runs.from_scores({"muc": systems()["x"]})  # a system that is named like a metric
    assert alike(muc.at("muc"), systems()["x"])
    assert muc["muc"].f1.tolist() == [systems()["x"]["muc"].f1]
    runs = Runs.from_scores(systems())
    assert list(runs) == list("xyz")
    assert runs.counts.rows.shape == (3, 4, 10, 4)
    for name, b in runs.items():
        assert alike(b, systems()[name])
        assert alike(runs[name], b)
        assert alike(runs.at(name), b)
    for metric in runs.metrics:
        assert runs[metric].f1.tolist() == [b[metric].f1 for b in systems().values()]
    assert runs.order("bcub").tolist() == sorted(range(3), key=lambda s: -runs.score("bcub")[s])
    assert "x" in runs
    assert "muc" in runs
    assert "w" not in runs
    for unknown in ("w", 3, {"t": 1}):
        with pytest.raises(ac.UnknownNameError, match="unknown metric or setting"):
            runs[unknown]
    with pytest.raises(ac.OptionError, match="metric 'conll' has no recall"):
        runs.order("conll", "recall")
    few = Runs.from_scores(systems(), "conll")
    assert few.counts.metrics == ("muc", "bcub", "ceafe")
    assert few["conll"].f1.tolist() == runs["conll"].f1.tolist()
    assert Runs.from_scores(runs) is runs
    assert alike(Runs.from_scores(runs, "conll"), few)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: scored(KEY, beta=2), "'x' was scored with beta 1.0 and 'other' with 2.0"),
        (lambda: scored(KEY, names=list("abce")), "document 3 is 'd' for 'x' but 'e' for 'other'"),
        (lambda: scored(KEY)[:3], "'x' was scored on 4 documents and 'other' on 3"),
        (
            lambda: scored(KEY, key=np.where(np.arange(80) == 70, -1, KEY)),
            "the key of document 'd' differs: the denominator of",
        ),
        (lambda: scored(KEY).corpus, "'other' is Scores; expected BatchScores"),
        (lambda: scored(KEY)[:0], "the scores of 'other' hold no documents"),
    ],
)
def test_systems_that_do_not_belong_together(other, message):
    with pytest.raises(ac.InputError, match=message):
        Runs.from_scores({"x": systems()["x"], "other": other()})


def test_names_and_metrics():
    with pytest.raises(ac.InputError, match="systems are dict"):
        Runs.from_scores({})
    with pytest.raises(ac.UnknownNameError, match=r"metric \(not scored for 'few'\) 'bcub'"):
        Runs.from_scores({"x": systems()["x"], "few": scored(KEY, metrics="muc")}, "muc,bcub")


def test_sums_and_means_of_repeated_runs():
    """As one scoring of all outputs of a system adds them, and as NumPy averages them."""
    labels = RNG.integers(0, 5, (6, 80))
    runs = concat(
        {seed: Runs.from_scores({"x": scored(labels[seed]), "y": scored(labels[3 + seed])}) for seed in range(3)},
        "seed",
    )
    assert runs.settings[1] == {"setting": "y", "seed": 0}
    by_system, over_seeds = runs.pooled("setting"), pool(runs, "seed")
    assert by_system.settings == ("x", "y")
    assert over_seeds.settings == ({"setting": "x"}, {"setting": "y"})
    for position, name in enumerate("xy"):
        whole = ac.score_labels_batch(
            np.tile(KEY, 3), labels[3 * position : 3 * position + 3].ravel(), np.arange(0, 241, 20)
        )
        for metric in runs.metrics:
            assert by_system[name][metric].f1 == pytest.approx(whole[metric].f1, abs=1e-14)
            assert over_seeds.at(setting=name)[metric].f1 == by_system[name][metric].f1
    means = average(runs, "seed")
    scores = np.array([[scored(row)["muc"].recall for row in labels[start : start + 3]] for start in (0, 3)])
    np.testing.assert_allclose(means["muc_recall_mean"], scores.mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(means["muc_recall_sd"], scores.std(axis=1, ddof=1), atol=1e-15)
    assert means["setting"] == ["x", "y"]
    assert np.isnan(average(runs.select([0, 1]), "seed")["muc_f1_sd"]).all()
    for function in (pool, average):
        with pytest.raises(ac.InputError, match="setting=y has 2 runs by seed, and others up to 3"):
            function(runs.select([0, 1, 2, 3, 4]), "seed")
        with pytest.raises(ac.UnknownNameError, match="unknown parameter 'sed'; did you mean 'seed'"):
            function(runs, "sed")
        with pytest.raises(ac.InputError, match="no seed in the name x: name runs like seed=1"):
            function(Runs.from_scores(systems()), "seed")
    with pytest.raises(ac.InputError, match="has 'seed' already"):
        concat({1: runs}, "seed")


def test_join():
    first, second = (
        Runs.from_scores({"x": systems()["x"]}),
        Runs.from_scores({"y": systems()["y"], "z": systems()["z"]}),
    )
    assert alike(first + second, Runs.from_scores(systems()))
    with pytest.raises(ac.InputError, match="setting x appears twice"):
        first + first
    for other in (scored(KEY, beta=2), scored(KEY, names=list("abce")), scored(KEY, key=np.roll(KEY, 1))):
        with pytest.raises(ac.InputError, match="joined have different"):
            first + Runs.from_scores({"w": other})


def test_parts_of_runs():
    """Positions may be a tuple; groups of groups are signed as those of `BatchScores`."""
    runs = Runs.from_scores(systems())
    assert alike(runs.select((0, 2)), runs.select([0, 2]))
    names = [f"{'ab'[d % 2]}{'xy'[d // 2 % 2]}{d}" for d in range(runs.n_documents)]
    named = Runs.from_scores(
        {name: replace(b, counts=replace(b.counts, names=tuple(names))) for name, b in systems().items()}
    )
    one = named.batch(0)
    assert named.by("^.")["a"].by("^.(.)")["x"].batch(0).signature == one.by("^.")["a"].by("^.(.)")["x"].signature
