"""Keep the words of a figure within it: names are shortened, titles wrapped, and tick labels thinned out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arraycoref.report.tables import figure_text
from arraycoref.stats.figures.style import SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import BboxBase

EDGE = 0.03
"""Distance in inches that words keep from the figure's edge."""

LINE = 0.14
"""Distance in inches from one line of small letters to the next."""


SHORTEST = 0.9
"""Length in inches to which an upright label may grow before it is wrapped, even if its axis is shorter."""


def text_width(text: str, size: float = SMALL) -> float:
    """Return the width of a text in inches.

    Args:
        text: the text, escaped for figures, without mathematics.
        size: size of the letters, in points.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    plain, font = text.replace(r"\$", "$"), FontProperties(size=size)
    return float(text_to_path.get_text_width_height_descent(plain, font, False)[0]) / 72.0


def shortened(names: Iterable[object], inches: float, size: float = SMALL) -> list[str]:
    """Escape names for a figure; of a name that is too wide, leave out as little of its middle as possible.

    Args:
        names: the names as the user gave them.
        inches: the most inches that a name may take.
        size: size of the letters, in points.
    """

    def fitted(name: str) -> str:
        whole = figure_text(name)
        if text_width(whole, size) <= inches:
            return whole
        few, many = 1, len(name)  # numbers of letters to keep: one that fits, one that does not
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (middle, many) if text_width(cut(name, middle), size) <= inches else (few, middle)
        return cut(name, few)

    def cut(name: str, kept: int) -> str:
        head = (kept + 1) // 2
        return figure_text(name[:head]) + "…" + figure_text(name[len(name) - kept + head :])

    return [fitted(str(name)) for name in names]


def wrapped(text: str, inches: float, size: float) -> str:
    """Break lines that are too wide between words, and shorten a word that alone is too wide."""
    lines = []
    for line in text.split("\n"):
        row = ""
        for word in line.split(" "):
            longer = f"{row} {word}" if row else word
            if row and text_width(longer, size) > inches:
                lines.append(row)
                longer = word
            row = shortened([longer.replace(r"\$", "$")], inches, size)[0]
        lines.append(row)
    return "\n".join(lines)


def add_legend(figure: Figure, axes: Axes) -> None:
    """Put the legend of some axes below them, in as many columns as there is room for, and make room for its rows."""
    handles, labels = axes.get_legend_handles_labels()
    widest = max(map(text_width, labels))
    columns = min(len(labels), max(1, int((figure.get_figwidth() - 2 * EDGE) / (widest + 0.4))))
    figure.set_figheight(figure.get_figheight() + LINE * math.ceil(len(labels) / columns))
    figure.legend(
        *(handles, labels),
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        handlelength=2.0,
        columnspacing=1.0,
    )


def fit(figure: Figure) -> Figure:
    """Lay a figure out, wrap titles and labels that are too long for it, and thin out tick labels that collide.

    Returns:
        The same figure.
    """
    titles = [(axes, text) for axes in figure.axes for text in _titles(axes)]
    level = [text for _, text in titles if text.get_rotation() != 90]
    for text in level:
        before = text.get_text()
        text.set_text(wrapped(before, figure.get_figwidth() - 2 * EDGE, float(text.get_fontsize())))
        added = text.get_text().count("\n") - before.count("\n")
        figure.set_figheight(figure.get_figheight() + LINE * added)  # so that new lines take no room from the axes
    figure.draw_without_rendering()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _thin_out(figure, axis)
    for axes, text in titles:
        if text not in level:
            room = max(axes.bbox.height / figure.dpi, SHORTEST)
            text.set_text(wrapped(text.get_text(), room, float(text.get_fontsize())))
    for _ in range(2):  # twice, since moving a text may change the layout and so the others
        figure.draw_without_rendering()
        for _, text in titles:
            _move_inside(figure, text)
    figure.draw_without_rendering()
    return figure


def _titles(axes: Axes) -> list[Text]:
    """Return the titles and axis labels that are not empty."""
    from matplotlib.text import Text

    titles = [child for child in axes.get_children() if isinstance(child, Text) and child not in axes.texts]
    return [text for text in (*titles, axes.xaxis.label, axes.yaxis.label) if text.get_text()]


def _move_inside(figure: Figure, text: Text) -> None:
    """Move a label or title that crosses the figure's edge back inside, along its axis; the layout keeps it there."""
    from matplotlib.transforms import blended_transform_factory

    box, edge, across = text.get_window_extent(), EDGE * figure.dpi, text.get_transform()
    d = 1 if text.get_rotation() == 90 else 0
    shift = max(0.0, edge - box.min[d]) - max(0.0, box.max[d] - figure.bbox.max[d] + edge)
    if not shift:
        return
    place = list(text.get_position())
    place[d] = (across.transform(place)[d] + shift) / figure.bbox.max[d]
    transforms = (across, figure.transFigure) if d else (figure.transFigure, across)
    text.set_transform(blended_transform_factory(*transforms))
    text.set_position((place[0], place[1]))


def _thin_out(figure: Figure, axis: Axis) -> None:
    """Reduce the ticks of an axis of numbers until no two labels overlap, or few ticks are left."""
    from matplotlib.ticker import MaxNLocator

    locator = axis.get_major_locator()
    for n in range(6, 1, -1):
        boxes = label_boxes(axis)
        if not isinstance(locator, MaxNLocator) or not overlapping(boxes):
            return
        locator.set_params(nbins=n)
        figure.draw_without_rendering()


def label_boxes(axis: Axis) -> list[BboxBase]:
    """Return the bounding boxes, in pixels, of the tick labels that are drawn."""
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        label.get_window_extent()
        for tick in ticks
        if low - slack <= tick.get_loc() <= high + slack
        for label in (tick.label1, tick.label2)
        if label.get_visible() and label.get_text()
    ]


def overlapping(boxes: Sequence[BboxBase]) -> bool:
    """Return whether any two of the boxes overlap."""
    return any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])
