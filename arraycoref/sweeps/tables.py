"""Show sweeps as tables and as labelled arrays of other libraries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.report.formats import HEAD
from arraycoref.report.tables import TextTable
from arraycoref.runtime import import_extra
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.rows import SUMS, f_name, format_score, score_columns
from arraycoref.sweeps.scores import SettingScores
from arraycoref.sweeps.settings import Setting, beside, distinct, identity, parameters_of, text_of

if TYPE_CHECKING:
    import xarray


def document_columns(sweep: SettingScores) -> dict[str, Any]:
    """Return columns with one row per setting and document: parameters, ``document``, and `score_columns`."""
    runs = list(sweep)
    found: dict[str, Any] = {"document": [name for run in runs for name in run.names]}
    pieces = [score_columns(run.documents, run.metrics) for run in runs]
    found |= {name: np.concatenate([piece[name] for piece in pieces]) for name in (pieces[0] if pieces else ())}
    parameters = {
        name: [value for value, run in zip(values, runs, strict=True) for _ in range(len(run))]
        for name, values in sweep.parameters.items()
    }
    return beside(parameters, found)


def to_xarray(sweep: SettingScores) -> xarray.Dataset:
    """Return labelled arrays.

    The variables are ``recall``, ``precision`` and ``f1`` (setting, metric), fractions 0-1, NaN for recall and
    precision of the CoNLL average; and ``sums`` (setting, document, group, sum), counts, NaN where a document was
    skipped. If the settings are dicts that form a full grid, each parameter is a dimension in place of ``setting``. If
    they are dicts but form no full grid, their parameters are coordinates of the dimension ``setting``.

    Raises:
        MissingDependencyError: xarray is not installed.
    """
    library = import_extra("xarray", "labelled arrays need xarray", "xarray")
    shape, order, names, coordinates = _grid(sweep.settings)
    found: dict[str, Any] = {}
    for field in RATIOS:
        values = np.stack([sweep.score(metric, field) for metric in sweep.metrics], axis=-1)[order]
        found[field] = ((*names, "metric"), values.reshape(*shape, len(sweep.metrics)))
    sums = sweep.sums if np.array_equal(order, np.arange(len(order))) else sweep.sums[order]
    found["sums"] = ((*names, "document", "group", "sum"), sums.reshape(*shape, *sums.shape[1:]))
    coordinates |= {
        "metric": list(sweep.metrics),
        "document": list(sweep.document_names or range(sweep.n_documents)),
        "group": list(sweep.groups),
        "sum": list(SUMS),
    }
    labelled: xarray.Dataset = library.Dataset(found, coordinates, {"signature": str(sweep.signature)})
    return labelled


def _grid(settings: Sequence[Setting]) -> tuple[tuple[int, ...], np.ndarray[Any, Any], tuple[str, ...], dict[str, Any]]:
    """Return shape, order of the settings, dimensions and coordinates: of a full grid, or of one dimension."""
    parameters = parameters_of(settings)
    are_dicts = all(isinstance(setting, dict) for setting in settings)
    values = {name: distinct(column) for name, column in parameters.items()}
    reserved = {"metric", "document", "group", "sum", *RATIOS, "sums"}
    shape = tuple(map(len, values.values()))
    if settings and are_dicts and shape and math.prod(shape) == len(settings) and not reserved & values.keys():
        places = []
        for name, column in parameters.items():
            place = {identity(value): position for position, value in enumerate(values[name])}
            places.append(np.array([place[identity(value)] for value in column]))
        position = np.ravel_multi_index(tuple(places), shape)
        return shape, np.argsort(position), tuple(values), dict(values)
    order = np.arange(len(settings))
    coordinates: dict[str, Any] = {"setting": list(map(text_of, settings))}
    if are_dicts:
        coordinates |= {
            name: ("setting", np.array(column, dtype=object if None in column else None))
            for name, column in parameters.items()
            if name not in reserved | {"setting"}
        }
    return (len(settings),), order, ("setting",), coordinates


def summary(sweep: SettingScores) -> list[str]:
    """Describe in a few lines what a sweep holds, and which setting is the best."""
    head = f"Sweep of {len(sweep)} settings, {sweep.n_documents} documents, {', '.join(sweep.metrics)}"
    if not len(sweep) or not sweep.n_documents:
        return [head]
    if (sweep.scored != sweep.scored[:1]).any():
        lack = "scored on different documents; on_shared_documents() keeps those of all"
        return [head, lack, str(sweep.signature)]
    metric = sweep.first_metric
    best = sweep.order(metric)[0]
    score = format_score(sweep.score(metric)[best], metric, profile=sweep.signature.profile)
    found = f"best {metric}: {score} at {sweep.names[best]}"
    return [head, found, str(sweep.signature)]


def setting_table(sweep: SettingScores, digits: int) -> TextTable:
    """Lay out parameters and F of the best settings, or of the first ones if they cannot be compared."""
    comparable = len(sweep) and (sweep.scored == sweep.scored[:1]).all()
    order = (sweep.order(sweep.first_metric) if comparable else np.arange(len(sweep)))[:HEAD].tolist()
    headers: list[str] = [*sweep.parameters, *sweep.metrics]
    headers[0] += f" ({f_name(sweep.signature.beta)}" + (f", {HEAD} of {len(sweep)})" if len(sweep) > HEAD else ")")
    return TextTable(headers, cells(sweep, order, "f1", digits))


def cells(sweep: SettingScores, order: Sequence[int], field: str, digits: int) -> list[list[str]]:
    """Write the parameters of some settings, and their scores in every metric."""
    parameters, profile = sweep.parameters, sweep.signature.profile
    scores = {metric: sweep.score(metric, field).tolist() for metric in sweep.metrics}
    return [
        [
            *(str(values[position]) for values in parameters.values()),
            *(format_score(values[position], metric, digits, profile=profile) for metric, values in scores.items()),
        ]
        for position in order
    ]
