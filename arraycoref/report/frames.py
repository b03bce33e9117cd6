"""Convert results to tables of pandas, polars or pyarrow, whichever is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arraycoref.errors import MissingDependencyError, check_name
from arraycoref.scoring.values import fields_of

BACKENDS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def table_maker(backend: str | None) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes a library's table from a dictionary of columns.

    Args:
        backend: ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that is installed.

    Raises:
        MissingDependencyError: the backend, or every one of them, is not installed.
        UnknownNameError: there is no such backend.
    """
    if backend is not None:
        check_name("backend", backend, BACKENDS)
    for name in BACKENDS if backend is None else (backend,):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        maker: Callable[[dict[str, Any]], Any] = getattr(module, BACKENDS[name])
        return lambda columns: maker({encodable(name): _encodable_column(values) for name, values in columns.items()})
    wanted = backend or "one of " + ", ".join(BACKENDS)
    raise MissingDependencyError(f"a table needs {wanted}; install with: pip install {backend or 'pandas'}")


def encodable(value: Any) -> Any:
    """Escape lone surrogates in a text, which no library's table accepts; other values stay as they are."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _encodable_column(values: Any) -> Any:
    """Convert a column so that all libraries make the same of it: None among numbers becomes nan.

    Other values of several types become texts. So do integers that a table's numbers would round or cannot hold.
    """
    if isinstance(values, np.ndarray):
        return values
    kinds = set(map(type, values))
    largest = max((abs(value) for value in values if isinstance(value, int)), default=0)
    if len(kinds) > 1 and kinds <= {int, float, type(None)} and largest <= 2**53:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    if len(kinds - {type(None)}) > 1 or largest > (2**63 - 1 if kinds == {int} else 2**53):
        return [None if value is None else encodable(str(value)) for value in values]
    return list(map(encodable, values))


def columns(b: Any) -> dict[str, Any]:
    """Return the columns of a batch's table, with D values each: ``name``, then the columns of `score_columns`."""
    return {"name": list(b.names) or np.zeros(0, "U1"), **score_columns(b.documents, b.metrics)}


def score_columns(scores: Any, metrics: Sequence[str]) -> dict[str, Any]:
    """Return columns ``muc_recall``, ``muc_precision``, ``muc_f1`` and so on; the CoNLL average has only ``conll_f1``.

    Args:
        scores: the scores by metric; the attributes of each are arrays (N,).
        metrics: the metrics, in order.

    Returns:
        The columns by name, float64 (N,): fractions 0-1, or counts for a metric that is a count.
    """
    return {
        f"{metric}_{field}": np.asarray(getattr(scores[metric], field), dtype=np.float64)
        for metric in metrics
        for field in fields_of(metric)
    }
