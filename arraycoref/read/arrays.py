"""Read labels that NumPy saved: ``.npy``, an array of one document or a row for each; ``.npz``, arrays by name.

An array of an ``.npz`` is a document with its name; or ``labels`` are those of all documents, with ``offsets`` and,
where there are any, ``names``. A label means what it means in a file with a label in each line.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import ReadError
from arraycoref.read.documents import Parsed
from arraycoref.read.layouts import Clusters, Table
from arraycoref.read.plain_clusters import read_labels
from arraycoref.read.problems import ReadingOptions
from arraycoref.read.tables import documents_in
from arraycoref.runtime import PLENTY, RATIO, Content, byte_limit, too_large


def read_arrays(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read the labels in a file of NumPy, without running what a pickle may hold.

    Raises:
        ReadError: a file that NumPy does not read, or that holds more bytes than it may; an array that is not labels.
    """
    try:
        arrays, named = _load(bytes(data), path, options), dict[str | None, NDArray[Any]]()
        if "offsets" in arrays:
            named.update(_by_offsets(arrays["labels"], arrays["offsets"], arrays.get("names"), path).items())
        elif len(arrays) > 1:
            named |= arrays.items()
        else:
            (array,) = arrays.values()
            named |= {None: array} if array.ndim == 1 else {str(d): row for d, row in enumerate(array, 1)}
    except ReadError:
        raise
    except Exception as error:  # zip files and NumPy's headers raise a dozen classes
        raise ReadError(path, None, f"no labels that NumPy saved: {str(error)[:200]}") from error
    clusters: Clusters = {}
    for name, labels in named.items():
        if labels.ndim != 1 or labels.dtype.kind not in "biuU":
            found = f"labels of shape {labels.shape} and dtype {labels.dtype}"
            raise ReadError(path, None, f"{found}; expected whole numbers or texts, (M,) or (D, L)")
        clusters[name] = read_labels("\n".join(map(str, labels.tolist())), path, options).clusters[None]
    table = Table(clusters, ("line",), n_lines={name: labels.size for name, labels in named.items()})
    return Parsed(documents_in(table, path), (1,) * len(clusters))


def _by_offsets(
    labels: NDArray[Any], offsets: NDArray[Any], names: NDArray[Any] | None, path: str
) -> dict[str, NDArray[Any]]:
    """Divide labels into documents by name; offsets or names by which labels would be lost are an error."""
    if offsets[0] != 0 or offsets[-1] != len(labels) or (offsets[1:] < offsets[:-1]).any():
        place = f"offsets from {offsets[0]} to {offsets[-1]} for {len(labels)} labels"
        raise ReadError(path, None, f"{place}; expected 0 to the number of labels, never decreasing")
    rows = np.split(labels, offsets[1:-1])
    named = dict(zip(map(str, range(1, len(rows) + 1) if names is None else names), rows, strict=True))
    if len(named) < len(rows):
        raise ReadError(path, None, "two documents have one name; expected unique names")
    return named


def _load(data: bytes, path: str, options: ReadingOptions) -> Mapping[str, NDArray[Any]]:
    if not data.startswith(b"PK"):
        return {"": np.load(io.BytesIO(data), allow_pickle=False)}
    with ZipFile(io.BytesIO(data)) as archive:
        most = byte_limit(options.max_bytes) or max(PLENTY, RATIO * len(data))
        if sum(part.file_size for part in archive.infolist()) > most:
            raise too_large(path, most)
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return dict(file)
