"""Parquet files that are larger than they may be, that hold other columns, or whose dictionaries hold more texts."""

import pytest
from click.testing import CliRunner

import arraycoref as ac
from alike import alike
from arraycoref.cli import main
from arraycoref.interop.tables import score_parquet

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SPAN = ["start", "end"]
LIMIT = "more than 9999 bytes; max_bytes=N or ARRAYCOREF_MAX_BYTES sets another limit"


def test_files(tmp_path):
    rows = {"document": ["b", "a", "a", "b"], "mention": ["x", "x", "y", "w"], "label": ["e1", "e1", "e1", "e2"]}
    key, other = pyarrow.table(rows), pyarrow.table(rows | {"label": [4, 4, 9, 4]})
    ours, theirs, folder, empty = (tmp_path / name for name in ("key.parquet", "response.pq", "spark", "empty.parquet"))
    parquet.write_table(key, ours, row_group_size=3)
    parquet.write_table(other, theirs)
    parquet.write_table(key.slice(0, 0), empty)
    expected = ac.score_table(key, other)
    assert alike(score_parquet(ours, str(theirs)), expected)
    assert alike(score_parquet([str(ours)], str(tmp_path / "*.pq")), expected)
    found = score_parquet(ours, empty, missing_documents="empty")
    assert (found.names, found["mentions"].recall) == (("b", "a"), 0)
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    for source, reason in [
        (tmp_path / "nothing.parquet", "No such file or directory"),
        (tmp_path / "bad.parquet", "bad.parquet: cannot be read as Parquet"),
        (folder, "spark: no file to read; those whose names begin with '_'"),
    ]:
        with pytest.raises(ac.ReadError, match=reason):
            score_parquet(ours, source)
    with pytest.raises(ac.ReadError, match="no row here, nor in the response"):  # a BLANC of 100
        score_parquet(empty, empty)


def test_columns(tmp_path):
    """``start`` and ``end``, as in CSV, where there is no ``mention``; other names are asked for."""
    path, other = str(tmp_path / "key.parquet"), str(tmp_path / "other.parquet")
    rows = {"document": ["x", "x", "y"], "start": [1, 2, 1], "end": [1, 4, 1], "label": ["e", "e", "f"]}
    parquet.write_table(pyarrow.table(rows), path)
    parquet.write_table(pyarrow.table(rows | {"end": [1, 2, 1], "label": [7, 7, 7]}), other)
    expected = ac.score_batch({"x": [[(1, 1), (2, 4)]], "y": [[(1, 1)]]}, {"x": [[(1, 1), (2, 2)]], "y": [[(1, 1)]]})
    results = [ac.score_table(path, other), ac.score_files(path, other), ac.score_table(path, other, mention=SPAN)]
    assert all(alike(each.counts, expected.counts) for each in results)
    for arguments in ([], ["--columns", "document,start+end,label"]):
        done = CliRunner().invoke(main, ["score", path, other, "-b", "mentions", *arguments])
        assert (done.exit_code, done.output) == (0, "66.67\n")
    parquet.write_table(pyarrow.table(rows).rename_columns(["book", "from", "to", "who"]), path)
    refused = CliRunner().invoke(main, ["score", path, path])
    assert (
        "has no column 'document'; expected one of: book, from, to, who; --columns [SIDE:]NAME,...: Columns of tables"
        in refused.stderr
    )


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
    """A text counts in each row, though the file holds it once."""
    key = str(tmp_path / "key.parquet")
    columns = {"document": [1] * 100, "mention": list(range(100)), "label": ["x" * 1000] * 100}
    parquet.write_table(pyarrow.table(columns), key)
    assert (tmp_path / "key.parquet").stat().st_size < 9_999
    assert score_parquet(key, key, max_bytes=200_000)["muc"].f1 == 1.0
    with pytest.raises(ac.ReadError, match=LIMIT):
        score_parquet(key, key, max_bytes=9_999)
    monkeypatch.setenv("ARRAYCOREF_MAX_BYTES", "9999")
    with pytest.raises(ac.ReadError, match=LIMIT):
        score_parquet(key, key)
    pytest.importorskip("dask.dataframe")
    from arraycoref.interop.dask import score_table

    with pytest.raises(ac.ReadError, match=LIMIT):
        score_table(key, key)


def test_columns_of_one_name(tmp_path):
    path = tmp_path / "key.parquet"
    columns = ["document", "mention", "label", "label"]
    parquet.write_table(pyarrow.table([[0, 0], [0, 1], [0, 1], [0, 0]], names=columns), path)
    with pytest.raises(ac.InputError, match="has 2 columns 'label'; expected one"):
        score_parquet(path, path)
