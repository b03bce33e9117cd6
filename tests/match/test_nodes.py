"""Matching of CorefUD files: exact, by heads, in part, zeros, singletons; random documents against sets."""

import itertools
import os
import random
from fractions import Fraction

import numpy as np
import pytest

import arraycoref as ac
import oracle
from arraycoref.errors import DocumentMismatchError, InputError, OptionError
from arraycoref.match.pairs import best_alignment
from corefud_files import as_sets, as_text, random_sides
from oracle.corefud import match

N_RANDOM = 2 * int(os.environ.get("ARRAYCOREF_FUZZ_EXAMPLES", "40"))
SETTINGS = list(itertools.product(("exact", "head", "partial"), ("dependent", "linear", "drop"), ("keep", "drop")))
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


def test_random_documents(files):
    rng = random.Random(20261125)
    for _ in range(N_RANDOM):
        sides = random_sides(rng)
        key, response = ([*as_sets(side).values()] for side in sides)
        paths = files(*map(as_text, sides))
        for matching, zeros, singletons in rng.sample(SETTINGS, 6):
            expected = match(key, response, matching, zeros, singletons)
            b = ac.score_files(*paths, matching=matching, zeros=zeros, singletons=singletons, on_error=lambda _: None)
            for metric in METRICS:
                assert b.counts[metric].ravel() == pytest.approx(
                    [float(value) for value in oracle.COUNTS[metric](*expected)], rel=1e-9
                ), (metric, matching, zeros, singletons)


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


def line(number, entity="_", deps="_"):
    return "\t".join([number, "w", *"______", deps, "_" if entity == "_" else f"Entity={entity}"]) + "\n"


HEAD = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = s\n"


def test_a_tie_goes_to_the_earliest_response_mention(files):
    """Two response mentions hold the key's words and its head: the earlier one, `(b`, is taken."""
    key = HEAD + line("1") + line("2", "(a-x-1-)") + line("3") + line("4", "(a-x-1-)")
    response = HEAD + line("1", "(b-x-2-") + line("2", "(c-x-1-") + line("3", "b)c)") + line("4", "(b-x-1-)(c-x-1-)")
    b = ac.score_files(*files(key, response), matching="head", duplicates="first")
    assert (b["muc"].recall, b["mentions"].precision) == (1.0, 2 / 3)


def test_sentences_must_be_the_same(files):
    other = HEAD.replace("= s", "= t")
    one = line("1", "(a-x-1-)")
    with pytest.raises(DocumentMismatchError, match="sentence 1 is 's' in the key and 't' in the response"):
        ac.score_files(*files(HEAD + one + line("2"), other + one + line("2")))
    assert ac.score_files(*files(HEAD + one, other + one), tokens="ignore")["mentions"].f1 == 1
    with pytest.raises(DocumentMismatchError, match="sentence 2 is missing in the key and 't' in the response"):
        ac.score_files(*files(HEAD + one + line("2"), HEAD + one + "\n# sent_id = t\n" + line("1")))


def test_files_without_heads_cannot_be_matched_by_heads(files, tmp_path):
    conll = tmp_path / "response.conll"
    conll.write_text("#begin document d\nw\t(1)\n#end document\n", encoding="utf-8")
    key, _ = files(HEAD + line("1", "(a-x-1-)"), "")
    assert ac.score_files(key, conll, matching="partial")["mentions"].f1 == 1
    with pytest.raises(OptionError, match=r"'head' needs the heads of mentions.*response.conll"):
        ac.score_files(key, conll, matching="head")
    with pytest.raises(OptionError, match="for files with heads"):
        ac.score([["a"]], [["a"]], profile="corefud")
    with pytest.raises(InputError, match="in one entity twice"):
        ac.score_files(*files(HEAD + line("1", "(a-x-1-)(a-x-1-)"), HEAD + line("1")))
