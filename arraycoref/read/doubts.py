"""Find the lines of a CoNLL file that seem to hide a mention: comments, and tokens that end in a tab."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

TOKEN_OR_COMMENT, TAB_BEHIND = 10, 11  # kinds of fault; the kernels use those below
MOST_DOUBTS = 1 << 15  # the most rows that are returned; a reader gives up after fewer

_ITEM = rb"\([^()|\s]++\)?+|[^()|\s]++\)|[0-9]++"
_VALUE = re.compile(rb"(?:(?:%b)(?:\|(?!\Z))?+)++\Z" % _ITEM)

Row = tuple[int, int, int, int, int]


def find_doubts(data: NDArray[np.uint8], documents: NDArray[np.int64], column: int) -> NDArray[np.int64]:
    """Return the lines that seem to hide a mention, if their columns are compared with those of the nearest token.

    The nearest token is the last one before the line, or else the first of the document; lines that may hide a mention
    themselves do not count. A line hides a mention in two cases. With spaces between columns: a comment has a mention
    in the column of the coreference, and as many columns as the nearest token (any number if the document has no
    token); a comment ``# NAME = VALUE`` is never one. With tabs: a token has one column more than the nearest token,
    its last column is empty, and the one before ends in ``)``.

    Args:
        data: uint8 (N,) the bytes of the file.
        documents: int64 (D, 7) `documents` of `arraycoref.read.scanner.Scanned`.
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
    for number, raw in enumerate(io.BytesIO(text), begun):  # the first is the rest of the header's line
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
    """Return the kind of doubt that a line raises without its neighbours, None for no doubt."""
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
