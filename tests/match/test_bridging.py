"""Bridging links against another scorer's sums, and against the definition in sets."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from arraycoref.api import score_clusterings
from arraycoref.match import match_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.ragged import bounds
from arraycoref.read.documents import Text, make_documents
from arraycoref.read.mentions import BITS, Mentions, join_parts
from arraycoref.read.relations import Relations
from oracle import bridging

GOLDEN = Path(__file__).parents[1] / "golden"
LEVELS = {"anaphor": "bridging-anaphors", "mention": "bridging-mentions", "entity": "bridging-entities"}


def node(unit):
    if isinstance(unit, str):
        words, number = map(int, unit.split("."))
        return words << BITS | number
    return unit + 1 << BITS


def documents(sides):
    """Make documents of sides as the oracle has them."""
    units = [sorted(map(node, mention)) for side in sides for mention in side["mentions"]]
    parts = np.repeat(np.concatenate([np.array(each, np.int64) for each in units] or [[]])[:, np.newaxis], 2, axis=1)
    parts, part_bounds = join_parts(parts.astype(np.int64), bounds(np.array([*map(len, units)], np.int64)))
    document = np.repeat(np.arange(len(sides)), [len(side["mentions"]) for side in sides]).astype(np.int32)
    hull = np.array([(each[0] >> BITS, each[-1] >> BITS) for each in units], np.int32).reshape(-1, 2)
    entity, relations = [], []
    for side in sides:
        number = {name: n for n, name in enumerate(dict.fromkeys(side["entities"]))}
        entity += [number[name] for name in side["entities"]]
        links = [(a, -1 if b is None else b, number[name], None) for a, b, name in side["links"]]
        relations.append(
            Relations.from_lists(links, pseudo=[number[name] for name in side["pseudo"] if name in number])
        )
    start, end = np.maximum(hull.T, 1).astype(np.int32) - 1
    mentions = Mentions(
        document,
        start,
        end,
        np.array(entity, np.int32),
        np.zeros(document.size, np.int64),
        parts=parts,
        part_bounds=part_bounds,
        head=parts[part_bounds[:-1], 0],
    )
    names = [f"d{n}" for n in range(len(sides))]
    return make_documents("x", names, mentions, [Text()] * len(sides), relations=tuple(relations))


def counts(keys, responses, **options):
    policies = resolve_policies(options, FileOptions)
    matched = match_documents(documents(keys), documents(responses), policies, lambda _: None)
    return score_clusterings(matched.clusterings, policies, {"metrics": tuple(LEVELS.values())}).counts


def side_of(side):
    """Return a side of the other scorer's documents in the form of the oracle."""
    spans = [each if isinstance(each, list) and isinstance(each[0], list) else [each] for each in side["mentions"]]
    mentions = [
        tuple(unit for part in parts for unit in ([part] if isinstance(part, str) else range(part[0], part[1] + 1)))
        for parts in spans
    ]
    links = [(a, b, side["entities"][b]) for a, b in side.get("bridging", ())]
    return {
        "mentions": mentions,
        "entities": side["entities"],
        "pseudo": side.get("pseudo", []),
        "links": links,
    }


def test_sums_of_another_scorer():
    lines = gzip.decompress((GOLDEN / "ua_documents.jsonl.gz").read_bytes()).splitlines()
    rows = [row for row in map(json.loads, lines) if "bridging" in row]
    keys, responses = ([side_of(row[side]) for row in rows] for side in ("key", "response"))
    for options in ({}, {"singletons": "drop"}, {"matching": "head"}):
        of_metric = counts(keys, responses, duplicates="first", **options)
        for level, metric in LEVELS.items():
            expected = [row["bridging"][level] for row in rows]
            np.testing.assert_array_equal(of_metric[metric], expected, err_msg=f"{options} {level}")
    assert len(rows) == 251
    assert all(bridging.sums(*pair) == row["bridging"] for row, *pair in zip(rows, keys, responses, strict=True))


def random_side(rng, n_words, base=None):
    """Return a random side; with a base, one that has most of the base's mentions, entities and links."""
    kept = [n for n in range(len(base["mentions"])) if rng.random() < 0.8] if base else []
    mentions = [base["mentions"][n] for n in kept]
    for _ in range(rng.randrange(3 if base else 10)):
        first = rng.randrange(n_words)
        units = range(first, min(first + rng.randrange(1, 4), n_words))
        mentions.append(rng.choice([tuple(units), tuple(units)[::2], (f"{first}.{rng.randrange(1, 3)}",)]))
    entities = [base["entities"][n] if rng.random() < 0.9 else 9 for n in kept]
    entities += [rng.randrange(5) for _ in mentions[len(kept) :]]
    named, number = rng.random() < 0.5, {n: place for place, n in enumerate(kept)}  # a file names mentions, or entities
    ends = [(number.get(a), number.get(b)) for a, b in base["ends"]] if base else []
    ends = [each for each in ends if None not in each and rng.random() < 0.8]
    for _ in range(rng.randrange(2 if base else 9) if mentions else 0):
        ends.append((rng.randrange(len(mentions)), rng.randrange(len(mentions))))
    links = [(a, b if named else None, entities[b]) for a, b in ends]
    pseudo = [entity for entity in sorted(set(entities)) if rng.random() < 0.15]
    return {"mentions": mentions, "entities": entities, "pseudo": pseudo, "links": links, "ends": ends}


@pytest.mark.parametrize("seed", range(3))
def test_random_documents(seed):
    rng = random.Random(seed)
    pairs = []
    for _ in range(60):
        n_words = rng.randrange(1, 12)
        key = random_side(rng, n_words)
        pairs.append((key, random_side(rng, n_words, key)))
    of_metric = counts(*zip(*pairs, strict=True), duplicates="both", singletons=rng.choice(["keep", "drop"]))
    for level, metric in LEVELS.items():
        np.testing.assert_array_equal(of_metric[metric], [bridging.sums(*pair)[level] for pair in pairs])
