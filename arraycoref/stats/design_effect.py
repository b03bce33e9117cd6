"""Measure how far errors in common stretch the spread of a score of one clustering: the design effect.

A wrong merge is one event in two key entities. So the rows of key entities, which are resampled in place of documents,
are not independent. Two units are neighbours if they meet in a response entity of which one of them is a main part: it
has at least half as many mentions there as any unit. The spread of a score is stretched by what neighbours add to the
sum of squared influences, in the manner of standard errors that allow for clusters.

Source: the variance of dyadic data, Aronow, Samii and Assenova (2015); few effective units, Carter, Schnepel and
Steigerwald (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints, bounds, ranges
from arraycoref.scoring.shares import Portions

CLOSED, LISTED, AT_ONCE = 6, 1 << 14, 1 << 22
"""The most entities whose pairs are not listed, the most pairs that another entity may have, and those listed at once.
"""

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
    """Which of U units meet in the response entities of one system, or of two: T meetings.

    Sums over pairs in the few largest entities have a closed form, so that an entity into which thousands of units were
    merged costs little; the pairs in all others are listed.

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
    def of(cls, portions: Portions, n_units: int) -> Meetings:
        """List the meetings of units that are key entities or spurious mentions."""
        entity = portions.response[portions.place]
        met = np.flatnonzero(entity >= 0)
        met = met[np.lexsort((entity[met], portions.unit[met]))]
        unit, entity, size = portions.unit[met], entity[met], portions.size[met]
        largest = np.zeros(int(entity.max(initial=-1)) + 1, np.int64)
        np.maximum.at(largest, entity, size)
        return cls(unit, entity, 2 * size >= largest[entity], n_units)

    def beside(self, other: Meetings) -> Meetings:
        """Return the meetings of two systems: neighbours are those of either."""
        entity = np.concatenate([self.entity, other.entity + int(self.entity.max(initial=-1)) + 1])
        unit, is_main = np.concatenate([self.unit, other.unit]), np.concatenate([self.is_main, other.is_main])
        order = np.argsort(unit, kind="stable")
        return Meetings(unit[order], entity[order], is_main[order], self.n_units)

    def together(self, influences: Floats) -> float:
        """Sum the products of influences, float64 (U,), over all ordered pairs of neighbours; each unit is its own."""
        one, other = self._pairs
        total = float(influences[one] @ influences[other])
        for n in range(1, len(self._largest) + 1):  # inclusion and exclusion of pairs that meet in several of them
            for entities in combinations(self._largest, n):
                total -= (-1) ** n * self._in_all(entities, influences)
        return total

    def _in_all(self, entities: Sequence[int], influences: Floats) -> float:
        """Sum the products of pairs that meet, one of the two as a main part, in each of some entities."""
        n_met, roles = np.zeros((2, self.n_units), np.int64)
        for bit, entity in enumerate(entities):
            there = self.entity == entity
            n_met[self.unit[there]] += 1
            roles[self.unit[there]] += self.is_main[there] << bit
        met, n_roles = np.flatnonzero(n_met == len(entities)), 1 << len(entities)
        sums, number = np.bincount(roles[met], influences[met], n_roles), np.arange(n_roles)
        return float(sums @ (np.bitwise_or.outer(number, number) == n_roles - 1) @ sums)

    @cached_property
    def _largest(self) -> list[int]:
        """Entities with many pairs of a main part and a unit, at most `CLOSED` of them."""
        met, main = (np.bincount(self.entity[some]) for some in (slice(None), self.is_main))
        n_pairs = met * np.append(main, np.zeros(met.size - main.size, np.int64))
        return [j for j in np.argsort(-n_pairs, kind="stable")[:CLOSED].tolist() if n_pairs[j] > LISTED]

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """The ordered pairs of neighbours that are none in the largest entities, int64 (N,) both."""
        is_large = np.isin(self.entity, self._largest)
        rest = np.flatnonzero(~is_large)
        rest = rest[np.argsort(self.entity[rest], kind="stable")]
        entity, unit, n = self.entity[rest], self.unit[rest], self.n_units
        place, main = bounds(np.bincount(entity)), np.flatnonzero(self.is_main[rest])
        start, length = place[entity[main]], np.diff(place)[entity[main]]
        pairs, ends = np.arange(n) * (n + 1), np.cumsum(length)
        for part in np.split(np.arange(main.size), np.searchsorted(ends, np.arange(AT_ONCE, ends[-1:].sum(), AT_ONCE))):
            one, other = unit[main[part]].repeat(length[part]), unit[ranges(start[part], length[part])]
            pairs = np.unique(np.concatenate([pairs, one * n + other, other * n + one]))
        one, other = pairs // n, pairs % n
        large = Meetings(self.unit[is_large], self.entity[is_large], self.is_main[is_large], n)
        kept = ~large._are_neighbours(one, other)
        return one[kept], other[kept]

    def _are_neighbours(self, one: Ints, other: Ints) -> Bools:
        """Whether two units, of pairs (N,), meet in an entity as which one of them is a main part."""
        result = np.zeros(one.size, np.bool_)
        if not self.unit.size:
            return result
        own = bounds(np.bincount(self.unit, minlength=self.n_units))
        start, length = own[one], np.diff(own)[one]
        meeting, pair = ranges(start, length), np.arange(one.size).repeat(length)
        width = int(self.entity.max()) + 1
        codes, sought = self.unit * width + self.entity, other[pair] * width + self.entity[meeting]
        place = np.minimum(codes.searchsorted(sought), codes.size - 1)
        found = (codes[place] == sought) & (self.is_main[meeting] | self.is_main[place])
        result[pair[found]] = True
        return result
