"""Read CoNLL-U: words of sentences, multiword tokens and empty nodes, documents from ``newdoc`` comments."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault, refuse
from arraycoref.runtime import decoded
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.tagging.texts import ZS, TaggedText, decoded_lines, unique_names

Int64 = NDArray[np.int64]

NEWDOC = re.compile(r"^#\s*newdoc(\s+id\s*=)?\s*")

REASONS = {
    1: "{} columns, expected 10",
    2: "ID {!r}, expected a form like 3, 3-4 or 3.1",
    3: "word {} where word {} is expected",
    4: "a word without a form",
    5: "the multiword token {!r} does not begin with the next word, or overlaps another",
    6: "a multiword token that ends with word {}, in a sentence of {} words",
}
"""The messages for faults, by the number that `arraycoref.kernels.tag_scan` returns for each kind of fault."""

PASSED_OVER = "#"
"""A comment that replaces a line that is left out, so that later lines keep their numbers."""

ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")


def read_conllu(data: bytes, source: str, fault: Fault | None = None) -> TaggedText:
    r"""Read CoNLL-U.

        >>> read_conllu(b"1\tzu\t_\tADP\t_\t_\t0\t_\t_\t_\n", "words.conllu").forms
        ('zu',)

    Empty nodes (ID ``8.1``) are no words. The words of a multiword token (ID ``8-9``) have the span of the token.
    Each word has one tag, ``UPOS TAB XPOS TAB FEATS``; tagset and measures decide later which part of it counts.

    Args:
        data: the file, UTF-8.
        source: its name, for messages.
        fault: called with each fault, which is then repaired as described in `repair_conllu`; None raises the first.

    Returns:
        The words. Without ``newdoc`` comments the file is one document with the file's name.

    Raises:
        ReadError: a line breaks the format, or is not UTF-8.
    """
    try:
        return _scan(data, source)
    except ReadError:
        if fault is None or fault is refuse:
            raise
    return _scan(repair_conllu(data, source, fault), source)


def _scan(data: bytes, source: str) -> TaggedText:
    from arraycoref.kernels.tag_scan import scan_conllu

    decoded(data, source)  # raises if the file is not UTF-8
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
        source: the file's name, which the sentences before the first comment have as their document's name.
        found: int64 (3, n) for each ``newdoc`` comment: the sentence that follows it, the comment's first byte, and the
            byte after its last.
        n_sentences: number of sentences in the file.

    Returns:
        int64 (D+1,) first sentence of each document, and the number of sentences; and the D names.
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


def repair_conllu(data: bytes, source: str, fault: Fault) -> bytes:
    """Repair the faults of a CoNLL-U file; lines keep their numbers.

    Missing columns become ``_``, and surplus columns are removed. Words are renumbered where a number is skipped or
    repeated. A multiword token that is longer than its sentence is cut at the end of the sentence. Left out are lines
    of one column, lines whose ID is no number, range or decimal, and words without a form. Multiword tokens that do not
    begin with the next word, or overlap another, are left out too; their words become plain words.

    Args:
        data: the file, UTF-8; invalid bytes become U+FFFD.
        source: its name, for messages.
        fault: called with each fault.
    """
    lines: list[str] = []
    sentence = _Sentence(source, lines, fault)
    for number, line in decoded_lines(data, source, fault):
        if not line:
            sentence.end()
            sentence = _Sentence(source, lines, fault)
        passed = not line or line.startswith("#")
        lines.append(line if passed else sentence.repair(line.split("\t"), number))
    sentence.end()
    return "\n".join(lines).encode("utf-8")


class _Sentence:
    """A sentence under repair: the number of the next word, and how much the file's numbers exceed the right ones."""

    def __init__(self, source: str, lines: list[str], fault: Fault) -> None:
        self.source, self.lines, self.fault = source, lines, fault
        self.next = 1
        self.ahead = 0
        self.range_line = 0
        self.range_first = self.range_last = 0

    def repair(self, columns: list[str], line: int) -> str:
        """Return the repaired line, given its columns and its number in the file."""
        if len(columns) != 10:
            self._report(line, 1, len(columns))
            if len(columns) == 1:
                return PASSED_OVER
            columns = (columns + ["_"] * 10)[:10]
        parts = ID.fullmatch(columns[0])
        if parts is None:
            self._report(line, 2, columns[0])
            return PASSED_OVER
        number, sign = int(parts[1]), parts[2]
        if sign == ".":
            return "\t".join(columns)
        first, last = number - self.ahead, int(parts[3] or number) - self.ahead
        if sign and (first != self.next or first <= self.range_last or last < first):
            self._report(line, 5, columns[0])
            return PASSED_OVER
        if first != self.next:
            self._report(line, 3, number, self.next + self.ahead)
            self.ahead = number - self.next
        if (sign or self.next > self.range_last) and not columns[1].translate(ZS):
            self._report(line, 4)
            self.ahead += not sign
            return PASSED_OVER
        if sign:
            self.range_line, self.range_first, self.range_last = line, first, last
            columns[0] = f"{first}-{last}"
        else:
            columns[0] = str(self.next)
            self.next += 1
        return "\t".join(columns)

    def end(self) -> None:
        """End the sentence, and cut a multiword token that goes beyond its end."""
        if self.range_last < self.next:
            return
        self._report(self.range_line, 6, self.range_last + self.ahead, self.next - 1 + self.ahead)
        at = self.range_line - 1
        rest = self.lines[at].split("\t")[1:]
        span = f"{self.range_first}-{self.next - 1}"
        self.lines[at] = PASSED_OVER if self.next == self.range_first else "\t".join((span, *rest))

    def _report(self, line: int, kind: int, *values: object) -> None:
        self.fault(ReadError(self.source, line, REASONS[kind].format(*values)))
