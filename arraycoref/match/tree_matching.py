"""Match the mentions of files with trees: leave out what a policy drops, pair mentions, and give partners one code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from arraycoref.errors import OptionError, check_name
from arraycoref.match import matchings
from arraycoref.match.assignment import Matching, choose, distinct_mentions, pair
from arraycoref.match.exact import entity_numbers, order_entities
from arraycoref.match.head_rules import warn_of_other_heads, with_heads
from arraycoref.match.mentions import Occurrences
from arraycoref.match.node_metrics import Matched
from arraycoref.match.pair_table import PairTable, choose_by_matrix
from arraycoref.options.policies import Policies
from arraycoref.ragged import Bools, Ints, number_rows, run_starts
from arraycoref.read.documents import Documents
from arraycoref.read.faults import OnError
from arraycoref.read.mentions import UPOS

MATCHINGS: Mapping[str, Matching | None] = {
    "exact": None,
    "head": (matchings.of_equal_heads, matchings.weigh_by_overlap),
    "partial": (matchings.within_with_head, matchings.weigh_by_size),
}
"""How mentions are paired that are not equal."""

ZEROS: Mapping[str, Matching | None] = {
    "dependent": (matchings.with_common_parents, matchings.weigh_by_dependencies),
    "linear": None,
    "drop": None,
}
"""How zeros are paired before all other mentions."""


def match_nodes(
    key: Documents, response: Documents, policies: Policies, on_doubt: OnError
) -> tuple[tuple[Documents, Documents], tuple[Occurrences, Occurrences], Matched]:
    """Match mentions by their nodes and heads, after the policies for singletons and zeros.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: for the matching, zeros and singletons.
        on_doubt: called with a warning if heads were made by two rules.

    Returns:
        The documents of both sides with the mentions that are left; these as occurrences; the distinct mentions.

    Raises:
        OptionError: a side has no heads, but the matching needs them; see `arraycoref.match.head_rules`.
        InputError: the sides made their heads by two rules.
    """
    if policies.upos and not (key.mentions.has_heads and response.mentions.has_heads):
        raise OptionError("upos needs parts of speech on both sides, which are in CoNLL-U only", "upos")
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
        warn_of_other_heads(key.mentions, response.mentions, codes, file, on_doubt)
    if policies.matching == "exact":
        if (policies.profile, policies.singletons) == ("paper", "keep") and key.text.have_trees:
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
    table = PairTable.of(distinct, own, numbers, partner) if is_crac else None
    new = np.zeros(numbers[1].max(initial=-1) + 1, np.int64)  # the code of each number in the response
    n_numbers = max(int(numbers[0].max(initial=-1)), new.size - 1) + 1
    new[own[1]] = np.where(partner < 0, n_numbers + own[1], np.append(own[0], 0)[partner])
    rule = policies.duplicates
    occurring = [_occurring(*side, rule) for side in zip(sides, numbers, own, strict=True)]
    entities = [occurring[0][1], _entities(sides[1], numbers[1], own[1], rule)]
    matched = Matched(len(key), distinct, own, [rows for rows, _ in occurring], entities, partner, table)
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
