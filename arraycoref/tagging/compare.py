"""Compare the tags of two sides, segment by segment: the record that is scored, from arrays, strings, texts and files.

Distinct tags are parsed once, into one table of integers: a row per tag, a column per category.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.exceptions import InputError, ReadError, check_name
from arraycoref.match.documents import pair_documents
from arraycoref.options import PolicyOptions, Progress, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, Ints32, bounds, bounds_of, owners, ranges
from arraycoref.read.paths import expand, named, require_one_reader
from arraycoref.read.problems import quote
from arraycoref.runtime import reported, split_suffixes
from arraycoref.scoring.labels import as_numpy, require_one_index
from arraycoref.tagging.tagsets import POS, AnyTagset, Tagset, conllu_tag, load_tagset
from arraycoref.tagging.texts import Segments, TaggedText, TagReadingOptions, align, numbered, read_tagged, unique_names

Tags = str | Iterable[str]

ABSENT = -1
"""The number in `TagTable.values` where a tag lacks a category."""

MOST_CATEGORIES = 500
"""Limit on the categories, and so on the columns, of a table. Universal Dependencies have about 250."""


@dataclass(frozen=True, eq=False)
class TagTable:
    """The V distinct tags of both sides, parsed: a row per tag, a column per category.

    Attributes:
        tagset: the tagset of all of them.
        names: the V tags as written.
        categories: the C categories, the part of speech first.
        values: int32 (V, C) the value of each category, `ABSENT` where a tag lacks it.
        value_names: the values of each category, by number.
    """

    tagset: Tagset
    names: tuple[str, ...]
    categories: tuple[str, ...]
    values: Ints32
    value_names: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def canonical(self) -> Ints32:
        """int32 (V,) for each tag, the first tag that has the same values: tags may be equal in different spellings."""
        _, first, inverse = np.unique(self.values, axis=0, return_index=True, return_inverse=True)
        same: Ints32 = first[inverse.reshape(-1)].astype(np.int32)
        return same

    def column(self, category: str) -> int:
        """Return the column of a category.

        Raises:
            InputError: the table has no such category; the message lists those that it has.
        """
        if category not in self.categories:
            expected = f"expected one of: {', '.join(self.categories)}"
            raise InputError(f"unknown category {category!r} (tagset {self.tagset.name}); {expected}")
        return self.categories.index(category)


def tag_table(
    names: Sequence[str], tagset: AnyTagset, blame: Callable[[int, str], Exception] | None = None
) -> TagTable:
    """Parse distinct tags.

        >>> tag_table(["NOUN|Case=Nom", "NOUN"], "ud").values.tolist()
        [[0, 0], [0, -1]]

    Args:
        names: V different tags.
        tagset: the tagset of the tags, as `load_tagset` accepts it.
        blame: makes the error to raise for a tag that cannot be parsed, from the index of the tag in ``names`` and the
            reason; None raises the `InputError` of the tagset.

    Returns:
        The table, with the tagset's categories and any others that its parser found.

    Raises:
        InputError: a tag that cannot be parsed, or has no part of speech; more than `MOST_CATEGORIES` categories.
    """
    tagset = load_tagset(tagset)
    found: dict[str, dict[str, int]] = {category: {} for category in tagset.categories}
    cells: list[tuple[int, str, int]] = []
    for i, name in enumerate(names):
        try:
            parsed = tagset.parse(name)
        except InputError as error:
            if blame is None:
                raise
            raise blame(i, str(error)) from error
        if POS not in parsed:  # possible with tagsets that users write in Python
            raise InputError(f"tag {name!r}: no part of speech, {POS!r}, among {parsed} (tagset {tagset.name})")
        for category, value in parsed.items():
            numbers = found.setdefault(category, {})
            cells.append((i, category, numbers.setdefault(value, len(numbers))))
        if len(found) > MOST_CATEGORIES:
            among = f"among them {quote(category)} (tagset {tagset.name})"
            raise InputError(f"more than {MOST_CATEGORIES} categories, {among}")
    categories = tuple(found)
    if tagset.categories == (POS,):  # an open tagset: its features are sorted, whatever the order of the tags
        categories = (POS, *sorted(found.keys() - {POS}))
    columns = {category: column for column, category in enumerate(categories)}
    values = np.full((len(names), len(columns)), ABSENT, np.int32)
    for i, category, number in cells:
        values[i, columns[category]] = number
    return TagTable(tagset, tuple(names), categories, values, tuple(tuple(found[name]) for name in categories))


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


@dataclass(frozen=True, eq=False)
class TagSide:
    """The tags of one side's W words, and the word that this side has in each of N segments.

    Attributes:
        offsets: int64 (W+1,) word w has the tags ``tags[offsets[w]:offsets[w + 1]]``.
        tags: int32 (T,) indices of distinct tags.
        word: int64 (N,) this side's word in each segment, -1 where it has none.
    """

    offsets: Ints
    tags: Ints32
    word: Ints

    @cached_property
    def n_tags(self) -> Ints:
        """int64 (N,) the number of tags that this side has in each segment."""
        return np.append(np.diff(self.offsets), 0)[self.word]  # word -1 takes the last number

    @cached_property
    def segment(self) -> Ints:
        """int64 (T,) the segment of each tag."""
        has_word = np.flatnonzero(self.word >= 0)
        of_word = np.empty(len(self.offsets) - 1, np.int64)
        of_word[self.word[has_word]] = has_word
        return of_word[owners(self.offsets)]


class TagCells(NamedTuple):
    """A cell for each assigned tag with each gold tag of each segment, by segment, then assigned tag, then gold tag.

    Attributes:
        system: int64 (C,) the place of the assigned tag among the system's ``tags``.
        gold: int64 (C,) the place of the gold tag among gold's ``tags``.
        pair: int64 (C,) the number of the pair of tags in ``pairs``.
        pairs: the P distinct pairs: int64 (P,) assigned and int64 (P,) gold tags.
    """

    system: Ints
    gold: Ints
    pair: Ints
    pairs: tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class TagComparison:
    """N segments, each with a gold word, a system word or both, in D units (documents or sentences).

    Attributes:
        n_tags: the number V of different tags.
        names: the V tags of both sides as written; empty where tags are numbers only.
        gold: the tags and words of gold.
        system: the tags and words of the system.
        unit: int64 (N,) unit of each segment.
        unit_names: the D names of the units.
        table: the parsed tags, or None where no tagset was given.
        conllu: whether the tags are those of CoNLL-U, ``UPOS TAB XPOS TAB FEATS``.
        forms: (N,) form of each segment's gold word, or system word where there is none; empty if words have no forms.
        unit_kind: what the units are, ``document`` or ``sentence``; for the signature.
        policies: what was done with files that one side lacks; for the signature.
    """

    n_tags: int
    names: tuple[str, ...]
    gold: TagSide
    system: TagSide
    unit: Ints
    unit_names: tuple[str, ...]
    table: TagTable | None = None
    conllu: bool = False
    forms: Sequence[str] = ()
    unit_kind: str = "document"
    policies: Policies = field(default_factory=Policies)

    def __len__(self) -> int:
        return int(self.unit.shape[0])

    @cached_property
    def cells(self) -> TagCells:
        """The cells of all segments."""
        gold, system = self.gold, self.system
        n_cells = gold.n_tags * system.n_tags
        segment = owners(bounds(n_cells))
        at_system, at_gold = (side.offsets[side.word[segment]] for side in (system, gold))
        if len(segment) > np.count_nonzero(n_cells):  # some words have several tags
            within = ranges(np.zeros(len(self), np.int64), n_cells)
            assigned, of_gold = np.divmod(within, gold.n_tags[segment])
            at_system, at_gold = at_system + assigned, at_gold + of_gold
        both = system.tags[at_system] * np.int64(self.n_tags) + gold.tags[at_gold]
        pairs, number = _distinct(both, limit=self.n_tags**2)
        return TagCells(at_system, at_gold, number, np.divmod(pairs, max(self.n_tags, 1)))


def _distinct(values: Ints, limit: int) -> tuple[Ints, Ints]:
    """Return the distinct values, ascending, and the number of each value among them; all are below the limit."""
    if limit > max(1 << 16, 2 * len(values)):
        distinct, number = np.unique(values, return_inverse=True)
        return distinct, number.astype(np.int64)
    present = np.zeros(limit, bool)  # there is room for all possible values, which is faster than sorting
    present[values] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[values]


def compare_ids(
    gold: ArrayLike,
    system: ArrayLike,
    *,
    gold_offsets: ArrayLike | None = None,
    system_offsets: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    table: TagTable | None = None,
) -> TagComparison:
    """Check integer tags and make a comparison of them; see `score_tag_ids`.

    >>> len(compare_ids([0, 1, 1], [0, 1, 2]))
    3
    """
    if gold_offsets is None and system_offsets is None:
        require_one_index(gold=gold, system=system)
    given = _integers("gold", gold), _integers("system", system)
    n_tags = len(table) if table is not None else 1 + max(int(tags.max(initial=0)) for tags in given)
    ours = _side("gold", given[0], gold_offsets, n_tags)
    theirs = _side("system", given[1], system_offsets, n_tags)
    n_words = len(ours.word)
    if len(theirs.word) != n_words:
        raise InputError(f"{n_words} gold words and {len(theirs.word)} system words; expected equal numbers")
    bounds = _offsets("documents", [0, n_words] if documents is None else documents, n_words)
    sides = spelled_once(ours, table), spelled_once(theirs, table)
    names, unit_names = () if table is None else table.names, tuple(map(str, range(len(bounds) - 1)))
    return TagComparison(n_tags, names, *sides, owners(bounds), unit_names, table)


def compare_strings(
    gold: Sequence[Tags], system: Sequence[Tags], *, tagset: AnyTagset | None = None, documents: ArrayLike | None = None
) -> TagComparison:
    """Number the tags of words and make a comparison of them; see `score_tags`.

    >>> compare_strings(["X", ["X", "Y"]], ["X", "Y"]).names
    ('X', 'Y')
    """
    require_one_index(gold=gold, system=system)
    ids: dict[str, int] = {}
    ours, theirs = _numbered_words("gold", gold, ids), _numbered_words("system", system, ids)
    names = tuple(ids)

    def blame(tag: int, reason: str) -> InputError:
        side, (tags, offsets) = ("gold", ours) if tag in ours[0] else ("system", theirs)
        return InputError(f"{side} word {bisect_right(offsets, tags.index(tag)) - 1}: {reason}")

    for tag, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise blame(tag, f"tag {name!r:.60}; expected a text, or several")
    table = None if tagset is None else tag_table(names, tagset, blame)
    bounds = {"gold_offsets": ours[1], "system_offsets": theirs[1], "documents": documents}
    return replace(compare_ids(ours[0], theirs[0], **bounds, table=table), names=names)


def spelled_once(side: TagSide, table: TagTable | None) -> TagSide:
    """Remove tags that, according to the tagset, equal an earlier tag of the same word in another spelling."""
    if table is None or np.array_equal(table.canonical, np.arange(len(table))):
        return side
    key = owners(side.offsets) * len(table) + table.canonical[side.tags]
    first = np.sort(np.unique(key, return_index=True)[1])
    return TagSide(np.searchsorted(first, side.offsets), side.tags[first], side.word)


def _numbered_words(side: str, words: Any, ids: dict[str, int]) -> tuple[list[int], list[int]]:
    """Return the numbers of a side's tags, and the offsets of each word's tags; ``ids`` gets the new tags."""
    if isinstance(words, str | bytes | Mapping | set | frozenset) or hasattr(words, "columns"):
        kind = type(words).__name__
        raise InputError(f"{side} is a {kind}; expected one column with a tag, or several, for each word")
    words = words.to_pylist() if hasattr(words, "to_pylist") else words  # elements of Arrow arrays are not strings
    tags: list[int] = []
    offsets = [0]
    for n, word in enumerate(words):
        if isinstance(word, str):
            tags.append(ids.setdefault(word, len(ids)))
        elif isinstance(word, Iterable) and not isinstance(word, Mapping):
            tags += numbered(dict.fromkeys(word), ids)
        else:
            raise InputError(f"{side} word {n}: {word!r:.60}; expected a tag, or several")
        offsets.append(len(tags))
    return tags, offsets


def _integers(side: str, given: ArrayLike) -> NDArray[np.integer]:
    array = as_numpy(given, side)
    if array.size == 0:
        array = np.zeros(array.shape, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{side}: dtype {array.dtype} of shape {array.shape}; expected one dimension of integers")
    return array


def _offsets(name: str, given: ArrayLike | None, size: int) -> Ints:
    if given is None:
        return np.arange(size + 1, dtype=np.int64)
    array = _integers(name, given).astype(np.int64)
    if array.size == 0 or array[0] != 0 or array[-1] != size or (np.diff(array) < 0).any():
        raise InputError(f"{name} do not ascend from 0 to {size}: {np.array2string(array, threshold=6)}")
    return array


def _side(name: str, given: NDArray[np.integer], offsets: ArrayLike | None, n_tags: int) -> TagSide:
    """Check the tags of one side; word i is the word of segment i."""
    bounds = _offsets(f"{name}_offsets", offsets, given.size)
    most = min(n_tags, 1 << 31)  # tags are int32, and a pair of tags fits in int64
    if given.size and (given.min() < 0 or given.max() >= most):
        place = int(np.argmax((given < 0) | (given >= most)))
        raise InputError(f"{name}: tag {given[place]} at {place}; expected 0 to {most - 1}")
    tags = given.astype(np.int32)
    if offsets is not None:
        found = np.sort(owners(bounds) * n_tags + tags, kind="stable")  # fast where it is nearly sorted
        twice = found[1:][found[1:] == found[:-1]]
        if twice.size:
            word, tag = divmod(int(twice[0]), n_tags)
            raise InputError(f"{name}: word {word} has tag {tag} twice; expected each tag of a word once")
    return TagSide(bounds, tags, np.arange(len(bounds) - 1, dtype=np.int64))


Source = str | Path | Sequence[str | Path]

UNITS = ("document", "sentence")
"""The units that may have counts of their own."""


class TagFileOptions(TagReadingOptions, total=False):
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

    >>> from arraycoref.tagging.texts import read_tabbed
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
    **options: Unpack[TagReadingOptions],
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
    require_one_reader([*ours.values(), *theirs.values()])
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
