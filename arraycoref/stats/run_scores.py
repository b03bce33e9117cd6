"""Scores of several systems or settings on the same documents: one record, which sweeps make and statistics take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError, first_names
from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.report.formats import HEAD, Report, table_maker
from arraycoref.report.tables import TextTable
from arraycoref.runtime import import_extra
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.format import SUMS, format_score, score_columns
from arraycoref.scoring.grouped import documents_by
from arraycoref.scoring.metrics import registry
from arraycoref.scoring.metrics.score import best_first
from arraycoref.scoring.reports import table_of_f
from arraycoref.scoring.scores import BatchScores, DocumentScores
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats import checks
from arraycoref.stats.settings import (
    Scalar,
    Setting,
    as_setting,
    beside,
    grouped_over,
    identity,
    parameters_of,
    positions_by,
    text_of,
)

if TYPE_CHECKING:
    import xarray


R = TypeVar("R", bound="RunScores")


@dataclass(frozen=True, eq=False, repr=False)
class RunScores(Report, Mapping[Setting, BatchScores]):
    """Scores of S runs, or systems, on D documents with one key; users have them as `arraycoref.Runs`.

    Attributes:
        settings: (S,) settings, each once.
        counts: the sums of each run and document, rows float64 (S, D, K, 4); nan for documents that a run lacks and was
            not scored on, with ``missing_documents="skip"``.
        metrics: names of the metrics, in the order asked for.
        signature: version, profile and policies.
        notes: (S,) what happened in each run, such as documents scored as empty.
        key_digest: fingerprint of the key; empty if it is not known.
        clusterings: (S,) labels of one document, whose entities statistics resample; empty if there are several
            documents, or if the labels are not known.
    """

    settings: tuple[Setting, ...]
    counts: Counts
    metrics: tuple[str, ...]
    signature: Signature
    notes: tuple[tuple[str, ...], ...]
    key_digest: str = ""
    clusterings: tuple[Clusterings, ...] = ()

    @classmethod
    def of(cls, runs: Mapping[Any, BatchScores], metrics: Metrics = None) -> Self:
        """Put systems together that were scored on the same documents, with one key and under the same conventions.

        Args:
            runs: scores by the names of the systems, or `Runs`, which are returned without documents that all lack.
            metrics: metrics to keep; None for all of the first system.

        Raises:
            InputError: no systems, a value that is no `BatchScores`, other conventions.
            DocumentMismatchError: other documents, or another key; the message names the first that differs.
            UnknownNameError: a metric that a system was not scored in.
        """
        if isinstance(runs, RunScores):
            runs.require_shared_documents()
            shared = cast("Self", runs.on_shared_documents())
            if metrics is None:
                return shared
            wanted = registry.resolve_metrics(metrics, registry.names_beside(runs.metrics[0]))
            return replace(shared, counts=checks.counts_of(shared.counts, wanted, "the runs"), metrics=wanted)
        runs, wanted, counts = checks.stacked(runs, metrics)
        first, *others = runs.values()
        notes = [first.notes]
        for b in others:
            is_same = b.signature.version == first.signature.version
            notes.append(b.notes if is_same else (*b.notes, f"scored by version {b.signature.version}"))
        kept = [b.clusterings for b in runs.values() if b.clusterings is not None]
        labels = tuple(kept) if len(kept) == len(notes) else ()
        return cls(tuple(map(as_setting, runs)), counts, wanted, first.signature, tuple(notes), clusterings=labels)

    def __len__(self) -> int:
        return len(self.settings)

    def __iter__(self) -> Iterator[Setting]:
        return iter(self.settings)

    def __getitem__(self, item: Any) -> Any:
        """Return the scores of one run; or, by the name of a metric, its `Score` of arrays (S,).

        Raises:
            UnknownNameError: there is neither such a metric nor such a setting.
        """
        if isinstance(item, str) and item in self.metrics:
            return self.corpus[item]
        position = self._positions.get(identity(as_setting(item)))
        if position is not None:
            return self.batch(position)
        if registry.as_metric(item) in self.metrics:
            return self.corpus[item]
        raise UnknownNameError("metric or setting", item, (*self.metrics, *first_names(self.names)))

    def __contains__(self, item: object) -> bool:
        return identity(as_setting(item)) in self._positions or registry.as_metric(item) in self.metrics

    def values(self) -> list[BatchScores]:  # type: ignore[override]  # of settings, also those named like a metric
        """Scores of each run, in order."""
        return list(map(self.batch, range(len(self))))

    def items(self) -> list[tuple[Setting, BatchScores]]:  # type: ignore[override]
        """Each setting with its scores, in order."""
        return list(zip(self.settings, self.values(), strict=True))

    __eq__, __hash__ = object.__eq__, object.__hash__

    @property
    def n_documents(self) -> int:
        """Number of documents, D."""
        return self.counts.n_documents

    @property
    def document_names(self) -> tuple[str, ...] | None:
        """(D,) names, None for documents known by position."""
        return self.counts.names

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Which documents each run was scored on, bool (S, D); False for documents that were skipped."""
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
        """Corpus scores of every run: each attribute of each metric is an array (S,)."""
        return DocumentScores(self.metrics, self.counts.total(), self.signature)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {identity(setting): position for position, setting in enumerate(self.settings)}

    @property
    def first_metric(self) -> str:
        """The metric that runs are compared by, unless the user names another."""
        return "conll" if "conll" in self.metrics else self.metrics[0]

    def batch(self, position: int) -> BatchScores:
        """Return the scores of the run at a position, on the documents that it has; views, if it has all."""
        counts, scored = self.counts.setting(position), self.scored[position]
        if not scored.all():
            names = self.document_names or tuple(map(str, range(self.n_documents)))
            counts = replace(counts, names=names).take(scored)
        labels = self.clusterings[position] if self.clusterings else None
        return BatchScores(self.metrics, counts, self.signature, notes=self.notes_of(position), clusterings=labels)

    def notes_of(self, *positions: int) -> tuple[str, ...]:
        """Return the notes of the runs at some positions, each once."""
        return tuple(dict.fromkeys(note for s in positions for note in self.notes[s]))

    @property
    def joint_notes(self) -> tuple[str, ...]:
        """The notes of all runs as one list, each with the names of its runs unless all have it."""
        return joint_notes(self.names, self.notes)

    def at(self, setting: object = None, /, **parameters: Scalar) -> BatchScores:
        """Return the scores of a run, by its setting or its parameters: ``runs.at(threshold=0.5)``."""
        wanted = parameters if setting is None and parameters else setting
        position = self._positions.get(identity(as_setting(wanted)))
        if position is None:
            raise UnknownNameError("setting", wanted, first_names(self.names))
        return self.batch(position)

    def score(self, metric: str, field: str = "f1") -> Floats:
        """Return the corpus score of each run, float64 (S,), fractions 0-1.

        Raises:
            UnknownNameError: no such metric or field.
            OptionError: the metric lacks the field, as the CoNLL average lacks recall.
        """
        registry.check_field(field, metric)
        values: Floats = getattr(self.corpus[metric], field)
        return values

    def order(self, metric: str, field: str = "f1") -> NDArray[np.int64]:
        """Return the positions of the runs from the best to the worst, int64 (S,); equal ones keep their order.

        Raises:
            DocumentMismatchError: runs that were scored on different documents.
        """
        self.require_shared_documents()
        return best_first(registry.direction(metric) * self.score(metric, field))

    def select(self, positions: Any) -> Self:
        """Return some of the runs, given by their positions, a mask or a slice."""
        chosen = np.arange(len(self))[list(positions) if isinstance(positions, tuple) else positions]
        counts = Counts.read_only(self.counts.names, self.counts.metrics, self.counts.rows[chosen])
        settings, notes = (tuple(each[position] for position in chosen) for each in (self.settings, self.notes))
        labels = tuple(self.clusterings[position] for position in chosen) if self.clusterings else ()
        return replace(self, counts=counts, settings=settings, notes=notes, clusterings=labels)

    def by(self, labels: str | Iterable[object]) -> dict[str, Self]:
        """Group the documents, as `BatchScores.by` does: the runs on the documents of each group, by its name."""
        names = self.document_names or tuple(map(str, range(self.n_documents)))
        counts, outer = replace(self.counts, names=names), self.signature.subset
        found = {}
        for group, documents in documents_by(names, labels).items():
            subset = group if outer == "all" else f"{outer}, {group}"
            found[group] = replace(
                self, counts=counts.take(documents), signature=replace(self.signature, subset=subset)
            )
        return found

    def __add__(self, other: Self) -> Self:
        """Join the runs of two records with the same key.

        An `InputError` names what differs: key, documents, metrics, policies; or a setting that both have.
        """
        return self.joined([self, other])

    @classmethod
    def joined(cls, parts: Sequence[R]) -> R:
        """Join the runs of several records, as ``+`` does; the result is of the class of the first."""
        for part in parts[1:]:
            checks.require_one_key(parts[0], part)
        settings = tuple(setting for part in parts for setting in part.settings)
        for setting, positions in positions_by(settings):
            if len(positions) > 1:
                raise InputError(f"setting {text_of(setting)} appears twice; expected each once")
        counts = replace(parts[0].counts, rows=np.concatenate([part.counts.rows for part in parts]))
        notes = tuple(each for part in parts for each in part.notes)
        all_known = all(len(part.clusterings) == len(part) for part in parts)
        labels = tuple(one for part in parts for one in part.clusterings) if all_known else ()
        return replace(parts[0], counts=counts, settings=settings, notes=notes, clusterings=labels)

    def pooled(self, parameter: str) -> Self:
        """Add up the counts, document by document, of runs that share a value of a parameter: the new setting.

        Raises:
            UnknownNameError: a setting without the parameter.
            InputError: settings that are no dicts; values with different numbers of runs.
            DocumentMismatchError: runs that were scored on different documents.
        """
        return self.summed(*grouped_over(self.settings, parameter, by_value=True))

    def summed(self, settings: tuple[Setting, ...], positions: NDArray[np.int64]) -> Self:
        """Add up the counts of groups of runs, document by document.

        Args:
            settings: (G,) settings of the groups.
            positions: int64 (G, R) positions of the runs of each group.
        """
        self.require_shared_documents()
        shared = self.on_shared_documents()
        rows = np.array([shared.counts.rows[group].sum(axis=0) for group in positions])
        counts = replace(shared.counts, rows=rows.reshape(-1, *shared.counts.rows.shape[1:]))
        digest, notes = f"{positions.shape[1]} times {shared.key_digest}", [shared.notes_of(*g) for g in positions]
        summed = replace(shared, counts=counts, settings=settings, key_digest=digest, notes=tuple(notes))
        return replace(summed, clusterings=())

    def require_shared_documents(self) -> None:
        """Raise a `DocumentMismatchError` if two runs were scored on different documents."""
        checks.require_shared_documents(self)

    def on_shared_documents(self) -> Self:
        """Return the runs on the documents that all of them were scored on, with a note on how many are left out."""
        shared: NDArray[np.bool_] = np.logical_and.reduce(self.scored, axis=0)
        n, n_all = int((~shared).sum()), shared.size
        if not n:
            return self
        note = f"{n} of {n_all} documents left out, which not every response has"
        notes = tuple((*each, note) for each in self.notes)
        return replace(self, counts=self.counts.take(shared), notes=notes)

    def columns(self, *, per_document: bool = False) -> dict[str, Any]:
        """Return the columns of `to_frame`: lists of parameters and float64 arrays."""
        if not per_document:
            notes = {"notes": ["; ".join(each) for each in self.notes]}
            return beside(self.parameters, score_columns(self.corpus, self.metrics) | notes)
        runs = self.values()
        sizes = list(map(len, runs))
        pieces = [score_columns(run.documents, run.metrics) for run in runs]
        found: dict[str, Any] = {"document": [name for run in runs for name in run.names]}
        found |= {name: np.concatenate([piece[name] for piece in pieces]) for name in (pieces[0] if pieces else ())}
        parameters = {
            name: [value for value, n in zip(values, sizes, strict=True) for _ in range(n)]
            for name, values in self.parameters.items()
        }
        return beside(parameters, found)

    def to_frame(self, backend: str | None = None, *, per_document: bool = False) -> Any:
        """Return a table with one row per run.

        Args:
            backend: ``pandas``, ``polars`` or ``pyarrow``; None takes the first of these that is installed.
            per_document: one row per run and document that it was scored on, with a column ``document``.

        Returns:
            Columns of the settings' parameters, or one ``setting``; then ``muc_recall``, ``muc_precision``, ``muc_f1``
            and so on, fractions 0-1; and ``notes``.

        Raises:
            MissingDependencyError: the backend, or every one of them, is not installed.
        """
        return table_maker(backend)(self.columns(per_document=per_document))

    def to_xarray(self) -> xarray.Dataset:
        """Return labelled arrays with a dimension ``setting``, whose coordinates are the parameters.

        The variables are ``recall``, ``precision`` and ``f1`` (setting, metric), fractions 0-1, NaN for recall and
        precision of the CoNLL average; and ``sums`` (setting, document, group, sum), NaN where a document was skipped.
        ``found.set_index(setting=["a", "b"]).unstack("setting")`` makes each parameter of a grid a dimension.

        Raises:
            MissingDependencyError: xarray is not installed.
        """
        library = import_extra("xarray", "labelled arrays need xarray", "xarray")
        scores = {field: [getattr(self.corpus[metric], field) for metric in self.metrics] for field in registry.RATIOS}
        variables: dict[str, Any] = {field: (("metric", "setting"), np.array(each)) for field, each in scores.items()}
        variables["sums"] = (("setting", "document", "group", "sum"), self.counts.rows)
        coordinates: dict[str, Any] = {"setting": list(self.names), "metric": list(self.metrics)}
        coordinates |= {
            name: ("setting", np.array(column, dtype=object if None in column else None))
            for name, column in self.parameters.items()
            if name != "setting"
        }
        coordinates["document"] = list(self.document_names or range(self.n_documents))
        coordinates |= {"group": list(registry.group_names(self.counts.metrics)), "sum": list(SUMS)}
        dataset: xarray.Dataset = library.Dataset(variables, coordinates, {"signature": str(self.signature)})
        return dataset

    @property
    def _comparable(self) -> bool:
        return bool(len(self) and self.n_documents and (self.scored == self.scored[:1]).all())

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out parameters and F of the best runs, or of the first ones if they cannot be compared."""
        order = (self.order(self.first_metric) if self._comparable else np.arange(len(self)))[:HEAD].tolist()
        first, *more = self.parameters.items()
        title = f"{first[0]} (F{self.signature.beta:g}" + (f", {HEAD} of {len(self)})" if len(self) > HEAD else ")")
        return [table_of_f({title: first[1], **dict(more)}, self.corpus, order, digits)]

    def caption(self, digits: int) -> list[str]:
        """Say what the record holds, and which run is the best."""
        head = f"Runs of {len(self)} settings, {self.n_documents} documents, {', '.join(self.metrics)}"
        if not len(self) or not self.n_documents:
            return [head]
        if not self._comparable:
            lack = "scored on different documents; on_shared_documents() keeps those of all"
            return [head, lack, str(self.signature)]
        metric, best = self.first_metric, self.order(self.first_metric)[0]
        score = format_score(self.score(metric)[best], metric, digits, profile=self.signature.profile)
        return [head, f"best {metric}: {score} at {self.names[best]}", *self.joint_notes, str(self.signature)]

    def __repr__(self) -> str:
        return "\n".join(self.caption(2))

    __str__ = __repr__

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.metrics, *self.names]
