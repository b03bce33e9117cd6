"""Real corpora and system outputs, where they are at hand; the folder is not part of the project.

Set ARRAYCOREF_DATA to the folder that holds expected_scores.json and ecbplus/.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import arraycoref as ac

FOLDER = Path(os.environ.get("ARRAYCOREF_DATA", ""))
pytestmark = pytest.mark.skipif(
    not os.environ.get("ARRAYCOREF_DATA"), reason="ARRAYCOREF_DATA is not set: it names the folder of shared corpora"
)


def load(path):
    """Read a JSON file of the folder, or nothing where there is no folder (the tests are then skipped)."""
    return json.loads((FOLDER / path).read_text(encoding="utf-8")) if os.environ.get("ARRAYCOREF_DATA") else {}


EXPECTED = load("expected_scores.json")
PUBLISHED = load("ecbplus/published_scores.json")
CLASSES = {"coreference": "coreference_links", "non_coreference": "non_coreference_links"}


def counts(score):
    return [score.recall_num, score.recall_den, score.precision_num, score.precision_den]


def require(rows):
    """Parametrise over the rows, with one skipped placeholder where there are none."""
    return sorted(rows) or [pytest.param("-", marks=pytest.mark.skip(reason="ARRAYCOREF_DATA is not set"))]


@pytest.mark.parametrize("corpus", require(EXPECTED))
def test_reference_scorer_and_coval(corpus):
    expected = EXPECTED[corpus]
    batch = ac.score_files(FOLDER / expected["key"], FOLDER / expected["response"], profile="conll")
    for metric, row in expected["reference_scorer"].items():
        if metric == "blanc":
            for attribute, name in CLASSES.items():
                assert counts(getattr(batch["blanc"], attribute)) == row[name], attribute
        else:
            assert counts(batch[metric]) == pytest.approx(row, rel=1e-9), metric
    for metric, row in expected["coval_percent"].items():
        score = batch[metric]
        percent = [100 * score.recall, 100 * score.precision, 100 * score.f1]
        assert percent == pytest.approx(row, abs=0.005 + 1e-9), metric


@pytest.mark.parametrize("name", require(PUBLISHED))
def test_published_scores(name):
    metrics = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")
    batch = ac.score_files(
        FOLDER / "ecbplus" / "key.conll", FOLDER / "ecbplus" / name, profile="conll", metrics=metrics
    )
    attributes = {"F1": "f1", "P": "precision", "R": "recall"}
    for path, expected in PUBLISHED[name].items():
        metric, letter = path.split(".")
        if metric == "conll":
            assert 100 * batch.conll == pytest.approx(expected, rel=1e-9)
        else:
            assert getattr(batch[metric], attributes[letter]) == pytest.approx(expected, rel=1e-9), path


def test_repeated_mentions_score_as_if_resolved():
    key = FOLDER / "gum_gum_key.conll"
    resolved = ac.score_files(key, FOLDER / "gum_gum_resp.conll")
    for options in ({"duplicates": "first"}, {"profile": "conll"}):
        repeated = ac.score_files(key, FOLDER / "gum_gum_resp_repeated.conll", **options)
        for metric in ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairwise"):
            np.testing.assert_array_equal(repeated.counts[metric], resolved.counts[metric], err_msg=metric)
        for attribute in CLASSES:
            one, two = getattr(repeated["blanc"], attribute), getattr(resolved["blanc"], attribute)
            assert counts(one) == counts(two)


COREFUD = FOLDER.parent / "oracle" / "corefud"
SUMS = ("muc", "bcub", "ceafm", "ceafe", "lea", "mor", "zero")
LINKS = {"blancc": "coreference", "blancn": "non_coreference"}


def sums_of(b):
    """Return the four sums of each metric, and of both classes of BLANC."""
    return {name: counts(b[name]) for name in SUMS} | {n: counts(getattr(b["blanc"], a)) for n, a in LINKS.items()}


@pytest.mark.parametrize("name", require(["expected.jsonl", "scorer_tests_corefud/expected.jsonl"] if EXPECTED else []))
def test_sums_of_the_scorer_of_corefud(name):
    """All sums but where a mention is in two entities; ties and pairs of zeros as the folder's README says."""
    n_equal = 0
    for line in (COREFUD / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        folder = (COREFUD / name).parent
        options = {"matching": row["match"].removesuffix("-corefud"), "on_error": lambda _: None}
        options |= {"singletons": row["singletons"], "zeros": row["zeros"], "metrics": ("blanc", *SUMS)}
        try:
            b = ac.score_files(folder / row["key"], folder / row["response"], **options)
        except ac.DuplicateMentionError:
            continue
        if "error" in row:  # the scorer divides by zero
            continue
        expected = row["total"] | row.get("by_rule", {})
        assert sums_of(b) == {name: pytest.approx(expected[name], rel=1e-9) for name in sums_of(b)}, line[:200]
        n_equal += 1
        for upos, part in row.get("upos", {}).items() if "by_alignment" not in row else ():
            b = ac.score_files(folder / row["key"], folder / row["response"], **options, upos=upos)
            assert sums_of(b) == {name: pytest.approx(part["total"][name], rel=1e-9) for name in sums_of(b)}, line[:200]
    assert n_equal == {"expected.jsonl": 614, "scorer_tests_corefud/expected.jsonl": 748}[name]
