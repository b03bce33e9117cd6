"""Score one key against the responses of many settings: labels in arrays, or clusters of mentions."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError
from arraycoref.match.documents import ABSENT, pair_documents
from arraycoref.match.objects import Clusters, encode
from arraycoref.options import Policies, SweepOptions, resolve_policies, signature
from arraycoref.runtime import in_threads, progress_of, thread_count
from arraycoref.scoring.batch import count_documents, keep_freed_memory
from arraycoref.scoring.clusterings import GIANT, Clusterings
from arraycoref.scoring.counts import Counts, Floats
from arraycoref.scoring.labels import as_kernel_array, is_array, label_array, label_matrix, require_one_index
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.settings import Setting, as_setting, grid, identity, require_order, text_of
from arraycoref.sweeps.result import Sweep

ClusterDocuments = Clusters | Mapping[str, Clusters]
"""Clusters of one document, or clusters of documents by name."""

Settings = Iterable[object] | Mapping[str, Sequence[object]] | None
Drawn = tuple[Sequence[Setting], Any]
"""Settings of a block, and their outputs as `Key.lay` takes them."""

BLOCK_LABELS, LEAST_LABELS, MOST_SETTINGS = 524_288, 4, 1024
"""Number of labels in a block, which one thread counts at a time; the least number of labels per document that is
assumed for the size of a block, because the sums of a document take as much memory as forty labels; and the most
settings in a block."""

_END: Any = object()


def sweep(
    key: ArrayLike | ClusterDocuments | str | os.PathLike[str],
    responses: Any,
    offsets: ArrayLike | None = None,
    *,
    settings: Settings = None,
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Score one key against the responses of S settings.

    With ``missing_documents="skip"``, a setting is not scored on documents that it lacks, and its sums are nan there.
    Its corpus score is that of the documents that it has, so only settings with the same documents can be compared; see
    `Sweep.on_shared_documents`. ``names`` is for a key of labels only.

        >>> import arraycoref as ac
        >>> found = ac.sweep([0, 0, 1], {"one": [0, 0, 0], "two": [0, 0, 1]}, metrics="muc")
        >>> found.settings, found["muc"].f1.round(4).tolist()
        (('one', 'two'), [0.6667, 1.0])

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it; or clusters of mentions of one
            document; or a mapping from document names to clusters; or the path of a file.
        responses: with a key of labels, an array (S, M) of labels, -1 where a response lacks a mention; or an iterable
            of label vectors (M,). With a key of clusters, an iterable of responses in the same form as the key. An
            iterable may be a generator: only a few responses are in memory at a time, and S need not be known. An item
            may be a pair of a dict and an output; the dict is then its setting. The keys of a mapping, the columns of a
            data frame of pandas and the index of a Series of outputs are settings too. With a key file, any form that
            `sweep_files` accepts; only that function has the options for files.
        offsets: (D+1,) integers from 0 to M for a key of labels: document d owns the mentions
            ``offsets[d]:offsets[d + 1]``; None for one document.
        settings: S names: strings, numbers, tuples or dicts of parameters; or one dict from parameters to lists of
            values, for every combination of these, the last parameter changing fastest. None for 0, 1, ...
        **options: see `arraycoref.options`.

    Raises:
        InputError: responses that do not fit the key, not as many settings as responses, a setting that appears twice.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that; or no document on both sides,
            where the policy leaves out the others.
    """
    if isinstance(key, str | os.PathLike):
        from arraycoref.sweeps.files import sweep_files

        return sweep_files(key, responses, **options)  # type: ignore[misc]  # names are refused there
    policies = resolve_policies(options, SweepOptions)
    n_settings = len(responses) if hasattr(responses, "__len__") else None
    if is_label_vector(key) or offsets is not None:
        labels = LabelKey(key, offsets, options.get("names"))  # type: ignore[arg-type]  # checked there
        return score_settings(labels, labels.blocks(responses, settings), policies, options, n_settings)
    clusters = ClusterKey(key, policies)  # type: ignore[arg-type]
    drawn = (([name], output) for name, output in _named(responses, settings))
    return score_settings(clusters, drawn, policies, options, n_settings)


def is_label_vector(key: object) -> bool:
    """Return whether a key is a label vector: an array of any library, or a list that begins with a number or None.

    Anything else counts as clusters, a list of strings too.
    """
    if is_array(key):
        return True
    return isinstance(key, list | tuple) and len(key) > 0 and isinstance(key[0], int | float | np.number | None)


class Laid(NamedTuple):
    """Key and responses of B settings, laid out as a batch.

    Attributes:
        clusterings: the documents of the first setting, then those of the second, and so on, in the key's order.
        scored: bool (D,) which of the key's documents ``clusterings`` holds; None for all.
    """

    clusterings: Clusterings
    scored: NDArray[np.bool_] | None = None


class Key(Protocol):
    """A key that is prepared once: of labels, of clusters or of files.

    Attributes:
        names: (D,) names of the documents, None for documents known by position.
        digest: fingerprint; sweeps that are joined must have the same.
    """

    names: tuple[str, ...] | None
    digest: str

    def __len__(self) -> int:
        """Return the number of documents, D."""

    def lay(self, settings: Sequence[Setting], outputs: Any) -> Laid:
        """Align the outputs of some settings with the key; called in the threads that count."""


def score_settings(
    key: Key, drawn: Iterable[Drawn], policies: Policies, options: Mapping[str, Any], n_settings: int | None
) -> Sweep:
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
    metrics, progress = counted_metrics(wanted), progress_of(options)
    counted = tuple(metric.name for metric in metrics)

    def count(block: Drawn) -> tuple[Sequence[Setting], Floats]:
        clusterings, scored = key.lay(*block)
        if policies.singletons == "drop":
            clusterings = clusterings.without_singletons()
        try:
            rows = count_documents(clusterings, metrics).rows
        except InputError:  # a label below -1, or a metric that the mentions do not allow: find whose it is
            for setting, alone in zip(block[0], _apart(clusterings), strict=True):
                with naming(f"response {text_of(setting)}"):
                    count_documents(alone, metrics)
            raise
        if scored is None:
            return block[0], rows.reshape(len(block[0]), len(key), *rows.shape[1:])
        spread = np.full((1, len(key), *rows.shape[1:]), np.nan)
        spread[0, scored] = rows
        return block[0], spread

    keep_freed_memory()
    settings: list[Setting] = []
    blocks: list[Floats] = []
    for names, rows in in_threads(count, _distinct(drawn), thread_count(options.get("threads", 1))):
        settings += names
        blocks.append(rows)
        if progress is not None:
            progress(len(settings), n_settings or 0)
    none = np.empty((0, len(key), len(group_names(counted)), 4))
    sums = blocks[0] if len(blocks) == 1 else np.concatenate(blocks or [none])
    return Sweep(tuple(settings), Counts.read_only(key.names, counted, sums), wanted, signature(policies), key.digest)


def _apart(block: Clusterings) -> Iterator[Clusterings]:
    """Yield the key with the response of each setting."""
    for response in block.response.reshape(block.n_responses, -1):
        yield Clusterings(block.key, as_kernel_array(response), block.offsets, block.names)


def _distinct(drawn: Iterable[Drawn]) -> Iterator[Drawn]:
    met: set[str] = set()
    for settings, outputs in drawn:
        for setting in settings:
            if identity(setting) in met:
                raise InputError(f"setting {text_of(setting)} appears twice; expected each once")
            met.add(identity(setting))
        yield settings, outputs


@contextmanager
def naming(what: str) -> Generator[None, None, None]:
    """Put ``what`` before the message of an error about input."""
    try:
        yield
    except InputError as error:
        error.args = (f"{what}: {error}", *error.args[1:])
        raise


class LabelKey:
    """A key given as labels, one for each mention.

    Args:
        key: (M,) labels, -1 where the key lacks a mention.
        offsets: (D+1,) integers from 0 to M; None for one document.
        names: (D,) document names.

    Attributes:
        labels: int64 (M,) entity of each mention: 0, 1, ... in each document, except in giants; -1 where the key lacks
            it.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        names: (D,) document names, or None for documents known by position.
        digest: fingerprint of labels, offsets and names.
        settings_at_once: number of settings that make a block of a good size.

    Raises:
        InputError: no labels, not one-dimensional, a label below -1, bad offsets or names.
    """

    def __init__(self, key: ArrayLike, offsets: ArrayLike | None = None, names: Iterable[str] | None = None) -> None:
        array, self._given = label_array(key, "key"), key
        given = Clusterings.from_labels(array, array, offsets, names)
        # the entities of giants are numbered in the order of raw labels, on which the last digit of sums depends
        self.labels = given.key if given.longest >= GIANT else as_kernel_array(given.factorize().key)
        self.names, self.offsets = given.names, given.offsets
        self.digest = _label_digest(given)
        self.settings_at_once = min(max(BLOCK_LABELS // max(array.size, LEAST_LABELS * len(self), 1), 1), MOST_SETTINGS)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def lay(self, settings: Sequence[Setting], outputs: Any) -> Laid:
        """Align the labels (B, M) of B settings with the key; labels below -1 are refused when they are counted."""
        responses = as_kernel_array(outputs).reshape(-1)
        names = self.names if len(settings) == 1 else None
        return Laid(Clusterings(self.labels, responses, self.offsets, names, n_responses=len(settings)))

    def blocks(self, responses: Any, settings: Settings) -> Iterator[Drawn]:
        """Draw label vectors in blocks, the rows of an array as views.

        Raises:
            InputError: a response that does not fit the key; not as many settings as responses.
        """
        if getattr(responses, "ndim", 0) == 2 and not hasattr(responses, "columns"):
            if settings is None and hasattr(responses, "indexes"):  # a DataArray of xarray
                settings = responses.indexes.get(responses.dims[0])
            array = label_matrix(responses, "responses")
            if array.shape[1] != self.labels.size:
                raise InputError(
                    f"responses has shape {array.shape}; expected (S, {self.labels.size}), a label for each setting "
                    "and mention"
                )
            names = list(range(len(array)) if settings is None else _listed(settings))
            if len(names) != len(array):
                raise InputError(f"got {len(names)} settings for {len(array)} responses")
            for start in range(0, len(array), self.settings_at_once):
                some = slice(start, start + self.settings_at_once)
                yield names[some], array[some]
            return
        pairs = _named(responses, settings)
        while block := list(itertools.islice(pairs, self.settings_at_once)):
            yield [name for name, _ in block], np.array([self._vector(*pair) for pair in block], np.int64)

    def _vector(self, setting: Setting, output: object) -> NDArray[np.int64]:
        what = f"response {text_of(setting)}"
        labels = label_array(output, what)
        if labels.size != self.labels.size:
            raise InputError(
                f"{what} has {labels.size} labels; expected {self.labels.size}, one per mention of the key"
            )
        require_one_index(**{"key": self._given, what: output})
        return labels


class ClusterKey:
    """A key of clusters, of one document or of several by name.

    Args:
        key: clusters of one document, or a mapping from document names to clusters.
        policies: for repeated mentions and documents on one side only.

    Attributes:
        names: (D,) document names, None for one document without a name.
        digest: fingerprint of the clusters, by the order of their mentions, and of the names.

    Raises:
        InputError: ``key`` is no clustering.
        DuplicateMentionError: a repeated key mention, where the policy refuses that.
    """

    def __init__(self, key: ClusterDocuments, policies: Policies) -> None:
        self._policies = policies
        self.names = tuple(map(str, key)) if isinstance(key, Mapping) else None
        self._documents = list(map(_lasting, key.values() if isinstance(key, Mapping) else [key]))
        nothing: list[Clusters] = [()] * len(self)
        self.digest = _label_digest(encode(self._documents, nothing, policies, self.names))

    def __len__(self) -> int:
        return len(self._documents)

    def lay(self, settings: Sequence[Setting], outputs: ClusterDocuments) -> Laid:
        """Label the mentions of the key and of the output of one setting.

        Raises:
            InputError: an output that is no clustering, or no mapping although the key is one.
            DocumentMismatchError: a document on one side only, where the policy refuses that.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        what = f"setting {text_of(settings[0])}"
        with naming(what):
            if self.names is None:
                return Laid(encode(self._documents, [outputs], self._policies))
            if not isinstance(outputs, Mapping):
                raise InputError("no mapping from document names to clusters, as the key is")
            found = {str(name): clusters for name, clusters in outputs.items()}
            ours, theirs = pair_documents(self.names, list(found), self._policies)
            response = list(found.values())
            clusterings = encode(
                [self._documents[d] for d in ours],
                [() if d == ABSENT else response[d] for d in theirs],
                self._policies,
                [self.names[d] for d in ours],
            )
            return Laid(clusterings, None if len(ours) == len(self) else np.isin(np.arange(len(self)), ours))


def _lasting(clusters: Any) -> Any:
    """Return clusters that can be read for each response: those of iterators as lists."""
    if not isinstance(clusters, Iterator | list | tuple):
        return clusters
    return [list(each) if isinstance(each, Iterator) else each for each in clusters]


def fingerprint(*arrays: NDArray[Any], names: Iterable[str] | None) -> str:
    """Hash the arrays that describe a key, and the names of its documents."""
    parts = (*(array.tobytes() for array in arrays), repr(names).encode())
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).hexdigest()


def _label_digest(key: Clusterings) -> str:
    """Hash the entity of each mention of a key, document by document."""
    labels = key.factorize().key
    present = labels >= 0
    bounds = np.append(0, np.cumsum(present))[key.offsets]
    return fingerprint(labels[present], bounds, names=key.names)


def _named(responses: Any, settings: Settings) -> Iterator[tuple[Setting, Any]]:
    """Pair each setting with its output.

    Raises:
        InputError: not as many settings as responses.
    """
    if isinstance(responses, Mapping) or (settings is None and hasattr(responses, "items")):  # such as a Series
        yield from ((as_setting(name), output) for name, output in responses.items())
    elif settings is not None:
        for n, (name, output) in enumerate(itertools.zip_longest(_listed(settings), responses, fillvalue=_END)):
            if name is _END or output is _END:
                more = "settings" if output is _END else "responses"
                raise InputError(f"got more {more} than the {n} {'responses' if output is _END else 'settings'}")
            yield name, output
    else:
        for n, item in enumerate(responses):
            is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Mapping)
            yield (as_setting(item[0]), item[1]) if is_pair else (n, item)


def _listed(settings: Any) -> Iterator[Setting]:
    require_order("settings is", settings)
    return map(as_setting, grid(settings) if isinstance(settings, Mapping) else settings)
