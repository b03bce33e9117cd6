"""brat's files: spans, links between them, and the text beside; LitBank's variants."""

import pytest
from read_helpers import texts

import arraycoref as ac
from arraycoref.exceptions import ReadError, ReadWarning
from arraycoref.read import read_documents

TEXT = "Ann saw her dog . It was hers .\n"
ANN = ["T1\tMention 0 3\tAnn", "T2\tMention 8 11\ther", "T3\tMention 8 15\ther dog", "T4\tMention 18 20\tIt"]
LINKS = ["R1\tCoreference Arg1:T2 Arg2:T1\t", "R2\tcoref Anaphora:T4 Antecedent:T3"]
ENTITIES = [["Ann", "her"], ["her dog", "It"]]


@pytest.fixture
def brat(tmp_path):
    """Write a file of lines and its text, and read it."""

    def read(*lines: str, text: str | None = TEXT, end: str = "\n", **options):
        (tmp_path / "x.ann").write_bytes(end.join([*lines, ""]).encode())
        if text is not None:
            (tmp_path / "x.txt").write_text(text, encoding="utf-8", newline="")
        return read_documents(tmp_path / "x.ann", **options)

    return read


def test_relations_in_any_order_with_any_names_of_roles(brat):
    documents = brat(*LINKS, *ANN[::-1])
    assert texts(documents) == ENTITIES
    assert (documents.names, documents.units, documents.n_tokens.tolist()) == (("x",), ("character",), [len(TEXT)])
    assert documents.mentions.line.tolist() == [6, 4, 5, 3]
    assert set(documents.mentions.label) == {"Mention"}


def test_equivalences_ends_of_lines_and_byte_order_mark(brat):
    with pytest.warns(ReadWarning, match=r"not read: links with events 'Same' \(1\)"):
        assert texts(brat(*ANN, "*\tSame T2 E1 T1", "*\tSame T3 T4")) == ENTITIES
    assert texts(brat("\ufeff" + ANN[0], "*\tSame T2 T1", *ANN[1:], "*\tSame T3 T4", end="\r\n")) == ENTITIES


def test_other_lines_are_passed_over(brat):
    lines = [
        "E1\tLoss:T5 Theme:T1",
        "A1\tNegated E1",
        "M1\tNegated E1",
        "N1\tReference T1 Q1\tAnn",
        "#1\tNote R1\t?",
        "",
    ]
    assert texts(brat(*ANN, "T5\tMention 4 7\tsaw", *lines, *LINKS)) == ENTITIES  # a trigger is no mention ...
    more = "R3\tCoreference Arg1:T5 Arg2:T4"
    assert texts(brat(*ANN, "T5\tMention 4 7\tsaw", *lines, *LINKS, more))[1] == [
        "saw",
        "her dog",
        "It",
    ]  # if not linked


def test_links_of_events_join_nothing_and_are_told_of(brat):
    with pytest.warns(ReadWarning, match=r"x.ann:8: not read: links with events 'Coreference' \(1\)$"):
        assert texts(brat(*ANN, *LINKS, "E1\tLoss:T1", "R3\tCoreference Arg1:E1 Arg2:T1", "R4\tPart Arg1:E1 Arg2:T1"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T9\tMention 0 3 Ann", r"x.ann:7: the line 'T9\\tMention 0 3 Ann'; expected one such as T1, TYPE 0 5"),
        ("ends here", r"x.ann:7: the line 'ends here'; .* Has the text before it an end of line\?"),
        (
            "R9\tCoreference Arg1:T9 Arg2:T1",
            "x.ann:7: the link 'Coreference' names 'T9', which is no span",
        ),
        ("T1\tMention 4 7\tsaw", "x.ann:5: the link 'Coreference' names 'T1', which is two spans of this document"),
        ("T9\tMention 3 3\t", "x.ann:7: the span 'T9' from 3 to 3 is empty; expected begin < end"),
        ("T9\tMention 3 4\t ", "x.ann:7: the span 'T9' has only spaces"),
        ("T9\tMention 30 99\tx", "x.ann:7: the span 'T9' from 30 to 99 lies past the 32 characters of the text"),
    ],
)
def test_faults(brat, line, message):
    with pytest.raises(ReadError, match=message):
        brat(*ANN, *LINKS, line)
    with pytest.warns(ReadWarning, match=message):
        left = texts(brat(*ANN, *LINKS, line, lenient=True))
    assert left == ([["Ann"], ["saw"], ["her dog", "It"], ["her"]] if "saw" in line else ENTITIES)


def test_an_id_of_two_spans_that_no_link_names(brat):
    assert ["saw"] in texts(brat(*ANN, *LINKS, "T9\tMention 4 7\tsaw", "T9\tMention 20 24\t was"))


def test_text_elsewhere(brat):
    with pytest.warns(
        ReadWarning, match=r"x.ann:5: 1 span of 5 with another text .* 'saw' in the file, 'was' in the te"
    ):
        documents = brat(*ANN, "T5\tMention 21 24\tsaw", *LINKS)
    assert texts(documents)[2] == ["saw"]


TYPES = [
    "T1\tPER 0 3\tAnn",
    "T2\tAnn-0 0 3\tAnn",
    "T3\tAnn-0 8 11\ther",
    "T4\tANIMAL 8 15\ther dog",
    "R1\tcop Arg1:T4 Arg2:T1",
]


def test_types_with_numbers_are_entities(brat):
    documents = brat(*TYPES)
    assert texts(documents) == [["Ann", "her"], ["her dog"]]
    assert documents.entities == (("Ann-0", "T4 alone"),)
    assert documents.mentions.label.tolist() == ["PER", "ANIMAL", None]
    with pytest.warns(ReadWarning, match=r"not read: links 'cop' \(1\); relations='Coreference,cop' reads"):
        assert texts(brat(*TYPES, "R2\tCoreference Arg1:T4 Arg2:T1")) == [["Ann", "her dog"]]


def test_tables_of_litbank(brat):
    rows = ["MENTION\tT1\t0\t2\t0\t3\ther dog\tANI\tNOM", "MENTION\tT2\t1\t0\t1\t0\tIt\tANI\tPRON", "COP\tT1\tT2"]
    rows += ["MENTION\tT3\t0\t0\t0\t0\tAnn\tPER\tPROP", "COREF\tT1\tdog-1", "COREF\tT2\tdog-1"]
    documents = brat(*rows, text="Ann saw her dog .\nIt was hers .\n")
    assert texts(documents) == [["Ann"], ["her dog", "It"]]
    assert (documents.units, documents.n_tokens.tolist()) == (("word",), [9])
    assert documents.mentions.label.tolist() == ["PROP_PER", "NOM_ANI", "PRON_ANI"]
    with pytest.raises(
        ReadError, match=r"x.ann:1: the mention 'T1' lies past the sentences of the .txt, or their words"
    ):
        brat("MENTION\tT1\t0\t5\t0\t5\tx\tANI\tNOM", text="Ann saw her dog .\n")
    with pytest.raises(ReadError, match=r"x.ann:2: the line 'NAME.tT1'; expected MENTION, COREF, COP or APPOS"):
        brat(rows[0], "NAME\tT1")


def test_tables_of_litbank_need_the_text(brat):
    with pytest.raises(ReadError, match=r"there is no .txt beside this file"):
        brat("MENTION\tT1\t0\t0\t0\t0\tAnn\tPER\tPROP", text=None)


def test_without_text_characters_are_compared_as_they_are(brat, tmp_path):
    without = brat(*ANN[:3], "T4\tMention 18 21\tIt ", "T5\tX 4 7\tsaw", *LINKS, text=None)
    assert texts(without) == ENTITIES
    assert (without.n_tokens.tolist(), without.mentions.end.tolist()) == ([20], [2, 14, 10, 19])
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "x.ann").write_text("\n".join(ANN + LINKS))
    (tmp_path / "text" / "x.txt").write_text(TEXT)
    assert ac.score_files(tmp_path / "text" / "x.ann", tmp_path / "x.ann").conll == 1
