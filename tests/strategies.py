"""Random documents for hypothesis: clusterings with all features of real ones, and label vectors."""

import functools
import os

import numpy as np
from hypothesis import HealthCheck, settings, strategies as st

from arraycoref.read.documents import Documents, Text
from arraycoref.read.mentions import Mentions

EXAMPLES = int(os.environ.get("ARRAYCOREF_FUZZ_EXAMPLES", "40"))
"""How many examples a property is tested with; set ARRAYCOREF_FUZZ_EXAMPLES for a longer run."""

ABSENT = -1


def examples(share=1.0):
    """Return hypothesis settings for a property: no deadline, and `EXAMPLES` times `share` examples, but at least 5."""
    return settings(
        max_examples=max(5, int(EXAMPLES * share)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        print_blob=True,
    )


def as_documents(spans, n_tokens=99, headers=None):
    """Make `Documents` as a reader would, from a dict: name -> list of (start, end, entity); mention i is on line i."""
    n, rows = len(spans), [row for mentions in spans.values() for row in mentions]
    document = np.arange(n, dtype=np.int32).repeat([*map(len, spans.values())])
    start, end, entity = (column.copy() for column in np.array(rows, np.int32).reshape(-1, 3).T)
    return Documents(
        names=tuple(spans),
        headers=headers or tuple(f"({name})" for name in spans),
        files=("file",) * n,
        units=("word",) * n,
        named=np.ones(n, np.bool_),
        entities=((),) * n,
        mentions=Mentions(document, start, end, entity, np.arange(len(rows))),
        text=tuple(Text(n_tokens=each) for each in np.broadcast_to(n_tokens, n).tolist()),
    )


def clusters_of(labels, names=None):
    """Turn one side's labels into a list of entities; -1 is a mention that the side lacks."""
    entities = {}
    for index, label in enumerate(labels):
        if label != ABSENT:
            entities.setdefault(label, []).append(index if names is None else names[index])
    return list(entities.values())


@functools.cache  # hypothesis would check a new strategy in every example
def _side(n_mentions, shape, lowest):
    """Draw one side's dense labels: a random partition, singletons, one entity, or nothing."""
    if shape == "singletons":
        return st.builds(list, st.just(range(n_mentions)))
    if shape == "giant":
        return st.builds(list, st.just((0,) * n_mentions))
    if shape == "empty":
        return st.builds(list, st.just((ABSENT,) * n_mentions))
    return st.lists(st.integers(lowest, 5), min_size=n_mentions, max_size=n_mentions)


@st.composite
def label_documents(draw, max_mentions=14, gold=False):
    """Draw (key labels, response labels) of one document over its mention union index.

    With `gold`, both sides have every mention. Without, some indices may be absent on one side or on both.
    """
    n_mentions = draw(st.integers(0, max_mentions))
    shapes = ["any"] * 5 + ["singletons", "giant"] + ([] if gold else ["empty"])
    lowest = 0 if gold else ABSENT
    sides = [draw(_side(n_mentions, draw(st.sampled_from(shapes)), lowest)) for _ in range(2)]
    if not gold and draw(st.booleans()):  # so that also the other shapes have missing and spurious mentions
        for side in sides:
            for index in draw(st.sets(st.integers(0, n_mentions - 1), max_size=4)) if n_mentions else ():
                side[index] = ABSENT
    return tuple(sides)


MENTION_NAMES = [
    list(range(40)),
    [f"m{index}" for index in range(40)],
    [(index // 3, index) for index in range(40)],
    [(f"d{index % 2}", index, index + 2) for index in range(40)],
]


@st.composite
def documents(draw, max_mentions=14, gold=False):
    """Draw (key, response) as lists of entities of hashable mentions, in any order."""
    key, response = draw(label_documents(max_mentions=max_mentions, gold=gold))
    names = draw(st.sampled_from(MENTION_NAMES))
    return draw(shuffled(clusters_of(key, names))), draw(shuffled(clusters_of(response, names)))


@st.composite
def shuffled(draw, entities):
    """Draw the same clustering with entities and mentions in another order."""
    return [draw(st.permutations(entity)) for entity in draw(st.permutations(entities))]


@st.composite
def repeated_documents(draw):
    """Draw (key, response) whose entities repeat mentions, within an entity and across entities."""
    side = st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=5), max_size=5)
    return draw(side), draw(side)


BIG_LABELS = st.one_of(
    st.integers(0, 2**63 - 1), st.integers(2**63 - 50, 2**63 - 1), st.integers(2**31 - 3, 2**32 + 3), st.integers(0, 40)
)
"""Labels as corpora have them: 64-bit, far apart or close together, never negative."""


@st.composite
def relabeled(draw, labels, values=BIG_LABELS):
    """Draw the same label vector under other distinct labels, as int64."""
    used = sorted(set(labels) - {ABSENT})
    new = draw(st.lists(values, min_size=len(used), max_size=len(used), unique=True))
    to_new = dict(zip(used, new, strict=True)) | {ABSENT: ABSENT}
    return np.array([to_new[label] for label in labels], dtype=np.int64)


CEAF_SHAPES = ("random", "chain", "ties", "heavy", "star", "split")


def ceaf_labels(shape, n_entities, seed):
    """Return two label vectors of one document with about `n_entities` entities per side.

    `chain` links every entity to the next, so that all are one connected component. `ties` gives every overlap the same
    size. `heavy` makes sizes differ by orders of magnitude. `star` has one entity that overlaps with all. `split` has
    key entities that the response cuts in two. In all shapes, some mentions are on one side only.
    """
    rng = np.random.default_rng(seed)
    n_entities = max(n_entities, 1)
    if shape == "chain":
        first = np.repeat(np.arange(n_entities), rng.integers(1, 6, n_entities))
        second = np.repeat(np.arange(n_entities), rng.integers(1, 6, n_entities))
        key = np.concatenate([first, second])
        response = np.concatenate([first, (second + 1) % n_entities])
    elif shape == "ties":
        key, response = (grid.ravel() for grid in np.meshgrid(np.arange(n_entities), np.arange(n_entities)))
        kept = rng.random(key.size) < 0.3
        key, response = key[kept], response[kept]
    elif shape == "heavy":
        sizes = np.ceil(rng.pareto(0.7, n_entities * 2) + 1).clip(max=2000).astype(np.int64)
        key = np.repeat(rng.integers(0, n_entities, sizes.size), sizes)
        response = np.repeat(rng.integers(0, n_entities, sizes.size), sizes)
    elif shape == "star":
        response = np.repeat(np.arange(n_entities), rng.integers(1, 4, n_entities))
        key = np.where(rng.random(response.size) < 0.5, 0, rng.integers(0, n_entities, response.size))
    elif shape == "split":
        key = np.repeat(np.arange(n_entities // 2 + 1), rng.integers(1, 9, n_entities // 2 + 1))
        response = 2 * key + rng.integers(0, 2, key.size)
    else:
        key, response = rng.integers(0, n_entities, (2, 6 * n_entities))
    key, response = key.astype(np.int64), response.astype(np.int64)
    key[rng.random(key.size) < 0.1] = ABSENT
    response[rng.random(response.size) < 0.1] = ABSENT
    order = rng.permutation(key.size)
    return key[order], response[order]
