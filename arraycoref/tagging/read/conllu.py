"""Read CoNLL-U: words of sentences, multiword tokens and empty nodes, documents from ``newdoc`` comments."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import LABEL_SEED
from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault
from arraycoref.read.sources import decoded
from arraycoref.tagging.read.repair import REASONS, repair_conllu
from arraycoref.tagging.texts import TaggedText, unique_names

Int64 = NDArray[np.int64]

NEWDOC = re.compile(r"^#\s*newdoc(\s+id\s*=)?\s*")


def read_conllu(data: bytes, source: str, fault: Fault | None = None) -> TaggedText:
    r"""Read CoNLL-U.

        >>> read_conllu(b"1\tzu\t_\tADP\t_\t_\t0\t_\t_\t_\n", "words.conllu").forms
        ('zu',)

    Empty nodes (ID ``8.1``) are no words. The words of a multiword token (ID ``8-9``) have the span of the token.
    Each word has one tag, ``UPOS TAB XPOS TAB FEATS``; which part of it counts is decided later.

    Args:
        data: the file, UTF-8.
        source: its name, for messages.
        fault: takes each fault, which is then repaired as `repair_conllu` says; None raises the first.

    Returns:
        The words. Without ``newdoc`` comments the file is one document with the file's name.

    Raises:
        ReadError: a line breaks the format, or is not UTF-8.
    """
    try:
        return _scan(data, source)
    except ReadError:
        if fault is None:
            raise
    return _scan(repair_conllu(data, source, fault), source)


def _scan(data: bytes, source: str) -> TaggedText:
    from arraycoref.kernels.tag_scan import scan_conllu

    decoded(data, source)  # or refused
    found, words, multiword, text, sentences, documents = scan_conllu(np.frombuffer(data, np.uint8))
    if found[0]:
        raise ReadError(source, int(found[1]), _reason(found, data))
    n_words, n_characters, n_sentences, n_documents = found[4:].tolist()
    words = words[:, :n_words].copy()
    tag_names, tag, first_tag = _distinct(data, words[2], words[3])
    starts, names = _documents(data, source, documents[:, :n_documents], n_sentences)
    return TaggedText(
        source=source,
        tag_names=tag_names,
        tag_lines=words[6][first_tag],
        tag_offsets=np.arange(n_words + 1, dtype=np.int64),
        tags=tag,
        start=words[4],
        end=words[5],
        multiword=multiword[:n_words].copy(),
        line=words[6],
        sentences=sentences[: n_sentences + 1].copy(),
        documents=starts,
        document_names=names,
        text=text[:n_characters].copy(),
        number_forms=partial(_forms, data, words[0], words[1]),
    )


def _forms(data: bytes, start: Int64, end: Int64) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    return _distinct(data, start, end)[:2]


def _distinct(data: bytes, start: Int64, end: Int64) -> tuple[tuple[str, ...], NDArray[np.int32], Int64]:
    """Number the texts of spans: the distinct texts, the number of each span, and the first span of each number."""
    from arraycoref.kernels.tag_strings import number_spans

    numbers, first, n = number_spans(np.frombuffer(data, np.uint8), start, end, LABEL_SEED)
    first = first[:n]
    spans = zip(start[first].tolist(), end[first].tolist(), strict=True)
    return tuple(data[i:j].decode("utf-8") for i, j in spans), numbers, first


def _documents(data: bytes, source: str, found: Int64, n_sentences: int) -> tuple[Int64, tuple[str, ...]]:
    """Name documents, and drop those without sentences.

    Args:
        data: the file.
        source: the name of what comes before the first comment.
        found: int64 (3, n) of each ``newdoc`` comment the next sentence, its first byte and the one after its last.
        n_sentences: of the file.

    Returns:
        int64 (D+1,) where documents begin, and the D names.
    """
    comments = [data[begin:end].decode("utf-8", "replace") for begin, end in found[1:].T.tolist()]
    names = [source, *(NEWDOC.sub("", comment).strip() for comment in comments)]
    starts = np.concatenate(([0], found[0], [n_sentences]))
    kept = np.flatnonzero(np.diff(starts))
    unique = unique_names(names[k] or f"document {n}" for n, k in enumerate(kept.tolist(), 1))
    return starts[np.append(kept, -1)], unique


def _reason(found: Int64, data: bytes) -> str:
    kind, _, a, b = found[:4].tolist()
    if kind in (2, 5):
        return REASONS[kind].format(data[a:b].decode("utf-8", "replace"))
    return REASONS[kind].format(a, b)
