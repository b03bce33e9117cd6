"""A score against a parameter, as of a sweep, with the band of its intervals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.errors import InputError
from arraycoref.plot.style import COLOURS, COLUMN, MARKERS, new_figure, styled
from arraycoref.report.escapes import figure_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_parameter(
    values: ArrayLike,
    scores: ArrayLike | Mapping[str, ArrayLike],
    low: ArrayLike | Mapping[str, ArrayLike] | None = None,
    high: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    parameter: str = "parameter",
    score: str = "F1",
    confidence: float | None = None,
    log: bool = False,
    percent: bool = True,
    lower_is_better: Collection[str] = (),
    width: float = COLUMN,
) -> Figure:
    """Draw a line for each metric, its band, and a larger, open mark at its best value.

        >>> from arraycoref.plot import plot_parameter
        >>> figure = plot_parameter([0.1, 0.2, 0.3], {"MUC": [0.5, 0.7, 0.6]}, parameter="threshold")
        >>> figure.axes[0].get_xlabel()
        'threshold'

    Args:
        values: (N,) numbers, the parameter's settings.
        scores: (N,) fractions, or a mapping from metrics' names to such.
        low: (N,) lower ends of the band, or a mapping likewise; None for no band.
        high: upper ends likewise.
        parameter: label of the horizontal axis.
        score: label of the vertical axis.
        confidence: of the band, named beside ``score``; None where it is no confidence interval.
        log: draw the parameter on a logarithmic axis.
        percent: draw fractions in percent; False for counts, which are drawn as they are.
        lower_is_better: names of the lines whose best value is the lowest.
        width: of the figure in inches.

    Raises:
        InputError: arrays of different lengths, or only one of ``low`` and ``high``.
        MissingDependencyError: matplotlib is not installed.
    """
    x, scale = np.asarray(values, np.float64), 100.0 if percent else 1.0
    order = np.argsort(x, kind="stable")
    lines = _named(scores, x.size, "scores")
    if (low is None) != (high is None):
        raise InputError("the band needs both low and high; got one of them")
    lows = {} if low is None else _named(low, x.size, "low")
    highs = {} if high is None else _named(high, x.size, "high")
    with styled():
        figure = new_figure(width, 0.72 * width)
        axes = figure.subplots()
        for n, (name, y) in enumerate(lines.items()):
            colour, marker = COLOURS[n % len(COLOURS)], MARKERS[n % len(MARKERS)]
            if name in lows:
                low_end, high_end = scale * lows[name][order], scale * highs[name][order]
                axes.fill_between(x[order], low_end, high_end, color=colour, alpha=0.2, linewidth=0)
            best = int(np.nanargmin(y) if name in lower_is_better else np.nanargmax(y))
            label = f"{figure_text(name)}{', ' if name else ''}best at {x[best]:g}"
            small = marker if x.size <= 40 else ""
            axes.plot(x[order], scale * y[order], color=colour, marker=small, markersize=2.5, label=label)
            axes.plot(x[best], scale * y[best], marker, color=colour, markersize=6, markerfacecolor="white")
        if log:
            axes.set_xscale("log")
        axes.grid(axis="y")
        axes.set_xlabel(figure_text(parameter))
        interval = f", {100 * confidence:g}% interval" if lows and confidence is not None else ""
        axes.set_ylabel(f"{figure_text(score)}{' in percent' if percent else ''}{interval}")
        axes.legend(frameon=False)
    return figure


def _named(given: ArrayLike | Mapping[str, ArrayLike], n: int, what: str) -> dict[str, np.ndarray]:
    """Bring one line or several to arrays by name, and check their length."""
    found = {
        name: np.asarray(y, np.float64) for name, y in (given if isinstance(given, Mapping) else {"": given}).items()
    }
    for y in found.values():
        if y.shape != (n,):
            raise InputError(f"{what} has shape {y.shape}; expected a number per value of the parameter, shape ({n},)")
    return found
