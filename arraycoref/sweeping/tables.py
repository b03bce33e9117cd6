"""Sweeps as tables and labelled arrays of other libraries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.errors import MissingDependencyError
from arraycoref.metrics.base import RATIOS
from arraycoref.metrics.score import Score
from arraycoref.report.frames import score_columns, table_maker
from arraycoref.report.rows import SUMS
from arraycoref.sweeping.settings import identity

if TYPE_CHECKING:
    import xarray

    from arraycoref.sweeping.result import Sweep


def to_frame(sweep: Sweep, backend: str | None = None, *, per_document: bool = False) -> Any:
    """Return a table with one row for each setting.

    Args:
        sweep: S settings.
        backend: ``pandas``, ``polars`` or ``pyarrow``; None takes the first of these that is installed.
        per_document: one row for each setting and document that it was scored on instead, with a column ``document``.

    Returns:
        Columns of the settings' parameters, or one ``setting``; then ``muc_recall``, ``muc_precision``, ``muc_f1`` and
        so on, fractions 0-1.

    Raises:
        MissingDependencyError: the backend, or every one of them, is not installed.
        UnknownNameError: there is no such backend.
    """
    return table_maker(backend)(columns(sweep, per_document=per_document))


def columns(sweep: Sweep, *, per_document: bool = False) -> dict[str, Any]:
    """Return the columns of `to_frame`: lists of parameters and float64 arrays."""
    found: dict[str, Any] = dict(sweep.parameters)
    if not per_document:
        return found | score_columns(sweep.corpus, sweep.metrics)
    sizes = sweep.scored.sum(axis=1).tolist()
    found = {
        name: [value for value, n in zip(values, sizes, strict=True) for _ in range(n)]
        for name, values in found.items()
    }
    found["document"] = [name for batch in sweep for name in batch.names]
    pieces = [score_columns(batch.documents, sweep.metrics) for batch in sweep]
    return found | {name: np.concatenate([piece[name] for piece in pieces]) for name in (pieces[0] if pieces else ())}


def to_xarray(sweep: Sweep) -> xarray.Dataset:
    """Return labelled arrays.

    Variables ``recall``, ``precision`` and ``f1`` (setting, metric), fractions 0-1, NaN where the CoNLL average has
    none; ``sums`` (setting, document, group, sum), counts, NaN where a document was skipped. Where the settings are
    dicts that form a full grid, every parameter is a dimension instead of ``setting``; where they are dicts
    otherwise, their parameters are coordinates of it.

    Args:
        sweep: S settings.

    Raises:
        MissingDependencyError: xarray is not installed.
    """
    try:
        import xarray
    except ImportError:
        raise MissingDependencyError("this needs xarray; install with: pip install arraycoref[xarray]") from None

    shape, order, names, coordinates = _grid(sweep)
    found: dict[str, Any] = {}
    for measure in RATIOS:
        scores: list[Score[Any]] = [sweep.corpus[metric] for metric in sweep.metrics]
        values = np.stack([getattr(score, measure) for score in scores], axis=-1)[order]
        found[measure] = ((*names, "metric"), values.reshape(*shape, len(sweep.metrics)))
    sums = sweep.sums if np.array_equal(order, np.arange(len(sweep))) else sweep.sums[order]
    found["sums"] = ((*names, "document", "group", "sum"), sums.reshape(*shape, *sums.shape[1:]))
    coordinates |= {
        "metric": list(sweep.metrics),
        "document": list(sweep.document_names or range(sweep.n_documents)),
        "group": list(sweep.groups),
        "sum": list(SUMS),
    }
    return xarray.Dataset(found, coordinates, {"signature": str(sweep.signature)})


def _grid(sweep: Sweep) -> tuple[tuple[int, ...], np.ndarray[Any, Any], tuple[str, ...], dict[str, Any]]:
    """Return shape, order of the settings, dimensions and coordinates of a grid, or of one dimension."""
    parameters = sweep.parameters
    is_grid = bool(len(sweep)) and all(isinstance(setting, dict) for setting in sweep.settings) and bool(parameters)
    values = {name: list({identity(value): value for value in column}.values()) for name, column in parameters.items()}
    reserved = {"metric", "document", "group", "sum", *RATIOS, "sums"}
    shape = tuple(map(len, values.values()))
    if is_grid and math.prod(shape) == len(sweep) and not reserved & values.keys():
        places = [
            [[identity(value) for value in values[name]].index(identity(item)) for item in column]
            for name, column in parameters.items()
        ]
        position = np.ravel_multi_index(tuple(np.array(places)), shape)
        return shape, np.argsort(position), tuple(values), dict(values)
    order = np.arange(len(sweep))
    coordinates: dict[str, Any] = {"setting": list(sweep.names)}
    if all(isinstance(setting, dict) for setting in sweep.settings):
        coordinates |= {
            name: ("setting", np.array(column, dtype=object if None in column else None))
            for name, column in parameters.items()
            if name not in reserved | {"setting"}
        }
    return (len(sweep),), order, ("setting",), coordinates
