"""Read the usual lines of CoNLL files with NumPy, a block of lines at a time; leave all others to `LineReader`."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arraycoref.read.conll_lines import END, LINE, N_MENTIONS, N_TOKENS, OF_END, TOKEN, Found, classify

Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

BLOCK = 1 << 19
"""Bytes read at a time; the arrays made of so many fit into the processor's cache."""

LONGEST_ID = 64
MOST_NESTED = (1 << 16) - 1

TAB, FEED, RETURN, SPACE, HASH, OPEN, CLOSE, BAR, STAR, HYPHEN, UNDERSCORE = b"\t\n\r #()|*-_"

_FREED = 1 << 24  # bytes
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


class Unusual(Exception):  # noqa: N818  # no error: another reader goes on
    """What only `LineReader` reads, or reports as a fault."""


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


def cut(text: Bytes, at: int, stop: int) -> bytes:
    """Return a line feed and the next lines of a text, if possible up to the end of a document; `BLOCK` bytes at most.

    Args:
        text: uint8 (N,) the text.
        at: position of a line.
        stop: past-the-last position of the text to read; the last line gets a line feed if it has none.
    """
    block = b"\n" + text[at : min(at + BLOCK, stop)].tobytes()
    if at + BLOCK >= stop:
        return block if block.endswith(b"\n") else block + b"\n"
    last_end = block.rfind(b"\n#end")
    if last_end < 0:
        last_end = block.rfind(b"\n# end")
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


def read_blocks(text: Bytes, column: int, at: int, n_lines: int, found: Found) -> tuple[int, int, int]:
    """Read documents for as long as all their lines are usual.

    Usual lines have no fault and none of what files seldom have: other white space than between columns, more than 64
    bytes in an id, numbers without a bracket.

    Args:
        text: uint8 (N,) bytes of a file, in UTF-8 and without NUL.
        column: the column with the coreference, 1-based, negative from the right, not 0.
        at: position of a line outside of documents.
        n_lines: how many lines are before it.
        found: receives the documents.

    Returns:
        the position of the first line that was not read, which is outside of documents; how many lines are before it;
        and the position up to which lines were looked at.
    """
    if text.size > BLOCK:
        np.empty(_FREED, np.uint8)  # an allocator that has freed so much keeps what each block will need again
    done, reading = (at, n_lines), _Reading()
    with contextlib.suppress(Unusual):
        while at < text.size:
            block = cut(text, at, text.size)
            at += len(block) - 1
            n_lines += reading.add(block, column, at - len(block), n_lines)
            if not reading.inside:
                reading.make(found)
                done, reading = (at, n_lines), _Reading()
    return *done, at


@dataclass(eq=False)
class _Reading:
    """Documents that were read, and those of their values in the coreference column that mean mentions.

    Attributes:
        inside: whether the last document has not ended.
        n_tokens: how many tokens there are in all documents.
        documents: as in `Found`, but with the number of tokens before the document in place of `N_MENTIONS`.
        values: of each block, uint8 the values, each with the byte behind it; int64 (V,) their lines; int64 (V,) their
            tokens.
    """

    inside: bool = False
    n_tokens: int = 0
    documents: list[list[int]] = field(default_factory=list)
    values: list[tuple[Bytes, Ints, Ints]] = field(default_factory=list)

    def add(self, block: bytes, column: int, at: int, n_lines: int) -> int:
        """Read a block, which begins at a position of the text, and return how many lines it has."""
        lines = split_lines(block)
        is_token, directives = find_tokens(block, lines, self.inside)
        n_tokens = np.cumsum(is_token, dtype=np.int64)
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
                document[N_TOKENS], document[END] = n - document[N_MENTIONS], at + start
            self.inside, n_inside = begins, n
        self.n_tokens = int(n_tokens[-1])
        if not self.inside and self.n_tokens != n_inside:
            raise Unusual
        left, right = lines.column(column, is_token)
        size, byte = right - left, lines.text.take(left, mode="clip")
        none = (size == 1) & ((byte == UNDERSCORE) | (byte == HYPHEN) | (byte == STAR)) | (size == 0)
        which = np.flatnonzero(is_token & ~none)
        values = join(lines.text, left.take(which), size.take(which) + 1)
        self.values.append((values, n_lines + 1 + which, n_tokens.take(which) - 1))
        return lines.start.size

    def make(self, found: Found) -> None:
        """Make mentions of the values, and add them and the documents to those found before."""
        documents = np.array(self.documents, np.int64).reshape(-1, 6)
        values, line, token = map(np.concatenate, zip(*self.values, strict=True))
        begin, length, opens, closes, owner = _split_values(values, line.size)
        line, token = line.take(owner), token.take(owner)
        offsets = np.append(line.searchsorted(documents[:, LINE]), line.size)
        document = np.repeat(np.arange(len(documents)), np.diff(offsets))
        token -= documents[:, N_MENTIONS].take(document)
        order, is_new = _group_ids(values, begin, length, document)
        group = np.cumsum(is_new) - 1
        seen = order.take(np.flatnonzero(is_new))  # the first item of each entity
        n_before = np.zeros(order.size + 1, np.int64)  # entities that appear before an item
        n_before[seen + 1] = 1
        n_before = np.cumsum(n_before)
        entity = np.empty(order.size, np.int64)
        entity[order] = n_before.take(seen).take(group)
        entity -= n_before.take(offsets[:-1]).take(document)
        end, is_bracket = token.copy(), np.flatnonzero((opens ^ closes).take(order))
        bracket = order.take(is_bracket)
        opening, closing = _pair(bracket, group.take(is_bracket), opens.take(bracket))
        end[opening] = token.take(closing)
        opens_at = np.flatnonzero(opens)
        documents[:, N_MENTIONS] = np.diff(opens_at.searchsorted(offsets))
        for column, each in ((found.start, token), (found.end, end), (found.entity, entity)):
            column.frombytes(each.take(opens_at).astype(np.int32).tobytes())
        found.line.frombytes(line.take(opens_at).tobytes())
        found.documents.frombytes(documents.tobytes())


def _split_values(values: Bytes, n_values: int) -> tuple[Ints, Ints, Bools, Bools, Ints]:
    """Split values into items: a sequence of ``(ID``, ``ID)`` and ``(ID)``, with or without bars between them.

    Args:
        values: uint8 (N,) the values, each with white space behind it.
        n_values: how many there are.

    Returns:
        int64 (I,) first byte of each item's id, and its length; bool (I,) whether the item opens a mention, and whether
        it closes one; int64 (I,) number of its value.
    """
    is_open, is_close, is_bar, is_end = values == OPEN, values == CLOSE, values == BAR, values <= SPACE
    is_id = ~(is_open | is_close | is_bar | is_end)
    before, after = is_id[:-1], is_id[1:]
    bad = is_open[:-1] & ~after | is_close[1:] & ~before
    bad |= is_bar[:-1] & ~(after | is_open[1:]) | is_bar[1:] & ~(before | is_close[:-1])
    if bad.any() or (is_close | is_bar)[:1].any() or np.count_nonzero(is_end) > n_values:
        raise Unusual
    begin = np.flatnonzero(np.append(is_id[:1], after & ~before))
    stop = np.flatnonzero(before & ~after) + 1
    opens, closes = is_open.take(begin - 1), is_close.take(stop)
    if not (opens | closes).all():
        raise Unusual
    return begin, stop - begin, opens, closes, np.cumsum(is_end, dtype=np.int64).take(begin)


def _group_ids(values: Bytes, begin: Ints, length: Ints, document: Ints) -> tuple[Ints, Bools]:
    """Bring items of the same document and id together.

    Args:
        values: uint8 (N,) bytes that hold the ids.
        begin: int64 (I,) first byte of each item's id.
        length: int64 (I,) its length.
        document: int64 (I,) the item's document, ascending.

    Returns:
        int64 (I,) the items, those of one document and id in a row and in their order; bool (I,) whether each is the
        first of such a row.
    """
    longest = int(length.max(initial=0))
    if longest > LONGEST_ID:
        raise Unusual
    padded = np.append(values, np.zeros(LONGEST_ID + 8, np.uint8))
    words = np.ndarray((values.size + LONGEST_ID,), "<u8", padded.data, strides=(1,))  # the eight bytes from each on
    chunks = [words[begin + k] & _FIRST_BYTES.take(length - k, mode="clip") for k in range(0, max(longest, 1), 8)]
    *others, last = [chunk.view("<u2")[k::4] for chunk in chunks for k in range(4)][: max(1, (longest + 1) // 2)]
    order = last.argsort(kind="stable")  # in linear time, as numbers of 16 bits
    for pair_of_bytes in others[::-1]:
        order = order.take(pair_of_bytes.take(order).argsort(kind="stable"))
    is_new = np.zeros(order.size, np.bool_)
    is_new[:1] = True
    for each in (*chunks, document):
        ordered = each.take(order)
        is_new[1:] |= ordered[1:] != ordered[:-1]
    return order, is_new


def _pair(items: Ints, group: Ints, opens: Bools) -> tuple[Ints, Ints]:
    """Pair each item that opens a mention with the one that closes it: the next of its entity and level of nesting.

    Args:
        items: int64 (I,) items that do one of both, those of an entity in a row.
        group: int64 (I,) their entities.
        opens: bool (I,) whether they open.

    Returns:
        int64 (I / 2,) the items that open, and the one that closes for each.
    """
    depth = np.cumsum(np.where(opens, 1, -1))
    is_last = np.append(group[1:] != group[:-1], True)[: group.size]
    if depth.min(initial=0) < 0 or depth[is_last].any() or depth.max(initial=0) > MOST_NESTED:
        raise Unusual
    level = np.where(opens, depth, depth + 1).astype(np.uint16)
    items = items.take(level.argsort(kind="stable"))
    return items[::2], items[1::2]
