"""Score the tags of two sides: a comparison, integers, strings or files; scores of known and unknown words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.exceptions import InputError, check_name
from arraycoref.options import OPTIONS
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.format import to_dict
from arraycoref.scoring.metrics.score import ratio
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, signature, written_notes
from arraycoref.tagging.compare import (
    Source,
    TagComparison,
    TagFileOptions,
    Tags,
    TagTable,
    compare_files,
    compare_ids,
    compare_strings,
)
from arraycoref.tagging.measures import CORRECTNESS, SEGMENTS, WORDS, count_measures, resolve_measures
from arraycoref.tagging.tagsets import AnyTagset
from arraycoref.tagging.texts import TaggedText, TagReadingOptions, read_tagged
from arraycoref.tagging.weights import AnyWeights, load_weights

Measures = str | Iterable[str] | None

Lexicon = Mapping[str, int]
"""The number of different tags of each word form."""

KINDS = {"known": [1, 2], "unknown": [0], "ambiguous": [2]}
"""Classes of forms in each kind of words: 0 if the lexicon lacks the form, 1 if it gives one tag at most, 2 if more."""


class MeasureOptions(TypedDict, total=False):
    """What is scored, and how; see `score_comparison`."""

    measures: Measures
    weights: AnyWeights | None
    beta: float


@dataclass(frozen=True)
class TagSignature(Signature):
    """What tagger scores depend on besides the two texts.

    Attributes:
        tagset: name of the tagset; ``none`` if tags are compared as they are written.
        weights: where the weights come from; ``none`` if there are no weights.
        unit: ``document`` or ``sentence``, the units that have scores of their own.
    """

    tagset: str = "none"
    weights: str = "none"
    unit: str = "document"

    def __str__(self) -> str:
        return (
            f"arraycoref|v:{self.version}|task:tags|tagset:{self.tagset}|weights:{self.weights}|unit:{self.unit}"
            f"|missing:{self.missing_documents}|extra:{self.extra_documents}|beta:{self.beta:g}{self.unusual}"
        )

    @property
    def full(self) -> str:
        """The same line."""
        return str(self)

    def as_dict(self) -> dict[str, str | float]:
        """Return the fields by name, as JSON shows them."""
        names = ("tagset", "weights", "unit", "missing_documents", "extra_documents", "beta", "average", "subset")
        return {"version": self.version, "task": "tags", **{name: vars(self)[name] for name in names}}


class Correctness(NamedTuple):
    """Correctness and accuracy of one measure, as fractions 0-1.

    The score of a tag is its best score with a tag of the other side, 0 where the other side has none.

    Attributes:
        weak: weak correctness, the mean over segments of the score of the best assigned tag.
        strong: strong correctness, the mean over segments of the score of the worst tag of either side.
        aligned_accuracy: mean score of the aligned words if all of them have one tag on both sides; otherwise, and for
            the measure ``Words``, None.
    """

    weak: float
    strong: float
    aligned_accuracy: float | None


class TagScores(BatchScores):
    """Scores of D units: ``scores["pa"].f1`` as in `BatchScores`, and ``scores.correctness("pa").strong``.

        >>> scores = score_tag_ids([0, 1, 2], [0, 1, 1], documents=[0, 2, 3])
        >>> scores["exact"].recall, scores.correctness("exact").weak, scores.counts["exact"].tolist()
        (0.6666666666666666, 0.6666666666666666, [[2.0, 2.0, 2.0, 2.0], [0.0, 1.0, 0.0, 1.0]])

    ``counts`` also has the sums of correctness, ``counts["exact/correctness"]``, and numbers of words,
    ``counts["segments"]``; see `arraycoref.tagging.measures.count_measures`. The files of ``save`` are for other
    programs: `arraycoref.load_scores` reads scores of coreference only.
    """

    def correctness(self, measure: str) -> Correctness:
        """Return weak and strong correctness and aligned accuracy over all units.

        Raises:
            UnknownNameError: the measure was not computed.
        """
        check_name("measure", measure, self.metrics)
        totals = self.corpus.counts
        weak, n_segments, strong, _ = totals[CORRECTNESS.format(measure)].tolist()
        n_plain, n_aligned, *_ = totals[SEGMENTS].tolist()
        accuracy = weak / n_aligned if n_aligned and n_aligned == n_plain and measure != WORDS else None
        return Correctness(ratio(weak, n_segments), ratio(strong, n_segments), accuracy)

    def nested(self, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
        """Return the dictionary of `arraycoref.scoring.format.to_dict`, with `Correctness` added to each score."""
        found = to_dict(self, per_document=per_document, macro=macro)
        for measure, values in found["scores"].items():
            values.update(self.correctness(measure)._asdict())
        return found


def score_comparison(
    comparison: TagComparison, measures: Measures = None, weights: AnyWeights | None = None, *, beta: float = 1.0
) -> TagScores:
    """Score a comparison.

        >>> score_comparison(compare_strings(["X", "Y"], ["X", "Z"]))["exact"].f1
        0.5

    Args:
        comparison: N segments in D units.
        measures: names from `MEASURES`; None for all whose needs (a tagset, weights, columns of CoNLL-U) are met,
            except ``Words``. For CoNLL-U without a tagset, these are UPOS, XPOS, UFeats and AllTags.
        weights: for ``wpa`` and ``cwpa``: a mapping, a file, ``poliqarp`` or a `Weights`; see `load_weights`.
        beta: weight of recall against precision in F.

    Returns:
        The scores of all units together and of each unit, with their counts.

    Raises:
        UnknownNameError: an unknown measure.
        InputError: a measure needs weights or a tagset that were not given, weights were given without a tagset, a
            category has no weight, or ``beta`` is not positive.
    """
    OPTIONS["beta"].check("beta", beta)
    tagset = None if comparison.table is None else comparison.table.tagset
    loaded = None if weights is None else load_weights(weights, tagset)
    if loaded is not None and tagset is None:
        raise InputError("weights need a tagset, which splits tags into categories; expected tagset=")
    names = resolve_measures(measures, comparison, loaded)
    signed = TagSignature(
        **vars(signature(replace(comparison.policies, beta=beta))),  # policies of coreference alone keep their defaults
        tagset="none" if tagset is None else tagset.name,
        weights="none" if loaded is None else loaded.source,
        unit=comparison.unit_kind,
    )
    counts, notes = count_measures(comparison, names, loaded), written_notes(comparison.policies.notes)
    return TagScores(names, counts, signed, notes=notes)


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
        gold: integers (T,), tags of gold words: one per word, or several where ``gold_offsets`` is given.
        system: integers (U,), tags of the system's words.
        gold_offsets: integers (W+1,), word w has the tags ``gold[gold_offsets[w]:gold_offsets[w + 1]]``, all
            different. None: one tag per word.
        system_offsets: integers (W+1,), the same for the system's words.
        documents: integers (D+1,), document d has the words ``documents[d]:documents[d + 1]``. None: one document.
        table: the parsed tags, from `tag_table`; tag i is row i of the table. Tags of a word that are equal in the
            table, such as ``NOUN|Case=Nom|Number=Sing`` and ``NOUN|Number=Sing|Case=Nom``, count as one tag. None:
            tags can only be equal or not, which is the measure ``exact``.
        **options: as in `score_comparison`.

    Returns:
        The scores of all documents together and of each document, with their counts.

    Raises:
        InputError: arrays whose types or lengths do not fit, Series with different indices, a tag that a word has
            twice, and the errors of `score_comparison`.
    """
    offsets = {"gold_offsets": gold_offsets, "system_offsets": system_offsets, "documents": documents}
    return score_comparison(compare_ids(gold, system, **offsets, table=table), **options)


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
        gold: the tags of W words, in a sequence or a column of any library: for each word a tag or an iterable of tags.
        system: the system's tags of the same W words, in the same form.
        tagset: a name from `TAGSETS`, a definition file or a tagset. Tags of a word that are equal for the tagset, such
            as ``NOUN|Case=Nom|Number=Sing`` and ``NOUN|Number=Sing|Case=Nom``, count as one tag. None: tags can only be
            equal or not, as they are written.
        documents: integers (D+1,), document d has the words ``documents[d]:documents[d + 1]``. None: one document.
        **options: as in `score_comparison`.

    Returns:
        The scores of all documents together and of each document, with their counts.

    Raises:
        InputError: sides of different length, Series with different indices, a value that is not a tag, a tag that the
            tagset does not know, and the errors of `score_comparison`.
    """
    return score_comparison(compare_strings(gold, system, tagset=tagset, documents=documents), **options)


def score_tag_files(
    gold: Source,
    system: Source,
    *,
    measures: Measures = None,
    weights: AnyWeights | None = None,
    beta: float = 1.0,
    **options: Unpack[TagFileOptions],
) -> TagScores:
    r"""Score tagged files against gold files.

        >>> _ = Path("gold.tsv").write_text("a\tDET\nrun\tNOUN\n")
        >>> _ = Path("system.tsv").write_text("a\tDET\nrun\tVERB\n")
        >>> score_tag_files("gold.tsv", "system.tsv", tagset="ud", measures="pos")["pos"].f1
        0.5

    Args:
        gold: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input.
        system: the files of the system, over the same text.
        measures: as in `score_comparison`; so are ``weights`` and ``beta``.
        weights: for ``wpa`` and ``cwpa``.
        beta: weight of recall against precision in F.
        **options: as in `compare_files`.

    Returns:
        The scores of all units together and of each unit, with their counts.

    Raises:
        ReadError: as `compare_files`.
        InputError: as `compare_files` and `score_comparison`.
    """
    return score_comparison(compare_files(gold, system, **options), measures, weights, beta=beta)


def read_lexicon(source: str | Path | TaggedText, **options: Unpack[TagReadingOptions]) -> Lexicon:
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
    tags: defaultdict[str, set[str]] = defaultdict(set)
    for form, (first, after) in zip(text.forms, pairwise(text.tag_offsets), strict=True):
        tags[form].update(text.tags[first:after])
    return {form: len(different) for form, different in tags.items()}


def score_known(comparison: TagComparison, lexicon: Lexicon, **options: Unpack[MeasureOptions]) -> dict[str, TagScores]:
    r"""Score the words that a lexicon knows, those that it does not know, and those that it gives several tags.

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
        InputError: the comparison has no word forms.
    """
    if len(comparison.forms) < len(comparison):
        raise InputError("known and unknown words need word forms; expected tagged files")
    n_tags = np.array([lexicon.get(form, -1) for form in comparison.forms])
    kind = np.select([n_tags < 0, n_tags < 2], [0, 1], 2)
    by_kind = replace(comparison, unit=kind, unit_names=("unknown", "unambiguous", "ambiguous"), unit_kind="word kind")
    scores = score_comparison(by_kind, **options)
    totals = {name: scores.counts.take(kinds).total() for name, kinds in KINDS.items()}
    return {
        name: replace(scores, counts=Counts((name,), total.metrics, total.rows[None])) for name, total in totals.items()
    }
