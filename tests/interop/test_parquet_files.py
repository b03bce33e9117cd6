"""Parquet files that are larger than they may be, that hold other columns, or whose dictionaries hold more texts."""

import struct

import numpy as np
import pytest
from click.testing import CliRunner

import arraycoref as ac
from alike import alike
from arraycoref.cli import main
from arraycoref.interop.tables import score_parquet

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

N_DOCUMENTS, N_MENTIONS = 64, 50


def write(path, **options):
    """Sorted documents, two in a row group."""
    document = np.repeat(np.arange(N_DOCUMENTS), N_MENTIONS)
    mention = np.tile(np.arange(N_MENTIONS), N_DOCUMENTS)
    table = pyarrow.table({"document": document, "mention": mention, "label": mention % 7})
    parquet.write_table(table, path, row_group_size=2 * N_MENTIONS, **options)
    return path


def change_footer(path, change):
    """Apply a function to the bytes of a file's footer."""
    data = path.read_bytes()
    at = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    footer = change(data[at:-8])
    assert len(footer) == len(data) - at - 8
    assert footer != data[at:-8]
    path.write_bytes(data[:at] + footer + data[-8:])


def number(value, length=None):
    """A whole number as Thrift's compact protocol writes it, in so many bytes."""
    left, found = 2 * value, []
    while left >= 128 or (length is not None and len(found) + 1 < length):
        found.append(left % 128 | 128)
        left //= 128
    return bytes([*found, left])


def test_a_dictionary_may_hold_more_than_is_used(tmp_path):
    """Texts of other row groups in a dictionary are no contradiction."""
    whole = pyarrow.array([f"d{d}" for d in range(10) for _ in range(20)]).dictionary_encode()
    mention = pyarrow.array(list(range(20)) * 10)
    table = pyarrow.table({"document": whole, "mention": mention, "label": mention})
    parquet.write_table(table, tmp_path / "key.parquet", row_group_size=40)
    plain = table.set_column(0, "document", whole.dictionary_decode())
    found = score_parquet(tmp_path / "key.parquet", tmp_path / "key.parquet")
    assert alike(found, ac.score_table(plain, plain))


def test_more_bytes_than_a_file_may_hold(tmp_path, monkeypatch):
    key = write(tmp_path / "key.parquet")
    held = 3 * 8 * N_DOCUMENTS * N_MENTIONS
    assert key.stat().st_size < held
    assert len(score_parquet(key, key, max_bytes=2 * held)) == N_DOCUMENTS
    expected = "more than 9999 bytes; max_bytes=N or ARRAYCOREF_MAX_BYTES sets another limit"
    with pytest.raises(ac.ReadError, match=expected):
        score_parquet(key, key, max_bytes=9_999)
    with pytest.raises(ac.InputError, match="max_bytes is 0"):
        score_parquet(key, key, max_bytes=0)
    done = CliRunner().invoke(main, ["score", str(key), str(key), "--max-bytes", "9999"])
    assert (done.exit_code, "more than 9999 bytes; --max-bytes N or" in done.stderr) == (1, True)
    assert CliRunner().invoke(main, ["score", str(key), str(key), "--max-bytes", "999999"]).exit_code == 0
    monkeypatch.setenv("ARRAYCOREF_MAX_BYTES", "9999")
    with pytest.raises(ac.ReadError, match=expected):
        score_parquet(key, key)
    done = CliRunner().invoke(main, ["score", str(key), str(key)])
    assert (done.exit_code, "more than 9999 bytes" in done.stderr) == (1, True)
    assert len(score_parquet(key, key, max_bytes=10**6)) == N_DOCUMENTS


def test_limits_of_dask(tmp_path):
    pytest.importorskip("dask.dataframe")
    from arraycoref.interop.dask import score_table

    key = write(tmp_path / "key.parquet")
    with pytest.raises(ac.ReadError, match="more than 9999 bytes"):
        score_table(str(key), str(key), max_bytes=9_999)


def test_sizes_that_lie(tmp_path):
    """The footer says that texts take some bytes; the limit holds while they are read."""
    labels = [f"{n:03d}" * 4000 for n in range(100)]
    path = tmp_path / "key.parquet"
    table = pyarrow.table({"document": [0] * 100, "mention": list(range(100)), "label": labels})
    parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    size = parquet.read_metadata(path).row_group(0).column(2).total_uncompressed_size
    assert size > 10**6
    change_footer(path, lambda text: text.replace(number(size), number(500, len(number(size)))))
    assert parquet.read_metadata(path).row_group(0).column(2).total_uncompressed_size == 500
    with pytest.raises(ac.ReadError, match="more than 100000 bytes"):
        score_parquet(path, path, max_bytes=10**5)


def test_columns_of_one_name_and_of_lists(tmp_path):
    path = tmp_path / "key.parquet"
    rows = [[0, 0], [0, 1], [0, 1]]
    parquet.write_table(pyarrow.table([*rows, [0, 0]], names=["document", "mention", "label", "label"]), path)
    with pytest.raises(ac.InputError, match="has 2 columns 'label'; expected one"):
        score_parquet(path, path)
    parquet.write_table(pyarrow.table({"document": [[0], [1]], "mention": [0, 1], "label": [0, 0]}), path)
    with pytest.raises(ac.InputError, match="column 'document' has dtype List"):
        score_parquet(path, path)
