"""Draw figures for papers: colour-blind-safe, labelled, readable at the width of a column.

Each function returns a `matplotlib.figure.Figure`, which belongs to no window; `save_figure` writes it to a file.
matplotlib is imported when one of these functions is first called.
"""

from __future__ import annotations

from arraycoref.stats.figures.correlations import plot_correlation, plot_metrics
from arraycoref.stats.figures.parameters import plot_grid, plot_parameter
from arraycoref.stats.figures.style import save_figure
from arraycoref.stats.figures.systems import plot_differences, plot_scores

__all__ = [
    "plot_correlation",
    "plot_differences",
    "plot_grid",
    "plot_metrics",
    "plot_parameter",
    "plot_scores",
    "save_figure",
]
