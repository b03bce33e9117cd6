"""The measures by name: scoring functions on parsed tags, and equality of parts of CoNLL-U tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.scoring import SCORING, WEIGHTED
from arraycoref.tagging.weights import Weights

WORDS = "Words"
"""The measure of segmentation: aligned words."""

FACETS = ("UPOS", "XPOS", "UFeats", "AllTags")
"""The measures of the CoNLL 2018 evaluation on CoNLL-U: equality of the part of that name."""

UNIVERSAL = re.compile(
    r"(Abbr|Animacy|Aspect|Case|Definite|Degree|Evident|Foreign|Gender|Mood|NumType|Number|Person|Polarity|Polite|Poss"
    r"|PronType|Reflex|Tense|VerbForm|Voice)(=|\Z)"
)
"""The features of UD version 2.0 that CoNLL 2018 evaluates; layered ones (``Gender[psor]``) are not among them."""

MEASURES = (*SCORING, WORDS, *FACETS)
"""All measures."""


def conllu_facets(names: Sequence[str]) -> dict[str, NDArray[np.int32]]:
    """Number the parts of CoNLL-U tags that the CoNLL 2018 evaluation compares.

    Args:
        names: V tags, ``UPOS TAB XPOS TAB FEATS``.

    Returns:
        int32 (V,) for each of `FACETS`. UFeats are the universal features, sorted, compared as they are written;
        AllTags are UPOS, XPOS and UFeats.
    """
    numbers: dict[str, dict[object, int]] = {facet: {} for facet in FACETS}
    columns = {facet: np.empty(len(names), np.int32) for facet in FACETS}
    for tag, name in enumerate(names):
        upos, xpos, feats = name.split("\t")
        universal = "|".join(sorted(feature for feature in feats.split("|") if UNIVERSAL.match(feature)))
        for facet, part in zip(FACETS, (upos, xpos, universal, (upos, xpos, universal)), strict=True):
            columns[facet][tag] = numbers[facet].setdefault(part, len(numbers[facet]))
    return columns


def resolve_measures(
    measures: str | Iterable[str] | None, comparison: TagComparison, weights: Weights | None
) -> tuple[str, ...]:
    """Choose the measures to compute.

    Args:
        measures: names, also in one string with commas; None for all that need nothing more than there is.
        comparison: tells whether there are CoNLL-U columns and a tagset.
        weights: tells whether ``wpa``, and with conditional weights ``cwpa``, can be computed.

    Returns:
        The names as `MEASURES` spells them, each once.

    Raises:
        UnknownNameError: a name that is not in `MEASURES`.
        InputError: a measure that these files or options do not allow.
    """
    if measures is None:
        possible = [name for name in MEASURES if not _lack(name, comparison, weights, default=True)]
        return tuple(name for name in possible if name != WORDS)
    names = measures.split(",") if isinstance(measures, str) else list(measures)
    spelled = {name.casefold(): name for name in MEASURES}
    chosen: dict[str, None] = {}
    for name in names:
        if name.strip().casefold() not in spelled:
            raise UnknownNameError("measure", name.strip(), MEASURES)
        measure = spelled[name.strip().casefold()]
        lack = _lack(measure, comparison, weights)
        if lack:
            raise InputError(f"measure {measure!r} needs {lack}")
        chosen[measure] = None
    return tuple(chosen)


def _lack(name: str, comparison: TagComparison, weights: Weights | None, default: bool = False) -> str:
    """What a measure needs and there is not; empty if it can be computed."""
    if name in FACETS:
        return "" if name in comparison.facets else "CoNLL-U on both sides"
    if comparison.table is None and name in SCORING and (name != "exact" or (default and comparison.facets)):
        return "a tagset"
    if name in WEIGHTED and weights is None:
        return "weights"
    if default and name == "cwpa" and weights is not None and not weights.by_pos:
        return "conditional weights"
    return ""


def pair_scores(name: str, comparison: TagComparison, weights: Weights | None) -> NDArray[np.float64]:
    """Score the distinct pairs by one measure, `WORDS` excepted.

    Returns:
        float64 (P,), in [0, 1].
    """
    assigned, gold = comparison.pairs
    if name in FACETS:
        facet = comparison.facets[name]
        return np.where(facet[assigned] == facet[gold], 1.0, 0.0)
    if comparison.table is None:
        return np.where(assigned == gold, 1.0, 0.0)
    return SCORING[name](comparison.table, assigned, gold, weights)
