"""Count the measures: scoring functions of parsed tags, equality of parts of CoNLL-U tags, aligned words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, OptionError, UnknownNameError
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.score import Floats, plain_score
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.table import ABSENT, TagTable
from arraycoref.tagging.texts import numbered
from arraycoref.tagging.weights import Weights

Tags = NDArray[np.int64]


def exact(table: TagTable, assigned: Tags, gold: Tags) -> Floats:
    """Score 1 for equal tags, else 0.

    Args:
        table: V tags.
        assigned: int64 (P,) assigned tag of each pair.
        gold: int64 (P,) gold tag of each pair.

    Returns:
        float64 (P,), in [0, 1]; so for all functions of `SCORING`.
    """
    return np.where(table.canonical[assigned] == table.canonical[gold], 1.0, 0.0)


def pos(table: TagTable, assigned: Tags, gold: Tags) -> Floats:
    """Score 1 for equal parts of speech, else 0. Source: section 2.1."""
    return np.where(table.values[assigned, 0] == table.values[gold, 0], 1.0, 0.0)


def pa(table: TagTable, assigned: Tags, gold: Tags) -> Floats:
    """Score positional accuracy: F of the categories with equal values among those of each tag. Source: section 2.2."""
    return _weighted_f(table, assigned, gold, np.ones(table.values.shape))


def wpa(table: TagTable, assigned: Tags, gold: Tags, weights: Weights) -> Floats:
    """Score weighted positional accuracy: each category counts with its weight. Source: section 2.3."""
    return _weighted_f(table, assigned, gold, weights.rows(table))


def cwpa(table: TagTable, assigned: Tags, gold: Tags, weights: Weights) -> Floats:
    """Score conditional weighted positional accuracy.

    Precision uses the weights for the assigned part of speech, recall the weights for the gold part of speech. Where a
    part of speech has no weights of its own, the unconditional weights are used. Source: section 2.4, both formulas.
    """
    return _weighted_f(table, assigned, gold, weights.rows(table, conditional=True))


SCORING: dict[str, Callable[..., Floats]] = {"exact": exact, "pos": pos, "pa": pa, "wpa": wpa, "cwpa": cwpa}
"""The scoring functions by name: how well an assigned tag agrees with a gold tag, for many pairs at once.

A new one is a function with these arguments and a line here.
"""

WEIGHTED = frozenset({"wpa", "cwpa"})
"""The scoring functions that take weights as their last argument."""

WORDS = "Words"
"""The measure of segmentation: aligned words."""

FACETS = ("UPOS", "XPOS", "UFeats", "AllTags")
"""The measures of the CoNLL 2018 evaluation on CoNLL-U: each is the equality of the part of tags that has its name."""

CONLL18 = (WORDS, *FACETS)
"""The measures that the format ``conll`` shows, in its order; measures of syntax and lemmas are left out."""

UNIVERSAL = re.compile(
    r"(Abbr|Animacy|Aspect|Case|Definite|Degree|Evident|Foreign|Gender|Mood|NumType|Number|Person|Polarity|Polite|Poss"
    r"|PronType|Reflex|Tense|VerbForm|Voice)(=|\Z)"
)
"""The features of UD version 2.0 that CoNLL 2018 evaluates; layered ones (``Gender[psor]``) are not among them."""

SEGMENTS = "segments"
"""The name of the counts of segments, which do not depend on a measure."""

MEASURES = (*SCORING, WORDS, *FACETS)
"""All measures."""


def _weighted_f(table: TagTable, assigned: Tags, gold: Tags, rows: Floats) -> Floats:
    """Compute F of the weighted agreement; ``rows`` (V, C) holds the weight of each category in each tag.

    Equal tags score 1 even where all their weights are 0; otherwise 0 / 0 is 0.
    """
    values = table.values
    agree = (values[assigned] == values[gold]) & (values[assigned] != ABSENT)
    totals = np.where(values != ABSENT, rows, 0.0).sum(axis=1)
    found, correct = (np.where(agree, rows[tags], 0.0).sum(axis=1) for tags in (gold, assigned))
    score: Floats = plain_score([found, totals[gold], correct, totals[assigned]]).f1
    score[table.canonical[assigned] == table.canonical[gold]] = 1.0
    return np.minimum(score, 1.0)


def conllu_facets(names: Sequence[str]) -> dict[str, NDArray[np.int32]]:
    """Number the parts of CoNLL-U tags that the CoNLL 2018 evaluation compares.

    Args:
        names: V tags, ``UPOS TAB XPOS TAB FEATS``.

    Returns:
        int32 (V,) for each of `FACETS`. UFeats are the universal features, sorted, compared as they are written;
        AllTags are UPOS, XPOS and UFeats.
    """
    rows = []
    for name in names:
        upos, xpos, feats = name.split("\t")
        universal = "|".join(sorted(feature for feature in feats.split("|") if UNIVERSAL.match(feature)))
        rows.append((upos, xpos, universal, (upos, xpos, universal)))
    return {facet: np.array(numbered([row[k] for row in rows], {}), np.int32) for k, facet in enumerate(FACETS)}


def resolve_measures(
    measures: str | Iterable[str] | None, comparison: TagComparison, weights: Weights | None
) -> tuple[str, ...]:
    """Choose the measures to compute.

    Args:
        measures: names in any case, listed or in one string with commas; None for all whose needs are met, except
            `WORDS`. For this default, ``exact`` needs a tagset if the files are CoNLL-U, and ``cwpa`` needs conditional
            weights.
        comparison: has CoNLL-U columns, a tagset, both or neither.
        weights: for ``wpa`` and ``cwpa``.

    Returns:
        The names as `MEASURES` spells them, each once.

    Raises:
        UnknownNameError: a name that is not in `MEASURES`.
        OptionError: no measure is named, or ``measures`` is neither names nor a string.
        InputError: a measure that these files or options do not allow.
    """
    if measures is None:
        possible = [name for name in MEASURES if not _lack(name, comparison, weights, default=True)]
        return tuple(name for name in possible if name != WORDS)
    if not isinstance(measures, Iterable):
        raise OptionError(f"measures is {measures!r}; expected names, or one string of them")
    spelled = {name.casefold(): name for name in MEASURES}
    chosen: dict[str, None] = {}
    for name in measures.split(",") if isinstance(measures, str) else measures:
        measure = spelled.get(str(name).strip().casefold())
        if measure is None:
            raise UnknownNameError("measure", name.strip() if isinstance(name, str) else name, MEASURES)
        lack = _lack(measure, comparison, weights)
        if lack:
            raise InputError(f"measure {measure!r} needs {lack}")
        chosen[measure] = None
    if not chosen:
        raise OptionError(f"no measures named; expected some of: {', '.join(MEASURES)}")
    return tuple(chosen)


def _lack(name: str, comparison: TagComparison, weights: Weights | None, default: bool = False) -> str:
    """Name what a measure needs and was not given; empty if it needs nothing more.

    With ``default``, a measure may need more: this keeps it out of the measures that are chosen by default.
    """
    if name in FACETS:
        return "" if name in comparison.facets else "CoNLL-U on both sides"
    if comparison.table is None and name in SCORING and (name != "exact" or (default and comparison.facets)):
        return "a tagset"
    if name in WEIGHTED and weights is None:
        return "weights"
    if default and name == "cwpa" and weights is not None and not weights.by_pos:
        return "conditional weights"
    return ""


def count_measures(comparison: TagComparison, measures: Sequence[str], weights: Weights | None = None) -> Counts:
    """Count measures, unit by unit.

    A word that the other side lacks is a segment that has no tags there. Its own tags score 0: a gold word lowers
    recall, a system word lowers precision, and both lower weak and strong correctness.

    Args:
        comparison: N segments.
        measures: names, as `resolve_measures` returns them.
        weights: for ``wpa`` and ``cwpa``.

    Returns:
        Groups of four numbers for each unit. Each measure has two groups. Under its name: the sum of scores over gold
        tags, the number of gold tags, the sum over assigned tags, and their number; for `WORDS`, these are the aligned
        words, gold words, aligned words again, and system words. Under a name such as ``pa/correctness``: the sum of
        weak correctness, the number of segments, the sum of strong correctness, and the number of segments again. The
        last group is `SEGMENTS`: the number of aligned words with one tag on both sides, of aligned words, of aligned
        words again, and of segments.

    Source: Acedański and Przepiórkowski (2010), section 3.1.
    """
    from arraycoref.kernels.tags import count_segments, sum_scores

    gold, system, unit = comparison.gold, comparison.system, comparison.unit
    n_units = len(comparison.unit_names)
    words = (gold.word, system.word, unit, gold.offsets, system.offsets)
    n_gold, n_system, segments, aligned, plain = count_segments(*words, n_units).T
    scored = [name for name in measures if name != WORDS]
    scores = np.empty((len(comparison.pairs[0]), len(scored)))
    for k, name in enumerate(scored):
        scores[:, k] = _pair_scores(name, comparison, weights)
    sums = dict(zip(scored, sum_scores(*words, comparison.cells, scores, n_units).transpose(1, 2, 0), strict=True))
    groups: dict[str, tuple[NDArray[Any], ...]] = {}
    for name in measures:
        if name == WORDS:
            in_gold, in_system = (np.bincount(unit[side.word >= 0], minlength=n_units) for side in (gold, system))
            groups[name] = aligned, in_gold, aligned, in_system
            weak = strong = aligned
        else:
            recall, precision, weak, strong = sums[name]
            groups[name] = recall, n_gold, precision, n_system
        groups[correctness_of(name)] = weak, segments, strong, segments
    groups[SEGMENTS] = plain, aligned, aligned, segments
    rows = np.array([np.column_stack(group) for group in groups.values()], np.float64).transpose(1, 0, 2)
    return Counts.read_only(comparison.unit_names, tuple(groups), np.ascontiguousarray(rows))


def correctness_of(measure: str) -> str:
    """Return the name of the counts of a measure's weak and strong correctness."""
    return f"{measure}/correctness"


def _pair_scores(name: str, comparison: TagComparison, weights: Weights | None) -> NDArray[np.float64]:
    """Score the distinct pairs of tags with one measure, which is not `WORDS`.

    Returns:
        float64 (P,), in [0, 1].
    """
    assigned, gold = comparison.pairs
    if name in FACETS:
        facet = comparison.facets[name]
        return np.where(facet[assigned] == facet[gold], 1.0, 0.0)
    if comparison.table is None:
        return np.where(assigned == gold, 1.0, 0.0)
    needed = [weights] if name in WEIGHTED else []
    return SCORING[name](comparison.table, assigned, gold, *needed)
