"""Measure how far errors in common stretch the spread of a score of one clustering: the design effect.

A wrong merge is one event in two key entities. So the rows of key entities, which are resampled in place of documents,
are not independent. Two units are neighbours if they meet in a response entity of which one of them is a main part: it
has at least half as many mentions there as any unit. The spread of a score is stretched by what neighbours add to the
sum of squared influences, in the manner of standard errors that allow for clusters.

Source: the variance of dyadic data, Aronow, Samii and Assenova (2015); few effective units, Carter, Schnepel and
Steigerwald (2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints, bounds, ranges
from arraycoref.scoring.shares import Pieces

NOTHING = 1e-24
"""Sums of squared influences below this are 0 but for rounding."""


class Spread(NamedTuple):
    """How much a score, or a difference of scores, would vary over other units.

    Attributes:
        design_effect: how many times larger its variance is than that of independent units; 1 or more.
        effective: effective number of units; nan if no unit has an influence.
        error: standard error.
    """

    design_effect: float
    effective: float
    error: float

    @classmethod
    def of(cls, influences: Floats, together: float | None = None) -> Spread:
        """Find the spread from the influence of each of U units, float64 (U,).

        Args:
            influences: how much the score changes with the weight of each unit, to first order; they add up to 0.
            together: sum of the products of neighbours' influences; None for independent units.
        """
        squares, n = float(influences @ influences), influences.size
        if not squares > NOTHING or n < 2:
            nothing = 0.0 if squares <= NOTHING and n > 1 else np.nan
            return cls(1.0, np.nan, nothing)
        stretched = 1.0 if together is None else max(1.0, together / squares)
        effective = squares**2 / float((influences**4).sum())
        return cls(stretched, max(1.0, effective / stretched), (stretched * n / (n - 1) * squares) ** 0.5)


@dataclass(frozen=True, eq=False)
class Meetings:
    """Which of U units meet in the response entities of one system, T meetings.

    Units that meet the same entities, as main parts of the same, have the same neighbours: they are of one kind. Sums
    over pairs are computed by kind, so that an entity into which thousands of units were merged costs little.

    Attributes:
        unit: int64 (T,) unit of each meeting, ascending.
        entity: int64 (T,) response entity, ascending for each unit.
        is_main: bool (T,) whether the unit is a main part of the entity.
        n_units: U.
    """

    unit: Ints
    entity: Ints
    is_main: Bools
    n_units: int

    @classmethod
    def of(cls, pieces: Pieces, n_units: int) -> Meetings:
        """List the meetings of units that are key entities or spurious mentions."""
        entity = pieces.response[pieces.place]
        met = np.flatnonzero(entity >= 0)
        met = met[np.lexsort((entity[met], pieces.unit[met]))]
        unit, entity, size = pieces.unit[met], entity[met], pieces.size[met]
        largest = np.zeros(int(entity.max(initial=-1)) + 1, np.int64)
        np.maximum.at(largest, entity, size)
        return cls(unit, entity, 2 * size >= largest[entity], n_units)

    @cached_property
    def kind(self) -> Ints:
        """The kind of each unit, int64 (U,) from 0."""
        marks = np.random.default_rng(0).integers(2**63, size=2 * int(self.entity.max(initial=-1) + 1), dtype=np.uint64)
        signature = np.zeros(self.n_units, np.uint64)  # a hash of the unit's meetings
        np.add.at(signature, self.unit, marks[2 * self.entity + self.is_main])
        return np.unique(signature, return_inverse=True)[1]

    @cached_property
    def n_pairs(self) -> int:
        """Number of pairs of a main part and a unit that it meets."""
        at, main = (np.bincount(self.entity[some]) for some in (slice(None), self.is_main))
        return int(at[: main.size] @ main)

    def neighbours(self, kind: Ints, first: Ints) -> tuple[Ints, Ints]:
        """Return the pairs of kinds whose units are neighbours, each pair in both orders, once.

        Args:
            kind: int64 (U,) kinds of units with the same meetings, numbered from 0.
            first: int64 (C,) a unit of each kind.
        """
        chosen = np.zeros(self.n_units, np.bool_)
        chosen[first] = True
        of_kinds = np.flatnonzero(chosen[self.unit])
        of_kinds = of_kinds[np.argsort(self.entity[of_kinds], kind="stable")]
        entity, number = self.entity[of_kinds], kind[self.unit[of_kinds]]
        place, main = bounds(np.bincount(entity)), np.flatnonzero(self.is_main[of_kinds])
        start, length = place[entity[main]], np.diff(place)[entity[main]]
        one, other = number[main].repeat(length), number[ranges(start, length)]
        pairs = np.unique(np.concatenate([one * first.size + other, other * first.size + one]))
        return pairs // first.size, pairs % first.size

    def are_neighbours(self, one: Ints, other: Ints) -> Bools:
        """Whether pairs of units, int64 (N,) both, are neighbours; a unit and itself, whether two like it are."""
        own = bounds(np.bincount(self.unit, minlength=self.n_units))
        start, length = own[one], np.diff(own)[one]
        meeting, pair = ranges(start, length), np.arange(one.size).repeat(length)
        width = int(self.entity.max(initial=-1)) + 1
        codes, sought = self.unit * width + self.entity, other[pair] * width + self.entity[meeting]
        place = np.minimum(codes.searchsorted(sought), codes.size - 1)
        found = (codes[place] == sought) & (self.is_main[meeting] | self.is_main[place])
        result = np.zeros(one.size, np.bool_)
        result[pair[found]] = True
        return result

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        return self.neighbours(self.kind, np.unique(self.kind, return_index=True)[1])

    def together(self, influences: Floats) -> float:
        """Sum the products of influences, float64 (U,), over all ordered pairs of neighbours; each unit is its own."""
        return _sum_pairs(influences, self.kind, *self._pairs)

    def together_with(self, other: Meetings, influences: Floats) -> float:
        """Sum the same over neighbours in either of two systems: those of one, and of the other, less those of both."""
        fewer, more = (self, other) if self.n_pairs <= other.n_pairs else (other, self)
        _, first, kind = np.unique(
            fewer.kind * (int(more.kind.max(initial=0)) + 1) + more.kind, return_index=True, return_inverse=True
        )
        one, two = fewer.neighbours(kind, first)
        both = more.are_neighbours(first[one], first[two])
        of_both = _sum_pairs(influences, kind, one[both], two[both])
        return self.together(influences) + other.together(influences) - of_both


def _sum_pairs(influences: Floats, kind: Ints, one: Ints, other: Ints) -> float:
    """Sum products of influences over pairs of kinds; of kinds that are not paired with themselves, the squares."""
    sums, squares = np.bincount(kind, influences), np.bincount(kind, influences**2)
    squares[one[one == other]] = 0.0
    return float(sums[one] @ sums[other] + squares.sum())
