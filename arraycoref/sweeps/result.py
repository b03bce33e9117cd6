"""Hold what a sweep returns, the scores of S settings, and make the best setting, tables, figures and files of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.report.formats import Displayable, table_maker
from arraycoref.report.tables import TextTable
from arraycoref.scoring.rows import score_columns
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.best_set import Best, best
from arraycoref.stats.resampling import Seed
from arraycoref.sweeps import storage, tables
from arraycoref.sweeps.scores import SettingScores
from arraycoref.sweeps.settings import Scalar, beside, positions_by, positions_by_value, text_of

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(SettingScores, Displayable):
    """Scores of S settings against one key of D documents.

    ``sweep["muc"].f1`` holds the corpus scores of all settings, ``sweep[3]`` or ``sweep.at(threshold=0.5)`` the scores
    of one setting as `arraycoref.BatchScores`. ``len(sweep)`` is S, and iteration yields the scores of each setting.

        >>> import arraycoref as ac
        >>> found = ac.sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]], settings={"t": [0.1, 0.2]}, metrics="muc")
        >>> found["muc"].f1.round(4).tolist(), found.at(t=0.2)["muc"].f1, found.counts["muc"].shape
        ([0.6667, 1.0], 1.0, (2, 1, 4))

    Attributes:
        metrics: names of the metrics, in the order asked for.
        counts: the sums of each setting and document, rows float64 (S, D, K, 4); nan for documents that a setting lacks
            and was not scored on, with ``missing_documents="skip"``.
        settings: (S,) strings, numbers, tuples or dicts of parameters.
        signature: version, profile and policies.
        key_digest: fingerprint of the key.
    """

    def best(
        self,
        metric: str | None = None,
        field: str = "f1",
        *,
        confidence: float = 0.95,
        resamples: int = 2000,
        seed: Seed = 0,
        threads: int = 1,
    ) -> Best:
        """Find the best setting, its confidence interval, and the settings that may be as good.

        Args:
            metric: name of a metric; None for the CoNLL average if it was asked for, or else the first metric.
            field: ``recall``, ``precision`` or ``f1`` of the metric.
            confidence: confidence level of the intervals, and of the tests against the best.
            resamples: number of bootstrap resamples of the documents.
            seed: seed of the resamples: an integer, a generator or None; `Best.seed` repeats the numbers.
            threads: number of threads that share the resamples; no result depends on it.

        Raises:
            InputError: no settings or no documents, a number of resamples, a confidence or a seed out of range.
            UnknownNameError: no such metric.
            DocumentMismatchError: settings that were scored on different documents.
        """
        return best(self.runs, metric, field, confidence=confidence, resamples=resamples, seed=seed, threads=threads)

    @property
    def runs(self) -> Runs:
        """The scores of the settings, as statistics take them."""
        return Runs(self.settings, self.counts, self.metrics, self.signature, self.key_digest)

    def select(self, positions: Any) -> Sweep:
        """Return the sweep of some settings, which are given by positions, a mask or a slice.

        Raises:
            InputError: a single position in place of a list, a repeated position, or a value that is no position.
            IndexError: a position that no setting has, or a mask of another length.
        """
        if not isinstance(positions, slice):
            given = np.ma.asarray(positions)
            if given.ndim != 1 or (given.size and given.dtype.kind not in "iub") or np.ma.is_masked(given):
                shape = f"shape {given.shape} and dtype {given.dtype}"
                raise InputError(f"positions has {shape}; expected positions or a mask, (N,), none of them masked")
            positions = given.data if given.size else np.empty(0, np.int64)
        chosen = np.arange(len(self))[positions]
        if len(set(chosen.tolist())) < chosen.size:
            raise InputError(f"positions has one setting twice: {positions!r:.60}; expected each once")
        counts = replace(self.counts, rows=self.sums[chosen])
        return replace(self, counts=counts, settings=tuple(self.settings[position] for position in chosen))

    def on_shared_documents(self) -> Sweep:
        """Return the sweep over the documents that every setting was scored on; the same sweep if these are all.

        If documents are left out, ``key_digest`` is another, so that only sweeps over the same documents can be joined.
        """
        shared: NDArray[np.bool_] = np.logical_and.reduce(self.scored, axis=0)
        if shared.all():
            return self
        digest = hashlib.blake2b(self.key_digest.encode() + shared.tobytes(), digest_size=16).hexdigest()
        return replace(self, counts=self.counts.take(shared), key_digest=digest)

    def left_out(self, part: Sweep) -> tuple[str, ...]:
        """Write a note on how many documents a part of this sweep lacks; no note if it has all."""
        n = self.n_documents - part.n_documents
        return (f"{n} of {self.n_documents} documents left out, which not every response has",) if n else ()

    def pooled(self, parameter: str) -> dict[Scalar, BatchScores]:
        """Add up the counts, document by document, of settings that share a value of a parameter, such as the system.

        The corpus score of a group is the ratio of the sums over all of its settings; `arraycoref.compare` can compare
        the groups as systems. Resampling documents then shows how much the scores depend on the documents, with the
        seeds kept; how much they depend on the seeds shows in the scores of the single settings.

        Args:
            parameter: name of a parameter; all settings must be dicts that have it.

        Returns:
            Scores on D documents by the value of the parameter, in the order in which the values first appear.

        Raises:
            UnknownNameError: a setting without the parameter.
            InputError: groups of different sizes, whose sums no test can exchange.
            DocumentMismatchError: settings that were scored on different documents.
        """
        groups = positions_by_value(self.settings, parameter)
        self.require_shared_documents()
        counts = self.on_shared_documents().counts
        return {
            value: BatchScores(self.metrics, replace(counts, rows=counts.rows[positions].sum(axis=0)), self.signature)
            for value, positions in groups.items()
        }

    def __add__(self, other: Sweep) -> Sweep:
        """Join the settings of two sweeps against the same key.

        Raises:
            InputError: another key, other metrics or policies, or a setting that both have.
        """
        return joined([self, other]) if isinstance(other, Sweep) else NotImplemented

    def require_same_key(self, other: Sweep) -> None:
        """Refuse a sweep that cannot be joined to this one.

        Raises:
            InputError: another key, other metrics or other policies; the message names them.
        """
        for what, old, new in (
            ("metrics", self.metrics, other.metrics),
            ("signature", str(self.signature), str(other.signature)),
            ("number of documents", self.n_documents, other.n_documents),
            ("key", self.key_digest, other.key_digest),
        ):
            if old != new:
                raise InputError(f"the earlier sweep has another {what}: {old}; expected {new}")

    def columns(self, *, per_document: bool = False) -> dict[str, Any]:
        """Return the columns of `to_frame`: lists of parameters and float64 arrays."""
        if per_document:
            return tables.document_columns(self)
        return beside(self.parameters, score_columns(self.corpus, self.metrics))

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the best settings, as notebooks show them; `best` finds the settings that may be as good."""
        return [tables.setting_table(self, digits)]

    def caption(self, digits: int) -> list[str]:
        """Describe the sweep, and name the best setting."""
        return tables.summary(self)

    def to_frame(self, backend: str | None = None, *, per_document: bool = False) -> Any:
        """Return a table with one row per setting.

        Args:
            backend: ``pandas``, ``polars`` or ``pyarrow``; None takes the first of these that is installed.
            per_document: one row per setting and document that it was scored on, with a column ``document``.

        Returns:
            Columns of the settings' parameters, or one ``setting``; then ``muc_recall``, ``muc_precision``, ``muc_f1``
            and so on, fractions 0-1.

        Raises:
            MissingDependencyError: the backend, or every one of them, is not installed.
            UnknownNameError: there is no such backend.
        """
        return table_maker(backend)(self.columns(per_document=per_document))

    def to_pandas(self) -> pandas.DataFrame:
        """Table of settings as a `pandas.DataFrame`."""
        frame: pandas.DataFrame = self.to_frame("pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Table of settings as a `polars.DataFrame`."""
        frame: polars.DataFrame = self.to_frame("polars")
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """Labelled arrays: scores by setting and metric, sums by setting, document and group; see `sweeps.tables`."""
        return tables.to_xarray(self)

    def plot(
        self,
        metrics: str | Iterable[str] | None = None,
        field: str = "f1",
        *,
        parameter: str | None = None,
        by: str | None = None,
        over: str | None = None,
        confidence: float | None = 0.95,
        resamples: int = 1000,
        seed: Seed = 0,
        log: bool = False,
    ) -> Figure:
        """Draw scores against a parameter, such as a threshold or the epochs of training.

        Each metric, and each value of ``by``, is a line with a band: bootstrap intervals of settings, or the standard
        deviation over repetitions.

        Args:
            metrics: a name, or several; None as for `best`.
            field: ``recall``, ``precision`` or ``f1``.
            parameter: name of the parameter; None for the only one whose values are numbers and not all the same.
            by: name of a second parameter, such as the system.
            over: name of a parameter whose values are repetitions, such as the seed; their mean is drawn.
            confidence: confidence level of each interval; None for no band.
            resamples: number of bootstrap resamples of the documents.
            seed: seed of the resamples.
            log: draw the parameter of lines on a logarithmic axis.

        Raises:
            InputError: a parameter whose values are no numbers, settings with equal values, an option out of range.
            UnknownNameError: no such metric or parameter.
            DocumentMismatchError: settings that were scored on different documents.
            MissingDependencyError: matplotlib is not installed.
        """
        from arraycoref.stats.figures import plot_runs

        axes = {"parameter": parameter, "by": by, "over": over}
        return plot_runs(
            self.runs, metrics, field, **axes, confidence=confidence, resamples=resamples, seed=seed, log=log
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sweep to an ``.npz`` file, whole or not at all; `arraycoref.load_sweep` reads it."""
        storage.save(path, self)

    def __repr__(self) -> str:
        return "\n".join(tables.summary(self))


def load_sweep(path: str | os.PathLike[str]) -> Sweep:
    """Read a sweep from a file that `Sweep.save` wrote.

        >>> import arraycoref as ac
        >>> found = ac.sweep([0, 0, 1], [[0, 0, 0], [0, 1, 1]], metrics="muc")
        >>> found.save("found.npz")
        >>> ac.load_sweep("found.npz") == found
        True

    Raises:
        InputError: ``path`` is no path.
        OSError: the file cannot be opened.
        ReadError: the file holds no sweep.
    """
    given: object = path
    if not isinstance(given, str | os.PathLike):  # open() takes an int as a file descriptor
        raise InputError(f"{given!r:.60} is not the path of a file; expected that of one that `save` wrote")
    return Sweep(**storage.load(path)[0])


def joined(parts: Sequence[Sweep]) -> Sweep:
    """Join the settings of sweeps against the same key, one sweep at least.

    Raises:
        InputError: another key, other metrics or policies, or a setting that two have.
    """
    for part in parts[1:]:
        parts[0].require_same_key(part)
    settings = tuple(setting for part in parts for setting in part.settings)
    for setting, positions in positions_by(settings):
        if len(positions) > 1:
            raise InputError(f"both sweeps have the setting {text_of(setting)}; expected each once")
    counts = replace(parts[0].counts, rows=np.concatenate([part.sums for part in parts]))
    return replace(parts[0], counts=counts, settings=settings)
