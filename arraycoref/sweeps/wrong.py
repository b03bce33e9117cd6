"""List the pairs of records that a threshold gets wrong: false links, missed ones, and what blocking lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.display.formats import table_maker
from arraycoref.options import PairOptions, resolve_policies
from arraycoref.ragged import Floats, Ints, number_rows
from arraycoref.read.record_fields import RecordFields, further_fields, ids_of, read_fields
from arraycoref.scoring.antecedents import components, joins_of
from arraycoref.sweeps.records import Records, array_of, made_table, records_at

FALSE, THROUGH, MISSED, UNSCORED = "false link", "through unknown", "missed link", "no pair"
"""What is wrong with a pair: it links records of two entities; it is on the way that joins two entities through records
whose entity is not known; its records are of one entity, and apart; the same, and nothing in the pairs brings these
parts of the entity together."""


def wrong_pairs(
    truth: Any,
    pairs: Any,
    threshold: float,
    scores: ArrayLike | None = None,
    *,
    records: Any = None,
    backend: str | None = None,
    **options: Unpack[PairOptions],
) -> Any:
    """List the pairs of records that a threshold gets wrong.

        >>> import pandas
        >>> from arraycoref.sweeps import wrong_pairs
        >>> rows = {"id_l": ["a", "b", "d"], "id_r": ["b", "c", "e"], "score": [0.9, 0.8, 0.3]}
        >>> wrong = wrong_pairs([["a", "b"], ["c"], ["d", "e", "f"]], pandas.DataFrame(rows), 0.5)
        >>> list(zip(wrong.id_l, wrong.id_r, wrong.error))
        [('b', 'c', 'false link'), ('d', 'e', 'missed link'), ('d', 'f', 'no pair')]

    Args:
        truth: as for `arraycoref.sweep_pairs`.
        pairs: the same.
        threshold: pairs whose scores reach it are links.
        scores: (E,) numbers; None where the pairs have them.
        records: the fields of records: a table of pandas, polars or PyArrow, or its path, of text, Parquet or JSON
            lines, with the ids in a column named as in the truth or as in `arraycoref.read.tables`. None for further
            columns of the truth.
        backend: ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that is installed.
        **options: see `arraycoref.options`.

    Returns:
        A table with the columns of the ids as they are named in the pairs, the scores, ``error``, and the fields of
        both records as texts, ``name_l`` and ``name_r`` of a column ``name``. ``false link``: a link of records of two
        entities. ``through unknown``: the links by which records whose entity is not known join two entities: one
        link at least is false. ``missed link``: a pair of one entity below the threshold, whose records no other
        links bring together. ``no pair``: the first records of two parts of one entity that would still be apart if all
        missed links were made, with nan for a score: what blocking lost. Each kind is sorted by score, from high to
        low. Other pairs with a record whose entity is not known are left out.

    Raises:
        InputError: as for `arraycoref.sweep_pairs`; records without a column of ids.
        DuplicateMentionError: a record in two rows of ``records``.
    """
    found = records_at(truth, pairs, scores, options, resolve_policies(options, PairOptions))
    return table_maker(backend)(wrong_columns(found, threshold, fields_of_records(found, truth, records, options)))


def fields_of_records(found: Records, truth: Any, records: Any, options: Mapping[str, Any]) -> RecordFields:
    """Read the fields of records, or those that the truth has beside ids and labels."""
    n_parts, limit = len(found.ids), options.get("max_bytes")
    if records is None:
        return further_fields(made_table(truth), n_parts, options.get("columns"), limit)
    fields = read_fields(made_table(records), found.names, n_parts, limit)
    fields.missing(ids_of(found.ids), options)
    return fields


def wrong_columns(found: Records, threshold: float, fields: RecordFields) -> dict[str, Any]:
    """Return the columns of the table that `wrong_pairs` returns, by name."""
    first, second, entity = found.first, found.second, found.truth
    linked = (found.scores >= threshold) & (found.scores > -np.inf)
    known, same = (entity[first] >= 0) & (entity[second] >= 0), entity[first] == entity[second]
    cluster = components(first[linked], second[linked], entity.size)
    missed = ~linked & known & same & (cluster[first] != cluster[second])
    joined = linked | missed
    part = components(first[joined], second[joined], entity.size)
    of_entity = np.flatnonzero(entity >= 0)
    _, number = number_rows([entity[of_entity], part[of_entity]])
    heads = of_entity[np.unique(number, return_index=True)[1]]
    heads = heads[np.lexsort((heads, entity[heads]))]
    follows = np.zeros(heads.size, bool)
    follows[1:] = entity[heads][1:] == entity[heads][:-1]
    leader = heads[np.maximum.accumulate(np.where(follows, 0, np.arange(heads.size)))]
    through = _ways_through(first, second, entity, np.flatnonzero(linked & ~known), found.scores)
    wrong = [np.flatnonzero(linked & known & ~same), through, np.flatnonzero(missed)]
    rows = np.concatenate([each[np.argsort(-found.scores[each], kind="stable")] for each in wrong])
    columns: dict[str, Any] = {}
    for names, ids, records in zip(found.columns[:2], found.pairs, (leader, heads), strict=True):
        for name, column, of_truth in zip(names, ids, found.ids, strict=True):
            ends = array_of(of_truth)[records[follows]]
            columns[name] = [*array_of(column)[rows].tolist(), *ends.tolist()]
    n_apart = int(follows.sum())
    columns[found.columns.score or "score"] = np.append(found.scores[rows], np.full(n_apart, np.nan))
    n_of_kind = (*map(len, wrong), n_apart)
    columns["error"] = np.repeat([FALSE, THROUGH, MISSED, UNSCORED], n_of_kind).tolist()
    n_parts, ids = len(found.ids), list(columns.values())
    sides = [fields.rows_of(ids_of(ids[first : first + n_parts])) for first in (0, n_parts)]
    shown = [f for f, name in enumerate(fields.names) if f"{name}_l" not in columns]
    for f, name in ((f, fields.names[f]) for f in shown):
        columns |= {f"{name}_{side}": [row[f] for row in rows] for side, rows in zip("lr", sides, strict=True)}
    return columns


def _ways_through(first: Ints, second: Ints, entity: Ints, links: Ints, scores: Floats) -> Ints:
    """Return those of some links that join two entities through records of no known entity, int64 (W,).

    A tree of the links with the highest scores, in which an entity is one node, loses its ends that are not entities.
    """
    links = links[np.argsort(-scores[links], kind="stable")]
    node, n = np.arange(entity.size), entity.size
    node[entity >= 0] = n + np.unique(entity[entity >= 0], return_inverse=True)[1]
    links = links[joins_of(node[first[links]], node[second[links]], 2 * n)[2]]
    ends = np.array([node[first[links]], node[second[links]]])
    degree = np.bincount(ends.ravel(), minlength=n).tolist()
    only = np.zeros(len(degree), np.int64)  # exclusive or of the links of a node: of one link, its number
    for side in ends:
        np.bitwise_xor.at(only, side, np.arange(links.size))
    kept, other = np.ones(links.size, bool), np.bitwise_xor(*ends).tolist()
    for record in np.unique(ends[ends < n]).tolist():
        loose = record
        while loose < n and degree[loose] == 1:
            link = int(only[loose])
            kept[link], degree[loose], loose = False, 0, other[link] ^ loose
            degree[loose] -= 1
            only[loose] ^= link
    return links[kept]
