"""Arrays, errors by category, confusions, known and unknown words, results and their signature."""

import numpy as np
import pytest

from arraycoref.exceptions import InputError
from arraycoref.tagging import (
    category_errors,
    compare_files,
    compare_strings,
    confusions,
    load_tagset,
    read_lexicon,
    score_known,
    score_tag_ids,
    score_tags,
    tag_table,
)
from arraycoref.tagging.weights import Weights

TAGS = ["subst:sg:nom:n", "subst:sg:acc:n", "ger:sg:nom:n:perf:aff", "conj"]
TABLE = tag_table(TAGS, load_tagset("nkjp"))


def test_integer_tags():
    gold, system = np.array([0, 1, 3, 3], np.int8), np.array([2, 1, 3, 0], np.uint16)
    scores = score_tag_ids(gold, system, documents=[0, 2, 4], table=TABLE)
    assert scores["pa"].f1 == pytest.approx((0.6 + 1 + 1 + 0) / 4)
    assert [scores[d]["exact"].f1 for d in range(2)] == [0.5, 0.5]
    alone = score_tag_ids(gold, system)
    assert alone.metrics == ("exact",)
    assert alone["exact"].f1 == 0.5
    assert score_tags([], [], tagset="nkjp").correctness("pa") == (0, 0, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0]), "2 gold words and 1 system words"),
        (([-1], [0]), "gold: tag -1 at 0; expected 0 to"),
        (([0], [4], {"table": TABLE}), "system: tag 4 at 0; expected 0 to 3"),
        (([0, 0], [1, 1], {"gold_offsets": [0, 0, 2]}), "gold: word 1 has tag 0 twice"),
        (([0, 1], [1, 1], {"documents": [0, 1]}), "documents do not ascend from 0 to 2"),
    ],
)
def test_arrays_that_do_not_fit(arguments, message):
    gold, system, *options = arguments
    with pytest.raises(InputError, match=message):
        score_tag_ids(gold, system, **(options[0] if options else {}))


def test_measures_and_what_they_need():
    with pytest.raises(InputError, match="'pos' needs a tagset"):
        score_tags(["conj"], ["conj"], measures="pos")
    unconditional = score_tags(["conj"], ["conj"], tagset="nkjp", weights={"pos": 1})
    assert unconditional.metrics == ("exact", "pos", "pa", "wpa")
    conditional = score_tags(["conj"], ["conj"], tagset="nkjp", weights=Weights({"pos": 1}, {"conj": {"pos": 2}}))
    assert conditional.metrics == ("exact", "pos", "pa", "wpa", "cwpa")
    assert "|task:tags|tagset:nkjp|weights:pos=1|unit:document|missing:error|" in str(unconditional.signature)


GOLD = ["subst:sg:nom:n", "subst:sg:acc:n", ["adj:pl:nom:n:pos", "adj:pl:acc:n:pos"], "conj", []]
SYSTEM = ["subst:sg:acc:n", "ger:sg:nom:n:perf:aff", ["adj:pl:acc:n:pos", "adj:sg:nom:n:pos"], [], "conj"]


SPELLED = ["NOUN|Case=Nom|Number=Sing", "NOUN|Number=Sing|Case=Nom", "NOUN|Number=Sing"]


def test_spellings_of_one_tag():
    """Tags are sets of values: in another order they were two tags, of which a word had both, and the sums two."""
    gold, system = [SPELLED[:2], "NOUN"], [SPELLED, "NOUN"]
    table = tag_table([*SPELLED, "NOUN"], "ud")
    for scores in (
        score_tags(gold, system, tagset="ud"),
        score_tag_ids([0, 1, 3], [0, 1, 2, 3], gold_offsets=[0, 2, 3], system_offsets=[0, 3, 4], table=table),
    ):
        assert scores.counts["exact"].tolist() == [[2, 2, 2, 3]]
        assert scores.correctness("exact") == (1, 0.5, None)
    assert score_tags(gold, gold)["exact"].recall_den == 3  # without a tagset, as they are written


def test_errors_by_category():
    comparison = compare_strings(GOLD, SYSTEM, tagset=load_tagset("nkjp"))
    rows = {row.category: row[1:] for row in category_errors(comparison)}
    assert rows == {
        "pos": (5, 3, 1, 0, 1, 0),
        "number": (4, 4, 0, 0, 0, 0),
        "case": (4, 1, 3, 0, 0, 0),  # the nominative adjective is closest to the accusative plural, first of equals
        "gender": (4, 4, 0, 0, 0, 0),
        "degree": (2, 2, 0, 0, 0, 0),
        "aspect": (0, 0, 0, 0, 0, 1),
        "negation": (0, 0, 0, 0, 0, 1),
    }
    assert confusions(comparison, "case") == [("nom", "acc", 2), ("acc", "nom", 1)]
    assert confusions(comparison) == [("conj", "(no word)", 1), ("subst", "ger", 1)]
    assert confusions(comparison, "aspect") == [("-", "perf", 1)]
    with pytest.raises(InputError, match="need a tagset"):
        category_errors(compare_strings(GOLD, SYSTEM))


def test_known_unknown_and_ambiguous_words(tmp_path):
    (tmp_path / "lexicon.tsv").write_text("a\tX\nb\tX|Y\na\tX\n")
    (tmp_path / "gold.tsv").write_text("a\tX\nb\tX\nc\tX\nd\tX\n")
    (tmp_path / "system.tsv").write_text("a\tX\nb\tY\nc\tX\nd\tY\n")
    lexicon = read_lexicon(tmp_path / "lexicon.tsv")
    assert lexicon == {"a": 1, "b": 2}
    scores = score_known(compare_files(tmp_path / "gold.tsv", tmp_path / "system.tsv"), lexicon)
    assert {kind: (s["exact"].recall, s["exact"].recall_den) for kind, s in scores.items()} == {
        "known": (0.5, 2),
        "unknown": (0.5, 2),
        "ambiguous": (0, 1),
    }
    with pytest.raises(InputError, match="word forms"):
        score_known(compare_strings(["X"], ["X"]), lexicon)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("AB", "gold is a str; expected one column with a tag, or several, for each word"),
        (["A", None], "gold word 1: None; expected a tag, or several"),
        ([{"UPOS": "A"}, "A"], "gold word 0: {'UPOS': 'A'}; expected"),
        (["A", ""], "gold word 1: tag ''; expected a text"),
    ],
)
def test_words_that_have_no_tags(gold, message):
    with pytest.raises(InputError, match=message):
        score_tags(gold, ["A", "B"])


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_columns_of_words(library):
    made = pytest.importorskip(library)
    table = (made.table if library == "pyarrow" else made.DataFrame)({"tag": ["A", "B"], "tags": [["A", "B"], ["B"]]})
    with pytest.raises(InputError, match=r"system is a .*; expected one column"):
        score_tags(["A", "B"], table)
    assert score_tags(table["tag"], ["A", "C"])["exact"].f1 == 0.5
    assert score_tags(table["tags"], ["A", "C"])["exact"].recall == 1 / 3


def test_series_of_other_words():
    pandas = pytest.importorskip("pandas")
    one, other = pandas.Series(["A", "B"], index=[1, 0]), pandas.Series(["A", "B"])
    assert score_tags(one, one)["exact"].f1 == score_tags(one, list(other))["exact"].f1 == 1
    for score, sides in ((score_tags, (one, other)), (score_tag_ids, (one.index.to_series(), other.index.to_series()))):
        with pytest.raises(InputError, match="gold and system have different indices"):
            score(*sides)
