"""Small systems on shared documents: counts from real scoring, not made up."""

from __future__ import annotations

import functools
import inspect

import numpy as np
from scipy import stats

import arraycoref as ac

SEED = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"  # scipy before 1.15


def scored(seed, n_documents=12, n_mentions=20, wrong=0.3, **options):
    """Score a system that moves a share of the mentions; documents are the same whatever the seed."""
    rng = np.random.default_rng(99)
    sizes = rng.integers(3, n_mentions, n_documents)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    key = rng.integers(0, 5, offsets[-1])
    errors = np.random.default_rng(seed)
    response = np.where(errors.random(key.size) < wrong, errors.integers(0, 5, key.size), key)
    response[errors.random(key.size) < 0.1] = -1
    key[rng.random(key.size) < 0.1] = -1
    return ac.score_labels_batch(key, response, offsets, **options)


def some_documents(b, documents):
    """Scores of some documents."""
    counts = ac.Counts(None, b.counts.metrics, b.counts.rows[documents])
    return type(b)(b.metrics, counts, b.signature)


@functools.cache
def statistic_of(make, metric, field, average):
    """Build scipy's statistic over document indices by scoring resampled batches one by one; return the batch too.

    Args:
        make: makes scores of 30 documents from a seed: `scored`, or what makes those of a tagger.
    """
    scores = make(3, n_documents=30)

    def score(index):
        some = some_documents(scores, index)
        return getattr((some.corpus if average == "micro" else some.macro)[metric], field)

    return scores, score


@functools.cache
def resampled(score, n):
    """Return what scipy makes of a score of n documents by 1500 resamples, each scored by itself."""
    options = {"vectorized": False, "n_resamples": 1500, "method": "percentile", SEED: np.random.default_rng(0)}
    return stats.bootstrap((np.arange(n),), score, **options)


def scipy_interval(score, n, method):
    """Return scipy's bootstrap interval of a score of documents, by any method from the same resamples.

    Args:
        score: a function of the documents' numbers, the same object for each method.
        n: documents.
        method: of `arraycoref.stats`.
    """
    name, before = {"bca": "BCa"}.get(method, method), resampled(score, n)
    options = {"vectorized": False, "n_resamples": 0, "bootstrap_result": before}
    return stats.bootstrap((np.arange(n),), score, method=name, **options)


def scipy_exchanges(statistic, alternative):
    """Return scipy's paired test of two systems on 8 documents, whose numbers are 0 to 7 and 8 to 15: all exchanges."""
    options = {"permutation_type": "samples", "vectorized": False, "n_resamples": np.inf, "alternative": alternative}
    return stats.permutation_test((np.arange(8), np.arange(8, 16)), statistic, **options)
