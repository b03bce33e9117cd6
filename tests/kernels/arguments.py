"""What each twin is called with, at random, and what of its result must be the same: one entry for each twin."""

import datetime
import enum
from collections import namedtuple

import numpy as np
import ormsgpack
from hypothesis import strategies as st

from arraycoref.kernels.objects import SMALL
from arraycoref.match.mentions import Occurrences
from arraycoref.match.objects import ObjectSides
from arraycoref.options.policies import Policies
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.totals import Needs
from strategies import label_documents

FACTORS = st.sampled_from([1, 1, 3, 2**20, 2**40])
NUMBERS = st.integers(0, 2**32 - 1)


@st.composite
def batches(draw):
    """Draw labels of some documents; now and then of several responses, or with a label below -1."""
    documents = draw(st.lists(label_documents(max_mentions=30), min_size=1, max_size=6))
    offsets = np.cumsum([0, *(len(key) for key, _ in documents)])
    sides = [np.array([label for each in documents for label in each[s]], np.int64) for s in (0, 1)]
    key, response = (np.where(labels < 0, labels, labels * draw(FACTORS)) for labels in sides)
    n_responses = draw(st.sampled_from([1, 1, 3]))
    response = np.concatenate([response, *[draw(st.sampled_from([key, response]))] * (n_responses - 1)])
    if key.size and draw(st.integers(0, 9)) == 0:
        draw(st.sampled_from([key, response]))[draw(st.integers(0, key.size - 1))] = -2
    return Clusterings(key, response, offsets, n_responses=n_responses)


@st.composite
def ranges(draw, clusterings):
    """Draw a range of documents."""
    first = draw(st.integers(0, len(clusterings) - 1))
    return clusterings, first, draw(st.integers(first + 1, len(clusterings)))


RANGES = batches().flatmap(ranges)
NEEDS = st.builds(Needs, *[st.booleans()] * 4)


def some_cells(seed):
    """Make cells of documents whose alignment may take long."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 60, rng.integers(1, 6))
    key, response = rng.integers(-1, rng.integers(1, 40), (2, sizes.sum()))
    response = np.where(rng.random(key.size) < rng.random(), key, response)
    cells = cells_of(Clusterings(key, response, np.append(0, sizes.cumsum())))
    weights = rng.choice(
        [cells.shared, rng.integers(0, 4, cells.shared.size), rng.integers(0, 2**40, cells.shared.size)]
    )
    return cells, weights.astype(np.float64)


def cells_of_one(seed):
    """Make the cells of one document, and weights."""
    cells, weights = some_cells(seed)
    return cells.document(0), weights[: cells.offsets[1]]


def occurrences(seed):
    """Make occurrences of mentions in both sides of some documents."""
    rng = np.random.default_rng(seed)
    n_documents, sides = rng.integers(1, 5), []
    codes = rng.choice([0, 1, 2, 7 << 32 | 9, 2**40, 2**62, -5, -(2**63), 2**63 - 1], rng.integers(1, 9))
    for _ in range(2):
        sizes = rng.integers(0, 9, n_documents)
        entity = rng.integers(0, 4, sizes.sum())
        sides.append(Occurrences(np.append(0, sizes.cumsum()), rng.choice(codes, sizes.sum()), entity, entity))
    return tuple(sides)


def some_links(seed):
    """Make links between some mentions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    return (*rng.integers(0, n, (2, rng.integers(0, 200))), n)


def two_texts(seed):
    """Make two sequences without a common beginning or end, one of them an edition of the other or not."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, rng.choice([2, 5, 100]), rng.integers(0, 60))
    b = rng.integers(0, 5, rng.integers(0, 60)) if rng.integers(2) else a[rng.random(a.size) < rng.random()]
    return np.append(a, 200), np.append(b, 201), int(rng.integers(0, 60))


Span = namedtuple("Span", "start end")
Color = enum.IntEnum("Color", "RED GREEN")
Text = type("Text", (str,), {})

EDGES = [0, 1, 2, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64]
USUAL = st.one_of(
    st.integers(0, 3),
    st.sampled_from([*EDGES, *[-edge for edge in EDGES], *[-edge - 1 for edge in EDGES]]),
    st.sampled_from(["", "1", "a", "é", "eight by", "nine byte", "x" * 31, "x" * 32, "x" * 255, "x" * 256, "x" * 257]),
)
RARE = st.sampled_from([
    True, False, 1.0, 0.0, float("nan"), None, b"a", "\ud800", np.int64(1), np.uint8(255), np.str_("a"), np.float64(1),
    np.bool_(True), np.array([0, 1]), np.array([[0, 1]], np.uint16), np.array(["a"]), np.array([1.0]), np.array(1),
    np.array([1], ">i4"), np.datetime64("2020-01-01"), np.timedelta64(1, "D"), np.array(["2020"], "datetime64[s]"),
    frozenset({1, "a"}), {1}, Span(0, 1), Color.RED, Text("a"), {"a": 1}, {}.values(), range(2), bytearray(b"a"),
    datetime.date(2020, 1, 1), "2020-01-01", ormsgpack.Ext(0, b""), 2**70, (1, (2, [3])), (None,),
])  # fmt: skip


def nested(values):
    """Draw values, and lists and tuples of them."""
    return st.recursive(
        values,
        lambda inner: st.one_of(*[st.lists(inner, max_size=3).map(kind) for kind in (list, tuple)]),
        max_leaves=4,
    )


def _set(items):
    try:
        return set(items)
    except TypeError:
        return items


def clusterings(mentions):
    """Draw clusterings, now and then of something else."""
    kinds = [list, tuple, _set, lambda items: dict(enumerate(items)).values()]
    cluster = st.one_of(*[st.lists(mentions, max_size=4).map(kind) for kind in kinds])
    return st.one_of(*[st.lists(cluster, max_size=3).map(kind) for kind in (list, tuple)])


USUALLY, RARELY = nested(USUAL), nested(RARE)
CLUSTERINGS = clusterings(USUALLY)  # made once: hypothesis checks each strategy that it has not seen
DUPLICATES = st.sampled_from(["error", "both", "first", "last", "drop"])


@st.composite
def objects(draw):
    """Draw usual clusterings, with too little room for all mentions at first if many before them take a byte each.

    In half of them, one mention, cluster or document is something that Python may compare in another way.
    """
    before = [[list(range(128))]] * (SMALL // 128 + 1) if draw(st.integers(0, 9)) == 0 else []
    pairs = draw(st.lists(st.tuples(CLUSTERINGS, CLUSTERINGS), max_size=3))
    sides = [before + [pair[side] for pair in pairs] for side in (0, 1)]
    if pairs and draw(st.booleans()):
        odd, side, level = draw(RARELY), draw(st.sampled_from(sides)), draw(st.integers(0, 2))
        if level == 0:
            side[-1] = odd
        else:
            side[-1] = [*side[-1], odd if level == 1 else [odd, *draw(st.lists(USUALLY, max_size=2))]]
    names = [f"d{n}" for n in range(len(sides[0]))]
    return ObjectSides(*sides, names), Policies(duplicates=draw(DUPLICATES))


def total_weight(cell, _cells, weights):
    """Return what an alignment is worth, of several alignments of equal weight any one may be found."""
    return float(weights[cell[cell >= 0]].sum())


ARGUMENTS = {
    "alignment.align_hard": NUMBERS.map(cells_of_one),
    "cells.cells_of": RANGES,
    "edit_script.inner_partners": NUMBERS.map(two_texts),
    "fused.count_totals": st.tuples(RANGES, NEEDS).map(lambda drawn: (*drawn[0], drawn[1])),
    "links.joins_of": NUMBERS.map(some_links),
    "mentions.union_numbers": NUMBERS.map(occurrences),
    "objects.label_objects": objects(),
}
"""By the name of a twin, how its arguments are drawn."""

SEEN = {"alignment.align_hard": total_weight}
"""By the name of a twin, what of its result must be the same, from the result and the arguments."""

ELSEWHERE = {"conll.read_lines", "alignment.search_all"}
"""Twins that read files, and one that changes its arguments: their tests compare both ways."""
