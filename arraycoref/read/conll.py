"""Read CoNLL columns: those of CoNLL-2011 and 2012, of SemEval-2010, and similar ones.

A document is the lines from ``#begin document NAME`` to ``#end document``, a line per token, with the items of the
coreference in one column: ``(3`` opens a mention of entity 3, ``3)`` closes one, ``(3)`` does both.
`arraycoref.read.conll_lines` reads these lines; this module has the rest: headers, words, the bytes of a file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.ragged import Ints, bounds_of
from arraycoref.read.conll_lines import (
    END,
    HEADER,
    HEADER_END,
    LINE,
    N_MENTIONS,
    N_TOKENS,
    SPACE,
    Columns,
    LineReader,
    Parts,
    read_piece,
)
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.faults import ReadingOptions, quote
from arraycoref.read.layers import Layers, of_rows
from arraycoref.read.mentions import BITS, Mentions
from arraycoref.runtime import Content, split_suffixes

PIECE = 3 << 18
"""Bytes read at once. A piece in which something is unusual is read line by line."""

BOM = codecs.BOM_UTF8
WORD, FEWEST_WITH_WORDS = 3, 11  # the column of words, from 0, and how many columns a file with words has
_BLOCK = 1 << 16  # bytes decoded at a time: few enough for their text to stay in the cache
_TEXT = ("utf-8", "backslashreplace")  # encoding, and how bytes are shown that are not valid in it
PART = re.compile(r"part[ \t]+([0-9]++)\Z")  # ++ never backtracks over thousands of digits
_PART_ONLY = re.compile(r"_[0-9]++")  # the name of ``(); part 000``
_LONE_RETURN = re.compile(rb"\r[^\r\n \t]")
"""One that is no white space behind a word: it may be meant to end a line."""
_USUAL = re.compile(r"\((.+)\);(?:[ \t]*part[ \t]+([0-9]++))?\Z")


def read_conll(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read the documents of a CoNLL file.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.

    Raises:
        ReadError: what `options.on_error` raises.
    """
    text = np.frombuffer(data, np.uint8)
    text.flags.writeable = False
    bad = find_bad_text(text)
    if bad is not None:
        reason = "not text in UTF-8: a binary file, or another encoding"
        options.on_error(ReadError(path, _line_at(text, bad), reason))
    split = _LONE_RETURN.search(text.data) if (text == ord("\r")).any() else None
    if split is not None:
        reason = "a carriage return within a line; expected lines that end in LF or CR LF"
        options.on_error(ReadError(path, _line_at(text, split.start()), reason))
    reader, at, n_lines = LineReader(text, path, options), len(BOM) if text[:3].tobytes() == BOM else 0, 0
    pieces: list[tuple[Ints, Columns, Parts]] = []
    while at < text.size or not pieces:
        numbers, columns, parts, at, n_lines = read_piece(text, at, n_lines, at + PIECE, reader)
        pieces.append((numbers, columns, parts))
    rows = np.concatenate([rows for rows, *_ in pieces])
    start, end, entity, line = map(np.concatenate, zip(*(columns for _, columns, _ in pieces), strict=True))
    if options.column is None:
        for row in rows[(rows[:, N_MENTIONS] == 0) & (rows[:, N_TOKENS] > 0)].tolist():
            _report_if_lost(row, text, path, options)
    if reader.withheld is not None:
        n, first = reader.withheld
        reason = f"{n:,} {'mention is' if n == 1 else 'mentions are'} of entity -1, which counts like any other id here"
        options.on_doubt(ReadError(path, first, f"{reason}; does it mean that the entities are withheld?"))
    if not len(rows) and not reader.n_faults:
        reason = "no document; expected '#begin document NAME', token lines and '#end document'"
        options.on_error(ReadError(path, None, reason))
    headers = tuple(str(text.data[a:b], *_TEXT).strip(SPACE) for a, b in rows[:, [HEADER, HEADER_END]].tolist())
    places, n = rows[:, [HEADER_END, END]], len(rows)
    file_text = None
    for first, stop in places[:1].tolist():  # without words if the first token has too few columns
        token = next(filter(None, _tokens(text, first, min(stop, first + _BLOCK))), [])
        if len(token) >= FEWEST_WITH_WORDS:
            layers = partial(layers_of, text, -1 if options.column is None else options.column)
            file_text = FileText(text, partial(sentences_of, text), "conll", layers=layers)
    names, stem = list(map(parse_header, headers)), PurePath(split_suffixes(path)[0]).name
    named = np.array([bool(name) and not (n == 1 and _PART_ONLY.fullmatch(name)) for name in names], np.bool_)
    for d in np.flatnonzero(~named).tolist():
        names[d] = stem if n == 1 else str(d + 1)
    mentions = Mentions(np.arange(n, dtype=np.int32).repeat(rows[:, N_MENTIONS]), start, end, entity, line)
    if any(parts for *_, parts in pieces):
        mentions = _with_parts(mentions, pieces)
    documents = Documents(
        tuple(names),
        headers,
        (path,) * n,
        ("word",) * n,
        named,
        ((),) * n,
        mentions,
        Text((file_text,) * n, places, rows[:, N_TOKENS].copy(), ((),) * n),
    )
    return Parsed(documents, tuple(rows[:, LINE].tolist()), bare_numbers=reader.bare)


def _with_parts(mentions: Mentions, pieces: list[tuple[Ints, Columns, Parts]]) -> Mentions:
    """Return mentions with the parts of those that have gaps."""
    before = bounds_of(columns[0] for _, columns, _ in pieces).tolist()
    rows = [
        (n + row, first, last) for n, (*_, parts) in zip(before, pieces, strict=False) for row, first, last in parts
    ]
    of_part, first, last = np.array(rows, np.int64).T
    whole = np.delete(np.arange(len(mentions)), of_part)
    owner = np.append(whole, of_part)
    begin, end = np.append(mentions.start[whole], first), np.append(mentions.end[whole], last)
    order = np.lexsort((begin, owner))
    parts = np.stack([begin, end], axis=1)[order].astype(np.int64) + 1 << BITS
    return replace(mentions, parts=parts, part_bounds=owner[order].searchsorted(np.arange(len(mentions) + 1)))


def sentences_of(text: NDArray[np.uint8], first: int, stop: int) -> Sentences:
    """Return the words of a document, from the fourth column, by sentence; an empty list if all of them are ``_``.

    Args:
        text: uint8 (N,) bytes of the file.
        first: position in the document's header; the lines after it are read.
        stop: position where the document ends.
    """
    with_empty: Sentences = [[]]
    for columns in _tokens(text, first, stop, WORD + 1):
        if columns:
            cell = columns[WORD] if len(columns) > WORD else b""
            with_empty[-1].append(str(cell.strip(b" \r"), *_TEXT))
        elif with_empty[-1]:
            with_empty.append([])
    sentences = [sentence for sentence in with_empty if sentence]
    return sentences if set(chain.from_iterable(sentences)) != {"_"} else []


def layers_of(text: NDArray[np.uint8], column: int, first: int, stop: int) -> Layers:
    """Return what the columns of a document say; the first and the last argument are those of `sentences_of`.

    Args:
        text: uint8 (N,) bytes of the file.
        column: the column of the coreference, from 1, or from -1 at the right.
        first: see there.
        stop: see there.
    """
    rows: list[list[list[str]]] = [[]]
    for columns in _tokens(text, first, stop):
        if columns:
            rows[-1].append([cell.strip(" \r") for cell in str(b"\t".join(columns), *_TEXT).split("\t")])
        elif rows[-1]:
            rows.append([])
    return of_rows([sentence for sentence in rows if sentence], column)


def _tokens(text: NDArray[np.uint8], first: int, stop: int, most: int = -1) -> Iterator[list[bytes]]:
    """Yield the columns of each token of a document, split as the scanner does, and [] for each blank line.

    The columns from ``most`` on stay joined.
    """
    for line in text[first:stop].tobytes().split(b"\n")[1:]:
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
    part = PART.match(tail.strip(SPACE)) if semicolon else None
    if part:
        text = head
    elif text.startswith("(") and not text.endswith(")"):  # "(x) part 003", without the semicolon
        head, bracket, tail = text.rpartition(")")
        part = PART.match(tail.strip(SPACE))
        text = head + bracket if part else text
    text = text.strip(SPACE)
    name = text[1:-1] if len(text) > 1 and text.startswith("(") and text.endswith(")") else text
    return name, part[1] if part else None


def _report_if_lost(row: list[int], text: NDArray[np.uint8], path: str, options: ReadingOptions) -> None:
    """Report a document without a mention that has some, and no fault, if the tab at the end of each line is removed.

    An empty column follows such a tab. It is valid and means no mention: all mentions would be lost without a message.

    Args:
        row: the document's numbers, see `arraycoref.read.conll_lines.HEADER`.
        text: uint8 (N,) bytes of the file.
        path: name of the file.
        options: its ``on_error`` is called.
    """
    first, begin, line, n_tokens, end, _ = row
    after = text[begin:end].tobytes()
    if b"(" not in after or (b"\t\n" not in after and b"\t\r\n" not in after):
        return
    lines = after.split(b"\n")
    kept = [token.rstrip(b" \t\r") for token in lines]
    if sum(token.endswith((b"\t", b"\t\r")) for token in lines) < n_tokens:
        return
    faults: list[ReadError] = []
    other = np.frombuffer(b"\n".join([b"#begin document", *kept, b"#end"]), np.uint8)
    lenient = replace(options, lenient=True, on_error=faults.append)
    documents, (start, *_), *_ = LineReader(other, path, lenient).read(0, 0, other.size)
    if start.size and not faults and documents[0, N_TOKENS] == n_tokens:
        name = quote(str(text.data[first:begin], *_TEXT).strip(SPACE))
        reason = f"the document {name} has no mention in its last column, which is empty, but may have in the one "
        options.on_error(ReadError(path, line, f"{reason}before: give the number of the right one, -1 or -2"))
