"""Pairs of tagged texts -> one `TagComparison`: words aligned, tags numbered together and parsed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.options import Policies
from arraycoref.read.parsed import Fault
from arraycoref.tagging.align import Segments, align
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.inputs import TextPair
from arraycoref.tagging.measures import conllu_facets
from arraycoref.tagging.table import TagTable, tag_table
from arraycoref.tagging.tagsets import Tagset
from arraycoref.tagging.texts import TaggedText, unique_names
from arraycoref.threads import run

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UNITS = ("document", "sentence")
"""What counts may belong to."""


def compare_texts(
    gold: TaggedText, system: TaggedText, *, tagset: Tagset | None = None, unit: str = "document"
) -> TagComparison:
    """Align two texts and number their tags together; see `compare_files`."""
    return compare_pairs([TextPair(gold, system)], tagset=tagset, unit=unit)


def compare_pairs(
    pairs: Sequence[TextPair],
    *,
    tagset: Tagset | None = None,
    unit: str = "document",
    policies: Policies | None = None,
    fault: Fault | None = None,
    threads: int = 1,
) -> TagComparison:
    """Align the words of each pair of texts, and number the tags of all together.

    Args:
        pairs: one or more; a system's text that is None leaves all words of gold unaligned.
        tagset: parses the tags.
        unit: one of `UNITS`, of gold.
        policies: what the pairs were made by, for the signature.
        fault: takes each tag that the tagset does not know, which then counts as a part of speech of its own; None
            raises the first.
        threads: threads over pairs.

    Raises:
        InputError: texts of a pair that differ, or CoNLL-U beside another format.
        ReadError: a tag that the tagset does not know.
        UnknownNameError: there is no such unit.
    """
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    golds, systems = [pair.gold for pair in pairs], [pair.system for pair in pairs]
    texts = [text for text in (*golds, *systems) if text is not None]
    ids: dict[str, int] = {}
    gold_offsets, gold_tags, gold_first = _lay_out(golds, ids)
    system_offsets, system_tags, system_first = _lay_out(systems, ids)
    names = tuple(ids)
    conllu = any("\t" in name for name in names)
    if conllu and not all("\t" in name for name in names):
        raise InputError(f"{_sources(pairs)}: CoNLL-U can only be compared with CoNLL-U")
    found = run(_segments, pairs, threads)
    units, unit_names = _units(pairs, found, unit)
    policies = policies or Policies()
    return TagComparison(
        n_tags=len(names),
        names=names,
        gold_offsets=gold_offsets,
        gold_tags=gold_tags,
        system_offsets=system_offsets,
        system_tags=system_tags,
        gold_word=_shifted([segments.gold_word for segments in found], gold_first),
        system_word=_shifted([segments.system_word for segments in found], system_first),
        unit=units,
        unit_names=unit_names,
        table=None if tagset is None else text_table(names, tagset, texts, fault),
        facets=conllu_facets(names) if conllu else {},
        number_forms=_forms(pairs, found),
        source=_sources(pairs),
        unit_kind=unit,
        missing_documents=policies.missing_documents,
        extra_documents=policies.extra_documents,
    )


def text_table(
    names: Sequence[str], tagset: Tagset, texts: Sequence[TaggedText], fault: Fault | None = None
) -> TagTable:
    """Parse the tags of texts; a fault is blamed on the first line that has the tag.

    Of CoNLL-U, a tagset that stands in XPOS reads that column, Universal Dependencies read UPOS and FEATS.

    Args:
        names: the tags as written, all different.
        tagset: their tagset.
        texts: where they stand.
        fault: takes each tag that the tagset does not know, which then counts as a part of speech of its own; None
            raises the first.
    """

    def blame(tag: int, reason: str) -> None:
        text = next(text for text in texts if names[tag] in text.tag_names)
        error = ReadError(text.source, int(text.tag_lines[text.tag_names.index(names[tag])]), reason)
        if fault is None:
            raise error
        fault(error)

    return tag_table([_tag_of(name, tagset) for name in names], tagset, blame)


def _tag_of(name: str, tagset: Tagset) -> str:
    columns = name.split("\t")
    if len(columns) == 1:
        return name
    return columns[1] if tagset.xpos else f"{columns[0]}|{columns[2]}"


def _sources(pairs: Sequence[TextPair]) -> str:
    first = pairs[0]
    both = first.gold.source if first.system is None else f"{first.gold.source} and {first.system.source}"
    return both if len(pairs) == 1 else f"{both}, and {len(pairs) - 1} more"


def _segments(pair: TextPair) -> Segments:
    if pair.system is not None:
        return align(pair.gold, pair.system)
    n_words = len(pair.gold)
    sentence = np.repeat(np.arange(len(pair.gold.sentences) - 1, dtype=np.int64), np.diff(pair.gold.sentences))
    return Segments(np.arange(n_words, dtype=np.int64), np.full(n_words, -1, np.int64), sentence)


def _lay_out(side: Sequence[TaggedText | None], ids: dict[str, int]) -> tuple[Int64, Int32, list[int]]:
    """Join the tags of one side's texts, renumbered by ``ids``, which grows: offsets, tags, each text's first word."""
    offsets: list[Int64] = [np.zeros(1, np.int64)]
    tags: list[Int32] = []
    first: list[int] = []
    n_words = n_tags = 0
    for text in side:
        first.append(n_words)
        if text is None:
            continue
        numbers = np.array([ids.setdefault(name, len(ids)) for name in text.tag_names], np.int32)
        offsets.append(text.tag_offsets[1:] + n_tags)
        tags.append(numbers[text.tags])
        n_words, n_tags = n_words + len(text), n_tags + text.tags.size
    return np.concatenate(offsets), np.concatenate([np.zeros(0, np.int32), *tags]), first


def _shifted(words: Sequence[Int64], first: Sequence[int]) -> Int64:
    """Join word numbers, -1 staying what it is."""
    return np.concatenate([np.where(some < 0, -1, some + start) for some, start in zip(words, first, strict=True)])


def _units(pairs: Sequence[TextPair], found: Sequence[Segments], unit: str) -> tuple[Int64, tuple[str, ...]]:
    """Tell the unit of each segment, and the units' names."""
    units: list[Int64] = []
    names: list[str] = []
    for pair, segments in zip(pairs, found, strict=True):
        of_segment, mine = segments.sentence, [str(n) for n in range(1, len(pair.gold.sentences))]
        if unit == "document":
            n_sentences = np.diff(pair.gold.documents)
            of_segment = np.repeat(np.arange(n_sentences.size, dtype=np.int64), n_sentences)[of_segment]
            unnamed = pair.name and pair.gold.document_names == (pair.gold.source,)
            mine = [""] if unnamed else list(pair.gold.document_names)
        units.append(of_segment + len(names))
        names += [":".join(filter(None, (pair.name, name))) for name in mine]
    return np.concatenate(units), unique_names(names)


def _forms(pairs: Sequence[TextPair], found: Sequence[Segments]) -> Callable[[], tuple[tuple[str, ...], Int32]]:
    """Return what numbers the forms of all segments together, once they are asked for."""

    def number_forms() -> tuple[tuple[str, ...], Int32]:
        ids: dict[str, int] = {}

        def of_words(text: TaggedText, word: Int64) -> Int32:
            return np.array([ids.setdefault(form, len(ids)) for form in text.forms], np.int32)[text.form][word]

        forms: list[Int32] = []
        for (gold, system, _), segments in zip(pairs, found, strict=True):
            form = of_words(gold, segments.gold_word)
            if system is not None:
                form = np.where(segments.gold_word >= 0, form, of_words(system, segments.system_word))
            forms.append(form)
        return tuple(ids), np.concatenate(forms)

    return number_forms
