"""Sweep the thresholds of clusterers: cuts of scipy linkages, links by score, antecedents by score.

All three are links in a fixed order; a threshold makes the first few. The labels of each cut that differs
from the others are scored as those of any response.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.exceptions import DuplicateMentionError, InputError
from arraycoref.options import CutOptions, PairOptions, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.ragged import Bools, Ints
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.labels import as_numpy, is_array, require_one_index
from arraycoref.stats.run_scores import Setting
from arraycoref.stats.runs import Runs
from arraycoref.sweeps.links import LinksByHeight, from_antecedents, from_linkage, from_pairs, merges_of
from arraycoref.sweeps.prepared_keys import ClusterDocuments, ClusterKey, LabelKey, SettingBlock, naming, score_settings
from arraycoref.sweeps.records import Records, are_positions, records_of
from arraycoref.twin import with_engine

MOST_CUTS, LEAST_CUTS, MOST_LABELS = 100, 25, 1 << 25
"""The most thresholds of scored pairs of records, if the user names none; and fewer, down to the second number, where
this would make more labels of records: some seconds of work."""

ONLY = ""
"""Name of the only document, if documents have no names."""


class Threshold(float):
    """A threshold that prints with as few digits as make the same links; as a number, it is the exact score.

    Attributes:
        text: the shortest decimal which makes the same links.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @classmethod
    def rounded(cls, value: float, end: float) -> Threshold:
        """Round a threshold toward the next score at which a threshold makes another link, and not so far."""
        made, exact = cls(value), Decimal(repr(value))
        if math.isfinite(value):
            rounding, units = ROUND_FLOOR if end < value else ROUND_CEILING, range(exact.adjusted(), -400, -1)
            rounded = (float(exact.quantize(Decimal(1).scaleb(unit), rounding)) for unit in units)
            value = next(short for short in rounded if abs(short - value) < abs(end - value))
        made.text = repr(value)
        return made


@with_engine
def sweep_linkage(
    key: ArrayLike | ClusterDocuments,
    linkage: Any,
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Unpack[CutOptions],
) -> Runs:
    """Score cuts of a hierarchical clustering, as ``fcluster(linkage, t, criterion="distance")`` makes them.

        >>> import arraycoref as ac
        >>> found = ac.sweep_linkage([0, 0, 1], [[0, 1, 0.5, 2], [2, 3, 2.0, 3]], metrics="muc")
        >>> [setting["threshold"] for setting in found.settings], found["muc"].f1.round(4).tolist()
        ([-inf, 0.5, 2.0], [0.0, 1.0, 0.6667])

    An end-to-end system clusters the mentions that it found itself. Here the key lacks "it", which stays a singleton
    of the response, and the response lacks "her":

        >>> key = [["Ada", "she", "her"], ["Bob"]]
        >>> found = ac.sweep_linkage(key, [[0, 1, 0.5, 2], [2, 3, 2.0, 3]], [1.0], mentions=["Ada", "she", "it"])
        >>> found.at(threshold=1.0)["bcub"].recall == ac.score(key, [["Ada", "she"], ["it"]])["bcub"].recall
        True

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it. With ``mentions``, clusters of
            mentions, or a mapping from names of documents to such.
        linkage: scipy's linkage matrix, (M-1, 4), over all mentions in the order of the key; or over the ``present``
            mentions only, or over the ``mentions`` in their order. For several documents, a list of D matrices or, if
            ``mentions`` is a mapping, a mapping from names of documents to matrices.
        thresholds: (S,) distances; None for every cut: -inf, where all mentions are singletons, then each distance at
            which clusters merge. The time grows with the number of cuts that differ, each scored as a batch.
        offsets: (D+1,) document bounds; None for one document.
        **options: see `arraycoref.options`.

    Returns:
        A sweep whose settings are ``{"threshold": t}``.

    Raises:
        InputError: a linkage that is not a matrix of scipy's, or is of other mentions; thresholds that are nan or
            appear twice.
        DuplicateMentionError: two leaves with one mention; or a repeated key mention, where the policy is ``error``.
        DocumentMismatchError: a document on one side only, where the policy is ``error``.
    """
    policies = resolve_policies(options, CutOptions)
    leaves = _leaves(key, offsets, options, policies)
    if leaves.own:
        matrices = leaves.by_document("linkage", linkage)
    else:
        listed: list[Any] = [linkage] if is_array(linkage) else list(linkage)
        if len(leaves.positions) == 1 and not (len(listed) == 1 and np.ndim(listed[0]) == 2):
            listed = [listed]  # its items are the rows of one matrix
        if len(listed) != len(leaves.positions):
            raise InputError(f"got {len(listed)} linkage matrices for {len(leaves.positions)} documents")
        matrices = dict(zip(leaves.positions, listed, strict=True))
    links = []
    for name, matrix in matrices.items():
        rows, positions = np.asarray(as_numpy(matrix, "linkage"), np.float64), leaves.positions[name]
        if len(rows) != len(positions) - 1:
            positions = positions[leaves.present[positions]]
        links.append(from_linkage(rows, positions, f"linkage of document {name or 0}"))
    return _sweep_links(leaves, links, thresholds, 1.0, policies, options)


@with_engine
def sweep_pairs(
    key: Any,
    pairs: Any,
    scores: ArrayLike | Mapping[str, ArrayLike] | None = None,
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Unpack[PairOptions],
) -> Runs:
    """Score, for each threshold, the connected components of the pairs whose scores reach it; see also `sweep_linkage`.

        >>> import arraycoref as ac
        >>> found = ac.sweep_pairs([7, 7, 8], [[0, 1], [1, 2], [0, 2]], [0.9, 0.2, 0.1], metrics="muc")
        >>> [setting["threshold"] for setting in found.settings], found["muc"].f1.round(4).tolist()
        ([inf, 0.9, 0.2], [0.0, 1.0, 0.6667])

    Records are pairs of ids. A record that is in no pair is a cluster of its own; one that the key lacks counts as a
    mention that the key lacks, and is noted.

        >>> import pandas
        >>> rows = {"unique_id_l": ["a", "b"], "unique_id_r": ["b", "c"], "match_probability": [0.9, 0.7]}
        >>> truth = {"a": 1, "b": 1, "c": 2, "d": 2}
        >>> found = ac.sweep_pairs(truth, pandas.DataFrame(rows), metrics="bcub")
        >>> [setting["threshold"] for setting in found.settings], found["bcub"].f1.round(4).tolist()
        ([0.9, 0.7], [0.8571, 0.7059])

    Args:
        key: as for `sweep_linkage`. Of records: a table with a column of ids and one of labels, as
            `arraycoref.read.tables` lists them, or its path; a Series of labels whose index has the ids; a mapping from
            ids to labels, or from entities to ids; or clusters of ids.
        pairs: (E, 2) integers, each row the positions of two mentions of one document, counted through all documents;
            or a tuple of two arrays (E,). With ``mentions``, positions in the mentions of a document; a mapping from
            names of documents to pairs if ``mentions`` is a mapping. Of records: a table of pandas, polars or PyArrow
            with the ids and the scores, in columns named as in `arraycoref.read.columns`, or its path, of text or
            Parquet; a table, a Series or a multi-index of recordlinkage; the array of pairs and scores that
            dedupe has; with clusters or a mapping as the key, also arrays of ids.
        scores: (E,) numbers, larger for mentions that belong together; NaN is refused, -inf never links. A mapping if
            ``pairs`` is one; None if ``pairs`` has them.
        thresholds: (S,) scores. None for every cut: inf, where all mentions are singletons, then each score at which
            components merge, from high to low. Of records, None for the scores at which components merge or, of more
            than 100, for 100 of them, spread evenly; of fewer, 25 at least, if there are more than 300,000 records.
        offsets: (D+1,) document bounds; None for one document.
        **options: see `arraycoref.options`; those for files are for records in files.

    Raises:
        InputError: pairs of mentions that do not exist or are in two documents, arrays that do not fit, thresholds that
            are nan or appear twice; a table without a column, ids of two kinds, no record in both.
        DuplicateMentionError: a record in two rows of the key.
        ReadError: a file that cannot be read.
    """
    by_position = offsets is not None or options.get("mentions") is not None or options.get("present") is not None
    policies = resolve_policies(options, PairOptions)
    if by_position or are_positions(key, pairs):
        links = {"pairs": pairs, "scores": scores}
        return _sweep_scores(from_pairs, links, key, thresholds, offsets, policies, options)
    return sweep_records(records_of(key, pairs, scores, options, policies), thresholds, policies, options)


def sweep_records(records: Records, thresholds: ArrayLike | None, policies: Policies, options: PairOptions) -> Runs:
    """Score the clusters of records at each threshold; see `sweep_pairs`."""
    labels, linked = LabelKey(records.truth), records.scores > -np.inf
    everyone = np.arange(records.truth.size)
    leaves = Leaves(labels, np.ones(everyone.size, bool), {"0": everyone}, False, None)
    most = min(MOST_CUTS, max(LEAST_CUTS, MOST_LABELS // everyone.size))
    made = LinksByHeight(records.first[linked], records.second[linked], -records.scores[linked])
    return _sweep_links(leaves, [made], thresholds, -1.0, policies, options, most)


@with_engine
def sweep_antecedents(
    key: ArrayLike | ClusterDocuments,
    antecedents: ArrayLike | Mapping[str, ArrayLike],
    scores: ArrayLike | Mapping[str, ArrayLike],
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Unpack[CutOptions],
) -> Runs:
    """Score, for each threshold, the links of a mention-ranking system whose scores reach it; see `sweep_pairs`.

        >>> import arraycoref as ac
        >>> found = ac.sweep_antecedents([0, 0, 1], [-1, 0, 1], [0, 0.8, 0.3], [0.7, 0.2], metrics="muc")
        >>> found["muc"].precision.tolist()
        [1.0, 0.5]

    Args:
        key: as for `sweep_linkage`.
        antecedents: (M,) integers, the best antecedent of each mention in its document, counted from the document's
            first mention; -1 for none, and a mention that is its own antecedent has none. With ``mentions``, one for
            each of these; a mapping from names of documents if ``mentions`` is a mapping.
        scores: (M,) score of each mention's link, any value if it has none. A mapping if ``antecedents`` is one.
        thresholds: as for `sweep_pairs`.
        offsets: (D+1,) document bounds; None for one document.
        **options: see `arraycoref.options`.

    Raises:
        InputError: an antecedent outside its document, arrays that do not fit.
    """
    links = {"antecedents": antecedents, "scores": scores}
    policies = resolve_policies(options, CutOptions)
    return _sweep_scores(from_antecedents, links, key, thresholds, offsets, policies, options)


@dataclass(frozen=True, eq=False)
class Leaves:
    """A key, and the leaves of a clusterer among the M mentions of key and response.

    Attributes:
        key: labels of the scored documents.
        present: bool (M,) which of the mentions the response has.
        positions: positions of the leaves of each scored document among the mentions, by the name of the document;
            `ONLY` if documents have no names, or numbers for the documents of a key of labels.
        own: whether the leaves are the system's own mentions; otherwise they are those of a key of labels.
        names: (D,) names of all documents of the key, None for documents known by position.
        scored: bool (D,) which documents of the key are scored; None for all.
    """

    key: LabelKey
    present: Bools
    positions: Mapping[str, Ints]
    own: bool
    names: tuple[str, ...] | None
    scored: Bools | None = None

    def by_document(self, what: str, value: Any) -> dict[str, Any]:
        """Return the values of an argument by the names of the scored documents that have leaves.

        Raises:
            InputError: the argument is not a mapping, or lacks a document of the mentions.
        """
        if self.names is None:
            return {ONLY: value}
        found = {str(name): part for name, part in value.items()}
        lacks = next((name for name, leaves in self.positions.items() if leaves.size and name not in found), None)
        if lacks is not None:
            raise InputError(f"document {lacks!r} is in mentions and not in {what}; expected it in both")
        return {name: found[name] for name, leaves in self.positions.items() if leaves.size}


def _leaves(key: Any, offsets: Any, options: CutOptions, policies: Policies) -> Leaves:
    """Find the leaves: the ``mentions`` that the user gave, or else the mentions of a key of labels.

    Raises:
        InputError: options for a key of labels together with ``mentions``; only one of key and mentions is a mapping.
        DuplicateMentionError: two leaves with one mention; a mention in two clusters, where the policy is ``error``.
        OptionError: a mention in two clusters, where the policy is to count it in both.
        DocumentMismatchError: a document on one side only, where the policy is ``error``.
    """
    mentions, present, names = (options.get(name) for name in ("mentions", "present", "names"))
    if isinstance(key, Mapping) != isinstance(mentions, Mapping):
        raise InputError("one of key and mentions is a mapping from names of documents; expected both or neither")
    if mentions is None:
        require_one_index(key=key, present=present)
        labels = LabelKey(key, offsets, names)  # type: ignore[arg-type]  # checked there
        n_mentions = labels.labels.size
        mask = np.ones(n_mentions, bool) if present is None else np.asarray(as_numpy(present, "present"))
        if mask.shape != (n_mentions,) or mask.dtype != np.bool_:
            given = f"present has shape {mask.shape} and dtype {mask.dtype}"
            raise InputError(f"{given}; expected booleans, ({n_mentions},)")
        positions = {str(d): part for d, part in enumerate(_by_document(np.arange(n_mentions), labels.offsets))}
        return Leaves(labels, mask, positions, False, labels.names)
    for name, value in (("offsets", offsets), ("present", present), ("names", names)):
        if value is not None:
            raise InputError(f"{name} was given with mentions; expected it with a key of labels only")
    clusters = ClusterKey(key, policies)
    alone: Any = {name: [[mention] for mention in part] for name, part in _named(mentions).items()}
    with naming("mentions"):
        found, scored, (notes,) = clusters.to_batch(["mentions"], [alone[ONLY] if clusters.names is None else alone])
    policies.notes.update(notes)
    found.require_labels("cuts")
    labels = LabelKey(found.key, found.offsets, found.names)
    labels.digest, labels.by_position = clusters.digest, False
    positions = {}
    columns = np.arange(found.response.size), found.response
    parts = [_by_document(column, found.offsets) for column in columns]
    for name, here, leaf in zip(found.names or (ONLY,), *parts, strict=True):
        positions[name] = here[np.argsort(leaf)][np.count_nonzero(leaf < 0) :]
        if positions[name].size < len(alone.get(name, ())):
            raise DuplicateMentionError(f"document {name!r}: two leaves are one mention; expected each mention once")
    which = None if scored is None else scored[0]
    return Leaves(labels, found.response >= 0, positions, True, clusters.names, which)


def _named(mentions: Any) -> Mapping[str, Any]:
    return {str(name): part for name, part in mentions.items()} if isinstance(mentions, Mapping) else {ONLY: mentions}


def _by_document(array: NDArray[Any], offsets: Ints) -> list[NDArray[Any]]:
    return np.split(array, offsets[1:-1])


def _sweep_scores(
    link: Callable[..., LinksByHeight],
    given: Mapping[str, Any],
    key: ArrayLike | ClusterDocuments,
    thresholds: ArrayLike | None,
    offsets: ArrayLike | None,
    policies: Policies,
    options: CutOptions,
) -> Runs:
    """Score the links whose scores reach each threshold.

    ``given`` holds two arguments of the user by name, links and scores, from which ``link`` makes `LinksByHeight`.
    """
    leaves = _leaves(key, offsets, options, policies)
    if not leaves.own:
        links = [link(*given.values(), np.arange(leaves.present.size), leaves.key.offsets)]
    else:
        columns = [leaves.by_document(what, value) for what, value in given.items()]
        links = []
        for name in columns[0]:
            with naming(f"document {name!r}" if name else "the document"):
                links.append(link(*(column[name] for column in columns), leaves.positions[name], None))
    return _sweep_links(leaves, links, thresholds, -1.0, policies, options)


def _sweep_links(
    leaves: Leaves,
    links: Sequence[LinksByHeight],
    thresholds: ArrayLike | None,
    sign: float,
    policies: Policies,
    options: CutOptions,
    most: int | None = None,
) -> Runs:
    """Score cuts at ``sign * thresholds``, in their order; without any, every cut, or at most ``most`` that link."""
    merges = merges_of(links, leaves.present.size)
    if thresholds is None and most is not None and merges.height.size:
        heights = np.unique(merges.height)
        asked = sign * heights[np.unique(np.linspace(0, heights.size - 1, most).round().astype(np.int64))]
    elif thresholds is None:
        asked = sign * np.unique(np.append(-np.inf, merges.height))
    else:
        asked = np.asarray(as_numpy(thresholds, "thresholds"), np.float64).reshape(-1)
        values, n = np.unique(asked, return_counts=True)
        if np.isnan(asked).any() or (n > 1).any():
            wrong = "is nan" if np.isnan(asked).any() else f"{values[n > 1][0]} appears twice"
            raise InputError(f"threshold {wrong}; expected numbers, each once")
    shown = asked.tolist()
    if thresholds is None:
        heights = np.sort(np.concatenate([of_document.height for of_document in links]))
        after = np.append(heights, np.inf)[heights.searchsorted(sign * asked, side="right")]
        shown = list(map(Threshold.rounded, shown, (sign * after).tolist()))
    settings: tuple[Setting, ...] = tuple({"threshold": t} for t in shown)
    made = np.searchsorted(merges.height, sign * asked, side="right")
    distinct, place = np.unique(made, return_inverse=True)
    leaves.key.what, drawn = "response after this many merges:", _labels_after(merges, distinct, leaves)
    found = score_settings(leaves.key, drawn, policies, options, distinct.size).select(place)
    rows = found.counts.rows
    if leaves.scored is not None:
        every = np.full((len(rows), leaves.scored.size, *rows.shape[2:]), np.nan)
        every[:, leaves.scored] = rows
        rows = every
    counts = Counts.read_only(leaves.names, found.counts.metrics, rows)
    labels = found.clusterings if leaves.scored is None else ()
    return replace(found, settings=settings, counts=counts, clusterings=labels)


def _labels_after(merges: LinksByHeight, made: Ints, leaves: Leaves) -> Iterator[SettingBlock]:
    """Draw blocks of labels, the first mention of each cluster, after each of some numbers of merges, which ascend."""
    key, (joined, onto, _) = leaves.key, merges
    start = np.repeat(key.offsets[:-1], np.diff(key.offsets))
    label, root, done = np.arange(start.size), np.arange(start.size), 0
    for first in range(0, made.size, key.settings_at_once):
        numbers = made[first : first + key.settings_at_once].tolist()
        labels = np.empty((len(numbers), start.size), np.int64)
        for row, n in zip(labels, numbers, strict=True):
            new = joined[done:n]
            root[new] = onto[done:n]
            while not np.array_equal(further := root[root[new]], root[new]):
                root[new] = further
            label, done = root[label], n
            row[:] = np.where(leaves.present, label - start, -1)
        yield numbers, labels
