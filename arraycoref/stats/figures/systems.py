"""Draw the scores of systems with their intervals, and the differences of two systems, document by document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.errors import InputError
from arraycoref.scoring.metrics.registry import direction
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.rows import score_name
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.comparable import check_field
from arraycoref.stats.figures.fitting import fit, shortened, text_width
from arraycoref.stats.figures.style import COLOURS, COLUMN, GREY, check_kind, check_width, new_figure, scale, styled
from arraycoref.stats.options import CORRECTIONS
from arraycoref.stats.ranking import Comparison
from arraycoref.stats.systems import Systems

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.42
"""The largest share of a figure's width that names take; also the largest share that marks take."""

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
        InputError: ``comparison`` is no comparison.
        OptionError: a width of less than 1.5 inches, or more than 50.
        MissingDependencyError: matplotlib is not installed.
    """
    check_kind(comparison, Comparison, "compare")
    c, width = comparison, check_width(width)
    rows = np.arange(len(c.systems))
    factor, unit = scale(c.metric)
    score, low, high = factor * np.array([(s.score.estimate, s.score.low, s.score.high) for s in c.systems]).T
    with styled():
        figure = new_figure(width, 0.9 + 0.2 * len(rows))
        axes = figure.subplots()
        for s, system in enumerate(c.systems):
            reference = c.baseline and system.name == c.reference
            colour = COLOURS[1] if reference else COLOURS[0]
            axes.plot([low[s], high[s]], [s, s], color=colour, solid_capstyle="round")
            axes.plot(score[s], s, "s" if reference else "o", color=colour, markersize=4)
            size = min(7.0, 7.0 * SHARE * width / max(text_width(system.mark, 7.0), 0.01))
            axes.annotate(system.mark, (1.02, s), xycoords=("axes fraction", "data"), va="center", fontsize=size)
        if c.baseline:
            place = [s.name for s in c.systems].index(c.reference)
            axes.axvline(score[place], color=COLOURS[1], linewidth=0.6, linestyle=":")
        axes.set_yticks(rows, shortened((s.name for s in c.systems), SHARE * width, 7.0))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="x")
        interval = "" if np.isnan(low).all() else f", {100 * c.confidence:g}% interval"
        axes.set_xlabel(score_name(c.metric, c.field, c.signature.beta, title=True) + unit + interval)
        if any(s.mark for s in c.systems) and len(rows) > 1:
            axes.set_title(_meaning(c, SHARE * width), loc="right", color=GREY)
        return fit(figure)


def _meaning(c: Comparison, inches: float) -> str:
    """Return what the marks mean, with the significance level and the correction of p-values."""
    corrected = f", {CORRECTIONS[c.correction]}" if c.n_tests > 1 else ""
    level = f"(alpha {c.alpha:g}{corrected})"
    if c.baseline:
        return f"* differs from {shortened([c.reference], inches)[0]} {level}"
    return f"same letter: no significant difference {level}"


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
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored.
        InputError: systems scored by different conventions, or ``names`` that are not two.
        OptionError: a width of less than 1.5 inches, or more than 50; or a field that the metric lacks.
        MissingDependencyError: matplotlib is not installed.
    """
    if not isinstance(names, Sequence) or len(names) != 2:
        raise InputError(f"names are {names!r}; expected the names of the two systems")
    names, width = (str(names[0]), str(names[1])), check_width(width)
    place = check_field(field, metric)
    systems = Systems.of({names[0]: a, names[1]: b} if names[0] != names[1] else {"a": a, "b": b}, (metric,), "micro")
    rows = systems.scores(systems.parts.array, 1)[:, :, 0, place]
    corpus = systems.scores(systems.totals, len(a))[:, 0, place]
    factor, unit = scale(metric)
    difference = factor * rounded_for_ties(rows[0] - rows[1])
    order = np.argsort(-difference, kind="stable")
    better = np.sign(direction(metric) * difference).astype(int).tolist()
    few = len(a) <= NAMED
    total = factor * float(rounded_for_ties(corpus[0] - corpus[1]))
    label = score_name(metric, field, a.signature.beta, title=True)
    shown = shortened(names, SHARE * width, 8.0)
    text = f"{label}: {shown[0]} − {shown[1]}{', points' if unit else ''}"
    with styled():
        figure = new_figure(width, 1.0 + 0.14 * len(a) if few else 0.75 * width)
        axes = figure.subplots()
        heights, places = difference[order], np.arange(len(a))
        colours = [COLOURS[0 if direction(metric) * height >= 0 else 1] for height in heights]
        draw, rule = (axes.barh, axes.axvline) if few else (axes.bar, axes.axhline)
        draw(places, heights, 0.8 if few else 1.0, color=colours)
        rule(total, color="black", linewidth=0.8, linestyle="--", zorder=3)
        rule(0, color="black", linewidth=0.5)
        axes.grid(axis="x" if few else "y")
        if few:
            axes.set_yticks(places, shortened((a.names[d] for d in order), SHARE * width, 7.0))
            axes.set_ylim(len(a) - 0.5, -0.5)
            axes.set_xlabel(text)
        else:
            axes.set_xlim(-0.5, len(a) - 0.5)
            axes.set_xlabel(f"{len(a)} documents, sorted")
            axes.set_ylabel(text)
        won, lost, equal = (better.count(sign) for sign in (1, -1, 0))
        title = f"dashed: corpus {total:+.2f}\n{shown[0]} better in {won}, {shown[1]} in {lost}, equal in {equal}"
        axes.set_title(title, loc="left", color=GREY)
        return fit(figure)
