"""Scores of several systems, as users have them: ranked, drawn, saved; runs pooled, averaged, joined; dev and test.

`Runs` adds to `RunScores` what stands on it: rankings, figures and files take `RunScores`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.options import Metrics
from arraycoref.scoring.format import score_columns
from arraycoref.stats.how import Field
from arraycoref.stats.intervals import Intervals, bootstrap
from arraycoref.stats.ranking import Comparison, best
from arraycoref.stats.run_scores import RunScores, as_setting, beside, grouped_over, parameters_of, text_of
from arraycoref.stats.store import read_runs, save_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Runs(RunScores):
    """Scores of S runs, or systems, on D documents with one key: a mapping from the setting of each to `BatchScores`.

    A setting is a name, a number, a tuple, or a dict of parameters. The name of a metric gives its scores of all runs,
    as arrays (S,); a run that is named like a metric is reached by `at`.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1], [0, 2, 4]
        >>> systems = {"x": [0, 0, 1, 2], "y": [0, 0, 1, 1]}
        >>> scores = {name: ac.score_labels_batch(key, labels, offsets) for name, labels in systems.items()}
        >>> runs = ac.Runs.from_scores(scores)
        >>> runs["x"]["muc"].recall, runs["muc"].recall.tolist(), runs.counts["muc"].shape
        (0.5, [0.5, 1.0], (2, 2, 4))

    The attributes are those of `arraycoref.stats.run_scores.RunScores`.
    """

    def best(self, metric: str | None = None, field: Field = "f1", **options: Any) -> Comparison:
        """Find the best run, its interval, and the others that may be as good; see `arraycoref.stats.best`."""
        return best(self, metric, field, **options)

    def plot(self, metrics: Metrics = None, field: str = "f1", **options: Any) -> Figure:
        """Draw scores against a parameter, such as a threshold; see `arraycoref.stats.figures.plot_runs`."""
        from arraycoref.stats.figures import plot_runs

        return plot_runs(self, metrics, field, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the runs to an ``.npz`` file, whole or not at all; `arraycoref.load_runs` reads it."""
        save_runs(path, self)


def load_runs(path: str | os.PathLike[str]) -> Runs:
    """Read runs from a file that `arraycoref.Runs.save` wrote.

    A sweep that takes long can be saved in parts: ``load_runs(path) + sweep(key, missing)`` goes on with it.

        >>> import arraycoref as ac
        >>> runs = ac.sweep([0, 0, 1], [[0, 0, 0], [0, 1, 1]], metrics="muc")
        >>> runs.save("runs.npz")
        >>> ac.load_runs("runs.npz").settings
        (0, 1)

    Raises:
        OSError: the file cannot be opened.
        ReadError: the file holds no runs.
    """
    return read_runs(path, Runs)


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
        InputError: settings that are not dicts, or have different numbers of seeds.
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
        InputError: settings that are not dicts, or have different numbers of seeds.
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
        runs: runs by the value of the new parameter. A setting that is not a dict becomes a dict with the parameter
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


def choose(
    dev: Runs, test: Runs, metric: str | None = None, field: Field = "f1", *, over: str | None = None, **options: Any
) -> tuple[Comparison, Intervals]:
    """Choose the best setting on the development set, and score it on the test set.

        >>> import arraycoref as ac
        >>> settings = {"t": [0.1, 0.2]}
        >>> dev = ac.sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]], settings=settings, metrics="muc")
        >>> test = ac.sweep([0, 0, 0], [[0, 0, 0], [0, 0, 1]], settings=settings, metrics="muc")
        >>> best, scores = ac.sweeps.choose(dev, test)
        >>> best.setting, best.score.estimate, scores["muc"].recall.estimate
        ({'t': 0.2}, 1.0, 0.5)

    Args:
        dev: scores of S settings on the development set.
        test: scores of the same settings, in any order, on the test set.
        metric: name of the metric to choose by; None for the CoNLL average if it was asked for, or else the first one.
        field: ``recall``, ``precision`` or ``f1`` of the metric.
        over: a parameter such as ``seed``, whose values are repeated runs, the same number for each setting. The
            setting is then chosen, and scored, by the sums over its runs; see `pool` and `average`.
        **options: ``confidence``, ``resamples``, ``seed`` and ``threads``, as for `arraycoref.stats.best`.

    Returns:
        The best setting on the development set, with its interval and its rivals, which may be as good; as the best
        score of many, its score is too high an estimate for other documents. And the intervals of all metrics on the
        test set, which had no part in the choice.

    Raises:
        InputError: other policies on the test set; see also `arraycoref.stats.best` and `pool`.
        UnknownNameError: the chosen setting is not among those of the test set.
        DocumentMismatchError: settings that were scored on different documents.
    """
    if dev.signature.conventions != test.signature.conventions:
        raise InputError(f"dev was scored under {dev.signature} and test under {test.signature}; expected the same")
    if over is not None:
        dev, test = pool(dev, over), pool(test, over)
    found = best(dev, metric, field, **options)
    if dev.key_digest and dev.key_digest == test.key_digest:
        note = "dev and test have the same key: the score on test is too high, as the choice was made on it"
        found = replace(found, notes=(*found.notes, note))
    options |= found.how.facts("confidence", "resamples", "seed")
    return found, bootstrap(test.at(found.setting), **options)
