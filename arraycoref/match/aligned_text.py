"""Bring the mentions of responses on the key's words, where the text of a response differs from the key's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.match.aligned_words import PIECE, AlignedWords, align_words
from arraycoref.match.empty_tokens import MARK, marked_text, marked_words
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, bounds_of, number_rows, ranges
from arraycoref.read.documents import Documents
from arraycoref.read.faults import OnError, quote
from arraycoref.read.mentions import Mentions
from arraycoref.report.tables import number_of

SHOWN = 8
"""The most mentions that a warning names."""


def with_key_words(key: Documents, response: Documents, policies: Policies, on_doubt: OnError) -> Documents:
    """Return the response with its mentions on the key's words, where both sides have words.

    A mention whose words changed keeps its place. One whose first or last words are none of the key's shrinks, and one
    of which nothing is left is dropped. What happened is noted.

    Args:
        key: D documents, of words.
        response: the same documents in the same order, of words or characters.
        policies: for ``max_changed``; receive the notes.
        on_doubt: called with a warning that names the mentions that are dropped.

    Raises:
        DocumentMismatchError: a document that has too little of the key's text, or more changes than ``max_changed``.
    """
    text, every = response.text, dict[int, AlignedWords]()
    files, places, lengths, sent_ids = list(text.files), text.places.copy(), text.lengths.copy(), list(text.sent_ids)
    n_words = 0
    for d, unit in enumerate(response.units):
        if key.units[d] != "word" or unit not in ("word", "character"):
            continue
        words, key_words = text.words(d), key.text.words(d)
        if words is None or key_words is None:
            continue
        files[d], places[d] = key.text.files[d], key.text.places[d]
        lengths[d], sent_ids[d] = key.text.lengths[d], key.text.sent_ids[d]
        if key.text.tree(d) is not None and any(word.startswith(MARK) for word in words):
            key_words = marked_words(key, d)
            files[d], places[d] = marked_text(key_words), (0, len(MARK))
            lengths[d], sent_ids[d] = len(key_words), ()
        every[d] = _aligned(key, response, d, key_words, words, policies)
        n_words += len(key_words)
    if not every:
        return response
    text = replace(text, files=tuple(files), places=places, lengths=lengths, sent_ids=tuple(sent_ids))
    units = tuple("word" if d in every else unit for d, unit in enumerate(response.units))
    n_reached, *counts = (sum(column) for column in zip(*(aligned[:1:-1] for aligned in every.values()), strict=True))
    share = f"{n_reached / max(n_words, 1):.1%} of {n_words:,}"
    policies.note(n_reached, "token", f"of the key reached by the response, {share} (tokens: align)")
    for n, what in zip(counts, ("inserted in the response", "deleted there", "changed there"), strict=True):
        policies.note(n, "token", what)
    mentions = _moved(response, every, policies, on_doubt)
    return replace(response, units=units, mentions=mentions, text=text)


def _aligned(
    key: Documents, response: Documents, d: int, key_words: list[str], words: list[str], policies: Policies
) -> AlignedWords:
    """Align the words, or characters, of a document.

    Raises:
        DocumentMismatchError: as `with_key_words` does.
    """
    if response.units[d] == "word":
        aligned, n = align_words(key_words, words), len(words)
    else:
        pieces = list(PIECE.finditer("".join(words)))
        aligned, n = align_words(key_words, [piece[0] for piece in pieces]), len(pieces)
        if aligned is not None:
            begin, end = np.array([piece.span() for piece in pieces], np.int64).reshape(-1, 2).T
            columns = np.full((2, len(words)), -1)
            columns[:, ranges(begin, end - begin)] = np.repeat(aligned[:2], end - begin, axis=1)
            aligned = aligned._replace(first=columns[0], last=columns[1])
    if aligned is None:
        raise DocumentMismatchError(
            f"document {key.names[d]!r}: {response.files[d]} has too little of the text of {key.files[d]}, with {n:,} "
            f"words for its {len(key_words):,}; expected the same text with changes. Is it of another document, or "
            "does it go on without end?"
        )
    n_changes = aligned.n_changed + aligned.n_deleted + aligned.n_inserted
    if policies.max_changed is not None and n_changes > policies.max_changed * len(key_words):
        raise DocumentMismatchError(
            f"document {key.names[d]!r}: of {len(key_words):,} tokens, {aligned.n_changed:,} are changed and "
            f"{aligned.n_deleted:,} deleted in {response.files[d]}, and {aligned.n_inserted:,} inserted; expected at "
            f"most max_changed, {policies.max_changed:.4g} of them"
        )
    return aligned


def _moved(response: Documents, every: dict[int, AlignedWords], policies: Policies, on_doubt: OnError) -> Mentions:
    """Return the mentions, those of aligned documents on the key's words, and note what happened to these."""
    mentions = response.mentions
    rows = np.flatnonzero(np.isin(mentions.document, list(every)))
    place = np.zeros(len(response), np.int64)
    place[list(every)] = bounds_of([aligned.first for aligned in every.values()])[:-1]
    first, last = (np.concatenate([aligned[column] for aligned in every.values()]) for column in (0, 1))
    begin, end = (place[mentions.document[rows]] + column[rows] for column in (mentions.start, mentions.end))
    linked = np.concatenate([[-1], np.flatnonzero(first >= 0), [first.size]])
    left, right = linked[linked.searchsorted(begin)], linked[linked.searchsorted(end, "right") - 1]
    kept = left <= end
    n_shrunk = int(np.count_nonzero(kept & ((left > begin) | (right < end))))
    policies.note(n_shrunk, "mention", "of the response shrunk, with an end that is none of the key's words")
    start, stop = mentions.start.copy(), mentions.end.copy()
    start[rows[kept]], stop[rows[kept]] = first[left[kept]], last[right[kept]]
    dropped = rows[~kept]
    if dropped.size:
        policies.note(dropped.size, "mention", "of the response dropped, without any of the key's words")
        on_doubt(_dropped(response, dropped))
    first_alike = np.full(len(mentions), len(mentions))
    number = number_rows([column.astype(np.int64) for column in (mentions.document, mentions.entity, start, stop)])[1]
    np.minimum.at(first_alike, number, np.arange(len(mentions)))
    twin = first_alike[number]
    merged = (mentions.start[twin] != mentions.start) | (mentions.end[twin] != mentions.end)
    merged[dropped] = False
    policies.note(int(np.count_nonzero(merged)), "mention", "of the response that equal another of their entity now")
    merged[dropped] = True
    return replace(mentions, start=start, end=stop, text=None).take(np.flatnonzero(~merged))


def _dropped(response: Documents, rows: Ints) -> ReadError:
    """Name the mentions that are dropped."""
    shown = []
    for m in rows[:SHOWN].tolist():
        d = int(response.mentions.document[m])
        words = (response.text.words(d) or [])[response.mentions.start[m] : response.mentions.end[m] + 1]
        shown.append(f"{quote((' ' if response.units[d] == 'word' else '').join(words))} in {response.names[d]!r}")
    more = f" and {rows.size - SHOWN:,} more" if rows.size > SHOWN else ""
    what = f"{number_of(rows.size, 'mention')} dropped, of whose words the key has none: {', '.join(shown)}{more}"
    m = int(rows[0])
    return ReadError(response.files[response.mentions.document[m]], int(response.mentions.line[m]) or None, what)
