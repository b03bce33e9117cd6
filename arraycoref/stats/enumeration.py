"""Every outcome of a resampling scheme, where documents are few enough to list them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations_with_replacement, islice

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROWS = 4096
MOST = 2**24
"""Outcomes that are listed at most, even where the user asks for an exact test."""

_HOPELESS = 64


def n_swaps(n_documents: int) -> float:
    """Count the ways in which two systems may exchange documents, 2^D; infinite where nobody would list them."""
    return float(2**n_documents) if n_documents < _HOPELESS else math.inf


def n_resamples(n_documents: int) -> float:
    """Count the bootstrap resamples of D documents that differ, (2D - 1 choose D); infinite as above."""
    return float(math.comb(2 * n_documents - 1, n_documents)) if n_documents < _HOPELESS else math.inf


def all_swaps(n_documents: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield all patterns of zeros and ones, in blocks: float64 (rows, D), and their probabilities (rows,)."""
    n = 2**n_documents
    bits = np.arange(n_documents)
    for first in range(0, n, ROWS):
        pattern = np.arange(first, min(first + ROWS, n))[:, np.newaxis]
        yield (pattern >> bits & 1).astype(np.float64), np.full(len(pattern), 1.0 / n)


def all_resamples(n_documents: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield how often each document stands in every resample, in blocks: float64 (rows, D), and probabilities (rows,).

    A resample with multiplicities m has probability D! / (m_1! ... m_D!) / D^D.
    """
    factorial = np.array([math.factorial(m) for m in range(n_documents + 1)], np.float64)
    drawn = combinations_with_replacement(range(n_documents), n_documents)
    while block := list(islice(drawn, ROWS)):
        flat = np.array(block) + n_documents * np.arange(len(block))[:, np.newaxis]
        counted = np.bincount(flat.ravel(), minlength=len(block) * n_documents).reshape(len(block), n_documents)
        ways = factorial[n_documents] / factorial[counted].prod(axis=1)
        yield counted.astype(np.float64), ways / float(n_documents) ** n_documents
