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
    TagComparison as TagComparison,
    TagTable as TagTable,
    compare_files as compare_files,
    compare_ids as compare_ids,
    compare_strings as compare_strings,
    compare_texts as compare_texts,
    tag_table as tag_table,
)
from arraycoref.tagging.measures import (
    MEASURES as MEASURES,
    SCORING as SCORING,
    CategoryErrors as CategoryErrors,
    category_errors as category_errors,
    confusions as confusions,
)
from arraycoref.tagging.scores import (
    Correctness as Correctness,
    Lexicon as Lexicon,
    TagScores as TagScores,
    TagSignature as TagSignature,
    read_lexicon as read_lexicon,
    score_comparison as score_comparison,
    score_known as score_known,
    score_tag_files as score_tag_files,
    score_tag_ids as score_tag_ids,
    score_tags as score_tags,
)
from arraycoref.tagging.tagsets import TAGSETS as TAGSETS, Tagset as Tagset, load_tagset as load_tagset
from arraycoref.tagging.texts import read_tagged as read_tagged
from arraycoref.tagging.weights import Weights as Weights, load_weights as load_weights, poliqarp as poliqarp
