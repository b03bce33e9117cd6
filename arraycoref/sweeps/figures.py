"""Draw the scores of a sweep against a parameter of its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.errors import InputError
from arraycoref.metrics import direction
from arraycoref.metrics.score import Floats
from arraycoref.report.values import is_count, metric_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    axis: tuple[str, Floats],
    scores: Mapping[str, Floats],
    ends: Mapping[str, Floats],
    title: str,
    confidence: float | None,
    log: bool,
) -> Figure:
    """Draw scores against a parameter of numbers; see `Sweep.plot`.

    Args:
        axis: name and values (S,) of the parameter.
        scores: float64 (S,) of each metric to draw.
        ends: lower and upper ends, float64 (2, S), of the band of each metric that has one.
        title: what is drawn, for the axis of scores.
        confidence: of the bands.
        log: draw the parameter on a logarithmic axis.

    Raises:
        InputError: metrics that count beside others, which have no axis in common.
    """
    from arraycoref.plot import plot_parameter

    if len({is_count(name) for name in scores}) > 1:
        raise InputError(f"{', '.join(scores)} are counts and ratios; expected metrics of one kind for an axis")
    parameter, values = axis
    finite = np.isfinite(values)  # a threshold of -inf has no place on an axis
    return plot_parameter(
        values[finite],
        {metric_title(name): line[finite] for name, line in scores.items()},
        {metric_title(name): low[finite] for name, (low, _) in ends.items()} or None,
        {metric_title(name): high[finite] for name, (_, high) in ends.items()} or None,
        parameter=parameter,
        score=title,
        confidence=confidence,
        log=log,
        percent=not any(map(is_count, scores)),
        lower_is_better=[metric_title(name) for name in scores if direction(name) < 0],
    )
