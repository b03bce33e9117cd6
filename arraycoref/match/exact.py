"""The matching `exact`: mentions match if their first and last tokens are the same, or their words and empty nodes."""

from __future__ import annotations

from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.match.mentions import Occurrences
from arraycoref.ragged import Ints as Integers
from arraycoref.read.documents import Documents


def match_exactly(key: Documents, response: Documents, profile: str) -> tuple[Occurrences, Occurrences]:
    """Match mentions of equal spans, or of equal words and empty nodes; for the profile see `order_entities`."""
    number_of: dict[bytes, int] = {}
    codes = [side.codes(number_of) for side in (key, response)]
    ours, theirs = (np.ascontiguousarray(side.entity, np.int64) for side in (key, response))
    return (
        Occurrences(key.offsets, codes[0], ours, ours, cache(partial(order_entities, key, profile))),
        Occurrences(response.offsets, codes[1], theirs, theirs, cache(partial(order_entities, response, profile))),
    )


def entity_numbers(side: Documents) -> Integers:
    """Return the entity of each of M occurrences, int64 (M,): no two documents share a number."""
    document = np.arange(len(side)).repeat(np.diff(side.offsets))
    n_entities = np.zeros(len(side), np.int64)
    entity = side.entity.astype(np.int64)
    np.maximum.at(n_entities, document, entity + 1)  # with int32, it takes ten times as long
    found: Integers = (np.cumsum(n_entities) - n_entities)[document] + entity
    return found


def order_entities(side: Documents, profile: str, kept: NDArray[np.bool_] | None = None) -> Integers:
    """Order the entities of each document by their first mentions, as the profile's scorer does.

    The reference scorer, profile ``conll``, reads the mentions of one token before those that begin in the same cell.
    For CorefUD's scorer, the longer one of two mentions with one first word comes first, then that with the earlier
    last word, then that of the entity whose id is first as a text.

    Args:
        side: documents with N occurrences.
        profile: the profile.
        kept: bool (N,) the occurrences to return, of which there are M; None for all.

    Returns:
        int64 (M,) the place of each occurrence's entity.
    """
    document = np.arange(len(side)).repeat(np.diff(side.offsets))
    by: tuple[NDArray[Any], ...] = side.end > side.start, side.start
    if profile != "conll" and side.nodes is None:
        by = side.start - side.end, side.start
    elif profile != "conll" and side.nodes is not None:
        bounds, ids = side.nodes.offsets, side.nodes.ids
        n_ids = np.array([len(each) for each in ids], np.int64)
        texts = np.unique(np.array([*chain(*ids), ""]), return_inverse=True)[1]
        by = (
            texts[np.where(side.entity < n_ids[document], (np.cumsum(n_ids) - n_ids)[document] + side.entity, -1)],
            side.nodes.node[bounds[1:] - 1],
            -side.nodes.size,
            side.nodes.node[bounds[:-1]],
        )
    order = np.lexsort((*by, document))
    number = entity_numbers(side)
    place = np.empty(number.max(initial=-1) + 1, np.int64)
    place[number[order[::-1]]] = np.arange(order.size)[::-1]  # of repeated indices, NumPy keeps the last
    found: Integers = place[number if kept is None else number[kept]]
    return found
