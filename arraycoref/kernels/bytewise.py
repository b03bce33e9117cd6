"""Many bytes at a time, for kernels that read text: one bit a byte, and what to do with the bits.

Numba has none of these, though a processor compares 64 bytes in a few instructions, and finds a bit in one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

_BIT, _BYTE, _INT, _LONG = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_INTERPRETED = bool(getattr(config, "DISABLE_JIT", 0))


def _load(context: Any, builder: Any, kind: Any, array: Any, place: Any, what: Any) -> Any:
    record = context.make_array(kind)(context, builder, array)
    address = cgutils.get_item_pointer(context, builder, kind, record, [place], wraparound=False)
    return builder.load(builder.bitcast(address, what.as_pointer()), align=1)


def _compare(operator: str, lanes: int, interpreted: Callable[..., Any]) -> Any:
    """Return the intrinsic that compares bytes from a place on, unchecked, to one byte: bit k tells of byte k."""
    vector, zeros = ir.VectorType(_BYTE, lanes), ir.Constant(ir.VectorType(_INT, lanes), [0] * lanes)

    def typed(_context: Any, data: Any, place: Any, byte: Any) -> tuple[Any, Any]:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            bytes_ = _load(context, builder, signature.args[0], values[0], values[1], vector)
            byte = context.cast(builder, values[2], signature.args[2], types.uint8)
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, _INT(0))
            same = builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)
            bits = builder.bitcast(builder.icmp_unsigned(operator, bytes_, same), ir.IntType(lanes))
            return bits if lanes == 64 else builder.zext(bits, _LONG)

        return types.uint64(data, place, byte), generate

    def bits(data: Any, place: Any, byte: Any) -> Any:
        found = interpreted(data[int(place) : int(place) + lanes], byte)
        return np.uint64(int.from_bytes(np.packbits(found, bitorder="little").tobytes(), "little"))

    return bits if _INTERPRETED else intrinsic(typed)


def _of_bits(name: str, interpreted: Callable[[int], int]) -> Any:
    """Return the intrinsic of an LLVM instruction on the bits of an unsigned number of 64 bits."""

    def typed(_context: Any, bits: Any) -> tuple[Any, Any]:
        def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return getattr(builder, name)(values[0], *(() if name == "ctpop" else (_BIT(0),)))

        return types.uint64(types.uint64), generate

    return (lambda bits: np.uint64(interpreted(int(bits)))) if _INTERPRETED else intrinsic(typed)


def _word_at(_context: Any, data: Any, place: Any) -> tuple[Any, Any]:
    """Return eight bytes from a place on, unchecked, as one number, the first one lowest."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _load(context, builder, signature.args[0], values[0], values[1], _LONG)

    return types.uint64(data, place), generate


equal_64 = _compare("==", 64, np.equal)
at_most_64 = _compare("<=", 64, np.less_equal)
equal_32 = _compare("==", 32, np.equal)
at_most_32 = _compare("<=", 32, np.less_equal)
trailing_zeros = _of_bits("cttz", lambda bits: (bits & -bits).bit_length() - 1 if bits else 64)
leading_zeros = _of_bits("ctlz", lambda bits: 64 - bits.bit_length())
count_ones = _of_bits("ctpop", int.bit_count)
word_at: Any = (
    (lambda data, place: data[int(place) : int(place) + 8].view("<u8")[0]) if _INTERPRETED else intrinsic(_word_at)
)
