"""Import numba without what no kernel uses."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_PROBES = ("scipy", "scipy.linalg.cython_blas")


def import_numba() -> None:
    """Import numba in a process that runs this project's kernels only: half of it, if all machine code is on disk.

    What numba compiles with is imported once a kernel is not there, and then without `scipy.linalg`, a quarter of a
    second: numba asks it whether ``np.dot`` can be compiled. No kernel calls that, but a user's own function may: the
    command line asks for this, the library does not.
    """
    jit: Any = _import("arraycoref.kernels.jit")
    jit.before_compiling = _import_compiler


def _import_compiler() -> None:
    _import("numba.np.arraymath")


def _import(module: str) -> ModuleType:
    """Import a module, and with it what it imports of numba, to which there is no scipy."""
    if module in sys.modules:
        return sys.modules[module]
    hidden = [name for name in _PROBES if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # an import of them fails, at once
    try:
        return import_module(module)
    finally:
        for name in hidden:
            del sys.modules[name]
