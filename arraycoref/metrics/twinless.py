"""B-cubed and CEAF as older papers have them, each with its own way with twinless mentions, those of one side only.

Pradhan et al. (2014), section 2, argue against all of them: `bcub` and `ceaf` need no change for such mentions. They
are here to reproduce what was published.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.assignment import align
from arraycoref.contingency import Cells, one_document, sum_segments
from arraycoref.metrics import bcub, ceaf
from arraycoref.metrics.score import Floats

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


class Twinless(NamedTuple):
    """Twinless mentions.

    Attributes:
        key: float64 (A,) how many each key entity has.
        response: float64 (B,) how many each response entity has.
        alone: float64 (D,) response entities of a document that are nothing but one of them.
    """

    key: Floats
    response: Floats
    alone: Floats


def count_bcub_0(cells: Cells) -> Floats:
    """Count B-cubed without the response's twinless mentions; the key's have recall 0: float64 (D, 4).

    Source: Stoyanov et al. (2009), B-cubed 0.
    """
    plain, twinless = bcub.count(cells), _twinless(cells)
    left = cells.response_size - twinless.response
    precision = sum_segments(cells.shared**2 / left[cells.response], cells.offsets)
    return np.array([plain[:, 0], plain[:, 1], precision, cells.totals.shared_mentions], np.float64).T


def count_bcub_all(cells: Cells) -> Floats:
    """Count B-cubed where a twinless mention agrees with itself, 1 / k_i or 1 / r_j: float64 (D, 4).

    Source: Stoyanov et al. (2009), B-cubed all.
    """
    plain, twinless = bcub.count(cells), _twinless(cells)
    recall = sum_segments(twinless.key / cells.key_size, cells.key_offsets)
    precision = sum_segments(twinless.response / cells.response_size, cells.response_offsets)
    return np.array([plain[:, 0] + recall, plain[:, 1], plain[:, 2] + precision, plain[:, 3]], np.float64).T


def count_bcub_rn(cells: Cells) -> Floats:
    """Count B-cubed without response entities that are one twinless mention: float64 (D, 4).

    Source: Rahman and Ng (2009).
    """
    return _without(bcub.count(cells), _twinless(cells).alone)


def count_ceafm_rn(cells: Cells) -> Floats:
    """Count CEAFm without response entities that are one twinless mention: float64 (D, 4).

    Source: Rahman and Ng (2009).
    """
    return _without(ceaf.count_mention(cells), _twinless(cells).alone)


def count_ceafe_rn(cells: Cells) -> Floats:
    """Count CEAFe without response entities that are one twinless mention: float64 (D, 4).

    Source: Rahman and Ng (2009).
    """
    return _without(ceaf.count_entity(cells), _twinless(cells).alone)


def count_bcub_sys(cells: Cells) -> Floats:
    """Count B-cubed after Cai and Strube: float64 (D, 4).

    Response entities that are one twinless mention go. The key's twinless mentions become response entities of their
    own. For recall the other twinless mentions of the response go too; for precision they become key entities.

    Source: Cai and Strube (2010), B-cubed sys; Pradhan et al. (2014), section 2.
    """
    everyone, twinless = count_bcub_all(cells), _twinless(cells)
    of_key = cells.totals.key_mentions - cells.totals.shared_mentions
    everyone[:, 2] += of_key - twinless.alone
    everyone[:, 3] += of_key - twinless.alone
    return everyone


def count_ceafm_sys(cells: Cells) -> Floats:
    """Count CEAFm with the mentions of `count_bcub_sys`: float64 (D, 4).

    Source: Cai and Strube (2010), CEAF sys.
    """
    return _count_ceaf_sys(cells, cells.totals.key_mentions, cells.totals.response_mentions, by_mentions=True)


def count_ceafe_sys(cells: Cells) -> Floats:
    """Count CEAFe with the mentions of `count_bcub_sys`: float64 (D, 4).

    Source: Cai and Strube (2010), who leave CEAFe out. The official runs of CoNLL-2011 and 2012 have it, by a scorer
    whose variants had a bug (Pradhan et al. 2014, section 2).
    """
    return _count_ceaf_sys(cells, cells.totals.key_entities, cells.totals.response_entities, by_mentions=False)


def _twinless(cells: Cells) -> Twinless:
    key = cells.key_size - _sums(cells.key, cells.shared, cells.key_size.size)
    response = cells.response_size - _sums(cells.response, cells.shared, cells.response_size.size)
    alone = (cells.response_size == 1) & (response > 0)
    return Twinless(key, response, sum_segments(alone, cells.response_offsets))


def _sums(group: Integers, weights: NDArray[Any], n_groups: int) -> Floats:
    """Sum weights by group: float64 (n_groups,)."""
    return np.bincount(group, weights, n_groups).astype(np.float64, copy=False)


def _without(counts: Floats, alone: Floats) -> Floats:
    """Take entities of one mention, which nothing is aligned with, out of the response."""
    left = counts.copy()
    left[:, 3] -= alone
    return left


def _count_ceaf_sys(cells: Cells, n_key: Integers, n_response: Integers, *, by_mentions: bool) -> Floats:
    """Count CEAF sys of entities against so many mentions or entities, int64 (D,) a side."""
    twinless = _twinless(cells)
    none = np.zeros(cells.response_size.size, bool)
    left = cells.response_size - twinless.response.astype(np.int64)
    stay = (twinless.response > 0) & (cells.response_size > 1)
    from_key = twinless.key > 0
    recall = _align_with_singletons(cells, left, from_key, none, by_mentions=by_mentions)
    precision = _align_with_singletons(cells, cells.response_size, from_key, stay, by_mentions=by_mentions)
    of_key = cells.totals.key_mentions - cells.totals.shared_mentions
    return np.array([recall, n_key, precision, n_response - twinless.alone + of_key], np.float64).T


def _align_with_singletons(
    cells: Cells, response_size: Integers, from_key: Booleans, from_response: Booleans, *, by_mentions: bool
) -> Floats:
    """Align entities where some have mentions that are an entity of the other side each: total weights, float64 (D,).

    One such entity is enough for each that it comes from: it can be aligned with no other, and all weigh the same.

    Args:
        cells: of D documents.
        response_size: int64 (B,) mentions of each response entity.
        from_key: bool (A,) key entities with a mention that is a response entity of its own.
        from_response: bool (B,) the other way round.
        by_mentions: similarity phi3, otherwise phi4.
    """
    i, j = np.flatnonzero(from_key), np.flatnonzero(from_response)
    n_keys, n_responses = cells.key_size.size, cells.response_size.size
    row = np.concatenate((cells.key, i, n_keys + np.arange(j.size)))
    column = np.concatenate((cells.response, n_responses + np.arange(i.size), j))
    shared = np.concatenate((cells.shared, np.ones(i.size + j.size, np.int64)))
    order = np.argsort(row, kind="stable")
    key_size = np.concatenate((cells.key_size, np.ones(j.size, np.int64)))
    response_size = np.concatenate((response_size, np.ones(i.size, np.int64)))
    extended = one_document(row[order], column[order], shared[order], key_size, response_size)
    weights = extended.shared.astype(np.float64) if by_mentions else ceaf.similarity(extended)
    aligned = align(extended, weights, unit=float(by_mentions)).cell
    documents = np.arange(len(cells.totals.cells))
    of_response = np.repeat(documents, cells.totals.response_entities)[j]
    document = np.concatenate((np.repeat(documents, cells.totals.key_entities), of_response))
    rows = np.flatnonzero(aligned >= 0)
    return _sums(document[rows], weights[aligned[rows]], len(cells.totals.cells))
