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
    options = {"metrics": "muc", "singletons": "drop", "beta": 2.0, "threads": 2}
    assert alike(score_table(frame(TABLE), **options), ac.score_batch(KEY, RESPONSE, **options))


def test_numbers(frame):
    """Integers with -1, integers with null, floats with NaN; any order of the rows."""
    rng = np.random.default_rng(0)
    document, mention = np.repeat(np.arange(50), 20) * 10**12, np.tile(np.arange(20), 50) - 7
    key, response = rng.integers(-1, 6, (2, 1000))
    expected = ac.score_labels_batch(
        key, response, np.arange(0, 1001, 20), names=[str(d) for d in np.arange(50) * 10**12]
    )
    shuffle = rng.permutation(1000)
    for labels in (
        lambda x: x,
        lambda x: [None if v < 0 else v for v in x.tolist()],
        lambda x: np.where(x < 0, np.nan, x),
        lambda x: [None if v < 0 else f"e{v}" for v in x.tolist()],
    ):
        table = frame({"document": document, "mention": mention, "key": labels(key), "response": labels(response)})
        assert alike(score_table(table), expected)
        # with rows in another order, entities and cells are numbered in another order too
        columns = {"document": document[shuffle], "mention": mention[shuffle]}
        columns |= {"key": labels(key[shuffle]), "response": labels(response[shuffle])}
        mixed = score_table(frame(columns))
        for name in expected.names:
            assert mixed[name]["conll"].f1 == pytest.approx(expected[name]["conll"].f1, abs=1e-12)


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


def test_repeated_mentions(frame):
    table = frame(
        {
            "document": ["a"] * 4,
            "mention": ["x", "x", "y", "z"],
            "key": [0, None, 0, 1],
            "response": [0, 1, 0, 1],
        }
    )
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
    with pytest.raises(ac.InputError, match="row 1 has the label -5 in column 'key'"):
        score_table(frame(TABLE | {"key": [0, -5, 0, 0, 0]}))
    with pytest.raises(ac.InputError, match="expected a table"):
        score_table([1, 2])


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
    rows = [["a", 1, 0, 0], ["a", 2, 0, 0]]
    twice = pandas.DataFrame([[*row, 5] for row in rows], columns=[*columns, "key"])
    for one, two in ((twice, None), (pyarrow.table([[1]] * 5, names=[*columns, "key"]), None), (twice, twice)):
        with pytest.raises(ac.InputError, match=r"table: [Ee]xpected unique column names"):
            score_table(one, two)
    levels = pandas.DataFrame(rows, columns=pandas.MultiIndex.from_tuples([(name, "x") for name in columns]))
    with pytest.raises(
        ac.InputError, match=r"the table has no column 'document'; expected one of: \('document', 'x'\)"
    ):
        score_table(levels)
    with pytest.raises(ac.InputError, match="no column"):
        score_table(pandas.DataFrame(rows, columns=columns).set_index(["document", "mention"]))
    lists = {"document": ["a", "a"], "mention": [[0, 1], [2, 3]], "key": [0, 0], "response": [0, 0]}
    for table in (pandas.DataFrame(lists), pyarrow.table(lists)):
        with pytest.raises(ac.InputError, match=r"column 'mention' has dtype .*; expected whole numbers, texts or"):
            score_table(table)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_zeros_of_either_sign_are_one_value(library):
    module = pytest.importorskip(library)
    table = (module.table if library == "pyarrow" else module.DataFrame)(
        {"document": [0.5] * 3, "mention": [0.0, -0.0, 2.5], "key": [0, None, 0], "response": [None, 1, 1]}
    )
    assert score_table(table)["mentions"].recall == 1
    assert score_table(table, document="mention", mention="document").names == ("0.0", "2.5")


def test_types_that_few_columns_have():
    """Numbers of 128 bits, views of texts and runs, as documents and as mentions, against plain columns."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    plain = {"document": [2, 2, 2, 5], "mention": [1, 2, 3, 1], "key": [0, 0, 1, 1], "response": [0, 1, 1, 1]}
    expected = score_table(polars.DataFrame(plain))
    runs = {name: pyarrow.compute.run_end_encode(pyarrow.array(plain[name])) for name in plain}
    assert alike(score_table(pyarrow.table(runs)), expected)
    views = {name: pyarrow.array(map(str, plain[name]), pyarrow.string_view()) for name in plain}
    assert alike(score_table(pyarrow.table(views)), expected)
    sides = [
        {"document": plain["document"], "mention": plain["mention"], "label": plain[s]} for s in ("key", "response")
    ]
    for convert in (
        lambda values: pyarrow.compute.run_end_encode(pyarrow.array(values)),
        lambda values: pyarrow.array(map(str, values), pyarrow.string_view()),
        lambda values: pyarrow.array(values, pyarrow.uint64()).dictionary_encode(),
    ):
        tables = [pyarrow.table({name: convert(values) for name, values in side.items()}) for side in sides]
        assert alike(score_table(*tables), expected)
    if not hasattr(polars, "Int128"):
        return
    wide = dict.fromkeys(("document", "mention"), polars.Int128)
    assert alike(score_table(polars.DataFrame(plain, schema_overrides=wide)), expected)
    assert alike(score_table(*(polars.DataFrame(side, schema_overrides=wide) for side in sides)), expected)
