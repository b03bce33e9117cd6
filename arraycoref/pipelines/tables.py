"""Long tables of pandas, polars, PyArrow and whatever else narwhals reads: a row a mention, a label a side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.api import Metrics, score_clusterings
from arraycoref.batch import Progress
from arraycoref.clusterings import Clusterings
from arraycoref.errors import InputError, MissingDependencyError
from arraycoref.occurrences import settle
from arraycoref.policies import Duplicates, resolve_policies
from arraycoref.results import BatchScores

if TYPE_CHECKING:
    import narwhals

Integers = NDArray[np.int64]


def score_table(
    frame: Any,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] | None = "mention",
    key: str = "key",
    response: str = "response",
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    progress: Progress | None = None,
) -> BatchScores:
    """Score a table with one row a mention.

    A mention may also have a row for each side. The labels of either side may be numbers or texts; null, NaN or None
    says that the side lacks the mention, and so does -1 in a column of integers.

    Args:
        frame: a table of pandas, polars, PyArrow or another library that narwhals knows, not a lazy one.
        document: column of the documents; None for one document.
        mention: column of the mentions, or columns that make a mention together, such as ``["start", "end"]``; None
            where each row is a mention of its own.
        key: column of the key's labels, which mean something within a document only.
        response: column of the response's.
        metrics: and the options after it: see `arraycoref.api`.
        profile: as above.
        duplicates: as above, for a mention with labels of one side in two rows.
        singletons: as above.
        beta: as above.
        threads: as above.
        progress: as above.

    Returns:
        Scores of the documents in the order of their first rows, named by the text of their values.

    Raises:
        InputError: a column that is not there, a document or mention that is null, labels of another kind.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        MissingDependencyError: narwhals is not installed.
    """
    policies = resolve_policies(profile, duplicates=duplicates, singletons=singletons, beta=beta)
    table = _table(frame)
    mentions = [] if mention is None else [mention] if isinstance(mention, str) else list(mention)
    for column in [*([] if document is None else [document]), *mentions, key, response]:
        if column not in table.columns:
            raise InputError(f"the table has no column {column!r}; expected one of: {', '.join(table.columns)}")
    n_rows = len(table)
    if document is None:
        document_of, names = np.zeros(n_rows, np.int64), None
    else:
        document_of = _column(table, document)
        rows = np.unique(document_of, return_index=True)[1]
        names = [str(value) for value in table[document][rows.tolist()].to_list()]
    row_mention = np.arange(n_rows) if mention is None else _columns(table, mentions)
    place, index = _union_index(document_of, row_mention)
    n_documents = 1 if names is None else len(names)
    offsets = np.searchsorted(document_of[place], np.arange(n_documents + 1))

    def labels(column: str, policy: Duplicates) -> Integers:
        entity = _labels(table, column)
        rows = np.flatnonzero(entity != -1)

        def describe(first: int, second: int) -> str:
            d = document_of[rows[first]]
            where = names[d] if names is not None else 0
            return f"{column} of document {where!r}: rows {rows[first]} and {rows[second]} label the same mention"

        return settle(index[rows], entity[rows], place.size, policy, describe)

    clusterings = Clusterings.from_labels(
        labels(key, policies.key_duplicates), labels(response, policies.response_duplicates), offsets, names
    )
    return score_clusterings(clusterings, policies, metrics, threads, progress)


def _table(frame: Any) -> narwhals.DataFrame[Any]:
    try:
        import narwhals
    except ImportError:
        raise MissingDependencyError("tables need narwhals; install with: pip install arraycoref[frames]") from None
    try:
        return narwhals.from_native(frame, eager_only=True)
    except TypeError:
        kind = f"{type(frame).__module__}.{type(frame).__name__}"
        raise InputError(f"frame is a {kind}; expected a table of pandas, polars or PyArrow, not a lazy one") from None


def _column(table: narwhals.DataFrame[Any], column: str) -> Integers:
    """Number the values of a column of documents or mentions by first appearance, int64 (rows,).

    Raises:
        InputError: a value that is null.
    """
    from arraycoref.pipelines.codes import value_codes

    codes = value_codes(table[column])
    if (codes < 0).any():
        raise InputError(f"row {int((codes < 0).argmax())} has no value in column {column!r}; expected one in each row")
    return codes


def _columns(table: narwhals.DataFrame[Any], columns: list[str]) -> Integers:
    """Number the combinations of several columns' values, int64 (rows,)."""
    from arraycoref.pipelines.codes import renumbered

    codes = np.zeros(len(table), np.int64)
    for column in columns:
        more = _column(table, column)
        codes = renumbered(codes * (int(more.max(initial=0)) + 1) + more)
    return codes


def _labels(table: narwhals.DataFrame[Any], column: str) -> Integers:
    """Return labels as int64 (rows,), -1 where there is none."""
    from arraycoref.pipelines.codes import value_codes

    series = table[column]
    if series.dtype.is_integer() and not series.dtype.is_unsigned_integer():
        values = np.asarray((series.fill_null(-1) if series.null_count() else series).to_numpy(), np.int64)
        if (values < -1).any():
            row = int((values < -1).argmax())
            raise InputError(f"row {row} has the label {values[row]} in column {column!r}; expected >= 0, -1 or null")
        return values
    return value_codes(series)


def _union_index(document: Integers, mention: Integers) -> tuple[Integers, Integers]:
    """Number the mentions of the table, document by document.

    Args:
        document: int64 (rows,).
        mention: int64 (rows,) means something within a document only.

    Returns:
        int64 (M,) a row of each mention, documents ascending; and int64 (rows,) the mention of each row.
    """
    order = np.lexsort((mention, document))
    new = np.ones(order.size, bool)
    new[1:] = (document[order[1:]] != document[order[:-1]]) | (mention[order[1:]] != mention[order[:-1]])
    index = np.empty(order.size, np.int64)
    index[order] = np.cumsum(new) - 1
    return order[new], index
