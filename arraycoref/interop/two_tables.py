"""The key's long table and the response's, in memory: Arrow tables or Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arraycoref.batch import Progress
from arraycoref.errors import InputError
from arraycoref.interop.blocks import Request, assemble, count_block
from arraycoref.interop.long_table import LongTable, Names, from_table
from arraycoref.results import BatchScores


def column_names(document: str | None, mention: str | Sequence[str] | None, label: str) -> Names:
    """Check the names of the columns of two tables.

    Raises:
        InputError: no column of mentions.
    """
    mentions = (mention,) if isinstance(mention, str) else tuple(mention or ())
    if not mentions:
        raise InputError("mention names no column; expected one at least, by which the two tables' rows are matched")
    return Names(document, mentions, label)


def score_arrow(
    key: Any, response: Any, request: Request, threads: int = 1, progress: Progress | None = None
) -> BatchScores:
    """Score two Arrow tables.

    Args:
        key: a ``pyarrow.Table`` of the key.
        response: of the response.
        request: what to compute.
        threads: see `arraycoref.api`.
        progress: called with the number of documents scored and D.

    Raises:
        InputError: a column that is not there or of another type, a null, a label below -1.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    return score_long(
        from_table(key, request.names, "the key's table"),
        from_table(response, request.names, "the response's table"),
        request,
        threads,
        progress,
    )


def score_long(
    key: LongTable, response: LongTable, request: Request, threads: int = 1, progress: Progress | None = None
) -> BatchScores:
    """Score two long tables, as `score_arrow` does."""
    return assemble([count_block(key, response, request, threads=threads, progress=progress)], request)
