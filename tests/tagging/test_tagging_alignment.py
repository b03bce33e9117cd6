"""Alignment by characters against the slow definition, and the CoNLL 2018 numbers where the data folder is at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import tagging_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from arraycoref.errors import InputError
from arraycoref.tagging import compare_texts, score_comparison, score_tag_files
from arraycoref.tagging.align import align
from arraycoref.tagging.read import read_conllu

TEXT = "abcabcdabcaab"


@st.composite
def segmentation(draw) -> list[tuple[str, list[str]]]:
    """Tokens of TEXT, each with the words that it stands for; one word that is the token, as a rule."""
    cuts = sorted(draw(st.sets(st.integers(1, len(TEXT) - 1), max_size=8)))
    tokens = []
    for start, end in zip([0, *cuts], [*cuts, len(TEXT)], strict=True):
        token = TEXT[start:end]
        words = [token]
        if draw(st.integers(0, 2)) == 0:
            words = draw(st.lists(st.sampled_from(["a", "b", "ab", "B", "c", token]), min_size=1, max_size=4))
        tokens.append((token, words))
    return tokens


def conllu(tokens, tag="NOUN") -> bytes:
    lines = []
    n = 0
    for token, words in tokens:
        if words != [token]:
            lines.append(f"{n + 1}-{n + len(words)}\t{token}" + "\t_" * 8)
        for word in words:
            n += 1
            lines.append(f"{n}\t{word}\t_\t{tag}\t_\t_\t0\troot\t_\t_")
    return ("\n".join(lines) + "\n\n").encode()


def tokens_of(text) -> list[oracle.Token]:
    return [
        (int(start), int(end), text.forms[form], bool(multiword))
        for start, end, form, multiword in zip(text.start, text.end, text.form, text.multiword, strict=True)
    ]


@settings(deadline=None, max_examples=300)
@given(segmentation(), segmentation())
def test_alignment_against_the_definition(gold_tokens, system_tokens):
    gold, system = (read_conllu(conllu(tokens), "f.conllu") for tokens in (gold_tokens, system_tokens))
    segments = align(gold, system)
    both = (segments.gold_word >= 0) & (segments.system_word >= 0)
    pairs = list(zip(segments.gold_word[both].tolist(), segments.system_word[both].tolist(), strict=True))
    outside, parts = oracle.aligned(tokens_of(gold), tokens_of(system))
    assert outside <= set(pairs)
    rest = set(pairs) - outside
    for gold_words, system_words, size in parts:
        mine = {(g, s) for g, s in rest if g in gold_words}
        assert len(mine) == size
        assert all(s in system_words for _, s in mine)
        assert all(gold.forms[gold.form[g]].lower() == system.forms[system.form[s]].lower() for g, s in mine)
        rest -= mine
    assert not rest
    assert pairs == sorted(pairs)
    for side, words in ((segments.gold_word, len(gold)), (segments.system_word, len(system))):
        assert side[side >= 0].tolist() == list(range(words))


def test_unaligned_words_count_as_errors_on_their_side():
    gold = read_conllu(conllu([("ab", ["ab"]), ("c", ["c"]), ("d", ["d"])]), "gold")
    system = read_conllu(conllu([("a", ["a"]), ("b", ["b"]), ("c", ["c"]), ("d", ["d"])]), "system")
    scores = score_comparison(compare_texts(gold, system), "Words,UPOS")
    assert scores["UPOS"].recall == pytest.approx(2 / 3)
    assert scores["UPOS"].precision == pytest.approx(2 / 4)
    assert scores.correctness("UPOS") == (pytest.approx(2 / 5), pytest.approx(2 / 5), 1.0)
    assert scores["Words"].f1 == pytest.approx(4 / 7)


def test_words_of_a_multiword_token_are_aligned_by_form():
    """German zum: zu dem on one side; one word on the other."""
    gold = read_conllu(conllu([("zum", ["zu", "dem"]), ("Haus", ["Haus"])]), "gold")
    system = read_conllu(conllu([("zum", ["Dem"]), ("Haus", ["Haus"])]), "system")
    assert align(gold, system).system_word.tolist() == [-1, 0, 1]


def test_sentences_of_unaligned_system_words_are_gold_s():
    one, two = conllu([("ab", ["ab"])]), conllu([("cd", ["cd"])])
    gold = read_conllu(one + two, "gold")
    system = read_conllu(conllu([("a", ["a"]), ("b", ["b"]), ("c", ["c"]), ("d", ["d"])]), "system")
    scores = score_comparison(compare_texts(gold, system, unit="sentence"), "UPOS")
    assert scores.counts["UPOS"].tolist() == [[0, 1, 0, 2], [0, 1, 0, 2]]


def test_spaces_of_any_kind_are_left_out():
    gold = read_conllu(conllu([("1\u00a0000", ["1\u00a0000"]), ("x\u2009\u3000y", ["x\u2009\u3000y"])]), "gold")
    system = read_conllu(conllu([("1 000", ["1 000"]), ("x", ["x"]), ("y", ["y"])]), "system")
    assert bytes(gold.text) == b"1000xy"
    assert align(gold, system).system_word.tolist() == [0, -1, 1, 2]


def test_different_texts_are_refused_with_both_places():
    gold = read_conllu(conllu([("ab", ["ab"]), ("ć", ["ć"])]), "gold")
    system = read_conllu(conllu([("ab", ["ab"]), ("č", ["č"])]), "system")
    with pytest.raises(InputError, match=r"'ć' at gold:2, 'č' at system:2"):
        align(gold, system)
    with pytest.raises(InputError, match=r"the end of gold"):
        align(read_conllu(conllu([("ab", ["ab"])]), "gold"), system)


DATA = os.environ.get("ARRAYCOREF_DATA")


@pytest.mark.skipif(not DATA, reason="ARRAYCOREF_DATA is not set")
@pytest.mark.parametrize("system", ["ICS-PAS", "Stanford-18", "TurkuNLP-18", "conll18-baseline"])
def test_conll18_numbers(system):
    folder = Path(DATA or "") / "tagging"
    expected = json.loads((folder / "expected_conll18.json").read_text())[system]
    scores = score_tag_files(folder / "gold.conllu", folder / f"{system}.conllu", measures=list(expected))
    for name, values in expected.items():
        for part in ("precision", "recall", "f1"):
            assert getattr(scores[name], part) == pytest.approx(values[part], abs=1e-12)
        accuracy = scores.correctness(name).aligned_accuracy
        assert accuracy == (
            None if values["aligned_accuracy"] is None else pytest.approx(values["aligned_accuracy"], abs=1e-12)
        )
