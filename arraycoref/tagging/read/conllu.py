"""CoNLL-U: words of sentences, multiword tokens and empty nodes, documents from ``newdoc`` comments."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import LABEL_SEED
from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault
from arraycoref.tagging.read.repair import REASONS, repair_conllu
from arraycoref.tagging.texts import TaggedText, unique_names


def read_conllu(data: bytes, source: str, fault: Fault | None = None) -> TaggedText:
    """Read CoNLL-U.

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
    from arraycoref.kernels.tag_scan import scan_conllu
    from arraycoref.kernels.tag_strings import number_spans

    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if fault is not None:
            return read_conllu(repair_conllu(data, source, fault), source)
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError(source, line, f"not UTF-8: {data[error.start : error.start + 20]!r}") from error
    array = np.frombuffer(data, np.uint8)
    found, words, multiword, text, sentences, documents = scan_conllu(array)
    if found[0]:
        if fault is not None:
            return read_conllu(repair_conllu(data, source, fault), source)
        raise ReadError(source, int(found[1]), _reason(found, data))
    n_words, n_characters, n_sentences, n_documents = found[4:].tolist()
    words = words[:, :n_words].copy()

    def number_forms() -> tuple[tuple[str, ...], NDArray[np.int32]]:
        form, first, n_forms = number_spans(array, words[0], words[1], LABEL_SEED)
        return _decode(data, words[:2], first[:n_forms]), form

    tag, first_tag, n_tags = number_spans(array, words[2], words[3], LABEL_SEED)
    first_tag = first_tag[:n_tags]
    starts, names = _documents(data, source, documents[:, :n_documents], n_sentences)
    return TaggedText(
        source=source,
        tag_names=_decode(data, words[2:4], first_tag),
        tag_lines=words[6][first_tag],
        tag_offsets=np.arange(tag.shape[0] + 1, dtype=np.int64),
        tags=tag,
        start=words[4],
        end=words[5],
        multiword=multiword[:n_words].copy(),
        line=words[6],
        sentences=sentences[: n_sentences + 1].copy(),
        documents=starts,
        document_names=names,
        text=text[:n_characters].copy(),
        number_forms=number_forms,
    )


def _decode(data: bytes, spans: NDArray[np.int64], first: NDArray[np.int64]) -> tuple[str, ...]:
    """Decode the span of each word in ``first``."""
    start, end = spans[:, first].tolist()
    return tuple(data[i:j].decode("utf-8") for i, j in zip(start, end, strict=True))


def _documents(
    data: bytes, source: str, found: NDArray[np.int64], n_sentences: int
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Name documents, and drop those without sentences."""
    names = [source]
    starts = [0]
    for sentence, begin, end in found.T.tolist():
        name = re.sub(r"^#\s*newdoc(\s+id\s*=)?\s*", "", data[begin:end].decode("utf-8", "replace")).strip()
        if sentence == starts[-1]:
            starts.pop()
            names.pop()
        starts.append(sentence)
        names.append(name or f"document {len(names) + 1}")
    if starts[-1] == n_sentences:
        starts.pop()
        names.pop()
    return np.array([*starts, n_sentences] if starts else [0], np.int64), unique_names(names)


def _reason(found: NDArray[np.int64], data: bytes) -> str:
    kind, _, a, b = found[:4].tolist()
    if kind in (2, 5):
        return REASONS[kind].format(data[a:b].decode("utf-8", "replace"))
    return REASONS[kind].format(a, b)
