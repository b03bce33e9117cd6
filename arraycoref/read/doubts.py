"""Find the lines of a CoNLL file that seem to hide a mention: comments, and tokens that end in a tab."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

TOKEN_OR_COMMENT, TAB_BEHIND = 10, 11  # column 0 of the fault rows, after those of the kernels
MOST_DOUBTS = 1 << 15  # that are told of; a reader gives up before

_ITEM = rb"\([^()|\s]++\)?+|[^()|\s]++\)|[0-9]++"
_VALUE = re.compile(rb"(?:(?:%b)(?:\|(?!\Z))?+)++\Z" % _ITEM)

Row = tuple[int, int, int, int, int]


def find_doubts(data: NDArray[np.uint8], documents: NDArray[np.int64], column: int) -> NDArray[np.int64]:
    """Return the lines that would lose a mention, by the columns of the tokens next to them.

    Next to a line is the token before it, or the first of the document where none is before it; a line that may hide a
    mention itself is passed over. With spaces between columns, the line is a comment that has as many columns as that
    token, or any where the document has no token, and a mention in that of the coreference; but not a comment
    ``# NAME = VALUE``. With tabs, it is a token with one column more than the one next to it, the last one empty and
    ``)`` before it.

    Args:
        data: uint8 (N,) the bytes of the file.
        documents: int64 (D, 7) as `arraycoref.read.scanner.Scanned` has them.
        column: the column with the coreference, 1-based, negative from the right.

    Returns:
        int64 (F, 5) kind, line, first and past-the-last byte to quote, line on which the document begins.
    """
    doubtful = documents[documents[:, 6] > 0]
    rows = (row for document in doubtful.tolist() for row in _rows(data, document, column))
    return np.array(list(islice(rows, MOST_DOUBTS)), np.int64).reshape(-1, 5)


def _rows(data: NDArray[np.uint8], document: list[int], column: int) -> Iterator[Row]:
    _, _, at, begun, _, end, _ = document
    text = data[at:end].tobytes()
    plain = (line for line in map(_stripped, io.BytesIO(text)) if _is_token(line) and not _may_hide(line, column))
    near = next(plain, b"")
    for number, raw in enumerate(io.BytesIO(text), begun):  # the first is what follows the header, on its line
        line = _stripped(raw)
        kind = _may_hide(line, column)
        if kind is None:
            near = line if _is_token(line) else near
        elif _is_alike(line, near, kind):
            yield kind, number, at, at + len(line), begun
        at += len(raw)


def _stripped(line: bytes) -> bytes:
    return line.rstrip(b" \r\n")


def _is_token(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(b"#")


def _may_hide(line: bytes, column: int) -> int | None:
    """Return the kind of doubt that a line raises by itself, if it does."""
    if line.startswith(b"#") and b"\t" not in line:
        columns = _columns(line)
        values = columns[column - 1 if column > 0 else column :][:1]
        hides = values and b")" in values[0] and _VALUE.match(values[0]) and b"=" not in columns[2:]
        return TOKEN_OR_COMMENT if hides else None
    return TAB_BEHIND if column == -1 and line.endswith(b")\t") and not line.startswith(b"# ") else None


def _is_alike(line: bytes, near: bytes, kind: int) -> bool:
    if kind == TOKEN_OR_COMMENT:
        return not near or (b"\t" not in near and len(_columns(near)) == len(_columns(line)))
    return near != b"" and near.count(b"\t") + 1 == line.count(b"\t")


def _columns(line: bytes) -> list[bytes]:
    return list(filter(None, line.split(b" ")))
