"""Parameters: values of several kinds, numbers that are equal or infinite, and names that columns have."""

import csv
import io
import math
from functools import partial

import pytest

import arraycoref as ac
from arraycoref.sweeps import sweep
from arraycoref.sweeps.report import SweepReport


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


def test_parameters_that_are_named_like_columns():
    """A file such as ``epoch=3,muc_f1=78.2.conll`` has a parameter of that name, which the score took the place of."""
    settings = [{"muc_f1": 78.2, "pvalue": 1}, {"muc_f1": 80.1, "pvalue": 2}]
    found = sweep([0, 0, 1], [[0, 0, 0], [0, 0, 1]], settings=settings, metrics="muc")
    report = SweepReport(found, found.best())
    assert [each["setting"] for each in report.to_dict()["settings"]] == settings[::-1]
    assert [each["scores"]["muc_f1"] for each in report.to_dict()["settings"]] == [1.0, pytest.approx(2 / 3)]
    for columns in (found.columns, partial(found.columns, per_document=True), partial(report.render, "csv")):
        with pytest.raises(ac.InputError, match="both named 'muc_f1'; expected names that differ"):
            columns()
    with pytest.raises(ac.InputError, match="both named 'pvalue'"):
        found.best().to_frame()


def test_infinite_parameters_are_written():
    thresholds = [-math.inf, math.inf]
    found = sweep([0, 0, 1], [[0, 0, 1], [0, 0, 0]], settings={"t": thresholds}, metrics="muc")
    report = SweepReport(found, found.best())
    assert [each["setting"]["t"] for each in report.to_dict()["settings"]] == ["-inf", "inf"]
    rows = csv.DictReader(io.StringIO(report.render("csv")))
    assert [float(row["t"]) for row in rows] == thresholds
