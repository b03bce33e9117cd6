"""Lenient readers: each fault told with its line, and what becomes of it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from arraycoref.errors import ReadError, ReadWarning
from arraycoref.tagging import load_tagset, read_lexicon, read_tagged, score_tag_files
from arraycoref.tagging.read import read_conllu, read_tabbed, read_xces
from arraycoref.tagging.read.conllu import repair_conllu
from arraycoref.tagging.weights import read_agreement, read_rules, rule_weights
from strategies import examples


def row(identifier, form, *columns):
    return "\t".join((identifier, form, "_", "X", "_", "_", "0", "dep", "_", "_", *columns)) + "\n"


def leniently(reader, data):
    """Read data; return the words and the faults, without the file's name."""
    faults = []
    text = reader(data, "f", faults.append)
    assert all(isinstance(fault, ReadError) and str(fault).startswith("f:") for fault in faults)
    return text, [str(fault).removeprefix("f:") for fault in faults]


def forms(text):
    return [text.forms[i] for i in text.form]


@pytest.mark.parametrize(
    ("data", "words", "faults"),
    [
        (row("1", "a") + "2\tb\t_\tY\n", ["a", "b"], ["2: 4 columns, expected 10"]),
        (row("1", "a", "more"), ["a"], ["1: 11 columns, expected 10"]),
        ("junk\n" + row("1", "a"), ["a"], ["1: 1 columns, expected 10"]),
        (row("1", "a") + row("x", "b") + row("2", "c"), ["a", "c"], ["2: ID 'x', expected a form like 3, 3-4 or 3.1"]),
        (row("1", "a") + row("3", "b") + row("4", "c"), ["a", "b", "c"], ["2: word 3 where word 2 is expected"]),
        (row("1", "a") + row("1", "b") + row("2", "c"), ["a", "b", "c"], ["2: word 1 where word 2 is expected"]),
        (row("1", "a") + row("2", " ") + row("3", "c"), ["a", "c"], ["2: a word without a form"]),
        (
            row("2-3", "ab") + row("1", "a"),
            ["a"],
            ["1: the multiword token '2-3' does not begin with the next word, or overlaps another"],
        ),
        (row("1-2", " ") + row("1", "a") + row("2", "b"), ["a", "b"], ["1: a word without a form"]),
        (
            row("1-3", "ab") + row("1", "a") + row("2", "b"),
            ["a", "b"],
            ["1: a multiword token that ends with word 3, in a sentence of 2 words"],
        ),
        (
            row("2", "x") + row("3-6", "ab") + row("3", "a") + row("4", "b"),
            ["x", "a", "b"],
            [
                "1: word 2 where word 1 is expected",
                "2: a multiword token that ends with word 6, in a sentence of 4 words",
            ],
        ),
        (
            row("1", "a") + row("2-3", "bc") + "\n" + row("1", "d"),
            ["a", "d"],
            ["2: a multiword token that ends with word 3, in a sentence of 1 words"],
        ),
    ],
)
def test_conllu(data, words, faults):
    text, found = leniently(read_conllu, data.encode())
    assert (forms(text), found) == (words, faults)
    with pytest.raises(ReadError, match="f:"):
        read_conllu(data.encode(), "f")


def test_conllu_keeps_spans_and_lines():
    text, faults = leniently(read_conllu, (row("1", "x") + row("3-5", "ab") + row("3", "a") + row("4", "b")).encode())
    assert len(faults) == 2  # the range does not begin with the next word; nor does the word after it
    assert text.line.tolist() == [1, 3, 4]
    text, faults = leniently(read_conllu, (row("1-3", "xyz") + row("1", "a") + row("2", "b") + "\n").encode())
    assert (text.start.tolist(), text.end.tolist(), text.multiword.tolist()) == ([0, 0], [3, 3], [1, 1])


def test_conllu_that_is_not_utf8():
    data = row("1", "a").encode() + row("2", "é").encode("latin-1")
    text, faults = leniently(read_conllu, data)
    assert forms(text) == ["a", "\ufffd"]
    assert len(faults) == 1
    assert faults[0].startswith("2: not UTF-8: b'\\xe9")


lines = st.lists(
    st.sampled_from(
        [
            row("1", "a"),
            row("2", "b"),
            row("3", " "),
            row("1-2", "ab"),
            row("2-3", "bc"),
            row("2-9", "b"),
            row("1.1", "-"),
            row("x", "y"),
            row("1", "a", "b"),
            "2\tb\n",
            "word\n",
            "\n",
            "# newdoc\n",
            " \n",
            "\r\n",
            "\udcff\n",
        ]
    ),
    max_size=12,
)


@examples(5)
@given(lines)
def test_what_is_repaired_has_no_faults(parts):
    data = "".join(parts).encode("utf-8", "surrogateescape")
    faults = []
    repaired = repair_conllu(data, "f", faults.append)
    again = []
    assert repair_conllu(repaired, "f", again.append) == repaired
    assert again == []
    assert repaired.count(b"\n") == data.count(b"\n")
    assert all(1 <= fault.line <= data.count(b"\n") for fault in faults)
    text = read_conllu(repaired, "f")
    if faults:
        with pytest.raises(ReadError) as caught:
            read_conllu(data, "f")
        assert caught.value.line in [fault.line for fault in faults]
    else:
        strict = read_conllu(data, "f")
        assert (forms(strict), strict.end.tolist()) == (forms(text), text.end.tolist())


def test_tabbed():
    text, faults = leniently(read_tabbed, b"a\tX||Y\n\tZ\nb\tX\n\xff\tX\n")
    assert forms(text) == ["a", "b", "\ufffd"]
    assert text.tag_offsets.tolist() == [0, 2, 3, 4]
    assert faults == [
        "1: an empty tag in 'X||Y'",
        "2: a line without a word, expected word TAB tag",
        "4: not UTF-8: b'\\xff\\tX'",
    ]


def test_xces():
    lex = '<lex disamb="1"><ctag>X</ctag></lex>'
    data = f'<c>\n<tok>{lex}</tok>\n<tok><orth>a</orth><lex disamb="1"/>{lex}</tok>\n<tok><orth> </orth></tok>\n</c>'
    text, faults = leniently(read_xces, data.encode())
    assert (forms(text), text.tag_names) == (["a"], ("X",))
    assert faults == ["2: a tok without orth", "3: a lex of 'a' without ctag", "4: a tok with an empty orth"]
    with pytest.raises(ReadError, match="not well-formed"):
        leniently(read_xces, b"<c>")


def test_an_unknown_tag_is_a_part_of_speech_of_its_own(tmp_path):
    (tmp_path / "gold.tsv").write_text("a\tconj\nb\tconk\nc\tsubst:sg\n")
    (tmp_path / "system.tsv").write_text("a\tconj\nb\tconk\nc\tsubst:sg:nom:n\n")
    faults = []
    scores = score_tag_files(
        tmp_path / "gold.tsv", tmp_path / "system.tsv", tagset="nkjp", lenient=True, report=faults.append
    )
    assert [fault.line for fault in faults] == [2, 3]
    assert [scores[name].f1 for name in ("exact", "pos", "pa")] == pytest.approx([2 / 3] * 3)
    (tmp_path / "gold.tsv").write_text("b\tconk\n")
    with pytest.warns(ReadWarning, match=r"gold.tsv:1: tag 'conk': unknown part of speech"):
        score_tag_files(tmp_path / "gold.tsv", tmp_path / "gold.tsv", tagset="nkjp", lenient=True)


def test_an_unknown_tag_with_other_columns(tmp_path):
    """Under UD a tag is UPOS and FEATS: those that differ in XPOS alone were two parts of speech."""
    for name, xpos in (("gold", "A"), ("system", "B")):
        (tmp_path / f"{name}.conllu").write_text(f"1\ta\t_\tFOO\t{xpos}\tCase=Nom\t0\t_\t_\t_\n")
    faults = []
    options = {"tagset": "ud", "lenient": True, "report": faults.append}
    scores = score_tag_files(tmp_path / "gold.conllu", tmp_path / "system.conllu", **options)
    assert [scores[name].f1 for name in ("exact", "pos", "pa", "UPOS", "XPOS")] == [1, 1, 1, 1, 0]
    assert len(faults) == 2


def test_weights_and_lexica(tmp_path):
    path = tmp_path / "rules.jsonl"
    path.write_text('{"terminals": [{"categories": ["case"]}]}\n{\n{"terminals": ["case"]}\n{"terminals": 3}\n')
    faults = []
    assert rule_weights(read_rules(path, faults.append)).categories == {"case": 1}
    assert [fault.line for fault in faults] == [2, 3, 4]
    path = tmp_path / "tree.conllu"
    words = [("ADJ", "Case=Nom", "4"), ("NUN", "Case=Nom", "4"), ("X", "_", "9"), ("NOUN", "Case=Nom", "0")]
    path.write_text(
        "".join(f"{n}\tw\t_\t{upos}\t_\t{feats}\t{head}\t_\t_\t_\n" for n, (upos, feats, head) in enumerate(words, 1))
        + "5\tshort\n"
    )
    faults.clear()
    assert rule_weights(read_agreement(path, load_tagset("ud"), faults.append)).categories == {"pos": 2, "Case": 2}
    assert [fault.line for fault in faults] == [2, 5, 3]
    (tmp_path / "lexicon.tsv").write_text("a\tX||Y\n\tX\n")
    assert read_lexicon(tmp_path / "lexicon.tsv", lenient=True, report=faults.append) == {"a": 2}
    path.write_text("\n")
    with pytest.raises(ReadError, match="no words"):
        read_tagged(path, lenient=True)
