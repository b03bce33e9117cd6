"""Many pairs of files in one call: what the pairs are, each one's scores, the total of all, and pairs that fail."""

import io
import json
import random
import sys

import numpy as np
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.exceptions import InputError, OptionError, ReadError, UnknownNameError

METRICS = (*ac.DEFAULT_METRICS, "bcub-all", "merge-distance")


def clusters(rng):
    """Make up the entities of a document: each of up to 12 tokens is a mention of one of three, or of none."""
    entities = [[], [], []]
    for token in range(rng.randint(1, 12)):
        if rng.random() < 0.8:
            entities[rng.randrange(3)].append([token, token])
    return [entity for entity in entities if entity]


def write(path, documents):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"doc_key": name, "clusters": entities}) for name, entities in documents]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Write five pairs of one or two documents, whose names repeat, and all documents under names of their own.

    The working directory has ``keys`` and ``responses``, and the same documents as one corpus in ``k`` and ``r``.
    """
    monkeypatch.chdir(tmp_path)
    rng = random.Random(7)
    for n in range(5):
        for side, corpus in (("keys", "k"), ("responses", "r")):
            documents = [(f"doc{d}", clusters(rng)) for d in range(1 + n % 2)]
            write(tmp_path / side / f"{n}.jsonl", documents)
            write(tmp_path / corpus / f"{n}.jsonl", [(f"{n}: {name}", entities) for name, entities in documents])
    return tmp_path


def listed(*pairs):
    with open("list.tsv", "w", encoding="utf-8") as file:
        file.writelines(f"{key}\t{response}\n" for key, response in pairs)
    return "list.tsv"


FIVE = [(f"keys/{n}.jsonl", f"responses/{n}.jsonl") for n in range(5)]


def test_each_pair_is_scored_as_alone_and_the_total_as_one_corpus(folders):
    options = {"metrics": METRICS, "singletons": "drop", "beta": 2}
    found = ac.score_file_pairs("keys", "responses", **options)
    corpus = ac.score_files("k", "r", **options)
    for pair, files in zip(found.values(), FIVE, strict=True):
        assert alike(pair, ac.score_files(*files, **options))
    assert list(found) == list(found.names) == ["0", "1", "2", "3", "4"]
    assert found.total.names == corpus.names
    np.testing.assert_array_equal(found.total.counts.rows, corpus.counts.rows)


def test_lists_mappings_and_folders_are_the_same_pairs(folders):
    expected = list(ac.score_file_pairs("keys/", "responses/").values())
    paths = [(folders / key, folders / response) for key, response in FIVE]
    for pairs in (listed(*FIVE), folders / listed(*FIVE), FIVE, iter(paths), dict(enumerate(FIVE)), {1: FIVE[0]}):
        found = list(ac.score_file_pairs(pairs).values())
        assert alike(found, expected[: len(found)])
        assert len(found) in (1, 5)
    many = [(["k/0.jsonl", "k/1.jsonl"], "r/[01].jsonl")]
    assert alike(ac.score_file_pairs(many)["r/[01].jsonl"], ac.score_files(*many[0]))


def test_names_of_pairs(folders):
    keys = [key for key, _ in FIVE]
    assert ac.score_file_pairs(FIVE).names == tuple(response for _, response in FIVE)
    same = [(key, keys[0]) for key in (keys[0], keys[2], keys[4])]
    assert ac.score_file_pairs(same).names == tuple(f"{key} {keys[0]}" for key, _ in same)
    assert ac.score_file_pairs({"one": FIVE[0]}).names == ("one",)
    with pytest.raises(InputError, match=r"the pair 'keys/0.jsonl keys/1.jsonl' is given twice"):
        ac.score_file_pairs([(keys[0], keys[1])] * 2)


def test_lists_that_are_no_pairs(folders):
    text = "\ufeffkeys/0.jsonl\tresponses/0.jsonl\r\n\r\nkeys/1.jsonl\tresponses/1.jsonl"
    (folders / "list.tsv").write_bytes(text.encode())
    assert alike(ac.score_file_pairs("list.tsv"), ac.score_file_pairs(FIVE[:2]))
    (folders / "list.tsv").write_text("keys/0.jsonl\tresponses/0.jsonl\nkeys/0.jsonl responses/0.jsonl\n")
    for pairs, error, message in (
        (["list.tsv"], ReadError, r"list.tsv:2: .*expected a key's and a response's path, one tab"),
        (["keys"], InputError, "'keys' is a folder of keys; expected that of the responses too"),
        ([[]], InputError, "no pairs were given"),
        (["absent.tsv"], ReadError, "absent.tsv: No such file"),
    ):
        with pytest.raises(error, match=message):
            ac.score_file_pairs(*pairs)


def paths_of(tmp_path, names, side):
    """Write a document to each of some files below a folder, and return the folder."""
    for name in names:
        write(tmp_path / side / name, [("d", [[[0, 0], [1, 1]]])])
    return tmp_path / side


@pytest.mark.parametrize(
    ("keys", "responses", "scored", "failed"),
    [
        ("a.jsonl b/a.jsonl", "a.jsonl b/a.jsonl", "a b/a", ""),
        ("a.jsonl b.jsonl", "a.jsonl c.jsonl", "a", "b c"),
        ("a.json", "a.json a.jsonl", "a.json", "a.jsonl"),
        ("x.3.jsonl", "x.2.jsonl", "", "x.3 x.2"),
        ("b/a.jsonl", "a.jsonl", "", "b/a a"),
        ("a.jsonl .hidden", "a.jsonl", "a", ""),
    ],
)
def test_folders_pair_by_name(tmp_path, keys, responses, scored, failed):
    found = ac.score_file_pairs(paths_of(tmp_path, keys.split(), "k"), paths_of(tmp_path, responses.split(), "r"))
    assert sorted(found) == sorted(scored.split())
    assert sorted(found.failures) == sorted(failed.split())
    assert sorted(found.names) == sorted([*found, *found.failures])
    assert all("has no partner in" in str(error) for error in found.failures.values())


def test_a_pair_that_fails_is_named_and_the_others_go_on(folders):
    (folders / "broken.conll").write_text("#begin document (doc0)\n0\t(0\n#end document\n")
    write(folders / "twice.jsonl", [("doc0", [[[0, 0]], [[0, 0]]])])
    bad = ["absent.conll", "broken.conll", "twice.jsonl", FIVE[1][1]]
    pairs = [FIVE[0], *((FIVE[0][0], response) for response in bad), FIVE[4]]
    found = ac.score_file_pairs(listed(*pairs), on_error=lambda _error: None)
    assert list(found) == [FIVE[0][1], FIVE[4][1]]
    assert list(found.failures) == bad
    assert found.names == tuple(response for _, response in pairs)
    corpus = ac.score_files(["k/0.jsonl", "k/4.jsonl"], ["r/0.jsonl", "r/4.jsonl"])
    np.testing.assert_array_equal(found.total.counts.rows, corpus.counts.rows)
    assert "absent.conll: No such file" in str(found.failures["absent.conll"])
    assert "in two entities" in str(found.failures["twice.jsonl"])
    with pytest.raises(UnknownNameError, match=r"unknown pair that was scored 'absent.conll'"):
        _ = found["absent.conll"]


def test_standard_input_is_read_once(folders, monkeypatch):
    def given(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    given("keys/0.jsonl\tresponses/0.jsonl\n")
    assert alike(ac.score_file_pairs("-"), ac.score_file_pairs(FIVE[:1]))
    given("keys/0.jsonl\t-\n")
    with pytest.raises(OptionError, match="'-' can be read only once"):
        ac.score_file_pairs("-")


def test_an_option_that_some_pairs_need(tmp_path, monkeypatch):
    """A data set without heads does not keep the others from being scored."""
    monkeypatch.chdir(tmp_path)
    row = "1\ta" + 7 * "\t_" + "\tEntity=(e1--1)\n"
    for name, text in (
        ("k.conllu", f"# newdoc id = a\n# global.Entity = eid-etype-head\n{row}\n"),
        ("k.jsonl", '{"doc_key": "a", "clusters": [[[0, 0]]]}'),
    ):
        (tmp_path / name).write_text(text)
    pairs = {"a": ("k.conllu", "k.conllu"), "b": ("k.jsonl", "k.jsonl")}
    found = ac.score_file_pairs(pairs, matching="head")
    assert (list(found), list(found.failures)) == (["a"], ["b"])
    with pytest.raises(OptionError, match="needs the heads of mentions"):
        ac.score_file_pairs({"b": pairs["b"]}, matching="head")
