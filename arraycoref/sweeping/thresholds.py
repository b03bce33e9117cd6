"""Sweep the thresholds of clusterers: cuts of scipy linkages, links by score, antecedents by score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.arrays import as_numpy
from arraycoref.errors import InputError
from arraycoref.metrics import counted_metrics, resolve_metrics
from arraycoref.options import Metrics, Policies, Progress, ScoreOptions, resolve_policies, signature
from arraycoref.sweeping.cuts import BY_MERGE, combined, cut_counts, label_blocks
from arraycoref.sweeping.dendrogram import Dendrogram, from_linkages, from_pairs
from arraycoref.sweeping.keyside import Integers, KeySide
from arraycoref.sweeping.result import Sweep
from arraycoref.sweeping.runner import Runner
from arraycoref.sweeping.settings import Setting

DEFAULT_METRICS = ("mentions", "muc", "bcub", "blanc", "lea", "pairwise")
"""What these sweeps compute unless told: every cut costs one merge. CEAF, and the CoNLL average with it, costs a count
of all mentions for each cut that differs from the one before."""


def sweep_linkage(
    key: ArrayLike,
    linkage: Any,
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    *,
    present: ArrayLike | None = None,
    metrics: Metrics = None,
    profile: str = "paper",
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    names: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Score cuts of a hierarchical clustering, as ``fcluster(linkage, t, criterion="distance")`` makes them.

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it.
        linkage: scipy's matrix (M-1, 4) over the mentions, in the key's order; or D of them, one a document.
        thresholds: (S,) distances; None for every cut of one linkage: -inf, where all mentions are singletons,
            then each distance at which clusters merge.
        offsets: (D+1,) document bounds; None for one document.
        present: (M,) booleans, which mentions the response has; None for all of them. A linkage has the others as
            leaves all the same; they belong to no cluster.
        metrics: names; None for mentions, muc, bcub, blanc, lea and pairwise, whose sums are followed from merge to
            merge. Any other may be named: it costs a count of all mentions at each cut that differs from the last.
        profile: see `arraycoref.api`.
        singletons: likewise; with ``drop`` every metric costs what the others cost.
        beta: likewise.
        threads: for the metrics counted by labels.
        names: (D,) document names.
        progress: for the metrics counted by labels: called with the cuts counted and their number.

    Returns:
        A sweep whose settings are ``{"threshold": t}``.

    Raises:
        InputError: a linkage that is none, thresholds that are not numbers or repeat, no thresholds for documents.
    """
    policies = resolve_policies({"profile": profile, "singletons": singletons, "beta": beta}, ScoreOptions)
    side = KeySide.from_labels(as_numpy(key, "key"), offsets, names, drop_singletons=policies.singletons == "drop")
    trees = from_linkages(linkage, side.offsets)
    return _sweep_trees(side, trees, thresholds, 1.0, present, policies, metrics, threads, progress)


def sweep_pairs(
    key: ArrayLike,
    pairs: Any,
    scores: ArrayLike,
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    *,
    present: ArrayLike | None = None,
    metrics: Metrics = None,
    profile: str = "paper",
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    names: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Score the connected components of the pairs that score at least each threshold.

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it.
        pairs: (E, 2) integers, two mentions of one document each, counted through all documents; or two arrays (E,).
        scores: (E,) numbers, larger for mentions that belong together; NaN is refused, -inf never links.
        thresholds: (S,) scores; None for every cut of one document: inf, where all mentions are singletons, then each
            score at which components merge, falling.
        offsets: and the options after it: see `sweep_linkage`.
        present: as above.
        metrics: as above.
        profile: as above.
        singletons: as above.
        beta: as above.
        threads: as above.
        names: as above.
        progress: as above.

    Raises:
        InputError: pairs of no or of two documents, arrays that do not fit, thresholds that are not numbers or repeat.
    """
    policies = resolve_policies({"profile": profile, "singletons": singletons, "beta": beta}, ScoreOptions)
    side = KeySide.from_labels(as_numpy(key, "key"), offsets, names, drop_singletons=policies.singletons == "drop")
    first, second = _two_columns(pairs)
    trees = from_pairs(first, second, as_numpy(scores, "scores"), side.offsets)
    return _sweep_trees(side, trees, thresholds, -1.0, present, policies, metrics, threads, progress)


def sweep_antecedents(
    key: ArrayLike,
    antecedents: ArrayLike,
    scores: ArrayLike,
    thresholds: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    **options: Any,
) -> Sweep:
    """Score a mention-ranking system whose links hold where their score reaches each threshold.

    Args:
        key: (M,) integers, the entity of each mention, -1 where the key lacks it.
        antecedents: (M,) integers, the best antecedent of each mention in its document, counted from the document's
            first mention; -1 for none, and a mention that is its own antecedent has none.
        scores: (M,) numbers, of that link; whatever stands where there is none.
        thresholds: as for `sweep_pairs`.
        offsets: (D+1,) document bounds; None for one document.
        options: those of `sweep_pairs`.

    Raises:
        InputError: an antecedent outside its document, arrays that do not fit.
    """
    from arraycoref.antecedents import antecedent_links

    mention, antecedent = antecedent_links(antecedents, offsets)
    values = as_numpy(scores, "scores")
    if values.shape != np.shape(antecedents):
        raise InputError(f"scores have shape {values.shape} and antecedents {np.shape(antecedents)}; expected the same")
    return sweep_pairs(key, (mention, antecedent), values[mention], thresholds, offsets, **options)


def _sweep_trees(
    key: KeySide,
    trees: list[Dendrogram],
    thresholds: ArrayLike | None,
    sign: float,
    present: ArrayLike | None,
    policies: Policies,
    metrics: Metrics,
    threads: int,
    progress: Progress | None,
) -> Sweep:
    """Score cuts at ``sign * thresholds``, in the order of ``thresholds``."""
    wanted = resolve_metrics(DEFAULT_METRICS if metrics is None else metrics)
    counted = counted_metrics(wanted)
    here = _mask(present, int(key.offsets[-1]))
    asked = _thresholds(trees, thresholds, sign)
    order = np.argsort(sign * asked, kind="stable")
    levels = (sign * asked)[order]
    cuts = np.array([tree.cuts(levels) for tree in trees], np.int64).reshape(len(trees), asked.size).T
    changed = np.ones(asked.size, bool)
    changed[1:] = (cuts[1:] != cuts[:-1]).any(axis=1)
    by_merge = [m for m in counted if m.name in BY_MERGE and policies.singletons == "keep"]
    by_label = [m for m in counted if m not in by_merge]
    parts = cut_counts(key, here, trees, np.ascontiguousarray(cuts), by_merge) if by_merge else {}
    settings: list[Setting] = [{"threshold": float(t)} for t in asked]
    if by_label:
        distinct = np.flatnonzero(changed)
        runner = Runner(key, policies, [m.name for m in by_label], threads, progress, distinct.size)
        some = [settings[order[position]] for position in distinct]
        swept = runner.run(label_blocks(key, here, trees, cuts[distinct], some, runner.skip))
        parts |= {m.name: swept.counts[m.name][np.cumsum(changed) - 1] for m in by_label}
    sums = combined(key, counted, parts, asked.size)
    place = np.empty(asked.size, np.int64)
    place[order] = np.arange(asked.size)
    sums = sums[place] if (place[1:] < place[:-1]).any() else sums
    sums.flags.writeable = False
    return Sweep(wanted, sums, tuple(settings), signature(policies), key.names, key.digest)


def _thresholds(trees: list[Dendrogram], thresholds: ArrayLike | None, sign: float) -> NDArray[np.float64]:
    """Check thresholds, or find those of every cut."""
    if thresholds is None:
        if len(trees) != 1:
            raise InputError(f"no thresholds for {len(trees)} documents; only one document can have every cut")
        return np.concatenate(([-sign * np.inf], sign * np.unique(trees[0].height)))
    asked = np.asarray(as_numpy(thresholds, "thresholds"))
    if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "iuf") or np.isnan(asked.astype(np.float64)).any():
        raise InputError(f"thresholds have shape {asked.shape} and dtype {asked.dtype}; expected numbers, shape (S,)")
    values, n = np.unique(asked, return_counts=True)
    if (n > 1).any():
        raise InputError(f"threshold {values[n > 1][0]} stands twice; expected each once")
    return asked.astype(np.float64)


def _mask(present: ArrayLike | None, n_mentions: int) -> NDArray[np.bool_]:
    mask = np.ones(n_mentions, np.bool_) if present is None else np.asarray(as_numpy(present, "present"))
    if mask.shape != (n_mentions,) or mask.dtype != np.bool_:
        raise InputError(f"present has shape {mask.shape} and dtype {mask.dtype}; expected booleans, ({n_mentions},)")
    return np.ascontiguousarray(mask)


def _two_columns(pairs: Any) -> tuple[Integers, Integers]:
    if isinstance(pairs, tuple) and len(pairs) == 2:
        return as_numpy(pairs[0], "pairs"), as_numpy(pairs[1], "pairs")
    array = np.asarray(as_numpy(pairs, "pairs"))
    if array.size == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"pairs have shape {array.shape}; expected (E, 2), or a tuple of two arrays")
    return array[:, 0], array[:, 1]
