"""Figures for papers: colour-blind-safe, labelled, readable at the width of a column; matplotlib, imported when asked.

Each function returns a `matplotlib.figure.Figure`, which belongs to no window; `save_figure` writes it.
"""

from __future__ import annotations

from arraycoref.plot.correlations import plot_correlation
from arraycoref.plot.documents import plot_differences
from arraycoref.plot.parameters import plot_parameter
from arraycoref.plot.ranked import plot_scores
from arraycoref.plot.style import save_figure

__all__ = ["plot_correlation", "plot_differences", "plot_parameter", "plot_scores", "save_figure"]
