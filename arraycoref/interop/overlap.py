"""Count the mentions that two tables share; warn if they would share more when written or counted in another way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.interop.columns import Column, Texts
from arraycoref.interop.long_table import LongTable
from arraycoref.match.tokens import SHIFTS, WRITTEN, note_mentions
from arraycoref.read.parsed import warn
from arraycoref.read.table_reading import kinds
from arraycoref.scoring.cells import Integers

WAYS = (WRITTEN, *(how for *_, how in SHIFTS))
"""The W ways in which one side's mentions may have to be changed to match the other's, in the words of the warning."""

NUMBER = r"^['\"]*0*([0-9]+)(?:\.0)?['\"]*$"
"""Regular expression for a text that is a whole number, also with leading zeros, ``.0`` at the end, or in quotes."""

Overlap = Integers
"""int64 (4 + W,), numbers over the documents that both sides have: documents; mentions of the key, of the response and
of both; and for each of `WAYS`, the mentions of both if one side were changed in this way.
"""


def overlap(
    n_documents: int,
    n_mentions: Sequence[int],
    n_shared: int,
    otherwise: Iterable[tuple[int, int]] = (),
) -> Overlap:
    """Make the `Overlap` of some documents.

    Args:
        n_documents: number of documents that both sides have.
        n_mentions: number of mentions of the key and of the response in these documents.
        n_shared: number of mentions that both sides have.
        otherwise: pairs of a position in `WAYS` and the number of mentions that both sides have after this change;
            only iterated over if few mentions are shared, since each pair is costly.
    """
    found = np.array([n_documents, *n_mentions, n_shared, *[n_shared] * len(WAYS)])
    if 2 * n_shared < min(n_mentions):
        for way, n in otherwise:
            found[4 + way] = n
    return found


def written_otherwise(
    key: LongTable, response: LongTable, names: Sequence[str]
) -> Iterator[tuple[int, LongTable, LongTable]]:
    """Yield the position in `WAYS` of each change that is possible, and the two tables after this change."""
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
    """Bring texts that are whole numbers (see `NUMBER`) to one form: ``01``, ``1.0`` and ``"1"`` become ``1``."""
    if not isinstance(column, Texts):
        return column
    from pyarrow import compute

    return Texts.of(column.codes, compute.replace_substring_regex(column.dictionary, NUMBER, r"\1"))


def note_overlap(
    found: Sequence[Overlap], key: Any, response: Any, report: Callable[[ReadError], None] | None = None
) -> None:
    """Warn of a side without mentions, and of sides that seem to write or count mentions in different ways.

    Args:
        found: one `Overlap` for each set of documents.
        key: the path or table that the key was read from; warnings name a path.
        response: likewise.
        report: called with each warning, in place of `ReadWarning`.
    """
    n_documents, *n_mentions, n_shared = np.sum(found, axis=0)[:4].tolist()
    if n_documents:
        sides = {"key": key, "response": response}
        sources = [os.fspath(side) if isinstance(side, str | os.PathLike) else name for name, side in sides.items()]
        otherwise = zip(np.sum(found, axis=0)[4:].tolist(), WAYS, strict=True)
        note_mentions(sources, n_mentions, n_shared, otherwise, report or warn)
