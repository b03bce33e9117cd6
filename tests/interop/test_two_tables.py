"""Key and response in tables of their own: frames of three libraries, Parquet files."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import arraycoref as ac
from alike import alike
from arraycoref.cli import main
from arraycoref.interop.tables import score_parquet

pyarrow = pytest.importorskip("pyarrow")

KEY = {"document": ["b", "a", "a", "b"], "mention": ["x", "x", "y", "w"], "label": ["e1", "e1", "e1", "e2"]}
RESPONSE = {"document": ["a", "a", "b", "a"], "mention": ["x", "z", "w", "y"], "label": [4, 4, 9, 4]}
CLUSTERS = {"b": [["x"], ["w"]], "a": [["x", "y"]]}, {"b": [["w"]], "a": [["x", "y", "z"]]}


@pytest.fixture(scope="module")
def expected():
    return ac.score_batch(*CLUSTERS)


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def frame(request):
    module = pytest.importorskip(request.param)
    return module.table if request.param == "pyarrow" else module.DataFrame


@pytest.fixture
def files(tmp_path):
    import pyarrow.parquet as pq

    paths = []
    for name, table in (("key.parquet", KEY), ("response.pq", RESPONSE)):
        paths.append(str(tmp_path / name))
        pq.write_table(pyarrow.table(table), paths[-1], row_group_size=3)
    return paths


def test_frames(frame, expected):
    found = ac.score_table(frame(KEY), frame(RESPONSE))
    assert alike(found, expected)
    assert found.names == ("b", "a")
    names = {"document": "d", "mention": "m", "label": "l"}
    renamed = [frame({names[name]: values for name, values in table.items()}) for table in (KEY, RESPONSE)]
    options = {"metrics": "muc,blanc", "singletons": "drop", "beta": 2.0}
    found = ac.score_table(*renamed, document="d", mention=["m"], label="l", **options)
    assert alike(found.corpus["muc"], ac.score_batch(*CLUSTERS, **options).corpus["muc"])


def test_categories(frame, expected):
    pandas = pytest.importorskip("pandas")
    key = pandas.DataFrame(KEY).astype("category")
    assert alike(ac.score_table(key, frame(RESPONSE)), expected)


def test_dictionaries_with_what_they_should_not_have(expected):
    """A text twice in the dictionary, and a null in it."""
    documents = pyarrow.DictionaryArray.from_arrays([0, 1, 3, 2], ["b", "a", "b", "a"])
    assert alike(ac.score_table(pyarrow.table(KEY | {"document": documents}), pyarrow.table(RESPONSE)), expected)
    documents = pyarrow.DictionaryArray.from_arrays([0, 1, 2, 0], ["b", "a", None])
    with pytest.raises(ac.InputError, match="the key's table: row 2 has no value in column 'document'"):
        ac.score_table(pyarrow.table(KEY | {"document": documents}), pyarrow.table(RESPONSE))


def test_one_document(frame):
    key, response = frame({"mention": [1, 2, 3], "label": [0, 0, 1]}), frame({"mention": [3, 2, 9], "label": [5, 6, 5]})
    found = ac.score_table(key, response, document=None)
    assert found.document_names is None
    assert alike(found, ac.score_batch([[[1, 2], [3]]], [[[3, 9], [2]]]))


def test_documents_on_one_side():
    frame = pyarrow.table
    more = {name: [*values, values[0]] for name, values in KEY.items()} | {"document": [*KEY["document"], "c"]}
    with pytest.raises(ac.DocumentMismatchError, match=r"the response lacks 1 of 3 documents \('c'\) of the key"):
        ac.score_table(frame(more), frame(RESPONSE))
    with pytest.raises(ac.DocumentMismatchError, match=r"the key lacks 1 of 3 documents \('c'\) of the response"):
        ac.score_table(frame(RESPONSE), frame(more))
    assert ac.score_table(frame(more), frame(RESPONSE), missing_documents="skip").names == ("b", "a")
    found = ac.score_table(frame(more), frame(RESPONSE), missing_documents="empty")
    assert found.names == ("b", "a", "c")
    assert found["c"]["mentions"].recall_den == 1
    assert len(ac.score_table(frame(RESPONSE), frame(more), extra_documents="ignore")) == 2


def test_errors():
    with pytest.raises(
        ac.InputError, match="the response's table has no column 'label'; expected one of: document, ment"
    ):
        ac.score_table(pyarrow.table(KEY), pyarrow.table({"document": ["a"], "mention": ["x"], "key": [0]}))
    with pytest.raises(ac.InputError, match="mention names no column"):
        ac.score_table(pyarrow.table(KEY), pyarrow.table(RESPONSE), mention=None)


def test_parquet(files, tmp_path, expected):
    assert alike(score_parquet(*files), expected)
    assert alike(score_parquet([files[0]], str(tmp_path / "*.pq"), threads=0), expected)
    with pytest.raises(ac.ReadError, match="No such file or directory"):
        score_parquet(files[0], tmp_path / "nothing.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ac.ReadError, match=r"bad.parquet: cannot be read as Parquet"):
        score_parquet(files[0], tmp_path / "bad.parquet")


def test_parquet_without_files_or_rows(files, tmp_path):
    """No document was scored, with a BLANC of 100 and status 0."""
    import pyarrow.parquet as pq

    folder, empty = tmp_path / "spark", tmp_path / "empty.parquet"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for path in (str(folder), folder.as_uri()):
        with pytest.raises(ac.ReadError, match="spark: no file to read; those whose names begin with '_'"):
            score_parquet(path, files[1])
    pq.write_table(pyarrow.table(KEY).slice(0, 0), empty)
    with pytest.raises(ac.ReadError, match=r"empty.parquet: no row here, nor in the response"):
        score_parquet(empty, empty)
    found = score_parquet(files[0], empty, missing_documents="empty")
    assert (found.names, found["mentions"].recall) == (("b", "a"), 0)


def test_command(files, expected):
    run = CliRunner().invoke(main, ["score", *files, "--columns", "document, mention ,label", "--format", "json"])
    assert json.loads(run.stdout)["scores"]["bcub"]["f1"] == expected["bcub"].f1
    run = CliRunner().invoke(main, ["score", *files, "--columns", "document+mention,label"])
    assert run.exit_code == 0


@pytest.mark.parametrize("grouped", [True, False])
def test_many_documents_in_ranges(grouped):
    """Large tables, sorted or not, against label vectors of the same mentions."""
    rng = np.random.default_rng(1)
    n_documents, n_mentions = 2_000, 60
    key, response = rng.integers(-1, 20, (2, n_documents * n_mentions))
    document, mention = np.repeat(np.arange(n_documents), n_mentions), np.tile(np.arange(n_mentions), n_documents)
    offsets = np.arange(0, key.size + 1, n_mentions)
    expected = ac.score_labels_batch(key, response, offsets, names=[str(d) for d in range(n_documents)])
    order = np.arange(key.size) if grouped else rng.permutation(key.size)
    columns = {"document": document[order], "mention": mention[order]}
    one = pyarrow.table(columns | {"key": key[order], "response": response[order]})
    two = [pyarrow.table(columns | {"label": labels[order]}) for labels in (key, response)]
    for tables in ([one], two):
        found = ac.score_table(*tables)
        if grouped and tables == [one]:
            assert alike(found, expected)
        place = np.argsort([int(name) for name in found.names])
        for metric, counts in expected.counts.items():
            np.testing.assert_allclose(found.counts[metric][place], counts, rtol=1e-12)
