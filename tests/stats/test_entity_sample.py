"""A truth that is a sample of entities: by hand, against another program's rows, and on average over samples."""

import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas
import pytest

import arraycoref as ac
from arraycoref.exceptions import InputError, OptionError
from marks import cases
from oracle.golden import entity_samples

# eight records; of the true entities, {1, 2} and {4, 6, 7} are known
KEY, RESPONSE = [0, 0, -1, 1, -1, 1, 1, -1], [0, 0, 0, 1, 1, 2, 3, 3]


@cases(
    "metric,recall,precision",
    [
        ("pairwise", "1/4", "1/3"),  # 1 of 1 + 3 links; of 1 and four halves
        ("bcub", "3/5", "2/3"),
        ("muc", "1/3", "3/7"),
        ("lea", "2/5", "1/5"),
    ],
)
def test_by_hand(metric, recall, precision):
    score = ac.score_labels(KEY, RESPONSE, metrics=metric, truth_sample="entities")[metric]
    assert (score.recall, score.precision) == pytest.approx((float(Fraction(recall)), float(Fraction(precision))))


def test_by_hand_where_records_were_drawn():
    by_size = ac.score_labels(KEY, RESPONSE, metrics="pairwise,bcub", truth_sample="entities:size")
    pairwise, bcub = by_size["pairwise"], by_size["bcub"]
    assert [round(x, 4) for x in (pairwise.precision, pairwise.recall, bcub.precision)] == [0.3639, 0.3083, 0.6667]


def test_equals_another_program():
    """Six samples, and where the folder shared is, all 20: scores, intervals, numbers of splits and merges."""
    rows = entity_samples()
    if "ARRAYCOREF_DATA" in os.environ:
        path = Path(os.environ["ARRAYCOREF_DATA"]).parent / "oracle" / "entity_sample.jsonl"
        rows = list(map(json.loads, path.read_text().splitlines()))
    n = 0
    for row in rows:
        asked = {"metrics": (*row["intervals"], "merge-distance"), "truth_sample": row["design"]}
        scores = ac.score_labels(row["key"], row["response"], **asked)
        intervals = ac.bootstrap(scores)
        for metric, fields in row["intervals"].items():
            for field, expected in fields.items():
                found = getattr(intervals[metric], field)
                ends = found.estimate, found.low, found.high, found.standard_error
                names = "estimate", "low", "high", "error"
                assert ends == pytest.approx([expected[name] for name in names], abs=1e-6), (row["id"], metric, field)
                n += 1
        splits, _, merges, _ = scores.counts["merge-distance"]
        assert (splits, merges) == pytest.approx([row["counts"][name] for name in ("splits", "merges")], abs=1e-6)
    assert n >= 100


def population(rng, n_entities=300):
    """Entities of 1 to 6 records, a quarter of which the response merges with the one before."""
    key = np.repeat(np.arange(n_entities), rng.integers(1, 7, n_entities))
    merged = np.arange(n_entities) - (rng.random(n_entities) < 0.25)
    return key, np.maximum(merged, 0)[key]


@pytest.mark.parametrize("design", ["entities", "entities:size"])
def test_means_over_samples_are_the_scores_of_all(design):
    rng = np.random.default_rng(0)
    key, response = population(rng)
    metrics = ("pairwise", "bcub", "muc", "lea", "cluster", "blanc", "vmeasure")
    whole, found = ac.score_labels(key, response, metrics=metrics), []
    for _ in range(100):
        drawn = key[rng.integers(0, key.size, 80)] if ":" in design else rng.choice(300, 60, replace=False)
        s = ac.score_labels(np.where(np.isin(key, drawn), key, -1), response, metrics=metrics, truth_sample=design)
        found.append([s[metric].f1 for metric in metrics])
    error = np.std(found, axis=0) / 10
    assert (np.abs(np.mean(found, axis=0) - [whole[metric].f1 for metric in metrics]) < 3.5 * error + 0.003).all()


def test_tables_files_and_comparisons(tmp_path):
    rng = np.random.default_rng(1)
    key, response = population(rng)
    known = np.where(key % 5 == 0, key, -1)
    expected = ac.score_labels(known, response, metrics="pairwise", truth_sample="entities")
    ids = np.arange(key.size)
    tables = [
        pandas.DataFrame({"mention": ids[known >= 0], "label": known[known >= 0]}),
        pandas.DataFrame({"mention": ids, "label": response}),
    ]
    table = ac.score_table(*tables, document=None, metrics="pairwise", truth_sample="entities")
    assert table["pairwise"].f1 == expected["pairwise"].f1
    assert "truth_sample:entities" in str(table.signature)
    for name, frame in zip(("key.csv", "response.csv"), tables, strict=True):
        frame.to_csv(tmp_path / name, index=False)
    files = ac.score_files(tmp_path / "key.csv", tmp_path / "response.csv", metrics="pairwise", truth_sample="entities")
    assert files["pairwise"].f1 == expected["pairwise"].f1
    other = ac.score_labels(known, np.arange(key.size) // 3, metrics="pairwise", truth_sample="entities")
    test = ac.paired_test(expected, other, metric="pairwise")
    assert test.difference == pytest.approx(expected["pairwise"].f1 - other["pairwise"].f1)
    assert "60 sampled entities" in str(ac.bootstrap(expected, other))
    with pytest.raises(InputError, match="resample_by has no effect on a sample of entities"):
        ac.bootstrap(expected, resample_by="component")


@cases(
    "key,options,message",
    [
        (RESPONSE, {}, "no record outside 4 known entities"),
        (KEY, {"metrics": "ceafe"}, "a sample of entities says nothing about ceafe"),
        (KEY, {"restrict": "key"}, "truth_sample is with restrict 'none'"),
    ],
)
def test_refused(key, options, message):
    with pytest.raises((InputError, OptionError), match=message):
        ac.score_labels(key, RESPONSE, truth_sample="entities", **options)


def test_metrics_by_default_are_those_that_can_be_estimated():
    scores = ac.score_labels(KEY, RESPONSE, truth_sample="entities")
    assert list(scores) == ["muc", "bcub", "blanc", "lea", "pairwise"]
    assert "3 records of the response outside 2 known entities" in str(scores)
