"""What cannot be scored is refused by the name of the side, the column and the value."""

import pandas as pd
import pytest
from long_tables import dask_frame, write_parquet

import arraycoref as ac
from arraycoref.interop.dask import score_table

dask = pytest.importorskip("dask")
pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.usefixtures("threads")

ROWS = [(d, m, m % 3) for d in range(10) for m in range(6)]


def changed(column, position, value):
    """The rows with one value changed, its column an object's."""
    rows = [list(row) for row in ROWS]
    rows[position][column] = value
    return [tuple(row) for row in rows]


def message(key, response, **options):
    with pytest.raises(ac.InputError) as caught:
        score_table(key, response, **options)
    return str(caught.value)


def test_a_column_that_one_partition_lacks():
    from dask.dataframe import from_delayed

    frame = pd.DataFrame(ROWS, columns=["document", "mention", "label"])
    pieces = [frame[:30], frame[30:].drop(columns="label")]
    parts = from_delayed(list(map(dask.delayed, pieces)), meta=frame[:0], verify_meta=False)
    found = message(dask_frame(ROWS, 2), parts)
    assert found == "partition 1 of the response has no column 'label'; expected one of: document, mention"


def test_nulls(tmp_path):
    reason = "row 3 has no value in column 'mention'; expected one in each row"
    texts = [tuple(None if value is None else f"t{value}" for value in row) for row in changed(1, 33, None)]
    good = [tuple(f"t{value}" for value in row) for row in ROWS]
    assert message(dask_frame(good, 2), dask_frame(texts, 6)) == f"partition 3 of the response: {reason}"
    folder = write_parquet(tmp_path / "texts", texts, row_group_size=10)
    assert message(folder, dask_frame(good, 2)) == f"partition 3 of the key: {reason}"


@pytest.mark.parametrize("column", [0, 1, 2])
def test_other_types(column):
    name = ("document", "mention", "label")[column]
    with dask.config.set({"dataframe.convert-string": False}):  # or Dask would make texts of them
        for value in (True, [1]):
            found = message(dask_frame(ROWS, 2), dask_frame(changed(column, 33, value), 6))
            assert f"column '{name}'" in found
            assert "expected whole numbers" in found
    found = message(dask_frame(ROWS, 2), dask_frame(changed(column, 33, 0.5), 6))
    if column == 2:
        assert "partition 3 of the response: column 'label': label 3 is 0.5 among float64; expected" in found
    else:
        assert f"column {name!r} is Int64 in the key and Float64 in the response; expected whole numbers" in found


def test_labels_below_minus_one(tmp_path):
    rows = changed(2, 50, -3)
    found = message(dask_frame(rows, 6), dask_frame(ROWS, 2))
    assert found == (
        "partition 5 of the key: row 0 has the label -3 in column 'label'; "
        "expected an entity >= 0, or -1 where the mention is absent"
    )
    folder = write_parquet(tmp_path / "response", rows, row_group_size=15)
    assert "partition 3 of the response: row 5 has the label -3" in message(dask_frame(ROWS, 2), folder)


def test_partitions_that_are_said_to_be_whole():
    sides = dask_frame(ROWS, 2), dask_frame(ROWS, 3)
    assert "the key has 2 partitions, the response 3" in message(*sides, whole_documents=True)
    assert message(sides[1], sides[1], whole_documents=True).startswith("document '3' is in two partitions")


def test_numbers_beside_texts():
    texts = [(f"{d}", m, e) for d, m, e in ROWS]
    for name, rows in (("document", texts), ("mention", [(d, f"{m}", e) for d, m, e in ROWS])):
        found = message(dask_frame(ROWS, 2), dask_frame(rows, 2))
        assert found.startswith(f"column '{name}' is Int64 in the key and String in the response; expected")
    texts = [(d, m, f"{e}") for d, m, e in ROWS]  # labels of the sides have nothing to do with each other
    assert score_table(dask_frame(ROWS, 2), dask_frame(texts, 2))["conll"].f1 == 1.0
