"""What a sweep can be asked: the best, a choice for test, tables, figures, files."""

import csv
import io
import math
import statistics
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.sweeps import choose, load_runs, pool, sweep


def noisy(shares, n_documents=40, seed=0):
    """Return a key and responses, each with a share of its labels at random."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, 6, n_documents * 20)
    wrong = rng.random(key.size)
    other = rng.integers(0, 6, key.size)
    responses = np.array([np.where(wrong < share, other, key) for share in shares])
    return key, responses, np.arange(0, key.size + 1, 20)


def legend(figure):
    """Return the texts of a figure's legend."""
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.fixture(scope="module")
def swept():
    key, responses, offsets = noisy([0.3, 0.1, 0.5, 0.11])
    return sweep(key, responses, offsets, settings={"t": [0.3, 0.1, 0.5, 0.11]})


def test_best(swept):
    best = swept.best()
    assert best.setting == {"t": 0.1}
    assert best.score.estimate == swept.score("conll")[1] == swept.at(t=0.1).conll
    assert best.score.low < best.score.estimate < best.score.high
    assert best.rivals == ()  # the errors of 0.1 are among those of 0.11, which is nowhere better
    by_setting = {system.setting["t"]: system for system in best.systems}
    assert best.systems[0].adjusted == 1.0
    apart = by_setting[0.11].difference
    assert apart.estimate == pytest.approx(swept.at(t=0.11).conll - swept.at(t=0.1).conll)
    assert apart.low < apart.estimate < apart.high < 0
    assert by_setting[0.5].adjusted < 0.01
    assert "difference from the best (t=0.1); intervals are not adjusted for the number of systems" in str(best)
    rows = list(csv.DictReader(io.StringIO(replace(best, top=2).render("csv"))))
    assert [row["t"] for row in rows] == ["0.1", "0.11"]
    assert float(rows[1]["conll_f1"]) == swept.at(t=0.11).conll


def test_the_truly_best_setting_is_rarely_ruled_out():
    """Equal settings: each is truly best, so that 95 % of samples or more must keep the first."""
    kept = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        key = rng.integers(0, 4, 400)
        responses = np.where(rng.random((8, 400)) < 0.3, rng.integers(0, 4, (8, 400)), key)
        best = sweep(key, responses, np.arange(0, 401, 10), metrics="bcub").best("bcub", resamples=200)
        kept += best.setting == 0 or 0 in best.rivals
    assert kept >= 54  # 0.6 % to see fewer, if it is 95 %


def test_less_is_better_and_counts_are_counts():
    """Direction and unit of a metric are the registry's, in the order of settings, the best, tables and figures."""
    pytest.importorskip("matplotlib")
    key, responses, offsets = noisy([0.6, 0.0, 0.2], 6)
    found = sweep(key, responses, offsets, metrics="merge-distance", settings={"noise": [0.6, 0.0, 0.2]})
    assert found.order("merge-distance").tolist() == [1, 2, 0]
    best = found.best("merge-distance", resamples=50)
    assert (best.setting, best.score.in_brackets("merge-distance")) == ({"noise": 0.0}, "0 [0, 0]")
    assert "best merge-distance: 0 at noise=0.0" in repr(found)
    figure = found.plot()
    assert "percent" not in figure.axes[0].get_ylabel()
    assert legend(figure) == ["Merge distance, best at 0"]


def test_select_and_join(swept):
    part = swept.select(swept.order("conll")[:2])
    assert part.settings == ({"t": 0.1}, {"t": 0.11})
    assert alike(part[{"t": 0.1}], swept.at(t=0.1))
    assert swept.select(swept.score("conll") > 2).settings == ()
    assert alike(swept.select(slice(0, 2)) + swept.select([2, 3]), swept)


def test_keys_of_other_mentions_and_one_key_written_otherwise():
    key = [[(0, 1), (2, 3)], [(4, 5)]]
    first = sweep(key, {"a": key})
    chains = [
        SimpleNamespace(mentions=[SimpleNamespace(sentence=0, start_word=a, end_word=b) for a, b in c]) for c in key
    ]
    stanza = [[(0, *mention) for mention in cluster] for cluster in key]
    assert len(sweep(SimpleNamespace(coref=chains), {"a": stanza}) + sweep(stanza, {"b": stanza})) == 2
    for same in ([[[4, 5]], [[2, 3], [0, 1]]], [np.array(each) for each in key], [frozenset(each) for each in key]):
        assert len(first + sweep(same, {"b": key})) == 2
    for other in ([[(0, 1), (4, 5)], [(2, 3)]], [[(0, 1), (2, 4)], [(4, 5)]], [["a", "b"], ["c"]]):
        with pytest.raises(ac.InputError, match="different key"):
            first + sweep(other, {"b": key})


def seeds_of(seed, **options):
    """Sweep three thresholds of a system with four seeds."""
    key, responses, offsets = noisy(np.linspace(0.1, 0.4, 12), 12, seed)
    settings = {"threshold": [0.2, 0.8, 1.4], "seed": [1, 2, 3, 4]}
    return sweep(key, responses, offsets, settings=settings, **options)


@pytest.mark.parametrize("over", [None, "seed"])
def test_the_choice_on_dev_and_the_score_on_test(over):
    dev, test = seeds_of(4, metrics="muc,bcub"), seeds_of(5, metrics="muc,bcub")
    turned = test.select([*range(4, 12), *range(4)])  # the thresholds in another order
    best, scores = choose(dev, turned, "bcub", "recall", over=over, resamples=200, seed=3)
    if over:
        dev, test = pool(dev, over), pool(test, over)
    assert alike(best, dev.best("bcub", "recall", resamples=200, seed=3))
    assert alike(scores, ac.bootstrap(test.at(best.setting), resamples=200, seed=3))
    same, _ = choose(dev, dev, resamples=20)
    assert "same key" in same.notes[-1]


def test_what_cannot_be_chosen():
    dev, test = seeds_of(8, metrics="muc"), seeds_of(9, metrics="muc")
    with pytest.raises(ac.UnknownNameError, match="unknown setting"):
        choose(dev, test.select(test.score("muc") < 0), resamples=20)
    with pytest.raises(ac.InputError, match="dev was scored under"):
        choose(dev, seeds_of(9, metrics="muc", beta=2))


def test_frames(swept):
    table = pytest.importorskip("pandas").DataFrame(swept.columns())
    assert list(table)[:4] == ["t", "mentions_recall", "mentions_precision", "mentions_f1"]
    assert swept.to_frame("pandas").equals(table)
    assert table["conll_f1"].tolist() == swept.score("conll").tolist()
    long = swept.to_frame("pandas", per_document=True)
    assert (len(long), list(long)[:2]) == (4 * 40, ["t", "document"])
    outputs = {"whole": {"a": [["x"]], "b": [["y"]]}, "part": {"b": []}}
    long = sweep({"a": [["x"]], "b": [["y"]]}, outputs, missing_documents="skip").columns(per_document=True)
    assert list(zip(long["setting"], long["document"], strict=True)) == [("whole", "a"), ("whole", "b"), ("part", "b")]


def test_xarray():
    pytest.importorskip("xarray")
    key, responses, offsets = noisy([0.1] * 6)
    found = sweep(key, responses, offsets, settings={"a": [1, 2], "b": ["x", "y", "z"]})
    labeled = found.to_xarray()
    assert labeled.sums.dims == ("setting", "document", "group", "sum")
    square = labeled.set_index(setting=["a", "b"]).unstack("setting")
    assert dict(square.f1.sizes) == {"metric": 9, "a": 2, "b": 3}
    assert float(square.f1.sel(a=2, b="y", metric="muc")) == found.at(a=2, b="y")["muc"].f1
    assert labeled.attrs["signature"] == str(found.signature)


def test_parameters_that_are_named_like_columns():
    """A file such as ``epoch=3,muc_f1=78.2.conll`` has a parameter of that name, which the score took the place of."""
    settings = [{"muc_f1": 78.2, "p": -math.inf}, {"muc_f1": 80.1, "p": math.inf}]
    found = sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]], settings=settings, metrics="muc")
    report = found.best()
    assert "80.1" in str(report).splitlines()[2]
    for write in (report.to_dict, found.to_frame):
        with pytest.raises(ac.InputError, match="both named 'muc_f1'; expected names that differ"):
            write()


def test_save_and_load(tmp_path):
    settings = ["a", 1, 2.5, None, True, ("x", 1), {"t": float("inf"), "n": None}, np.int64(7), object]
    found = sweep([0, 0], np.zeros((9, 2), int), settings=settings, names=["doc"])
    assert found.settings[-2:] == (7, "<class 'object'>")
    found.save(tmp_path / "s.npz")
    assert alike(load_runs(tmp_path / "s.npz"), found)
    assert [p.name for p in tmp_path.iterdir()] == ["s.npz"]
    lacks = sweep({"a": [["x"]], "b": [["y"]]}, {"part": {"b": []}}, missing_documents="skip")
    lacks.save(tmp_path / "s.npz")
    assert alike(load_runs(tmp_path / "s.npz"), lacks)
    with np.load(tmp_path / "s.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "s.npz", **arrays | {"sums": arrays["sums"][1:]})
    (tmp_path / "text.npz").write_bytes(b"no archive")
    for name in ("s", "text"):
        with pytest.raises(ac.ReadError, match=rf"{name}\.npz: no sweep"):
            load_runs(tmp_path / f"{name}.npz")


@pytest.fixture(scope="module")
def epochs():
    """Two systems, three epochs given out of order, three seeds, one of which failed in the last epoch."""
    names = ac.sweeps.grid({"system": ["x", "y"], "epoch": [2, 1, 3], "seed": [5, 6, 7]})
    names.remove({"system": "y", "epoch": 3, "seed": 7})
    key, responses, offsets = noisy(np.linspace(0.6, 0.1, len(names)))
    return sweep(key, responses, offsets, settings=names, metrics="muc,bcub")


def test_figures(swept, epochs):
    pytest.importorskip("matplotlib")
    figure = swept.plot("muc", resamples=50)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "t"
    assert axes.get_ylabel() == "F1 in percent, 95% interval"
    assert legend(figure) == ["MUC, best at 0.1"]
    both = swept.plot(["bcub", "conll"], confidence=None)
    assert legend(both) == ["B³, best at 0.1", "CoNLL, best at 0.1"]
    with pytest.raises(ac.InputError, match="several settings share a value of epoch, system"):
        epochs.plot(parameter="epoch", by="system")
    figure = epochs.plot("bcub", by="system", over="seed")
    (axes,) = figure.axes
    assert axes.get_ylabel().replace("\n", " ") == "mean B³ F1 over seed in percent, ± standard deviation"
    lines = [line for line in axes.lines if len(line.get_xdata()) > 1]
    for line, band, name in zip(lines, axes.collections, "xy", strict=True):
        assert line.get_xdata().tolist() == [1, 2, 3]
        ends = set()
        for epoch, mean in zip((1, 2, 3), line.get_ydata(), strict=True):
            wanted = {"system": name, "epoch": epoch}.items()
            scores = [100 * b["bcub"].f1 for setting, b in epochs.items() if wanted <= setting.items()]
            assert mean == pytest.approx(statistics.mean(scores))
            ends |= {(epoch, round(mean + sign * statistics.stdev(scores), 6)) for sign in (-1, 1)}
        assert {(x, round(y, 6)) for x, y in band.get_paths()[0].vertices.tolist()} == ends
