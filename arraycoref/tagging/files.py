"""Compare tagged files and texts: pair files by name, align their words, number and parse their tags together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Unpack

import numpy as np

from arraycoref.errors import InputError, OptionError, check_name
from arraycoref.match.documents import pair_documents
from arraycoref.options import PolicyOptions, Progress, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, bounds, bounds_of, owners
from arraycoref.read.paths import expand, named
from arraycoref.runtime import STDIN, reported, split_suffixes
from arraycoref.tagging.compare import TagComparison, TagSide, spelled_once, text_table
from arraycoref.tagging.read import ReadingOptions, read_tagged
from arraycoref.tagging.tagsets import AnyTagset, load_tagset
from arraycoref.tagging.texts import Segments, TaggedText, align, numbered, unique_names

Source = str | Path | Sequence[str | Path]

UNITS = ("document", "sentence")
"""The units that may have counts of their own."""


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
    return compare_pairs([gold], [system], [""], tagset, unit, Policies())


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
        if path == STDIN or Path(path).is_fifo():
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
    systems = [texts[theirs[name]] if name in theirs else None for name in names]
    return compare_pairs([texts[ours[name]] for name in names], systems, names, loaded, unit, policies)


def named_files(source: Source) -> dict[str, str]:
    """List the files of a source by name.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: two files with the same name, or an empty list.
    """
    found: dict[str, str] = {}
    for folder in named(source):
        for path in expand(folder):
            relative = os.path.relpath(path, folder) if os.path.isdir(folder) else os.path.basename(path)
            name = split_suffixes(relative)[0].replace(os.sep, "/")
            if name in found:
                raise InputError(f"two files are named {name!r}: {found[name]} and {path}; expected names that differ")
            found[name] = path
    return found


def compare_pairs(
    golds: Sequence[TaggedText],
    systems: Sequence[TaggedText | None],
    names: Sequence[str],
    tagset: AnyTagset | None,
    unit: str,
    policies: Policies,
) -> TagComparison:
    """Align the words of each pair of texts, and number the tags of all pairs together.

    Args:
        golds: (P,) gold texts.
        systems: (P,) the system's text of the same file; None if the system lacks the file, and then all gold words are
            unaligned.
        names: (P,) names that distinguish the pairs; an empty name if there is one file per side.
        tagset: parses the tags.
        unit: one of `UNITS`: whether the units are the documents or the sentences of gold.
        policies: the policies by which files were paired, for the signature.

    Raises:
        InputError: texts of a pair that differ, or CoNLL-U beside another format.
        ReadError: a tag that the tagset does not know.
        UnknownNameError: there is no such unit.
    """
    check_name("unit", unit, UNITS)
    texts = [*golds, *filter(None, systems)]
    conllu = {"\t" in name: text.source for text in texts for name in text.tag_names}
    if len(conllu) > 1:
        raise InputError(f"{conllu[True]} and {conllu[False]}: CoNLL-U can only be compared with CoNLL-U")
    found = [align(gold, system) for gold, system in zip(golds, systems, strict=True)]
    ids: dict[str, int] = {}
    others = [system or TaggedText("") for system in systems]
    gold = _join(golds, [segments.gold_word for segments in found], ids)
    system = _join(others, [segments.system_word for segments in found], ids)
    table = None if tagset is None else text_table(tuple(ids), load_tagset(tagset), texts)
    ours, theirs = ([*chain.from_iterable(text.forms for text in side)] for side in (golds, others))
    forms = [ours[g] if g >= 0 else theirs[s] for g, s in zip(gold.word.tolist(), system.word.tolist(), strict=True)]
    sides, units = (spelled_once(gold, table), spelled_once(system, table)), _units(golds, names, found, unit)
    return TagComparison(len(ids), tuple(ids), *sides, *units, table, True in conllu, forms, unit, policies)


def _join(texts: Sequence[TaggedText], words: Sequence[Ints], ids: dict[str, int]) -> TagSide:
    """Join the texts of one side.

    Args:
        texts: the side's text in each pair.
        words: for each text, the word in each segment of its pair, or -1.
        ids: the number of each tag; new tags are added.
    """
    tags = np.array(numbered(chain.from_iterable(text.tags for text in texts), ids), np.int32)
    first = bounds_of(texts)[:-1]
    word = [np.where(own < 0, -1, own + start) for own, start in zip(words, first, strict=True)]
    offsets = bounds(np.concatenate([np.diff(text.tag_offsets) for text in texts]))
    return TagSide(offsets, tags, np.concatenate(word))


def _units(
    golds: Sequence[TaggedText], pairs: Sequence[str], found: Sequence[Segments], unit: str
) -> tuple[Ints, tuple[str, ...]]:
    """Return the unit of each segment, and the names of the units."""
    units: list[Ints] = []
    names: list[str] = []
    for gold, pair, segments in zip(golds, pairs, found, strict=True):
        of_segment, mine = segments.sentence, [str(n) for n in range(1, len(gold.sentences))]
        if unit == "document":
            of_segment = owners(np.array(gold.documents))[of_segment]
            mine = [""] if pair and gold.document_names == [gold.source] else gold.document_names
        units.append(of_segment + len(names))
        names += [":".join(filter(None, (pair, name))) for name in mine]
    return np.concatenate(units), unique_names(names)
