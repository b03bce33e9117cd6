"""Find the lines and columns of a text with NumPy, a block of lines at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Bools, Ints, Ints32

Bytes = NDArray[np.uint8]

BLOCK = 1 << 20
"""Bytes read at a time: many for what each call of NumPy costs, few for the processor's cache."""

TAB, FEED, RETURN, SPACE, HASH, OPEN, CLOSE, BAR, STAR, HYPHEN, UNDERSCORE = b"\t\n\r #()|*-_"

FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
"""Masks of the first 0 to 8 bytes of eight; see `eight_bytes`."""


MOST_NESTED = (1 << 16) - 1
"""The most mentions of one entity that `pair_brackets` finds open at a time."""


class Unusual(Exception):  # noqa: N818  # no error: another reader goes on
    """What only a reader of single lines reads, or reports as a fault."""


@dataclass(frozen=True, eq=False)
class Lines:
    """The L lines of a block, which begins with a line feed that belongs to none of them.

    Attributes:
        text: uint8 (N,) the block.
        marks: int64 (K,) where separators and line feeds are; of several spaces in a row, only the last.
        feeds: int64 (L + 1,) which of the marks are line feeds.
        start: int64 (L,) first byte of each line.
        stop: int64 (L,) past-the-last byte, without the line's end.
        tabbed: whether tabs separate the columns of all tokens; otherwise, spaces do.
    """

    text: Bytes
    marks: Ints
    feeds: Ints
    start: Ints
    stop: Ints
    tabbed: bool

    def column(self, number: int, has_it: Bools) -> tuple[Ints, Ints]:
        """Return where a column begins and ends in each line; for lines that need not have it, anything."""
        first, last = self.feeds[:-1], self.feeds[1:]
        fewest = max(abs(number), 1 + self.tabbed)
        if (has_it & (last - first < fewest)).any():
            raise Unusual
        before = last + number if number < 0 else first + (number - 1)
        left = self.marks.take(before, mode="clip") + 1
        if number == -1:
            return left, self.stop
        ends = self.marks
        if not self.tabbed:  # of several spaces in a row, the first
            is_end = self.text == SPACE
            is_end[1:] &= self.text[:-1] != SPACE
            ends = np.flatnonzero(is_end | (self.text == FEED))
        return left, np.minimum(ends.take(before + 1, mode="clip"), self.stop)


def cut(text: Bytes, at: int, stop: int, ends: Sequence[bytes]) -> bytes:
    """Return a line feed and the next lines of a text, if possible up to the end of a document; `BLOCK` bytes at most.

    Args:
        text: uint8 (N,) the text.
        at: position of a line.
        stop: past-the-last position of the text to read; the last line gets a line feed if it has none.
        ends: how the last line of a document begins, and the line feed before it; one of these, or else the next.
    """
    block = b"\n" + text[at : min(at + BLOCK, stop)].tobytes()
    if at + BLOCK >= stop:
        return block if block.endswith(b"\n") else block + b"\n"
    last_end = next((place for end in ends if (place := block.rfind(end)) >= 0), -1)
    n_bytes = block.find(b"\n", last_end + 1) if last_end >= 0 else -1
    if n_bytes < 0:
        n_bytes = block.rfind(b"\n")
    if n_bytes == 0:  # a line longer than a block
        raise Unusual
    return block[: n_bytes + 1]


def split_lines(block: bytes) -> Lines:
    """Find the lines and the columns of a block that `cut` returns."""
    text, tabbed = np.frombuffer(block, np.uint8), b"\t" in block
    is_mark = text == (TAB if tabbed else SPACE)
    if not tabbed:
        if b" \n" in block or b" \r" in block:
            raise Unusual
        is_mark[:-1] &= text[1:] != SPACE
    is_mark |= text == FEED
    marks = np.flatnonzero(is_mark)
    feeds = np.flatnonzero(text[marks] == FEED)
    places = marks.take(feeds)
    stop = places[1:]
    if b"\r" in block:
        stop = stop - 1
        if block.count(b"\r") != stop.size or (text[stop] != RETURN).any():
            raise Unusual
    return Lines(text, marks, feeds, places[:-1] + 1, stop, tabbed)


def join(text: Bytes, left: Ints, length: Ints) -> Bytes:
    """Join pieces of a text.

    Args:
        text: uint8 (N,) the text.
        left: int64 (P,) first byte of each piece.
        length: int64 (P,) how many bytes it has, at least one.
    """
    stop = np.cumsum(length)
    step = np.ones(stop[-1] if stop.size else 0, np.int64)  # from one byte to the next
    step[:1] = left[:1]
    step[stop[:-1]] = left[1:] - (left[:-1] + length[:-1] - 1)
    return text.take(np.cumsum(step))


def eight_bytes(text: Bytes) -> NDArray[np.uint64]:
    """Return the eight bytes from each position of a text on as a number, uint64 (N,); there are zeros behind it.

    Args:
        text: uint8 (N,) the text.
    """
    padded = np.append(text, np.zeros(8, np.uint8))
    return np.ndarray((text.size,), "<u8", padded.data, strides=(1,))


def number_by_appearance(groups: Ints, is_new: Bools, document: NDArray[np.integer], offsets: Ints) -> Ints32:
    """Number the entities of each document as they appear.

    Args:
        groups: int64 (I,) items, those of one entity in a row and in their order.
        is_new: bool (I,) whether an item is the first in such a row.
        document: int (I,) the document of each item, ascending.
        offsets: int64 (D + 1,) document d has the items ``offsets[d]:offsets[d + 1]``.

    Returns:
        int32 (I,) the entity of each item.
    """
    first = groups.take(np.flatnonzero(is_new))
    n_before = np.zeros(groups.size + 1, np.int32)  # how many entities appear before each item
    n_before[first + 1] = 1
    np.cumsum(n_before, out=n_before)
    group = np.cumsum(is_new, dtype=np.int32)
    group -= 1
    entity = np.empty(groups.size, np.int32)
    entity[groups] = n_before.take(first).take(group)
    entity -= n_before.take(offsets[:-1]).take(document)
    return entity


def pair_brackets(items: Ints, group: Ints | Ints32, opens: Bools) -> tuple[Ints, Ints]:
    """Pair each item that opens a mention with the one that closes it: the next of its entity and level of nesting.

    Args:
        items: int64 (I,) items that do one of both, those of an entity in a row.
        group: int32 (I,) their entities.
        opens: bool (I,) whether they open.

    Returns:
        int64 (I / 2,) the items that open, and the one that closes for each.
    """
    depth = np.cumsum(np.where(opens, np.int32(1), np.int32(-1)), dtype=np.int32)
    is_last = np.append(group[1:] != group[:-1], True)[: group.size]
    if depth.min(initial=0) < 0 or depth[is_last].any() or depth.max(initial=0) > MOST_NESTED:
        raise Unusual
    level = np.where(opens, depth, depth + 1).astype(np.uint16)
    items = items.take(level.argsort(kind="stable"))
    return items[::2], items[1::2]
