"""Read scores that were written as JSON, with the sums of their documents: the scores are the same to the last bit."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.options import OPTIONS, PROFILES, Signature
from arraycoref.runtime import load_text, once
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.scores import BatchScores


def load_scores(path: str | os.PathLike[str]) -> BatchScores:
    """Read the scores that `BatchScores.save`, or ``arraycoref score --format json --per-document``, wrote.

        >>> import arraycoref as ac
        >>> b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["x", "y"])
        >>> b.save("scores.json")
        >>> ac.load_scores("scores.json") == b
        True

    Args:
        path: of the file, compressed where the suffix is .gz, .bz2, .xz or .zst.

    Returns:
        Scores equal to those that were written. Documents that had no names are named by their positions, and no
        document has a header.

    Raises:
        InputError: it is not a path.
        ReadError: a file that cannot be read, that holds no such scores, or no sums of documents.
    """
    given: object = path
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"{given!r:.60} is not the path of a file; expected that of one that `save` wrote")
    name, text = os.fspath(path), load_text(path)
    try:
        return _scores(json.loads(text, object_pairs_hook=once))
    except Exception as error:  # JSON may hold anything in place of names and numbers
        expected = "no scores as `arraycoref score --format json --per-document` writes them"
        raise ReadError(name, None, f"{expected}: {str(error)[:200]}") from None


def _scores(found: dict[str, Any]) -> BatchScores:
    if not isinstance(found, dict) or "scores" not in found:
        raise InputError("no 'scores'")
    if "sums" not in found:
        raise InputError("no sums of documents; expected them to be written with --per-document")
    metrics, names = resolve_metrics(list(found["scores"])), tuple(found["sums"]["documents"])
    counted = tuple(metric.name for metric in counted_metrics(metrics))
    groups = group_names(counted)
    if found["sums"]["groups"] != list(groups):
        raise InputError(f"sums of {', '.join(map(str, found['sums']['groups']))}; expected {', '.join(groups)}")
    listed = list(found["sums"]["documents"].values())
    rows, expected = np.array(listed, np.float64), (len(names), len(groups), 4)
    kinds = set(map(type, np.array(listed, object).ravel())) - {int, float, type(None)}
    if kinds:  # NumPy reads texts and booleans as numbers
        raise InputError(f"sums that are {kinds.pop().__name__}; expected numbers")
    rows = rows if names else rows.reshape(expected)
    if rows.shape != expected or np.isinf(rows).any():
        raise InputError(f"sums of shape {rows.shape}; expected finite numbers, {expected}")
    lacks = np.isnan(rows)  # a document that was not scored lacks all
    partly = lacks.any(axis=(1, 2)) & ~lacks.all(axis=(1, 2))
    if partly.any():
        raise InputError(f"document {names[int(partly.argmax())]!r:.60} lacks some of its sums; expected all, or none")
    other = sorted(Signature.__annotations__.keys() ^ found["signature"].keys())
    if other:
        raise InputError(f"a signature that differs in {', '.join(other)} from those of this version")
    signature = Signature(**found["signature"])
    OPTIONS["beta"].check("beta", signature.beta)
    if signature.profile not in PROFILES:
        raise UnknownNameError("profile", signature.profile, PROFILES)
    return BatchScores(metrics, Counts.read_only(names, counted, rows), signature)
