"""Figures: what they show, and that they are written the same each time, without a warning."""

from dataclasses import replace

import numpy as np
import pytest
from stats_data import equal_up_to_rounding, scored, some_documents

from arraycoref.exceptions import InputError, printable
from arraycoref.stats import compare, correlate

pytest.importorskip("matplotlib")

from arraycoref.display.figure import short_names
from arraycoref.stats.figures import (
    coefficient,
    plot_correlation,
    plot_differences,
    plot_parameter,
    plot_scores,
    save_figure,
)


def texts(figure):
    from matplotlib.text import Text

    return " | ".join(text.get_text() for text in figure.findobj(Text) if text.get_text())


@pytest.fixture(scope="module")
def c(runs):
    return correlate(runs, metrics="muc,bcub,blanc,conll")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_same_bytes(tmp_path, c, suffix):
    for name in "ab":
        save_figure(plot_correlation(c, "muc"), tmp_path / f"{name}.{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_scores(runs):
    shown = texts(plot_scores(compare(runs, resamples=300)))
    assert "CoNLL F1 in percent, 95% interval" in shown
    assert "same letter: no significant difference" in shown
    assert all(name in shown for name in runs)
    shown = texts(plot_scores(compare(runs, resamples=300, baseline="s2", metric="bcub", field="recall")))
    assert "B³ recall" in shown
    assert "* differs from s2" in shown
    one = texts(plot_scores(compare({name: some_documents(b, [0]) for name, b in runs.items()}, resamples=10)))
    assert "interval" not in one
    assert "letter" not in one


@pytest.mark.parametrize("n_documents", [5, 40])
def test_differences(n_documents):
    a, b = scored(1, n_documents=n_documents), scored(2, n_documents=n_documents)
    shown = texts(plot_differences(a, b, metric="muc", names=("ours", "theirs")))
    assert "MUC F1: ours − theirs, points" in shown
    assert f"corpus {100 * (a['muc'].f1 - b['muc'].f1):+.2f}" in shown
    better = int((a.documents["muc"].f1 - b.documents["muc"].f1 > 1e-12).sum())
    assert f"ours better in {better}," in shown


def test_parameter():
    x = np.array([3.0, 1.0, 2.0])
    y = np.array([0.5, 0.2, 0.6])
    figure = plot_parameter(x, y, y - 0.1, y + 0.1, parameter="threshold", score="MUC F1", log=True)
    assert "best at 2" in texts(figure)
    assert figure.axes[0].lines[0].get_xdata().tolist() == [1, 2, 3]
    assert figure.axes[0].lines[0].get_ydata() == pytest.approx([20, 60, 50])
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[0].get_ylabel() == "MUC F1 in percent"
    band = plot_parameter(x, y, y - 0.1, y + 0.1, band="90% interval")
    assert band.axes[0].get_ylabel() == "F1 in percent, 90% interval"
    assert "B³, best at 3" in texts(plot_parameter(x, {"MUC": y, "B³": x / 10}))
    assert "lr, best at 1" in texts(plot_parameter(x, {"lr": y}, lower_is_better=["lr"]))
    assert "without a score" in texts(plot_parameter([1, 2], [np.nan, np.nan]))
    for values, log, message in (
        ([1, 2, np.inf], False, "has the value inf; expected finite numbers$"),
        ([1, 0, 3], True, "has the value 0; expected finite numbers above 0 on a logarithmic axis"),
    ):
        with pytest.raises(InputError, match=message):
            plot_parameter(values, y, log=log)


def test_differences_of_scores_that_are_equal_up_to_rounding():
    title = plot_differences(*equal_up_to_rounding().values(), metric="bcub").axes[0].get_title(loc="left")
    assert title == "dashed: corpus +0.00\nA better in 0, B in 0, equal in 2"


def test_correlation(c, runs):
    shown = texts(plot_correlation(c, against="blanc"))
    assert f"MUC, r = {c.against('blanc')['muc'][0]:.3f}" in shown
    assert "CoNLL" not in texts(plot_correlation(c, "blanc", field="recall", width=3))  # which has no recall
    same = correlate(dict.fromkeys("abc", runs["s1"]), metrics="muc,bcub")
    with pytest.raises(InputError, match="nothing to draw: of muc and other metrics, expected two that vary"):
        plot_correlation(same, "muc")


def test_coefficients_do_not_round_to_perfect():
    assert [coefficient(value, "pearson") for value in (0.9974, 0.99951, 1.0, -0.99999, -0.5, np.nan)] == [
        *("r = 0.997", "r > 0.999", "r = 1.000", "r < −0.999", "r = −0.500", "r = undefined")
    ]
    assert coefficient(0.9996, "spearman") == "ρ > 0.999"
    assert coefficient(0.5, "kendall") == "τ = 0.500"


def test_metric_against_metric(runs, c):
    figure = plot_correlation(c, "muc", "blanc")
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("MUC F1 in percent", "BLANC F1 in percent")
    r, p = c.against("blanc")["muc"]
    assert p < 0.001
    assert axes.get_title() == f"Pearson's {coefficient(r, 'pearson')} (p < 0.001), 5 systems"
    assert sorted(text.get_text() for text in axes.texts) == sorted(runs)
    for text in axes.texts:
        b = runs[text.get_text()]
        assert text.xy == pytest.approx((100 * b["muc"].f1, 100 * b["blanc"].f1))
    assert not plot_correlation(c, "muc", "bcub", names=False).axes[0].texts


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", ["$x$\n\x1b[31m", r"\$$", "\ud800"])
def test_names_are_no_mathematics(tmp_path, name):
    from matplotlib.cbook import is_math_text

    a, b = scored(1, n_documents=2), scored(2, n_documents=2)
    a = replace(a, counts=replace(a.counts, names=(name, "other")))
    correlation = correlate({name: a, "b": b, "c": scored(3, n_documents=2)}, metrics="muc,bcub")
    for figure in (
        plot_scores(compare({name: a, "b": a}, resamples=20, baseline=name)),
        plot_differences(a, a, names=(name, "b")),
        plot_parameter([1, 2], {name: [0.1, 0.2]}, parameter=name, score=name),
        plot_correlation(correlation, "muc", "bcub"),
    ):
        written = texts(figure).split(" | ")
        assert not any(map(is_math_text, written))
        assert any(printable(name) in text.replace(r"\$", "$") for text in written)  # as drawn without mathematics
    save_figure(figure, tmp_path / "names.svg")


def test_long_names_keep_what_differs():
    names = [f"experiments/2024/bert-base-cased/seed-{k}/output" for k in range(10)]
    assert short_names(names)[:2] == ["…0…", "…1…"]
    assert short_names(["x" * 60, "short"]) == ["x" * 14 + "…" + "x" * 14, "short"]
    apart = ["a" * 30 + middle + "b" * 30 for middle in ("x", "y")]
    assert short_names([*apart, "c"]) == [*apart, "c"]
    assert short_names(["s1", "s2"]) == ["s1", "s2"]
    parts = ["large encoder", "large encoder with embeddings and genre"]
    assert short_names(parts) == ["large encoder", "large encoder …and genre"]  # neither empty nor cut within words
