"""Measure both ways of each twin beside the times that it declares: ``python -m benchmarks.bench_twins``.

The plain way's declared time decides when a process loads or compiles the fast one, see `arraycoref.twin`. It need not
be right: a factor of two costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import arraycoref as ac
from arraycoref.match.mentions import Occurrences
from arraycoref.match.objects import ObjectSides
from arraycoref.options.policies import Policies
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.totals import Needs
from arraycoref.twin import PLAIN, TWINS, using
from benchmarks.data import as_sets, documents
from benchmarks.timing import in_turn

HEADER = "| twin | elements | declared, ms | plain | fast | times as fast |"

BATCH = documents(2_000, 60)
CLUSTERINGS = Clusterings.from_labels(BATCH.key, BATCH.response, BATCH.offsets)


def objects() -> tuple[Any, ...]:
    """Return clusters of spans, which are numbered once for each call."""
    pairs = [[[[(m, m + 1) for m in entity] for entity in side] for side in pair] for pair in as_sets(BATCH)]
    return ObjectSides(*map(list, zip(*pairs, strict=True))), Policies()


def occurrences() -> tuple[Any, ...]:
    """Return the mentions of both sides."""
    sides = []
    for labels in (BATCH.key, BATCH.response):
        rows = np.flatnonzero(labels >= 0)
        sides.append(Occurrences(rows.searchsorted(BATCH.offsets), rows, labels[rows], labels[rows]))
    return tuple(sides)


def texts() -> tuple[Any, ...]:
    """Return the numbers of the words of a text, and of an edition of it with other words here and there."""
    words = np.minimum(np.random.default_rng(0).zipf(1.2, 20_000), 20_000)
    other = np.where(np.random.default_rng(1).random(words.size) < 0.01, 20_001, words)
    return words, other, words.size


def by_chance() -> tuple[Any, ...]:
    """Return the cells of one document with random labels, and what CEAFm aligns."""
    cells = cells_of(Clusterings.from_labels(*np.random.default_rng(0).integers(0, 3_000, (2, 10_000))))
    return cells, cells.shared.astype(np.float64)


ARGUMENTS: Mapping[str, Callable[[], tuple[Any, ...]]] = {
    "alignment.align_hard": by_chance,
    "cells.cells_of": lambda: (CLUSTERINGS, 0, len(CLUSTERINGS)),
    "edit_script.inner_partners": texts,
    "fused.count_totals": lambda: (CLUSTERINGS, 0, len(CLUSTERINGS), Needs(True, True, True, True)),
    "links.joins_of": lambda: (*np.random.default_rng(0).integers(0, 20_000, (2, 200_000)), 20_000),
    "mentions.union_numbers": occurrences,
    "objects.label_objects": objects,
}
"""By the name of a twin, arguments of a usual size."""


def run(engine: str, function: Callable[..., Any] | None, arguments: Callable[[], tuple[Any, ...]]) -> None:
    """Call one way of a twin with new arguments; or, without a function, make the arguments only."""
    with using("numba"):
        given = arguments()
    if function is not None:
        with using(engine):
            function(*given)


def main() -> None:
    """Print a row for each twin, and the names of those without arguments here."""
    ac.warmup()
    print(HEADER)
    print("|---|--:|--:|--:|--:|--:|")
    for name, arguments in ARGUMENTS.items():
        entry = TWINS[name]
        with using("numba"):
            fast = entry.of_engine("numba")
        calls = [partial(run, *way, arguments) for way in ((PLAIN, None), (PLAIN, entry.plain), ("numba", fast))]
        making, plain, compiled = 1e3 * np.median(in_turn(calls, rounds=5, seconds=0.1), axis=0)
        plain, compiled, size = plain - making, compiled - making, entry.size(*arguments())
        declared = 1e3 * (entry.call + entry.each * size)
        print(f"| {name} | {size:,.0f} | {declared:.2f} | {plain:.2f} | {compiled:.2f} | {plain / compiled:.1f} |")
    print(f"\nnot measured here: {', '.join(sorted(TWINS.keys() - ARGUMENTS.keys())) or 'none'}")


if __name__ == "__main__":
    main()
