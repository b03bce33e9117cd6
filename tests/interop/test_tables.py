"""Long tables of three libraries against clusters of the same mentions."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from alike import alike
from arraycoref.interop.tables import score_table
from strategies import examples

TABLE = {
    "document": ["b", "a", "a", "b", "a"],
    "mention": ["x", "x", "y", "w", "z"],
    "key": ["e1", "e1", "e1", "e2", None],
    "response": [None, "q", "q", "p", "q"],
}
KEY = {"b": [["x"], ["w"]], "a": [["x", "y"]]}
RESPONSE = {"b": [["w"]], "a": [["x", "y", "z"]]}


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def frame(request):
    module = pytest.importorskip(request.param)
    return module.table if request.param == "pyarrow" else module.DataFrame


def test_texts(frame):
    found = score_table(frame(TABLE))
    assert alike(found, ac.score_batch(KEY, RESPONSE))
    assert found.names == ("b", "a")
    options = {"metrics": "muc", "singletons": "drop", "beta": 2.0}
    assert alike(score_table(frame(TABLE), **options), ac.score_batch(KEY, RESPONSE, **options))


def test_lazy_frames():
    """A lazy frame is collected by its user: its rows may be anywhere."""
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame(TABLE)
    for sides in ([lazy], [polars.DataFrame(TABLE).rename({"key": "label"}), lazy]):
        with pytest.raises(ac.InputError, match=r"is a polars.*LazyFrame; expected a table of .*, not a lazy one"):
            score_table(*sides)
    assert alike(score_table(lazy.collect()), ac.score_batch(KEY, RESPONSE))


def test_a_row_for_each_side_and_mentions_of_several_columns(frame):
    table = frame(
        {
            "d": [1, 1, 1, 1],
            "start": [0, 3, 0, 5],
            "end": [1, 4, 1, 6],
            "k": [0, 0, None, None],
            "r": [None, None, 2, 2],
        }
    )
    found = score_table(table, document="d", mention=["start", "end"], key="k", response="r")
    assert alike(found, ac.score_batch({"1": [[(0, 1), (3, 4)]]}, {"1": [[(0, 1), (5, 6)]]}))
    alone = score_table(table, document=None, mention=None, key="k", response="r")
    assert alone.corpus["mentions"].recall_num == 0
    assert len(alone) == 1


def test_repeated_mentions():
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"document": ["a"] * 4, "mention": ["x", "x", "y", "z"], "key": [0, None, 0, 1], "response": [0, 1, 0, 1]}
    table = pyarrow.table(columns)
    with pytest.raises(
        ac.DuplicateMentionError,
        match="response of document 'a': mention 'x' is in two rows, the table: row 0 and the table: row 1",
    ):
        score_table(table)
    for policy, response in [("first", [["x", "y"], ["z"]]), ("last", [["y"], ["x", "z"]]), ("drop", [["y"], ["z"]])]:
        found = score_table(table, duplicates=policy)
        assert found["bcub"].f1 == pytest.approx(ac.score([["x", "y"], ["z"]], response)["bcub"].f1)


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
    polars = pytest.importorskip("polars")
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
    pandas, pyarrow = map(pytest.importorskip, ("pandas", "pyarrow"))
    columns = ["document", "mention", "key", "response"]
    twice = pandas.DataFrame([["a", 1, 0, 0, 5], ["a", 2, 0, 0, 5]], columns=[*columns, "key"])
    for table in (twice, pyarrow.table([[1]] * 5, names=[*columns, "key"])):
        with pytest.raises(ac.InputError, match=r"table: [Ee]xpected unique column names"):
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
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
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
