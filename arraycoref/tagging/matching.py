"""Two tagged texts -> a `TagComparison`: words aligned, tags numbered together and parsed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.tagging.align import align
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.measures import conllu_facets
from arraycoref.tagging.table import TagTable, tag_table
from arraycoref.tagging.tagsets import Tagset
from arraycoref.tagging.texts import TaggedText

Int32 = NDArray[np.int32]
UNITS = ("document", "sentence")
"""What counts may belong to."""


def compare_texts(
    gold: TaggedText, system: TaggedText, *, tagset: Tagset | None = None, unit: str = "document"
) -> TagComparison:
    """Align two texts and number their tags together; see `compare_files`."""
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    segments = align(gold, system)
    ids: dict[str, int] = {}
    numbers = [
        np.array([ids.setdefault(name, len(ids)) for name in text.tag_names], np.int32) for text in (gold, system)
    ]
    names = tuple(ids)
    conllu = "\t" in names[0]
    if conllu != all("\t" in name for name in names):
        raise InputError(f"{gold.source} and {system.source}: CoNLL-U can only be compared with CoNLL-U")

    def number_forms() -> tuple[tuple[str, ...], Int32]:
        ids: dict[str, int] = {}
        gold_form, system_form = (
            np.array([ids.setdefault(form, len(ids)) for form in text.forms], np.int32)[text.form]
            for text in (gold, system)
        )
        form = np.where(segments.gold_word >= 0, gold_form[segments.gold_word], system_form[segments.system_word])
        return tuple(ids), form

    unit_of = segments.sentence
    unit_names = gold.document_names
    if unit == "document":
        document = np.repeat(np.arange(len(gold.documents) - 1, dtype=np.int64), np.diff(gold.documents))
        unit_of = document[unit_of]
    else:
        unit_names = tuple(map(str, range(1, len(gold.sentences))))
    return TagComparison(
        n_tags=len(names),
        names=names,
        gold_offsets=gold.tag_offsets,
        gold_tags=numbers[0][gold.tags],
        system_offsets=system.tag_offsets,
        system_tags=numbers[1][system.tags],
        gold_word=segments.gold_word,
        system_word=segments.system_word,
        unit=unit_of,
        unit_names=unit_names,
        table=None if tagset is None else text_table(names, tagset, gold, system),
        facets=conllu_facets(names) if conllu else {},
        number_forms=number_forms,
        source=f"{gold.source} and {system.source}",
    )


def text_table(names: Sequence[str], tagset: Tagset, *texts: TaggedText) -> TagTable:
    """Parse the tags of texts; a fault is blamed on the first line that has the tag.

    Of CoNLL-U, a tagset that stands in XPOS reads that column, Universal Dependencies read UPOS and FEATS.
    """

    def blame(tag: int, reason: str) -> Exception:
        for text in texts:
            if names[tag] in text.tag_names:
                line = int(text.tag_lines[text.tag_names.index(names[tag])])
                return ReadError(text.source, line, reason)
        return InputError(reason)

    return tag_table([_tag_of(name, tagset) for name in names], tagset, blame)


def _tag_of(name: str, tagset: Tagset) -> str:
    columns = name.split("\t")
    if len(columns) == 1:
        return name
    return columns[1] if tagset.xpos else f"{columns[0]}|{columns[2]}"
