"""Estimate how many documents a difference of a given size needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.metrics import find_metric
from arraycoref.options import takes
from arraycoref.results import BatchScores
from arraycoref.stats.bootstrapping import contrast, replicates
from arraycoref.stats.comparable import document_notes
from arraycoref.stats.options import STATISTICS, OneScore, PowerOptions, Settings, check_fraction
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Power(OneScore):
    """Power of a two-sided paired test by the number of documents.

    Attributes:
        difference: the difference to be found, a fraction; of a metric that counts, a number.
        n_documents: int64 (N,) numbers of documents looked at, increasing.
        power: float64 (N,) chance of finding the difference in so many.
        needed: documents at which the power reaches ``target``; None where none that were looked at do.
        target: the power wanted.
        alpha: level of the test.
        n_pilot: documents resampled.
    """

    difference: float
    n_documents: NDArray[np.int64]
    power: Floats
    needed: int | None
    target: float
    alpha: float
    n_pilot: int


@takes(PowerOptions, known=STATISTICS)
def power(
    a: BatchScores,
    b: BatchScores,
    *,
    difference: float | None = None,
    sizes: Sequence[int] | None = None,
    target: float = 0.8,
    max_documents: int = 100_000,
    n_resamples: int = 2_000,
    **options: Unpack[PowerOptions],
) -> Power:
    """Estimate how many documents a two-sided paired test needs to find a difference, from two systems on a pilot.

    For a number n of documents, n are drawn from the pilot with replacement, many times: the differences' deviations
    from their mean are the noise of n documents. The difference is found where it and a deviation together pass the
    1 - alpha quantile of the deviations' size. Right as far as the pilot is like the documents to come, and the
    systems disagree about as much when their scores differ by ``difference``.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 0, 1, 1] * 2 + [0, 1, 1, 1] * 3, offsets)
        >>> ac.power(good, poor, metric="bcub", field="recall", sizes=[2, 50]).needed
        50

    Args:
        a: scores of one system on the pilot's documents.
        b: scores of another on the same.
        difference: to be found, a fraction (of a metric that counts, a number); None for the one observed on the pilot.
        sizes: numbers of documents; None searches for the smallest that reaches ``target``.
        target: power wanted.
        max_documents: where the search gives up.
        n_resamples: draws per number of documents.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: fewer than two documents, a difference of 0, an option out of range.
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored, another name that does not exist.
    """
    settings = Settings.of(options, PowerOptions)
    check_fraction("target", target)
    systems = Systems.of({"a": a, "b": b}, (settings.metric,), settings.average)
    if len(a) < 2:
        raise InputError("the pilot holds one document; expected two at least, better dozens")
    if sizes is not None and (not len(sizes) or min(sizes) < 2):
        raise InputError(f"sizes are {list(sizes)}; expected numbers of documents, 2 or more")
    observed = float(contrast(systems.estimates())[0, settings.place])
    size = abs(observed if difference is None else difference)
    if not 0.0 < size <= (1.0 if find_metric(settings.metric).unit == "ratio" else math.inf):
        raise InputError(f"the difference to be found is {size:g}; expected a fraction above 0, such as 0.01")
    sign = -1.0 if observed < 0.0 else 1.0  # so that the higher score comes first, in whichever order they are given
    seen: dict[int, float] = {}

    def power_of(n: int) -> float:
        if n not in seen:
            drawn = replicates(systems, n_resamples, settings.seed, n_draws=n, threads=settings.threads)
            values = contrast(drawn)[:, 0, settings.place]
            deviation = sign * (values - values.mean())
            critical = np.quantile(np.abs(deviation), 1.0 - settings.alpha)
            seen[n] = float(np.mean(np.abs(size + deviation) >= critical)) if critical > 0.0 else 1.0
        return seen[n]

    if sizes is None:
        needed = _search(power_of, target, max_documents)
    else:
        needed = min((n for n in sizes if power_of(n) >= target), default=None)
    found = sorted(seen)
    return settings.result(
        Power,
        difference=size,
        n_documents=np.array(found),
        power=np.array([seen[n] for n in found]),
        needed=needed,
        target=target,
        n_pilot=len(a),
        n_resamples=n_resamples,
        notes=document_notes(a),
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
