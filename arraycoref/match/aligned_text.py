"""Bring the mentions of responses on the key's words, where the text of a response differs from the key's.

Words are aligned, also those of windows that overlap, whose entities are joined by the mentions that they share. Empty
nodes go with their words; converters of CorefUD to JSON write them as tokens that begin with ``##``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from arraycoref.display.tables import plural
from arraycoref.exceptions import DocumentMismatchError
from arraycoref.match.aligned_words import AlignedWords, align_words, find_strings
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, Ints32, bounds_of, number_by_appearance, number_rows, owners, ranges, run_starts
from arraycoref.read.conllu import FORM, in_order, nodes_in_order
from arraycoref.read.corefud import ConlluText, parsed
from arraycoref.read.documents import Documents, Text, pieces_of, words_at
from arraycoref.read.mentions import BITS, EMPTY, Mentions, join_mentions, nodes_of, part_sizes, parts_between
from arraycoref.read.problems import ProblemLog, quote
from arraycoref.scoring.antecedents import components

SHOWN = 8
"""The most mentions that a warning names."""


def with_key_words(key: Documents, response: Documents, policies: Policies, problems: ProblemLog) -> Documents:
    """Return the response with its mentions on the key's words, where both sides have words, or one has strings.

    A mention whose words changed keeps its place. A mention whose first or last words are not in the key shrinks; if
    nothing is left of it, it is dropped. What happened is noted.

    Args:
        key: D documents, of words.
        response: the same documents in the same order, of words, characters or strings. Texts in one piece are aligned
            only if ``tokens`` of the policies is ``align``.
        policies: for ``max_changed``; receive the notes.
        problems: receives a warning that names the mentions that are dropped.

    Raises:
        DocumentMismatchError: a document that has too little of the key's text, or more changes than ``max_changed``.
    """
    texts, every = list(response.text), dict[int, AlignedWords]()
    n_words, start, stop = 0, response.mentions.start.copy(), response.mentions.end.copy()
    for d, unit in enumerate(response.units):
        words, rows = texts[d].words(), response.rows(d)
        key_words = key.text[d].words() if key.units[d] == "word" else None
        is_wanted = policies.tokens == "align" or texts[d].are_windows
        if key_words is None or unit == "mention" or (unit != "string" and not (words is not None and is_wanted)):
            continue
        key_text = texts[d] = key.text[d]
        if words is None:
            strings = [] if response.mentions.text is None else response.mentions.text[rows].tolist()
            every[d] = AlignedWords(*find_strings(key_words, strings, start[rows].tolist()), 0, 0, 0, 0)
            start[rows] = stop[rows] = np.arange(len(strings))
            continue
        if isinstance(key_text, ConlluText) and any(word.startswith(MARK) for word in words):
            key_words = marked_words(key_text)
            texts[d] = Text([key_words], len(key_words))
        every[d] = _aligned(key, response, d, key_words, words, policies)
        n_words += len(key_words)
    if not every:
        return response
    units = tuple("word" if d in every else unit for d, unit in enumerate(response.units))
    counts = zip(*(aligned[2:] for aligned in every.values()), strict=True)
    n_changed, n_deleted, n_inserted, n_reached = map(sum, counts)
    if n_words:
        share = f"{n_reached / n_words:.1%} of {n_words:,}"
        policies.notes["token", f"of the key covered by the response, {share}"] += n_reached  # also 0
    policies.note(n_inserted, "token", "inserted in the response")
    policies.note(n_deleted, "token", "deleted in the response")
    policies.note(n_changed, "token", "changed in the response")
    response = replace(response, mentions=replace(response.mentions, start=start, end=stop))
    mentions = _moved(response, every, policies, problems)
    return replace(response, units=units, mentions=mentions, text=tuple(texts))


def _aligned(
    key: Documents, response: Documents, d: int, key_words: list[str], words: list[str], policies: Policies
) -> AlignedWords:
    """Align the words, or characters, of a document.

    Raises:
        DocumentMismatchError: as `with_key_words` does.
    """
    if response.text[d].are_windows:
        aligned, n = align_windows(key_words, response.text[d].sentences() or []), len(words)
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
            f"document {key.names[d]!r}: {response.files[d]} shares too little text with {key.files[d]} ({n:,} words "
            f"against {len(key_words):,}): another document, or output that did not stop?"
        )
    n_changes = aligned.n_changed + aligned.n_deleted + aligned.n_inserted
    if policies.max_changed is not None and n_changes > policies.max_changed * len(key_words):
        raise DocumentMismatchError(
            f"document {key.names[d]!r}: of {len(key_words):,} tokens, {aligned.n_changed:,} are changed and "
            f"{aligned.n_deleted:,} deleted in {response.files[d]}, and {aligned.n_inserted:,} inserted; expected at "
            f"most max_changed, {policies.max_changed:.4g} of them"
        )
    return aligned


def _moved(response: Documents, every: dict[int, AlignedWords], policies: Policies, problems: ProblemLog) -> Mentions:
    """Return the mentions, those of aligned documents on the key's words, and note what happened to these."""
    mentions = response.mentions
    columns = mentions.document, mentions.entity, mentions.start, mentions.end
    document, entity, begin, end = (column.astype(np.int64) for column in columns)
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
    policies.note(n_shrunk, "mention", "of the response shrunk, with an end that is not in the key")
    if not kept.all():
        n_dropped = int(np.count_nonzero(~kept))
        policies.note(n_dropped, "mention", "of the response dropped: none of its words are in the key")
        problems.warning(*_dropped(response, rows[~kept]))
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
    for d, text in enumerate(response.text):
        if text.are_windows:
            rows = response.rows(d)
            begins = bounds_of(text.sentences() or [])[1:]
            window[rows] = begins.searchsorted(response.mentions.start[rows], "right")
    return join_entities(document, entity, window, start, stop) if window.any() else entity


def _dropped(response: Documents, rows: Ints) -> tuple[str, int | None, str]:
    """Return file, line and reason of the warning that names the mentions that are dropped."""
    shown, mentions = [], response.mentions
    for m in rows[:SHOWN].tolist():
        d, own = int(mentions.document[m]), slice(mentions.start[m], mentions.end[m] + 1)
        words = (response.text[d].words() or [])[own]
        text = (" " if response.units[d] == "word" else "").join(words)
        if response.units[d] == "string" and mentions.text is not None:
            text = mentions.text[m]
        shown.append(f"{quote(text)} in {response.names[d]!r}")
    more = f" and {rows.size - SHOWN:,} more" if rows.size > SHOWN else ""
    what = f"{plural(rows.size, 'mention')} dropped, of whose words the key has none: {', '.join(shown)}{more}"
    m = int(rows[0])
    return response.files[mentions.document[m]], int(mentions.line[m]) or None, what


AHEAD, SPARE = 3, 200
"""How many times as many words as a window has it is searched in, and how many more."""


def align_windows(key: Sequence[str], windows: Sequence[Sequence[str]]) -> AlignedWords | None:
    """Align the words of windows, each of which begins in or after the one before it.

        >>> align_windows("a b c d e f".split(), [["a", "b", "c"], ["b", "c", "d", "x"]]).first.tolist()
        [0, 1, 2, 1, 2, 3, 4]

    Args:
        key: N words.
        windows: the words of each window, in their order.

    Returns:
        The alignment of all their words, one window after the other; words of windows with too little of the key's
        text are not aligned. None if all windows are such.
    """
    begin, reached = 0, np.zeros(len(key), np.bool_)
    columns, n_changed, n_inserted = list[Ints](), 0, 0
    for window in windows:
        part = key[begin : begin + AHEAD * len(window) + SPARE]
        aligned = align_words(part, window)
        if aligned is None:
            columns.append(np.full((2, len(window)), -1))
            n_inserted += len(window)
            continue
        places = np.array([np.where(column < 0, -1, column + begin) for column in aligned[:2]], np.int64)
        columns.append(places.reshape(2, -1))
        linked = np.flatnonzero(aligned.first >= 0)
        for word in linked.tolist():
            reached[places[0, word] : places[1, word] + 1] = True
        n_changed, n_inserted = n_changed + aligned.n_changed, n_inserted + aligned.n_inserted
        begin = int(places[0, linked[0]]) if linked.size else begin
    if not reached.any():
        return None
    first, last = np.concatenate(columns, axis=1)
    n_reached = int(np.flatnonzero(reached)[-1]) + 1
    return AlignedWords(first, last, n_changed, int(len(key) - reached.sum()), n_inserted, n_reached)


def join_entities(document: Ints, entity: Ints, window: Ints, start: Ints, end: Ints) -> Ints:
    """Join the entities of each document that have an equal mention in two windows.

        >>> columns = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1], [3, 5, 5, 7], [3, 5, 5, 8]]
        >>> join_entities(*map(np.array, columns)).tolist()
        [0, 1, 1, 2]

    Args:
        document: int64 (M,) ascending.
        entity: int64 (M,) entities of windows.
        window: int64 (M,) the window of each mention.
        start: int64 (M,) first word.
        end: int64 (M,) last word.

    Returns:
        int64 (M,) entities, numbered in each document in the order of their first mentions.
    """
    own = number_rows([document, entity])[1]
    order, span = number_rows([document, start, end])
    pairs = np.flatnonzero((np.diff(span[order]) == 0) & (np.diff(window[order]) != 0))
    one, other = own[order[pairs]], own[order[pairs + 1]]
    n = int(own.max(initial=-1)) + 1
    number, first = number_by_appearance(components(one, other, n)[own], n)
    result: Ints = number - np.searchsorted(document[first], document)
    return result


def moved_nodes(mentions: Mentions, place: Ints, first: Ints, last: Ints) -> Mentions:
    """Return mentions on other words; an empty node stays after its word, or goes with it.

        >>> none = np.zeros(1, np.int32)
        >>> mention = Mentions(none, none, none + 2, none, none, parts=np.array([[1, 1], [3, 3]]) << BITS,
        ...     part_bounds=np.array([0, 2]))
        >>> moved = moved_nodes(mention, np.array([0]), np.array([0, 2, 3]), np.array([1, 2, 3]))
        >>> (moved.parts >> BITS).tolist(), moved.start.tolist(), moved.end.tolist()
        ([[1, 2], [4, 4]], [0], [3])

    Args:
        mentions: M mentions.
        place: int64 (M,) where the words of the document of each begin in ``first`` and ``last``.
        first: int64 (W,) first of the other words that each word is; -1 for none.
        last: int64 (W,) the last one, the same.

    Returns:
        The mentions that are not empty now, without their sentences.
    """
    mentions = mentions.with_parts()
    owner = owners(mentions.part_bounds).repeat(part_sizes(mentions.parts))
    low, high, empty = _nodes_on(nodes_of(mentions.parts), place[owner], first, last)
    count = np.where(low < 0, 0, high - low + 1)
    columns = [owner.repeat(count), (ranges(low, count) << BITS) | empty.repeat(count)]
    order = number_rows(columns)[0]
    owner, nodes = (column[order] for column in columns)
    once = run_starts(owner, nodes)
    owner, nodes = owner[once], nodes[once]
    begin = run_starts(owner)
    rows = owner[begin]
    parts, part_bounds = parts_between(nodes, begin, np.append(begin[1:], nodes.size) - 1)
    kept = mentions.take(rows)
    begins, ends = _words_at(parts[part_bounds[:-1], 0]), _words_at(parts[part_bounds[1:] - 1, 1])
    moved = replace(kept, start=begins, end=ends, parts=parts, part_bounds=part_bounds, sentence=None)  # type: ignore[arg-type]
    if mentions.head is not None:
        low, _, empty = _nodes_on(kept.head, place[rows], first, last)
        moved = replace(moved, head=np.where(low < 0, moved.first, low << BITS | empty))
    return moved


def _words_at(nodes: Ints) -> Ints32:
    """Return the word of each node, int32 from 0; of an empty node the word before it, or else the first."""
    return np.asarray(np.maximum(nodes >> BITS, 1) - 1, np.int32)


def _nodes_on(nodes: Ints, place: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return first and last other word, from 1, that each node is or is after, or -1; and its bits of `EMPTY`.

    Args:
        nodes: int64 (N,) words and empty nodes.
        place: int64 (N,) see `moved_nodes`.
        first: int64 (W,) the same.
        last: int64 (W,) the same.
    """
    word, empty = nodes >> BITS, nodes & EMPTY
    at = np.where(word > 0, place + word - 1, first.size)
    low, high = (np.append(column, -1)[at] + 1 for column in (first, last))
    is_none = (low == 0) & (word > 0)
    low = np.where(empty > 0, high, low)
    return np.where(is_none, -1, low), np.where(is_none, -1, high), empty


MARK = "##"


def with_empty_nodes(side: Documents, other: Documents) -> Documents:
    """Return a side with its mentions on the words and empty nodes of the other, and without the tokens for these.

    A document changes if its tokens with ``##`` are at the places of the other's empty nodes, and of no words.

    Args:
        side: D documents of words.
        other: the same documents in the same order.
    """
    are_words = all(text.has_words and not text.has_tree for text in side.text)
    if not other.have_trees or not are_words or side.mentions.has_parts:
        return side
    texts, nodes = list(side.text), []
    changed = False
    for d, n_tokens in enumerate(side.n_tokens.tolist()):
        words = texts[d].words() or []
        marked = np.array([word.startswith(MARK) for word in words], np.bool_)
        text, own = other.text[d], np.zeros(0, np.int64)
        if marked.any() and side.units[d] == "word" and isinstance(text, ConlluText):
            own = np.array([node for node, _ in nodes_in_order(parsed(text))], np.int64)
        if own.size and np.array_equal(own & EMPTY != 0, marked):
            texts[d] = Text([[word for word in words if not word.startswith(MARK)]], int((~marked).sum()))
            changed = True
        else:
            own = np.arange(1, n_tokens + 1) << BITS
        nodes.append(own)
    if not changed:
        return side
    mentions, before, every = side.mentions, bounds_of(nodes)[side.mentions.document], np.concatenate(nodes)
    parts, part_bounds = parts_between(every, before + mentions.start, before + mentions.end)
    start, end = (_words_at(every[before + word]) for word in (mentions.start, mentions.end))
    mentions = replace(mentions, start=start, end=end, parts=parts, part_bounds=part_bounds)
    return replace(side, mentions=mentions, text=tuple(texts))


def marked_words(text: ConlluText) -> list[str]:
    """Return the words and the empty nodes of a document of CoNLL-U, in order; the forms of these begin with `MARK`."""
    rows = chain.from_iterable(in_order(sentence, "")[0] for sentence in parsed(text))
    return [f"{MARK}{columns[FORM].strip('_')}" if "." in columns[0] else columns[FORM] for columns in rows]
