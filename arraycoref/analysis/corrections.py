"""Correct errors of some types in a response, to find what they cost.

Pieces move, entities do not merge: a piece that is elsewhere leaves for the entity that it belongs to, and takes no
other mention with it. So all types together give the key.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from arraycoref.analysis.pair import (
    CONFLATED,
    DIVIDED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    EXTRA_SINGLETON,
    MISSING_ENTITY,
    MISSING_MENTION,
    MISSING_SINGLETON,
    SPAN,
    Pair,
)
from arraycoref.ragged import Ints


def corrected(pair: Pair, types: Collection[int]) -> Ints:
    """Return the labels of the response without the errors of some types: int64 (M,), -1 for absent mentions.

    - ``conflated``: each cell of a response entity that does not hold its head becomes an entity of its own. A head
      that the key lacks leaves, as no other type has it, unless the entity is extra as a whole.
    - ``extra-...``: the mentions leave.
    - ``divided``: each cell of a key entity moves to the cell that holds its head. A head that is missing enters before
      that, unless the entity is missing as a whole; then cells move to the first of them.
    - ``missing-mention``: the mention joins the cell of the head; or the first cell, where the head is still missing.
    - ``missing-entity``: its missing mentions enter together, where the head is if that is a shared pronoun.
    - ``missing-singleton``: it enters.
    - ``span``: the mention has the key's words.

    Args:
        pair: a key and a response.
        types: positions in `arraycoref.analysis.pair.TYPES`.
    """
    key, response = pair.labels
    labels, (n_key, n_response) = response.copy(), pair.n_entities
    of_key, of_response = pair.cell_entities
    n_cells = of_key.size
    new_of_cell, new_of_key = n_response, n_response + n_cells  # where new labels begin
    missing, extra = np.flatnonzero((key >= 0) & (response < 0)), np.flatnonzero((response >= 0) & (key < 0))
    head_cell = [np.full(n, -1) for n in pair.n_entities]  # the cell that holds the head
    for one in (0, 1):
        entities = np.flatnonzero(pair.head_is_shared[one])
        head_cell[one][entities] = pair.cell[pair.shared.searchsorted(pair.heads[one][entities])]
    cells = np.arange(n_cells)
    label_of_cell = of_response.copy()
    if CONFLATED in types:
        is_apart = head_cell[1][of_response] != cells
        label_of_cell[is_apart] = new_of_cell + cells[is_apart]
    owner = response[extra]
    is_whole, is_single = pair.is_whole[1][owner], pair.sizes[1][owner] == 1
    is_head = (pair.heads[1][owner] == extra) & ~is_whole & ~is_single
    leaving = {
        CONFLATED: is_head,
        EXTRA_MENTION: ~is_whole & ~is_single & ~is_head,
        EXTRA_ENTITY: is_whole,
        EXTRA_SINGLETON: is_single,
    }
    for type_, which in leaving.items():
        if type_ in types:
            labels[extra[which]] = -1
    # where the mentions of each key entity belong
    first_cell = np.full(n_key, n_cells)
    first_cell[key[pair.shared][::-1]] = pair.cell[::-1]  # of repeated indices, NumPy keeps the last
    is_whole, has_head = pair.is_whole[0], pair.head_is_shared[0]
    enters = ~has_head & (is_whole if MISSING_ENTITY in types else False)
    enters |= ~has_head & ~is_whole & (DIVIDED in types)
    home = np.append(label_of_cell, -1)[np.where(has_head, head_cell[0], first_cell)]
    home[enters] = new_of_key + np.flatnonzero(enters)
    if DIVIDED in types:
        label_of_cell = home[of_key]
    labels[pair.shared] = label_of_cell[pair.cell]
    owner = key[missing]
    is_single, is_head = pair.sizes[0][owner] == 1, pair.heads[0][owner] == missing
    is_whole = pair.is_whole[0][owner]
    entering = {
        DIVIDED: is_head & ~is_whole & ~is_single,
        MISSING_MENTION: ~is_head & ~is_whole & ~is_single,
        MISSING_ENTITY: is_whole,
        MISSING_SINGLETON: is_single,
    }
    for type_, which in entering.items():
        if type_ in types:
            rows, of = missing[which], owner[which]
            labels[rows] = new_of_key + of if type_ == MISSING_SINGLETON else home[of]
    if SPAN not in types and pair.spans.size:
        labels[pair.spans[1]] = labels[pair.spans[0]]
        labels[pair.spans[0]] = -1
    return labels
