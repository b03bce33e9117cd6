"""What a file holds before it is matched with another: the mentions of D documents, as ragged arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Documents:
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
        n_tokens: int64 (D,) tokens in the document, where the format tells; otherwise the last token a mention needs.
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
