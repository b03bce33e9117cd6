"""Count documents in which a mention is in several entities, which labels cannot hold.

Scorers keep such a mention in every entity, and count it in three ways; without one, all give the definitions in the
modules of metrics. Profile ``conll`` counts as the reference scorer 8.01 does, those in `OF_ROWS` as these programs do,
for which a mention twice in one entity is two mentions, and the others as CorefUD's scorer does:

- A mention twice in one entity counts once; for the reference scorer, it counts twice in the entity's size.
  CEAF then has it twice in common with a response entity that holds it, and BLANC a coreference link to itself.
- A response mention is in each of its entities; for the reference scorer, only in the first if the key has it.
- MUC, B³ and LEA: recall from the key's occurrences, each with the last response entity of its mention; precision from
  the response's occurrences, each with the last key entity. For the reference scorer, MUC's recall numerator is that of
  precision, and in B³ each occurrence in the response counts as often as its two entities have mentions in common.
- CEAF: the mentions that two entities have in common, also if other entities have them.
- BLANC and pairwise: common links as for recall. For the reference scorer, links are sets of pairs of mentions. A pair
  may be in both classes, and a mention of two entities has a non-coreference link to itself.
- Mention detection: distinct mentions.

The score of zeros has those of the key in each entity. Other metrics see a mention in its last entity only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints, join, number_rows, ranges, run_starts
from arraycoref.scoring.cells import Cells, links, make_cells
from arraycoref.scoring.metrics import lea
from arraycoref.scoring.metrics.registry import METRICS, Metric
from arraycoref.scoring.totals import count_metric

OF_ROWS = ("coval", "e2e", "maverick", "stanza")
"""Profiles by which a mention twice in one entity is two mentions of it."""

OF_ALIGNED = ("ceafm", "ceafe")
OF_SETS = ("cluster", "ceaf-phi2")
OF_OCCURRENCES = ("muc", "bcub", "lea")
OF_LINKS: Mapping[str, int | slice] = {"blanc": slice(None), "pairwise": 0, "mentions": 2}
"""Metrics by what they are counted from: alignments, entities as sets, occurrences, or links. Those of links are groups
of BLANC, at these positions. A metric that is in none of the four sees a mention in its last entity only."""


class Memberships(NamedTuple):
    """The mentions that the entities of one side have: a row for each occurrence.

    Attributes:
        document: int64 (N,) document, from 0.
        mention: int64 (N,) number of the mention, the same on both sides if they match; no two documents share
            one.
        entity: int64 (N,) number of the entity; no two documents share one. The last entity of a mention is that of its
            last row.
        partner: int64 (N,) the number under which the mention is looked up on the other side; None for its own.
    """

    document: Ints
    mention: Ints
    entity: Ints
    partner: Ints | None = None

    def take(self, rows: Ints | Bools | slice) -> Memberships:
        """Select rows, and number entities 0, 1, ... from the first document to the last."""
        document, mention, entity = (each[rows] for each in self[:3])
        partner = None if self.partner is None else self.partner[rows]
        return Memberships(document, mention, number_rows([document, entity])[1], partner)

    @property
    def sought(self) -> Ints:
        """The number under which each row's mention is looked up on the other side."""
        return self.mention if self.partner is None else self.partner

    def distinct(self) -> Memberships:
        """Leave out all rows of a mention in an entity but the last."""
        backwards = number_rows([self.mention, self.entity])[1][::-1]
        return self.take(np.sort(backwards.size - 1 - np.unique(backwards, return_index=True)[1]))

    def last(self, n_mentions: int) -> Ints:
        """Return the last entity of each mention, -1 for none: int64 (n_mentions,)."""
        found = np.full(n_mentions, -1)
        found[self.mention] = self.entity  # of repeated indices, NumPy keeps the last
        return found

    @property
    def are_alone(self) -> Bools:
        """Which rows are the only ones of their mention, bool (N,)."""
        found: Bools = np.bincount(self.mention, minlength=1)[self.mention] == 1
        return found

    @property
    def sizes(self) -> Ints:
        """Number of rows of each entity."""
        return np.bincount(self.entity)

    @property
    def document_of(self) -> Ints:
        """Document of each entity, ascending."""
        return self.document[np.unique(self.entity, return_index=True)[1]]

    def count_mentions(self, n_documents: int) -> Ints:
        """Count the distinct mentions of each document, int64 (n_documents,)."""
        return np.bincount(self.document[np.unique(self.mention, return_index=True)[1]], minlength=n_documents)

    def count_links(self, n_documents: int) -> Ints:
        """Count the pairs of rows of one entity in each document, int64 (n_documents,)."""
        return np.bincount(self.document_of, links(self.sizes), n_documents).astype(np.int64)

    def count_linked(self, n_documents: int) -> Ints:
        """Count the pairs of mentions that have an entity in common, or several; no row is repeated."""
        several = self.take(~self.are_alone)
        kind, size = several.kinds()  # mentions of the same entities have the same links
        i, j = join(kind.entity, kind.entity)
        i, j = i[kind.mention[i] <= kind.mention[j]], j[kind.mention[i] <= kind.mention[j]]
        pair = number_rows([kind.mention[i], kind.mention[j]])[1]
        again = np.delete(np.arange(pair.size), np.unique(pair, return_index=True)[1])
        one, other = kind.mention[i[again]], kind.mention[j[again]]
        n_again = np.where(one == other, links(size[one]), size[one] * size[other])
        repeated = np.zeros(n_documents, np.int64)
        np.add.at(repeated, kind.document[i[again]], n_again)
        return self.count_links(n_documents) - repeated

    def kinds(self) -> tuple[Memberships, Ints]:
        """Take the mentions with the same entities as one; return the rows of these, and how many each stands for."""
        order = np.lexsort((self.entity, self.mention))
        mention, entity = self.mention[order], self.entity[order]
        begins = np.append(run_starts(mention), mention.size)
        number_of: dict[bytes, int] = {}
        texts = [entity[left:right].tobytes() for left, right in pairwise(begins.tolist())]
        kind = np.array([number_of.setdefault(text, len(number_of)) for text in texts], np.int64)
        lengths = np.diff(begins)
        first = np.unique(kind, return_index=True)[1]
        rows = ranges(begins[first], lengths[first])
        document = self.document[order][rows]
        return Memberships(document, kind.repeat(lengths)[rows], entity[rows]), np.bincount(kind)

    def count_twice(self, n_documents: int) -> Ints:
        """Count the mentions of each document that are twice in one entity, int64 (n_documents,)."""
        pair = number_rows([self.mention, self.entity])[1]
        again = np.delete(np.arange(pair.size), np.unique(pair, return_index=True)[1])
        return self.take(again).count_mentions(n_documents)

    def count_apart(self, n_documents: int) -> Ints:
        """Count the pairs of mentions of two entities, a mention of two with itself among them; no row is repeated."""
        n, alone = self.count_mentions(n_documents), self.are_alone
        to_itself = self.take(~alone).count_mentions(n_documents)
        pairs: Ints = links(n)
        return pairs - self.take(alone).count_links(n_documents) + to_itself


@dataclass(frozen=True, eq=False)
class Repeated:
    """All mentions of the documents in which one is repeated.

    Attributes:
        documents: int64 (d,) numbers of these documents, ascending.
        key: rows of the key; their documents are positions in ``documents``.
        profile: which of the three ways to count.
        profile: ``conll`` to count as the reference scorer does, any other to count as CorefUD's.
        whole: the documents before entities of one mention were dropped that the other side's mentions still know.
    """

    documents: Ints
    key: Memberships
    response: Memberships
    profile: str
    whole: Repeated | None = None

    def without_singletons(self, sides: Sequence[str], *, hide: bool) -> Repeated:
        """Drop the entities of one mention from the sides that are named; see `Clusterings.without_singletons`."""
        kept: dict[str, Any] = {}
        for name in sides:
            side = (self.key if name == "key" else self.response).take(slice(None))
            sizes = (side if self.profile in OF_ROWS else side.distinct()).sizes
            kept[name] = side.take(sizes[side.entity] > 1)
        return replace(self, **kept, whole=self if hide else None)

    def restricted(self, how: str) -> Repeated:
        """Leave out the mentions that the key lacks (``key``), or that either side lacks (``shared``)."""
        response = self.response.take(np.isin(self.response.sought, self.key.mention))
        kept = np.isin(self.key.sought, self.response.mention) if how == "shared" else slice(None)
        return replace(self, key=self.key.take(kept), response=response)

    def write(self, metrics: Sequence[Metric], places: Mapping[str, slice], sums: Floats) -> None:
        """Write these documents into the sums of D: float64 (groups, D, 4), where each metric has a place."""
        for metric in metrics:
            found = self.count(metric)
            if found is not None:
                groups = found[np.newaxis] if found.ndim == 2 else found.transpose(1, 0, 2)
                sums[places[metric.name], self.documents] = groups

    def count(self, metric: Metric) -> Floats | None:
        """Count a metric: float64 (d, 4) or (d, groups, 4); None if it sees a mention in its last entity only."""
        by_key, by_response, common = self._cells
        if metric.name in OF_ALIGNED:
            return count_metric(metric, self._cells_of_common(self._sides[0]))
        if metric.name in OF_SETS:
            return count_metric(metric, common)
        if metric.name in OF_LINKS:
            return self._links[:, OF_LINKS[metric.name]]
        if metric.name not in OF_OCCURRENCES:
            return None
        found = count_metric(metric, by_response)
        if metric.name == "lea" and self.whole is not None:  # mentions of a dropped entity are still of one entity
            whole_key, whole_response, _ = self.whole._cells
            found[:, 0], found[:, 2] = whole_key.sums(lea.resolved)[0], whole_response.sums(lea.resolved)[1]
            found[:, 1] = by_key.totals.key_mentions
        elif self.profile != "conll" or metric.name == "lea":
            found[:, :2] = count_metric(metric, by_key)[:, :2]
        elif metric.name == "bcub":
            pairs = [each.key * each.response_size.size + each.response for each in (common, by_response)]
            n_common = common.shared[pairs[0].searchsorted(pairs[1])]
            found[:, ::2] = by_response.sums(lambda n, size: n * n_common / size).T
        return found

    @cached_property
    def _sides(self) -> tuple[Memberships, Memberships]:
        """The rows of both sides that count."""
        key, response = self.key, self.response
        if self.profile in OF_ROWS:
            return key.take(slice(None)), response.take(slice(None))
        if self.profile != "conll":
            return key.distinct(), response.distinct()
        kept = ~np.isin(response.mention, key.mention)
        kept[np.unique(response.mention, return_index=True)[1]] = True
        return key.take(slice(None)), response.take(kept)

    @cached_property
    def _cells(self) -> tuple[Cells, Cells, Cells]:
        """Cells of the key's occurrences, of the response's, and of the mentions that two entities have in common."""
        key, response = self._sides
        whole = self.whole._sides if self.whole else ()
        numbers = [numbers for side in (*self._sides, *whole) for numbers in (side.mention, side.sought)]
        n_mentions = 1 + int(max(mention.max(initial=-1) for mention in numbers))
        last = {name: side.last(n_mentions) for name, side in zip(("key", "response"), self._sides, strict=True)}
        for name, side in zip(last, whole, strict=False):
            of_whole = side.last(n_mentions)
            last[name][(of_whole >= 0) & (np.append(side.sizes, 0)[of_whole] == 1)] = -1
        theirs, ours = last["response"][key.sought], last["key"][response.sought]
        by_key, by_response = self._cells_of(key.entity, theirs), self._cells_of(ours, response.entity)
        return by_key, by_response, self._cells_of_common(key.distinct())

    def _cells_of_common(self, key: Memberships) -> Cells:
        """Make cells of the rows that the key has in common with the response; its entities have their numbers."""
        response = self._sides[1].distinct() if self.profile in OF_ROWS else self._sides[1]
        i, j = join(key.sought, response.mention)
        return self._cells_of(key.entity[i], response.entity[j])

    def _cells_of(self, of_key: Ints, of_response: Ints) -> Cells:
        """Make cells of pairs of entities without -1; an entity's size is its number of rows."""
        key, response = self._sides
        both, width = (of_key >= 0) & (of_response >= 0), max(response.sizes.size, 1)
        cell, shared = np.unique(of_key[both] * width + of_response[both], return_counts=True)
        bounds = [side.document_of.searchsorted(np.arange(self.documents.size + 1)) for side in self._sides]
        return make_cells(shared, *np.divmod(cell, width), key.sizes, response.sizes, *bounds)

    @cached_property
    def _links(self) -> Floats:
        """BLANC's links, and mentions: float64 (d, 3, 4)."""
        n, (key, response) = self.documents.size, (side.distinct() for side in self._sides)
        i, j = join(key.sought, response.mention)
        common = Memberships(key.document[i], key.mention[i], number_rows([key.entity[i], response.entity[j]])[1])
        mentions = [rows.count_mentions(n) for rows in (common, key, response)]
        if self.profile != "conll":
            found = count_metric(METRICS["blanc"], self._cells[0])
            found[:, 2] = _four(mentions)
            return found
        linked = [rows.count_linked(n) for rows in (common, key, response)]
        for side, rows in enumerate(self._sides, 1):  # no link of a mention to itself is common
            linked[side] = linked[side] + rows.count_twice(n)
        ours, theirs = key.are_alone, response.are_alone
        # all pairs of shared mentions, without those of one entity, on either side, whose mentions have no other
        apart = links(mentions[0]) + common.take(~ours[i] & ~theirs[j]).count_mentions(n)
        apart -= key.take(ours & np.isin(key.mention, response.mention)).count_links(n)
        apart -= response.take(theirs & np.isin(response.mention, key.mention)).count_links(n)
        apart += common.take(ours[i] & theirs[j]).count_links(n)
        of_sides = [apart, key.count_apart(n), response.count_apart(n)]
        return np.stack([_four(linked), _four(of_sides), _four(mentions)], axis=1)


def _four(counts: list[Ints]) -> Floats:
    """Return the sums of recall and of precision, float64 (d, 4), from what is shared, the key's and the response's."""
    shared, ours, theirs = counts
    return np.stack([shared, ours, shared, theirs], axis=1).astype(np.float64)
