"""A label means the same in every door: doors x columns of every library and dtype, against clusters."""

from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import compute

import arraycoref as ac
from arraycoref.interop.sklearn import bcub_score
from marks import about

KEY = [0, 0, 1, 1, 1]
ROWS = {"document": ["d"] * 5, "mention": [3, 4, 5, 6, 7]}
NAN, BIG = float("nan"), 2**64 - 1
NULL = [0, 0, None, 3, 3]
MINUS = [0, 0, -1, 3, 3]
TEXTS = ["a", "a", None, "c", "c"]
NAMES = ["a", "a", "b", "c", "c"]

ONE_LESS = [[0, 1], [3, 4]]
"""Clusters of the mentions by position, where the third belongs to no entity."""
ALL = [[0, 1], [2], [3, 4]]
FLAGS = [True, True, None, False, False]

MEANT = {
    "int64": (np.array(MINUS), ONE_LESS),
    "int8, the other byte order": (np.array(MINUS, ">i2"), ONE_LESS),
    "list with None": (NULL, ONE_LESS),
    "floats": (np.array(MINUS, float), ONE_LESS),
    "objects with None": (np.array(NULL, object), ONE_LESS),
    "masked": (np.ma.array([0, 0, 9, 3, 3], mask=[0, 0, 1, 0, 0]), ONE_LESS),
    "objects of texts": (np.array(TEXTS, object), ONE_LESS),
    "NumPy's texts": (np.array(NAMES), ALL),
    "uint64": (np.array([BIG, BIG, BIG - 1, 5, 5], np.uint64), ALL),
    "pandas floats": (pd.Series(NULL), ONE_LESS),
    "pandas Int64": (pd.Series(NULL, dtype="Int64"), ONE_LESS),
    "pandas UInt64": (pd.Series([BIG, BIG, None, 3, 3], dtype="UInt64"), ONE_LESS),
    "pandas Int64 past 2^53": (pd.Series([2**53, 2**53, -1, 2**53 + 1, 2**53 + 1], dtype="Int64"), ONE_LESS),
    "pandas of Arrow": (pd.Series(NULL, dtype="int8[pyarrow]"), ONE_LESS),
    "pandas string": (pd.Series(TEXTS, dtype="string"), ONE_LESS),
    "categories of -1": (pd.Series(MINUS, dtype="category"), ONE_LESS),
    "categories of texts": (pd.Series(TEXTS).astype("category"), ONE_LESS),
    "polars": (pl.Series(MINUS), ONE_LESS),
    "polars with null": (pl.Series(NULL, dtype=pl.UInt8), ONE_LESS),
    "polars floats with nan": (pl.Series([0.0, 0.0, NAN, 3.0, 3.0]), ONE_LESS),
    "polars categories": (pl.Series(TEXTS, dtype=pl.Categorical), ONE_LESS),
    "arrow": (pa.array(NULL), ONE_LESS),
    "arrow in pieces": (pa.chunked_array([NULL[:2], NULL[2:]], pa.int16()), ONE_LESS),
    "arrow dictionary": (pa.array(TEXTS).dictionary_encode(), ONE_LESS),
    "arrow dictionary of -1": (pa.array(MINUS).dictionary_encode(), ONE_LESS),
    "arrow dictionary with a null": (pa.DictionaryArray.from_arrays([0, 0, 1, 2, 2], ["a", None, "c"]), ONE_LESS),
    "arrow runs": (compute.run_end_encode(pa.array(NULL)), ONE_LESS),
    "arrow nulls": (pa.nulls(5), []),
    "decimals": (pa.array(MINUS).cast(pa.decimal128(20)), ONE_LESS),
    "booleans": (np.array([True, True, False, False, False]), [[0, 1], [2, 3, 4]]),
    "list of booleans": (FLAGS, ONE_LESS),
    "pandas boolean": (pd.Series(FLAGS, dtype="boolean"), ONE_LESS),
    "polars booleans": (pl.Series(FLAGS), ONE_LESS),
    "arrow booleans": (pa.array(FLAGS), ONE_LESS),
    "UUIDs": ([one and UUID(int=ord(one)) for one in TEXTS], ONE_LESS),
}
WRONG = {
    "below -1": np.array([0, 0, -2, 3, 3]),
    "fractions": np.array([0, 0.5, 1, 1, 1]),
    "infinity": np.array([0, np.inf, 1, 1, 1]),
    "rounded ids": np.array([2.0**53, 2.0**53, -1, 0, 0]),
    "booleans beside numbers": [True, True, 0, 0, 0],
    "bytes": np.array([b"a", b"a", b"b", b"b", b"b"]),
    "texts beside numbers": ["a", "a", 1, 1, 1],
    "categories of fractions": pd.Series([0.5, 0.5, 1, 1, 1], dtype="category"),
    "polars lists": pl.Series([[0], [0], [1], [1], [1]]),
    "decimals with a fraction": pa.array([Decimal("0.5"), 0, 1, 1, 1], pa.decimal128(20, 1)),
}
LOST = {
    "a list": ["a", "a", None, "-1", "-1"],
    "NumPy's texts": np.array(["a", "a", "nan", "b", "b"]),
    "pandas string": pd.Series(["a", "a", None, "<NA>", "b"], dtype="string"),
    "polars categories": pl.Series(["a", "a", "nan", "b", None], dtype=pl.Categorical),
    "arrow dictionary": pa.array(["a", "a", "-1", None, "b"]).dictionary_encode(),
}
"""Texts as which libraries write that there is no value."""


def frame(column, **columns):
    """A table of the library that the column is of."""
    if isinstance(column, pl.Series):
        return pl.DataFrame({**columns, "label": column})
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return pa.table({**columns, "label": column})
    if isinstance(column, np.ma.MaskedArray):
        column = pd.array(column.tolist(), dtype="Int64" if column.dtype.kind == "i" else "Float64")
    if isinstance(column, list):
        column = pd.Series(column, dtype=object)
    if isinstance(column, np.ndarray) and not column.dtype.isnative:  # which pandas holds, but does not read
        column = column.astype(column.dtype.newbyteorder("="))
    return pd.DataFrame({**columns, "label": column})


def one_table(column, **options):
    return ac.score_table(frame(column, **ROWS, key=KEY), response="label", **options)


def partitions(column, **options):
    dd = pytest.importorskip("dask.dataframe")
    import dask
    from dask.delayed import delayed

    from arraycoref.interop.dask import score_table

    if isinstance(column, pa.Array | pa.ChunkedArray | pl.Series):  # partitions are frames of pandas
        column = pd.Series(list(column) if isinstance(column, pl.Series) else column.to_pylist())
    table = frame(column, **ROWS)
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        parts = [delayed(table.iloc[:2]), delayed(table.iloc[2:])]
        sides = dd.from_delayed(parts, meta=table.iloc[:0], verify_meta=False)
        return score_table(dd.from_pandas(pd.DataFrame(ROWS | {"label": KEY}), npartitions=1), sides, **options)


def labels(column, **options):
    return ac.score_labels(KEY, column, **options)


DOORS = pytest.mark.parametrize("door", [labels, one_table, partitions])
"""Arrays, tables, and tables in partitions; other doors convert as one of these does."""


@pytest.mark.filterwarnings("ignore:.*no document of the:arraycoref.ReadWarning")
@DOORS
def test_what_a_label_means(door):
    for column, (values, clusters) in MEANT.items():
        expected = ac.score([[0, 1], [2, 3, 4]], clusters, metrics="muc,bcub")
        with about(column):
            found = door(values, metrics="muc,bcub")
            for metric, counts in expected.counts.items():
                np.testing.assert_allclose(np.squeeze(found.counts[metric]), counts, rtol=1e-12)


def test_numbers_that_arrow_does_not_hold():
    huge = [2**70, 2**70, -1, 2**64, 2**64]
    expected = ac.score([[0, 1], [2, 3, 4]], ONE_LESS)["bcub"].f1
    for values in (huge, np.array(huge, object)):
        for door in (labels, one_table, partitions):
            assert door(values)["bcub"].f1 == pytest.approx(expected)


@DOORS
@pytest.mark.parametrize("columns", [WRONG, LOST])
def test_what_is_no_label(door, columns):
    reason = "which libraries write for a missing value; expected null, or -1" if columns is LOST else "expected"
    for column, values in columns.items():
        with about(column), pytest.raises(ac.InputError, match=reason):
            door(values)


def test_texts_that_no_label_has_do_not_matter():
    unused = pa.DictionaryArray.from_arrays([0, 0, 1, 1, 1], ["a", "b", "nan"])
    for column in (unused, pl.Series(["a", "a", "b", "b", "b"], dtype=pl.Enum(["nan", "a", "b"])), unused.to_pandas()):
        assert one_table(column)["bcub"].f1 == 1.0


def test_scikit_learn():
    """The same but for -1, which is noise in ``labels_pred`` and a label in ``labels_true``."""
    key = [[0, 1], [2, 3, 4]]
    for column, (values, clusters) in MEANT.items():
        with about(column):
            assert bcub_score(KEY, values, noise="absent") == pytest.approx(ac.score(key, clusters)["bcub"].f1)
    alone = ac.score(key, ALL)["bcub"].f1
    assert bcub_score(KEY, MINUS) == pytest.approx(alone)
    assert bcub_score(MINUS, KEY) == pytest.approx(alone)
    assert bcub_score([-5, -5, -1, 7, 7], [1, 1, 2, 3, 3]) == bcub_score(KEY, [-5, -5, -7, -7, -7]) == 1.0
    for values in (WRONG["fractions"], LOST["a list"]):
        for sides in ((KEY, values), (values, KEY)):
            with pytest.raises(ac.InputError, match="expected"):
                bcub_score(*sides)
