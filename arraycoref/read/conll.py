"""Read CoNLL columns: those of CoNLL-2011 and 2012, of SemEval-2010, and similar ones.

A document is the lines from ``#begin document NAME`` to ``#end document``, a line per token, with the items of the
coreference in one column: ``(3`` opens a mention of entity 3, ``3)`` closes one, ``(3)`` does both. A compiled scanner
(`arraycoref.read.conll_scanner`) finds documents, mentions and faults in one pass over the bytes; this module says what
they mean: names of documents, messages of faults, words.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.read.conll_scanner import END, FIRST, HEADER, HEADER_END, LINE, MOST_TOKENS, N_TOKENS, scan_bytes
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.sources import ReadingOptions, quote
from arraycoref.runtime import Content

WORD, FEWEST_WITH_WORDS = 3, 11  # the column of words, from 0, and how many columns a file with words has
_BLOCK = 1 << 16  # bytes decoded at a time: few enough for their text to stay in the cache
_SPACE = " \t\r\v\f"
_TEXT = ("utf-8", "backslashreplace")  # encoding, and how bytes are shown that are not valid in it
_PART = re.compile(r"part[ \t]+([0-9]++)\Z")  # ++ never backtracks over thousands of digits
_LONE_RETURN = re.compile(rb"\r[^\r\n]")
_USUAL = re.compile(r"\((.+)\);(?:[ \t]*part[ \t]+([0-9]++))?\Z")


def read_conll(data: Content, path: str, options: ReadingOptions, max_tokens: int = MOST_TOKENS) -> Parsed:
    """Read the documents of a CoNLL file.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.
        max_tokens: most tokens that a document may have.

    Raises:
        ReadError: what `options.on_error` raises; and, if lenient too, a document of more than `max_tokens` tokens.
    """
    text = np.frombuffer(data, np.uint8)
    text.flags.writeable = False
    begin = 3 if text[:3].tobytes() == codecs.BOM_UTF8 else 0
    bad, split = find_bad_text(text[begin:]), _LONE_RETURN.search(text.data)
    if bad is not None:
        reason = "not text in UTF-8: a binary file, or another encoding"
        options.on_error(ReadError(path, _line_at(text[begin:], bad), reason))
    if split is not None:
        reason = "a carriage return within a line; expected lines that end in LF or CR LF"
        options.on_error(ReadError(path, _line_at(text, split.start()), reason))
    scanned = scan_bytes(
        text, -1 if options.column is None else options.column, options.lenient, max_tokens, begin=begin
    )
    for at in np.argsort(scanned.faults[:, 1], kind="stable"):  # one by one: each line may have a fault
        _report(scanned.faults[at].tolist(), text, path, options, max_tokens)
    rows = scanned.documents
    offsets = np.append(rows[:, FIRST], scanned.start.size)
    if options.column is None:
        for d in np.flatnonzero((np.diff(offsets) == 0) & (rows[:, N_TOKENS] > 0)).tolist():
            _report_if_lost(d, rows, text, path, options)
    if not len(rows) and not len(scanned.faults):
        reason = "no document; expected '#begin document NAME', token lines and '#end document'"
        options.on_error(ReadError(path, None, reason))
    headers = tuple(str(text.data[a:b], *_TEXT).strip(_SPACE) for a, b in rows[:, [HEADER, HEADER_END]].tolist())
    places, n = rows[:, [HEADER_END, END]], len(rows)
    file_text = None
    for first, stop in places[:1].tolist():  # without words if the first token has too few columns
        token = next(filter(None, _tokens(text, first, min(stop, first + _BLOCK))), [])
        if len(token) >= FEWEST_WITH_WORDS:
            file_text = FileText(text, partial(sentences_of, text), "conll")
    documents = Documents(
        tuple(map(parse_header, headers)),
        headers,
        (path,) * n,
        offsets,
        scanned.start,
        scanned.end,
        scanned.entity,
        scanned.line,
        n_tokens=rows[:, N_TOKENS].copy(),
        counted=np.ones(n, np.bool_),
        named=np.ones(n, np.bool_),
        units=("word",) * n,
        text=Text((file_text,) * n, places),
    )
    n_bare, line, at = scanned.bare
    value = re.split("[^0-9]", str(text.data[at : at + 61], *_TEXT), maxsplit=1)[0]
    return Parsed(documents, tuple(rows[:, LINE].tolist()), bare_numbers=(n_bare, line, value) if n_bare else None)


def sentences_of(text: NDArray[np.uint8], first: int, stop: int) -> Sentences:
    """Return the words of a document, from the fourth column, by sentence; an empty list if all of them are ``_``.

    Args:
        text: uint8 (N,) bytes of the file.
        first: position in the document's header; the lines after it are read.
        stop: position where the document ends.
    """
    found: Sentences = [[]]
    for columns in _tokens(text, first, stop, WORD + 1):
        if columns:
            cell = columns[WORD] if len(columns) > WORD else b""
            found[-1].append(str(cell.strip(b" \r"), *_TEXT))
        elif found[-1]:
            found.append([])
    sentences = [sentence for sentence in found if sentence]
    return sentences if set(chain.from_iterable(sentences)) != {"_"} else []


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
            yield columns if len(columns) > 1 else list(filter(None, line.split(b" ")))


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
    found = _USUAL.match(header)  # twice as fast as `_parse_unusual`
    name, digits = found.groups() if found else _parse_unusual(header)
    return f"{name}_{digits.lstrip('0') or '0'}" if digits else name


def _parse_unusual(header: str) -> tuple[str, str | None]:
    """Return the name in a header, and the digits of its part, if it has one."""
    text = header.strip(_SPACE)
    head, semicolon, tail = text.rpartition(";")
    if semicolon and not tail:
        text, head, tail = head, "", ""
    part = _PART.match(tail.strip(_SPACE)) if semicolon else None
    if part:
        text = head
    elif text.startswith("(") and not text.endswith(")"):  # "(x) part 003", without the semicolon
        head, bracket, tail = text.rpartition(")")
        part = _PART.match(tail.strip(_SPACE))
        text = head + bracket if part else text
    text = text.strip(_SPACE)
    name = text[1:-1] if len(text) > 1 and text.startswith("(") and text.endswith(")") else text
    return name, part[1] if part else None


def _report(row: list[int], text: NDArray[np.uint8], path: str, options: ReadingOptions, max_tokens: int) -> None:
    from arraycoref.kernels import conll_lines as lines, conll_mentions as mentions

    kind, line, first, stop, begun = row
    value = quote(str(text.data[first : min(stop, first + 400)], *_TEXT).strip(_SPACE))
    number = -1 if options.column is None else options.column
    reason = {
        lines.BAD_VALUE: f"unexpected coreference column {value}; expected '_', '-', '*' or nothing for no mention, "
        "or items '(ID', 'ID)' and '(ID)' separated by '|'. If another column holds the coreference, give its number",
        lines.TOO_FEW_COLUMNS: f"no column {number} in {value}",
        mentions.NEVER_OPENED: f"a mention of entity {value} closes here, but none is open",
        mentions.NEVER_CLOSED: f"the mention of entity {value} that opens here never closes",
        lines.OUTSIDE: f"text outside a document: {value}; expected '#begin document NAME' before it",
        lines.NO_END: f"the document {value}, which begins on line {begun}, has no '#end document' up to here",
        lines.NO_BEGIN: "'#end document' without '#begin document'",
        lines.TOO_MANY_TOKENS: f"more than {max_tokens} tokens in one document",
        mentions.TOO_MANY_MENTIONS: f"more than {max_tokens} mentions in one document",
    }[kind]
    error = ReadError(path, line, reason)
    if kind in (lines.TOO_MANY_TOKENS, mentions.TOO_MANY_MENTIONS):
        raise error
    options.on_error(error)


def _report_if_lost(
    d: int, rows: NDArray[np.int64], text: NDArray[np.uint8], path: str, options: ReadingOptions
) -> None:
    """Report a document without a mention that has some, and no fault, if the tab at the end of each line is removed.

    An empty column follows such a tab. It is valid and means no mention: all mentions would be lost without a message.

    Args:
        d: number of the document.
        rows: int64 (D, 6) `documents` of `arraycoref.read.conll_scanner.Scanned`.
        text: uint8 (N,) bytes of the file.
        path: name of the file.
        options: its ``on_error`` is called.
    """
    _, first, begin, line, n_tokens, end = rows[d].tolist()
    after = text[begin:end].tobytes()
    if b"\t\n" not in after and b"\t\r\n" not in after:
        return
    lines = after.split(b"\n")
    kept = [each.rstrip(b" \t\r") for each in lines]
    if sum(each.endswith((b"\t", b"\t\r")) for each in lines) < n_tokens:
        return
    other = scan_bytes(np.frombuffer(b"\n".join([b"#begin document", *kept, b"#end"]), np.uint8), -1, False)
    if other.start.size and not len(other.faults) and other.documents[0, N_TOKENS] == n_tokens:
        name = quote(str(text.data[first:begin], *_TEXT).strip(_SPACE))
        reason = f"the document {name} has no mention in its last column, which is empty, but may have in the one "
        options.on_error(ReadError(path, line, f"{reason}before: give the number of the right one, -1 or -2"))
