"""One key against many responses: the functions that sweep, from responses however they come."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from arraycoref.errors import InputError
from arraycoref.options import Metrics, Policies, PolicyOptions, Progress, resolve_policies
from arraycoref.sweeping.clusters import Clusterings, ClusterKey
from arraycoref.sweeping.files import sweep_files
from arraycoref.sweeping.keyside import KeySide
from arraycoref.sweeping.result import Sweep
from arraycoref.sweeping.runner import Runner
from arraycoref.sweeping.settings import Settings, grid
from arraycoref.sweeping.sources import blocks_of, count_of, is_label_vector
from arraycoref.sweeping.storage import load as load_sweep
from arraycoref.sweeping.thresholds import sweep_antecedents, sweep_linkage, sweep_pairs

__all__ = ["Sweep", "grid", "load_sweep", "sweep", "sweep_antecedents", "sweep_files", "sweep_linkage", "sweep_pairs"]


def sweep(
    key: ArrayLike | Clusterings | str | os.PathLike[str],
    responses: Any,
    offsets: ArrayLike | None = None,
    *,
    settings: Settings = None,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    names: Iterable[str] | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Score one key against the responses of S settings; the key is encoded once.

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it; or clusters of mentions of one
            document; or a mapping from document names to clusters; or the path of a file.
        responses: with a key of labels, an array (S, M) of labels, -1 where a response lacks a mention; or an iterable
            of label vectors (M,). With a key of clusters, an iterable of what the key is. An iterable may be a
            generator: a few responses at a time are in memory, and S need not be known. A pair of a dict and an output
            names its setting. Or a mapping from settings to outputs. With a key file, a glob pattern and whatever else
            `sweep_files` takes, which has options for files besides.
        offsets: (D+1,) integers from 0 to M for a key of labels: document d owns the mentions
            ``offsets[d]:offsets[d + 1]``; None for one document.
        settings: S names: texts, numbers, tuples or dicts of parameters; or one dict from parameters to their values,
            for every combination, the last parameter changing fastest. None for 0, 1, ...
        metrics: and the options down to ``beta``: see `arraycoref.api`. ``missing_documents="skip"`` leaves a document
            out for the settings that lack it, whose sums are nan there: a corpus score is that of the documents that
            the setting has, and only settings with the same documents are compared (`Sweep.on_shared_documents`).
        profile: as above.
        duplicates: as above.
        missing_documents: as above.
        extra_documents: as above.
        singletons: as above.
        beta: as above.
        threads: threads over settings and documents; 0 for one a core. No number depends on it.
        names: (D,) document names of a key of labels.
        progress: called with the number of settings scored and S, 0 where that is not known.
        checkpoint: an ``.npz`` file. Settings that it holds are not scored again (a generator is still asked for them);
            it is written every minute, in the end, and when the sweep is interrupted.

    Raises:
        InputError: responses that do not fit the key, a setting that stands twice, an unknown option, a checkpoint of
            another key or of other options.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    policies = resolve_policies(
        {
            "profile": profile,
            "duplicates": duplicates,
            "missing_documents": missing_documents,
            "extra_documents": extra_documents,
            "singletons": singletons,
            "beta": beta,
        },
        PolicyOptions,
    )
    if isinstance(key, str | os.PathLike):
        return _sweep_paths(
            key,
            responses,
            {"offsets": offsets, "settings": settings, "names": names},
            metrics=metrics,
            profile=profile,
            duplicates=duplicates,
            missing_documents=missing_documents,
            extra_documents=extra_documents,
            singletons=singletons,
            beta=beta,
            threads=threads,
            progress=progress,
            checkpoint=checkpoint,
        )
    encoded = _encoded(key, offsets, names, policies)
    side = encoded.side if isinstance(encoded, ClusterKey) else encoded
    runner = Runner(side, policies, metrics, threads, progress, count_of(responses, settings), checkpoint)
    return runner.run(blocks_of(encoded, responses, settings, runner.skip))


def _sweep_paths(key: str | os.PathLike[str], responses: Any, refused: dict[str, Any], **options: Any) -> Sweep:
    """Sweep files, which have their settings and documents by themselves."""
    for name, value in refused.items():
        if value is not None:
            raise InputError(f"{name} was given beside a key file; expected it beside a key of labels or clusters")
    return sweep_files(key, responses, **options)


def _encoded(
    key: Any, offsets: ArrayLike | None, names: Iterable[str] | None, policies: Policies
) -> KeySide | ClusterKey:
    """Encode a key of labels or of clusters."""
    if is_label_vector(key) or offsets is not None:
        from arraycoref.arrays import as_numpy

        return KeySide.from_labels(as_numpy(key, "key"), offsets, names, drop_singletons=policies.singletons == "drop")
    if names is not None:
        raise InputError("names were given beside a key of clusters; expected a mapping from names to clusters as key")
    return ClusterKey(key, policies)
