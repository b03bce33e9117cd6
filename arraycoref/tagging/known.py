"""Score known, unknown and ambiguous words, given a lexicon or the training file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

import numpy as np

from arraycoref.errors import InputError
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.counts import count_measures
from arraycoref.tagging.measures import resolve_measures
from arraycoref.tagging.read import ReadingOptions, read_tagged
from arraycoref.tagging.results import TagScores, TagSignature
from arraycoref.tagging.texts import TaggedText
from arraycoref.tagging.weights import Weights

Lexicon = Mapping[str, int]
"""The number of different tags of each word form."""

KINDS = ("known", "unknown", "ambiguous")


def read_lexicon(source: str | Path | TaggedText, **reading: Unpack[ReadingOptions]) -> Lexicon:
    """Take the word forms of a lexicon or training file.

    Args:
        source: a tagged file of any format, such as ``form TAB tag|tag``; of XCES all interpretations count. Or words
            already read.
        **reading: ``format``, ``separator``, ``lenient``, ``report`` and ``max_bytes`` as in `read_tagged`.

    Returns:
        The number of different tags that the file gives to each form.
    """
    text = source if isinstance(source, TaggedText) else read_tagged(source, analyses=True, **reading)
    form = np.repeat(text.form, np.diff(text.tag_offsets)).astype(np.int64)
    n_tags = max(len(text.tag_names), 1)
    counts = np.bincount(np.unique(form * n_tags + text.tags) // n_tags, minlength=len(text.forms))
    return dict(zip(text.forms, counts.tolist(), strict=True))


def score_known(
    comparison: TagComparison,
    lexicon: Lexicon,
    measures: str | tuple[str, ...] | None = None,
    weights: Weights | None = None,
    *,
    beta: float = 1.0,
) -> dict[str, TagScores]:
    """Score the words that a lexicon knows, those that it does not know, and those that it gives several tags.

    A segment belongs where the form of its gold word does; an unaligned system word, where its own does. Case matters.

    Args:
        comparison: segments with word forms.
        lexicon: the number of different tags of each form.
        measures: names of `MEASURES`; None for all that need nothing more than there is.
        weights: for ``wpa`` and ``cwpa``.
        beta: weight of recall against precision in F.

    Returns:
        Scores of ``known``, ``unknown`` and ``ambiguous`` words, each as one unit; the last are some of the known ones.
        `TagScores.correctness` has the accuracy on each kind.

    Raises:
        InputError: the comparison has no word forms.
    """
    if comparison.number_forms is None:
        raise InputError("known and unknown words need word forms; expected tagged files")
    forms, form = comparison.number_forms()
    n_tags = np.array([lexicon.get(name, -1) for name in forms], np.int64)
    kind = np.select([n_tags < 0, n_tags < 2], [0, 1], 2)[form]
    names = resolve_measures(measures, comparison, weights)
    counts = count_measures(comparison, names, weights, kind.astype(np.int64), 3)
    signature = TagSignature.of(comparison, weights, beta, unit="word kind")
    rows = {"known": [1, 2], "unknown": [0], "ambiguous": [2]}
    return {name: TagScores.make(counts.only(rows[name]), signature, (name,)) for name in KINDS}
