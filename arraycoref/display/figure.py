"""Give every figure its look, and save it: color-blind-safe, labeled, readable at the width of a column.

matplotlib is imported when a figure is drawn.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arraycoref.display.tables import figure_text
from arraycoref.exceptions import OptionError
from arraycoref.runtime import atomic_write, import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN = 3.35
"""Width in inches of one column of a two-column paper."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colors that color-blind readers can distinguish. Source: Okabe and Ito (2008), Color Universal Design."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
GRAY = "#666666"
SMALL = 6.5
"""Size of the letters of titles, legends and names, in points."""

LETTER = 0.048
"""Average width of such a letter, in inches."""

LONGEST = 28
"""Number of letters from which names are shortened."""

WORTH_CUTTING = 7
"""The fewest letters that all names share for which these are left out."""

UNDATED: dict[str, Any] = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The formats of figures by suffix, with metadata that leaves out dates and versions: equal figures are equal files."""

RC: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": SMALL,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": SMALL,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "savefig.dpi": 300,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.02,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "arraycoref",
}


@contextmanager
def styled() -> Iterator[None]:
    """Apply the style of this package within a ``with`` block only.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    with import_extra("matplotlib", "figures need matplotlib", "plot").rc_context(RC):
        yield


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure of this size, in inches, that belongs to no window, and its axes. Notebooks show it by itself."""
    from matplotlib.figure import Figure

    class NotebookFigure(Figure):
        def _repr_png_(self) -> bytes:
            with styled():
                self.savefig(data := io.BytesIO(), format="png")
            return data.getvalue()

    figure = NotebookFigure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def look(n: int) -> dict[str, Any]:
    """Return color, marker and dashes of the n-th line; 7 lines differ in color, 49 or more in one of the three."""
    turn = n // len(COLORS)
    return {
        "color": COLORS[n % len(COLORS)],
        "marker": MARKERS[(n + turn) % len(MARKERS)],
        "linestyle": DASHES[turn % len(DASHES)],
    }


def short_names(names: Iterable[object]) -> list[str]:
    """Escape names for a figure; if one is long, cut what all of them share at their beginnings and ends."""
    texts = [str(name) for name in names]
    if max(map(len, texts), default=0) > LONGEST:
        start = _shared_letters(texts)
        end = _shared_letters([text[start:][::-1] for text in texts])
        texts = [text[start : len(text) - end] for text in texts]
        cut = list(map(_shortened, texts))
        texts = cut if len(set(cut)) == len(set(texts)) else texts  # what differs is kept
        texts = [f"{'…' if start else ''}{text}{'…' if end else ''}" for text in texts]
    return [figure_text(text) for text in texts]


def _shortened(text: str) -> str:
    """Leave out the middle of a long name, between words where there are some."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    head = next((n for n in range(half, half // 2, -1) if not text[n - 1].isalnum()), half)
    first = len(text) - (LONGEST - head)
    tail = next((n for n in range(first, first + half) if not text[n - 1].isalnum()), len(text) - half)
    return f"{text[:head]}…{text[tail:]}"


def _shared_letters(texts: list[str]) -> int:
    """Return with how many letters all of several texts begin, words as a whole; 0 if one would have nothing left."""
    letters = zip(*texts, strict=False) if len(texts) > 1 else ()
    n = len(list(itertools.takewhile(lambda column: len(set(column)) == 1, letters)))
    n = next((k for k in range(n, 0, -1) if not texts[0][k - 1].isalnum()), 0)
    return 0 if n == min(map(len, texts)) or n < WORTH_CUTTING else n


def write_title(axes: Axes, text: str, width: float, place: str = "right") -> None:
    """Write a title in as many lines as it needs."""
    lines = (textwrap.fill(line, int(width / LETTER), break_on_hyphens=False) for line in text.split("\n"))
    axes.set_title("\n".join(lines), loc=place, color=GRAY)  # type: ignore[arg-type]


def add_legend(figure: Figure, axes: Axes) -> None:
    """Put the legend of some axes below them, in as many columns as there is room for, and make room for its rows."""
    handles, labels = axes.get_legend_handles_labels()
    widest = 0.5 + LETTER * max(map(len, labels))
    columns = min(len(labels), max(1, int(figure.get_figwidth() / widest)))
    figure.set_figheight(figure.get_figheight() + 0.14 * math.ceil(len(labels) / columns))
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, columnspacing=1.0)


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, with the same bytes each time; the file appears complete or not at all.

        >>> import numpy as np
        >>> from arraycoref.stats.figures import plot_parameter, save_figure
        >>> save_figure(plot_parameter([0.1, 0.2, 0.3], np.array([0.5, 0.6, 0.4])), "figure.svg")

    Args:
        figure: from one of the functions of `arraycoref.stats.figures`.
        path: ends in ``.png``, ``.svg`` or ``.pdf``.

    Raises:
        OptionError: another suffix.
        OSError: the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in UNDATED:
        raise OptionError(f"{os.fspath(path)}: expected a figure's name to end in one of {', '.join(UNDATED)}")
    with styled(), atomic_write(path) as file:
        figure.savefig(file, format=suffix[1:], metadata=UNDATED[suffix])
