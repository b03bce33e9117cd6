"""Estimate the sums of one clustering from a key that holds a sample of its entities, each known whole.

Records that the key does not know are neither right nor wrong. A response entity is as large as it is, so a link that
leaves a known entity counts half: it would be met from its other end too. Each known entity counts with the inverse of
the probability with which it was drawn; these are such that the estimated number of records is that of all records.

Source: Binette et al. (2022); weights: Horvitz and Thompson (1952).
"""

from __future__ import annotations

import numpy as np

from arraycoref.exceptions import InputError, OptionError
from arraycoref.options.policies import Policies
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.clusterings import Clusterings, number_entities
from arraycoref.scoring.contributions import UnitCells, sums_of, unit_rows
from arraycoref.scoring.counts import Counts

ESTIMABLE = (
    *("muc", "bcub", "lea", "pairwise", "cluster", "fowlkes-mallows", "merge-distance"),
    *("blanc", "blanc-gold", "rand", "ari", "vmeasure"),
)
"""The metrics that can be estimated; others need the alignment of all entities, or all records' places."""


def inclusion(size: Ints, n_records: int, design: str) -> Floats:
    """Return the probability with which each of K known entities was drawn, float64 (K,).

    Entities that were drawn alike have the same. If records were drawn and their entities completed, ``entities:size``,
    it is that of one record or more in x draws, where x makes the estimated number of records ``n_records``.

        >>> inclusion(np.array([2, 3]), 8, "entities:size").round(4)
        array([0.5305, 0.7092])
    """
    if design == "entities":
        return np.full(size.size, size.sum() / n_records)
    from scipy.optimize import brentq

    def drawn(log_x: float) -> Floats:
        return np.asarray(-np.expm1(np.exp(log_x) * np.log1p(-size / n_records)))

    return drawn(brentq(lambda log_x: (size / drawn(log_x)).sum() - n_records, -30.0, 30.0, xtol=1e-14))


def sampled_rows(key: Ints, response: Ints, metrics: tuple[str, ...], design: str) -> tuple[Floats, Floats]:
    """Return the weighted rows of K known entities, float64 (K, w), and the probabilities of `inclusion`.

    Args:
        key: int64 (M,) the known entity of each record, numbered from 0; -1 where it is not known.
        response: int64 (M,) any labels, -1 where the response lacks the record.
        metrics: names of metrics.
        design: how entities were drawn, ``entities`` or ``entities:size``.

    Raises:
        InputError: the response has no record outside the known entities, from which precision could be estimated.
    """
    size, outside = np.bincount(key[key >= 0]), (key < 0) & (response >= 0)
    if not (size.size and outside.any()):
        expected = "expected the response of all records, and a truth of some entities"
        raise InputError(f"no record outside {size.size} known entities; {expected}", "truth_sample")
    drawn = inclusion(size, int(size.sum() + outside.sum()), design)
    whole = np.where(outside, size.size, key)  # as one entity more, whose row is left out
    of_response, _ = number_entities(response.astype(np.int64), "response", np.array([0, key.size]), "r")
    rows = unit_rows(UnitCells.from_labels(whole, of_response, whole), metrics, size.size + 1)
    return rows[:-1] / drawn[:, np.newaxis], drawn


def count_sample(clusterings: Clusterings, metrics: tuple[str, ...], policies: Policies) -> Counts:
    """Estimate the sums of the whole from one clustering whose key is a sample.

    Raises:
        OptionError: a metric that cannot be estimated, or a policy that leaves mentions out.
        InputError: several documents; see also `sampled_rows`.
    """
    lost = [name for name in metrics if name not in ESTIMABLE]
    if lost:
        expected = f"expected metrics among {', '.join(ESTIMABLE)}"
        raise OptionError(f"a sample of entities says nothing about {', '.join(lost)}; {expected}", "metrics")
    if policies.restrict != "none" or policies.singletons != "keep" or policies.corpus != "sums":
        raise OptionError("truth_sample is with restrict 'none', singletons 'keep' and corpus 'sums'", "truth_sample")
    if len(clusterings) != 1 or clusterings.repeated is not None:
        raise InputError("truth_sample is for one clustering: one document, each mention in one entity", "truth_sample")
    key, _ = number_entities(clusterings.key.astype(np.int64), "key", clusterings.offsets, "k")
    rows, _ = sampled_rows(key, clusterings.response, metrics, policies.truth_sample)
    n_outside = int(((key < 0) & (clusterings.response >= 0)).sum())
    what = f"of the response outside {len(rows)} known entities, neither right nor wrong"
    policies.note(n_outside, "record", what)
    return Counts.read_only(clusterings.names, metrics, sums_of(metrics, rows.sum(axis=0)).reshape(1, -1, 4))
