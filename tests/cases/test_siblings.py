"""Siblings of the cases: other files of the same kinds, and what each must give."""

import json
import unicodedata

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.exceptions import DocumentMismatchError, InputError, ReadError
from arraycoref.ragged import join
from arraycoref.read import read_documents
from marks import cases

NFC, NFD = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
UD = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text if isinstance(text, str) else json.dumps(text) + "\n", encoding="utf-8")
        return path

    return write


def conll(name, *cells):
    return "\n".join([f"#begin document {name}", *(f"x\t{cell}" for cell in cells), "#end document", ""])


def conllu(*rows):
    return UD + "".join(f"{i}\tw\t_\tX\t_\t_\t0\t_\t{deps}\t{misc}\n" for i, misc, deps in rows) + "\n"


@cases(
    "fields,name,words",
    [
        ({"doc_key": "d", "tokens": [["a", "b"], ["c"]], "clusters": []}, "d", ["a", "b", "c"]),
        ({"doc_key": "d", "sentences": [["a"]], "tokens": ["x"], "clusters": []}, "d", ["a"]),
        ({"name": "d", "tokens": ["a", "b"], "clusters_token_offsets": []}, "d", ["a", "b"]),
        ({"id": "d", "cased_words": ["a"], "part_id": 3, "clusters": []}, "d", ["a"]),
        ({"document_id": "d", "cased_words": ["a"], "part_id": 3, "clusters": []}, "d_3", ["a"]),
    ],
)
def test_fields_that_are_read(write, fields, name, words):
    documents = read_documents(write("a.jsonl", fields))
    assert (documents.names, documents.text[0].words()) == ((name,), words)


@cases(
    "key,response",
    [
        ("(a/b); part 000", "(a:b); part 0"),
        ("(a/b_07)", "(a:b_7)"),
        (f"({NFC})", f"({NFD})"),
        (f"(a/{NFD}); part 002", f"(a:{NFC}); part 2"),
    ],
)
def test_names_that_are_alike_pair(write, key, response):
    files = [write(f"{n}.conll", conll(f"({n})", "-") + conll(name, "(0)", "(0)")) for n, name in enumerate([key])]
    files.append(write("r.conll", conll("(0)", "-") + conll(response, "(0)", "(0)")))
    assert ac.score_files(*files)["muc"].f1 == 1


def test_names_that_several_are_like_do_not_pair(write):
    key = write("k.conll", conll("(a/b)", "-") + conll("(a:b)", "-"))
    with pytest.raises(DocumentMismatchError):
        ac.score_files(key, write("r.conll", conll("(a/b_1)", "-") + conll("(a:b_1)", "-")))


@cases("cell,n", [("(1 |(2)", 2), ("(1 | (2)", 2), ("(3)  |  (1|(2)", 3)])
def test_blanks_beside_bars(write, cell, n):
    assert len(read_documents(write("a.conll", conll("(a)", cell, "1)"))).mentions) == n


def test_blanks_without_bars_are_faults(write):
    with pytest.raises(ReadError, match="unexpected coreference column"):
        read_documents(write("a.conll", conll("(a)", "(1) (2)")))


@cases(
    "cells,n", [(["(-1)", "(-1)|(-1"], "3 mentions are"), (["(-1", "(2)", "-1)"], "1 mention is"), (["(-12)"], None)]
)
def test_entities_that_are_withheld(write, cells, n):
    doubts = []
    read_documents(write("a.conll", conll("(a)", *cells)), lenient=True, on_error=doubts.append)
    shown = [str(doubt).split(": ")[1].partition(" of ")[0] for doubt in doubts]
    assert [text for text in shown if text != "the mention"] == ([] if n is None else [n])


@cases("cells", [["(1a)", "(1b)"], ["(1)", "(1a)", "(1a)"]])
def test_ids_in_the_format_conll(write, cells):
    documents = read_documents(write("a.conll", conll("(a)", *cells)), format="conll")
    assert len(documents.mentions) == len(cells)
    assert int(documents.mentions.entity.max()) == 1


def test_words_that_look_alike_are_escaped(write):
    key, response = (
        write(f"{n}.jsonl", {"doc_key": "d", "sentences": [[w]], "clusters": []}) for n, w in enumerate((NFC, NFD))
    )
    with pytest.raises(DocumentMismatchError, match=r"'\\xe9' in the key and 'e\\u0301'"):
        ac.score_files(key, response)


def test_mentions_that_look_alike_are_escaped():
    key, response = ([[[f"{n}{accent}" for n in range(20)]]] for accent in (NFC, NFD))
    with pytest.warns(match="none of 20 and 20 mentions is shared") as doubts:
        ac.score(key[0], response[0])
    assert "\\u0301" in str(doubts[0].message)


def test_empty_nodes_within_mentions_of_the_response(write):
    response = write("r.conllu", conllu((1, "Entity=(e1--1-", "_"), ("1.1", "_", "1:x"), (2, "Entity=e1)", "_")))
    key = write("k.jsonl", {"doc_key": "d", "clusters": [[[0, 1]]]})
    notes = ac.score_files(key, response).notes
    assert any(note.startswith("1 mention of the response with empty nodes between words") for note in notes)


@cases("heads,n", [("21", "1 of 2"), ("22", None), ("11", "2 of 2")])
def test_some_heads_of_another_rule(write, heads, n):
    def text(one, other):
        ends = (2, "Entity=e1)", "_"), (3, f"Entity=(e2--{other}-", "_"), (4, "Entity=e2)", "_")
        return conllu((1, f"Entity=(e1--{one}-", "_"), *ends)

    doubts = []
    files = write("k.conllu", text(2, 2)), write("r.conllu", text(*heads))
    ac.score_files(*files, profile="corefud", singletons="keep", on_error=doubts.append)
    assert [str(doubt).split(": ")[1].partition(" mentions")[0] for doubt in doubts] == ([] if n is None else [n])


def test_pairs_are_bounded():
    with pytest.raises(InputError, match="1,600,000,000 pairs of 80,000 mentions"):
        join(np.zeros(40_000, np.int64), np.zeros(40_000, np.int64))


@cases("tokens,n", [("a ## b", 3), ("##x a b", None), ("a ## ##", None), ("a b ##", None)])
def test_tokens_that_are_empty_nodes(write, tokens, n):
    """Only where the key has its empty nodes."""
    rows = (1, "Entity=(e1--1)", "_"), ("1.1", "Entity=(e1--1)", "1:x"), (2, "Entity=(e1--1)", "_")
    key = write("k.conllu", conllu(*rows).replace("1\tw", "1\ta").replace("2\tw", "2\tb"))
    fields = {"doc_id": "d", "tokens": tokens.split(), "clusters_token_offsets": [[[0, 0], [1, 1], [2, 2]]]}
    if n is None:
        with pytest.raises(DocumentMismatchError):
            ac.score_files(key, write("r.json", fields))
    else:
        assert ac.score_files(key, write("r.json", fields))["mentions"].recall_num == n


ZERO = (1, "Entity=(e1--1)", "_"), (2, "Entity=(e2--1)", "_"), (3, "Entity=(e3--1)", "_")


@cases(
    "key,response,sums",
    [
        ("(e1--1)(e2--1)(e3--1)", "(e1--1)(e2--1)(e3--1)", (1, 3, 1, 3)),
        ("(e1--1)", "(e1--1)(e2--1)", (0, 1, 0, 1)),
        ("(e2--1)", "(e2--1)(e1--1)", (1, 1, 1, 1)),
        ("(e1--1)(e2--1)", "(e2--1)", (1, 2, 1, 2)),
    ],
)
def test_zeros_in_several_entities(write, key, response, sums):
    """The key's entities count each, and of the response's the one that begins last, as in CorefUD's scorer."""
    files = [
        write(f"{n}.conllu", conllu(*ZERO, ("3.1", f"Entity={items}", "3:x")))
        for n, items in enumerate((key, response))
    ]
    score = ac.score_files(*files, profile="corefud", singletons="keep", metrics="zero")["zero"]
    assert (score.recall_num, score.recall_den, score.precision_num, score.precision_den) == sums


@cases(
    "chains,said",
    [
        (["a 1", "a 1", "b 2", "b 2"], None),
        (["a 1", "b 1", "c 1"], "1 entity is in several"),
        (["a 1", "b 1", "a 2", "c 2", "b 3", "c 3", "c 4"], "3 entities are in several"),
    ],
)
def test_entities_across_documents(write, chains, said):
    mentions = [
        {"coref_chain": chain, "doc_id": d, "conll_doc_key": d, "sent_id": 0, "tokens_number": [n]}
        for n, (d, chain) in enumerate(map(str.split, chains))
    ]
    doubts = []
    documents = read_documents(write("a.json", mentions), on_error=doubts.append)
    assert len(documents) == len({each["doc_id"] for each in mentions})
    assert [doubt.reason.partition(" documents")[0] for doubt in doubts] == [said] * (said is not None)


@cases(
    "misc,said",
    [
        ("SplitAnte=e1<e2,e9<e2", "SplitAnte: 'e9' in 'e9<e2'"),
        ("Bridge=e1<e8:part", "Bridge: 'e8' in 'e1<e8'"),
        ("Bridge=e1<e2:part,e1<e2:set", "a pair of entities twice in Bridge: 'e1<e2'"),
        ("SplitAnte=e1<e2", "a single antecedent in SplitAnte: 'e1<e2'"),
        ("SplitAnte=e2<e2,e1<e2", "an entity that is its own antecedent in SplitAnte: 'e2<e2'"),
        ("SplitAnte=e1<e2,e1<e2", "a pair of entities twice in SplitAnte: 'e1<e2'"),
        ("Split=e1<e2,e9<e2", "SplitAnte: 'e9' in 'e9<e2'"),
        ("Bridge=e1<e1:part", "an entity that is its own antecedent in Bridge: 'e1<e1'"),
        ("Bridge=e1", "an item without '<' in Bridge: 'e1'"),
        ("Bridge=e9<e2", "an entity without mentions in Bridge: 'e9' in 'e9<e2'"),
        ("Bridge=e1<e2:part", None),
    ],
)
def test_relations_of_entities(write, misc, said):
    rows = (1, "Entity=(e1--1)", "_"), (2, f"Entity=(e2--1)|{misc}", "_")
    warnings = ac.check(write("a.conllu", conllu(*rows))).warnings
    assert [warning.message.endswith(said or "") for warning in warnings] == [True] * (said is not None), warnings


@cases("first,second,ids", [("place-7", "place-8", "'place'"), ("time", "7-time", "'time', '7'")])
def test_fields_of_entities_that_no_header_names(write, first, second, ids):
    """Types are no ids; with a header that says where the id is, the scores are right."""
    rows = [(n, f"Entity=({entity})", "_") for n, entity in enumerate((first, second, first, second), 1)]
    text, doubts = conllu(*rows), []
    read_documents(write("a.conllu", text.replace("# global", "# no")), on_error=doubts.append)
    assert [doubt.reason.partition("so that ids are ")[2] for doubt in doubts] == [ids]
    named = text.replace("eid-etype-head-other", "etype-eid")
    if first != "time":
        assert ac.score_files(*[write("b.conllu", named)] * 2)["muc"].recall_den == 2


@cases("header,shown", [("(x/y); part 001", "(x/y); part 001"), ("(x);", "x"), ("(x_3)", "x_3")])
def test_names_as_files_write_them(write, header, shown):
    path = write("a.conll", conll(header, "(0)", "(0)") + conll("(other)", "(0)"))
    scores = ac.score_files(path, path)
    assert scores[shown]["muc"].f1 == scores[0]["muc"].f1 == 1
    assert f"\n{shown}  " in scores.render(per_document=True)
