"""Look up the scores of S settings by metric, by position or by setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError, first_names
from arraycoref.lazy import cached_property
from arraycoref.options import Signature
from arraycoref.records import Record
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import RATIOS, direction, group_names
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.scoring.scores import BatchScores, DocumentScores
from arraycoref.sweeps.settings import Scalar, Setting, as_setting, identity, parameters_of, text_of


@dataclass(frozen=True, eq=False, repr=False)
class SettingScores(Record):
    """The data of `arraycoref.sweeps.Sweep`, which describes the attributes."""

    metrics: tuple[str, ...]
    counts: Counts
    settings: tuple[Setting, ...]
    signature: Signature
    key_digest: str = ""

    def __len__(self) -> int:
        return len(self.settings)

    @property
    def n_documents(self) -> int:
        """Number of documents, D."""
        return self.counts.n_documents

    @property
    def document_names(self) -> tuple[str, ...] | None:
        """(D,) names, None for documents known by position."""
        return self.counts.names

    @property
    def sums(self) -> Floats:
        """The rows of `counts`, float64 (S, D, K, 4), read-only; `groups` names the K groups of four sums."""
        return self.counts.rows

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the K groups of four sums: ``muc``, ..., ``blanc/coreference``, ..."""
        return group_names(self.counts.metrics)

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Which documents each setting was scored on, bool (S, D); False for documents that were skipped."""
        return self.counts.scored

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The settings as strings."""
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
        """Return a metric's `Score` of arrays (S,), or the `BatchScores` of the setting at a position.

        Raises:
            UnknownNameError: no such metric.
            InputError: ``item`` is neither a name nor a position.
            IndexError: a position that no setting has.
        """
        if not isinstance(item, str | SupportsIndex):
            raise InputError(f"{item!r:.60} is no metric or position of a setting; Sweep.select takes several")
        return self.corpus[item] if isinstance(item, str) else self.batch(range(len(self))[item])

    def __iter__(self) -> Iterator[BatchScores]:
        return map(self.batch, range(len(self)))

    def __contains__(self, item: object) -> bool:
        return item in self.metrics if isinstance(item, str) else any(item == batch for batch in self)

    def batch(self, position: int) -> BatchScores:
        """Return the scores of the setting at a position, on the documents that it has; views, if it has all."""
        counts, scored = self.counts.setting(position), self.scored[position]
        if not scored.all():
            names = self.document_names or tuple(map(str, range(self.n_documents)))
            counts = replace(counts, names=names).take(scored)
        return BatchScores(self.metrics, counts, self.signature)

    def at(self, setting: object = None, /, **parameters: Scalar) -> BatchScores:
        """Return the scores of a setting, which is given as it was named, or by its parameters.

        Raises:
            UnknownNameError: no such setting.
        """
        return self.batch(self.position(parameters if setting is None and parameters else setting))

    def position(self, setting: object) -> int:
        """Return the position of a setting.

        Raises:
            UnknownNameError: no such setting.
        """
        found = self._positions.get(identity(as_setting(setting)))
        if found is None:
            raise UnknownNameError("setting", setting, first_names(self.names))
        return found

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {identity(setting): position for position, setting in enumerate(self.settings)}

    def score(self, metric: str, field: str = "f1") -> Floats:
        """Return one score per setting, float64 (S,), fractions 0-1."""
        if field not in RATIOS:
            raise UnknownNameError("field", field, RATIOS)
        values: Floats = getattr(self.corpus[metric], field)
        return values

    def order(self, metric: str, field: str = "f1") -> np.ndarray[Any, Any]:
        """Return the positions of the settings from the best to the worst, int64 (S,); equal ones keep their order.

        Raises:
            DocumentMismatchError: settings that were scored on different documents.
        """
        self.require_shared_documents()
        return np.argsort(rounded_for_ties(-direction(metric) * self.score(metric, field)), kind="stable")

    @property
    def first_metric(self) -> str:
        """The metric that settings are compared by, unless the user names another."""
        return "conll" if "conll" in self.metrics else self.metrics[0]

    def require_shared_documents(self) -> None:
        """Refuse settings that were scored on different documents, as resampling documents cannot compare them.

        Raises:
            DocumentMismatchError: two settings were scored on different documents.
        """
        scored = self.scored
        differing = (scored != scored[:1]).any(axis=1)
        if differing.any():
            s = int(differing.argmax())
            d = int((scored[s] != scored[0]).argmax())
            has, lacks = (0, s) if scored[0, d] else (s, 0)
            document = (self.document_names or range(self.n_documents))[d]
            raise DocumentMismatchError(
                f"document {document!r} was scored for setting {self.names[has]} but skipped for {self.names[lacks]}, "
                "so that their scores cannot be compared; Sweep.on_shared_documents() keeps the documents that all have"
            )
