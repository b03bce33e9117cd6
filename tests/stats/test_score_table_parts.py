"""What a table is made of: blocks, systems, runs and fields, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest
from stats_data import scored, some_documents

import arraycoref as ac
from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (lambda r: ac.table({"p": r, "q": {"s1": r["s1"]}}), InputError, "block 'q' lacks system 's2', .* block 'p'"),
        (lambda r: ac.table({"p": {"s1": r["s1"]}, "q": r}), InputError, "block 'p' lacks system 's2', .* block 'q'"),
        (
            lambda r: ac.table({"p": {"a": r["s1"]}, "q": {"a": [r["s1"], r["s2"]]}}),
            InputError,
            "block 'p' has 1 run of system 'a', of which block 'q' has 2",
        ),
        (lambda r: ac.table({1: r["s1"], "1": r["s2"]}), InputError, "systems are 1, 1; expected other texts for each"),
        (lambda r: ac.table({"a": r["s1"], "b": []}), InputError, "systems are a, b; expected .* a run or more"),
        (lambda r: ac.table(r, fields="f2"), UnknownNameError, "unknown field 'f2'"),
        (lambda r: ac.table(r, fields=[]), UnknownNameError, "unknown field ''; expected one of: recall"),
        (lambda r: ac.table(r, baseline="x"), UnknownNameError, "unknown baseline 'x'"),
        (lambda r: ac.table(r, differences=True), InputError, "differences .* expected marks=True or a baseline"),
        (lambda r: ac.table(r, metrics="muk"), UnknownNameError, "unknown metric 'muk'"),
        (
            lambda r: ac.table({"a": r["s1"], "b": some_documents(r["s2"], slice(0, 9))}),
            DocumentMismatchError,
            "'a' was scored on 40 documents and 'b' on 9",
        ),
        (
            lambda r: ac.table({"p": {"a": r["s1"]}, "q": {"a": [r["s2"]]}, "r": {"a": scored(1, beta=2)}}),
            InputError,
            "block 'p' was scored under .* and 'r' under",
        ),
        (
            lambda r: ac.table({"a": [r["s1"], r["s2"]]}, pool=True, average="macro"),
            InputError,
            "pool adds up documents' sums",
        ),
        (
            lambda r: ac.table({"a": [r["s1"], r["s2"]], "b": r["s3"]}, pool=True),
            InputError,
            "pool adds up the runs of systems, which have 1 to 2 of them",
        ),
    ],
)
def test_errors_name_what_is_missing_where(runs, change, kind, message):
    with pytest.raises(kind, match=message):
        change(runs)


def test_blocks_have_the_metrics_of_the_first():
    """In its order, however their scores hold them, and from an iterator that yields names once."""
    dev, test = scored(1, metrics="muc,bcub"), scored(2, metrics="bcub,muc")
    for metrics in (None, iter(["muc", "bcub"])):
        table = ac.table({"dev": {"s": dev}, "test": {"s": test}}, metrics=metrics, fields="f1")
        assert table.metrics == ("muc", "bcub")
        for values, b in zip(table.values, (dev, test), strict=False):
            assert values[0, :, 2].tolist() == [b["muc"].f1, b["bcub"].f1]
    with pytest.raises(UnknownNameError, match=r"not scored for 's'.* 'bcub'"):
        ac.table({"dev": {"s": dev}, "test": {"s": scored(2, metrics="muc")}}, metrics=None)


def test_pooled_counts_are_sums_over_all_runs():
    """Three runs that are alike: whichever are drawn, the sums of three are those of one, three times."""
    b = scored(1, metrics="merge-distance")
    one, three = (
        ac.table({"x": runs}, pool=True, metrics="merge-distance", intervals=True, method="percentile", resamples=400)
        for runs in ([b], [b, b, b])
    )
    for name in ("values", "low", "high"):
        np.testing.assert_allclose(getattr(three, name), 3 * getattr(one, name), rtol=1e-12)


def test_fields_that_no_metric_has(a):
    with pytest.raises(InputError, match="conll has no recall or precision; expected fields 'f1'"):
        ac.table({"a": a}, metrics="conll", fields="recall,precision", sort=True)
