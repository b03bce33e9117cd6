"""Compile kernels ahead of their first use."""

from __future__ import annotations

import numpy as np


def warmup() -> None:
    """Compile every kernel and keep the machine code on disk, so that no later run waits for it."""
    from arraycoref.scoring import alignment as assignment
    from arraycoref.scoring.batch import count_by_cells, count_documents, shared_call
    from arraycoref.scoring.cells import cells_of
    from arraycoref.scoring.clusterings import GIANT, Clusterings
    from arraycoref.scoring.exact import column_sums
    from arraycoref.scoring.metrics.registry import METRICS

    labels = np.array([0, 0, 1, 1, 1, -1, 0])
    for scattered in (1, 2**40):
        clusterings = Clusterings.from_labels(np.where(labels < 0, -1, labels * scattered), labels[::-1])
        count_documents(
            clusterings, [metric for metric in METRICS.values() if metric.counter and not metric.gold_mentions]
        )
    contested = cells_of(Clusterings.from_labels([0, 0, 1, 1], [0, 1, 0, 1]))
    for metric in METRICS.values():
        if metric.counter:
            metric.count(contested)  # page by page, as for one metric on cells
    places = shared_call(tuple(name for name, metric in METRICS.items() if metric.counter))[0]
    count_by_cells(contested, places, np.empty((places.max() + 3, 1, 4)), 0)  # as large documents are counted
    assignment.align(contested, np.full(4, 9.0), unit=1.0, patience=-1)  # by auction
    column_sums(np.ones((1, 2, 4)))
    for labels in (np.ones(GIANT, np.int64), np.arange(GIANT), np.full(GIANT, 2**40)):  # few, many, and scattered
        cells_of(Clusterings.from_labels(labels, labels))
    _read_files()
    _sweep()
    _tables()


def _read_files() -> None:
    """Read a document of more entities than the scanner first has room for, from its last column and from its first."""
    from arraycoref.match.mentions import match_exactly, number_mentions
    from arraycoref.match.tokens import check_tokens
    from arraycoref.options import PROFILES
    from arraycoref.read.conll import read_conll
    from arraycoref.read.jsonlines import read_jsonlines
    from arraycoref.read.parsed import Options, refuse

    columns = "\tword" * 9 + "\t"
    lines = "".join(f"({entity}){columns}({entity})\n" for entity in range(100))
    text = bytearray(f"#begin document (warmup);\n{lines}#end document\n".encode())
    for column in (None, 1):
        options = Options(side="key", column=column, lenient=False, fault=refuse)
        documents = read_conll(text, "warmup", options).documents
    number_mentions(*match_exactly(documents, documents), PROFILES["paper"], lambda *_: "")
    read_jsonlines(b'{"doc_key": "warmup", "clusters": []}', "warmup", options, small=0)
    check_tokens(documents, documents, PROFILES["paper"], refuse)


def _sweep() -> None:
    """Sweep with each producer of responses."""
    from importlib.resources import as_file, files

    from arraycoref.scoring.labels import antecedent_labels
    from arraycoref.sweeps import sweep, sweep_files, sweep_linkage, sweep_pairs

    key = np.array([0, 0, 1, -1])
    sweep(key, np.array([[0, 0, -1, 1], [0, 2**40, 7, 7]]), singletons="drop")
    sweep([["a", "b"]], [[["a", "b", "c"]]])
    tree = np.array([[0, 1, 0.5, 2], [2, 3, 0.7, 2], [4, 5, 1.0, 4]])
    sweep_linkage(key, tree, metrics="muc,ceafe")
    sweep_pairs(key, np.array([[0, 1], [1, 2]]), np.array([0.5, 0.1]))
    antecedent_labels([-1, 0, 1, -1])
    with as_file(files("arraycoref.cli")) as folder:
        sweep_files(folder / "demo_key.conll", [folder / "demo_response.conll"], metrics="muc")


def _tables() -> None:
    """Split and join long tables that are not sorted, and hash texts."""
    from arraycoref.interop.columns import Numbers
    from arraycoref.interop.counting import union_labels
    from arraycoref.interop.long_table import LongTable
    from arraycoref.interop.two_tables import pair, pair_sides
    from arraycoref.kernels.hashtable import hash_texts
    from arraycoref.kernels.links import component_labels
    from arraycoref.options import PolicyOptions, resolve_policies
    from arraycoref.read.table_shapes import Names
    from arraycoref.scoring.labels import as_kernel_array

    rows = np.array([0, 1, 0])
    table = LongTable(Numbers(rows), np.arange(3), np.arange(4), (Numbers(rows + 2**40 * rows),), Numbers(rows))
    table.split(2, np.uint64(1))
    names, policies = Names(), resolve_policies({"duplicates": "first"}, PolicyOptions)
    key, response, at, _ = pair(table, table, names)
    ours, theirs, describe = pair_sides(key, response, np.arange(at.size), at, names)
    union_labels(ours, theirs, policies, describe)
    hash_texts(
        as_kernel_array(np.array([0, 1])), as_kernel_array(np.zeros(1), np.uint8), np.uint64(1), np.empty(1, np.uint64)
    )
    component_labels(np.array([0]), np.array([1]), np.empty(2, np.int64))
