"""Figures of sweeps over several parameters: lines with means over a third, and heat maps."""

import statistics

import numpy as np
import pytest
from sweep_data import legend, noisy

import arraycoref as ac
from arraycoref.sweeps import sweep


@pytest.fixture(scope="module")
def grid():
    """Two systems, three epochs given out of order, three seeds, one of which failed in the last epoch."""
    names = [
        {"system": name, "epoch": epoch, "seed": seed}
        for name in ("x", "y")
        for epoch in (2, 1, 3)
        for seed in (5, 6, 7)
    ]
    names.remove({"system": "y", "epoch": 3, "seed": 7})
    key, responses, offsets = noisy(np.linspace(0.6, 0.1, len(names)))
    return sweep(key, responses, offsets, settings=names, metrics="muc,bcub")


def mean_and_spread(grid, metric, **wanted):
    """Mean and standard deviation of the F1s of some settings, in percent."""
    found = [100 * grid.at(setting)[metric].f1 for setting in grid.settings if wanted.items() <= setting.items()]
    return statistics.mean(found), statistics.stdev(found)


def test_lines_by_a_second_parameter_over_a_third(grid):
    pytest.importorskip("matplotlib")
    figure = grid.plot("bcub", by="system", over="seed")
    (axes,) = figure.axes
    assert axes.get_xlabel() == "epoch"
    assert axes.get_ylabel().replace("\n", " ") == "B³ F1 in percent, mean over seed, ± standard deviation"
    lines = [line for line in axes.lines if len(line.get_xdata()) > 1]
    for line, band, name in zip(lines, axes.collections, "xy", strict=True):
        assert line.get_xdata().tolist() == [1, 2, 3]
        expected = [mean_and_spread(grid, "bcub", system=name, epoch=epoch) for epoch in (1, 2, 3)]
        assert line.get_ydata() == pytest.approx([mean for mean, _ in expected])
        corners = {(x, round(y, 6)) for x, y in band.get_paths()[0].vertices.tolist()}
        ends = {
            (x, round(m + sign * sd, 6)) for x, (m, sd) in zip((1, 2, 3), expected, strict=True) for sign in (-1, 1)
        }
        assert corners == ends
    best = [max((1, 2, 3), key=lambda epoch: mean_and_spread(grid, "bcub", system=n, epoch=epoch)) for n in "xy"]
    assert legend(figure) == [f"{name}, best at {epoch}" for name, epoch in zip("xy", best, strict=True)]
    one = grid.select([setting["seed"] == 6 for setting in grid.settings])
    assert legend(one.plot(["muc", "bcub"], parameter="epoch", by="system", resamples=20))[0].startswith("MUC, x, best")
    epochs = grid.select([setting["system"] == "x" for setting in grid.settings])
    assert [name[:6] for name in legend(epochs.plot(parameter="epoch", by="seed", confidence=None))] == [
        *("seed=5", "seed=6", "seed=7")
    ]


def test_heat_map(grid):
    pytest.importorskip("matplotlib")
    figure = grid.plot("muc", kind="grid", by="system", parameter="epoch", over="seed")
    axes, scale = figure.axes
    cells = axes.collections[0].get_array().reshape(2, 3)
    means = [[mean_and_spread(grid, "muc", system=name, epoch=epoch)[0] for epoch in (1, 2, 3)] for name in "xy"]
    np.testing.assert_allclose(cells, means)
    assert scale.get_ylabel().replace("\n", " ") == "MUC F1 in percent, mean over seed"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3"]
    assert [text.get_text() for text in axes.texts] == [f"{mean:.1f}" for row in means for mean in row]
    seeds = grid.select([setting["system"] == "y" for setting in grid.settings]).plot("muc", kind="grid")
    assert (seeds.axes[0].get_ylabel(), seeds.axes[0].get_xlabel()) == ("epoch", "seed")
    assert np.ma.getmaskarray(seeds.axes[0].collections[0].get_array()).sum() == 1  # the one that failed


def test_wrong_figures_of_two_parameters(grid):
    pytest.importorskip("matplotlib")
    with pytest.raises(ac.InputError, match=r"several settings share a value of epoch, system: by= draws"):
        grid.plot(parameter="epoch", by="system")
    with pytest.raises(ac.InputError, match="vary in these parameters of numbers: epoch, seed"):
        grid.plot(by="system")
    with pytest.raises(ac.InputError, match="values that are no numbers"):
        grid.plot(parameter="system", by="epoch", over="seed")
    for wrong in ({"by": "z"}, {"over": "z"}, {"kind": "grid", "by": "z"}, {"kind": "pie"}):
        with pytest.raises(ac.UnknownNameError, match=r"'z'|'pie'"):
            grid.plot(**wrong)
    with pytest.raises(ac.InputError, match=r"a grid shows two parameters.*vary in: system, epoch, seed"):
        grid.plot(kind="grid")
    with pytest.raises(ac.InputError, match="a grid shows one metric"):
        grid.plot(["muc", "bcub"], kind="grid", over="seed")
    for twice in ({"by": "epoch"}, {"over": "epoch"}, {"by": "seed", "over": "seed"}):
        for kind in ("lines", "grid"):
            with pytest.raises(ac.InputError, match=r"(epoch|seed) is named twice; expected different names"):
                grid.plot(**twice, kind=kind, parameter="epoch")
    with pytest.raises(ac.InputError, match="no metric is named"):
        grid.plot([], parameter="epoch", by="system", over="seed")
    with pytest.raises(ac.InputError, match="parameter t has no finite value"):
        sweep([0, 0], [[0, 0], [0, 1]], settings={"t": [-np.inf, np.inf]}).plot()
