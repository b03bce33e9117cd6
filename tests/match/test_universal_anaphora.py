"""Scores of CoNLL-UA: random documents against sets, and what another scorer computed."""

import itertools
import json
import os
import random
from pathlib import Path

import pytest

import arraycoref as ac
from arraycoref.exceptions import OptionError, ReadWarning
from conllua_files import HEADER, as_text, random_response, random_side
from marks import about
from oracle.golden import universal_anaphora
from oracle.universal_anaphora import count

N_RANDOM = 5 * int(os.environ.get("ARRAYCOREF_FUZZ_EXAMPLES", "40"))
METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "non-referring", "blanc")
SHARED = Path(os.environ.get("ARRAYCOREF_DATA", "")).parent / "data" / "universal_anaphora"


def sums_of(b):
    """Return the four sums of each metric, and of both classes of BLANC, float64 (D, 4)."""
    counts = {name: b.counts[name].reshape(len(b), -1, 4) for name in METRICS}
    classes = {"blancc": counts["blanc"][:, 0], "blancn": counts.pop("blanc")[:, 1]}
    return classes | {name: sums[:, 0] for name, sums in counts.items()}


@pytest.fixture
def score(tmp_path):
    """Return a function that writes documents, (name, number of words, key, response) each, and scores them."""

    def score(documents, **options):
        paths = tmp_path / "key.conllua", tmp_path / "response.conllua"
        for path, k in zip(paths, (2, 3), strict=True):
            texts = [as_text(document[1], document[k], document[0]) for document in documents]
            path.write_text(HEADER + "".join(texts), encoding="utf-8")
        return ac.score_files(*paths, metrics=METRICS, on_error=lambda _: None, **options)

    return score


def test_random_documents(score):
    rng, documents, n_pairs = random.Random(20261129), [], 0
    for name in range(N_RANDOM):
        n_words = rng.randint(4, 12)
        key = random_side(rng, n_words)
        documents.append((name, n_words, key, random_response(rng, n_words, key)))
    for matching, singletons in itertools.product(("exact", "min"), ("keep", "drop")):
        sums = sums_of(score(documents, matching=matching, singletons=singletons))
        for d, (_, _, key, response) in enumerate(documents):
            expected = count(key, response, matching=matching, singletons=singletons)
            n_pairs += matching == "min" and expected != count(key, response, singletons=singletons)
            for metric, found in sums.items():
                with about((key, response, metric, matching, singletons)):
                    assert list(found[d]) == pytest.approx([*map(float, expected[metric])], rel=1e-9)
    assert n_pairs > N_RANDOM / 5


def test_minimum_spans_by_hand(score):
    key = {"mentions": [[0, 2], [4, 4]], "entities": [1, 1], "min": [[1, 1], None]}
    for found, n_shared in (([0, 1], 2), ([1, 2], 2), ([0, 3], 1), ([2, 2], 1), ([0, 0], 1)):
        sums = sums_of(score([("d", 5, key, {"mentions": [found, [4, 4]], "entities": [1, 1]})], matching="min"))
        assert sums["mentions"].tolist() == [[n_shared, 2, n_shared, 2]]
        assert sums["muc"].tolist() == [[n_shared - 1, 1, n_shared - 1, 1]]


def test_minimum_spans_are_those_of_the_key(score):
    side = {"mentions": [[0, 2]], "entities": [1], "min": [[1, 1]]}
    part = {"mentions": [[0, 1]], "entities": [1]}
    assert sums_of(score([("d", 3, side, part)], matching="min"))["mentions"].tolist() == [[1, 1, 1, 1]]
    with pytest.raises(OptionError, match="no minimum spans"):
        score([("d", 3, part, side)], matching="min")


def test_what_is_left_out_is_noted(score, tmp_path):
    key = {"mentions": [[0, 0], [1, 1], [2, 2], [3, 3]], "entities": [1, 2, 3, 4], "min": [[0, 0], [3, 3], None, None]}
    b = score([("d", 4, key | {"elements": {"3": [1, 2]}, "pseudo": [4]}, key)])
    assert sums_of(b)["mentions"].tolist() == [[3, 3, 3, 4]]
    assert "1 entity of the key with split antecedents (split: drop)" in str(b)
    with pytest.warns(ReadWarning, match="1 mention with a minimum span"):
        assert ac.describe(tmp_path / "key.conllua").corpora["key"]["", "mentions"][0] == 3
    assert "1 mention of the key with a minimum span that is not in it: ignored" in str(b)


def test_equals_another_scorer(score):
    """Of best assignments that are tied, ``by_rule`` has what the rule for ties gives."""
    rows, n = universal_anaphora("documents"), 0
    for matching, singletons in itertools.product(("exact", "min"), ("keep", "drop")):
        name = matching + ", no singletons" * (singletons == "drop")
        own = [row for row in rows if name in row["sums"]]
        documents = [(row["name"], row["words"], row["key"], row["response"]) for row in own]
        sums = sums_of(score(documents, matching=matching, singletons=singletons))
        for d, row in enumerate(own):
            expected_sums = row["sums"][name] | row.get("by_rule", {}).get(name, {})
            for metric, expected in (expected_sums | {"non-referring": row.get("non_referring", [0] * 4)}).items():
                with about((row["name"], name, metric)):
                    assert list(sums[metric][d]) == pytest.approx(expected, rel=1e-9)
                n += 1
    assert n == 7980 + 1140


@pytest.mark.skipif("ARRAYCOREF_DATA" not in os.environ, reason="ARRAYCOREF_DATA is not set")
def test_equals_another_scorer_on_files():
    expected = json.loads((SHARED / "own.expected.json").read_text(encoding="utf-8"))
    layers = {
        "exact": {},
        "exact, no singletons": {"singletons": "drop"},
        "min": {"matching": "min"},
        "deixis, split": {"column": "discourse_deixis"},  # without any split antecedent
    }
    for name, options in layers.items():
        files = SHARED / "own.key.conllua", SHARED / "own.response.conllua"
        sums = sums_of(ac.score_files(*files, metrics=METRICS, on_error=lambda _: None, **options))
        more = {} if "column" in options else {"non-referring": expected["non_referring"]}
        for metric, total in (expected[name] | more).items():
            with about((name, metric)):
                assert list(sums[metric].sum(axis=0)) == pytest.approx(total, rel=1e-9)
