"""Draw documents at random, and score what was drawn: sums of the documents' rows, each times how often it is drawn.

Weights are drawn in blocks. A block depends only on the seed, its own number and the number of documents and draws, so
that threads do not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, TypedDict, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import OptionError
from arraycoref.options import OPTIONS, check_options
from arraycoref.ragged import Floats
from arraycoref.runtime import in_threads, thread_count
from arraycoref.scoring.counts import score_sums, undefined
from arraycoref.scoring.format import fields_of
from arraycoref.scoring.metrics.registry import RATIOS, as_metric
from arraycoref.scoring.metrics.score import Score, ratio
from arraycoref.scoring.signature import Signature
from arraycoref.stats.runs import Runs

T = TypeVar("T")
Ints = NDArray[np.int64]
Weights = Callable[[int, int], Floats]
"""A function of a block's number and its number of rows, which returns weights of D documents, float64 (rows, D)."""

Seed = int | np.random.Generator | None

BLOCK_DRAWS, BLOCK_ROWS = 2**17, 256
"""Largest number of random draws and of resamples in a block, so that it stays in the processor's cache; a block has
one resample at least. Both are constants because the numbers drawn depend on them."""

_RESAMPLES, _SWAPS, _RUNS = 0, 1, 2  # kinds of draws, each with random numbers of its own


class SampleOptions(TypedDict, total=False):
    """How documents are resampled; `arraycoref.options` describes all options."""

    average: str
    resamples: int
    seed: Seed
    threads: int


class IntervalOptions(SampleOptions, total=False):
    """How documents are resampled for intervals."""

    method: str
    confidence: float


class TestOptions(IntervalOptions, total=False):
    """How documents are resampled for tests and intervals."""

    test: str
    correction: str
    alpha: float


def settings_of(options: Mapping[str, Any], group: type, **named: Any) -> tuple[dict[str, Any], Draws]:
    """Check the options that the user gave, and complete them by the defaults of `OPTIONS`.

    Args:
        options: the keywords given.
        group: the ``TypedDict`` of the keywords that the function accepts.
        named: options that are arguments of the function; None for the default.

    Returns:
        All options but ``threads``, the seed as an integer; and how resamples are drawn.

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
    if "test" in asked:
        asked["test"] = OPTIONS["test"].also.get(asked["test"], asked["test"])
    if "metric" in asked:
        asked["metric"] = as_metric(asked["metric"])
    seed = asked["seed"]
    if isinstance(seed, np.random.Generator):
        seed = seed.integers(2**63)
    elif seed is None:
        seed = np.random.SeedSequence().generate_state(1, np.uint64)[0]
    elif isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"seed is {seed!r:.60}; expected 0 or more, a NumPy generator or None", "seed")
    asked |= {"seed": int(seed), "resamples": int(asked["resamples"])}
    return asked, Draws(asked["resamples"], asked["seed"], asked.pop("threads"))


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

    def over_blocks(self, work: Callable[[Floats], T], weights: Weights, draws: int) -> Iterator[T]:
        """Draw weights block by block, and yield the results of a function of them, in order.

        Args:
            work: function of weights, float64 (rows, D).
            weights: function that draws the weights of a block.
            draws: number of random draws per row, which determines the size of a block.
        """
        size = rows_of_block(draws)
        n_blocks, threads = -(-self.resamples // size), thread_count(self.threads)

        def result(block: int) -> T:
            return work(weights(block, min(size, self.resamples - block * size)))

        yield from in_threads(result, range(n_blocks), threads)

    def replicates(self, sample: Sample, n_draws: int | None = None) -> Floats:
        """Score resamples of ``n_draws`` documents each (default: D), float64 (K, 3, S, R); all are nan if D is 1."""
        n_documents = sample.n_documents
        n = n_documents if n_draws is None else n_draws
        weights = multiplicities(self.seed, n_documents, n)
        blocks = self.over_blocks(lambda drawn: sample.scores(sample.sums(drawn), n), weights, min(n, 8 * n_documents))
        values = np.concatenate(list(blocks), axis=-1)
        if n_documents == 1:
            values[...] = np.nan  # every resample is that document
        return values


@dataclass(frozen=True, eq=False)
class Sample:
    """The documents on which S systems were scored, as rows that are added up and scored.

    Attributes:
        rows: float64 (S, D, w) counts of each document; with ``macro``, its recall, precision and F of each metric,
            and with ``zero_division="skip"`` which of these are not 0/0.
        metrics: (K,) metrics to score.
        counted: metrics whose counts the rows hold; some metrics, as the CoNLL average, are computed from others.
        average: ``micro``, ratios of sums over documents, or ``macro``, means of the documents' ratios.
        signature: signature of the scores.
    """

    rows: Floats
    metrics: tuple[str, ...]
    counted: tuple[str, ...]
    average: str
    signature: Signature

    @classmethod
    def of(cls, runs: Runs, average: str) -> Sample:
        """Take the rows from the counts of systems, all of whose metrics are to be scored."""
        signature = replace(runs.signature, average=average)
        sample = cls(runs.counts.flat, runs.metrics, runs.counts.metrics, "micro", signature)
        if average == "micro":
            return sample
        ratios = np.nan_to_num(sample.scores(np.moveaxis(sample.rows, -1, 0), 1))
        if signature.zero_division == "skip":
            kept = 1.0 - np.stack([undefined(runs.counts, metric, signature) for metric in runs.metrics])
            ratios = np.stack([ratios * kept, kept])
        rows = np.moveaxis(ratios.reshape(-1, *sample.rows.shape[:2]), 0, -1)
        return replace(sample, rows=np.ascontiguousarray(rows), average=average)

    @property
    def n_documents(self) -> int:
        """Number of documents, D."""
        return int(self.rows.shape[1])

    def take(self, systems: Ints | Sequence[int] | slice) -> Sample:
        """Return the sample of the systems at some positions."""
        return replace(self, rows=self.rows[systems])

    def differing(self, i: int, j: int) -> Ints:
        """Return positions of documents in which the rows of two systems differ."""
        return np.flatnonzero((self.rows[i] != self.rows[j]).any(axis=1))

    @cached_property
    def _columns(self) -> Floats:
        """The rows, with the columns as the first axis, so that sums are made and scored fast: float64 (w, S, D)."""
        return np.ascontiguousarray(self.rows.transpose(2, 0, 1))

    @property
    def totals(self) -> Floats:
        """Sums over all documents, float64 (w, S)."""
        return np.ascontiguousarray(self.rows.sum(axis=1).T)

    def sums(self, weights: Floats) -> Floats:
        """Sum the documents' rows with R rows of weights, float64 (R, D) -> (w, S, R)."""
        width, n_systems, n_documents = self._columns.shape
        sums: Floats = self._columns.reshape(-1, n_documents) @ weights.T
        return sums.reshape(width, n_systems, -1)

    def score(self, sums: Floats, k: int, f: int) -> Floats:
        """Score sums over all documents in one metric and field: float64 (w, ...) -> (...)."""
        if self.average == "macro":
            return self._mean(sums, k, f, self.n_documents)
        return np.asarray(getattr(self._ratios(sums, self.metrics[k]), RATIOS[f]))

    def scores(self, sums: Floats, n_documents: int) -> Floats:
        """Score sums over ``n_documents``: float64 (w, ...) -> (K, 3, ...) R, P and F; nan where undefined."""
        found = np.full((len(self.metrics), len(RATIOS), *sums.shape[1:]), np.nan)
        for k, metric in enumerate(self.metrics):
            ratios = self._ratios(sums, metric) if self.average == "micro" else None
            for f in map(RATIOS.index, fields_of(metric)):
                found[k, f] = self._mean(sums, k, f, n_documents) if ratios is None else getattr(ratios, RATIOS[f])
        return found

    def _mean(self, sums: Floats, k: int, f: int, n_documents: int) -> Floats:
        place = k * len(RATIOS) + f
        if self.signature.zero_division == "skip":
            return ratio(sums[place], sums[place + len(self.metrics) * len(RATIOS)])
        return np.asarray(sums[place] / n_documents)

    def _ratios(self, sums: Floats, metric: str) -> Score[Any]:
        return score_sums(sums.reshape(-1, 4, *sums.shape[1:]), self.counted, metric, self.signature)

    def estimates(self) -> Floats:
        """Return the scores on all documents, the same as those of `BatchScores`: float64 (K, 3, S)."""
        if self.average == "micro":
            return self.scores(self.totals, self.n_documents)
        return self.scores(self._columns.mean(axis=-1), 1)

    def leave_one_out(self) -> Floats:
        """Score all documents but one, for each document left out: float64 (K, 3, S, D)."""
        return self.scores(self.totals[..., np.newaxis] - self._columns, max(1, self.n_documents - 1))


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


def swaps(seed: int, n_documents: int) -> Weights:
    """Return the function that draws which documents two systems exchange: weights of 1, and of 0 for all others."""

    def draw(block: int, rows: int) -> Floats:
        drawn = np.frombuffer(_generator(seed, _SWAPS, block).bytes(-(-rows * n_documents // 8)), np.uint8)
        return np.unpackbits(drawn, count=rows * n_documents).reshape(rows, n_documents).astype(np.float64)

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
