"""Measure long Parquet tables on one and two Dask workers: a million documents of 60 mentions, and one clustering.

    python -m benchmarks.bench_dask [--documents N] [--mentions N] [--texts] [--order sorted|scattered] [--repeats N]

Workers are processes of one thread, which have scored a small table before the clock starts. Rows are ``sorted`` by
document and mention, or ``scattered``: the halves of all documents are in random order within and across files, in a
different order on each side.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import arraycoref as ac
from arraycoref.interop.dask import score_table
from arraycoref.interop.tables import score_parquet
from benchmarks.bench_giant import clustering
from benchmarks.data import Batch, documents

N_MENTIONS = 60
CHUNK = 50_000
"""Number of documents that are generated at once and written to one file."""


def chunks(n_documents: int) -> Iterator[tuple[int, Batch]]:
    """Generate documents like a system's output, in chunks of `CHUNK`; yield each with the number of its first one."""
    for first in range(0, n_documents, CHUNK):
        yield first, documents(min(CHUNK, n_documents - first), N_MENTIONS, seed=first)


def write_documents(folder: Path, n_documents: int, order: str, texts: bool) -> None:
    """Write ``key/*.parquet`` and ``response/*.parquet`` with PyArrow's defaults; values are texts or numbers."""
    rng = np.random.default_rng(n_documents)
    labels = {
        side: np.concatenate([getattr(batch, side) for _, batch in chunks(n_documents)]).astype(np.int32)
        for side in ("key", "response")
    }
    half = N_MENTIONS // 2
    for side, of_side in labels.items():
        halves = np.arange(2 * n_documents) if order == "sorted" else rng.permutation(2 * n_documents)
        for file, first in enumerate(range(0, halves.size, 2 * CHUNK)):
            mention = (halves[first : first + 2 * CHUNK, np.newaxis] * half + np.arange(half)).ravel()
            mention = mention[of_side[mention] >= 0]
            document = mention // N_MENTIONS * 7 + 10**9
            write_file(
                folder / side, file, texts, document=document, mention=mention % N_MENTIONS, label=of_side[mention]
            )


def write_clustering(folder: Path, n_mentions: int, order: str, texts: bool) -> None:
    """Write one clustering in the same way, without a column of documents."""
    sides = clustering(n_mentions, "int64", "system")
    for side, labels in zip(("key", "response"), sides, strict=True):
        mention = np.flatnonzero(labels >= 0)
        if order == "scattered":
            mention = np.random.default_rng(len(side)).permutation(mention)
        size = CHUNK * N_MENTIONS
        for file, first in enumerate(range(0, mention.size, size)):
            here = mention[first : first + size]
            write_file(folder / side, file, texts, mention=here, label=labels[here])


def write_file(folder: Path, file: int, texts: bool, **columns: np.ndarray) -> None:
    """Write one file whose columns are 64-bit integers, or with ``texts`` their digits as texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    table = pa.table({name: pa.array(column, pa.int64()) for name, column in columns.items()})
    if texts:
        table = pa.table({name: table[name].cast(pa.string()) for name in columns})
    pq.write_table(table, folder / f"{file:04d}.parquet")


def in_memory(n_documents: int) -> Iterator[tuple[str, float]]:
    """Measure the seconds that scoring the same documents takes in this process, on one thread."""
    import pyarrow as pa

    batches = [batch for _, batch in chunks(n_documents)]
    key, response = (np.concatenate([getattr(batch, side) for batch in batches]) for side in ("key", "response"))
    offsets = np.arange(0, n_documents * N_MENTIONS + 1, N_MENTIONS)
    yield "score_labels_batch, label arrays", clock(partial(ac.score_labels_batch, key, response, offsets))
    document, mention = np.repeat(np.arange(n_documents), N_MENTIONS), np.tile(np.arange(N_MENTIONS), n_documents)
    tables = [pa.table({"document": document, "mention": mention, "key": key, "response": response})]
    yield "score_table, one Arrow table", clock(lambda: ac.score_table(*tables))
    tables = [
        pa.table({"document": document[here], "mention": mention[here], "label": labels[here]})
        for labels in (key, response)
        for here in [labels >= 0]
    ]
    yield "score_table, two Arrow tables", clock(lambda: ac.score_table(*tables))


def clock(function: Callable[[], object]) -> float:
    """Measure the seconds of a call."""
    gc.collect()
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def on_workers(
    folder: Path, small: Path, workers: int, repeats: int, kill: bool = False, **options: Any
) -> tuple[float, object]:
    """Return the median seconds of runs on worker processes, and the scores; ``kill`` ends one worker in each run."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for _ in range(2):
            score_table(small / "key", small / "response", **options)
        seconds = []
        for _ in range(repeats):
            victims = list(client.run(os.getpid).values())[:1] if kill else []

            def progress(done: int, total: int, victims: list[int] = victims) -> None:
                if victims and done * 3 > total:
                    os.kill(victims.pop(), signal.SIGKILL)

            gc.collect()
            start = time.perf_counter()
            scores = score_table(folder / "key", folder / "response", progress=progress, **options)
            seconds.append(time.perf_counter() - start)
            client.wait_for_workers(workers)
        return statistics.median(seconds), scores


def compared(scores: Any, again: Any) -> str:
    """Return a text that says whether two results are equal but for rounding."""
    same = np.allclose(scores.counts.rows, again.counts.rows, rtol=1e-12, atol=0)
    return "same numbers" if same else "OTHER NUMBERS"


def runs(name: str, n_mentions: int, repeats: int, write: Callable[[Path, bool], None], **options: Any) -> None:
    """Print one table: seconds on one worker, on two workers, on two of which one is killed, and in memory."""
    with tempfile.TemporaryDirectory() as place:
        folder, small = Path(place, "all"), Path(place, "small")
        write(folder, False)
        write(small, True)
        sizes = [path.stat().st_size for path in folder.rglob("*.parquet")]
        print(f"\n{name}: {sum(sizes) / 1e6:.0f} MB in {len(sizes)} files\n")
        print("| what | time | mentions | |\n|---|--:|--:|---|")

        def row(what: str, seconds: float, note: str = "") -> None:
            print(f"| {what} | {seconds:.1f} s | {n_mentions / seconds / 1e6:.2f} M/s | {note} |", flush=True)

        sides = folder / "key", folder / "response"
        scores = score_parquet(*sides, **options)
        for keep in (True, False):
            expected = scores if keep else scores.corpus
            what = "every document's counts" if keep else "the corpus alone"
            one, found = on_workers(folder, small, 1, repeats, keep_documents=keep, **options)
            row(f"{what}, one worker", one, compared(expected, found))
            two, found = on_workers(folder, small, 2, repeats, keep_documents=keep, **options)
            row(f"{what}, two workers", two, f"{one / two:.2f} x, {compared(expected, found)}")
            killed, found = on_workers(folder, small, 2, 1, kill=True, keep_documents=keep, **options)
            row(f"{what}, two workers, one killed at a third", killed, compared(expected, found))
        memory = clock(lambda: score_parquet(*sides, **options))
        row("in memory, one thread, with reading", memory)


def main() -> None:
    """Print a table for each kind of data and order of rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_dask")
    parser.add_argument("--documents", type=int, default=1_000_000, help="of 60 mentions; 0 for none")
    parser.add_argument("--mentions", type=int, default=20_000_000, help="of one clustering; 0 for none")
    parser.add_argument("--texts", action="store_true", help="texts in place of numbers")
    parser.add_argument("--order", choices=("sorted", "scattered"), action="append")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    ac.warmup()
    for order in options.order or ("sorted", "scattered"):
        if options.documents:
            runs(
                f"{options.documents:,} documents of {N_MENTIONS} mentions, rows {order}",
                options.documents * N_MENTIONS,
                options.repeats,
                lambda folder, small, order=order: write_documents(
                    folder, 20_000 if small else options.documents, order, options.texts
                ),
            )
        if options.mentions:
            runs(
                f"One clustering of {options.mentions:,} mentions, rows {order}",
                options.mentions,
                options.repeats,
                lambda folder, small, order=order: write_clustering(
                    folder, 10**6 if small else options.mentions, order, options.texts
                ),
                document=None,
            )
    if options.documents and not options.texts:
        print(f"\n{options.documents:,} documents in memory, one thread\n")
        for what, seconds in in_memory(options.documents):
            print(
                f"| {what} | {seconds:.1f} s | {options.documents * N_MENTIONS / seconds / 1e6:.2f} M/s |", flush=True
            )


if __name__ == "__main__":
    main()
