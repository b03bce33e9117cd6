"""Lay out runs as labelled arrays of xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.runtime import import_extra
from arraycoref.scoring.format import SUMS
from arraycoref.scoring.metrics.registry import RATIOS, group_names
from arraycoref.stats.runs import Runs

if TYPE_CHECKING:
    import xarray


def to_xarray(runs: Runs) -> xarray.Dataset:
    """Return scores and sums of runs with named dimensions and coordinates; see `Runs.to_xarray`.

    Raises:
        MissingDependencyError: xarray is not installed.
    """
    library = import_extra("xarray", "labelled arrays need xarray", "xarray")
    scores = {field: [getattr(runs.corpus[metric], field) for metric in runs.metrics] for field in RATIOS}
    variables: dict[str, Any] = {field: (("metric", "setting"), np.array(each)) for field, each in scores.items()}
    variables["sums"] = (("setting", "document", "group", "sum"), runs.counts.rows)
    coordinates: dict[str, Any] = {"setting": list(runs.names), "metric": list(runs.metrics)}
    coordinates |= {
        name: ("setting", np.array(column, dtype=object if None in column else None))
        for name, column in runs.parameters.items()
        if name != "setting"
    }
    coordinates["document"] = list(runs.document_names or range(runs.n_documents))
    coordinates |= {"group": list(group_names(runs.counts.metrics)), "sum": list(SUMS)}
    dataset: xarray.Dataset = library.Dataset(variables, coordinates, {"signature": str(runs.signature)})
    return dataset
