"""Integers or strings of two sides -> a `TagComparison`; the one place that validates tag arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.table import TagTable, tag_table
from arraycoref.tagging.tagsets import Tagset

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]

MAX_TAGS = 1 << 31
"""Tags are int32; a pair of tags then fits in int64."""


def compare_ids(
    gold: ArrayLike,
    system: ArrayLike,
    *,
    gold_offsets: ArrayLike | None = None,
    system_offsets: ArrayLike | None = None,
    documents: ArrayLike | None = None,
    table: TagTable | None = None,
) -> TagComparison:
    """Check integer tags; see `score_tag_ids`."""
    gold_tags, system_tags = _integers("gold", gold), _integers("system", system)
    offsets = [
        _offsets(f"{side}_offsets", given, tags.size)
        for side, given, tags in (("gold", gold_offsets, gold_tags), ("system", system_offsets, system_tags))
    ]
    n_words = len(offsets[0]) - 1
    if len(offsets[1]) - 1 != n_words:
        raise InputError(f"{n_words} gold words and {len(offsets[1]) - 1} system words; expected as many")
    n_tags = len(table) if table is not None else 1 + int(max(gold_tags.max(initial=0), system_tags.max(initial=0)))
    if n_tags > MAX_TAGS:
        raise InputError(f"tag {n_tags - 1}; expected tags below {MAX_TAGS}")
    tags = [
        _tags(side, offsets[i], given, n_tags)
        for i, (side, given) in enumerate((("gold", gold_tags), ("system", system_tags)))
    ]
    bounds = _offsets("documents", np.array([0, n_words]) if documents is None else documents, n_words)
    words = np.arange(n_words, dtype=np.int64)
    return TagComparison(
        n_tags=n_tags,
        names=() if table is None else table.names,
        gold_offsets=offsets[0],
        gold_tags=tags[0],
        system_offsets=offsets[1],
        system_tags=tags[1],
        gold_word=words,
        system_word=words,
        unit=np.repeat(np.arange(len(bounds) - 1, dtype=np.int64), np.diff(bounds)),
        unit_names=tuple(map(str, range(len(bounds) - 1))),
        table=table,
    )


def compare_strings(
    gold: Sequence[str | Iterable[str]],
    system: Sequence[str | Iterable[str]],
    *,
    tagset: Tagset | None = None,
    documents: ArrayLike | None = None,
) -> TagComparison:
    """Number the tags of words; see `score_tags`."""
    ids: dict[str, int] = {}
    columns: list[list[int]] = []
    for side in (gold, system):
        flat: list[int] = []
        offsets = [0]
        for word in side:
            tags = (word,) if isinstance(word, str) else dict.fromkeys(word)
            flat.extend(ids.setdefault(tag, len(ids)) for tag in tags)
            offsets.append(len(flat))
        columns += [flat, offsets]
    names = tuple(ids)

    def blame(tag: int, reason: str) -> None:
        side, place = next((i, columns[2 * i].index(tag)) for i in (0, 1) if tag in columns[2 * i])
        word = int(np.searchsorted(columns[2 * side + 1], place, side="right")) - 1
        raise InputError(f"{('gold', 'system')[side]} word {word}: {reason}")

    compared = compare_ids(
        columns[0],
        columns[2],
        gold_offsets=columns[1],
        system_offsets=columns[3],
        documents=documents,
        table=None if tagset is None else tag_table(names, tagset, blame),
    )
    return replace(compared, names=names)


def _integers(side: str, given: ArrayLike) -> NDArray[np.integer]:
    try:
        array = np.asarray(given)
    except (ValueError, TypeError) as error:  # lists of different lengths, among others
        raise InputError(f"{side}: no array of integers can be made of it: {error}") from error
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
        raise InputError(f"{name} do not ascend from 0 to {size}")
    return array


def _tags(side: str, offsets: Int64, given: NDArray[np.integer], n_tags: int) -> Int32:
    from arraycoref.kernels.tags import first_fault

    if given.size and (given.min() < 0 or given.max() >= n_tags):
        place = int(np.argmax((given < 0) | (given >= n_tags)))
        raise InputError(f"{side}: tag {given[place]} at {place}; expected 0 to {n_tags - 1}")
    tags = np.require(given, np.int32, ("C", "A", "W"))  # read-only arrays would be compiled for once more
    word, place = first_fault(offsets, tags) if len(offsets) - 1 != given.size else (-1, -1)
    if word >= 0:
        raise InputError(f"{side}: word {word} has tag {tags[place]} twice; expected each tag of a word once")
    return tags
