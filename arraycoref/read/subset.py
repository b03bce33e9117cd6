"""Put batches of documents together, and take documents out of one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.documents import Documents


def take(documents: Documents, indices: Sequence[int] | NDArray[np.integer]) -> Documents:
    """Select documents, in the order of the indices.

    Args:
        documents: D documents.
        indices: int (E,) in 0..D-1, or -1 for an empty document, whose name, header and source are empty.

    Returns:
        E documents; `documents` itself where the indices are 0..D-1 in order.
    """
    wanted = np.asarray(indices, np.int64).reshape(-1)
    if np.array_equal(wanted, np.arange(len(documents))):
        return documents
    present = wanted >= 0
    lengths = np.zeros(wanted.size, np.int64)
    lengths[present] = np.diff(documents.offsets)[wanted[present]]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    first = np.zeros(wanted.size, np.int64)
    first[present] = documents.offsets[wanted[present]]
    occurrences = np.repeat(first - offsets[:-1], lengths) + np.arange(offsets[-1])
    n_tokens = np.zeros(wanted.size, np.int64)
    n_tokens[present] = documents.n_tokens[wanted[present]]
    return Documents(
        names=tuple(documents.names[d] if d >= 0 else "" for d in wanted),
        headers=tuple(documents.headers[d] if d >= 0 else "" for d in wanted),
        sources=tuple(documents.sources[d] if d >= 0 else "" for d in wanted),
        offsets=offsets,
        start=documents.start[occurrences],
        end=documents.end[occurrences],
        entity=documents.entity[occurrences],
        line=documents.line[occurrences],
        n_tokens=n_tokens,
    )


def concatenate(parts: Sequence[Documents]) -> Documents:
    """Put the documents of several batches into one, in order; one batch is returned as it is."""
    if len(parts) == 1:
        return parts[0]
    lengths = [np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]
    return Documents(
        names=tuple(name for part in parts for name in part.names),
        headers=tuple(header for part in parts for header in part.headers),
        sources=tuple(source for part in parts for source in part.sources),
        offsets=np.cumsum(np.concatenate(lengths)),
        start=np.concatenate([np.empty(0, np.int32), *(part.start for part in parts)]),
        end=np.concatenate([np.empty(0, np.int32), *(part.end for part in parts)]),
        entity=np.concatenate([np.empty(0, np.int32), *(part.entity for part in parts)]),
        line=np.concatenate([np.empty(0, np.int64), *(part.line for part in parts)]),
        n_tokens=np.concatenate([np.empty(0, np.int64), *(part.n_tokens for part in parts)]),
    )
