"""Measure what it costs to choose between NumPy and compiled kernels: ``python -m benchmarks.bench_switch [--write]``.

Fresh processes score 10, 10^2, ... 10^7 mentions, with NumPy alone, with the kernels alone, and as the tally of
`arraycoref.twin` chooses; once with machine code on disk, and once where everything must be compiled. What
counts is the CPU time of the whole process. It takes a quarter of an hour.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from arraycoref.display.figure import COLUMN, GRAY, add_legend, look, save_figure, styled
from benchmarks.data import Batch, documents
from benchmarks.timing import python_cpu

RESULTS, FIGURE = (Path(__file__).with_name(f"switch.{suffix}") for suffix in ("csv", "svg"))
COLUMNS = "documents", "calls", "mentions", "numpy", "warm kernels", "warm", "cold", "cold kernels"
SIZES = [10, 10**2, 10**3, 10**4, 10**5, 10**6, 10**7]
COMPILING = 10.0
"""Seconds that compiling the largest kernels takes."""

LONG = 4.0
"""Seconds from which a process is measured once only."""

GOAL = 2.2
"""How many times the better way's time the choice may take."""

SCORE = """
import sys, numpy as np, arraycoref as ac
key, response = np.load(sys.argv[1], mmap_mode="r")[:, :int(sys.argv[2])]
offsets = np.append(np.arange(0, key.size, int(sys.argv[3])), key.size)
if sys.argv[4] == "one":
    ac.score_labels_batch(key, response, offsets)
else:
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist()):
        ac.score_labels(key[first:end], response[first:end])
"""


def dense(n_mentions: int) -> Batch:
    """Generate documents of 300 mentions in 60 entities, of which the response finds hardly any."""
    rng = np.random.default_rng(0)
    key, response = rng.integers(0, 60, (2, n_mentions))
    kept = rng.random(n_mentions) < 0.3
    return Batch(key, np.where(kept, key, response), np.arange(0, n_mentions + 1, 300))


SHAPES = {
    "short": (60, lambda n: documents(n // 60 + 1, 60)),
    "long": (6_000, lambda n: documents(n // 6_000 + 1, 6_000)),
    "dense": (300, dense),
}


def seconds(arguments: tuple[str, ...], engine: str, cache: str | None) -> float:
    """Return the CPU time of a process that scores with an engine, with an empty cache where no folder is given."""
    with tempfile.TemporaryDirectory() as empty:
        env = {"ARRAYCOREF_ENGINE": engine, "NUMBA_CACHE_DIR": cache or empty}
        return python_cpu("-c", SCORE, *arguments, env=env)


def measured(arguments: tuple[str, ...], cache: str) -> list[float]:
    """Return the columns of times for one kind of process: medians of three, or one time if it is long.

    Where NumPy takes less than half as long as compiling, it is not measured how long that takes.
    """
    ways = [("numpy", cache), ("numba", cache), ("", cache), ("", None), ("numba", None)]
    times = [[seconds(arguments, *way)] for way in ways[:4]]
    times.append([seconds(arguments, *ways[4]) if times[0][0] > COMPILING / 2 else np.inf])
    for (engine, folder), found in zip(ways * 2, times * 2, strict=True):
        if found[0] < LONG:
            found.append(seconds(arguments, engine, folder))
    return [round(statistics.median(found), 3) for found in times]


def rows(sizes: list[int]) -> Iterator[dict[str, object]]:
    """Yield a row for each kind of process, with its times in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        cache = f"{folder}/cache"
        for shape, (size, generate) in SHAPES.items():
            batch, path = generate(sizes[-1]), f"{folder}/{shape}.npy"
            np.save(path, np.stack([batch.key, batch.response]).astype(np.int32))
            for calls in "one", "many":
                for n in sizes:
                    arguments = path, str(n), str(size), calls
                    seconds(arguments, "numba", cache)  # fills the cache
                    yield dict(zip(COLUMNS, (shape, calls, n, *measured(arguments, cache)), strict=True))


def ratios(row: Mapping[str, object]) -> tuple[float, float]:
    """Return how many times the better way's time the choice took, with machine code on disk and without."""
    value = {name: float(str(row[name])) for name in COLUMNS[3:]}
    warm, cold = (value[cache] / min(value["numpy"], value[f"{cache} kernels"]) for cache in ("warm", "cold"))
    return warm, cold


def draw() -> Figure:
    """Draw the ratios of the times in `RESULTS`."""
    with RESULTS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    with styled():
        figure = Figure(figsize=(2 * COLUMN, 0.8 * COLUMN), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for side, (axes, title) in enumerate(zip(panels, ("machine code on disk", "none on disk"), strict=True)):
            for number, shape in enumerate(SHAPES):
                for calls, dashes in (("one", "-"), ("many", "--")):
                    found = [ratios(row)[side] for row in rows if (row["documents"], row["calls"]) == (shape, calls)]
                    label = f"{shape} documents, {calls} call{'s' if calls == 'many' else ''}"
                    how = look(number) | {"linestyle": dashes, "markersize": 3.0, "label": label}
                    axes.plot(SIZES[: len(found)], found, **how)
            axes.axhline(GOAL, color=GRAY, linewidth=0.6)
            axes.set(xscale="log", xticks=SIZES, xlabel="mentions in the process", ylim=(0.6, 2.4), title=title)
            axes.grid(axis="y")
        panels[0].set_ylabel("CPU time, better way = 1")
        add_legend(figure, panels[0])
    return figure


def main() -> None:
    """Print the ratios, or also write the times and draw the figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_switch", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} and {FIGURE.name}")
    parser.add_argument("--least", type=int, default=SIZES[0], help="fewest mentions of a process")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="most mentions of a process")
    given = parser.parse_args()
    found = []
    names = "documents", "calls", "mentions", "NumPy, s", "kernels, s", "by choice, s", "ratio"
    print(f"| {' | '.join(names)} | compiled anew, s | by choice, s | ratio |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for row in rows([n for n in SIZES if given.least <= n <= given.largest]):
        found.append(row)
        shape, calls, n, numpy, kernels, warm, cold, cold_kernels = row.values()
        of_warm, of_cold = ratios(row)
        print(
            f"| {shape} | {calls} | {n:,} | {numpy:.2f} | {kernels:.2f} | {warm:.2f} | **{of_warm:.2f}** "
            f"| {cold_kernels:.2f} | {cold:.2f} | **{of_cold:.2f}** |",
            flush=True,
        )
    print(f"\nlargest: {max(max(ratios(row)) for row in found):.2f}; goal: {GOAL}")
    if given.write:
        with RESULTS.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
        save_figure(draw(), FIGURE)


if __name__ == "__main__":
    main()
