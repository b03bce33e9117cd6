"""Matching of CorefUD files: exact, by heads, in part, zeros, singletons; random documents against sets."""

import itertools
import json
import os
import random
from fractions import Fraction

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.exceptions import DocumentMismatchError, InputError, OptionError, UnknownNameError
from arraycoref.match.assignment import best_alignment
from corefud_files import as_text, random_sides
from marks import cases
from oracle.conll_files import conll_text, conllu_text
from oracle.corefud import Mention, count, spans_of, with_heads
from oracle.corefud_reader import read

N_RANDOM = 2 * int(os.environ.get("ARRAYCOREF_FUZZ_EXAMPLES", "40"))
CHOICES = ("exact", "head", "partial"), ("dependent", "linear", "drop"), ("keep", "drop"), (None, "NOUN")
SETTINGS = list(itertools.product(*CHOICES))
METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea")


@pytest.fixture
def files(tmp_path):
    """Return a function that writes key and response and returns their paths."""

    def write(key, response):
        paths = tmp_path / "key.conllu", tmp_path / "response.conllu"
        for path, text in zip(paths, (key, response), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    return write


def sums_of(b):
    """Return the four sums of each metric, and of both classes of BLANC."""
    found = {metric: b.counts[metric].ravel() for metric in (*METRICS, "mor", "zero")}
    classes = {"blancc": b["blanc"].coreference, "blancn": b["blanc"].non_coreference}
    return found | {n: [s.recall_num, s.recall_den, s.precision_num, s.precision_den] for n, s in classes.items()}


def test_random_documents(files):
    rng = random.Random(20261125)
    for _ in range(N_RANDOM):
        texts = [*map(as_text, random_sides(rng))]
        paths, sides = files(*texts), [read(text)["d"] for text in texts]
        for matching, zeros, singletons, upos in rng.sample(SETTINGS, 6):
            options = {"matching": matching, "zeros": zeros, "singletons": singletons}
            metrics = (*METRICS, "blanc", "mor", "zero")
            b = ac.score_files(*paths, **options, upos=upos, metrics=metrics, on_error=lambda _: None)
            key, response = ([e for e in side if not upos or any(upos in m.upos for m in e)] for side in sides)
            expected = count(key, response, **options)
            for metric, sums in sums_of(b).items():
                assert list(sums) == pytest.approx([*map(float, expected[metric])], rel=1e-9), (metric, options)


def test_mentions_in_several_entities(files):
    """They are counted in each; which is the last depends on the order of entities in CorefUD's scorer."""
    rng = random.Random(3)
    for _ in range(N_RANDOM):
        texts = [*map(as_text, random_sides(rng, repeats=0.5))]
        paths, (key, response) = files(*texts), [read(text)["d"] for text in texts]
        for matching, zeros, singletons, _ in rng.sample(SETTINGS, 6):
            options = {"matching": matching, "zeros": zeros, "singletons": singletons}
            metrics = (*METRICS, "blanc", "mor", "zero")
            b = ac.score_files(*paths, **options, duplicates="both", metrics=metrics, on_error=lambda _: None)
            expected = count(key, response, **options)
            for metric, sums in sums_of(b).items():
                if metric != "zero":
                    assert list(sums) == pytest.approx([*map(float, expected[metric])], rel=1e-9), (metric, options)


def test_heads_from_the_trees_of_the_key(files):
    rng = random.Random(11)
    for _ in range(N_RANDOM // 2):
        sides = random_sides(rng)
        texts = [*map(as_text, sides)]
        for heads, zeros in itertools.product(("key-tree", "first"), CHOICES[1]):
            parents = [each.parents for each in sides[0]] if heads == "key-tree" else None
            expected = count(*(with_heads(read(text)["d"], parents) for text in texts), matching="head", zeros=zeros)
            options = {"matching": "head", "zeros": zeros, "heads": heads, "on_error": lambda _: None}
            b = ac.score_files(*files(*texts), **options, metrics=(*METRICS, "blanc", "mor", "zero"))
            for metric, sums in sums_of(b).items():
                assert list(sums) == pytest.approx([*map(float, expected[metric])], rel=1e-9), (metric, heads, zeros)


def test_spans_of_other_formats_against_trees(files, tmp_path):
    """Words of the document, counted from 0 without empty nodes; files of all formats, and what they hold in memory."""
    rng = random.Random(13)
    for _ in range(N_RANDOM // 4):
        sides = random_sides(rng, n_sentences=3)
        words = [[f"w{word}" for word in range(1, each.n_words + 1)] for each in sides[1]]
        texts, parents = [*map(as_text, sides)], [each.parents for each in sides[0]]
        lengths = [*map(len, words)]
        spans = spans_of(read(texts[1])["d"], lengths)
        key, response = files(texts[0], conllu_text("d", words, spans))
        ours, theirs = (with_heads(read(path.read_text())["d"], parents) for path in (key, response))
        spans = spans_of(theirs, lengths)
        crossing = [(lengths[0] - 1, lengths[0] + n) for n in range(rng.randint(0, 2))]  # of two sentences
        beyond = [Mention(frozenset([(9, n, 0)]), (9, n, 0)) for n in range(len(crossing))]
        chosen = rng.randint(0, len(spans))  # of entities, or one more
        more = [[*theirs[n], *beyond] if n == chosen else theirs[n] for n in range(len(theirs))]
        spans = [[*spans[n], *crossing] if n == chosen else spans[n] for n in range(len(spans))]
        if chosen == len(theirs) and crossing:
            more, spans = [*more, beyond], [*spans, crossing]
        others = tmp_path / "response.jsonl", tmp_path / "response.conll"
        others[0].write_text(json.dumps({"doc_key": "d", "sentences": words, "clusters": spans}))
        others[1].write_text(conll_text([("d", [*itertools.chain(*words)], spans)]))
        for matching, zeros in itertools.product(*CHOICES[:2]):
            options = {"matching": matching, "heads": "key-tree", "zeros": zeros}
            for path, side in ((response, theirs), *((path, more) for path in others)):
                expected = count(ours, side, matching=matching, zeros=zeros)
                b = ac.score_files(key, path, **options, on_error=lambda _: None)
                for metric in METRICS:
                    sums = [*map(float, expected[metric])]
                    assert b.counts[metric].ravel() == pytest.approx(sums, rel=1e-9), (metric, path.suffix, options)


def test_a_span_of_two_sentences_matches_no_mention(files, tmp_path):
    key, _ = files(HEAD + line("1", "(a)") + line("2", "(b)") + "\n" + line("1", "(a)"), "")
    (tmp_path / "x.jsonl").write_text('{"doc_key": "d", "clusters": [[[0, 0], [1, 2]]]}')
    b = ac.score_files(key, tmp_path / "x.jsonl", matching="partial", heads="key-tree")
    assert b.notes == ("1 mention of two sentences, which match no other; the first is words 1-2 of document 'd'",)
    assert b["mentions"].precision == 0.5


def test_entities_of_some_parts_of_speech(files):
    """Those with a mention whose head, or a flat child of it, is one; an entity may be in several parts."""

    def word(number, upos, head, deprel, entity):
        return "\t".join([number, "w", "_", upos, "_", "_", head, deprel, "_", f"Entity={entity}"]) + "\n"

    rows = [
        ("PRON", "0", "_", "(a)"),
        ("NOUN", "0", "_", "(b-x-1-"),
        ("PROPN", "2", "flat:name", "b)"),
        ("VERB", "0", "_", "(c)"),
        ("NOUN", "0", "_", "(a)"),
    ]
    text = HEAD + "".join(word(str(n), *row) for n, row in enumerate(rows, 1))
    for upos, n_mentions in (("PRON", 2), ("noun", 3), ("PROPN", 1), ("VERB, PROPN", 2), ("ADJ", 0), (None, 4)):
        b = ac.score_files(*files(text, text), upos=upos, on_error=lambda _: None)
        assert b["mentions"].recall_num == n_mentions
    assert "|upos:PROPN,VERB" in str(ac.score_files(*files(text, text), upos="VERB,PROPN").signature)
    with pytest.raises(UnknownNameError, match="unknown upos 'NN'"):
        ac.score_files(*files(text, text), upos="NN")


def test_heads_that_two_rules_made_are_refused(files):
    words = [line(str(n), f"(e{n}-x-{{0}}-" if n % 2 else f"e{n - 1})") for n in range(1, 61)]
    one, other = (HEAD + "".join(words).format(head) for head in (1, 2))
    assert ac.score_files(*files(one, one), matching="head")["mentions"].f1 == 1
    for key, response in ((one, other), (other, one)):
        with pytest.raises(InputError, match=r"the heads of all 30 mentions of several words in .*heads='key-tree'"):
            ac.score_files(*files(key, response), matching="head")
        with pytest.warns(ac.ReadWarning, match="none of 30 and 30 mentions is shared"):
            assert ac.score_files(*files(key, response), matching="head", heads="file")["mentions"].f1 == 0
        assert ac.score_files(*files(key, response), matching="head", heads="first")["mentions"].f1 == 1
        assert ac.score_files(*files(key, response), matching="partial")["mentions"].f1 == 1


def test_many_documents_are_matched_each_by_itself(files):
    rng = random.Random(7)
    pairs = [random_sides(rng, n_sentences=rng.randint(1, 3)) for _ in range(20)]
    texts = ["".join(as_text(sides[k], str(d)) for d, sides in enumerate(pairs)) for k in range(2)]
    options = {"profile": "corefud", "on_error": lambda _: None}
    together = ac.score_files(*files(*texts), **options)
    for d, sides in enumerate(pairs):
        alone = ac.score_files(*files(*(as_text(side, str(d)) for side in sides)), **options)
        for metric in METRICS:
            np.testing.assert_array_equal(together.counts[metric][d], alone.counts[metric][0])


def test_entities_of_two_documents_are_told_apart(files):
    """Also where singletons before them are dropped: the first zero of an entity is no anaphor."""
    zeros = HEAD.replace("= d", "= e") + line("1") + line("1.1", "(z)", "1:obj") + line("1.2", "(z)", "1:obl")
    text = HEAD + "".join(line(str(n), f"({name}-x-1-)") for n, name in enumerate("abcc", 1)) + "\n" + zeros
    b = ac.score_files(*files(text, text), profile="corefud", metrics="zero")
    assert b.counts["zero"].tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]


def test_the_best_alignment_is_the_first_of_all():
    rng = random.Random(3)
    values = [Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(2, 3)]
    for _ in range(300):
        n, m = rng.randint(1, 4), rng.randint(1, 4)
        weights = [[rng.choice(values) for _ in range(m)] for _ in range(n)]
        ways = itertools.product(*([j for j in range(m) if row[j]] + [m + i] for i, row in enumerate(weights)))
        ways = [way for way in ways if len(set(way)) == n]
        best = min(ways, key=lambda way: (-sum(row[j] for row, j in zip(weights, way, strict=True) if j < m), way))
        assert best_alignment(weights) == [j if j < m else -1 for j in best]


def line(number, entity="_", deps="_", head="0"):
    return "\t".join([number, "w", *"____", head, "_", deps, "_" if entity == "_" else f"Entity={entity}"]) + "\n"


HEAD = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = s\n"


def test_a_tie_goes_to_the_earliest_response_mention(files):
    """Two response mentions hold the key's words and its head: the earlier one, `(b`, is taken."""
    key = HEAD + line("1") + line("2", "(a-x-1-)") + line("3") + line("4", "(a-x-1-)")
    response = HEAD + line("1", "(b-x-2-") + line("2", "(c-x-1-") + line("3", "b)c)") + line("4", "(b-x-1-)(c-x-1-)")
    b = ac.score_files(*files(key, response), matching="head", duplicates="first")
    assert (b["muc"].recall, b["mentions"].precision) == (1.0, 2 / 3)


def test_of_entities_that_begin_with_one_mention_the_last_is_that_of_the_last_id(files):
    """Whatever their order in the file; recall is that of the key's link to this entity."""
    key = HEAD + line("1", "(k-x-1-)") + line("2", "(k-x-1-)") + line("3")
    response = HEAD + line("1", "(b-x-1-)(a-x-1-)") + line("2", "(b-x-1-)") + line("3", "(a-x-1-)")
    assert ac.score_files(*files(key, response), duplicates="both")["muc"].recall == 1
    assert ac.score_files(*files(key, response.replace("(b", "(A")), duplicates="both")["muc"].recall == 0


def row(*entities, zeros=()):
    """Return the lines of a sentence: entities of its words, then the entity and the dependencies of empty nodes."""
    words = [line(str(n), entity) for n, entity in enumerate(entities, 1)]
    return HEAD + "".join([*words, *(line(f"{len(words)}.{n}", *zero) for n, zero in enumerate(zeros, 1))])


A, B, C = "(a)", "(b)", "(c)"
PAIRS = {
    "more empty nodes": (row(A, zeros=[(A, "1:s")]), row(A, zeros=[("_", "1:o"), (A, "1:s")]), "head", (1, 1, 2, 2), 1),
    "zeros without dependencies": (row(A, zeros=[(A,)]), row(A, zeros=[(A,)]), "head", (1, 1, 2, 2), 1),
    "zeros that change their numbers round": (
        row(A, B, C, zeros=[(A, "1:a"), (B, "2:b"), (C, "3:c")]),
        row(A, B, C, zeros=[(B, "2:b"), (C, "3:c"), (A, "1:a")]),
        "head",
        (3, 3, 6, 6),
        3,
    ),
    "a zero that has the number of another": (
        row(A, B, "_", zeros=[(A, "1:a"), (B, "3:q")]),
        row(A, B, "_", zeros=[(B, "2:z"), (A, "1:a")]),
        "head",
        (1, 2, 2.5, 4),
        1,
    ),
    "a relation in common, rather than two parents": (
        row(A, B, "_", zeros=[(A, "1:a"), (B, "2:y|3:z")]),
        row(A, B, "_", zeros=[(B, "1:z"), (A, "1:a|2:c|3:d")]),
        "head",
        (1, 2, 2.5, 4),
        1,
    ),
    "a tie of mentions with other gaps": (
        row("(a-x-1-", "_", "_", "a)", A, "_"),
        row("(b[1/2]-x-1-(c[1/2]-x-1-)", "b[1/2])", "(c[2/2]-x-1-", "c[2/2])(b[2/2]-x-1-)", B, C),
        "head",
        (1, 1, 2, 2),
        0,
    ),
    "singletons dropped before": (
        row("(a-x-1-", "_", "a)", A),
        row("(d-x-1-(c-x-1-", "c)", "(c)d)", "_"),
        "partial",
        (0, 1, 0.5, 2),
        0,
    ),
}


@cases("key,response,matching,expected,n_zeros", PAIRS)
def test_small_pairs(files, key, response, matching, expected, n_zeros):
    """Pairs of the scorer's kind, counted by hand: MUC's and B-cubed's recall, and zeros that are right."""
    options = {"matching": matching, "singletons": "drop", "metrics": "muc,bcub,zero", "on_error": lambda _: None}
    b = ac.score_files(*files(key, response), **options)
    assert (b["muc"].recall_num, b["muc"].recall_den, b["bcub"].recall_num, b["bcub"].recall_den) == expected
    assert b["zero"].recall_num == n_zeros


def test_a_zero_with_a_new_head_has_no_dependencies_known(files):
    key = row(A, "_", zeros=[("(a-x-2-", "2:o"), ("a)", "1:s")])
    response = row(A, "_", zeros=[("_",), ("_",), (A, "1:s")])
    for heads, n_matched in (("file", 2), ("first", 1)):
        b = ac.score_files(*files(key, response), matching="head", heads=heads, on_error=lambda _: None)
        assert b["mentions"].recall_num == n_matched


def test_sentences_must_be_the_same(files):
    other = HEAD.replace("= s", "= t")
    one = line("1", "(a-x-1-)")
    with pytest.raises(DocumentMismatchError, match="sentence 1 is 's' in the key and 't' in the response"):
        ac.score_files(*files(HEAD + one + line("2"), other + one + line("2")))
    assert ac.score_files(*files(HEAD + one, other + one), tokens="ignore")["mentions"].f1 == 1
    with pytest.raises(DocumentMismatchError, match="sentence 2 is missing in the key and 't' in the response"):
        ac.score_files(*files(HEAD + one + line("2"), HEAD + one + "\n# sent_id = t\n" + line("1")))
    key, response = HEAD + one + line("2") + "\n" + line("1"), HEAD + one + "\n" + line("1") + line("2")
    with pytest.raises(DocumentMismatchError, match="'d': sentence 1 has length 2 in the key and 1 in the response"):
        ac.score_files(*files(key, response))


def test_a_sentence_or_a_document_that_the_response_lacks(files):
    sentences = [f"# sent_id = {n}\n{line('1', '(a)')}\n" for n in range(4)]
    key, response = "".join(sentences), "".join(sentences[:1] + sentences[2:])
    with pytest.raises(
        DocumentMismatchError, match="sentence 2 is '1' in the key and '2' in the response, where '1' is missing"
    ):
        ac.score_files(*files(HEAD + key, HEAD + response))
    key = "".join(f"# newdoc id = {n}\n{each}" for n, each in enumerate(sentences))
    with pytest.raises(DocumentMismatchError, match="the key has 4 and the response 3; lines '# newdoc id = NAME'"):
        ac.score_files(*files(key, "".join(f"# newdoc\n{each}" for each in sentences[:3])), on_error=lambda _: None)


def test_ends_that_are_exclusive_are_doubted_though_heads_match(files, tmp_path):
    """Other spans with the same heads are no reason for doubt; columns are read whatever the suffix."""
    words = [
        line(str(n), f"(e{n % 6}-x-1-" if n % 3 == 1 else f"e{(n - 1) % 6})" if n % 3 == 2 else "_")
        for n in range(1, 61)
    ]
    key, response = files(HEAD + "".join(words), "")
    spans = [[n, n + 2] for n in range(0, 60, 3)]
    text = json.dumps({"doc_key": "d", "sentences": [["w"] * 60], "clusters": [spans]})
    (tmp_path / "r.jsonl").write_text(text)
    options = {"matching": "head", "heads": "first"}
    with pytest.warns(ac.ReadWarning, match="none of 20 and 20 mentions is shared.* Are they exclusive"):
        assert ac.score_files(key, tmp_path / "r.jsonl", **options)["mentions"].f1 == 1
    assert ac.score_files(key, tmp_path / "r.jsonl", **options, end="exclusive")["mentions"].f1 == 1
    (tmp_path / "r.jsonl").write_text(text.replace(json.dumps(spans), json.dumps([[n, n + 3] for n, _ in spans[:-1]])))
    assert ac.score_files(key, tmp_path / "r.jsonl", **options)["mentions"].precision == 1
    columns = "".join(f"w\t{'(0' if n % 3 == 0 else '0)' if n % 3 == 1 else '-'}\n" for n in range(60))
    response.write_text(f"#begin document (d)\n{columns}#end document\n")
    assert ac.score_files(key, response, **options)["mentions"].f1 == 1


def test_files_without_heads_cannot_be_matched_by_heads(files, tmp_path):
    without = HEAD + line("1", "(a)", head="_")
    with pytest.raises(OptionError, match=r"heads 'key-tree' needs trees, which .*key.conllu does not have"):
        ac.score_files(*files(without, without), matching="head", heads="key-tree")
    conll = tmp_path / "response.conll"
    conll.write_text("#begin document d\nw\t(1)\n#end document\n", encoding="utf-8")
    key, _ = files(HEAD + line("1", "(a-x-1-)"), "")
    assert ac.score_files(key, conll, matching="partial")["mentions"].f1 == 1
    with pytest.raises(
        OptionError, match=r"'head' needs the heads of mentions.*response.conll; heads='key-tree' finds them"
    ):
        ac.score_files(key, conll, matching="head")
    with pytest.raises(OptionError, match="needs heads="):
        ac.score([["a"]], [["a"]], profile="corefud")
    with pytest.raises(OptionError, match="upos needs parts of speech on both sides"):
        ac.score_files(key, conll, upos="NOUN")
    with pytest.raises(OptionError, match="metric 'mor' needs words of mentions; expected CoNLL-U files"):
        ac.score([["a"]], [["a"]], metrics="mor")
    with pytest.raises(InputError, match="in one entity twice"):
        ac.score_files(*files(HEAD + line("1", "(a-x-1-)(a-x-1-)"), HEAD + line("1")))
