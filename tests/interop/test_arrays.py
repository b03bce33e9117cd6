"""Arrays of other libraries come in, without a copy where their memory is as NumPy has it."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.scoring.labels import as_numpy, label_array

VALUES = [3, -1, 3, 7]


def shares(array, address):
    return array.__array_interface__["data"][0] == address


def test_numpy_passes():
    array = np.array(VALUES)
    assert np.shares_memory(label_array(array, "key"), array)
    masked = np.ma.array(VALUES, mask=[False, False, True, False])
    assert as_numpy(masked).tolist() == label_array(masked, "key").tolist() == [3, -1, -1, 7]


def test_columns():
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    array, series, column = np.array(VALUES), polars.Series(VALUES), pyarrow.array(VALUES)
    assert np.shares_memory(label_array(pandas.Series(array, copy=False), "key"), array)
    assert np.shares_memory(label_array(series, "key"), series.to_numpy(allow_copy=False))
    for chunked in (column, pyarrow.chunked_array([column])):
        assert shares(label_array(chunked, "key"), column.buffers()[1].address)
    with pytest.raises(ac.InputError, match="key is a table"):
        ac.score_labels(polars.DataFrame({"a": [1], "b": [1]}), [1])


def test_tensors():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(VALUES)
    assert shares(label_array(tensor, "key"), tensor.data_ptr())
    with pytest.raises(ac.InputError, match="requires grad"):
        ac.score_labels(torch.zeros(2, requires_grad=True), [0, 0])
    found = ac.sweep(torch.tensor([0, 0, 1]), torch.tensor([[0, 0, 1], [0, 1, 1]]), metrics="muc")
    assert found["muc"].f1.tolist() == [1, 0]
