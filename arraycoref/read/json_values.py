"""Find the JSON texts of a file: one per line, the elements of one array, or one object on several lines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from arraycoref.deadline import check_time
from arraycoref.errors import ReadError

_SPACE = re.compile(r"[ \t\r\n]*")
_ARRAY = re.compile(rb"[ \t\r\n]*\[")
_BAD = (ValueError, RecursionError)  # of json: bad syntax, bad UTF-8, integers of thousands of digits; deep nesting


def json_values(data: bytes | bytearray) -> Iterator[tuple[int, object]]:
    """Yield line and value of each JSON text; a `ReadError` as the value where the syntax is broken."""
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if _ARRAY.match(data, at):
        yield from _elements(data[at:])
        return
    line = 0
    begun = False
    while at < len(data):
        check_time()
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        line += 1
        text = data[at:stop].strip()
        if text:
            try:
                value = json.loads(text.decode(), object_pairs_hook=_fields)
            except _BAD as error:
                if text[:1] == b"{" and not begun:  # one object on several lines?
                    try:
                        yield line, json.loads(data[at:].decode(), object_pairs_hook=_fields)
                    except _BAD:
                        pass
                    else:
                        return
                value = _broken(line, _explain(error))
            begun = True
            yield line, value
        at = stop + 1


def _elements(data: bytes | bytearray) -> Iterator[tuple[int, object]]:
    """Yield the elements of one JSON array, one at a time, with their lines."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        yield line, _broken(line, _explain(error))
        return
    decoder = json.JSONDecoder(object_pairs_hook=_fields)
    line, counted = 1, 0
    at = _skip(text, 0)
    empty, closed = True, False
    while not closed:
        check_time()
        at = _skip(text, at + 1)  # past the bracket or the comma
        line, counted = line + text.count("\n", counted, at), at
        if empty and text[at : at + 1] == "]":
            break
        empty = False
        try:
            value, at = decoder.raw_decode(text, at)
        except _BAD as error:
            yield line, _broken(getattr(error, "lineno", line), _explain(error))
            return
        yield line, value
        at = _skip(text, at)
        closed = text[at : at + 1] == "]"
        if not closed and text[at : at + 1] != ",":
            line += text.count("\n", counted, at)
            yield line, _broken(line, "expected ',' or ']' after an element of the array")
            return
    if _skip(text, at + 1) < len(text):
        line += text.count("\n", counted, _skip(text, at + 1))
        yield line, _broken(line, "text after the array")


class Fields(dict[str, object]):
    """An object of JSON.

    Attributes:
        twice: names of the fields that appear in it more than once, of which it holds the last values.
    """

    twice: frozenset[str] = frozenset()


def _fields(pairs: list[tuple[str, object]]) -> Fields:
    found = Fields(pairs)
    if len(found) < len(pairs):
        found.twice = frozenset(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
    return found


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _explain(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _broken(line: int, reason: str) -> ReadError:
    return ReadError("", line, f"not JSON: {reason}")
