"""Draw systems as points, at their scores by two metrics, or by one metric against all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.errors import InputError, check_name
from arraycoref.report.figure import (
    COLOURS,
    COLUMN,
    GREY,
    SMALL,
    add_legend,
    look,
    new_axes,
    short_names,
    styled,
    write_title,
)
from arraycoref.report.tables import number_of
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.rows import field_name, is_count, metric_title, score_name, unit
from arraycoref.stats.correlation import CONSTANT, Correlation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}

NAMED = 12
"""The most systems whose names are written by default."""

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
DISTANCES = (4, 9, 15, 22, 30, 40)
"""Where a name may be written: the side of its point, and the distance in typographic points; earlier ones win."""


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
        InputError: a metric lacks the field.
        MissingDependencyError: matplotlib is not installed.
    """
    c = correlation
    for metric in (x, y):
        check_name("metric", metric, c.metrics)
    f, (i, j) = _field(field), (c.metrics.index(metric) for metric in (x, y))
    across, up = scale(x)[0] * c.scores[f, :, i], scale(y)[0] * c.scores[f, :, j]
    if np.isnan(across).all() or np.isnan(up).all():
        raise InputError(f"{x} or {y} has no {field}; expected metrics that have one")
    with styled():
        figure, axes = new_axes(width, 0.95 * width)
        axes.margins(0.15)
        axes.plot(across, up, "o", color=COLOURS[0], markersize=4, markerfacecolor="none")
        axes.grid()
        axes.set_xlabel(score_name(x, field, c.beta, title=True) + scale(x)[1])
        axes.set_ylabel(score_name(y, field, c.beta, title=True) + scale(y)[1])
        p = c.pvalues[f, i, j]
        words = f"{coefficient(c.coefficients[f, i, j], c.method)} ({'p < 0.001' if p < 0.001 else f'p = {p:.3f}'})"
        title = f"{c.method.capitalize()}'s {words}, {number_of(len(c.systems), 'system')}"
        write_title(axes, title, width, "center")
        if len(c.systems) <= NAMED if names is None else names:
            _name_points(figure, axes, across, up, short_names(c.systems))
    return figure


def plot_correlation(correlation: Correlation, against: str, *, field: str = "f1", width: float = COLUMN) -> Figure:
    """Draw systems as points: one metric against all others, as in Figure 1 of Luo et al. (2014).

    A metric with the same score for all systems, or without a score for at least one of them, is left out.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_correlation
        >>> key = [0, 0, 1, 1]
        >>> responses = {"right": key, "one wrong": [0, 1, 1, 1], "single": [0, 1, 2, 3]}
        >>> runs = {name: ac.score_labels_batch(key, response, [0, 4]) for name, response in responses.items()}
        >>> figure = plot_correlation(ac.correlate(runs), against="blanc")

    Args:
        correlation: from `arraycoref.correlate`.
        against: the metric on the horizontal axis.
        field: ``recall``, ``precision`` or ``f1``.
        width: width of the figure in inches.

    Raises:
        InputError: fewer than two metrics vary, or ``against`` does not vary.
        UnknownNameError: a metric or field that the correlation lacks.
        MissingDependencyError: matplotlib is not installed.
    """
    c = correlation
    check_name("metric", against, c.metrics)
    f, k = _field(field), c.metrics.index(against)
    values = c.scores[f]
    varying = np.flatnonzero(~(np.ptp(values, axis=0) < CONSTANT) & ~np.isnan(values).any(axis=0)).tolist()
    if k not in varying or len(varying) < 2:
        known = ", ".join(c.metrics[other] for other in varying) or "none"
        raise InputError(f"nothing to draw: of {against} and other metrics, expected two that vary; these do: {known}")
    others = [other for other in varying if other != k]
    with styled():
        figure, axes = new_axes(width, 0.8 * width)
        for n, other in enumerate(others):
            axes.plot(
                scale(against)[0] * values[:, k],
                scale(c.metrics[other])[0] * values[:, other],
                **look(n) | {"linestyle": ""},
                markersize=3.5,
                markerfacecolor="none",
                markeredgewidth=0.8,
                label=f"{metric_title(c.metrics[other])}, {coefficient(c.coefficients[f, k, other], c.method)}",
            )
        axes.set_xlabel(score_name(against, field, c.beta, title=True) + scale(against)[1])
        axes.set_ylabel(f"other metrics, {field_name(field, c.beta)} in {unit(*(c.metrics[o] for o in others))}")
        axes.grid()
        add_legend(figure, axes)
        return figure


def coefficient(value: float, method: str) -> str:
    """Write a coefficient with three decimals after its symbol; an imperfect one is never rounded to 1 or -1."""
    if np.isnan(value):
        return f"{SYMBOLS[method]} = undefined"
    number, sign = f"{value:.3f}", "="
    if number in ("1.000", "-1.000") and abs(value) < 1.0 - CONSTANT:
        number, sign = ("0.999", ">") if value > 0 else ("-0.999", "<")
    return f"{SYMBOLS[method]} {sign} {number.replace('-', '−')}"


def _field(field: str) -> int:
    check_name("field", field, RATIOS)
    return RATIOS.index(field)


def scale(metric: str) -> tuple[float, str]:
    """Return the factor for a metric's values, and the text after its name; ratios are drawn in percent."""
    return (1.0, "") if is_count(metric) else (100.0, " in percent")


def _name_points(figure: Figure, axes: Axes, x: Floats, y: Floats, names: Sequence[str]) -> None:
    """Write names beside points, where they cover least of points and other names; a line leads to a distant name."""
    figure.draw_without_rendering()  # so that the points have places
    size, point = SMALL - 1.0, figure.dpi / 72.0
    points = axes.transData.transform(np.column_stack((x, y)))
    taken = np.column_stack((points - 3 * point, points + 3 * point))  # left, low, right, high
    sides = np.array([side for _ in DISTANCES for side in SIDES])
    offsets = sides * np.repeat(DISTANCES, len(SIDES))[:, np.newaxis]
    for s in np.lexsort((x, y)).tolist():
        extent = point * size * np.array((0.6 * len(names[s]), 1.2))
        lows = points[s] + point * offsets - extent * (1 - sides) / 2
        boxes = np.hstack((lows, lows + extent))
        outside = extent.prod() - _shared(boxes, np.array([axes.bbox.extents]))[:, 0]
        best = int(np.argmin((_shared(boxes, taken).sum(axis=1) + 9.0 * outside).round()))
        taken = np.vstack((taken, boxes[best]))
        axes.annotate(
            names[s],
            (x[s], y[s]),
            tuple(offsets[best]),
            textcoords="offset points",
            ha=("right", "center", "left")[sides[best, 0] + 1],
            va=("top", "center", "bottom")[sides[best, 1] + 1],
            fontsize=size,
            in_layout=False,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.4, "shrinkA": 0.0, "shrinkB": 2.0}
            if best >= 2 * len(SIDES)
            else None,
        )


def _shared(boxes: Floats, others: Floats) -> Floats:
    """Return the area (B, O) that each of ``boxes`` (B, 4) shares with each of ``others`` (O, 4)."""
    high = np.minimum(boxes[:, np.newaxis, 2:], others[:, 2:])
    low = np.maximum(boxes[:, np.newaxis, :2], others[:, :2])
    area: Floats = np.maximum(high - low, 0.0).prod(axis=2)
    return area
