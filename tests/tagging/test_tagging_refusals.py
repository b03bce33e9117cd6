"""What the functions about tags refuse: other types, words out of order, names that repeat, files of another kind."""

from __future__ import annotations

import json
import warnings
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from arraycoref.errors import InputError, OptionError, ReadError, UnknownNameError
from arraycoref.tagging import (
    Weights,
    category_errors,
    compare_files,
    compare_strings,
    compare_texts,
    confusions,
    load_tagset,
    load_weights,
    poliqarp,
    read_tagged,
    score_comparison,
    score_known,
    score_tag_files,
    score_tag_ids,
    score_tags,
    tag_table,
)
from arraycoref.tagging.weights import (
    Terminal,
    average_ambiguity,
    query_weights,
    read_agreement,
    read_rules,
    render_weights,
    rule_weights,
)

NAN = float("nan")
UD = load_tagset("ud")


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("AB", "gold is 'AB'; expected a tag, or several, for each word"),
        ({"a": "A", "b": "B"}, r"gold is {'a': 'A', 'b': 'B'}; expected"),
        (None, "gold is None; expected"),
        (["A", None], "gold word 1: tag None; expected a text, or several"),
        (["A", NAN], "gold word 1: tag nan; expected"),
        ([1, 2], "gold word 0: tag 1; expected"),
        ([b"AB", "A"], "gold word 0: tag b'AB'; expected"),
        ([{"UPOS": "A"}, "A"], "gold word 0: {'UPOS': 'A'}; expected a tag, or several"),
        (["A", ["A", None]], "gold word 1: tag None; expected"),
        ([[["A"]], "A"], r"gold word 0: \[\['A'\]\]; expected a tag, or several"),
        (["A", ""], "gold word 1: tag ''; expected a text, or several"),
        ([["A", ""], "A"], "gold word 0: tag ''; expected"),
        ({"A", "B"}, "gold is {'.', '.'}; expected a tag, or several, for each word"),
        (frozenset("A"), "gold is frozenset"),
        (np.array("A"), "gold is array"),
        (np.ma.masked_array(["A", "B"], mask=[False, True]), "gold word 1: masked; expected"),
    ],
)
def test_words_that_have_no_tags(gold, message):
    """Some were scored: the characters of a text, the bytes of a tag, the names of a mapping, a set in any order."""
    with pytest.raises(InputError, match=message):
        score_tags(gold, ["A", "B"])
    with pytest.raises(InputError, match=message.replace("gold", "system")):
        score_tags(["A", "B"], gold)


@pytest.mark.parametrize("words", [["A", "B"], (w for w in "AB"), np.array(["A", "B"]), [("A",), {"B"}]])
def test_words_that_have_tags(words):
    assert score_tags(words, ["A", "C"])["exact"].f1 == 0.5


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_and_their_columns(library):
    """Of a table the names of columns were scored, or each column as a word. Columns of texts and lists have words."""
    made = pytest.importorskip(library)
    table = (made.table if library == "pyarrow" else made.DataFrame)({"tag": ["A", "B"], "tags": [["A", "B"], ["B"]]})
    with pytest.raises(InputError, match="system is a table; expected one column"):
        score_tags(["A", "B"], table)
    assert score_tags(table["tag"], ["A", "C"])["exact"].f1 == 0.5
    assert score_tags(table["tags"], ["A", "C"])["exact"].recall == 1 / 3
    missing = made.array(["A", None]) if library == "pyarrow" else made.Series(["A", None])
    with pytest.raises(InputError, match=r"gold word 1: tag (None|nan); expected a text, or several"):
        score_tags(missing, ["A", "B"])


def test_series_of_other_words():
    """They were compared by position; labels of entities are joined on the index."""
    pandas = pytest.importorskip("pandas")
    one, other = pandas.Series(["A", "B"], index=[1, 0]), pandas.Series(["A", "B"])
    assert score_tags(one, one)["exact"].f1 == score_tags(one, list(other))["exact"].f1 == 1
    for score, sides in ((score_tags, (one, other)), (score_tag_ids, (one.index.to_series(), other.index.to_series()))):
        with pytest.raises(InputError, match="gold and system are Series whose indices differ"):
            score(*sides)


def test_tags_that_are_masked():
    """What a mask hides was scored."""
    masked = np.ma.masked_array([0, 1, 2], mask=[False, False, True])
    with pytest.raises(InputError, match="system: tag -1 at 2; expected 0 to 1"):
        score_tag_ids([0, 1, 1], masked)


@pytest.mark.parametrize("documents", [[1, 2], [0, 1], [0, 2, 1, 2], []])
def test_bounds_are_shown(documents):
    shown = f"[{' '.join(map(str, documents))}]"
    with pytest.raises(InputError, match="documents do not ascend from 0 to 2: ") as caught:
        score_tag_ids([0, 1], [0, 1], documents=documents)
    assert str(caught.value).endswith(shown)


def test_options_of_other_types():
    comparison = compare_strings(["A"], ["A"])
    for measures in (5, []):
        with pytest.raises(OptionError, match="measures"):
            score_comparison(comparison, measures)
    with pytest.raises(UnknownNameError, match="unknown measure 1; expected one of: exact"):
        score_comparison(comparison, [1])
    for tagset in (5, b"ud", None, np.array(["ud", "nkjp"])):
        with pytest.raises(UnknownNameError, match=r"unknown tagset .*; expected one of: ipipan, nkjp"):
            load_tagset(tagset)
    mine = SimpleNamespace(name="mine", categories=("pos",), parse=lambda tag: {"tag": tag})
    with pytest.raises(InputError, match="tag 'X': no part of speech, 'pos', among "):
        compare_strings(["X"], ["Y"], tagset=mine)
    with pytest.raises(InputError, match="table is 'ud'; expected one that tag_table makes"):
        score_tag_ids([0], [0], table="ud")
    with pytest.raises(InputError, match="tag 1 is None; expected a text"):
        tag_table(["NOUN", None], "ud")
    with pytest.raises(InputError, match="unknown category 5"):
        confusions(compare_strings(["X"], ["X"], tagset="ud"), 5)
    with pytest.raises(InputError, match=r"unknown category array\("):
        confusions(compare_strings(["X"], ["X"], tagset="ud"), np.array(["pos", "pos"]))
    scores = score_comparison(comparison)
    for function in (score_comparison, category_errors, confusions, lambda given: score_known(given, {})):
        with pytest.raises(InputError, match="comparison is a TagScores; expected what compare_files, "):
            function(scores)
    with pytest.raises(InputError, match=r"gold is 'a.tsv'; expected what read_tagged returns"):
        compare_texts("a.tsv", "a.tsv")
    for weights in (5, [("pos", 1)]):
        with pytest.raises(InputError, match=r"weights are (int|list); expected a mapping"):
            load_weights(weights)


def test_options_of_files(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("a\tX\n")
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'lenien'; expected some of: .*lenient, .*tagset"):
        score_tag_files(path, path, lenien=True)
    with pytest.raises(OptionError, match="separator is 5; expected the text between tags, '' for none"):
        score_tag_files(path, path, separator=5)
    with pytest.raises(UnknownNameError, match=r"unknown format \['tsv'\]; expected one of: conllu"):
        score_tag_files(path, path, format=["tsv"])


@pytest.mark.parametrize("source", [None, 5, [None], b"gold.tsv"])
def test_files_that_are_no_paths(source):
    with pytest.raises(InputError, match="is not the path of a file"):
        compare_files(source, source)


def test_files_that_are_open(tmp_path):
    """Their lines were taken for paths, as were the keys of mappings; sets have no order."""
    (tmp_path / "a.tsv").write_text("a\tX\n")
    with open(tmp_path / "a.tsv", encoding="utf-8") as file:
        for source in (file, {"a.tsv": 1}, {"a.tsv"}):
            with pytest.raises(InputError, match="is not the path of a file; expected a path, or a list of paths"):
                compare_files(source, tmp_path / "a.tsv")
            with pytest.raises(InputError, match="is not the path of a file; expected a path"):
                read_tagged(source)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"case": 1, "Case": 2},), "weights of case and of Case; case does not matter"),
        (({}, {"NOUN": {"case": 1, "Case": 2}}), "weights of NOUN.case and of NOUN.Case"),
        (({1: 2},), "weight of 1; expected the name of a category"),
        (([("pos", 1)],), "categories and by_pos must be tables"),
        (({}, {"NOUN": 3}), "by_pos must hold a table for each part of speech"),
        (({"pos": np.complex128(1)},), "expected a finite number"),
        (
            ({"pos": 1e301},),
            r"weight of pos is 1e\+301; expected a finite number that is not negative, at most 1e\+300",
        ),
    ],
)
def test_weights_that_are_none(arguments, message):
    """Of two names that differ in case, one was lost."""
    with pytest.raises(InputError, match=message):
        Weights(*arguments)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"pos": 1, "default": 0}, "unknown key 'pos'; expected categories, by_pos, default, source"),
        ({"case": 1, "source": "me"}, "unknown key 'case'; expected"),
        ({(1, 2): 3, 5: 3, "categories": {}}, r"unknown key \(1, 2\); expected"),
    ],
)
def test_keys_beside_categories(table, message):
    """A default beside categories was a category of that name, and others were said to have no default."""
    with pytest.raises(InputError, match=message):
        load_weights(table)
    assert score_tags(["NOUN|Case=Nom"], ["NOUN|Case=Acc"], tagset="ud", weights={"default": 1})["wpa"].f1 == 0.5


def test_weights_without_a_tagset():
    """They were in the signature of scores in which they had no part."""
    with pytest.raises(InputError, match="weights need a tagset"):
        score_tags(["A"], ["A"], weights="poliqarp")


def test_weights_of_numpy():
    weights = Weights({"pos": np.int64(3), "case": np.float32(0.5)}, {"NOUN": {"pos": np.float64(2)}}, np.int8(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weights == Weights({"pos": 3, "case": 0.5}, {"NOUN": {"pos": 2.0}}, 0)
    assert load_weights(json.loads(render_weights(weights, "json"))) == weights


def test_counted_names_that_differ_in_case():
    """They are one category; of two weights, one was lost."""
    queries = ["[NumR=1 & Numr=2]", "[Numr=3]", "[NUMR=4 & Case=Nom]"]
    assert query_weights(queries, "ud").categories == {"pos": 0, "NumR": 3, "Case": 1}
    rules = [[Terminal(["Case", "case"], "adj"), Terminal(["case"], "adj")]]
    assert rule_weights(rules) == Weights({"Case": 2}, {"adj": {"Case": 2}}, 0, "rule applications")
    with pytest.raises(InputError, match=r"the categories of a terminal are \['pos', 3\]; expected a list of names"):
        rule_weights([[Terminal(["pos", 3])]])


def test_largest_weights():
    """The sum of two that were larger was infinite, and the score 0."""
    weights = {"pos": 1e300, "case": 1e300}
    assert score_tags(["NOUN|Case=Nom"], ["NOUN|Case=Acc"], tagset="ud", weights=weights)["wpa"].f1 == 0.5


def test_weights_are_copied():
    own = {"pos": 1.0}
    weights = load_weights({"categories": MappingProxyType(own), "by_pos": {"NOUN": own}})
    own["pos"] = 2.0
    assert weights.categories == weights.by_pos["NOUN"] == {"pos": 1.0}


def test_weights_under_a_part_of_speech_in_other_capitals():
    """They were passed over, and those of all parts of speech taken."""
    weights = {"categories": {"pos": 1, "case": 1}, "by_pos": {"noun": {"pos": 9}}}
    with pytest.raises(InputError, match=r"part of speech 'noun' \(by hand\); expected 'NOUN', as in tags"):
        score_tags(["NOUN|Case=Nom"], ["NOUN|Case=Acc"], tagset="ud", weights=weights)
    weights["by_pos"]["NOUN"] = {"pos": 3}
    assert score_tags(["NOUN|Case=Nom"], ["NOUN|Case=Acc"], tagset="ud", weights=weights)["cwpa"].f1 == 0.75


def test_names_twice_in_json(tmp_path):
    path = tmp_path / "w.json"
    path.write_text('{"categories": {"pos": 1, "case": 5, "case": 7}}')
    with pytest.raises(ReadError, match=r"w.json: not a weights file: 'case' twice in one object"):
        load_weights(path)
    path.write_text('{"terminals": [{"categories": ["pos"]}], "terminals": []}\n')
    with pytest.raises(ReadError, match=r"w.json:1: .*'terminals' twice in one object"):
        list(read_rules(path))


@pytest.mark.parametrize("lexicon", [{"a"}, ["a"], "a.tsv", {"a": ["X"]}, {"a": NAN}, {"a": None}, {"a": -2}])
def test_lexicons_without_numbers(tmp_path, lexicon):
    (tmp_path / "a.tsv").write_text("a\tX\n")
    comparison = compare_files(tmp_path / "a.tsv", tmp_path / "a.tsv")
    with pytest.raises(InputError, match="lexicon"):
        score_known(comparison, lexicon)


@pytest.mark.parametrize("text", ["a\tX\rb\tY\r", "a\tX\0\n", "a\tX\n".encode("utf-16-le").decode()])
def test_tabbed_files_of_other_lines(tmp_path, text):
    """A file whose lines end with carriage returns alone was one word."""
    (tmp_path / "a.tsv").write_bytes(text.encode())
    with pytest.raises(ReadError, match=r"a.tsv:1: a NUL or carriage return within the line"):
        read_tagged(tmp_path / "a.tsv")


ROW = "{}\tw\t_\tNOUN\t_\t_\t{}\t_\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (2 * (ROW.format(1, 2) + ROW.format(2, 0)), "3: a second word 1 in one sentence; expected an empty line"),
        (ROW.format(1, 0) + " \n", "2: 1 columns, expected 10"),
        (ROW.format("x", 0), "1: ID 'x', expected a form like 3, 3-4 or 3.1"),
        (ROW.format(1, 1), "1: head '1', expected another word's number or 0"),
    ],
)
def test_treebanks_out_of_order(tmp_path, text, message):
    """The words of two sentences without a line between them were taken for one, and lines with no number left out."""
    (tmp_path / "t.conllu").write_text(text)
    with pytest.raises(ReadError, match=f"t.conllu:{message}"):
        list(read_agreement(tmp_path / "t.conllu", UD))


def test_treebanks_in_order(tmp_path):
    nodes = "2-3\tww" + 8 * "\t_" + "\n" + "3.1\tw" + 8 * "\t_" + "\n"
    (tmp_path / "t.conllu").write_text(2 * (ROW.format(1, 2) + nodes + ROW.format(2, 0) + "\n"))
    assert len(list(read_agreement(tmp_path / "t.conllu", UD))) == 2


def test_names_of_tagsets(tmp_path):
    (tmp_path / "t.conllu").write_text(ROW.format(1, 2) + ROW.format(2, 0) + "\n")
    assert list(read_agreement(tmp_path / "t.conllu", "ud")) == list(read_agreement(tmp_path / "t.conllu", UD))
    assert query_weights(["[Case=Nom]"], "ud") == query_weights(["[Case=Nom]"], UD)
    assert load_weights("poliqarp", "ud") == poliqarp("ud") == poliqarp(UD) != poliqarp("nkjp")


def test_ambiguity_by_the_table_of_other_tags(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tNOUN\nb\tVERB\n")
    with pytest.raises(InputError, match=r"a table of 1 tags and 2 of .*a.tsv; expected the table of text.tag_names"):
        average_ambiguity(read_tagged(tmp_path / "a.tsv"), tag_table(["NOUN"], "ud"))


def test_unknown_tag_that_is_written_like_a_part_of_speech(tmp_path):
    """It counts as a part of speech of its own, as the readers say; it was that of the tags that begin so."""
    (tmp_path / "gold.tsv").write_text("a\tsubst:sg:nom:n\nb\tsubst\n")
    (tmp_path / "system.tsv").write_text("a\tsubst\nb\tsubst\n")
    with pytest.warns(UserWarning, match="too short"):
        comparison = compare_files(tmp_path / "gold.tsv", tmp_path / "system.tsv", tagset="nkjp", lenient=True)
    scores = score_comparison(comparison)
    assert [scores[name].f1 for name in ("exact", "pos", "pa")] == [0.5, 0.5, 0.5]
    assert confusions(comparison) == [("subst", "subst'", 1)]
    assert category_errors(comparison)[0][1:4] == (2, 1, 1)


def test_confusions_of_ever_new_values():
    """A table of all values by all others would take 80 GB."""
    n = 100_000
    gold = [f"X|Key={k}" for k in range(n)]
    found = confusions(compare_strings(gold, [*gold[1:], "X"], tagset="ud"), "Key")
    assert len(found) == n
    assert found[:2] == [("0", "1", 1), ("1", "2", 1)]
    assert (str(n - 1), "-", 1) in found


def test_measures_of_files_are_checked(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tX\n")
    with pytest.raises(OptionError, match="no measures named; expected some of: exact, pos"):
        score_tag_files(tmp_path / "a.tsv", tmp_path / "a.tsv", measures=())
