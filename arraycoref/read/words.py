"""Make words of documents whose mentions are spans of characters, for formats that hold words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arraycoref.errors import InputError
from arraycoref.ragged import Ints, bounds_of
from arraycoref.read.documents import Documents, FileText
from arraycoref.read.faults import quote
from arraycoref.read.mentions import BITS, join_parts


def in_words(documents: Documents) -> Documents:
    """Return the documents with spans of words in place of characters: words between blanks, a sentence on each line.

    Args:
        documents: documents, of which those of characters have their text; others stay as they are.

    Raises:
        InputError: a mention that begins or ends within a word.
    """
    odd = [d for d, unit in enumerate(documents.units) if unit == "character" and documents.text.files[d] is not None]
    if not odd:
        return documents
    mentions, units, files = documents.mentions, list(documents.units), list(documents.text.files)
    columns = {name: getattr(mentions, name) for name in ("start", "end", "parts")}
    columns = {name: column.copy() for name, column in columns.items() if column is not None}
    lengths = documents.text.lengths.copy()
    for d in odd:
        characters = [" " if text == "\ufeff" else text for text in documents.text.words(d) or []]
        sentences = [words for line in "".join(characters).split("\n") if (words := line.split())]
        first = bounds_of([word for sentence in sentences for word in sentence])  # of characters that are not blank
        before = np.cumsum([0, *(not character.isspace() for character in characters)])
        rows = slice(*documents.offsets[d : d + 2])
        start, end = columns["start"], columns["end"]
        start[rows], end[rows] = _words(documents, d, start[rows], end[rows], before, first)
        if mentions.has_parts:
            of = slice(*mentions.part_bounds[[rows.start, rows.stop]])
            nodes = (columns["parts"][of] >> BITS) - 1
            nodes = np.stack(_words(documents, d, nodes[:, 0], nodes[:, 1], before, first), axis=1)
            columns["parts"][of] = nodes + 1 << BITS
        units[d], lengths[d] = "word", first.size - 1
        files[d] = FileText(np.empty(0, np.uint8), lambda *_, sentences=sentences: sentences)
    if mentions.has_parts:
        columns["parts"], columns["part_bounds"] = join_parts(columns["parts"], mentions.part_bounds)
    text = replace(documents.text, files=tuple(files), lengths=lengths)
    return replace(documents, units=tuple(units), mentions=replace(mentions, **columns), text=text)


def _words(documents: Documents, d: int, start: Ints, end: Ints, before: Ints, first: Ints) -> tuple[Ints, Ints]:
    """Return first and last word of spans, from first and last character, int64 (N,) each.

    Args:
        documents: the documents, for a message.
        d: the document of the spans.
        start: int64 (N,) first character.
        end: int64 (N,) last character.
        before: int64 (C+1,) how many characters before each are not blank.
        first: int64 (W+1,) the number of the first of these of each word.
    """
    low, high = before[start], before[end + 1]
    words = first.searchsorted(low), first.searchsorted(high)
    within = (first[words[0]] != low) | (first[words[1]] != high)
    if within.any():
        at = int(within.argmax())
        shown = quote("".join((documents.text.words(d) or [])[start[at] : end[at] + 1]))
        reason = f"the mention {shown} of characters {start[at]}-{end[at]} begins or ends within a word"
        expected = "expected spans of words between blanks; words=FILE takes the words of another file"
        raise InputError(f"{documents.files[d]}: document {documents.names[d]!r}: {reason}; {expected}", "words")
    return words[0], words[1] - 1
