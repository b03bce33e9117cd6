"""Count the measures: scoring functions of parsed tags, parts of CoNLL-U tags, aligned words; errors by category."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import InputError, check_name
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import REGISTRIES, Metric
from arraycoref.scoring.metrics.score import plain_score
from arraycoref.tagging.compare import ABSENT, TagComparison, TagTable
from arraycoref.tagging.texts import numbered
from arraycoref.tagging.weights import Weights


def exact(table: TagTable, assigned: Ints, gold: Ints) -> Floats:
    """Score 1 for equal tags, else 0.

    Args:
        table: V tags.
        assigned: int64 (P,) assigned tag of each pair.
        gold: int64 (P,) gold tag of each pair.

    Returns:
        float64 (P,), in [0, 1]; so for all functions of `SCORING`.
    """
    return np.where(table.canonical[assigned] == table.canonical[gold], 1.0, 0.0)


def pos(table: TagTable, assigned: Ints, gold: Ints) -> Floats:
    """Score 1 for equal parts of speech, else 0. Source: section 2.1."""
    return np.where(table.values[assigned, 0] == table.values[gold, 0], 1.0, 0.0)


def pa(table: TagTable, assigned: Ints, gold: Ints) -> Floats:
    """Score positional accuracy: F of the categories with equal values among those of each tag. Source: section 2.2."""
    return _weighted_f(table, assigned, gold, np.ones(table.values.shape))


def wpa(table: TagTable, assigned: Ints, gold: Ints, weights: Weights) -> Floats:
    """Score weighted positional accuracy: each category counts with its weight. Source: section 2.3."""
    return _weighted_f(table, assigned, gold, weights.rows(table))


def cwpa(table: TagTable, assigned: Ints, gold: Ints, weights: Weights) -> Floats:
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

CORRECTNESS = "{}/correctness"
"""The name of the counts of a measure's weak and strong correctness."""

_NOT_SCORED = (SEGMENTS, *map(CORRECTNESS.format, MEASURES))
REGISTRIES.append(
    {name: Metric(name, name, "Acedański and Przepiórkowski (2010), section 2") for name in SCORING}
    | {name: Metric(name, name, "Zeman et al. (2018)") for name in CONLL18}
    | {name: Metric(name, name, "", key_only_denominator=False, common=False) for name in _NOT_SCORED}
)
"""The measures as entries of a registry: their score is the plain ratio."""

ALL = slice(None)

UNALIGNED = "(no word)"
LACKING = "-"


def _weighted_f(table: TagTable, assigned: Ints, gold: Ints, rows: Floats) -> Floats:
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


def conllu_facet(names: Sequence[str], facet: str) -> Ints:
    """Number a part of CoNLL-U tags that the CoNLL 2018 evaluation compares.

    Args:
        names: V tags, ``UPOS TAB XPOS TAB FEATS``.
        facet: one of `FACETS`. UFeats are the universal features, sorted, compared as they are written; AllTags are
            UPOS, XPOS and UFeats.

    Returns:
        int64 (V,), equal where the parts are equal.
    """
    parts = []
    for upos, xpos, feats in (name.split("\t") for name in names):
        universal = "|".join(sorted(feature for feature in feats.split("|") if UNIVERSAL.match(feature)))
        parts.append((upos, xpos, universal, f"{upos}\t{xpos}\t{universal}")[FACETS.index(facet)])
    return np.array(numbered(parts, {}), np.int64)


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
        InputError: a measure that these files or options do not allow.
    """
    if measures is None:
        possible = [name for name in MEASURES if name != WORDS and not _lack(name, comparison, weights)]
        if comparison.conllu and comparison.table is None:
            possible.remove("exact")
        if weights is not None and not weights.by_pos:
            possible = [name for name in possible if name != "cwpa"]
        return tuple(possible)
    spelled = {name.casefold(): name for name in MEASURES}
    chosen: dict[str, None] = {}
    for name in measures.split(",") if isinstance(measures, str) else measures:
        measure = spelled.get(name.strip().casefold(), name.strip())
        check_name("measure", measure, MEASURES)
        lack = _lack(measure, comparison, weights)
        if lack:
            raise InputError(f"measure {measure!r} needs {lack}")
        chosen[measure] = None
    return tuple(chosen)


def _lack(name: str, comparison: TagComparison, weights: Weights | None) -> str:
    """Name what a measure needs and was not given; empty if it needs nothing more."""
    if name in FACETS and not comparison.conllu:
        return "CoNLL-U on both sides"
    if name in SCORING and name != "exact" and comparison.table is None:
        return "a tagset"
    return "weights" if name in WEIGHTED and weights is None else ""


def count_measures(comparison: TagComparison, measures: Sequence[str], weights: Weights | None = None) -> Counts:
    """Count measures, unit by unit.

    The score of a tag is that of its best match on the other side. A word that the other side lacks is a segment that
    has no tags there. Its own tags score 0: a gold word lowers recall, a system word lowers precision, and both lower
    weak and strong correctness.

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
    gold, system = comparison.gold, comparison.system
    sums = partial(_sum_units, comparison)
    in_gold, in_system = gold.word >= 0, system.word >= 0
    both = in_gold & in_system
    segments, aligned, n_gold, n_system = map(sums, (in_gold | in_system, both, gold.n_tags, system.n_tags))
    groups: dict[str, tuple[Floats, ...]] = {}
    for name in measures:
        if name == WORDS:
            groups[name] = aligned, sums(in_gold), aligned, sums(in_system)
            weak = strong = aligned
        else:
            recall, precision, weak, strong = _sum_scores(comparison, _pair_scores(name, comparison, weights))
            groups[name] = recall, n_gold, precision, n_system
        groups[CORRECTNESS.format(name)] = weak, segments, strong, segments
    groups[SEGMENTS] = sums(both & (gold.n_tags == 1) & (system.n_tags == 1)), aligned, aligned, segments
    rows = np.stack([np.column_stack(group) for group in groups.values()], axis=1)
    return Counts.read_only(comparison.unit_names, tuple(groups), rows)


def _pair_scores(name: str, comparison: TagComparison, weights: Weights | None) -> Floats:
    """Score the distinct pairs of tags with one measure, which is not `WORDS`.

    Returns:
        float64 (P,), in [0, 1].
    """
    assigned, gold = comparison.cells.pairs
    if name in FACETS:
        facet = conllu_facet(comparison.names, name)
        return np.where(facet[assigned] == facet[gold], 1.0, 0.0)
    if comparison.table is None:
        return np.where(assigned == gold, 1.0, 0.0)
    needed = [weights] if name in WEIGHTED else []
    return SCORING[name](comparison.table, assigned, gold, *needed)


def _sum_units(comparison: TagComparison, values: NDArray[Any], segment: Ints | slice = ALL) -> Floats:
    """Sum values over the segments of each unit: float64 (D,). ``segment`` has the segment of each value."""
    return np.asarray(np.bincount(comparison.unit[segment], values, len(comparison.unit_names)), np.float64)


def _sum_scores(comparison: TagComparison, pair_score: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Sum a scoring function over the segments of each unit, given its score (P,) of each pair of tags.

    Returns:
        Four arrays float64 (D,), in which a tag has the score of its best match on the other side: sums over all gold
        tags; over all assigned tags; over the best tag of each segment (weak); over the worst (strong).
    """
    gold, system, cells = comparison.gold, comparison.system, comparison.cells
    score = pair_score[cells.pair]
    if max(gold.n_tags.max(initial=0), system.n_tags.max(initial=0)) <= 1:  # the four sums are one
        total = _sum_units(comparison, score, gold.segment[cells.gold])
        return total, total, total, total
    of_gold, of_assigned = np.zeros(len(gold.tags)), np.zeros(len(system.tags))
    np.maximum.at(of_gold, cells.gold, score)
    np.maximum.at(of_assigned, cells.system, score)
    best, worst = np.zeros(len(comparison)), np.where(gold.n_tags + system.n_tags > 0, 1.0, 0.0)
    np.maximum.at(best, system.segment, of_assigned)
    np.minimum.at(worst, system.segment, of_assigned)
    np.minimum.at(worst, gold.segment, of_gold)
    return (
        _sum_units(comparison, of_gold, gold.segment),
        _sum_units(comparison, of_assigned, system.segment),
        _sum_units(comparison, best),
        _sum_units(comparison, worst),
    )


class CategoryErrors(NamedTuple):
    """The errors in one category: numbers of gold tags, each compared with the closest assigned tag of its word.

    Attributes:
        category: the category; ``pos`` for the part of speech.
        gold: gold tags that have the category; each is counted in one of the next four fields.
        correct: the assigned tag has the same value.
        wrong: the assigned tag has another value.
        missing: the assigned tag lacks the category.
        unassigned: there is no assigned tag: the word is unaligned or untagged.
        spurious: gold tags that lack the category although the assigned tag has it.
    """

    category: str
    gold: int
    correct: int
    wrong: int
    missing: int
    unassigned: int
    spurious: int


def category_errors(comparison: TagComparison) -> tuple[CategoryErrors, ...]:
    """Count errors category by category.

        >>> from arraycoref.tagging import compare_strings
        >>> comparison = compare_strings(["NOUN|Case=Nom", "ADP"], ["NOUN|Case=Acc", "ADP"], tagset="ud")
        >>> category_errors(comparison)[1]
        CategoryErrors(category='Case', gold=1, correct=0, wrong=1, missing=0, unassigned=0, spurious=0)

    Each gold tag is compared with the closest assigned tag of its word: the equal tag, or else the tag with the highest
    positional accuracy, the first of several.

    Args:
        comparison: segments with parsed tags.

    Returns:
        A row per category that some tag has, in the tagset's order.

    Raises:
        InputError: there is no tagset.
    """
    table, closest = _closest(comparison)
    assigned, gold = (table.values[tags] for tags in comparison.cells.pairs)
    has_gold, has_assigned, same = gold >= 0, assigned >= 0, assigned == gold
    all_gold = np.bincount(comparison.gold.tags, minlength=len(table))
    totals = (all_gold[:, None] * (table.values >= 0)).sum(axis=0)
    cases = (has_gold & same, has_gold & has_assigned & ~same, has_gold & ~has_assigned, ~has_gold & has_assigned)
    correct, wrong, missing, spurious = ((closest[:, None] * case).sum(axis=0) for case in cases)
    unassigned = totals - correct - wrong - missing
    columns = (totals, correct, wrong, missing, unassigned, spurious)
    return tuple(
        CategoryErrors(category, *(int(column[c]) for column in columns))
        for c, category in enumerate(table.categories)
        if (table.values[:, c] >= 0).any()
    )


def confusions(comparison: TagComparison, category: str = "pos") -> list[tuple[str, str, int]]:
    """Count how often one value of a category was assigned where gold has another.

        >>> from arraycoref.tagging import compare_strings
        >>> confusions(compare_strings(["NOUN", "ADP"], ["NOUN", "SCONJ"], tagset="ud"))
        [('ADP', 'SCONJ', 1)]

    Args:
        comparison: segments with parsed tags.
        category: the category.

    Returns:
        Rows (gold value, assigned value, number of gold tags), the most frequent first; the two values always differ.
        The value is `LACKING` for a tag without the category, and `UNALIGNED` where a gold tag has no assigned tag.
        Each gold tag is compared with the closest assigned tag, as in `category_errors`.

    Raises:
        InputError: there is no tagset, or no tag has the category.
    """
    table, closest = _closest(comparison)
    column = table.column(category)
    names = (*table.value_names[column], LACKING)  # the last name, at the index `ABSENT`, -1
    values = table.values[:, column]
    unaligned = np.bincount(comparison.gold.tags, minlength=len(table))
    np.subtract.at(unaligned, comparison.cells.pairs[1], closest)
    assigned, gold = (values[tags].tolist() for tags in comparison.cells.pairs)
    counts: Counter[tuple[str, str]] = Counter()
    for g, a, n in zip(gold, assigned, closest.tolist(), strict=True):
        if g != a and n:
            counts[names[g], names[a]] += n
    for g, n in zip(values.tolist(), unaligned.tolist(), strict=True):
        if g != ABSENT and n:
            counts[names[g], UNALIGNED] += n
    rows = [(*taken, n) for taken, n in counts.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def _closest(comparison: TagComparison) -> tuple[TagTable, Ints]:
    """Count, for each distinct pair of tags, the gold tags whose closest assigned tag makes this pair with them.

    The closest tag has the highest positional accuracy; it is the first of several such tags.

    Returns:
        The parsed tags, and the counts, int64 (P,).

    Raises:
        InputError: there is no tagset.
    """
    table, cells = comparison.table, comparison.cells
    if table is None:
        raise InputError("errors by category need a tagset")
    score = pa(table, *cells.pairs) + exact(table, *cells.pairs)
    best = np.zeros(len(comparison.gold.tags))
    np.maximum.at(best, cells.gold, score[cells.pair])
    closest = np.flatnonzero(score[cells.pair] == best[cells.gold])
    first = np.unique(cells.gold[closest], return_index=True)[1]  # of each gold tag
    return table, np.bincount(cells.pair[closest[first]], minlength=len(score))
