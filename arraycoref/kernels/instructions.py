"""Processor instructions that numba does not offer, for use in kernels.

They compare up to 64 bytes at once, with one bit of the result per byte; find and count bits; load eight bytes as one
number; and prefetch memory into the cache. None of them checks whether a position is within its array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

_BIT, _BYTE, _INT, _LONG = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_TO_READ, _TO_KEEP, _DATA = _INT(0), _INT(3), _INT(1)
_INTERPRETED = bool(getattr(config, "DISABLE_JIT", 0))


def _address(context: Any, builder: Any, kind: Any, array: Any, place: Any, what: Any) -> Any:
    """Return the address of ``array[place]``, without a bounds check, as a pointer to the LLVM type `what`."""
    record = context.make_array(kind)(context, builder, array)
    places = [place] + [context.get_constant(types.uint64, 0)] * (kind.ndim - 1)
    address = cgutils.get_item_pointer(context, builder, kind, record, places, wraparound=False)
    return builder.bitcast(address, what.as_pointer())


def _compare(operator: str, interpreted: Callable[..., Any]) -> Any:
    """Return the intrinsic that compares 64 bytes from a position on to one byte; bit k is for byte k."""
    vector, zeros = ir.VectorType(_BYTE, 64), ir.Constant(ir.VectorType(_INT, 64), [0] * 64)

    def typed(_context: Any, data: Any, place: Any, byte: Any) -> tuple[Any, Any]:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            address = _address(context, builder, signature.args[0], values[0], values[1], vector)
            byte = context.cast(builder, values[2], signature.args[2], types.uint8)
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, _INT(0))
            same = builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)
            return builder.bitcast(builder.icmp_unsigned(operator, builder.load(address, align=1), same), _LONG)

        return types.uint64(data, place, byte), generate

    def bits(data: Any, place: Any, byte: Any) -> Any:
        found = interpreted(data[int(place) : int(place) + 64], byte)
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
    """Return the eight bytes from a position on as one number, with the first byte lowest."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], values[0], values[1], _LONG), align=1)

    return types.uint64(data, place), generate


def _prefetch(_context: Any, array: Any, place: Any) -> tuple[Any, Any]:
    """Start to load ``array[place]`` into the cache while other work goes on; this changes nothing and never fails.

    It is for kernels that read large arrays in an order that they know in advance but that the processor cannot guess.

    Args:
        array: of one dimension or more.
        place: position in the first dimension, not negative, and not checked.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address = _address(context, builder, signature.args[0], values[0], values[1], _BYTE)
        function = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _INT, _INT, _INT])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [_BYTE.as_pointer()], function)
        builder.call(hint, [address, _TO_READ, _TO_KEEP, _DATA])
        return context.get_dummy_value()

    return types.void(array, place), generate


equal_64 = _compare("==", np.equal)
at_most_64 = _compare("<=", np.less_equal)
trailing_zeros = _of_bits("cttz", lambda bits: (bits & -bits).bit_length() - 1 if bits else 64)
leading_zeros = _of_bits("ctlz", lambda bits: 64 - bits.bit_length())
count_ones = _of_bits("ctpop", int.bit_count)
word_at: Any = (
    (lambda data, place: data[int(place) : int(place) + 8].view("<u8")[0]) if _INTERPRETED else intrinsic(_word_at)
)
prefetch: Any = (lambda array, place: None) if _INTERPRETED else intrinsic(_prefetch)
