"""Long tables for the tests: rows as Python tuples, the clusters that they stand for, and ways to cut them up."""

from itertools import pairwise

import numpy as np
import pandas as pd

import arraycoref as ac

COLUMNS = ["document", "mention", "label"]

KINDS = {
    "numbers": lambda d, m, e: (d, m, e),
    "texts": lambda d, m, e: (f"doc-{d}", f"{m}-{m + 1}", f"e{e}"),
    "64 bits": lambda d, m, e: (d * 2**57 - 2**63, -(2**63) + m, e * 2**60),
    "unsigned": lambda d, m, e: (np.uint64(2**64 - 1 - d), np.uint64(2**63 + m), np.uint64(2**64 - 1 - e)),
}
"""How a document, a mention and an entity, given by small numbers, are written."""


def random_rows(rng, n_documents=12, n_mentions=20, order="sorted"):
    """Return key and response rows of small numbers; the response errs, each lacks mentions, all are in some order."""
    key, response = [], []
    for d in range(n_documents):
        for m in range(int(rng.integers(1, n_mentions))):
            entity = int(rng.integers(0, 5))
            if m == 0 or rng.random() < 0.9:
                key.append((d, m, entity))
            if m == 0 or rng.random() < 0.9:
                response.append((d, m, entity if rng.random() < 0.7 else int(rng.integers(0, 6))))
    if order == "scattered":
        key, response = ([rows[i] for i in rng.permutation(len(rows))] for rows in (key, response))
    return key, response


def clusters(rows):
    """Turn rows into a mapping from documents' names to lists of entities, in the order of the rows."""
    found = {}
    for document, mention, label in rows:
        found.setdefault(str(document), {}).setdefault(label, []).append(mention)
    return {name: list(entities.values()) for name, entities in found.items()}


def frame(rows):
    """Rows as a pandas DataFrame."""
    if not rows:
        return pd.DataFrame({name: np.empty(0, np.int64) for name in COLUMNS})
    return pd.DataFrame(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


def dask_frame(rows, n_partitions):
    """Rows as a Dask DataFrame of as many partitions, of which some may be empty."""
    import dask.dataframe as dd
    from dask.delayed import delayed

    whole = frame(rows)
    cuts = np.linspace(0, len(whole), n_partitions + 1).astype(int)
    parts = [delayed(whole.iloc[a:b]) for a, b in pairwise(cuts)]
    return dd.from_delayed(parts, meta=whole.iloc[:0], verify_meta=False)


def write_parquet(folder, rows, n_files=2, row_group_size=7):
    """Write rows to Parquet files of small row groups; return the folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    whole = pa.Table.from_pandas(frame(rows), preserve_index=False)
    cuts = np.linspace(0, len(whole), n_files + 1).astype(int)
    for file, (a, b) in enumerate(pairwise(cuts)):
        pq.write_table(whole.slice(a, b - a), folder / f"{file:03d}.parquet", row_group_size=row_group_size)
    (folder / "_SUCCESS").touch()
    return folder


def assert_close(found: ac.BatchScores, expected: ac.BatchScores):
    """Integer counts are equal, the others to 1e-12 of themselves."""
    assert found.metrics == expected.metrics
    assert found.document_names == expected.document_names
    assert found.signature == expected.signature
    for metric, counts in expected.counts.items():
        if metric.startswith(("bcub", "ceafe", "lea")):
            np.testing.assert_allclose(found.counts[metric], counts, rtol=1e-12)
        else:
            np.testing.assert_array_equal(found.counts[metric], counts)
