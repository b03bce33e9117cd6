"""Draw the scores of systems by metrics against each other: two metrics, one against all others, or all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.errors import InputError, check_name
from arraycoref.report.tables import number_of
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.rows import field_name, metric_title, score_name, unit
from arraycoref.stats.comparable import field_place
from arraycoref.stats.correlation import CONSTANT, Correlation
from arraycoref.stats.figures.fitting import LINE, add_legend, fit, shortened, text_width, wrapped
from arraycoref.stats.figures.style import (
    COLOURS,
    COLUMN,
    GREY,
    PAGE,
    SMALL,
    check_kind,
    check_width,
    look,
    new_figure,
    scale,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}

NAMED = 12
"""The most systems whose names are written by default."""

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
DISTANCES = (4, 9, 15, 22, 30, 40, 52, 66, 82)
"""Where a name may be written: the side of its point, and the distance in typographic points; earlier ones win."""

TICKED = 10
"""The most metrics for which the panels of a grid have room for numbers at their axes."""


def plot_metrics(
    correlation: Correlation, x: str, y: str, *, field: str = "f1", names: bool | None = None, width: float = COLUMN
) -> Figure:
    """Draw each system as a point at its scores by two metrics; the title has the correlation of the two metrics.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_metrics
        >>> key = [0, 0, 1, 1]
        >>> responses = {"right": key, "one wrong": [0, 1, 1, 1], "single": [0, 1, 2, 3]}
        >>> runs = {name: ac.score_labels_batch(key, response, [0, 4]) for name, response in responses.items()}
        >>> plot_metrics(ac.correlate(runs), "muc", "bcub").axes[0].get_xlabel()
        'MUC F1 in percent'

    Args:
        correlation: from `arraycoref.correlate`.
        x: the metric on the horizontal axis.
        y: the metric on the vertical axis.
        field: ``recall``, ``precision`` or ``f1``.
        names: whether to write the systems' names beside their points; None for yes if there are at most 12 systems.
        width: width of the figure in inches.

    Raises:
        UnknownNameError: a metric or field that the correlation lacks.
        InputError: ``correlation`` is no correlation, or a metric lacks the field.
        OptionError: a width of less than 1.5 inches, or more than 50.
        MissingDependencyError: matplotlib is not installed.
    """
    check_kind(correlation, Correlation, "correlate")
    c, width = correlation, check_width(width)
    f = field_place(field)
    for metric in (x, y):
        check_name("metric", metric, c.metrics)
    columns = [c.metrics.index(metric) for metric in (x, y)]
    across, up = (scale(m)[0] * c.scores[f, :, k] for m, k in zip((x, y), columns, strict=True))
    if np.isnan(across).all() or np.isnan(up).all():
        raise InputError(f"{x} or {y} has no {field}; expected metrics that have one")
    with styled():
        figure = new_figure(width, 0.95 * width)
        axes = figure.subplots()
        axes.margins(0.15)
        axes.plot(across, up, "o", color=COLOURS[0], markersize=4, markerfacecolor="none")
        axes.grid()
        axes.set_xlabel(score_name(x, field, c.beta, title=True) + scale(x)[1])
        axes.set_ylabel(score_name(y, field, c.beta, title=True) + scale(y)[1])
        found, p = c.coefficients[f, columns[0], columns[1]], c.pvalues[f, columns[0], columns[1]]
        systems = number_of(len(c.systems), "system")
        axes.set_title(f"{c.method.capitalize()}'s {coefficient(found, c.method)} ({p_text(p)}), {systems}", color=GREY)
        fit(figure)
        if len(c.systems) <= NAMED if names is None else names:
            _name(figure, axes, across, up, shortened(c.systems, 0.35 * width))
    return figure


def plot_correlation(
    correlation: Correlation, *, against: str | None = None, field: str = "f1", width: float | None = None
) -> Figure:
    """Draw systems as points: one metric against all others, or a grid of all pairs.

    A metric with the same score for all systems, or without a score for at least one of them, is left out.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_correlation
        >>> key = [0, 0, 1, 1]
        >>> responses = {"right": key, "one wrong": [0, 1, 1, 1], "single": [0, 1, 2, 3]}
        >>> runs = {name: ac.score_labels_batch(key, response, [0, 4]) for name, response in responses.items()}
        >>> figure = plot_correlation(ac.correlate(runs), against="blanc")

    Args:
        correlation: from `arraycoref.correlate`.
        against: the metric on the horizontal axis, like BLANC in Figure 1 of Luo et al. (2014); None for the grid.
        field: ``recall``, ``precision`` or ``f1``.
        width: width of the figure in inches; None for the width of a column, or, for a grid, of a page.

    Raises:
        InputError: ``correlation`` is no correlation, or fewer than two metrics vary, or ``against`` does not vary.
        OptionError: a width of less than 1.5 inches, or more than 50.
        UnknownNameError: a metric or field that the correlation lacks.
        MissingDependencyError: matplotlib is not installed.
    """
    check_kind(correlation, Correlation, "correlate")
    width = check_width((PAGE if against is None else COLUMN) if width is None else width)
    place = field_place(field)
    if against is not None:
        check_name("metric", against, correlation.metrics)
    values = correlation.scores[place]
    varying = np.flatnonzero(~(np.ptp(values, axis=0) < CONSTANT) & ~np.isnan(values).any(axis=0)).tolist()
    scores = values * [scale(metric)[0] for metric in correlation.metrics]
    if len(varying) < 2:
        raise InputError("fewer than two metrics differ between the systems; nothing to correlate")
    if against is not None and correlation.metrics.index(against) not in varying:
        known = ", ".join(correlation.metrics[k] for k in varying)
        raise InputError(f"{against} has no {field}, or one for all systems; expected a metric that varies: {known}")
    with styled():
        if against is not None:
            return _one(correlation, scores, varying, against, field, width)
        return _grid(correlation, scores, varying, field, width)


def _one(c: Correlation, scores: np.ndarray, varying: list[int], against: str, field: str, width: float) -> Figure:
    figure = new_figure(width, 0.8 * width)
    axes = figure.subplots()
    k = c.metrics.index(against)
    others = [other for other in varying if other != k]
    for n, other in enumerate(others):
        found = c.coefficients[RATIOS.index(field), k, other]
        axes.plot(
            scores[:, k],
            scores[:, other],
            **look(n) | {"linestyle": ""},
            markersize=3.5,
            markerfacecolor="none",
            markeredgewidth=0.8,
            label=f"{metric_title(c.metrics[other])}, {coefficient(found, c.method)}",
        )
    axes.set_xlabel(score_name(against, field, c.beta, title=True) + scale(against)[1])
    axes.set_ylabel(f"other metrics, {field_name(field, c.beta)} in {unit(*(c.metrics[other] for other in others))}")
    axes.grid()
    add_legend(figure, axes)
    return fit(figure)


def _grid(c: Correlation, scores: np.ndarray, varying: list[int], field: str, width: float) -> Figure:
    """Draw scatter plots below the diagonal, names of metrics on it, coefficients above it."""
    n = len(varying)
    figure = new_figure(width, width * 0.95)
    figure.set_layout_engine(None)
    drawn = unit(*(c.metrics[k] for k in varying))
    title = wrapped(
        f"{field_name(field, c.beta)} in {drawn} of {len(c.systems)} systems; above the diagonal "
        f"{c.method.capitalize()}'s {SYMBOLS[c.method]}",
        0.97 * width,
        8.0,
    )
    top = 1 - LINE * (1.7 + title.count("\n")) / figure.get_figheight()
    figure.subplots_adjust(left=0.06, right=0.99, bottom=0.05, top=top, wspace=0.12, hspace=0.12)
    panels = figure.subplots(n, n, squeeze=False)
    room = 0.88 * width / n  # the most inches that words in a panel may take
    for i, row in enumerate(varying):
        for j, column in enumerate(varying):
            axes: Axes = panels[i, j]
            if i > j:
                axes.plot(scores[:, column], scores[:, row], "o", color=COLOURS[0], markersize=2, alpha=0.8)
                axes.tick_params(labelsize=6, length=2, pad=1.5)
                axes.set_xticks(_inner_ticks(*axes.get_xlim()))
                axes.set_yticks(_inner_ticks(*axes.get_ylim()))
                axes.tick_params(labelleft=j == 0 and n <= TICKED, labelbottom=i == n - 1 and n <= TICKED)
                continue
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(False)
            if i == j:
                _write(axes, 0.5, metric_title(c.metrics[row]), 8.0, room, weight="bold")
                continue
            found, p = (table[RATIOS.index(field), row, column] for table in (c.coefficients, c.pvalues))
            _write(axes, 0.58, coefficient(found), 6 + 4 * abs(found), room)
            _write(axes, 0.3, p_text(p), 6.0, room, color=GREY)
    figure.suptitle(title, fontsize=8)
    return fit(figure)


def _inner_ticks(low: float, high: float) -> np.ndarray:
    """Return one or more round numbers within an interval, not near its ends, where labels of two panels would meet."""
    from matplotlib.ticker import MaxNLocator

    margin = 0.18 * (high - low)
    for bins in range(3, 12):
        ticks = np.array(MaxNLocator(bins).tick_values(low, high))
        inner = ticks[(ticks >= low + margin) & (ticks <= high - margin)]
        if inner.size:
            return inner
    return np.array([])


def _write(axes: Axes, height: float, text: str, size: float, room: float, **style: Any) -> None:
    """Write a text in the middle of a panel, in letters that fit."""
    size = min(size, 0.9 * size * room / text_width(text, size))
    axes.text(0.5, height, text, fontsize=size, ha="center", va="center", transform=axes.transAxes, **style)


def coefficient(value: float, method: str = "") -> str:
    """Write a coefficient with three decimals, and its symbol; an imperfect one is never rounded to 1 or -1."""
    number = f"{value:.3f}"
    rounded_up = number in ("1.000", "-1.000") and abs(value) < 1.0 - 1e-12
    sign, number = ("> " if value > 0 else "< ", "0.999" if value > 0 else "-0.999") if rounded_up else ("", number)
    number = "undefined" if np.isnan(value) else number.replace("-", "−")
    return f"{SYMBOLS[method]} {sign or '= '}{number}" if method else f"{sign}{number}"


def p_text(p: float) -> str:
    """Write a p-value."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _name(figure: Figure, axes: Axes, x: np.ndarray, y: np.ndarray, names: Sequence[str]) -> None:
    """Write names beside points, where they cover least of points and other names; a line leads to a distant name."""
    size, point = SMALL - 1.0, figure.dpi / 72.0
    points = axes.transData.transform(np.column_stack((x, y)))
    taken = np.column_stack((points - 3 * point, points + 3 * point))  # left, low, right, high
    sides = np.array([side for _ in DISTANCES for side in SIDES])
    offsets = sides * np.repeat(DISTANCES, len(SIDES))[:, np.newaxis]
    inside = np.array([axes.bbox.extents])
    for s in np.lexsort((x, y)).tolist():
        extent = np.array((text_width(names[s], size) * figure.dpi, 1.2 * size * point))
        lows = points[s] + point * offsets - extent * (1 - sides) / 2
        boxes = np.hstack((lows, lows + extent))
        covered = _shared(boxes, taken).sum(axis=1) + 9.0 * (extent.prod() - _shared(boxes, inside)[:, 0])
        best = int(np.argmin(covered.round()))  # rounded so that nearly equal areas count as equal
        taken = np.vstack((taken, boxes[best]))
        line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkA": 0.0, "shrinkB": 2.0}
        axes.annotate(
            names[s],
            (x[s], y[s]),
            tuple(offsets[best]),
            textcoords="offset points",
            ha=("right", "center", "left")[sides[best, 0] + 1],
            va=("top", "center", "bottom")[sides[best, 1] + 1],
            fontsize=size,
            in_layout=False,
            arrowprops=line if best >= 2 * len(SIDES) else None,
        )


def _shared(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the area (B, O) that each of ``boxes`` (B, 4) shares with each of ``others`` (O, 4)."""
    high = np.minimum(boxes[:, np.newaxis, 2:], others[:, 2:])
    low = np.maximum(boxes[:, np.newaxis, :2], others[:, :2])
    area: np.ndarray = np.maximum(high - low, 0.0).prod(axis=2)
    return area
