"""Read CoNLL columns: those of CoNLL-2011 and 2012, of SemEval-2010, and similar ones.

A document is the lines from ``#begin document NAME`` to ``#end document``, a line per token, with the items of the
coreference in one column: ``(3`` opens a mention of entity 3, ``3)`` closes one, ``(3)`` does both.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Ints, Ints32
from arraycoref.read.documents import Parsed, Sentences, Text, make_documents
from arraycoref.read.layers import IN_CONLL, NOTHING, Cells, Layers, informative, of_rows
from arraycoref.read.mentions import BITS, Mentions
from arraycoref.read.problems import MOST_FAULTS, ReadingOptions, quote
from arraycoref.runtime import Content
from arraycoref.twin import twin

Parts = Sequence[tuple[int, int, int]]
"""Of each part of mentions with gaps, the mention, the first and the last token."""

MentionColumns = tuple[Ints32, Ints32, Ints32, Ints]
"""First token, last token, entity and line of mentions, as in `arraycoref.read.mentions.Mentions`."""

ReadLines = tuple[Ints, MentionColumns, Parts]
"""What `read_lines` returns."""

HEADER, HEADER_END, LINE, N_TOKENS, END, N_MENTIONS = range(6)
"""Numbers of a document: the header's first and past-the-last byte, after ``#begin document``; its line,
how many tokens it has, the position where it ends, and how many mentions it has."""

SPACE = " \t\r\v\f"
OF_END, COMMENT, TOKEN = -1, -2, -3
"""What `classify` returns for lines that begin no document."""

_DIRECTIVE = re.compile(
    rb"#[ \t]*(?:begin[ \t]+document(?=[ \t(]|\Z)()|end(?:\Z|[ \t]+document(?=[ \t(]|\Z)|(?<=#end)(?=[ \t(])))"
)
_LINE = re.compile(rb"[^\n]*\n?")
_ITEM = re.compile(rb"(\()?([^()| \t-\r]+)(\))?")
_JOINT = re.compile(rb"(?<=\))([_,;]++)(?!\||\Z)|(?<=[^(|_,;])([_,;]++)(?=\()")
_BLANKS = re.compile(rb"(?<=\|) ++|(?<! ) ++(?=\|)")
_SEVERAL = re.compile(rb"[A-Za-z]*[0-9]+(?:[+,;][A-Za-z]*[0-9]+)+")
_PART_ID = re.compile(rb"([0-9]+)[A-Za-z]+")
_TWO = re.compile(rb"[0-9]+\+[0-9]")
_NO_MENTION = (b"", b"_", b"-", b"*")

NO_ENTITY = b"-1"
"""The id that keys have whose entities are withheld; in arrays and tables it means that there is no entity."""

BOM = codecs.BOM_UTF8
WORD, FEWEST_WITH_WORDS = 3, 11  # the column of words, from 0, and how many columns a file with words has
_BLOCK = 1 << 16  # bytes decoded at a time: few enough for their text to stay in the cache
_TEXT = ("utf-8", "backslashreplace")  # encoding, and how bytes are shown that are not valid in it
HEADER_PART = re.compile(r"part[ \t]+([0-9]++)\Z")  # ++ never backtracks over thousands of digits
_NO_NAME = re.compile(r"_[0-9]++")  # the name of ``(); part 000``
_LONE_RETURN = re.compile(rb"\r[^\r\n \t]")
"""One that is not white space after a word: it may be meant to end a line."""
_USUAL = re.compile(r"\((.+)\);(?:[ \t]*part[ \t]+([0-9]++))?\Z")


def classify(line: bytes, inside: bool) -> int:
    """Say what a line is that begins with ``#``: where its header begins if it begins a document, or a constant.

    It is a token if a tab follows. Inside a document, it is also a token if it has tabs and the next byte is not space,
    unless it begins or ends a document. ``# end`` with a word after it, other than ``document``, is a comment.

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
        of each item whether it opens a mention, its id, and whether it closes one; None if the value is not a sequence.
    """
    items, at = [], 0
    while at < len(value):
        item = _ITEM.match(value, at)
        if not item or not (item[1] or item[3] or (item[2].isdigit())):
            return None
        items.append((item[1] is not None, item[2], item[3] is not None))
        at = item.end()
        if value[at : at + 1] == b"|":
            at += 1
            if at == len(value):
                return None
    return items


_EMPTY_END = re.compile(rb"\t\r?$", re.MULTILINE)
_BEFORE_EMPTY = re.compile(rb"(?:^|\s)([()|\w-]+)[ \t]*\t\r?$", re.MULTILINE)
"""Match the end of a line whose last column is empty; and the cell before."""


class LineReader:
    """Reads the lines of a file, with the messages of all problems.

    Attributes:
        column: the column with the coreference, 1-based, negative from the right.
        n_faults: how many problems were reported.
        bare: how many items were skipped without a problem, and line and text of the first: numbers without a
            bracket; and for the profile ``conll``, as in the reference scorer, ``(1+2)``, if the second has one digit.
        withheld: how many mentions are of entity -1, and the line of the first.
    """

    def __init__(self, text: NDArray[np.uint8], path: str, options: ReadingOptions) -> None:
        self._text, self._path, self._options = text, path, options
        self.column = -1 if options.column is None else options.column
        self.n_faults = 0
        self.bare: tuple[int, int, str] | None = None
        self.withheld: tuple[int, int] | None = None
        self._n_lines, self._told = 0, False
        self._faults: list[tuple[int, bool, str, str]] = []  # line, whether of a mention, reason, option
        self._document: list[int] = []  # the numbers of the open one; empty outside
        self._done: list[tuple[list[int], list[NDArray[np.integer]]]] = []  # documents, and their mentions
        self._parts: list[tuple[int, int, int]] = []  # of their mentions with gaps
        self._n_done = 0  # number of their mentions
        self._start, self._end, self._entity, self._line = array("i"), array("i"), array("i"), array("q")
        self._entities: dict[bytes, int] = {}
        self._cells: list[tuple[int, bytes]] = []  # of each entity, the line and the value in which its id is first
        self._open: list[list[int]] = []  # of each entity, its mentions that are open
        self._blank = array("q")  # empty lines of the document

    def read(self, at: int) -> ReadLines:
        """Read the lines from a position on; see `read_lines`."""
        for match in _LINE.finditer(self._text.data, at):
            line = match[0].rstrip(b" \r\n")
            self._n_lines += match.end() > match.start()
            if line.strip():
                self._read_line(line, match.start())
            elif self._document:
                self._blank.append(self._n_lines)
        if self._document:
            self._report_no_end()
            self._close(self._text.size)
        self._report()
        documents = np.array([document for document, _ in self._done], np.int64).reshape(-1, 6)
        none = np.zeros(0, np.int32)
        start, end, entity = (
            np.concatenate([none, *(columns[k] for _, columns in self._done)], dtype=np.int32) for k in range(3)
        )
        lines = np.concatenate([none, *(columns[3] for _, columns in self._done)], dtype=np.int64)
        return documents, (start, end, entity, lines), self._parts

    def _read_line(self, line: bytes, at: int) -> None:
        kind = classify(line, bool(self._document)) if line.startswith(b"#") else TOKEN
        if kind >= 0:
            if self._document:
                self._report_no_end()
                self._close(at)
            self._document = [at + kind, at + len(line), self._n_lines, 0, 0, 0]
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
        if self.column == -1:
            columns = [line.rpartition(b"\t" if b"\t" in line else b" ")[2]]  # the others need not be split
        else:
            columns = line.split(b"\t") if b"\t" in line else list(filter(None, line.replace(b"\r", b" ").split(b" ")))
        index = self.column - (self.column > 0)
        value = columns[index].strip(b" \r") if -len(columns) <= index < len(columns) else None
        if value is None:
            self._fault(f"no column {self.column} in {_shown(line)}")
        elif value not in _NO_MENTION:
            for opens, who, closes in self._items(value):
                if opens:
                    self._open_mention(token, who, closes, value)
                elif not closes:
                    self._pass_over(who)
                elif opened := self._open[self._entities[who]] if who in self._entities else []:
                    self._end[opened.pop()] = token
                else:
                    self._fault(f"a mention of entity {_shown(who)} closes here, but none is open", of_mention=True)

    def _items(self, value: bytes) -> list[tuple[bool, bytes, bool]]:
        """Split a value, and report what may be read in two ways; then it is read as the reference scorer does."""
        value, is_reference = _BLANKS.sub(b"", value), self._options.profile == "conll"
        joint = _JOINT.search(value)
        if joint and not is_reference:
            where = f"{_shown(joint[1] or joint[2])} between brackets in the coreference column {_shown(value)}"
            self._fault(f"{where}; expected '|', which profile='conll' reads in its place", option="profile")
        items = split_items(_JOINT.sub(b"|", value))
        if items is None:
            self._fault(
                f"unexpected coreference column {_shown(value)}; expected '_', '-', '*' or nothing for no mention, "
                "or items '(ID', 'ID)' and '(ID)' separated by '|'. If another column holds the coreference, "
                "column=N says which",
                option="column",
            )
        clear = []
        for item in items or ():
            opens, who, closes = item
            two = opens and closes and _TWO.fullmatch(who)
            if two and is_reference:
                self._pass_over(b"(%b)" % who)
            elif _SEVERAL.fullmatch(who):
                where = f"several ids, {_shown(who)}, in the coreference column {_shown(value)}; expected one"
                fix = ", or profile='conll', which skips such anaphors with two antecedents" if two else ""
                self._fault(where + fix, option="profile" if two else "")
            else:
                clear.append(item)
        return clear

    def _pass_over(self, item: bytes) -> None:
        n, first, text = self.bare or (0, self._n_lines, str(item[:61], "ascii"))
        self.bare = n + 1, first, text

    def _open_mention(self, token: int, who: bytes, closes: bool, value: bytes) -> None:
        if who == NO_ENTITY:
            n, line = self.withheld or (0, self._n_lines)
            self.withheld = n + 1, line
        entity = self._entities.setdefault(who, len(self._open))
        if entity == len(self._open):
            self._open.append([])
            self._cells.append((self._n_lines, value))
        if not closes:
            self._open[entity].append(len(self._start))
        self._start.append(token)
        self._end.append(token if closes else -1)
        self._entity.append(entity)
        self._line.append(self._n_lines)

    def _close(self, at: int) -> None:
        """End the document, without mentions that never closed: as if these did not exist."""
        names = list(self._entities)
        for mention, entity in sorted((mention, k) for k, opened in enumerate(self._open) for mention in opened):
            reason = f"the mention of entity {_shown(names[entity])} that opens here never closes"
            self._fault(reason, self._line[mention], of_mention=True)
        columns = [np.array(column) for column in (self._start, self._end, self._entity, self._line)]
        parts = self._join_parts(*columns) if any(map(_PART_ID.fullmatch, names)) else ()
        kept = columns[1] >= 0
        if parts or not kept.all():
            columns = [column[kept] for column in columns]
            columns[2] = np.unique(columns[2], return_inverse=True)[1]
        self._document[END], self._document[N_MENTIONS] = at, columns[0].size
        new_row = self._n_done + np.cumsum(kept) - 1
        self._done.append((self._document, columns))
        self._parts += [(int(new_row[row]), first, last) for row, first, last in parts]
        self._n_done += columns[0].size
        self._document, self._entities, self._cells, self._open, self._told = [], {}, [], [], False
        for column in (self._start, self._end, self._entity, self._line, self._blank):
            del column[:]

    def _join_parts(self, start: Ints32, end: Ints32, entity: Ints32, line: Ints) -> Parts:
        """Join the parts of mentions with gaps, see `join_gaps`, and report where it is unclear what is one."""
        ids, format = list(self._entities), self._options.format
        parts, unclear = join_gaps(ids, (start, end, entity), np.searchsorted(np.array(self._blank), line), format)
        for k in unclear:
            at, cell = self._cells[k]
            reason = f"mentions {_shown(ids[k])} as in the coreference column {_shown(cell)}, which"
            if format == "craft":
                self._fault(f"{reason} are parts of a mention with gaps, overlap", at)
            else:
                reason += " may be parts of a mention with gaps, as in CRAFT, or of an entity of this name"
                self._fault(f"{reason}: format='craft' or format='conll' says which", at, option="format")
        return parts

    def _report_no_end(self) -> None:
        header, stop, begun = self._document[:3]
        name = _shown(self._text[header:stop].tobytes())
        self._fault(f"the document {name}, which begins on line {begun}, has no '#end document' up to here")

    def _fault(self, reason: str, line: int | None = None, of_mention: bool = False, option: str = "") -> None:
        self._faults.append((self._n_lines if line is None else line, of_mention, reason, option))
        if not self._options.lenient or len(self._faults) > MOST_FAULTS:
            self._report()

    def _report(self) -> None:
        """Report the problems found so far by line; of one line, those of mentions last."""
        faults, self._faults = sorted(self._faults, key=itemgetter(0, 1)), []
        self.n_faults += len(faults)
        for line, _, reason, option in faults:
            self._options.problems.error(self._path, line, reason, option)


def join_gaps(
    ids: Sequence[bytes], columns: Sequence[Ints32], sentence: Ints, format: str | None
) -> tuple[Parts, list[int]]:
    """Make one mention of all parts of each mention with gaps, which have an id of their own in the files of CRAFT.

    There, the spans of id ``32a`` are the parts of one mention of entity 32, and those of ``32b`` of another mention.
    In other files, ``32a`` may be an entity like any other. All ids of a document that are a number and letters are
    parts if the number of one of them is an id too, or occurs with other letters too. It is unclear if such spans
    overlap or are in several sentences; or if no number is an id too, but the spans of an id could be parts and other
    ids are numbers. Source: the evaluation of the CRAFT Shared Tasks of 2019.

    Args:
        ids: the ids of a document's entities.
        columns: int (M,) first and last token and entity of each mention. They are changed: the first part becomes
            the mention. A last token of -1 means to leave it out, as the other parts are.
        sentence: int (M,) the sentence.
        format: ``craft`` if such ids are parts in any sentences, ``conll`` if none is one.

    Returns:
        The parts; and the entities that may have parts or not, whose mentions are left out.
    """
    if format == "conll":
        return (), []
    start, end, entity = columns
    of_number: dict[bytes, list[int]] = {}
    for k, who in enumerate(ids):
        if part := _PART_ID.fullmatch(who):
            of_number.setdefault(part[1], []).append(k)
    own = list(chain(*of_number.values()))
    for k, who in enumerate(ids if own else ()):
        if who in of_number:
            of_number[who].append(k)
    is_clear = format == "craft" or max(map(len, of_number.values()), default=0) > 1
    rows = np.flatnonzero(np.isin(entity, own) & (end >= 0))
    rows = rows[np.lexsort((start[rows], entity[rows]))]
    is_again = np.append(False, np.diff(entity[rows]) == 0)[: rows.size]
    is_odd = np.append(False, start[rows][1:] <= end[rows][:-1])[: rows.size]
    if format != "craft":
        is_odd |= np.append(False, np.diff(sentence[rows]) != 0)[: rows.size]
    odd = np.unique(entity[rows[is_again & is_odd]])
    if not is_clear:
        odd = np.setdiff1d(entity[rows[is_again]], odd) if any(map(bytes.isdigit, ids)) else odd[:0]
    end[np.isin(entity, odd)] = -1
    if not is_clear:
        return (), odd.tolist()
    is_kept = end[rows] >= 0
    rows, is_again = rows[is_kept], is_again[is_kept]
    mention = rows[np.maximum.accumulate(np.where(is_again, 0, np.arange(rows.size)))]
    parts = list(zip(mention.tolist(), start[rows].tolist(), end[rows].tolist(), strict=True))
    np.maximum.at(end, mention, end[rows])
    end[rows[is_again]] = -1
    first = np.arange(len(ids))
    for every in of_number.values():
        first[every] = min(every)
    entity[:] = first[entity]
    return parts, odd.tolist()


@twin("conll.read_lines", each=1e-7, size=lambda text, *_: text.size, compiled=False)
def read_lines(text: NDArray[np.uint8], at: int, reader: LineReader) -> ReadLines:
    """Read the documents of a file.

    Args:
        text: uint8 (N,) bytes of the file.
        at: position of its first line.
        reader: reads lines.

    Returns:
        int64 (D, 6) the numbers of each document, see `HEADER`; the columns of the mentions, in the order in which they
        open; the parts of those with gaps.
    """
    return reader.read(at)


def _shown(value: bytes) -> str:
    return quote(str(value[:400], "utf-8", "backslashreplace").strip(SPACE))


def read_conll(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read the documents of a CoNLL file.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.

    Raises:
        ReadError: an error, where reading is strict.
    """
    text = np.frombuffer(data, np.uint8)
    text.flags.writeable = False
    bad = find_bad_text(text)
    if bad is not None:
        reason = "not text in UTF-8: a binary file, or another encoding"
        options.problems.error(path, _line_at(text, bad), reason)  # a lenient reader goes on: names may be in Latin-1
    split = _LONE_RETURN.search(text.data) if (text == ord("\r")).any() else None
    if split is not None:
        reason = "a carriage return within a line; expected lines that end in LF or CR LF"
        options.problems.error(path, _line_at(text, split.start()), reason)
    reader = LineReader(text, path, options)
    rows, (start, end, entity, line), parts = read_lines(text, len(BOM) if text[:3].tobytes() == BOM else 0, reader)
    if options.column is None:
        for first, begin, at, n_tokens, stop, n in rows.tolist():
            after = text.data[begin:stop] if n_tokens and not n else b""
            cells = b"".join(_BEFORE_EMPTY.findall(after))  # words have brackets too, but hardly as many of both kinds
            if len(_EMPTY_END.findall(after)) >= n_tokens and 0 < cells.count(b"(") == cells.count(b")"):
                name = quote(str(text.data[first:begin], *_TEXT).strip(SPACE))
                reason = f"the document {name} has no mention in its last column, which is empty, but in the one before"
                options.problems.error(path, at, f"{reason}: give the number of the right one, -1 or -2")
    if reader.withheld is not None:
        n, first = reader.withheld
        reason = f"{n:,} {'mention is' if n == 1 else 'mentions are'} of entity -1, which counts like any other id here"
        options.problems.warning(path, first, f"{reason}; does it mean that the entities are withheld?")
    if not len(rows) and not reader.n_faults:
        reason = "no document; expected '#begin document NAME', token lines and '#end document'"
        options.problems.error(path, None, reason)
    headers = tuple(str(text.data[a:b], *_TEXT).strip(SPACE) for a, b in rows[:, [HEADER, HEADER_END]].tolist())
    n, width, column = len(rows), 0, -1 if options.column is None else options.column
    for first, stop in rows[:1, [HEADER_END, END]].tolist():
        width = len(next(filter(None, _tokens(text[first : min(stop, first + _BLOCK)])), []))
    texts = [
        ConllText(n_tokens=n_tokens, data=text[first:stop], column=column, width=width)
        for first, n_tokens, stop in rows[:, [HEADER_END, N_TOKENS, END]].tolist()
    ]
    parsed = map(parse_header, headers)
    names = [None if not name or (n == 1 and _NO_NAME.fullmatch(name)) else name for name in parsed]
    mentions = Mentions(np.arange(n, dtype=np.int32).repeat(rows[:, N_MENTIONS]), start, end, entity, line)
    if parts:
        mentions = _with_parts(mentions, parts)
    documents = make_documents(path, names, mentions, texts, headers=headers)
    return Parsed(documents, tuple(rows[:, LINE].tolist()), bare_numbers=reader.bare)


def _with_parts(mentions: Mentions, rows: Parts) -> Mentions:
    """Return mentions with the parts of those that have gaps."""
    of_part, first, last = np.array(rows, np.int64).T
    whole = np.delete(np.arange(len(mentions)), of_part)
    owner = np.append(whole, of_part)
    begin, end = np.append(mentions.start[whole], first), np.append(mentions.end[whole], last)
    order = np.lexsort((begin, owner))
    parts = np.stack([begin, end], axis=1)[order].astype(np.int64) + 1 << BITS
    return replace(mentions, parts=parts, part_bounds=owner[order].searchsorted(np.arange(len(mentions) + 1)))


@dataclass(eq=False, kw_only=True)
class ConllText(Text):
    """The text of a document in columns.

    Attributes:
        data: uint8 (N,) its bytes, from the end of its header on.
        column: the column of the coreference, from 1, or from -1 at the right.
        width: how many columns the first token of the file has; the words are known in files of many columns only.
    """

    data: NDArray[np.uint8]
    column: int
    width: int

    @property
    def has_words(self) -> bool:
        """Whether the file has the words."""
        return self.width >= FEWEST_WITH_WORDS

    def sentences(self) -> Sentences | None:
        """Return the words, from the fourth column; an empty list if all of them are ``_``."""
        if not self.has_words:
            return None
        sentences = self._column(WORD)
        return sentences if set(chain.from_iterable(sentences)) != {"_"} else []

    def cells(self, name: str) -> Cells:
        """Return a column of CoNLL-2012, if the file has the words; empty if it says nothing."""
        place = IN_CONLL[name]
        is_other = not self.has_words or self.column in (place + 1, place - self.width)
        return [] if is_other else informative({name: self._column(place)}).get(name, [])

    def _column(self, place: int) -> Cells:
        """Return the cells of a column, sentence by sentence; empty texts in lines that end before it."""
        cells: Cells = [[]]
        for columns in _tokens(self.data, place + 1):
            if columns:
                cell = columns[place] if len(columns) > place else b""
                cells[-1].append(str(cell.strip(b" \r"), *_TEXT))
            elif cells[-1]:
                cells.append([])
        return [sentence for sentence in cells if sentence]

    def layers(self) -> Layers:
        """Return what the columns say."""
        rows: list[list[list[str]]] = [[]]
        for columns in _tokens(self.data):
            if columns:
                rows[-1].append([cell.strip(" \r") for cell in str(b"\t".join(columns), *_TEXT).split("\t")])
            elif rows[-1]:
                rows.append([])
        rows = [sentence for sentence in rows if sentence]
        if self.has_words:
            return of_rows(rows, self.column)
        index = self.column - (self.column > 0)
        others = [cells[:index] + cells[index:][1:] for sentence in rows for cells in sentence]
        usual = {*NOTHING, *others[0][:1]} if others else NOTHING  # the name of the document
        n_cells = sum(not cell.isdigit() and cell not in usual for cells in others for cell in cells)
        return Layers([], others={"cells of columns that may be words": n_cells})

    def looks_like(self, other: Text) -> bool:
        """Whether all lines are those of another document in columns."""
        return self is other or (
            isinstance(other, ConllText)
            and (self.has_words, self.data.size) == (other.has_words, other.data.size)
            and self.data.tobytes() == other.data.tobytes()
        )


def _tokens(text: NDArray[np.uint8], most: int = -1) -> Iterator[list[bytes]]:
    """Yield the columns of each token of a document, split as the scanner does, and [] for each empty line.

    The rest of the header is skipped, and the columns from ``most`` on stay joined.
    """
    for line in text.tobytes().split(b"\n")[1:]:
        columns = line.split(b"\t", most)
        is_comment = line.startswith(b"# ") or (line[:1] == b"#" and len(columns) == 1)
        if not line.strip():
            yield []
        elif not is_comment:
            yield columns if len(columns) > 1 else list(filter(None, line.replace(b"\r", b" ").split(b" ")))


def _line_at(text: NDArray[np.uint8], position: int) -> int:
    feeds = (np.count_nonzero(text[at : min(at + _BLOCK, position)] == 10) for at in range(0, position, _BLOCK))
    return 1 + sum(map(int, feeds))


def find_bad_text(text: NDArray[np.uint8]) -> int | None:
    """Return the position of the first NUL, or else of the first byte that is not UTF-8; None if all is well."""
    if not text.size or text.view(np.int8).min() > 0:  # ASCII without NUL, in one pass
        return None
    if text.min() == 0:
        return int(text.argmin())
    decoder = codecs.getincrementaldecoder("utf-8")()
    at = 0
    while at <= text.size:
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(text[at : at + _BLOCK].data, final=at + _BLOCK > text.size)
        except UnicodeDecodeError as error:
            return at - pending + error.start
        at += _BLOCK
    return None


def parse_header(header: str) -> str:
    """Return the document name of a header: ``x_3`` for ``(x); part 003``, ``x`` for ``(x);``, ``(x)`` or ``x``."""
    usual = _USUAL.match(header)  # twice as fast as `_parse_unusual`
    name, digits = usual.groups() if usual else _parse_unusual(header)
    return f"{name}_{digits.lstrip('0') or '0'}" if digits else name


def _parse_unusual(header: str) -> tuple[str, str | None]:
    """Return the name in a header, and the digits of its part, if it has one."""
    text = header.strip(SPACE)
    head, semicolon, tail = text.rpartition(";")
    if semicolon and not tail:
        text, head, tail = head, "", ""
    part = HEADER_PART.match(tail.strip(SPACE)) if semicolon else None
    if part:
        text = head
    elif text.startswith("(") and not text.endswith(")"):  # "(x) part 003", without the semicolon
        head, bracket, tail = text.rpartition(")")
        part = HEADER_PART.match(tail.strip(SPACE))
        text = head + bracket if part else text
    text = text.strip(SPACE)
    name = text[1:-1] if len(text) > 1 and text.startswith("(") and text.endswith(")") else text
    return name, part[1] if part else None
