"""Scores of several systems, as users have them: with the best of them, a figure and a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arraycoref.options import Metrics
from arraycoref.stats.run_scores import RunScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.stats.ranking import Comparison


@dataclass(frozen=True, eq=False, repr=False)
class Runs(RunScores):
    """Scores of S runs, or systems, on D documents with one key: a mapping from the setting of each to `BatchScores`.

    A setting is a name, a number, a tuple, or a dict of parameters. The name of a metric gives its scores of all runs,
    as arrays (S,); a run that is named like a metric is reached by `at`.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1], [0, 2, 4]
        >>> systems = {"x": [0, 0, 1, 2], "y": [0, 0, 1, 1]}
        >>> runs = ac.Runs.of({name: ac.score_labels_batch(key, labels, offsets) for name, labels in systems.items()})
        >>> runs["x"]["muc"].recall, runs["muc"].recall.tolist(), runs.counts["muc"].shape
        (0.5, [0.5, 1.0], (2, 2, 4))

    The attributes are those of `arraycoref.stats.run_scores.RunScores`.
    """

    def best(self, metric: str | None = None, field: str = "f1", **options: Any) -> Comparison:
        """Find the best run, its interval, and the others that may be as good; see `arraycoref.stats.best`."""
        from arraycoref.stats.ranking import best

        return best(self, metric, field, **options)

    def plot(self, metrics: Metrics = None, field: str = "f1", **options: Any) -> Figure:
        """Draw scores against a parameter, such as a threshold; see `arraycoref.stats.figures.plot_runs`."""
        from arraycoref.stats.figures import plot_runs

        return plot_runs(self, metrics, field, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the runs to an ``.npz`` file, whole or not at all; `arraycoref.load_sweep` reads it."""
        from arraycoref.stats.store import save_runs

        save_runs(path, self)


def load_sweep(path: str | os.PathLike[str]) -> Runs:
    """Read runs from a file that `arraycoref.Runs.save` wrote.

    A sweep that takes long can be saved in parts: ``load_sweep(path) + sweep(key, missing)`` goes on with it.

        >>> import arraycoref as ac
        >>> runs = ac.sweep([0, 0, 1], [[0, 0, 0], [0, 1, 1]], metrics="muc")
        >>> runs.save("runs.npz")
        >>> ac.load_sweep("runs.npz").settings
        (0, 1)

    Raises:
        OSError: the file cannot be opened.
        ReadError: the file holds no runs.
    """
    from arraycoref.stats.store import read_runs

    return read_runs(path, Runs)
