"""Mentions in several entities, the policy ``both``: random documents against sets, and what CorefUD's scorer gives."""

import os
import random

import numpy as np
import pytest

import arraycoref as ac
from marks import about, cases
from oracle.policies import restrict
from oracle.repeated import as_conll, as_corefud

pytestmark = pytest.mark.usefixtures("engine")

N_RANDOM = 10 * int(os.environ.get("ARRAYCOREF_FUZZ_EXAMPLES", "40"))
METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairwise", "blanc")


def random_side(rng, n_mentions):
    """Return entities of which some mentions are in several, or twice in one."""
    share = rng.choice([0, 0.15, 0.5])
    entities = [[] for _ in range(rng.randint(1, 6))]
    for mention in range(n_mentions):
        times = rng.choice([0, 1, 1, 1]) if rng.random() >= share else rng.randint(2, 3)
        for _ in range(times):
            rng.choice(entities).append(mention)
    return [entity for entity in entities if entity]


def rows_of(found):
    """Return the oracle's sums by metric of arraycoref, and in the order of its groups."""
    links = [found["coreference"], found["non_coreference"], found["mentions"]]
    rows = {**found, "pairwise": found["coreference"], "blanc": links}
    return {name: np.array(rows[name], float) for name in METRICS}


def without_singletons(side):
    return [entity for entity in side if len(set(entity)) > 1]


@cases("profile,count", [("conll", as_conll), ("paper", as_corefud)])
def test_random_documents(profile, count):
    rng = random.Random(44)
    sizes = [rng.randint(0, 12) for _ in range(N_RANDOM)]
    keys, responses = ([random_side(rng, n) for n in sizes] for _ in range(2))
    for singletons in ("keep", "drop"):
        options = {"profile": profile, "duplicates": "both", "singletons": singletons}
        b = ac.score_batch(keys, responses, **options, metrics=METRICS)
        for d, sides in enumerate(zip(keys, responses, strict=True)):
            expected = rows_of(count(*(map(without_singletons, sides) if singletons == "drop" else sides)))
            for metric in METRICS:
                with about(f"{sides} {metric}"):
                    assert b.counts[metric][d] == pytest.approx(expected[metric], rel=1e-9, abs=1e-9)


@cases("profile", ["conll", "paper"])
@cases("how", ["key", "shared"])
def test_restricted_documents(profile, how):
    """As if the mentions had never been there."""
    rng, options = random.Random(45), {"profile": profile, "duplicates": "both", "metrics": (*METRICS, "bcub-all")}
    for _ in range(N_RANDOM // 10):
        sides = [random_side(rng, 12) for _ in range(2)]
        kept = restrict(*sides, how)
        if any(kept):
            found = ac.score(*sides, restrict=how, **options).counts.rows
            np.testing.assert_array_equal(found, ac.score(*kept, **options).counts.rows)


KEY = [["a"], ["b", "c"], ["d", "e", "f"]]
TWICE = [["a"], ["b", "b", "c", "x"], ["d", "g"], ["y"]]
IN_TWO = [["a"], ["b", "c", "x"], ["d", "g"], ["b", "y"]]


@cases(
    "response,expected",
    [
        (
            TWICE,
            {
                "muc": [1, 3, 1, 3],
                "bcub": [10 / 3, 6, 17 / 6, 7],
                "ceafm": [4, 6, 4, 7],
                "ceafe": [2.2, 3, 2.2, 4],
                "lea": [3, 6, 2, 7],
                "coreference": [1, 4, 1, 4],
                "non_coreference": [5, 11, 5, 17],
            },
        ),
        (
            IN_TWO,
            {
                "muc": [0, 3, 1, 4],
                "bcub": [7 / 3, 6, 10 / 3, 8],
                "ceafm": [4, 6, 4, 8],
                "ceafe": [2.2, 3, 2.2, 4],
                "lea": [1, 6, 2, 8],
                "coreference": [0, 4, 0, 5],
                "non_coreference": [5, 11, 5, 23],
            },
        ),
    ],
)
def test_what_the_scorer_of_corefud_gives(response, expected):
    """Its own tests TC-A-7 and TC-A-8, with singletons."""
    s = ac.score(KEY, response, duplicates="both")
    for name, sums in expected.items():
        score = getattr(s["blanc"], name) if name in ("coreference", "non_coreference") else s[name]
        assert [score.recall_num, score.recall_den, score.precision_num, score.precision_den] == pytest.approx(sums)


def test_it_is_noted_and_signed():
    b = ac.score_batch({"a": KEY, "b": IN_TWO}, {"a": TWICE, "b": IN_TWO}, duplicates="both")
    assert b.notes == (
        "1 mention of the key repeated (duplicates: both)",
        "1 repetition in other entities of the key",
        "2 mentions of the response repeated (duplicates: both)",
        "1 repetition in other entities of the response",
    )
    assert "|dup:both|" in b.signature.full
    assert all(note in b.render() for note in b.notes)
    assert ac.score([["a", "b"]], [["a", "b"]], duplicates="both").notes == ()


def test_an_error_leaves_no_note_for_the_next_call():
    with pytest.raises(ac.DuplicateMentionError):
        ac.score(KEY, [["a"], ["a"]])
    assert ac.score_labels([0, 0], [0, 0]).notes == ac.score([["a"]], [["a"]]).notes == ()


def test_what_stanza_counts_otherwise_is_noted():
    notes = ac.score(KEY, TWICE, profile="stanza").notes
    assert any("repeated, which stanza itself counts in B³ and LEA once for each pair" in note for note in notes)
    assert not any("stanza itself" in note for note in ac.score(KEY, KEY, profile="stanza").notes)


def test_documents_without_repeated_mentions_are_as_ever():
    """In batches and sweeps, and with a metric that sees labels only."""
    keys, responses = {"a": KEY, "b": IN_TWO, "c": KEY}, {"a": KEY[1:], "b": KEY, "c": IN_TWO}
    names = (*METRICS, "bcub-all", "cluster")
    together = ac.score_batch(keys, responses, duplicates="both", metrics=names)
    swept = ac.sweep(keys, {"x": responses, "y": keys}, duplicates="both", metrics=names)
    for n, name in enumerate(keys):
        alone = ac.score_batch([keys[name]], [responses[name]], duplicates="both", metrics=names)
        np.testing.assert_array_equal(together.counts.rows[n], alone.counts.rows[0])
        np.testing.assert_array_equal(swept.at("x").counts.rows[n], alone.counts.rows[0])
    plain = ac.score(KEY, KEY[1:], metrics=names)
    np.testing.assert_array_equal(together.counts.rows[0], plain.counts.rows)
    assert together["b"]["bcub-all"].f1 == ac.score(IN_TWO, KEY, duplicates="last", metrics="bcub-all")["bcub-all"].f1
    assert [note[:9] for note in swept.at("y").notes] == ["1 mention", "1 repetit", "1 mention", "1 repetit"]


def test_cuts_need_labels():
    links, scores = [[0, 1]], [1.0]
    leaves = sorted({mention for entity in IN_TWO for mention in entity})
    with pytest.raises(
        ac.OptionError, match=r"1 of 1 documents have .*; cuts cannot count them; expected duplicates 'first'"
    ):
        ac.sweep_pairs(IN_TWO, links, scores, mentions=leaves, duplicates="both")
