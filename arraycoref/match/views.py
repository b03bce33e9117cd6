"""Cut documents into windows, each of which is scored as a document."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arraycoref.errors import InputError
from arraycoref.ragged import Ints, bounds, owners, ranges
from arraycoref.read.documents import Documents, take

BOOKCOREF = 1500
"""The length of BookCoref's windows, in words."""


def in_windows(key: Documents, response: Documents, window: str) -> tuple[Documents, Documents]:
    """Make a document of each window, with the mentions that begin in it; an entity is cut at the windows' ends.

    Args:
        key: D documents.
        response: the same documents in the same order.
        window: the number of words of a window, the last of which may be shorter. Or ``bookcoref``: the windows by
            which that project's evaluation scores predictions on whole books. They differ in two ways: the last one
            also has 1,500 words, so that it overlaps the one before it; and in no window does a mention count that
            begins at its first word. Where the last window is the whole book, which is shorter, none is left out.
            Source: Martinelli et al. (2025), their evaluation with gold windows.

    Raises:
        InputError: a document whose mentions are no spans of words.
    """
    for d, units in enumerate(zip(key.units, response.units, strict=True)):
        if not {*units} <= {"word", "subtoken", ""}:
            reason = f"document {key.shown(d)}: a window is of words, and its mentions are of {units[0] or units[1]}s"
            raise InputError(f"{reason}; expected no window", "window")
    n_words = np.maximum(key.n_tokens, response.n_tokens)
    overlaps, length = window == "bookcoref", BOOKCOREF if window == "bookcoref" else int(window)
    n_windows = n_words // length + 1 if overlaps else np.maximum(-(-n_words // length), 1)
    document, number = owners(bounds(n_windows)), ranges(np.zeros_like(n_windows), n_windows)
    end = (number + 1) * length
    begin = end - length
    if overlaps:
        end = np.minimum(end, n_words[document])
        begin = end - length + 1
    names = tuple([f"{key.names[d]} [{n}]" for d, n in zip(document.tolist(), (number + 1).tolist(), strict=True)])
    cut = [_cut(side, names, document, begin, end) for side in (key, response)]
    return cut[0], cut[1]


def _cut(side: Documents, names: tuple[str, ...], document: Ints, begin: Ints, end: Ints) -> Documents:
    """Make W documents of ranges of words of D documents.

    Args:
        side: D documents.
        names: (W,) names of the ranges.
        document: int64 (W,) the document of each, ascending.
        begin: int64 (W,) its first word; may be below 0.
        end: int64 (W,) the word behind its last one.
    """
    mentions, width = side.mentions, int(max(end.max(initial=0), side.mentions.start.max(initial=0))) + 1
    place = mentions.document.astype(np.int64) * width + mentions.start
    order = place.argsort(kind="stable")
    first, last = (place[order].searchsorted(document * width + np.maximum(words, 0)) for words in (begin, end))
    window = owners(bounds(last - first))
    rows = order[ranges(first, last - first)]
    in_order = np.lexsort((rows, window))  # in each window as in the file
    kept = replace(mentions.take(rows[in_order]), document=window[in_order].astype(np.int32))
    bare = take(replace(side, mentions=mentions.take(np.zeros(0, np.int64))), document)
    return replace(bare, names=names, headers=tuple([f"({name})" for name in names]), mentions=kept)
