"""The matching `exact`: mentions match if their first and last tokens are the same."""

from __future__ import annotations

import numpy as np

from arraycoref.match.mentions import Occurrences
from arraycoref.read.documents import Documents
from arraycoref.scoring.labels import as_kernel_array


def match_exactly(key: Documents, response: Documents) -> tuple[Occurrences, Occurrences]:
    """Match mentions of equal spans: first and last token are the same."""
    codes = [side.start.astype(np.int64) << 32 | side.end for side in (key, response)]
    ours, theirs = (as_kernel_array(side.entity) for side in (key, response))
    return Occurrences(key.offsets, codes[0], ours, ours), Occurrences(response.offsets, codes[1], theirs, theirs)
