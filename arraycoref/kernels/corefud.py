"""Read CorefUD files a block of sentences at a time: usual ones with NumPy, all others by the plain reader."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import numpy as np

from arraycoref.kernels.byte_lines import Unusual, cut
from arraycoref.kernels.corefud_blocks import Block
from arraycoref.ragged import bounds

ENDS = b"\n\n", b"\n\r\n"
"""The end of a sentence, and the line feed before it."""

_END = re.compile(rb"\n\r?\n")


def read_text(reader: Any, text: bytes) -> Any:
    """Read the sentences of a file; the twin of `arraycoref.read.corefud_documents.read_text`."""
    if b"\0" in text:
        return NotImplemented
    data, at, n_lines = np.frombuffer(text, np.uint8), 0, 0
    with contextlib.suppress(Unusual):
        while at < data.size:
            if reader.fields:
                block = cut(data, at, data.size, ENDS)
                if at + len(block) <= data.size and not block.endswith(ENDS):  # a sentence longer than a block
                    raise Unusual
                n_read = _read_block(reader, block, n_lines)
                at += len(block) - 1
            else:
                end = _END.search(text, at)
                stop = end.end() if end else data.size
                reader.read_text(text[at:stop], n_lines + 1)
                n_read = text.count(b"\n", at, stop)
                at = stop
            n_lines += n_read
    reader.read_text(text[at:], n_lines + 1)
    return None


def _read_block(reader: Any, block: bytes, n_lines: int) -> int:
    """Read a block of sentences, n_lines behind the beginning of the file; return its number of lines."""
    part = Block(block, reader.tags)
    sent_ids, mentions, (forms, form_bounds) = (
        part.sent_ids(),
        part.mentions(reader.fields, reader.number_of),
        part.forms(),
    )
    n_sentences = len(sent_ids)
    n_words = bounds(part.n_words)
    document, number, place = (np.zeros(n_sentences, np.int64) for _ in range(3))
    first = 0
    for s in (*np.flatnonzero(part.is_unusual).tolist(), n_sentences):
        if s > first:
            run, here = slice(first, s), reader.documents[-1]
            document[run] = len(reader.documents) - 1
            number[run] = np.arange(len(here.sent_ids), len(here.sent_ids) + s - first)
            place[run] = reader.n_nodes - part.first_row[first]
            own_forms = forms[form_bounds[first] : form_bounds[s]].decode("utf-8").split("\n")[:-1]
            empty = part.empty(first, s, n_words)
            reader.add_sentences(sent_ids[run], own_forms, int(n_words[s] - n_words[first]), empty)
        if s < n_sentences:
            reader.read_text(block[part.begin[s] : part.begin[s + 1]], n_lines + int(part.first_line[s]) + 1)
        first = s + 1
    sentence = mentions["sentence"]
    for name in ("first", "last", "head"):
        mentions[name] += place[sentence]
    mentions["line"] += n_lines + 1
    reader.batches.append(mentions | {"document": document[sentence], "sentence": number[sentence]})
    return part.n_lines
