"""B-cubed and CEAF as older papers define them. They differ in how they treat twinless mentions, which one side lacks.

The word is that of Stoyanov et al. (2009); it has nothing to do with the fast twins of `arraycoref.twin`.

Pradhan et al. (2014), section 2, argue against all these variants: `bcub` and `ceaf` need no change for such mentions.
The variants are here to reproduce published scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Bools, Floats, Ints, owners
from arraycoref.scoring.alignment import align, best_total
from arraycoref.scoring.cells import Cells, make_cells, sum_segments
from arraycoref.scoring.metrics import bcub, ceaf
from arraycoref.scoring.metrics.score import Sums


class Twinless(NamedTuple):
    """Numbers of twinless mentions.

    Attributes:
        key: float64 (A,) number of twinless mentions of each key entity.
        response: float64 (B,) number of twinless mentions of each response entity.
        alone: float64 (D,) number of each document's response entities that consist of one twinless mention.
    """

    key: Floats
    response: Floats
    alone: Floats


def count_bcub_0(cells: Cells) -> Sums:
    """Count B-cubed without the response's twinless mentions; the key's have recall 0.

    Source: Stoyanov et al. (2009), B-cubed 0.
    """
    left = cells.response_size - _twinless(cells).response
    precision = sum_segments(cells.shared**2 / left[cells.response], cells.offsets)
    return cells.sums(bcub.share)[0], cells.totals.key_mentions, precision, cells.totals.shared_mentions


def count_bcub_all(cells: Cells) -> Sums:
    """Count B-cubed where a twinless mention agrees with itself alone, 1 / k_i or 1 / r_j.

    Source: Stoyanov et al. (2009), B-cubed all.
    """
    (recall, precision), twinless, n = cells.sums(bcub.share), _twinless(cells), cells.totals
    recall = recall + sum_segments(twinless.key / cells.key_size, cells.key_offsets)
    precision = precision + sum_segments(twinless.response / cells.response_size, cells.response_offsets)
    return recall, n.key_mentions, precision, n.response_mentions


def count_bcub_rn(cells: Cells) -> Sums:
    """Count B-cubed without response entities that consist of one twinless mention.

    Source: Rahman and Ng (2009).
    """
    (recall, precision), n = cells.sums(bcub.share), cells.totals
    return recall, n.key_mentions, precision, n.response_mentions - _twinless(cells).alone


def count_ceafm_rn(cells: Cells) -> Sums:
    """Count CEAFm without response entities that consist of one twinless mention.

    Source: Rahman and Ng (2009).
    """
    total, n = best_total(cells, cells.shared), cells.totals
    return total, n.key_mentions, total, n.response_mentions - _twinless(cells).alone


def count_ceafe_rn(cells: Cells) -> Sums:
    """Count CEAFe without response entities that consist of one twinless mention.

    Source: Rahman and Ng (2009).
    """
    total, n = ceaf.best_phi4(cells), cells.totals
    return total, n.key_entities, total, n.response_entities - _twinless(cells).alone


def count_bcub_sys(cells: Cells) -> Sums:
    """Count B-cubed as defined by Cai and Strube.

    Response entities that consist of one twinless mention are removed. Each twinless mention of the key becomes a
    response entity. The other twinless mentions of the response are removed for recall; for precision, each of them
    becomes a key entity.

    Source: Cai and Strube (2010), B-cubed sys; Pradhan et al. (2014), section 2.
    """
    recall, n_key, precision, n_response = count_bcub_all(cells)
    more = cells.totals.key_mentions - cells.totals.shared_mentions - _twinless(cells).alone
    return recall, n_key, precision + more, n_response + more


def count_ceafm_sys(cells: Cells) -> Sums:
    """Count CEAFm with the mentions of `count_bcub_sys`.

    Source: Cai and Strube (2010), CEAF sys.
    """
    return _count_ceaf_sys(cells, cells.totals.key_mentions, cells.totals.response_mentions, by_mentions=True)


def count_ceafe_sys(cells: Cells) -> Sums:
    """Count CEAFe with the mentions of `count_bcub_sys`.

    Source: Cai and Strube (2010), who do not define CEAFe. The official results of CoNLL-2011 and 2012 have it, from a
    scorer whose variants had a bug (Pradhan et al. 2014, section 2).
    """
    return _count_ceaf_sys(cells, cells.totals.key_entities, cells.totals.response_entities, by_mentions=False)


def _twinless(cells: Cells) -> Twinless:
    key = cells.key_size - _sums(cells.key, cells.shared, cells.key_size.size)
    response = cells.response_size - _sums(cells.response, cells.shared, cells.response_size.size)
    alone = (cells.response_size == 1) & (response > 0)
    return Twinless(key, response, sum_segments(alone, cells.response_offsets))


def _sums(group: Ints, weights: NDArray[Any], n_groups: int) -> Floats:
    """Sum weights by group: float64 (n_groups,)."""
    return np.bincount(group, weights, n_groups).astype(np.float64, copy=False)


def _count_ceaf_sys(cells: Cells, n_key: Ints, n_response: Ints, *, by_mentions: bool) -> Sums:
    """Count CEAF sys; the denominators are the numbers of mentions or of entities of each side, int64 (D,)."""
    twinless = _twinless(cells)
    none = np.zeros(cells.response_size.size, bool)
    left = cells.response_size - twinless.response.astype(np.int64)
    stay = (twinless.response > 0) & (cells.response_size > 1)
    from_key = twinless.key > 0
    recall = _align_with_singletons(cells, left, from_key, none, by_mentions=by_mentions)
    precision = _align_with_singletons(cells, cells.response_size, from_key, stay, by_mentions=by_mentions)
    of_key = cells.totals.key_mentions - cells.totals.shared_mentions
    return recall, n_key, precision, n_response - twinless.alone + of_key


def _align_with_singletons(
    cells: Cells, response_size: Ints, from_key: Bools, from_response: Bools, *, by_mentions: bool
) -> Floats:
    """Align entities after some mentions have become entities of the other side: total weights, float64 (D,).

    For each entity with such mentions, one new entity is enough: it can be aligned with no other entity, and the new
    entities of all these mentions would have the same weight.

    Args:
        cells: cells of D documents.
        response_size: int64 (B,) number of mentions of each response entity.
        from_key: bool (A,) which key entities have a mention that becomes a response entity.
        from_response: bool (B,) which response entities have a mention that becomes a key entity.
        by_mentions: whether the similarity is phi3; otherwise it is phi4.
    """
    i, j = np.flatnonzero(from_key), np.flatnonzero(from_response)
    n_keys, n_responses = cells.key_size.size, cells.response_size.size
    row = np.concatenate((cells.key, i, n_keys + np.arange(j.size)))
    column = np.concatenate((cells.response, n_responses + np.arange(i.size), j))
    shared = np.concatenate((cells.shared, np.ones(i.size + j.size, np.int64)))
    order = np.argsort(row, kind="stable")
    key_size = np.concatenate((cells.key_size, np.ones(j.size, np.int64)))
    response_size = np.concatenate((response_size, np.ones(i.size, np.int64)))
    offsets = np.array([0, key_size.size]), np.array([0, response_size.size])
    extended = make_cells(shared[order], row[order], column[order], key_size, response_size, *offsets)
    weights = extended.shared.astype(np.float64) if by_mentions else ceaf.similarity(extended)
    aligned, n_documents = align(extended, weights), cells.offsets.size - 1
    document = np.concatenate((owners(cells.key_offsets), owners(cells.response_offsets)[j]))
    if not by_mentions:
        return ceaf.sum_aligned(extended, aligned, document, n_documents)
    rows = np.flatnonzero(aligned >= 0)
    return _sums(document[rows], weights[aligned[rows]], n_documents)
