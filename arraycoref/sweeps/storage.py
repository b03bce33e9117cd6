"""Save and load sweeps: one ``.npz`` file of plain arrays, nothing pickled, written whole or not at all."""

from __future__ import annotations

import json
import os
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from arraycoref.errors import InputError, ReadError
from arraycoref.options import Signature
from arraycoref.runtime import atomic_write
from arraycoref.scoring.clusterings import document_names
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.settings import Setting

FORMAT = 1


def save(path: str | os.PathLike[str], runs: Runs) -> None:
    """Write runs to a file.

    The file holds ``sums`` float64 (S, D, K, 4), ``groups`` (K,) and ``settings`` (S,) as strings that any NumPy reads,
    and ``about``, a JSON string with everything else. The file appears under its name only when it is complete.

    Args:
        path: path of the file, usually with the suffix ``.npz``; no suffix is added.
        runs: what to write.

    Raises:
        OSError: the file cannot be written.
    """
    about = {
        "format": FORMAT,
        "metrics": runs.metrics,
        "signature": runs.signature.as_dict(),
        "settings": [{"tuple": each} if isinstance(each, tuple) else {"is": each} for each in runs.settings],
        "documents": runs.document_names,
        "key": runs.key_digest,
        "notes": runs.notes,
    }
    groups, names = np.array(group_names(runs.counts.metrics), str), np.array(runs.names, str)
    with atomic_write(path) as file:
        np.savez(file, sums=runs.counts.rows, groups=groups, settings=names, about=np.array(json.dumps(about)))


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a file that `save` wrote; return the fields of the runs, by name.

    Raises:
        OSError: the file cannot be opened.
        ReadError: the file holds no sweep.
    """
    with open(path, "rb") as content:  # np.load may leave a path open
        try:
            with ZipFile(content) as archive:
                compressed = any(part.compress_type != ZIP_STORED for part in archive.infolist())
            content.seek(0)
            with np.load(content, allow_pickle=False) as file:
                return _fields(file, compressed)
        except Exception as error:  # zip files, NumPy's headers and JSON raise a dozen classes
            raise ReadError(str(path), None, f"no sweep as Sweep.save writes it: {str(error)[:200]}") from None


def _fields(file: Any, compressed: bool) -> dict[str, Any]:
    if compressed:  # it may unpack to any size
        raise InputError("a compressed archive")
    sums, about = file["sums"], json.loads(str(file["about"]))
    if about["format"] != FORMAT:
        raise InputError(f"format {about['format']}; this version of arraycoref reads format {FORMAT}")
    metrics = resolve_metrics(about["metrics"])
    counted = tuple(metric.name for metric in counted_metrics(metrics))
    settings: tuple[Setting, ...] = tuple(tuple(x["tuple"]) if "tuple" in x else x["is"] for x in about["settings"])
    n_documents = sums.shape[1] if about["documents"] is None else len(about["documents"])
    documents = document_names(about["documents"], n_documents)
    expected = (len(settings), n_documents, len(group_names(counted)), 4)
    if sums.shape != expected or sums.dtype != np.float64:
        raise InputError(f"sums of shape {sums.shape} and dtype {sums.dtype}; expected float64 {expected}")
    return {
        "settings": settings,
        "counts": Counts.read_only(documents, counted, sums),
        "metrics": metrics,
        "signature": Signature(**about["signature"]),
        "key_digest": about["key"],
        "notes": tuple(about["notes"]),
    }
