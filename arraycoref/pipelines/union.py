"""Rows of both sides, grouped by document -> labels over mention union indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.clusterings import LABEL_SEED
from arraycoref.errors import DuplicateMentionError
from arraycoref.options import Policies
from arraycoref.pipelines.columns import number

Integers = NDArray[np.int64]

Describe = Callable[[str, int, int], str]
"""Names the place of two rows of one mention, given the side and the rows, for a message."""

RUN = 8
"""Rows in a row of one document, on average, from which a table passes for grouped."""


class Side(NamedTuple):
    """The rows of one side.

    Attributes:
        start: int64 (D,) document d owns the rows ``start[d]:end[d]``.
        end: int64 (D,).
        mention: int64 (N,) numbers, equal on both sides for equal mentions of a document.
        label: int64 (N,) entities >= 0; -1 in a row that says nothing.
    """

    start: Integers
    end: Integers
    mention: Integers
    label: Integers

    def part(self, first: int, last: int) -> Side:
        """The rows of the documents ``first:last``."""
        return self._replace(start=self.start[first:last], end=self.end[first:last])


def union_labels(
    key: Side, response: Side, policies: Policies, describe: Describe
) -> tuple[Integers, Integers, Integers]:
    """Lay the labels of D documents out over their mention union indices.

    Of a mention with several rows on a side, ``first`` and ``last`` keep the label of the first or last row.

    Args:
        key: rows of the key.
        response: rows of the response, the same documents in the same order.
        policies: for repeated mentions.
        describe: for the message.

    Returns:
        int64 (M,) the key's labels, -1 where it lacks the mention; int64 (M,) the response's; and int64 (D+1,) the
        bounds of the documents.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    from arraycoref.kernels import tables

    rules = {"error": tables.ERROR, "first": tables.FIRST, "last": tables.LAST, "drop": tables.DROP}
    room = int((key.end - key.start).sum() + (response.end - response.start).sum())
    offsets = np.empty(key.start.size + 1, np.int64)
    key_labels, response_labels = np.empty(room, np.int64), np.empty(room, np.int64)
    side, first, second = tables.place(
        frozen(key.start),
        frozen(key.end),
        frozen(key.mention),
        frozen(key.label),
        frozen(response.start),
        frozen(response.end),
        frozen(response.mention),
        frozen(response.label),
        rules[policies.key_duplicates],
        rules[policies.response_duplicates],
        LABEL_SEED,
        offsets,
        key_labels,
        response_labels,
    )
    if side >= 0:
        raise DuplicateMentionError(
            f"{describe(('key', 'response')[side], first, second)}; expected each mention once. "
            "duplicates='first', 'last' or 'drop' keeps it in one entity or in none"
        )
    n_mentions = int(offsets[-1])
    return key_labels[:n_mentions], response_labels[:n_mentions], offsets


def group(document: Integers, n_documents: int) -> tuple[Integers, Integers | None]:
    """Group rows by document.

    Args:
        document: int64 (N,) 0 to D - 1.
        n_documents: D.

    Returns:
        int64 (D+1,) bounds of the documents, and int64 (N,) the rows in their order; None where they are in it.
    """
    from arraycoref.kernels.tables import group_rows

    if (document[1:] >= document[:-1]).all():
        return np.searchsorted(document, np.arange(n_documents + 1)), None
    bounds, order = np.empty(n_documents + 1, np.int64), np.empty(document.size, np.int64)
    group_rows(frozen(document), bounds, order)
    return bounds, order


def runs(values: Integers) -> Integers:
    """Positions where the runs of equal values begin, int64 (R,)."""
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate((np.zeros(min(values.size, 1), np.int64), changes))


def group_values(values: Integers) -> tuple[Integers, Integers | None, Integers]:
    """Group rows by any values, in the order of their first appearance.

    Args:
        values: int64 (N,).

    Returns:
        int64 (D+1,) bounds of the groups; int64 (N,) the rows in their order, None where they are in it; and int64 (D,)
        the first row of each group.
    """
    starts = runs(values)
    if starts.size * RUN > values.size + RUN:
        codes, first = number(values)
    else:
        of_run, places = number(values[starts])
        first = starts[places]
        if first.size == starts.size:
            return np.append(starts, values.size), None, first
        codes = np.repeat(of_run, np.diff(starts, append=values.size))
    return *group(codes, first.size), first
