"""The text that a file gives with a mention is compared with the words at its place, of the file or the other side."""

import json
import re

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.read import read_documents
from arraycoref.read.documents import take
from marks import cases

KEY = "Mr. Well-to-do met his mother-in-law ; she saw him .".split()  # noqa: SIM905
OTHER = "Mr. Well - to - do met his mother - in - law ; she saw him .".split()  # noqa: SIM905
PLACES = {"key": [[0, 1], [3, 3], [3, 4], [6, 6], [8, 8]], "other": [[0, 5], [7, 7], [7, 12], [14, 14], [16, 16]]}
TEXTS = ["Mr. Well - to - do", "his", "his mother - in - law", "she", "him"]
CLUSTERS = {"key": [[0, 1, 4], [2, 3]], "response": [[0, 1], [2, 3, 4]]}
"""Mentions by their number in `PLACES`."""


def clusters(side, places, shift=0):
    found = [[PLACES[places][m] for m in cluster] for cluster in CLUSTERS[side]]
    return [[[start + shift, end + shift] for start, end in cluster] for cluster in found]


def texts():
    return [[TEXTS[m] for m in cluster] for cluster in CLUSTERS["response"]]


def entities(found, said):
    """Write clusters and the texts of their mentions as BookNLP does."""
    rows = ["COREF\tstart_token\tend_token\tprop\tcat\ttext"]
    for number, both in enumerate(zip(found, said, strict=True)):
        rows += [f"{number}\t{start}\t{end}\tNOM\tPER\t{text}" for (start, end), text in zip(*both, strict=True)]
    return "\n".join(rows) + "\n"


@pytest.fixture
def write(tmp_path):
    def write(name, value):
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return str(path)

    return write


@pytest.fixture
def key(write):
    return write("key.jsonl", {"doc_key": "d", "sentences": [KEY], "clusters": clusters("key", "key")})


def test_texts_of_other_tokens(write, key):
    """BookNLP splits at hyphens: most of its mentions stand elsewhere, and scores were low without a word."""
    other = write("other.entities", entities(clusters("response", "other"), texts()))
    said = "the texts of 2 of 2 mentions in .*other.entities differ from the words of .*key.jsonl at their places; .*"
    first = re.escape("'Mr. Well - to - do' at tokens 0-5, which are 'Mr. Well-to-do met his mother-in-law ;'. tokens=")
    doubts = []  # of the mentions past the last token
    for sides in ((key, other), (other, key)):
        with pytest.raises(ac.DocumentMismatchError, match=said + first):
            ac.score_files(*sides, on_error=doubts.append)
    assert ["a mention up to token 16 here" in str(doubt) for doubt in doubts] == [True, True]
    for options in ({"tokens": "ignore"}, {"profile": "conll"}):
        found = ac.score_files(key, other, on_error=doubts.append, **options)
        assert found["mentions"].recall_num == 0
        assert found.signature.tokens == options.get("tokens", "error")


def test_texts_of_the_same_tokens(write, key):
    found = ac.score_files(key, write("same.entities", entities(clusters("response", "key"), texts())))
    assert found["mentions"].f1 == 1
    assert found["muc"].recall == found["muc"].precision == 2 / 3
    assert tuple(found["bcub"])[:2] == pytest.approx((11 / 15, 11 / 15))


@cases("shift,hint", [(0, ""), (1, "starts and ends were one less. Do they count from 1?"), (2, "no")])
def test_texts_beside_words_of_their_own_file(write, shift, hint):
    """The other side need not have words."""
    key = write("bare.jsonl", {"doc_key": "d", "clusters": clusters("key", "key")})
    response = {"doc_id": "d", "tokens": [*KEY, "!", "!"], "clusters_token_text": texts()}
    response["clusters_token_offsets"] = clusters("response", "key", shift)
    path = write("maverick.json", response)
    if not shift:
        assert ac.score_files(key, path)["mentions"].f1 == 1
        return
    said = "the texts of 5 of 5 mentions in .* differ from its words at their places"
    with pytest.raises(ac.DocumentMismatchError, match=said) as caught:
        ac.score_files(key, path)
    assert (f"Texts and words would be the same if {hint} " in str(caught.value)) == (shift == 1)


def test_characters(write):
    """Characters of fastcoref: they begin too late, or are read as words of the other side. Null has no text."""
    text = "Ann saw her dog ."
    key = write("key.jsonl", {"sentences": [text.split()], "clusters": [[[0, 0], [2, 2]]]})
    for shift, length, unit, first in (
        (0, 3, None, ""),
        (1, 3, None, "2 of 2 mentions .* its words .* 'Ann' at characters 1-3, which are 'nn '"),
        (0, 2, None, "2 of 2 mentions .* 'Ann' at characters 0-1, .* if ends were one more. Are they inclusive?"),
        (0, 3, "response:word", "1 of 1 .* the words of .*key.jsonl .* 'Ann' at tokens 0-2, which are 'Ann saw"),
    ):
        said = {"text": text, "clusters": [[[shift, shift + length], None, [8 + shift, 8 + shift + length]]]}
        path = write("fastcoref.jsonl", said | {"clusters_strings": [["Ann", None, "her"]]})
        options = {"unit": unit, "key_format": "e2e", "on_error": lambda _: None}
        if first:
            with pytest.raises(ac.DocumentMismatchError, match=first):
                ac.score_files(key, path, **options)
        else:
            assert ac.score_files(key, path, **options)["muc"].f1 == 1


def test_texts_of_both_sides(write):
    """Neither side has words: texts of the same places are compared, with one warning for both sides."""
    one = [[[k, k] for k in range(40)]]
    words = [f"w{k}" for k in range(40)]
    key = write("key.entities", entities(one, [words]))
    other = write("other.entities", entities([[[k, k] for k in range(30, 70)]], [["x", *words[:39]]]))
    with pytest.raises(ac.DocumentMismatchError, match=r"texts of 10 of 10 .*'w30' at tokens 30-30, which are 'x'"):
        ac.score_files(key, other)
    doubts = []
    ac.score_files(key, write("other.entities", entities(one, [["x", *words[1:]]])), on_error=doubts.append)
    assert [doubt.reason for doubt in doubts] == [
        "the texts of 1 mention differ from the words at their places; the first is 'w0' at tokens 0-0, "
        "which are 'x', in document 'key'"
    ]


def test_contractions_and_empty_nodes(write):
    """JSON made of CorefUD has ``del`` among the words and ``de el`` in texts, ``##`` and ``_`` for an empty node."""
    words = ["##", "la", "casa", "del", "rey", "##ella", "."]
    found = {"clusters_token_offsets": [[[0, 0], [5, 5]], [[1, 4]], [[3, 4]]]}
    found["clusters_text_mentions"] = [["_", "ella"], ["la casa de el rey"], ["el rey"]]
    path = write("crac.json", [{"doc_id": "d", "tokens": words} | found])
    assert ac.score_files(path, path)["mentions"].recall_den == 4


def test_few_texts_differ(write):
    """Up to 5 % of a document's: one warning for all documents of a side."""
    words = [f"w{k}" for k in range(40)]
    for n_other, many in ((1, False), (2, False), (3, True)):
        lines, folder = [], []
        for name in "ab":
            lines.append(json.dumps({"doc_key": name, "sentences": [words], "clusters": [[[k, k] for k in range(40)]]}))
            said = ["x"] * n_other + words[n_other:]
            folder.append(write(f"{name}.entities", entities([[[k, k] for k in range(40)]], [said])))
        key, doubts = write("key.jsonl", "\n".join(lines)), []
        if many:
            with pytest.raises(ac.DocumentMismatchError, match="'a': the texts of 3 of 40 mentions"):
                ac.score_files(key, folder)
        else:
            ac.score_files(key, folder, on_error=doubts.append)
            said = f"the texts of {2 * n_other} mentions differ from the words at their places; the first is "
            assert [each.reason for each in doubts] == [f"{said}'x' at tokens 0-0, which are 'w0', in document 'a'"]


def test_texts_stay_with_their_mentions(write):
    """Where mentions and documents are left out, joined or put in another order."""
    layout = {"clusters_token_offsets": [[[0, 0], [5, 1]], [[2, 2]]], "clusters_token_text": [["Mr.", "?"], ["met"]]}
    first = write("first.json", {"doc_id": "a", "tokens": KEY} | layout)
    key = write("key.json", {"doc_id": "d", "clusters_token_offsets": clusters("key", "key")})
    faults = []
    found = read_documents([first, key], lenient=True, on_error=faults.append)
    assert len(faults) == 1
    assert found.mentions.text.tolist() == ["Mr.", "met", *[None] * 5]
    turned = take(found, [1, -1, 0])
    assert turned.mentions.text.tolist() == [*[None] * 5, "Mr.", "met"]
    assert turned.mentions.take(np.flatnonzero(turned.mentions.start)).text.tolist() == [*[None] * 4, "met"]
    assert read_documents(key).mentions.text is None
