"""Parquet files that are larger than they may be, and footers that do not say what the files hold."""

import re
import struct
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.interop.parquet import list_row_groups, score_parquet
from arraycoref.read.table_shapes import Names

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.usefixtures("many_tasks")

N_DOCUMENTS, N_MENTIONS = 64, 50


def write(path, name=lambda d: d, **options):
    """Sorted documents, two in a row group."""
    document = np.repeat([name(d) for d in range(N_DOCUMENTS)], N_MENTIONS)
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


def replace_nth(text, old, new, n):
    """Replace one occurrence."""
    at = -1
    for _ in range(n + 1):
        at = text.index(old, at + 1)
    return text[:at] + new + text[at + len(old) :]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "bounds", "claimed"),
    [
        (lambda d: d, (struct.pack("<q", 62), struct.pack("<q", 63)), (struct.pack("<q", 10), struct.pack("<q", 11))),
        (lambda d: f"d{d:02d}", (b"d62", b"d63"), (b"d10", b"d11")),
    ],
    ids=["numbers", "texts"],
)
def test_bounds_that_lie(tmp_path, threads, kind, bounds, claimed):
    key = write(tmp_path / "key.parquet", kind)
    response = write(tmp_path / "response.parquet", kind)
    expected = score_parquet(key, response, threads=threads)
    assert len(expected) == N_DOCUMENTS
    change_footer(response, lambda text: text.replace(bounds[0], claimed[0]).replace(bounds[1], claimed[1]))
    for sides in ((key, response), (response, key), (response, response)):
        with pytest.raises(
            ac.ReadError, match=r"row group 31 has '?d?62'? in column 'document', and the footer says"
        ) as caught:
            score_parquet(*sides, threads=threads)
        assert caught.value.path == str(response)
    change_footer(key, lambda text: text.replace(bounds[0], b"\x7f" * len(bounds[0])))
    with pytest.raises(ac.ReadError, match=r"row group 31 has the bounds .* in column 'document'"):
        score_parquet(key, key, threads=threads)


def test_bounds_that_lie_to_dask(tmp_path):
    pytest.importorskip("dask.dataframe")
    import dask

    from arraycoref.interop.dask import score_table

    key = write(tmp_path / "key.parquet")
    change_footer(key, lambda text: text.replace(struct.pack("<q", 62), struct.pack("<q", 63)))
    for n in (1, 3):
        with (
            dask.config.set(scheduler="threads", num_workers=n),
            pytest.raises(ac.ReadError, match="row group 31 has 62"),
        ):
            score_table(str(key), str(key))


def test_a_dictionary_may_hold_more_than_is_used(tmp_path):
    """Texts of other row groups in a dictionary are no contradiction."""
    whole = pyarrow.array([f"d{d}" for d in range(10) for _ in range(20)]).dictionary_encode()
    mention = pyarrow.array(list(range(20)) * 10)
    table = pyarrow.table({"document": whole, "mention": mention, "label": mention})
    parquet.write_table(table, tmp_path / "key.parquet", row_group_size=40)
    plain = table.set_column(0, "document", whole.dictionary_decode())
    assert score_parquet(tmp_path / "key.parquet", tmp_path / "key.parquet") == ac.score_table(plain, plain)


@pytest.mark.parametrize("count", [2 * N_MENTIONS - 1, 2 * N_MENTIONS + 1])
def test_row_counts_that_lie(tmp_path, count):
    """Each count of the first row groups changed by itself: an error, or a count that makes no difference."""
    whole = write(tmp_path / "whole.parquet")
    expected, refused = score_parquet(whole, whole), Counter[str]()
    for n in range(14):
        key = tmp_path / "key.parquet"
        key.write_bytes(whole.read_bytes())
        change_footer(key, lambda text, n=n: replace_nth(text, number(2 * N_MENTIONS), number(count, 2), n))
        found = [outcome(key, threads) for threads in (1, 2, 3)]
        assert found[0] == found[1] == found[2]
        if found[0] != expected:
            refused[re.search(r"row group (\d+) has \d+ values .* says \d+ rows", found[0])[1]] += 1
    assert refused["0"] == refused["1"] == 4  # the rows and three columns; further counts are of statistics


def outcome(path, threads):
    """The scores of a file and itself, or what its error says."""
    try:
        return score_parquet(path, path, threads=threads)
    except ac.ReadError as error:
        return str(error)


def test_a_row_count_of_the_file_that_lies(tmp_path):
    key = write(tmp_path / "key.parquet")
    total = N_DOCUMENTS * N_MENTIONS
    change_footer(key, lambda text: replace_nth(text, number(total), number(total - 1), 0))
    with pytest.raises(ac.ReadError, match=f"the row groups hold {total} rows, and the footer says {total - 1}"):
        score_parquet(key, key)


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


def test_without_a_limit_there_is_one(tmp_path, monkeypatch):
    """Three numbers of 8 bytes in each row, however well they are packed."""
    rows = np.zeros(10**6, np.int64)
    path = tmp_path / "key.parquet"
    parquet.write_table(pyarrow.table({"document": rows, "mention": rows, "label": rows}), path)
    monkeypatch.setattr("arraycoref.interop.parquet.PLENTY", 10**6)
    assert path.stat().st_size * 200 < 24 * 10**6
    with pytest.raises(ac.ReadError, match="more than "):
        list_row_groups(path, Names(), "key", None)
    monkeypatch.setattr("arraycoref.interop.parquet.RATIO", 10**6)
    assert len(list_row_groups(path, Names(), "key", None)) == 1


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
    assert list_row_groups(path, Names(), "key", None, 10**5)
    with pytest.raises(ac.ReadError, match="more than 100000 bytes"):
        score_parquet(path, path, max_bytes=10**5)


def test_columns_of_one_name_and_of_lists(tmp_path):
    path = tmp_path / "key.parquet"
    rows = [[0, 0], [0, 1], [0, 1]]
    parquet.write_table(pyarrow.table([*rows, [0, 0]], names=["document", "mention", "label", "label"]), path)
    with pytest.raises(ac.InputError, match="has 2 columns 'label'; expected one"):
        score_parquet(path, path)
    parquet.write_table(pyarrow.table({"document": [[0], [1]], "mention": [0, 1], "label": [0, 0]}), path)
    with pytest.raises(ac.InputError, match="column 'document' has type list"):
        score_parquet(path, path)
