"""Labels that fit no 64 bits, beside missing ones: entities, and never an absent mention."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.errors import InputError
from arraycoref.scoring.labels import antecedent_labels

BIG = 2**64 - 1
MISSING = {
    "masked": lambda value: np.ma.masked_array(np.array([0, 7, value], np.uint64), [False, True, False]),
    "pandas": lambda value: pd.array([0, None, value], dtype="UInt64"),
    "series": lambda value: pd.Series([0, None, value], dtype="UInt64"),
    "pandas of arrow": lambda value: pd.Series([0, None, value], dtype="uint64[pyarrow]"),
    "polars": lambda value: pl.Series([0, None, value], dtype=pl.UInt64),
    "pyarrow": lambda value: pa.array([0, None, value], pa.uint64()),
    "chunked": lambda value: pa.chunked_array([pa.array([0, None], pa.uint64()), pa.array([value], pa.uint64())]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_labels_past_64_bits_beside_missing_ones(kind):
    response = [0, 0, 0]
    expected = ac.score_labels([0, -1, 5], response)
    assert alike(ac.score_labels(MISSING[kind](5), response), expected)
    assert alike(ac.score_labels(MISSING[kind](2**63 - 1), response), expected)
    for value in (BIG, 2**63):
        assert alike(ac.score_labels(MISSING[kind](value), response), expected)


@pytest.mark.parametrize("labels", [[[0], [1, 2]], {"a": 1}, iter([1]), "ab", [None, "a", 1], [2**70, 1.5]])
def test_what_makes_no_labels(labels):
    with pytest.raises(InputError, match="key"):
        ac.score_labels(labels, [0, 1])


def test_antecedents_past_64_bits():
    with pytest.raises(InputError, match="mention 1 has antecedent 18446744073709551615; expected -1 or"):
        antecedent_labels(np.array([0, BIG], np.uint64))
    assert antecedent_labels(np.array([0, 0], np.uint64)).tolist() == [0, 0]
