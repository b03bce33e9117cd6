"""Compare random documents with the slow oracle of the tests and, if it is installed, with scorch.

    python -m benchmarks.differential [--documents 100000] [--seed 0]

Documents of up to 40 mentions in many shapes are scored from label arrays of several dtypes, byte orders and strides,
in batches and in threads. The sums of both engines must be equal to the last bit. With the oracle are compared the
counts of each metric for each document, and the scores of each batch as a corpus. With scorch, which scores one
document at a time, five metrics of each document are compared. Counts that are whole numbers must be equal, all other
numbers equal to 1e-12. At the first difference, the program prints it and ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import arraycoref as ac

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import oracle

ROWS = (*oracle.LINEAR, "blanc")
PEERS = {"muc": "muc", "bcub": "b_cubed", "ceafm": "ceaf_m", "ceafe": "ceaf_e", "blanc": "blanc"}
"""By the name of a metric in this package, the name of its function in scorch."""

FRACTIONAL = ("bcub", "ceafe", "lea")
"""Metrics whose numerators are sums of fractions."""

BATCH, TOLERANCE, LARGEST = 500, 1e-12, 40
DTYPES = ("i1", ">i2", "<i4", ">i4", "<i8", ">i8", ">u8")


class DifferenceError(Exception):
    """Two programs give different numbers; the message has the document or corpus and both numbers."""


class Document(NamedTuple):
    """Key and response as labels, one for each mention or -1, and the same entities as lists of sets of mentions."""

    labels: tuple[list[int], list[int]]
    sets: tuple[list[set[int]], list[set[int]]]


def side(rng: np.random.Generator, n: int, shape: str) -> np.ndarray[Any, Any]:
    """Make random labels of n mentions, of a given shape."""
    if shape == "giant":
        return np.zeros(n, np.int64)
    if shape == "singletons":
        return rng.permutation(n)
    if shape == "skewed":
        return (n * rng.random(n) ** 3).astype(np.int64)
    if shape == "pairs":
        return rng.permutation(n) // 2
    return rng.integers(0, max(1, int(rng.integers(1, n + 1))), n) if n else np.zeros(0, np.int64)


def document(rng: np.random.Generator) -> Document:
    """Make one random document; either side may be empty."""
    n = int(rng.integers(0, rng.choice([4, 12, LARGEST + 1])))
    shapes = ["any"] * 4 + ["giant", "singletons", "skewed", "pairs"]
    key = side(rng, n, str(rng.choice(shapes)))
    response = side(rng, n, str(rng.choice(shapes)))
    if rng.random() < 0.4:  # a system that is mostly right
        response = np.where(rng.random(n) < rng.random(), key, response)
    for labels in (key, response):
        labels[rng.random(n) < rng.choice([0.0, 0.0, 0.2, 0.7, 1.0], p=[0.3, 0.2, 0.3, 0.15, 0.05])] = -1
    both = key.tolist(), response.tolist()
    sets: list[list[set[int]]] = []
    for values in both:
        entities: dict[int, set[int]] = {}
        for mention, label in enumerate(values):
            if label >= 0:
                entities.setdefault(label, set()).add(mention)
        sets.append(list(entities.values()))
    return Document(both, (sets[0], sets[1]))


def as_array(rng: np.random.Generator, labels: list[int]) -> np.ndarray[Any, Any]:
    """Return labels in a random dtype, as small or large numbers, contiguous or not."""
    values = np.array(labels, np.int64)
    dtype = np.dtype(str(rng.choice(DTYPES)))
    if dtype.kind == "u":
        if (values < 0).any():
            dtype = np.dtype(">i8")
        elif rng.random() < 0.5:
            values = values.astype(np.uint64) + np.uint64(2**63)
    if dtype.itemsize == 8 and dtype.kind == "i" and rng.random() < 0.5:  # numbers too large to be indices of a table
        values = np.where(values < 0, values, values * (2**63 // (LARGEST + 1)))
    array = values.astype(dtype)
    return array.repeat(2)[::2] if rng.random() < 0.3 else array


def numbers(row: Any) -> list[Any]:
    """Return the counts of a metric as one flat list, those of BLANC's classes one after another."""
    return [value for part in row for value in (part if isinstance(part, tuple) else (part,))]


def same(ours: Any, theirs: Any) -> bool:
    """Whether numbers differ by at most `TOLERANCE`, which is relative for numbers above 1."""
    return all(abs(a - b) <= TOLERANCE * max(1.0, b) for a, b in zip(ours, map(float, theirs), strict=True))


def check_oracle(documents: list[Document], b: ac.BatchScores) -> None:
    """Compare a batch with the oracle, by document and as a corpus."""
    rows: dict[str, list[Any]] = {name: [] for name in ROWS}
    for d, (labels, (key, response)) in enumerate(documents):
        for name in ROWS:
            counts = oracle.blanc(key, response) if name == "blanc" else oracle.LINEAR[name](key, response)
            rows[name].append(counts)
            ours, theirs = b.counts[name][d].ravel().tolist(), numbers(counts)
            if not (same(ours, theirs) if name in FRACTIONAL else ours == theirs):
                raise DifferenceError(f"{name} of {labels}: ours {ours}, the oracle's {list(map(float, theirs))}")
    for name in ROWS:
        total = oracle.total(rows[name])
        score = oracle.blanc_score(total, b.signature.profile) if name == "blanc" else oracle.score(total)
        ours = b[name].recall, b[name].precision, b[name].f1
        if not same(ours, score):
            raise DifferenceError(f"{name} of a corpus: ours {ours}, the oracle's {tuple(map(float, score))}")


def check_scorch(documents: list[Document], b: ac.BatchScores, scorch: Any) -> None:
    """Compare every document's recall, precision and F1 with scorch's."""
    ours = b.documents
    scores = {name: np.stack([ours[name].recall, ours[name].precision, ours[name].f1], axis=1) for name in PEERS}
    for d, (labels, (key, response)) in enumerate(documents):
        for name, function in PEERS.items():
            if name == "blanc" and sum(map(len, key)) < 2:
                continue  # a key without links, where scorch agrees with neither profile
            if name.startswith("ceaf") and not set().union(*key) & set().union(*response):
                continue  # no shared mention, where scorch fails because it takes a harmonic mean of zeros
            theirs = getattr(scorch, function)(key, response)
            if not same(scores[name][d].tolist(), theirs):
                raise DifferenceError(f"{name} of {labels}: ours {scores[name][d].tolist()}, scorch's {theirs}")


def batches(n_documents: int, seed: int) -> Iterator[tuple[list[Document], ac.BatchScores]]:
    """Yield batches of documents, each with this package's scores under the profile that scorch follows."""
    rng = np.random.default_rng(seed)
    for start in range(0, n_documents, BATCH):
        documents = [document(rng) for _ in range(min(BATCH, n_documents - start))]
        sides = ([label for d in documents for label in d.labels[s]] for s in range(2))
        offsets = np.cumsum([0, *(len(d.labels[0]) for d in documents)]).astype(str(rng.choice(["<i8", ">i4", ">u8"])))
        key, response = (as_array(rng, labels) for labels in sides)
        threads = int(rng.integers(1, 4))
        options: Any = {"metrics": ROWS, "profile": "conll", "threads": threads}
        found, other = (ac.score_labels_batch(key, response, offsets, **options, engine=e) for e in ("numpy", "numba"))
        differ = (found.counts.rows != other.counts.rows).any(axis=(1, 2))
        if differ.any():
            raise DifferenceError(f"the engines give other sums for {documents[int(differ.argmax())].labels}")
        yield documents, found


def main() -> int:
    """Compare all documents, print the result in one line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differential", description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        from scorch import scores as scorch
    except ImportError:
        scorch = None
    start, mentions = time.perf_counter(), 0
    try:
        for documents, b in batches(options.documents, options.seed):
            check_oracle(documents, b)
            if scorch is not None:
                check_scorch(documents, b, scorch)
            mentions += sum(len(d.labels[0]) for d in documents)
    except DifferenceError as difference:
        print(f"seed {options.seed}: {difference}")
        return 1
    against = "the oracle and scorch" if scorch else "the oracle (scorch is not installed)"
    seconds = time.perf_counter() - start
    print(
        f"{options.documents:,} documents, {mentions:,} mentions, {len(ROWS)} metrics: no difference from {against}; "
        f"seed {options.seed}, {seconds:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
