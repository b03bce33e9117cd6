"""A label means the same in every door: doors x columns of every library and dtype, against clusters."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import compute, parquet

import arraycoref as ac
from arraycoref.interop.sklearn import bcub_score
from arraycoref.interop.tables import score_parquet
from marks import about

KEY = [0, 0, 1, 1, 1]
ROWS = {"document": ["d"] * 5, "mention": [3, 4, 5, 6, 7]}
NAN, BIG, HUGE = float("nan"), 2**64 - 1, 2**70
NULL = [0, 0, None, 3, 3]
MINUS = [0, 0, -1, 3, 3]
TEXTS = ["a", "a", None, "c", "c"]
NAMES = ["a", "a", "b", "c", "c"]

ONE_LESS = [[0, 1], [3, 4]]
"""Clusters of the mentions by position, where the third belongs to no entity."""
ALL = [[0, 1], [2], [3, 4]]

MEANT = {
    "int64": (np.array(MINUS), ONE_LESS),
    "int8, the other byte order": (np.array(MINUS, ">i2"), ONE_LESS),
    "list": (MINUS, ONE_LESS),
    "list with None": (NULL, ONE_LESS),
    "list with nan": ([0, 0, NAN, 3, 3], ONE_LESS),
    "list of floats": ([0.0, 0.0, -1.0, 3.0, 3.0], ONE_LESS),
    "floats": (np.array(MINUS, float), ONE_LESS),
    "half floats with nan": (np.array(NULL, np.float16), ONE_LESS),
    "objects": (np.array(MINUS, object), ONE_LESS),
    "objects of floats": (np.array([0, 0, -1.0, 3.0, 3], object), ONE_LESS),
    "objects with None": (np.array(NULL, object), ONE_LESS),
    "objects with NA": (np.array([0, 0, pd.NA, 3, 3], object), ONE_LESS),
    "objects with NaT": (np.array([0, 0, pd.NaT, 3, 3], object), ONE_LESS),
    "masked": (np.ma.array([0, 0, 9, 3, 3], mask=[0, 0, 1, 0, 0]), ONE_LESS),
    "masked floats": (np.ma.array([0, 0, 9.5, 3, 3], mask=[0, 0, 1, 0, 0]), ONE_LESS),
    "objects of texts": (np.array(TEXTS, object), ONE_LESS),
    "NumPy's texts": (np.array(NAMES), ALL),
    "uint64": (np.array([BIG, BIG, BIG - 1, 5, 5], np.uint64), ALL),
    "int64 past 2^53": (np.array([2**53, 2**53, 2**53 + 1, 2**62, 2**62]), ALL),
    "pandas floats": (pd.Series(NULL), ONE_LESS),
    "pandas Int64": (pd.Series(NULL, dtype="Int64"), ONE_LESS),
    "pandas Float32": (pd.Series(NULL, dtype="Float32"), ONE_LESS),
    "pandas UInt64": (pd.Series([BIG, BIG, None, 3, 3], dtype="UInt64"), ONE_LESS),
    "pandas Int64 past 2^53": (pd.Series([2**53, 2**53, -1, 2**53 + 1, 2**53 + 1], dtype="Int64"), ONE_LESS),
    "pandas of Arrow": (pd.Series(NULL, dtype="int8[pyarrow]"), ONE_LESS),
    "pandas floats of Arrow": (pd.Series(NULL, dtype="double[pyarrow]"), ONE_LESS),
    "pandas texts": (pd.Series(TEXTS, dtype="str"), ONE_LESS),
    "pandas string": (pd.Series(TEXTS, dtype="string"), ONE_LESS),
    "pandas texts of Arrow": (pd.Series(TEXTS, dtype="string[pyarrow]"), ONE_LESS),
    "pandas ArrowDtype of texts": (pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())), ONE_LESS),
    "pandas objects": (pd.Series(MINUS, dtype=object), ONE_LESS),
    "categories of -1": (pd.Series(MINUS, dtype="category"), ONE_LESS),
    "categories of -1.0": (pd.Series(MINUS, dtype=float).astype("category"), ONE_LESS),
    "categories with null": (pd.Series(NULL, dtype="Int64").astype("category"), ONE_LESS),
    "categories of texts": (pd.Series(TEXTS).astype("category"), ONE_LESS),
    "polars": (pl.Series(MINUS), ONE_LESS),
    "polars with null": (pl.Series(NULL, dtype=pl.UInt8), ONE_LESS),
    "polars floats": (pl.Series([0.0, 0.0, None, 3.0, 3.0]), ONE_LESS),
    "polars floats with nan": (pl.Series([0.0, 0.0, NAN, 3.0, 3.0]), ONE_LESS),
    "polars texts": (pl.Series(TEXTS), ONE_LESS),
    "polars categories": (pl.Series(TEXTS, dtype=pl.Categorical), ONE_LESS),
    "polars enum": (pl.Series(TEXTS, dtype=pl.Enum(["a", "c", "nan"])), ONE_LESS),
    "arrow": (pa.array(NULL), ONE_LESS),
    "arrow in pieces": (pa.chunked_array([NULL[:2], NULL[2:]], pa.int16()), ONE_LESS),
    "arrow floats": (pa.array([0.0, 0.0, None, 3.0, 3.0]), ONE_LESS),
    "arrow texts": (pa.array(TEXTS), ONE_LESS),
    "arrow string_view": (pa.array(TEXTS, pa.string_view()), ONE_LESS),
    "arrow dictionary": (pa.array(TEXTS).dictionary_encode(), ONE_LESS),
    "arrow dictionary of -1": (pa.array(MINUS).dictionary_encode(), ONE_LESS),
    "arrow dictionary with a null in it": (
        pa.DictionaryArray.from_arrays([0, 0, 1, 2, 2], ["a", None, "c"]),
        ONE_LESS,
    ),
    "arrow runs": (compute.run_end_encode(pa.array(NULL)), ONE_LESS),
    "arrow runs of texts": (compute.run_end_encode(pa.array(TEXTS)), ONE_LESS),
    "arrow nulls": (pa.nulls(5), []),
    "polars nulls": (pl.Series([None] * 5), []),
    "list of None": ([None] * 5, []),
}
NOT_IN_ARROW = {
    "objects of NumPy's": (np.array([np.int8(0), np.uint8(0), np.float32("nan"), np.int64(3), 3], object), ONE_LESS),
    "list": ([HUGE, HUGE, -1, 2**64, 2**64], ONE_LESS),
    "objects": (np.array([HUGE, HUGE, None, 2**64, 2**64], object), ONE_LESS),
}
WRONG = {
    "fractions": np.array([0, 0.5, 1, 1, 1]),
    "infinity": np.array([0, np.inf, 1, 1, 1]),
    "a list with infinity": [0, -np.inf, None, 1, 1],
    "rounded ids": np.array([2.0**53, 2.0**53, -1, 0, 0]),
    "rounded ids, float32": np.array([2.0**24, 1, -1, 0, 0], np.float32),
    "complex": np.array(MINUS, complex),
    "booleans": np.array([True, True, False, False, False]),
    "a list of booleans": [True, True, False, False, False],
    "pandas boolean": pd.Series([True, True, None, False, False], dtype="boolean"),
    "polars booleans": pl.Series([True, True, None, False, False]),
    "arrow booleans": pa.array([True, True, None, False, False]),
    "bytes": np.array([b"a", b"a", b"b", b"b", b"b"]),
    "arrow binary": pa.array([b"a", b"a", b"b", b"b", b"b"]),
    "dates": np.array(["2020-01-01"] * 5, "M8[s]"),
    "texts beside numbers": ["a", "a", 1, 1, 1],
    "objects of both": np.array(["a", "a", 1, 1, 1], object),
    "categories of both": pd.Series(["a", "a", 1, 1, 1], dtype="category"),
    "categories of fractions": pd.Series([0.5, 0.5, 1, 1, 1], dtype="category"),
    "pandas lists": pd.Series([[0], [0], [1], [1], [1]]),
    "polars lists": pl.Series([[0], [0], [1], [1], [1]]),
    "arrow lists": pa.array([[0], [0], [1], [1], [1]]),
    "arrow lists in pandas": pd.Series([[0]] * 5, dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "polars objects": pl.Series([{1}, {1}, {2}, {2}, {2}], dtype=pl.Object),
    "decimals": pa.array(MINUS).cast(pa.decimal128(20)),
    "intervals": pd.Series(pd.interval_range(0, 5)),
    "periods": pd.Series(pd.period_range("2020", periods=5)),
}
LOST = {
    "a list": ["a", "a", None, "-1", "-1"],
    "objects": np.array(["a", "a", "", "b", "b"], object),
    "NumPy's texts": np.array(["a", "a", "nan", "b", "b"]),
    "pandas texts": pd.Series(["a", "a", "None", "b", "b"]),
    "pandas string": pd.Series(["a", "a", None, "<NA>", "b"], dtype="string"),
    "pandas categories": pd.Series(["a", "a", "NaT", None, "b"], dtype="category"),
    "polars texts": pl.Series(["a", "a", None, "-1.0", "b"]),
    "polars categories": pl.Series(["a", "a", "nan", "b", None], dtype=pl.Categorical),
    "arrow texts": pa.array(["a", "a", "null", None, "b"]),
    "arrow in pieces": pa.chunked_array([["a", "a"], [None, "-1", "b"]]),
    "arrow dictionary": pa.array(["a", "a", "-1", None, "b"]).dictionary_encode(),
}
"""Texts as which libraries write that there is no value."""
BELOW = {
    "int64": np.array([0, 0, -2, 3, 3]),
    "floats": np.array([0, 0, -2.0, 3, 3]),
    "objects": np.array([0, 0, -2, 3, 3], object),
    "categories": pd.Series([0, 0, -2, 3, 3], dtype="category"),
    "polars": pl.Series([0, 0, -2, 3, None]),
    "arrow": pa.array([0, 0, -2, None, 3]),
}


class NotHereError(Exception):
    """A door takes no columns of this kind."""


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
    table = frame(column, **ROWS, key=KEY)
    return ac.score_table(table, response="label", **options)


def two_tables(column, **options):
    return ac.score_table(pa.table(ROWS | {"label": KEY}), frame(column, **ROWS), **options)


def files(column, folder, **options):
    table = frame(column, **ROWS)
    if isinstance(table, pa.Table) and pa.types.is_run_end_encoded(table["label"].type):
        raise NotHereError("Parquet files have no runs of this kind")
    try:
        if isinstance(table, pa.Table):
            parquet.write_table(table, folder / "response.parquet")
        elif isinstance(table, pl.DataFrame):
            table.write_parquet(folder / "response.parquet")
        else:
            table.to_parquet(folder / "response.parquet")
    except Exception as error:  # of PyArrow, of polars
        raise NotHereError("no Parquet file can be made of it") from error
    parquet.write_table(pa.table(ROWS | {"label": KEY}), folder / "key.parquet")
    return score_parquet(folder / "key.parquet", folder / "response.parquet", **options)


def partitions(column, folder, **options):
    pytest.importorskip("dask.dataframe")
    import dask
    import dask.dataframe as dd
    from dask.delayed import delayed

    from arraycoref.interop.dask import score_table

    table = frame(column, **ROWS)
    if not isinstance(table, pd.DataFrame):
        raise NotHereError("Dask's partitions are frames of pandas")
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        parts = [delayed(table.iloc[:2]), delayed(table.iloc[2:])]
        sides = dd.from_delayed(parts, meta=table.iloc[:0], verify_meta=False)
        return score_table(dd.from_pandas(pd.DataFrame(ROWS | {"label": KEY}), npartitions=1), sides, **options)


def accumulated(column, **options):
    accumulator = ac.Accumulator(keep_documents=True, **options)
    accumulator.update(np.array(KEY), column)
    return accumulator.documents()


def matrix(column, **options):
    if isinstance(column, list | pl.Series | pa.Array | pa.ChunkedArray | pd.Series):
        raise NotHereError("no library has matrices of these")
    return ac.sweep(np.array(KEY), column.reshape(1, 5), **options)[0]


DOORS = {
    "score_labels": lambda column, _, **options: ac.score_labels(KEY, column, **options),
    "score_labels_batch": lambda column, _, **options: ac.score_labels_batch(KEY, column, [0, 2, 5], **options),
    "score_table": lambda column, _, **options: one_table(column, **options),
    "two tables": lambda column, _, **options: two_tables(column, **options),
    "Parquet": files,
    "Dask": partitions,
    "Accumulator": lambda column, _, **options: accumulated(column, **options),
    "sweep": lambda column, _, **options: ac.sweep(KEY, [column], **options)[0],
    "sweep of a matrix": lambda column, _, **options: matrix(column, **options),
}
THROUGH_ARROW = ("Parquet", "Dask")
"""Doors whose columns go through Arrow, since the entities of several parts are known by their labels."""


def clusters(positions, offsets=(0, 5)):
    """Documents of clusters, in the ranges of positions."""
    return [
        [inside for cluster in positions if (inside := [m for m in cluster if first <= m < last])]
        for first, last in pairwise(offsets)
    ]


@pytest.mark.filterwarnings("ignore:.*no document of the:arraycoref.ReadWarning")
@pytest.mark.parametrize("door", DOORS)
def test_what_a_label_means(door, tmp_path):
    offsets, taken = (0, 2, 5) if door == "score_labels_batch" else (0, 5), 0
    for column, (labels, positions) in MEANT.items():
        sides = [clusters(side, offsets) for side in ([[0, 1], [2, 3, 4]], positions)]
        expected = ac.score_batch(*sides, metrics="muc,bcub")
        with about(column), suppress(NotHereError):
            found = DOORS[door](labels, tmp_path, metrics="muc,bcub")
            for metric, counts in expected.counts.items():
                np.testing.assert_allclose(np.atleast_2d(found.counts[metric]), counts, rtol=1e-12)
            taken += 1
    assert taken > 10


@pytest.mark.parametrize("door", DOORS)
def test_what_arrow_does_not_hold(door, tmp_path):
    for column, (labels, positions) in NOT_IN_ARROW.items():
        with about(column), suppress(NotHereError):
            if door in THROUGH_ARROW:
                with pytest.raises(ac.ArraycorefError, match="whole numbers or texts"):
                    DOORS[door](labels, tmp_path)
                continue
            expected = ac.score([[0, 1], [2, 3, 4]], positions, metrics="bcub")["bcub"].precision
            if door == "score_labels_batch":
                expected = 1.0
            assert DOORS[door](labels, tmp_path, metrics="bcub")["bcub"].precision == pytest.approx(expected)


@pytest.mark.parametrize("door", DOORS)
def test_what_means_nothing(door, tmp_path):
    refused = 0
    for column, labels in {**WRONG, **{f"below -1: {kind}": labels for kind, labels in BELOW.items()}}.items():
        with about(column), suppress(NotHereError):
            with pytest.raises(ac.InputError, match=r"expected|one column") as caught:
                DOORS[door](labels, tmp_path)
            assert len(str(caught.value)) < 500
            refused += 1
    assert refused > 5


@pytest.mark.parametrize("door", DOORS)
def test_a_missing_value_that_was_made_a_text(door, tmp_path):
    refused = 0
    for column, labels in LOST.items():
        with about(column), suppress(NotHereError):
            with pytest.raises(ac.InputError, match="which libraries write for a missing value; expected null, or -1"):
                DOORS[door](labels, tmp_path)
            refused += 1
    assert refused > 1


def test_texts_that_no_label_has_do_not_matter():
    unused = pa.DictionaryArray.from_arrays([0, 0, 1, 1, 1], ["a", "b", "nan"])
    columns = unused, pl.Series(["a", "a", "b", "b", "b"], dtype=pl.Enum(["nan", "a", "b"])), unused.to_pandas()
    for column in columns:
        assert one_table(column)["bcub"].f1 == two_tables(column)["bcub"].f1 == 1.0


def test_scikit_learn():
    """The same but for -1, which is noise in ``labels_pred`` and a label in ``labels_true``."""
    key = [[0, 1], [2, 3, 4]]
    for column, (labels, positions) in [*MEANT.items(), *NOT_IN_ARROW.items()]:
        with about(column):
            assert bcub_score(KEY, labels, noise="absent") == pytest.approx(ac.score(key, positions)["bcub"].f1)
            alone = [*positions, [2]] if minus_one(labels) else positions
            assert bcub_score(KEY, labels) == pytest.approx(ac.score(key, alone)["bcub"].f1)
            assert bcub_score(labels, KEY) == pytest.approx(ac.score(alone, key)["bcub"].f1)


def minus_one(labels):
    """Whether the third label is -1 as a number."""
    values = labels.to_pylist() if hasattr(labels, "to_pylist") else list(labels)
    return values[2] is not np.ma.masked and not pd.isna(values[2]) and values[2] == -1


def test_scikit_learn_refuses():
    for column, labels in [*WRONG.items(), *LOST.items()]:
        for sides in ((KEY, labels), (labels, KEY)):
            with about(column), pytest.raises(ac.InputError, match="expected"):
                bcub_score(*sides)


def test_scikit_learn_takes_any_number():
    assert bcub_score([-5, -5, -1, 7, 7], [1, 1, 2, 3, 3]) == 1.0
    assert bcub_score(KEY, [-5, -5, -7, -7, -7]) == 1.0


def test_an_outer_merge_of_pandas_makes_floats_of_integers():
    key = pd.DataFrame({"mention": [1, 2, 3], "key": [0, 0, -1]})
    response = pd.DataFrame({"mention": [1, 2, 4], "response": [5, 5, -1]})
    merged = key.merge(response, how="outer")
    assert merged["key"].dtype == float
    found = ac.score_table(merged, document=None)["mentions"]
    assert (found.recall_num, found.recall_den, found.precision_den) == (2, 2, 2)
