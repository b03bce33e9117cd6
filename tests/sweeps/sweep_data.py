"""Keys and responses for the tests of sweeps, and what their figures say."""

from __future__ import annotations

import numpy as np


def noisy(shares, n_documents=40, seed=0):
    """Return a key and responses, each with a share of its labels at random."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, 6, n_documents * 20)
    wrong = rng.random(key.size)
    other = rng.integers(0, 6, key.size)
    responses = np.array([np.where(wrong < share, other, key) for share in shares])
    return key, responses, np.arange(0, key.size + 1, 20)


def legend(figure):
    """Return the texts of a figure's legend."""
    return [text.get_text() for text in figure.legends[0].get_texts()]
