"""Weights from the ambiguity of a corpus: how many values of a category a word may have."""

from __future__ import annotations

import numpy as np

from arraycoref.errors import InputError
from arraycoref.tagging.table import TagTable
from arraycoref.tagging.tagsets import POS
from arraycoref.tagging.texts import TaggedText
from arraycoref.tagging.weights.record import Weights


def average_ambiguity(text: TaggedText, table: TagTable) -> Weights:
    """Weigh each category by the average number of its different values per word, over all words of a corpus.

    Under a part of speech p (conditional weights), the average is over the words that have an analysis with p: of the
    values in those analyses, and for the part of speech itself of the words' different parts of speech.

    Args:
        text: W words with all their analyses as tags.
        table: the table of ``text.tag_names``.

    Returns:
        Unconditional and conditional weights; categories that no analysis has are left out and count nothing.

    Raises:
        InputError: there are no words.

    Source: sections 2.3.1 and 2.4.
    """
    n_words = len(text)
    if n_words == 0:
        raise InputError(f"{text.source}: no words to take weights from")
    word = np.repeat(np.arange(n_words), np.diff(text.tag_offsets))
    values = table.values[text.tags]
    part = values[:, 0].astype(np.int64)
    n_parts = len(table.value_names[0])
    word_and_part = np.unique(word * n_parts + part)
    words_of_part = np.bincount(word_and_part % n_parts, minlength=n_parts)
    parts_of_word = np.bincount(word_and_part // n_parts, minlength=n_words)
    parts_beside = np.bincount(word_and_part % n_parts, parts_of_word[word_and_part // n_parts], n_parts)
    general: dict[str, float] = {}
    by_pos: dict[str, dict[str, float]] = {
        name: {POS: float(parts_beside[p] / words_of_part[p])}
        for p, name in enumerate(table.value_names[0])
        if words_of_part[p]
    }
    for column, category in enumerate(table.categories):
        has = values[:, column] >= 0
        n_values = max(len(table.value_names[column]), 1)
        if not has.any():
            continue
        distinct = np.unique(word[has] * n_values + values[has, column])
        general[category] = float(distinct.size / n_words)
        if column == 0:
            continue
        triples = np.unique((word[has] * n_parts + part[has]) * n_values + values[has, column])
        totals = np.bincount(triples // n_values % n_parts, minlength=n_parts)
        for p, name in enumerate(table.value_names[0]):
            if words_of_part[p]:
                by_pos[name][category] = float(totals[p] / words_of_part[p])
    return Weights(general, by_pos, default=0.0, source=f"ambiguity of {text.source}")
