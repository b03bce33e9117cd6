"""Compile kernels: the two decorators of every compiled function, the types of their arrays, their code on disk."""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import logging
import os
import pickle
import sys
from collections.abc import Callable
from inspect import ismodule
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys
from numba.extending import register_jitable
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
Labels = NDArray[np.integer]

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, up to a third of the time."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Options of kernels and helpers, passed to `numba.njit`."""

WITHIN: dict[str, Any] = {"no_cfunc_wrapper": True, "no_rewrites": True}
"""Further options of what kernels call: no way in for callers from C, an eighth of the time to compile; and no search
for what could be written otherwise, a twentieth: branches on an argument that may be None belong in kernels."""

BORROWING: dict[str, Any] = {"_nrt": False}
"""Further options of what makes no arrays: numba counts no references to them, another eighth."""

PARTS = (
    *("jit.py", "instructions.py", "hashtable.py", "json_parts.py", "by_cell.py"),
    *("survey.py", "label_pairs.py", "first_choices.py"),
)
"""Files whose edits have every kernel compiled anew, so that kernels of other files may use their constants."""

PACKAGE = __name__.partition(".")[0] + "."

CHECKSUM_BYTES = 16

_log = logging.getLogger("arraycoref.kernels")


def helper(function: F) -> F:
    """Compile a function that kernels call, never Python: it is kept on disk as part of them.

    It makes no array, which numba would refuse, and returns none: the memory would be freed while it is in use.
    """
    compiled: F = register_jitable(**OPTIONS, **WITHIN, **BORROWING)(function)
    return compiled


def maker(function: F) -> F:
    """Do what `helper` does, for a function that makes arrays and returns them."""
    compiled: F = register_jitable(**OPTIONS, **WITHIN)(function)
    return compiled


def inlined(function: F) -> F:
    """Do what `helper` does, within the code of each caller, where a loop over documents would pass arrays often."""
    compiled: F = register_jitable(**OPTIONS, **WITHIN, **BORROWING, forceinline=True)(function)
    return compiled


def inside(compiled: Callable[..., object]) -> Any:
    """Return a kernel for other kernels to call, compiled with them: they do not wait for code that Python may call.

    Its arguments may have other types there, as a tuple of rows for two rows.
    """
    return helper(getattr(compiled, "py_func", compiled))


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk, release the GIL.

    Not ``parallel=True``: `batch` hands disjoint document ranges to threads. Not ``fastmath``: a score must not depend
    on the processor. A kernel reads constants of its own file and of `PARTS` only, and calls what its file imports by
    name: the files on disk go by the `sources` of these, and by no others.
    """
    compiled: Any = numba.njit(**OPTIONS)(function)
    if not getattr(config, "DISABLE_JIT", 0):
        with contextlib.suppress(RuntimeError):  # no writable cache directory, as in a read-only container
            compiled._cache = _Cache(function)
    return compiled  # type: ignore[no-any-return]  # a dispatcher, which is called like the function


class _Cache(FunctionCache):
    """The machine code of one kernel on disk, in `_Files`; numba has no public way to exchange a cache's files."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        locator = self._impl.locator
        stamp = repr((_digest(*sources(function.__module__)), locator.get_source_stamp(), numba.__version__))
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, _hash(stamp.encode()).hex())

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        """Keep code with checks of bounds apart from code without; numba takes one for the other."""
        return super()._index_key(signature, codegen), bool(getattr(config, "BOUNDSCHECK", 0))

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Look for machine code before numba prepares to compile, which takes longer than all else in a short run."""
        rtsys.initialize(target_context)  # the allocator, which machine code calls
        found = self._load_overload(signature, target_context)
        if found is None:
            _log.info("compiling %s", self._py_func.__qualname__)
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with contextlib.suppress(OSError):  # a full disk: the machine code is used all the same
            super().save_overload(signature, compiled)


class _Files(IndexDataCacheFile):
    """Numba's files of one kernel's machine code, without its index.

    Numba numbers the files and keeps an index of them: two processes that compile for different types at once, or one
    that is stopped in between after an upgrade, leave an index that leads to the machine code of something else, and
    an index cut short by a full disk or a loss of power ends every later run. Here the name of a file is made of the
    sources and the types, its first bytes are a checksum of the rest, and what cannot be read is compiled anew.
    """

    def __init__(self, folder: str, base: str, stamp: str) -> None:
        super().__init__(folder, base, stamp)
        self._base = base

    def save(self, key: object, data: object) -> None:
        self._save_data(self._data_name(key), data)
        for path in self._paths():
            if self._source_stamp not in os.path.basename(path):  # of another version
                os.unlink(path)

    def load(self, key: object) -> Any:
        try:
            with open(self._data_path(self._data_name(key)), "rb") as file:
                checksum, content = file.read(CHECKSUM_BYTES), file.read()
            return pickle.loads(content) if checksum == _hash(content) else None
        except Exception:  # no such file, or one that this Python cannot read
            return None

    def flush(self) -> None:
        for path in self._paths():
            os.unlink(path)

    def _data_name(self, key: object) -> str:
        return f"{self._base}.{self._source_stamp}{_hash(repr(key).encode()).hex()}.nbc"

    def _paths(self) -> list[str]:
        return glob.glob(os.path.join(glob.escape(self._cache_path), f"{glob.escape(self._base)}.*.nbc"))

    def _dump(self, data: object) -> bytes:
        content: bytes = super()._dump(data)
        return _hash(content) + content


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()


def sources(module: str) -> tuple[str, ...]:
    """Return the source files of a module, and of the modules of this package from which it imports, and so on.

    A kernel that calls one of another file holds that one's machine code, too.
    """
    found: dict[str, str] = {}
    ahead = [module]
    while ahead:
        name = ahead.pop()
        if name not in found and name in sys.modules:
            found[name] = getattr(sys.modules[name], "__file__", None) or ""
            named = vars(sys.modules[name]).values()
            imported = {str(getattr(each, "__name__" if ismodule(each) else "__module__", "")) for each in named}
            ahead += [each for each in imported if each.startswith(PACKAGE)]
    return tuple(found[name] for name in sorted(found))


@functools.cache
def _digest(*files: str) -> str:
    """Digest of source files, and of what every kernel may be made of.

    Times and sizes, which some versions of numba go by, may be the same after an upgrade, and none looks at other
    files.
    """
    parts = [os.path.join(os.path.dirname(__file__), name) for name in PARTS]
    return _hash(b"".join(map(_read, [*files, *parts]))).hex()


@functools.cache
def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # a package without its sources
        return b""
