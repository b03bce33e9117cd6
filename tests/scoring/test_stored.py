"""Scores on disk: what is read again is what was scored, to the last bit; what is no such file is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.scoring.metrics.registry import METRICS

KEYS = {"one": [list("abc"), list("defg")], "two": [list("ab"), ["c"]], "muc": [], "é\n\ud800": [["x", "y", "z"]]}
RESPONSES = {"one": [list("ab"), list("cd"), list("fghi")], "two": [list("abc")], "muc": [], "é\n\ud800": [["x", "y"]]}
SAME_MENTIONS = {name for name, metric in METRICS.items() if metric.gold_mentions}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metrics": "conll"},
        {"metrics": sorted(set(ac.METRIC_NAMES) - SAME_MENTIONS)},
        {"metrics": "blanc", "profile": "conll", "beta": 0.5, "singletons": "drop"},
    ],
)
def test_scores_are_read_as_they_were(tmp_path, options):
    b = ac.score_batch(KEYS, RESPONSES, **options)
    b.save(tmp_path / "b.json")
    again = ac.load_scores(tmp_path / "b.json")
    assert alike(again, b)
    assert not again.counts.rows.flags.writeable


def test_documents_without_names_and_documents_that_were_not_scored(tmp_path):
    b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4])
    rows = b.counts.rows.copy()
    rows[1] = np.nan
    b = replace(b, counts=replace(b.counts, rows=rows))
    b.save(tmp_path / "b.json")
    assert alike(ac.load_scores(tmp_path / "b.json").counts.rows, b.counts.rows)
    none = ac.score_batch({}, {})
    none.save(tmp_path / "none.json")
    assert ac.load_scores(tmp_path / "none.json").counts.rows.shape == none.counts.rows.shape


def test_a_resample_is_not_stored_with_documents_missing(tmp_path):
    b = ac.score_batch(KEYS, RESPONSES)
    twice = replace(b, counts=b.counts.take([0, 1, 0]))
    with pytest.raises(ac.InputError, match="two documents are named 'one'"):
        twice.save(tmp_path / "b.json")
    assert not (tmp_path / "b.json").exists()
    unnamed = replace(twice, counts=replace(twice.counts, names=None))
    unnamed.save(tmp_path / "b.json")
    assert alike(ac.load_scores(tmp_path / "b.json").counts.rows, unnamed.counts.rows)


def test_compressed(tmp_path):
    b = ac.score_batch(KEYS, RESPONSES)
    b.save(tmp_path / "b.json.gz")
    assert (tmp_path / "b.json.gz").read_bytes()[:1] != b"{"
    assert alike(ac.load_scores(tmp_path / "b.json.gz"), b)


def changed(change):
    """Return the text of scores that a function has changed."""
    found = ac.score_batch(KEYS, RESPONSES, metrics="muc,bcub").to_dict()
    found["sums"] = {"groups": ["muc", "bcub"], "documents": {"one": [[1, 2, 3, 4], [1, 2, 3, 4]]}}
    change(found)
    return json.dumps(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "",
            "not a file of scores; make one with `arraycoref score ... --format json --per-document`: Expecting value",
        ),
        ("[]", "no 'scores'"),
        (lambda found: found.pop("sums"), "no sums of documents; expected .* --per-document"),
        (lambda found: found["sums"]["groups"].reverse(), "sums of bcub, muc; expected muc, bcub"),
        (lambda found: found["sums"]["documents"].update(one=[[1, 2, 3, 4]]), r"shape \(1, 1, 4\)"),
        (lambda found: found["sums"]["documents"].update(one=[[1, 2, 3, 4], [1, 2, 3, 1e999]]), "finite"),
        (lambda found: found["signature"].pop("beta"), "signature that differs in beta from those of this version"),
        ('{"scores": {}, "sums": {"documents": {"a": [], "b": [], "a": [[1]]}}}', "'a' twice in one object"),
        (lambda found: found["signature"].update(beta=-1), "beta is -1"),
    ],
)
def test_what_holds_no_scores_is_refused(tmp_path, text, said):
    path = tmp_path / "b.json"
    path.write_text(changed(text) if callable(text) else text)
    with pytest.raises(ac.ReadError, match=said) as refused:
        ac.load_scores(path)
    assert refused.value.path == str(path)
    with pytest.raises(ac.ReadError, match="No such file"):
        ac.load_scores(tmp_path / "absent.json")


def test_scores_of_taggers_are_refused(tmp_path):
    from arraycoref.tagging import score_tag_ids

    score_tag_ids([0, 1], [0, 0]).save(tmp_path / "tags.json")
    with pytest.raises(ac.ReadError, match="not a file of scores"):
        ac.load_scores(tmp_path / "tags.json")


def test_scores_are_saved_as_batches_are(tmp_path):
    b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["x", "y"])
    for scores, n_documents in ((b.corpus, 1), (b["y"], 1), (ac.score_labels([0, 0], [0, 0]), 1), (b.macro, 2)):
        scores.save(tmp_path / "scores.json")
        loaded = ac.load_scores(tmp_path / "scores.json")
        assert len(loaded) == n_documents
        found = loaded.macro if n_documents == 2 else loaded.corpus
        assert [found[metric].f1 for metric in found] == [scores[metric].f1 for metric in scores]
        assert found.name is None
        assert found.notes == (("sums of 2 documents",) if scores is b.corpus else scores.notes)
    assert b["y"].to_json() == b["y"].render("json")
