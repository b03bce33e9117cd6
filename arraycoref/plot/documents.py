"""Where two systems differ: their difference, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.plot.style import COLOURS, COLUMN, GREY, field_title, new_figure, styled
from arraycoref.report.values import metric_title
from arraycoref.results import BatchScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMED = 30  # documents that are called by name at most


def plot_differences(
    a: BatchScores,
    b: BatchScores,
    *,
    metric: str = "conll",
    field: str = "f1",
    names: tuple[str, str] = ("A", "B"),
    width: float = COLUMN,
) -> Figure:
    """Draw a bar a document, its score by one system minus that by another, sorted; and the corpus's difference.

    Args:
        a: scores of one system.
        b: scores of another on the same documents.
        metric: name of a metric.
        field: ``recall``, ``precision`` or ``f1``.
        names: of the two systems.
        width: of the figure in inches.

    Raises:
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored.
        InputError: different conventions.
        MissingDependencyError: matplotlib is not installed.
    """
    from arraycoref.stats.comparable import check_field
    from arraycoref.stats.systems import Systems

    place = check_field(field, metric)
    systems = Systems.of({names[0]: a, names[1]: b} if names[0] != names[1] else {"a": a, "b": b}, (metric,), "micro")
    rows = systems.scores(systems.parts.array, 1)[:, :, 0, place]
    corpus = systems.scores(systems.totals, len(a))[:, 0, place]
    difference = 100 * (rows[0] - rows[1])
    order = np.argsort(-difference, kind="stable")
    label = f"{metric_title(metric)} {field_title(field, a.signature.beta)}"
    counts = [int((difference > 0).sum()), int((difference < 0).sum()), int((difference == 0).sum())]
    few = len(a) <= NAMED
    with styled():
        figure = new_figure(width, 0.9 + 0.14 * len(a) if few else 0.72 * width)
        axes = figure.subplots()
        heights, places = difference[order], np.arange(len(a))
        colours = np.where(heights >= 0, COLOURS[0], COLOURS[1]).tolist()
        total = 100 * (corpus[0] - corpus[1])
        text = f"{label}: {names[0]} − {names[1]}"
        line: dict[str, Any] = {"color": "black", "linewidth": 0.8, "linestyle": "--", "label": f"corpus {total:+.2f}"}
        if few:
            axes.barh(places, heights, color=colours, height=0.8)
            axes.set_yticks(places, [a.names[d] for d in order])
            axes.set_ylim(len(a) - 0.5, -0.5)
            axes.axvline(total, **line)
            axes.axvline(0, color="black", linewidth=0.5)
            axes.set_xlabel(f"{text}, points")
            axes.grid(axis="x")
        else:
            axes.bar(places, heights, color=colours, width=1.0)
            axes.axhline(total, **line)
            axes.axhline(0, color="black", linewidth=0.5)
            axes.set_xlim(-0.5, len(a) - 0.5)
            axes.set_xlabel(f"{len(a)} documents, sorted")
            axes.set_ylabel(f"{text}, points")
            axes.grid(axis="y")
        axes.set_title(
            f"{names[0]} better in {counts[0]}, {names[1]} in {counts[1]}, equal in {counts[2]}",
            loc="left",
            fontsize=6.5,
            color=GREY,
        )
        axes.legend(frameon=False)
    return figure
