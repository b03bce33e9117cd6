"""Draw figures for papers: scores, differences, scores against a parameter, and metrics against each other.

Each function returns a `matplotlib.figure.Figure`, which belongs to no window; `save_figure` writes it to a file.
"""

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
from arraycoref.report.figure import (
    COLOURS,
    COLUMN,
    GREY,
    LETTER,
    SMALL,
    add_legend,
    look,
    new_axes,
    save_figure,
    short_names,
    styled,
)
from arraycoref.report.tables import figure_text, number_of
from arraycoref.scoring.metrics.registry import RATIOS, direction
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.scoring.rows import field_name, is_count, metric_title, score_name, unit
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.settings import identity, parameters_of, positions_by, text_of
from arraycoref.stats.correlation import CONSTANT, Correlation
from arraycoref.stats.ranking import Comparison
from arraycoref.stats.resampling import CORRECTIONS, Sample, SampleOptions, check_field, settings_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plot_correlation",
    "plot_differences",
    "plot_metrics",
    "plot_parameter",
    "plot_runs",
    "plot_scores",
    "save_figure",
]

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}

NAMED_DOCUMENTS, NAMED_SYSTEMS = 30, 12
"""The most documents that are drawn as rows with their names, and the most systems whose names are written at points.
"""

BANDS = 7
"""The most lines that may have bands: the bands of more lines would hide each other."""

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
DISTANCES = (4, 9, 15, 22, 30, 40)
"""Where a name may be written: the side of its point, and the distance in typographic points; earlier ones win."""


def plot_scores(comparison: Comparison, *, width: float = COLUMN) -> Figure:
    """Draw a row per system: its score as a dot, its interval as a line, its mark at the right.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_scores
        >>> key, offsets = [0, 0, 1, 1] * 2, [0, 4, 8]
        >>> right, wrong = (ac.score_labels_batch(key, response, offsets) for response in (key, [0, 1, 1, 1] * 2))
        >>> figure = plot_scores(ac.compare({"right": right, "wrong": wrong}, metric="muc"))

    Args:
        comparison: from `arraycoref.compare`.
        width: width of the figure in inches.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    c, rows = comparison, np.arange(len(comparison.systems))
    factor, words = _scale(c.metric)
    score, low, high = factor * np.array([(s.score.estimate, s.score.low, s.score.high) for s in c.systems]).T
    names = short_names(s.name for s in c.systems)
    with styled():
        figure, axes = new_axes(width, 0.9 + 0.2 * len(rows))
        for s, system in enumerate(c.systems):
            reference = c.baseline and system.name == c.reference
            colour, marker = (COLOURS[1], "s") if reference else (COLOURS[0], "o")
            axes.plot([low[s], high[s]], [s, s], color=colour, solid_capstyle="round")
            axes.plot(score[s], s, marker, color=colour, markersize=4)
            axes.annotate(system.mark, (1.02, s), xycoords=("axes fraction", "data"), va="center", fontsize=7)
            if reference:
                axes.axvline(score[s], color=COLOURS[1], linewidth=0.6, linestyle=":")
        axes.set_yticks(rows, names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="x")
        interval = "" if np.isnan(low).all() else f", {100 * c.confidence:g}% interval"
        axes.set_xlabel(score_name(c.metric, c.field, c.signature.beta, title=True) + words + interval)
        if any(s.mark for s in c.systems) and len(rows) > 1:
            corrected = f", {CORRECTIONS[c.correction]}" if c.n_tests > 1 else ""
            reference_name = names[[s.name for s in c.systems].index(c.reference)]
            meaning = f"* differs from {reference_name}" if c.baseline else "same letter: no significant difference"
            _title(axes, f"{meaning} (alpha {c.alpha:g}{corrected})", width)
        return figure


def plot_differences(
    a: BatchScores,
    b: BatchScores,
    *,
    metric: str = "conll",
    field: str = "f1",
    names: tuple[str, str] = ("A", "B"),
    width: float = COLUMN,
) -> Figure:
    r"""Draw a bar per document, the score of system A minus that of B, sorted; and a line at the corpus's difference.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_differences
        >>> key, offsets = [0, 0, 1, 1] * 2, [0, 4, 8]
        >>> a, b = (ac.score_labels_batch(key, response, offsets) for response in (key, [0, 1, 1, 1] * 2))
        >>> plot_differences(a, b, metric="bcub", field="recall").axes[0].get_title(loc="left")
        'dashed: corpus +25.00\nA better in 2, B in 0, equal in 0'

    Args:
        a: scores of one system.
        b: scores of another system on the same documents.
        metric: name of a metric.
        field: ``recall``, ``precision`` or ``f1``.
        names: the names of the two systems.
        width: width of the figure in inches.

    Raises:
        InputError: systems scored by different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored.
        OptionError: a field that the metric lacks.
        MissingDependencyError: matplotlib is not installed.
    """
    place, n = check_field(field, metric), len(a)
    sample = Sample.of(Runs.of({"a": a, "b": b}, (metric,)), "micro")
    factor, words = _scale(metric)
    ours, theirs = sample.scores(np.moveaxis(sample.rows, -1, 0), 1)[0, place]
    corpus = sample.estimates()[0, place]
    difference = factor * rounded_for_ties(ours - theirs)
    total = factor * float(rounded_for_ties(corpus[0] - corpus[1]))
    order = np.argsort(-difference, kind="stable")
    better = np.sign(direction(metric) * difference).astype(int)
    won, lost, equal = (int(np.count_nonzero(better == sign)) for sign in (1, -1, 0))
    first, second = short_names(names)
    label = score_name(metric, field, a.signature.beta, title=True)
    text = f"{label}: {first} − {second}{', points' if words else ''}"
    few = n <= NAMED_DOCUMENTS
    with styled():
        figure, axes = new_axes(width, 1.0 + 0.14 * n if few else 0.75 * width)
        colours = [COLOURS[0 if sign >= 0 else 1] for sign in better[order]]
        draw, rule = (axes.barh, axes.axvline) if few else (axes.bar, axes.axhline)
        draw(np.arange(n), difference[order], 0.8 if few else 1.0, color=colours)
        rule(total, color="black", linewidth=0.8, linestyle="--", zorder=3)
        rule(0, color="black", linewidth=0.5)
        axes.grid(axis="x" if few else "y")
        if few:
            axes.set_yticks(np.arange(n), short_names(a.names[d] for d in order))
            axes.set_ylim(n - 0.5, -0.5)
            axes.set_xlabel(text)
        else:
            axes.set_xlim(-0.5, n - 0.5)
            axes.set_xlabel(f"{n} documents, sorted")
            axes.set_ylabel(text)
        title = f"dashed: corpus {total:+.2f}\n{first} better in {won}, {second} in {lost}, equal in {equal}"
        _title(axes, title, width, "left")
        return figure


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
        InputError: values that have no place on the axis.
        UnknownNameError: a name in ``lower_is_better`` that no line has.
        MissingDependencyError: matplotlib is not installed.
    """
    x, factor = np.asarray(values, np.float64), 100.0 if percent else 1.0
    lost = x[~np.isfinite(x) | (log and x <= 0)]
    if lost.size:
        expected = "finite numbers above 0 on a logarithmic axis" if log else "finite numbers"
        raise InputError(f"the parameter has the value {lost[0]:g}; expected {expected}")
    lines, lows, highs = _named(scores), _named(low), _named(high)
    for unknown in set(lower_is_better) - lines.keys():
        raise UnknownNameError("line in lower_is_better", unknown, lines)
    bands = low is not None and len(lines) <= BANDS
    if confidence is not None:
        band = f"{100 * confidence:g}% interval"
    order = np.argsort(x, kind="stable")
    with styled():
        figure, axes = new_axes(width, 0.72 * width)
        for n, (name, shown) in enumerate(zip(lines, short_names(lines), strict=True)):
            y = factor * lines[name][order]
            if bands and name in lows:
                ends = factor * lows[name][order], factor * highs[name][order]
                axes.fill_between(x[order], *ends, color=look(n)["color"], alpha=0.2, linewidth=0)
            _line(axes, n, shown, x[order], y, name in lower_is_better)
        if log:
            axes.set_xscale("log")
        elif np.equal(np.mod(x, 1), 0).all():
            axes.locator_params(axis="x", integer=True)
        axes.grid(axis="y")
        axes.set_xlabel(figure_text(parameter))
        words = (f"{score}{' in percent' if percent else ''}", summary, band if bands else None)
        axes.set_ylabel(textwrap.fill(figure_text(", ".join(filter(None, words))), int(0.5 * width / LETTER)))
        add_legend(figure, axes)
        return figure


def _named(given: ArrayLike | Mapping[str, ArrayLike] | None) -> dict[str, Floats]:
    """Convert one or more lines to arrays by name."""
    lines = {} if given is None else given if isinstance(given, Mapping) else {"": given}
    return {str(name): np.asarray(line, np.float64) for name, line in lines.items()}


def _line(axes: Axes, n: int, name: str, x: Floats, y: Floats, lower: bool) -> None:
    """Draw the n-th line where it has scores, and the mark of its best value."""
    style, known, comma = look(n), ~np.isnan(y), ", " if name else ""
    if not known.any():
        axes.plot([], [], **style, markersize=2.5, label=f"{name}{comma}without a score")
        return
    best = int(np.nanargmax(rounded_for_ties(-y if lower else y)))
    label = f"{name}{comma}best at {x[best]:g}"
    axes.plot(x[known], y[known], **(style if x.size <= 40 else style | {"marker": ""}), markersize=2.5, label=label)
    axes.plot(x[best], y[best], style["marker"], color=style["color"], markersize=6, markerfacecolor="white")


def plot_runs(
    runs: Runs | Mapping[Any, BatchScores],
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
        **options: see `arraycoref.options`; 1,000 resamples, unless others are asked for.

    Raises:
        InputError: a parameter whose values are no numbers, settings with equal values, an option out of range.
        UnknownNameError: no such metric or parameter.
        DocumentMismatchError: runs that were scored on different documents.
        MissingDependencyError: matplotlib is not installed.
    """
    given = Runs.of(runs, metrics)
    given = Runs.of(given, (given.first_metric,)) if metrics is None else given
    names, columns, title = given.metrics, parameters_of(given.settings), field_name(field, given.signature.beta)
    for name in filter(None, (parameter, by, over)):
        check_name("parameter", name, columns)
    if len(set(map(is_count, names))) > 1:
        raise InputError(f"{', '.join(names)} are counts and ratios; expected metrics of one kind for an axis")
    parameter = _axis(columns, parameter, (by, over))
    at = np.array(columns[parameter], np.float64)
    groups = _groups(columns, list(filter(None, (parameter, by))), over, len(given))
    groups = [rows for rows in groups if np.isfinite(at[rows[0]])]  # -inf has no place on an axis
    asked, draws = settings_of(options, SampleOptions, resamples=1_000)
    sample, ends = Sample.of(given, asked["average"]), None
    if confidence is not None and over is None:
        OPTIONS["confidence"].check("confidence", confidence)
        levels = (1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0
        ends = np.quantile(draws.replicates(sample), levels, axis=-1)
    x, estimates = np.unique(at[[rows[0] for rows in groups]]), sample.estimates()
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
    centre, low, high = ({name: line[k] for name, line in lines.items()} for k in range(3))
    banded = over is not None or ends is not None
    return plot_parameter(
        x,
        centre,
        low if banded else None,
        high if banded else None,
        parameter=parameter,
        score=title if by is None or len(names) > 1 else f"{metric_title(names[0])} {title}",
        summary=f"mean over {over}" if over else None,
        confidence=None if over else confidence,
        band="± standard deviation" if over else None,
        log=log,
        percent=not any(map(is_count, names)),
        lower_is_better=lower,
    )


def _axis(columns: Mapping[str, Sequence[Any]], parameter: str | None, others: Collection[str | None]) -> str:
    """Return a parameter of numbers; None stands for the only one that is not among ``others`` and varies.

    Raises:
        InputError: the values of ``parameter`` are no numbers; for None, no parameter or several fit.
    """
    numeric = [
        name
        for name, values in columns.items()
        if name not in others and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    ]
    if parameter is not None:
        if parameter not in numeric:
            raise InputError(f"parameter {parameter} has values that are no numbers; expected numbers for an axis")
        return parameter
    varying = [name for name in numeric if len(set(columns[name])) > 1] or numeric
    if len(varying) != 1:
        found = ", ".join(varying) or "none"
        raise InputError(
            f"settings vary in these parameters of numbers: {found}; expected parameter=NAME, one of them",
            "parameter",
        )
    return varying[0]


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
    across, up = _scale(x)[0] * c.scores[f, :, i], _scale(y)[0] * c.scores[f, :, j]
    if np.isnan(across).all() or np.isnan(up).all():
        raise InputError(f"{x} or {y} has no {field}; expected metrics that have one")
    with styled():
        figure, axes = new_axes(width, 0.95 * width)
        axes.margins(0.15)
        axes.plot(across, up, "o", color=COLOURS[0], markersize=4, markerfacecolor="none")
        axes.grid()
        axes.set_xlabel(score_name(x, field, c.beta, title=True) + _scale(x)[1])
        axes.set_ylabel(score_name(y, field, c.beta, title=True) + _scale(y)[1])
        p = c.pvalues[f, i, j]
        words = f"{coefficient(c.coefficients[f, i, j], c.method)} ({'p < 0.001' if p < 0.001 else f'p = {p:.3f}'})"
        title = f"{c.method.capitalize()}'s {words}, {number_of(len(c.systems), 'system')}"
        _title(axes, title, width, "center")
        if len(c.systems) <= NAMED_SYSTEMS if names is None else names:
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
                _scale(against)[0] * values[:, k],
                _scale(c.metrics[other])[0] * values[:, other],
                **look(n) | {"linestyle": ""},
                markersize=3.5,
                markerfacecolor="none",
                markeredgewidth=0.8,
                label=f"{metric_title(c.metrics[other])}, {coefficient(c.coefficients[f, k, other], c.method)}",
            )
        axes.set_xlabel(score_name(against, field, c.beta, title=True) + _scale(against)[1])
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


def _scale(metric: str) -> tuple[float, str]:
    """Return the factor for a metric's values, and the text after its name; ratios are drawn in percent."""
    return (1.0, "") if is_count(metric) else (100.0, " in percent")


def _title(axes: Axes, text: str, width: float, place: str = "right") -> None:
    """Write a title in as many lines as it needs."""
    lines = (textwrap.fill(line, int(width / LETTER), break_on_hyphens=False) for line in text.split("\n"))
    axes.set_title("\n".join(lines), loc=place, color=GREY)  # type: ignore[arg-type]


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
