"""WebAnno TSV 3: chains, and spans with relations, in columns that the header names."""

import pytest
from read_helpers import texts

from arraycoref.exceptions import ReadError, ReadWarning
from arraycoref.read.tables import tables_of

pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{what}") for what in ("no two of them in one entity", "not read")]

SUFFIX = ".tsv"
FORMAT = "#FORMAT=WebAnno TSV 3.3"
CHAINS = "#T_CH=webanno.custom.CoreferenceLink|referenceType|referenceRelation"
SPANS = "#T_SP=webanno.custom.Mention|kind|identity"
RELATIONS = "#T_RL=webanno.custom.Link|type|BT_webanno.custom.Mention"
FORMS = ["Ann", "saw", "her", "dog"]


def table(*header, rows):
    """Make a file of two sentences, of columns behind the form of each word."""
    lines, at = [FORMAT, *header, "", "", "#Text=Ann saw", "#Sentence.id=s1"], 0
    for n, (form, columns) in enumerate(zip(FORMS, rows, strict=True)):
        lines += ["", "#Text=her dog"] if n == 2 else []
        lines.append("\t".join([f"{1 + n // 2}-{1 + n % 2}", f"{at}-{at + len(form)}", form, *columns, ""]))
        at += len(form) + 1
    return "\n".join(lines)


def chains(*links, order=(0, 1)):
    """Make rows of the mentions in chains of each word, such as ``1-1|2-1``; the columns are in either order."""
    pairs = [
        (
            "|".join(f"*[{n}]" for n, _ in enumerate(link.split("|"), 1)),
            "|".join(f"*->{each}" for each in link.split("|")),
        )
        for link in links
    ]
    return [[pair[n] if link != "_" else "_" for n in order] for pair, link in zip(pairs, links, strict=True)]


LINKS = ["1-1", "_", "1-2|2-1", "2-1"]


def test_chains_with_their_columns_in_either_order(read):
    documents = read(table(CHAINS, rows=chains(*LINKS)))
    assert texts(documents) == [["Ann", "her"], ["her dog"]]
    assert documents.text[0].sentences() == [["Ann", "saw"], ["her", "dog"]]
    assert (documents.units, documents.n_tokens.tolist(), documents.entities) == (("word",), [4], (("1", "2"),))
    turned = CHAINS.replace("referenceType|referenceRelation", "referenceRelation|referenceType")
    assert texts(read(table(turned, rows=chains(*LINKS, order=(1, 0))))) == [["Ann", "her"], ["her dog"]]
    assert tables_of(documents.files[0]) is None


def test_of_two_layers_of_chains_the_user_says_which(read):
    rows = [[*one, *other] for one, other in zip(chains(*LINKS), chains("_", "_", "1-1", "1-1"), strict=True)]
    both = table(CHAINS, CHAINS.replace("Coreference", "Other"), rows=rows)
    reason = (
        r"several layers of chains: 'webanno.custom.Coreference' \(3\), 'webanno.custom.Other' \(1\); relations='NAM"
    )
    with pytest.raises(ReadError, match=reason):
        read(both)
    assert texts(read(both, relations="Other")) == [["her dog"]]
    assert texts(read(both, relations="webanno.custom.Coreference")) == [["Ann", "her"], ["her dog"]]


ROWS = [
    ["*", "x\\|y", "coref", "2-1[2_0]"],
    ["_", "_", "_", "_"],
    ["*[2]|*[3]", "_", "*|bridge:part", "1-1[0_2]|1-1[0_3]"],
    ["*[3]", "_", "_", "_"],
]


def test_relations_of_spans_with_ids_and_without(read):
    alone = [["Ann", "her"], ["her dog"]]
    assert texts(read(table("#T_SP=other.Layer", SPANS, RELATIONS, rows=[["_", *row] for row in ROWS]))) == alone
    for layer in ("Link", "Coref"):  # all values of a layer of coreference are identity, but for bridging
        assert texts(read(table(SPANS, RELATIONS.replace("Link", layer), rows=ROWS))) == alone
    assert texts(read(table(SPANS, RELATIONS, rows=ROWS), relations="bridge:part,coref")) == [["Ann", "her dog", "her"]]


def test_missing_columns_and_more_than_the_header_has(read):
    lines = table(SPANS, RELATIONS, rows=ROWS).split("\n")
    lines = [line.removesuffix("\t_\t_\t_\t") if line.startswith("1-2") else line for line in lines]
    assert texts(read("\n".join([*lines, ""]).replace("2-2\t8-11\ther", "2-2\t8-11\ther"))) == [
        ["Ann", "her"],
        ["her dog"],
    ]
    assert texts(read("\n".join(lines) + "x\ty")) == [["Ann", "her"], ["her dog"]]
    assert texts(read("\ufeff" + "\r\n".join(lines))) == [["Ann", "her"], ["her dog"]]


def test_parts_of_words_count_as_the_words(read):
    lines = table(CHAINS, rows=chains("1-1", "_", "_", "1-3")).split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("2-1")) + 1
    part = ["2-1.1\t9-11\ter\t*[1]\t*->1-2"]
    with pytest.warns(ReadWarning, match=r"x.tsv:12: 1 value of parts of words, which count as of the whole words"):
        assert texts(read("\n".join(lines[:at] + part + lines[at:]))) == [["Ann", "her", "dog"]]
    empty = ["2-1.1\t9-9\t\t*[1]\t*->1-2"]
    with pytest.raises(ReadError, match=r"x.tsv:12: the span '1-2' from 2 to 2 is empty"), pytest.warns(ReadWarning):
        read("\n".join(lines[:at] + empty + lines[at:]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1-2\t4-7", "x\t4-7", r"x.tsv:9: the line 'x\\t4-7\\tsaw.*; expected a word such as 1-2, its place and its"),
        ("1-2\t4-7", "1-1\t4-7", r"x.tsv:9: a second word 1-1"),
        ("1-2\t4-7", "1-2.1\t4-7", r"x.tsv:9: a part 1-2.1 of a word that is not there"),
        (
            "2-1[2_0]",
            "2-1[9_0]",
            r"x.tsv:8: the link 'coref' names '9', which is no span of this document",
        ),
        ("2-1[2_0]", "2-1[2]", r"x.tsv:8: the source '2-1\[2\]' of a relation; expected 1-2 or 1-2\[3_4\]"),
        (RELATIONS, "#", r"x.tsv: no layer of chains .* or relations .*; the header has 'webanno.custom.Mention'"),
    ],
)
def test_faults(read, old, new, message):
    text = table(SPANS, RELATIONS, rows=ROWS)
    assert old in text
    with pytest.raises(ReadError, match=message):
        read(text.replace(old, new, 1))
    faults = []
    read(text.replace(old, new, 1), lenient=True, on_error=faults.append)
    assert str(faults[0]).endswith(faults[0].reason)


def test_values_of_chains_must_name_chain_and_link(read):
    with pytest.raises(ReadError, match=r"x.tsv:7: the value '\*->one' of a chain; expected VALUE->CHAIN-LINK"):
        read(table(CHAINS, rows=chains("one", "_", "_", "_")))
