"""The one decorator of every compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba

F = TypeVar("F", bound=Callable[..., object])


def inlined(function: F) -> F:
    """Make a function part of each kernel that calls it: for large helpers with few callers, it halves their compiling.

    Only kernels of the same file may call it.
    """
    return numba.njit(inline="always", error_model="numpy")(function)  # type: ignore[return-value]


def helper(function: F) -> F:
    """Compile a function that only kernels of the same file call: it is kept on disk as part of them."""
    return numba.njit(nogil=True, error_model="numpy")(function)  # type: ignore[return-value]


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk, release the GIL.

    Not ``parallel=True``: `batch` hands disjoint document ranges to threads. Not ``fastmath``: a score must not depend
    on the processor. A file that holds kernels calls kernels and reads constants of that file only: the disk cache
    does not notice edits elsewhere.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # no writable cache directory, as in a read-only container
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    compiled.__doc__ = function.__doc__
    return compiled  # type: ignore[return-value]  # a dispatcher is called like the function
