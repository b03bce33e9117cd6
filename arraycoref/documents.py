"""Hold what a file says before it is matched with another: the mentions of D documents, as ragged arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.records import Record


@dataclass(frozen=True, eq=False)
class Documents(Record):
    """The mention occurrences of D documents of one side (key or response).

    Attributes:
        names: (D,) unique document names. A CoNLL header ``(x); part 003`` gives ``x_3``, as neural systems write
            ``doc_key``; a header without a part gives ``x``.
        headers: (D,) what followed ``#begin document`` in the file, or the name in parentheses for other formats.
        sources: (D,) the file that each document came from, as the user named it.
        offsets: int64 (D+1,) document d owns the occurrences ``offsets[d]:offsets[d + 1]``.
        start: int32 (M,) first token of the occurrence, counted from 0 in its document.
        end: int32 (M,) last token, inclusive.
        entity: int32 (M,) entity of the occurrence: 0, 1, ... in each document, in the order in which entity ids
            first appear in the file.
        line: int64 (M,) line of the file, from 1, on which the occurrence begins.
        n_tokens: int64 (D,) tokens in the document, where the format says so; otherwise the last token a mention needs.
    """

    names: tuple[str, ...]
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    offsets: NDArray[np.int64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    entity: NDArray[np.int32]
    line: NDArray[np.int64]
    n_tokens: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)


TEXTS = ("names", "headers", "sources")
"""Fields with one text per document."""

OF_MENTIONS = {"start": np.int32, "end": np.int32, "entity": np.int32, "line": np.int64}
"""Fields with one number per occurrence."""


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
    lengths = np.append(np.diff(documents.offsets), 0)[wanted]  # of -1 the last one, which is 0
    offsets = np.append(0, np.cumsum(lengths))
    occurrences = np.repeat(documents.offsets[wanted] - offsets[:-1], lengths) + np.arange(offsets[-1])
    changed: dict[str, Any] = {name: getattr(documents, name)[occurrences] for name in OF_MENTIONS}
    for name in TEXTS:
        texts = (*getattr(documents, name), "")
        changed[name] = tuple([texts[d] for d in wanted.tolist()])
    n_tokens = np.append(documents.n_tokens, 0)[wanted]
    return Documents(offsets=offsets, n_tokens=n_tokens, **changed)


def concatenate(parts: Sequence[Documents]) -> Documents:
    """Put the documents of several batches into one, in order; one batch is returned as it is."""
    if len(parts) == 1:
        return parts[0]
    lengths = [np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]
    joined: dict[str, Any] = {name: tuple(chain.from_iterable(getattr(part, name) for part in parts)) for name in TEXTS}
    for name, dtype in {**OF_MENTIONS, "n_tokens": np.int64}.items():
        joined[name] = np.concatenate([np.empty(0, dtype), *(getattr(part, name) for part in parts)])
    return Documents(offsets=np.cumsum(np.concatenate(lengths)), **joined)
