"""Import numba without what no kernel uses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

_SETTINGS = ".numba_config.yaml"
_PROBES = ("scipy", "scipy.linalg.cython_blas", *(() if os.path.exists(_SETTINGS) else ("yaml",)))
_ARRAY_FUNCTIONS = "numba.np.arrayobj"


def import_numba() -> None:
    """Import numba in a process that runs this project's kernels only: half of it, if all machine code is on disk.

    What numba compiles with is imported once a kernel is not there, and then without `scipy.linalg`, a quarter of a
    second: numba asks it whether ``np.dot`` can be compiled. No kernel calls that, but a user's own function may: the
    command line asks for this, the library does not. Nor does a kernel need other packages' extensions of numba, which
    are searched for among all packages there are.
    """
    jit: Any = _import("arraycoref.kernels.jit")
    jit.before_compiling = _import_compiler
    jit.while_loading = _without_array_functions
    types: Any = _import("numba.core.typing.typeof")
    types.np = _Numpy()
    extensions: Any = _import("numba.core.entrypoints")
    extensions._already_initialized = True


class _Numpy:
    """NumPy, asked whether an argument is a masked array: none is, and to import them takes a hundredth of a second."""

    ma = SimpleNamespace(MaskedArray=())

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


class _Unread(ModuleType):
    """A module that is imported when somebody looks into it."""

    def __getattr__(self, name: str) -> Any:
        sys.modules.pop(self.__name__)
        return getattr(import_module(self.__name__), name)


@contextmanager
def _without_array_functions() -> Iterator[None]:
    """Load machine code that contains ``np.empty`` without importing how numba compiles it.

    It names the module that each of its functions comes from, whose globals only interpreted code looks into. Numba
    loads one kernel at a time.
    """
    sys.modules.setdefault(_ARRAY_FUNCTIONS, _Unread(_ARRAY_FUNCTIONS))
    try:
        yield
    finally:
        if isinstance(sys.modules.get(_ARRAY_FUNCTIONS), _Unread):
            del sys.modules[_ARRAY_FUNCTIONS]


def _import_compiler() -> None:
    _import("numba.np.arraymath")


def _import(module: str) -> ModuleType:
    """Import a module, and with it what it imports of numba, to which there is neither scipy nor YAML."""
    if module in sys.modules:
        return sys.modules[module]
    hidden = [name for name in _PROBES if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # an import of them fails, at once
    try:
        return import_module(module)
    finally:
        for name in hidden:
            del sys.modules[name]
