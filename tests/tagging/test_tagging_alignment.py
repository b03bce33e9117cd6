"""Alignment by characters: against recorded output of the CoNLL 2018 evaluation, against definitions, and by hand."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.tagging import compare_texts, score_comparison, score_tag_files
from arraycoref.tagging.measures import CONLL18
from arraycoref.tagging.report import TagsReport
from arraycoref.tagging.texts import align, read_conllu
from marks import about
from oracle import conll18
from strategies import examples

GOLDEN = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "golden" / "conll18.jsonl").read_text("utf-8").splitlines()
]


def conllu(tokens, tag="NOUN") -> bytes:
    """Write (token, words); a token whose only word is itself is no multiword token. None is an empty node."""
    lines = []
    n = 0
    for token in tokens:
        if token is None:
            lines.append(f"{n}.1\tghost" + "\t_" * 8)
            continue
        form, words = token
        if words != [form]:
            lines.append(f"{n + 1}-{n + len(words)}\t{form}" + "\t_" * 8)
        for word in words:
            n += 1
            lines.append(f"{n}\t{word}\t_\t{tag}\t_\t_\t0\troot\t_\t_")
    return ("\n".join(lines) + "\n\n").encode()


def pairs_of(gold: bytes, system: bytes):
    """Aligned words, gold and system."""
    segments = align(read_conllu(gold, "gold"), read_conllu(system, "system"))
    both = (segments.gold_word >= 0) & (segments.system_word >= 0)
    return list(zip(segments.gold_word[both].tolist(), segments.system_word[both].tolist(), strict=True))


def test_counts_and_table_of_the_evaluation():
    assert len(GOLDEN) == 100
    for case in GOLDEN:
        with about(case["name"]):
            texts = (read_conllu(case[side].encode(), side) for side in ("gold", "system"))
            scores = score_comparison(compare_texts(*texts), CONLL18)
            for name, (correct, n_gold, n_system, n_aligned) in case["counts"].items():
                assert scores.counts[name].sum(axis=0).tolist() == [correct, n_gold, correct, n_system]
                assert scores.counts["segments"][:, 1].sum() == n_aligned
            assert TagsReport(scores).render("conll") == case["printed"]
            assert conll18.evaluate(case["gold"], case["system"]) == case["counts"]


TEXT = ["a", "b", "c\u2009\u3000", "a", "b\u00a0c", "d", "B", "c", "a ", "é", "b"]


@st.composite
def segmentation(draw, text=tuple(TEXT), forms=("a", "b", "ab", "B", "c", "É", "a b")):
    """Tokens of a text, each with the words that it stands for; one word that is the token, as a rule."""
    cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1), max_size=8)))
    tokens = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        token = "".join(text[start:end])
        words = [token]
        if draw(st.integers(0, 2)) == 0:
            words = draw(st.lists(st.sampled_from([*forms, token]), min_size=1, max_size=4))
        tokens.append((token, words))
        if draw(st.integers(0, 4)) == 0:
            tokens.append(None)
    return tokens


@examples(5)
@given(segmentation(), segmentation())
def test_alignment_in_the_order_of_the_text(gold_tokens, system_tokens):
    """Any two ways of cutting a text, forms that repeat, spaces, case and empty nodes."""
    gold, system = conllu(gold_tokens), conllu(system_tokens)
    words = [conll18.read(text.decode())[1] for text in (gold, system)]
    assert pairs_of(gold, system) == conll18.in_order(*words)
    segments = align(read_conllu(gold, "gold"), read_conllu(system, "system"))
    for side, own in ((segments.gold_word, words[0]), (segments.system_word, words[1])):
        assert side[side >= 0].tolist() == list(range(len(own)))


DIFFERENT = "abcdefghijkl"


@examples(5)
@given(segmentation(DIFFERENT, "xyz"), segmentation(DIFFERENT, "xyz"))
def test_alignment_by_spans(gold_tokens, system_tokens):
    """Where each span has forms of its own, as many words are aligned as in the definition, which chooses none."""
    sides = []
    words = [conll18.read(conllu(tokens).decode())[1] for tokens in (gold_tokens, system_tokens)]
    spans = conll18.spans(*words)
    for tokens in (gold_tokens, system_tokens):
        at, own = 0, []
        for token in tokens:
            if token is None:
                continue
            form, forms = token
            if forms != [form]:
                span = next(n for n, span in enumerate(spans) if at in span)
                forms = [f"{word[-1]}{span}" for word in forms]
            own.append((form, forms))
            at += len(form)
        sides.append(conllu(own))
    words = [conll18.read(side.decode())[1] for side in sides]
    found, expected = pairs_of(*sides), conll18.by_spans(*words)

    def shape(pairs):
        return [pair if words[0][pair[0]].form.isalpha() else words[0][pair[0]].form[1:] for pair in pairs]

    assert shape(found) == shape(expected)
    assert all(words[0][g].form == words[1][s].form for g, s in found)


@examples()
@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_the_oracle_s_subsequence_is_the_longest(a, b):
    words = [[(n, conll18.Word(0, 1, form, True)) for n, form in enumerate(side)] for side in (a, b)]
    assert len(conll18.common(*words)) == conll18.length_by_trying(a, b)


def test_sentences_of_unaligned_system_words_are_gold_s():
    one, two = conllu([("ab", ["ab"])]), conllu([("cd", ["cd"])])
    gold = read_conllu(one + two, "gold")
    system = read_conllu(conllu([("a", ["a"]), ("b", ["b"]), ("c", ["c"]), ("d", ["d"])]), "system")
    scores = score_comparison(compare_texts(gold, system, unit="sentence"), "UPOS")
    assert scores.counts["UPOS"].tolist() == [[0, 1, 0, 2], [0, 1, 0, 2]]
    assert scores.signature.unit == "sentence"


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
            np.testing.assert_allclose(getattr(scores[name], part), values[part], rtol=0, atol=1e-12)
        accuracy = scores.correctness(name).aligned_accuracy
        assert accuracy == (
            None if values["aligned_accuracy"] is None else pytest.approx(values["aligned_accuracy"], abs=1e-12)
        )


def test_systems_that_cut_words_in_other_places():
    """They have one key, though their numbers of segments differ."""
    lines = "{}\t{}\t_\t{}\t_\t_\t0\t_\t_\t_\n"
    gold, *systems = (
        read_conllu("".join(lines.format(n, form, tag) for n, (form, tag) in enumerate(words, 1)).encode(), "text")
        for words in ([("ab", "X"), ("cd", "Y")], [("ab", "X"), ("cd", "X")], [("abc", "X"), ("d", "Y")])
    )
    a, b = (score_comparison(compare_texts(gold, system), "UPOS") for system in systems)
    assert ac.Runs.from_scores({"a": a, "b": b})["UPOS"].recall.tolist() == [0.5, 0.0]
