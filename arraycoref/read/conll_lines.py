"""Read CoNLL files line by line: every line that may be in one, and the messages of all faults."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.read.sources import MOST_FAULTS, ReadingOptions, quote

HEADER, HEADER_END, LINE, N_TOKENS, END, N_MENTIONS = range(6)
"""Numbers of a document in `Found.documents`."""

SPACE = " \t\r\v\f"
OF_END, COMMENT, TOKEN = -1, -2, -3
"""What `classify` returns for lines that begin no document."""

_DIRECTIVE = re.compile(
    rb"#[ \t]*(?:begin[ \t]+document(?=[ \t(]|\Z)()|end(?:\Z|[ \t]+document(?=[ \t(]|\Z)|(?<=#end)(?=[ \t(])))"
)
_LINE = re.compile(rb"[^\n]*\n?")
_ITEM = re.compile(rb"(\()?([^()| \t-\r]+)(\))?")
_NO_MENTION = (b"", b"_", b"-", b"*")


@dataclass(eq=False)
class Found:
    """Documents found so far in a CoNLL file, and their mentions, in arrays that grow.

    Attributes:
        documents: int64, six numbers for each document: the `HEADER`'s first and past-the-last byte, behind ``#begin
            document``, its `LINE`, how many tokens it has, the position where it ends, and how many mentions it has.
        start: int32 (M,) first token of each mention, in the order in which mentions open.
        end: int32 (M,) last token.
        entity: int32 (M,) entity, numbered from 0 in each document in the order in which ids appear.
        line: int64 (M,) line on which the mention opens.
    """

    documents: array[int] = field(default_factory=partial(array, "q"))
    start: array[int] = field(default_factory=partial(array, "i"))
    end: array[int] = field(default_factory=partial(array, "i"))
    entity: array[int] = field(default_factory=partial(array, "i"))
    line: array[int] = field(default_factory=partial(array, "q"))


def classify(line: bytes, inside: bool) -> int:
    """Say what a line is that begins with ``#``: where its header begins if it begins a document, or a constant.

    It is a token if a tab follows. Inside a document, it is also a token if it has tabs and the next byte is no space,
    unless it begins or ends a document. ``# end`` with a word behind it, other than ``document``, is a comment.

    Args:
        line: the line, without white space at its end.
        inside: whether a document is open.
    """
    if line[1:2] == b"\t":
        return TOKEN
    directive = _DIRECTIVE.match(line)
    if directive:
        return directive.end(1)  # -1 for an end
    return TOKEN if inside and b"\t" in line and line[1:2] != b" " else COMMENT


def split_items(value: bytes) -> list[tuple[bool, bytes, bool]] | None:
    """Split a value of the coreference column: a sequence of ``(ID``, ``ID)`` and ``(ID)``, with or without bars.

    Numbers without a bracket may stand among them.

    Returns:
        of each item whether it opens a mention, its id, and whether it closes one; None if the value is no sequence.
    """
    items, at = [], 0
    while at < len(value):
        found = _ITEM.match(value, at)
        if not found or not (found[1] or found[3] or (found[2].isdigit())):
            return None
        items.append((found[1] is not None, found[2], found[3] is not None))
        at = found.end()
        if value[at : at + 1] == b"|":
            at += 1
            if at == len(value):
                return None
    return items


class LineReader:
    """Reads the lines of a file, from any line outside of documents on.

    Attributes:
        column: the column with the coreference, 1-based, negative from the right.
        n_faults: how many faults were reported.
        bare: how many numbers without a bracket were passed over, and line and value of the first.
    """

    def __init__(self, text: NDArray[np.uint8], path: str, options: ReadingOptions, found: Found) -> None:
        self._text, self._path, self._options, self._found = text, path, options, found
        self.column = -1 if options.column is None else options.column
        self.n_faults = 0
        self.bare: tuple[int, int, str] | None = None
        self._n_lines, self._told = 0, False
        self._faults: list[tuple[int, bool, str, str]] = []  # line, whether of a mention, reason
        self._document: list[int] = []  # the open one, with the number of mentions before it; empty outside
        self._entities: dict[bytes, int] = {}
        self._open: list[list[int]] = []  # of each entity, its mentions that are open

    def read(self, at: int, n_lines: int, stop: int) -> tuple[int, int]:
        """Read up to the first end of a document that is at `stop` or behind, or else to the end of the text.

        Args:
            at: position of a line outside of documents.
            n_lines: how many lines are before it.
            stop: a position.

        Returns:
            the position that was reached, and how many lines are before it.
        """
        self._n_lines = n_lines
        for found in _LINE.finditer(self._text.data, at):
            line, was_inside = found[0].rstrip(b" \r\n"), bool(self._document)
            self._n_lines += found.end() > found.start()
            if line.strip():
                self._read_line(line, at)
            at = found.end()
            if at >= stop and was_inside and not self._document:
                break
        if self._document:
            self._report_no_end()
            self._close(at)
        self._report()
        return at, self._n_lines

    def _read_line(self, line: bytes, at: int) -> None:
        kind = classify(line, bool(self._document)) if line.startswith(b"#") else TOKEN
        if kind >= 0:
            if self._document:
                self._report_no_end()
                self._close(at)
            self._document = [at + kind, at + len(line), self._n_lines, 0, 0, len(self._found.start)]
            self._told = False
        elif kind == OF_END and self._document:
            self._close(at)
        elif kind == OF_END:
            self._fault("'#end document' without '#begin document'")
        elif kind == TOKEN and self._document:
            self._read_token(line)
        elif kind == TOKEN and not self._told:
            self._fault(f"text outside a document: {_shown(line)}; expected '#begin document NAME' before it")
            self._told = True

    def _read_token(self, line: bytes) -> None:
        token = self._document[N_TOKENS]
        self._document[N_TOKENS] += 1
        value = self._pick(line)
        if value is None:
            self._fault(f"no column {self.column} in {_shown(line)}")
        elif value not in _NO_MENTION:
            items = split_items(value)
            if items is None:
                self._fault(
                    f"unexpected coreference column {_shown(value)}; expected '_', '-', '*' or nothing for no mention, "
                    "or items '(ID', 'ID)' and '(ID)' separated by '|'. If another column holds the coreference, "
                    "column=N says which",
                    option="column",
                )
            for opens, who, closes in items or ():
                if opens:
                    self._open_mention(token, who, closes)
                elif closes:
                    self._close_mention(token, who)
                else:
                    n, first, text = self.bare or (0, self._n_lines, str(who[:61], "ascii"))
                    self.bare = n + 1, first, text

    def _pick(self, line: bytes) -> bytes | None:
        """Return the value of the column; None where the line lacks it."""
        tabbed = b"\t" in line
        if self.column == -1:
            return line.rpartition(b"\t" if tabbed else b" ")[2].strip(b" ")
        columns = line.split(b"\t") if tabbed else list(filter(None, line.split(b" ")))
        index = self.column - 1 if self.column > 0 else self.column
        return columns[index].strip(b" ") if -len(columns) <= index < len(columns) else None

    def _open_mention(self, token: int, who: bytes, closes: bool) -> None:
        entity, found = self._entities.setdefault(who, len(self._open)), self._found
        if entity == len(self._open):
            self._open.append([])
        if not closes:
            self._open[entity].append(len(found.start))
        found.start.append(token)
        found.end.append(token if closes else -1)
        found.entity.append(entity)
        found.line.append(self._n_lines)

    def _close_mention(self, token: int, who: bytes) -> None:
        opened = self._open[self._entities[who]] if who in self._entities else []
        if opened:
            self._found.end[opened.pop()] = token
        else:
            self._fault(f"a mention of entity {_shown(who)} closes here, but none is open", of_mention=True)

    def _close(self, at: int) -> None:
        """End the document; drop mentions that never closed, and number its entities without theirs."""
        found, first = self._found, self._document[N_MENTIONS]
        names = list(self._entities)
        unclosed = sorted((mention, entity) for entity, opened in enumerate(self._open) for mention in opened)
        for mention, entity in unclosed:
            reason = f"the mention of entity {_shown(names[entity])} that opens here never closes"
            self._fault(reason, found.line[mention], of_mention=True)
        if unclosed:
            kept = [k for k in range(first, len(found.end)) if found.end[k] >= 0]
            numbers = {entity: k for k, entity in enumerate(sorted({found.entity[k] for k in kept}))}
            found.entity[first:] = array("i", [numbers[found.entity[k]] for k in kept])
            for each in (found.start, found.end, found.line):
                each[first:] = array(each.typecode, [each[k] for k in kept])
        self._document[END], self._document[N_MENTIONS] = at, len(found.start) - first
        found.documents.extend(self._document)
        self._document, self._entities, self._open, self._told = [], {}, [], False

    def _report_no_end(self) -> None:
        header, stop, begun = self._document[:3]
        name = _shown(self._text[header:stop].tobytes())
        self._fault(f"the document {name}, which begins on line {begun}, has no '#end document' up to here")

    def _fault(self, reason: str, line: int | None = None, of_mention: bool = False, option: str = "") -> None:
        self._faults.append((self._n_lines if line is None else line, of_mention, reason, option))
        if not self._options.lenient or len(self._faults) > MOST_FAULTS:
            self._report()

    def _report(self) -> None:
        """Report the faults found so far by line; of one line, those of mentions last."""
        faults, self._faults = sorted(self._faults, key=itemgetter(0, 1)), []
        self.n_faults += len(faults)
        for line, _, reason, option in faults:
            self._options.on_error(ReadError(self._path, line, reason, option))


def _shown(value: bytes) -> str:
    return quote(str(value[:400], "utf-8", "backslashreplace").strip(SPACE))
