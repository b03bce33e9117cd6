"""Each way that an error of two sides prints is taken here: then both are scored, with all documents."""

import json
import re

import pytest

import arraycoref as ac
from arraycoref.exceptions import ArraycorefError
from marks import cases

WORDS = ["Mara", "met", "her", "brother", "."]
CLUSTERS = [[[0, 0], [2, 2]]]


def line(name="d", words=WORDS, **fields):
    return {"doc_key": name, "sentences": [words], "clusters": CLUSTERS} | fields


def characters(text):
    return {"doc_key": "d", "text": text, "clusters": [[[0, 4], [9, 12]]], "clusters_strings": []}


NAMELESS = {"sentences": [WORDS], "clusters": CLUSTERS}

SIDES = {
    "missing": ([line("a"), line("b")], [line("a")], {},
        {"missing_documents='empty'": 2, "missing_documents='skip'": 1}),
    "extra": ([line("a")], [line("a"), line("b")], {}, {"extra_documents='ignore'": 1}),
    "longer": ([line()], [line(words=["So", *WORDS])], {}, {"tokens='align'": 1, "tokens='ignore'": 1}),
    "other words": ([line()], [line(words=["Maria", *WORDS[1:]])], {}, {"tokens='align'": 1, "tokens='ignore'": 1}),
    "characters of another text": ([characters("Mara met her.")], [characters("Mara met her !!")], {},
        {"tokens='align'": 1, "tokens='ignore'": 1}),
    "characters and words": ([characters("Mara met her.")], [line()], {}, {"tokens='align'": 1}),
    "words and characters": ([line()], [characters("Mara met her.")], {}, {"tokens='align'": 1}),
    "nameless": ([NAMELESS] * 2, [NAMELESS, NAMELESS | {"sentences": [["Maria", *WORDS[1:]]]}], {},
        {"tokens='align'": 2}),
    "texts of mentions": ([line()], [{"doc_key": "d", "text": "Mara met her brother.", "clusters": [[[0, 3], [8, 11]]],
        "clusters_strings": [["Mara", "her"]]}], {"response_format": "fastcoref"}, {"tokens='ignore'": 1}),
    "not as many changes": ([line()], [line(words=["So", *WORDS])], {"tokens": "align", "max_changed": 0.1}, {}),
    "of another text": ([line(words=WORDS * 500)], [line(words=["x", "y"] * 1250)], {"tokens": "align"}, {}),
}  # fmt: skip


@cases("name", list(SIDES))
def test_ways(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    key, response, options, ways = SIDES[name]
    for path, lines in (("key.jsonl", key), ("response.jsonl", response)):
        (tmp_path / path).write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(ArraycorefError) as error:
        ac.score_files("key.jsonl", "response.jsonl", **options)
    assert {*re.findall(r"\w+='\w+'", str(error.value))} == ways.keys() - {"missing_documents='skip'"}
    for way, n_documents in ways.items():
        option, _, value = way.partition("=")
        scores = ac.score_files(
            "key.jsonl", "response.jsonl", **{**options, option: value.strip("'")}, on_error=lambda _: None
        )
        assert scores.documents["muc"].f1.size == n_documents
