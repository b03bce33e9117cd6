"""Weights that come with the package: the query log of Poliqarp."""

from __future__ import annotations

from arraycoref.tagging.tagsets import POS, Tagset
from arraycoref.tagging.weights.record import Weights

POLIQARP = {
    POS: 37771,
    "case": 14055,
    "number": 2074,
    "gender": 552,
    "aspect": 222,
    "person": 186,
    "degree": 81,
    "accommodability": 25,
    "post-prepositionality": 8,
    "negation": 7,
    "accentability": 5,
    "agglutination": 4,
}
"""How often queries of the Poliqarp search engine name each category. Source: Table 1."""

UD_NAMES = {"negation": "Polarity", "post-prepositionality": "PrepCase", "accentability": "Variant"}
"""The names in Universal Dependencies that differ by more than case; accommodability and agglutination have none."""

PRESETS = ("poliqarp",)
"""The names of presets."""


def poliqarp(tagset: Tagset | None = None) -> Weights:
    """Return the weights of the paper's experiment.

    Categories that no query named count nothing.

    Args:
        tagset: for Universal Dependencies the categories are renamed as `UD_NAMES` says.

    Returns:
        The counts of `POLIQARP` as weights, with 0 for other categories.
    """
    names = UD_NAMES if tagset is not None and not tagset.xpos else {}
    return Weights(
        {names.get(category, category): float(count) for category, count in POLIQARP.items()},
        default=0.0,
        source="poliqarp",
    )
