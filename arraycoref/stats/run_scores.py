"""Scores of several systems or settings on the same documents, and what settings are; sweeps make them.

A setting is the name of a system, a number, a tuple, or a dict of parameters.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from arraycoref.display.formats import HEAD, Report
from arraycoref.display.tables import TextTable
from arraycoref.exceptions import DocumentMismatchError, InputError, UnknownNameError, first_names, printable
from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.runtime import import_extra
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.format import SUMS, format_score, score_columns
from arraycoref.scoring.grouped import documents_by
from arraycoref.scoring.metrics import registry
from arraycoref.scoring.metrics.registry import counted_metrics, find_metric, names_beside
from arraycoref.scoring.metrics.score import best_first
from arraycoref.scoring.reports import table_of_f
from arraycoref.scoring.scores import BatchScores, DocumentScores, Scores
from arraycoref.scoring.signature import Signature, joint_notes

if TYPE_CHECKING:
    import xarray

Scalar = str | int | float | bool | None
Setting = Scalar | tuple[Scalar, ...] | dict[str, Scalar]
S = TypeVar("S", bound=Setting)

EVERY = "all"
"""Value of the parameter that runs are pooled or averaged over, where they have no other parameter."""


def grid(parameters: Mapping[str, Iterable[object]]) -> list[dict[str, Any]]:
    """List every combination of parameters, the last one changing fastest.

        >>> grid({"linkage": ["single", "average"], "threshold": [0.1, 0.2]})[1]
        {'linkage': 'single', 'threshold': 0.2}

    Args:
        parameters: the values of each parameter.

    Raises:
        InputError: a parameter has a text, whose letters would be its values, or a set, which has no order.
    """
    for name, values in parameters.items():
        require_order(f"the values of {name!r} are", values)
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*parameters.values())]


def require_order(what: str, values: object) -> None:
    """Refuse a text or a set instead of a list."""
    if isinstance(values, str | set | frozenset):
        raise InputError(f"{what} {values!r:.60}; expected a list")


def as_setting(setting: object) -> Setting:
    """Convert a setting to plain Python values, which can be compared, printed and saved.

    Args:
        setting: a string, number, bool or None, NumPy's included; a tuple of these; or a mapping from names to these.
            Anything else becomes its ``str``.
    """
    if isinstance(setting, Mapping):
        return {str(name): _scalar(value) for name, value in setting.items()}
    return tuple(map(_scalar, setting)) if isinstance(setting, tuple) else _scalar(setting)


def _scalar(value: object) -> Scalar:
    item = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
    return item if item is None or isinstance(item, str | int | float | bool) else str(item)


def text_of(setting: Setting) -> str:
    """Write a setting in one line: ``linkage=single, threshold=0.2``; characters that would break it are escaped."""
    if isinstance(setting, dict):
        return printable(", ".join(f"{name}={value}" for name, value in setting.items()))
    return printable(", ".join(map(str, setting)) if isinstance(setting, tuple) else str(setting))


def name_of(setting: Setting) -> str:
    """Name a system by its setting: by all of its parameters, or by the value alone if there is one parameter."""
    return text_of(*setting.values()) if isinstance(setting, dict) and len(setting) == 1 else text_of(setting)


def identity(setting: Setting) -> str:
    """Return a string that is the same for equal settings, and for no others; the order of a dict's names is ignored.

    1 and 1.0 are equal settings, as they are equal keys of a dict; True is not equal to 1.
    """
    if isinstance(setting, dict):
        return json.dumps({name: _number(value) for name, value in setting.items()}, sort_keys=True)
    return json.dumps(list(map(_number, setting)) if isinstance(setting, tuple) else _number(setting))


def _number(value: Scalar) -> Scalar:
    """Return a float that equals an int as that int, and any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def parameters_of(settings: Sequence[Setting]) -> dict[str, list[Scalar]]:
    """Return S values of each parameter, None where a setting lacks it; one column ``setting`` if not all are dicts."""
    if settings and all(isinstance(setting, dict) for setting in settings):
        dicts: list[dict[str, Scalar]] = [setting for setting in settings if isinstance(setting, dict)]
        names = dict.fromkeys(name for setting in dicts for name in setting)
        return {name: [setting.get(name) for setting in dicts] for name in names}
    return {"setting": [setting if isinstance(setting, Scalar) else text_of(setting) for setting in settings]}


def beside(parameters: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of parameters, followed by other columns.

    Raises:
        InputError: a parameter has the name of another column, which would replace it.
    """
    if both := parameters.keys() & columns.keys():
        raise InputError(f"a parameter and a column of scores are both named {min(both)!r}; expected names that differ")
    return {**parameters, **columns}


def positions_by(values: Iterable[S]) -> list[tuple[S, list[int]]]:
    """List each setting, or value of a parameter, with its positions, in the order in which these first appear."""
    groups: dict[str, tuple[S, list[int]]] = {}
    for position, value in enumerate(values):
        groups.setdefault(identity(value), (value, []))[1].append(position)
    return list(groups.values())


def grouped_over(
    settings: Sequence[Setting], parameter: str, *, by_value: bool = False
) -> tuple[tuple[Setting, ...], NDArray[np.int64]]:
    """Group the settings that differ in one parameter only, such as the seed.

    Args:
        settings: dicts with the parameter.
        parameter: its name.
        by_value: group the settings that share a value of the parameter instead; the settings of groups are the values.

    Returns:
        (G,) settings without that parameter, and int64 (G, R) positions of the settings of each group.

    Raises:
        UnknownNameError: a setting without the parameter.
        InputError: settings that are not dicts, or groups of different sizes, whose sums could not be compared.
    """
    kept: list[Setting] = []
    for setting in settings:
        if not isinstance(setting, dict):
            raise InputError(
                f"no {parameter} in the name {text_of(setting)}: name runs like {parameter}=1.conll, or find it with "
                f"name_pattern='(?P<{parameter}>...)'",
                option="name_pattern",
            )
        if parameter not in setting:
            raise UnknownNameError("parameter", parameter, setting)
        others = {name: value for name, value in setting.items() if name != parameter}
        kept.append(setting[parameter] if by_value else others or {parameter: EVERY})
    groups = positions_by(kept)
    sizes = {len(positions) for _, positions in groups}
    if len(sizes) > 1:
        fewest, _ = min(groups, key=lambda group: len(group[1]))
        raise InputError(
            f"{text_of(fewest)} has {min(sizes)} {'settings' if by_value else 'runs'} by {parameter}, and others up to "
            f"{max(sizes)}; expected the same for each"
        )
    positions = np.array([group for _, group in groups], np.int64).reshape(len(groups), -1)
    return tuple(setting for setting, _ in groups), positions


def as_batch(scores: Any) -> Any:
    """Return the scores of one clustering as `BatchScores` of one document; anything else as it is."""
    if not isinstance(scores, Scores) or scores.clusterings is None:
        return scores
    counts = Counts(scores.counts.names, scores.counts.metrics, scores.counts.rows[np.newaxis])
    return BatchScores(scores.metrics, counts, scores.signature, notes=scores.notes, clusterings=scores.clusterings)


def require_same_conventions(runs: Any) -> None:
    """Check that there are systems, that their names differ, and that they were scored under the same conventions.

    Raises:
        InputError: no system, a value that is no `BatchScores` or has no documents; two systems of one name; signatures
            that differ in more than version and subset.
    """
    if not isinstance(runs, Mapping) or isinstance(runs, BatchScores) or not runs:
        raise InputError(f"systems are {type(runs).__name__}; expected a mapping from one name or more to BatchScores")
    for name, b in runs.items():
        if not isinstance(b, BatchScores):
            raise InputError(
                f"{name!r} is {type(b).__name__}; expected BatchScores, the scores of each document, as score_batch, "
                "score_labels_batch and score_files return"
            )
        if not len(b):
            raise InputError(f"the scores of {name!r} hold no documents; expected one at least")
    (first_name, first), *others = runs.items()
    for name, b in others:
        ours, theirs = first.signature.conventions, b.signature.conventions
        option = next((each for each in ours if ours[each] != theirs.get(each)), None)
        if option is not None:
            found = f"{first_name!r} was scored with {option} {ours[option]} and {name!r} with {theirs.get(option)}"
            raise InputError(f"{found}; expected the same", option)


def require_same_documents(first_name: Any, first: BatchScores, name: Any, b: BatchScores) -> None:
    """Check that two systems were scored on the same documents, against one key.

    Raises:
        DocumentMismatchError: they were not; the message names the first document that differs.
    """
    if len(b) != len(first):
        sizes = f"{first_name!r} was scored on {len(first)} documents and {name!r} on {len(b)}"
        raise DocumentMismatchError(f"{sizes}; expected the same")
    if b.names != first.names:
        d = next(d for d, (x, y) in enumerate(zip(first.names, b.names, strict=True)) if x != y)
        raise DocumentMismatchError(
            f"document {d} is {first.names[d]!r} for {first_name!r} but {b.names[d]!r} for {name!r}; "
            "expected the same documents in the same order"
        )
    if (differing := key_difference(first.counts, b.counts)) is not None:
        d, metric, ours, theirs = differing
        raise DocumentMismatchError(
            f"the key of document {first.names[d]!r} differs: the denominator of {metric} recall is {ours:g} for "
            f"{first_name!r} and {theirs:g} for {name!r}; expected systems scored against one key"
        )


def key_difference(one: Counts, other: Counts) -> tuple[int, str, float, float] | None:
    """Find the first metric in which the keys of two systems have different counts, and the first such document.

    Returns:
        Position of the document, the metric, and the recall denominators of the two systems; None if all are equal.
    """
    for metric in names_beside(one.metrics[0]):
        if find_metric(metric).key_only_denominator and metric in one and metric in other:
            ours, theirs = one[metric][..., 1], other[metric][..., 1]
            changed = (ours != theirs) & ~np.isnan(ours) & ~np.isnan(theirs)  # nan: a document that one skipped
            if changed.any():
                place = np.unravel_index(changed.argmax(), changed.shape)  # BLANC: (document, group)
                return int(place[0]), metric, float(ours[place]), float(theirs[place])
    return None


def require_one_key(one: Any, other: Any) -> None:
    """Check that two `Runs` can be joined: same key and documents, same metrics and policies.

    Raises:
        InputError: they cannot; the message says what differs.
    """
    for what, ours, theirs in (
        ("metrics", one.metrics, other.metrics),
        ("signature", str(one.signature), str(other.signature)),
        ("number of documents", one.n_documents, other.n_documents),
        ("documents", one.document_names, other.document_names),
        ("key", one.key_digest, other.key_digest),
    ):
        if ours != theirs:
            raise InputError(f"the runs that are joined have different {what}: {ours!r:.80} and {theirs!r:.80}")
    if len(one) and len(other) and key_difference(*(each.counts.setting(0) for each in (one, other))):
        raise InputError("the runs that are joined have different keys; expected one key")


def counts_of(counts: Counts, metrics: tuple[str, ...], of: str) -> Counts:
    """Return the counts from which metrics are computed."""
    needed = tuple(metric.name for metric in counted_metrics(metrics))
    missing = [metric for metric in needed if metric not in counts]
    if missing:
        raise UnknownNameError(f"metric (not scored for {of})", missing[0], counts.metrics)
    return counts.only(needed)


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
    inner = f"{Report.inner} first_metric joined joint_notes notes_of require_shared_documents summed written_names"

    @classmethod
    def from_scores(cls, runs: Mapping[Any, BatchScores], metrics: Metrics = None) -> Self:
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
            return replace(shared, counts=counts_of(shared.counts, wanted, "the runs"), metrics=wanted)
        if isinstance(runs, Mapping) and not isinstance(cast("Any", runs), BatchScores):
            runs = {name: as_batch(b) for name, b in runs.items()}
        require_same_conventions(runs)
        (first_name, first), *others = runs.items()
        wanted = first.metrics if metrics is None else registry.resolve_metrics(metrics, names_beside(first.metrics[0]))
        parts, notes = [counts_of(b.counts, wanted, repr(name)) for name, b in runs.items()], [first.notes]
        for name, b in others:
            require_same_documents(first_name, first, name, b)
            is_same = b.signature.version == first.signature.version
            notes.append(b.notes if is_same else (*b.notes, f"scored by version {b.signature.version}"))
        kept = [b.clusterings for b in runs.values() if b.clusterings is not None]
        labels = tuple(kept) if len(kept) == len(notes) else ()
        counts = Counts.read_only(first.counts.names, parts[0].metrics, np.stack([part.rows for part in parts]))
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

    @property
    def written_names(self) -> tuple[str, ...]:
        """(D,) names of the documents, or their positions as text."""
        return self.document_names or tuple(map(str, range(self.n_documents)))

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
            counts = replace(counts, names=self.written_names).take(scored)
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
        names = self.written_names
        counts, outer = replace(self.counts, names=names), self.signature.subset
        found = {}
        for group, documents in documents_by(names, labels).items():
            signature = replace(self.signature, subset=group if outer == "all" else f"{outer}, {group}")
            found[group] = replace(self, counts=counts.take(documents), signature=signature)
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
            require_one_key(parts[0], part)
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
            InputError: settings that are not dicts; values with different numbers of runs.
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
        """Raise a `DocumentMismatchError` if two runs were scored on different documents, with the first of these."""
        scored = self.scored
        differing = (scored != scored[:1]).any(axis=1)
        if differing.any():
            s = int(differing.argmax())
            d = int((scored[s] != scored[0]).argmax())
            has, lacks = (0, s) if scored[0, d] else (s, 0)
            raise DocumentMismatchError(
                f"document {(self.document_names or range(self.n_documents))[d]!r} was scored for setting "
                f"{self.names[has]} but skipped for {self.names[lacks]}, so that their scores cannot be compared; "
                "on_shared_documents() keeps the documents that all have"
            )

    def on_shared_documents(self) -> Self:
        """Return the runs on the documents that all of them were scored on, with a note on how many are left out."""
        shared: NDArray[np.bool_] = np.logical_and.reduce(self.scored, axis=0)
        n, n_all = int((~shared).sum()), shared.size
        if not n:
            return self
        note = f"{n} of {n_all} documents left out: not in every response"
        notes = tuple((*each, note) for each in self.notes)
        return replace(self, counts=self.counts.take(shared), notes=notes)

    def columns(self, *, per_document: bool = False) -> dict[str, Any]:
        """Return the columns of `to_frame`, with a row for each run.

        Args:
            per_document: a row for each run and document that it was scored on, with a column ``document``.

        Returns:
            Lists of the settings' parameters, or one, ``setting``; then arrays ``muc_recall``, ``muc_precision``,
            ``muc_f1`` and so on, fractions 0-1; and ``notes``.
        """
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

    def to_xarray(self) -> xarray.Dataset:
        """Return labeled arrays with a dimension ``setting``, whose coordinates are the parameters.

        The variables are ``recall``, ``precision`` and ``f1`` (setting, metric), fractions 0-1, NaN for recall and
        precision of the CoNLL average; and ``sums`` (setting, document, group, sum), NaN where a document was skipped.
        ``found.set_index(setting=["a", "b"]).unstack("setting")`` makes each parameter of a grid a dimension.

        Raises:
            MissingDependencyError: xarray is not installed.
        """
        library = import_extra("xarray", "labeled arrays need xarray", "xarray")
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
