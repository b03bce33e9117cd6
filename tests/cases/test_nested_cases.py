"""Mentions in each other, and entities of all mentions: what is shown and written of them grows with the file only."""

import json
from itertools import pairwise

import pytest

import arraycoref as ac
from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents
from arraycoref.read.write import write_documents
from marks import cases

N = 3000


@pytest.fixture
def write(tmp_path):
    def write(name, n_words, clusters):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"doc_key": "d", "sentences": [["w"] * n_words], "clusters": clusters}))
        return path

    return write


NESTED = {
    "each other": [[[i, 2 * N - 1 - i] for i in range(N)]],
    "beginning together": [[[0, i] for i in range(N)]],
    "ending together": [[[i, 2 * N - 1] for i in range(N)], [[0, 0]]],
}


@cases("name", list(NESTED))
def test_texts_of_mentions_are_cut(write, name):
    path = write("key", 2 * N, NESTED[name])
    a = ac.analyze_files(path, path)
    texts = a.index.texts(0)
    assert max(map(len, texts)) == 200
    assert sum(map(len, texts)) <= 200 * len(texts)
    assert max(map(len, a.entities().columns()["mention"])) <= 200
    assert len(str(a.show())) < 500 * N


@cases("metric", ["muc", "bcub", "ceafe", "lea"])
@cases("cuts", [(), (9,), (1, 2, N // 2)])
def test_rows_of_explanations_are_cut(metric, cuts):
    """In tables of text only: the rows themselves have all mentions."""
    key, response = [[m] for m in range(N)], [[*range(*ends)] for ends in pairwise((0, *cuts, N))]
    for sides in ((key, response), (response, key)):
        explanation = ac.explain(metric, *sides)
        assert max(len(line) for line in str(explanation).splitlines() if "{" in line) < 1000
        assert len(str(explanation)) < 1500 * N
        assert [len(names) for names in explanation.entities[1]] == [*map(len, sides[1])]


@cases(
    "style,clusters,text",
    [
        ("xml-text", [[[0, 3], [1, 2]], [[0, 3]]], "<e1><e2>w <e1>w w</e1> w</e2></e1>"),
        ("xml-text", [[[0, 2]], [[1, 3]]], "<e1>w <e2>w w</e1> w</e2>"),
        ("markdown", [[[0, 3], [3, 3]], [[1, 1]]], "[w [w](#2) w [w](#1)](#1)"),
    ],
)
def test_tags_of_mentions_in_each_other(write, style, clusters, text):
    path = write("key", 4, clusters)
    write_documents(read_documents(path), path.with_suffix(".txt"), format=style)
    assert path.with_suffix(".txt").read_text() == text + "\n"


@cases(
    "style,clusters",
    [
        ("xml-text", [[[0, 4], [1, 3], [2, 5]]]),
        ("markdown", [[[0, 2]], [[1, 1]], [[2, 4]]]),
        ("markdown", [[[0, 4], [0, 2]], [[1, 3]]]),
    ],
)
def test_mentions_that_cross_after_others_have_closed(write, style, clusters):
    path = write("key", 6, clusters)
    with pytest.raises(ReadError, match="crosses another"):
        write_documents(read_documents(path), path.with_suffix(".txt"), format=style)
