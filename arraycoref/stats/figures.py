"""Draw figures for papers: scores, differences, scores against a parameter, and metrics against each other.

Each function returns a `matplotlib.figure.Figure`, which belongs to no window; `save_figure` writes it to a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arraycoref.report.figure import (
    COLOURS,
    COLUMN,
    new_axes,
    save_figure,
    short_names,
    styled,
    write_title,
)
from arraycoref.scoring.metrics.registry import check_field, direction
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.rows import score_name
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.curves import plot_parameter, plot_runs
from arraycoref.stats.ranking import Comparison
from arraycoref.stats.resampling import CORRECTIONS, Sample
from arraycoref.stats.scatter import plot_correlation, plot_metrics, scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "plot_correlation",
    "plot_differences",
    "plot_metrics",
    "plot_parameter",
    "plot_runs",
    "plot_scores",
    "save_figure",
]

NAMED = 30
"""The most documents that are drawn as rows with their names."""


def plot_scores(comparison: Comparison, *, width: float = COLUMN) -> Figure:
    """Draw a row per system: its score as a dot, its interval as a line, its mark at the right.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_scores
        >>> key, offsets = [0, 0, 1, 1] * 2, [0, 4, 8]
        >>> right, wrong = (ac.score_labels_batch(key, response, offsets) for response in (key, [0, 1, 1, 1] * 2))
        >>> figure = plot_scores(ac.compare({"right": right, "wrong": wrong}, metric="muc"))

    Args:
        comparison: from `arraycoref.compare`.
        width: width of the figure in inches.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    c, rows = comparison, np.arange(len(comparison.systems))
    factor, words = scale(c.metric)
    score, low, high = factor * np.array([(s.score.estimate, s.score.low, s.score.high) for s in c.systems]).T
    names = short_names(s.name for s in c.systems)
    with styled():
        figure, axes = new_axes(width, 0.9 + 0.2 * len(rows))
        for s, system in enumerate(c.systems):
            reference = c.baseline and system.name == c.reference
            colour, marker = (COLOURS[1], "s") if reference else (COLOURS[0], "o")
            axes.plot([low[s], high[s]], [s, s], color=colour, solid_capstyle="round")
            axes.plot(score[s], s, marker, color=colour, markersize=4)
            axes.annotate(system.mark, (1.02, s), xycoords=("axes fraction", "data"), va="center", fontsize=7)
            if reference:
                axes.axvline(score[s], color=COLOURS[1], linewidth=0.6, linestyle=":")
        axes.set_yticks(rows, names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="x")
        interval = "" if np.isnan(low).all() else f", {100 * c.confidence:g}% interval"
        axes.set_xlabel(score_name(c.metric, c.field, c.signature.beta, title=True) + words + interval)
        if any(s.mark for s in c.systems) and len(rows) > 1:
            corrected = f", {CORRECTIONS[c.correction]}" if c.n_tests > 1 else ""
            reference_name = names[[s.name for s in c.systems].index(c.reference)]
            meaning = f"* differs from {reference_name}" if c.baseline else "same letter: no significant difference"
            write_title(axes, f"{meaning} (alpha {c.alpha:g}{corrected})", width)
        return figure


def plot_differences(
    a: BatchScores,
    b: BatchScores,
    *,
    metric: str = "conll",
    field: str = "f1",
    names: tuple[str, str] = ("A", "B"),
    width: float = COLUMN,
) -> Figure:
    r"""Draw a bar per document, the score of system A minus that of B, sorted; and a line at the corpus's difference.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_differences
        >>> key, offsets = [0, 0, 1, 1] * 2, [0, 4, 8]
        >>> a, b = (ac.score_labels_batch(key, response, offsets) for response in (key, [0, 1, 1, 1] * 2))
        >>> plot_differences(a, b, metric="bcub", field="recall").axes[0].get_title(loc="left")
        'dashed: corpus +25.00\nA better in 2, B in 0, equal in 0'

    Args:
        a: scores of one system.
        b: scores of another system on the same documents.
        metric: name of a metric.
        field: ``recall``, ``precision`` or ``f1``.
        names: the names of the two systems.
        width: width of the figure in inches.

    Raises:
        InputError: systems scored by different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored.
        OptionError: a field that the metric lacks.
        MissingDependencyError: matplotlib is not installed.
    """
    place, n = check_field(field, metric), len(a)
    sample = Sample.of(Runs.of({"a": a, "b": b}, (metric,)), "micro")
    factor, words = scale(metric)
    ours, theirs = sample.scores(np.moveaxis(sample.rows, -1, 0), 1)[0, place]
    corpus = sample.estimates()[0, place]
    difference = factor * rounded_for_ties(ours - theirs)
    total = factor * float(rounded_for_ties(corpus[0] - corpus[1]))
    order = np.argsort(-difference, kind="stable")
    better = np.sign(direction(metric) * difference).astype(int)
    won, lost, equal = (int(np.count_nonzero(better == sign)) for sign in (1, -1, 0))
    first, second = short_names(names)
    label = score_name(metric, field, a.signature.beta, title=True)
    text = f"{label}: {first} − {second}{', points' if words else ''}"
    few = n <= NAMED
    with styled():
        figure, axes = new_axes(width, 1.0 + 0.14 * n if few else 0.75 * width)
        colours = [COLOURS[0 if sign >= 0 else 1] for sign in better[order]]
        draw, rule = (axes.barh, axes.axvline) if few else (axes.bar, axes.axhline)
        draw(np.arange(n), difference[order], 0.8 if few else 1.0, color=colours)
        rule(total, color="black", linewidth=0.8, linestyle="--", zorder=3)
        rule(0, color="black", linewidth=0.5)
        axes.grid(axis="x" if few else "y")
        if few:
            axes.set_yticks(np.arange(n), short_names(a.names[d] for d in order))
            axes.set_ylim(n - 0.5, -0.5)
            axes.set_xlabel(text)
        else:
            axes.set_xlim(-0.5, n - 0.5)
            axes.set_xlabel(f"{n} documents, sorted")
            axes.set_ylabel(text)
        title = f"dashed: corpus {total:+.2f}\n{first} better in {won}, {second} in {lost}, equal in {equal}"
        write_title(axes, title, width, "left")
        return figure
