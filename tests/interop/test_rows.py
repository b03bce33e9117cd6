"""Counts of documents as lists of floats give the scores of the corpus."""

import json

import pytest

import arraycoref as ac
from alike import alike
from arraycoref.interop.rows import document_counts, scores_from_counts

KEYS = {"a": [["x", "y", "z"], ["v", "w"]], "b": [["x", "y"]], "c": []}
RESPONSES = {"a": [["x", "y"], ["z", "v", "w"]], "b": [["x"], ["y", "q"]], "c": [["x", "y"]]}


@pytest.mark.parametrize("options", [{}, {"metrics": "blanc,lea", "profile": "conll", "singletons": "drop"}])
def test_rows_are_the_counts_of_documents(options):
    whole = ac.score_batch(KEYS, RESPONSES, **options)
    rows = [document_counts(KEYS[name], RESPONSES[name], **options) for name in KEYS]
    assert alike(rows, [[1.0, *counts] for counts in whole.counts.flat.tolist()])
    stored = json.loads(json.dumps(rows))
    summed = [[sum(column) for column in zip(*rows[:2], strict=True)], rows[2]]  # of two processes
    for collected in (rows, stored, summed):
        scores = scores_from_counts(iter(collected), **options)
        assert scores.n_documents == 3
        assert scores.signature == whole.corpus.signature
        assert scores.to_dict(flat=True) == pytest.approx(whole.to_dict(flat=True), rel=1e-13)


def test_labels():
    assert document_counts([0, 0, 0, -1], [0, 0, -1, 1], "muc") == [1.0, 1.0, 2.0, 1.0, 1.0]


def test_rows_of_other_metrics():
    rows = [document_counts(KEYS["a"], RESPONSES["a"], metrics) for metrics in ("muc", "muc,bcub")]
    with pytest.raises(ValueError, match="could not be broadcast"):
        scores_from_counts(rows, "muc")
    with pytest.raises(ac.InputError, match="nothing was added"):
        scores_from_counts([], "muc")


@pytest.mark.parametrize("how", ["key", "shared"])
def test_documents_of_which_no_mention_is_left(how):
    """They are left out, as from a batch; one that is left gives its scores, and nothing at all is an error."""
    keys, responses = KEYS | {"d": [["x"], ["y"]]}, RESPONSES | {"d": [["v", "w"]]}
    whole = ac.score_batch(keys, responses, restrict=how)
    rows = [document_counts(keys[name], responses[name], restrict=how) for name in keys]
    assert [row[0] for row in rows] == [1, 1, 0, how == "key"]
    scores = scores_from_counts(rows, restrict=how)
    assert scores.n_documents == len(whole)
    assert scores.to_dict(flat=True) == pytest.approx(whole.to_dict(flat=True), rel=1e-13)
    with pytest.raises(ac.InputError, match="nothing was added"):
        scores_from_counts(rows[2:3], restrict=how)
