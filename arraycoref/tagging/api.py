"""Score the tags of two sides, from integers, strings and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from numpy.typing import ArrayLike

from arraycoref.keywords import described_by, shows
from arraycoref.metrics.score import check_beta
from arraycoref.tagging.comparison import TagComparison, check_comparison, compare_ids, compare_strings
from arraycoref.tagging.measures import count_measures, resolve_measures
from arraycoref.tagging.results import TagScores, TagSignature
from arraycoref.tagging.table import TagTable
from arraycoref.tagging.tagsets import AnyTagset
from arraycoref.tagging.weights import Weights, load_weights

Measures = str | Iterable[str] | None
AnyWeights = str | Path | Mapping[str, Any] | Weights | None
Tags = str | Iterable[str]


class MeasureOptions(TypedDict, total=False):
    """What is scored, and how; see `score_comparison`."""

    measures: Measures
    weights: AnyWeights
    beta: float


def score_comparison(
    comparison: TagComparison, measures: Measures = None, weights: AnyWeights = None, *, beta: float = 1.0
) -> TagScores:
    """Score a comparison.

        >>> from arraycoref.tagging import compare_strings
        >>> score_comparison(compare_strings(["X", "Y"], ["X", "Z"]))["exact"].f1
        0.5

    Args:
        comparison: N segments in D units.
        measures: names of `MEASURES`; None for all that need nothing more than there is.
        weights: for ``wpa`` and ``cwpa``: a mapping, a file, ``poliqarp`` or a `Weights`; see `load_weights`.
        beta: weight of recall against precision in F.

    Returns:
        The scores of all units and of each.

    Raises:
        UnknownNameError: an unknown measure.
        InputError: no comparison, a measure that needs weights or a tagset, a category without weight, no positive
            ``beta``.
    """
    check_comparison(comparison)
    check_beta(beta)
    tagset = None if comparison.table is None else comparison.table.tagset
    loaded = None if weights is None else load_weights(weights, tagset)
    names = resolve_measures(measures, comparison, loaded)
    counts = count_measures(comparison, names, loaded)
    return TagScores(names, counts, TagSignature.of(comparison, loaded, beta))


@shows(MeasureOptions, known=described_by(score_comparison))
def score_tag_ids(
    gold: ArrayLike,
    system: ArrayLike,
    *,
    gold_offsets: ArrayLike | None = None,
    system_offsets: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    table: TagTable | None = None,
    **options: Unpack[MeasureOptions],
) -> TagScores:
    """Score integer tags of W words that both sides have.

        >>> score_tag_ids([0, 1, 2, 2], [0, 1, 1, 2])["exact"].f1
        0.75

    Args:
        gold: integers (T,), tags of gold words: one per word, or as ``gold_offsets`` says.
        system: integers (U,), tags of the system's words.
        gold_offsets: integers (W+1,), word w has the tags ``gold[gold_offsets[w]:gold_offsets[w + 1]]``, all
            different. None: one tag per word.
        system_offsets: integers (W+1,), the same for the system's words.
        documents: integers (D+1,), document d has the words ``documents[d]:documents[d + 1]``. None: one document.
        table: what the tags are, from `tag_table`: tag i is its row i. Tags of a word that it makes equal, such as
            ``NOUN|Case=Nom|Number=Sing`` and ``NOUN|Number=Sing|Case=Nom``, count as one. None: tags are equal or not,
            measure ``exact``.
        **options: as in `score_comparison`.

    Returns:
        The scores of all documents and of each, with their counts.

    Raises:
        InputError: arrays that do not fit, Series of other indices, a tag twice in a word, and what `score_comparison`
            raises.
    """
    offsets = {"gold_offsets": gold_offsets, "system_offsets": system_offsets, "documents": documents}
    return score_comparison(compare_ids(gold, system, **offsets, table=table), **options)


@shows(MeasureOptions, known=described_by(score_comparison))
def score_tags(
    gold: Sequence[Tags],
    system: Sequence[Tags],
    *,
    tagset: AnyTagset | None = None,
    documents: ArrayLike | None = None,
    **options: Unpack[MeasureOptions],
) -> TagScores:
    """Score tags as strings, of W words that both sides have.

        >>> score_tags(["NOUN", "DET|PronType=Art"], ["NOUN", "DET"], tagset="ud", measures="pos,pa")["pos"].f1
        1.0

    Args:
        gold: W words, each a tag or an iterable of tags, in a sequence or a column of any library.
        system: W words of the system.
        tagset: a name of `TAGSETS`, a definition file or a tagset. Tags of a word that it makes equal, such as
            ``NOUN|Case=Nom|Number=Sing`` and ``NOUN|Number=Sing|Case=Nom``, count as one. None: tags are equal or not,
            measure ``exact``.
        documents: integers (D+1,), document d has the words ``documents[d]:documents[d + 1]``. None: one document.
        **options: as in `score_comparison`.

    Returns:
        The scores of all documents and of each, with their counts.

    Raises:
        InputError: sides of different length, Series of other indices, what is no tag, a tag that the tagset does not
            know, and what `score_comparison` raises.
    """
    return score_comparison(compare_strings(gold, system, tagset=tagset, documents=documents), **options)
