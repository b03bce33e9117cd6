"""Draw scores by two parameters as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.arrays import as_floats
from arraycoref.errors import InputError
from arraycoref.metrics.score import levelled
from arraycoref.plot.fitting import fit, shortened, text_width
from arraycoref.plot.style import COLOURS, COLUMN, GREY, PAGE, new_figure, styled
from arraycoref.report.escapes import figure_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOUR_MAP = "cividis"
"""Lighter is higher, for colour-blind readers and in grey. Source: Nuñez, Anderton and Renslow (2018)."""

ROW, NARROW = 0.17, 0.13
"""Inches that a row takes, and that a column takes at least."""


def plot_grid(
    scores: ArrayLike,
    rows: Sequence[object],
    columns: Sequence[object],
    *,
    row: str = "row",
    column: str = "column",
    score: str = "F1",
    summary: str | None = None,
    percent: bool = True,
    lower_is_better: bool = False,
    width: float | None = None,
) -> Figure:
    """Draw a cell for each pair of values of two parameters, with its score where there is room, the best one framed.

        >>> from arraycoref.plot import plot_grid
        >>> figure = plot_grid([[0.5, 0.7], [0.6, 0.4]], ["average", "single"], [0.1, 0.2], column="threshold")
        >>> figure.axes[0].get_title(loc="left")
        'best: 70.0 at row=average, threshold=0.2'

    Args:
        scores: (R, C) fractions, nan for a pair that was not scored.
        rows: (R,) values of one parameter.
        columns: (C,) values of the other.
        row: name of the parameter of the rows.
        column: name of the parameter of the columns.
        score: what is scored, written at the scale of colours.
        summary: what else the numbers are, written there, such as a mean over seeds.
        percent: write fractions in percent; False for counts, which are written as they are.
        lower_is_better: frame the lowest score.
        width: of the figure in inches; None for a column's, or a page's where the columns need more.

    Raises:
        InputError: scores of another shape, or none.
        MissingDependencyError: matplotlib is not installed.
    """
    values = (100.0 if percent else 1.0) * as_floats(scores, "scores")
    digits = 1 if percent else 0
    if values.shape != (len(rows), len(columns)) or np.isnan(values).all():
        raise InputError(
            f"scores has shape {values.shape}; expected a number per row and column, shape {(len(rows), len(columns))}"
        )
    with styled():
        from matplotlib.patches import Rectangle

        narrow = width is None and (len(columns) * NARROW > 0.55 * COLUMN)
        width = width or (PAGE if narrow else COLUMN)
        names = shortened(rows, 0.3 * width, 7.0)
        labels = shortened(columns, 0.8, 7.0)
        room = (width - 0.9 - max(text_width(name, 7.0) for name in names)) / len(columns)  # inches for a column
        widest = max(text_width(label, 7.0) for label in labels)
        upright = widest > 0.85 * room
        figure = new_figure(width, 0.8 + ROW * max(len(rows), 4) + upright * widest)
        axes = figure.subplots()
        mesh = axes.pcolormesh(values, cmap=COLOUR_MAP, edgecolors="white", linewidth=0.3)
        step = int(np.ceil(NARROW / room)) if upright else 1
        axes.set_xticks(np.arange(0, len(columns), step) + 0.5, labels[::step], rotation=90 if upright else 0)
        axes.set_yticks(np.arange(len(rows)) + 0.5, names)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.invert_yaxis()
        axes.set_xlabel(figure_text(column))
        axes.set_ylabel(figure_text(row))
        bar = figure.colorbar(mesh, ax=axes, pad=0.02, aspect=30)
        bar.outline.set_visible(False)
        bar.set_label(
            f"{figure_text(score)}{' in percent' if percent else ''}{f', {figure_text(summary)}' if summary else ''}"
        )
        written = [["" if np.isnan(value) else f"{value:.{digits}f}" for value in line] for line in values]
        if max(text_width(text) for line in written for text in line) < 0.9 * room:
            middle = (np.nanmin(values) + np.nanmax(values)) / 2.0
            for r, c in np.argwhere(~np.isnan(values)).tolist():
                colour = "white" if values[r, c] < middle else "black"
                axes.text(c + 0.5, r + 0.5, written[r][c], fontsize=6, ha="center", va="center", color=colour)
        r, c = divmod(int(np.nanargmax(levelled(-values if lower_is_better else values))), len(columns))
        axes.add_patch(Rectangle((c, r), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=1.5, clip_on=False))
        best = f"best: {written[r][c]} at {figure_text(row)}={names[r]}, {figure_text(column)}={labels[c]}"
        axes.set_title(best, loc="left", color=GREY)
        return fit(figure)
