"""What a sweep can be asked: the best, tables, files, more settings."""

import copy
import gc
import itertools
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sweep_data import legend, noisy

import arraycoref as ac
from arraycoref.sweeps import load_sweep, runner, sweep
from arraycoref.sweeps.counting import BLOCK_LABELS
from arraycoref.sweeps.settings import identity


@pytest.fixture(scope="module")
def swept():
    key, responses, offsets = noisy([0.3, 0.1, 0.5, 0.11])
    return sweep(key, responses, offsets, settings={"t": [0.3, 0.1, 0.5, 0.11]})


def test_best(swept):
    best = swept.best()
    assert best.setting == {"t": 0.1}
    assert best.score.estimate == swept.score("conll")[1] == swept[1].conll
    assert best.score.low < best.score.estimate < best.score.high
    assert best.rivals == ()  # the errors of 0.1 are among those of 0.11, which is nowhere better
    assert best.positions.tolist() == [1]
    assert best.pvalues[1] == 1.0
    assert best.differences[1].estimate == 0
    apart = best.differences[3]
    assert apart.estimate == pytest.approx(swept[3].conll - swept[1].conll)
    assert apart.low < apart.estimate < apart.high < 0
    assert best.pvalues[2] < 0.01
    assert "t=0.1: conll f1" in str(best)
    again = swept.best("conll", seed=0)
    assert (again.pvalues.tolist(), again.score) == (best.pvalues.tolist(), best.score)
    assert swept.best("muc", "recall").metric == "muc"
    with pytest.raises(ac.UnknownNameError):
        swept.best("muc", "accuracy")
    with pytest.raises(ac.InputError, match="confidence"):
        swept.best(confidence=95)


def test_the_best_of_one_document():
    best = sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]]).best("muc", resamples=20)
    assert str(best) == "1: muc f1 100.00, without an interval: there is one document only"
    assert np.isnan(best.pvalues).all()
    assert (best.position, best.rivals) == (1, (0,))
    assert "one document" in best.notes[0]


def test_the_numbers_of_a_setting_do_not_depend_on_the_others(swept):
    from arraycoref.sweeps import best

    runs = list(swept) * (best.SETTINGS_AT_ONCE // len(swept)) + [swept[1]]  # in two groups
    whole = best.bands(runs, "bcub", "f1", 0.9, 50, 3)
    alone = np.hstack([best.bands([run], "bcub", "f1", 0.9, 50, 3) for run in swept])
    np.testing.assert_array_equal(whole, alone[:, [*range(len(swept))] * (len(runs) // len(swept)) + [1]])


def test_the_truly_best_setting_is_rarely_ruled_out():
    """Equal settings: each is truly best, so that 95 % of samples or more must keep the first."""
    kept = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        key = rng.integers(0, 4, 400)
        responses = np.where(rng.random((8, 400)) < 0.3, rng.integers(0, 4, (8, 400)), key)
        best = sweep(key, responses, np.arange(0, 401, 10), metrics="bcub").best("bcub", resamples=200)
        kept += best.pvalues[0] >= 0.05
    assert kept >= 54  # 0.6 % to see fewer, if it is 95 %


def test_order_and_select(swept):
    assert swept.order("conll").tolist() == [1, 3, 0, 2]
    part = swept.select(swept.order("conll")[:2])
    assert part.settings == ({"t": 0.1}, {"t": 0.11})
    assert part[0] == swept[1]
    assert swept.select(swept.score("conll") > 2).settings == ()
    assert len(swept.select([])) == len(swept.select(())) == 0
    assert swept.select(slice(1, 3)) == swept.select((1, 2))
    for one in (1, [[0, 1]]):
        with pytest.raises(ac.InputError, match="expected positions or a mask"):
            swept.select(one)
    assert "4 settings" in repr(swept)
    assert "at t=0.1" in repr(swept)


def huge():
    return sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]], settings={"t": [10**400, 1]}, metrics="muc")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda found: found.select([0, 1, 0]), "positions has one setting twice"),
        (lambda found: found.select([0, -4]), "positions has one setting twice"),
        (lambda found: found.select(np.ma.array([0, 1], mask=[0, 1])), "none of them masked"),
        (lambda found: found.select([0.0, 1.0]), "dtype float64; expected positions or a mask"),
        (lambda found: found.select(["a"]), "dtype <U1; expected positions or a mask"),
        (lambda found: found[:2], r"slice\(None, 2, None\) is no metric or position.*Sweep.select takes several"),
        (lambda found: found[[0, 1]], r"\[0, 1\] is no metric or position"),
        (lambda found: found[1.0], "1.0 is no metric or position"),
        (lambda found: found.best(""), "unknown metric ''"),
        (lambda found: found.pooled(["t"]), r"unknown parameter \['t'\]"),
        (lambda found: found.plot(by=["t"]), r"unknown parameter \['t'\]"),
        (lambda found: found.plot(5), "metrics is 5; expected a name, or a list of names"),
        (lambda found: huge().plot(parameter="t"), "parameter t has values that are no numbers"),
        (lambda found: load_sweep(10**6), "1000000 is not the path of a file"),
        (lambda found: ac.sweeps.grid([1]), r"\[1\] is no grid; expected a mapping"),
        (lambda found: ac.sweeps.choose(found, 5), "test is 5; expected a sweep"),
        (lambda found: ac.sweeps.average(found, "t").best(""), "unknown metric ''"),
    ],
)
def test_what_a_sweep_cannot_be_asked(swept, ask, message):
    with pytest.raises(ac.InputError, match=message):
        ask(swept)


def test_join(swept):
    key, responses, offsets = noisy([0.3, 0.1, 0.5, 0.11])
    first, second = swept.select([0, 1]), swept.select([2, 3])
    assert first + second == swept
    with pytest.raises(ac.InputError, match=r"both sweeps have the setting t=0.3"):
        _ = swept + first
    with pytest.raises(ac.InputError, match="another key"):
        _ = swept + sweep(np.roll(key, 1), responses, offsets, settings=list("wxyz"))
    with pytest.raises(ac.InputError, match="another metrics"):
        _ = swept + sweep(key, responses, offsets, metrics="muc")


def test_save_and_load(swept, tmp_path):
    path = tmp_path / "s.npz"
    swept.save(path)
    again = load_sweep(path)
    assert again == swept
    assert again.settings == swept.settings
    with np.load(path, allow_pickle=False) as file:
        assert file["groups"].tolist() == list(swept.groups)
        assert file["settings"].tolist() == list(swept.names)
    assert [p.name for p in tmp_path.iterdir()] == ["s.npz"]


def test_settings_of_every_kind_come_back(tmp_path):
    settings = ["a", 1, 2.5, None, True, ("x", 1), {"t": float("inf"), "n": None}, np.int64(7), object]
    found = sweep([0, 0], np.zeros((9, 2), int), settings=settings, names=["doc"])
    found.save(tmp_path / "s")
    again = load_sweep(tmp_path / "s")
    assert again.settings[:8] == ("a", 1, 2.5, None, True, ("x", 1), {"t": float("inf"), "n": None}, 7)
    assert again.settings[8] == "<class 'object'>"
    assert again.document_names == ("doc",)
    assert again.at(("x", 1)) == again[5]


@pytest.mark.parametrize("damage", ["empty", "text", "cut short", "other", "compressed", "shape"])
def test_files_that_hold_no_sweep(tmp_path, damage, swept):
    path = tmp_path / "s.npz"
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_bytes(b"no archive")
    elif damage == "cut short":
        path.write_bytes(b"PK\x03\x04")
    elif damage == "compressed":
        swept.save(path)
        with np.load(path) as file:
            np.savez_compressed(path, **file)
    elif damage == "other":
        np.savez(path, x=np.zeros(3))
    else:
        swept.save(path)
        with np.load(path) as file:
            np.savez(path, **{**file, "sums": file["sums"][1:]})
    with pytest.raises(ac.ReadError, match=r"s\.npz: no sweep"):
        load_sweep(path)
    gc.collect()  # a file that was left open would warn
    with pytest.raises(FileNotFoundError):
        load_sweep(tmp_path / "none.npz")


def test_a_checkpoint_is_gone_on_with(tmp_path):
    key, responses, offsets = noisy(np.linspace(0, 0.5, 10), n_documents=BLOCK_LABELS // 40)  # two responses a block
    path = tmp_path / "c.npz"
    drawn = []

    def outputs(fail):
        for s, row in enumerate(responses):
            if fail and s == 6:
                raise KeyboardInterrupt
            drawn.append(s)
            yield {"s": s}, row

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "time", SimpleNamespace(monotonic=itertools.count(0, 100).__next__))
        with pytest.raises(KeyboardInterrupt):
            sweep(key, outputs(True), offsets, checkpoint=path)
        assert len(load_sweep(path)) == 6
        seen = []
        found = sweep(key, outputs(False), offsets, checkpoint=path, progress=lambda done, _: seen.append(done))
    assert seen[-1] == 10
    np.testing.assert_array_equal(found.sums, sweep(key, responses, offsets).sums)
    assert load_sweep(path) == found
    # in another order, with one setting more; settings that are not asked for again stay
    more = [({"s": 3}, responses[3]), ({"s": "new"}, responses[0]), ({"s": 0}, responses[0])]
    found = sweep(key, more, offsets, checkpoint=path)
    assert [setting["s"] for setting in found.settings] == [3, "new", 0, 1, 2, 4, 5, 6, 7, 8, 9]
    np.testing.assert_array_equal(found.sums[1], found.sums[2])
    with pytest.raises(ac.InputError, match="another key"):
        sweep(key[::-1], responses, offsets, checkpoint=path)
    with pytest.raises(ac.InputError, match="another signature"):
        sweep(key, responses, offsets, checkpoint=path, beta=2)


def test_a_key_of_other_mentions_is_another_key(tmp_path):
    def digest(*clusters):
        return sweep({"a": list(clusters)}, []).key_digest

    assert digest(["x", "y"], [(1, 2)]) == digest(["x", "y"], [(1, 2)])
    assert digest(["x", "y"], [(1, 2)]) != digest(["x", "y"], [(1, 3)])
    # mentions without a text that lasts are told apart by the shape of the clusters only
    assert digest([object(), object()]) == digest([object(), object()]) != digest([object()])
    path = tmp_path / "c.npz"
    sweep({"a": [["x", "y"]]}, {"s": {"a": [["x"]]}}, checkpoint=path)
    with pytest.raises(ac.InputError, match="another key"):
        sweep({"a": [["x", "z"]]}, {"s": {"a": [["x"]]}}, checkpoint=path)


def test_an_array_and_its_checkpoint(tmp_path):
    key, responses, offsets = noisy(np.linspace(0, 0.5, 10))
    path = tmp_path / "c.npz"
    sweep(key, responses[:4], offsets, checkpoint=path)
    found = sweep(key, responses, offsets, checkpoint=path)
    assert found == sweep(key, responses, offsets)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(swept, backend):
    pytest.importorskip(backend)
    table = swept.to_frame(backend)
    columns = list(getattr(table, "column_names", table.columns))
    assert columns[:4] == ["t", "mentions_recall", "mentions_precision", "mentions_f1"]
    assert columns[-1] == "conll_f1"
    values = table["conll_f1"]
    assert (values.to_pylist() if backend == "pyarrow" else values.to_list()) == swept.score("conll").tolist()
    long = swept.to_frame(backend, per_document=True)
    assert len(long) == 4 * 40
    assert list(getattr(long, "column_names", long.columns))[:2] == ["t", "document"]
    with pytest.raises(ac.UnknownNameError):
        swept.to_frame("excel")


def test_named_frames(swept):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert isinstance(swept.to_pandas(), pandas.DataFrame)
    assert isinstance(swept.to_polars(), polars.DataFrame)


def test_xarray(swept):
    pytest.importorskip("xarray")
    labelled = swept.to_xarray()
    assert labelled.f1.dims == ("t", "metric")
    assert float(labelled.f1.sel(t=0.1, metric="muc")) == swept[1]["muc"].f1
    assert labelled.sums.dims == ("t", "document", "group", "sum")
    assert float(labelled.sums.sel(t=0.5, document=3, group="bcub", sum="recall_num")) == swept[2][3]["bcub"].recall_num
    key, responses, offsets = noisy([0.1] * 6)
    square = sweep(key, responses, offsets, settings={"a": [1, 2], "b": ["x", "y", "z"]}).to_xarray()
    assert square.f1.sizes == {"a": 2, "b": 3, "metric": 9}
    mixed = sweep(key, responses[:2], offsets, settings=[{"a": 1}, {"b": 2}]).to_xarray()
    assert mixed.f1.dims == ("setting", "metric")
    assert mixed.a.dims == ("setting",)
    names = sweep(key, responses[:2], offsets, settings=["x", "y"]).to_xarray()
    assert names.setting.values.tolist() == ["x", "y"]


def test_without_xarray(swept, monkeypatch):
    """Quoted, since zsh takes brackets for a pattern."""
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ac.MissingDependencyError, match=r"pip install 'arraycoref\[xarray\]'$"):
        swept.to_xarray()


def test_every_cut_of_a_large_clustering_as_arrays(monkeypatch):
    """The place of each value is looked up; comparing it with all others took an hour for 20,000 cuts."""
    pytest.importorskip("xarray")
    thresholds = np.random.default_rng(0).permutation(300) / 300
    found = sweep([0, 0, 1], [[0, 0, 1]] * 300, settings={"threshold": thresholds}, metrics="muc")
    calls = []
    monkeypatch.setattr("arraycoref.sweeps.tables.identity", lambda value: calls.append(value) or identity(value))
    assert found.to_xarray().threshold.values.tolist() == thresholds.tolist()
    assert 0 < len(calls) <= 3 * 300


def test_figure(swept):
    pytest.importorskip("matplotlib")
    pytest.importorskip("arraycoref.stats.figures")
    figure = swept.plot("muc", resamples=50)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "t"
    assert axes.get_ylabel() == "F1 in percent, 95% interval"
    assert legend(figure) == ["MUC, best at 0.1"]
    assert legend(swept.plot(["bcub", "conll"], "f1", resamples=50, confidence=None)) == [
        "B³, best at 0.1",
        "CoNLL, best at 0.1",
    ]
    with pytest.raises(ac.UnknownNameError, match="parameter"):
        swept.plot("muc", parameter="x")
    with pytest.raises(ac.InputError, match="these parameters"):
        sweep([0, 0], np.zeros((2, 2), int), settings=["a", "b"]).plot("muc")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda sweep: pickle.loads(pickle.dumps(sweep))])
@pytest.mark.parametrize("ask", [lambda sweep: None, repr, lambda sweep: sweep.best(resamples=20)])
def test_copies(ask, copied):
    """A sweep is the same after copying and pickling, whatever was asked of it before."""
    key, responses, offsets = noisy([0.3, 0.1, 0.5])
    found = sweep(key, responses, offsets, settings={"t": [0.3, 0.1, 0.5]})
    ask(found)
    again = copied(found)
    assert again == found
    assert repr(again) == repr(found)
    assert again.at(t=0.1) == found.at(t=0.1)
    assert again.best(resamples=20).setting == {"t": 0.1}


def test_less_is_better_and_counts_are_counts():
    """Direction and unit of a metric are the registry's, in the order of settings, the best, tables and figures."""
    rng = np.random.default_rng(0)
    key = rng.integers(0, 4, 60)
    outputs = [np.where(rng.random(60) < share, rng.integers(0, 4, 60), key) for share in (0.6, 0.0, 0.2)]
    found = sweep(
        key, outputs, range(0, 61, 10), metrics="merge-distance", settings=ac.sweeps.grid({"noise": [0.6, 0.0, 0.2]})
    )
    assert found.order("merge-distance").tolist() == [1, 2, 0]
    best = found.best("merge-distance", resamples=50)
    assert (best.position, best.score.estimate) == (1, 0.0)
    assert best.pvalues[1] == 1.0 > best.pvalues[0]
    assert str(best).startswith("noise=0.0: merge-distance f1 0 [0, 0]")
    assert "best merge-distance: 0 at noise=0.0" in repr(found)
    figure = found.plot()
    assert "percent" not in figure.axes[0].get_ylabel()
    assert legend(figure) == ["Merge distance, best at 0"]
    with pytest.raises(ac.InputError, match="counts and ratios"):
        sweep(key, outputs, metrics="merge-distance,muc", settings=[1, 2, 3]).plot(["muc", "merge-distance"])
