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

from arraycoref.display import figure as style
from arraycoref.display.figure import COLUMN, save_figure
from arraycoref.display.tables import figure_text, plural
from arraycoref.exceptions import InputError, check_name
from arraycoref.options import OPTIONS, Metrics
from arraycoref.ragged import Floats
from arraycoref.scoring.format import field_name, is_count, metric_title, score_name, unit
from arraycoref.scoring.metrics.registry import check_field, direction, known_metric
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.correlation import CONSTANT, Correlation
from arraycoref.stats.draws import ResampleOptions, how_of
from arraycoref.stats.how import CORRECTIONS, LINEARIZED
from arraycoref.stats.intervals import Resamples
from arraycoref.stats.ranking import Comparison
from arraycoref.stats.run_scores import RunScores, identity, parameters_of, positions_by, text_of
from arraycoref.stats.sample import Sample, sample_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plot_classes",
    "plot_correlation",
    "plot_differences",
    "plot_parameter",
    "plot_runs",
    "plot_scores",
    "save_figure",
]

NAMED = 30
"""The most documents that are drawn as rows with their names."""

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}

NAMED_SYSTEMS = 12
"""The most systems whose names are written by default."""


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
    c, how, rows = comparison, comparison.how, np.arange(len(comparison.systems))
    ends = np.array([(s.score.estimate, s.score.low, s.score.high) for s in c.systems])
    score, low, high = _scale(how.metric) * ends.T
    names = style.short_names(s.name for s in c.systems)
    with style.styled():
        figure, axes = style.new_axes(width, 0.9 + 0.2 * len(rows))
        for s, system in enumerate(c.systems):
            reference = c.baseline and system.name == c.reference
            color, marker = (style.COLORS[1], "s") if reference else (style.COLORS[0], "o")
            axes.plot([low[s], high[s]], [s, s], color=color, solid_capstyle="round")
            axes.plot(score[s], s, marker, color=color, markersize=4)
            axes.annotate(system.mark, (1.02, s), xycoords=("axes fraction", "data"), va="center", fontsize=7)
            if reference:
                axes.axvline(score[s], color=style.COLORS[1], linewidth=0.6, linestyle=":")
        axes.set_yticks(rows, names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="x")
        interval = "" if np.isnan(low).all() else f", {how.level} interval"
        axes.set_xlabel(_axis_name(how.metric, how.field, c.signature.beta) + interval)
        if any(s.mark for s in c.systems) and len(rows) > 1:
            corrected = f", {CORRECTIONS[how.correction]}" if c.n_tests > 1 else ""
            reference_name = names[[s.name for s in c.systems].index(c.reference)]
            meaning = f"* differs from {reference_name}" if c.baseline else "same letter: no significant difference"
            style.write_title(axes, f"{meaning} (alpha {how.alpha:g}{corrected})", width)
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
    sample = Sample.from_runs(RunScores.from_scores({"a": a, "b": b}, (metric,)), "micro", "document")
    factor = _scale(metric)
    ours, theirs = sample.scores(np.moveaxis(sample.rows, -1, 0), 1)[0, place]
    corpus = sample.estimates[0, place]
    difference = factor * rounded_for_ties(ours - theirs)
    total = factor * float(rounded_for_ties(corpus[0] - corpus[1]))
    order = np.argsort(-difference, kind="stable")
    better = np.sign(direction(metric) * difference).astype(int)
    won, lost, equal = (int(np.count_nonzero(better == sign)) for sign in (1, -1, 0))
    first, second = style.short_names(names)
    label = score_name(metric, field, a.signature.beta, title=True)
    text = f"{label}: {first} − {second}{'' if is_count(metric) else ', points'}"
    few = n <= NAMED
    with style.styled():
        figure, axes = style.new_axes(width, 1.0 + 0.14 * n if few else 0.75 * width)
        colors = [style.COLORS[0 if sign >= 0 else 1] for sign in better[order]]
        draw, rule = (axes.barh, axes.axvline) if few else (axes.bar, axes.axhline)
        draw(np.arange(n), difference[order], 0.8 if few else 1.0, color=colors)
        rule(total, color="black", linewidth=0.8, linestyle="--", zorder=3)
        rule(0, color="black", linewidth=0.5)
        axes.grid(axis="x" if few else "y")
        if few:
            axes.set_yticks(np.arange(n), style.short_names(a.names[d] for d in order))
            axes.set_ylim(n - 0.5, -0.5)
            axes.set_xlabel(text)
            axes.set_ylabel("document")
        else:
            axes.set_xlim(-0.5, n - 0.5)
            axes.set_xlabel(f"{n} documents, sorted")
            axes.set_ylabel(text)
        title = f"dashed: corpus {total:+.2f}\n{first} better in {won}, {second} in {lost}, equal in {equal}"
        style.write_title(axes, title, width, "left")
        return figure


def plot_correlation(
    correlation: Correlation,
    against: str,
    metric: str | None = None,
    *,
    field: str = "f1",
    names: bool | None = None,
    width: float = COLUMN,
) -> Figure:
    """Draw systems as points at their scores by two metrics, or by one metric and all others.

    With one other metric, the title has the correlation and the points have names. With all others, as in Figure 1 of
    Luo et al. (2014), a metric is left out that has the same score for all systems, or none for at least one of them.

        >>> import arraycoref as ac
        >>> from arraycoref.stats.figures import plot_correlation
        >>> key = [0, 0, 1, 1]
        >>> responses = {"right": key, "one wrong": [0, 1, 1, 1], "single": [0, 1, 2, 3]}
        >>> runs = {name: ac.score_labels_batch(key, response, [0, 4]) for name, response in responses.items()}
        >>> plot_correlation(ac.correlate(runs), "muc", "bcub").axes[0].get_xlabel()
        'MUC F1 in percent'

    Args:
        correlation: from `arraycoref.correlate`.
        against: the metric on the horizontal axis.
        metric: the metric on the vertical axis; None for all others.
        field: ``recall``, ``precision`` or ``f1``.
        names: whether to write the systems' names beside the points of one metric; None for yes if there are at most 12
            systems.
        width: width of the figure in inches.

    Raises:
        InputError: fewer than two metrics vary, or ``against`` does not vary.
        OptionError: a metric lacks the field.
        UnknownNameError: a metric or field that the correlation lacks.
        MissingDependencyError: matplotlib is not installed.
    """
    c = correlation
    f, k = _place(c, against, field)
    values = c.scores[f]
    if metric is None:
        varying = np.flatnonzero(~(np.ptp(values, axis=0) < CONSTANT) & ~np.isnan(values).any(axis=0)).tolist()
        if k not in varying or len(varying) < 2:
            known = ", ".join(c.metrics[other] for other in varying) or "none"
            expected = f"of {against} and other metrics, expected two that vary; these do: {known}"
            raise InputError(f"nothing to draw: {expected}")
        others = [other for other in varying if other != k]
    else:
        others = [_place(c, metric, field)[1]]
    with style.styled():
        figure, axes = style.new_axes(width, 0.8 * width)
        for n, other in enumerate(others):
            name, look = c.metrics[other], style.look(n) | {"linestyle": "", "markersize": 3.5, "markeredgewidth": 0.8}
            label = f"{metric_title(name)}, {coefficient(c.coefficients[f, k, other], c.method)}"
            x, y = _scale(against) * values[:, k], _scale(name) * values[:, other]
            axes.plot(x, y, **look, markerfacecolor="none", label=label)
        axes.grid()
        axes.set_xlabel(_axis_name(against, field, c.signature.beta))
        if metric is None:
            units = unit(*(c.metrics[other] for other in others))
            axes.set_ylabel(f"other metrics, {field_name(field, c.signature.beta)} in {units}")
            style.add_legend(figure, axes)
            return figure
        axes.set_ylabel(_axis_name(metric, field, c.signature.beta))
        p, value = c.pvalues[f, k, others[0]], coefficient(c.coefficients[f, k, others[0]], c.method)
        words = f"{value} ({'p < 0.001' if p < 0.001 else f'p = {p:.3f}'})"
        title = f"{c.method.capitalize()}'s {words}, {plural(len(c.systems), 'system')}"
        style.write_title(axes, title, width, "center")
        axes.margins(0.15)
        if len(c.systems) <= NAMED_SYSTEMS if names is None else names:
            places = zip(_scale(against) * values[:, k], _scale(metric) * values[:, others[0]], strict=True)
            for name, place in zip(style.short_names(c.systems), places, strict=True):
                axes.annotate(name, place, (4, 3), textcoords="offset points", fontsize=style.SMALL - 1.0)
    return figure


def plot_classes(
    classes: Sequence[str],
    systems: Sequence[str],
    values: Floats,
    ends: tuple[Floats, Floats] | None,
    label: str,
    *,
    attribute: str = "",
    width: float = COLUMN,
) -> Figure:
    """Draw a bar for each category, and in it one for each system, with intervals; see `arraycoref.Analysis.breakdown`.

        >>> import numpy as np
        >>> from arraycoref.stats.figures import plot_classes
        >>> values = np.array([[0.5, 0.4], [0.6, np.nan]])
        >>> figure = plot_classes(["1", "2+"], ["a", "b"], values, None, "MUC in percent")
        >>> len(figure.axes[0].patches)
        4

    Args:
        classes: (C,) names of the classes.
        systems: (S,) names of the systems.
        values: float64 (S, C) fractions; nan for no bar.
        ends: lower and upper ends of the intervals, float64 (S, C) each; None for no intervals.
        label: title of the axis of values.
        attribute: title of the axis of classes.
        width: width of the figure in inches.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    n, places = len(systems), np.arange(len(classes))
    thickness = 0.8 / n
    with style.styled():
        figure, axes = style.new_axes(width, 0.7 + 0.16 * len(classes) * max(n, 1.5))
        for s, name in enumerate(style.short_names(systems)):
            at = places + (s - (n - 1) / 2) * thickness
            axes.barh(at, 100 * values[s], thickness, color=style.COLORS[s % len(style.COLORS)], label=name)
            if ends is not None:
                low, high = (np.where(np.isnan(values[s]), np.nan, 100 * each[s]) for each in ends)
                axes.hlines(at, low, high, color="black", linewidth=0.8)
        axes.set_yticks(places, style.short_names(classes))
        axes.set_ylim(len(classes) - 0.5, -0.5)
        axes.grid(axis="x")
        axes.set_ylabel(figure_text(attribute))
        axes.set_xlabel(label + ("" if ends is None else ", with intervals"))
        if n > 1:
            style.add_legend(figure, axes)
        return figure


def _place(c: Correlation, metric: str, field: str) -> tuple[int, int]:
    """Return the positions of a field and a metric among those of a correlation."""
    metric = known_metric(metric, c.metrics)
    return check_field(field, metric), c.metrics.index(metric)


def _scale(metric: str) -> float:
    """Return the factor for a metric's values: ratios are drawn in percent."""
    return 1.0 if is_count(metric) else 100.0


def _axis_name(metric: str, field: str, beta: float) -> str:
    """Return the name of a score and its unit, for an axis."""
    return score_name(metric, field, beta, title=True) + ("" if is_count(metric) else " in percent")


def coefficient(value: float, method: str) -> str:
    """Write a coefficient with three decimals after its symbol; an imperfect one is never rounded to 1 or -1."""
    if np.isnan(value):
        return f"{SYMBOLS[method]} = undefined"
    number, sign = f"{value:.3f}", "="
    if number in ("1.000", "-1.000") and abs(value) < 1.0 - CONSTANT:
        number, sign = ("0.999", ">") if value > 0 else ("-0.999", "<")
    return f"{SYMBOLS[method]} {sign} {number.replace('-', '−')}"


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
    named = (each if isinstance(each, Mapping) else {"": each} for each in (scores, low, high))
    lines, lows, highs = ({str(name): np.asarray(line, np.float64) for name, line in own.items()} for own in named)
    bands = len(lines) <= BANDS and not all(np.isnan(ends).all() for ends in lows.values())
    order = np.argsort(x, kind="stable")
    texts = [getattr(value, "text", f"{value:g}") for value in np.asarray(values, object)[order]]
    with style.styled():
        figure, axes = style.new_axes(width, 0.72 * width)
        for n, (name, shown) in enumerate(zip(lines, style.short_names(lines), strict=True)):
            y = factor * lines[name][order]
            if bands and name in lows:
                ends = factor * lows[name][order], factor * highs[name][order]
                axes.fill_between(x[order], *ends, color=style.look(n)["color"], alpha=0.2, linewidth=0)
            _line(axes, n, shown, x[order], y, texts, name in lower_is_better)
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


def _line(axes: Axes, n: int, name: str, x: Floats, y: Floats, texts: Sequence[str], lower: bool) -> None:
    """Draw the n-th line where it has scores, and the mark of its best value, one of the texts."""
    look, known, comma = style.look(n), ~np.isnan(y), ", " if name else ""
    if not known.any():
        axes.plot([], [], **look, markersize=2.5, label=f"{name}{comma}without a score")
        return
    best = int(np.nanargmax(rounded_for_ties(-y if lower else y)))
    label = f"{name}{comma}best at {texts[best]}"
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
    **options: Unpack[ResampleOptions],
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
        InputError: a parameter whose values are not numbers, settings with equal values, an option out of range.
        UnknownNameError: no such metric or parameter.
        DocumentMismatchError: runs that were scored on different documents.
        MissingDependencyError: matplotlib is not installed.
    """
    given = RunScores.from_scores(runs, metrics)
    given = RunScores.from_scores(given, (given.first_metric,)) if metrics is None else given
    names, columns, title = given.metrics, parameters_of(given.settings), field_name(field, given.signature.beta)
    for name in filter(None, (parameter, by, over)):
        check_name("parameter", name, columns)
    if len(set(map(is_count, names))) > 1:
        raise InputError(f"{', '.join(names)} are counts and ratios; expected metrics of one kind for an axis")
    parameter = axis_of(columns, parameter, (by, over))
    at = np.array(columns[parameter], np.float64)
    groups = _groups(columns, list(filter(None, (parameter, by))), over, len(given))
    groups = [rows for rows in groups if np.isfinite(at[rows[0]])]  # -inf has no place on an axis
    how, draws = how_of(options, ResampleOptions)
    (sample, _), ends = sample_of(given, how), None
    if confidence is not None and over is None:
        OPTIONS["confidence"].check("confidence", confidence)
        method = "percentile" if sample.clustering is None else LINEARIZED
        ends = Resamples.from_sample(sample, draws, method, confidence).ends()
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
    center, *band_ends = ({name: line[k] for name, line in lines.items()} for k in range(3))
    title = title if by is None or len(names) > 1 else f"{metric_title(names[0])} {title}"
    own = dict(zip(at.tolist(), columns[parameter], strict=True))
    return plot_parameter(
        [own[value] for value in x.tolist()],
        center,
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
        InputError: the values of ``parameter`` are not numbers; for None, no parameter or several fit.
    """
    numeric = [
        name
        for name, values in columns.items()
        if name not in others and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    ]
    varying = [name for name in numeric if len(set(columns[name])) > 1] or numeric
    found = varying if parameter is None else [name for name in numeric if name == parameter]
    if len(found) != 1:
        vary = f"settings vary in these parameters of numbers: {', '.join(varying) or 'none'}"
        raise InputError(f"{vary}; expected parameter=NAME, one of them", "parameter")
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
