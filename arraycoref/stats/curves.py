"""Draw scores against a parameter: lines with bands, of any numbers or of the runs of a sweep."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.errors import InputError, UnknownNameError, check_name
from arraycoref.options import OPTIONS, Metrics
from arraycoref.ragged import Floats
from arraycoref.report import figure as style
from arraycoref.report.tables import figure_text
from arraycoref.scoring.format import field_name, is_count, metric_title
from arraycoref.scoring.metrics.registry import check_field, direction
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.draws import SampleOptions, settings_of
from arraycoref.stats.how import LINEARISED
from arraycoref.stats.intervals import Bounds
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import sample_of
from arraycoref.stats.settings import identity, parameters_of, positions_by, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BANDS = 7
"""The most lines that may have bands: the bands of more lines would hide each other."""


def plot_parameter(
    values: ArrayLike,
    scores: ArrayLike | Mapping[str, ArrayLike],
    low: ArrayLike | Mapping[str, ArrayLike] | None = None,
    high: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    parameter: str = "parameter",
    score: str = "F1",
    band: str = "",
    log: bool = False,
    percent: bool = True,
    lower_is_better: Collection[str] = (),
    width: float = style.COLUMN,
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
        band: what the band is, such as ``95% interval``; written after ``score`` where bands are drawn.
        log: draw the parameter on a logarithmic axis.
        percent: draw fractions in percent; False for counts, which are drawn as they are.
        lower_is_better: names of the lines whose best value is the lowest.
        width: width of the figure in inches.

    Raises:
        InputError: values that have no place on the axis.
        UnknownNameError: a name in ``lower_is_better`` that no line has.
        MissingDependencyError: matplotlib is not installed.
    """
    x, factor = np.asarray(values, np.float64), 100.0 if percent else 1.0
    lost = x[~np.isfinite(x) | (log and x <= 0)]
    if lost.size:
        expected = "finite numbers above 0 on a logarithmic axis" if log else "finite numbers"
        raise InputError(f"the parameter has the value {lost[0]:g}; expected {expected}")
    lines, lows, highs = (
        {str(name): np.asarray(line, np.float64) for name, line in given.items()}
        for given in (each if isinstance(each, Mapping) else {"": each} for each in (scores, low, high))
    )
    for unknown in set(lower_is_better) - lines.keys():
        raise UnknownNameError("line in lower_is_better", unknown, lines)
    bands = len(lines) <= BANDS and not all(np.isnan(ends).all() for ends in lows.values())
    order = np.argsort(x, kind="stable")
    with style.styled():
        figure, axes = style.new_axes(width, 0.72 * width)
        for n, (name, shown) in enumerate(zip(lines, style.short_names(lines), strict=True)):
            y = factor * lines[name][order]
            if bands and name in lows:
                ends = factor * lows[name][order], factor * highs[name][order]
                axes.fill_between(x[order], *ends, color=style.look(n)["color"], alpha=0.2, linewidth=0)
            _line(axes, n, shown, x[order], y, name in lower_is_better)
        if log:
            axes.set_xscale("log")
        elif np.equal(np.mod(x, 1), 0).all():
            axes.locator_params(axis="x", integer=True)
        axes.grid(axis="y")
        axes.set_xlabel(figure_text(parameter))
        label = f"{score}{' in percent' if percent else ''}{f', {band}' if bands and band else ''}"
        axes.set_ylabel(textwrap.fill(figure_text(label), int(0.4 * width / style.LETTER)))
        style.add_legend(figure, axes)
        return figure


def _line(axes: Axes, n: int, name: str, x: Floats, y: Floats, lower: bool) -> None:
    """Draw the n-th line where it has scores, and the mark of its best value."""
    look, known, comma = style.look(n), ~np.isnan(y), ", " if name else ""
    if not known.any():
        axes.plot([], [], **look, markersize=2.5, label=f"{name}{comma}without a score")
        return
    best = int(np.nanargmax(rounded_for_ties(-y if lower else y)))
    label = f"{name}{comma}best at {x[best]:g}"
    axes.plot(x[known], y[known], **(look if x.size <= 40 else look | {"marker": ""}), markersize=2.5, label=label)
    axes.plot(x[best], y[best], look["marker"], color=look["color"], markersize=6, markerfacecolor="white")


def plot_runs(
    runs: RunScores | Mapping[Any, BatchScores],
    metrics: Metrics = None,
    field: str = "f1",
    *,
    parameter: str | None = None,
    by: str | None = None,
    over: str | None = None,
    confidence: float | None = 0.95,
    log: bool = False,
    **options: Unpack[SampleOptions],
) -> Figure:
    """Draw the scores of runs against a parameter of their settings, such as a threshold or the epochs of training.

    Each metric, and each value of ``by``, is a line with a band: bootstrap intervals of settings, or the standard
    deviation over repetitions.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_runs
        >>> responses = {0.1: [0, 0, 0, 0], 0.2: [0, 0, 1, 1], 0.3: [0, 1, 2, 3]}
        >>> runs = {t: ac.score_labels_batch([0, 0, 1, 1], labels, [0, 4]) for t, labels in responses.items()}
        >>> plot_runs(runs, "muc").axes[0].get_xlabel()
        'setting'

    Args:
        runs: from a sweep, or scores of systems by their settings.
        metrics: a name, or several; None for the CoNLL average if it was asked for, or else the first metric.
        field: ``recall``, ``precision`` or ``f1``.
        parameter: name of the parameter; None for the only one whose values are numbers and not all the same.
        by: name of a second parameter, such as the system.
        over: name of a parameter whose values are repetitions, such as the seed; their mean is drawn.
        confidence: confidence level of each interval; None for no band.
        log: draw the parameter on a logarithmic axis.
        **options: see `arraycoref.options`.

    Raises:
        InputError: a parameter whose values are no numbers, settings with equal values, an option out of range.
        UnknownNameError: no such metric or parameter.
        DocumentMismatchError: runs that were scored on different documents.
        MissingDependencyError: matplotlib is not installed.
    """
    given = RunScores.of(runs, metrics)
    given = RunScores.of(given, (given.first_metric,)) if metrics is None else given
    names, columns, title = given.metrics, parameters_of(given.settings), field_name(field, given.signature.beta)
    for name in filter(None, (parameter, by, over)):
        check_name("parameter", name, columns)
    if len(set(map(is_count, names))) > 1:
        raise InputError(f"{', '.join(names)} are counts and ratios; expected metrics of one kind for an axis")
    parameter = axis_of(columns, parameter, (by, over))
    at = np.array(columns[parameter], np.float64)
    groups = _groups(columns, list(filter(None, (parameter, by))), over, len(given))
    groups = [rows for rows in groups if np.isfinite(at[rows[0]])]  # -inf has no place on an axis
    how, draws = settings_of(options, SampleOptions)
    (sample, _), ends = sample_of(given, how), None
    if confidence is not None and over is None:
        OPTIONS["confidence"].check("confidence", confidence)
        method = "percentile" if sample.clustering is None else LINEARISED
        ends = Bounds.from_sample(sample, draws, method, confidence).ends()
    x, estimates = np.unique(at[[rows[0] for rows in groups]]), sample.estimates
    lines, lower = dict[str, Floats](), set[str]()
    for (k, metric), rows in itertools.product(enumerate(names), groups):
        place, value = check_field(field, metric), None if by is None else columns[by][rows[0]]
        other = [] if by is None else [value if isinstance(value, str) else text_of({by: value})]
        name = ", ".join([metric_title(metric), *other] if len(names) > 1 or by is None else other)
        line = lines.setdefault(name, np.full((3, x.size), np.nan))
        lower |= {name} if direction(metric) < 0 else set()
        scores = estimates[k, place, rows]
        mean, sd = scores.mean(), scores.std(ddof=1) if len(rows) > 1 else math.nan
        band = (mean - sd, mean + sd) if ends is None else ends[:, k, place, rows[0]]
        line[:, np.searchsorted(x, at[rows[0]])] = (mean, *band)
    centre, *band_ends = ({name: line[k] for name, line in lines.items()} for k in range(3))
    title = title if by is None or len(names) > 1 else f"{metric_title(names[0])} {title}"
    return plot_parameter(
        x,
        centre,
        *(band_ends if over or confidence is not None else ()),
        parameter=parameter,
        score=f"mean {title} over {over}" if over else title,
        band="± standard deviation" if over else f"{100 * (confidence or 0):g}% interval",
        log=log,
        percent=not any(map(is_count, names)),
        lower_is_better=lower,
    )


def axis_of(columns: Mapping[str, Sequence[Any]], parameter: str | None, others: Collection[str | None]) -> str:
    """Return a parameter of numbers; None stands for the only one that is not among ``others`` and varies.

    Raises:
        InputError: the values of ``parameter`` are no numbers; for None, no parameter or several fit.
    """
    numeric = [
        name
        for name, values in columns.items()
        if name not in others and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    ]
    varying = [name for name in numeric if len(set(columns[name])) > 1] or numeric
    found = varying if parameter is None else [name for name in numeric if name == parameter]
    if len(found) != 1:
        known = ", ".join(varying) or "none"
        raise InputError(
            f"settings vary in these parameters of numbers: {known}; expected parameter=NAME, one of them", "parameter"
        )
    return found[0]


def _groups(columns: Mapping[str, Sequence[Any]], names: list[str], over: str | None, n: int) -> list[list[int]]:
    """Group the positions of n runs by their values of some parameters.

    Raises:
        InputError: two settings have the same values of ``names`` and ``over``.
    """
    every = [*names, *([over] if over is not None else [])]
    if len({identity(values) for values in zip(*(columns[name] for name in every), strict=True)}) < n:
        raise InputError(
            f"several settings share a value of {', '.join(every)}: by= draws a line for each value of another "
            "parameter, over= their mean, and select takes some of them out"
        )
    return [rows for _, rows in positions_by(zip(*(columns[name] for name in names), strict=True))]
