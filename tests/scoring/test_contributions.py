"""Shares of mentions against another program's, and what shares must be for any partition."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import arraycoref as ac
from arraycoref.scoring.contributions import CONTRIBUTIONS, UnitCells, sums_of, unit_rows
from marks import cases
from oracle.golden import one_clusterings
from strategies import examples

ROWS = one_clusterings()
COLUMNS = {"blanc_parts": "blanc", "vmeasure_parts": "vmeasure"}


def unit_of_mentions(row, units):
    """The unit of each mention, from lists of mentions."""
    unit = {mention: u for u, members in enumerate(units) for mention in members}
    return np.array([unit[mention] for mention in row["mentions"]])


def unit_cells_of(row, units):
    return UnitCells.from_labels(
        *(np.array(row[side]) for side in ("key_labels", "response_labels")), unit_of_mentions(row, units)
    )


@cases("kind", ["entities", "components", "given"])
def test_shares_equal_those_of_another_program(kind):
    for row in ROWS:
        units = row["units"][kind]
        unit_cells = unit_cells_of(row, units["mentions"])
        for name, expected in units["shares"].items():
            metric = COLUMNS.get(name, name)
            if row["unique_alignment"].get(metric, True):
                rows = unit_rows(unit_cells, (metric,), len(units["mentions"]))
                close = {"rtol": 1e-13, "atol": 1e-12 if name == "vmeasure_parts" else 1e-13, "err_msg": row["id"]}
                np.testing.assert_allclose(rows, np.array(expected, float), **close)  # logarithms have 12 decimals
                np.testing.assert_allclose(rows.sum(axis=0), np.array(row["sums"][name], float), **close)


@st.composite
def partitions(draw):
    """Labels of key and response over some mentions, and any unit of each."""
    n = draw(st.integers(1, 14))
    key, response = (draw(st.lists(st.integers(-1, 4), min_size=n, max_size=n)) for _ in range(2))
    return key, response, draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))


@given(partitions(), st.randoms(use_true_random=False))
@examples()
def test_shares_add_up_to_the_counts(drawn, random):
    """Those of every metric, of any units; in any order of mentions, and with any numbers of entities."""
    *sides, unit = map(np.array, drawn)
    assume(any((labels >= 0).any() for labels in sides))  # without a mention there is nothing that has a share
    order = random.sample(range(unit.size), unit.size)
    for metric in CONTRIBUTIONS:
        key, response = sides
        restrict = "shared" if ac.scoring.metrics.registry.find_metric(metric).gold_mentions else "none"
        if restrict == "shared":
            both = (key >= 0) & (response >= 0)
            key, response = np.where(both, key, -1), np.where(both, response, -1)
            if not both.any():
                continue
        expected = ac.score_labels(key, response, metrics=metric, restrict=restrict).counts.rows.ravel()
        found = []
        for places in (np.arange(unit.size), order):
            dense = [np.unique(labels[places], return_inverse=True)[1] - (-1 in labels) for labels in (key, response)]
            rows = unit_rows(UnitCells.from_labels(*dense, unit[places]), (metric,), 4)
            found.append(sums_of((metric,), rows.sum(axis=0)))
            np.testing.assert_allclose(found[-1], expected, atol=1e-12, err_msg=metric)
        if not metric.startswith("cea"):  # of several best alignments, any
            np.testing.assert_allclose(*found, atol=1e-12)


def test_metrics_without_shares_have_no_rows():
    rows = unit_rows(
        UnitCells.from_labels(np.array([0, 0]), np.array([0, 1]), np.array([0, 0])), ("bcub-sys", "muc"), 1
    )
    assert np.isnan(rows[:, :4]).all()
    assert rows[0, 4:].tolist() == pytest.approx([0, 1, 0, 0])
