"""Count the mentions that two tables share, and would share if written or counted otherwise, and warn of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arraycoref.checks import SHIFTS, WRITTEN, note_mentions
from arraycoref.contingency import Integers
from arraycoref.errors import ReadError
from arraycoref.interop.columns import Column, Texts
from arraycoref.interop.long_table import LongTable
from arraycoref.read.parsed import warn
from arraycoref.tables.reading import kinds

WAYS = (WRITTEN, *(how for *_, how in SHIFTS))
"""How a side may have to be: W ways."""

NUMBER = r"^['\"]*0*([0-9]+)(?:\.0)?['\"]*$"
"""A number that is a text."""

Overlap = Integers
"""Of documents that both sides have, int64 (4 + W,): how many; mentions of the key, of the response, of both; and of
both if a side were otherwise, in the order of `WAYS`.
"""


def overlap(
    n_documents: int,
    n_mentions: Sequence[int],
    n_shared: int,
    otherwise: Iterable[tuple[int, int]] = (),
) -> Overlap:
    """Look at some documents.

    Args:
        n_documents: that both sides have.
        n_mentions: of the key and of the response in these.
        n_shared: mentions that both have.
        otherwise: which of `WAYS`, and how many mentions both have then; drawn where few are shared.
    """
    found = np.array([n_documents, *n_mentions, n_shared, *[n_shared] * len(WAYS)])
    if 2 * n_shared < min(n_mentions):
        for way, n in otherwise:
            found[4 + way] = n
    return found


def written_otherwise(
    key: LongTable, response: LongTable, names: Sequence[str]
) -> Iterator[tuple[int, LongTable, LongTable]]:
    """Yield tables whose mentions are written or counted otherwise, and which of `WAYS` it is."""
    if any(isinstance(column, Texts) for column in key.mention):
        ours, theirs = (replace(table, mention=tuple(map(_plain, table.mention))) for table in (key, response))
        yield 0, ours, theirs
    elif kinds(names) == [True, True]:
        for way, (moved, shift, _) in enumerate(SHIFTS, 1):
            sides = {"key": key, "response": response}
            columns = zip(sides[moved].mention, (shift, 1), strict=True)
            mention = tuple(replace(column, codes=column.codes + by) for column, by in columns)
            sides[moved] = replace(sides[moved], mention=mention)
            yield way, sides["key"], sides["response"]


def _plain(column: Column) -> Column:
    """Write numbers that are texts in one way."""
    if not isinstance(column, Texts):
        return column
    from pyarrow import compute

    return Texts.of(column.codes, compute.replace_substring_regex(column.dictionary, NUMBER, r"\1"))


def note_overlap(
    found: Sequence[Overlap], key: Any, response: Any, report: Callable[[ReadError], None] | None = None
) -> None:
    """Warn of a side without mentions, and of mentions that seem to be written or counted in two ways.

    Args:
        found: of one set of documents each.
        key: what the key was read from.
        response: likewise.
        report: called with each warning, in place of `ReadWarning`.
    """
    n_documents, *n_mentions, n_shared = np.sum(found, axis=0)[:4].tolist()
    if n_documents:
        sides = {"key": key, "response": response}
        sources = [os.fspath(side) if isinstance(side, str | os.PathLike) else name for name, side in sides.items()]
        otherwise = zip(np.sum(found, axis=0)[4:].tolist(), WAYS, strict=True)
        note_mentions(sources, n_mentions, n_shared, otherwise, report or warn)
