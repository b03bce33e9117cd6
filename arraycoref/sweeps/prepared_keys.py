"""Prepare a key once for many responses, labels of mentions or clusters of mentions, and count these in blocks."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.exceptions import InputError
from arraycoref.match.documents import ABSENT, pair_documents
from arraycoref.match.objects import Clusters, encode, plain
from arraycoref.match.spacy_stanza import ClustersOfText, clusters_of
from arraycoref.options.policies import Notes, Policies
from arraycoref.ragged import Bools, Floats, Ints, bounds
from arraycoref.runtime import in_threads, progress_of, thread_count
from arraycoref.scoring.batch import keep_freed_memory
from arraycoref.scoring.cells import labels_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.labels import label_array, require_one_index
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.restriction import are_plain, count_prepared, prepare
from arraycoref.scoring.signature import signature, written_notes
from arraycoref.stats.run_scores import Setting, identity, text_of
from arraycoref.stats.runs import Runs

ClusterDocuments = Clusters | Mapping[str, Clusters]
"""Clusters of one document, or clusters of documents by name."""

SettingBlock = tuple[Sequence[Setting], Any]
"""Settings of a block, and their outputs as `Key.to_batch` takes them."""

KEPT_LABELS = 1 << 28
"""The most labels that results of one document keep, as int32: a sweep of more has no intervals."""

BLOCK_LABELS, LEAST_LABELS, MOST_SETTINGS = 524_288, 4, 1024
"""Number of labels in a block, which one thread counts at a time; the least number of labels per document that is
assumed for the size of a block, because the sums of a document take as much memory as forty labels; and the most
settings in a block."""


OUTPUTS_AT_ONCE = 64
"""Most clusterings in a block: they are Python objects, which take many times the memory of their labels."""


class Batch(NamedTuple):
    """Key and responses of B settings, laid out as a batch.

    Attributes:
        clusterings: the documents of the first setting, then those of the second, and so on, in the key's order.
        scored: bool (B, D) which of the key's documents ``clusterings`` holds for each setting; None for all.
        notes: (B,) what happened in the run of each setting; empty for nothing in any.
    """

    clusterings: Clusterings
    scored: Bools | None = None
    notes: Sequence[Notes] = ()


class Key(Protocol):
    """A key that is prepared once: of labels, of clusters or of files.

    Attributes:
        names: (D,) names of the documents, None for documents known by position.
        digest: fingerprint; sweeps that are joined must have the same.
        what: what a response is called in messages, before its setting.
    """

    names: tuple[str, ...] | None
    digest: str
    what: str

    def __len__(self) -> int:
        """Return the number of documents, D."""

    def to_batch(self, settings: Sequence[Setting], outputs: Any) -> Batch:
        """Align the outputs of some settings with the key; called in the threads that count."""


@contextmanager
def naming(what: str) -> Generator[None, None, None]:
    """Put ``what`` before the message of an error about input."""
    try:
        yield
    except InputError as error:
        error.args = (f"{what}: {error}", *error.args[1:])
        raise


def score_settings(
    key: Key, drawn: Iterable[SettingBlock], policies: Policies, options: Mapping[str, Any], n_settings: int | None
) -> Runs:
    """Count blocks of settings in threads; blocks are drawn during the work, only a few ahead of it.

    Args:
        key: D documents.
        drawn: blocks, each of some settings and their outputs.
        policies: resolved policies.
        options: ``metrics``, ``threads`` and ``progress``, as the user gave them.
        n_settings: S for ``progress``, None if unknown.

    Raises:
        InputError: outputs that do not fit the key, or a setting that appears twice.
    """
    wanted = resolve_metrics(options.get("metrics"))
    metrics, progress = counted_metrics(wanted), progress_of(options.get("progress"))
    counted = tuple(metric.name for metric in metrics)

    def count(block: SettingBlock) -> tuple[Sequence[Setting], Floats, Sequence[Notes], list[Clusterings]]:
        settings, outputs = block
        try:
            clusterings, scored, happened = key.to_batch(settings, outputs)
            prepared = prepare(clusterings, policies)
            happened = happened or [Counter() for _ in settings]
            if prepared.scored is not None:
                owner = np.arange(len(settings)).repeat(len(key)) if scored is None else np.nonzero(scored)[0]
                for b, notes_of in enumerate(happened):
                    prepared.note(notes_of, policies.restrict, owner == b)
            rows = count_prepared(prepared.clusterings, metrics, policies).rows
            if prepared.scored is not None:
                rows = np.where(prepared.scored[:, np.newaxis, np.newaxis], rows, np.nan)
        except InputError:
            if len(settings) == 1:
                with naming(f"{key.what} {text_of(settings[0])}"):
                    raise
            for b, setting in enumerate(settings):  # until one of them raises
                count(([setting], outputs[b : b + 1]))
            raise
        if scored is None:
            alone = _each_alone(prepared.clusterings) if len(key) == 1 and are_plain(policies) else []
            return settings, rows.reshape(len(settings), len(key), *rows.shape[1:]), happened, alone
        spread = np.full((*scored.shape, *rows.shape[1:]), np.nan)
        spread[scored] = rows
        return settings, spread, happened, []

    keep_freed_memory()
    settings: list[Setting] = []
    blocks: list[Floats] = []
    notes: list[Notes] = []
    labels: list[Clusterings] = []
    for names, rows, happened, alone in in_threads(count, _distinct(drawn), thread_count(options.get("threads", 1))):
        settings += names
        blocks.append(rows)
        notes += happened
        labels += alone
        if len(labels) * max((one.response.size for one in alone), default=0) > KEPT_LABELS:
            labels.clear()
        if progress is not None:
            progress(len(settings), n_settings or 0)
    none = np.empty((0, len(key), len(group_names(counted)), 4))
    sums = blocks[0] if len(blocks) == 1 else np.concatenate(blocks or [none])
    every = tuple(written_notes(policies.notes | each) for each in notes)
    counts = Counts.read_only(key.names, counted, sums)
    kept = tuple(labels) if len(labels) == len(settings) else ()
    return Runs(tuple(settings), counts, wanted, signature(policies), every, key.digest, kept)


def _each_alone(clusterings: Clusterings) -> list[Clusterings]:
    """Return the labels of each document by itself, for results to keep; nothing if mentions are in several entities.

    Responses are copied as int32, if that holds them: callers may change their arrays, or have no others.
    """
    if clusterings.repeated is not None or clusterings.split is not None:
        return []
    found = []
    for d in range(len(clusterings)):
        key, response = labels_of(clusterings, d, d + 1)
        small = response.astype(np.int32) if response.max(initial=0) < 2**31 else response.copy()
        bounds = np.array([0, key.size])
        found.append(Clusterings(key, small, bounds, positions=clusterings.positions, spurious=clusterings.spurious))  # type: ignore[arg-type]
    return found


def _distinct(drawn: Iterable[SettingBlock]) -> Iterator[SettingBlock]:
    met: set[str] = set()
    for settings, outputs in drawn:
        for setting in settings:
            if identity(setting) in met:
                raise InputError(f"setting {text_of(setting)} appears twice; expected each once")
            met.add(identity(setting))
        yield settings, outputs


class LabelKey:
    """A key given as labels, one for each mention.

    Args:
        key: (M,) labels, -1 where the key lacks a mention.
        offsets: (D+1,) integers from 0 to M; None for one document.
        names: (D,) document names.

    Attributes:
        labels: int64 (M,) entity of each mention: 0, 1, ... in each document; -1 where the key lacks it.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        names: (D,) document names, or None for documents known by position.
        digest: fingerprint of labels, offsets and names.
        settings_at_once: number of settings that make a block of a good size.
        by_position: whether the user knows mentions by their positions.

    Raises:
        InputError: no labels, not one-dimensional, a label below -1, bad offsets or names.
    """

    what = "response"
    by_position = True

    def __init__(self, key: ArrayLike, offsets: ArrayLike | None = None, names: Iterable[str] | None = None) -> None:
        array, self._given = label_array(key, "key"), key
        given = Clusterings.from_labels(array, array, offsets, names)
        labels = given.factorize()[0]
        self.labels = labels
        self.names, self.offsets = given.names, given.offsets
        self.digest = _label_digest(labels, self.offsets, self.names)
        self.settings_at_once = min(max(BLOCK_LABELS // max(array.size, LEAST_LABELS * len(self), 1), 1), MOST_SETTINGS)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def to_batch(self, settings: Sequence[Setting], outputs: Any) -> Batch:
        """Align the labels (B, M) of B settings with the key; labels below -1 are refused when they are counted."""
        responses = np.ascontiguousarray(outputs, np.int64).reshape(-1)
        names = self.names if len(settings) == 1 else None
        codes = None if self.by_position else np.arange(self.labels.size)  # positions, but none that the user knows
        known: Any = {"n_responses": len(settings), "positions": self.by_position, "spurious": codes}
        return Batch(Clusterings(self.labels, responses, self.offsets, names, **known))

    def vector(self, setting: Setting, output: object) -> Ints:
        """Check the label vector of one setting, int64 (M,).

        Raises:
            InputError: another number of labels, or a Series with another index than the key.
        """
        what = f"response {text_of(setting)}"
        labels = label_array(output, what)
        if labels.size != self.labels.size:
            expected = f"expected {self.labels.size}, one per mention of the key"
            raise InputError(f"{what} has {labels.size} labels; {expected}")
        require_one_index(**{"key": self._given, what: output})
        return labels


class ClusterKey:
    """A key of clusters, of one document or of several by name.

    Args:
        key: clusters of one document, or a mapping from document names to clusters.
        policies: for repeated mentions and documents on one side only.

    Attributes:
        names: (D,) document names, None for one document without a name.
        digest: fingerprint of the clusters and of the names. Mentions are part of it if they are texts, numbers or
            tuples of these; otherwise only the order of the clusters' mentions is.

    Raises:
        InputError: ``key`` is not a clustering.
        DuplicateMentionError: a repeated key mention, where the policy is ``error``.
    """

    what = "setting"

    def __init__(self, key: ClusterDocuments, policies: Policies) -> None:
        self._policies = policies
        self.names = tuple(map(str, key)) if isinstance(key, Mapping) else None
        self._documents = list(map(_lasting, key.values() if isinstance(key, Mapping) else [key]))
        nothing: list[Clusters] = [()] * len(self)
        labels = encode(self._documents, nothing, policies.with_own_notes(), self.names)
        of_labels = _label_digest(labels.factorize()[0], labels.offsets, self.names)
        self.digest = _mention_digest(self._documents, self.names) or of_labels

    def __len__(self) -> int:
        return len(self._documents)

    def to_batch(self, settings: Sequence[Setting], outputs: Sequence[ClusterDocuments]) -> Batch:
        """Label the mentions of the key and of the outputs of B settings.

        Raises:
            InputError: an output that is not a clustering, or no mapping although the key is one.
            DocumentMismatchError: a document on one side only, where the policy is ``error``.
            DuplicateMentionError: a repeated mention, where the policy is ``error``.
        """
        scored, responses = np.zeros((len(settings), len(self)), bool), list[Clusters]()
        owned = [self._policies.with_own_notes() for _ in settings]
        for b, (output, own) in enumerate(zip(outputs, owned, strict=True)):
            paired = self._paired(output, own)
            scored[b, list(paired)] = True
            responses += paired.values()
        documents = np.nonzero(scored)[1].tolist()
        names = None if self.names is None or len(settings) > 1 else [self.names[d] for d in documents]
        clusterings = encode([self._documents[d] for d in documents], responses, owned[0], names)
        return Batch(clusterings, None if scored.all() else scored, [own.notes for own in owned])

    @property
    def at_once(self) -> int:
        """Number of settings of a block: one where repeated mentions are counted, which are noted by setting."""
        return OUTPUTS_AT_ONCE if self._policies.duplicates == "error" else 1

    def _paired(self, output: Any, policies: Policies) -> dict[int, Clusters]:
        """Return the clusters of a response by the position of the key's document, in the key's order."""
        if self.names is None:
            return {0: output}
        if not isinstance(output, Mapping):
            raise InputError("no mapping from document names to clusters, as the key is")
        found = {str(name): clusters for name, clusters in output.items()}
        response: list[Clusters] = list(found.values())
        pairs = zip(*pair_documents(self.names, list(found), policies), strict=True)
        return {d: () if r == ABSENT else response[r] for d, r in pairs}


def _lasting(clusters: Any) -> Any:
    """Return clusters that can be read for each response: those of iterators, of stanza and of spaCy as lists."""
    clusters = clusters_of(clusters)
    if isinstance(clusters, ClustersOfText) or not isinstance(clusters, Iterator | list | tuple):
        return clusters
    return [list(each) if isinstance(each, Iterator) else each for each in clusters]


def fingerprint(*arrays: NDArray[Any], names: Iterable[str] | None) -> str:
    """Hash the arrays that describe a key, and the names of its documents."""
    parts = (*(array.tobytes() for array in arrays), repr(names).encode())
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).hexdigest()


def _label_digest(labels: NDArray[np.integer], offsets: Ints, names: Iterable[str] | None) -> str:
    """Hash the entity of each mention of a key, document by document."""
    present = labels >= 0
    return fingerprint(labels[present], bounds(present)[offsets], names=names)


def _mention_digest(documents: Iterable[Any], names: Iterable[str] | None) -> str:
    """Hash the clusters of a key, in whatever order they and their mentions are; 1 and 1.0 are written differently.

    Returns:
        The fingerprint; an empty string if a mention is not text, no number, and no tuple of these.
    """
    from ormsgpack import packb

    def written(cluster: Iterable[Any]) -> list[bytes]:
        return sorted(map(packb, cluster, repeat(_packable)))

    try:
        clusters = [sorted(filter(None, map(written, document))) for document in documents]
    except TypeError:
        return ""
    return fingerprint(np.frombuffer(packb(clusters), np.uint8), names=names)


def _packable(item: Any) -> Any:
    """Return what the encoder writes instead of an object that it does not know.

    Raises:
        TypeError: an object that is not a list or tuple, nor of an array library.
    """
    found = tuple(item) if isinstance(item, tuple) else item.item() if isinstance(item, np.generic) else plain(item)
    if found is item:
        raise TypeError
    return found
