"""Find the leaves of dendrograms: mentions of a key of labels, or a system's own, matched with a key of clusters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DuplicateMentionError, InputError
from arraycoref.match.objects import plain
from arraycoref.options import CutOptions, Policies
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.labels import as_numpy, require_one_index
from arraycoref.scoring.metrics.score import Floats
from arraycoref.sweeps.clusters import ClusterDocuments, ClusterKey, by_name
from arraycoref.sweeps.counting import LabelKey
from arraycoref.sweeps.dendrogram import Dendrogram
from arraycoref.sweeps.settings import is_listed

Mentions = Iterable[Hashable] | Mapping[str, Iterable[Hashable]]

ONLY = ""
"""Name of the only document, if documents have no names."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """A key, and the leaves of dendrograms among the mentions of key and response.

    Attributes:
        key: labels of the scored documents, over the M mentions of key and response.
        present: bool (M,) which of these mentions the response has.
        names: (D,) names of all documents of the key, None for documents known by position.
        digest: fingerprint of the key alone, the same for all systems.
        own: whether the leaves are the system's own mentions; otherwise they are those of a key of labels.
        positions: if ``own``, positions of the leaves in each scored document, by the name of the document.
        n_leaves: if ``own``, number of leaves of each document that has a dendrogram, by the name of the document.
        scored: bool (D,) which documents of the key are scored; None for all.
    """

    key: LabelKey
    present: NDArray[np.bool_]
    names: tuple[str, ...] | None
    digest: str
    own: bool = False
    positions: Mapping[str, Integers] = field(default_factory=dict)
    n_leaves: Mapping[str, int] = field(default_factory=dict)
    scored: NDArray[np.bool_] | None = None

    def trees(self, make: Callable[..., Dendrogram], **given: Any) -> list[Dendrogram]:
        """Make the dendrogram of each scored document, whose merges are of positions in the document.

        Args:
            make: function that makes the dendrogram of one document, from the document's values of the arguments
                ``given``, its number of leaves, and its name for messages.
            **given: arguments as the user gave them: values for the only document, or mappings from document names.

        Raises:
            InputError: an argument is no mapping, or has other documents than the mentions; ``make`` refuses a value.
        """
        columns = [self._by_document(what, value) for what, value in given.items()]
        made = {
            name: make(*(column[name] for column in columns), n, repr(name) if name else "0")
            for name, n in self.n_leaves.items()
        }
        empty = Dendrogram(np.empty((0, 2), np.int64), np.empty(0))
        planted = []
        for name, positions in self.positions.items():
            tree = made.get(name, empty)
            planted.append(Dendrogram(np.ascontiguousarray(positions[tree.merge]), tree.height))
        return planted

    def spread(self, rows: Floats) -> Floats:
        """Put sums of the scored documents, (S, d, ...), at their positions in the key, (S, D, ...); nan elsewhere."""
        if self.scored is None:
            return rows
        every = np.full((len(rows), self.scored.size, *rows.shape[2:]), np.nan)
        every[:, self.scored] = rows
        return every

    def _by_document(self, what: str, value: Any) -> Mapping[str, Any]:
        if self.names is None:
            return {ONLY: value}
        if not isinstance(value, Mapping):
            raise InputError(f"{what} is no mapping from names of documents, as key and mentions are; expected one")
        found = by_name(value, what)
        odd = sorted(found.keys() ^ self.n_leaves.keys())
        if odd:
            raise InputError(f"document {odd[0]!r} is in {what} or mentions only; expected the same documents in both")
        return found


def leaves_of(key: Any, offsets: Any, options: CutOptions, policies: Policies) -> Leaves:
    """Find the leaves: the ``mentions`` that the user gave, or else the mentions of a key of labels.

    Raises:
        InputError: options for a key of labels together with ``mentions``; a mapping as key without ``mentions``.
    """
    mentions, present, names = (options.get(name) for name in ("mentions", "present", "names"))
    if mentions is None:
        if isinstance(key, Mapping):
            raise InputError("key is a mapping; expected labels, or mentions= with the mentions of the leaves")
        require_one_index(key=key, present=present)
        labels = LabelKey(key, offsets, names)  # type: ignore[arg-type]  # checked there
        return Leaves(labels, _mask(present, labels.labels.size), labels.names, labels.digest)
    for name, value in (("offsets", offsets), ("present", present), ("names", names)):
        if value is not None:
            raise InputError(f"{name} was given beside mentions; expected it beside a key of labels only")
    return _mention_leaves(key, mentions, policies)


def _mention_leaves(key: ClusterDocuments, mentions: Any, policies: Policies) -> Leaves:
    """Match the mentions of leaves with a key of clusters.

    Raises:
        InputError: ``mentions`` or ``key`` of a wrong type, or only one of them a mapping from document names.
        DuplicateMentionError: two leaves with one mention; a mention in two clusters, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    if isinstance(key, Mapping) != isinstance(mentions, Mapping):
        raise InputError("one of key and mentions is a mapping from names of documents; expected both or neither")
    documents = mentions if isinstance(mentions, Mapping) else {ONLY: mentions}
    alone = {name: _singletons(part, name) for name, part in by_name(documents, "mentions").items()}
    clusters = ClusterKey(key, replace(policies, response_duplicates="error"))
    try:
        block = clusters.block(["mentions"], [alone if clusters.names is not None else alone[ONLY]])
    except DuplicateMentionError:
        _refuse_twins(alone)
        raise
    found = block.clusterings
    scored = None if block.scored is None else block.scored[0]
    every = np.array([ONLY] if clusters.names is None else clusters.names, object)
    names: list[str] = every[slice(None) if scored is None else scored].tolist()
    labels = LabelKey(found.key, found.offsets, None if clusters.names is None else names)
    positions = {}
    for name, first, end in zip(names, found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True):
        leaf = found.response[first:end]
        here = np.flatnonzero(leaf >= 0)
        positions[name] = here[np.argsort(leaf[here])]
    n_leaves = {name: len(part) for name, part in alone.items()}
    return Leaves(labels, found.response >= 0, clusters.names, clusters.digest, True, positions, n_leaves, scored)


def _singletons(mentions: Any, name: str) -> list[list[Any]]:
    """Return a cluster for each mention of a document."""
    if not is_listed(mentions):
        raise InputError(f"{_place(name)} is {mentions!r:.60}; expected the mention of each leaf, in their order")
    return [[mention] for mention in mentions]


def _refuse_twins(documents: Mapping[str, list[list[Any]]]) -> None:
    """Check that no two leaves of a document have the same mention.

    Raises:
        DuplicateMentionError: two leaves do; the message names the mention.
    """
    for name, leaves in documents.items():
        first: dict[Hashable, int] = {}
        for leaf, (mention,) in enumerate(leaves):
            if first.setdefault(plain(mention), leaf) < leaf:
                both = f"{mention!r} is leaf {first[plain(mention)]} and leaf {leaf}"
                raise DuplicateMentionError(f"{_place(name)}: {both}; expected each mention once")


def _place(name: str) -> str:
    return f"mentions of document {name!r}" if name else "mentions"


def _mask(present: Any, n_mentions: int) -> NDArray[np.bool_]:
    mask = np.ones(n_mentions, np.bool_) if present is None else np.asarray(as_numpy(present, "present"))
    if mask.shape != (n_mentions,) or mask.dtype != np.bool_:
        raise InputError(f"present has shape {mask.shape} and dtype {mask.dtype}; expected booleans, ({n_mentions},)")
    return np.array(mask, order="C")  # writable: kernels would be compiled again for read-only arrays
