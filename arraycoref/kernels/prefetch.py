"""A hint to the processor, for kernels that look at large arrays in an order known ahead but without pattern."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

_INT, _BYTES = ir.IntType(32), ir.IntType(8).as_pointer()
_TO_READ, _TO_KEEP, _DATA = _INT(0), _INT(3), _INT(1)


def _prefetch(_context: Any, array: Any, place: Any) -> tuple[Any, Any]:
    """Have ``array[place]`` brought into the cache while other work goes on; changes nothing, and never fails.

    Args:
        array: of one dimension or more.
        place: position in the first dimension, not negative, and not checked.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        places = [values[1]] + [context.get_constant(types.uint64, 0)] * (kind.ndim - 1)
        record = context.make_array(kind)(context, builder, values[0])
        address = cgutils.get_item_pointer(context, builder, kind, record, places, wraparound=False)
        arguments = [_BYTES, _INT, _INT, _INT]
        hint = builder.module.declare_intrinsic("llvm.prefetch", [_BYTES], ir.FunctionType(ir.VoidType(), arguments))
        builder.call(hint, [builder.bitcast(address, _BYTES), _TO_READ, _TO_KEEP, _DATA])
        return context.get_dummy_value()

    return types.void(array, place), generate


def _nothing(array: Any, place: Any) -> None:
    """What kernels call that are not compiled."""


prefetch: Any = _nothing if getattr(config, "DISABLE_JIT", 0) else intrinsic(_prefetch)
