"""Break results down: errors per category, confusions of values, scores of known and unknown words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.scoring.counts import Counts
from arraycoref.tagging.api import MeasureOptions, score_comparison
from arraycoref.tagging.comparison import TagComparison, check_comparison
from arraycoref.tagging.measures import exact, pa
from arraycoref.tagging.read import ReadingOptions, read_tagged
from arraycoref.tagging.results import TagScores
from arraycoref.tagging.table import ABSENT, TagTable
from arraycoref.tagging.texts import TaggedText

Lexicon = Mapping[str, int]
"""The number of different tags of each word form."""

KINDS = {"known": [1, 2], "unknown": [0], "ambiguous": [2]}
"""Classes of forms in each kind of words: 0 if the lexicon lacks the form, 1 if it gives one tag at most, 2 if more."""

UNALIGNED = "(no word)"
LACKING = "-"


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
    table = _table(comparison)
    assigned, gold = (table.values[tags] for tags in comparison.pairs)
    n = _closest(comparison, table)[:, None]
    has_gold, has_assigned, same = gold >= 0, assigned >= 0, assigned == gold
    all_gold = np.bincount(comparison.gold.tags, minlength=len(table))
    totals = (all_gold[:, None] * (table.values >= 0)).sum(axis=0)
    cases = (has_gold & same, has_gold & has_assigned & ~same, has_gold & ~has_assigned, ~has_gold & has_assigned)
    correct, wrong, missing, spurious = ((n * case).sum(axis=0) for case in cases)
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
    table = _table(comparison)
    column = table.column(category)
    names = (*table.value_names[column], LACKING)  # the last name, at the index `ABSENT`, -1
    values = table.values[:, column]
    closest = _closest(comparison, table)
    unaligned = np.bincount(comparison.gold.tags, minlength=len(table))
    np.subtract.at(unaligned, comparison.pairs[1], closest)
    assigned, gold = (values[tags] for tags in comparison.pairs)
    counts: Counter[tuple[str, str]] = Counter()
    for g, a, n in zip(gold.tolist(), assigned.tolist(), closest.tolist(), strict=True):
        if g != a and n:
            counts[names[g], names[a]] += n
    for g, n in zip(values.tolist(), unaligned.tolist(), strict=True):
        if g != ABSENT and n:
            counts[names[g], UNALIGNED] += n
    rows = [(*taken, n) for taken, n in counts.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def read_lexicon(source: str | Path | TaggedText, **options: Unpack[ReadingOptions]) -> Lexicon:
    r"""Read a lexicon or training file, and count the different tags of each word form.

        >>> _ = Path("lexicon.tsv").write_text("to\tADP|PART\na\tDET\n")
        >>> read_lexicon("lexicon.tsv")
        {'to': 2, 'a': 1}

    Args:
        source: a tagged file of any format, such as lines ``form TAB tag|tag``; in XCES all interpretations of a word
            count. Or a text that `read_tagged` returned.
        **options: as in `read_tagged`.

    Returns:
        The number of different tags that the file gives to each form.
    """
    text = source if isinstance(source, TaggedText) else read_tagged(source, analyses=True, **options)
    form = np.repeat(text.form, np.diff(text.tag_offsets)).astype(np.int64)
    n_tags = max(len(text.tag_names), 1)
    counts = np.bincount(np.unique(form * n_tags + text.tags) // n_tags, minlength=len(text.forms))
    return dict(zip(text.forms, counts.tolist(), strict=True))


def score_known(comparison: TagComparison, lexicon: Lexicon, **options: Unpack[MeasureOptions]) -> dict[str, TagScores]:
    r"""Score the words that a lexicon knows, those that it does not know, and those that it gives several tags.

        >>> from arraycoref.tagging import compare_files
        >>> _ = Path("gold.tsv").write_text("to\tPART\nrun\tVERB\n")
        >>> _ = Path("system.tsv").write_text("to\tADP\nrun\tVERB\n")
        >>> scores = score_known(compare_files("gold.tsv", "system.tsv"), {"to": 2})
        >>> {kind: of_kind["exact"].f1 for kind, of_kind in scores.items()}
        {'known': 0.0, 'unknown': 1.0, 'ambiguous': 0.0}

    A segment is classified by the form of its gold word; an unaligned system word, by its own form. Case matters.

    Args:
        comparison: segments with word forms.
        lexicon: the number of different tags of each form.
        **options: as in `score_comparison`.

    Returns:
        Scores of ``known``, ``unknown`` and ``ambiguous`` words, each kind as one unit; ambiguous words are also known
        ones. `TagScores.correctness` has the accuracy on each kind.

    Raises:
        InputError: the comparison has no word forms, or the lexicon has a value that is no number of tags.
    """
    check_comparison(comparison)
    if comparison.number_forms is None:
        raise InputError("known and unknown words need word forms; expected tagged files")
    if not hasattr(lexicon, "get"):
        raise InputError(f"lexicon is {lexicon!r:.60}; expected the number of tags of each form, as read_lexicon gives")
    forms, form = comparison.number_forms()
    n_tags = np.array([_n_tags(lexicon, name) for name in forms], np.float64)
    kind = np.select([n_tags < 0, n_tags < 2], [0, 1], 2)[form].astype(np.int64)
    by_kind = replace(comparison, unit=kind, unit_names=("unknown", "unambiguous", "ambiguous"), unit_kind="word kind")
    scores = score_comparison(by_kind, **options)
    totals = {name: scores.counts.take(kinds).total() for name, kinds in KINDS.items()}
    return {
        name: replace(scores, counts=Counts((name,), total.metrics, total.rows[None])) for name, total in totals.items()
    }


def _n_tags(lexicon: Lexicon, form: str) -> float:
    """Return how many tags a form has, -1 if it is unknown."""
    number: object = lexicon.get(form, -1)
    if not isinstance(number, Real) or not (number == -1 or float(number) >= 0):
        raise InputError(f"lexicon: {form!r:.60} has {number!r:.60}; expected its number of tags")
    return float(number)


def _closest(comparison: TagComparison, table: TagTable) -> NDArray[np.int64]:
    """Count, for each distinct pair of tags, the gold tags whose closest assigned tag makes this pair with them.

    The closest tag has the highest positional accuracy; it is the first of several such tags.

    Returns:
        int64 (P,).
    """
    from arraycoref.kernels.tag_pairs import closest_pairs

    score = pa(table, *comparison.pairs) + exact(table, *comparison.pairs)
    gold, system = comparison.gold, comparison.system
    return closest_pairs(gold.word, system.word, gold.offsets, system.offsets, comparison.cells, score)


def _table(comparison: TagComparison) -> TagTable:
    check_comparison(comparison)
    if comparison.table is None:
        raise InputError("errors by category need a tagset")
    return comparison.table
