"""Draw random weights of documents, or list all possible ones.

A resample is a row of weights, one for each document. Rows are drawn in blocks; a block depends only on the seed, its
own number and the number of documents and draws, so that threads and batches do not change it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, islice
from typing import TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arraycoref.deadline import within_time
from arraycoref.runtime import in_threads, thread_count
from arraycoref.scoring.metrics.score import Floats

T = TypeVar("T")
Weights = Callable[[int, int], Floats]

BLOCK_DRAWS, BLOCK_ROWS = 2**17, 256
"""Largest number of random draws and of resamples in a block, so that it stays in the processor's cache; a block has
one resample at least. Both are constants because the numbers drawn depend on them."""

LISTED_ROWS = 4096
"""Number of outcomes in a block if all outcomes are listed."""

MOST = 2**24
"""Largest number of outcomes that are listed, even if the user asks for an exact test."""

_HOPELESS = 64  # number of documents from which outcomes are too many to be counted

_RESAMPLES, _SWAPS, _RUNS = 0, 1, 2  # kinds of draws, each with random numbers of its own


def multiplicities(seed: int, n_documents: int, n_draws: int | None = None) -> Weights:
    """Return the function that draws how often each document appears in bootstrap resamples.

    Args:
        seed: from `entropy`.
        n_documents: D.
        n_draws: number of documents drawn for a resample; None for D.

    Returns:
        A function of a block's number and its number of rows, which returns float64 (rows, D) whose rows each sum to
        ``n_draws``.
    """
    n = n_documents if n_draws is None else n_draws
    often = n > 8 * n_documents  # then one binomial per document is cheaper than one draw after another

    def draw(block: int, rows: int) -> Floats:
        rng = _generator(seed, _RESAMPLES, block)
        if often:
            return rng.multinomial(n, np.full(n_documents, 1.0 / n_documents), size=rows).astype(np.float64)
        return _counted(rng.integers(n_documents, size=(rows, n)), n_documents)

    return draw


def redrawn_runs(seed: int, system: str, n_runs: int, resamples: int) -> Floats:
    """Draw how often each run of a system counts in each resample.

    From n runs, n - 1 are drawn with replacement (from one run, that run), because the mean over so many drawn runs
    varies as much as the mean over n new runs is expected to vary. The draws depend on the seed and the system's name,
    not on other systems.

    Returns:
        float64 (resamples, n_runs) numbers of times that each run is drawn.

    Source: McCarthy and Snowden (1985); Rao and Wu (1988).
    """
    rng = _generator(seed, _RUNS, crc32(system.encode("utf-8", "surrogatepass")))
    return _counted(rng.integers(n_runs, size=(resamples, max(1, n_runs - 1))), n_runs)


def _counted(drawn: NDArray[np.int64], n: int) -> Floats:
    """Count how often each of the positions 0 to n - 1 is in each row: int64 (rows, draws) -> float64 (rows, n)."""
    drawn += np.arange(len(drawn))[:, np.newaxis] * n
    return np.bincount(drawn.ravel(), minlength=len(drawn) * n).reshape(-1, n).astype(np.float64)


def swaps(seed: int, n_documents: int) -> Weights:
    """Return the function that draws which documents two systems exchange.

    Returns:
        A function of a block's number and its number of rows, which returns float64 (rows, D) with 1 for documents that
        are exchanged and 0 for others.
    """

    def draw(block: int, rows: int) -> Floats:
        n_bytes = -(-rows * n_documents // 8)
        drawn = np.frombuffer(_generator(seed, _SWAPS, block).bytes(n_bytes), np.uint8)
        return np.unpackbits(drawn, count=rows * n_documents).reshape(rows, n_documents).astype(np.float64)

    return draw


def over_blocks(
    work: Callable[[Floats], T],
    weights: Weights,
    resamples: int,
    draws: int,
    *,
    threads: int = 1,
    batch: int | None = None,
) -> Iterator[T]:
    """Draw weights block by block, and yield the results of a function of them, in order.

    Args:
        work: function of weights, float64 (rows, D).
        weights: function that draws weights, from a block's number and its number of rows.
        resamples: number of rows in all blocks together, 1 or more.
        draws: number of random draws per row, which determines the size of a block.
        threads: number of threads that share the blocks; 0 for one per core.
        batch: number of rows whose weights each thread may hold at a time; None for the size of a block. Results depend
            neither on ``threads`` nor on ``batch``, because blocks are always drawn as a whole.

    Yields:
        What ``work`` returned for consecutive rows: one block or, with a larger ``batch``, several.

    Raises:
        OptionError: ``threads`` out of range.
    """
    size = max(1, min(BLOCK_ROWS, BLOCK_DRAWS // max(draws, 1)))
    n_blocks = -(-resamples // size)
    step = max(1, (batch or size) // size)

    def chunk(first: int) -> T:
        blocks = range(first, min(first + step, n_blocks))
        drawn = [weights(block, min(size, resamples - block * size)) for block in blocks]
        return work(drawn[0] if len(drawn) == 1 else np.concatenate(drawn))

    firsts = range(0, n_blocks, step)
    yield from in_threads(chunk, firsts, min(thread_count(threads), len(firsts)))


def _generator(seed: int, *stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=stream)))


def count_swaps(n_documents: int) -> float:
    """Count the ways in which two systems can exchange documents, 2^D; return infinity from 64 documents on."""
    return float(2**n_documents) if n_documents < _HOPELESS else math.inf


def count_resamples(n_documents: int) -> float:
    """Count the different bootstrap resamples of D documents, (2D - 1 choose D); infinity from 64 documents on."""
    return float(math.comb(2 * n_documents - 1, n_documents)) if n_documents < _HOPELESS else math.inf


def all_swaps(n_documents: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield all ways to exchange documents, in blocks: float64 (rows, D) of 0 and 1, and probabilities (rows,)."""
    n = 2**n_documents
    bits = np.arange(n_documents)
    for first in within_time(range(0, n, LISTED_ROWS)):
        pattern = np.arange(first, min(first + LISTED_ROWS, n))[:, np.newaxis]
        yield (pattern >> bits & 1).astype(np.float64), np.full(len(pattern), 1.0 / n)


def all_resamples(n_documents: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield all different bootstrap resamples, in blocks: float64 (rows, D), and their probabilities (rows,).

    A row holds how often each document is in the resample: with m_1, ..., m_D, its probability is
    D! / (m_1! ... m_D!) / D^D.
    """
    factorial = np.array([math.factorial(m) for m in range(n_documents + 1)], np.float64)
    drawn = combinations_with_replacement(range(n_documents), n_documents)
    for block in within_time(iter(lambda: list(islice(drawn, LISTED_ROWS)), [])):
        counted = _counted(np.array(block), n_documents)
        ways = factorial[n_documents] / factorial[counted.astype(np.int64)].prod(axis=1)
        yield counted, ways / float(n_documents) ** n_documents
