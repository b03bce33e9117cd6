"""Scan the bytes of a CoNLL-U file."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Bytes, Ints, helper, kernel


@helper
def append_characters(data: Bytes, start: int, end: int, text: Bytes, size: int) -> int:
    """Append ``data[start:end]`` to ``text`` without the spaces of Unicode class Zs; return the new size."""
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
    """Read up to nine digits; return the number and the place after it. No digit, or more: -1."""
    i = start
    number = 0
    while i < end and 48 <= data[i] <= 57 and i - start < 10:
        number = number * 10 + int(data[i]) - 48
        i += 1
    if i == start or i - start > 9:
        return -1, i
    return number, i


@helper
def starts_document(data: Bytes, start: int, end: int) -> bool:
    """Return whether a comment says ``newdoc``."""
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


@kernel
def scan_conllu(data: Bytes) -> tuple[Ints, Ints, Bytes, Bytes, Ints, Ints]:
    """Find the words of a CoNLL-U file. Empty nodes are left out; multiword tokens give their words their span.

    Args:
        data: uint8 (B,) the file.

    Returns:
        Arrays with room to spare, of which the first so many places are filled:

        found: int64 (8,) kind of the first fault (0 none, 1 columns, 2 ID, 3 word out of order, 4 empty form, 5 range,
            6 range beyond the sentence), its line, two numbers for the message; W, S, N and D.
        words: int64 (7, W) first byte of FORM and the one after the last, the same of UPOS to FEATS; the same of the
            word's characters, counted in bytes of ``text``; line.
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
    while True:
        line += 1
        begin = i
        n_tabs = 0
        while i < n and data[i] != 10:
            if data[i] == 9:
                if n_tabs < 9:
                    tab[n_tabs] = i
                n_tabs += 1
            i += 1
        end = i
        i = min(i + 1, n)  # without a line feed at the end, one more round sees an empty line and closes the sentence
        at_end = begin >= n
        if end > begin and data[end - 1] == 13:
            end -= 1
        if begin == end:
            if range_end >= expected:
                report(found, 6, range_line, range_end, expected - 1)
                break
            if expected > 1:
                n_sentences += 1
                sentences[n_sentences] = w
                expected = 1
                range_end = 0
            if at_end:
                break
            continue
        if data[begin] == 35:
            if starts_document(data, begin, end):
                documents[0, n_documents], documents[1, n_documents] = n_sentences, begin
                documents[2, n_documents] = end
                n_documents += 1
        else:
            if n_tabs != 9:
                report(found, 1, line, n_tabs + 1, 0)
                break
            number, j = read_number(data, begin, tab[0])
            if number < 0 or (j < tab[0] and data[j] != 45 and data[j] != 46):
                report(found, 2, line, begin, tab[0])
                break
            if j < tab[0]:
                second, k = read_number(data, j + 1, tab[0])
                if second < 0 or k != tab[0]:
                    report(found, 2, line, begin, tab[0])
                    break
                if data[j] == 45:
                    if number != expected or number <= range_end or second < number:
                        report(found, 5, line, begin, tab[0])
                        break
                    range_end, range_line, range_start_char = second, line, size
                    size = append_characters(data, tab[0] + 1, tab[1], text, size)
                    range_end_char = size
                    if size == range_start_char:
                        report(found, 4, line, 0, 0)
                        break
            else:
                if number != expected:
                    report(found, 3, line, number, expected)
                    break
                expected += 1
                words[0, w], words[1, w], words[2, w], words[3, w] = tab[0] + 1, tab[1], tab[2] + 1, tab[5]
                words[6, w] = line
                if number <= range_end:
                    words[4, w], words[5, w] = range_start_char, range_end_char
                    multiword[w] = 1
                else:
                    words[4, w] = size
                    size = append_characters(data, tab[0] + 1, tab[1], text, size)
                    words[5, w] = size
                    if size == words[4, w]:
                        report(found, 4, line, 0, 0)
                        break
                w += 1
    found[4], found[5], found[6], found[7] = w, size, n_sentences, n_documents
    return found, words, multiword, text, sentences, documents
