"""MMAX2: words, markables with sets or pointers, and where the files of a document are."""

import pytest
from read_helpers import texts

from arraycoref.exceptions import ReadError
from arraycoref.read import read_documents

pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{what}") for what in ("no two of them in one entity", "not read")]

WORDS = "\n".join(f'<word id="word_{n}">{word}</word>' for n, word in enumerate(["Ann", "saw", "her", "dog", "."], 1))
WORDS = f'\ufeff<?xml version="1.0"?>\n<!DOCTYPE words SYSTEM "words.dtd">\n<words>\n{WORDS}\n</words>'
PROJECT = '<?xml version="1.0"?>\n<mmax_project>\n<words>text_words.xml</words>\n</mmax_project>'
SETS = [("word_3", "set_1"), ("word_3..word_4", "empty"), ("word_1", "set_1")]


def markables(*rows, name="coref_class"):
    """Make a file of markables in reverse order of the words, of a span and a value of an attribute each."""
    lines = [
        f'<markable id="markable_{n}" span="{span}" {name}="{value}" />' for n, (span, value) in enumerate(rows, 1)
    ]
    return "\n".join(['<markables xmlns="www.eml.org/NameSpaces/coref">', *lines, "</markables>"])


@pytest.fixture
def mmax(tmp_path):
    """Write files by their paths, and read the folder."""

    def read(files, source="", **options):
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(content, encoding="utf-8")
        return read_documents(tmp_path / source, **options)

    return read


@pytest.mark.parametrize("name", ["coref_class", "mention_group", "Coref_Set"])
def test_sets(mmax, name):
    files = {"x.mmax": PROJECT, "text_words.xml": WORDS, "x_coref_level.xml": markables(*SETS, name=name)}
    documents = mmax(files)
    assert texts(documents) == [["Ann", "her"], ["her dog"]]
    assert (documents.names, documents.units, documents.n_tokens.tolist()) == (("x",), ("word",), [5])
    assert documents.entities == (("set_1", "markable_2 alone"),)


BESIDE = {
    "common_paths.xml": "<common_paths/>",
    "Basedata/words.dtd": "",
    "Customizations/x.xml": "<a/>",
    "Styles/x.xsl": "<a/>",
    "Markables/x_sentence_level.xml": markables(("word_1..word_5", "s1"), name="orderid"),
    "x.bak": "",
}


def test_attributes_of_the_scheme_in_folders_of_a_project(mmax):
    scheme = '<annotationscheme><attribute id="a" name="Chain" type="markable_set"/></annotationscheme>'
    files = {
        "x.mmax": PROJECT,
        "Basedata/text_words.xml": WORDS,
        "Markables/x_coref_level.xml": markables(*SETS, name="chain"),
    }
    documents = mmax(files | BESIDE | {"Schemes/coref_scheme.xml": scheme})
    assert (documents.names, texts(documents)) == (("x",), [["Ann", "her"], ["her dog"]])


def test_words_alone_are_a_document(mmax):
    files = {"Basedata/x_words.xml": WORDS, "Markables/x_np_level.xml": markables(*SETS)}
    documents = mmax(files)
    assert (documents.names, texts(documents)) == (("x",), [["Ann", "her"], ["her dog"]])
    assert texts(mmax({}, "Basedata")) == [["Ann", "her"], ["her dog"]]


POINTERS = [
    ("word_3", 'markable_3" type="ident'),
    ("word_3..word_4", "empty"),
    ("word_1", ""),
    ("word_4,word_1..word_2", "markable_3;markable_1"),
]


def test_pointers_to_antecedents(mmax):
    files = {"x_words.xml": WORDS, "x_np_level.xml": markables(*POINTERS, name="ref")}
    assert texts(mmax(files, relations="np")) == [["Ann saw dog"], ["Ann", "her"], ["her dog"]]
    files["x_np_level.xml"] = markables(
        POINTERS[0], ("word_3..word_4", 'markable_3" type="bridge'), POINTERS[2], name="ref"
    )
    assert texts(mmax(files)) == [["Ann", "her"], ["her dog"]]
    bridging = markables(("word_1", 'empty" bridging_antecedent="markable_2'), SETS[0])
    assert texts(mmax(files | {"x_coref_level.xml": bridging})) == [["Ann"], ["her"]]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"x_coref_level.xml": markables(("word_9", "set_1"))},
            r"x_coref_level.xml:2: the markable 'markable_1' of 'word_9'; exp",
        ),
        (
            {"x_coref_level.xml": markables(("word_3..word_1", "set_1"))},
            r"x_coref_level.xml:2: the markable 'markable_1'",
        ),
        (
            {"x_coref_level.xml": markables(("word_1", "markable_7"), name="ref")},
            r"x_coref_level.xml:2: the link 'coref' names 'markable_7', which is no span of this document",
        ),
        ({"x_coref_level.xml": "<markables>"}, r"x_coref_level.xml:1: not XML: no element found"),
        ({}, r"x_words.xml: no markables, such as x_coref_level.xml, beside this file or in Markables"),
        (
            {"x.mmax": PROJECT},
            r"x.mmax: the words are in 'text_words.xml', which is neither beside this file nor in Base",
        ),
    ],
)
def test_faults(mmax, files, message):
    with pytest.raises(ReadError, match=message):
        mmax({"x_words.xml": WORDS} | files)


def test_of_two_levels_with_sets_the_user_says_which(mmax):
    other = {"x_np_level.xml": markables(("word_1", "set_1"), name="coref_set"), "x_vp_level.xml": markables(*SETS)}
    with pytest.raises(
        ReadError, match=r"several layers of chains: 'vp' \(3\), 'np' \(1\); relations='NAME,NAME' says"
    ):
        mmax({"x_words.xml": WORDS} | other)
    assert texts(mmax({}, relations="np")) == [["Ann"]]


def test_levels_of_other_documents_whose_names_begin_alike(mmax):
    files = {"x.mmax": PROJECT.replace("text_words", r"Basedata\text_words"), "Basedata/text_words.xml": WORDS}
    levels = {"x_coref_level.xml": markables(*SETS), "x_2_coref_level.xml": markables(("word_4", "set_1"))}
    assert texts(mmax(files | levels)) == [["Ann", "her"], ["her dog"]]
