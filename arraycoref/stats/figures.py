"""Draw figures for papers: scores, differences, scores against a parameter, and metrics against each other.

Each function returns a `matplotlib.figure.Figure`, which belongs to no window; `save_figure` writes it to a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.errors import InputError
from arraycoref.ragged import Floats
from arraycoref.report import figure as style
from arraycoref.report.figure import COLUMN, save_figure
from arraycoref.report.tables import figure_text, number_of
from arraycoref.scoring.format import field_name, is_count, metric_title, score_name, unit
from arraycoref.scoring.metrics.registry import check_field, direction, known_metric
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.correlation import CONSTANT, Correlation
from arraycoref.stats.curves import plot_parameter, plot_runs
from arraycoref.stats.how import CORRECTIONS
from arraycoref.stats.ranking import Comparison
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import Sample

if TYPE_CHECKING:
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
    score, low, high = (
        _scale(how.metric) * np.array([(s.score.estimate, s.score.low, s.score.high) for s in c.systems]).T
    )
    names = style.short_names(s.name for s in c.systems)
    with style.styled():
        figure, axes = style.new_axes(width, 0.9 + 0.2 * len(rows))
        for s, system in enumerate(c.systems):
            reference = c.baseline and system.name == c.reference
            colour, marker = (style.COLOURS[1], "s") if reference else (style.COLOURS[0], "o")
            axes.plot([low[s], high[s]], [s, s], color=colour, solid_capstyle="round")
            axes.plot(score[s], s, marker, color=colour, markersize=4)
            axes.annotate(system.mark, (1.02, s), xycoords=("axes fraction", "data"), va="center", fontsize=7)
            if reference:
                axes.axvline(score[s], color=style.COLOURS[1], linewidth=0.6, linestyle=":")
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
    sample = Sample.from_runs(RunScores.of({"a": a, "b": b}, (metric,)), "micro", "document")
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
        colours = [style.COLOURS[0 if sign >= 0 else 1] for sign in better[order]]
        draw, rule = (axes.barh, axes.axvline) if few else (axes.bar, axes.axhline)
        draw(np.arange(n), difference[order], 0.8 if few else 1.0, color=colours)
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
            axes.plot(
                _scale(against) * values[:, k],
                _scale(c.metrics[other]) * values[:, other],
                **style.look(n) | {"linestyle": ""},
                markersize=3.5,
                markerfacecolor="none",
                markeredgewidth=0.8,
                label=f"{metric_title(c.metrics[other])}, {coefficient(c.coefficients[f, k, other], c.method)}",
            )
        axes.grid()
        axes.set_xlabel(_axis_name(against, field, c.signature.beta))
        if metric is None:
            units = unit(*(c.metrics[other] for other in others))
            axes.set_ylabel(f"other metrics, {field_name(field, c.signature.beta)} in {units}")
            style.add_legend(figure, axes)
            return figure
        axes.set_ylabel(_axis_name(metric, field, c.signature.beta))
        p = c.pvalues[f, k, others[0]]
        words = (
            f"{coefficient(c.coefficients[f, k, others[0]], c.method)} ({'p < 0.001' if p < 0.001 else f'p = {p:.3f}'})"
        )
        title = f"{c.method.capitalize()}'s {words}, {number_of(len(c.systems), 'system')}"
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
    """Draw a bar for each class, and in it one for each system, with intervals; see `arraycoref.Analysis.breakdown`.

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
            axes.barh(at, 100 * values[s], thickness, color=style.COLOURS[s % len(style.COLOURS)], label=name)
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
