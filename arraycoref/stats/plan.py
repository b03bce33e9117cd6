"""What a paired test is to do: which test, how many resamples, whether to list every outcome."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.stats import enumeration

Floats = NDArray[np.float64]

TESTS = {"randomisation": "approximate randomisation", "bootstrap": "paired bootstrap"}
"""The tests, and what captions call them."""

ALTERNATIVES = ("two-sided", "greater", "less")
TOLERANCE = 1e-12
"""Differences of scores closer than this count as equal: sums of fractions such as 1/3 tie only up to rounding."""


@dataclass(frozen=True)
class Plan:
    """How to test.

    Attributes:
        test: ``randomisation`` or ``bootstrap``.
        alternative: ``two-sided``, ``greater`` or ``less``.
        field: position of recall, precision or F.
        n_resamples: of a test that is not exact.
        exact: list every outcome; None to do so where they are no more than ``n_resamples``.
        seed: from `resampling.entropy`.
        threads: of `resampling.over_blocks`.
        batch: likewise.
    """

    test: str
    alternative: str
    field: int
    n_resamples: int
    exact: bool | None
    seed: int
    threads: int = 1
    batch: int | None = None

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise UnknownNameError("test", self.test, TESTS)
        if self.alternative not in ALTERNATIVES:
            raise UnknownNameError("alternative", self.alternative, ALTERNATIVES)

    def lists(self, n_outcomes: float) -> bool:
        """Whether a test of so many outcomes lists them all."""
        if self.exact and n_outcomes > enumeration.MOST:
            raise InputError(
                f"an exact test would list {n_outcomes:g} outcomes; expected {enumeration.MOST} at most: "
                "leave exact out for a random sample of them"
            )
        return n_outcomes <= self.n_resamples if self.exact is None else self.exact

    def extreme(self, values: Floats, observed: Floats) -> NDArray[np.bool_]:
        """Find values as extreme as the observed difference, or more."""
        if self.alternative == "two-sided":
            return np.abs(values) >= np.abs(observed) - TOLERANCE
        if self.alternative == "greater":
            return values >= observed - TOLERANCE
        return values <= observed + TOLERANCE
