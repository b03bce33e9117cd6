"""Build the cells of documents from their labels."""

from __future__ import annotations

import numpy as np

from arraycoref.ragged import Ints, number_by_appearance, owners, run_starts
from arraycoref.scoring.cells import Cells, make_cells
from arraycoref.scoring.clusterings import SPREAD, Clusterings, number_entities, refuse_below
from arraycoref.scoring.labels import MOST_MENTIONS
from arraycoref.twin import twin

LARGE = 1 << 17
"""Number of mentions from which a document is large: its cells are counted apart from those of other documents."""

DENSEST, MOST_PLACES = 32, 100_000_000
"""Cells are looked up in a table of all pairs of entities if it has at most so many places for each mention, and in
all; otherwise pairs are sorted."""

ROOMY, SAMPLED = 4, 4_096
"""A large document has few entities if a table of all pairs has at most `ROOMY` places for each mention. `SAMPLED` is
the number of mentions whose labels are read to estimate the largest label."""


def cells_of(clusterings: Clusterings, first: int = 0, last: int | None = None) -> Cells:
    """Build the contingency cells of the documents ``first:last``; entities are in the order of their first mentions.

    The entities and the cells of a large document may be in another order.

    Args:
        clusterings: labels of D documents, or of S * D documents for S responses to one key.
        first: first document.
        last: end of the range; None for all that follow.

    Raises:
        InputError: a label below -1.
    """
    last = clusterings.response_bounds.size - 1 if last is None else last
    if is_large(clusterings, first, last):
        return large_cells(clusterings, first)
    return ordinary_cells(clusterings, first, last)


def is_large(clusterings: Clusterings, first: int, last: int) -> bool:
    """Whether a range is one large document; see `LARGE`."""
    if last - first != 1 or clusterings.response.size < LARGE:
        return False
    return int(clusterings.response_bounds[last] - clusterings.response_bounds[first]) >= LARGE


@twin(
    "contingency.ordinary_cells",
    each=1e-7,
    compiling=4.0,
    size=lambda clusterings, first, last: int(clusterings.response_bounds[last] - clusterings.response_bounds[first]),
)
def ordinary_cells(clusterings: Clusterings, first: int, last: int) -> Cells:
    """Build the cells of documents, none of them large, as `cells_of` does."""
    key, response = labels_of(clusterings, first, last)
    offsets = clusterings.response_bounds[first : last + 1] - clusterings.response_bounds[first]
    names = clusterings.names[first:last] if clusterings.names else range(first, last)
    of_key, key_offsets = number_entities(key, "key", offsets, names)
    of_response, response_offsets = number_entities(response, "response", offsets, names)
    n_key, n_response = int(key_offsets[-1]), int(response_offsets[-1])
    both = np.flatnonzero((of_key >= 0) & (of_response >= 0))
    i, j, document = of_key[both], of_response[both], owners(offsets)[both]
    width = np.diff(response_offsets)
    rows = np.diff(key_offsets) * width
    if rows.sum(dtype=np.float64) <= min(DENSEST * key.size, MOST_PLACES):
        pair = (i - key_offsets[document]) * width[document] + (j - response_offsets[document])
        pair, n_pairs = pair + (np.cumsum(rows) - rows)[document], int(rows.sum())
    else:
        pairs, pair = np.unique(i * n_response + j, return_inverse=True)
        n_pairs = pairs.size
    cell, at = number_by_appearance(pair, n_pairs)
    order = np.sort((i[at] << 32) | np.arange(at.size)) & 0xFFFFFFFF  # by key entity, then by first mention
    shared, i, j = np.bincount(cell, minlength=at.size)[order], i[at][order], j[at][order]
    key_size = np.bincount(of_key[of_key >= 0], minlength=n_key)
    response_size = np.bincount(of_response[of_response >= 0], minlength=n_response)
    return make_cells(shared, i, j, key_size, response_size, key_offsets, response_offsets)


@twin(
    "contingency.large_cells",
    each=1e-7,
    compiling=4.0,
    size=lambda clusterings, d: int(clusterings.response_bounds[d + 1] - clusterings.response_bounds[d]),
)
def large_cells(clusterings: Clusterings, d: int) -> Cells:
    """Build the cells of one large document; entities and cells are in the order of their labels, or in any other."""
    key, response = labels_of(clusterings, d, d + 1)
    offsets, names = np.array([0, key.size]), clusterings.names or range(d + 1)
    places, sizes, numbers = [], [], []  # place 0 is for absent mentions
    for what, labels in (("key", key), ("response", response)):
        refuse_below(labels, what, offsets, names[d : d + 1])
        if labels.max() > min(SPREAD * labels.size, MOST_MENTIONS):
            codes, place = np.unique(labels, return_inverse=True)
            place += codes[0] >= 0
        else:
            place = labels + 1
        size = np.bincount(place)
        size[0] = 0
        places.append(place)
        sizes.append(size[size > 0])
        numbers.append(np.cumsum(size > 0) - 1)
    width = numbers[1].size
    pair = places[0] * width
    pair += places[1]
    if numbers[0].size * width <= min(DENSEST * key.size, MOST_PLACES):
        count = np.bincount(pair)
        pair = np.flatnonzero(count)
        count = count[pair]
    else:
        pair.sort()
        first = run_starts(pair)
        count, pair = np.diff(first, append=pair.size), pair[first]
    i, j = np.divmod(pair, width)
    both = np.flatnonzero((i > 0) & (j > 0))
    of_key, of_response = numbers[0][i[both]], numbers[1][j[both]]
    bounds = (np.array([0, size.size]) for size in sizes)
    return make_cells(count[both], of_key, of_response, *sizes, *bounds, is_large=True)


def labels_of(clusterings: Clusterings, first: int, last: int) -> tuple[Ints, Ints]:
    """Return the labels of key and response of the documents ``first:last``."""
    lo, hi = clusterings.response_bounds[[first, last]].tolist()
    if clusterings.n_responses == 1:
        key = clusterings.key[lo:hi]
    elif last - first == 1:
        start = int(clusterings.offsets[first % (clusterings.offsets.size - 1)])
        key = clusterings.key[start : start + hi - lo]
    else:
        key = clusterings.key.take(np.arange(lo, hi), mode="wrap")
    return key, clusterings.response[lo:hi]


def table_bits(clusterings: Clusterings, d: int) -> tuple[int, int] | None:
    """Return the binary logarithms of rows and columns of a table for the cells of one large document.

    They are estimated from some of the labels. None if the document has many entities, see `ROOMY`.
    """
    sides = labels_of(clusterings, d, d + 1)
    n = sides[1].size
    step = max(-(-n // SAMPLED), 1)
    rows, columns = ((int(labels[::step].max(initial=-1)) + 1).bit_length() for labels in sides)
    return (rows, columns) if 1 << rows + columns <= ROOMY * n else None
