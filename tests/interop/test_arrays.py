"""Arrays of other libraries come in, without a copy where their memory is as NumPy has it."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.scoring.arrays import as_numpy
from arraycoref.scoring.clusterings import label_array
from arraycoref.sweeps import sweep

VALUES = [3, -1, 3, 7]


def shares(array, address):
    return array.__array_interface__["data"][0] == address


def test_numpy_passes():
    array = np.array(VALUES)
    assert as_numpy(array) is array
    assert as_numpy(VALUES).tolist() == VALUES
    masked = np.ma.array(VALUES, mask=[False, False, True, False])
    assert as_numpy(masked).tolist() == [3, -1, -1, 7]
    assert np.shares_memory(as_numpy(np.ma.array(array)), array)
    assert np.isnan(as_numpy(np.ma.array([0.5], mask=[True])))


def test_pandas():
    pandas = pytest.importorskip("pandas")
    array = np.array(VALUES)
    assert np.shares_memory(as_numpy(pandas.Series(array, copy=False)), array)
    assert as_numpy(pandas.Series([3, None], dtype="Int64")).tolist() == [3, -1]
    assert as_numpy(pandas.Series([3, 4], dtype="Int32")).dtype == np.int32
    assert as_numpy(pandas.Series([3, None])).dtype == np.float64
    assert label_array(pandas.Series([3, None]), "key").tolist() == [3, -1]
    assert as_numpy(pandas.Series(["a"], dtype="string")).tolist() == ["a"]
    with pytest.raises(ac.InputError, match="is a table"):
        as_numpy(pandas.DataFrame({"a": [1]}))
    assert as_numpy(pandas.Index([1, 2])).tolist() == [1, 2]


def test_polars():
    polars = pytest.importorskip("polars")
    series = polars.Series(VALUES)
    array = as_numpy(series, "key")
    assert array.tolist() == VALUES
    assert np.shares_memory(array, series.to_numpy(allow_copy=False))
    assert as_numpy(polars.Series([3, None])).tolist() == [3, -1]
    assert as_numpy(polars.Series([0.5, None])).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
    with pytest.raises(ac.InputError, match="is a table"):
        as_numpy(polars.DataFrame({"a": [1]}))


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    array = pyarrow.array(VALUES)
    assert shares(as_numpy(array), array.buffers()[1].address)
    chunked = pyarrow.chunked_array([array])
    assert shares(as_numpy(chunked), array.buffers()[1].address)
    assert as_numpy(pyarrow.chunked_array([VALUES, VALUES])).tolist() == VALUES * 2
    assert as_numpy(pyarrow.array([3, None], pyarrow.int8())).tolist() == [3, -1]
    assert as_numpy(pyarrow.array([0.5])).tolist() == [0.5]
    assert as_numpy(pyarrow.array(["a", None])).tolist() == ["a", None]

    class Foreign:
        """Speaks the Arrow C interface and nothing else."""

        def __arrow_c_array__(self, requested_schema=None):
            return array.__arrow_c_array__(requested_schema)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return chunked.__arrow_c_stream__(requested_schema)

    assert shares(as_numpy(Foreign()), array.buffers()[1].address)
    assert as_numpy(Stream()).tolist() == VALUES


def test_dlpack_and_array():
    array = np.array(VALUES)

    class Tensor:
        def __dlpack__(self, **options):
            return array.__dlpack__(**options)

        def __dlpack_device__(self):
            return array.__dlpack_device__()

    class Elsewhere(Tensor):
        def __dlpack_device__(self):
            return (2, 0)

    class Old:
        def __array__(self, dtype=None, copy=None):
            return array

    class Gradient(Tensor):
        requires_grad = True

    assert np.shares_memory(as_numpy(Tensor()), array)
    assert np.shares_memory(as_numpy(Old()), array)
    with pytest.raises(ac.InputError, match=r"expected main memory"):
        as_numpy(Elsewhere(), "key")
    with pytest.raises(ac.InputError, match="gradient"):
        as_numpy(Gradient())


def test_torch():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(VALUES)
    assert shares(as_numpy(tensor), tensor.data_ptr())
    assert as_numpy(torch.tensor([VALUES, VALUES])).shape == (2, 4)
    with pytest.raises(ac.InputError, match="gradient"):
        as_numpy(torch.zeros(2, requires_grad=True))
    found = sweep(torch.tensor([0, 0, 1]), torch.tensor([[0, 0, 1], [0, 1, 1]]), metrics="muc")
    assert found["muc"].f1.tolist() == [1, 0]


def test_jax():
    numpy = pytest.importorskip("jax.numpy")
    array = numpy.array(VALUES)
    assert as_numpy(array).tolist() == VALUES
    assert shares(as_numpy(array), array.unsafe_buffer_pointer())
    found = sweep(numpy.array([0, 0, 1]), numpy.array([[0, 0, 1], [0, 1, 1]]), metrics="muc")
    assert found["muc"].f1.tolist() == [1, 0]
