"""Draw the scores of a sweep against a parameter of its settings, or against two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.errors import InputError, check_name
from arraycoref.scoring.metrics.registry import direction
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.rows import field_name, is_count, metric_title
from arraycoref.stats.comparable import check_field
from arraycoref.sweeps.best import bands
from arraycoref.sweeps.scores import SettingScores
from arraycoref.sweeps.settings import Scalar, axis_of, distinct, parameters_of, positions_of, text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("lines", "grid")


def draw(
    sweep: SettingScores,
    metrics: Sequence[str],
    field: str,
    parameter: str | None,
    by: str | None,
    over: str | None,
    kind: str,
    resampled: tuple[float, int, int] | None,
    log: bool,
) -> Figure:
    """Draw a sweep whose settings were scored on the same documents; see `Sweep.plot` for arguments and errors.

    ``resampled`` has confidence, number of resamples and seed of the bands; None for no bands.
    """
    from arraycoref.stats.figures import plot_parameter

    columns = parameters_of(sweep.settings)
    _check(metrics, field, kind, [name for name in (parameter, by, over) if name is not None], columns)
    title = field_name(field, sweep.signature.beta)
    if kind == "grid":
        return _grid(sweep, metrics, field, title, parameter, by, over)
    parameter = axis_of(sweep.settings, parameter, (by, over))
    at = np.array(columns[parameter], np.float64)
    groups = positions_of(sweep.settings, [parameter] if by is None else [parameter, by], over)
    finite = [rows for _, rows in groups if np.isfinite(at[rows[0]])]  # -inf has no place on an axis
    if not finite:
        raise InputError(f"parameter {parameter} has no finite value; expected some for an axis")
    x = np.unique(at[[rows[0] for rows in finite]])
    lines, lower = dict[str, Floats](), []
    for metric in metrics:
        ends = None if resampled is None or over else bands(list(sweep), metric, field, *resampled)
        for rows in finite:
            value = None if by is None else columns[by][rows[0]]
            other = [] if by is None else [value if isinstance(value, str) else text_of({by: value})]
            name = ", ".join([metric_title(metric), *other] if len(metrics) > 1 or by is None else other)
            if name not in lines:
                lines[name] = np.full((3, len(x)), np.nan)
                lower += [name] if direction(metric) < 0 else []
            scores = sweep.score(metric, field)[rows]
            lines[name][:, np.searchsorted(x, at[rows[0]])] = (
                scores.mean(),
                *(_spread(scores) if ends is None else ends[:, rows[0]]),
            )
    centre, low, high = ({name: line[k] for name, line in lines.items()} for k in range(3))
    banded = over is not None or resampled is not None
    return plot_parameter(
        x,
        centre,
        low if banded else None,
        high if banded else None,
        parameter=parameter,
        score=title if by is None or len(metrics) > 1 else f"{metric_title(metrics[0])} {title}",
        summary=f"mean over {over}" if over else None,
        confidence=None if over or resampled is None else resampled[0],
        band="± standard deviation" if over else None,
        log=log,
        percent=not any(map(is_count, metrics)),
        lower_is_better=lower,
    )


def _check(metrics: Sequence[str], field: str, kind: str, parameters: Sequence[str], known: Mapping[str, Any]) -> None:
    """Refuse arguments that no figure can show."""
    check_name("kind of figure", kind, KINDS)
    for name in parameters:
        check_name("parameter", name, known)
    if len(set(parameters)) < len(parameters):
        twice = max(parameters, key=parameters.count)
        raise InputError(f"{twice} is named twice; expected different names for parameter=, by= and over=")
    if not metrics:
        raise InputError("no metric is named; expected one or more")
    for name in metrics:
        check_field(field, name)
    if len({is_count(name) for name in metrics}) > 1:
        raise InputError(f"{', '.join(metrics)} are counts and ratios; expected metrics of one kind for an axis")


def _spread(scores: Floats) -> tuple[float, float]:
    """Return the mean minus and plus one standard deviation; nan if there is one score only."""
    around = scores.std(ddof=1) if scores.size > 1 else np.nan
    return scores.mean() - around, scores.mean() + around


def _grid(
    sweep: SettingScores,
    metrics: Sequence[str],
    field: str,
    title: str,
    parameter: str | None,
    by: str | None,
    over: str | None,
) -> Figure:
    from arraycoref.stats.figures import plot_grid

    if len(metrics) != 1:
        raise InputError(f"a grid shows one metric; got {', '.join(metrics)}")
    metric = metrics[0]
    columns = parameters_of(sweep.settings)
    others = [
        name for name, values in columns.items() if name not in (parameter, by, over) and len(distinct(values)) > 1
    ]
    if len(others) != (parameter is None) + (by is None):
        raise InputError(
            f"a grid shows two parameters, parameter= and by=; beside {parameter} and {by}, and over={over}, settings "
            f"vary in: {', '.join(others) or 'none'}"
        )
    by = by or others.pop(0)
    parameter = parameter or others.pop(0)
    groups = positions_of(sweep.settings, (by, parameter), over)
    rows, across = (_in_order(columns[name]) for name in (by, parameter))
    scores = np.full((len(rows), len(across)), np.nan)
    found = sweep.score(metric, field)
    for (one, other), places in groups:
        scores[rows.index(one), across.index(other)] = found[places].mean()
    return plot_grid(
        scores,
        [_label(value) for value in rows],
        [_label(value) for value in across],
        row=by,
        column=parameter,
        score=f"{metric_title(metric)} {title}",
        summary=f"mean over {over}" if over else None,
        percent=not is_count(metric),
        lower_is_better=direction(metric) < 0,
    )


def _in_order(values: Iterable[Any]) -> list[Any]:
    """Return each value once, numbers from the smallest, others as they first appear."""
    found: list[Any] = distinct(values)
    return sorted(found) if all(isinstance(value, int | float) for value in found) else found


def _label(value: Scalar) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
