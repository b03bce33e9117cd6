"""Compile every kernel ahead of the first use."""

from __future__ import annotations

import numpy as np


def warmup() -> None:
    """Compile every kernel and keep the machine code on disk, so that no later run waits for it."""
    from arraycoref import assignment
    from arraycoref.batch import count_documents
    from arraycoref.clusterings import Clusterings
    from arraycoref.contingency import cells
    from arraycoref.metrics import METRICS
    from arraycoref.tagging.warmup import warmup as warm_tagging

    labels = np.array([0, 0, 1, 1, 1, -1, 0])
    for scattered in (1, 2**40):
        clusterings = Clusterings.from_labels(np.where(labels < 0, -1, labels * scattered), labels[::-1])
        count_documents(clusterings, [metric for metric in METRICS.values() if not metric.gold_mentions])
    contested = cells(Clusterings.from_labels([0, 1], [0, 0]))
    assignment.align(contested, np.ones(2), patience=-1)  # by auction
    _read_files()
    _sweep()
    warm_tagging()


def _read_files() -> None:
    """Scan and match a document of more entities than the scanner first has room for."""
    from arraycoref.errors import ReadError
    from arraycoref.match import match
    from arraycoref.read.conll import read_conll
    from arraycoref.read.parsed import Options

    def fault(error: ReadError) -> None:
        raise error

    lines = "".join(f"word\t({entity})\n" for entity in range(100))
    text = bytearray(f"#begin document (warmup);\n{lines}#end document\n".encode())
    documents = read_conll(text, "warmup", Options(side="key", column=None, lenient=False, fault=fault)).documents
    match(documents, documents)


def _sweep() -> None:
    """Sweep with each producer of responses."""
    from arraycoref.antecedents import antecedent_labels
    from arraycoref.sweeps import sweep, sweep_linkage, sweep_pairs

    key = np.array([0, 0, 1, -1])
    sweep(key, np.array([[0, 0, -1, 1], [0, 2**40, 7, 7]]), singletons="drop")
    sweep([["a", "b"]], [[["a", "b", "c"]]])
    tree = np.array([[0, 1, 0.5, 2], [2, 3, 0.7, 2], [4, 5, 1.0, 4]])
    sweep_linkage(key, tree, metrics="muc,ceafe")
    sweep_pairs(key, np.array([[0, 1], [1, 2]]), np.array([0.5, 0.1]))
    antecedent_labels([-1, 0, 1, -1])
