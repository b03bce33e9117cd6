"""Systems' scores with their intervals, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arraycoref.plot.style import COLOURS, COLUMN, GREY, field_title, new_figure, styled
from arraycoref.report.values import metric_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.stats.comparison import Comparison


def plot_scores(comparison: Comparison, *, width: float = COLUMN) -> Figure:
    """Draw a row a system: its score as a dot, its interval as a line, its mark at the right.

    Args:
        comparison: from `arraycoref.compare`.
        width: of the figure in inches.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    c = comparison
    rows = np.arange(len(c.systems))
    score = np.array([100 * s.score.estimate for s in c.systems])
    low = np.array([100 * s.score.low for s in c.systems])
    high = np.array([100 * s.score.high for s in c.systems])
    with styled():
        figure = new_figure(width, 0.8 + 0.2 * len(rows))
        axes = figure.subplots()
        for s, system in enumerate(c.systems):
            reference = c.baseline and system.name == c.reference
            colour = COLOURS[1] if reference else COLOURS[0]
            axes.plot([low[s], high[s]], [s, s], color=colour, solid_capstyle="round")
            axes.plot(score[s], s, "s" if reference else "o", color=colour, markersize=4)
            axes.annotate(system.mark, (1.02, s), xycoords=("axes fraction", "data"), va="center", fontsize=7)
        if c.baseline:
            place = [s.name for s in c.systems].index(c.reference)
            axes.axvline(score[place], color=COLOURS[1], linewidth=0.6, linestyle=":")
        axes.set_yticks(rows, [s.name for s in c.systems])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="x")
        interval = "" if np.isnan(low).all() else f", {100 * c.confidence:g}% interval"
        axes.set_xlabel(f"{metric_title(c.metric)} {field_title(c.field, c.signature.beta)} in percent{interval}")
        mark = f"* differs from {c.reference}" if c.baseline else "same letter: no significant difference"
        if any(s.mark for s in c.systems) and len(rows) > 1:
            axes.set_title(mark, loc="right", fontsize=6.5, color=GREY)
    return figure
