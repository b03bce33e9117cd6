"""Readers: CoNLL-U, XCES, tab-separated; what they take and what they refuse, with its line."""

import gzip

import pytest

from arraycoref.exceptions import InputError, OptionError, ReadError
from arraycoref.tagging import compare_files, read_tagged, score_tag_files
from arraycoref.tagging.texts import read_conllu, read_tabbed, read_xces


def row(identifier, form, upos="X", xpos="_", feats="_", head="0"):
    return f"{identifier}\t{form}\t_\t{upos}\t{xpos}\t{feats}\t{head}\tdep\t_\t_\n"


CONLLU = (
    "# newdoc id = one\n# sent_id = 1\n"
    + row("1", "vámonos", "VERB", "V", "Mood=Imp")
    + row("2-3", "al")
    + row("2", "a", "ADP")
    + row("3", "el", "DET")
    + row("3.1", "ghost", "NOUN")
    + "\n# newdoc\n"
    + row("1", "mar", "NOUN")
    + "\n"
)


@pytest.mark.parametrize("data", [CONLLU, CONLLU.replace("\n", "\r\n"), CONLLU.rstrip("\n")])
def test_conllu(data):
    text = read_conllu(data.encode(), "f")
    assert text.forms == ["vámonos", "a", "el", "mar"]
    assert text.tag_names == ("VERB\tV\tMood=Imp", "ADP\t_\t_", "DET\t_\t_", "NOUN\t_\t_")
    assert text.pieces == ["vámonos", "al", "mar"]
    spans = [[0, 7, 7, 9], [7, 9, 9, 12], [False, True, True, False]]
    assert [each.tolist() for each in text.spans] == spans
    assert text.lines == [3, 5, 6, 10]
    assert text.sentences == [0, 3, 4]
    assert text.document_names == ["one", "document 2"]
    assert text.documents == [0, 1, 2]


XCES = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE cesAna SYSTEM "xcesAnaIPI.dtd">
<cesAna xmlns:xlink="http://www.w3.org/1999/xlink"><chunkList>
<chunk id="d1" type="p"><chunk type="s">
<tok><orth>mam</orth>
<lex disamb="1"><base>mieć</base><ctag>fin:sg:pri:imperf</ctag></lex>
<lex disamb="1"><base>mama</base><ctag>subst:pl:gen:f</ctag></lex>
<lex disamb="1"><base>mam</base><ctag>subst:pl:gen:f</ctag></lex>
<lex><base>mamić</base><ctag>impt:sg:sec:imperf</ctag></lex></tok>
<ns/>
<tok><orth>.</orth><lex disamb="1"><base>.</base><ctag>interp</ctag></lex></tok>
</chunk></chunk>
<chunk id="d2"><sentence>
<tok><orth>Ala</orth><lex><base>Ala</base><ctag>subst:sg:nom:f</ctag></lex></tok></sentence></chunk>
</chunkList></cesAna>
"""


def test_xces():
    text = read_xces(XCES.encode(), "f.xml")
    assert text.forms == ["mam", ".", "Ala"]
    assert text.tag_names == ("fin:sg:pri:imperf", "subst:pl:gen:f", "interp")
    assert text.tag_offsets == [0, 2, 3, 3]
    assert text.sentences == [0, 2, 3]
    assert text.documents == [0, 1, 2]
    assert text.document_names == ["d1", "d2"]
    assert text.lines == [5, 11, 14]
    everything = read_xces(XCES.encode(), "f.xml", analyses=True)
    assert everything.tag_offsets == [0, 3, 4, 5]


def test_line_ends_within_words_of_xces_are_spaces():
    text = read_xces(b"<s><tok><orth>a\n\t b</orth><lex disamb='1'><ctag>x:\n y</ctag></lex></tok></s>", "words.xml")
    assert (text.forms, text.tags, text.pieces) == (["a b"], ["x: y"], ["ab"])


def test_entities_are_never_expanded(tmp_path):
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE c [<!ENTITY l0 "lol">{laughs}]>\n<c><tok><orth>&l9;</orth></tok></c>'
    with pytest.raises(ReadError, match="declares entities"):
        read_xces(bomb.encode(), "f.xml")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "outer.dtd").write_text(f'<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">')
    for declared in (f'[<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]', f'SYSTEM "{tmp_path / "outer.dtd"}"'):
        data = f"<!DOCTYPE c {declared}>\n<c><tok><orth>a&x;b</orth></tok></c>"
        with pytest.raises(ReadError, match=r"declares entities|entities are not read") as caught:
            read_xces(data.encode(), "f.xml")
        assert "secret" not in str(caught.value)


def test_tabbed():
    text = read_tabbed(b"mam\tfin:sg|subst:pl|fin:sg\n.\tinterp\n\nAla\n", "f.tsv")
    assert text.tag_offsets == [0, 2, 3, 3]
    assert text.sentences == [0, 2, 3]
    assert text.document_names == ["f.tsv"]
    assert read_tabbed(b"a\tX|Y", "f", separator="").tag_names == ("X|Y",)
    blanks = read_tabbed(b"a \tX | Y \r\n b\t X\t \nc\t \nd d\tX\n", "blanks.tsv")
    assert (blanks.forms, blanks.tag_names) == (["a", "b", "c", "d d"], ("X", "Y"))
    assert blanks.tag_offsets == [0, 2, 3, 3, 4]


@pytest.mark.parametrize(
    ("read", "data", "message"),
    [
        (read_conllu, row("1", "a") + "2\tb\n", "f:2: 2 columns, expected 10"),
        (read_conllu, row("1", "a") + row("x", "b"), "f:2: ID 'x'"),
        (read_conllu, row("1", "a") + row("3", "b"), "f:2: word 3 where word 2 is expected"),
        (read_conllu, row("1", " \u00a0"), "f:1: a word without a form"),
        (read_conllu, row("1-2", "ab") + row("1", "a") + row("2-3", "b"), "f:3: the multiword token '2-3'"),
        (read_conllu, row("1", "a") + row("2", "\udce9"), "f:2: not UTF-8"),
        (read_xces, XCES.replace("<orth>mam</orth>", ""), "f:5: a tok without orth"),
        (read_xces, XCES.replace("</chunkList>", ""), "not well-formed XML"),
        (read_xces, XCES.replace(">mam</orth>", ">m&outer;m</orth>"), "f:5: orth holds an element or entity"),
        (read_tabbed, "a\tX\n\tY\n", "f:2: a line without a word"),
        (read_tabbed, "a\tX||Y\n", "f:1: an empty tag"),
        (read_tabbed, "a\tX\rb\tY\r", "f:1: a NUL or carriage return within the line"),
    ],
)
def test_faults(read, data, message):
    with pytest.raises(ReadError) as caught:
        read(data.encode("utf-8", "surrogateescape"), "f")
    assert message in str(caught.value)


def test_formats_by_suffix(tmp_path):
    (tmp_path / "a.conllu").write_bytes(b"\xef\xbb\xbf" + CONLLU.encode())
    (tmp_path / "a.xml").write_text(XCES, encoding="utf-8")
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress("vámonos\tV\nal\tX\nmar\tX\n".encode()))
    (tmp_path / "empty.tsv").write_text("\n")
    (tmp_path / "a.doc").write_text("a\tX\n")
    assert [len(read_tagged(tmp_path / name)) for name in ("a.conllu", "a.xml", "a.tsv.gz")] == [4, 3, 3]
    with pytest.raises(OptionError, match=r"a.doc: no format has the suffix '.doc'; expected one of .conllu"):
        read_tagged(tmp_path / "a.doc")
    with pytest.raises(ReadError, match="no words"):
        read_tagged(tmp_path / "empty.tsv")
    with pytest.raises(InputError, match="CoNLL-U can only be compared with CoNLL-U"):
        compare_files(tmp_path / "a.conllu", tmp_path / "a.tsv.gz")


def test_conllu_with_a_tagset_that_stands_in_xpos(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(row("1", "to", "PRON", "subst:sg:nom:n") + row("2", "i", "CCONJ", "conj"), encoding="utf-8")
    other = tmp_path / "b.conllu"
    other.write_text(row("1", "to", "PRON", "subst:sg:acc:n") + row("2", "i", "CCONJ", "conj"), encoding="utf-8")
    scores = score_tag_files(path, other, tagset="nkjp")
    assert scores.metrics == ("exact", "pos", "pa", "UPOS", "XPOS", "UFeats", "AllTags")
    assert scores["pa"].f1 == pytest.approx((0.75 + 1) / 2)
    assert score_tag_files(path, other, tagset="ud", measures="pa")["pa"].f1 == 1
