"""Read the usual sentences of a block of a CorefUD file with NumPy; say which sentences are unusual.

Usual sentences have no fault, and none of what few sentences have: the beginning of a document, names of fields,
mentions of several parts. `arraycoref.read.corefud` reads all others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.byte_lines import (
    BAR,
    CLOSE,
    FEED,
    FIRST_BYTES,
    HASH,
    HYPHEN,
    OPEN,
    SPACE,
    TAB,
    Bytes,
    Unusual,
    eight_bytes,
    join,
    pair_brackets,
    split_lines,
)
from arraycoref.ragged import Bools, Ints

UPOS, HEAD, DEPREL, DEPS = 3, 6, 7, 8
"""Places of columns, from 0."""

MOST_EMPTY = 1 << 16
"""Numbers of empty nodes are below in usual sentences."""


Codes = NDArray[np.uint64]


def _code(text: bytes) -> np.uint64:
    """Return up to eight bytes as a number, as `eight_bytes` does."""
    return np.uint64(int.from_bytes(text, "little"))


_ID = re.compile(rb"([0-9]{1,9})([-.])([0-9]{1,9})")
_IDS = np.arange(10_000).astype("S8").view("<u8")
_LONGEST_HEAD = 4  # digits
_ALL = np.uint64(0x0101010101010101)
_SENT_ID, _SENT_ID_END = _code(b"# sent_i"), _code(b"nt_id = ")
_OTHERS = _code(b"# newdoc"), _code(b"# global")
_ENTITY, _FLAT = _code(b"Entity="), _code(b"flat")
_MAY_BE_BLANK = np.zeros(256, np.bool_)
_MAY_BE_BLANK[[*range(SPACE + 1), 0xC2, 0xE1, 0xE2, 0xE3]] = True  # first bytes of what `str.strip` removes
_EQUALS, _BRACKET, _LAST = b"=]y"
_NAMES = np.frombuffer(b"nsg", np.uint8)  # how names of comments begin that count


@cache
def _codes_of(tags: tuple[str, ...]) -> tuple[Codes, Ints]:
    """Return the codes of tags in order, and the number of each of these tags."""
    codes = np.array([_code(tag.encode()) for tag in tags])
    order = codes.argsort()
    return codes[order], order


def _has(codes: Codes, byte: int) -> Bools:
    """Say which numbers of eight bytes have a certain one among them."""
    other = codes ^ (_ALL * np.uint64(byte))
    found: Bools = (other - _ALL & ~other & _ALL << np.uint64(7)) != 0
    return found


class Block:
    """The S sentences of a block of L lines, which begins with a line feed that belongs to none of them.

    Attributes:
        n_lines: L.
        first_line: int64 (S,) first line of each sentence, from 0.
        begin: int64 (S + 1,) position in the block of the first line of each sentence, and the end of the block.
        n_words: int64 (S,) number of words.
        first_row: int64 (S + 1,) number of words and empty nodes before each sentence, and of all.
        is_unusual: bool (S,) which sentences are to be read otherwise; `mentions` adds some.
    """

    def __init__(self, block: bytes, tags: tuple[str, ...]) -> None:
        """Find the sentences, and in them words and empty nodes.

        Raises:
            Unusual: there are no tabs, or carriage returns that are not at the end of all lines.
        """
        self._block, self._codes, lines = block, _codes_of(tags), split_lines(block)
        if not lines.tabbed:
            raise Unusual
        self._lines, self._text, self._eight = lines, lines.text, eight_bytes(np.append(lines.text, np.uint8(0)))
        is_blank = lines.start == lines.stop
        begins = ~is_blank
        begins[1:] &= is_blank[:-1]
        is_comment = (lines.text.take(lines.start) == HASH) & ~is_blank
        self.n_lines, self.first_line = len(is_blank), np.flatnonzero(begins)
        self.begin = np.append(lines.start[self.first_line], len(block))
        self._sentence = np.cumsum(begins) - 1  # of each line
        self._comment = np.flatnonzero(is_comment)
        has_ten = np.diff(lines.feeds) == 10
        self.is_unusual = np.zeros(self.first_line.size, np.bool_)
        self._doubt(self._sentence[~is_blank & ~is_comment & ~has_ten])
        self._find_rows(np.flatnonzero(has_ten & ~is_comment))

    def _doubt(self, sentences: Ints) -> None:
        self.is_unusual[sentences] = True

    def _find_rows(self, line: Ints) -> None:
        """Find words, tokens of several words and empty nodes among lines of ten columns."""
        lines, sentence = self._lines, self._sentence[line]
        start, feeds = lines.start[line], lines.feeds[line]
        length = lines.marks[feeds + 1] - start
        code = self._eight[start] & FIRST_BYTES.take(length, mode="clip")
        is_word = ~(_has(code, HYPHEN) | _has(code, ord(".")))
        n_words = np.append(0, np.cumsum(is_word))
        first_row = sentence.searchsorted(np.arange(self.is_unusual.size + 1))
        self._first_word = n_words[first_row]
        self.n_words = np.diff(self._first_word)
        self.is_unusual |= self.n_words == 0
        number = n_words[1:] - self._first_word[sentence]
        is_known = (length < 8) & (code == _IDS.take(number, mode="clip"))
        self._doubt(sentence[is_word & ~is_known])
        among_empty = np.zeros(line.size, np.int64)  # number of an empty node; 0 for a word, -1 for several
        self._read_other_ids(np.flatnonzero(~is_word), start, length, sentence, number, among_empty)
        form = lines.marks[feeds + 1] + 1
        for row in np.flatnonzero(_MAY_BE_BLANK[self._text[form]]).tolist():
            if not self._block[form[row] : lines.marks[feeds[row] + 2]].decode("utf-8").strip():
                self._doubt(sentence[row])
        kept = np.flatnonzero(among_empty >= 0)
        self._row, self._feeds, self._of_row = line[kept], feeds[kept], sentence[kept]
        self._number, self._among_empty = number[kept], among_empty[kept]
        self._word_row, self._empty_row = np.flatnonzero(is_word[kept]), np.flatnonzero(~is_word[kept])
        self.first_row = self._of_row.searchsorted(np.arange(self.is_unusual.size + 1))

    def _read_other_ids(
        self, rows: Ints, start: Ints, length: Ints, sentence: Ints, number: Ints, among_empty: Ints
    ) -> None:
        """Find out which rows are empty nodes and which are tokens of several words; write it to ``among_empty``."""
        of_rows = sentence[rows]
        columns = (start[rows], start[rows] + length[rows], of_rows, number[rows], self.n_words[of_rows])
        here, covered, before, numbers = -1, 0, (0, 0), []
        for left, right, s, n, n_words in zip(*(column.tolist() for column in columns), strict=True):
            if s != here:
                here, covered, before = s, 0, (0, 0)
            parts = _ID.fullmatch(self._block, left, right)
            first, last = (int(parts[1]), int(parts[3])) if parts else (0, 0)
            if parts and parts[2] == b".":
                numbers.append(last)
                is_usual = first == n and 0 < last < MOST_EMPTY and before < (n, last)
                before = n, last
            else:
                numbers.append(-1)
                is_usual = covered < first == n + 1 <= last <= n_words
                covered = last
            if not is_usual:
                self._doubt(s)
        among_empty[rows] = numbers

    def empty(self, first: int, stop: int, n_words: Ints) -> list[tuple[int, int, bool]]:
        """List the empty nodes of some usual sentences, as `add_sentences` of the reader wants them.

        Args:
            first: the first sentence.
            stop: the one behind the last.
            n_words: int64 (S + 1,) number of words before each sentence.
        """
        left, right = self._empty_row.searchsorted(self.first_row[[first, stop]])
        rows = self._empty_row[left:right]
        before = n_words[self._of_row[rows]] - n_words[first] + self._number[rows]
        columns = before, self._among_empty[rows], self._number[rows] == 0
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def sent_ids(self) -> list[str]:
        """Return the ``sent_id`` of each usual sentence, empty where it has none."""
        text, at, stop = self._text, self._lines.start[self._comment], self._lines.stop[self._comment]
        sentence, code, second = self._sentence[self._comment], self._eight[at], text[at + 1]
        is_id = code == _SENT_ID
        is_usual = (self._eight[np.minimum(at + 4, text.size)] == _SENT_ID_END) & (stop > at + 12)
        is_usual &= (text.take(at + 12, mode="clip") != SPACE) & (text[stop - 1] != SPACE)
        is_odd = is_id & ~is_usual | (code == _OTHERS[0]) | (code == _OTHERS[1])
        is_odd |= np.where(second == SPACE, text.take(at + 2, mode="clip") == SPACE, np.isin(second, _NAMES))
        self._doubt(sentence[is_odd])
        which = np.flatnonzero(is_id & is_usual)
        found = [""] * self.is_unusual.size
        values = _texts(text, at[which] + 12, stop[which])
        for s, value in zip(sentence[which].tolist(), values, strict=True):
            found[s] = value
        return found

    def forms(self) -> tuple[bytes, Ints]:
        """Join the forms of the words of usual sentences, with a tab behind each, or a line feed behind the last.

        Returns:
            the forms; and int64 (S + 1,) where those of each sentence begin, and their end.
        """
        of_word, feeds = self._of_row[self._word_row], self._feeds[self._word_row]
        usual = ~self.is_unusual[of_word]
        left = self._lines.marks[feeds[usual] + 1] + 1
        length = self._lines.marks[feeds[usual] + 2] - left + 1
        stop = np.append(0, np.cumsum(length))
        text = join(self._text, left, length)
        bounds = stop[np.append(0, np.cumsum(usual))[self._first_word]]
        text[bounds[1:][~self.is_unusual] - 1] = FEED
        return text.tobytes(), bounds

    def mentions(self, fields: Sequence[str], number_of: dict[str, int]) -> dict[str, NDArray[Any]]:
        """Read the mentions of usual sentences; return columns as the reader's batches have them.

        Sentences and lines are those of the block, from 0, and places are rows, which are words and empty nodes.

        Args:
            fields: names of a mention's fields.
            number_of: numbers of ids; new ones are added.

        Raises:
            Unusual: a name twice.
        """
        if len(set(fields)) < len(fields):
            raise Unusual
        flat = self._tags_of_flat()
        values, ends, row = self._values()
        begin, stop, opens, closes, owner = self._items(values, ends, row)
        hyphens = np.append(np.flatnonzero(values == HYPHEN), values.size)
        behind = hyphens.searchsorted(begin)

        def bounds_of(name: str) -> tuple[Ints, Ints]:
            k = fields.index(name)
            left = hyphens.take(behind + (k - 1), mode="clip") + 1 if k else begin
            return left, np.minimum(hyphens.take(behind + k, mode="clip"), stop) if k < len(fields) - 1 else stop

        left, right = bounds_of("eid")
        left, right = np.where(opens, left, begin), np.where(opens, right, stop)
        sentence = self._of_row[owner]
        self._doubt(sentence[(right <= left) | (values[right - 1] == _BRACKET)])
        head = np.ones(begin.size, np.int64)
        if "head" in fields:
            head, is_odd = _places(values, *bounds_of("head"))
            self._doubt(sentence[opens & is_odd])
        kept = np.flatnonzero(~self.is_unusual[sentence])
        left, right, opens, closes = left[kept], right[kept], opens[kept], closes[kept]
        owner, sentence, head = owner[kept], sentence[kept], head[kept]
        name = _texts(values, left, right)
        for each in dict.fromkeys(name):
            number_of.setdefault(each, len(number_of))
        number = np.fromiter(map(number_of.__getitem__, name), np.int64, len(name))
        last = self._ends(sentence * len(number_of) + number, sentence, opens, closes, owner)
        which = np.flatnonzero(opens)
        size = last[which] - owner[which] + 1
        self._doubt(sentence[which][head[which] > size])
        at = ~self.is_unusual[sentence[which]]
        which = which[at]
        first = owner[which]
        of_head = first + head[which] - 1
        return {
            "entity": number[which],
            "line": self._row[first],
            "sentence": sentence[which],
            "first": first,
            "last": last[which],
            "n_parts": np.ones_like(first),
            "head": of_head,
            "upos": self._tags(of_head) | flat[of_head],
            "deps": self._deps(of_head),
        }

    def _values(self) -> tuple[Bytes, Ints, Ints]:
        """Join the values of ``Entity`` that are not empty, with a line feed before the first and behind each.

        Returns:
            uint8 (N,) the values; int64 (V,) where each ends; int64 (V,) the row that has it.
        """
        text, lines = self._text, self._lines
        at = np.flatnonzero(text == _EQUALS)
        at = at[text[at - 1] == _LAST]
        at = at[(self._eight[at - 6] & FIRST_BYTES[7]) == _ENTITY]
        line = lines.start.searchsorted(at, "right") - 1
        row, before = self._row.searchsorted(line), text[at - 7]
        column = lines.marks[lines.feeds[line + 1] - 1] + 1  # the last one
        has = (np.append(self._row, -1)[row] == line) & (at - 6 >= column) & ((before == TAB) | (before == BAR))
        at, line, row = at[has], line[has], row[has]
        self._doubt(self._of_row[row[1:][row[1:] == row[:-1]]])
        bars = np.append(np.flatnonzero(text == BAR), text.size)
        length = np.minimum(bars[bars.searchsorted(at)], lines.stop[line]) - at - 1
        has = length > 0
        at, length, row = at[has], length[has] + 1, row[has]
        ends = np.cumsum(length)
        values = np.append(np.uint8(FEED), join(text, at + 1, length))
        values[ends] = FEED
        return values, ends, row

    def _items(self, values: Bytes, ends: Ints, row: Ints) -> tuple[Ints, Ints, Bools, Bools, Ints]:
        """Split values, as `_values` returns them, into items.

        Returns:
            int64 (I,) where the text of each item begins and stops; bool (I,) whether it opens a mention and whether it
            closes one; int64 (I,) its row.
        """
        is_open, is_close = values == OPEN, values == CLOSE
        is_text = ~(is_open | is_close | (values == FEED))
        edges = np.flatnonzero(is_text[:-1] != is_text[1:]) + 1
        begin, stop = edges[::2], edges[1::2]
        opens, closes = is_open[begin - 1], is_close[stop]
        empty = np.flatnonzero(is_open[:-1] & ~is_text[1:]), np.flatnonzero(is_close[1:] & ~is_text[:-1]) + 1
        odd = np.concatenate([*empty, begin[~(opens | closes)]])
        self._doubt(self._of_row[row[ends.searchsorted(odd)]])
        return begin, stop, opens, closes, row[ends.searchsorted(begin)]

    def _ends(self, group: Ints, sentence: Ints, opens: Bools, closes: Bools, row: Ints) -> Ints:
        """Return the last row of the mention that each of I items opens, int64 (I,).

        Args:
            group: int64 (I,) equal for items of one entity in one sentence.
            sentence: int64 (I,)
            opens: bool (I,)
            closes: bool (I,)
            row: int64 (I,)
        """
        brackets = np.flatnonzero(opens ^ closes)
        brackets = brackets[group[brackets].argsort(kind="stable")]
        its_group, step = group[brackets], np.where(opens[brackets], 1, -1)
        is_first = np.ones(brackets.size + 1, np.bool_)
        is_first[1:-1] = its_group[1:] != its_group[:-1]
        depth = np.cumsum(step)
        depth -= (depth - step)[is_first[:-1]][np.cumsum(is_first[:-1]) - 1]
        self._doubt(sentence[brackets[(depth < 0) | is_first[1:] & (depth != 0)]])
        kept = ~self.is_unusual[sentence[brackets]]
        opening, closing = pair_brackets(brackets[kept], its_group[kept], step[kept] > 0)
        last = row.copy()
        last[opening] = row[closing]
        return last

    def _column(self, number: int, rows: Ints | slice = slice(None)) -> tuple[Ints, Ints]:
        """Return where a column, from 0, begins in some rows, and where it ends."""
        feeds = self._feeds[rows]
        return self._lines.marks[feeds + number] + 1, self._lines.marks[feeds + (number + 1)]

    def _tags(self, rows: Ints) -> Ints:
        """Return the part of speech of some rows as a bit, 0 for none that is known."""
        left, stop = self._column(UPOS, rows)
        code = self._eight[left] & FIRST_BYTES.take(stop - left, mode="clip")
        codes, number = self._codes
        place = np.minimum(codes.searchsorted(code), codes.size - 1)
        return np.where(codes[place] == code, 1 << number[place], 0)

    def _tags_of_flat(self) -> Ints:
        """Return the parts of speech of the ``flat`` children of each row, as bits."""
        found = np.zeros(self._row.size, np.int64)
        relation, _ = self._column(DEPREL, self._word_row)
        rows = self._word_row[(self._eight[relation] & FIRST_BYTES[4]) == _FLAT]
        columns = (*self._column(HEAD, rows), self._of_row[rows], self._tags(rows))
        for left, stop, s, tag in zip(*(column.tolist() for column in columns), strict=True):
            head = self._block[left:stop]
            if head.isdigit() and head[:1] != b"0" and int(head) <= self.n_words[s]:
                found[self._word_row[self._first_word[s] + int(head) - 1]] |= tag
            elif b"." in head:
                self._doubt(s)
        return found

    def _deps(self, rows: Ints) -> NDArray[np.object_]:
        """Return the enhanced dependencies of those rows that are empty nodes, as texts."""
        found = np.full(rows.size, "", object)
        empty = np.flatnonzero(self._among_empty[rows])
        bounds = self._column(DEPS, rows[empty])
        for m, left, stop in zip(empty.tolist(), *(each.tolist() for each in bounds), strict=True):
            text = self._block[left:stop].decode("utf-8")
            found[m] = "" if text == "_" else text
        return found


def _texts(text: Bytes, left: Ints, stop: Ints) -> list[str]:
    """Return pieces of a text, which have no line feeds: int64 (P,) where each begins and where it stops."""
    joined = join(text, left, stop - left + 1)
    joined[np.cumsum(stop - left + 1) - 1] = FEED
    return joined.tobytes().decode("utf-8").split("\n")[:-1]


def _places(values: Bytes, left: Ints, stop: Ints) -> tuple[Ints, Bools]:
    """Read numbers from 1 up to `_LONGEST_HEAD` digits; where one stops before it begins, it is 1.

    Returns:
        int64 (P,) the numbers; bool (P,) which are other than that.
    """
    length, is_there = stop - left, stop >= left
    number = np.zeros(left.size, np.int64)
    is_odd = (length < 1) | (length > _LONGEST_HEAD) | (values.take(left, mode="clip") == ord("0"))
    for place in range(_LONGEST_HEAD):
        digit = values.take(left + place, mode="clip") - np.uint8(ord("0"))
        inside = place < length
        is_odd |= inside & (digit > 9)
        number = np.where(inside, 10 * number + digit, number)
    return np.where(is_there, number, 1), is_odd & is_there
