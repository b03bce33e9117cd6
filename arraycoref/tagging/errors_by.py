"""Count errors by category, and which values are taken for which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.measures import exact, pa
from arraycoref.tagging.table import TagTable

UNALIGNED = "(no word)"
LACKING = "-"


class CategoryErrors(NamedTuple):
    """How one category fared, in gold tags, each beside its closest assigned tag.

    Attributes:
        category: the category; ``pos`` for the part of speech.
        gold: gold tags that have the category.
        correct: of these, those where the assigned tag has the same value.
        wrong: the assigned tag has another value.
        missing: the assigned tag lacks the category.
        unassigned: there is no assigned tag: the word is unaligned or untagged.
        spurious: gold tags that lack the category where the assigned tag has it.
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

    Each gold tag is set beside the closest assigned tag of its word by positional accuracy, the first of equals.

    Args:
        comparison: segments with parsed tags.

    Returns:
        A row per category that some tag has, in the tagset's order.

    Raises:
        InputError: there is no tagset.
    """
    table = _table(comparison)
    assigned, gold = (table.values[tags] for tags in comparison.pairs)
    n = _closest(comparison, table)[:, None]
    has_gold, has_assigned, same = gold >= 0, assigned >= 0, assigned == gold
    all_gold = np.bincount(comparison.gold.tags, minlength=len(table))
    totals = (all_gold[:, None] * (table.values >= 0)).sum(axis=0)
    correct = (n * (has_gold & same)).sum(axis=0)
    wrong = (n * (has_gold & has_assigned & ~same)).sum(axis=0)
    missing = (n * (has_gold & ~has_assigned)).sum(axis=0)
    spurious = (n * (~has_gold & has_assigned)).sum(axis=0)
    unassigned = totals - correct - wrong - missing
    columns = (totals, correct, wrong, missing, unassigned, spurious)
    return tuple(
        CategoryErrors(category, *(int(column[c]) for column in columns))
        for c, category in enumerate(table.categories)
        if (table.values[:, c] >= 0).any()
    )


def confusions(comparison: TagComparison, category: str = "pos") -> list[tuple[str, str, int]]:
    """Count which value of a category was assigned for which.

    Args:
        comparison: segments with parsed tags.
        category: the category.

    Returns:
        Rows (gold value, assigned value, gold tags), the most frequent first; the values differ. `LACKING` is written
        for a tag without the category, `UNALIGNED` where a gold tag has no assigned tag. Tags are set beside each other
        as in `category_errors`.

    Raises:
        InputError: there is no tagset, or no tag has the category.
    """
    table = _table(comparison)
    column = table.column(category)
    names = (*table.value_names[column], LACKING, UNALIGNED)
    n_names = len(names)
    assigned, gold = (table.values[tags, column].astype(np.int64) % (n_names - 1) for tags in comparison.pairs)
    counts = np.zeros((n_names, n_names), np.int64)
    closest = _closest(comparison, table)
    np.add.at(counts, (gold, assigned), closest)
    of_tag = np.bincount(comparison.gold.tags, minlength=len(table))
    in_pairs = np.zeros(len(table), np.int64)
    np.add.at(in_pairs, comparison.pairs[1], closest)
    np.add.at(counts[:, -1], table.values[:, column] % (n_names - 1), of_tag - in_pairs)
    np.fill_diagonal(counts, 0)
    counts[-2, -1] = 0  # neither a value missed nor one taken for it
    rows = [(names[g], names[a], int(counts[g, a])) for g, a in np.argwhere(counts).tolist()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def _closest(comparison: TagComparison, table: TagTable) -> NDArray[np.int64]:
    """Count the gold tags that have each pair as their closest by positional accuracy, the first of equals.

    Returns:
        int64 (P,).
    """
    from arraycoref.kernels.tag_pairs import closest_pairs

    score = pa(table, *comparison.pairs) + exact(table, *comparison.pairs)
    gold, system = comparison.gold, comparison.system
    return closest_pairs(gold.word, system.word, gold.offsets, system.offsets, comparison.cells, score)


def _table(comparison: TagComparison) -> TagTable:
    if comparison.table is None:
        raise InputError("errors by category need a tagset")
    return comparison.table
