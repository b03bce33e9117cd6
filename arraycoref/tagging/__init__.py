"""Evaluate taggers: credit for partially correct tags, several tags per word, weights of categories that fit the use.

    >>> from arraycoref.tagging import score_tags
    >>> scores = score_tags(["subst:sg:nom:n"], ["ger:sg:nom:n:perf:aff"], tagset="nkjp")
    >>> round(scores["pa"].f1, 4)
    0.6

Results are `arraycoref.BatchScores` with the sums of each document or sentence. `arraycoref.bootstrap`,
`paired_test`, `compare`, `power` and `correlate` accept them in the same way as scores of coreference.

The measures are those of Acedański and Przepiórkowski (2010), "Towards the Adequate Evaluation of Morphosyntactic
Taggers"; section numbers in this package refer to that paper.
"""

from __future__ import annotations

from arraycoref.tagging.compare import (
    TagComparison,
    TagTable,
    compare_files,
    compare_ids,
    compare_strings,
    compare_texts,
    tag_table,
)
from arraycoref.tagging.measures import MEASURES, SCORING, CategoryErrors, category_errors, confusions
from arraycoref.tagging.scores import (
    Correctness,
    Lexicon,
    TagScores,
    TagSignature,
    read_lexicon,
    score_comparison,
    score_known,
    score_tag_files,
    score_tag_ids,
    score_tags,
)
from arraycoref.tagging.tagsets import TAGSETS, Tagset, load_tagset
from arraycoref.tagging.texts import read_tagged
from arraycoref.tagging.weights import Weights, load_weights, poliqarp

__all__ = [
    "MEASURES",
    "SCORING",
    "TAGSETS",
    "CategoryErrors",
    "Correctness",
    "Lexicon",
    "TagComparison",
    "TagScores",
    "TagSignature",
    "TagTable",
    "Tagset",
    "Weights",
    "category_errors",
    "compare_files",
    "compare_ids",
    "compare_strings",
    "compare_texts",
    "confusions",
    "load_tagset",
    "load_weights",
    "poliqarp",
    "read_lexicon",
    "read_tagged",
    "score_comparison",
    "score_known",
    "score_tag_files",
    "score_tag_ids",
    "score_tags",
    "tag_table",
]
