"""Figures at paper width: every word within the figure, and no word on another, for 2 to 30 systems."""

from __future__ import annotations

import numpy as np
import pytest
from stats_data import scored

from arraycoref.stats import compare, correlate
from marks import slow

pytest.importorskip("matplotlib")

from arraycoref.stats.figures import (
    plot_correlation,
    plot_differences,
    plot_grid,
    plot_metrics,
    plot_parameter,
    plot_scores,
)
from arraycoref.stats.figures.style import COLUMN, PAGE, styled

SIZES = (pytest.param(2, marks=slow), pytest.param(8, marks=slow), 30)
LONG = "a system with a name that no column of a paper has room for, trained on everything, seed {}"
PIXEL = 1.0


def words(figure):
    """Return the words that are drawn, with the box of each in pixels, and those of each axis's tick labels."""
    from matplotlib.text import Text

    axes = [axis for one in figure.axes for axis in (one.xaxis, one.yaxis)]
    ticks = [drawn_labels(axis) for axis in axes]
    owned = {label for axis in axes for tick in every_tick(axis) for label in (tick.label1, tick.label2)}
    others = [text for text in figure.findobj(Text) if text not in owned]
    shown = [text for text in [*others, *(label for labels in ticks for label in labels)] if text.get_visible()]
    hidden = {text for one in figure.axes if not one.axison for text in one.findobj(Text) if text not in one.texts}
    return [text for text in shown if text.get_text().strip() and text not in hidden], ticks


def every_tick(axis):
    return [*axis.get_major_ticks(), *axis.get_minor_ticks()]


def drawn_labels(axis):
    low, high = sorted(axis.get_view_interval())
    inside = [tick for tick in every_tick(axis) if low <= tick.get_loc() <= high]
    return [
        label for tick in inside for label in (tick.label1, tick.label2) if label.get_visible() and label.get_text()
    ]


def check(figure, width=COLUMN):
    """Check a figure as it is saved: its width, that words are within it, and that none covers another."""
    with styled():
        figure.set_dpi(200)
        figure.draw_without_rendering()
        shown, ticks = words(figure)
        level = [text for text in shown if text.get_rotation() % 90 == 0]
        for texts in (shown, level, *ticks):
            boxes = np.array([text.get_window_extent().extents for text in texts]).reshape(-1, 4)
            outside = (boxes[:, :2] < -PIXEL).any(axis=1) | (boxes[:, 2:] > figure.bbox.max + PIXEL).any(axis=1)
            assert [text.get_text() for text, out in zip(texts, outside, strict=True) if out] == []
            if texts is not shown:
                low, high = boxes[:, :2] + PIXEL, boxes[:, 2:] - PIXEL
                over = ((low[:, None] < high) & (low < high[:, None])).all(axis=2)
                found = [(texts[n].get_text(), texts[m].get_text()) for n, m in np.argwhere(np.triu(over, 1))]
                assert found == []
    assert shown
    assert figure.get_figwidth() == pytest.approx(width)


@pytest.fixture(scope="module")
def many():
    return [scored(seed, n_documents=12) for seed in range(30)]


def named(many, n, name):
    return {name.format(seed): b for seed, b in enumerate(many[:n])}


@pytest.mark.parametrize("name", [pytest.param("s{}", marks=slow), LONG])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("baseline", [False, pytest.param(True, marks=slow)])
def test_scores(many, n, name, baseline):
    options = {"baseline": name.format(1), "correction": "bh"} if baseline else {}
    width = PAGE if baseline else COLUMN
    c = compare(named(many, n, name), metric="muc", method="percentile", resamples=20, **options)
    check(plot_scores(c, width=width), width)


@pytest.mark.parametrize("names", [pytest.param(("A", "B"), marks=slow), (LONG, LONG + "1")])
@pytest.mark.parametrize("n", [2, pytest.param(30, marks=slow), 31])
def test_differences(n, names):
    from dataclasses import replace

    a, b = scored(1, n_documents=n), scored(2, n_documents=n)
    check(plot_differences(a, b, names=names))
    a, b = (replace(one, counts=replace(one.counts, names=tuple(map(LONG.format, range(n))))) for one in (a, b))
    check(plot_differences(a, b, names=names, metric="muc", field="recall"))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", [pytest.param("s{}", marks=slow), LONG])
@pytest.mark.parametrize("options", [{"parameter": LONG, "score": LONG}, pytest.param({"log": True}, marks=slow)])
def test_lines(n, name, options):
    x = np.array([1e-5, 3e-5, 1e-4, 3e-4, 1e-3])
    lines = {name.format(s): np.linspace(0.5, 0.6 + s / 100, 5) for s in range(n)}
    check(plot_parameter(x, lines, **options))


@pytest.mark.parametrize("n", SIZES)
def test_numbers_of_an_axis(n):
    check(plot_parameter(np.arange(n), np.linspace(0.2, 0.7, n), parameter="epoch", summary="mean over seed"))
    check(plot_parameter(1e6 * np.arange(n), np.linspace(0.69999, 0.7, n)))
    check(plot_parameter(0.01 + 0.001 * np.arange(n), np.linspace(0.6, 0.7, n), log=True))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [30])
@pytest.mark.parametrize("named", [pytest.param(False, marks=slow), True])
def test_grids(n, m, named):
    scores = np.linspace(0.2, 0.9, n * m).reshape(n, m)
    rows, columns = (
        ([LONG.format(r) for r in range(n)], np.linspace(0, 1, m).round(3)) if named else (range(n), range(m))
    )
    figure = plot_grid(scores, list(rows), list(columns), row="system", column=LONG, summary="mean over seed")
    check(figure, figure.get_figwidth())
    assert figure.get_figwidth() in (COLUMN, PAGE)


@pytest.mark.parametrize("n", SIZES[1:])
def test_correlations(many, n):
    check(plot_correlation(correlate(named(many, n, "{} system"), metrics="muc,conll,blanc"), against="blanc"))


@pytest.mark.parametrize("n", SIZES[1:])
def test_metrics(many, n):
    c = correlate(named(many, n, "{} system"), metrics="muc,lea,conll,blanc")
    check(plot_metrics(c, "conll", "blanc"))
    check(plot_metrics(c, "lea", "muc", field="recall", names=False, width=2.5), 2.5)


def test_metrics_of_long_names(many):
    check(plot_metrics(correlate(named(many, 5, LONG), metrics="conll,blanc"), "conll", "blanc"))


MANY_METRICS = "mentions,muc,bcub,ceafm,ceafe,blanc,lea,pairwise,conll,ceaf-phi1,bcub-0,bcub-all"


@pytest.mark.parametrize("metrics", [pytest.param(MANY_METRICS, marks=slow), "mentions,muc,ceafm,conll,bcub-all"])
def test_grid_of_metrics(metrics):
    runs = {str(seed): scored(seed, metrics=metrics) for seed in range(8)}
    check(plot_correlation(correlate(runs)), PAGE)
