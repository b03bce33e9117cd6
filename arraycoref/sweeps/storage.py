"""Save and load sweeps: one ``.npz`` file of plain arrays, nothing pickled, written whole or not at all."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from arraycoref.errors import InputError, ReadError
from arraycoref.options import Signature
from arraycoref.runtime import atomic_write
from arraycoref.scoring.clusterings import document_names
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.sweeps.scores import SettingScores
from arraycoref.sweeps.settings import decoded, encoded

FORMAT = 1


class Origin(NamedTuple):
    """The files that the scores of a run are of, and how they were read.

    Attributes:
        path: path of the run as it was given; several paths are joined with commas.
        absolute: the same as absolute paths.
        options: options that determine what is read from the files, as a string.
        state: fingerprint of the names, sizes and times of the files, which an edit changes; empty if unknown.
    """

    path: str
    absolute: str
    options: str
    state: str


Origins = dict[str, Origin]
"""Origins by the `identity` of their setting."""


def save(path: str | os.PathLike[str], sweep: SettingScores, origins: Origins | None = None) -> None:
    """Write a sweep to a file.

    The file holds ``sums`` float64 (S, D, K, 4), ``groups`` (K,) and ``settings`` (S,) as strings that any NumPy reads,
    and ``about``, a JSON string with everything else. The file appears under its name only when it is complete.

    Args:
        path: path of the file, usually with the suffix ``.npz``; no suffix is added.
        sweep: the sweep to write.
        origins: origins of the sweep's settings; origins of other settings may be among them.

    Raises:
        OSError: the file cannot be written.
    """
    about = {
        "format": FORMAT,
        "metrics": sweep.metrics,
        "signature": sweep.signature.as_dict(),
        "settings": list(map(encoded, sweep.settings)),
        "documents": sweep.document_names,
        "key": sweep.key_digest,
        "origins": {name: origin._asdict() for name, origin in (origins or {}).items()},
    }
    with atomic_write(path) as file:
        np.savez(
            file,
            sums=sweep.sums,
            groups=np.array(sweep.groups, dtype=str),
            settings=np.array(sweep.names, dtype=str),
            about=np.array(json.dumps(about)),
        )


def load(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Origins]:
    """Read a file that `save` wrote; return the fields of the sweep, by name, and the origins that were saved.

    Raises:
        OSError: the file cannot be opened.
        ReadError: the file holds no sweep.
    """
    with open(path, "rb") as content:  # np.load may leave a path open
        try:
            with ZipFile(content) as archive:
                _require_stored(archive)
            content.seek(0)
            with np.load(content, allow_pickle=False) as file:
                sums, about = file["sums"], json.loads(str(file["about"]))
            return _fields(sums, about), {name: Origin(**kept) for name, kept in about.get("origins", {}).items()}
        except Exception as error:  # zip files, NumPy's headers and JSON raise a dozen classes
            raise ReadError(str(path), None, f"no sweep as Sweep.save writes it: {str(error)[:200]}") from None


def _require_stored(archive: ZipFile) -> None:
    """Refuse a compressed archive: `save` writes none, and one may unpack to any size."""
    if any(part.compress_type != ZIP_STORED for part in archive.infolist()):
        raise InputError("a compressed archive")


def _fields(sums: np.ndarray[Any, np.dtype[np.float64]], about: dict[str, Any]) -> dict[str, Any]:
    if about["format"] != FORMAT:
        raise InputError(f"format {about['format']}; this version of arraycoref reads format {FORMAT}")
    metrics = resolve_metrics(about["metrics"])
    counted = tuple(metric.name for metric in counted_metrics(metrics))
    settings = tuple(map(decoded, about["settings"]))
    n_documents = sums.shape[1] if about["documents"] is None else len(about["documents"])
    documents = document_names(about["documents"], n_documents)
    expected = (len(settings), n_documents, len(group_names(counted)), 4)
    if sums.shape != expected or sums.dtype != np.float64:
        raise InputError(f"sums of shape {sums.shape} and dtype {sums.dtype}; expected float64 {expected}")
    return {
        "metrics": metrics,
        "counts": Counts.read_only(documents, counted, sums),
        "signature": Signature(**about["signature"]),
        "settings": settings,
        "key_digest": about["key"],
    }
