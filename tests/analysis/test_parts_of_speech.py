"""Kinds of mentions in columns: heads in trees that a slow parser reads, tags of known sets, and files without any."""

import json
import re
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.analysis.breakdown import KINDS
from arraycoref.analysis.parts_of_speech import TAG_SETS, heads_of_spans
from arraycoref.cli import main
from arraycoref.exceptions import InputError
from arraycoref.ragged import bounds_of
from arraycoref.read.mentions import UPOS
from marks import cases
from pages_of_html import records
from strategies import examples

LABELS = st.sampled_from(["NP", "NP-SBJ", "NML", "WHNP", "VP", "S", "SBAR", "PP", "X"])
TAGS = st.sampled_from(["NOUN", "PROPN", "VERB", "AUX", "PRON", "DET", "ADP", "PART", "PUNCT", ""])
TREES = st.recursive(TAGS, lambda trees: st.tuples(LABELS, st.lists(trees, min_size=1, max_size=4)), max_leaves=9)


def bits_of(tree):
    """Return the bit of the parse of each word, and the words' tags."""
    if isinstance(tree, str):
        return ["*"], [tree]
    parts = [bits_of(child) for child in tree[1]]
    bits, tags = ([*chain.from_iterable(column)] for column in zip(*parts, strict=True))
    return [f"({tree[0]}{bits[0]}", *bits[1:-1], f"{bits[-1]})"] if len(bits) > 1 else [f"({tree[0]}{bits[0]})"], tags


def parsed(bits, tags):
    """Read bits with a parser of one character after the other: nested (label, first word, last word, children)."""
    tokens = re.findall(r"[()*]|[^()*]+", "".join(bits))
    place = word = 0

    def constituent():
        nonlocal place, word
        children = []
        while place < len(tokens) and tokens[place] != ")":
            if tokens[place] == "*":
                children.append((tags[word], word, word, None))
                place, word = place + 1, word + 1
            else:
                place += 2
                label, first, inside = tokens[place - 1], word, constituent()
                children.append((label.split("-")[0], first, word - 1, inside))
                place += 1
        return children

    return constituent()


def head(tree):
    """Return the head of a constituent by the rules, one after the other."""
    label, first, _, children = tree
    if children is None:
        return first
    names = [child[0] for child in children]

    def last_of(*wanted):
        return [k for k, name in enumerate(names) if name in wanted][-1:]

    def first_of(*wanted):
        return [k for k, name in enumerate(names) if name in wanted][:1]

    if label in ("NP", "NML", "NX", "WHNP"):
        ways = [last_of("NOUN", "PROPN", "NML", "NX"), first_of("NP", "WHNP")]
    else:
        clauses = first_of("S", "SBAR", "SBARQ", "SINV", "SQ")
        ways = [first_of("VP"), first_of("VERB", "AUX"), clauses, first_of("NP", "NML", "NX", "WHNP")]
    ways += [last_of(*({*names} - {"PUNCT", "PART"})), [len(names) - 1]]
    return head(children[next(way for way in ways if way)[0]])


def all_of(trees):
    return [each for tree in trees for each in [tree, *all_of(tree[3] or [])]]


@given(st.lists(TREES.filter(lambda tree: not isinstance(tree, str)), min_size=1, max_size=3))
@examples()
def test_heads_by_a_slow_parser(trees):
    """Of all spans of words, also of two sentences: the smallest constituent that covers them, or the last word."""
    bits, tags = zip(*map(bits_of, trees), strict=True)
    starts = bounds_of(bits).tolist()
    n = starts[-1]
    spans = [(first, last) for first in range(n) for last in range(first, n)]
    expected = []
    for first, last in spans:
        s = max(k for k, start in enumerate(starts[:-1]) if start <= last)
        constituents = [tree for tree in all_of(parsed(bits[s], tags[s])) if tree[3] is not None]
        covering = [t for t in constituents if t[1] <= first - starts[s] and last - starts[s] <= t[2]]
        place = starts[s] + head(min(covering, key=lambda t: t[2] - t[1])) if covering else last
        # of constituents with the same words, `min` has the outermost, which has the head of those in it
        expected.append(place if first < last and first <= place <= last else last)
    columns = (np.array(column) for column in zip(*spans, strict=True))
    assert heads_of_spans([*bits], [*chain.from_iterable(tags)], *columns).tolist() == expected


HAND_MADE = {
    "(NP(NP*the/DT *dog/NN) (PP*of/IN (NP*Ann/NNP)))": "dog",
    "(NP*Ann/NNP *'s/POS)": "Ann",
    "(NP(NP*Ann/NNP *'s/POS) *dog/NN)": "dog",
    "(NP(NP*Ann/NNP) *and/CC (NP*Bo/NNP))": "Ann",
    "(NP(NP*the/DT *mayor/NN) *,/, (NP*Bo/NNP) *,/,)": "mayor",
    "(NP(NML*New/NNP *York/NNP) *taxis/NNS)": "taxis",
    "(NP*the/DT *poor/JJ *'s/POS)": "poor",
    "(NP-TMP*a/DT *week/NN *ago/RB)": "week",
    "(S(NP*he/PRP) (VP*has/VBZ (VP*gone/VBN (NP*home/NN))))": "gone",
    "(SBAR*that/IN (S(NP*he/PRP) (VP*left/VBD (NP*her/PRP))))": "left",
    "(PP*in/IN (NP*Rome/NNP))": "Rome",
}


def columns_of(text):
    """Return words, tags and bits of a tree written as ``(NP*the/DT *dog/NN)``; brackets that close stand last."""
    rows = [re.fullmatch(r"([^*]*\*)([^/]+)/(.+?)(\)*)", word).groups() for word in text.split()]
    return [(word, tag, begins + ends) for begins, word, tag, ends in rows]


def in_columns(sentences, entities, gap="\t", width=12, part=";", name="d"):
    """Write sentences of (word, tag, bit) in the columns of CoNLL-2011 and 2012, with (first, last, entity)."""
    lines, word = [f"#begin document ({name}){part}"], 0
    for sentence in sentences:
        for n, (form, tag, bit) in enumerate(sentence):
            items = [f"({e})" if a == b else f"({e}" for a, b, e in entities if a == word]
            items += [f"{e})" for a, b, e in entities if a < b == word]
            middle = ["-"] * (width - 7)
            lines.append(gap.join([name, "0", str(n), form, tag, bit, *middle, "|".join(items) or "-"]))
            word += 1
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


def run(*arguments):
    return CliRunner(env={"COLUMNS": None}).invoke(main, [*map(str, arguments)])


def kinds(a):
    """Return the number of mentions of the key and of the response in each class."""
    b = a.breakdown("kind", "mentions")
    numbers = zip(b.key_mentions.tolist(), b.response_mentions[0].tolist(), strict=True)
    return dict(zip(b.classes, numbers, strict=True))


@cases("tree,word", HAND_MADE.items())
def test_heads_of_hand_made_trees(tree, word, tmp_path):
    """As the head's part of speech shows, `DET` for a word that no tree has."""
    sentence = columns_of(tree)
    words = [form for form, *_ in sentence]
    tags = [TAG_SETS[0][tag] for _, tag, _ in sentence]
    bits = [[bit for *_, bit in sentence]]
    assert words[heads_of_spans(bits, tags, np.array([0]), np.array([len(words) - 1]))[0]] == word
    path = tmp_path / "key.conll"
    path.write_text(in_columns([sentence], [(0, len(words) - 1, 1)]))
    a = ac.analyze_files(path, path)
    assert UPOS[a.index.any_upos[0]] == tags[words.index(word)]


PHRASES = {
    "(NP*He/PRP)": "pronoun",
    "(NP*her/PRP$)": "pronoun",
    "(NP*Ann/NNP *Lee/NNP)": "name",
    "(NP(NP*the/DT *dog/NN) (PP*of/IN (NP*Ann/NNP)))": "noun",
    "(NP(NP*a/DT *man/NN) (SBAR(WHNP*who/WP) (S(VP*saw/VBD (NP*him/PRP)))))": "noun",
    "(NP*this/DT)": "other",
}


def corpus(tmp_path, n=16, **options):
    """Write documents with mentions of all kinds, and a response that resolves few pronouns.

    Return both paths, and the number of mentions of each kind in the key and in the response, which has a mention of
    each document more, and neither tags nor parses.
    """
    rng, key, response, numbers = np.random.default_rng(0), [], [], Counter()
    for d in range(n):
        sentences, of_key, of_response, word = [], [], [], 0
        for _ in range(12):
            sentence = []
            for phrase in rng.permutation([*PHRASES]).tolist()[:2]:
                part = columns_of(phrase)
                span = word + len(sentence), word + len(sentence) + len(part) - 1
                entity = int(rng.integers(3))
                of_key.append((*span, entity))
                is_lost = PHRASES[phrase] == "pronoun" and rng.random() < 0.8
                of_response.append((*span, 10 + len(of_key) if is_lost else entity))
                numbers[PHRASES[phrase]] += 1
                sentence += [*part, ("met", "VBD", "*")]
            first, *rest = sentence
            sentences.append([(*first[:2], f"(TOP(S{first[2]}"), *rest[:-1], ("met", "VBD", "*))")])
            word += len(sentence)
        key.append(in_columns(sentences, of_key, name=f"d{d}", **options))
        place = len(sentences[0]) - 1  # the verb of the first sentence
        plain = [[(word, "-", "-") for word, *_ in sentence] for sentence in sentences]
        response.append(in_columns(plain, [*of_response, (place, place, 9)], name=f"d{d}", **options))
    for name, texts in (("key", key), ("response", response)):
        (tmp_path / f"{name}.conll").write_text("".join(texts))
    expected = {name: (numbers[name], numbers[name] + (n if name == "other" else 0)) for name in KINDS}
    total = sum(numbers.values())
    return tmp_path / "key.conll", tmp_path / "response.conll", {**expected, "all": (total, total + n)}


@cases("options", [{}, {"gap": "   ", "width": 15}, {"width": 11, "part": "; part 000"}])
def test_kinds_in_columns(options, tmp_path):
    """Tabs or blanks, with arguments of predicates or without; a response without tags, also in CoNLL-U."""
    key, response, expected = corpus(tmp_path, **options)
    a = ac.analyze_files(key, response)
    assert kinds(a) == expected
    swapped = kinds(ac.analyze_files(response, key))
    assert swapped == {name: numbers[::-1] for name, numbers in expected.items()}
    assert run("convert", response, tmp_path / "response.conllu").exit_code == 0
    assert kinds(ac.analyze_files(key, tmp_path / "response.conllu")) == expected
    halves = [kinds(part) for part in a.by(["x", "y"] * 8).values()]
    assert {name: tuple(map(sum, zip(*(half[name] for half in halves), strict=True))) for name in expected} == expected


def test_commands_name_kinds(tmp_path):
    key, response, expected = corpus(tmp_path, 40)
    printed = run("breakdown", key, response, "--attribute", "kind", "--metrics", "bcub").stdout.splitlines()
    assert printed[0].split()[0] == "kind"
    rows = {line.split()[0]: line.split() for line in printed[3:8]}
    assert {name: (int(row[1]), int(row[2])) for name, row in rows.items()} == expected
    assert "\nkind " in run("breakdown", key, response).stdout
    assert " of the key's pronouns with an antecedent are divided, " in run("errors", key, response).stdout
    page = tmp_path / "page.html"
    assert run("report", key, response, "--output", page).exit_code == 0
    index, _ = records(page)
    assert " of the key's pronouns with an antecedent are divided, " in json.dumps(index["findings"])
    assert "B³ by kind of mention" in [table["title"] for table in index["tables"]]


def test_without_a_parse_the_last_word_is_the_head(tmp_path):
    """Trees whose brackets do not match are none."""
    sentence = columns_of("(NP(NP*the/DT *dog/NN) (PP*of/IN (NP*Ann/NNP)))")
    path = tmp_path / "key.conll"
    for bits in ("- - - -", "(NP* * * *", "(NP* *)) * *", "(S(NP(NP* *) (PP* (NP*)))"):
        rows = [(form, tag, bit) for (form, tag, _), bit in zip(sentence, bits.split(), strict=True)]
        path.write_text(in_columns([rows, sentence], [(0, 3, 1), (4, 7, 1)]))
        a = ac.analyze_files(path, path)
        assert [UPOS[tag] for tag in a.index.any_upos] == ["PROPN", "NOUN"]


UNKNOWN = {
    "N[soort]": [("de", "LID"), ("hond", "N[soort]"), ("hond", "N[soort]")],
    "ART": [("Hund", "NN"), ("Hund", "NN"), ("der", "ART")],
    "PN": [("他", "PN"), ("说", "VV")],
}


@cases("tag,words", UNKNOWN.items())
def test_tags_of_another_set_are_no_guess(tag, words, tmp_path):
    """The note has a tag that no known set has."""
    key = tmp_path / "key.conll"
    key.write_text(in_columns([[(word, tag, "*") for word, tag in words]], [(0, 1, 1)]))
    a = ac.analyze_files(key, {"x": key, "y": key})
    assert a.index.any_upos is None
    note = f"1 document with tags such as {tag!r}, neither Penn's nor universal: no kinds of mentions are known"
    assert a.notes == ((note,), (note,))
    assert run("errors", key, key).stdout.count("neither Penn's nor") == 1
    with pytest.raises(InputError, match="attribute 'kind' needs parts of speech"):
        a.breakdown("kind")


def test_a_few_odd_tags_are_of_no_kind(tmp_path):
    """Up to 1 % of the words that have a tag: OntoNotes has some such tags."""
    path = tmp_path / "key.conll"
    for n, known in ((99, True), (98, False)):
        rows = [("odd", "MORE", "-"), *[("dog", "NN", "-")] * n, *[("uh", "_", "-")] * 30]
        path.write_text(in_columns([rows], [(0, 0, 1), (1, 1, 1)]))
        a = ac.analyze_files(path, path)
        assert (a.index.any_upos is not None) == known
        if known:
            assert {name: n for name, (n, _) in kinds(a).items() if n} == {"noun": 1, "other": 1, "all": 2}


@cases("empty", ["_", "-", "*"])
def test_columns_without_tags(empty, tmp_path):
    path = tmp_path / "key.conll"
    path.write_text(in_columns([[("NN", empty, empty), ("PRP", empty, empty)]], [(0, 1, 1)]))
    a = ac.analyze_files(path, path)
    assert (a.index.any_upos, a.notes) == (None, ((),))


@cases(
    "rows,options",
    [
        (["d 0 NN (1)", "d 1 PRP (1)"], {}),  # few columns: document, number, word, coreference
        (["d 0 0 x NN (1)", "d 0 1 x PRP (1)"], {}),
        (["d 0 0 x (1) NN - - - - * -"], {"column": 5}),
    ],
)
def test_words_are_not_taken_for_tags(rows, options, tmp_path):
    path = tmp_path / "key.conll"
    path.write_text("\n".join(["#begin document (d);", *rows, "#end document", ""]))
    a = ac.analyze_files(path, path, **options)
    assert a.index.any_upos is None
    assert "tags" not in str(a.notes)


def test_conllu_with_its_second_column_of_tags(tmp_path):
    """XPOS counts where UPOS is empty, for the head that the file names; an empty node has no tag."""
    rows = [
        *(("1", "the", "_", "DT", "(e1--2"), ("2", "dog", "_", "NN", ""), ("3", "of", "_", "IN", "")),
        *(
            ("4", "Ann", "_", "NNP", "e1)(e2--1)"),
            ("4.1", "_", "_", "_", "(e1--1)"),
            ("5", "she", "_", "PRP", "(e2--1)"),
        ),
    ]
    written = ["# global.Entity = eid-etype-head", "# newdoc id = d"]
    for n, form, upos, xpos, entity in rows:
        tree = ("_", "_", f"{'' if '.' in n else 0}") if "." in n else ("0", "root", "_")
        misc = f"Entity={entity}" if entity else "_"
        written.append("\t".join([n, form, "_", upos, xpos, "_", *tree, misc]))
    path = tmp_path / "key.conllu"
    path.write_text("\n".join([*written, "", ""]))
    a = ac.analyze_files(path, path)
    assert {name: n for name, (n, _) in kinds(a).items() if n} == {
        "noun": 1,
        "name": 1,
        "pronoun": 1,
        "other": 1,
        "all": 4,
    }
