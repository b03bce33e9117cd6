"""Measure one clustering of 10^5 to 10^8 mentions, all metrics, beside a plain pipeline of pandas and scipy.

    python -m benchmarks.bench_giant [--largest 1e8] [--dtype int64] [--shape system|random|scattered] [--no-plain]

Each size runs in a process of its own, so that peak memory is measured for each. Times are CPU times; those of the
system are mostly for memory that a process uses for the first time. The plain pipeline counts cells by a pandas
group-by, sums over cells with scipy's sparse matrices, and aligns entities with ``linear_sum_assignment``, which needs
a dense matrix.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.integer]
BLOCK = 10_000_000
PLAIN_ENTITIES = 26_000  # most entities per side for the plain pipeline: their dense matrix has 5.4 GB
PLAIN_SECONDS = 600


def clustering(n: int, dtype: str, shape: str, seed: int = 0) -> tuple[Labels, Labels]:
    """Make labels of n mentions, four per entity; each side lacks 8 % of them.

    ``system``: entities have skewed sizes, and the response moves a fifth of the mentions to other entities.
    ``random``: both sides are random. ``scattered``: like ``system``, with scattered 62-bit numbers as labels.
    """
    rng = np.random.default_rng(seed)
    n_entities = max(n // 4, 1)
    key, response = np.empty(n, dtype), np.empty(n, dtype)
    for first in range(0, n, BLOCK):
        block = slice(first, min(first + BLOCK, n))
        size = block.stop - first
        k = (n_entities * rng.random(size) ** (1.0 if shape == "random" else 1.5)).astype(np.int64)
        moved = rng.random(size) < (1.0 if shape == "random" else 0.2)
        r = np.where(moved, (n_entities * rng.random(size)).astype(np.int64), k)
        if shape == "scattered":
            k, r = (labels * 0x5851F42D4C957F2D & (2**62 - 1) for labels in (k, r))
        k[rng.random(size) < 0.08] = -1
        r[rng.random(size) < 0.08] = -1
        key[block], response[block] = k, r
    return key, response


def ours(key: Labels, response: Labels) -> float:
    """Score by arraycoref and return the CoNLL F1."""
    import arraycoref as ac

    return ac.score_labels(key, response, engine="numba").conll


def plain(key: Labels, response: Labels) -> float:
    """Score MUC, B-cubed and CEAFe as one would with pandas and scipy, and return their mean F1."""
    import pandas as pd
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import coo_matrix

    frame = pd.DataFrame({"key": key, "response": response})
    k_size = frame.key[frame.key >= 0].value_counts()
    r_size = frame.response[frame.response >= 0].value_counts()
    shared = frame[(frame.key >= 0) & (frame.response >= 0)]
    counted = shared.groupby(["key", "response"]).size().reset_index(name="n")
    row, column = k_size.index.get_indexer(counted.key), r_size.index.get_indexer(counted.response)
    cells = coo_matrix((counted.n, (row, column)), shape=(len(k_size), len(r_size))).tocsr()
    k, r = k_size.to_numpy(float), r_size.to_numpy(float)

    def f1(sum_k: float, of_k: float, sum_r: float, of_r: float) -> float:
        recall, precision = sum_k / of_k, sum_r / of_r
        return 2 * recall * precision / (recall + precision)

    parts_k = np.diff(cells.indptr) + k - np.asarray(cells.sum(1)).ravel()
    parts_r = np.diff(cells.tocsc().indptr) + r - np.asarray(cells.sum(0)).ravel()
    muc = f1((k - parts_k).sum(), (k - 1).sum(), (r - parts_r).sum(), (r - 1).sum())
    squares_k, squares_r = (np.asarray(cells.power(2).sum(axis)).ravel() for axis in (1, 0))
    bcub = f1((squares_k / k).sum(), k.sum(), (squares_r / r).sum(), r.sum())
    dense = cells.toarray().astype(float)
    dense *= 2
    dense /= k[:, None] + r
    total = dense[linear_sum_assignment(dense, maximize=True)].sum()
    return (muc + bcub + f1(total, len(k), total, len(r))) / 3


def run_one(program: str, n: int, dtype: str, shape: str) -> None:
    """Run one program on one size; print seconds, those of the system, score, and peak memory in GB."""
    function = {"ours": ours, "plain": plain}[program]
    key, response = clustering(n, dtype, shape)
    known = min(n, 1 << 21) if program == "ours" else 1000  # so that the code for this size is compiled
    function(*clustering(known, dtype, shape, seed=1))
    before = resource.getrusage(resource.RUSAGE_SELF)
    score = function(key, response)
    after = resource.getrusage(resource.RUSAGE_SELF)
    of_system = after.ru_stime - before.ru_stime
    print(after.ru_utime - before.ru_utime + of_system, of_system, score, after.ru_maxrss / 1e6)


def measure(program: str, n: int, dtype: str, shape: str) -> list[float] | None:
    """Run one size in a fresh process, and return the numbers of `run_one`; None if it failed or took too long."""
    command = [sys.executable, "-m", "benchmarks.bench_giant", "--one", program, str(n), dtype, shape]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PLAIN_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return [float(part) for part in done.stdout.split()]


def main() -> None:
    """Print a table with one row per size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=float, default=1e8)
    parser.add_argument("--dtype", default="int64", choices=["int32", "int64"])
    parser.add_argument("--shape", default="system", choices=["system", "random", "scattered"])
    parser.add_argument("--no-plain", action="store_true")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        program, n, dtype, shape = options.one
        run_one(program, int(n), dtype, shape)
        return
    times = "seconds | ns per mention | of these, system"
    print(f"| mentions | entities per side | {times} | labels | peak memory | pandas and scipy |")
    print("|---:" * 8 + "|")
    for power in range(5, 10):
        for n in (10**power, 3 * 10**power):
            if n > options.largest:
                continue
            seconds, of_system, score, memory = measure("ours", n, options.dtype, options.shape) or [np.nan] * 4
            beside = "out of memory: the dense matrix would take " + f"{8e-9 * (n / 4) ** 2:,.0f} GB"
            if options.no_plain:
                beside = "-"
            elif n // 4 <= PLAIN_ENTITIES:
                theirs = measure("plain", n, options.dtype, options.shape)
                beside = "failed" if theirs is None else f"{theirs[0]:.1f} s, {theirs[3]:.1f} GB"
                if theirs is not None and abs(theirs[2] - score) > 1e-9:
                    raise SystemExit(f"{n} mentions: CoNLL F1 {score} here, {theirs[2]} by pandas and scipy")
            labels = 2 * n * np.dtype(options.dtype).itemsize / 1e9
            print(
                f"| {n:,} | {n // 4:,} | {seconds:.3f} | {1e9 * seconds / n:.0f} | {1e9 * of_system / n:.0f} "
                f"| {labels:.2f} GB | {memory:.2f} GB | {beside} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
