"""Values of parameters: of several kinds, and numbers that are equal."""

import pytest

import arraycoref as ac
from arraycoref.sweeps import sweep


@pytest.mark.parametrize("values", [(1, "auto"), (True, "x"), (2**70, 1), (None, 2**60 + 1), (0.5, True)])
def test_parameters_of_several_kinds_are_texts_in_every_table(values):
    found = sweep([0, 0, 1], [[0, 0, 1], [0, 1, 1]], settings=[{"p": value} for value in values], metrics="muc")
    expected = [None if value is None else str(value) for value in values]
    for per_document in (False, True):
        assert found.to_frame("polars", per_document=per_document)["p"].to_list() == expected
        assert found.to_frame("pyarrow", per_document=per_document)["p"].to_pylist() == expected
        column = found.to_frame("pandas", per_document=per_document)["p"]
        assert [None if missing else text for text, missing in zip(column, column.isna(), strict=True)] == expected


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0.0, -0.0)])
def test_equal_numbers_are_one_value(one, other):
    """As they are to the dicts that groups of settings come in, where one of two groups would be lost."""
    key, responses = [0, 0, 1, 1], [[0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 1, 2]]
    with pytest.raises(ac.InputError, match="appears twice"):
        sweep(key, responses[:2], settings=[{"t": one}, {"t": other}])
    settings = [{"t": value, "seed": seed} for seed, value in enumerate([one, 7, other, 7])]
    found = sweep(key, responses, settings=settings, metrics="muc")
    pooled = found.pooled("t")
    assert [scores.counts["muc"][0, 2] for scores in pooled.values()] == [3 + 2 - 1 - 1 + 1, 0 + 1]
    assert found.at(t=other, seed=0) == found[0]
    kinds = sweep(key, responses[:2], settings=[{"t": 1}, {"t": True}])
    with pytest.raises(ac.InputError, match="True and 1"):
        kinds.pooled("t")
