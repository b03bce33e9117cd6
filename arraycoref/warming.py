"""Compile kernels ahead of their first use."""

from __future__ import annotations

import sys

import numpy as np

from arraycoref.threads import thread_count

_COUNT = "import gc; gc.disable(); from arraycoref.warming import warm_counting; warm_counting(); gc.freeze()"


def warmup() -> None:
    """Compile every kernel and keep the machine code on disk, so that no later run waits for it."""
    from arraycoref import assignment
    from arraycoref.batch import count_documents
    from arraycoref.clusterings import GIANT, Clusterings
    from arraycoref.contingency import cells
    from arraycoref.exact import column_sums
    from arraycoref.metrics import METRICS

    labels = np.array([0, 0, 1, 1, 1, -1, 0])
    for scattered in (1, 2**40):
        clusterings = Clusterings.from_labels(np.where(labels < 0, -1, labels * scattered), labels[::-1])
        count_documents(
            clusterings, [metric for metric in METRICS.values() if metric.page and not metric.gold_mentions]
        )
    contested = cells(Clusterings.from_labels([0, 1], [0, 0]))
    for weight, unit in ((1.0, 0.0), (1.0, 1.0), (9.0, 1.0)):  # by auction; by levels; by auction, of whole weights
        assignment.align(contested, np.full(2, weight), unit, patience=-1)
    column_sums(np.ones((2, 4)))
    for label in (1, 2**40):  # as given, and scattered
        cells(Clusterings.from_labels(*np.full((2, GIANT), label)))
    _read_files()
    _sweep()
    _tables()
    warm_tagging()


def warm_scoring(format: str, column: int | None = None) -> None:
    """Compile what scores two files, where that was never done: a second process compiles the half that counts.

    Args:
        format: of the files, an entry of `arraycoref.read.FORMATS`.
        column: the coreference column that will be read, as in `arraycoref.read.read_documents`.
    """
    from arraycoref.exact import column_sums
    from arraycoref.kernels.contingency import contingency_batch
    from arraycoref.kernels.jit import is_kept

    if not sys.executable or thread_count(0) < 2 or is_kept(contingency_batch):
        return
    import subprocess

    nothing = subprocess.DEVNULL
    with subprocess.Popen([sys.executable, "-c", _COUNT], stdin=nothing, stdout=nothing, stderr=nothing):
        _read_files(format if abs(column or 1) < 1000 else "jsonlines", column)
        column_sums(np.ones((2, 4)))


def warm_counting() -> None:
    """Compile what counts the documents of two files once they are matched: about half."""
    from arraycoref.clusterings import Clusterings
    from arraycoref.contingency import cells
    from arraycoref.kernels.lean import import_numba
    from arraycoref.metrics import METRICS

    import_numba()
    chunk = cells(Clusterings.from_labels([0, 0, 1, -1], [0, 1, 1, 0]))
    for metric in METRICS.values():
        if metric.page:
            metric.count(chunk)


def _read_files(format: str = "conll", column: int | None = None) -> None:
    """Read and match a document, of CoNLL columns one of more entities than the scanner first has room for."""
    from arraycoref.match import match
    from arraycoref.read import FORMATS
    from arraycoref.read.parsed import Options, refuse

    text = '{"doc_key": "warmup", "clusters": [[[0, 0]]]}'
    if format == "conll":
        columns = 1 if column is None else abs(column)
        lines = "".join("\t".join([f"({entity})"] * columns) + "\n" for entity in range(100))
        text = f"#begin document (warmup);\n{lines}#end document\n"
    options = Options(side="key", column=column, lenient=False, fault=refuse)
    documents = FORMATS[format](bytearray(text.encode()), "warmup", options).documents
    match(documents, documents)


def _sweep() -> None:
    """Sweep with each producer of responses."""
    from importlib.resources import as_file, files

    from arraycoref.antecedents import antecedent_labels
    from arraycoref.sweeps import sweep, sweep_files, sweep_linkage, sweep_pairs

    key = np.array([0, 0, 1, -1])
    sweep(key, np.array([[0, 0, -1, 1], [0, 2**40, 7, 7]]), singletons="drop")
    sweep([["a", "b"]], [[["a", "b", "c"]]])
    tree = np.array([[0, 1, 0.5, 2], [2, 3, 0.7, 2], [4, 5, 1.0, 4]])
    sweep_linkage(key, tree, metrics="muc,ceafe")
    sweep_pairs(key, np.array([[0, 1], [1, 2]]), np.array([0.5, 0.1]))
    antecedent_labels([-1, 0, 1, -1])
    with as_file(files("arraycoref") / "data") as folder:
        sweep_files(folder / "demo_key.conll", [folder / "demo_response.conll"], metrics="muc")


def _tables() -> None:
    """Part and join long tables that are not sorted, and hash texts."""
    from arraycoref.arrays import frozen
    from arraycoref.kernels.components import component_labels
    from arraycoref.kernels.hashing import hash_texts
    from arraycoref.options import PolicyOptions, resolve_policies
    from arraycoref.pipelines.columns import Numbers
    from arraycoref.pipelines.long_table import LongTable, Names
    from arraycoref.pipelines.paired import pair, pair_sides
    from arraycoref.pipelines.union import union_labels

    rows = np.array([0, 1, 0])
    table = LongTable(Numbers(rows), np.arange(3), np.arange(4), (Numbers(rows + 2**40 * rows),), Numbers(rows))
    table.split(2, np.uint64(1))
    names, policies = Names(), resolve_policies({"duplicates": "first"}, PolicyOptions)
    key, response, at, _ = pair(table, table, names)
    ours, theirs, describe = pair_sides(key, response, np.arange(at.size), at, names)
    union_labels(ours, theirs, policies, describe)
    hash_texts(frozen(np.array([0, 1])), frozen(np.zeros(1), np.uint8), np.uint64(1), np.empty(1, np.uint64))
    component_labels(np.array([0]), np.array([1]), np.empty(2, np.int64))


def warm_tagging() -> None:
    """Compile the kernels of tagger evaluation."""
    from arraycoref.tagging import category_errors, compare_texts, score_comparison, score_tags
    from arraycoref.tagging.read import read_conllu

    words = (("1-2", "zum", "_"), ("1", "zu", "ADP"), ("2", "dem", "DET"))
    data = "".join(f"{n}\t{form}\t_\t{upos}" + "\t_" * 6 + "\n" for n, form, upos in words).encode()
    comparison = compare_texts(read_conllu(data, "gold"), read_conllu(data, "system"), tagset="ud")
    score_comparison(comparison)
    category_errors(comparison)
    score_tags([["X", "Y"]], ["X"])
