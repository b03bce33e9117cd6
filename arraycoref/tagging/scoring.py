"""Scoring functions: how well an assigned tag agrees with a gold tag, from 0 to 1, for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.tagging.table import ABSENT, TagTable
from arraycoref.tagging.weights import Weights

Tags = NDArray[np.int64]
Floats = NDArray[np.float64]
ScoringFunction = Callable[[TagTable, Tags, Tags, "Weights | None"], Floats]


def exact(table: TagTable, assigned: Tags, gold: Tags, weights: Weights | None = None) -> Floats:
    """Score 1 for equal tags, else 0.

    Args:
        table: V tags.
        assigned: int64 (P,) assigned tag of each pair.
        gold: int64 (P,) gold tag of each pair.
        weights: not used.

    Returns:
        float64 (P,), in [0, 1]; so for all functions of `SCORING`.
    """
    del weights
    return np.where(table.canonical[assigned] == table.canonical[gold], 1.0, 0.0)


def pos(table: TagTable, assigned: Tags, gold: Tags, weights: Weights | None = None) -> Floats:
    """Score 1 for equal parts of speech, else 0. Source: section 2.1."""
    del weights
    return np.where(table.values[assigned, 0] == table.values[gold, 0], 1.0, 0.0)


def pa(table: TagTable, assigned: Tags, gold: Tags, weights: Weights | None = None) -> Floats:
    """Positional accuracy: F of the agreeing positions among those of either tag. Source: section 2.2."""
    del weights
    ones = np.ones(table.values.shape)
    return _weighted_f(table, assigned, gold, ones)


def wpa(table: TagTable, assigned: Tags, gold: Tags, weights: Weights | None = None) -> Floats:
    """Weighted positional accuracy, each category with its own weight. Source: section 2.3."""
    return _weighted_f(table, assigned, gold, _need(weights, "wpa").rows(table))


def cwpa(table: TagTable, assigned: Tags, gold: Tags, weights: Weights | None = None) -> Floats:
    """Conditional weighted positional accuracy.

    Precision takes the weights for the assigned part of speech, recall those for the gold one. A part of speech
    without weights of its own has the unconditional ones. Source: section 2.4, both formulas.
    """
    return _weighted_f(table, assigned, gold, _need(weights, "cwpa").rows(table, conditional=True))


SCORING: dict[str, ScoringFunction] = {"exact": exact, "pos": pos, "pa": pa, "wpa": wpa, "cwpa": cwpa}
"""The scoring functions by name. A new one is a function with these arguments, and a line here."""

WEIGHTED = frozenset({"wpa", "cwpa"})
"""The scoring functions that need weights."""


def _weighted_f(table: TagTable, assigned: Tags, gold: Tags, rows: Floats) -> Floats:
    """F of the weighted agreement, ``rows`` (V, C) being the weight of each category in each tag.

    Equal tags score 1 even where all their weights are 0; otherwise 0 / 0 is 0.
    """
    values = table.values
    agree = (values[assigned] == values[gold]) & (values[assigned] != ABSENT)
    totals = np.where(values != ABSENT, rows, 0.0).sum(axis=1)
    precision = _ratio(np.where(agree, rows[assigned], 0.0).sum(axis=1), totals[assigned])
    recall = _ratio(np.where(agree, rows[gold], 0.0).sum(axis=1), totals[gold])
    score = _ratio(2.0 * precision * recall, precision + recall)
    score[table.canonical[assigned] == table.canonical[gold]] = 1.0
    return np.minimum(score, 1.0)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def _need(weights: Weights | None, name: str) -> Weights:
    if weights is None:
        raise InputError(f"measure {name!r} needs weights; expected a Weights, a mapping, a file or 'poliqarp'")
    return weights
