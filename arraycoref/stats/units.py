"""Say what is resampled and exchanged: documents, groups of documents, or units of one clustering.

Whatever it is, statistics see rows that are added up. The rows of units of one clustering are made of the shares of its
mentions, `arraycoref.scoring.shares`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from arraycoref.errors import InputError
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.clusterings import Clusterings, Contributions, number_entities
from arraycoref.scoring.grouped import documents_by, refuse_missing
from arraycoref.scoring.labels import index_of
from arraycoref.scoring.shares import Portions, sums_of, unit_rows
from arraycoref.stats.design_effect import Meetings, Spread
from arraycoref.stats.runs import Runs

DOCUMENT, GROUP, ENTITY, COMPONENT, LABEL = "document", "group", "entity", "component", "label"
"""The kinds of units."""

NOUNS = {
    DOCUMENT: ("document", "documents"),
    GROUP: ("group of documents", "groups of documents"),
    ENTITY: ("key entity", "key entities"),
    COMPONENT: ("component", "components"),
    LABEL: ("given unit", "given units"),
}
"""What they are called, one and several. A mention that the key lacks counts as a key entity."""

LARGEST_COMPONENT = 0.2
"""Most mentions of a component, as a share of all: as influences add up to 0, one of most mentions has none."""

By = str | Iterable[object] | None


@dataclass(frozen=True, eq=False)
class Units:
    """U units of S systems.

    Attributes:
        kind: what they are.
        by: how the user would ask for them.
        groups: positions of the documents of each group; empty for other kinds.
        rows: float64 (S, U, w) rows of one clustering, see `arraycoref.scoring.shares.places`; None for documents.
        scored: float64 (S, 4K) its sums.
        meetings: (S,) which units have errors in common; empty for independent units.
        largest: share of the mentions that the largest unit of one clustering has.
        reason: why one document was not cut into units.
    """

    kind: str = DOCUMENT
    by: str = DOCUMENT
    groups: Sequence[Sequence[int]] = ()
    rows: Floats | None = None
    scored: Floats | None = None
    meetings: tuple[Meetings, ...] = ()
    largest: float = 0.0
    reason: str = ""

    @classmethod
    def of(cls, runs: Runs, by: By) -> Units:
        """Find the units of runs on the same documents; for ``by`` see ``resample_by`` in `arraycoref.options`.

        Raises:
            InputError: units that these runs do not have; a label that is missing.
            OptionError: a text that is no regular expression.
        """
        if by is None and runs.n_documents == 1 and runs.clusterings:
            try:
                return one_clustering(runs, ENTITY)
            except InputError as error:
                return cls(reason=str(error))
        if by is None or (isinstance(by, str) and by == DOCUMENT):
            return cls()
        if isinstance(by, str) and by in (ENTITY, COMPONENT):
            return one_clustering(runs, by)
        index = index_of(by)
        if runs.n_documents == 1 and not isinstance(by, str) and (index is not None or isinstance(by, Mapping)):
            known = [one.ids for one in runs.clusterings if one.ids is not None]
            if known and len(known) == len(runs):
                labels = by if isinstance(by, Mapping) else dict(zip(index, by, strict=True))
                return one_clustering(runs, LABEL, labels)
        if not isinstance(by, str | Mapping):
            by = list(by)
            refuse_missing(by, "resample_by")
            if runs.n_documents == 1 and len(by) > 1:
                return one_clustering(runs, LABEL, by)
        groups = documents_by(document_names(runs), by, "resample_by")
        return cls(GROUP, by if isinstance(by, str) else "labels", tuple(groups.values()))

    def take(self, systems: Any) -> Units:
        """Return the units of some systems, given by positions or a slice."""
        if self.rows is None or self.scored is None:
            return self
        meetings = tuple(self.meetings[s] for s in np.arange(len(self.rows))[systems]) if self.meetings else ()
        return replace(self, rows=self.rows[systems], scored=self.scored[systems], meetings=meetings)

    @property
    def noun(self) -> str:
        """What one of them is called."""
        return NOUNS[self.kind][0]

    def number(self, n: int) -> str:
        """Write a number of units with its noun."""
        return f"{n} {NOUNS[self.kind][n != 1]}"

    def spread(self, influences: Floats, i: int, j: int | None = None) -> Spread:
        """Find the spread of the score of a system, or of its difference from another, from influences (U,)."""
        if not self.meetings:
            return Spread.of(influences)
        if j is not None and (i, j) not in self._pairs:
            self._pairs.clear()  # pairs take much memory, and one is asked for at a time
            self._pairs[i, j] = self.meetings[i].beside(self.meetings[j])
        return Spread.of(influences, (self.meetings[i] if j is None else self._pairs[i, j]).together(influences))

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], Meetings]:
        return {}


DOCUMENTS = Units()
"""Each document by itself."""


def by_name(by: By, runs: Runs) -> By:
    """Return labels of several documents as a mapping from their names: others may take some of the documents."""
    if by is None or isinstance(by, str | Mapping) or runs.n_documents == 1:
        return by
    names, labels = document_names(runs), list(by)
    if len(labels) != len(names):
        raise InputError(f"got {len(labels)} labels for {len(names)} documents; expected one for each", "resample_by")
    return dict(zip(names, labels, strict=True))


def document_names(runs: Runs) -> tuple[str, ...]:
    """Return the names of documents, or their positions as text."""
    return runs.document_names or tuple(map(str, range(runs.n_documents)))


def one_clustering(runs: Runs, kind: str, labels: Sequence[object] | Mapping[Any, object] = ()) -> Units:
    """Cut one clustering into units: key entities and mentions that the key lacks, components, or labels' groups.

    Args:
        runs: S responses to one key of one document.
        kind: ``entity``, ``component`` or ``label``.
        labels: (M,) the label of each mention, or a mapping from their ids, for ``label``.

    Raises:
        InputError: several documents; labels that are not known, or changed; another key for some response; a component
            that holds too much.
    """
    if runs.n_documents != 1:
        reason = f"units of one clustering, and there are {runs.n_documents} documents"
        raise InputError(f"resample_by asks for {reason}; expected 'document', or groups of documents", "resample_by")
    if not runs.clusterings:
        reason = "resample_by needs labels of mentions, which classes of mentions and mentions of several entities do"
        raise InputError(f"{reason} not have; expected 'document'", "resample_by")
    sides = [_numbered(one) for one in runs.clusterings]
    units, n_units = _units_of_mentions(runs.clusterings, sides)
    if isinstance(labels, Mapping):
        units, n_units = _units_by_id([one.ids.listed() for one in runs.clusterings if one.ids is not None], labels)
    elif kind == LABEL:
        if not all(one.positions and one.key.size == len(labels) for one in runs.clusterings):
            expected = f"{runs.clusterings[0].key.size} where mentions are known by position, as in score_labels"
            raise InputError(f"got {len(labels)} labels of mentions; expected {expected}", "resample_by")
        number = {label: n for n, label in enumerate(dict.fromkeys(labels))}
        units = [np.array([number[label] for label in labels])] * len(sides)
        n_units = len(number)
    portions = [Portions.of(*labels_of_both, unit) for labels_of_both, unit in zip(sides, units, strict=True)]
    counted = runs.counts.metrics
    rows = np.stack(
        [
            _added_up([one.contributions[metric] for metric in counted], unit, n_units)
            if one.contributions
            else unit_rows(of_run, counted, n_units)
            for of_run, one, unit in zip(portions, runs.clusterings, units, strict=True)
        ]
    )
    sizes = np.max([np.bincount(of_run.unit, of_run.size, n_units) for of_run in portions], axis=0)
    found, scored = sums_of(counted, rows.sum(axis=1).T).T, runs.counts.flat[:, 0]
    known = ~np.isnan(found)  # not of metrics without shares
    if not np.allclose(found[known], scored[known], rtol=1e-9, atol=1e-6):
        raise InputError("labels were changed after they were scored; expected arrays that stay as they are")
    meetings: tuple[Meetings, ...] = ()
    if kind == ENTITY:
        meetings = tuple(Meetings.of(of_run, n_units) for of_run in portions)
    elif kind == COMPONENT:
        component = _components(portions, n_units)
        order = np.argsort(component, kind="stable")
        starts = np.searchsorted(component[order], np.arange(component.max(initial=-1) + 1))
        rows, sizes = np.add.reduceat(rows[:, order], starts, axis=1), np.add.reduceat(sizes[order], starts)
    largest = float(sizes.max(initial=0) / max(sizes.sum(), 1))
    if kind == COMPONENT and largest > LARGEST_COMPONENT:
        reason = f"one of {sizes.size} components holds {largest:.0%} of the mentions"
        raise InputError(f"{reason}; expected a fifth at most, or resample_by='entity'", "resample_by")
    by = "labels" if kind == LABEL else kind
    return Units(kind, by, rows=rows, scored=scored, meetings=meetings, largest=largest)


def _added_up(contributions: Sequence[Contributions], unit: Ints, n_units: int) -> Floats:
    """Add up what mentions contribute to K metrics by unit: float64 (U, 4K)."""
    sums = [np.bincount(4 * unit[mention] + place, value, 4 * n_units) for mention, place, value in contributions]
    rows: Floats = np.concatenate([of_metric.reshape(-1, 4) for of_metric in sums], axis=1)
    return rows


def _units_by_id(ids: Sequence[Sequence[Any]], labels: Mapping[Any, object]) -> tuple[list[Ints], int]:
    """Number the labels of mentions that have ids, alike for S responses: int64 (M,) of each, and how many there are.

    Raises:
        InputError: a mention without a label, or with one that is missing.
    """
    refuse_missing(list(labels.values()), "resample_by")
    lacks = next((mention for own in ids for mention in own if mention not in labels), None)
    if lacks is not None:
        raise InputError(f"mention {lacks!r} has no label in resample_by; expected one for each", "resample_by")
    number = {label: n for n, label in enumerate(dict.fromkeys(labels[mention] for own in ids for mention in own))}
    return [np.array([number[labels[mention]] for mention in own], np.int64) for own in ids], len(number)


def _numbered(one: Clusterings) -> tuple[Ints, Ints]:
    """Number the entities of both sides from 0: int64 (M,) both, -1 where a side lacks a mention."""
    bounds = np.array([0, one.key.size])
    sides = {"key": one.key, "response": one.response}
    key, response = (
        number_entities(labels.astype(np.int64, copy=False), side, bounds, ("",))[0] for side, labels in sides.items()
    )
    return key, response


def _units_of_mentions(
    clusterings: Sequence[Clusterings], sides: Sequence[tuple[Ints, Ints]]
) -> tuple[list[Ints], int]:
    """Number the key's entities, then the mentions that it lacks and any response has, alike for S responses.

    Returns:
        int64 (M,) of each response, the unit of each of its mentions; and the number of units.

    Raises:
        InputError: the mentions or entities of the key are not the same for all responses.
    """
    by_position = all(one.positions for one in clusterings)
    keys = [key if by_position else key[key >= 0] for key, _ in sides]
    if not all(np.array_equal(key, keys[0]) for key in keys):
        raise InputError("the key has other mentions or entities for one response than for another; expected one key")
    lacking = [np.flatnonzero((key < 0) & (response >= 0)) for key, response in sides]
    codes = []
    for s, (one, places) in enumerate(zip(clusterings, lacking, strict=True)):
        if by_position:
            codes.append(places)
        elif one.spurious is None:  # mentions of two responses that may be the same count as two
            codes.append(-2 - places - (s + 1) * 2**40)
        else:
            before = one.key.size - one.spurious.size
            of_place = np.concatenate([-2 - np.arange(before), one.spurious])
            codes.append(of_place[places])
    _, number = np.unique(np.concatenate(codes), return_inverse=True)
    n_entities = int(keys[0].max(initial=-1)) + 1
    units, first = [], 0
    for (key, _), places in zip(sides, lacking, strict=True):
        unit = key.copy()
        unit[places] = n_entities + number[first : first + places.size]
        units.append(unit)
        first += places.size
    return units, n_entities + int(number.max(initial=-1)) + 1


def _components(portions: Sequence[Portions], n_units: int) -> Ints:
    """Number the components of units that response entities of any system join: int64 (U,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    units, entities, n = [], [], n_units
    for of_run in portions:
        entity = of_run.response[of_run.place]
        units.append(of_run.unit[entity >= 0])
        entities.append(n + entity[entity >= 0])
        n += of_run.cells.response_size.size
    one, other = np.concatenate(units), np.concatenate(entities)
    graph = coo_array((np.ones(one.size), (one, other)), shape=(n, n))
    component = connected_components(graph, directed=False)[1][:n_units]
    return np.unique(component, return_inverse=True)[1].astype(np.int64)
