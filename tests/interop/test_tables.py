"""Long tables of three libraries, and Parquet files, against clusters of the same mentions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from alike import alike
from arraycoref.interop.tables import score_table
from strategies import examples

pytestmark = pytest.mark.usefixtures("engine")

pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))

TABLE = {
    "document": ["b", "a", "a", "b", "a"],
    "mention": ["x", "x", "y", "w", "z"],
    "key": ["e1", "e1", "e1", "e2", None],
    "response": [None, "q", "q", "p", "q"],
}
CLUSTERS = {"b": [["x"], ["w"]], "a": [["x", "y"]]}, {"b": [["w"]], "a": [["x", "y", "z"]]}

KEY = {"document": ["b", "a", "a", "b"], "mention": ["x", "x", "y", "w"], "label": ["e1", "e1", "e1", "e2"]}
RESPONSE = {"document": ["a", "a", "b", "a"], "mention": ["x", "z", "w", "y"], "label": [4, 4, 9, 4]}
"""The same in tables of their own."""


@pytest.fixture(params=[pandas.DataFrame, polars.DataFrame, pyarrow.table])
def frame(request):
    return request.param


@pytest.fixture(scope="module")
def expected():
    return ac.score_batch(*CLUSTERS)


def test_frames(frame, expected):
    for tables in ([TABLE], [KEY, RESPONSE]):
        found = score_table(*map(frame, tables))
        assert alike(found, expected)
        assert found.names == ("b", "a")
        options = {"metrics": "muc,blanc", "singletons": "drop", "beta": 2.0}
        found = score_table(*map(frame, tables), **options)
        assert alike(found.corpus["muc"], ac.score_batch(*CLUSTERS, **options).corpus["muc"])
    names = {"document": "d", "mention": "m", "label": "l"}
    renamed = [frame({names[name]: values for name, values in table.items()}) for table in (KEY, RESPONSE)]
    assert alike(score_table(*renamed, document="d", mention=["m"], label="l"), expected)
    assert alike(score_table(pandas.DataFrame(KEY).astype("category"), frame(RESPONSE)), expected)


def test_lazy_frames(expected):
    """A lazy frame is collected by its user: its rows may be anywhere."""
    lazy = polars.LazyFrame(TABLE)
    for sides in ([lazy], [polars.DataFrame(TABLE).rename({"key": "label"}), lazy]):
        with pytest.raises(ac.InputError, match=r"is a polars.*LazyFrame; expected a table of .*, not a lazy one"):
            score_table(*sides)
    assert alike(score_table(lazy.collect()), expected)
    with pytest.raises(ac.InputError, match=r"the key's table is a polars.*Series; expected a table of"):
        score_table(polars.Series([0]), polars.Series([0]))


def test_dictionaries_with_what_they_should_not_have(expected):
    """A text twice in the dictionary, and a null in it."""
    documents = pyarrow.DictionaryArray.from_arrays([0, 1, 3, 2], ["b", "a", "b", "a"])
    assert alike(score_table(pyarrow.table(KEY | {"document": documents}), pyarrow.table(RESPONSE)), expected)
    documents = pyarrow.DictionaryArray.from_arrays([0, 1, 2, 0], ["b", "a", None])
    with pytest.raises(ac.InputError, match="the key's table: row 2 has no value in column 'document'"):
        score_table(pyarrow.table(KEY | {"document": documents}), pyarrow.table(RESPONSE))


def test_one_document(frame):
    key, response = frame({"mention": [1, 2, 3], "label": [0, 0, 1]}), frame({"mention": [3, 2, 9], "label": [5, 6, 5]})
    found = score_table(key, response, document=None)
    assert found.document_names is None
    assert alike(found, ac.score_batch([[[1, 2], [3]]], [[[3, 9], [2]]]))


def test_a_row_for_each_side_and_mentions_of_several_columns(frame):
    spans = {"d": [1, 1, 1, 1], "start": [0, 3, 0, 5], "end": [1, 4, 1, 6]}
    table = frame(spans | {"k": [0, 0, None, None], "r": [None, None, 2, 2]})
    found = score_table(table, document="d", mention=["start", "end"], key="k", response="r")
    assert alike(found, ac.score_batch({"1": [[(0, 1), (3, 4)]]}, {"1": [[(0, 1), (5, 6)]]}))
    alone = score_table(table, document=None, mention=None, key="k", response="r")
    assert alone.corpus["mentions"].recall_num == 0
    assert len(alone) == 1


def test_documents_on_one_side():
    more = {name: [*values, values[0]] for name, values in KEY.items()} | {"document": [*KEY["document"], "c"]}
    key, response = pyarrow.table(more), pyarrow.table(RESPONSE)
    with pytest.raises(
        ac.DocumentMismatchError, match=r"missing from the response: 1 of 3 documents \('c'\) of the key"
    ):
        score_table(key, response)
    with pytest.raises(
        ac.DocumentMismatchError, match=r"missing from the key: 1 of 3 documents \('c'\) of the response"
    ):
        score_table(response, key)
    assert score_table(key, response, missing_documents="skip").names == ("b", "a")
    found = score_table(key, response, missing_documents="empty")
    assert found.names == ("b", "a", "c")
    assert found["c"]["mentions"].recall_den == 1
    assert len(score_table(response, key, extra_documents="ignore")) == 2


def test_repeated_mentions():
    columns = {"document": ["a"] * 4, "mention": ["x", "x", "y", "z"], "key": [0, None, 0, 1], "response": [0, 1, 0, 1]}
    table, places = pyarrow.table(columns), "the table: row 0 and the table: row 1"
    with pytest.raises(ac.DuplicateMentionError, match=f"of document 'a': mention 'x' is in two rows, {places}"):
        score_table(table)
    for policy, response in [("first", [["x", "y"], ["z"]]), ("last", [["y"], ["x", "z"]]), ("drop", [["y"], ["z"]])]:
        found = score_table(table, duplicates=policy)
        assert found["bcub"].f1 == pytest.approx(ac.score([["x", "y"], ["z"]], response)["bcub"].f1)
    both = ac.score([["x", "y"], ["z"]], [["x", "y"], ["x", "z"]], duplicates="both")
    assert alike(score_table(table, duplicates="both").corpus.counts.rows, both.counts.rows)


def test_errors(frame):
    with pytest.raises(ac.InputError, match="no column 'gold'; expected one of: document, mention, key, response"):
        score_table(frame(TABLE), key="gold")
    with pytest.raises(ac.InputError, match="row 1 has no value in column 'mention'"):
        score_table(frame(TABLE | {"mention": ["x", None, "y", "w", "z"]}))
    with pytest.raises(ac.InputError, match="row 0 has no value in column 'document'"):
        score_table(frame(TABLE | {"document": [float("nan"), 1.0, 1.0, 1.0, 1.0]}))


@examples(0.5)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(-1, 3), st.integers(-1, 3)), max_size=15))
def test_any_table(rows):
    rows = list({row[:2]: row for row in rows}.values())
    columns = ["document", "mention", "key", "response"]
    table = (
        polars.DataFrame(rows, columns, orient="row") if rows else polars.DataFrame(schema=dict.fromkeys(columns, int))
    )
    sides = []
    for side in (2, 3):
        documents = {str(row[0]): {} for row in rows}
        for row in rows:
            if row[side] >= 0:
                documents[str(row[0])].setdefault(row[side], []).append(row[1])
        sides.append({name: list(entities.values()) for name, entities in documents.items()})
    found, expected = score_table(table), ac.score_batch(*sides)
    assert found.names == expected.names
    for metric, counts in expected.counts.items():
        np.testing.assert_allclose(found.counts[metric], counts, rtol=1e-12)


def test_columns_that_cannot_be_told_apart_or_compared():
    columns = ["document", "mention", "key", "response"]
    twice = pandas.DataFrame([["a", 1, 0, 0, 5], ["a", 2, 0, 0, 5]], columns=[*columns, "key"])
    for table in (twice, pyarrow.table([[1]] * 5, names=[*columns, "key"])):
        with pytest.raises(Exception, match=r"[Ee]xpected unique column names"):  # of narwhals
            score_table(table)
    lists = {"document": ["a", "a"], "mention": [[0, 1], [2, 3]], "key": [0, 0], "response": [0, 0]}
    for table in (pandas.DataFrame(lists), pyarrow.table(lists)):
        with pytest.raises(ac.InputError, match=r"column 'mention' has dtype .*; expected whole numbers, texts or"):
            score_table(table)


def test_zeros_of_either_sign_are_one_value(frame):
    columns = {"document": [0.5] * 3, "mention": [0.0, -0.0, 2.5], "key": [0, None, 0], "response": [None, 1, 1]}
    assert score_table(frame(columns))["mentions"].recall == 1
    assert score_table(frame(columns), document="mention", mention="document").names == ("0.0", "2.5")


def test_types_that_few_columns_have():
    """Numbers of 128 bits, views of texts, runs and dictionaries, as documents and as mentions, against plain ones."""
    plain = {"document": [2, 2, 2, 5], "mention": [1, 2, 3, 1], "key": [0, 0, 1, 1], "response": [0, 1, 1, 1]}
    expected = score_table(polars.DataFrame(plain))
    for convert in (
        lambda values: pyarrow.compute.run_end_encode(pyarrow.array(values)),
        lambda values: pyarrow.array(map(str, values), pyarrow.string_view()),
        lambda values: pyarrow.array(values, pyarrow.uint64()).dictionary_encode(),
        lambda values: polars.Series(values, dtype=getattr(polars, "Int128", polars.Int64)),
    ):
        columns = plain | {name: convert(plain[name]) for name in ("document", "mention")}
        make = polars.DataFrame if isinstance(columns["mention"], polars.Series) else pyarrow.table
        assert alike(score_table(make(columns)), expected)
        sides = [{n: columns[n] for n in ("document", "mention")} | {"label": columns[s]} for s in ("key", "response")]
        assert alike(score_table(*map(make, sides)), expected)


def test_large_tables_in_any_order():
    """Against label vectors of the same mentions."""
    rng = np.random.default_rng(1)
    key, response = rng.integers(-1, 20, (2, 60_000))
    document, mention = np.repeat(np.arange(1_000), 60), np.tile(np.arange(60), 1_000)
    expected = ac.score_labels_batch(key, response, np.arange(0, 60_001, 60))
    order = rng.permutation(key.size)
    columns = {"document": document[order] * 10**12, "mention": mention[order] - 7}
    one = pyarrow.table(columns | {"key": key[order], "response": response[order]})
    two = [pyarrow.table(columns | {"label": labels[order]}) for labels in (key, response)]
    for tables in ([one], two):
        found = score_table(*tables)
        place = np.argsort([int(name) for name in found.names])
        for metric, counts in expected.counts.items():
            np.testing.assert_allclose(found.counts[metric][place], counts, rtol=1e-12)
