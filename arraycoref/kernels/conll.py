"""Read the usual lines of CoNLL files with NumPy, a block of lines at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Bools, Ints, Ints32
from arraycoref.read.conll import OF_END, TOKEN, classify

Bytes = NDArray[np.uint8]

BLOCK = 1 << 20
"""Bytes read at a time: many for what each call of NumPy costs, few for the processor's cache."""

TAB, FEED, RETURN, SPACE, HASH, OPEN, CLOSE, BAR, STAR, HYPHEN, UNDERSCORE = b"\t\n\r #()|*-_"

FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
"""Masks of the first 0 to 8 bytes of eight; see `eight_bytes`."""


MOST_NESTED = (1 << 16) - 1
"""The most mentions of one entity that `pair_brackets` finds open at a time."""

LONGEST_ID = 64

ENDS = b"\n#end", b"\n# end"

_SEPARATORS = b"+,;"
"""What may stand between two ids in one item or, as ``_`` may, between two items instead of a bar."""

_FREED = 1 << 24  # bytes


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


def cut(text: Bytes, at: int) -> bytes:
    """Return a line feed and the next lines of a text, if possible up to the end of a document; `BLOCK` bytes at most.

    Args:
        text: uint8 (N,) the text.
        at: position of a line. The last one of the text gets a line feed if it has none.
    """
    block = b"\n" + text[at : at + BLOCK].tobytes()
    if at + BLOCK >= text.size:
        return block if block.endswith(b"\n") else block + b"\n"
    last_end = next((place for end in ENDS if (place := block.rfind(end)) >= 0), -1)
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
    """Return the eight bytes from each position of a text on as a number, uint64 (N,); there are zeros after it.

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


def read_lines(text: Bytes, at: int, reader: Any) -> Any:
    """Read documents whose lines are all usual; the twin of `arraycoref.read.conll.read_lines`.

    Usual lines have no fault and none of what files seldom have: other white space than between columns, more than 64
    bytes in an id, numbers without a bracket, `_SEPARATORS`, ids such as ``0a`` or ``-1``.
    """
    if text.size > BLOCK:
        np.empty(_FREED, np.uint8)  # an allocator that has freed so much keeps what each block will need again
    documents, columns, reading, n_lines = [], [], _Reading(reader.column), 0
    try:
        while at < text.size:
            block = cut(text, at)
            at += len(block) - 1
            n_lines += reading.add(block, at - len(block), n_lines)
            if not reading.inside:
                rows, *mentions = reading.made()
                documents.append(rows)
                columns.append(mentions)
    except Unusual:
        return NotImplemented
    if reading.inside or not documents:
        return NotImplemented
    start, end, entity, line = (np.concatenate(each) for each in zip(*columns, strict=True))
    return np.concatenate(documents), (start, end, entity, line), []


def find_tokens(block: bytes, lines: Lines, inside: bool) -> tuple[Bools, list[tuple[int, int, int, int]]]:
    """Find the tokens among the lines of a block.

    Args:
        block: the block.
        lines: its L lines.
        inside: whether they begin in a document.

    Returns:
        bool (L,) which lines are tokens; and of each line that begins or ends a document its number, what `classify`
        returns for it, and its first and past-the-last byte, without white space at its end.
    """
    first = lines.text.take(lines.start)
    is_token = first > HASH
    others = np.flatnonzero(~is_token & (lines.stop > lines.start))
    is_token[others] = first[others] > SPACE
    if not is_token[others].all():
        raise Unusual
    others, directives = others[first[others] == HASH], []
    bounds = (others.tolist(), lines.start[others].tolist(), lines.stop[others].tolist())
    for k, start, stop in zip(*bounds, strict=True):
        line = block[start:stop].rstrip(b" \r")
        kind = classify(line, inside)
        is_token[k] = kind == TOKEN
        if kind >= OF_END:
            directives.append((k, kind, start, start + len(line)))
            inside = kind != OF_END
    return is_token, directives


@dataclass(frozen=True, eq=False)
class _Items:
    """The I items of some values: ``(ID``, ``ID)`` and ``(ID)``.

    Attributes:
        ids: uint64 (I,) arrays with eight bytes of each id, and 0 after its end.
        token: int32 (I,) token.
        opens: bool (I,) whether the item opens a mention.
        closes: bool (I,) whether it closes one.
        line: int64 (M,) lines of the items that open one.
    """

    ids: list[NDArray[np.uint64]]
    token: Ints32
    opens: Bools
    closes: Bools
    line: Ints


@dataclass(eq=False)
class _Reading:
    """Documents that were read, and the items of their coreference column.

    Attributes:
        column: the column with the coreference, 1-based, negative from the right, not 0.
        inside: whether the last document has not ended.
        n_tokens: how many tokens there are in all documents.
        documents: the rows of `read_lines`, but with the number of tokens before the document in the last column.
        items: of each block.
    """

    column: int
    inside: bool = False
    n_tokens: int = 0
    documents: list[list[int]] = field(default_factory=list)
    items: list[_Items] = field(default_factory=list)

    def add(self, block: bytes, at: int, n_lines: int) -> int:
        """Read a block, which begins at a position of the text, and return how many lines it has."""
        lines = split_lines(block)
        is_token, directives = find_tokens(block, lines, self.inside)
        n_tokens = np.cumsum(is_token, dtype=np.int32)
        n_tokens += self.n_tokens
        n_inside = self.n_tokens  # up to the last end of a document
        for k, kind, start, stop in directives:
            n = int(n_tokens[k])
            begins = kind != OF_END
            if begins == self.inside or (begins and n != n_inside):
                raise Unusual
            if begins:
                self.documents.append([at + start + kind, at + stop, n_lines + k + 1, 0, 0, n])
            else:
                document = self.documents[-1]
                document[3:5] = n - document[5], at + start
            self.inside, n_inside = begins, n
        self.n_tokens = int(n_tokens[-1])
        if not self.inside and self.n_tokens != n_inside:
            raise Unusual
        left, right = lines.column(self.column, is_token)
        size, byte = right - left, lines.text.take(left, mode="clip")
        none = (size == 1) & ((byte == UNDERSCORE) | (byte == HYPHEN) | (byte == STAR)) | (size == 0)
        which = np.flatnonzero(is_token & ~none)
        first, length = left.take(which), size.take(which) + 1
        first[:1] -= 1
        length[:1] += 1
        values = join(lines.text, first, length)
        self.items.append(_split_values(values, n_lines + 1 + which, n_tokens.take(which) - 1))
        return lines.start.size

    def made(self) -> tuple[Ints, Ints32, Ints32, Ints32, Ints]:
        """Return the documents since the last call, and the columns of their mentions; see `read_lines`."""
        documents = np.array(self.documents, np.int64).reshape(-1, 6)
        first = documents[:, 5].astype(np.int32)
        token = np.concatenate([items.token for items in self.items])
        opens = np.concatenate([items.opens for items in self.items])
        closes = np.concatenate([items.closes for items in self.items])
        offsets = np.append(token.searchsorted(first), token.size)
        document = np.repeat(np.arange(first.size, dtype=np.int32), np.diff(offsets))
        token -= first.take(document)
        line, ids = np.concatenate([items.line for items in self.items]), self._ids()
        self.documents, self.items, self.n_tokens = [], [], 0  # one document may be as long as the file
        order, group, entity = _number_entities(ids, document, offsets)
        del ids, document
        is_bracket = np.flatnonzero((opens ^ closes).take(order))
        bracket = order.take(is_bracket)
        of_bracket = group.take(is_bracket)
        del order, group, is_bracket
        opening, closing = pair_brackets(bracket, of_bracket, opens.take(bracket))
        end = token.copy()
        end[opening] = token.take(closing)
        opens_at = np.flatnonzero(opens)
        documents[:, 5] = np.diff(opens_at.searchsorted(offsets))
        return documents, token.take(opens_at), end.take(opens_at), entity.take(opens_at), line

    def _ids(self) -> list[NDArray[np.uint64]]:
        """Return the ids of all blocks, as in `_Items`."""
        n_words = max(len(items.ids) for items in self.items)
        none = [np.zeros(items.token.size, np.uint64) for items in self.items]
        return [
            np.concatenate([(*items.ids, *[zeros] * n_words)[k] for items, zeros in zip(self.items, none, strict=True)])
            for k in range(n_words)
        ]


def _split_values(values: Bytes, line: Ints, token: Ints32) -> _Items:
    """Split values into items, between which bars may stand.

    Args:
        values: uint8 (N,) the values, with white space before the first and after each.
        line: int64 (V,) their lines.
        token: int32 (V,) their tokens.
    """
    is_open, is_close, is_bar, is_end = values == OPEN, values == CLOSE, values == BAR, values <= SPACE
    is_id = ~(is_open | is_close | is_bar | is_end)
    before, after = is_id[:-1], is_id[1:]
    bad = is_open[:-1] & ~after | is_close[1:] & ~before
    bad |= is_bar[:-1] & ~(after | is_open[1:]) | is_bar[1:] & ~(before | is_close[:-1])
    if bad.any() or np.count_nonzero(is_end) > line.size + 1:
        raise Unusual
    edges = np.flatnonzero(before != after) + 1
    begin, stop = edges[::2], edges[1::2]
    opens, closes = is_open.take(begin - 1), is_close.take(stop)
    length = stop - begin
    longest = int(length.max(initial=1))
    if longest > LONGEST_ID or not (opens | closes).all():
        raise Unusual
    is_digit = values - np.uint8(ord("0")) < 10
    if np.count_nonzero(is_digit) < length.sum():
        _check_ids(values, is_digit, begin, stop)
    words = eight_bytes(np.append(values, np.zeros(LONGEST_ID, np.uint8)))
    ids = [words[begin + k] & FIRST_BYTES.take(length - k, mode="clip") for k in range(0, longest, 8)]
    owner = np.cumsum(is_end, dtype=np.int32).take(begin) - np.int64(1)  # the value of each item
    return _Items(ids, token.take(owner), opens, closes, line.take(owner.take(np.flatnonzero(opens))))


def _check_ids(values: Bytes, is_digit: Bools, begin: Ints, stop: Ints) -> None:
    """Refuse `_SEPARATORS`, ``_`` beside a bracket of another item, and ids that are a number with letters after it.

    The values, which of their bytes are digits, and the bounds of the ids are those of `_split_values`.
    """
    joined, is_mark = values.tobytes(), values == UNDERSCORE
    if b"(-1" in joined:  # entities may be withheld
        raise Unusual
    joint = is_mark[1:] & (values[:-1] == CLOSE) | is_mark[:-1] & (values[1:] == OPEN)
    if any(mark in joined for mark in _SEPARATORS) or joint.any():
        raise Unusual
    which = np.flatnonzero(((values.take(stop - 1) | 32) - np.uint8(ord("a")) < 26) & is_digit.take(begin))
    if which.size:
        n_digits = np.append(0, np.cumsum(is_digit, dtype=np.int32))
        before = n_digits.take(begin[which])
        length = n_digits.take(stop[which]) - before
        if (n_digits.take(begin[which] + length) - before == length).any():  # all digits are at the beginning
            raise Unusual


def _number_entities(ids: list[NDArray[np.uint64]], document: Ints32, offsets: Ints) -> tuple[Ints, Ints32, Ints32]:
    """Find out which items are of one entity, and number the entities of each document as they appear.

    Args:
        ids: as in `_Items`.
        document: int32 (I,) the document of each item, ascending.
        offsets: int64 (D + 1,) document d has the items ``offsets[d]:offsets[d + 1]``.

    Returns:
        int64 (I,) the items, those of one entity in a row and in their order; int32 (I,) the number of each such row;
        int32 (I,) the entity of each item, in the order of the items.
    """
    pairs = []
    for word in ids:
        n_bytes = (int(word.max(initial=1)).bit_length() + 7) // 8
        pairs += [word.view("<u2")[k::4] for k in range((n_bytes + 1) // 2)]
    *others, last = pairs
    order = last.argsort(kind="stable")  # takes linear time for so few bits
    for pair in others[::-1]:
        order = order.take(pair.take(order).argsort(kind="stable"))
    is_new = np.ones(order.size, np.bool_)
    its_document = document.take(order)
    is_new[1:] = its_document[1:] != its_document[:-1]
    for word in ids:
        theirs = word.take(order)
        is_new[1:] |= theirs[1:] != theirs[:-1]
    group = np.cumsum(is_new, dtype=np.int32)
    group -= 1
    return order, group, number_by_appearance(order, is_new, document, offsets)
