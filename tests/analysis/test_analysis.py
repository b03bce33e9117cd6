"""The doors: all sides on one index, in the order of the text, whatever they came from."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.exceptions import DocumentMismatchError, InputError, OptionError, UnknownNameError
from arraycoref.read.mentions import UPOS
from marks import cases
from strategies import clusters_of, documents, examples

SPANS = st.tuples(st.integers(0, 9), st.integers(0, 3)).map(lambda pair: (pair[0], sum(pair)))


def conllu(rows, document="d"):
    """Write words as (form, upos, parent, entity marks)."""
    lines = ["# global.Entity = eid-etype-head", f"# newdoc id = {document}", "# sent_id = s1"]
    for n, (form, upos, parent, marks) in enumerate(rows, 1):
        lines.append("\t".join([str(n), form, "_", upos, "_", "_", str(parent), "dep", "_", marks or "_"]))
    return "\n".join([*lines, "", ""])


@pytest.mark.filterwarnings("ignore:.* shared:arraycoref.ReadWarning")
@given(st.lists(st.lists(st.sets(SPANS, min_size=1, max_size=4), max_size=4), min_size=3, max_size=3))
@examples()
def test_scores_are_those_of_scoring(sides):
    """Several responses on one index are scored, and analyzed, as each by itself."""
    seen = [set() for _ in sides]
    key, *responses = (
        [[s for s in cluster if not (s in met or met.add(s))] for cluster in side]
        for side, met in zip(sides, seen, strict=True)
    )
    key, *responses = ([cluster for cluster in side if cluster] for side in (key, *responses))
    a = ac.analyze(key, dict(zip("xy", responses, strict=True)))
    order = list(zip(a.index.start.tolist(), a.index.end.tolist(), strict=True))
    assert order == sorted(set().union(*(cluster for side in (key, *responses) for cluster in side)))
    for s, (name, response) in enumerate(zip("xy", responses, strict=True)):
        alone = ac.analyze(key, response)
        expected = ac.score(key, response)
        for metric in ("muc", "bcub", "ceafe", "blanc"):
            assert a.scores[name].corpus.counts[metric] == pytest.approx(expected.counts[metric])
        for matched in (a, alone):
            own = {
                frozenset(order_of[m] for m in cluster)
                for order_of in [list(zip(matched.index.start.tolist(), matched.index.end.tolist(), strict=True))]
                for cluster in clusters_of(matched.index.labels[s + 1 if matched is a else 1].tolist())
            }
            assert own == {frozenset(cluster) for cluster in response}
        assert (a.error_counts.counts.rows[s] == alone.error_counts.counts.rows[0]).all()


@given(documents())
@examples()
def test_objects(document):
    key, response = document
    a = ac.analyze({"d": key}, {"d": response})
    assert a.scores["response"].counts.rows == pytest.approx(ac.score_batch([key], [response]).counts.rows)
    every = {m for side in document for cluster in side for m in cluster}
    if a.index.has_spans:
        found = list(zip(a.index.start.tolist(), a.index.end.tolist(), strict=True))
    else:
        found = a.index.values.tolist()
    assert set(found) == every
    if not any(isinstance(m, str) or (isinstance(m, tuple) and isinstance(m[0], str)) for m in every):
        assert found == sorted(every)


def test_heads_match_mentions_of_other_words(tmp_path):
    """A mention that matches by its head has the key's words in the index, and its own on its side."""
    words = [("the", "DET", 3), ("old", "ADJ", 3), ("dog", "NOUN", 4), ("saw", "VERB", 0), ("it", "PRON", 4)]
    marks = {
        "key": ("(e1-animal-3", "", "e1)", "", "(e1-animal-1)"),
        "response": ("", "(e1--2", "e1)", "", "(e1--1)"),
        "other": ("(e1--1)", "", "(e2--1)", "", "(e2--1)"),
    }
    for name, own in marks.items():
        rows = [(*word, f"Entity={mark}" if mark else "") for word, mark in zip(words, own, strict=True)]
        (tmp_path / f"{name}.conllu").write_text(conllu(rows))
    files = {name: tmp_path / f"{name}.conllu" for name in ("response", "other")}
    a = ac.analyze_files(tmp_path / "key.conllu", files, matching="head", on_error=lambda _: None)
    index = a.index
    assert (index.start.tolist(), index.end.tolist()) == ([0, 0, 4], [0, 2, 4])
    assert index.labels.tolist() == [[-1, 0, 0], [-1, 0, 0], [0, 1, 1]]
    assert [column.tolist() for column in index.span(1)] == [[-1, 1, 4], [-1, 2, 4]]
    assert [column.tolist() for column in index.span(2)] == [[0, 2, 4], [0, 2, 4]]
    assert index.head(1).tolist() == [-1, 2, 4]
    assert [UPOS[tag] for tag in index.any_upos] == ["DET", "NOUN", "PRON"]
    assert a.is_pronoun.tolist() == [False, False, True]
    assert index.types(0).tolist() == [None, "animal", "animal"]
    assert index.types(1) is None
    assert index.texts(0) == ["the", "the old dog", "it"]
    assert index.sentences(0) == [["the", "old", "dog", "saw", "it"]]
    kinds = a.breakdown("kind", "mentions")
    assert dict(zip(kinds.classes, kinds.key_mentions, strict=True)) == {
        **{"pronoun": 1, "name": 0, "noun": 1, "other": 0},
        "all": 2,
    }
    types = a.breakdown("type", "mentions")
    assert (types.classes, types.response_mentions.tolist()) == (("animal", "(none)", "all"), [[2, 0, 2], [2, 1, 3]])
    exact = ac.analyze_files(tmp_path / "key.conllu", files, on_error=lambda _: None)
    assert exact.error_counts.score("span").tolist() == [1, 1]
    assert not ac.analyze_files(tmp_path / "key.conllu", files, pronouns=False, on_error=lambda _: None).is_pronoun


def test_values_of_tables_are_one_mention_in_all_responses(tmp_path):
    for name, rows in {"key": "r1,A\nr2,A\nr3,B", "x": "r9,A\nr2,A\nr3,A", "y": "r3,A\nr8,A\nr9,A"}.items():
        lines = rows.replace("r", "d,r")
        (tmp_path / f"{name}.csv").write_text(f"document,mention,label\n{lines}\n")
    a = ac.analyze_files(tmp_path / "key.csv", {name: tmp_path / f"{name}.csv" for name in "xy"})
    assert [text.strip("'") for text in a.index.texts(0)] == ["r1", "r2", "r3", "r9", "r8"]
    assert a.index.labels.tolist() == [[0, 0, 1, -1, -1], [-1, 0, 0, 0, -1], [-1, -1, 0, 0, 0]]
    assert not a.index.has_spans
    assert a.spans == "none"


def test_documents_that_not_every_response_has(tmp_path):
    for name, documents_of in {"key": "abc", "x": "ab", "y": "bc", "z": "abc"}.items():
        lines = [json.dumps({"doc_key": d, "clusters": [[[0, 0], [2, 2]]]}) for d in documents_of]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    files = {name: tmp_path / f"{name}.jsonl" for name in "xyz"}
    a = ac.analyze_files(tmp_path / "key.jsonl", files, missing_documents="skip")
    assert a.documents == ("b",)
    assert a.notes == (("2 documents left out: not in every response",),) * 3
    empty = ac.analyze_files(tmp_path / "key.jsonl", files, missing_documents="empty")
    assert empty.error_counts.counts.rows[0, :, :, 0].sum(axis=1).tolist() == [0, 0, 1]
    with pytest.raises(DocumentMismatchError):
        ac.analyze_files(tmp_path / "key.jsonl", files)


def test_documents_of_spacy():
    """Spans of a Doc end after their last word; its words are the texts of mentions."""

    def doc(*groups):
        named = {
            f"coref_clusters_{n}": [SimpleNamespace(start=b, end=e) for b, e in group] for n, group in enumerate(groups)
        }
        words = [SimpleNamespace(text=word) for word in ("Ann", "Lee", "saw", "her")]

        class Doc(SimpleNamespace):
            def __iter__(self):
                return iter(words)

        return Doc(spans=named, _=SimpleNamespace(), text="Ann Lee saw her")

    a = ac.analyze(doc([(0, 2), (3, 4)]), doc([(1, 2), (3, 4)]), pronouns={(3, 4)})
    assert a.index.texts(0) == ["Ann Lee", "Lee", "her"]
    assert a.is_pronoun.tolist() == [False, False, True]
    assert a.error_counts.score("span").tolist() == [1]
    given = ac.analyze([[(0, 2), (3, 4)]], [[(1, 2), (3, 4)]], heads={(0, 2): 1, (1, 2): 1, (3, 4): 3}, end="exclusive")
    assert given.index.head(0).tolist() == [1, -1, 3]


@cases(
    "make,error,message",
    [
        (lambda: ac.analyze_labels([0], [0], duplicates="both"), TypeError, "duplicates"),
        (lambda: ac.analyze([["a"]], [["a"]], duplicates="both"), OptionError, "one entity of each mention"),
        (lambda: ac.analyze({"d": [["a"]]}, [["a"]]), InputError, "the key is a mapping"),
        (lambda: ac.analyze([["a"]], {}), InputError, "no responses"),
        (lambda: ac.analyze([["a"]], [["a"]], spans="head"), OptionError, "not spans of words"),
        (lambda: ac.analyze([["a"]], [["a"]], profile="corefud"), OptionError, "needs heads"),
        (
            lambda: ac.analyze_labels([0, 1], {"x": [0, 0], "y": [0, 1]}, restrict="shared"),
            OptionError,
            "other mentions of the key for each response",
        ),
        (lambda: ac.analyze_labels([0, 1], [0, 0], pronouns=[True]), InputError, r"expected \(2,\)"),
        (lambda: ac.analyze_labels([0, 1], [0, -2]), InputError, "response label -2"),
        (lambda: ac.analyze_labels([0, 1], [0, 0]).errors("other"), UnknownNameError, "other"),
        (lambda: ac.analyze_labels([0, 1], [0, 0]).differences(), UnknownNameError, "response"),
    ],
)
def test_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_policies():
    """Repeated mentions count once; singletons are dropped before anything is counted; one side is restricted."""
    key, response = [[0, 1], [2], [3, 3, 1]], [[0, 1, 2], [3]]
    a = ac.analyze(key, response, profile="conll")
    assert a.index.labels[0].tolist() == [0, 0, 1, 2]
    assert a.notes == (("2 repeated mentions of the key left out (duplicates: first)",),)
    dropped = ac.analyze_labels([0, 0, 1, 2], [0, 0, 0, -1], singletons="drop")
    assert dropped.error_counts.score("missing-singleton").tolist() == [0]
    assert dropped.scores["response"].conll == ac.score_labels([0, 0, 1, 2], [0, 0, 0, -1], singletons="drop").conll
    restricted = ac.analyze_labels([0, 0, -1], [0, 0, 0], restrict="key")
    assert np.count_nonzero(restricted.index.labels[1] >= 0) == 2


def test_groups_of_documents(texts_of_genres):
    """The analysis of a group is that of its documents alone, from files, labels and objects."""
    key, response = texts_of_genres
    a = ac.analyze_files(key, response)
    parts = a.by(r"\w+?(?=_)")
    assert list(parts) == ["news", "talk"]
    assert parts["news"].signature.subset == "news"
    together = sum(part.error_counts.counts.rows.sum(axis=1) for part in parts.values())
    assert (together == a.error_counts.counts.rows.sum(axis=1)).all()
    assert parts["talk"].index.texts(0) == ["b", "c", "d"]
    assert parts["talk"].index.texts(1) == ["d"]
    for part in parts.values():
        assert part.index.start.tolist() == [part.index.documents[0].mentions.start[r] for r in part.index.rows[0]]
    values = ac.analyze({"x": [["p", "q"]], "y": [["r"]]}, {"x": [["p"]], "y": [["r", "s"]]}).by(["one", "two"])
    assert values["two"].index.values.tolist() == ["r", "s"]
    assert values["two"].errors().mentions.tolist() == [1]


@pytest.fixture
def texts_of_genres(tmp_path):
    words = [list("abcd")]
    for name, shift in (("key", 0), ("response", 1)):
        clusters = {"talk_1": [[[1, 1], [2, 2]], [[3, 3]]], "news_1": [[[0, 0], [1, 1], [3, 3]]], "talk_2": [[[3, 3]]]}
        if shift:
            clusters["talk_1"] = [[[1, 1], [2, 2], [3, 3]]]
        lines = [json.dumps({"doc_key": d, "sentences": words, "clusters": c}) for d, c in clusters.items()]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(sorted(lines)))
    return tmp_path / "key.jsonl", tmp_path / "response.jsonl"
