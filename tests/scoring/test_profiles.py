"""Profiles of programs in use: singletons that single metrics skip, and means of documents; through every door."""

import random

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.exceptions import InputError, OptionError
from arraycoref.options.policies import PROFILES
from arraycoref.scoring.signature import signature
from marks import about, cases
from oracle import neural
from oracle.policies import drop_singletons

pytestmark = pytest.mark.usefixtures("engine")

OF_NEURAL = ("bcub", "lea", "ceafe")


def random_side(rng, n_mentions):
    """Return a partition of some of the mentions, with many singletons."""
    entities = [[] for _ in range(rng.randint(1, 8))]
    for mention in range(n_mentions):
        if rng.random() < 0.8:
            rng.choice(entities).append(mention)
    return [entity for entity in entities if entity]


@pytest.fixture(scope="module")
def sides():
    """Return keys and responses of 60 documents, by name."""
    rng = random.Random(53)
    return [{f"d{d}": random_side(rng, n) for d, n in enumerate(range(60))} for _ in range(2)]


def test_neural_evaluator(sides):
    b = ac.score_batch(*sides, profile="e2e")
    usual = ac.score_batch(*sides, profile="coval")
    for d, name in enumerate(b.names):
        expected = neural.count(*(side[name] for side in sides))
        for metric in OF_NEURAL:
            with about(f"{name} {metric}"):
                assert b.counts[metric][d] == pytest.approx([*map(float, expected[metric])], rel=1e-9)
    for metric in set(b.metrics) - {*OF_NEURAL, "conll"}:
        np.testing.assert_array_equal(b.counts[metric], usual.counts[metric])


def test_mentions_twice_in_an_entity():
    """They count twice in its size, and in B³ and CEAFe's numerators if the key repeats them."""
    rng = random.Random(7)
    for n in range(40):
        key, response = ([[*e, *e[: rng.random() < 0.3]] for e in random_side(rng, n)] for _ in range(2))
        expected, found = neural.count(key, response), ac.score([*key], [*response], profile="e2e").counts
        for metric in ("bcub", "ceafe"):
            with about(f"{key} {response} {metric}"):
                assert found[metric] == pytest.approx([*map(float, expected[metric])], rel=1e-9)


def test_mentions_in_several_entities():
    """The last one counts, and in B³ and LEA nothing if that is of one mention."""
    rng, n_repeated = random.Random(9), 0
    for n in range(200):
        sides = [[*random_side(rng, n % 12), *random_side(rng, n % 12)] for _ in range(2)]
        for side in sides:
            rng.shuffle(side)
        expected, found = neural.count(*sides), ac.score(*sides, profile="e2e").counts
        n_repeated += any(len(e) == 1 and e[0] in m for side in sides for e in side for m in side if len(m) > 1)
        for metric in OF_NEURAL:
            with about(f"{sides} {metric}"):
                assert found[metric] == pytest.approx([*map(float, expected[metric])], rel=1e-9)
    assert n_repeated > 100


@cases(
    "key,response,expected",
    [
        ([["a"], ["b", "c"]], [["a", "a", "b", "c"]], [2, 2, 4 / 3, 4]),
        ([["a", "a", "b"], ["c", "d"]], [["a"], ["b"], ["c", "d"]], [3, 5, 2, 2]),
        ([["a"], ["b", "c"]], [["a", "a", "a"], ["b", "c"]], [2, 2, 5, 5]),
    ],
)
@cases("profile", ["e2e", "maverick", "stanza"])
def test_lea_of_a_mention_twice_in_one_entity_that_the_other_side_has_alone(profile, key, response, expected):
    """The programs skip the entity of one mention, but still find it for the mentions of the other side."""
    assert ac.score(key, response, profile=profile).counts["lea"] == pytest.approx(expected)
    assert [*map(float, neural.count(key, response)["lea"])] == pytest.approx(expected)


def test_random_mentions_twice_in_one_entity():
    """Alone on the other side, or in several of its entities."""
    rng, n_twice = random.Random(11), 0
    for n in range(200):
        sides = [[[rng.randrange(n % 7 + 1) for _ in range(rng.choice([1, 1, 2, 4]))] for _ in range(4)] for _ in "kr"]
        expected, scored = neural.count(*sides), ac.score(*sides, profile="e2e").counts
        n_twice += any(len(set(entity)) < len(entity) for side in sides for entity in side)
        for metric in OF_NEURAL:
            with about(f"{sides} {metric}"):
                assert scored[metric] == pytest.approx([*map(float, expected[metric])], rel=1e-9)
    assert n_twice > 100


def test_lea_without_singletons(sides):
    b, usual = (ac.score_batch(*sides, profile=profile) for profile in ("maverick", "coval"))
    expected = [neural.count(*(side[name] for side in sides))["lea"] for name in b.names]
    np.testing.assert_allclose(b.counts["lea"], np.array(expected, float), rtol=1e-9)
    for metric in set(b.metrics) - {"lea", "conll"}:
        np.testing.assert_array_equal(b.counts[metric], usual.counts[metric])


def test_means_of_documents(sides):
    b, usual = (ac.score_batch(*sides, profile=profile) for profile in ("stanza", "maverick"))
    for metric in ("muc", "bcub", "ceafe"):
        r, p = usual.macro[metric].recall, usual.macro[metric].precision
        assert list(b[metric]) == pytest.approx([r, p, 2 * r * p / (r + p)])
        np.testing.assert_allclose(b.documents[metric].f1, usual.documents[metric].f1)
    assert b["lea"].f1 == usual["lea"].f1
    assert b.conll == pytest.approx(np.mean([b[metric].f1 for metric in ("muc", "bcub", "ceafe")]))


@cases("profile", ["e2e", "maverick", "stanza"])
def test_all_doors_give_the_same(profile, sides):
    labels, offsets = [[], []], [0]
    for name in sides[0]:
        mentions = sorted({mention for side in sides for entity in side[name] for mention in entity})
        for of_side, side in zip(labels, sides, strict=True):
            entity_of = {mention: e for e, entity in enumerate(side[name]) for mention in entity}
            of_side += [entity_of.get(mention, -1) for mention in mentions]
        offsets.append(offsets[-1] + len(mentions))
    expected = ac.score_batch(*sides, profile=profile).counts.rows
    found = [ac.score_labels_batch(*labels, offsets, profile=profile, threads=2).counts.rows]
    found.append(ac.sweep(labels[0], {"x": labels[1]}, offsets, profile=profile).counts.rows[0])
    found.append(ac.sweep(sides[0], {"x": sides[1]}, profile=profile).counts.rows[0])
    for rows in found:
        np.testing.assert_allclose(rows, expected, rtol=1e-12)


def test_signatures_name_the_profile():
    signatures = {name: signature(policies).full for name, policies in PROFILES.items()}
    assert all(f"|profile:{name}|" in text for name, text in signatures.items())
    assert signatures["stanza"].endswith("|singletons:drop-in-lea|beta:1|corpus:ratios")


def test_identical_clusters_below_100():
    """The complaint that trackers have: the key's singletons stay in CEAFe's denominator."""
    scores = ac.score([[*"abc"], ["d"]], [[*"abc"], ["d"]], profile="e2e")
    assert (scores["ceafe"].recall, scores["ceafe"].precision, scores["bcub"].f1) == (0.5, 1, 1)


def test_entities_of_one_document_are_not_resampled():
    """Its labels do not give the sums that were scored."""
    scores = ac.score([[*"abc"], ["d"], [*"ef"]], [[*"abc"], ["d"], [*"fg"]], profile="e2e")
    with pytest.raises(InputError, match="expected BatchScores"):
        ac.bootstrap(scores, metrics="bcub", resamples=10)


def test_error_analysis(sides):
    one = ac.analyze(*({"d": side["d20"]} for side in sides), profile="e2e")
    assert one.signature.singletons == "keep"
    with pytest.raises(OptionError, match="the same sums of all metrics; expected singletons 'keep'"):
        ac.analyze([["a", "b"]], [["a", "b"]], singletons="neural")


def test_dropping_singletons_is_another_score():
    key, response = [[*"abc"], ["d"]], [[*"abc"], ["d"]]
    dropped = ac.score(drop_singletons(key), drop_singletons(response))
    assert dropped["ceafe"].f1 == 1 > ac.score(key, response, singletons="neural")["ceafe"].f1
