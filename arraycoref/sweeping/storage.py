"""Sweeps on disk: one ``.npz`` file of plain arrays, nothing pickled, written whole or not at all."""

from __future__ import annotations

import json
import os
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from arraycoref.errors import InputError, ReadError
from arraycoref.metrics import counted_metrics, resolve_metrics
from arraycoref.options import Signature
from arraycoref.saving import whole_file
from arraycoref.sweeping.result import Sweep
from arraycoref.sweeping.settings import dumps, loads
from arraycoref.sweeping.sums import sum_names

FORMAT = 1


def save(sweep: Sweep, path: str | os.PathLike[str]) -> None:
    """Write a sweep to a file.

    The file holds ``sums`` float64 (S, D, K, 4), ``groups`` (K,) and ``settings`` (S,) as texts that any NumPy reads,
    and ``about``, a JSON text with all else. It appears under its name when it is complete.

    Args:
        sweep: to be written.
        path: ends in ``.npz`` as a rule; taken as it is.

    Raises:
        OSError: the file cannot be written.
    """
    about = {
        "format": FORMAT,
        "metrics": sweep.metrics,
        "signature": sweep.signature.as_dict(),
        "settings": json.loads(dumps(sweep.settings)),
        "documents": sweep.document_names,
        "key": sweep.key_digest,
    }
    with whole_file(path) as file:
        np.savez(
            file,
            sums=sweep.sums,
            groups=np.array(sweep.groups, dtype=str),
            settings=np.array(sweep.names, dtype=str),
            about=np.array(json.dumps(about)),
        )


def load(path: str | os.PathLike[str]) -> Sweep:
    """Read a sweep from a file that `save` wrote.

    Raises:
        OSError: the file cannot be opened.
        ReadError: it holds no sweep.
    """
    try:
        with open(path, "rb") as content, np.load(content, allow_pickle=False) as file:  # np.load may leave it open
            _require_stored(file.zip)
            sums, about = file["sums"], json.loads(str(file["about"]))
        return _sweep(sums, about)
    except OSError:
        raise
    except Exception as error:  # of zip files, compression, numpy's headers, JSON: a dozen classes
        raise ReadError(str(path), None, f"no sweep as Sweep.save writes it: {str(error)[:200]}") from None


def _require_stored(archive: ZipFile) -> None:
    """Refuse what `save` does not write, and what may unpack to any size."""
    if any(part.compress_type != ZIP_STORED for part in archive.infolist()):
        raise InputError("a compressed archive")


def _sweep(sums: np.ndarray[Any, np.dtype[np.float64]], about: dict[str, Any]) -> Sweep:
    if about["format"] != FORMAT:
        raise InputError(f"format {about['format']}; this version of arraycoref reads format {FORMAT}")
    metrics = resolve_metrics(about["metrics"])
    settings = loads(json.dumps(about["settings"]))
    documents = None if about["documents"] is None else tuple(about["documents"])
    n_groups = len(sum_names(counted_metrics(metrics)))
    expected = (len(settings), sums.shape[1] if documents is None else len(documents), n_groups, 4)
    if sums.shape != expected or sums.dtype != np.float64:
        raise InputError(f"sums of shape {sums.shape} and dtype {sums.dtype}; expected float64 {expected}")
    sums.flags.writeable = False
    return Sweep(metrics, sums, settings, Signature(**about["signature"]), documents, about["key"])
