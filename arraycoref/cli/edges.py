"""Sweep the thresholds of scored pairs of records, for ``arraycoref sweep --edges``."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import refuse, write_output
from arraycoref.options import FileOptions, PairOptions

if TYPE_CHECKING:
    from arraycoref.stats.runs import Runs

NAMES = ("edge_columns", "thresholds", "wrong")
"""The options that have no effect without ``--edges``."""

edges = shared.together(
    shared.scored(
        "--edges",
        metavar="FILE",
        help="Score scored pairs of records of FILE, a table, at each threshold; KEY is a table of records.",
    ),
    shared.option("edge_columns", metavar="LEFT,RIGHT,SCORE"),
    shared.scored(
        "--thresholds",
        metavar="T,...",
        help="Cut the pairs of --edges at these scores.  [default: up to 100 at which clusters merge]",
    ),
    click.option("--wrong", metavar="FILE.csv", help="Write the pairs of --edges that the best threshold gets wrong."),
)


def scored_edges(key: str, edges: str, thresholds: str | None, options: dict[str, Any]) -> Runs:
    """Score the pairs in a file at each threshold.

    Args:
        key: path of the truth.
        edges: path of the pairs.
        thresholds: numbers with commas between them; None for the default.
        options: of files, metrics and progress.

    Raises:
        click.UsageError: an option of other files was typed, or thresholds that are no numbers.
    """
    from arraycoref.sweeps import sweep_pairs

    refuse(
        "has no effect with --edges", "systems_in", *(FileOptions.__annotations__.keys() - PairOptions.__annotations__)
    )
    try:
        numbers = None if thresholds is None else [float(number) for number in thresholds.split(",")]
    except ValueError:
        raise click.UsageError(f"--thresholds is {thresholds!r}; expected numbers with commas") from None
    return sweep_pairs(key, edges, None, numbers, **_known(options))


def write_wrong(path: str, key: str, edges: str, threshold: float, options: dict[str, Any]) -> None:
    """Write the pairs that a threshold gets wrong to a file, as CSV."""
    from arraycoref.sweeps.wrong import wrong_columns

    columns = wrong_columns(key, edges, threshold, None, **_known(options))
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(columns)
    every = zip(*columns.values(), strict=True)
    rows.writerows(["" if isinstance(value, float) and math.isnan(value) else value for value in row] for row in every)
    write_output(text.getvalue(), path)


def _known(options: dict[str, Any]) -> Any:
    return {name: value for name, value in options.items() if name in PairOptions.__annotations__}
