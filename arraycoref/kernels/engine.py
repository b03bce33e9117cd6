"""Choose, call by call, between NumPy and compiled kernels: compiling pays only where there is work.

Importing numba and loading machine code takes 0.2 to 0.3 s, compiling up to 10 s. So a process begins with NumPy, and a
tally is kept of the time that it has spent there. Kernels are loaded once that time, with what the next call is
expected to take, reaches `LOADING`. A kernel whose machine code is not on disk is compiled once NumPy has
spent as long in its place as compiling takes. No process then takes much more than twice the time of the better way.

The option ``engine``, or the environment variable `VARIABLE` where it is not given, is ``numpy`` or ``numba`` to use
one of them from the start. The scores do not depend on it.
"""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from arraycoref.errors import check_name

VARIABLE = "ARRAYCOREF_ENGINE"
ENGINES = ("numpy", "numba")

LOADING = 0.1
"""Seconds in NumPy after which numba is loaded: less than that takes, as most processes that get here go on."""

COMPILING = 10.0
"""Seconds that compiling the largest kernels takes."""


class _Thread(threading.local):
    """Whether a thread is in a block of `in_numpy`."""

    counts = False


_spent: defaultdict[str, float] = defaultdict(float)
_thread = _Thread()
_ready: dict[str, Any] = {}
_absent: set[str] = set()
_forced = [os.environ.get(VARIABLE) or None]


def kernels_for(kernel: str, seconds: float, engine: str | None = None, compiling: float = COMPILING) -> Any:
    """Return the module of a kernel if the kernel is to be used, None if NumPy is.

    Args:
        kernel: module and name of the kernel, such as ``arraycoref.kernels.mentions.number_mentions``.
        seconds: what NumPy is expected to take for the work at hand.
        engine: the option of this name; None for what the environment says.
        compiling: seconds that compiling the kernel takes.

    Raises:
        UnknownNameError: an engine that does not exist.
    """
    engine = engine or _forced[-1]
    if engine is not None:
        check_name("engine", engine, ENGINES)
        if engine == "numpy":
            return None
    if kernel in _ready:
        return _ready[kernel]
    if engine is None and sum(_spent.values()) + seconds < LOADING:
        return None
    name, _, function = kernel.rpartition(".")
    module = import_module(name)
    if engine is None and _spent[kernel] + seconds < compiling:
        from arraycoref.kernels.jit import is_compiled

        if kernel in _absent or not is_compiled(getattr(module, function)):
            _absent.add(kernel)  # it is not looked for again
            return None
    _ready[kernel] = module
    return module


@contextmanager
def using(engine: str) -> Iterator[None]:
    """Use an engine in a block wherever the option ``engine`` is not given."""
    _forced.append(engine)
    try:
        yield
    finally:
        _forced.pop()


@contextmanager
def in_numpy(kernel: str) -> Iterator[None]:
    """Add the time that a block takes to the tally of the kernel in whose place NumPy works.

    Of nested blocks, only the outermost counts.
    """
    if _thread.counts:
        yield
        return
    _thread.counts, start = True, time.thread_time()
    try:
        yield
    finally:
        _spent[kernel] += time.thread_time() - start
        _thread.counts = False
