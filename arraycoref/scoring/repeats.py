"""Runs that were repeated, such as with several seeds: sums of their counts, means of their scores, joins of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from arraycoref.errors import InputError
from arraycoref.scoring.rows import score_columns
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.settings import as_setting, beside, grouped_over, parameters_of, text_of

R = TypeVar("R", bound=Runs)


def pool(runs: R, over: str) -> R:
    """Add up the counts of runs that differ in one parameter only, such as the seed, document by document.

    A score is then the ratio of the sums over all seeds, and resampling keeps the seeds; `average` shows how much the
    scores differ between seeds.

        >>> import arraycoref as ac
        >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]]
        >>> found = ac.sweep([0, 0, 1], labels, settings={"t": [0.1, 0.2], "seed": [1, 2]}, metrics="muc")
        >>> pooled = ac.sweeps.pool(found, "seed")
        >>> pooled.settings, pooled["muc"].recall.tolist()
        (({'t': 0.1}, {'t': 0.2}), [1.0, 0.0])

    Args:
        runs: runs whose settings are dicts with the parameter.
        over: name of the parameter.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts, or have different numbers of seeds.
        DocumentMismatchError: runs that were scored on different documents.
    """
    return runs.summed(*grouped_over(runs.settings, over))


def average(runs: Runs, over: str) -> dict[str, Any]:
    """Average the scores of runs that differ in one parameter only, such as the seed.

        >>> import arraycoref as ac
        >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]]
        >>> found = ac.sweep([0, 0, 1], labels, settings={"t": [0.1, 0.2], "seed": [1, 2]}, metrics="muc")
        >>> means = ac.sweeps.average(found, "seed")
        >>> means["t"], means["muc_f1_mean"].round(3).tolist(), means["muc_f1_sd"].round(3).tolist()
        ([0.1, 0.2], [0.833, 0.0], [0.236, 0.0])

    Args:
        runs: runs whose settings are dicts with the parameter.
        over: name of the parameter.

    Returns:
        Columns of a table with a row for each setting without the parameter: its other parameters, and
        ``muc_recall_mean``, ``muc_recall_sd`` and so on, fractions 0-1; the standard deviation has R - 1 in the
        denominator, and is nan for one run.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are no dicts, or have different numbers of seeds.
        DocumentMismatchError: runs that were scored on different documents.
    """
    runs.require_shared_documents()
    settings, positions = grouped_over(runs.settings, over)
    found: dict[str, Any] = {}
    for name, scores in score_columns(runs.corpus, runs.metrics).items():
        found[f"{name}_mean"] = scores[positions].mean(axis=1)
        several = positions.shape[1] > 1
        found[f"{name}_sd"] = scores[positions].std(axis=1, ddof=1) if several else np.full(len(settings), np.nan)
    return beside(parameters_of(settings), found)


def concat(runs: Mapping[Any, R], parameter: str) -> R:
    """Join several records with one key, for instance one for each seed; their settings get one more parameter.

        >>> import arraycoref as ac
        >>> seeds = {1: [[0, 1, 0.5, 2], [2, 3, 2.0, 3]], 2: [[1, 2, 0.1, 2], [0, 3, 0.9, 3]]}
        >>> found = ac.sweeps.concat({n: ac.sweep_linkage([0, 0, 1], z, [1.0]) for n, z in seeds.items()}, "seed")
        >>> found.settings, found["muc"].recall.tolist()
        (({'threshold': 1.0, 'seed': 1}, {'threshold': 1.0, 'seed': 2}), [1.0, 1.0])

    Args:
        runs: runs by the value of the new parameter. A setting that is no dict becomes a dict with the parameter
            ``setting``.
        parameter: name of the new parameter.

    Raises:
        InputError: other keys, documents, metrics or policies; settings with the parameter already.
    """
    parts = []
    for value, part in runs.items():
        settings = []
        for setting in part.settings:
            old = setting if isinstance(setting, dict) else {"setting": parameters_of([setting])["setting"][0]}
            if parameter in old:
                raise InputError(f"setting {text_of(setting)} has {parameter!r} already; expected another parameter")
            settings.append(as_setting({**old, parameter: value}))
        parts.append(replace(part, settings=tuple(settings)))
    return Runs.joined(parts)
