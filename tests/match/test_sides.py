"""Sides without names, in other units, or of one shape each: compared as they should be, or refused."""

import json

import pytest

import arraycoref as ac
from arraycoref.exceptions import DocumentMismatchError, InputError, OptionError, UnknownNameError

A, B = ["Ann", "saw", "her", "."], ["It", "is", "hers", "."]
SPANS = [[[0, 0], [2, 2]]]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**sides):
        for name, values in sides.items():
            (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, values)), encoding="utf-8")

    return write


def nameless(*texts):
    return [{"document": words, "clusters": SPANS} for words in texts]


def test_documents_without_names_pair_by_position_where_texts_agree(files):
    files(key=nameless(A, B), response=nameless(A, B), swapped=nameless(B, A), fewer=nameless(A))
    assert ac.score_files("key.jsonl", "response.jsonl")["muc"].f1 == 1
    with pytest.raises(DocumentMismatchError, match=r"document 1, which has no name .* another text .*'Ann"):
        ac.score_files("key.jsonl", "swapped.jsonl")
    with pytest.raises(DocumentMismatchError, match="the key has 2 and the response 1"):
        ac.score_files("key.jsonl", "fewer.jsonl")


def test_documents_without_names_and_words_pair_by_numbers_of_tokens(files):
    key, response = ([{"n_tokens": n, "clusters": SPANS} for n in side] for side in ((4, 5), (4, 6)))
    files(key=key, response=response, bare=[{"clusters": SPANS}] * 2)
    with pytest.raises(DocumentMismatchError, match=r"document 2, .* has 5 tokens in the key, 6 in the response"):
        ac.score_files("key.jsonl", "response.jsonl")
    with pytest.raises(DocumentMismatchError, match="neither words nor a number of tokens"):
        ac.score_files("key.jsonl", "bare.jsonl")


def test_characters_need_the_same_text(files):
    characters = {"text": "Ann saw her.", "clusters": [[[0, 3], [8, 11]]], "clusters_strings": [["Ann", "her"]]}
    files(key=nameless(A), response=[characters], other=nameless(B), bare=[{"clusters": SPANS}])
    assert ac.score_files("key.jsonl", "response.jsonl")["muc"].f1 == 1
    with pytest.raises(InputError, match=r"different texts: 'Annsawher.' and 'Itishers.'"):
        ac.score_files("other.jsonl", "response.jsonl")
    with pytest.raises(InputError, match=r"of characters in response\.jsonl and of words in bare\.jsonl"):
        ac.score_files("bare.jsonl", "response.jsonl")


def test_options_of_one_side(files):
    files(key=[{"id": "a", "clusters": SPANS}], response=[{"title": "a", "chains": [[[0, 1], [2, 3]]]}])
    fields = {"clusters_field": "response:chains", "name_field": "response:title"}
    assert ac.score_files("key.jsonl", "response.jsonl", end="response:exclusive", **fields)["muc"].f1 == 1
    both = {"end": "key:inclusive, response:exclusive"}  # a blank behind the comma
    assert ac.score_files("key.jsonl", "response.jsonl", **both, **fields)["muc"].f1 == 1

    for value in ("key:3,resp:4", "key:3,key:4"):
        with pytest.raises(OptionError, match=f"column is '{value.replace('key:', '')}'; expected 1, 2, ..."):
            ac.score_files("key.jsonl", "key.jsonl", column=value)


def test_a_document_has_the_name_of_the_key(files):
    """The response's own is accepted where a document is named, and that of a header of CoNLL."""
    files(key=[{"clusters": SPANS}], response=[{"doc_key": "x:1.txt", "clusters": SPANS[:1]}])
    assert ac.score_files("key.jsonl", "response.jsonl").names == ("key",)
    analysis = ac.analyze_files("key.jsonl", {"a": "response.jsonl", "b": "key.jsonl"})
    assert analysis.documents == ("key",)
    assert str(analysis.show("x/1")) == str(analysis.show("key")) == str(analysis.show())
    files(key=[{"doc_key": "x_1", "clusters": SPANS}, {"doc_key": "x_01", "clusters": SPANS}])
    analysis = ac.analyze_files("key.jsonl", "key.jsonl")
    assert str(analysis.show("x_01")) == str(analysis.show(1))
    with pytest.raises(UnknownNameError):
        analysis.show("(x); part 1")  # which of the two?
    files(key=[{"doc_key": "x_1", "clusters": SPANS}])
    assert str(ac.analyze_files("key.jsonl", "key.jsonl").show("(x); part 001")).startswith("x_1")
