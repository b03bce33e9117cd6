"""Labels of many documents in every form that programs hold them in: equal, to the last bit, to offsets."""

import warnings

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.interop.accumulator import Accumulator
from arraycoref.ragged import owners

RNG = np.random.default_rng(612)
SIZES = np.array([7, 0, 12, 1, 5, 30])
OFFSETS = np.append(0, SIZES.cumsum())
KEY, RESPONSE = RNG.integers(-1, 6, (2, OFFSETS[-1]))
DOCUMENT = owners(OFFSETS)
METRICS = "muc,bcub,ceafe,blanc,lea"
KEPT = np.flatnonzero(SIZES)  # a column of names has no empty documents
TEXTS = [f"doc {d}" for d in DOCUMENT]


def split(labels, make=np.asarray):
    return [make(part) for part in np.split(labels, OFFSETS[1:-1])]


def padded(labels, value=-1):
    rows = np.full((SIZES.size, SIZES.max()), value)
    rows[np.arange(SIZES.max()) < SIZES[:, np.newaxis]] = labels
    return rows


def equal(found, documents=slice(None)):
    expected = ac.score_labels_batch(KEY, RESPONSE, OFFSETS, metrics=METRICS)[documents]
    assert found.counts.rows.tobytes() == expected.counts.rows.tobytes()
    return found


def scored(key, response, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ac.score_labels_batch(key, response, *arguments, metrics=METRICS, **options)


@pytest.mark.parametrize("make", [np.asarray, list, np.ndarray.tolist, lambda part: part.astype(np.int8)])
def test_lists_of_vectors(make):
    names = list("abcdef")
    assert equal(scored(split(KEY, make), split(RESPONSE, make), names=names)).names == tuple(names)


def test_padded_arrays():
    equal(scored(padded(KEY), padded(RESPONSE)))
    equal(scored(padded(KEY).tolist(), padded(RESPONSE)))
    equal(scored(padded(KEY, -100), padded(RESPONSE, 3), ignore_index=-100))
    equal(scored(*map(np.ravel, (padded(KEY, 99), padded(RESPONSE))), np.arange(7) * 30, ignore_index=99))
    for options in ({}, {"ignore_index": -100}):
        accumulator = Accumulator(METRICS, keep_documents=True, **options)
        accumulator.update(padded(KEY, options.get("ignore_index", -1)), padded(RESPONSE))
        equal(accumulator.documents())


@pytest.mark.parametrize("documents", [TEXTS, DOCUMENT, DOCUMENT * 2.0])
def test_documents_by_name(documents):
    found = equal(scored(KEY, RESPONSE, documents=documents), KEPT)
    assert found.names == tuple(
        dict.fromkeys(map(str, documents.tolist() if hasattr(documents, "tolist") else documents))
    )


def test_documents_in_any_order():
    order = np.argsort(RNG.random(KEY.size) + 0.3 * DOCUMENT)
    found = scored(KEY[order], RESPONSE[order], documents=[TEXTS[n] for n in order])
    for d in KEPT:
        in_document = order[DOCUMENT[order] == d]
        alone = ac.score_labels(KEY[in_document], RESPONSE[in_document], metrics=METRICS)
        assert found[f"doc {d}"].counts.rows.tobytes() == alone.counts.rows.tobytes()


def test_booleans():
    flags = RNG.random((2, KEY.size)) < 0.5
    expected = scored(*flags.astype(int), OFFSETS).counts.rows.tobytes()
    lists = [split(side, np.ndarray.tolist) for side in flags]
    for found in (scored(*flags, OFFSETS), scored(*flags.tolist(), OFFSETS), scored(*lists)):
        assert found.counts.rows.tobytes() == expected


@pytest.mark.parametrize(
    "save",
    [
        lambda path, labels: np.save(path.with_suffix(".npy"), padded(labels)),
        lambda path, labels: np.save(path.with_suffix(".npy"), padded(labels).astype(str)),
        lambda path, labels: np.savez(path, labels=labels, offsets=OFFSETS),
        lambda path, labels: np.savez(path, labels=labels, offsets=OFFSETS, names=list("abcdef")),
        lambda path, labels: np.savez_compressed(path, **dict(zip("abcdef", split(labels), strict=True))),
    ],
)
def test_files_of_arrays(tmp_path, save):
    paths = []
    for side, labels in (("key", KEY), ("response", RESPONSE)):
        save(tmp_path / side, labels)
        paths += sorted(tmp_path.glob(f"{side}.np*"))
    assert "".join(equal(ac.score_files(*paths, metrics=METRICS)).names) in ("123456", "abcdef")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([np.array([{}], object)], "no labels that NumPy saved: .*allow_pickle=False"),
        ([np.zeros((1, 1, 1), int)], r"labels of shape \(1, 1\) and dtype int64; expected"),
        ([np.array([0.5])], "labels of shape .* and dtype float64; expected whole numbers or texts"),
        ([np.array([0, -2])], "key.npz:2: '-2'; expected one label"),
        ([np.zeros(2**18)], "more than 1048576 bytes"),
    ],
)
def test_arrays_that_are_no_labels(tmp_path, arrays, message):
    np.savez(tmp_path / "key.npz", *arrays)
    with pytest.raises(ac.ReadError, match=message):
        ac.score_files(tmp_path / "key.npz", tmp_path / "key.npz", max_bytes=2**20)


@pytest.mark.parametrize(
    ("offsets", "names", "message"),
    [
        ([0, 1, 2], "ab", "offsets from 0 to 2 for 3 labels"),
        ([0, 2, 1, 3], "abc", "never decreasing"),
        ([0, 1, 3], "aa", "two documents have one name"),
    ],
)
def test_offsets_that_lose_labels(tmp_path, offsets, names, message):
    np.savez(tmp_path / "key.npz", labels=[0, 0, 1], offsets=offsets, names=list(names))
    with pytest.raises(ac.ReadError, match=message):
        ac.score_files(tmp_path / "key.npz", tmp_path / "key.npz")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_and_tables(library):
    module = pytest.importorskip(library)
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    table = getattr(module, make)({"document": TEXTS, "key": KEY, "response": RESPONSE, "row": np.arange(KEY.size)})
    equal(scored(table["key"], table["response"], documents=table["document"]), KEPT)
    equal(ac.score_table(table, mention=None, metrics=METRICS), KEPT)
    array = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}[library]
    lists = [getattr(module, array)(split(side, np.ndarray.tolist)) for side in (KEY, RESPONSE)]
    equal(scored(*lists))
    if library != "pandas":  # whose columns have an index
        equal(scored(table.select(["key"]), table.select(["response"]), documents=table.select(["document"])), KEPT)


def test_relations_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"document": TEXTS, "key": KEY, "response": RESPONSE, "n": np.arange(KEY.size)})
    relation = duckdb.from_arrow(rows).order("n")
    for read in (lambda: relation, relation.arrow):
        equal(ac.score_table(read(), mention="n", metrics=METRICS), KEPT)
    columns = [relation.select(name) for name in ("key", "response", "document")]
    equal(scored(*columns[:2], documents=columns[2]), KEPT)
    equal(scored(columns[0].arrow(), RESPONSE, documents=TEXTS), KEPT)  # a connection has one open result
    equal(scored(KEY, columns[1].arrow(), OFFSETS))


def test_tables_of_tools():
    """Their columns are found as in files, and a table without documents is one."""
    pandas = pytest.importorskip("pandas")
    records = [f"r{n}" for n in range(KEY.size)]
    key, response = (pandas.DataFrame({"unique_id": records, "cluster_id": side}) for side in (KEY, RESPONSE))
    one = ac.score_labels(KEY, RESPONSE, metrics=METRICS)
    found = ac.score_table(key, response, metrics=METRICS)
    assert found.corpus.counts.rows.tobytes() == one.counts.rows.tobytes()
    names = {"unique_id": "mention", "cluster_id": "label"}
    assert ac.score_table(key.rename(columns=names), response.rename(columns=names))["lea"].f1 == one["lea"].f1
    both = pandas.DataFrame({"start": records, "end": records, "key": KEY, "response": RESPONSE})
    assert ac.score_table(both)["lea"].f1 == one["lea"].f1
    for frames in ((key, response.rename(columns=names)), (key.assign(document="a"), response.rename(columns=names))):
        with pytest.raises(ac.InputError, match="expected the same columns"):
            ac.score_table(*frames)
    with pytest.raises(ac.InputError, match="has no column 'book'"):
        ac.score_table(both, document="book")


def test_tensors_of_a_training_loop():
    torch = pytest.importorskip("torch")
    equal(scored(split(KEY, torch.tensor), split(RESPONSE, torch.tensor)))
    target, preds = torch.tensor(padded(KEY, -100)), torch.tensor(padded(RESPONSE, 2))
    equal(scored(target, preds, ignore_index=-100))
    accumulator = Accumulator(METRICS, keep_documents=True, ignore_index=-100)
    for rows in torch.arange(6).split(4):
        accumulator.update(target[rows], preds[rows])
    equal(accumulator.documents())


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0], [0]), {}, "no offsets and no documents; expected one of them"),
        (([0], [0], [0, 1]), {"documents": ["a"]}, "documents are given twice"),
        (([[0], [0, 1]], [[0], [0]]), {}, "key has 2 labels and response 1 in document 1; expected equally many"),
        (([[0], [1]], [[0]]), {}, "key has 1 labels and response 0 in document 1; expected equally many"),
        (([0, 0], [0, 0]), {"documents": ["a"]}, r"documents has shape \(1,\); expected a name or a number per label"),
        (([0], [0]), {"documents": (name for name in "a")}, r"documents has shape \(\)"),
        (([0], [0]), {"documents": ["a"], "names": ["b"]}, "documents are given twice"),
        (([["a", "-"]], [[0, 0]]), {"ignore_index": "-"}, "ignore_index is '-'; expected a whole number"),
        (([0, 0], [0, 0]), {"documents": ["a", None]}, "documents is None for label 1; expected a name or a number"),
        (([[0, -100]], [[0, -100]]), {}, r"label -100 of mention 1 in document 0; .*ignore_index=-100"),
    ],
)
def test_what_is_refused(arguments, options, message):
    with pytest.raises(ac.InputError, match=message):
        ac.score_labels_batch(*arguments, **options)


def test_rows_of_different_indices():
    pandas = pytest.importorskip("pandas")
    key, response = (pandas.Series([0, 0, 1], index) for index in ([4, 5, 6], [6, 5, 4]))
    with pytest.raises(ac.InputError, match="key, document 0 and response, document 0 have different indices"):
        ac.score_labels_batch([key], [response])


def test_analysis_of_rows():
    expected = ac.analyze_labels(KEY, RESPONSE, OFFSETS)
    for key, response in ((split(KEY), split(RESPONSE)), (padded(KEY), padded(RESPONSE))):
        assert (
            ac.analyze_labels(key, {"a": response}).error_counts.rows()
            == ac.analyze_labels(KEY, {"a": RESPONSE}, OFFSETS).error_counts.rows()
        )
        assert ac.analyze_labels(key, response).to_json() == expected.to_json()
