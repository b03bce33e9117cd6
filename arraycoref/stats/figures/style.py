"""Give every figure its look, and save it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arraycoref.errors import InputError, OptionError
from arraycoref.runtime import atomic_write, import_extra
from arraycoref.scoring.rows import is_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.35, 6.9
"""Width in inches of one column of a two-column paper, and of the text of its page."""

NARROWEST, WIDEST = 1.5, 50.0
"""Limits on the width of figures in inches: less has no room for words and axes, and more takes gigabytes of memory."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that colour-blind readers can distinguish. Source: Okabe and Ito (2008), Color Universal Design."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
GREY = "#666666"
SMALL = 6.5
"""Size of the letters of titles, legends and names, in points."""

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
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "text.hinting": "none",  # so that words have the same width at any resolution
    "svg.fonttype": "path",
    "svg.hashsalt": "arraycoref",
}


def check_kind(value: object, kind: type, function: str) -> None:
    """Refuse a value that is not the kind of result that a figure shows.

    Raises:
        InputError: the value has another type.
    """
    if not isinstance(value, kind):
        raise InputError(f"{type(value).__name__} is no {kind.__name__}; expected what arraycoref.{function} returns")


@contextmanager
def styled() -> Iterator[None]:
    """Apply the style of this package within a ``with`` block only.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    with import_extra("matplotlib", "figures need matplotlib", "plot").rc_context(RC):
        yield


def check_width(width: Any) -> float:
    """Return the width of a figure in inches.

    Raises:
        OptionError: ``width`` is no number, or less than `NARROWEST`, or more than `WIDEST`.
    """
    if isinstance(width, bool) or not isinstance(width, Real) or width < NARROWEST or not width <= WIDEST:
        raise OptionError(f"width is {width!r}; expected inches, {NARROWEST:g} to {WIDEST:g}")
    return float(width)


def new_figure(width: float, height: float) -> Figure:
    """Make a figure of this size, in inches, that belongs to no window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def look(n: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the n-th line; 7 lines differ in colour, 49 or more in one of the three."""
    turn = n // len(COLOURS)
    return {
        "color": COLOURS[n % len(COLOURS)],
        "marker": MARKERS[(n + turn) % len(MARKERS)],
        "linestyle": DASHES[turn % len(DASHES)],
    }


def scale(metric: str) -> tuple[float, str]:
    """Return the factor for a metric's values, and the text after its name; ratios are drawn in percent."""
    return (1.0, "") if is_count(metric) else (100.0, " in percent")


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a figure's path, which is its format: ``.png``, ``.svg`` or ``.pdf``.

    Raises:
        OptionError: another suffix.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in UNDATED:
        raise OptionError(f"{os.fspath(path)}: expected a figure's name to end in one of {', '.join(UNDATED)}")
    return suffix


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, with the same bytes each time; the file appears complete or not at all.

        >>> import numpy as np
        >>> from arraycoref.stats.figures import plot_parameter, save_figure
        >>> save_figure(plot_parameter([0.1, 0.2, 0.3], np.array([0.5, 0.6, 0.4])), "figure.svg")

    Args:
        figure: from one of the functions of `arraycoref.stats.figures`.
        path: ends in ``.png``, ``.svg`` or ``.pdf``.

    Raises:
        InputError: ``figure`` is no figure.
        OptionError: another suffix.
        OSError: the file cannot be written.
    """
    suffix = check_suffix(path)
    if not hasattr(figure, "savefig"):
        raise InputError(
            f"{type(figure).__name__} is no Figure; expected what functions of arraycoref.stats.figures return"
        )
    with styled(), atomic_write(path) as file:
        figure.savefig(file, format=suffix[1:], metadata=UNDATED[suffix])
