"""Random weights of documents, in blocks whose numbers depend on the seed, the block and the documents alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.threads import stream, thread_count

Floats = NDArray[np.float64]
T = TypeVar("T")
Seed = int | np.random.Generator | None
Weights = Callable[[int, int], Floats]

BLOCK_DRAWS, BLOCK_ROWS = 2**17, 256
"""A block holds about so many weights, and at most so many resamples: it stays in the processor's cache. Constants,
for the numbers drawn depend on them."""

_RESAMPLES, _SWAPS = 0, 1  # streams of random numbers


def entropy(seed: Seed) -> int:
    """Turn what the user gave into a number that repeats the run.

    Args:
        seed: an integer of 0 or more; a generator, which one number is drawn from; None for fresh entropy.

    Raises:
        InputError: none of these.
    """
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed is {seed!r}; expected an integer of 0 or more, a numpy Generator or None")
    return int(seed)


def multiplicities(seed: int, n_documents: int, n_draws: int | None = None) -> Weights:
    """Return the function that draws how often each document stands in bootstrap resamples.

    Args:
        seed: from `entropy`.
        n_documents: D.
        n_draws: documents a resample; None for D.

    Returns:
        A function of (block, rows) to float64 (rows, D); each row sums to ``n_draws``.
    """
    n = n_documents if n_draws is None else n_draws
    often = n > 8 * n_documents  # then one binomial a document is cheaper than one draw a document

    def draw(block: int, rows: int) -> Floats:
        rng = _generator(seed, _RESAMPLES, block)
        if often:
            return rng.multinomial(n, np.full(n_documents, 1.0 / n_documents), size=rows).astype(np.float64)
        drawn = rng.integers(n_documents, size=(rows, n))
        drawn += np.arange(rows)[:, np.newaxis] * n_documents
        counted = np.bincount(drawn.ravel(), minlength=rows * n_documents)
        return counted.reshape(rows, n_documents).astype(np.float64)

    return draw


def swaps(seed: int, n_documents: int) -> Weights:
    """Return the function that draws which documents two systems exchange.

    Returns:
        A function of (block, rows) to float64 (rows, D) of zeros and ones.
    """

    def draw(block: int, rows: int) -> Floats:
        n_bytes = -(-rows * n_documents // 8)
        drawn = np.frombuffer(_generator(seed, _SWAPS, block).bytes(n_bytes), np.uint8)
        return np.unpackbits(drawn, count=rows * n_documents).reshape(rows, n_documents).astype(np.float64)

    return draw


def over_blocks(
    work: Callable[[Floats], T],
    weights: Weights,
    n_resamples: int,
    draws: int,
    *,
    threads: int = 1,
    batch: int | None = None,
) -> Iterator[T]:
    """Do some work on each block of weights, in order.

    Args:
        work: function of weights, float64 (rows, D).
        weights: function of a block's number and rows.
        n_resamples: rows in all.
        draws: random numbers a row.
        threads: threads over blocks; 0 for one a core.
        batch: rows whose weights may be held at a time, a thread; None for the size of a block. No number depends on
            either, for blocks are drawn as a whole.

    Yields:
        What ``work`` returned, for consecutive rows.

    Raises:
        InputError: ``n_resamples``, ``batch`` or ``threads`` out of range.
    """
    for name, value in (("n_resamples", n_resamples), ("batch", batch)):
        if value is not None and value < 1:
            raise InputError(f"{name} is {value}; expected 1 or more")
    size = max(1, min(BLOCK_ROWS, BLOCK_DRAWS // max(draws, 1)))
    blocks = [(block, min(size, n_resamples - first)) for block, first in enumerate(range(0, n_resamples, size))]
    step = max(1, (batch or size) // size)

    def chunk(first: int) -> T:
        drawn = [weights(block, rows) for block, rows in blocks[first : first + step]]
        return work(drawn[0] if len(drawn) == 1 else np.concatenate(drawn))

    firsts = range(0, len(blocks), step)
    yield from stream(chunk, firsts, min(thread_count(threads), len(firsts)))


def _generator(seed: int, kind: int, block: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(kind, block))))
