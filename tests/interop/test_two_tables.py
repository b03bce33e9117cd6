"""Key and response in tables of their own, in memory: frames of three libraries, Parquet files, the command."""

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
    found = ac.score_table(*renamed, document="d", mention=["m"], label="l", threads=2, **options)
    assert alike(found.corpus["muc"], ac.score_batch(*CLUSTERS, **options).corpus["muc"])


def test_categories(frame, expected):
    pandas = pytest.importorskip("pandas")
    key = pandas.DataFrame(KEY).astype("category")
    assert alike(ac.score_table(key, frame(RESPONSE)), expected)


def test_dictionaries_with_what_they_should_not_have(expected):
    """A text twice in the dictionary, and a null in it."""
    documents = pyarrow.DictionaryArray.from_arrays([0, 1, 3, 2], ["b", "a", "b", "a"])
    key = pyarrow.table(KEY | {"document": documents})
    assert alike(ac.score_table(key, pyarrow.table(RESPONSE)), expected)
    documents = pyarrow.DictionaryArray.from_arrays([0, 1, 2, 0], ["b", "a", None])
    with pytest.raises(ac.InputError, match="the key's table: row 2 has no value in column 'document'"):
        ac.score_table(pyarrow.table(KEY | {"document": documents}), pyarrow.table(RESPONSE))


def test_one_document(frame):
    key, response = frame({"mention": [1, 2, 3], "label": [0, 0, 1]}), frame({"mention": [3, 2, 9], "label": [5, 6, 5]})
    found = ac.score_table(key, response, document=None)
    assert found.document_names is None
    assert alike(found, ac.score_batch([[[1, 2], [3]]], [[[3, 9], [2]]]))


def test_documents_on_one_side(frame):
    more = {name: [*values, values[0]] for name, values in KEY.items()} | {"document": [*KEY["document"], "c"]}
    with pytest.raises(ac.DocumentMismatchError, match=r"the response lacks 1 of 3 documents \('c'\) of the key"):
        ac.score_table(frame(more), frame(RESPONSE))
    with pytest.raises(ac.DocumentMismatchError, match=r"the key lacks 1 of 3 documents \('c'\) of the response"):
        ac.score_table(frame(RESPONSE), frame(more))
    assert ac.score_table(frame(more), frame(RESPONSE), missing_documents="skip").counts["muc"].shape == (2, 4)
    found = ac.score_table(frame(more), frame(RESPONSE), missing_documents="empty")
    assert found.names == ("b", "a", "c")
    assert found["c"]["mentions"].recall_den == 1
    assert len(ac.score_table(frame(RESPONSE), frame(more), extra_documents="ignore")) == 2


def test_errors(frame):
    with pytest.raises(
        ac.InputError, match="the response's table has no column 'label'; expected one of: document, ment"
    ):
        ac.score_table(frame(KEY), frame({"document": ["a"], "mention": ["x"], "key": [0]}))
    with pytest.raises(ac.InputError, match="mention names no column"):
        ac.score_table(frame(KEY), frame(RESPONSE), mention=None)


def test_parquet(files, tmp_path, expected):
    assert alike(score_parquet(*files), expected)
    assert alike(score_parquet([files[0]], str(tmp_path / "*.pq"), threads=0), expected)
    with pytest.raises(ac.ReadError, match="No such file or directory"):
        score_parquet(files[0], tmp_path / "nothing.parquet")


def test_parquet_without_files_or_rows(files, tmp_path):
    """No document was scored, with a BLANC of 100 and status 0."""
    import pyarrow.parquet as pq

    folder = tmp_path / "spark"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for path in (str(folder), folder.as_uri()):
        with pytest.raises(ac.ReadError, match="spark: no file to read; those whose names begin with '_'"):
            score_parquet(path, files[1])
    for source in (None, 3, b"x", {}, [], [None], {files[0]}):
        with pytest.raises(ac.InputError, match=r"expected a path, or a list of paths|expected one path or more"):
            score_parquet(source, files[1])
    pq.write_table(pyarrow.table(KEY).slice(0, 0), tmp_path / "empty.parquet")
    for document in ("document", None):
        with pytest.raises(ac.ReadError, match=r"empty.parquet: no row here, nor in the response"):
            score_parquet(tmp_path / "empty.parquet", tmp_path / "empty.parquet", document=document)
    found = score_parquet(files[0], tmp_path / "empty.parquet", missing_documents="empty")
    assert (found.names, found["mentions"].recall) == (("b", "a"), 0)


def test_command(files, tmp_path, expected):
    def run(*arguments):
        return CliRunner().invoke(main, ["score", *map(str, arguments)])

    found = run(*files, "--format", "json", "--per-document")
    assert json.loads(found.stdout) == json.loads(json.dumps(_dictionary(expected)))
    for arguments in (
        (tmp_path, files[1]),
        ("--input-format", "parquet", *files),
        ("--columns", "document,mention,label", *files),
    ):
        assert run(*arguments).exit_code in (0, 1)
    assert run("--columns", "document, mention ,label", *files).stdout == run(*files).stdout
    found = run("--columns", "document+mention,label", *files, "--format", "csv", "--metrics", "bcub")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[1].startswith("bcub")


def _dictionary(b):
    from arraycoref.scoring.rows import to_dict

    return to_dict(b, per_document=True)


@pytest.mark.parametrize("grouped", [True, False])
def test_many_documents_in_ranges(grouped):
    """More rows than are laid out at once, on one and two threads, against the same label vectors."""
    rng = np.random.default_rng(1)
    n_documents, n_mentions = 2_000, 60
    key, response = rng.integers(-1, 20, (2, n_documents * n_mentions))
    document, mention = np.repeat(np.arange(n_documents), n_mentions), np.tile(np.arange(n_mentions), n_documents)
    offsets = np.arange(0, key.size + 1, n_mentions)
    expected = ac.score_labels_batch(key, response, offsets, names=[str(d) for d in range(n_documents)])
    order = np.arange(key.size)
    if not grouped:
        order = np.concatenate([np.arange(0, key.size, n_mentions), rng.permutation(key.size)])  # each document's first
        order = order[np.sort(np.unique(order, return_index=True)[1])]
    columns = {"document": document[order], "mention": mention[order]}
    one = pyarrow.table(columns | {"key": key[order], "response": response[order]})
    two = [pyarrow.table(columns | {"label": labels[order]}) for labels in (key, response)]
    calls = []
    for tables in ([one], two):
        found = ac.score_table(*tables, threads=1)
        assert alike(ac.score_table(*tables, threads=2, progress=lambda *call: calls.append(call)), found)
        assert calls[-1] == (n_documents, n_documents)
        assert found.names == expected.names
        for metric, counts in expected.counts.items():
            np.testing.assert_allclose(found.counts[metric], counts, rtol=1e-12)
        if grouped and tables == [one]:
            assert alike(found, expected)
