"""Scan the bytes of a CoNLL-U file."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Bytes, Ints, helper, kernel

WORD, RANGE, EMPTY_NODE, NO_ID = range(4)
"""Kinds of IDs."""


@helper
def append_characters(data: Bytes, start: int, end: int, text: Bytes, size: int) -> int:
    """Append ``data[start:end]`` to ``text`` without the spaces of Unicode category Zs; return the new size."""
    i = start
    while i < end:
        a = data[i]
        width = 1
        if a == 0x20:
            i += 1
            continue
        if a >= 0xC2 and i + 1 < end:
            b = data[i + 1]
            c = data[i + 2] if i + 2 < end else np.uint8(0)
            if a == 0xC2 and b == 0xA0:
                i += 2
                continue
            if (
                (a == 0xE1 and b == 0x9A and c == 0x80)
                or (a == 0xE2 and b == 0x80 and (0x80 <= c <= 0x8A or c == 0xAF))
                or (a == 0xE2 and b == 0x81 and c == 0x9F)
                or (a == 0xE3 and b == 0x80 and c == 0x80)
            ):
                i += 3
                continue
            width = 2 if a < 0xE0 else 3 if a < 0xF0 else 4
        for j in range(i, min(i + width, end)):
            text[size] = data[j]
            size += 1
        i += width
    return size


@helper
def read_number(data: Bytes, start: int, end: int) -> tuple[int, int]:
    """Read a number; return it, or -1 if it has no digit or more than nine, and the place where reading ended."""
    i = start
    number = 0
    while i < end and 48 <= data[i] <= 57 and i - start < 10:
        number = number * 10 + int(data[i]) - 48
        i += 1
    if i == start or i - start > 9:
        return -1, i
    return number, i


@helper
def read_id(data: Bytes, start: int, end: int) -> tuple[int, int, int]:
    """Read an ID; return its kind, its first and its last number, which are the same for a word."""
    number, i = read_number(data, start, end)
    if number < 0 or i == end:
        return NO_ID if number < 0 else WORD, number, number
    last, stop = read_number(data, i + 1, end)
    if last < 0 or stop != end or (data[i] != 45 and data[i] != 46):
        return NO_ID, number, last
    return RANGE if data[i] == 45 else EMPTY_NODE, number, last


@helper
def read_line(data: Bytes, begin: int, tab: Ints) -> tuple[int, int]:
    """Return where a line ends, and how many tabs it has; ``tab`` receives the positions of as many as it can hold."""
    i = begin
    n_tabs = 0
    while i < data.shape[0] and data[i] != 10:
        if data[i] == 9:
            if n_tabs < tab.shape[0]:
                tab[n_tabs] = i
            n_tabs += 1
        i += 1
    return i, n_tabs


@helper
def starts_document(data: Bytes, start: int, end: int) -> bool:
    """Return whether the first word of a comment is ``newdoc``."""
    i = start + 1
    while i < end and data[i] == 0x20:
        i += 1
    word = (0x6E, 0x65, 0x77, 0x64, 0x6F, 0x63)
    if end - i < 6:
        return False
    for j in range(6):
        if data[i + j] != word[j]:
            return False
    return i + 6 == end or data[i + 6] == 0x20 or data[i + 6] == 0x09


@helper
def report(found: Ints, kind: int, line: int, a: int, b: int) -> None:
    """Note a fault in the first four places of ``found``."""
    found[0], found[1], found[2], found[3] = kind, line, a, b


@helper
def check_id(
    found: Ints, kind: int, number: int, last: int, expected: int, range_end: int, line: int, begin: int, end: int
) -> None:
    """Note a fault if the ID ``data[begin:end]`` is not valid, or does not follow those before it in its sentence."""
    if kind == NO_ID:
        report(found, 2, line, begin, end)
    elif kind == RANGE and (number != expected or number <= range_end or last < number):
        report(found, 5, line, begin, end)
    elif kind == WORD and number != expected:
        report(found, 3, line, number, expected)


@kernel
def scan_conllu(data: Bytes) -> tuple[Ints, Ints, Bytes, Bytes, Ints, Ints]:
    """Find the words of a CoNLL-U file. Empty nodes are left out; the words of a multiword token have its span.

    Args:
        data: uint8 (B,) the file.

    Returns:
        Arrays that may be longer than the shapes below, which say how many places are filled:

        found: int64 (8,) kind of the first fault (0 none, 1 columns, 2 ID, 3 word out of order, 4 empty form, 5 range,
            6 range beyond the sentence), its line, two numbers for the message; W, S, N and D.
        words: int64 (7, W) first byte of FORM and the one after its last; the same of the columns UPOS to FEATS; the
            same of the word's characters, as positions in ``text``; line.
        multiword: uint8 (W,) 1 for the words of multiword tokens.
        text: uint8 (S,) the tokens without white space.
        sentences: int64 (N+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: int64 (3, D) first sentence of each document, and the bytes of its ``newdoc`` comment.
    """
    n = data.shape[0]
    n_lines = 1
    for i in range(n):
        n_lines += data[i] == 10
    words = np.empty((7, n_lines), np.int64)
    multiword = np.zeros(n_lines, np.uint8)
    text = np.empty(n, np.uint8)
    sentences = np.zeros(n_lines + 1, np.int64)
    documents = np.empty((3, n_lines), np.int64)
    found = np.zeros(8, np.int64)
    tab = np.zeros(9, np.int64)
    size = w = n_sentences = n_documents = line = i = 0
    expected = 1
    range_end = range_start_char = range_end_char = range_line = 0
    while not found[0]:
        line += 1
        begin = i
        end, n_tabs = read_line(data, begin, tab)
        i = min(end + 1, n)  # without a line feed at the end, one more round sees an empty line and closes the sentence
        if end > begin and data[end - 1] == 13:
            end -= 1
        if begin == end:
            if range_end >= expected:
                report(found, 6, range_line, range_end, expected - 1)
            elif expected > 1:
                n_sentences += 1
                sentences[n_sentences] = w
                expected, range_end = 1, 0
            if begin >= n:
                break
            continue
        if data[begin] == 35:
            if starts_document(data, begin, end):
                documents[0, n_documents], documents[1, n_documents] = n_sentences, begin
                documents[2, n_documents] = end
                n_documents += 1
            continue
        kind, number, last = read_id(data, begin, tab[0])
        form = size
        if n_tabs != 9:
            report(found, 1, line, n_tabs + 1, 0)
        else:
            check_id(found, kind, number, last, expected, range_end, line, begin, tab[0])
        # Words of a range have the characters of the range, none of their own.
        if not found[0] and (kind == RANGE or (kind == WORD and number > range_end)):
            size = append_characters(data, tab[0] + 1, tab[1], text, size)
            if size == form:
                report(found, 4, line, 0, 0)
        if kind == RANGE:
            range_end, range_line, range_start_char, range_end_char = last, line, form, size
        elif kind == WORD and not found[0]:
            expected += 1
            words[0, w], words[1, w], words[2, w], words[3, w] = tab[0] + 1, tab[1], tab[2] + 1, tab[5]
            multiword[w] = number <= range_end
            words[4, w], words[5, w] = (range_start_char, range_end_char) if multiword[w] else (form, size)
            words[6, w] = line
            w += 1
    found[4], found[5], found[6], found[7] = w, size, n_sentences, n_documents
    return found, words, multiword, text, sentences, documents
