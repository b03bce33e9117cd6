"""Figures: what they show, and that they are written the same each time, without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from stats_data import scored, some_documents

import arraycoref as ac
from arraycoref.errors import InputError, MissingDependencyError, OptionError, UnknownNameError, printable
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
    save_figure,
)
from arraycoref.stats.figures.correlations import coefficient, p_text


def texts(figure):
    """All words of a figure."""
    from matplotlib.text import Text

    return " | ".join(text.get_text() for text in figure.findobj(Text) if text.get_text())


@pytest.fixture(scope="module")
def c(runs):
    return correlate(runs, metrics="muc,bcub,blanc,conll")


def test_same_bytes(tmp_path, runs):
    comparison = compare(runs, resamples=100)
    for name in "ab":
        figure = plot_scores(comparison)
        for suffix in ("png", "svg", "pdf"):
            save_figure(figure, tmp_path / f"{name}.{suffix}")
    for suffix in ("png", "svg", "pdf"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_scores(runs):
    shown = texts(plot_scores(compare(runs, resamples=300)))
    assert "CoNLL F1 in percent, 95% interval" in shown
    assert "same letter: no significant difference" in shown
    assert all(name in shown for name in runs)
    shown = texts(plot_scores(compare(runs, resamples=300, baseline="s2", metric="bcub", field="recall")))
    assert "B³ recall" in shown
    assert "* differs from s2" in shown
    one = {name: some_documents(b, [0]) for name, b in runs.items()}
    shown = texts(plot_scores(compare(one, resamples=10)))
    assert "interval" not in shown
    assert "letter" not in shown


@pytest.mark.parametrize("n_documents", [5, 40])
def test_differences(n_documents):
    a, b = scored(1, n_documents=n_documents), scored(2, n_documents=n_documents)
    shown = texts(plot_differences(a, b, metric="muc", names=("ours", "theirs")))
    assert "MUC F1: ours − theirs, points" in shown
    assert f"corpus {100 * (a['muc'].f1 - b['muc'].f1):+.2f}" in shown
    better = sum(one > other for one, other in zip(*map(exact_muc, (a, b)), strict=True))
    assert f"ours better in {better}," in shown


def exact_muc(b):
    """F of MUC of each document, 2 s / (k + r) of s shared links, as fractions: floats of equal ones may differ."""
    return [Fraction(2 * int(s), max(1, int(k + r))) for s, k, _, r in b.counts["muc"].tolist()]


def test_parameter():
    x = np.array([3.0, 1.0, 2.0])
    y = np.array([0.5, 0.2, 0.6])
    figure = plot_parameter(x, y, y - 0.1, y + 0.1, parameter="threshold", score="MUC F1", log=True)
    assert "best at 2" in texts(figure)
    assert figure.axes[0].lines[0].get_xdata().tolist() == [1, 2, 3]
    assert figure.axes[0].lines[0].get_ydata() == pytest.approx([20, 60, 50])
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[0].get_ylabel() == "MUC F1 in percent"
    band = plot_parameter(x, y, y - 0.1, y + 0.1, confidence=0.9)
    assert band.axes[0].get_ylabel() == "F1 in percent, 90% interval"
    assert plot_parameter(x, y, confidence=0.9).axes[0].get_ylabel() == "F1 in percent"  # there is no band
    assert "B³, best at 3" in texts(plot_parameter(x, {"MUC": y, "B³": x / 10}))
    with pytest.raises(InputError, match="low and high"):
        plot_parameter(x, y, low=y)
    with pytest.raises(InputError, match=r"scores has shape \(2,\)"):
        plot_parameter(x, y[:2])
    with pytest.raises(InputError, match="empty mapping"):
        plot_parameter(x, {})


def test_differences_of_scores_that_are_equal_up_to_rounding():
    key, p, q = [2, 1, 1, 0, 0, 0, 0, 0, 0], [3, 2, 3, 1, 0, 2, 1, 3, 0], [0, 0, 3, 1, 0, 2, 2, 3, 1]
    a, b = (ac.score_labels_batch(key, response, [0, 9], metrics="bcub") for response in (p, q))
    assert a["bcub"].f1 < b["bcub"].f1
    title = plot_differences(a, b, metric="bcub").axes[0].get_title(loc="left")
    assert title == "dashed: corpus +0.00\nA better in 0, B in 0, equal in 1"


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1, 2, np.inf], {}, "has the value inf; expected finite numbers$"),
        ([1, np.nan, 3], {}, "has the value nan"),
        ([1, 0, 3], {"log": True}, "has the value 0 on a logarithmic axis; expected finite numbers above 0"),
        ([1, -2, 3], {"log": True}, "has the value -2 on a logarithmic axis"),
        (["a", "b", "c"], {}, "hold a value that is no number"),
    ],
)
def test_parameters_that_have_no_place_on_the_axis(values, options, message):
    with pytest.raises(InputError, match=message):
        plot_parameter(values, [0.1, 0.2, 0.3], **options)


def test_correlation(c):
    shown = texts(plot_correlation(c, against="blanc"))
    assert f"MUC, r = {c.against('blanc')['muc'][0]:.3f}" in shown
    grid = plot_correlation(c)
    assert len(grid.axes) == 16
    assert coefficient(c.coefficients[2, 0, 3]) in texts(grid)
    recall = plot_correlation(c, field="recall", width=3)
    assert len(recall.axes) == 9  # the CoNLL average has no recall
    assert "CoNLL" not in texts(recall)


def test_marks_say_level_and_correction(runs):
    from arraycoref.stats.options import CORRECTIONS

    for correction, name in CORRECTIONS.items():
        shown = texts(plot_scores(compare(runs, resamples=300, alpha=0.1, correction=correction)))
        assert f"(alpha 0.1, {name})" in shown
    two = {name: runs[name] for name in ("s1", "s5")}
    assert "(alpha 0.05)" in texts(plot_scores(compare(two, resamples=300)))  # one test is not corrected


def test_coefficients_do_not_round_to_perfect():
    assert [coefficient(value) for value in (0.9974, 0.99951, 1.0, -0.99999, -0.5, 0.0)] == [
        *("0.997", "> 0.999", "1.000", "< −0.999", "−0.500", "0.000")
    ]
    assert coefficient(0.9996, "spearman") == "ρ > 0.999"
    assert coefficient(0.5, "kendall") == "τ = 0.500"


def test_metric_against_metric(runs, c):
    figure = plot_metrics(c, "muc", "blanc")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("MUC F1 in percent", "BLANC F1 in percent")
    r, p = c.against("blanc")["muc"]
    assert axes.get_title() == f"Pearson's {coefficient(r, 'pearson')} ({p_text(p)}), 5 systems"
    assert sorted(text.get_text() for text in axes.texts) == sorted(runs)
    assert axes.lines[0].get_xdata() == pytest.approx([100 * b["muc"].f1 for b in runs.values()])
    for text, (name, b) in zip(sorted(axes.texts, key=lambda text: text.get_text()), sorted(runs.items()), strict=True):
        assert text.get_text() == name
        assert text.xy == pytest.approx((100 * b["muc"].f1, 100 * b["blanc"].f1))
    assert not plot_metrics(c, "muc", "bcub", names=False).axes[0].texts
    with pytest.raises(UnknownNameError, match="metric"):
        plot_metrics(c, "muc", "lea")
    with pytest.raises(UnknownNameError, match="field"):
        plot_metrics(c, "muc", "bcub", field="f2")
    with pytest.raises(InputError, match="has no recall"):
        plot_metrics(c, "muc", "conll", field="recall")


def test_grid_of_scores():
    figure = plot_grid([[0.5, np.nan], [0.6, 0.4]], ["a", "b"], [1, 2], row="linkage", column="n", score="MUC F1")
    assert "best: 60.0 at linkage=b, n=1" in texts(figure)
    assert figure.axes[1].get_ylabel().split() == ["MUC", "F1", "in", "percent"]
    lowest = plot_grid([[5, 7]], ["a"], [1, 2], percent=False, lower_is_better=True)
    assert "best: 5 at" in texts(lowest)
    for wrong in ([[0.5]], [0.5, 0.6]):
        with pytest.raises(InputError, match=r"expected a number per row and column, shape \(1, 2\)"):
            plot_grid(wrong, ["a"], [1, 2])


def test_wrong_correlations(runs, c):
    with pytest.raises(UnknownNameError, match="muc, bcub"):
        plot_correlation(c, against="lea")
    with pytest.raises(UnknownNameError, match="recall, precision, f1"):
        plot_correlation(c, field="f2")
    same = correlate(dict.fromkeys("abc", runs["s1"]), metrics="muc,bcub")
    with pytest.raises(InputError, match="nothing to correlate"):
        plot_correlation(same)


def test_suffix(c, tmp_path):
    with pytest.raises(InputError, match=r"\.png, \.svg, \.pdf"):
        save_figure(plot_correlation(c), tmp_path / "x.jpg")


def test_style_stays_inside(c):
    import matplotlib

    before = dict(matplotlib.rcParams)
    plot_correlation(c)
    assert dict(matplotlib.rcParams) == before


def test_without_matplotlib(c, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"arraycoref\[plot\]"):
        plot_correlation(c)


def test_imports_are_lazy():
    """Neither the statistics nor the figures import scipy, numba or matplotlib before they need them."""
    code = (
        "import sys, arraycoref.stats, arraycoref.stats.figures, arraycoref.cli.compare\n"
        "print([name for name in ('scipy', 'numba', 'matplotlib', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize(
    "name",
    [
        "$x$\n\x1b[31m",
        *(pytest.param(name, marks=slow) for name in ("$x$", "$x", r"$\frac$", r"\$", r"\$$", "a_b^c")),
        *(pytest.param(name, marks=slow) for name in ("a\nb\x1b[31m", "\ud800", "\u202ex")),
    ],
)
def test_names_are_no_mathematics(tmp_path, name):
    """They are drawn as they are; what cannot be printed, escaped."""
    import matplotlib.text
    from matplotlib.cbook import is_math_text

    a, b = scored(1, n_documents=2), scored(2, n_documents=2)
    a, b = (replace(one, counts=replace(one.counts, names=(name, "other"))) for one in (a, b))
    figures = [
        plot_scores(compare({name: a, "b": b}, resamples=20, baseline=name)),
        plot_differences(a, b, names=(name, "b")),
        plot_parameter([1, 2], {name: [0.1, 0.2]}, parameter=name, score=name),
        plot_grid([[0.1, 0.2]], [name], [name, "b"], row=name, column=name, score=name, summary=name),
        plot_metrics(correlate({name: a, "b": b, "c": scored(3, n_documents=2)}, metrics="muc,bcub"), "muc", "bcub"),
        plot_correlation(correlate({name: a, "b": b, "c": scored(3, n_documents=2)}, metrics="muc,bcub")),
    ]
    for n, figure in enumerate(figures):
        suffix = ("svg", "pdf", "png")[(n + len(name)) % 3]
        save_figure(figure, tmp_path / f"{n}.{suffix}")
        written = [text.get_text() for text in figure.findobj(matplotlib.text.Text)]
        assert not any(is_math_text(text) for text in written)
        shown = [text.replace(r"\$", "$") for text in written]  # as matplotlib does where there is no mathematics
        if n < 4:
            assert any(printable(name) in text for text in shown)


BAND = {"A": [0.1, 0.1, 0.1]}


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (["a", "b", "c"], {}, "scores hold a value that is no number"),
        ({"A": [[1], [2, 3]]}, {}, "scores hold a value that is no number"),
        (
            BAND,
            {"low": BAND, "high": {"B": [0.2, 0.2, 0.2]}},
            "the band of 'A' needs a line of that name",
        ),
        (BAND, {"low": {"a": [0.1] * 3}, "high": {"a": [0.2] * 3}}, "the band of 'a' needs .*; got A"),
        (BAND, {"lower_is_better": True}, "unknown line in lower_is_better True; expected one of: A"),
        (BAND, {"lower_is_better": ["B"]}, "unknown line in lower_is_better 'B'"),
        ({1: [1, 2, 3]}, {"lower_is_better": True}, "unknown line in lower_is_better True; expected one of: 1"),
        (BAND, {"lower_is_better": [["A"]]}, r"unknown line in lower_is_better \['A'\]"),
        ({1: [1, 2, 3]}, {"low": [1, 2, 3], "high": [1, 2, 3]}, "the band of '' needs a line of that name.*; got 1"),
        ({1: [1, 2, 3], "1": [1, 2, 3]}, {}, "two lines of scores are named 1; expected names that differ as texts"),
        (BAND, {"low": BAND, "high": BAND, "confidence": 95}, "confidence is 95; expected a fraction"),
        (BAND, {"width": -1}, "width is -1; expected inches, 1.5 to 50"),
        ({"A": [0.1, np.inf, 0.2]}, {}, "scores hold inf; expected finite numbers"),
    ],
)
def test_lines_and_bands_that_do_not_fit(scores, options, message):
    with pytest.raises(InputError, match=message):
        plot_parameter([1, 2, 3], scores, **options)


def test_numbers_of_other_kinds():
    """Masked entries are missing ones; an empty line has no place on a logarithmic axis either."""
    masked = np.ma.array([0.9, 0.5, 0.6], mask=[True, False, False])
    assert "best at 3" in texts(plot_parameter([1, 2, 3], masked))
    assert "best: 60.0 at row=r, column=c" in texts(plot_grid([masked], ["r"], ["a", "b", "c"]))
    assert "without a score" in texts(plot_parameter([], [], log=True))
    with pytest.raises(InputError, match=r"values has shape \(1, 2\); expected one parameter"):
        plot_parameter([[1, 2]], [1, 2])
    with pytest.raises(InputError, match="scores hold a value that is no number"):
        plot_grid([["x"]], ["r"], ["c"])


def test_wrong_results(a, b, c):
    for wrong in (None, {"a": a}, "c"):
        with pytest.raises(InputError, match="is no Correlation; expected what"):
            plot_metrics(wrong, "muc", "bcub")
    for names in (None, ("A",), ("A", "B", "C")):
        with pytest.raises(InputError, match="expected the names of the two systems"):
            plot_differences(a, b, names=names)


@pytest.mark.parametrize("width", [0, np.nan, 0.05, 1000, 10**400, True, "3", [3]])
def test_widths_that_no_figure_has(a, b, c, runs, width):
    """Zero is not taken for a width that is left out."""
    figures = (
        lambda: plot_scores(compare(runs, resamples=100), width=width),
        lambda: plot_differences(a, b, width=width),
        lambda: plot_metrics(c, "muc", "bcub", width=width),
        lambda: plot_correlation(c, width=width),
        lambda: plot_correlation(c, against="muc", width=width),
        lambda: plot_parameter([1, 2], [0.1, 0.2], width=width),
        lambda: plot_grid([[0.1]], ["a"], ["b"], width=width),
    )
    for figure in figures:
        with pytest.raises(OptionError, match=f"^width is {re.escape(repr(width))}; expected inches, 1.5 to 50$"):
            figure()


def test_no_letter_is_a_line():
    assert "lr best at 2" in texts(plot_parameter([1, 2], {"lr": [0.3, 0.1]}, lower_is_better="lr")).replace(",", "")


def test_lines_go_by_the_index_of_their_values():
    """Positions would put the score of one setting above another."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [3, 1, 2], "f1": [0.3, 0.1, 0.2]})
    assert "best at 3" in texts(plot_parameter(frame["x"], frame["f1"]))
    with pytest.raises(InputError, match="values and scores are Series of different indices; expected the same"):
        plot_parameter(frame.sort_values("x")["x"], frame["f1"])


def test_grids_that_show_nothing():
    with pytest.raises(InputError, match=r"scores of shape \(1, 1\) hold no number; expected one at least"):
        plot_grid([[np.nan]], ["a"], ["b"])
    with pytest.raises(InputError, match="scores hold -inf; expected finite numbers"):
        plot_grid([[-np.inf, 0.1]], ["a"], ["b", "c"])
    with pytest.raises(InputError, match="rows is 1; expected the values of a parameter"):
        plot_grid([[0.1]], 1, ["b"])
    assert "best: 10.0 at row=a, column=b" in texts(plot_grid([[0.1]], iter("a"), iter("b")))


def test_what_is_no_figure(tmp_path):
    with pytest.raises(InputError, match=r"^str is no Figure; expected what"):
        save_figure("figure", tmp_path / "a.png")


def test_axes_say_beta_and_units(runs):
    """F2 is not called F1, and a count beside ratios is not in percent."""
    key, offsets = [0, 0, 1, 1] * 2, [0, 4, 8]
    responses = {"right": key, "one wrong": [0, 1, 1, 1, 0, 0, 1, 1], "single": [0, 1, 2, 3] * 2}

    def correlated(beta, metrics="muc,bcub,merge-distance"):
        scored = {
            name: ac.score_labels_batch(key, response, offsets, beta=beta, metrics=metrics)
            for name, response in responses.items()
        }
        return scored, correlate(scored)

    twos, c = correlated(2.0)
    axes = plot_metrics(c, "muc", "merge-distance").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("MUC F2 in percent", "Merge distance")
    axes = plot_correlation(c, against="muc").axes[0]
    assert axes.get_xlabel() == "MUC F2 in percent"
    assert axes.get_ylabel().split() == ["other", "metrics,", "F2", "in", "percent", "and", "counts"]
    assert "F2 in percent and counts of 3 systems" in texts(plot_correlation(c)).replace("\n", " ")
    ones, _ = correlated(1.0)
    with pytest.raises(InputError, match=r"'right' was scored with beta 2\.0 and 'one wrong' with 1\.0"):
        correlate(ones | {"right": twos["right"]})


def test_metric_that_nothing_correlates_with(c):
    """The message names the metric, and those that would do."""
    with pytest.raises(InputError, match=r"^conll has no recall, or one for all systems; expected a metric.*muc, bcub"):
        plot_correlation(c, against="conll", field="recall")
