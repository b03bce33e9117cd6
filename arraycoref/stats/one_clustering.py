"""Cut one clustering into units that are resampled instead of documents, and measure what errors in common do.

The rows of units are sums of what mentions contribute (`arraycoref.scoring.contributions`). A wrong merge is one
event in two key entities, so the rows of key entities are not independent. Two units are neighbors if they meet in a
response entity of which one of them is a main part: it has at least half as many mentions there as any unit. The spread
of a score is stretched by what neighbors add to the sum of squared influences, in the manner of standard errors that
allow for clusters: by the design effect.

Source: the variance of dyadic data, Aronow, Samii and Assenova (2015); few effective units, Carter, Schnepel and
Steigerwald (2017).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Bools, Floats, Ints, bounds, ranges, run_starts
from arraycoref.scoring.antecedents import components
from arraycoref.scoring.clusterings import Clusterings, Contributions, number_entities
from arraycoref.scoring.contributions import UnitCells, sums_of, unit_rows
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.entity_sample import sampled_rows
from arraycoref.scoring.grouped import refuse_missing

ENTITY, COMPONENT, LABEL, SAMPLED = "entity", "component", "label", "sampled"
"""The kinds of units of one clustering. A mention that the key lacks counts as a key entity."""

LARGEST_COMPONENT = 0.2
"""Most mentions of a component, as a share of all: as influences add up to 0, one of most mentions has none."""

CLOSED, LISTED, AT_ONCE = 6, 1 << 14, 1 << 22
"""The most entities whose pairs are not listed, the most pairs that another entity may have, and those listed at once.
"""

NOTHING = 1e-24
"""Sums of squared influences below this are 0 but for rounding."""


@dataclass(frozen=True, eq=False)
class OneClustering:
    """Units of S responses to one key without documents. Rows are made when they are asked for: they are large.

    Attributes:
        kind: `ENTITY`, `COMPONENT`, `LABEL`, or `SAMPLED` for the entities of a key that is a sample.
        clusterings: (S,) labels.
        keys: (S,) the key's entity of each mention, int64 (M,) numbered from 0; -1 where the key lacks it.
        extra: (S,) units of the mentions that the key lacks, int64.
        groups: the component of each key entity and extra mention; None for entities and labels.
        labels: (S,) the number of each mention's label, int64 (M,); empty for other kinds.
        design: how the entities of a key that is a sample were drawn, see `arraycoref.scoring.entity_sample`.
        n_units: U.
        metrics: metrics whose sums the rows divide among units.
        scored: float64 (S, 4K) these sums.
    """

    kind: str
    clusterings: tuple[Clusterings, ...]
    keys: tuple[Ints, ...]
    extra: tuple[Ints, ...]
    groups: Ints | None
    n_units: int
    metrics: tuple[str, ...]
    scored: Floats
    labels: tuple[Ints, ...] = ()
    design: str = ""

    @classmethod
    def from_labels(
        cls,
        clusterings: Sequence[Clusterings],
        kind: str,
        counts: Counts,
        labels: Sequence[object] | Mapping[Any, object] = (),
        design: str = "",
    ) -> OneClustering:
        """Number the key's entities, then the mentions that it lacks and any response has, alike for all responses.

        Args:
            clusterings: labels of S responses to one key, of one document.
            kind: kind of the units.
            counts: counts of the responses, one document.
            labels: (M,) the label of each mention, or a mapping from their ids, for `LABEL`.
            design: see `OneClustering`.

        Raises:
            InputError: labels that are not known; another key for some response; a component that holds too much.
        """
        if not clusterings:
            reason = "resample_by works on scores of label arrays, clusters and files, not on breakdowns or on"
            raise InputError(f"{reason} duplicates='both' and split='keep'; expected 'document'", "resample_by")
        by_position = all(one.positions for one in clusterings)
        keys = _numbered_keys(clusterings)
        shared = keys if by_position else [key[key >= 0] for key in keys]
        if not all(key is shared[0] or np.array_equal(key, shared[0]) for key in shared):
            reason = "the key has other mentions or entities for one response than for another"
            raise InputError(f"{reason}; expected one key")
        if design:
            n_known = int(shared[0].max(initial=-1)) + 1
            fields: Any = {"groups": None, "metrics": counts.metrics, "scored": counts.flat[:, 0], "design": design}
            return cls(kind, tuple(clusterings), tuple(keys), (), n_units=n_known, **fields)
        codes = []
        for s, (one, key) in enumerate(zip(clusterings, keys, strict=True)):
            places = np.flatnonzero((key < 0) & (one.response >= 0))
            if not by_position and one.spurious is None:  # mentions of two responses that may be the same count as two
                places += s * 2**40
            elif not by_position and one.spurious is not None:
                before = one.key.size - one.spurious.size
                places = np.concatenate([-2 - np.arange(before), one.spurious])[places]
            codes.append(places)
        distinct, number = np.unique(np.concatenate(codes), return_inverse=True)
        n_entities = int(shared[0].max(initial=-1)) + 1
        if not n_entities + distinct.size:
            raise InputError("neither key nor response has a mention", "resample_by")
        extra = np.split(n_entities + number, np.cumsum([places.size for places in codes])[:-1])
        scored, n_units = counts.flat[:, 0], n_entities + distinct.size
        units = cls(kind, tuple(clusterings), tuple(keys), tuple(extra), None, n_units, counts.metrics, scored)
        if kind == COMPONENT:
            return units._by_component()
        if kind != LABEL:
            return units
        if isinstance(labels, Mapping):
            refuse_missing(list(labels.values()), "resample_by")
            ids = [one.ids.listed() for one in clusterings if one.ids is not None]
            lacks = next((mention for own in ids for mention in own if mention not in labels), None)
            if lacks is not None:
                raise InputError(f"mention {lacks!r} has no label in resample_by; expected one for each", "resample_by")
            named = [[labels[mention] for mention in own] for own in ids]
        else:
            if not all(one.positions and one.key.size == len(labels) for one in clusterings):
                expected = f"{clusterings[0].key.size} where mentions are known by position, as in score_labels"
                raise InputError(f"got {len(labels)} labels of mentions; expected {expected}", "resample_by")
            named = [list(labels)] * len(clusterings)
        numbers = {label: n for n, label in enumerate(dict.fromkeys(chain.from_iterable(named)))}
        of_mentions = tuple(np.array([numbers[label] for label in own], np.int64) for own in named)
        return replace(units, labels=of_mentions, n_units=len(numbers))

    def units(self, s: int) -> Ints:
        """Return the unit of each mention of a response and the key, int64 (M,); -1 for one that neither has."""
        if self.labels:
            return self.labels[s]
        unit = self.keys[s]
        if self.extra[s].size:
            unit = unit.copy()
            unit[(unit < 0) & (self.clusterings[s].response >= 0)] = self.extra[s]
        return unit if self.groups is None else np.append(self.groups, -1)[unit]

    def unit_cells(self, s: int) -> UnitCells:
        """Cut a response and the key into the cells of units."""
        one, key = self.clusterings[s], self.keys[s]
        labels = one.response.astype(np.int64, copy=False)
        response, _ = number_entities(labels, "response", np.array([0, key.size]), "r")
        if self.labels:
            return UnitCells.from_labels(key, response, self.labels[s])
        unit_cells = UnitCells.from_entities(key, response, replace(self, groups=None).units(s))
        return unit_cells if self.groups is None else replace(unit_cells, unit=self.groups[unit_cells.unit])

    def rows(self, s: int) -> tuple[Floats, Meetings | None]:
        """Return the rows of a response, float64 (U, w); and which units have errors in common, None for none.

        Raises:
            InputError: labels that were changed after they were scored.
        """
        if self.design:
            return self._weighted(s)[0], None
        unit_cells, contributions = self.unit_cells(s), self.clusterings[s].contributions
        if contributions:
            rows = _added_up([contributions[metric] for metric in self.metrics], self.units(s), self.n_units)
        else:
            rows = unit_rows(unit_cells, self.metrics, self.n_units)
        sums, scored = sums_of(self.metrics, rows.sum(axis=0)), self.scored[s]
        if not (np.isnan(sums) | np.isclose(sums, scored, rtol=1e-9, atol=1e-6)).all():  # nan: no contributions
            raise InputError("labels were changed after they were scored; expected arrays that stay as they are")
        return rows, Meetings.from_cells(unit_cells, self.n_units) if self.kind == ENTITY else None

    def _weighted(self, s: int) -> tuple[Floats, Floats]:
        return sampled_rows(self.keys[s], self.clusterings[s].response, self.metrics, self.design)

    def free(self, s: int) -> Any:
        """Return by how much of its square the influence of each unit varies: none, if a sample has to hold it."""
        return 1.0 - self._weighted(s)[1] if self.design else 1.0

    def _by_component(self) -> OneClustering:
        """Join units that response entities of any response join."""
        units, entities, n, sizes = [], [], self.n_units, np.zeros(self.n_units)
        for s in range(len(self.clusterings)):
            unit_cells = self.unit_cells(s)
            joined = unit_cells.response >= 0
            units.append(unit_cells.unit[joined])
            entities.append(n + unit_cells.response[joined])
            n += unit_cells.cells.response_size.size
            sizes = np.maximum(sizes, np.bincount(unit_cells.unit, unit_cells.size, sizes.size))
        labels = components(np.concatenate(units), np.concatenate(entities), n)[: self.n_units]
        distinct, groups = np.unique(labels, return_inverse=True)
        largest = np.bincount(groups, sizes).max(initial=0.0) / max(sizes.sum(), 1.0)
        if largest > LARGEST_COMPONENT:
            reason = f"one of {distinct.size} components holds {largest:.0%} of the mentions"
            raise InputError(f"{reason}; expected a fifth at most, or resample_by='entity'", "resample_by")
        return replace(self, groups=groups.astype(np.int64), n_units=distinct.size)


def _added_up(contributions: Sequence[Contributions], unit: Ints, n_units: int) -> Floats:
    """Add up what mentions contribute to K metrics by unit: float64 (U, 4K)."""
    sums = [np.bincount(4 * unit[mention] + place, value, 4 * n_units) for mention, place, value in contributions]
    rows: Floats = np.concatenate([of_metric.reshape(-1, 4) for of_metric in sums], axis=1)
    return rows


def _numbered_keys(clusterings: Sequence[Clusterings]) -> list[Ints]:
    """Number the key's entities from 0, by first appearance: int64 (M,) each; responses to one key share the array."""
    keys = list[Ints]()
    for n, one in enumerate(clusterings):
        if n and np.array_equal(one.key, clusterings[n - 1].key):
            keys.append(keys[-1])
        else:
            key = one.key.astype(np.int64, copy=False)
            keys.append(number_entities(key, "key", np.array([0, key.size]), "k")[0])
    return keys


def inner(one: Floats, other: Floats) -> float:
    """Sum the products of the values of units, float64 (U,) both, in this thread: the threads of ``@`` cost more."""
    return float(np.einsum("u,u", one, other))


class Spread(NamedTuple):
    """How much a score, or a difference of scores, would vary over other units.

    Attributes:
        design_effect: how many times larger its variance is than that of independent units; 1 or more.
        effective: effective number of units; nan if no unit has an influence.
        error: standard error.
        free: float64 (U,) what is left of the squared influence of each unit, where one was drawn from few; or 1.
    """

    design_effect: float
    effective: float
    error: float
    free: Any = 1.0

    @classmethod
    def from_influences(cls, influences: Floats, together: float | None = None, free: Any = 1.0) -> Spread:
        """Find the spread from the influence of each of U units, float64 (U,).

        Args:
            influences: how much the score changes with the weight of each unit, to first order; they add up to 0.
            together: sum of the products of neighbors' influences; None for independent units.
            free: see `Spread`.
        """
        squares, n = inner(influences, influences), influences.size
        if not squares > NOTHING or n < 2:
            nothing = 0.0 if squares <= NOTHING and n > 1 else np.nan
            return cls(1.0, np.nan, nothing, free)
        stretched = 1.0 if together is None else max(1.0, together / squares)
        effective = squares**2 / inner(influences**2, influences**2)
        variance = stretched * n / (n - 1) * inner(influences * free, influences)
        return cls(stretched, max(1.0, effective / stretched), variance**0.5, free)


@dataclass(frozen=True, eq=False)
class Meetings:
    """Which of U units meet in the response entities of one system, or of two: T meetings.

    Sums over pairs in the few largest entities have a closed form, so that an entity into which thousands of units were
    merged costs little; the pairs in all others are listed.

    Attributes:
        unit: int64 (T,) unit of each meeting, ascending.
        entity: int64 (T,) response entity of two units or more, ascending for each unit.
        is_main: bool (T,) whether the unit is a main part of the entity.
        n_units: U.
    """

    unit: Ints
    entity: Ints
    is_main: Bools
    n_units: int

    @classmethod
    def from_cells(cls, unit_cells: UnitCells, n_units: int) -> Meetings:
        """List the meetings of units that are key entities or spurious mentions."""
        entity = unit_cells.response[unit_cells.place]
        n_met = np.bincount(entity[entity >= 0], minlength=1)
        met = np.flatnonzero((entity >= 0) & (n_met[entity] > 1))
        met = met[np.lexsort((entity[met], unit_cells.unit[met]))]
        unit, entity, size = unit_cells.unit[met], entity[met], unit_cells.size[met]
        largest = np.zeros(n_met.size, np.int64)
        np.maximum.at(largest, entity, size)
        return cls(unit, entity, 2 * size >= largest[entity], n_units)

    def beside(self, other: Meetings) -> Meetings:
        """Return the meetings of two systems: neighbors are those of either."""
        entity = np.concatenate([self.entity, other.entity + int(self.entity.max(initial=-1)) + 1])
        unit, is_main = np.concatenate([self.unit, other.unit]), np.concatenate([self.is_main, other.is_main])
        order = np.argsort(unit, kind="stable")
        return Meetings(unit[order], entity[order], is_main[order], self.n_units)

    def together(self, influences: Floats) -> float:
        """Sum the products of influences, float64 (U,), over all ordered pairs of neighbors; each unit is its own."""
        one, other = self._pairs
        total = inner(influences, influences) + 2.0 * inner(influences[one], influences[other])
        for n in range(1, len(self._largest) + 1):  # inclusion and exclusion of pairs that meet in several of them
            for entities in combinations(self._largest, n):
                total -= (-1) ** n * self._in_all(entities, influences)
        return total

    def _in_all(self, entities: Sequence[int], influences: Floats) -> float:
        """Sum the products of pairs of two units that meet, one as a main part, in each of some entities."""
        n_met, roles = np.zeros((2, self.n_units), np.int64)
        for bit, entity in enumerate(entities):
            there = self.entity == entity
            n_met[self.unit[there]] += 1
            roles[self.unit[there]] += self.is_main[there] << bit
        met, n_roles = np.flatnonzero(n_met == len(entities)), 1 << len(entities)
        sums, number = np.bincount(roles[met], influences[met], n_roles), np.arange(n_roles)
        own = influences[met[roles[met] == n_roles - 1]]
        return float(sums @ (np.bitwise_or.outer(number, number) == n_roles - 1) @ sums - own @ own)

    @cached_property
    def _largest(self) -> list[int]:
        """Entities with many pairs of a main part and a unit, at most `CLOSED` of them."""
        met, main = (np.bincount(self.entity[some]) for some in (slice(None), self.is_main))
        n_pairs = met * np.append(main, np.zeros(met.size - main.size, np.int64))
        return [j for j in np.argsort(-n_pairs, kind="stable")[:CLOSED].tolist() if n_pairs[j] > LISTED]

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """The pairs of neighbors that are not in the largest entities, each once, int64 (N,) both."""
        is_large = np.isin(self.entity, self._largest)
        rest = np.flatnonzero(~is_large)
        rest = rest[np.argsort(self.entity[rest], kind="stable")]
        entity, unit, n = self.entity[rest], self.unit[rest], self.n_units
        place, main = bounds(np.bincount(entity)), np.flatnonzero(self.is_main[rest])
        start, length = place[entity[main]], np.diff(place)[entity[main]]
        pairs, ends = np.empty(0, np.int64), np.cumsum(length)
        for part in np.split(np.arange(main.size), np.searchsorted(ends, np.arange(AT_ONCE, ends[-1:].sum(), AT_ONCE))):
            one, other = unit[main[part]].repeat(length[part]), unit[ranges(start[part], length[part])]
            pairs = np.concatenate([pairs, np.minimum(one, other) * n + np.maximum(one, other)])
            pairs.sort()
            pairs = pairs[run_starts(pairs)]
        one, other = np.divmod(pairs, n)
        large = Meetings(self.unit[is_large], self.entity[is_large], self.is_main[is_large], n)
        kept = (one < other) & ~large._are_neighbors(one, other)
        return one[kept], other[kept]

    def _are_neighbors(self, one: Ints, other: Ints) -> Bools:
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
