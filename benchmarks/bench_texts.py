"""Measure alignment, its scripts against a quadratic oracle, time, memory: ``python -m benchmarks.bench_texts``."""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import arraycoref as ac
from arraycoref.match.aligned_words import align_words
from arraycoref.match.edit_script import partners
from arraycoref.ragged import Ints

N = 100_000
RNG = np.random.default_rng(0)
WORDS = np.minimum(RNG.zipf(1.2, 2 * N), 20_000)
"""Numbers of words that are as often as those of a text."""


def cost(a: Ints, b: Ints) -> int:
    """Return how many elements go and come in a shortest edit script, by the table of all beginnings."""
    row = np.arange(b.size + 1)
    for x in a:
        above, row = row, row + 1
        row[1:] = np.minimum(above[1:] + 1, np.where(b == x, above[:-1], row[1:] + 1))
        row = np.minimum.accumulate(row - np.arange(b.size + 1)) + np.arange(b.size + 1)
    return int(row[-1])


def edited(words: Ints, share: float) -> Ints:
    """Change, delete or insert after a share of the words."""
    kinds = np.where(RNG.random(words.size) < share, RNG.integers(1, 4, words.size), 0)
    new = RNG.integers(20_000, 10**6, words.size)
    pairs = np.stack([np.where(kinds == 1, new, words), new], axis=1)
    return pairs[np.stack([kinds != 2, kinds == 3], axis=1)]


def differences(n_pairs: int) -> int:
    """Count pairs of random texts whose edit script is not as short as the oracle's."""
    n = 0
    for _ in range(n_pairs):
        size, n_words = RNG.integers(0, 60), RNG.choice([2, 5, 50])
        a = RNG.integers(0, n_words, size)
        b = edited(a, RNG.random()) if RNG.integers(2) else RNG.integers(0, n_words, RNG.integers(0, 60))
        result = partners(a, b)
        n += result is None or a.size + b.size - 2 * np.count_nonzero(result >= 0) != cost(a, b)
    return n


def main() -> None:
    """Print a row for each text."""
    ac.warmup()
    n_pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{differences(n_pairs)} of {n_pairs:,} random pairs are not as short as the oracle's\n")
    text = WORDS[:N]
    texts = {
        "equal": text.copy(),
        **{f"{share:.0%} edited": edited(text, share) for share in (0.01, 0.05, 0.2)},
        "breaks off after 10 %": edited(text[: N // 10], 0.01),
        "goes on without end": np.append(text[:1000], np.tile(text[1000:1050], 20 * N // 50)),
        "another text": WORDS[N:],
    }
    print("| response | words | aligned | s | words/s | MB more |\n|---|--:|--:|--:|--:|--:|")
    key = [f"w{word}" for word in text.tolist()]
    for name, numbers in texts.items():
        response = [f"w{word}" for word in numbers.tolist()]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        aligned = align_words(key, response)
        seconds = max(time.process_time() - start, 1e-9)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        n = "refused" if aligned is None else f"{np.count_nonzero(aligned.first >= 0):,}"
        print(f"| {name} | {len(response):,} | {n} | {seconds:.3f} | {len(response) / seconds:,.0f} | {more:.0f} |")


if __name__ == "__main__":
    main()
