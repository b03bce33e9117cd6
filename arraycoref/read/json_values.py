"""Find the JSON values of a file: objects, on one line each, several on a line or over lines; or items of one array."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from arraycoref.errors import ReadError
from arraycoref.read.sources import collector_paused, quote
from arraycoref.runtime import Content

_SPACE = re.compile(rb"[ \t\r\n]*")
_FEED = re.compile(rb"\n|\Z")
_BAD = (ValueError, RecursionError)  # for bad syntax, bad UTF-8 and integers of thousands of digits; for deep nesting
_PIECE = 1 << 14  # bytes that are decoded for a value, at first

Each = tuple[tuple[int, int], int, object]
"""Where a value begins and ends in the file, or `NOWHERE`; its line; and the value, or a `ReadError`."""

NOWHERE = (-1, -1)


class Values:
    """The JSON texts of a file, one after the other.

    Args:
        data: the bytes of the file.

    Attributes:
        at: position behind the last text found.
        line: number of the line of that position.
        in_array: the texts are the elements of one array.
        empty: the array has no element so far.
        over: no more text can be read: the file has ended, or it is too broken to go on.
        may_span: whether an object outside an array may go on over several lines; False behind a broken one.
    """

    def __init__(self, data: Content) -> None:
        self.data = data
        self.line, self.over, self.empty = 1, False, True
        self.at = 3 if bytes(data[:3]) == codecs.BOM_UTF8 else 0
        self.may_span = True
        first = self._space(self.at)
        self.in_array = data[first : first + 1] == b"["
        if self.in_array:
            self.skip()
            self.at += 1

    def __iter__(self) -> Iterator[Each]:
        while (found := self.next()) is not None:
            yield found

    def next(self) -> Each | None:
        """Return place, line and value of the next text, a `ReadError` for broken syntax; None at the end."""
        self.skip()
        fault = self._between() if self.in_array and not self.over else None
        self.skip()
        begin, line = self.at, self.line
        if fault is not None:
            return NOWHERE, line, fault
        if self.over or (begin == len(self.data) and not self.in_array):
            self.over = True
            return None
        value = self._element(line) if self.in_array else self._text(line)
        return (begin, self.at), line, value

    def skip(self) -> None:
        """Pass over white space."""
        stop = self._space(self.at)
        self.line += bytes(self.data[self.at : stop]).count(b"\n")
        self.at = stop

    def _between(self) -> ReadError | None:
        """Go to the next element of the array, or behind the array; return the fault if anything else is there."""
        mark = bytes(self.data[self.at : self.at + 1])
        if mark == b"]":
            self.over, self.at = True, self.at + 1
            self.skip()
            return None if self.at == len(self.data) else _broken(self.line, "text after the array")
        if mark == b"," and not self.empty:
            self.at += 1
        elif not self.empty:
            self.over = True
            return _broken(self.line, "expected ',' or ']' after an element of the array")
        self.empty = False
        return None

    def _element(self, line: int) -> object:
        try:
            return self.value()
        except _BAD as error:
            self.over, self.at = True, len(self.data)
            return _broken(line + getattr(error, "lineno", 1) - 1, _explain(error))

    def _text(self, line: int) -> object:
        """Return the next text, which may share its line with others, or be an object over several lines."""
        begin, stop = self.at, self._line_end(self.at)
        try:
            return self._decoded(bytes(self.data[begin:stop]).decode())
        except _BAD as error:
            broken = error
        if self.may_span and self.data[begin : begin + 1] == b"{":
            try:
                return self.value()
            except _BAD as error:
                self.may_span = False  # else each line of a broken file would be read to the file's end
                if self._space(begin + 1) >= stop:
                    broken = error
        self.at = stop
        return _broken(line + getattr(broken, "lineno", 1) - 1, _explain(broken))

    def value(self) -> object:
        """Return the value that begins here, wherever it ends; a piece of the file is decoded, then a longer one."""
        size = _PIECE
        while True:
            piece = self.data[self.at : self.at + size]
            whole = self.at + size >= len(self.data)
            try:
                return self._decoded(codecs.utf_8_decode(piece, "strict", whole)[0], whole)
            except _BAD:
                if whole:
                    raise
            size *= 8

    def _decoded(self, text: str, whole: bool = True) -> object:
        with collector_paused():
            value, used = _DECODER.raw_decode(text)
        if used == len(text) and not whole:
            raise ValueError("a number may go on behind the piece")
        self.at += used if text.isascii() else len(text[:used].encode())
        self.line += text.count("\n", 0, used)
        return value

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.data, at)
        return match.end() if match else at

    def _line_end(self, at: int) -> int:
        match = _FEED.search(self.data, at)
        return match.start() if match else len(self.data)


class Fields(dict[str, object]):
    """An object of JSON.

    Attributes:
        twice: names of the fields that appear in it more than once, of which it holds the last values.
    """

    twice: frozenset[str] = frozenset()


def object_of(value: object, fields: Iterable[str]) -> Fields:
    """Return the value if it is an object without two of the same of some fields, of which only the last is kept.

    Raises:
        ReadError: the value is no object, or has one of the fields twice; a value that is a `ReadError` is raised.
    """
    if isinstance(value, ReadError):
        raise value
    if not isinstance(value, Fields):
        raise bad(f"expected a JSON object, not {quote(value)}")
    if twice := value.twice.intersection(fields):
        raise bad(f"the field {min(twice)!r:.60} appears twice in one object")
    return value


def bad(reason: str, option: str = "") -> ReadError:
    """Return the fault of a value; the code that catches it adds the file and the line."""
    return ReadError("", None, reason, option)


def _fields(pairs: list[tuple[str, object]]) -> Fields:
    found = Fields(pairs)
    if len(found) < len(pairs):
        found.twice = frozenset(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_fields)


def _explain(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _broken(line: int, reason: str) -> ReadError:
    return ReadError("", line, f"not JSON: {reason}")
