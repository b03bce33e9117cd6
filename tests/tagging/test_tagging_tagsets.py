"""Tagsets: what they parse, what they refuse, and definition files."""

import pytest

from arraycoref.exceptions import InputError, ReadError
from arraycoref.tagging import load_tagset, score_tags, tag_table
from arraycoref.tagging.compare import MOST_CATEGORIES
from arraycoref.tagging.tagsets import SeparatedTagset, Slot


@pytest.mark.parametrize(
    ("tagset", "tag", "values"),
    [
        ("nkjp", "subst:sg:nom:n", {"pos": "subst", "number": "sg", "case": "nom", "gender": "n"}),
        ("nkjp", "praet:sg:f:imperf", {"pos": "praet", "number": "sg", "gender": "f", "aspect": "imperf"}),
        ("ud", "NOUN|_", {"pos": "NOUN"}),
        ("ud", "PRON|Gender=Masc,Fem|Case=Nom", {"pos": "PRON", "Gender": "Fem,Masc", "Case": "Nom"}),
        (
            "prague",
            "NNMS1-----A----",
            {"pos": "N", "subpos": "N", "gender": "M", "number": "S", "case": "1", "negation": "A"},
        ),
    ],
)
def test_parse(tagset, tag, values):
    assert load_tagset(tagset).parse(tag) == values


@pytest.mark.parametrize(
    ("tagset", "tag", "message"),
    [
        ("nkjp", "noun:sg", "tag 'noun:sg': unknown part of speech 'noun' (tagset nkjp)"),
        ("nkjp", "subst:sg:nom", "tag 'subst:sg:nom': too short, gender missing (tagset nkjp)"),
        ("nkjp", "subst:sg:nom:n:perf", "value 'perf' comes after the last category (tagset nkjp)"),
        ("ud", "NOUN|Case=Nom|Case=Gen", "feature 'Case' appears twice (tagset ud)"),
        ("prague", "NNMS1-----A---", "too short, 14 characters where 15 are expected (tagset prague)"),
        ("prague", "NNMS9-----A----", "unknown value '9' of case (tagset prague)"),
    ],
)
def test_refuse(tagset, tag, message):
    with pytest.raises(InputError) as caught:
        load_tagset(tagset).parse(tag)
    assert message in str(caught.value)
    assert repr(tag) in str(caught.value)


SEPARATED = """
name = "mine"
layout = "separated"
separator = "."
[categories]
animacy = ["y", "n"]
negation = ["y", "n"]
[classes]
V = ["[animacy]", "[negation]"]
W = ["[animacy]", "negation"]
"""


def write(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_value_that_fits_two_categories(tmp_path):
    tagset = load_tagset(write(tmp_path, SEPARATED))
    with pytest.raises(InputError, match=r"tag 'V.y': value 'y' fits animacy and negation \(tagset mine\)"):
        tagset.parse("V.y")
    assert tagset.parse("V.y.n") == {"pos": "V", "animacy": "y", "negation": "n"}
    assert tagset.parse("W.y") == {"pos": "W", "negation": "y"}  # the obligatory one: no other reading


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"separated"', '"round"', "layout is 'round'"),
        ('"negation"]\n', '"other"]\n', "classes.W: unknown category 'other'"),
        ("[categories]", "[categories", "not a tagset definition"),
    ],
)
def test_faults_of_definition_files(tmp_path, old, new, message):
    assert old in SEPARATED
    with pytest.raises(ReadError, match=message):
        load_tagset(write(tmp_path, SEPARATED.replace(old, new)))


def test_positional_definition(tmp_path):
    text = 'name="p"\nlayout="positional"\nabsent="-"\npositions=["pos", "case"]\n[categories]\npos="NV"\ncase="12"\n'
    assert load_tagset(write(tmp_path, text)).parse("V-") == {"pos": "V"}
    with pytest.raises(ReadError, match="lacks the position 'case'"):
        load_tagset(write(tmp_path, text.replace('case="12"', "")))


def test_many_readings():
    """Forty optional categories with one value: 137,846,528,820 readings of twenty values."""
    categories = [f"c{k}" for k in range(40)]
    slots = tuple(Slot(category, optional=True) for category in categories)
    tagset = SeparatedTagset("t", ":", dict.fromkeys(categories, frozenset("a")), {"x": slots})
    with pytest.raises(InputError, match=r"value 'a' fits c\d+ and c\d+"):
        tagset.parse("x" + ":a" * 20)
    assert tagset.parse("x" + ":a" * 40) == {"pos": "x", **dict.fromkeys(categories, "a")}


def test_features_of_ever_new_names():
    """A row per tag and a column per feature are their product."""
    names = [f"NOUN|F{k}=1" for k in range(MOST_CATEGORIES)]
    with pytest.raises(InputError, match=f"more than {MOST_CATEGORIES} categories, among them 'F"):
        tag_table(names, "ud")


def test_a_tag_among_strings_is_told_with_its_word():
    gold = ["conj", ["conj", "subst:sg:nom:n"], [], "conj"]
    with pytest.raises(InputError, match=r"^system word 3: tag 'conk': unknown part of speech 'conk' \(tagset nkjp\)$"):
        score_tags(gold, ["conj", [], "interp", ["conj", "conk"]], tagset="nkjp")
