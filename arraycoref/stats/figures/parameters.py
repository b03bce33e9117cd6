"""Draw scores against one parameter, such as that of a sweep or the epoch of training, or as a heat map of two."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.report.tables import figure_text
from arraycoref.scoring.labels import as_numpy, index_of
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.stats.figures.fitting import add_legend, fit, shortened, text_width
from arraycoref.stats.figures.style import COLOURS, COLUMN, GREY, PAGE, check_width, look, new_figure, styled
from arraycoref.stats.options import check_fraction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BANDS = 7
"""The most lines that may have bands: the bands of more lines would hide each other."""

COLOUR_MAP = "cividis"
"""Higher scores have lighter colours, also for colour-blind readers and in grey. Source: Nuñez, Anderton and Renslow
(2018).
"""

ROW, NARROW = 0.17, 0.13
"""Height in inches of a row, and least width in inches of a column with an upright label."""


def plot_parameter(
    values: ArrayLike,
    scores: ArrayLike | Mapping[str, ArrayLike],
    low: ArrayLike | Mapping[str, ArrayLike] | None = None,
    high: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    parameter: str = "parameter",
    score: str = "F1",
    summary: str | None = None,
    confidence: float | None = None,
    band: str | None = None,
    log: bool = False,
    percent: bool = True,
    lower_is_better: Collection[str] = (),
    width: float = COLUMN,
) -> Figure:
    """Draw a line for each metric or system, with a band around it, and a larger, open mark at its best value.

    Bands are left out where there are more than seven lines.

        >>> from arraycoref.stats.figures import plot_parameter
        >>> figure = plot_parameter([0.1, 0.2, 0.3], {"MUC": [0.5, 0.7, 0.6]}, parameter="threshold")
        >>> figure.axes[0].get_xlabel()
        'threshold'

    Args:
        values: (N,) finite numbers, the parameter's settings; above 0 with ``log``.
        scores: (N,) fractions, nan where there is none; or a mapping from the names of lines to such arrays.
        low: (N,) lower ends of the band, or a mapping from the names of lines to such arrays; None for no band.
        high: upper ends of the band, in the same form.
        parameter: label of the horizontal axis.
        score: label of the vertical axis.
        summary: what the scores summarise, such as ``mean over seeds``; written after ``score``.
        confidence: the confidence of the band, written after ``score``; None if the band is no confidence interval.
        band: what the band is if it is no confidence interval; written after ``score``.
        log: draw the parameter on a logarithmic axis.
        percent: draw fractions in percent; False for counts, which are drawn as they are.
        lower_is_better: names of the lines whose best value is the lowest.
        width: width of the figure in inches.

    Raises:
        InputError: arrays of different lengths, Series with different indices, no line, two lines with the same name,
            values that have no place on the axis, infinite scores, only one of ``low`` and ``high``, or a band without
            a line.
        OptionError: a width of less than 1.5 inches, or more than 50; a confidence that is no fraction.
        UnknownNameError: a name in ``lower_is_better`` that no line has.
        MissingDependencyError: matplotlib is not installed.
    """
    width, scale = check_width(width), 100.0 if percent else 1.0
    x = _along(values, log)
    order = np.argsort(x, kind="stable")
    lines = _named(scores, values, x.size, "scores")
    if not lines:
        raise InputError("scores is an empty mapping; expected a line at least")
    if (low is None) != (high is None):
        raise InputError("the band needs both low and high; got one of them")
    lows, highs = (
        {} if ends is None else _named(ends, values, x.size, what) for ends, what in ((low, "low"), (high, "high"))
    )
    for name in (*lows, *highs):
        if not (name in lines and name in lows and name in highs):
            raise InputError(f"the band of {name!r} needs a line of that name, low and high; got {', '.join(lines)}")
    is_one = isinstance(lower_is_better, str) or not isinstance(lower_is_better, Iterable)
    lower = [lower_is_better] if is_one else list(lower_is_better)
    for unknown in (name for name in lower if str(name) not in lines):
        raise UnknownNameError("line in lower_is_better", unknown, lines)
    if len(lines) > BANDS:
        lows = {}
    if confidence is not None:
        band = f"{100 * check_fraction('confidence', confidence):g}% interval"
    with styled():
        figure = new_figure(width, 0.72 * width)
        axes = figure.subplots()
        for n, (name, shown) in enumerate(zip(lines, shortened(lines, 0.6 * width), strict=True)):
            ends = (scale * lows[name][order], scale * highs[name][order]) if name in lows else None
            _draw(axes, n, shown, x[order], scale * lines[name][order], ends, name in map(str, lower))
        if log and x.size:
            _logarithmic(axes, x)
        elif np.equal(np.mod(x, 1), 0).all():
            axes.locator_params(axis="x", integer=True)
        axes.grid(axis="y")
        axes.set_xlabel(figure_text(parameter))
        named = (f"{score}{' in percent' if percent else ''}", summary, band if lows else None)
        axes.set_ylabel(figure_text(", ".join(filter(None, named))))
        add_legend(figure, axes)
        return fit(figure)


def _along(values: ArrayLike, log: bool) -> np.ndarray:
    """Convert the values to numbers; refuse values without a place on the axis, which a figure would silently omit."""
    x = as_numpy(values, "values").astype(np.float64)
    if x.ndim != 1:
        raise InputError(f"values has shape {x.shape}; expected one parameter, shape (N,)")
    lost = x[~(np.isfinite(x) & ((x > 0) | (not log)))]
    if lost.size:
        kind, why = ("finite numbers above 0", " on a logarithmic axis") if log else ("finite numbers", "")
        raise InputError(f"the parameter has the value {lost[0]:g}{why}; expected {kind}")
    return x


def _logarithmic(axes: Axes, x: np.ndarray) -> None:
    """Make the horizontal axis logarithmic, with ticks at powers of ten, or at round numbers if these are too few."""
    from matplotlib.ticker import FormatStrFormatter, MaxNLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    if np.floor(np.log10(x.max())) - np.ceil(np.log10(x.min())) < 1:  # fewer than two powers of ten
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))


def _listed(names: Sequence[object], what: str) -> list[object]:
    if not isinstance(names, Iterable):
        raise InputError(f"{what} is {names!r:.60}; expected the values of a parameter")
    return list(names)


def _draw(
    axes: Axes, n: int, name: str, x: np.ndarray, y: np.ndarray, ends: tuple[np.ndarray, np.ndarray] | None, lower: bool
) -> None:
    """Draw the n-th line where it has scores, with its band and the mark of its best value."""
    style, known = look(n), ~np.isnan(y)
    if ends is not None:
        axes.fill_between(x, *ends, color=style["color"], alpha=0.2, linewidth=0)
    if not known.any():
        axes.plot([], [], **style, markersize=2.5, label=f"{name}{', ' if name else ''}without a score")
        return
    best = int(np.nanargmax(rounded_for_ties(-y if lower else y)))
    label = f"{name}{', ' if name else ''}best at {x[best]:g}"
    axes.plot(x[known], y[known], **(style if x.size <= 40 else style | {"marker": ""}), markersize=2.5, label=label)
    axes.plot(x[best], y[best], style["marker"], color=style["color"], markersize=6, markerfacecolor="white")


def _named(given: ArrayLike | Mapping[str, ArrayLike], values: ArrayLike, n: int, what: str) -> dict[str, np.ndarray]:
    """Convert one or more lines to arrays by name, and check that they fit the values of the parameter."""
    index, found = index_of(values), {}
    for name, line in (given if isinstance(given, Mapping) else {"": given}).items():
        y, own = _finite(line, what), index_of(line)
        if y.shape != (n,):
            raise InputError(f"{what} has shape {y.shape}; expected a number per value of the parameter, shape ({n},)")
        if index is not None and own is not None and not index.equals(own):
            raise InputError(f"values and {what} are Series of different indices; expected the same, or arrays")
        if str(name) in found:
            raise InputError(f"two lines of {what} are named {name}; expected names that differ as texts")
        found[str(name)] = y
    return found


def _finite(scores: ArrayLike, what: str) -> np.ndarray:
    """Convert scores to floats that are finite or nan.

    Raises:
        InputError: a score is no number, or infinite.
    """
    found = as_numpy(scores, what).astype(np.float64)
    if np.isinf(found).any():
        raise InputError(f"{what} hold {found[np.isinf(found)][0]:g}; expected finite numbers, nan where there is none")
    return found


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
    """Draw a cell for each pair of values of two parameters, with its score if there is room; the best cell is framed.

        >>> from arraycoref.stats.figures import plot_grid
        >>> figure = plot_grid([[0.5, 0.7], [0.6, 0.4]], ["average", "single"], [0.1, 0.2], column="threshold")
        >>> figure.axes[0].get_title(loc="left")
        'best: 70.0 at row=average, threshold=0.2'

    Args:
        scores: (R, C) fractions, nan for a pair that was not scored.
        rows: (R,) values of one parameter.
        columns: (C,) values of the other parameter.
        row: name of the parameter of the rows.
        column: name of the parameter of the columns.
        score: label of the colour scale.
        summary: what the scores summarise, such as ``mean over seeds``; written after ``score``.
        percent: write fractions in percent; False for counts, which are written as they are.
        lower_is_better: frame the lowest score.
        width: width of the figure in inches; None for the width of a column, or of a page if there are many columns.

    Raises:
        InputError: scores of another shape, infinite scores, or no score at all.
        OptionError: a width of less than 1.5 inches, or more than 50.
        MissingDependencyError: matplotlib is not installed.
    """
    given, digits = width, 1 if percent else 0
    width = check_width(COLUMN if width is None else width)
    rows, columns = _listed(rows, "rows"), _listed(columns, "columns")
    values = (100.0 if percent else 1.0) * _finite(scores, "scores")
    shape = len(rows), len(columns)
    if values.shape != shape:
        raise InputError(f"scores has shape {values.shape}; expected a number per row and column, shape {shape}")
    if np.isnan(values).all():
        raise InputError(f"scores of shape {shape} hold no number; expected one at least")
    with styled():
        from matplotlib.patches import Rectangle

        if given is None and len(columns) * NARROW > 0.55 * COLUMN:
            width = PAGE
        names = shortened(rows, 0.3 * width, 7.0)
        labels = shortened(columns, 0.8, 7.0)
        room = (width - 0.9 - max(text_width(name, 7.0) for name in names)) / len(columns)  # inches per column
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
        if all(text_width(text) < 0.9 * room for line in written for text in line):
            middle = (np.nanmin(values) + np.nanmax(values)) / 2.0
            for r, c in np.argwhere(~np.isnan(values)).tolist():
                colour = "white" if values[r, c] < middle else "black"
                axes.text(c + 0.5, r + 0.5, written[r][c], fontsize=6, ha="center", va="center", color=colour)
        r, c = divmod(int(np.nanargmax(rounded_for_ties(-values if lower_is_better else values))), len(columns))
        axes.add_patch(Rectangle((c, r), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=1.5, clip_on=False))
        best = f"best: {written[r][c]} at {figure_text(row)}={names[r]}, {figure_text(column)}={labels[c]}"
        axes.set_title(best, loc="left", color=GREY)
        return fit(figure)
