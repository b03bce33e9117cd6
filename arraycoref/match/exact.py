"""The matching `exact`: mentions match if their first and last tokens are the same, or their words and empty nodes."""

from __future__ import annotations

from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.match.mentions import Occurrences
from arraycoref.ragged import Bools, Ints, bounds, bounds_of
from arraycoref.read.documents import Documents


def match_exactly(key: Documents, response: Documents, profile: str) -> tuple[Occurrences, Occurrences]:
    """Match mentions of equal spans, or of equal words and empty nodes; for the profile see `order_entities`."""
    number_of: dict[bytes, int] = {}
    sides = []
    for side in (key, response):
        codes, entity = side.mentions.codes(number_of), side.mentions.entity.astype(np.int64)
        sides.append(Occurrences(side.offsets, codes, entity, entity, cache(partial(order_entities, side, profile))))
    return sides[0], sides[1]


def entity_numbers(side: Documents) -> Ints:
    """Return the entity of each of M mentions, int64 (M,): no two documents share a number."""
    document, entity = side.mentions.document, side.mentions.entity.astype(np.int64)
    n_entities = np.zeros(len(side), np.int64)
    np.maximum.at(n_entities, document, entity + 1)  # with int32, it takes ten times as long
    return bounds(n_entities)[document] + entity


def order_entities(side: Documents, profile: str, kept: Bools | None = None) -> Ints:
    """Order the entities of each document by their first mentions, as the profile's scorer does.

    The reference scorer, profile ``conll``, reads the mentions of one token before those that begin in the same cell.
    For CorefUD's scorer, the longer one of two mentions with one first word comes first, then that with the earlier
    last word, then that of the entity whose id is first as a text.

    Args:
        side: documents with M mentions.
        profile: the profile.
        kept: bool (M,) which K mentions to return; None for all.

    Returns:
        int64 (K,) the place of each mention's entity.
    """
    mentions = side.mentions
    by: tuple[NDArray[Any], ...] = mentions.end > mentions.start, mentions.start
    if profile != "conll":
        by = mentions.last, -mentions.size, mentions.first
    if profile != "conll" and any(side.entities):
        first_id = bounds_of(side.entities)
        texts = np.unique(np.array([*chain(*side.entities), ""]), return_inverse=True)[1]
        place = first_id[mentions.document] + mentions.entity
        by = (texts[np.where(place < first_id[mentions.document + 1], place, -1)], *by)
    order = np.lexsort((*by, mentions.document))
    number = entity_numbers(side)
    places = np.empty(number.max(initial=-1) + 1, np.int64)
    places[number[order[::-1]]] = np.arange(order.size)[::-1]  # of repeated indices, NumPy keeps the last
    return places[number if kept is None else number[kept]]
