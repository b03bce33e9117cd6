"""What a sweep returns: the sums of S settings, their scores, the best of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.counts import Counts
from arraycoref.errors import InputError, UnknownNameError
from arraycoref.lazy import cached_property
from arraycoref.metrics import counted_metrics
from arraycoref.options import Signature
from arraycoref.results import BatchScores, DocumentScores
from arraycoref.sweeping.settings import Scalar, Setting, as_setting, identity, parameters_of, text_of
from arraycoref.sweeping.sums import Floats, sum_names, views

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray
    from matplotlib.figure import Figure

    from arraycoref.sweeping.best import Best


@dataclass(frozen=True, eq=False)
class Sweep:
    """Scores of S settings against one key of D documents.

    ``sweep["muc"].f1`` holds the corpus scores of all settings, ``sweep[3]`` or ``sweep.at(threshold=0.5)`` one
    setting's scores as `arraycoref.BatchScores`.

    Attributes:
        metrics: names of the metrics, in the order asked for.
        sums: float64 (S, D, K, 4), read-only: recall numerator, recall denominator, precision numerator, precision
            denominator of each setting, document and group; `groups` names the K groups. A metric has one group,
            BLANC three (coreference links, non-coreference links, mentions). nan where a setting was not scored on a
            document that it lacks, as ``missing_documents="skip"`` asks.
        settings: (S,) texts, numbers, tuples or dicts of parameters.
        signature: version, profile and policies.
        document_names: (D,) names, None for documents known by position.
        key_digest: fingerprint of the key.
    """

    metrics: tuple[str, ...]
    sums: Floats
    settings: tuple[Setting, ...]
    signature: Signature
    document_names: tuple[str, ...] | None = None
    key_digest: str = ""

    def __len__(self) -> int:
        return len(self.settings)

    @property
    def n_documents(self) -> int:
        """D."""
        return int(self.sums.shape[1])

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the K groups of four sums: ``muc``, ..., ``blanc/coreference``, ..."""
        return sum_names(counted_metrics(self.metrics))

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Which documents each setting was scored on, bool (S, D); all but those skipped."""
        return ~np.isnan(self.sums[:, :, 0, 0]) if self.sums.size else np.ones(self.sums.shape[:2], bool)

    @cached_property
    def counts(self) -> Counts:
        """Sums by metric, views of `sums`: float64 (S, D, 4), BLANC's (S, D, 3, 4)."""
        return views(self.sums, counted_metrics(self.metrics))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Settings as text."""
        return tuple(map(text_of, self.settings))

    @property
    def parameters(self) -> dict[str, list[Scalar]]:
        """Columns of the settings' parameters, S values each; one column ``setting`` if they are not dicts."""
        return parameters_of(self.settings)

    @cached_property
    def corpus(self) -> DocumentScores:
        """Corpus scores of every setting: each attribute of each metric is an array (S,)."""
        return DocumentScores(self.metrics, self.counts.total(), self.signature)

    def __getitem__(self, item: int | str) -> Any:
        """Return a metric's `Score` of arrays (S,), or the `BatchScores` of the setting at a position."""
        if isinstance(item, str):
            return self.corpus[item]
        return self.batch(range(len(self))[item])

    def __iter__(self) -> Iterator[BatchScores]:
        return map(self.batch, range(len(self)))

    def batch(self, position: int) -> BatchScores:
        """Scores of the setting at a position on its documents; views, unless some were skipped."""
        scored = self.scored[position]
        counts = replace(self.counts.setting(position), names=self.document_names)
        if scored.all():
            return BatchScores(self.metrics, counts, self.signature)
        counts = replace(counts, names=self.document_names or tuple(map(str, range(self.n_documents))))
        return BatchScores(self.metrics, counts.take(scored), self.signature)

    def at(self, setting: object = None, /, **parameters: Scalar) -> BatchScores:
        """Scores of a setting, given as it was named, or by its parameters.

        Raises:
            UnknownNameError: no such setting.
        """
        return self.batch(self.position(parameters if setting is None and parameters else setting))

    def position(self, setting: object) -> int:
        """Position of a setting.

        Raises:
            UnknownNameError: no such setting.
        """
        found = self._positions.get(identity(as_setting(setting)))
        if found is None:
            raise UnknownNameError("setting", setting, (*self.names[:8], "...") if len(self) > 8 else self.names)
        return found

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {identity(setting): position for position, setting in enumerate(self.settings)}

    def score(self, metric: str, measure: str = "f1") -> Floats:
        """One number a setting, float64 (S,): a fraction 0-1."""
        if measure not in ("recall", "precision", "f1"):
            raise UnknownNameError("measure", measure, ("recall", "precision", "f1"))
        values: Floats = getattr(self.corpus[metric], measure)
        return values

    def order(self, metric: str, measure: str = "f1") -> np.ndarray[Any, Any]:
        """Positions of the settings from the best to the worst, int64 (S,); the earlier first where they are equal."""
        return np.argsort(-self.score(metric, measure), kind="stable")

    def best(
        self,
        metric: str | None = None,
        measure: str = "f1",
        *,
        confidence: float = 0.95,
        resamples: int = 2000,
        seed: int = 0,
        threads: int = 1,
    ) -> Best:
        """Find the best setting, its confidence interval, and the settings that cannot be told from it.

        Args:
            metric: None for the CoNLL average if it was asked for, or else the first metric.
            measure: ``recall``, ``precision`` or ``f1``.
            confidence: of the interval, and of the tests against the best.
            resamples: bootstrap resamples of the documents.
            seed: of the resamples; the same seed gives the same numbers.
            threads: threads over blocks of resamples; no number depends on it.

        Raises:
            InputError: no settings or no documents.
            UnknownNameError: no such metric.
        """
        from arraycoref.sweeping.best import find_best

        if metric is None:
            metric = "conll" if "conll" in self.metrics else self.metrics[0]
        return find_best(self, metric, measure, confidence=confidence, resamples=resamples, seed=seed, threads=threads)

    def select(self, positions: Any) -> Sweep:
        """Return the sweep of some settings, by positions or a mask."""
        chosen = np.arange(len(self))[np.asarray(positions)]
        sums = self.sums[chosen]
        sums.flags.writeable = False
        return Sweep(
            self.metrics,
            sums,
            tuple(self.settings[position] for position in chosen),
            self.signature,
            self.document_names,
            self.key_digest,
        )

    def on_shared_documents(self) -> Sweep:
        """Return the sweep over the documents that every setting was scored on; itself where these are all."""
        from arraycoref.sweeping.subsets import on_shared_documents

        return on_shared_documents(self)

    def pooled(self, parameter: str) -> dict[Scalar, BatchScores]:
        """Add up the settings that share a value of a parameter, as the seeds of a system; see `sweeping.subsets`."""
        from arraycoref.sweeping.subsets import pooled

        return pooled(self, parameter)

    def __add__(self, other: Sweep) -> Sweep:
        """Join the settings of two sweeps against the same key.

        Raises:
            InputError: another key, other metrics or policies, or a setting that both have.
        """
        from arraycoref.sweeping.join import join

        return join(self, other)

    def to_frame(self, backend: str | None = None, *, per_document: bool = False) -> Any:
        """Table with one row a setting, or one a setting and document, in pandas, polars or pyarrow."""
        from arraycoref.sweeping.tables import to_frame

        return to_frame(self, backend, per_document=per_document)

    def to_pandas(self) -> pandas.DataFrame:
        """Table of settings as a `pandas.DataFrame`."""
        from arraycoref.sweeping.tables import to_frame

        frame: pandas.DataFrame = to_frame(self, "pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Table of settings as a `polars.DataFrame`."""
        from arraycoref.sweeping.tables import to_frame

        frame: polars.DataFrame = to_frame(self, "polars")
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """Labelled arrays: scores by setting and metric, sums by setting, document and group; see `sweeping.tables`."""
        from arraycoref.sweeping.tables import to_xarray

        return to_xarray(self)

    def plot(self, metrics: str | Iterable[str] | None = None, measure: str = "f1", **options: Any) -> Figure:
        """Draw scores against a parameter with the band of their intervals; see `sweeping.figures.plot_sweep`."""
        from arraycoref.sweeping.figures import plot_sweep

        if metrics is None:
            metrics = "conll" if "conll" in self.metrics else self.metrics[0]
        return plot_sweep(self, metrics, measure, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sweep to an ``.npz`` file, whole or not at all; `arraycoref.load_sweep` reads it."""
        from arraycoref.sweeping.storage import save

        save(self, path)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sweep)
            and (self.metrics, self.signature, self.names, self.document_names, self.key_digest)
            == (other.metrics, other.signature, other.names, other.document_names, other.key_digest)
            and np.array_equal(self.sums, other.sums, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        head = f"Sweep of {len(self)} settings, {self.n_documents} documents, {', '.join(self.metrics)}"
        if not len(self):
            return head
        metric = "conll" if "conll" in self.metrics else self.metrics[0]
        best = int(self.order(metric)[0])
        return f"{head}\nbest {metric}: {100 * self.score(metric)[best]:.2f} at {self.names[best]}\n{self.signature}"


def check_compatible(
    sweep: Sweep, metrics: tuple[str, ...], signature: Signature, digest: str, n_documents: int
) -> None:
    """Check that an earlier sweep can be gone on with, or joined.

    Raises:
        InputError: another key, other metrics or other policies; names them.
    """
    for what, old, new in (
        ("metrics", sweep.metrics, metrics),
        ("signature", str(sweep.signature), str(signature)),
        ("number of documents", sweep.n_documents, n_documents),
        ("key", sweep.key_digest, digest),
    ):
        if old != new:
            raise InputError(f"the earlier sweep has another {what}: {old}; expected {new}")
