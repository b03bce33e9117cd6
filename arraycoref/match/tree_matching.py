"""Match the mentions of files with trees: leave out what a policy drops, pair mentions, and give partners one code.

What matched is kept for the metrics that look at words and empty nodes, not at entities alone: the mention overlap
ratio, and zeros. The profile ``crac`` matches as CorefUD's scorer does in its version 4fd7b0e, two faults included:

- Of several best choices, that one is taken which SciPy finds in the matrix of all mentions of the document, or of all
  zeros, that are not paired yet. It may depend on mentions that have nothing to do with the choice.
- Pairs of mentions that are not equal are in one table for both sides, in which a zero of the key and a zero of the
  response of the same number are one entry. If both have other partners, that of the response's zero is left, and
  the key looks up that one too. So the sides may see different pairs. The score of zeros sees an equal mention first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from arraycoref.exceptions import OptionError, check_name
from arraycoref.match import matchings
from arraycoref.match.assignment import Candidates, Matching, Weigh, choose, distinct_mentions, pair
from arraycoref.match.head_rules import warn_other_heads, with_heads
from arraycoref.match.matchings import weigh_by_dependencies, weigh_by_dependencies_in_floats
from arraycoref.match.mentions import Occurrences, entity_numbers, memberships, order_entities
from arraycoref.options.policies import Policies
from arraycoref.ragged import Bools, Floats, Ints, join, join_ranges, number_rows, owners, run_starts
from arraycoref.read.documents import Documents
from arraycoref.read.mentions import BITS, EMPTY, UPOS, Mentions
from arraycoref.read.problems import ProblemLog
from arraycoref.scoring.cells import make_cells
from arraycoref.scoring.duplicates import Repeated
from arraycoref.scoring.metrics.registry import Metric
from arraycoref.scoring.metrics.zeros import Zeros
from arraycoref.scoring.totals import count_metric

MATCHINGS: Mapping[str, Matching | None] = {
    "exact": None,
    "head": (matchings.of_equal_heads, matchings.weigh_by_overlap),
    "partial": (matchings.within_with_head, matchings.weigh_by_size),
    "min": (matchings.within_with_minimum, matchings.weigh_by_size),
}
"""How mentions are paired that are not equal."""

ZEROS: Mapping[str, Matching | None] = {
    "dependent": (matchings.with_common_parents, matchings.weigh_by_dependencies),
    "linear": None,
    "drop": None,
}
"""How zeros are paired before all other mentions."""


def match_nodes(
    key: Documents, response: Documents, policies: Policies, problems: ProblemLog
) -> tuple[tuple[Documents, Documents], tuple[Occurrences, Occurrences], MatchedMentions]:
    """Match mentions by their nodes and heads, after the policies for singletons and zeros.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: for the matching, zeros and singletons.
        problems: receives a warning if heads were made by two rules.

    Returns:
        The documents of both sides with the mentions that are left; these as occurrences; the distinct mentions.

    Raises:
        OptionError: a side has no heads, or the key no minimum spans, but the matching needs them; see
            `arraycoref.match.head_rules`.
        InputError: the sides made their heads by two rules.
    """
    if policies.upos and not (key.mentions.has_heads and response.mentions.has_heads):
        raise OptionError("upos needs parts of speech on both sides, which are in CoNLL-U only", "upos")
    if policies.matching == "min" and key.mentions.minimum is None:
        file = next(filter(None, key.files), "key")
        raise OptionError(f"no minimum spans, which CoNLL-UA has, in {file}", "matching")
    sides = list(with_heads(key, response, policies))
    codes, orders, number_of = [], [], dict[bytes, int]()
    for k, side in enumerate(sides):
        codes.append(side.mentions.codes(number_of))
        drops = k == 1 and policies.singletons == "drop-response"
        kept = _kept(side, codes[k], replace(policies, singletons="drop") if drops else policies)
        orders.append(cache(partial(order_entities, side, policies.profile, kept)))
        if not kept.all():
            sides[k] = replace(side, mentions=side.mentions.take(np.flatnonzero(kept)))
            codes[k] = codes[k][kept]
    key, response = sides
    if policies.matching == "head" and policies.heads == "agreed":
        file = next(filter(None, response.files), "response")
        warn_other_heads(key.mentions, response.mentions, codes, file, problems)
    if policies.matching == "exact":
        if (policies.profile, policies.singletons) == ("paper", "keep") and key.have_trees:
            what = "matched exactly, with singletons; shared tasks on CoNLL-U score them with profile='corefud'"
            policies.note(len(key), "document", what)
        for name, side, other in (("key", key, response), ("response", response, key)):
            n_mixed = np.count_nonzero(side.mentions.are_mixed) if other.mentions.are_words.all() else 0
            what = f"of the {name} with empty nodes between words, which no mention of the other side equals"
            policies.note(int(n_mixed), "mention", what)
    distinct, own, numbers = distinct_mentions(key, response, (codes[0], codes[1]), policies.matching == "head")
    is_crac = policies.profile == "crac"
    how = choose_by_matrix if is_crac else choose
    partner = pair(distinct[0], distinct[1], own, (ZEROS[policies.zeros], MATCHINGS[policies.matching]), how)
    table = PairTable.from_partners(distinct, own, numbers, partner) if is_crac else None
    new = np.zeros(numbers[1].max(initial=-1) + 1, np.int64)  # the code of each number in the response
    n_numbers = max(int(numbers[0].max(initial=-1)), new.size - 1) + 1
    new[own[1]] = np.where(partner < 0, n_numbers + own[1], np.append(own[0], 0)[partner])
    rule = policies.duplicates
    occurring = [_occurring(*side, rule) for side in zip(sides, numbers, own, strict=True)]
    entities = [occurring[0][1], _entities(sides[1], numbers[1], own[1], rule)]
    matched = MatchedMentions(len(key), distinct, own, [rows for rows, _ in occurring], entities, partner, table)
    occurrences = []
    for side, code, order in zip(sides, (numbers[0], new[numbers[1]]), orders, strict=True):
        entity = side.mentions.entity.astype(np.int64)
        occurrences.append(Occurrences(side.offsets, code, entity, entity, order))
    return (key, response), (occurrences[0], occurrences[1]), matched


def _kept(side: Documents, codes: Ints, policies: Policies) -> Bools:
    """Say which occurrences are left by the policies for parts of speech, singletons and zeros: bool (M,).

    Args:
        side: documents with M occurrences.
        codes: int64 (M,) of each, equal for equal words and empty nodes.
        policies: an entity is kept if the head of one of its mentions is of one of the parts of speech.

    Raises:
        UnknownNameError: a part of speech that does not exist.
    """
    kept = np.ones(len(side.mentions), np.bool_)
    if policies.upos:
        names = policies.upos.split(",")
        for name in names:
            check_name("upos", name, UPOS)
        entity = entity_numbers(side)
        has_one = np.zeros(entity.size, np.bool_)
        has_one[entity[side.mentions.upos & sum(1 << UPOS.index(name) for name in names) != 0]] = True
        kept &= has_one[entity]
    if policies.singletons == "drop":
        kept &= ~_are_singletons(side, codes, policies.matching == "head")
    if policies.zeros == "drop":
        kept &= ~side.mentions.is_zero
    return kept


def _entities(side: Documents, numbers: Ints, wanted: Ints, rule: str) -> Ints:
    """Return the entity that each distinct mention is in after the policy for repeated mentions.

    Args:
        side: documents with M occurrences.
        numbers: int64 (M,) the mention of each occurrence.
        wanted: int64 (R,) the distinct mentions.
        rule: the policy; a mention that it drops is in an entity of its own.

    Returns:
        int64 (R,)
    """
    entity = entity_numbers(side)
    entity_of = np.full(numbers.max(initial=-1) + 1, -1)
    np.maximum.at(entity_of, numbers, entity)
    if rule not in ("last", "both"):
        first = np.full(entity_of.size, entity.max(initial=0))
        np.minimum.at(first, numbers, entity)
        repeats = np.bincount(numbers, minlength=entity_of.size) > 1
        entity_of = np.where(repeats & (rule == "drop"), entity.size + np.arange(entity_of.size), first)
    return entity_of[wanted]


def _occurring(side: Documents, numbers: Ints, wanted: Ints, rule: str) -> tuple[Ints, Ints]:
    """Return the row of each distinct mention, as often as it counts, and its entities: int64 (R,), more for ``both``.

    The arguments are those of `_entities`.
    """
    if rule != "both" or wanted.size == numbers.size:
        return np.arange(wanted.size), _entities(side, numbers, wanted, rule)
    row_of, entity = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64), entity_numbers(side)
    row_of[wanted] = np.arange(wanted.size)
    row = row_of[numbers]
    order = number_rows([row, entity])[0]
    order = order[run_starts(row[order], entity[order])]
    return row[order], entity[order]


def _are_singletons(side: Documents, codes: Ints, by_head: bool) -> Bools:
    """Say which occurrences are of entities of one mention: bool (M,)."""
    entity = entity_numbers(side)
    one, differs = np.zeros(entity.max(initial=-1) + 1, np.int64), np.zeros(entity.size, np.bool_)
    for values in (codes, side.mentions.head) if by_head else (codes,):
        one[entity] = values  # of any occurrence
        differs |= values != one[entity]
    has_several = np.zeros(one.size, np.bool_)
    has_several[entity[differs]] = True
    return ~has_several[entity]


@dataclass(frozen=True, eq=False)
class MatchedMentions:
    """The distinct mentions of both sides, and which of them match.

    Attributes:
        n_documents: D.
        distinct: mentions of the key, and R mentions of the response.
        numbers: int64 of each mention of each side, equal for equal mentions.
        occurring: int64 rows of the mentions of each side, repeated for those that count in several entities.
        entities: int64 the entity of each of these rows of the key, and of each mention of the response the last one,
            numbered on through the documents.
        partner: int64 (R,) the row in the key of each response mention's partner, -1 for a mention without one.
        table: the pairs as the profile ``crac`` has them, None for others.
    """

    n_documents: int
    distinct: Sequence[Mentions]
    numbers: Sequence[Ints]
    occurring: Sequence[Ints]
    entities: Sequence[Ints]
    partner: Ints
    table: PairTable | None = None

    @property
    def n_equal(self) -> int:
        """Number of response mentions whose partner is equal, not only alike."""
        partner = np.append(self.numbers[0], -1)[self.partner]
        return int(np.count_nonzero(partner == self.numbers[1]))

    def count(self, metric: Metric) -> Floats:
        """Count the sums of a metric that is counted from words or from zeros: float64 (D, 4)."""
        if metric.counted_from == "words":
            return self._count_words(metric)
        key, response = self.distinct
        rows = self.occurring[0]
        of_key = rows, key.document[rows].astype(np.int64), self.entities[0], key.is_zero[rows]
        of_response = response.document.astype(np.int64), self.entities[1], response.is_zero
        paired = np.flatnonzero(self.partner >= 0)
        pairs = (self.partner[paired], paired) if self.table is None else self.table.pairs
        sums: Floats = metric.count(Zeros(self.n_documents, *of_key, *of_response, *pairs))
        return sums

    def _count_words(self, metric: Metric) -> Floats:
        """Count the sums of an alignment of mentions by their words and empty nodes in common.

        Equal mentions are aligned with each other in some best alignment, so that they add their size to each sum. If
        k = r were aligned with r' and k' instead, the words in common would be |k & r'| + |k & k'| <= |k| + |k' & r'|.
        """
        k, r = (side.take(rows) for side, rows in zip(self.distinct, self.occurring, strict=True))
        i, j = join(*_numbers_of_copies(*(own[rows] for own, rows in zip(self.numbers, self.occurring, strict=True))))
        equal = np.bincount(k.document[i], k.size[i], self.n_documents)
        k, r = (side.take(np.delete(np.arange(len(side)), rows)) for side, rows in ((k, i), (r, j)))
        key_parts, response_parts = _on_a_line(k.parts), _on_a_line(r.parts)
        i, j = join_ranges(key_parts, response_parts)
        n_shared = np.minimum(key_parts[i, 1], response_parts[j, 1]) - np.maximum(key_parts[i, 0], response_parts[j, 0])
        codes = owners(k.part_bounds)[i] * max(len(r), 1) + owners(r.part_bounds)[j]
        pairs, pair = np.unique(codes, return_inverse=True)
        shared = np.bincount(pair, n_shared + 1, pairs.size).astype(np.int64)
        key, response = np.divmod(pairs, max(len(r), 1))
        bounds = [side.document.searchsorted(np.arange(self.n_documents + 1)) for side in (k, r)]
        cells = make_cells(shared, key, response, k.size, r.size, *bounds)
        sums: Floats = count_metric(metric, cells) + equal[:, None]
        return sums


def _on_a_line(parts: Ints) -> Ints:
    """Return ranges of numbers instead of the parts of mentions, int64 (P, 2): words from 1, empty nodes below 0."""
    return np.where(parts[:, :1] & EMPTY != 0, -parts[:, ::-1], parts >> BITS)


def _numbers_of_copies(key: Ints, response: Ints) -> list[Ints]:
    """Return other numbers of mentions, int64 of each side: the first copies of equal mentions have one, and so on.

    >>> _numbers_of_copies(np.array([5, 5]), np.array([4, 5]))
    [array([10, 11]), array([ 8, 10])]
    """
    copies = []
    for number in (key, response):
        order = number.argsort(kind="stable")
        copy = np.empty_like(order)
        copy[order] = np.arange(order.size) - number[order].searchsorted(number[order])
        copies.append(copy)
    width = max(copy.max(initial=0) for copy in copies) + 1
    return [number * width + copy for number, copy in zip((key, response), copies, strict=True)]


def choose_by_matrix(key: Mentions, response: Mentions, candidates: Candidates, weigh: Weigh) -> Candidates:
    """Choose pairs of the largest total weight in each document, those which SciPy finds.

    Arguments and results are those of `arraycoref.match.assignment.choose`; weights are rounded as the scorer does.
    """
    from scipy.optimize import linear_sum_assignment

    are_zeros = weigh is weigh_by_dependencies
    weigh = weigh_by_dependencies_in_floats if are_zeros else weigh
    rows_of = [np.flatnonzero(side.is_zero | (not are_zeros)) for side in (key, response)]
    document_of = [side.document[rows] for side, rows in zip((key, response), rows_of, strict=True)]
    order = key.document[candidates[0]].argsort(kind="stable")
    i, j = (rows[order] for rows in candidates)
    documents = np.unique(key.document[i])
    cuts = key.document[i].searchsorted(documents)
    chosen = [np.empty((2, 0), np.int64)]
    for d, rows, columns in zip(documents, np.split(i, cuts)[1:], np.split(j, cuts)[1:], strict=True):
        k, r = (own[slice(*of.searchsorted([d, d + 1]))] for own, of in zip(rows_of, document_of, strict=True))
        weights = np.zeros((k.size, r.size))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            weights[k.searchsorted(row), r.searchsorted(column)] = weigh(key, response, row, column)
        pairs = np.stack(linear_sum_assignment(-weights))
        pairs = pairs[:, weights[tuple(pairs)] > 0]
        chosen.append(np.stack([k[pairs[0]], r[pairs[1]]]))
    key_rows, response_rows = np.concatenate(chosen, axis=1)
    return key_rows, response_rows


@dataclass(frozen=True, eq=False)
class PairTable:
    """The numbers under which mentions are looked up on the other side.

    Attributes:
        entries: int64 by number of a mention, the number of its partner; its own if there is none.
        numbers: int64 (N,) of each side, the number of the mention of each occurrence.
        documents: int64 documents in which a side sees other pairs than those that were chosen.
        pairs: int64 (P,) rows in the key and in the response, partners in the score of zeros.
    """

    entries: Ints
    numbers: Sequence[Ints]
    documents: Ints
    pairs: Candidates

    @classmethod
    def from_partners(
        cls, distinct: Sequence[Mentions], own: Sequence[Ints], numbers: Sequence[Ints], partner: Ints
    ) -> PairTable:
        """Make the table of paired mentions.

        Args:
            distinct: the K and R distinct mentions of key and response.
            own: int64 (K,) and (R,) numbers of these, equal for equal mentions.
            numbers: see above.
            partner: int64 (R,) the row in the key of each response mention's partner, -1 for none.
        """
        entries = np.arange(1 + int(max(each.max(initial=-1) for each in own)))
        paired = np.flatnonzero(partner >= 0)
        of_key, of_response = own[0][partner[paired]], own[1][paired]
        differ = of_key != of_response
        entries[of_key[differ]] = of_response[differ]
        entries[of_response[differ]] = of_key[differ]
        row_of = [np.full(entries.size, -1) for _ in own]
        for rows, number in zip(row_of, own, strict=True):
            rows[number] = np.arange(number.size)
        chosen = np.full(own[0].size, -1)
        chosen[partner[paired]] = paired
        found = [other[entries[number]] for number, other in zip(own, row_of[::-1], strict=True)]
        differing = [rows != right for rows, right in zip(found, (chosen, partner), strict=True)]
        documents = [side.document[rows] for side, rows in zip(distinct, differing, strict=True)]
        equal = row_of[1][own[0]]
        seen = np.where(equal >= 0, equal, found[0])
        pairs = np.flatnonzero(seen >= 0), seen[seen >= 0]
        return cls(entries, numbers, np.unique(np.concatenate(documents)).astype(np.int64), pairs)

    def repeated(self, sides: Sequence[Occurrences], repeated: Repeated | None, profile: str) -> Repeated | None:
        """Return the documents that labels cannot hold, with those in which a side sees other pairs.

        Args:
            sides: the occurrences of key and response.
            repeated: the documents in which a mention is in several entities.
            profile: the profile.
        """
        if not self.documents.size:
            return repeated
        documents = self.documents if repeated is None else np.union1d(self.documents, repeated.documents)
        rows = []
        for side, numbers in zip(sides, self.numbers, strict=True):
            own = memberships(side._replace(code=numbers), documents)
            rows.append(own._replace(partner=self.entries[own.mention]))
        return Repeated(documents, rows[0], rows[1], profile)
