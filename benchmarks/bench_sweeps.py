"""Measure sweeps: 1,000 settings of a label array, cuts of a linkage, thresholds of pairs and records, runs in files.

Run: ``python -m benchmarks.bench_sweeps [array|linkage|pairs|records|files] [--settings 1000] [--repeats 3]``. The
label array has 1,000 documents of 60 mentions. Times are medians. Peak memory is counted beyond the input, the
resulting counts and the memory that the process held before.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import arraycoref as ac
from arraycoref.read import read_documents
from arraycoref.sweeps import sweep, sweep_linkage, sweep_pairs

ALL = ac.DEFAULT_METRICS


def documents(n_documents: int, n_mentions: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return labels of a key, with three mentions per entity and 8 % absent mentions, and the offsets of documents."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, n_mentions // 3, n_documents * n_mentions)
    key[rng.random(key.size) < 0.08] = -1
    return key, np.arange(0, key.size + 1, n_mentions)


def responses(key: np.ndarray, n_settings: int, n_mentions: int, dtype: str, seed: int = 1) -> np.ndarray:
    """Return label vectors (S, M) that differ from the key in 5-40 % of the mentions and lack 8 % of them."""
    rng = np.random.default_rng(seed)
    labels = np.empty((n_settings, key.size), dtype)
    for s in range(n_settings):
        share = 0.05 + 0.35 * s / n_settings
        noise = rng.random(key.size, np.float32)
        labels[s] = np.where(noise < share, rng.integers(0, n_mentions // 3, key.size), np.maximum(key, 0))
        labels[s][noise > 0.92] = -1
    return labels


def median(work: Callable[[], object], repeats: int) -> float:
    """Call a function ``repeats`` times and return the median time in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def memory_mb(field: str) -> float:
    """Return the memory of this process in MB (Linux): its peak for ``VmHWM``, or what it holds now for ``VmRSS``."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def bench_array(n_settings: int, repeats: int, dtype: str) -> None:
    """Sweep a label array with one and two threads."""
    key, offsets = documents(1000, 60)
    labels = responses(key, n_settings, 60, dtype)
    sweep(key, labels[:4], offsets, threads=2)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
    before = memory_mb("VmRSS")
    result = sweep(key, labels, offsets, threads=2)
    extra = memory_mb("VmHWM") - before - result.counts.rows.nbytes / 2**20
    sizes = labels.nbytes / 2**20, result.counts.rows.nbytes / 2**20
    print(f"input {sizes[0]:.0f} MB {dtype}, counts {sizes[1]:.0f} MB, beyond them {extra:.0f} MB")
    del result
    for threads in (1, 2):
        cpu = time.process_time()
        seconds = median(lambda threads=threads: sweep(key, labels, offsets, threads=threads), repeats)
        cpu = (time.process_time() - cpu) / repeats
        print(f"{threads} threads: {labels.size / seconds / 1e6:.1f} M labels/s ({seconds:.2f} s, {cpu:.2f} s CPU)")


def bench_linkage(n_mentions: int, repeats: int) -> None:
    """Measure scoring every cut of a linkage, and ten cuts made by scipy's ``fcluster``."""
    from scipy.cluster.hierarchy import fcluster, linkage

    rng = np.random.default_rng(0)
    key = rng.integers(0, n_mentions // 4, n_mentions)
    vectors = rng.normal(size=(n_mentions // 4, 4))[key] + 0.2 * rng.normal(size=(n_mentions, 4))
    tree = linkage(vectors, "average")
    found = sweep_linkage(key, tree)
    thresholds = np.quantile(tree[:, 2], np.linspace(0.05, 0.95, 10))
    metrics = found.metrics

    def ten(names: object) -> None:
        for threshold in thresholds:
            ac.score_labels(key, fcluster(tree, threshold, "distance"), metrics=names)

    ten(metrics)
    print(f"{len(found)} cuts of {n_mentions} mentions, {', '.join(metrics)}")
    print(f"every cut: {1e3 * median(lambda: sweep_linkage(key, tree), repeats):.1f} ms")
    cuts = [("ten cuts by fcluster alone", lambda: [fcluster(tree, t, "distance") for t in thresholds])]
    cuts += [("ten cuts by fcluster and score_labels", lambda: ten(metrics))]
    cuts += [("the same with all metrics", lambda: ten(None))]
    cuts += [("ten cuts by sweep_linkage with all metrics", lambda: sweep_linkage(key, tree, thresholds, metrics=ALL))]
    for name, work in cuts:
        print(f"{name}: {1e3 * median(work, repeats):.1f} ms")
    levels = [setting["threshold"] for setting in found.settings[:: n_mentions // 100]]
    seconds = median(lambda: sweep_linkage(key, tree, levels), repeats)
    print(f"{len(levels)} cuts: {1e3 * seconds:.0f} ms")


def bench_pairs(n_mentions: int, repeats: int) -> None:
    """Measure scoring at every threshold of links between each mention and the fifty mentions before it."""
    rng = np.random.default_rng(0)
    key = rng.integers(0, n_mentions // 4, n_mentions)
    mention, back = (x.ravel() for x in np.meshgrid(np.arange(n_mentions), np.arange(1, 51), indexing="ij"))
    kept = back <= mention
    pairs = np.stack([mention[kept], mention[kept] - back[kept]], axis=1)
    scores = rng.normal(size=len(pairs))
    n = len(sweep_pairs(key, pairs, scores))
    seconds = median(lambda: sweep_pairs(key, pairs, scores), repeats)
    print(f"{n} thresholds of {len(pairs)} pairs of {n_mentions} mentions: {1e3 * seconds:.0f} ms")


def bench_records(n_pairs: int, repeats: int) -> None:
    """Measure curves of tables of scored pairs, half of neighbors in an entity, half of random records."""
    import pandas

    for n_records, ids in ((n_pairs // 5, "numbers"), (n_pairs // 5, "texts"), (n_pairs, "numbers")):
        rng = np.random.default_rng(0)
        key = rng.integers(0, n_records // 3, n_records)
        sorted_by_key, first = np.argsort(key, kind="stable"), rng.integers(0, n_records - 1, n_pairs // 2)
        left = np.concatenate([sorted_by_key[first], rng.integers(0, n_records, n_pairs // 2)])
        right = np.concatenate([sorted_by_key[first + 1], rng.integers(0, n_records, n_pairs // 2)])
        scores = 1 / (1 + np.exp(-rng.normal(np.where(key[left] == key[right], 4, -4), 2)))
        names = np.arange(n_records) if ids == "numbers" else np.array([f"record-{n}" for n in range(n_records)])
        truth = pandas.DataFrame({"unique_id": names, "cluster_id": key})
        columns = {"unique_id_l": names[left], "unique_id_r": names[right], "match_probability": scores}
        pairs = pandas.DataFrame(columns)
        n = len(sweep_pairs(truth, pairs))
        cpu = time.process_time()
        seconds = median(lambda truth=truth, pairs=pairs: sweep_pairs(truth, pairs), repeats)
        cpu = (time.process_time() - cpu) / repeats
        print(f"{n_pairs:,} pairs of {n_records:,} records ({ids}), {n} cuts: {seconds:.2f} s, {cpu:.2f} s CPU")


def bench_files(n_runs: int, repeats: int) -> None:
    """Measure sweeps of files, and scoring of the same files one by one: documents like GUM's, and short documents."""
    from benchmarks import data

    for what, n_documents, n_mentions in (("281 documents x 315 mentions", 281, 315), ("2,000 x 60", 2000, 60)):
        batch = data.documents(n_documents, n_mentions)
        rng = np.random.default_rng(1)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            data.write_conll(folder / "key.conll", batch.key, batch.offsets)
            for run in range(n_runs):
                entity = (n_mentions // 3 * rng.random(batch.n_mentions)).astype(np.int64)
                labels = np.where(rng.random(batch.n_mentions) < 0.01 * run, entity, batch.response)
                data.write_conll(folder / f"run={run}.conll", labels, batch.offsets)
            key, runs = folder / "key.conll", sorted(folder.glob("run=*.conll"))
            cases = {
                "sweep_files, one thread": lambda key=key, runs=runs: ac.sweep_files(key, runs),
                "sweep_files, two threads": lambda key=key, runs=runs: ac.sweep_files(key, runs, threads=2),
                "score_files, one by one": lambda key=key, runs=runs: [ac.score_files(key, path) for path in runs],
                "reading the runs alone": lambda runs=runs: [read_documents(path) for path in runs],
            }
            for case, work in cases.items():
                work()
                print(f"{n_runs} runs, {what}: {1e3 * median(work, repeats):.0f} ms, {case}")


def main() -> None:
    """Run the benchmarks named on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("which", nargs="?", default="array", choices=["array", "linkage", "pairs", "records", "files"])
    parser.add_argument("--settings", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dtype", default="int32")
    options = parser.parse_args()
    print(f"arraycoref {ac.__version__}, numpy {np.__version__}")
    if options.which == "array":
        bench_array(options.settings, options.repeats, options.dtype)
    elif options.which == "linkage":
        bench_linkage(2_000, options.repeats)
    elif options.which == "records":
        bench_records(1_000_000, options.repeats)
    elif options.which == "files":
        bench_files(20, options.repeats)
    else:
        bench_pairs(2_000, options.repeats)


if __name__ == "__main__":
    main()
