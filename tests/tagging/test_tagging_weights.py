"""Weights from every source, and weights files."""

import json

import pytest

from arraycoref.exceptions import InputError, ReadError, UnknownNameError
from arraycoref.tagging import load_tagset, load_weights, score_tags
from arraycoref.tagging.texts import read_tabbed
from arraycoref.tagging.weights import (
    Terminal,
    Weights,
    average_ambiguity,
    query_weights,
    read_agreement,
    read_queries,
    read_rules,
    render_weights,
    rule_weights,
)

NKJP = load_tagset("nkjp")


def test_files_hold_what_was_written(tmp_path):
    name = '\U0001f600\x7f\0\n"\\\u2028'
    weights = Weights({"pos": 2.0, name: 1.5}, {"ger": {"pos": 1.0, name: 0.25}}, default=0.5, source=name)
    (tmp_path / "w.toml").write_text(render_weights(weights), encoding="utf-8")
    assert load_weights(tmp_path / "w.toml") == weights


def test_mappings_and_names(tmp_path):
    (tmp_path / "w.toml").write_text("pos = 2\ncase = 1\n")
    assert load_weights(tmp_path / "w.toml") == Weights({"pos": 2, "case": 1}, source="w.toml")
    assert load_weights({"pos": 2}).categories == {"pos": 2}
    assert load_weights("poliqarp", "ud").categories["Case"] == load_weights("poliqarp").categories["case"]
    with pytest.raises(UnknownNameError, match="poliqarp"):
        load_weights("bing")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pos =", "not a weights file"),
        ("[categories]\npos = 1\n[other]\n", "unknown key 'other'; expected categories, by_pos, default, source"),
        ("pos = 1\ndefault = 0", "unknown key 'pos'"),  # a default beside categories was a category of that name
        ("pos = -1", "weight of pos is -1; expected a finite number that is not negative"),
        ("[by_pos.x]\ncase = nan", "weight of x.case is nan"),
    ],
)
def test_faults_of_files(tmp_path, text, message):
    (tmp_path / "w.toml").write_text(text)
    with pytest.raises(ReadError, match=f"w.toml: {message}"):
        load_weights(tmp_path / "w.toml")


def test_a_category_without_weight_is_an_error_that_names_it():
    with pytest.raises(InputError, match=r"no weight for case, gender \(tagset nkjp, weights pos=1,number=1\)"):
        score_tags(["subst:sg:nom:n"], ["subst:sg:nom:n"], tagset="nkjp", weights={"pos": 1, "number": 1})
    partly = Weights({"pos": 1}, {"subst": {"number": 1, "case": 1, "gender": 1}})
    assert score_tags(["subst:sg:nom:n"], ["conj"], tagset="nkjp", measures="cwpa", weights=partly)["cwpa"].f1 == 0
    with pytest.raises(InputError, match="'wpa' needs weights"):
        score_tags(["conj"], ["conj"], tagset="nkjp", measures="wpa")
    weights = Weights({"pos": 1, "case": 1}, default=0)
    with pytest.raises(InputError, match=r"weights of 'case' \(by hand\); expected 'Case', as in tags"):
        score_tags(["NOUN|Case=Nom"], ["NOUN|Case=Acc"], tagset="ud", weights=weights)


def test_average_ambiguity_by_hand():
    """Three words: mam (a verb, a noun in two cases), i (one conjunction), ten (an adjective in two cases)."""
    text = read_tabbed(
        b"mam\tfin:sg:pri:imperf|subst:pl:gen:f|subst:pl:acc:f\ni\tconj\n"
        b"ten\tadj:sg:nom:m1:pos|adj:sg:acc:m3:pos|adj:sg:nom:m2:pos\n",
        "f",
    )
    weights = average_ambiguity(text, NKJP)
    assert weights.categories == {
        "pos": pytest.approx((2 + 1 + 1) / 3),
        "number": pytest.approx((2 + 0 + 1) / 3),
        "case": pytest.approx((2 + 0 + 2) / 3),
        "gender": pytest.approx((1 + 0 + 3) / 3),
        "person": pytest.approx(1 / 3),
        "degree": pytest.approx(1 / 3),
        "aspect": pytest.approx(1 / 3),
    }
    none = dict.fromkeys(weights.categories, 0)
    assert weights.by_pos["subst"] == {**none, "pos": 2, "number": 1, "case": 2, "gender": 1}
    assert weights.by_pos["conj"] == {**none, "pos": 1}
    assert weights.by_pos["adj"]["gender"] == 3


def test_query_log(tmp_path):
    path = tmp_path / "log"
    path.write_text(
        '# log\n[pos=subst & case!=gen] [case=acc]\n[orth="case=3"]\n[pos!~"adj.*" & number = pl]\n\n[base~x]\n'
    )
    weights = query_weights(read_queries(path), NKJP)
    assert {name: weight for name, weight in weights.categories.items() if weight} == {"pos": 2, "case": 1, "number": 1}
    assert not weights.by_pos
    ud = query_weights(['[Case="Nom" & upos="NOUN"]', '[pos="NOUN"]'], load_tagset("ud"))
    assert ud.categories == {"pos": 1, "Case": 1}
    with pytest.raises(InputError, match="no query names a category"):
        query_weights(["[orth=x]"], NKJP)


RULES = [
    [Terminal(("pos", "case"), "prep"), Terminal(("case",), "subst")],
    [Terminal(("case",), "subst")],
]


def test_rule_applications(tmp_path):
    weights = rule_weights(RULES)
    assert weights.categories == {"pos": 1, "case": 3}
    assert weights.by_pos == {"prep": {"pos": 1, "case": 1}, "subst": {"pos": 0, "case": 2}}
    path = tmp_path / "rules.jsonl"
    lines = [
        {"rule": "PP", "terminals": [{"pos": t.pos, "categories": list(t.categories)} for t in rule]} for rule in RULES
    ]
    path.write_text("\n\n".join(map(json.dumps, lines)))
    assert list(read_rules(path)) == RULES
    assert rule_weights([[Terminal(("case",))]]).by_pos == {}
    with pytest.raises(InputError, match="no rule refers"):
        rule_weights([])


TREE = (
    "# text = nowy dom\n"
    "1\tnowy\t_\tADJ\tadj:sg:nom:m3:pos\tCase=Nom|Number=Sing\t2\tamod\t_\t_\n"
    "2\tdom\t_\tNOUN\tsubst:sg:nom:m3\tCase=Nom|Number=Plur\t0\troot\t_\t_\n"
    "3\tstoi\t_\tVERB\tfin:sg:ter:imperf\tNumber=Plur\t2\tacl\t_\t_\n"
    "3.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


def test_treebank_agreement(tmp_path):
    path = tmp_path / "tree.conllu"
    path.write_text(TREE)
    weights = rule_weights(read_agreement(path, NKJP))
    assert weights.categories == {"pos": 4, "number": 4, "case": 2, "gender": 2}
    assert weights.by_pos["fin"] == {"pos": 1, "number": 1, "case": 0, "gender": 0}
    assert weights.by_pos["subst"] == {"pos": 2, "number": 2, "case": 1, "gender": 1}
    ud = rule_weights(read_agreement(path, load_tagset("ud")))
    assert ud.categories == {"pos": 4, "Case": 2, "Number": 2}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_rules, '{"terminals": []}\n{"terminals": [{"categories": "case"}]}', "file:2: expected"),
        (
            read_agreement,
            TREE.replace("\t2\tamod", "\t9\tamod"),
            "file:2: head '9', expected another word's number",
        ),
        (read_agreement, TREE.replace("subst:", "noun:"), "file:3: tag 'noun:"),
    ],
)
def test_faults_of_rules_and_treebanks(tmp_path, read, text, message):
    (tmp_path / "file").write_text(text)
    with pytest.raises(ReadError, match=message):
        list(read(tmp_path / "file", *([NKJP] if read is read_agreement else [])))
