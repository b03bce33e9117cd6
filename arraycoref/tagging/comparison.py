"""Compare the tags of two sides, segment by segment: the record that is scored, and all checks of tag arrays."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError
from arraycoref.lazy import cached_property
from arraycoref.options import Policies
from arraycoref.records import Record
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.scoring.labels import as_numpy, index_of
from arraycoref.tagging.table import TagTable, tag_table
from arraycoref.tagging.tagsets import AnyTagset
from arraycoref.tagging.texts import numbered, owners

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

MAX_TAGS = 1 << 31
"""Limit on the number of different tags: tags are int32, and a pair of tags fits in int64."""


@dataclass(frozen=True, eq=False)
class TagSide(Record):
    """The tags of one side's W words, and the word that this side has in each of N segments.

    Attributes:
        offsets: int64 (W+1,) word w has the tags ``tags[offsets[w]:offsets[w + 1]]``.
        tags: int32 (T,) indices of distinct tags.
        word: int64 (N,) this side's word in each segment, -1 where it has none.
    """

    offsets: Int64
    tags: Int32
    word: Int64


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
        facets: the parts of tags that are measures of their own, such as UPOS in CoNLL-U, by name. Each is int32 (V,),
            a number for each tag; numbers are equal where the parts are equal.
        number_forms: called when word forms are needed; returns the distinct forms, and int32 (N,) the form of each
            segment. None if there are no forms.
        unit_kind: what the units are, ``document`` or ``sentence``; for the signature.
        policies: what was done with files that one side lacks; for the signature.
    """

    n_tags: int
    names: tuple[str, ...]
    gold: TagSide
    system: TagSide
    unit: Int64
    unit_names: tuple[str, ...]
    table: TagTable | None = None
    facets: Mapping[str, Int32] = field(default_factory=dict)
    number_forms: Callable[[], tuple[tuple[str, ...], Int32]] | None = None
    unit_kind: str = "document"
    policies: Policies = field(default_factory=Policies)

    def __len__(self) -> int:
        return int(self.unit.shape[0])

    @cached_property
    def _pairs(self) -> tuple[Int32, Int64]:
        from arraycoref.kernels.tag_pairs import pair_tags

        gold, system = self.gold, self.system
        tags = (gold.offsets, gold.tags, system.offsets, system.tags)
        return pair_tags(gold.word, system.word, *tags, self.n_tags, LABEL_SEED)

    @property
    def cells(self) -> Int32:
        """int32 (C,) the index of the pair in each cell; a segment has a cell for each assigned and each gold tag."""
        return self._pairs[0]

    @cached_property
    def pairs(self) -> tuple[Int64, Int64]:
        """The P distinct pairs: int64 (P,) assigned and int64 (P,) gold tags."""
        assigned, gold = np.divmod(self._pairs[1], max(self.n_tags, 1))
        return assigned, gold


def check_comparison(given: object) -> None:
    """Refuse an argument that is no comparison, such as scores."""
    if not isinstance(given, TagComparison):
        kind = type(given).__name__
        raise InputError(f"comparison is a {kind}; expected what compare_files, compare_strings or compare_ids returns")


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
    if table is not None and not isinstance(table, TagTable):
        raise InputError(f"table is {table!r:.60}; expected one that tag_table makes")
    if gold_offsets is None and system_offsets is None:
        _check_index(gold, system)
    given = _integers("gold", gold), _integers("system", system)
    n_tags = len(table) if table is not None else 1 + max(int(tags.max(initial=0)) for tags in given)
    if n_tags > MAX_TAGS:
        raise InputError(f"tag {n_tags - 1}; expected tags below {MAX_TAGS}")
    ours = _side("gold", given[0], gold_offsets, n_tags)
    theirs = _side("system", given[1], system_offsets, n_tags)
    n_words = len(ours.word)
    if len(theirs.word) != n_words:
        raise InputError(f"{n_words} gold words and {len(theirs.word)} system words; expected equal numbers")
    bounds = _offsets("documents", [0, n_words] if documents is None else documents, n_words)
    names, unit_names = () if table is None else table.names, tuple(map(str, range(len(bounds) - 1)))
    sides = spelled_once(ours, table), spelled_once(theirs, table)
    return TagComparison(n_tags, names, *sides, owners(bounds), unit_names, table)


def spelled_once(side: TagSide, table: TagTable | None) -> TagSide:
    """Remove tags that, according to the tagset, equal an earlier tag of the same word in another spelling."""
    if table is None or np.array_equal(table.canonical, np.arange(len(table))):
        return side
    word = owners(side.offsets)
    first = np.sort(np.unique(word * len(table) + table.canonical[side.tags], return_index=True)[1])
    return TagSide(np.searchsorted(first, side.offsets), side.tags[first], side.word)


def compare_strings(
    gold: Sequence[str | Iterable[str]],
    system: Sequence[str | Iterable[str]],
    *,
    tagset: AnyTagset | None = None,
    documents: ArrayLike | None = None,
) -> TagComparison:
    """Number the tags of words and make a comparison of them; see `score_tags`.

    >>> compare_strings(["X", ["X", "Y"]], ["X", "Y"]).names
    ('X', 'Y')
    """
    ids: dict[str, int] = {}
    _check_index(gold, system)
    ours, theirs = _numbered("gold", gold, ids), _numbered("system", system, ids)
    names: tuple[Any, ...] = tuple(ids)

    def blame(tag: int, reason: str) -> None:
        side, (tags, offsets) = ("gold", ours) if tag in ours[0] else ("system", theirs)
        raise InputError(f"{side} word {bisect_right(offsets, tags.index(tag)) - 1}: {reason}")

    for tag, name in enumerate(names):
        if not isinstance(name, str) or not name:
            blame(tag, f"tag {name!r:.60}; expected a text, or several")
    table = None if tagset is None else tag_table(names, tagset, blame)
    bounds = {"gold_offsets": ours[1], "system_offsets": theirs[1], "documents": documents}
    return replace(compare_ids(ours[0], theirs[0], **bounds, table=table), names=names)


def _check_index(gold: object, system: object) -> None:
    """Refuse two Series whose indices differ, since words are compared by position."""
    ours, theirs = index_of(gold), index_of(system)
    if ours is not None and theirs is not None and len(ours) == len(theirs) and not ours.equals(theirs):
        raise InputError("gold and system are Series whose indices differ; expected the same words in the same order")


def _numbered(side: str, words: Iterable[Any], ids: dict[str, int]) -> tuple[list[int], list[int]]:
    """Return the numbers of a side's tags, and the offsets of each word's tags; ``ids`` gets the new tags."""
    if hasattr(words, "columns"):
        raise InputError(f"{side} is a table; expected one column with a tag, or several, for each word")
    unordered = isinstance(words, set | frozenset)
    if unordered or not _is_several(type(words)) or getattr(words, "ndim", 1) == 0:
        raise InputError(f"{side} is {words!r:.60}; expected a tag, or several, for each word")
    words = words.to_pylist() if hasattr(words, "to_pylist") else list(words)  # elements of Arrow arrays are no strings
    odd = [kind for kind in set(map(type, words)) if not issubclass(kind, str) and not _is_several(kind)]
    tags: list[int] = []
    offsets = [0]
    for n, word in enumerate(words):
        try:
            several = (word,) if isinstance(word, str) or type(word) in odd else dict.fromkeys(word)
            tags += numbered(several, ids)
        except TypeError as error:  # a list where a tag is expected has no hash
            raise InputError(f"{side} word {n}: {word!r:.60}; expected a tag, or several") from error
        offsets.append(len(tags))
    return tags, offsets


def _is_several(kind: type) -> bool:
    return issubclass(kind, Iterable) and not issubclass(kind, str | bytes | Mapping)


def _integers(side: str, given: ArrayLike) -> NDArray[np.integer]:
    array = as_numpy(given, side)
    if array.size == 0:
        array = np.zeros(array.shape, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{side}: dtype {array.dtype} of shape {array.shape}; expected one dimension of integers")
    return array


def _offsets(name: str, given: ArrayLike | None, size: int) -> Int64:
    if given is None:
        return np.arange(size + 1, dtype=np.int64)
    array = np.require(_integers(name, given), np.int64, ("C", "A", "W"))
    if array.size == 0 or array[0] != 0 or array[-1] != size or (np.diff(array) < 0).any():
        raise InputError(f"{name} do not ascend from 0 to {size}: {np.array2string(array, threshold=6)}")
    return array


def _side(name: str, given: NDArray[np.integer], offsets: ArrayLike | None, n_tags: int) -> TagSide:
    """Check the tags of one side; word i is the word of segment i."""
    from arraycoref.kernels.tags import first_fault

    bounds = _offsets(f"{name}_offsets", offsets, given.size)
    if given.size and (given.min() < 0 or given.max() >= n_tags):
        place = int(np.argmax((given < 0) | (given >= n_tags)))
        raise InputError(f"{name}: tag {given[place]} at {place}; expected 0 to {n_tags - 1}")
    tags = np.require(given, np.int32, ("C", "A", "W"))  # numba would compile kernels again for read-only arrays
    several = offsets is not None and bool((np.diff(bounds) > 1).any())
    word, place = first_fault(bounds, tags) if several else (-1, -1)
    if word >= 0:
        raise InputError(f"{name}: word {word} has tag {tags[place]} twice; expected each tag of a word once")
    return TagSide(bounds, tags, np.arange(len(bounds) - 1, dtype=np.int64))
