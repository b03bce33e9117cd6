"""Compare pairs of tagged texts: align their words, number their tags together and parse them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, ReadError, check_name
from arraycoref.options import Policies
from arraycoref.read.parsed import Fault, refuse
from arraycoref.runtime import in_threads
from arraycoref.tagging.align import Segments, align
from arraycoref.tagging.comparison import TagComparison, TagSide, spelled_once
from arraycoref.tagging.measures import conllu_facets
from arraycoref.tagging.table import TagTable, tag_table
from arraycoref.tagging.tagsets import AnyTagset, Tagset, load_tagset
from arraycoref.tagging.texts import TaggedText, numbered, owners, unique_names

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UNITS = ("document", "sentence")
"""The units that may have counts of their own."""


class TextPair(NamedTuple):
    """A gold text, the system's text of the same file, and the name of the file.

    Attributes:
        gold: the gold words.
        system: the system's words; None if the system lacks the file, and then all gold words are unaligned.
        name: the name that distinguishes the pair from others; empty if there is one file per side.
    """

    gold: TaggedText
    system: TaggedText | None
    name: str = ""


def compare_texts(
    gold: TaggedText, system: TaggedText, *, tagset: AnyTagset | None = None, unit: str = "document"
) -> TagComparison:
    r"""Align two texts and number their tags together; see `compare_files`.

    >>> from arraycoref.tagging.read import read_tabbed
    >>> len(compare_texts(read_tabbed(b"ab\tX", "gold"), read_tabbed(b"a\tX\nb\tX", "system")))
    3
    """
    for side, text in (("gold", gold), ("system", system)):
        if not isinstance(text, TaggedText):
            raise InputError(f"{side} is {text!r:.60}; expected what read_tagged returns")
    return compare_pairs([TextPair(gold, system)], tagset=tagset, unit=unit)


def compare_pairs(
    pairs: Sequence[TextPair],
    *,
    tagset: AnyTagset | None = None,
    unit: str = "document",
    policies: Policies | None = None,
    fault: Fault = refuse,
    threads: int = 1,
) -> TagComparison:
    """Align the words of each pair of texts, and number the tags of all pairs together.

    Args:
        pairs: one or more pairs of texts.
        tagset: parses the tags.
        unit: one of `UNITS`: whether the units are the documents or the sentences of gold.
        policies: the policies by which files were paired, for the signature.
        fault: called with an error for each tag that the tagset does not know; the tag then counts as a part of speech
            of its own. The default raises the first error.
        threads: number of threads, which share the pairs.

    Raises:
        InputError: texts of a pair that differ, or CoNLL-U beside another format.
        ReadError: a tag that the tagset does not know.
        UnknownNameError: there is no such unit.
    """
    check_name("unit", unit, UNITS)
    texts = [text for side in zip(*pairs, strict=True) for text in side if isinstance(text, TaggedText)]
    conllu = {"\t" in name: text.source for text in texts for name in text.tag_names}
    if len(conllu) > 1:
        raise InputError(f"{conllu[True]} and {conllu[False]}: CoNLL-U can only be compared with CoNLL-U")
    found = list(in_threads(lambda pair: align(pair.gold, pair.system), pairs, threads))
    units, unit_names = _units(pairs, found, unit)
    ids: dict[str, int] = {}
    gold = _join([pair.gold for pair in pairs], [segments.gold_word for segments in found], ids)
    system = _join([pair.system for pair in pairs], [segments.system_word for segments in found], ids)
    names = tuple(ids)
    table = None if tagset is None else text_table(names, load_tagset(tagset), texts, fault)
    sides = spelled_once(gold, table), spelled_once(system, table)
    facets = conllu_facets(names) if True in conllu else {}
    forms = partial(_number_forms, pairs, found)
    policies = policies or Policies()
    return TagComparison(len(names), names, *sides, units, unit_names, table, facets, forms, unit, policies)


def text_table(names: Sequence[str], tagset: Tagset, texts: Sequence[TaggedText], fault: Fault = refuse) -> TagTable:
    """Parse the tags of texts; an unknown tag is reported with the first line that has it.

    In CoNLL-U, tagsets whose ``xpos`` is true parse the column XPOS, and Universal Dependencies parse UPOS and FEATS.

    Args:
        names: the tags as written, all different.
        tagset: the tagset of the tags.
        texts: the texts in which the tags appear.
        fault: as for `compare_pairs`.
    """

    def blame(tag: int, reason: str) -> None:
        text = next(text for text in texts if names[tag] in text.tag_names)
        fault(ReadError(text.source, int(text.tag_lines[text.tag_names.index(names[tag])]), reason))

    return tag_table([_tag_of(name, tagset) for name in names], tagset, blame)


def _tag_of(name: str, tagset: Tagset) -> str:
    columns = name.split("\t")
    if len(columns) == 1:
        return name
    return columns[1] if tagset.xpos else f"{columns[0]}|{columns[2]}"


def _join(texts: Sequence[TaggedText | None], words: Sequence[Int64], ids: dict[str, int]) -> TagSide:
    """Join the texts of one side.

    Args:
        texts: the side's text in each pair; None where the side lacks it.
        words: for each text, the word in each segment of its pair, or -1.
        ids: the number of each tag; new tags are added.
    """
    offsets, tags, word = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], []
    n_words = n_tags = 0
    for text, own in zip(texts, words, strict=True):
        word.append(np.where(own < 0, -1, own + n_words))
        if text is not None:
            offsets.append(text.tag_offsets[1:] + n_tags)
            tags.append(np.array(numbered(text.tag_names, ids), np.int32)[text.tags])
            n_words, n_tags = n_words + len(text), n_tags + text.tags.size
    return TagSide(np.concatenate(offsets), np.concatenate(tags), np.concatenate(word))


def _units(pairs: Sequence[TextPair], found: Sequence[Segments], unit: str) -> tuple[Int64, tuple[str, ...]]:
    """Return the unit of each segment, and the names of the units."""
    units: list[Int64] = []
    names: list[str] = []
    for pair, segments in zip(pairs, found, strict=True):
        of_segment, mine = segments.sentence, [str(n) for n in range(1, len(pair.gold.sentences))]
        if unit == "document":
            of_segment = owners(pair.gold.documents)[of_segment]
            unnamed = pair.name and pair.gold.document_names == (pair.gold.source,)
            mine = [""] if unnamed else list(pair.gold.document_names)
        units.append(of_segment + len(names))
        names += [":".join(filter(None, (pair.name, name))) for name in mine]
    return np.concatenate(units), unique_names(names)


def _number_forms(pairs: Sequence[TextPair], found: Sequence[Segments]) -> tuple[tuple[str, ...], Int32]:
    """Number the forms of all segments together."""
    ids: dict[str, int] = {}

    def of_words(text: TaggedText, word: Int64) -> Int32:
        return np.array(numbered(text.forms, ids), np.int32)[text.form][word]

    forms: list[Int32] = []
    for (gold, system, _), segments in zip(pairs, found, strict=True):
        form = of_words(gold, segments.gold_word)
        if system is not None:
            form = np.where(segments.gold_word >= 0, form, of_words(system, segments.system_word))
        forms.append(form)
    return tuple(ids), np.concatenate(forms)
