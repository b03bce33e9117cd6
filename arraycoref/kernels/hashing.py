"""Number arbitrary integers, and hash integers and texts, the same in every process that has the same seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel


@helper
def _mixed(value, seed):
    """Mix 64 bits."""
    x = np.uint64(value) ^ seed
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(32))


@helper
def _number_by_table(values, least, table, codes, first):
    """Number values that lie close together; return how many are distinct."""
    n = np.int64(0)
    for i in range(values.size):
        slot = values[i] - least
        new = table[slot] < 0
        first[n] = i  # whatever it is if there is nothing new, for it is overwritten or beyond the end
        table[slot] = n if new else table[slot]
        codes[i] = table[slot]
        n += new
    return n


@kernel
def number_values(
    values: NDArray[np.int64], seed: np.uint64, codes: NDArray[np.int64], first: NDArray[np.int64]
) -> int:
    """Number the distinct values 0, 1, ... by first appearance; return how many there are.

    Args:
        values: int64 (N,) any.
        seed: of the hash; no result depends on it.
        codes: int64 (N,) receives the numbers.
        first: int64 (N+1,) receives the first position of each distinct value.
    """
    least = largest = values[0] if values.size else np.int64(0)
    for i in range(values.size):
        least = min(least, values[i])
        largest = max(largest, values[i])
    if 0 <= largest - least < 4 * values.size + 64:  # below 0 where the difference passes 2^63
        return int(_number_by_table(values, least, np.full(largest - least + 1, -1, np.int64), codes, first))
    size = np.int64(1024)
    table = np.full(size, -1, np.int64)
    n = np.int64(0)
    for i in range(values.size):
        slot = np.int64(_mixed(values[i], seed) & np.uint64(size - 1))
        while table[slot] >= 0 and values[first[table[slot]]] != values[i]:
            slot = (slot + 1) & (size - 1)
        if table[slot] >= 0:
            codes[i] = table[slot]
            continue
        codes[i] = n
        table[slot] = n
        first[n] = i
        n += 1
        if 2 * n > size:
            size *= 4
            table = np.full(size, -1, np.int64)
            for code in range(n):
                slot = np.int64(_mixed(values[first[code]], seed) & np.uint64(size - 1))
                while table[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                table[slot] = code
    return int(n)


@kernel
def hash_numbers(values: NDArray[np.int64], seed: np.uint64, hashes: NDArray[np.uint64]) -> None:
    """Hash integers.

    Args:
        values: int64 (N,).
        seed: equal seeds give equal hashes, in any process.
        hashes: uint64 (N,) receives them.
    """
    for i in range(values.size):
        hashes[i] = _mixed(values[i], seed)


@kernel
def hash_texts(
    offsets: NDArray[np.int64], data: NDArray[np.uint8], seed: np.uint64, hashes: NDArray[np.uint64]
) -> None:
    """Hash byte strings.

    Args:
        offsets: int64 (N+1,) string i is ``data[offsets[i]:offsets[i + 1]]``; not checked.
        data: uint8 (B,).
        seed: as for `hash_numbers`.
        hashes: uint64 (N,) receives them.
    """
    for i in range(hashes.size):
        x = seed ^ np.uint64(offsets[i + 1] - offsets[i])
        for b in range(offsets[i], offsets[i + 1]):
            x = (x ^ np.uint64(data[b])) * np.uint64(0x9E3779B97F4A7C15)
            x ^= x >> np.uint64(32)
        hashes[i] = _mixed(np.int64(x), seed)
