"""Measure error analysis of labels: ``python -m benchmarks.bench_analysis [KEY RESPONSE]``.

Without files, the pair of GUM is used if it is at hand, and otherwise generated documents. Times are medians of CPU
times of one process, after calls to warm up.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import arraycoref as ac
from arraycoref.analysis import MentionIndex
from arraycoref.analysis.analyzed import BROKEN_DOWN
from arraycoref.analysis.errors import count_types
from arraycoref.analysis.pair import pair_of
from arraycoref.options.policies import Policies
from benchmarks.data import as_labels, gum_files

HEADER = "| of {mentions} mentions in {documents} documents | ms |"


def rows(key: Path, response: Path) -> Iterator[str]:
    """Yield a row of a table for each step: scoring beside it, error types, breakdowns, links, entities, costs."""
    labels = as_labels(key, response)
    files = ac.analyze_files(key, response, on_error=lambda _: None)
    index = files.index

    def analysis(spans: str = "none") -> ac.Analysis:
        return ac.Analysis.from_index(index, Policies(), [Policies().notes], {}, spans, None)

    steps = {
        "scores in all metrics, from labels": lambda: ac.score_labels_batch(*labels),
        "the index, from labels": lambda: MentionIndex.of_labels(("x",), labels[:2], labels[2], None),
        "error types": lambda: count_types(pair_of(index, 1)),
        "error types, spans corrected by heads": lambda: count_types(pair_of(index, 1, None, "head")),
        "every error as a piece": lambda: analysis().errors(),
        f"breakdown of {', '.join(BROKEN_DOWN)} by length": lambda: analysis().breakdown("length"),
        "breakdown by distance": lambda: analysis().breakdown("distance"),
        "breakdown of all eight metrics": lambda: analysis().breakdown(
            "length", "mentions,muc,bcub,ceafm,ceafe,blanc,lea,pairwise"
        ),
        "links": lambda: analysis().links(),
        "table of entities": lambda: analysis().entities(),
        "costs of each type, no intervals": lambda: analysis().error_table(resamples=2),
        "text of the worst document": lambda: str(replace(files).show()),
        "page of HTML": lambda: replace(files).save_html(os.devnull),
    }
    for name, step in steps.items():
        yield f"| {name} | {1000 * median_cpu(step):.1f} |"


def median_cpu(step: Callable[[], object], rounds: int = 21) -> float:
    """Return the median CPU time of calls in seconds, after five calls."""
    times = []
    for _ in range(5 + rounds):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    return statistics.median(times[5:])


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        given = list(map(Path, sys.argv[1:]))
        key, response = given or gum_files(Path(folder))[:2]
        labels = as_labels(key, response)
        print(HEADER.format(mentions=labels[0].size, documents=labels[2].size - 1))
        print("|---|--:|")
        for row in rows(key, response):
            print(row, flush=True)


if __name__ == "__main__":
    main()
