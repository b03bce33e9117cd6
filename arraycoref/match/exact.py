"""The matching `exact`: mentions match if their first and last tokens are the same, or their words and empty nodes."""

from __future__ import annotations

from arraycoref.match.mentions import Occurrences
from arraycoref.read.documents import Documents
from arraycoref.scoring.labels import as_kernel_array


def match_exactly(key: Documents, response: Documents) -> tuple[Occurrences, Occurrences]:
    """Match mentions of equal spans, or of equal words and empty nodes."""
    number_of: dict[bytes, int] = {}
    codes = [side.codes(number_of) for side in (key, response)]
    ours, theirs = (as_kernel_array(side.entity) for side in (key, response))
    return Occurrences(key.offsets, codes[0], ours, ours), Occurrences(response.offsets, codes[1], theirs, theirs)
