"""The format ``json``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from arraycoref.report.dicts import to_dict

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


def render_json(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False, digits: int = 2) -> str:
    """Write one JSON object, in fractions 0-1 at full precision, with null in the place of NaN.

    Args:
        b: the results.
        per_document: add ``"per_document"``, each document's scores by its name.
        macro: add ``"macro"``, the means over documents.
        digits: ignored, for JSON is not for reading.
    """
    del digits
    return json.dumps(to_dict(b, per_document=per_document, macro=macro), indent=2, allow_nan=False) + "\n"
