"""Sweep the thresholds of clusterers: cuts of scipy linkages, links by score, antecedents by score.

All three are dendrograms: merges of mentions in a fixed order, of which a threshold makes the first few. For most
metrics, a merge changes the sums only by the cells of the two merged clusters; `arraycoref.kernels.links` follows
such sums from merge to merge. For other metrics (CEAF, whose whole alignment may change), the labels of each cut are
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.deadline import within_time
from arraycoref.errors import InputError
from arraycoref.options import CutOptions, Policies, resolve_policies, signature
from arraycoref.scoring.cells import Cells, Integers, Totals, cells_of, segment_bounds
from arraycoref.scoring.clusterings import LABEL_SEED, Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.labels import require_one_index
from arraycoref.scoring.metrics import registry
from arraycoref.scoring.metrics.registry import Metric, counted_metrics, resolve_metrics
from arraycoref.scoring.metrics.score import Floats
from arraycoref.sweeps.clusters import ClusterDocuments
from arraycoref.sweeps.counting import Drawn, LabelKey
from arraycoref.sweeps.dendrogram import Dendrogram, from_antecedents, from_linkage, from_linkages, from_pairs, numbers
from arraycoref.sweeps.leaves import Leaves, leaves_of
from arraycoref.sweeps.result import Sweep
from arraycoref.sweeps.runner import Runner
from arraycoref.sweeps.settings import Setting

Mask = NDArray[np.bool_]
Trees = Sequence[Dendrogram]

NUMERATORS = {"squares": [0, 1], "links": [2, 3]}
"""Columns of the followed sums with the numerators of recall and precision, by the value of `Metric.computed_from`."""

FOLLOWED = "cells", "response_entities", "response_links", "shared_response_links", "shared_links", "shared_singletons"
"""Totals that `arraycoref.kernels.links.follow_merges` counts after each cut, in the order of its columns."""


def followed_by_merge(metric: Metric) -> bool:
    """Return whether a metric's counts are followed from merge to merge, and not counted anew for each cut."""
    return metric.computed_from == "totals" or metric.computed_from in NUMERATORS


DEFAULT_METRICS = tuple(
    name for name in registry.DEFAULT_METRICS if all(map(followed_by_merge, counted_metrics((name,))))
)
"""Metrics that these sweeps compute by default: those that are followed, as a cut then costs no more than a merge."""


def sweep_linkage(
    key: ArrayLike | ClusterDocuments,
    linkage: Any,
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Unpack[CutOptions],
) -> Sweep:
    """Score cuts of a hierarchical clustering, as ``fcluster(linkage, t, criterion="distance")`` makes them.

    Without ``metrics``, all default metrics are computed except CEAF and the CoNLL average, whose counts cannot be
    followed from merge to merge. Metrics that cannot be followed may be named, but are counted from the labels of all
    mentions, at each cut that differs from the cut before; with ``singletons="drop"`` all metrics are. ``threads`` and
    ``progress`` concern such counts only: ``progress`` is called with the number of cuts counted, and of cuts to count.

        >>> import arraycoref as ac
        >>> found = ac.sweep_linkage([0, 0, 1], [[0, 1, 0.5, 2], [2, 3, 2.0, 3]], metrics="muc")
        >>> [setting["threshold"] for setting in found.settings], found["muc"].f1.round(4).tolist()
        ([-inf, 0.5, 2.0], [0.0, 1.0, 0.6667])

    An end-to-end system clusters the mentions that it found itself. Here the key lacks "it", which stays a singleton
    of the response, and the response lacks "her":

        >>> key = [["Ada", "she", "her"], ["Bob"]]
        >>> found = ac.sweep_linkage(key, [[0, 1, 0.5, 2], [2, 3, 2.0, 3]], [1.0], mentions=["Ada", "she", "it"])
        >>> found[0] == ac.score_batch([key], [[["Ada", "she"], ["it"]]], metrics=found.metrics)
        True

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it. With ``mentions``, clusters of
            mentions, or a mapping from names of documents to such.
        linkage: scipy's linkage matrix, (M-1, 4), over all mentions in the order of the key; or over the ``present``
            mentions only, or over the ``mentions`` in their order. For several documents, a list of D matrices or, if
            ``mentions`` is a mapping, a mapping from names of documents to matrices.
        thresholds: (S,) distances; None for every cut of one linkage: -inf, where all mentions are singletons,
            then each distance at which clusters merge.
        offsets: (D+1,) document bounds; None for one document.
        **options: see `arraycoref.options`.

    Returns:
        A sweep whose settings are ``{"threshold": t}``.

    Raises:
        InputError: a linkage that is no matrix of scipy's, thresholds that are not numbers or appear twice, no
            thresholds for several documents.
        DuplicateMentionError: two leaves with one mention; or a repeated key mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    policies = resolve_policies(options, CutOptions)
    leaves = leaves_of(key, offsets, options, policies)
    if leaves.own:
        trees = leaves.trees(from_linkage, linkage=linkage)
    else:
        trees = from_linkages(linkage, leaves.key.offsets, leaves.present)
    return _sweep_trees(leaves, trees, thresholds, 1.0, policies, options)


def sweep_pairs(
    key: ArrayLike | ClusterDocuments,
    pairs: Any,
    scores: ArrayLike | Mapping[str, ArrayLike],
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Unpack[CutOptions],
) -> Sweep:
    """Score, for each threshold, the connected components of the pairs whose scores reach it; see also `sweep_linkage`.

        >>> import arraycoref as ac
        >>> found = ac.sweep_pairs([7, 7, 8], [[0, 1], [1, 2], [0, 2]], [0.9, 0.2, 0.1], metrics="muc")
        >>> [setting["threshold"] for setting in found.settings], found["muc"].f1.round(4).tolist()
        ([inf, 0.9, 0.2], [0.0, 1.0, 0.6667])

    Args:
        key: as for `sweep_linkage`.
        pairs: (E, 2) integers, each row the positions of two mentions of one document, counted through all documents;
            or a tuple of two arrays (E,). With ``mentions``, positions in the mentions of a document; a mapping from
            names of documents to pairs if ``mentions`` is a mapping.
        scores: (E,) numbers, larger for mentions that belong together; NaN is refused, -inf never links. A mapping if
            ``pairs`` is one.
        thresholds: (S,) scores; None for every cut of one document: inf, where all mentions are singletons, then each
            score at which components merge, from high to low.
        offsets: (D+1,) document bounds; None for one document.
        **options: see `arraycoref.options`; metrics are those of `sweep_linkage`.

    Raises:
        InputError: pairs of mentions that do not exist or are in two documents, arrays that do not fit, thresholds that
            are not numbers or appear twice.
    """
    return _sweep_links(from_pairs, {"pairs": pairs, "scores": scores}, key, thresholds, offsets, options)


def sweep_antecedents(
    key: ArrayLike | ClusterDocuments,
    antecedents: ArrayLike | Mapping[str, ArrayLike],
    scores: ArrayLike | Mapping[str, ArrayLike],
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Unpack[CutOptions],
) -> Sweep:
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
        **options: see `arraycoref.options`; metrics are those of `sweep_linkage`.

    Raises:
        InputError: an antecedent outside its document, arrays that do not fit.
    """
    links = {"antecedents": antecedents, "scores": scores}
    mentions = options.get("mentions")
    require_one_index(**({"key": key} if mentions is None else {"mentions": mentions}), **links)
    return _sweep_links(from_antecedents, links, key, thresholds, offsets, options)


def _sweep_links(
    link: Callable[..., list[Dendrogram]],
    links: Mapping[str, Any],
    key: ArrayLike | ClusterDocuments,
    thresholds: ArrayLike | None,
    offsets: ArrayLike | None,
    options: CutOptions,
) -> Sweep:
    """Score the links whose scores reach each threshold.

    ``links`` holds two arguments of the user by name, the links and their scores; ``link`` makes the dendrograms of the
    documents from these two and the documents' bounds.
    """
    policies = resolve_policies(options, CutOptions)
    leaves = leaves_of(key, offsets, options, policies)

    def tree_of(of_document: Any, scores: Any, n_leaves: int, document: str) -> Dendrogram:
        try:
            return link(of_document, scores, np.array([0, n_leaves]))[0]
        except InputError as error:
            raise InputError(f"document {document}: {error}") from None

    trees = leaves.trees(tree_of, **links) if leaves.own else link(*links.values(), leaves.key.offsets)
    return _sweep_trees(leaves, trees, thresholds, -1.0, policies, options)


def _sweep_trees(
    leaves: Leaves, trees: Trees, thresholds: ArrayLike | None, sign: float, policies: Policies, options: CutOptions
) -> Sweep:
    """Score cuts at ``sign * thresholds``, in the order of ``thresholds``."""
    key, present = leaves.key, leaves.present
    metrics = options.get("metrics")
    wanted = resolve_metrics(DEFAULT_METRICS if metrics is None else metrics)
    counted = counted_metrics(wanted)
    asked = _thresholds(trees, thresholds, sign)
    settings: list[Setting] = [{"threshold": float(t)} for t in asked]
    order = np.argsort(sign * asked, kind="stable")
    cuts = np.array([tree.cuts((sign * asked)[order]) for tree in trees], np.int64).reshape(len(trees), asked.size).T
    by_merge = [metric for metric in counted if followed_by_merge(metric) and policies.singletons == "keep"]
    by_label = [metric for metric in counted if metric not in by_merge]
    sums = _count_merges(key, present, trees, cuts, by_merge) if by_merge else {}
    if by_label:
        runner = Runner(policies, {**options, "metrics": [metric.name for metric in by_label]})
        sums |= _count_labels(key, present, trees, cuts, [settings[position] for position in order.tolist()], runner)
    rows = np.concatenate([sums[metric.name] for metric in counted], axis=2)
    if (order[1:] < order[:-1]).any():
        rows = rows[np.argsort(order)]
    counts = Counts.read_only(leaves.names, tuple(metric.name for metric in counted), leaves.spread(rows))
    return Sweep(wanted, counts, tuple(settings), signature(policies), leaves.digest)


def _count_merges(
    key: LabelKey, present: Mask, trees: Trees, cuts: Integers, metrics: Sequence[Metric]
) -> dict[str, Floats]:
    """Count every cut by following the counts from merge to merge.

    Args:
        key: D documents.
        present: bool (M,) which mentions the response has.
        trees: D dendrograms.
        cuts: int64 (S, D) numbers of merges, ascending in each column.
        metrics: metrics that are `followed_by_merge`.

    Returns:
        float64 (S, D, groups, 4) for each metric, by its name.

    Raises:
        InputError: a metric that is defined on gold mentions only, and key and response with different mentions.
    """
    from arraycoref.kernels.links import follow_merges

    n_cuts, n_documents = cuts.shape
    alone = np.where(present, np.arange(present.size), -1)
    start = cells_of(Clusterings(key.labels, alone, key.offsets))
    whole = np.empty((n_documents, n_cuts, 6), np.int64)
    real = np.empty((n_documents, n_cuts, 4))
    for d, tree in enumerate(within_time(trees)):
        mentions = slice(key.offsets[d], key.offsets[d + 1])
        entities = slice(start.key_offsets[d], start.key_offsets[d + 1])
        merges = np.ascontiguousarray(cuts[:, d])
        sizes = start.key_size[entities]
        follow_merges(key.labels[mentions], present[mentions], sizes, tree.merge, merges, LABEL_SEED, whole[d], real[d])
    cells = _cells_without_entities(start.totals, whole)
    n = cells.totals
    numerators = real.transpose(1, 0, 2).reshape(-1, 4)
    numerators[:, NUMERATORS["links"]] += n.shared_singletons[:, np.newaxis]
    counts = {}
    for metric in metrics:
        if metric.gold_mentions and (present != (key.labels >= 0)).any():
            raise InputError(f"{metric.name} is defined on gold mentions only; use blanc for predicted mentions")
        if metric.computed_from in NUMERATORS:
            recall, precision = numerators[:, NUMERATORS[metric.computed_from]].T
            sums = np.array([recall, n.key_mentions, precision, n.response_mentions], np.float64).T
        else:
            sums = metric.count(cells)
        counts[metric.name] = sums.reshape(n_cuts, n_documents, len(metric.groups), 4)
    return counts


def _cells_without_entities(start: Totals, whole: Integers) -> Cells:
    """Return `Cells` of S * D documents that hold the documents' totals and no cells or entities.

    Args:
        start: totals of D documents, before any merge.
        whole: int64 (D, S, 6) totals after each of S cuts, as `follow_merges` counts them.
    """
    followed = dict(zip(FOLLOWED, whole.transpose(2, 1, 0).reshape(6, -1), strict=True))
    totals = Totals(*[np.tile(total, whole.shape[1]) for total in start])._replace(**followed)
    cells, key, response = map(segment_bounds, (totals.cells, totals.key_entities, totals.response_entities))
    none = np.empty(0, np.int64)
    return Cells(none, none, none, none, none, cells, np.zeros(1, np.int64), key, response, totals)


def _count_labels(
    key: LabelKey, present: Mask, trees: Trees, cuts: Integers, settings: Sequence[Setting], runner: Runner
) -> dict[str, Floats]:
    """Count cuts by their labels, each only if it differs from the cut before; the result is as of `_count_merges`."""
    from arraycoref.kernels.links import merged_labels

    changed = np.ones(len(cuts), bool)
    changed[1:] = (cuts[1:] != cuts[:-1]).any(axis=1)
    fresh = [setting for setting, new in zip(settings, changed, strict=True) if new and not runner.skip(setting)]
    distinct = cuts[changed]

    def blocks() -> Iterator[Drawn]:
        for first in range(0, len(distinct), key.settings_at_once):
            some = slice(first, first + key.settings_at_once)
            labels = np.empty((len(fresh[some]), key.labels.size), np.int64)
            for d, tree in enumerate(trees):
                here = slice(key.offsets[d], key.offsets[d + 1])
                part = np.empty((len(labels), here.stop - here.start), np.int64)
                merged_labels(present[here], tree.merge, np.ascontiguousarray(distinct[some, d]), part)
                labels[:, here] = part
            yield fresh[some], labels

    counts = runner.run(key, blocks(), len(distinct)).counts
    same = np.cumsum(changed) - 1
    groups = {name: len(registry.METRICS[name].groups) for name in counts}
    return {name: sums[same].reshape(len(cuts), len(key), groups[name], 4) for name, sums in counts.items()}


def _thresholds(trees: Sequence[Dendrogram], thresholds: ArrayLike | None, sign: float) -> Floats:
    """Check the thresholds, or find the thresholds of every cut."""
    if thresholds is None:
        if len(trees) != 1:
            raise InputError(f"no thresholds for {len(trees)} documents; expected some (None is every cut of one)")
        return sign * np.unique(np.append(-np.inf, trees[0].height))
    given = numbers(thresholds, "thresholds")
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iuf") or np.isnan(given.astype(np.float64)).any():
        raise InputError(f"thresholds have shape {given.shape} and dtype {given.dtype}; expected numbers, shape (S,)")
    asked = given.astype(np.float64)
    values, n = np.unique(asked, return_counts=True)
    if (n > 1).any():
        raise InputError(f"threshold {values[n > 1][0]} appears twice; expected each once")
    return asked
