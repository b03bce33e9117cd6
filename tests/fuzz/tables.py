"""Target: tables of every library, with labels of any kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas
import polars
import pyarrow
from pyarrow import compute

import arraycoref as ac
from arraycoref.errors import InputError
from fuzz.arrays import Bytes
from fuzz.promises import attempt

METRICS = "mentions,muc,bcub"
NAN, INF = float("nan"), float("inf")

KINDS: tuple[Sequence[Any], ...] = (
    *((0, 1, 2, 3, -1), (0, 1, None, -1), (0.0, 1.0, NAN, -1.0), (0.0, 2.0**52, 2.0**53, 1.5), ("a", "b", "c", None)),
    *(("a", "b", "", "-1", "nan"), (2**63 - 1, 2**62, -1), (2**64 - 1, 2**63, 0), (2**64 - 1, 2**63, None, 5)),
    *((2**70, 0, -1), (True, False), (0, -2, 1), (INF, 0.0), (1j, 0j), (b"a", b"b"), ("a", 1), ([0], [1]), (None,)),
)
"""What a column of labels is drawn from."""


def target_tables(data: bytes) -> None:
    """A table, or two, of some library: the scores of the clusters that its labels mean, or an error if they do not."""
    source = Bytes(data)
    build, two = LIBRARIES[source.number(len(LIBRARIES))], bool(source.number(2))
    n, documents = source.number(12), 1 + source.number(3)
    document = [source.number(documents) for _ in range(n)]
    mention = list(range(n, 0, -1)) if source.number(2) else [f"m{m}" for m in range(n)]
    labels = []
    for _ in range(2):
        kind = KINDS[source.number(len(KINDS))]
        labels.append([kind[source.number(len(kind))] for _ in range(n)])
    rows = {"document": document, "mention": mention}
    try:
        tables = (
            [build(rows | {"label": side}) for side in labels]
            if two
            else [build(rows | dict(zip(("key", "response"), labels, strict=True)))]
        )
    except Exception:  # what a library takes no column of
        return
    columns = [table[name] for table in tables for name in (("label",) if two else ("key", "response"))]
    found, error = attempt(lambda: ac.score_table(*tables, metrics=METRICS))
    assert error is None or isinstance(error, InputError)
    try:
        meant = [_meanings(getattr(each, "to_pylist", getattr(each, "to_list", None))()) for each in columns]
    except ValueError:
        assert found is None, f"{labels} mean nothing"
        return
    if error is not None:  # Arrow holds numbers of 64 bits
        assert two, error
        assert any(isinstance(label, int) and abs(label) >= 2**63 for side in labels for label in side), error
        return
    assert found is not None
    sides = []
    for side in meant:
        clusters: dict[str, dict[Any, list[Any]]] = {str(d): {} for d in document}
        for d, m, label in zip(document, mention, side, strict=True):
            if label is not None:
                clusters[str(d)].setdefault(label, []).append(m)
        sides.append({name: list(entities.values()) for name, entities in clusters.items()})
    expected = ac.score_batch(*sides, metrics=METRICS)
    assert found.names == expected.names
    for metric, counts in expected.counts.items():
        assert abs(found.counts[metric] - counts).max(initial=0) < 1e-9, metric


def _meanings(values: Sequence[Any]) -> list[int | str | None]:
    """Say what labels mean, one by one, or raise ValueError."""
    meant = [_meaning(value) for value in values]
    if len({type(label) for label in meant if label is not None}) > 1:
        raise ValueError(values)
    return [None if label == -1 else label for label in meant]


def _meaning(value: Any) -> int | str | None:
    if value in ("", "-1", "nan"):  # that may have been no entity before it became a text
        raise ValueError(value)
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isfinite(value) and value.is_integer() and -1 <= value < 2**53:
            return int(value)
    elif hasattr(value, "__index__") and not isinstance(value, bool) and value >= -1:
        return int(value)
    raise ValueError(value)


def _runs(columns: dict[str, list[Any]]) -> Any:
    table = pyarrow.table(columns)
    return pyarrow.table({name: compute.run_end_encode(table[name]) for name in columns})


LIBRARIES: tuple[Callable[[dict[str, list[Any]]], Any], ...] = (
    pandas.DataFrame,
    lambda columns: pandas.DataFrame(columns).astype(object),
    lambda columns: pandas.DataFrame(columns).astype("category"),
    polars.DataFrame,
    pyarrow.table,
    lambda columns: pyarrow.table(
        {name: pyarrow.array(column).dictionary_encode() for name, column in columns.items()}
    ),
    _runs,
)
