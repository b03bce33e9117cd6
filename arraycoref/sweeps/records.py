"""Lay out scored pairs of records, and the truth about these, as one clustering.

Ids are whole numbers, texts or other hashable values, in one column or several, of tables of any library or in files.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import NO_ENTITY, DuplicateMentionError, InputError
from arraycoref.match.objects import is_iterable, refuse_batch
from arraycoref.options.policies import Policies
from arraycoref.ragged import Floats, Ints, number_by_appearance, number_rows, pairs_within
from arraycoref.read.columns import EXPECTED, OF_TWO_TABLES, SCORES, PairColumns, read_columns, record_columns
from arraycoref.read.layouts import Names
from arraycoref.read.problems import ReadingOptions, quote
from arraycoref.read.tables import FORMATS
from arraycoref.runtime import load_text
from arraycoref.scoring.antecedents import components
from arraycoref.scoring.columns import coded, numbered_alike, objects
from arraycoref.scoring.labels import MISSING, are_rounded, as_numpy, index_of, is_array, is_missing, label_array
from arraycoref.sweeps.links import are_columns
from arraycoref.sweeps.responses import is_label_vector

TRUTH, PAIRS = "the truth", "the pairs"

Columns = Sequence[Any]
"""The columns that make an id."""


class Records(NamedTuple):
    """M records in one clustering, those of the truth first, and E scored pairs of them.

    Attributes:
        truth: int64 (M,) the entity of each record, -1 for none.
        first: int64 (E,) a record of each pair.
        second: int64 (E,) the other.
        scores: float64 (E,).
        columns: names of the columns of pairs.
        pairs: columns of the ids of pairs, those of the first records and those of the second.
        ids: columns of the ids of the truth.
        names: names of the columns of the ids of the truth; empty if it is not a table.
    """

    truth: Ints
    first: Ints
    second: Ints
    scores: Floats
    columns: PairColumns
    pairs: tuple[Columns, Columns]
    ids: Columns
    names: tuple[str, ...]


def are_positions(key: Any, pairs: Any) -> bool:
    """Whether pairs are positions in a key of labels: without ids as in a file, a table, a multi-index or of dedupe."""
    index = getattr(pairs, "index", None)
    have_ids = isinstance(pairs, str | os.PathLike) or hasattr(pairs, "columns") or _fields(pairs)
    if have_ids or getattr(pairs, "nlevels", 1) > 1 or getattr(index, "nlevels", 1) > 1 or hasattr(key, "columns"):
        return False
    return is_label_vector(key) or (isinstance(key, list | tuple) and len(key) > 0 and isinstance(key[0], str))


def _fields(pairs: Any) -> tuple[str, ...]:
    """Return the names of the fields of a structured array."""
    return getattr(getattr(pairs, "dtype", None), "names", None) or ()


def records_of(truth: Any, pairs: Any, scores: Any, options: Mapping[str, Any], policies: Policies) -> Records:
    """Number the records of the truth, in its order, and those that only pairs have; see `arraycoref.sweep_pairs`."""
    in_file = [isinstance(one, str | os.PathLike) for one in (truth, pairs)]
    names, columns, values = _pairs(pairs, scores, options, policies)
    n_parts, n_pairs = len(names.left), values.size
    table = _truth(truth, n_parts, options, bool(names.score))
    ids = table.ids
    if len(ids) != n_parts:
        raise InputError(f"an id is of {len(ids)} columns in {TRUTH} and of {n_parts} in {PAIRS}; expected as many")
    left, right = columns[:n_parts], columns[n_parts:]
    if n_parts == 1 and _are_pairs(table, left[0], right[0], any(in_file)):
        ids, labels = _closed(ids[0], table.labels, any(in_file), policies)
    elif table.refused is not None:
        raise table.refused
    else:
        labels = label_array(table.labels, table.place)
    code = _numbers([(ids, TRUTH), (left, PAIRS), (right, PAIRS)], any(in_file))
    place, _ = number_by_appearance(code, int(code.max(initial=-1)) + 1)
    if (repeated := place[: labels.size] != np.arange(labels.size)).any():
        row = int(repeated.argmax())
        rows = f"rows {place[row]} and {row}"
        raise DuplicateMentionError(f"record {_shown(ids, row)} is in {rows} of {TRUTH}; expected each once")
    of_pairs = place[labels.size :]
    _note_two_tables(of_pairs[:n_pairs], of_pairs[n_pairs:], names, policies)
    if n_pairs and labels.size and of_pairs.min() >= labels.size:
        one, other = _shown(ids, 0), _shown(left, 0)
        raise InputError(f"no record of {PAIRS} is in {TRUTH}, whose ids are as {one}, not {other}; expected the same")
    n_other = int(place.max(initial=-1)) + 1 - labels.size
    policies.note(n_other, "record", f"of {PAIRS}, missing from {TRUTH}")
    entity = np.concatenate([labels, np.full(n_other, -1)])
    return Records(entity, of_pairs[:n_pairs], of_pairs[n_pairs:], values, names, (left, right), ids, table.names)


def records_at(truth: Any, pairs: Any, scores: Any, options: Mapping[str, Any], policies: Policies) -> Records:
    """Return what `records_of` does, also of pairs that are positions in a truth of labels."""
    if are_positions(truth, pairs):
        truth = dict(enumerate(label_array(truth, TRUTH).tolist()))
    return records_of(truth, pairs, scores, options, policies)


def _note_two_tables(left: Ints, right: Ints, names: PairColumns, policies: Policies) -> None:
    """Note pairs of an id with itself; of columns named for two tables, also ids that are in both."""
    hint = "if each of two tables numbers its records, expected SOURCE+ID in pair_columns and in columns"
    n_same, of_two = int(np.count_nonzero(left == right)), names.left[-1].startswith(OF_TWO_TABLES)
    n_both = np.intersect1d(left, right).size if n_same or of_two else 0
    if n_same:
        policies.note(n_same, "pair", f"of an id with itself, {n_both:,} ids on both sides of {PAIRS}: {hint}")
    else:
        policies.note(n_both, "id", f"on both sides of {PAIRS}: {hint}")


class Truth(NamedTuple):
    """The truth as it was given.

    Attributes:
        ids: the columns of the ids.
        labels: the column of the labels.
        place: words for it, for messages.
        names: names of the columns of ids; empty if it is not a table.
        refused: why the table has no columns of ids and labels, if it has two columns that may be pairs of ids.
    """

    ids: Columns
    labels: Any
    place: str = TRUTH
    names: tuple[str, ...] = ()
    refused: InputError | None = None


def _are_pairs(table: Truth, left: Any, right: Any, as_text: bool) -> bool:
    """Whether the labels of a truth are ids of other records, which makes its rows pairs.

    More than half of them must be in the pairs. Labels whose column has a usual name must be texts, none of which is
    the id in its row: a label may be the id of a record that stands for its entity.
    """
    labels = table.labels if isinstance(table.labels, list) else array_of(table.labels)
    if not len(labels) or (table.refused is None and not isinstance(labels[0], str)):
        return False
    columns = (table.ids[0], labels, left, right)
    own, labels, *sides = (one if isinstance(one, list) else array_of(one).tolist() for one in columns)
    if as_text and not all(isinstance(column[0], str) for column in (own, labels, *sides) if column):
        own, labels, *sides = (list(map(str, column)) for column in (own, labels, *sides))
    if not any(labels[0] in side for side in sides):
        return False
    may_be = table.refused is not None or not (any(map(operator.eq, own, labels)) or labels[0].isdecimal())
    return may_be and 2 * len({*labels}.intersection(sides[0]) | {*labels}.intersection(sides[1])) > len({*labels})


def _closed(one: Any, other: Any, as_text: bool, policies: Policies) -> tuple[Columns, Ints]:
    """Make entities of pairs of ids, which closing joins: return the column of their ids, and their labels."""
    code = _numbers([([one], TRUTH), ([other], TRUTH)], as_text)
    place, first = number_by_appearance(code, int(code.max(initial=-1)) + 1)
    ends = np.sort(place.reshape(2, -1), axis=0)
    labels = components(ends[0], ends[1], first.size)
    n_pairs = np.unique(ends[:, ends[0] < ends[1]], axis=1).shape[1]
    n_added = pairs_within(labels) - n_pairs
    policies.note(n_pairs, "pair", f"of ids in {TRUTH}, as its labels are ids; closing them adds {n_added:,}")
    ids = np.concatenate([array_of(column) for column in (one, other)])[first]
    return [ids], labels


def _pairs(
    pairs: Any, scores: Any, options: Mapping[str, Any], policies: Policies
) -> tuple[PairColumns, list[Any], Floats]:
    """Return the names of the columns of pairs, the columns of ids, left and right, and the scores."""
    pairs = made_table(pairs)
    choose = partial(PairColumns.from_header, asked=options.get("pair_columns"))
    index: Any = pairs if getattr(pairs, "nlevels", 1) > 1 else getattr(pairs, "index", None)
    if isinstance(pairs, str | os.PathLike):
        names, table = read_columns(pairs, lambda header, path: choose(header, place=path), options.get("max_bytes"))
        columns = [table[name] for name in names.all]
    elif getattr(index, "nlevels", 1) == 2 and options.get("pair_columns") is None:  # recordlinkage
        columns = [index.get_level_values(level) for level in (0, 1)]
        left, right = (str(name or side) for name, side in zip(index.names, ("left", "right"), strict=True))
        names = PairColumns((left,), (right,))
        if hasattr(pairs, "columns") and scores is None:
            of_scores = [name for name in pairs.columns if len(pairs.columns) == 1 or name in SCORES]
            scores = pairs[of_scores[0]] if of_scores else None
        elif pairs is not index and scores is None:
            scores = pairs
    elif hasattr(pairs, "columns"):
        names = choose(list(getattr(pairs, "column_names", pairs.columns)), place=PAIRS)
        columns = [pairs[name] for name in names.all]
    elif fields := _fields(pairs):  # dedupe
        if set(fields) != {"pairs", "score"}:
            raise InputError(f"{PAIRS} have the fields {', '.join(fields)}; expected pairs and score")
        names, columns, scores = _PLAIN, [*pairs["pairs"].T], pairs["score"]
    elif isinstance(pairs, tuple) and are_columns(pairs):
        names, columns = _PLAIN, list(pairs)
    else:
        names, columns = _PLAIN, [*pairs.T] if is_array(pairs) else list(zip(*pairs, strict=True)) or [[], []]
    columns, others = columns[: 2 * len(names.left)], columns[2 * len(names.left) :]
    scores = others[0] if names.score and scores is None else scores
    if scores is None:
        raise InputError(f"{PAIRS} have no scores; expected a column of them, or scores with the pairs; {EXPECTED}")
    values = _floats(scores)
    n_certain = int(np.count_nonzero(values == 1))
    if names.weight and n_certain > 1 and np.unique(_floats(others[1])[values == 1]).size > 1:
        better = ",".join(["+".join(names.left), "+".join(names.right), names.weight])
        way = f"pair_columns={better!r} takes these"
        policies.note(n_certain, "pair", f"of {names.score} 1.0 differ in {names.weight}; {way}")
    if values.ndim != 1 or any(len(column) != values.size for column in columns):
        lengths = " and ".join(str(len(column)) for column in columns)
        raise InputError(f"scores have shape {values.shape} for ids of {lengths} rows; expected as many, (E,)")
    return names, columns, values


_PLAIN = PairColumns(("left",), ("right",))


def _floats(scores: Any) -> Floats:
    array = as_numpy(scores, "scores")
    try:
        values = np.asarray(array, np.float64)
    except ValueError as error:  # names the text
        raise InputError(f"scores of {PAIRS}: {error}; expected numbers") from None
    if np.isnan(values).any():
        raise InputError(f"row {int(np.isnan(values).argmax())} of {PAIRS} has the score nan; expected a number")
    return values


def _truth(truth: Any, n_parts: int, options: Mapping[str, Any], in_columns: bool) -> Truth:
    """Return the columns of the ids, and the labels: of files, a table, a Series, a mapping or clusters."""
    truth, asked, format = made_table(truth), options.get("columns"), options.get("format")
    if isinstance(truth, str | os.PathLike) and format in ("s2and", "clusim", "clueval", "members"):
        text = load_text(truth, options.get("max_bytes"))
        truth = FORMATS[format](text, os.fspath(truth), ReadingOptions(format=format)).clusters[None]
    refused: list[InputError] = []

    def choose(header: Sequence[str], place: str) -> Names:
        try:
            return record_columns(header, n_parts, asked, place)
        except InputError as error:
            if asked is not None or len(header) != 2:
                raise
            refused.append(error)
            return Names(None, (header[0],), header[1])

    if isinstance(truth, str | os.PathLike):
        names, table = read_columns(truth, choose, options.get("max_bytes"))
        labels = table[names.label]
        labels = [None if label in NO_ENTITY else label for label in labels] if isinstance(labels, list) else labels
        return Truth([table[name] for name in names.mention], labels, str(truth), names.mention, *refused[:1])
    if hasattr(truth, "columns"):
        names = choose(list(getattr(truth, "column_names", truth.columns)), TRUTH)
        return Truth([truth[name] for name in names.mention], truth[names.label], TRUTH, names.mention, *refused[:1])
    if (index := index_of(truth)) is not None:
        if in_columns and index.name is None and isinstance(getattr(index, "start", None), int) and index.start == 0:
            reason = f"the index of {TRUTH} counts its rows, and {PAIRS} have columns of ids"
            raise InputError(f"{reason}; expected ids as the index, as after .set_index('unique_id')")
        return Truth([index.get_level_values(n) for n in range(index.nlevels)], truth)
    if isinstance(truth, Mapping):
        if not any(map(_is_collection, truth.values())):
            return Truth(_parts(list(truth), n_parts), list(truth.values()))
        truth = list(truth.values())
    if not is_iterable(truth) or isinstance(truth, str) or not all(map(_is_collection, truth := list(truth))):
        expected = "a table with ids, a Series whose index has them, a mapping from ids, or clusters of ids"
        raise InputError(f"{TRUTH} is {quote(truth)}, without the ids of records; expected {expected}")
    refuse_batch(truth, TRUTH)
    ids = list(chain.from_iterable(truth))
    return Truth(_parts(ids, n_parts), np.repeat(np.arange(len(truth)), [len(cluster) for cluster in truth]))


def made_table(table: Any) -> Any:
    """Return a table of Splink, which its database holds, as one of pandas; anything else as it is."""
    return table.as_pandas_dataframe() if hasattr(table, "as_pandas_dataframe") else table


def _is_collection(value: Any) -> bool:
    return not isinstance(value, str | bytes) and is_iterable(value)


def _parts(ids: list[Any], n_parts: int) -> Columns:
    """Return the columns of ids that are tuples, or one column of ids of any kind."""
    if n_parts == 1:
        return [ids]
    if not all(isinstance(one, tuple | list) and len(one) == n_parts for one in ids):
        wrong = next(one for one in ids if not isinstance(one, tuple | list) or len(one) != n_parts)
        raise InputError(f"record {quote(wrong)} of {TRUTH}; expected {n_parts} values, as in {PAIRS}")
    return [list(part) for part in zip(*ids, strict=True)] or [[]] * n_parts


def _numbers(groups: Sequence[tuple[Columns, str]], as_text: bool) -> Ints:
    """Number the ids in groups of columns, row after row: equal ids have equal numbers."""
    columns = []
    for part in range(len(groups[0][0])):
        if not as_text and all(_are_integers(side[part]) for side, _ in groups):
            every = np.concatenate([np.asarray(side[part], np.int64) for side, _ in groups])
            columns.append(np.unique(every, return_inverse=True)[1])  # takes a third of the time
            continue
        values = [_values(side[part], place, as_text) for side, place in groups]
        kinds = [set(map(type, distinct)) for _, distinct in values]
        if kinds[0] and any(kind and kind.isdisjoint(kinds[0]) for kind in kinds[1:]):
            one, other = (min(kind.__name__ for kind in each) for each in (kinds[0], kinds[1] or kinds[2]))
            raise InputError(f"ids are {one} in {TRUTH} and {other} in {PAIRS}; expected the same kind")
        columns.append(np.concatenate(numbered_alike(values)))
    return columns[0] if len(columns) == 1 else number_rows(columns)[1]


def _are_integers(column: Any) -> bool:
    dtype = getattr(column, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "i" and not isinstance(column, np.ma.MaskedArray)


def _values(column: Any, place: str, as_text: bool) -> tuple[Ints, list[Any]]:
    """Return codes of a column of ids, int64 (N,), and the values that they number, some maybe twice."""
    try:
        codes, values = coded(objects(column) if isinstance(column, list | tuple) else column)
    except Exception as error:  # each library has its own errors
        raise InputError(f"ids of {place}; expected whole numbers, texts or other values ({error})") from error
    if codes is None and values.dtype.kind in "iuf":
        values, codes = np.unique(values, return_inverse=True)
    codes = np.arange(values.size) if codes is None else codes
    distinct = [value.item() if isinstance(value, np.generic) else value for value in values.tolist()]
    kinds = set(map(type, distinct))
    may_lack = any(kind in (float, type(None)) or kind.__name__ in MISSING for kind in kinds)
    may_lack |= as_text and (kinds != {str} or "" in distinct)
    lacks = [n for n, value in enumerate(distinct) if value == "" or is_missing(value)] if may_lack else []
    if lacks or codes.min(initial=0) < 0:
        row = int(np.isin(codes, [-1, *lacks]).argmax())
        raise InputError(f"row {row} of {place} has no id; expected one in each row")
    if values.dtype.kind == "f":
        if (lost := (values != np.trunc(values)) | are_rounded(values)).any():
            value = values[lost.argmax()]
            raise InputError(f"{place} have the id {value}, a {values.dtype}; expected whole numbers or texts")
        distinct = values.astype(np.int64).tolist()
    return codes, list(map(str, distinct)) if as_text else distinct


def _shown(columns: Columns, row: int) -> str:
    return " ".join(str(array_of(column)[row]) for column in columns)


def array_of(column: Any) -> NDArray[Any]:
    """Return a column of ids as an array of one dimension."""
    return objects(column) if isinstance(column, list | tuple) else np.asarray(column)
