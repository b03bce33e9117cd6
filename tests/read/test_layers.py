"""Documents in Python, and the columns of CoNLL files that are not as usual."""

from pathlib import Path

import pytest

import arraycoref as ac
from arraycoref.read import read_documents
from arraycoref.read.layers import of_rows

CONLL = (
    "#begin document (nw/a); part 001\n"
    + "".join(
        f"nw/a 1 {k} {word} {'- ' * 7}{item}\n"
        for k, (word, item) in enumerate([("We", "(0)"), ("saw", "(1"), ("Rome", "1)")])
    )
    + "#end document\n"
)
CONLLU = """# newdoc id = b
# global.Entity = eid
1\tle\t_\t_\t_\t_\t2\t_\t_\tEntity=(e7
2\tmot\t_\t_\t_\t_\t0\t_\t_\tEntity=e7)
2.1\t_\t_\t_\t_\t_\t_\t_\t2:subj\tEntity=(e8)

0.1\t_\t_\t_\t_\t_\t_\t_\t1:subj\tEntity=(e8[1/2])
1\tet\t_\t_\t_\t_\t0\t_\t_\t_
2\tlui\t_\t_\t_\t_\t1\t_\t_\tEntity=(e8[2/2])

"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_documents_in_python():
    Path("in.conll").write_text(CONLL)
    Path("in.conllu").write_text(CONLLU)
    Path("bare.jsonl").write_text('{"doc_key": "x", "clusters": [[[0, 1]]]}')
    documents = read_documents(["in.conll", "in.conllu", "bare.jsonl"])
    first, second, third = documents
    assert (first.name, first.words, first.clusters) == ("nw/a_1", ["We", "saw", "Rome"], [[(0, 0)], [(1, 2)]])
    assert (second.sentences, second.unit, second.file) == ([["le", "mot"], ["et", "lui"]], "word", "in.conllu")
    assert second.clusters == [[(0, 1)], [(("2.1", "2.1"),), (("2.0.1", "2.0.1"), (3, 3))]]
    assert (third.words, third.clusters) == (None, [[(0, 1)]])
    assert documents["b"] == documents[1] == documents[-2] == second
    scores = ac.score_batch(*2 * [{document.name: document.clusters for document in documents}])
    assert (scores["conll"].f1, scores.names) == (1, ("nw/a_1", "b", "x"))
    with pytest.raises(ac.UnknownNameError, match="unknown document 'c'"):
        documents["c"]


def test_other_columns():
    row = ["d", "0", "0", "w", "N", "*", "-", "-", "-", "s", "(3)"]
    assert of_rows([[row]], -1).columns == {
        "pos": [["N"]],
        "speakers": [["s"]],
    }  # the last of eleven is the coreference
    row = ["d", "0", "0", "w", "(1)", "*", "-", "-", "-", "s", "*", "A", "B"]
    layers = of_rows([[row]], 5)
    assert layers.columns == {"speakers": [["s"]], "arguments": [["A\tB"]]}
    semeval = ["1", "the", "the", "the", "DT", "DT", "_", "_", "2", "2", "NMOD", "NMOD", "(3)"]
    assert (of_rows([[semeval]], -1).columns, of_rows([[semeval]], -1).sentences) == ({}, [["the"]])
