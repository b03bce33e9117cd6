"""Compare tagged files and texts: pair files by name, align their words, number and parse their tags together."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, OptionError, ReadError, check_name
from arraycoref.match.documents import pair_documents
from arraycoref.options import Policies, PolicyOptions, Progress, resolve_policies
from arraycoref.read.sources import expand, is_stream, named
from arraycoref.runtime import STDIN, reported, split_suffixes
from arraycoref.tagging.align import Segments, align
from arraycoref.tagging.compare import TagComparison, TagSide, spelled_once
from arraycoref.tagging.read import ReadingOptions, read_tagged
from arraycoref.tagging.table import TagTable, tag_table
from arraycoref.tagging.tagsets import AnyTagset, Tagset, conllu_tag, load_tagset
from arraycoref.tagging.texts import TaggedText, numbered, owners, unique_names

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Source = str | Path | Sequence[str | Path]

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


class FileOptions(ReadingOptions, total=False):
    """How tagged files are compared; see `compare_files`."""

    tagset: AnyTagset | None
    unit: str
    missing_documents: str | None
    extra_documents: str | None
    progress: Progress | bool | None


def compare_texts(
    gold: TaggedText, system: TaggedText, *, tagset: AnyTagset | None = None, unit: str = "document"
) -> TagComparison:
    r"""Align two texts and number their tags together; see `compare_files`.

    >>> from arraycoref.tagging.read import read_tabbed
    >>> len(compare_texts(read_tabbed(b"ab\tX", "gold"), read_tabbed(b"a\tX\nb\tX", "system")))
    3
    """
    return compare_pairs([TextPair(gold, system)], tagset=tagset, unit=unit)


def compare_files(
    gold: Source,
    system: Source,
    *,
    tagset: AnyTagset | None = None,
    unit: str = "document",
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    progress: Progress | bool | None = None,
    **options: Unpack[ReadingOptions],
) -> TagComparison:
    r"""Read the files of two sides and align their words by characters.

        >>> _ = Path("gold.tsv").write_text("zum\tX\n.\tY\n")
        >>> _ = Path("system.tsv").write_text("zu\tX\nm\tX\n.\tY\n")
        >>> len(compare_files("gold.tsv", "system.tsv"))
        4

    Args:
        gold: CoNLL-U, XCES or tab-separated: a file, a directory, a glob pattern, a list of files, or ``-`` for
            standard input. Compressed where the suffix is .gz, .bz2, .xz or .zst.
        system: files of the same kinds, over the same text. If each side has one file, these two are compared.
            Otherwise files with the same name are compared. A name has no folders and no suffixes; the name of a file
            that was found in a directory is its path below the directory, without suffixes.
        tagset: a name from `TAGSETS`, a definition file or a tagset. Tags of a word that are equal for the tagset count
            as one tag. None: tags are compared as they are written.
        unit: ``document`` or ``sentence``: whether there are scores for each document or for each sentence of gold.
        missing_documents: what to do with gold files that the system lacks: ``error`` (the default), ``empty`` to count
            their words as unaligned, or ``skip`` to leave them out.
        extra_documents: what to do with system files that gold lacks: ``error`` (the default) or ``ignore``.
        progress: called after each file with the number of files that were read, and the number of all files.
        **options: as in `read_tagged`.

    Returns:
        The comparison, from which scores and tables are computed.

    Raises:
        ReadError: a file that breaks its format, or a tag that the tagset does not know, with its line.
        DocumentMismatchError: a file that only one side has, where the policy for it is ``error``.
        InputError: files over different texts, two files with the same name on one side, both sides from standard
            input or the same pipe, or an option with an unknown value.
    """
    asked = {"missing_documents": missing_documents, "extra_documents": extra_documents}
    policies = resolve_policies(asked, PolicyOptions)
    loaded = None if tagset is None else load_tagset(tagset)
    ours, theirs = named_files(gold), named_files(system)
    for path in set(ours.values()) & set(theirs.values()):
        if path == STDIN or is_stream(path):
            typed = "-" if path == STDIN else path
            raise OptionError(f"gold and system are both {typed!r}, which can be read only once")
    if len(ours) == len(theirs) == 1:  # whatever their names
        ours, theirs = ({"": path} for side in (ours, theirs) for path in side.values())
    names = list(ours)
    names = [names[place] for place in pair_documents(names, list(theirs), policies)[0]]
    paths = [side[name] for name in names for side in (ours, theirs) if name in side]
    read = (read_tagged(path, **options) for path in paths)
    shown = reported(read, [1] * len(paths), progress)
    texts = dict(zip(paths, shown, strict=True))
    pairs = [TextPair(texts[ours[name]], texts[theirs[name]] if name in theirs else None, name) for name in names]
    return compare_pairs(pairs, tagset=loaded, unit=unit, policies=policies)


def named_files(source: Source) -> dict[str, str]:
    """List the files of a source by name.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: two files with the same name, or no files at all.
    """
    found: dict[str, str] = {}
    for folder in named(source):
        for path in expand(folder):
            relative = os.path.relpath(path, folder) if os.path.isdir(folder) else os.path.basename(path)
            name = split_suffixes(relative)[0].replace(os.sep, "/")
            if name in found:
                raise InputError(f"two files are named {name!r}: {found[name]} and {path}; expected names that differ")
            found[name] = path
    if not found:
        raise InputError("no files were given; expected one at least")
    return found


def compare_pairs(
    pairs: Sequence[TextPair],
    *,
    tagset: AnyTagset | None = None,
    unit: str = "document",
    policies: Policies | None = None,
) -> TagComparison:
    """Align the words of each pair of texts, and number the tags of all pairs together.

    Args:
        pairs: one or more pairs of texts.
        tagset: parses the tags.
        unit: one of `UNITS`: whether the units are the documents or the sentences of gold.
        policies: the policies by which files were paired, for the signature.

    Raises:
        InputError: texts of a pair that differ, or CoNLL-U beside another format.
        ReadError: a tag that the tagset does not know.
        UnknownNameError: there is no such unit.
    """
    check_name("unit", unit, UNITS)
    gold_texts, system_texts = [pair.gold for pair in pairs], [pair.system or TaggedText("") for pair in pairs]
    texts = [*gold_texts, *system_texts]
    conllu = {"\t" in name: text.source for text in texts for name in text.tag_names}
    if len(conllu) > 1:
        raise InputError(f"{conllu[True]} and {conllu[False]}: CoNLL-U can only be compared with CoNLL-U")
    found = [align(pair.gold, pair.system) for pair in pairs]
    ids: dict[str, int] = {}
    gold = _join(gold_texts, [segments.gold_word for segments in found], ids)
    system = _join(system_texts, [segments.system_word for segments in found], ids)
    table = None if tagset is None else text_table(tuple(ids), load_tagset(tagset), texts)
    return TagComparison(
        len(ids),
        tuple(ids),
        spelled_once(gold, table),
        spelled_once(system, table),
        *_units(pairs, found, unit),
        table,
        True in conllu,
        [form for each in zip(gold_texts, system_texts, found, strict=True) for form in _forms(*each)],
        unit,
        policies or Policies(),
    )


def text_table(names: Sequence[str], tagset: Tagset, texts: Sequence[TaggedText]) -> TagTable:
    """Parse the tags of texts.

    In CoNLL-U, tagsets whose ``xpos`` is true parse the column XPOS, and Universal Dependencies parse UPOS and FEATS.

    Args:
        names: the tags as written, all different.
        tagset: the tagset of the tags.
        texts: the texts in which the tags appear.

    Raises:
        ReadError: a tag that the tagset does not know, at the first line that has it.
    """

    def blame(tag: int, reason: str) -> ReadError:
        text = next(text for text in texts if names[tag] in text.tags)
        word = bisect_right(text.tag_offsets, text.tags.index(names[tag])) - 1
        return ReadError(text.source, text.lines[word], reason)

    return tag_table([conllu_tag(name, tagset) if "\t" in name else name for name in names], tagset, blame)


def _join(texts: Sequence[TaggedText], words: Sequence[Int64], ids: dict[str, int]) -> TagSide:
    """Join the texts of one side.

    Args:
        texts: the side's text in each pair.
        words: for each text, the word in each segment of its pair, or -1.
        ids: the number of each tag; new tags are added.
    """
    tags = np.array(numbered(chain.from_iterable(text.tags for text in texts), ids), np.int32)
    n_tags = np.concatenate([np.diff(text.tag_offsets) for text in texts])
    first = np.cumsum([0, *map(len, texts)])
    word = [np.where(own < 0, -1, own + start) for own, start in zip(words, first, strict=False)]
    return TagSide(np.append(0, np.cumsum(n_tags)), tags, np.concatenate(word))


def _units(pairs: Sequence[TextPair], found: Sequence[Segments], unit: str) -> tuple[Int64, tuple[str, ...]]:
    """Return the unit of each segment, and the names of the units."""
    units: list[Int64] = []
    names: list[str] = []
    for pair, segments in zip(pairs, found, strict=True):
        of_segment, mine = segments.sentence, [str(n) for n in range(1, len(pair.gold.sentences))]
        if unit == "document":
            of_segment = owners(pair.gold.documents)[of_segment]
            mine = pair.gold.document_names
            if pair.name and mine == [pair.gold.source]:
                mine = [""]
        units.append(of_segment + len(names))
        names += [":".join(filter(None, (pair.name, name))) for name in mine]
    return np.concatenate(units), unique_names(names)


def _forms(gold: TaggedText, system: TaggedText, segments: Segments) -> Iterator[str]:
    """Yield the form of each segment's gold word, or of its system word where there is none."""
    for g, s in zip(segments.gold_word.tolist(), segments.system_word.tolist(), strict=True):
        yield gold.forms[g] if g >= 0 else system.forms[s]
