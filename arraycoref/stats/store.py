"""Scores on disk, the same to the last bit when they are read: a batch as JSON, several runs as ``.npz``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from arraycoref.exceptions import InputError, ReadError
from arraycoref.options import OPTIONS
from arraycoref.ragged import Floats
from arraycoref.runtime import atomic_write, load_text, once
from arraycoref.scoring.clusterings import Clusterings, document_names
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature
from arraycoref.stats.run_scores import RunScores

R = TypeVar("R", bound=RunScores)

FORMAT = 1


def load_scores(path: str | os.PathLike[str]) -> BatchScores:
    """Read the scores that `BatchScores.save`, or ``arraycoref score --format json --per-document``, wrote.

        >>> import arraycoref as ac
        >>> b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["x", "y"])
        >>> b.save("scores.json")
        >>> ac.load_scores("scores.json")["bcub"].recall == b["bcub"].recall
        True

    Args:
        path: of the file, compressed where the suffix is .gz, .bz2, .xz or .zst.

    Returns:
        Scores equal to those that were written. Documents that had no names are named by their positions, and no
        document has a header.

    Raises:
        ReadError: a file that cannot be read, that holds no such scores, or no sums of documents.
    """
    name, text = os.fspath(path), load_text(path)
    try:
        return _scores(json.loads(text, object_pairs_hook=once))
    except Exception as error:  # JSON may hold anything instead of names and numbers
        expected = "not a file of scores; make one with `arraycoref score ... --format json --per-document`"
        raise ReadError(name, None, f"{expected}: {str(error)[:200]}") from None


def _scores(found: dict[str, Any]) -> BatchScores:
    if not isinstance(found, dict) or "scores" not in found:
        raise InputError("no 'scores'")
    if "sums" not in found:
        raise InputError("no sums of documents; expected them to be written with --per-document")
    listed = found["sums"]["documents"]
    metrics = resolve_metrics(list(found["scores"]))
    groups = found["sums"]["groups"]
    rows = np.array(list(listed.values()), np.float64) if listed else np.empty((0, len(groups), 4))
    counts = _counts(metrics, groups, tuple(listed), rows)
    labels, signed = found["sums"].get("labels"), replace(_signature(found["signature"]), average="micro")
    one = None if labels is None else Clusterings.of_dict(labels)
    return BatchScores(metrics, counts, signed, notes=tuple(map(str, found["notes"])), clusterings=one)


def save_runs(path: str | os.PathLike[str], runs: RunScores) -> None:
    """Write `Runs` to a file, which appears under its name only when it is complete.

    It holds ``sums`` float64 (S, D, K, 4), ``groups`` (K,) and ``settings`` (S,) as strings that any NumPy reads, and
    ``about``, a JSON string with everything else. Runs of one document have their labels too, one response after the
    other: ``key``, once if it is the same for all, and ``response``; ``spurious``, see
    `arraycoref.scoring.clusterings.Clusterings`; and int64 (3, S), how many each run has of these.

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
        text = np.array(json.dumps(about))
        np.savez(file, sums=runs.counts.rows, groups=groups, settings=names, about=text, **_labels(runs.clusterings))


def _labels(clusterings: Sequence[Clusterings]) -> dict[str, Any]:
    """Return the arrays that hold the labels of runs; nothing if there are none."""
    if not clusterings:
        return {}
    keys = [one.key for one in clusterings]
    keys = keys[:1] if all(np.array_equal(key, keys[0]) for key in keys) else keys
    lists = keys, [one.response for one in clusterings], [one.spurious for one in clusterings]
    n = [(one.response.size, one.positions, -1 if one.spurious is None else one.spurious.size) for one in clusterings]
    joined = [np.concatenate([np.empty(0, np.int64), *(each for each in every if each is not None)]) for every in lists]
    return {**dict(zip(("key", "response", "spurious"), joined, strict=True)), "lengths": np.array(n).T}


def _clusterings(file: Any) -> tuple[Clusterings, ...]:
    """Make the labels of runs from the arrays of `_labels`."""
    if "lengths" not in file:
        return ()
    key, response, codes, lengths = (file[name] for name in ("key", "response", "spurious", "lengths"))
    found, first, code = [], 0, 0
    for n, positions, n_codes in lengths.T.tolist():
        last, shared = first + n, key.size < response.size
        spurious = None if n_codes < 0 else codes[code : code + n_codes]
        of_key = key if shared else key[first:last]
        labels = {"key": of_key, "response": response[first:last], "positions": positions, "spurious": spurious}
        found.append(Clusterings.of_dict(labels))
        first, code = last, code + max(n_codes, 0)
    return tuple(found)


def read_runs(path: str | os.PathLike[str], record: type[R]) -> R:
    """Read runs from a file that `save_runs` wrote, as a record of a class; see `arraycoref.load_runs`."""
    with open(path, "rb") as content:  # np.load may leave a path open
        try:
            with np.load(content, allow_pickle=False) as file:
                return _runs(file, record)
        except Exception as error:  # zip files, NumPy's headers and JSON raise a dozen classes
            raise ReadError(str(path), None, f"no sweep as Runs.save writes it: {str(error)[:200]}") from None


def _runs(file: Any, record: type[R]) -> R:
    sums, groups, about = file["sums"], file["groups"].tolist(), json.loads(str(file["about"]))
    if about["format"] != FORMAT:
        raise InputError(f"format {about['format']}; this version of arraycoref reads format {FORMAT}")
    metrics, names = resolve_metrics(about["metrics"]), about["documents"]
    settings = tuple(tuple(each["tuple"]) if "tuple" in each else each["is"] for each in about["settings"])
    counts = _counts(metrics, groups, document_names(names, sums.shape[1]), sums, (len(settings),))
    notes = tuple(tuple(map(str, each)) for each in about["notes"])
    return record(settings, counts, metrics, _signature(about["signature"]), notes, about["key"], _clusterings(file))


def _counts(
    metrics: tuple[str, ...],
    groups: list[str],
    names: tuple[str, ...] | None,
    rows: Floats,
    leading: tuple[int, ...] = (),
) -> Counts:
    """Check sums that were read: those of the metrics, finite or nan."""
    counted = tuple(metric.name for metric in counted_metrics(metrics))
    wanted = group_names(counted)
    if list(groups) != list(wanted):
        raise InputError(f"sums of {', '.join(map(str, groups))}; expected {', '.join(wanted)}")
    n_documents = rows.shape[len(leading)] if names is None else len(names)
    expected = (*leading, n_documents, len(wanted), 4)
    if rows.shape != expected or rows.dtype != np.float64 or np.isinf(rows).any():
        raise InputError(f"sums of shape {rows.shape} and dtype {rows.dtype}; expected finite float64 {expected}")
    return Counts.read_only(names, counted, rows)


def _signature(fields: Mapping[str, Any]) -> Signature:
    other = sorted(Signature().as_dict().keys() ^ fields.keys())
    if other:
        raise InputError(f"a signature that differs in {', '.join(other)} from those of this version")
    found = Signature(**fields)
    for name in ("beta", "profile"):
        OPTIONS[name].check(name, fields[name])
    return found
