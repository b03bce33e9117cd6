"""How many documents a difference of a given size needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.results import BatchScores
from arraycoref.stats.bootstrapping import contrast, estimates, replicates
from arraycoref.stats.comparable import check_field
from arraycoref.stats.notes import document_notes
from arraycoref.stats.resampling import Seed, entropy
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Power:
    """Power of a two-sided paired test by the number of documents.

    Attributes:
        difference: the difference to be found, a fraction.
        n_documents: int64 (N,) numbers of documents looked at, increasing.
        power: float64 (N,) chance of finding it in so many.
        needed: documents at which the power reaches ``target``; None if ``max_documents`` do not, or were not asked.
        target: the power wanted.
        alpha: level of the test.
        metric: what is compared, with ``field`` and ``average``.
        field: as above.
        average: as above.
        n_resamples: behind each power.
        n_pilot: documents resampled.
        seed: repeats the numbers.
        notes: what a reader should know before trusting them.
    """

    difference: float
    n_documents: NDArray[np.int64]
    power: Floats
    needed: int | None
    target: float
    alpha: float
    metric: str
    field: str
    average: str
    n_resamples: int
    n_pilot: int
    seed: int
    notes: tuple[str, ...] = ()


def power(
    a: BatchScores,
    b: BatchScores,
    *,
    metric: str = "conll",
    field: str = "f1",
    average: str = "micro",
    difference: float | None = None,
    sizes: Sequence[int] | None = None,
    alpha: float = 0.05,
    target: float = 0.8,
    max_documents: int = 100_000,
    n_resamples: int = 2_000,
    seed: Seed = 0,
    threads: int = 1,
) -> Power:
    """Estimate how many documents a paired test needs to find a difference, from two systems on a pilot.

    For a number n of documents, n are drawn from the pilot with replacement, many times: the differences' deviations
    from their mean are the noise of n documents. The difference is found where it and a deviation together pass the
    1 - alpha quantile of the deviations' size. Right as far as the pilot is like the documents to come, and the
    systems disagree about as much when their scores differ by ``difference``.

    Args:
        a: scores of one system on the pilot's documents.
        b: scores of another on the same.
        metric: and the options to ``average``: see `paired_test`.
        field: as above.
        average: as above.
        difference: to be found, a fraction; None for the one observed on the pilot.
        sizes: numbers of documents; None searches for the smallest that reaches ``target``.
        alpha: level of the two-sided test.
        target: power wanted.
        max_documents: where the search gives up.
        n_resamples: draws a number of documents.
        seed: an integer, a numpy Generator, or None.
        threads: threads over blocks of resamples; no number depends on it.

    Raises:
        InputError: fewer than two documents, a difference of 0, an option out of range.
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored, another name that does not exist.
    """
    place = check_field(field, metric)
    runs = {"a": a, "b": b}
    systems = Systems.of(runs, (metric,), average)
    if len(a) < 2:
        raise InputError("the pilot holds one document; expected two at least, better dozens")
    for name, value in (("alpha", alpha), ("target", target)):
        if not 0.0 < value < 1.0:
            raise InputError(f"{name} is {value}; expected a fraction between 0 and 1")
    if sizes is not None and (not len(sizes) or min(sizes) < 2):
        raise InputError(f"sizes are {list(sizes)}; expected numbers of documents, 2 or more")
    observed = float(contrast(estimates(runs, systems))[0, place])
    size = abs(observed if difference is None else difference)
    if not 0.0 < size <= 1.0:
        raise InputError(f"the difference to be found is {size:g}; expected a fraction above 0, such as 0.01")
    sign = -1.0 if observed < 0.0 else 1.0  # so that the better system comes first, in whichever order they are given
    repeat = entropy(seed)
    seen: dict[int, float] = {}

    def power_of(n: int) -> float:
        if n not in seen:
            values = contrast(replicates(systems, n_resamples, repeat, n_draws=n, threads=threads))[:, 0, place]
            deviation = sign * (values - values.mean())
            critical = np.quantile(np.abs(deviation), 1.0 - alpha)
            seen[n] = float(np.mean(np.abs(size + deviation) >= critical)) if critical > 0.0 else 1.0
        return seen[n]

    if sizes is None:
        needed = _search(power_of, target, max_documents)
    else:
        reached = [n for n in sorted(sizes) if power_of(n) >= target]
        needed = reached[0] if reached else None
    found = sorted(seen)
    return Power(
        size,
        np.array(found),
        np.array([seen[n] for n in found]),
        needed,
        target,
        alpha,
        metric,
        field,
        average,
        n_resamples,
        len(a),
        repeat,
        document_notes(a),
    )


def _search(power_of: Callable[[int], float], target: float, most: int) -> int | None:
    """Double the number of documents until the power suffices, then halve the range to 2 %."""
    low, high = 2, 4
    while power_of(high) < target:
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= target else (middle, high)
    return high
