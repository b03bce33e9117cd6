"""The table of a paper: its numbers against numpy and by hand, its marks against those of compare and sweeps."""

import csv
import io
import json

import numpy as np
import pytest
from stats_data import scored, some_documents

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.stats.draws import Draws
from arraycoref.stats.runs import Runs
from arraycoref.stats.sample import Sample
from arraycoref.stats.score_table import Block

FEW = {"resamples": 400}
NAMES = ("muc", "bcub", "ceafe", "conll")


@pytest.fixture(scope="module")
def seeds():
    return {
        name: [scored(10 * s + k, n_documents=40, wrong=wrong) for k in range(3)]
        for s, (name, wrong) in enumerate({"x": 0.3, "y": 0.32, "z": 0.6}.items())
    }


def f1(b, metric):
    return b[metric].f1


def test_single_key_has_the_scores_of_each_system(runs):
    table = ac.table(runs)
    assert (table.systems, table.metrics, table.blocks) == (tuple(runs), NAMES, ("",))
    for s, b in enumerate(runs.values()):
        for k, metric in enumerate(NAMES):
            wanted = [getattr(b[metric], field) for field in ("recall", "precision", "f1")]
            np.testing.assert_allclose(table.values[0, s, k], wanted, rtol=1e-14)
    assert np.isnan(table.values[0, :, 3, :2]).all()
    assert np.isnan(table.sd).all()
    assert np.isnan(table.low).all()


def test_means_over_runs_are_those_of_numpy(seeds):
    table = ac.table(seeds, metrics="muc,conll")
    for s, runs in enumerate(seeds.values()):
        values = [f1(b, "conll") for b in runs]
        assert table.values[0, s, 1, 2] == pytest.approx(np.mean(values), abs=1e-15)
        assert table.sd[0, s, 1, 2] == pytest.approx(np.std(values, ddof=1), abs=1e-15)
        text = f"{100 * np.mean(values):.2f} ± {100 * np.std(values, ddof=1):.2f}"
        assert text in str(table).splitlines()[3 + s]
    assert "mean ± standard deviation over 3 runs" in str(table)
    assert "S[table-format=2.2(3), separate-uncertainty, table-align-uncertainty=false]" in table.render("latex")


def test_pooled_runs_are_scored_as_one_large_response(seeds):
    table = ac.table(seeds, pool=True, metrics="muc,blanc,conll")
    for s, runs in enumerate(seeds.values()):
        rows = np.concatenate([b.counts.rows for b in runs])
        whole = ac.BatchScores(runs[0].metrics, ac.Counts(None, runs[0].counts.metrics, rows), runs[0].signature)
        for k, metric in enumerate(table.metrics):
            assert table.values[0, s, k, 2] == pytest.approx(f1(whole, metric), abs=1e-14)
    assert np.isnan(table.sd).all()


def test_macro_average_by_hand():
    one = ac.score_labels_batch([0, 0, 0, 1], [0, 0, 1, 2], [0, 4])
    two = ac.score_labels_batch([0, 0, 1, 2], [0, 0, 0, 0], [0, 4])
    assert [(b["muc"].recall, b["muc"].precision) for b in (one, two)] == [(0.5, 1.0), (1.0, 1 / 3)]
    table = ac.table({"one": {"a": one}, "two": {"a": two}}, metrics="muc")
    assert table.blocks == ("one", "two", "mean of pairs")
    # F of the blocks: 2/3 and 1/2; their mean is 7/12, not the F of the means of recall and precision, 12/17
    np.testing.assert_allclose(table.values[2, 0, 0], [3 / 4, 2 / 3, 7 / 12], rtol=0, atol=1e-15)
    assert str(table).splitlines()[10].split() == ["a", "75.00", "66.67", "58.33"]
    assert table.n_documents == (1, 1, 2)


def test_standard_deviation_of_macro_averages_is_over_runs(seeds):
    halves = {
        name: {s: [some_documents(b, part) for b in runs] for s, runs in seeds.items()}
        for name, part in (("dev", slice(0, 15)), ("test", slice(15, 40)))
    }
    table = ac.table(halves, metrics="bcub")
    means = [np.mean([f1(halves[part]["x"][k], "bcub") for part in halves]) for k in range(3)]
    assert table.values[2, 0, 0, 2] == pytest.approx(np.mean(means), abs=1e-15)
    assert table.sd[2, 0, 0, 2] == pytest.approx(np.std(means, ddof=1), abs=1e-15)


@pytest.mark.parametrize("correction", ["maxt", "holm", "none"])
def test_daggers_are_those_of_compare(runs, correction):
    table = ac.table(runs, baseline="s3", correction=correction, **FEW)
    assert table.differing.any()
    for k, metric in enumerate(NAMES):
        c = ac.compare(runs, metric=metric, baseline="s3", correction=correction, **FEW)
        adjusted = {system.name: system.adjusted for system in c.systems}
        np.testing.assert_allclose(table.adjusted[0, :, k, 2], [adjusted[name] for name in runs], rtol=1e-12)
    assert np.isnan(table.adjusted[..., :2]).all()


def test_caption(runs, seeds):
    assert "left out: conll, without recall or precision" in str(ac.table(runs, fields="recall,precision"))
    every = {"marks": True, "baseline": "s3", "intervals": True, "resamples": 50}
    one = str(ac.table(runs, test="bootstrap", correction="holm", **every))
    assert "from the best (approximate randomization, alpha 0.05" in one
    assert "from s3 (paired bootstrap, two-sided, alpha 0.05, Holm over the systems of a column)" in one
    assert "note: Holm: of 4 tests with p-values of 0.02 or more none can be significant" in one
    redrawn = str(ac.table(seeds, marks=True, intervals=True, resamples=50))
    assert "50 resamples, seed 0; each draws runs, then documents, with replacement" in redrawn


def test_underlined_are_the_rivals_of_a_sweep():
    rng = np.random.default_rng(5)
    key, offsets = rng.integers(0, 5, 600), np.arange(0, 601, 20)
    responses = [np.where(rng.random(600) < wrong, rng.integers(0, 5, 600), key) for wrong in (0.2, 0.21, 0.22, 0.5)]
    found = ac.sweep(key, responses, offsets, settings=list("abcd"), metrics=NAMES)
    table = ac.table(dict(found), marks=True, **FEW)
    for k, metric in enumerate(NAMES):
        best = ac.stats.best(found, metric, resamples=400)
        pvalues = {s.name: s.adjusted for s in best.systems}
        np.testing.assert_allclose(table.pvalues[0, :, k, 2], [pvalues[name] for name in "abcd"], rtol=1e-12)
        assert table.best[0, :, k, 2].tolist() == [name == best.setting for name in "abcd"]
        assert {"abcd"[s] for s in np.flatnonzero(table.rivals[0, :, k, 2])} == set(best.rivals)
    assert 0 < table.rivals.sum() < 12


def test_intervals_are_those_of_the_bootstrap(runs):
    table = ac.table(runs, intervals=True, metrics="muc,conll", **FEW)
    for s, b in enumerate(runs.values()):
        found = ac.bootstrap(b, metrics="muc,conll", **FEW)
        wanted = found["conll"].f1.low, found["conll"].f1.high, found["muc"].recall.low
        assert (table.low[0, s, 1, 2], table.high[0, s, 1, 2], table.low[0, s, 0, 0]) == pytest.approx(
            wanted, rel=1e-12
        )


def test_differences_are_those_of_compare(runs):
    table = ac.table(runs, baseline="s3", **FEW)
    for k, metric in enumerate(NAMES):
        compared = ac.compare(runs, metric=metric, baseline="s3", **FEW)
        for system in compared.systems:
            s = table.systems.index(system.name)
            found = [getattr(table, name)[0, s, k, 2] for name in ("difference", "difference_low", "difference_high")]
            wanted = [getattr(system.difference, name) for name in ("estimate", "low", "high")]
            np.testing.assert_allclose(found, [np.nan] * 3 if system.name == "s3" else wanted, rtol=1e-12)
    assert np.isnan(table.difference[..., :2]).all()
    table = ac.table(runs, metrics="conll", marks=True, differences=True, **FEW)
    s = int(np.nanargmin(table.difference[0, :, 0, 2]))
    number, low, high = (
        f"{100 * getattr(table, name)[0, s, 0, 2]:+.2f}" for name in ("difference", "difference_low", "difference_high")
    )
    assert f"{number}  {low} to {high}" in str(table)
    assert f"${number}$ & $[{low}, {high}]$" in table.render("latex")


def test_differences_of_runs_by_numpy(seeds):
    """Means over runs, from the best; intervals from redraws of runs and documents."""
    table = ac.table(seeds, metrics="muc", marks=True, method="percentile", **FEW)
    means = [np.mean([f1(b, "muc") for b in runs]) for runs in seeds.values()]
    best, (other, _) = int(np.argmax(means)), np.argsort(means)[:2]
    assert table.difference[0, other, 0, 2] == pytest.approx(means[other] - means[best], abs=1e-15)
    drawn = Block.from_runs(seeds, ("muc",), None).redraws(Draws(400, 0), "micro", False, 0)[0, 2]
    ends = np.quantile(drawn[other] - drawn[best], [0.025, 0.975])
    found = table.difference_low[0, other, 0, 2], table.difference_high[0, other, 0, 2]
    assert found == pytest.approx(ends, abs=1e-15)


@pytest.mark.parametrize("pooled", [False, True])
def test_redraws_vary_by_documents_and_by_runs(pooled):
    """The variances of the two add up; errors of one run in one document count more than once, but are small here."""
    runs = [scored(k, n_documents=40, wrong=wrong) for k, wrong in enumerate((0.2, 0.3, 0.4))]
    drawn = Block.from_runs({"x": runs}, ("conll",), None).redraws(Draws(4000, 0), "micro", pooled, 0)[0, 2, 0]
    sample = Sample.from_runs(Runs.from_scores(dict(zip("abc", runs, strict=True)), ("conll",)), "micro")
    by_documents = Draws(4000, 0).replicates(sample)[0, 2].mean(axis=0).var()
    by_runs = np.var([f1(b, "conll") for b in runs], ddof=1) / 3
    assert by_documents > 0.05 * by_runs
    assert 0.95 < drawn.var() / (by_documents + by_runs) < 1.2


def test_marks_of_runs_tell_what_is_clear(seeds):
    for pool in (False, True):
        table = ac.table(seeds, pool=pool, metrics="conll", marks=True, baseline="z", resamples=500)
        assert table.best[0, :, 0, 2].sum() == 1
        assert not table.rivals[0, 2, 0, 2]  # z is far worse
        assert (table.best | table.rivals)[0, :2, 0, 2].all()  # x and y are about as good
        assert table.differing[0, :, 0, 2].tolist() == [True, True, False]


def test_runs_of_a_sweep(seeds):
    rows = np.stack([b.counts.rows for runs in seeds.values() for b in runs])
    b = seeds["x"][0]
    settings = tuple({"system": name, "seed": k} for name in seeds for k in range(3))
    swept = Runs(settings, ac.Counts(None, b.counts.metrics, rows), b.metrics, b.signature, ((),) * len(settings))
    options = {"metrics": "conll", "marks": True, **FEW}
    assert ac.table(swept, over="seed", **options).render("csv") == ac.table(seeds, **options).render("csv")
    assert ac.table(swept, **options).systems[:2] == ("system=x, seed=0", "system=x, seed=1")


def test_one_document_has_no_marks_and_says_so():
    b = {name: scored(seed, n_documents=1) for seed, name in enumerate("ab")}
    table = ac.table(b, marks=True, intervals=True, baseline="a", resample_by="document", **FEW)
    assert not table.rivals.any()
    assert not table.differing.any()
    assert "note: one document" in str(table)
    assert "nan" not in table.render("html") + table.render("latex") + table.render("csv")


def test_json_and_csv_hold_the_numbers_unrounded(runs):
    table = ac.table(runs, marks=True, intervals=True, baseline="s2", **FEW)
    found = json.loads(table.render("json"))
    assert (found["seed"], found["baseline"], found["documents"]) == (0, "s2", {"": 40})
    row = found["rows"][1]
    assert (row["system"], row["muc_recall"]) == ("s2", pytest.approx(runs["s2"]["muc"].recall))
    assert row["conll_f1_low"] == table.low[0, 1, 3, 2]
    assert row["conll_f1_best_pvalue"] == table.pvalues[0, 1, 3, 2]
    assert row["conll_f1_baseline_pvalue"] is None
    rows = list(csv.DictReader(io.StringIO(table.render("csv"))))
    assert float(rows[4]["bcub_f1"]) == pytest.approx(runs["s5"]["bcub"].f1, abs=1e-15)
    assert rows[1]["bcub_f1_baseline_pvalue"] == ""
    assert "conll_recall" not in rows[0]


def test_layout(runs):
    """A section for each track, whose systems are sorted; the best number of each is bold."""
    lines = str(ac.table(runs, metrics="bcub,conll", marks=True, **FEW)).splitlines()
    assert [line.split() for line in lines[:2]] == [["B³", "CoNLL"], ["system", "R", "P", "F1", "F1"]]
    b = runs["s1"]
    cells = [f"{100 * value:.2f}" for value in (b["bcub"].recall, b["bcub"].precision, b["bcub"].f1, b.conll)]
    assert lines[3].split() == ["s1", *cells[:2], f"*{cells[2]}", f"*{cells[3]}"]
    assert len({line.rstrip()[-3] for line in lines[3:8]}) == 1  # points stand below each other
    names = dict(zip(reversed(runs), runs.values(), strict=True))
    table = ac.table({"2011": runs, "2012": names}, metrics="muc,conll", fields="f1", sort=True)
    lines = table.render("latex", digits=1).splitlines()
    assert r" \multicolumn{3}{c}{\textit{2011}} \\" in lines
    rows = [[cell.strip() for cell in line.split(" & ")] for line in lines if line.startswith(" s")]
    assert [row[0] for row in rows[:10]] == ["s1", "s2", "s3", "s4", "s5", "s5", "s4", "s3", "s2", "s1"]
    assert rows[0][1] == rf"{{\textbf{{{100 * runs['s1']['muc'].f1:.1f}}}}}"


def test_marks_in_every_format():
    """A rival errs in one document of nine: its recall is 35/36, its precision 26/27; another errs in all."""
    key, wrong = [0, 0, 1, 1], [0, 1, 1, 1]
    best, rival, poor = (ac.score_labels_batch(key * 9, key * n + wrong * (9 - n), range(0, 37, 4)) for n in (9, 8, 0))
    runs = {"a": best, "b": rival, "c": poor}
    table = ac.table(runs, metrics="bcub", marks=True, baseline="c", resamples=1000)
    for name, bold, underlined in (
        ("table", "†*100.00", "†=96.76"),
        ("latex", r"{\textbf{100.00}\rlap{$^\dagger$}}", r"{\phantom{0}\underline{96.76}\rlap{$^\dagger$}}"),
        ("markdown", "**100.00**†", "<ins>96.76</ins>†"),
        ("html", "<strong>100.00</strong><sup>†</sup>", "<u>96.76</u><sup>†</sup>"),
    ):
        assert bold in table.render(name)
        assert underlined in table.render(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda r: ac.table({"p": {"a": r["s1"]}, "q": {"a": [r["s1"], r["s2"]]}}),
            "block 'q' has 2 runs of system 'a', and block 'p' has 1",
        ),
        (lambda r: ac.table({"a": [r["s1"], r["s2"]]}, pool=True, average="macro"), "pool adds up documents' sums"),
        (
            lambda r: ac.table({"a": [r["s1"], r["s2"]], "b": r["s3"]}, pool=True),
            "pool adds up the runs of systems, which have 1 to 2 of them",
        ),
    ],
)
def test_errors_name_what_is_missing_where(runs, change, message):
    with pytest.raises(InputError, match=message):
        change(runs)


def test_blocks_have_the_metrics_of_the_first():
    dev, test = scored(1, metrics="muc,bcub"), scored(2, metrics="bcub,muc")
    table = ac.table({"dev": {"s": dev}, "test": {"s": test}}, metrics=None, fields="f1")
    assert table.metrics == ("muc", "bcub")
    for values, b in zip(table.values, (dev, test), strict=False):
        assert values[0, :, 2].tolist() == [b["muc"].f1, b["bcub"].f1]
