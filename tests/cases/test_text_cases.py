"""Texts that differ, in characters, tags or order, and files beside documents; values are counted by hand."""

import json
import random
import re
import shlex
import tempfile
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli.main import main
from arraycoref.exceptions import ReadError
from arraycoref.match import edit_script
from arraycoref.match.aligned_words import align_words
from arraycoref.read import read_documents
from marks import cases

WORDS = {
    "doc_key": "m",
    "sentences": [["Mara", "met", "her", "brother", "."], ["He", "had", "lost", "his", "keys", "."]],
    "clusters": [[[0, 0], [2, 2]], [[2, 3], [5, 5]]],
}
LINES = "Mara met her brother.\nHe had lost his keys."
MENTIONS = (("Mara", 0), ("her", 0), ("her brother", 1), ("He", 1))
KEYS = {"doc_key": "d", "sentences": [["Mara", "lost", "her", "keys", "."], ["She", "found", "them", "."]]}
KEYS["clusters"] = [[[0, 0], [2, 2], [5, 5]], [[2, 3], [7, 7]]]


def fastcoref(text, mentions=MENTIONS):
    clusters = [[], []]
    for part, entity in mentions:
        place = re.search(part.replace(" ", " +"), text).span()
        clusters[entity].append(list(place))
    return {"text": text, "clusters": clusters, "clusters_strings": []}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files into a new folder, where the test goes on; values as a line of JSON."""

    def write(**files):
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        monkeypatch.chdir(folder)
        for name, content in files.items():
            path = folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content) + "\n", encoding="utf-8")
        return folder

    return write


def counted(key, response, **options):
    scores = ac.score_files(key, response, metrics=["mentions", "muc"], **options)
    return [(scores[m].recall_num, scores[m].recall_den, scores[m].precision_den) for m in ("mentions", "muc")]


@cases(
    "key,response,options",
    [
        (LINES, LINES.replace("Mara", "Maria"), {"tokens": "align"}),
        (LINES, LINES.replace(" ", "  "), {}),
        (LINES, LINES.replace(" ", "  "), {"tokens": "align"}),
        (LINES, f"\ufeff{LINES}", {}),
        (LINES, f"So: {LINES} The end.", {"tokens": "align"}),
        (LINES.replace("Mara", "Maria"), WORDS, {"tokens": "align"}),
        (WORDS, LINES.replace("Mara", "Maria"), {"tokens": "align"}),
        (LINES, "[Mara](#1) met [[her](#1) brother](#2). [He](#2) had lost keys.", {"tokens": "align"}),
    ],
)
def test_two_sides_of_characters(write, key, response, options):
    """Both have four mentions in two entities, so that MUC counts two links."""
    sides = [
        side if isinstance(side, dict) else
        {"doc_key": "m", "text": side} if "](#" in side else
        fastcoref(side, [(("Maria" if part == "Mara" and part not in side else part), e) for part, e in MENTIONS])
        for side in (key, response)
    ]  # fmt: skip
    write(key_jsonl=sides[0], response_jsonl=sides[1])
    assert counted("key.jsonl", "response.jsonl", **options) == [(4, 4, 4), (2, 2, 2)]


def test_a_boundary_within_a_piece_of_the_key_is_named(write):
    write(k_jsonl=fastcoref("Her notebook fell.", [("note", 0), ("Her", 1)]), r_jsonl=fastcoref("Her notebook broke.", [
        ("notebook", 0), ("Her", 1)]))  # fmt: skip
    with pytest.warns(ac.exceptions.ReadWarning, match="1 mention of the key with a boundary within a word.*'note'"):
        assert counted("k.jsonl", "r.jsonl", tokens="align") == [(2, 2, 2), (0, 0, 0)]


@cases("attribute", ["length", "distance-tokens", "range", "distance-sentences"])
def test_classes_of_characters_are_those_of_words(write, attribute):
    write(words_jsonl=WORDS, characters_jsonl=fastcoref(LINES))
    one, other = (
        ac.analyze_files(path, path, metrics="muc").breakdown(attribute).key_mentions.tolist()
        for path in ("words.jsonl", "characters.jsonl")
    )
    assert one == other


@cases(
    "key,response,reached",
    [
        ("Mara lost her keys . She found them in the car .", "Mara lost her keys. She found them in the car.", 12),
        ('a b c d e f aunt ” - " . ”', 'a b c d e f aunt”-".”', 12),
        ("a b c d e don't stop now .", "a b c d e do n't stop now .", 9),
        ("a b c d e f g h i j", "a b c d e f", 6),
        ("a b c d e f g h i j", "a b c d e, f", 7),
    ],
)
def test_what_a_response_reaches(key, response, reached):
    assert align_words(key.split(), response.split()).n_reached == reached


TAGS = {
    "hash": "[Mara]#1 lost [[her]#1 keys]#2. [She]#1 found [them]#2.",
    "hashed names": "[Mara]#mara lost [[her]#mara keys]#k_2. [She]#mara found [them]#k_2.",
    "numbered": "<cluster_1>Mara</cluster_1> lost <cluster_2><cluster_1>her</cluster_1> keys</cluster_2>. "
    "<cluster_1>She</cluster_1> found <cluster_2>them</cluster_2>.",
    "ids": '<ent id="1">Mara</ent> lost <ent id="2"><ent id="1">her</ent> keys</ent>. <ent id="1">She</ent> found '
    '<ent id="2">them</ent>.',
    "people": "<person1>Mara</person1> lost <x-2><person1>her</person1> keys</x-2>. <person1>She</person1> found "
    "<x-2>them</x-2>.",
    "crac": "Mara|[e1] lost her|[k2,[e1] keys|k2] . She|[e1] found them|[k2] .",
    "crac numbers": "Mara|[1] lost her|[2,[1] keys|2] . She|[1] found them|[2] .",
    "crac parts": "Mara|[person-1] lost her|[x.2,[person-1] keys|x.2] . She|[person-1] found them|[x.2] .",
}


@cases("name", list(TAGS))
def test_tags_of_models(write, name):
    write(key_jsonl=KEYS, response_jsonl={"doc_key": "d", "text": TAGS[name]})
    assert counted("key.jsonl", "response.jsonl", tokens="align") == [(5, 5, 5), (3, 3, 3)]


@cases("text,format", [("<np>Mara</np> lost", "xml-text"), ("Mara [lost]", "markdown")])
def test_the_format_that_is_named_for_text_without_entities(write, text, format):
    write(r_jsonl={"doc_key": "d", "text": text})
    with pytest.raises(ReadError, match=f"format='{format}'"):
        read_documents("r.jsonl")


def shuffled(words, size):
    sentences = [words[at : at + size] for at in range(0, len(words), size)]
    random.Random(0).shuffle(sentences)
    return [word for sentence in sentences for word in sentence]


@cases("size,length", [(20, 5000), (40, 5000), (5, 4000)])
def test_a_long_search_is_handed_over(monkeypatch, size, length):
    """The estimate before the search is of no edit at all: each word is as often on both sides."""
    words = [int(random.Random(n).paretovariate(0.4)) % 500 for n in range(length)]
    sides = np.array(words), np.array(shuffled(words, size))
    expected = []
    monkeypatch.setattr(edit_script, "hand_over", expected.append)
    with ac.twin.using("plain"):
        partners = edit_script.partners(*sides)
    assert max(expected) > 20 * edit_script.EACH * edit_script._steps(*sides, 0)
    kept = partners[partners >= 0]
    assert (np.diff(kept) > 0).all()
    assert (sides[0][kept] == sides[1][partners >= 0]).all()
    with ac.twin.using("numba"):
        assert (edit_script.partners(*sides) == partners).all()


CONLL = "#begin document ({0});\n{0}\t(1)\n#end document\n"


@cases("name", ["README.md", "README", "licence.txt", "LICENSE", "CHANGELOG.rst", "notes.txt", "guidelines.md"])
def test_texts_in_a_folder_are_passed_over(write, name):
    folder = write(**{"in__a_conll": CONLL.format("a"), "in__sub__b_conll": CONLL.format("b")})
    (folder / "in" / name).write_text("See [the paper](#paper)\n" if name.isupper() else "About these files\n")
    assert read_documents("in").names == ("a", "b")
    assert len(ac.check("in").problems) == (name in ("notes.txt", "guidelines.md"))
    scores = ac.score_files("in", "in")
    assert f"1 text of the key skipped, without documents: in/{name}" in scores.notes
    with pytest.raises(ReadError) if not name.isupper() else nullcontext():  # the user named it
        assert len(read_documents([f"in/{name}", "in/a.conll"])) == 2


def test_texts_alone_are_no_documents(write):
    write(in__README_md="About\n", in__notes_txt="About\n")
    with pytest.raises(ReadError, match="text outside a document"):
        read_documents("in")


@cases(
    "others,pattern",
    [
        (("a.conll", "b.conll"), "in/*.conll"),
        (("a.conll", "sub/b.conll"), "in/**/*.conll"),
        (("sub/a.conll", "sub/b.conll"), "in/sub/*.conll"),
        (("a.conll", "b.jsonl"), None),
        (("a.conll", "b"), None),
    ],
)
def test_a_pattern_that_is_named_loses_no_document(write, others, pattern):
    folder = write(in__broken_xyz="no document\n")
    for name in others:
        (folder / "in" / name).parent.mkdir(exist_ok=True)
        (folder / "in" / name).write_text(
            CONLL.format(Path(name).stem) if "json" not in name else '{"doc_key": "b", "clusters": []}'
        )
    with pytest.raises(ReadError, match="text outside a document") as error:
        read_documents("in")
    named = str(error.value).rpartition("; '")[2].partition("', quoted, leaves it out")[0] if pattern else None
    assert ("quoted" in str(error.value)) == (pattern is not None)
    assert named == pattern
    if pattern:
        assert len(read_documents(pattern)) == len(others)
        command = shlex.split(f"score '{pattern}' '{pattern}'")
        assert CliRunner().invoke(main, command).exit_code == 0
