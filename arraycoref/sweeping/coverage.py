"""Which of the key's documents a response has: all settings of a sweep lie in one array, in the key's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DocumentMismatchError
from arraycoref.options import Policies
from arraycoref.pairing import ABSENT, pair_documents

Mask = NDArray[np.bool_]


def in_key_order(
    key: Sequence[str], response: Sequence[str], policies: Policies, what: str
) -> tuple[list[int], Mask | None]:
    """Find the response's documents in the key's order.

    Args:
        key: (D,) unique names of the key's documents.
        response: unique names of the response's.
        policies: for ``missing_documents`` and ``extra_documents``.
        what: names the response, for messages.

    Returns:
        (D,) positions in the response, `arraycoref.pairing.ABSENT` for documents that it lacks; and bool (D,), those of
        them that are to be skipped, or None if there are none.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    skip = policies.missing_documents == "skip"
    try:
        _, positions = pair_documents(key, response, replace(policies, missing_documents="empty") if skip else policies)
    except DocumentMismatchError as error:
        raise DocumentMismatchError(f"{what}: {error}") from None
    if not skip or ABSENT not in positions:
        return positions, None
    return positions, np.array(positions) == ABSENT
