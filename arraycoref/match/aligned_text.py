"""Bring the mentions of responses on the key's words, where the text of a response differs from the key's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.match.aligned_words import AlignedWords, align_words, find_strings
from arraycoref.match.empty_tokens import MARK, marked_text, marked_words
from arraycoref.match.moved_nodes import moved_nodes
from arraycoref.match.windows import align_windows, join_entities
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, bounds_of, number_rows
from arraycoref.read.annotated_text import WINDOWS
from arraycoref.read.documents import Documents, pieces_of, words_at
from arraycoref.read.faults import OnError, quote
from arraycoref.read.mentions import Mentions, join_mentions
from arraycoref.report.tables import number_of

SHOWN = 8
"""The most mentions that a warning names."""


def with_key_words(key: Documents, response: Documents, policies: Policies, on_doubt: OnError) -> Documents:
    """Return the response with its mentions on the key's words, where both sides have words, or one has strings.

    A mention whose words changed keeps its place. One whose first or last words are none of the key's shrinks, and one
    of which nothing is left is dropped. What happened is noted.

    Args:
        key: D documents, of words.
        response: the same documents in the same order, of words, characters or strings. Texts in one piece are aligned
            only if ``tokens`` of the policies is ``align``.
        policies: for ``max_changed``; receive the notes.
        on_doubt: called with a warning that names the mentions that are dropped.

    Raises:
        DocumentMismatchError: a document that has too little of the key's text, or more changes than ``max_changed``.
    """
    text, every = response.text, dict[int, AlignedWords]()
    files, places, lengths, sent_ids = list(text.files), text.places.copy(), text.lengths.copy(), list(text.sent_ids)
    n_words, start, stop = 0, response.mentions.start.copy(), response.mentions.end.copy()
    for d, unit in enumerate(response.units):
        words, file, rows = text.words(d), files[d], slice(*response.offsets[d : d + 2])
        key_words = key.text.words(d) if key.units[d] == "word" else None
        is_wanted = policies.tokens == "align" or (file is not None and file.layout == WINDOWS)
        if key_words is None or unit == "mention" or (unit != "string" and not (words is not None and is_wanted)):
            continue
        files[d], places[d] = key.text.files[d], key.text.places[d]
        lengths[d], sent_ids[d] = key.text.lengths[d], key.text.sent_ids[d]
        if words is None:
            texts = [] if response.mentions.text is None else response.mentions.text[rows].tolist()
            every[d] = AlignedWords(*find_strings(key_words, texts, start[rows].tolist()), 0, 0, 0, 0)
            start[rows] = stop[rows] = np.arange(len(texts))
            continue
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
    n_changed, n_deleted, n_inserted, n_reached = map(
        sum, zip(*(aligned[2:] for aligned in every.values()), strict=True)
    )
    if n_words:
        share = f"{n_reached / n_words:.1%} of {n_words:,}"
        policies.notes["token", f"of the key reached by the response, {share}"] += n_reached  # also 0
    policies.note(n_inserted, "token", "inserted in the response")
    policies.note(n_deleted, "token", "deleted there")
    policies.note(n_changed, "token", "changed there")
    response = replace(response, mentions=replace(response.mentions, start=start, end=stop))
    mentions = _moved(response, every, policies, on_doubt)
    return replace(response, units=units, mentions=mentions, text=text)


def _aligned(
    key: Documents, response: Documents, d: int, key_words: list[str], words: list[str], policies: Policies
) -> AlignedWords:
    """Align the words, or characters, of a document.

    Raises:
        DocumentMismatchError: as `with_key_words` does.
    """
    file = response.text.files[d]
    if file is not None and file.layout == WINDOWS:
        aligned, n = align_windows(key_words, response.text.sentences(d) or []), len(words)
    elif response.units[d] == "word":
        aligned, n = align_words(key_words, words), len(words)
    else:
        pieces = [*chain.from_iterable(pieces_of(words))]
        aligned, n = align_words(key_words, pieces), len(pieces)
        if aligned is not None:
            columns = np.full((2, len(words)), -1)
            at = words_at(words, pieces)
            columns[:, np.diff(at.before) > 0] = np.array(aligned[:2])[:, at.word]
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
    document, entity, begin, end = (
        column.astype(np.int64) for column in (mentions.document, mentions.entity, mentions.start, mentions.end)
    )
    start, stop = begin.copy(), end.copy()
    rows = np.flatnonzero(np.isin(document, list(every)))
    place = np.zeros(len(response), np.int64)
    place[list(every)] = bounds_of([aligned.first for aligned in every.values()])[:-1]
    first, last = (np.concatenate([aligned[column] for aligned in every.values()]) for column in (0, 1))
    low, high = (place[document[rows]] + column[rows] for column in (begin, end))
    linked = np.concatenate([[-1], np.flatnonzero(first >= 0), [first.size]])
    left, right = linked[linked.searchsorted(low)], linked[linked.searchsorted(high, "right") - 1]
    kept = left <= high
    start[rows[kept]], stop[rows[kept]] = first[left[kept]], last[right[kept]]
    start[rows[~kept]] = -1 - rows[~kept]  # equal to no other
    n_shrunk = int(np.count_nonzero(kept & ((left > low) | (right < high))))
    policies.note(n_shrunk, "mention", "of the response shrunk, with an end that is none of the key's words")
    if not kept.all():
        n_dropped = int(np.count_nonzero(~kept))
        policies.note(n_dropped, "mention", "of the response dropped, without any of the key's words")
        on_doubt(_dropped(response, rows[~kept]))
    if any(column is not None for column in (mentions.parts, mentions.head)):
        return _on_nodes(mentions, list(every), place, first, last)
    entity = _joined(response, document, entity, start, stop)
    order, number = number_rows([document, entity, start, stop])
    first_alike = np.empty(document.size, np.int64)
    first_alike[number[order[::-1]]] = order[::-1]
    twin = first_alike[number]
    is_gone = (begin[twin] != begin) | (end[twin] != end)
    policies.note(int(np.count_nonzero(is_gone)), "mention", "of the response that equal another of their entity now")
    is_gone[rows[~kept]] = True
    narrow = [column.astype(np.int32) for column in (entity, start, stop)]
    moved = replace(mentions, entity=narrow[0], start=narrow[1], end=narrow[2], text=None)
    return moved.take(np.flatnonzero(~is_gone))


def _on_nodes(mentions: Mentions, every: Sequence[int], place: Ints, first: Ints, last: Ints) -> Mentions:
    """Return mentions with gaps, empty nodes or heads, those of aligned documents on the key's words."""
    is_aligned = np.isin(mentions.document, every)
    chosen = mentions.take(np.flatnonzero(is_aligned))
    moved = moved_nodes(chosen, place[chosen.document], first, last)
    others = mentions.take(np.flatnonzero(~is_aligned))
    joined = join_mentions([moved, others])
    return replace(joined, text=None).take(joined.document.argsort(kind="stable"))


def _joined(response: Documents, document: Ints, entity: Ints, start: Ints, stop: Ints) -> Ints:
    """Return the entity of each mention, where those of windows are joined; arguments are columns of mentions."""
    window = np.zeros(document.size, np.int64)
    for d, file in enumerate(response.text.files):
        if file is not None and file.layout == WINDOWS:
            rows = slice(*response.offsets[d : d + 2])
            begins = bounds_of(response.text.sentences(d) or [])[1:]
            window[rows] = begins.searchsorted(response.mentions.start[rows], "right")
    return join_entities(document, entity, window, start, stop) if window.any() else entity


def _dropped(response: Documents, rows: Ints) -> ReadError:
    """Name the mentions that are dropped."""
    shown, mentions = [], response.mentions
    for m in rows[:SHOWN].tolist():
        d, own = int(mentions.document[m]), slice(mentions.start[m], mentions.end[m] + 1)
        words = (response.text.words(d) or [])[own]
        text = (" " if response.units[d] == "word" else "").join(words)
        if response.units[d] == "string" and mentions.text is not None:
            text = mentions.text[m]
        shown.append(f"{quote(text)} in {response.names[d]!r}")
    more = f" and {rows.size - SHOWN:,} more" if rows.size > SHOWN else ""
    what = f"{number_of(rows.size, 'mention')} dropped, of whose words the key has none: {', '.join(shown)}{more}"
    m = int(rows[0])
    return ReadError(response.files[mentions.document[m]], int(mentions.line[m]) or None, what)
