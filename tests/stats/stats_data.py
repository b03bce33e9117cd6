"""Small systems on shared documents: counts from real scoring, not made up."""

from __future__ import annotations

import numpy as np

import arraycoref as ac


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
