"""A sweep as a figure: scores against a parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.sweeping.best import bands
from arraycoref.sweeping.sums import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.sweeping.result import Sweep


def plot_sweep(
    sweep: Sweep,
    metrics: str | Iterable[str],
    measure: str = "f1",
    *,
    parameter: str | None = None,
    confidence: float | None = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    log: bool = False,
) -> Figure:
    """Draw scores against a parameter of numbers, with the band of their bootstrap intervals.

    Args:
        sweep: whose settings differ in one parameter; `Sweep.select` takes such settings out of a grid.
        metrics: a name, or several.
        measure: ``recall``, ``precision`` or ``f1``.
        parameter: name; None for the only parameter whose values are numbers and not all the same.
        confidence: of each interval; None for no band.
        resamples: of the documents.
        seed: of the resamples.
        log: draw the parameter on a logarithmic axis.

    Raises:
        InputError: a parameter that is no number, or several settings of one value.
        UnknownNameError: no such metric or parameter.
        MissingDependencyError: matplotlib is not installed.
    """
    from arraycoref.plot import plot_parameter
    from arraycoref.plot.style import field_title
    from arraycoref.report.values import metric_title

    names = [metrics] if isinstance(metrics, str) else list(metrics)
    parameter, values = parameter_values(sweep, parameter)
    finite = np.flatnonzero(np.isfinite(values))  # a threshold of -inf has no place on an axis
    part = sweep if finite.size == len(sweep) else sweep.select(finite)
    titles = {name: metric_title(name) for name in names}
    scores = {titles[name]: part.score(name, measure) for name in names}
    ends = {
        titles[name]: bands(part, name, measure, confidence, resamples, seed)
        for name in names
        if confidence is not None
    }
    return plot_parameter(
        values[finite],
        scores,
        {name: low for name, (low, _) in ends.items()} or None,
        {name: high for name, (_, high) in ends.items()} or None,
        parameter=parameter,
        score=field_title(measure, sweep.signature.beta),
        confidence=confidence,
        log=log,
    )


def parameter_values(sweep: Sweep, parameter: str | None = None) -> tuple[str, Floats]:
    """Return the name and the values (S,) of a parameter of numbers, no value twice."""
    columns = sweep.parameters
    numeric = {
        name: np.array(values, np.float64)
        for name, values in columns.items()
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    }
    if parameter is None:
        varying = [name for name, values in numeric.items() if np.unique(values).size > 1] or list(numeric)
        if len(varying) != 1:
            found = ", ".join(varying) or "none"
            raise InputError(f"settings vary in these parameters of numbers: {found}; expected parameter=, one of them")
        parameter = varying[0]
    if parameter not in columns:
        raise UnknownNameError("parameter", parameter, columns)
    if parameter not in numeric or np.isnan(numeric[parameter]).any():
        raise InputError(f"parameter {parameter} has values that are no numbers; expected numbers for an axis")
    values = numeric[parameter]
    if np.unique(values).size < values.size:
        raise InputError(f"several settings share a value of {parameter}; Sweep.select takes some of them out")
    return parameter, values
