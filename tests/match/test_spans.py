"""Clusters of spans in memory with heads: random documents against sets, and what is refused."""

import random
from types import SimpleNamespace

import pytest

import arraycoref as ac
from arraycoref.exceptions import DuplicateMentionError, InputError, OptionError
from oracle.corefud import Mention, count

METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "mor")
KEY, RESPONSE = [[(0, 2), (4, 4)], [(5, 6)]], [[(1, 2), (4, 4)], [(5, 6)]]
HEADS = {(0, 2): 2, (1, 2): 2, (4, 4): 4, (5, 6): 5}


def random_pair(rng):
    """Return key, response and the heads of their mentions, which are distinct on each side; clusters may be empty."""
    heads = {}
    for first in range(8):
        for last in range(first, 8):
            heads[first, last] = rng.randint(first, last)
    sides = []
    for _ in range(2):
        clusters = [[] for _ in range(4)]
        for span in rng.sample(list(heads), rng.randint(0, 8)):
            clusters[rng.randrange(4)].append(span)
        sides.append(clusters)
    return *sides, heads


def as_sets(clusters, heads):
    return [
        [Mention(frozenset((0, w, 0) for w in range(a, b + 1)), (0, heads[a, b], 0)) for a, b in cluster]
        for cluster in clusters
        if cluster
    ]


@pytest.mark.filterwarnings("ignore:.* (mentions (is|are) shared|has a mention)")
@pytest.mark.parametrize("matching", ["exact", "head", "partial"])
@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_random_clusters(matching, singletons):
    rng = random.Random(44)
    documents = [random_pair(rng) for _ in range(40)]
    keys, responses, heads = zip(*documents, strict=True)
    options = {"matching": matching, "singletons": singletons, "metrics": METRICS}
    b = ac.score_batch(keys, responses, heads=heads, **options)
    ends = [{(first, last + 1): head for (first, last), head in each.items()} for each in heads]
    sides = [[[[(a, z + 1) for a, z in cluster] for cluster in each] for each in side] for side in (keys, responses)]
    exclusive = ac.score_batch(*sides, heads=ends, end="exclusive", **options)
    for d, (key, response, own) in enumerate(documents):
        expected = count(
            as_sets(key, own), as_sets(response, own), matching=matching, zeros="dependent", singletons=singletons
        )
        single = ac.score(key, response, heads=own, **options)
        for metric in METRICS:
            sums = [*map(float, expected[metric])]
            assert b.counts[metric][d].tolist() == pytest.approx(sums, rel=1e-9)
            assert exclusive.counts[metric][d].tolist() == pytest.approx(sums, rel=1e-9)
            assert [single[metric].recall_num, single[metric].recall_den] == pytest.approx(sums[:2], rel=1e-9)


def test_names_of_documents():
    keys, responses = {"x": KEY, "y": RESPONSE}, {"y": RESPONSE, "x": RESPONSE}
    b = ac.score_batch(keys, responses, heads={"y": HEADS, "x": HEADS}, profile="corefud")
    assert (b.names, b["muc"].f1, b.signature.full.endswith("match:head")) == (("x", "y"), 1, True)
    assert ac.score_batch([KEY], [RESPONSE], heads=[HEADS], matching="head").counts.names is None


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"matching": "head"}, OptionError, "matching 'head' needs heads={mention: head}"),
        ({"heads": "first"}, OptionError, "heads is 'first'; expected a mapping"),
        ({"heads": {(4, 4): 4}}, InputError, r"key of document 0: mention \(0, 2\) has no head"),
        ({"heads": HEADS | {(1, 2): 3}}, InputError, r"response of document 0: mention \(1, 2\) has the head 3"),
        ({"heads": HEADS, "end": "exclusive"}, InputError, r"mention \(0, 2\) has the head 2"),
        (
            {"heads": HEADS | {(0, 2): 1}, "end": "exclusive"},
            InputError,
            r"mention \(4, 4\); .* a first word, .* exclusive",
        ),
    ],
)
def test_what_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        ac.score(KEY, RESPONSE, **given)


def test_clusters_that_are_refused():
    with pytest.raises(InputError, match=r"mention 'she'; with heads, expected a first word"):
        ac.score(KEY, [["she"]], heads=HEADS)
    with pytest.raises(DuplicateMentionError, match="the mention of tokens 0-2 is in two entities"):
        ac.score([*KEY, [(0, 2)]], RESPONSE, heads=HEADS)
    spacy = SimpleNamespace(_=None, spans={"coref_clusters_1": [SimpleNamespace(start=0, end=3)]})
    with pytest.raises(OptionError, match="expected end='exclusive'"):
        ac.score(KEY, spacy, heads=HEADS)
    with pytest.raises(OptionError, match="matching 'head' is for files with heads, and for score"):
        ac.score_labels([0, 0], [0, 0], profile="corefud")
