"""Give the scores and counts of runs as labelled arrays of xarray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.runtime import import_extra
from arraycoref.scoring.metrics import registry
from arraycoref.scoring.rows import SUMS

if TYPE_CHECKING:
    import xarray


def labelled(runs: Any) -> xarray.Dataset:
    """Return what `arraycoref.Runs.to_xarray` describes."""
    library = import_extra("xarray", "labelled arrays need xarray", "xarray")
    scores = {field: [getattr(runs.corpus[metric], field) for metric in runs.metrics] for field in registry.RATIOS}
    found: dict[str, Any] = {field: (("metric", "setting"), np.array(each)) for field, each in scores.items()}
    found["sums"] = (("setting", "document", "group", "sum"), runs.counts.rows)
    coordinates: dict[str, Any] = {"setting": list(runs.names), "metric": list(runs.metrics)}
    coordinates |= {
        name: ("setting", np.array(column, dtype=object if None in column else None))
        for name, column in runs.parameters.items()
        if name != "setting"
    }
    coordinates["document"] = list(runs.document_names or range(runs.n_documents))
    coordinates |= {"group": list(registry.group_names(runs.counts.metrics)), "sum": list(SUMS)}
    dataset: xarray.Dataset = library.Dataset(found, coordinates, {"signature": str(runs.signature)})
    return dataset
