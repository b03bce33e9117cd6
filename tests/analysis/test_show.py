"""Documents as text: brackets, numbers of entities, a sign for each error, in rows."""

import re

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.analysis.pair import OF_KEY, TYPES
from arraycoref.analysis.show import SIGNS, TextLayout, _spaces

KEY = [[(0, 0), (2, 3), (6, 6)], [(3, 3), (5, 5)], [(8, 8)]]
RESPONSE = [[(0, 0), (5, 5)], [(2, 3), (6, 6)], [(3, 3)], [(9, 9)]]


def mentions_of(line):
    """Read the brackets of a line back: (number of the entity, signs in front) of each mention, by its close."""
    found, open_ = [], []
    for sign, bracket, label in re.findall(rf"([{''.join(SIGNS.values())}]*)(?:(\[)|\](\w+))", line):
        if bracket:
            open_.append(sign)
        else:
            found.append((label, open_.pop()))
    assert not open_
    return found


def test_brackets_hold_every_mention_of_a_row_with_its_signs():
    analysis = ac.analyze(KEY, {"ours": RESPONSE})
    text = str(analysis.show())
    marks = analysis.pairs[0].marks
    for side, name in enumerate(("key", "ours")):
        line = next(line for line in text.splitlines() if f" {name} " in line)
        types = marks.type_of_mentions(side, len(analysis.index), only_first=True)
        entity = analysis.index.entity_in_document(side)
        wanted = [
            (f"{'kr'[side]}{entity[m] + 1}", SIGNS[TYPES[types[m]]] if types[m] >= 0 else "")
            for m in np.flatnonzero(analysis.index.labels[side] >= 0)
        ]
        assert sorted(mentions_of(line)) == sorted(wanted)


def test_the_largest_piece_has_no_sign_and_others_one():
    key, response = [[(n, n) for n in range(6)]], [[(0, 0), (1, 1)], [(2, 2), (3, 3), (4, 4)], [(5, 5)]]
    text = str(ac.analyze(key, response).show())
    assert "key       ÷[0]k1 ~[1]k1 [2]k1 [3]k1 [4]k1 ÷[5]k1" in text
    tie = str(ac.analyze([[(n, n) for n in range(4)]], [[(0, 0), (1, 1)], [(2, 2), (3, 3)]]).show())
    assert "key       [0]k1 [1]k1 ÷[2]k1 ~[3]k1" in tie  # of two pieces, the one with the first mention is none
    absent = str(ac.analyze([[(n, n) for n in range(3)]], [[(1, 1), (2, 2)]]).show())
    assert "key       ÷[0]k1 [1]k1 [2]k1" in absent


def test_ideographs_stand_without_spaces():
    assert _spaces(["我", "爱", "北京", "。", "a", "b"], [6]) == ["", "", "", "", " ", " "]


def test_signs_say_on_which_side_an_error_is():
    assert len(set(SIGNS.values())) == len(TYPES)
    text = str(ac.analyze(KEY, {"ours": RESPONSE}).show())
    key, ours = (next(line for line in text.splitlines() if f" {name} " in line) for name in ("key", "ours"))
    of_key = {SIGNS[TYPES[t]] for t in OF_KEY}
    assert not {sign for _, sign in mentions_of(ours)} & of_key
    assert {sign for _, sign in mentions_of(key)} - {"", SIGNS["span"]} <= of_key


def test_sentences_without_errors_are_left_out(tmp_path):
    path = {}
    for name, columns in {"key": ["(0)", "-", "(0)", "(1)"], "response": ["(0)", "-", "(0)", "-"]}.items():
        lines = [f"d\t0\t0\tw{n}\t-\t-\t-\t-\t-\t-\t*\t{mark}\n\n" for n, mark in enumerate(columns)]
        path[name] = tmp_path / f"{name}.conll"
        path[name].write_text("#begin document (d);\n" + "".join(lines) + "#end document\n")
    analysis = ac.analyze_files(str(path["key"]), str(path["response"]))
    lines = str(analysis.show("d")).splitlines()
    assert lines[1:] == ["   … 3 sentences without errors", "   4  key       ○[w3]k2", "      response  w3"]
    assert str(analysis.show("d", max_sentences=1)) == str(analysis.show("d"))


def test_only_a_terminal_has_styles_and_lines_keep_to_a_width():
    shown = ac.analyze([[(n, n) for n in range(60)]], {"a": [[(n, n) for n in range(0, 60, 2)]]}).show()
    assert "\x1b[" in shown.text(colors=True)
    assert "\x1b[" not in shown.text(60) + str(shown)
    assert re.sub(r"\x1b\[[\d;]*m", "", shown.text(60, colors=True)) == shown.text(60)
    assert max(map(len, shown.text(60).splitlines()[1:])) <= 60
    unwrapped = re.sub(r"\n {10}(?! )", " ", shown.text(60))
    assert unwrapped.split() == str(shown).split()


def test_names_and_words_cannot_control_a_terminal():
    analysis = ac.analyze({"\x1b[31mred\n": [["\x1b]0;a", "b"]]}, {"\x1b[31mred\n": [["b"]]})
    assert "\x1b" not in str(analysis.show())
    assert "<b>" not in ac.analyze([["<b>x", "y"]], [["y"]]).show()._repr_html_()


@pytest.mark.parametrize("side", ["key", "response"])
def test_entities_of_records_that_lose_most_come_first(side):
    sides = [[["a", "b", "c", "d"], ["e", "f"]], [["a", "b"], ["c"], ["d", "e"], ["f", "g"]]]
    key, response = sides if side == "response" else sides[::-1]
    lines = str(ac.analyze(key, response).show()).splitlines()[1:]
    lost = [float(line.split()[0]) for line in lines]
    assert lost == sorted(lost, reverse=True)
    if side == "response":
        assert lines[0] == "    2.5  k1 r1: a, b | r2: ÷c | r3 (+1): ÷d"


def test_worst_documents():
    analysis = ac.analyze_labels([0, 0, 1, 1, 2, 2], [0, 0, 1, -1, 2, 3], [0, 2, 4, 6], names=["good", "fair", "poor"])
    assert [analysis.documents[d] for d in analysis.worst(2, "muc")] == ["fair", "poor"]
    assert [analysis.documents[d] for d in analysis.worst(1, "mentions.recall")] == ["fair"]
    with pytest.raises(ac.UnknownNameError, match="fine"):
        analysis.show("fine")


def test_an_empty_node_stands_before_the_word_behind_it(tmp_path):
    words = [("1", "ver", "_"), ("1.1", "ella", "Entity=(e1--1)"), ("2", "casas", "Entity=(e2--1)")]
    rows = ["\t".join([n, w, *["_"] * 4, "0" if "." not in n else "_", "_", "0:root", misc]) for n, w, misc in words]
    head = "# newdoc id = d\n# global.Entity = eid-etype-head\n"
    (tmp_path / "k.conllu").write_text(head + "\n".join(rows) + "\n\n")
    analysis = ac.analyze_files(str(tmp_path / "k.conllu"), str(tmp_path / "k.conllu"))
    layout = TextLayout(analysis.index)
    start, end = (column.tolist() for column in layout.spans[0])
    assert (start, end) == ([1, 1], [0, 1])
    assert layout.rows(0).words == ["ver", " casas"]
