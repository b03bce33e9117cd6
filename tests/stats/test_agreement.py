"""Agreement of annotators: means of the F of all pairs, held against the sums of each."""

import json
from dataclasses import replace
from itertools import combinations, permutations

import pytest

import arraycoref as ac
from arraycoref.scoring.metrics.registry import METRICS

ANNOTATORS = {
    "Ada": {"x": [["a", "b", "c"], ["d", "e"]], "y": [["a", "b"]], "z": [["a"]]},
    "Bob": {"x": [["a", "b"], ["c", "d", "e"]], "y": [["a", "b"]], "z": [["a"]]},
    "Cleo": {"z": [["a"]], "x": [["a", "b", "c", "d", "e"]], "y": [["a", "c"]]},
}


def test_pairs_means_and_documents():
    found = ac.agree(ANNOTATORS)
    pairs = [ac.score_batch(ANNOTATORS[a], ANNOTATORS[b]) for a, b in combinations(ANNOTATORS, 2)]
    swapped = [ac.score_batch(ANNOTATORS[b], ANNOTATORS[a]) for a, b in combinations(ANNOTATORS, 2)]
    for metric in ac.DEFAULT_METRICS:
        assert [row[metric] for row in found.scores.values()] == pytest.approx([b[metric].f1 for b in pairs])
        assert found.means[metric] == pytest.approx(sum(b[metric].f1 for b in swapped) / 3)
        assert found.documents["x"][metric] == pytest.approx(sum(b["x"][metric].f1 for b in pairs) / 3)
    assert list(found.documents) == ["y", "x", "z"]  # MUC of y is 1, 0 and 0; of z it is 0/0
    assert str(found.documents["z"]["conll"]) == "nan"
    assert found.documents["z"]["bcub"] == 1
    lines = str(found).splitlines()
    assert [line.split("  ")[0] for line in lines[2:6]] == ["Ada, Bob", "Ada, Cleo", "Bob, Cleo", "mean"]
    assert [line.split()[0] for line in lines if line[:2] in ("x ", "y ", "z ")] == ["y", "x", "z"]
    short = str(replace(found, is_full=False)).splitlines()
    assert short[0].split() == ["pair", "(F1)", "mentions", "conll"]
    assert [line[:5] for line in short if "Passonneau" in line or "nominal" in line] == ["alpha"]
    assert "3 annotators, 3 documents, F in percent" in lines
    assert len(found.to_frame("pandas")) == 3 + 1 + 3 + 1


def test_gains_are_those_of_a_document_that_is_done_alike():
    expected = dict.fromkeys("xyz", 0.0)
    for a, b in combinations(ANNOTATORS, 2):
        before = ac.score_batch(ANNOTATORS[a], ANNOTATORS[b]).corpus.conll
        for name in expected:
            alike = ac.score_batch(ANNOTATORS[a], ANNOTATORS[b] | {name: ANNOTATORS[a][name]})
            expected[name] += (alike.corpus.conll - before) / 3
    gains = ac.agree(ANNOTATORS).gains
    assert gains == pytest.approx(expected)
    assert list(gains) == ["x", "y", "z"]


def test_documents_that_an_annotator_lacks_are_noted():
    files = ANNOTATORS | {"Cleo": {name: ANNOTATORS["Cleo"][name] for name in "xz"}}
    found = ac.agree(files, missing_documents="skip", metrics="muc")
    note = "Ada and Cleo, Bob and Cleo: 1 document left out: not in the response"
    assert found.notes == (note,)
    assert note in str(found)
    assert found.to_dict()["notes"] == [note]


def test_files(tmp_path):
    path = tmp_path / "key.jsonl"
    path.write_text('{"doc_key": "a", "clusters": [[[0, 0], [2, 2]]]}')
    assert ac.agree({"Ada": [path], "Bob": path}, metrics="b3").means == {"bcub": 1.0}
    assert ac.agree({"Ada": path, "Bob": [path]}, metrics="b3").means == {"bcub": 1.0}


def of_models(clusters, predicted=None):
    """Write clusters of three words in three formats, beside predicted ones; return the texts of the files."""
    entity = {mention: label for label, cluster in enumerate(clusters) for mention in cluster}
    model = {mention: label for label, cluster in enumerate(predicted or []) for mention in cluster}
    e2e = {"doc_key": "a", "clusters": [[[m, m] for m in cluster] for cluster in clusters]}
    wec = [
        {"doc_id": "a", "sent_id": 0, "mention_id": m, "coref_chain": entity[m], "tokens_number": [m]} for m in range(3)
    ]
    table = [["document", "mention", "label"], *[["a", str(m), str(entity[m])] for m in range(3)]]
    if predicted:
        e2e |= {"predicted_clusters": [[[m, m] for m in cluster] for cluster in predicted]}
        wec = [row | {"predicted_coref_chain": model[row["mention_id"]]} for row in wec]
        table = [[*row, "predicted_label" if m < 0 else str(model[m])] for m, row in enumerate(table, -1)]
    return {"e2e.jsonl": json.dumps(e2e), "wec.json": json.dumps(wec), "t.csv": "\n".join(map(",".join, table))}


@pytest.mark.parametrize("file", ["e2e.jsonl", "wec.json", "t.csv"])
def test_each_annotator_of_a_file_with_predicted_clusters_is_read_once(tmp_path, file):
    """Ben's file holds Ada's clusters too: MUC of what was predicted is 0.5 against 1, in every order."""
    texts = {
        "Ada": of_models([[0, 1, 2]]),
        "Ben": of_models([[0, 1, 2]], [[0, 1], [2]]),
        "Cleo": of_models([[0, 1, 2]]),
    }
    paths = {}
    for name, text in texts.items():
        paths[name] = tmp_path / name / file
        paths[name].parent.mkdir()
        paths[name].write_text(text[file])
    warned = []
    for names in permutations(paths):
        found = ac.agree({name: paths[name] for name in names}, metrics="muc", on_error=warned.append)
        scores = {frozenset(pair): row["muc"] for pair, row in found.scores.items()}
        muc = pytest.approx(2 * 0.5 / 1.5)
        assert scores == {
            frozenset(["Ada", "Ben"]): muc,
            frozenset(["Ben", "Cleo"]): muc,
            frozenset(["Ada", "Cleo"]): 1,
        }
    assert len(warned) == 6
    assert "an annotator's are what was predicted; " in warned[0].reason
    with pytest.raises(ac.OptionError, match="expected options that hold for all annotators"):
        ac.agree(paths, unit="key:word")


def test_annotators_of_label_studio_are_the_people(tmp_path):
    spans = [
        {"id": f"s{m}", "type": "labels", "value": {"start": 2 * m, "end": 2 * m + 1, "labels": ["M"]}}
        for m in range(3)
    ]
    links = [{"type": "relation", "from_id": f"s{m}", "to_id": f"s{m + 1}", "labels": ["coref"]} for m in range(2)]
    for name, n in (("Ada", 2), ("Ben", 1)):
        people, models = [{"result": spans + links[:n]}], [{"result": spans + links}]
        task = [{"data": {"text": "a b c"}, "annotations": people, "predictions": models}]
        (tmp_path / f"{name}.json").write_text(json.dumps(task))
    for names in permutations(["Ada", "Ben"]):
        found = ac.agree({name: tmp_path / f"{name}.json" for name in names}, metrics="muc")
        assert found.means["muc"] == pytest.approx(2 / 3)


def test_one_document_and_what_makes_no_sense():
    found = ac.agree({"Ada": [["a", "b"]], "Bob": [["a", "b"]]}, metrics="b3")
    assert (found.means, len(found.tables(2))) == ({"bcub": 1.0}, 2)
    with pytest.raises(ac.InputError, match="expected a mapping from their names"):
        ac.agree(["anna.conll", "ben.conll"])
    with pytest.raises(ac.InputError, match="there is 1 annotator; expected two at least"):
        ac.agree({"Ada": [["a"]]})
    with pytest.raises(ac.OptionError, match="beta is 2; expected 1"):
        ac.agree(ANNOTATORS, beta=2)
    with pytest.raises(ac.OptionError, match="restrict is 'key'"):
        ac.agree(ANNOTATORS, restrict="key")


LACKING = {
    "Ada": {"x": [[1, 2], [3]], "y": [[1, 2, 3]]},
    "Bob": {"x": [[1, 2, 3], [4, 5], [6]]},
    "Cleo": {"x": [[1], [2, 3]], "z": [[4, 5]]},
}


@pytest.mark.parametrize("profile", ["paper", "conll"])
@pytest.mark.parametrize("order", list(permutations(LACKING)))
def test_any_order_of_annotators_gives_the_same(order, profile):
    """Also of metrics whose F depends on the key, and of documents that one of them lacks."""
    options = {"missing_documents": "empty", "profile": profile}
    options["metrics"] = [name for name in ac.METRIC_NAMES if not METRICS[name].gold_mentions]
    found, usual = (ac.agree({name: LACKING[name] for name in names}, **options) for names in (order, LACKING))
    for pair, row in usual.scores.items():
        assert found.scores[pair if pair in found.scores else pair[::-1]] == pytest.approx(row)
    assert found.documents == {name: pytest.approx(row, nan_ok=True) for name, row in usual.documents.items()}
    union = {name: {d: LACKING[name].get(d, []) for d in "xyz"} for name in ("Ada", "Cleo")}
    b = ac.score_batch(union["Ada"], union["Cleo"], metrics="muc,bcub,ceafe,lea,blanc", profile=profile)
    pair = next(pair for pair in found.scores if set(pair) == {"Ada", "Cleo"})
    assert {m: found.scores[pair][m] for m in b.metrics} == pytest.approx({m: b[m].f1 for m in b.metrics})
    assert any("1 document scored as empty, which Cleo lacks" in note for note in found.notes)
    assert "F depends on which annotator is the key, and is the mean of both: " in found.notes[-1]
    with pytest.raises(ac.DocumentMismatchError, match=r"as the key, .* as the response: .*missing_documents='empty'"):
        ac.agree({name: LACKING[name] for name in order}, missing_documents="error")
