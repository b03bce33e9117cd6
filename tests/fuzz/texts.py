"""Target: annotated text is read, and its words are aligned with those of another text."""

import numpy as np

from arraycoref.match.aligned_text import align_windows
from arraycoref.match.aligned_words import align_words
from arraycoref.read.annotated_text import STRINGS, STYLES, read_annotated
from arraycoref.read.problems import ReadingOptions
from fuzz.promises import PATH, Errors, attempt, check_place

CHOICES = [*STYLES, STRINGS]


def target_texts(data: bytes) -> None:
    """One byte for the style, words, a line ``%%``, the annotated text: mentions of its words, in ascending places."""
    style = CHOICES[data[0] % len(CHOICES)] if data else CHOICES[0]
    words, _, text = data[1:].partition(b"\n%%\n")
    key = words.decode("utf-8", "replace").split()
    for lenient in (False, True):
        options = ReadingOptions(format=style, join="overlap", problems=Errors(lenient=lenient))
        parsed, error = attempt(lambda o=options: read_annotated(text, PATH, o))
        check_place(error, text)
        if parsed is None:
            continue
        documents = parsed.documents
        assert len(documents) == len(parsed.begins)
        for d in range(len(documents)):
            start, end, entity = documents.mentions_of(d)
            assert (entity >= 0).all()
            own = documents.text[d].words()
            if own is None:
                continue
            assert all(word and not any(map(str.isspace, word)) for word in own)
            assert ((start >= 0) & (start <= end) & (end < len(own))).all()
            _in_order(align_words(key, own), len(key))
            same = align_words(own, own)
            assert same is not None
            assert same[2:] == (0, 0, 0, len(own))
            aligned = align_windows(key, documents.text[d].sentences() or [])
            assert aligned is None or aligned.first.size == len(own)


def _in_order(aligned, n):
    """Check that words go to words in the same order."""
    if aligned is None:
        return
    linked = aligned.first >= 0
    first, last = aligned.first[linked], aligned.last[linked]
    assert ((first <= last) & (last < n)).all()
    assert (np.diff(first) >= 0).all()
    assert (np.diff(last) >= 0).all()
    assert 0 <= aligned.n_changed + aligned.n_deleted <= n
    assert 0 <= aligned.n_reached <= n
