"""Target: the label door, with arrays of any dtype, byte order, shape and stride."""

from array import array
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import arraycoref as ac
import oracle
from arraycoref.exceptions import InputError
from fuzz.promises import attempt

DTYPES = ("<i8", "<i8", "<i4", "b", "<i2", ">i4", ">i8", "B", ">u4", "<u8", "?", "<f8", "<f4", ">f2", "<U1")
METRICS = ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "pairwise", "cluster", "ceaf-phi2")
SMALL = 12  # mentions, for the slow oracle


class Bytes:
    """Takes numbers off the front of bytes, and zeros when they are used up."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, limit: int) -> int:
        """A number below ``limit``, at most 256."""
        self.at += 1
        return self.data[self.at - 1] % limit if self.at <= len(self.data) else 0

    def take(self, n: int) -> bytes:
        """The next n bytes."""
        self.at += n
        return self.data[self.at - n : self.at].ljust(n, b"\0")


def target_labels(data: bytes) -> None:
    """Label vectors and offsets of any kind: scores that swap with the sides and equal the oracle's, or an error."""
    source = Bytes(data)
    threads, n = 1 + source.number(3), source.number(40)
    key = vector(source, n)
    response = vector(source, n if source.number(8) else source.number(40))
    offsets = None if source.number(3) == 0 else bounds(source, n)
    scored, error = attempt(
        lambda: ac.score_labels_batch(key, response, offsets=offsets, metrics=METRICS, threads=threads)
    )
    back, other = attempt(lambda: ac.score_labels_batch(response, key, offsets=offsets, metrics=METRICS))
    assert (error is None) == (other is None)
    assert error is None or isinstance(error, InputError)
    if scored is None or back is None:
        return
    for name in METRICS:
        rows, swapped = scored.counts[name], back.counts[name]
        halves = rows.reshape(len(rows), rows[0].size // 4 if len(rows) else 1, 2, 2)
        assert np.isfinite(rows).all()
        assert (halves[..., 0] <= halves[..., 1] * (1 + 1e-12)).all(), f"{name} above 1"
        assert np.allclose(halves, swapped.reshape(halves.shape)[..., ::-1, :], rtol=1e-12), f"{name} has a side"
    _equals_oracle(scored.counts, key, response, offsets)


def vector(source: Bytes, n: int) -> Any:
    """About n numbers, as an array or another container."""
    dtype = np.dtype(DTYPES[source.number(len(DTYPES))])
    shape = SHAPES[source.number(len(SHAPES))]
    if source.number(2):  # small numbers
        small = [source.number(9) - 1 - 3 * (source.number(60) == 59) for _ in range(n)]
        if dtype.kind in "iuf":
            values = np.array(small, np.int64).astype(dtype)
        else:
            return small if source.number(2) else np.array(small)
    else:
        raw = source.take(n * dtype.itemsize)
        values = np.array(list(map(str, raw[:n]))) if dtype.kind == "U" else np.frombuffer(raw, dtype)
    return shape(values)


def bounds(source: Bytes, n: int) -> Any:
    """Offsets, mostly sound."""
    kind = source.number(6)
    if kind == 0:
        return vector(source, source.number(8))
    inner = [source.number(n + 1) for _ in range(source.number(6))]
    if kind < 5:
        inner.sort()
    return np.array([0, *inner, n], ("<i8", ">i4", "<u8", "B", "<i2")[source.number(5)])


def _misaligned(values: np.ndarray) -> np.ndarray:
    room = np.empty(values.nbytes + 1, np.uint8)
    room[1:] = np.frombuffer(values.tobytes(), np.uint8)
    return room[1:].view(values.dtype)


SHAPES: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda values: values,
    lambda values: np.repeat(values, 2)[::2],
    lambda values: np.repeat(values, 3)[::-3],
    _misaligned,
    lambda values: np.broadcast_to(values[:1].reshape(-1), (len(values),)) if len(values) else values,
    lambda values: values.reshape(-1, 1),
    lambda values: np.ma.masked_array(values, mask=np.arange(len(values)) % 3 == 1),
    lambda values: values.tolist(),
    lambda values: values.astype(object),
    lambda values: array("q", [int(x) for x in values]) if values.dtype.kind == "i" else values,
    lambda values: range(len(values)),
    lambda values: [None, *values.tolist()[1:]],
    lambda values: [2**70, *values.tolist()[1:]],
)


def _equals_oracle(counts: Any, key: Any, response: Any, offsets: Any) -> None:
    sides = [_labels(side) for side in (key, response)]
    edges = [0, len(sides[0])] if offsets is None else np.asarray(offsets).astype(np.int64).tolist()
    for d, (first, last) in enumerate(pairwise(edges)):
        if last - first > SMALL:
            continue
        entities = []
        for side in sides:
            found: dict[int | str, list[int]] = {}
            for m in range(first, last):
                if side[m] != -1:
                    found.setdefault(side[m], []).append(m)
            entities.append(list(found.values()))
        for name, metric in oracle.LINEAR.items():
            expected = [float(x) for x in metric(*entities)]
            assert np.allclose(counts[name][d], expected, rtol=1e-12, atol=1e-12), f"{name}: not the oracle's"


def _labels(side: Any) -> list[int | str]:
    """Labels one by one, -1 for what is missing."""
    values = side.astype(object).filled(-1) if isinstance(side, np.ma.MaskedArray) else np.asarray(side)
    return [-1 if x is None or x != x else x if isinstance(x, str) else int(x) for x in values.tolist()]
