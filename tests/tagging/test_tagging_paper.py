"""The examples of Acedański and Przepiórkowski (2010), and words with several tags worked by hand."""

import pytest

from arraycoref.tagging import load_tagset, score_tags, tag_table
from arraycoref.tagging.weights import Weights, poliqarp

GERUND = "ger:sg:nom:n:perf:aff"
NOUN = "subst:sg:nom:n"
OTHERS = {"aspect": 0.5, "negation": 0.5}
EQUAL = {"pos": 2.0, "case": 2.0, "number": 2.0, "gender": 2.0, **OTHERS}


def test_positional_accuracy_of_the_gerund_for_the_noun():
    scores = score_tags([NOUN], [GERUND], tagset="nkjp", measures="exact,pos,pa")
    assert scores["pa"].f1 == pytest.approx(0.6, abs=1e-15)
    assert scores["exact"].f1 == 0
    assert scores["pos"].f1 == 0


@pytest.mark.parametrize("tagset", ["nkjp", "ipipan"])
def test_weighted_example_of_section_2_3(tagset):
    scores = score_tags([NOUN], [GERUND], tagset=tagset, measures="wpa", weights=EQUAL)
    precision, recall = 2 / 3, 3 / 4
    assert scores["wpa"].f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-15)


def test_conditional_formulas_of_section_2_4():
    gerund = {"pos": 3.0, "number": 1.0, "case": 4.0, "gender": 0.25, "aspect": 2.0, "negation": 0.75}
    noun = {"pos": 5.0, "number": 1.5, "case": 6.0, "gender": 1.0}
    weights = Weights(by_pos={"ger": gerund, "subst": noun})
    precision = (1 + 4 + 0.25) / (3 + 1 + 4 + 0.25 + 2 + 0.75)
    recall = (1.5 + 6 + 1) / (5 + 1.5 + 6 + 1)
    expected = 2 * precision * recall / (precision + recall)
    assert score_tags([NOUN], [GERUND], tagset="nkjp", measures="cwpa", weights=weights)["cwpa"].f1 == pytest.approx(
        expected, abs=1e-15
    )
    turned = score_tags([GERUND], [NOUN], tagset="nkjp", measures="cwpa", weights=weights)
    assert turned["cwpa"].f1 == pytest.approx(expected, abs=1e-15)  # precision and recall change places


def test_interpretations_of_uda():
    """Section 2.1: the verbal reading is wrong in part of speech, the nominative noun is not."""
    gold = "subst:pl:acc:n"
    scores = [score_tags([gold], [tag], tagset="ipipan") for tag in ("fin:sg:ter:perf", "subst:pl:nom:n")]
    assert [s["pos"].f1 for s in scores] == [0, 1]
    assert [s["pa"].f1 for s in scores] == [0, pytest.approx(3 / 4)]


def test_poliqarp_weights_are_those_of_table_1():
    assert list(poliqarp().categories.values()) == [37771, 14055, 2074, 552, 222, 186, 81, 25, 8, 7, 5, 4]
    rows = poliqarp().rows(tag_table([NOUN, "aglt:sg:pri:imperf:wok"], load_tagset("nkjp")))
    assert rows[0].max() == 37771
    assert rows[1][-2] == 0  # vocalicity: no query named it


SEVERAL_GOLD = [["subst:sg:nom:n", "subst:sg:acc:n"], ["subst:pl:acc:n", "fin:sg:ter:imperf"]]
SEVERAL_SYSTEM = [["subst:sg:nom:n", GERUND], "fin:sg:ter:perf"]


def test_several_tags_on_both_sides_by_hand():
    """Word 1: 1, 3/4, 3/5, 2/5 for (noun, ger) x (nom, acc). Word 2: 0 for the noun, 3/4 for the other verb form."""
    scores = score_tags(SEVERAL_GOLD, SEVERAL_SYSTEM, tagset="nkjp")
    pa = scores["pa"]
    assert (pa.precision_num, pa.precision_den) == (pytest.approx(1 + 0.6 + 0.75), 3)
    assert (pa.recall_num, pa.recall_den) == (pytest.approx(1 + 0.75 + 0 + 0.75), 4)
    correct = scores.correctness("pa")
    assert correct.weak == pytest.approx((1 + 0.75) / 2)
    assert correct.strong == pytest.approx((0.6 + 0) / 2)
    assert correct.aligned_accuracy is None
    exact = scores["exact"]
    assert (exact.precision, exact.recall) == (pytest.approx(1 / 3), pytest.approx(1 / 4))
    assert scores.correctness("exact") == (0.5, 0.0, None)
    pos = scores["pos"]
    assert (pos.precision, pos.recall) == (pytest.approx(2 / 3), pytest.approx(3 / 4))


def test_footnote_3_recall_stays_below_one():
    scores = score_tags([NOUN], [[GERUND, "pact:sg:nom:n:imperf:aff"]], tagset="nkjp", measures=["pa"])
    assert scores["pa"].recall == pytest.approx(0.6)
