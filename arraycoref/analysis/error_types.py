"""Count the errors of each type in closed form, as sums per document that add up, bootstrap and compare as others do.

| type | what the response does |
|---|---|
| conflated | holds mentions of another entity: a cell without the head of the response's entity |
| extra-mention | adds a mention that the key lacks |
| extra-entity | makes up an entity: of two or more mentions that the key lacks, and at most pronouns that it has |
| divided | tears an entity apart: a cell without the head of the key's entity |
| missing-mention | leaves out a mention of the key |
| missing-entity | leaves out an entity: two or more mentions of it, and all that are no pronouns |
| span | has a mention with other boundaries, which then counts as the key's |
| extra-singleton | adds a mention that the key lacks, as an entity by itself |
| missing-singleton | leaves out an entity of one mention |

An entity's head mention is its first that is no pronoun, or else its first. The piece that holds it, a cell or an
absent mention, is where the entity is, and no error; other pieces are errors. Without the last three, of which MUC
knows nothing, the types are an exact account of MUC's lost links, see `lost_links`.

Source: Kummerfeld and Klein (2013), as their program counts. Singletons are counted apart here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.analysis.index import KEY
from arraycoref.analysis.pair import OF_KEY, OF_RESPONSE, SPAN, TYPES, Pair
from arraycoref.ragged import Bools, Floats, Ints, owners
from arraycoref.scoring.clusterings import Contributions
from arraycoref.scoring.metrics.registry import REGISTRIES, Metric

SOURCE = "Kummerfeld and Klein (2013), section 3"

REGISTRIES.append(
    {
        name: Metric(
            name,
            name.replace("-", " ").capitalize(),
            SOURCE,
            scored_by="merge_distance.score",
            fields=("f1",),
            unit="count",
            better="lower",
            key_only_denominator=False,
        )
        for name in TYPES
    }
)
"""The types as entries of a registry. Of the four sums, errors in the key's entities come first, documents second,
errors in the response's entities third, documents again last; the score is the number of errors."""


def count_types(pair: Pair) -> Floats:
    """Count the errors of each type in each document: float64 (D, 9, 4), by type as in `TYPES`, see `REGISTRIES`."""
    rows = np.zeros((len(pair.index.names), len(TYPES), 4))
    rows[:, :, 1::2] = 1
    for one, types in enumerate((OF_KEY, OF_RESPONSE)):
        document = owners(pair.index.entity_bounds[pair.side * one])
        counts: tuple[Any, ...] = entity_counts(pair, one)
        for type_, of_entities in zip(types, counts, strict=True):
            wrong = np.flatnonzero(of_entities)
            rows[:, type_, 2 * one] = np.bincount(document[wrong], of_entities[wrong], len(rows))
    document = pair.index.document[pair.spans[1]]
    rows[:, SPAN, 2] = np.bincount(document, minlength=len(rows))
    return rows


def entity_counts(pair: Pair, one: int) -> tuple[Ints, Ints, Bools, Bools]:
    """Count the errors of each entity of the key, or of the response if ``one`` is 1.

    Returns:
        By entity: cells elsewhere, absent mentions, whether it is absent as a whole, whether it is an absent singleton;
        int64 or bool (E,).
    """
    n_cells: Ints = np.bincount(pair.cell_entities[one], minlength=pair.n_entities[one])
    n_absent, is_whole, is_shared = pair.n_absent[one], pair.is_whole[one], pair.head_is_shared[one]
    n_mentions: Ints = np.where(is_whole, 0, n_absent - ~is_shared)
    return n_cells - is_shared.astype(np.int64), n_mentions, is_whole, (pair.sizes[one] == 1) & (n_absent == 1)


def contributions_of(pair: Pair) -> dict[str, Contributions]:
    """Divide each error among its mentions, by type; the one document is its first mention's."""
    errors, labels = pair.pieces, pair.index.labels[[KEY, pair.side]]
    owner = np.arange(len(errors)).repeat(np.diff(errors.bounds))
    value, one = 1.0 / np.diff(errors.bounds)[owner], np.flatnonzero(labels.max(axis=0) >= 0)[:1].repeat(2)
    result = {}
    for type_, name in enumerate(TYPES):
        chosen = errors.type[owner] == type_
        place = np.full(np.count_nonzero(chosen), 0 if type_ in OF_KEY else 2)
        result[name] = Contributions(
            np.append(errors.mentions[chosen], one),
            np.append(place, np.array([1, 3])[: one.size]),
            np.append(value[chosen], np.ones(one.size)),
        )
    return result


def lost_links(pair: Pair) -> tuple[Ints, Ints]:
    """Count MUC's lost links of each type: int64 (9,) of recall, and of precision.

    An entity of p pieces loses p - 1 links. Each error loses one, but a missing or extra entity one for each of its
    absent mentions, without the head if that is among them. Where spans were corrected first, ``span`` is what that
    gained.
    """
    result = np.zeros((2, len(TYPES)), np.int64)
    for one, types in enumerate((OF_KEY, OF_RESPONSE)):
        cells, mentions, is_whole, _ = entity_counts(pair, one)
        whole = (pair.n_absent[one] - ~pair.head_is_shared[one])[is_whole].sum()
        result[one, types[:3]] = cells.sum(), mentions.sum(), whole
    return result[0], result[1]
