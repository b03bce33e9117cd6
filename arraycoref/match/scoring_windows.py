"""Cut documents into windows, each of which is scored as a document."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Ints, bounds, owners, ranges
from arraycoref.read.documents import Documents, take

BOOKCOREF = 1500
"""The length of BookCoref's windows, in words."""

MOST_WORDS = 2**31
"""More words than a document can have."""


class Windows(NamedTuple):
    """W windows of the documents of a key.

    Attributes:
        names: (W,) the document's name and the number of the window, from 1: ``a [2]``.
        document: int64 (W,) the document of each, ascending.
        begin: int64 (W,) its first word; may be below 0.
        end: int64 (W,) the word after its last one; the last window of a document has all that follows.
    """

    names: tuple[str, ...]
    document: Ints
    begin: Ints
    end: Ints


def windows_of(key: Documents, window: str) -> Windows:
    """Return the windows of the documents of a key; where a file gives no words, they end with its last mention.

    Args:
        key: D documents.
        window: the number of words of a window, the last of which may be shorter. Or ``bookcoref``: the windows by
            which that project's evaluation scores predictions on whole books. They differ in two ways: the last one
            also has 1,500 words, so that it overlaps the one before it; and in no window does a mention count that
            begins at its first word. Where the last window is the whole book, which is shorter, none is left out.
            Source: Martinelli et al. (2025), their evaluation with gold windows.

    Raises:
        InputError: a document whose mentions are not spans of words.
    """
    for d, unit in enumerate(key.units):
        if unit not in ("word", "subtoken", ""):
            reason = f"document {key.shown(d)}: a window is of words, and its mentions are of {unit}s"
            raise InputError(f"{reason}; expected no window", "window")
    overlaps, length = window == "bookcoref", BOOKCOREF if window == "bookcoref" else int(window)
    n_windows = key.n_tokens // length + 1 if overlaps else np.maximum(-(-key.n_tokens // length), 1)
    last = np.cumsum(n_windows) - 1
    document, number = owners(bounds(n_windows)), ranges(np.zeros_like(n_windows), n_windows)
    end = (number + 1) * length
    if overlaps:
        end[last] = key.n_tokens
    begin = end - length + overlaps
    end[last] = MOST_WORDS
    numbered = zip(document.tolist(), (number + 1).tolist(), strict=True)
    return Windows(tuple([f"{key.names[d]} [{n}]" for d, n in numbered]), document, begin, end)


def in_windows(key: Documents, response: Documents, window: str) -> tuple[Documents, Documents]:
    """Make a document of each window, with the mentions that begin in it; an entity is cut at the windows' ends.

    Args:
        key: D documents.
        response: the same documents in the same order.
        window: see `windows_of`, which also says what is raised.
    """
    windows = windows_of(key, window)
    return _cut(key, windows), _cut(response, windows)


def _cut(side: Documents, windows: Windows) -> Documents:
    """Make a document of each window of the documents of one side."""
    mentions, width = side.mentions, MOST_WORDS + 1
    place = mentions.document.astype(np.int64) * width + mentions.start
    order = place.argsort(kind="stable")
    edges = (windows.document * width + np.maximum(words, 0) for words in (windows.begin, windows.end))
    first, last = map(place[order].searchsorted, edges)
    window = owners(bounds(last - first))
    rows = order[ranges(first, last - first)]
    in_order = np.lexsort((rows, window))  # in each window as in the file
    kept = replace(mentions.take(rows[in_order]), document=window[in_order].astype(np.int32))
    bare = take(replace(side, mentions=mentions.take(np.zeros(0, np.int64))), windows.document)
    headers = tuple([f"({name})" for name in windows.names])
    return replace(bare, names=windows.names, headers=headers, mentions=kept)
