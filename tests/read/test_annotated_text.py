"""Text with tags is read as words and mentions; tags without a partner, a word or an entity are counted."""

import json
from collections import Counter

import pytest
from read_helpers import mentions

import arraycoref as ac
from arraycoref.exceptions import DocumentMismatchError, InputError, ReadError, ReadWarning
from arraycoref.read import read_documents
from arraycoref.read.annotated_text import NO_ENTITY, tagged
from arraycoref.read.recognize import style_in
from arraycoref.read.write import write_documents

OPENS, CLOSES, NOTHING = "without an opening tag", "without a closing tag", "with no word between"
AROUND = "which is around the whole text"

TEXTS = [
    ("xml-text", "<e1>Mary 's <e2>dog</e2></e1> ran", "Mary 's dog ran", [(0, 2, "e1"), (2, 2, "e2")], {}),
    ("xml-text", "<a>x <b>y</a> z</b>", "x y z", [(0, 1, "a"), (1, 2, "b")], {}),
    ("xml-text", "<m id='7'>she</m>, <m id=8>AT&amp;T &lt; x</m>", "she , AT&T < x", [(0, 0, "7"), (2, 4, "8")], {}),
    ("xml-text", "<m>a</m> <john>he</john>", "a he", [(1, 1, "john")], {NO_ENTITY: 1}),
    ("xml-text", "<out><text>a <e1>b</e1></text>\n</out>", "a b", [(1, 1, "e1")], {AROUND: 2}),
    ("xml-text", "<ann>a <bo>b</bo></ann> c", "a b c", [(0, 1, "ann"), (1, 1, "bo")], {}),
    ("xml-text", "<e1>a <e2>b</e2></e1>", "a b", [(0, 1, "e1"), (1, 1, "e2")], {}),
    ("xml-text", "a</e9> <e1> <e2></e2> b", "a b", [], {OPENS: 1, CLOSES: 1, NOTHING: 1}),
    ("markdown", "[Mary](#c_0)'s [dog [of hers](#1)](#2)", "Mary 's dog of hers",
     [(0, 0, "c_0"), (2, 4, "2"), (3, 4, "1")], {}),
    ("markdown", r"[a [b] c](#3) [sic] \[ d [e", "a [b] c [sic] [ d [e", [(0, 2, "3")], {}),
    ("markdown", "[a](#) ](#5) [](#4)", "a", [], {NO_ENTITY: 1, OPENS: 1, NOTHING: 1}),
    ("brackets", "[The visitor: 1] sat : [his [dog: 2]: 1] [x]", "The visitor sat : his dog [x]",
     [(0, 1, "1"), (4, 5, "1"), (5, 5, "2")], {}),
    ("crac-text", "Mary|[e1] 's dog|[e2,[e3 of|e3] it|e2] ##|[e1]", "Mary 's dog of it ##",
     [(0, 0, "e1"), (2, 4, "e2"), (2, 3, "e3"), (5, 5, "e1")], {}),
    ("crac-text", "x|y b|e9] a|[e8", "x|y b a", [], {OPENS: 1, CLOSES: 1}),
    ("corefinst", "<m> A </m>#1 saw </z>@1 [MID] <m> a <m> dog </m>#3 x </m>#2", "A saw ## a dog x",
     [(0, 0, "1"), (2, 2, "1"), (3, 5, "2"), (4, 4, "3")], {}),
    ("seq2seq", "<m> Mary | 1 </m> saw <m> <m> her | 1 </m> dog | 2 </m> <m> x </m>", "Mary saw her dog x",
     [(0, 0, "1"), (2, 2, "1"), (2, 3, "2")], {NO_ENTITY: 1}),
]  # fmt: skip


@pytest.mark.parametrize(("style", "text", "words", "found", "repairs"), TEXTS)
def test_styles(style, text, words, found, repairs):
    counted = Counter()
    result = tagged(text, style, counted)
    assert result.words == words.split()
    assert sorted(result.mentions) == sorted(found)
    assert +counted == repairs


@pytest.mark.parametrize(
    "text", ["<?xml version='1.0'?><m>x</m>", '{"clusters": [[[0, 1]]], "text": "[a](#1)"}', "a b c"]
)
def test_other_files_have_no_style(text):
    assert style_in(text.encode()) == ""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def save(path, *records):
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")


KEY = {
    "doc_key": "d",
    "sentences": [["Mary", "saw", "her", "dog", "."], ["She", "ran", ";", "it", "did", "too", "."]],
    "clusters": [[[0, 0], [2, 2], [5, 5]], [[2, 3], [8, 8]]],
}
TAGGED = "[Mary](#1) saw [[her](#1) dog](#2). [She](#1) ran; [it](#2) did too."


def test_names_of_documents(folder):
    save(folder / "lines.jsonl", {"doc_id": "d", "output": TAGGED}, {"doc_id": "e", "output": TAGGED})
    save(folder / "one.json", {"d": {"prompt": "Say\nText: [Mary](#", "generated_text": TAGGED[8:]}})
    (folder / "d.txt").write_text(TAGGED)
    (folder / "two.txt").write_text("<e1>Mary</e1> .\n\n<e1>She</e1> .\n")
    assert read_documents("lines.jsonl").names == ("d", "e")
    documents = read_documents("one.json")
    assert (documents.names, documents.text[0].words()[:4]) == (("d",), ["Text:", "Mary", "saw", "her"])
    assert read_documents("d.txt").names == ("d",)
    assert read_documents("two.txt").names == ("1", "2")
    save(folder / "key.jsonl", KEY, KEY | {"doc_key": "e"})
    (folder / "nameless.txt").write_text("<e1>Mary</e1> saw\n<e1>She</e1> saw\n")
    with pytest.raises(DocumentMismatchError, match=r"another text .* tokens='align'"):
        ac.score_files("key.jsonl", "nameless.txt")
    assert ac.score_files("key.jsonl", "nameless.txt", tokens="align")["mentions"].precision == 1
    save(folder / "key.jsonl", KEY)
    for response in ("one.json", "d.txt"):
        assert ac.score_files("key.jsonl", response, tokens="align")["conll"].f1 == 1


def test_repairs_are_notes(folder):
    save(folder / "key.jsonl", KEY)
    (folder / "d.txt").write_text(TAGGED + " bye](#1)")
    scores = ac.score_files("key.jsonl", "d.txt", tokens="align")
    assert "1 tag of the response left out, without an opening tag" in scores.notes
    (folder / "d.txt").write_text("[Mary](#) saw [her](#)")
    with pytest.raises(ReadError, match="2 tags, none with an entity"):
        read_documents("d.txt")


def windows(style):
    halves = ["<m> Mary {0} saw <m> <m> her {0} dog {1} .", "<m> She {0} ran ;", "<m> it {1} did too ."]
    ids = [(7, 8), (1, 2)]
    end = {"corefinst": "</m>#%s", "seq2seq": "| %s </m>"}[style]
    texts = [" [MID] ".join(halves[:2]), " [MID] ".join(halves[1:])]
    written = [text.format(*(end % number for number in own)) for text, own in zip(texts, ids, strict=True)]
    if style == "corefinst":
        return [{"doc_id": "d", "order": 1 - n, "text": text} for n, text in enumerate(reversed(written))]
    return [{"doc_key": f"d_{n}", "pred_text": text.replace(" [MID]", "")} for n, text in enumerate(written)]


@pytest.mark.parametrize("style", ["corefinst", "seq2seq"])
def test_windows_are_joined_by_the_mentions_that_they_share(folder, style):
    """The second chain has no mention in both windows, so that its parts stay apart."""
    save(folder / "key.jsonl", KEY)
    save(folder / "response.jsonl", *windows(style))
    with pytest.raises(ReadError, match=r"'d' has 2 windows, .*join='overlap'"):
        ac.score_files("key.jsonl", "response.jsonl")
    scores = ac.score_files("key.jsonl", "response.jsonl", join="overlap")
    assert scores["mentions"].f1 == 1
    assert (scores["muc"].recall, scores["muc"].precision) == (2 / 3, 1)


def test_a_window_that_failed_is_left_out(folder):
    words = [f"w{n}" for n in range(400)]
    save(folder / "key.jsonl", KEY | {"sentences": [words], "clusters": [[[0, 0], [399, 399]]]})
    texts = [" ".join(["<m>", "w0", "</m>#1", *words[1:200]]), "RuntimeError " * 60, " ".join(words[200:])]
    save(folder / "response.jsonl", *({"doc_id": "d", "order": n, "text": text} for n, text in enumerate(texts)))
    scores = ac.score_files("key.jsonl", "response.jsonl", join="overlap")
    assert (scores["mentions"].recall, scores["mentions"].precision) == (0.5, 1)
    assert "60 tokens inserted in the response" in scores.notes


def test_strings_are_found_in_order(folder):
    words = ["Mary", "saw", "her", ".", "She", "saw", "her", "dog", ".", "she"]
    key = [[[0, 0], [2, 2], [9, 9]], [[6, 7]], [[6, 6]]]
    save(folder / "key.jsonl", KEY | {"sentences": [words], "clusters": key})
    clusters = [["Mary", "her", "she"], ["her dog"], [["her", 2], "nobody"]]
    save(folder / "response.jsonl", {"doc_key": "d", "clusters": clusters})
    with pytest.warns(ReadWarning, match="1 mention dropped, .*: 'nobody' in 'd'"):
        scores = ac.score_files("key.jsonl", "response.jsonl", response_format="mention-strings")
    assert scores["conll"].f1 == 1


@pytest.mark.parametrize("target", ["out.jsonl", "out.txt"])
@pytest.mark.parametrize("style", ["xml-text", "markdown"])
def test_what_is_written_is_read(folder, style, target):
    odd = ["a[0]", "\\", "[sic]", "<e1>", "&lt;", "x]"]
    record = {"doc_key": "d", "sentences": [odd, odd], "clusters": [[[0, 11], [3, 3]], [[1, 2], [2, 2], [6, 6]]]}
    save(folder / "key.jsonl", record)
    key = read_documents("key.jsonl")
    write_documents(key, target, format=style)
    result = read_documents(target, format=style)
    assert result.text[0].words() == odd * 2
    assert mentions(result) == sorted(mentions(key), key=lambda mention: (mention[0], -mention[1]))


def test_tags_that_cannot_be_written(folder):
    save(
        folder / "key.jsonl", KEY | {"clusters": [[[0, 2], [8, 8]], [[1, 3]]]}, {"doc_key": "e", "clusters": [[[0, 0]]]}
    )
    key = read_documents("key.jsonl")
    with pytest.raises(ReadError, match=r"the mention \(1, 3\) crosses another, which markdown cannot show"):
        write_documents(key, "out.jsonl", format="markdown")
    with pytest.raises(InputError, match="document 'e' has no words"):
        write_documents(key, "out.jsonl", format="xml-text")
