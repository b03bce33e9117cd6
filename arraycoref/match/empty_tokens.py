"""Take tokens that begin with ``##`` as empty nodes of the other side: converters of CorefUD to JSON write them so."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from arraycoref.ragged import Ints, bounds_of
from arraycoref.read.conllu import FORM, empty_node, in_order, read_sentences
from arraycoref.read.documents import Documents, FileText, text_of
from arraycoref.read.mentions import BITS, EMPTY, parts_between

MARK = "##"


def with_empty_nodes(side: Documents, other: Documents) -> Documents:
    """Return a side with its mentions on the words and empty nodes of the other, and without the tokens for these.

    A document changes if its tokens with ``##`` are at the places of the other's empty nodes, and of no words.

    Args:
        side: D documents of words.
        other: the same documents in the same order.
    """
    if not other.text.have_trees or None in side.text.files or side.text.have_trees or side.mentions.has_parts:
        return side
    if not any(MARK.encode() in side.text.bytes_of(d) for d in range(len(side))):
        return side
    files, lengths, nodes = list(side.text.files), side.text.lengths.copy(), []
    changed = False
    for d, n_tokens in enumerate(side.n_tokens.tolist()):
        words = (side.text.words(d) or []) if MARK.encode() in side.text.bytes_of(d) else []
        marked = np.array([word.startswith(MARK) for word in words], np.bool_)
        own = _nodes(other, d) if marked.any() and side.units[d] == "word" else None
        if own is not None and np.array_equal(own & EMPTY != 0, marked):
            files[d], lengths[d] = text_of([word for word in words if not word.startswith(MARK)]), (~marked).sum()
            changed = True
        else:
            own = np.arange(1, n_tokens + 1) << BITS
        nodes.append(own)
    if not changed:
        return side
    mentions, before, every = side.mentions, bounds_of(nodes)[side.mentions.document], np.concatenate(nodes)
    parts, part_bounds = parts_between(every, before + mentions.start, before + mentions.end)
    start, end = (
        np.maximum(every[before + word] >> BITS, 1).astype(np.int32) - 1 for word in (mentions.start, mentions.end)
    )
    mentions = replace(mentions, start=start, end=end, parts=parts, part_bounds=part_bounds)
    return replace(side, mentions=mentions, text=replace(side.text, files=tuple(files), lengths=lengths))


def marked_words(documents: Documents, d: int) -> list[str]:
    """Return the words and the empty nodes of a document of CoNLL-U, in order; the forms of these begin with `MARK`."""
    sentences = read_sentences(documents.text.bytes_of(d).decode(), documents.files[d])
    rows = chain.from_iterable(in_order(sentence, documents.files[d])[0] for sentence in sentences)
    return [f"{MARK}{columns[FORM].strip('_')}" if "." in columns[0] else columns[FORM] for columns in rows]


def marked_text(words: list[str]) -> FileText:
    """Return a text made of such words; the bytes of each document in it are `MARK`."""
    return FileText(np.frombuffer(MARK.encode(), np.uint8), lambda *_: [words])


def _nodes(documents: Documents, d: int) -> Ints:
    """Return the words and empty nodes of a document of CoNLL-U, in order, as mentions have them: int64 (N,)."""
    nodes, n_words = [], 0
    for sentence in read_sentences(documents.text.bytes_of(d).decode(), documents.files[d]):
        for columns in in_order(sentence, documents.files[d])[0]:
            after, _, number = columns[0].partition(".")
            word = n_words + int(after)
            nodes.append(empty_node(word, int(number), after == "0") if number else word << BITS)
        n_words += len(sentence.words)
    return np.array(nodes, np.int64)
