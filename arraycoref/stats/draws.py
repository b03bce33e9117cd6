"""Draw documents at random, and score what was drawn: sums of the documents' rows, each times how often it is drawn.

Weights are drawn in blocks. A block depends only on the seed, its own number and the number of documents and draws, so
that threads do not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypedDict, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import OptionError
from arraycoref.options import OPTIONS, check_options
from arraycoref.ragged import Floats
from arraycoref.runtime import in_threads, thread_count
from arraycoref.scoring.metrics.registry import as_metric, own_field
from arraycoref.stats.how import Average, By, Correction, How, Method, Test
from arraycoref.stats.sample import Sample

T = TypeVar("T")
Ints = NDArray[np.int64]
Weights = Callable[[int, int], Floats]
"""A function of a block's number and its number of rows, which returns weights of D documents, float64 (rows, D)."""

Seed = int | np.random.Generator | None

BLOCK_DRAWS, BLOCK_ROWS = 2**17, 256
"""Largest number of random draws and of resamples in a block, so that it stays in the processor's cache; a block has
one resample at least. Both are constants because the numbers drawn depend on them."""

_RESAMPLES, _SWAPS, _RUNS = 0, 1, 2  # kinds of draws, each with random numbers of its own


class ResampleOptions(TypedDict, total=False):
    """How documents are resampled; `arraycoref.options` describes all options."""

    average: Average
    resample_by: By
    resamples: int
    seed: Seed
    threads: int


class IntervalOptions(ResampleOptions, total=False):
    """How documents are resampled for intervals."""

    method: Method
    confidence: float


class TestOptions(IntervalOptions, total=False):
    """How documents are resampled for tests and intervals."""

    test: Test
    correction: Correction
    alpha: float


def how_of(options: Mapping[str, Any], group: type, **named: Any) -> tuple[How, Draws]:
    """Check the options that the user gave, and complete them by the defaults of `OPTIONS`.

    Args:
        options: the keywords given.
        group: the ``TypedDict`` of the keywords that the function accepts.
        named: options that are arguments of the function; None for the default.

    Returns:
        The options, the seed as an integer; and how resamples are drawn.

    Raises:
        TypeError: a keyword that the function does not accept.
        UnknownNameError: a name that does not exist.
        OptionError: an option out of range.
    """
    names = {*group.__annotations__, *named}
    given = {**options, **{name: value for name, value in named.items() if value is not None}}
    check_options(options, group)
    for name in named.keys() & given.keys():
        OPTIONS[name].check(name, given[name])
    asked: dict[str, Any] = {name: OPTIONS[name].default for name in names} | given
    if "metric" in asked:
        if "field" not in given and (own := own_field(asked["metric"])):
            asked["field"] = own
        asked["metric"] = as_metric(asked["metric"])
    seed = asked["seed"]
    if isinstance(seed, np.random.Generator):
        seed = seed.integers(2**63)
    elif seed is None:
        seed = np.random.SeedSequence().generate_state(1, np.uint64)[0]
    elif isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"seed is {seed!r:.60}; expected 0 or more, a NumPy generator or None", "seed")
    asked |= {"seed": int(seed), "resamples": int(asked["resamples"])}
    draws = Draws(asked["resamples"], asked["seed"], asked.pop("threads"))
    return How(**asked), draws


def rows_of_block(draws: int) -> int:
    """Return the number of resamples in a block, from the number of random draws for each."""
    return max(1, min(BLOCK_ROWS, BLOCK_DRAWS // max(draws, 1)))


@dataclass(frozen=True)
class Draws:
    """How many resamples are drawn, and from which random numbers.

    Attributes:
        resamples: number of resamples.
        seed: integer that repeats the numbers.
        threads: number of threads that share the work; 0 for one per core.
    """

    resamples: int
    seed: int
    threads: int = 1

    def over_blocks(
        self, work: Callable[[Floats], T], weights: Weights, draws: int, width: int | None = None
    ) -> Iterator[T]:
        """Draw weights block by block, and yield the results of a function of them, in order.

        Args:
            work: function of weights, float64 (rows, D); small blocks are joined for it.
            weights: function that draws the weights of a block.
            draws: number of random draws per row, which determines the size of a block.
            width: number of weights in a row, where it is not the number of draws.
        """
        size = rows_of_block(draws)
        n_blocks, threads = -(-self.resamples // size), thread_count(self.threads)
        joined = max(1, min(BLOCK_ROWS, BLOCK_DRAWS // max(1, draws if width is None else width)) // size)

        def result(first: int) -> T:
            blocks = range(first, min(first + joined, n_blocks))
            drawn = [weights(block, min(size, self.resamples - block * size)) for block in blocks]
            return work(drawn[0] if len(drawn) == 1 else np.concatenate(drawn))

        yield from in_threads(result, range(0, n_blocks, joined), threads)

    def replicates(self, sample: Sample, n_draws: int | None = None) -> Floats:
        """Score resamples of ``n_draws`` units each (default: U), float64 (K, 3, S, R); all are nan if U is 1."""
        n_units = sample.n_units
        n = n_units if n_draws is None else n_draws
        weights = multiplicities(self.seed, n_units, n)
        blocks = self.over_blocks(lambda drawn: sample.scores(sample.sums(drawn), n), weights, min(n, 8 * n_units))
        values = np.concatenate(list(blocks), axis=-1)
        if n_units == 1:
            values[...] = np.nan  # every resample is that document
        return values


def multiplicities(seed: int, n_documents: int, n_draws: int | None = None) -> Weights:
    """Return the function that draws how often each of D documents appears in bootstrap resamples.

    Args:
        seed: an integer.
        n_documents: D.
        n_draws: number of documents drawn for a resample, to which the weights of a row sum up; None for D.
    """
    n = n_documents if n_draws is None else n_draws
    often = n > 8 * n_documents  # then one binomial per document is cheaper than one draw after another

    def draw(block: int, rows: int) -> Floats:
        rng = _generator(seed, _RESAMPLES, block)
        if often:
            return rng.multinomial(n, np.full(n_documents, 1.0 / n_documents), size=rows).astype(np.float64)
        return _counted(rng.integers(n_documents, size=(rows, n)), n_documents)

    return draw


def swaps(seed: int, n_documents: int, kept: Ints | slice = slice(None)) -> Weights:
    """Return the function that draws which documents two systems exchange: weights of 1, and of 0 for all others.

    Weights of the documents that are not ``kept`` are left out.
    """

    def draw(block: int, rows: int) -> Floats:
        drawn = np.frombuffer(_generator(seed, _SWAPS, block).bytes(-(-rows * n_documents // 8)), np.uint8)
        return np.unpackbits(drawn, count=rows * n_documents).reshape(rows, n_documents)[:, kept].astype(np.float64)

    return draw


def all_swaps(places: Ints, n_documents: int) -> Weights:
    """Return the function that lists the 2^n - 1 ways to exchange one or more of n documents, given their positions."""

    def listed(block: int, rows: int) -> Floats:
        weights, first = np.zeros((rows, n_documents)), 1 + block * rows_of_block(n_documents)
        weights[:, places] = np.arange(first, first + rows)[:, np.newaxis] >> np.arange(places.size) & 1
        return weights

    return listed


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


def _counted(drawn: Ints, n: int) -> Floats:
    """Count how often each of the positions 0 to n - 1 is in each row: int64 (rows, draws) -> float64 (rows, n)."""
    drawn += np.arange(len(drawn))[:, np.newaxis] * n
    return np.bincount(drawn.ravel(), minlength=len(drawn) * n).reshape(-1, n).astype(np.float64)


def _generator(seed: int, *stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=stream)))
