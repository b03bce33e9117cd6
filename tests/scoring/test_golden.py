"""The package against values that it did not compute: papers, the reference scorer, other scorers.

`golden/README.md` says what produced each file.
"""

import numpy as np
import pytest

import arraycoref as ac
import oracle
from marks import about
from oracle.conll_files import conll_text
from oracle.golden import (
    REFERENCE_METRICS,
    case_outputs,
    check_against_reference,
    counts,
    documents_of_cells,
    files_of_cells,
    matches_print,
    reference_documents,
    worked_examples,
)

pytestmark = pytest.mark.usefixtures("engine")

FILES = ("reference_scorer", "reference_cases")


def by_id(rows):
    return [pytest.param(row, id=row["name"]) for row in rows]


def resolve(scores, path):
    """Follow a path such as `blanc.coreference.f1` or `bcub.precision`."""
    metric, *attributes = path.split(".")
    value = scores[metric]
    for attribute in attributes:
        value = getattr(value, attribute)
    return value


@pytest.mark.parametrize("example", by_id(worked_examples()))
def test_worked_example(example):
    scores = ac.score(example["key"], example["response"])
    for path, expected in example["counts"].items():
        assert counts(resolve(scores, path)) == pytest.approx([float(value) for value in expected], abs=1e-12), path
    for path, expected in example["exact"].items():
        assert resolve(scores, path) == pytest.approx(float(expected), abs=1e-12), path
    for path, expected in example["printed"].items():
        assert abs(resolve(scores, path) - expected) <= 0.5 * 10 ** -example["decimals"] + 1e-12, path
    if "mean_f1" in example:
        mean = np.mean([scores[metric].f1 for metric in example["mean_f1"]["metrics"]])
        assert mean == pytest.approx(example["mean_f1"]["value"], abs=1e-12)


def test_conll_score_of_the_worked_example():
    scores = ac.score([[*"abc"], [*"defg"]], [[*"ab"], [*"cd"], [*"fghi"]])
    assert scores.conll == pytest.approx((2 / 5 + 5 / 11 + 2 * 1.3 / 5) / 3, abs=1e-12)


@pytest.mark.parametrize("name", FILES)
def test_reference_scorer_from_clusters(name):
    for case in reference_documents(name):
        with about(case["name"]):
            check_against_reference(ac.score(case["key"], case["response"], profile="conll"), case["expected"])


@pytest.mark.parametrize("name", FILES)
def test_reference_scorer_from_files(name, tmp_path):
    cases = reference_documents(name)
    for side in ("key", "response"):
        text = conll_text([(case["name"], case["tokens"], case[side]) for case in cases])
        (tmp_path / f"{side}.conll").write_text(text, encoding="utf-8")
    batch = ac.score_files(tmp_path / "key.conll", tmp_path / "response.conll", profile="conll")
    assert len(batch.names) == len(cases)
    for number, case in enumerate(cases):
        assert case["name"] in str(batch.names[number])
        check_against_reference(batch[number], case["expected"])
    for metric in REFERENCE_METRICS:
        rows = np.array([case["expected"][metric]["coreference"] for case in cases])
        np.testing.assert_allclose(batch.counts[metric], rows, rtol=1e-9, atol=1e-9)
        assert counts(batch[metric]) == pytest.approx(rows.sum(axis=0).tolist(), rel=1e-9)


def test_reference_scorer_on_repeated_mentions(tmp_path):
    """Mentions in several entities; which of these is the last depends on where their ids are in a cell."""
    cases = documents_of_cells("reference_repeated")
    batch = ac.score_files(*files_of_cells(cases, tmp_path), profile="conll", on_error=lambda _: None)
    for number, case in enumerate(cases):
        with about(case["name"]):
            check_against_reference(batch[number], case["expected"])


@pytest.mark.parametrize("lenient", [False, True])
def test_reference_scorer_on_bare_numbers(tmp_path, lenient):
    """A number without a bracket is passed over alone, and what stands beside it in the cell counts."""
    cases = documents_of_cells("reference_bare")
    paths = files_of_cells(cases, tmp_path)
    batches = {}
    for profile in ("conll", "paper"):
        told = []
        batches[profile] = ac.score_files(*paths, profile=profile, lenient=lenient, on_error=told.append)
        assert len(told) == 2  # one for each side
    for number, case in enumerate(cases):
        check_against_reference(batches["conll"][number], case["expected"])
        for metric in REFERENCE_METRICS:
            expected = pytest.approx(case["expected"][metric]["coreference"], rel=1e-9, abs=1e-9)
            assert counts(batches["paper"][number][metric]) == expected, metric


@pytest.mark.parametrize("case", by_id(case_outputs()))
def test_other_scorers(case):
    keys = [document["key"] for document in case["documents"]]
    responses = [document["response"] for document in case["documents"]]
    batches = {
        "conll": ac.score_batch(keys, responses, profile="conll"),
        "paper": ac.score_batch(keys, responses, profile="paper", duplicates="first"),
    }
    for metric, rows in case["expected"].items():
        for row in rows:
            score = batches[row["profile"]][metric]
            for value, printed in zip((score.recall, score.precision, score.f1), row["rpf"], strict=True):
                assert matches_print(value, printed, row["printed"]), (metric, row, value)


@pytest.mark.parametrize("case", by_id(case_outputs()))
def test_counts_of_the_cases(case):
    """The definitions written out in `oracle` give the counts behind the percentages."""
    documents = [
        oracle.apply_policies(document["key"], document["response"], duplicates="first")
        for document in case["documents"]
    ]
    batch = ac.score_batch(
        [document["key"] for document in case["documents"]],
        [document["response"] for document in case["documents"]],
        duplicates="first",
        metrics=tuple(oracle.LINEAR),
    )
    for metric, compute in oracle.LINEAR.items():
        rows = [[float(value) for value in compute(key, response)] for key, response in documents]
        np.testing.assert_allclose(batch.counts[metric], rows, rtol=1e-9, atol=1e-9, err_msg=metric)
