"""Bring the bridging links of both sides on one index of mentions."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from arraycoref.exceptions import check_name
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, bounds_of, join, number_rows, owners, run_starts
from arraycoref.read.documents import Documents
from arraycoref.read.relations import Relations
from arraycoref.scoring.metrics.bridging import Bridging, LinkEnds


def match_links(key: Documents, response: Documents, policies: Policies) -> Bridging:
    """Match the ends of links by their words, before policies drop mentions.

    A link is left out if its anaphor or antecedent is not a mention, as spans of a type that no identity link joins.

    Args:
        key: D documents with relations.
        response: the same documents in the same order.
        policies: may name relations, others are left out; receive notes of links that are left out.

    Raises:
        UnknownNameError: a relation that neither side has.
    """
    if policies.bridging_relations:
        sides_relations = (side.relations for side in (key, response))
        labels = {label for own in chain(*sides_relations) if own is not None for label in own.label.tolist() if label}
        for name in policies.bridging_relations.split(","):
            check_name("bridging relation", name, sorted(labels))
    sides, number_of = (key, response), dict[bytes, int]()
    columns = zip(*[(side.mentions.document, side.mentions.codes(number_of)) for side in sides], strict=True)
    numbers = number_rows([np.concatenate(column) for column in columns])[1]
    own_numbers = np.split(numbers, [len(key.mentions)])
    named = zip(sides, own_numbers, ("key", "response"), strict=True)
    (links, mention, entity, nothing), (response_links, *_, of_response) = (_ends(*side, policies) for side in named)
    return Bridging(len(key), links, response_links, mention, entity, (nothing, of_response))


def _ends(
    side: Documents, number: Ints, name: str, policies: Policies
) -> tuple[LinkEnds, Ints, Ints, tuple[Ints, Ints]]:
    """Return the links of one side; and the number and entity of its mentions that refer to something.

    Last, document and number of the first mention of each entity that refers to nothing.
    """
    mentions, no_relations = side.mentions, Relations.from_lists()
    wanted = policies.bridging_relations.split(",") if policies.bridging_relations else None
    all_relations = [(relations or no_relations).labeled(wanted) for relations in side.relations]

    def column(name: str) -> tuple[Ints, Ints]:
        """Return a column of all documents, and the document of each value."""
        values = [getattr(relations, name) for relations in all_relations]
        return np.concatenate(values), owners(bounds_of(values))

    (anaphor, document), (named, _), (entity, _), pseudo = map(column, ("anaphor", "antecedent", "entity", "pseudo"))
    width = max(int(values.max(initial=0)) for values in (mentions.entity, entity, pseudo[0])) + 1
    entity, nothing = entity + document * width, pseudo[0] + pseudo[1] * width
    own_entity = mentions.document.astype(np.int64) * width + mentions.entity
    size = max(int(values.max(initial=0)) for values in (mentions.number, anaphor, named)) + 2
    place = mentions.document.astype(np.int64) * size + mentions.number + 1
    n_links = document.size
    link, rows = join(document * size + anaphor + 1, place)
    document, named, entity = document[link], named[link], entity[link]
    begin = np.unique(mentions.first, return_inverse=True)[1]
    order = np.lexsort((begin, own_entity))  # stable: of two that begin together, in the order of the file
    before = (own_entity * begin.size + begin)[order].searchsorted(entity * begin.size + begin[rows]) - 1
    stand_in = np.append(order, -1)[np.maximum(before, own_entity[order].searchsorted(entity))]
    antecedent = np.where(np.append(own_entity, -1)[stand_in] == entity, stand_in, -1)
    i, named_rows = join(document * size + named + 1, place)
    antecedent[i] = named_rows
    is_named = np.isin(np.arange(link.size), i)
    kept = np.flatnonzero(antecedent >= 0)
    anaphor, antecedent = number[rows[kept]], number[antecedent[kept]]
    entity = np.where(np.isin(entity, nothing), -1, entity)[kept]
    distinct = np.unique(number_rows([anaphor, antecedent, entity])[1], return_index=True)[1]
    columns: Any = document[kept], anaphor, antecedent, is_named[kept], entity
    refers = ~np.isin(own_entity, nothing)
    what = f"of the {name} left out: an end that is not a mention"
    policies.note(n_links - kept.size, "bridging link", what)
    first = order[run_starts(own_entity[order])]
    first = first[~refers[first]]
    of_nothing = mentions.document[first].astype(np.int64), number[first]
    return LinkEnds(*[values[distinct] for values in columns]), number[refers], own_entity[refers], of_nothing
