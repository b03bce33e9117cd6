"""Join the parts of mentions with gaps, which have an id of their own in the CoNLL files of CRAFT.

There, the spans of id ``32a`` are the parts of one mention of entity 32, and those of ``32b`` of another mention. In
other files, ``32a`` may be an entity like any other. All ids of a document that are a number and letters are parts if
the number of one of them is an id too, or occurs with other letters too. It is unclear if such spans overlap or are in
several sentences; or if no number is an id too, but the spans of an id could be parts and other ids are numbers.

Source: the evaluation of the CRAFT Shared Tasks of 2019.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from arraycoref.ragged import Ints, Ints32

Parts = Sequence[tuple[int, int, int]]
"""Of each part of mentions with gaps, the mention, the first and the last token."""

_ID = re.compile(rb"([0-9]+)[A-Za-z]+")


def join_parts(
    ids: Sequence[bytes], columns: Sequence[Ints32], sentence: Ints, format: str | None
) -> tuple[Parts, list[int]]:
    """Make one mention of all parts of each mention with gaps.

    Args:
        ids: the ids of a document's entities.
        columns: int (M,) first and last token and entity of each mention. They are changed: the first part becomes
            the mention. A last token of -1 means to leave it out, as the other parts are.
        sentence: int (M,) the sentence.
        format: ``craft`` if such ids are parts whatever the sentences, ``conll`` if they are not where it is unclear.

    Returns:
        The parts; and the entities of which it is unclear, whose mentions are left out.
    """
    start, end, entity = columns
    of_number: dict[bytes, list[int]] = {}
    for k, who in enumerate(ids):
        if found := _ID.fullmatch(who):
            of_number.setdefault(found[1], []).append(k)
    own = list(chain(*of_number.values()))
    for k, who in enumerate(ids if own else ()):
        if who in of_number:
            of_number[who].append(k)
    is_clear = format == "craft" or max(map(len, of_number.values()), default=0) > 1
    rows = np.flatnonzero(np.isin(entity, own) & (end >= 0))
    rows = rows[np.lexsort((start[rows], entity[rows]))]
    is_again = np.append(False, np.diff(entity[rows]) == 0)[: rows.size]
    is_odd = np.append(False, start[rows][1:] <= end[rows][:-1])[: rows.size]
    if format != "craft":
        is_odd |= np.append(False, np.diff(sentence[rows]) != 0)[: rows.size]
    odd = np.unique(entity[rows[is_again & is_odd]])
    if not is_clear:
        odd = np.setdiff1d(entity[rows[is_again]], odd) if any(map(bytes.isdigit, ids)) else odd[:0]
    if format == "conll" and odd.size:
        return (), []
    end[np.isin(entity, odd)] = -1
    if not is_clear:
        return (), odd.tolist()
    is_kept = end[rows] >= 0
    rows, is_again = rows[is_kept], is_again[is_kept]
    mention = rows[np.maximum.accumulate(np.where(is_again, 0, np.arange(rows.size)))]
    parts = list(zip(mention.tolist(), start[rows].tolist(), end[rows].tolist(), strict=True))
    np.maximum.at(end, mention, end[rows])
    end[rows[is_again]] = -1
    first = np.arange(len(ids))
    for every in of_number.values():
        first[every] = min(every)
    entity[:] = first[entity]
    return parts, odd.tolist()
