"""Two long tables -> the documents of both, paired, and their rows beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.interop.columns import Column, Numbers, join, number, take
from arraycoref.interop.long_table import LongTable, Names
from arraycoref.interop.union import Describe, Side, group

Integers = NDArray[np.int64]


def pair(key: LongTable, response: LongTable, names: Names) -> tuple[LongTable, LongTable, Integers, Integers]:
    """Join the segments of each document, and find the documents of both sides.

    Args:
        key: table of the key.
        response: table of the response.
        names: of the columns, for messages.

    Returns:
        The tables with one segment a document; int64 (D,) the response's segment of each of the key's documents, -1
        where there is none; and the response's segments that the key lacks.

    Raises:
        InputError: documents that are numbers on one side and texts on the other.
    """
    codes = number(join([key.document, response.document], names.document or "").parts)[0]
    ours, theirs = codes[: len(key.document)], codes[len(key.document) :]
    key = _merged(key, ours)
    local, places = number(theirs)
    response = _merged(response, local)
    theirs = theirs[places]
    at = np.full(key.first.size, -1)
    known = theirs < at.size
    at[theirs[known]] = np.flatnonzero(known)
    return key, response, at, np.flatnonzero(~known)


def _merged(table: LongTable, codes: Integers) -> LongTable:
    """Join the segments of each document, which ``codes`` number by first appearance."""
    n_documents = int(codes.max(initial=-1)) + 1
    if n_documents == codes.size:
        return table
    bounds, order = group(codes, n_documents)
    ordered = table if order is None else table.select(order)
    starts = bounds[:-1]
    return LongTable(
        take(ordered.document, starts), ordered.first[starts], ordered.bounds[bounds], ordered.mention, ordered.label
    )


def pair_sides(
    key: LongTable, response: LongTable, ours: Integers, theirs: Integers, names: Names
) -> tuple[Side, Side, Describe]:
    """Lay the rows of paired documents beside each other.

    Args:
        key: a segment a document.
        response: likewise.
        ours: int64 (D,) the key's segment of each document.
        theirs: int64 (D,) the response's, -1 where it lacks the document.
        names: of the columns, for messages.

    Returns:
        The sides, and what describes repeated mentions, as `arraycoref.interop.union.union_labels` takes them.

    Raises:
        InputError: mentions that are numbers on one side and texts on the other.
    """
    key_mention, response_mention = mention_numbers(key.mention, response.mention, names.mention)
    absent = theirs < 0
    return (
        Side(key.bounds[ours], key.bounds[ours + 1], key_mention, label_numbers(key.label)),
        Side(
            np.where(absent, 0, response.bounds[theirs]),
            np.where(absent, 0, response.bounds[theirs + 1]),
            response_mention,
            label_numbers(response.label),
        ),
        lambda side, first, second: _describe(side, key if side == "key" else response, names, first, second),
    )


def label_numbers(label: Column) -> Integers:
    """Numbers >= 0 that are equal where labels are, -1 where a number says that the mention is absent."""
    return number(label.values)[0] if isinstance(label, Numbers) and label.unsigned else label.parts


def labels_of(label: Column, numbers: Integers) -> Column:
    """The labels that `label_numbers` gave the numbers of, int64 (n,), none of them -1."""
    if isinstance(label, Numbers) and label.unsigned:
        numbers = label.values[number(label.values)[1]][numbers]
    return label.with_parts(numbers)


def mention_numbers(
    key: Sequence[Column], response: Sequence[Column], names: Sequence[str]
) -> tuple[Integers, Integers]:
    """Numbers that are equal where mentions are.

    Args:
        key: (Nk,) each, the columns that make a mention.
        response: (Nr,) each.
        names: of the columns, for messages.

    Returns:
        int64 (Nk,) and int64 (Nr,).
    """
    n_key = len(key[0])
    if len(names) == 1 and _signed(key[0]) and _signed(response[0]):
        return key[0].parts, response[0].parts
    mention, room = np.zeros(n_key + len(response[0]), np.int64), 1
    for ours, theirs, name in zip(key, response, names, strict=True):
        parts = join([ours, theirs], name).parts
        if len(names) == 1 or parts.size == 0:
            mention = parts
            continue
        least, largest = int(parts.min()), int(parts.max())
        if room * (largest - least + 1) > 2**62:
            mention, parts, least = number(mention)[0], number(parts)[0], 0
            room, largest = int(mention.max()) + 1, int(parts.max())
        mention = mention * (largest - least + 1) + (parts - least)
        room *= largest - least + 1
    return mention[:n_key], mention[n_key:]


def _signed(column: Column) -> bool:
    return isinstance(column, Numbers) and not column.unsigned


def _describe(side: str, table: LongTable, names: Names, first: int, second: int) -> str:
    """Name the place of two rows of one mention."""
    segment = np.searchsorted(table.bounds, [first], side="right") - 1
    where = side
    if names.document is not None:
        where += f" of document {take(table.document, segment).to_list()[0]!r}"
    rows = np.array([first, second])
    parts = [take(column, rows[:1]).to_list()[0] for column in table.mention]
    mention = parts[0] if len(parts) == 1 else tuple(parts)
    labels = take(table.label, rows).to_list()
    return f"{where}: mention {mention!r} has two rows, with the labels {labels[0]!r} and {labels[1]!r}"
