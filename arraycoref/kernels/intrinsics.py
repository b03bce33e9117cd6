"""Processor instructions that numba does not offer, for use in kernels.

They count leading zeros, load eight bytes as one number, and prefetch memory into the cache. None of them checks
whether a position is within its array.
"""

from __future__ import annotations

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


def _leading_zeros(_context: Any, bits: Any) -> tuple[Any, Any]:
    """Return the number of zeros above the highest one of a number of 64 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctlz(values[0], _BIT(0))

    return types.uint64(types.uint64), generate


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


leading_zeros: Any = (
    (lambda bits: np.uint64(64 - int(bits).bit_length())) if _INTERPRETED else intrinsic(_leading_zeros)
)
word_at: Any = (
    (lambda data, place: data[int(place) : int(place) + 8].view("<u8")[0]) if _INTERPRETED else intrinsic(_word_at)
)
prefetch: Any = (lambda array, place: None) if _INTERPRETED else intrinsic(_prefetch)
