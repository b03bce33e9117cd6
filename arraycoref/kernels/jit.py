"""Compile kernels: decorators of compiled functions, types of their arrays, and the cache of machine code on disk."""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import os
import pickle
import sys
from collections.abc import Callable
from inspect import ismodule
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import config, event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys
from numba.extending import register_jitable
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., object])

Bytes = NDArray[np.uint8]

U = np.uint64
"""Type of indexes at random positions of arrays. Numba checks whether each signed index is negative, which takes up to
a third of the time; an unsigned index needs no check."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Options of kernels and helpers, passed to `numba.njit`."""

WITHIN: dict[str, Any] = {"no_cfunc_wrapper": True, "no_rewrites": True}
"""Further options of functions that kernels call. ``no_cfunc_wrapper`` makes no entry point for C, which saves an
eighth of the time to compile. ``no_rewrites`` skips the passes in which numba rewrites code, which saves a twentieth;
numba then compiles both branches of a test for None, so such tests belong in kernels."""

BORROWING: dict[str, Any] = {"_nrt": False}
"""Further options of functions that make no arrays: numba counts no references to them, which saves another eighth."""

PARTS = "jit.py", "intrinsics.py", "hashtable.py", "label_ranges.py", "greedy_start.py"
"""Source files on which the machine code of every kernel depends: after an edit to one, all kernels are compiled anew.
Kernels of other files may therefore use their constants."""

PACKAGE, KERNELS = (f"{__name__.rsplit('.', n)[0]}." for n in (2, 1))

CHECKSUM_BYTES = 16

NOTICE = "arraycoref: compiling kernels once, some seconds ..."


def helper(function: F) -> F:
    """Compile a function that only kernels call, never Python; its machine code is kept on disk inside theirs.

    The function must not make an array, which numba would refuse to compile, and must not return one, whose memory
    would be freed while it is in use.
    """
    compiled: F = register_jitable(**OPTIONS, **WITHIN, **BORROWING)(function)
    return compiled


def maker(function: F) -> F:
    """Do what `helper` does, for a function that makes arrays and returns them."""
    compiled: F = register_jitable(**OPTIONS, **WITHIN)(function)
    return compiled


def inlined(function: F) -> F:
    """Do what `helper` does, and inline the code in each caller, for loops that would pass the same arrays often."""
    compiled: F = register_jitable(**OPTIONS, **WITHIN, **BORROWING, forceinline=True)(function)
    return compiled


def kernel(function: F) -> F:
    """Compile a function on its first call, keep the machine code on disk, and release the GIL while it runs.

    There is no ``parallel=True``, because `batch` hands disjoint ranges of documents to threads, and no ``fastmath``,
    because a score must not depend on the processor. A kernel may read only constants of its own file and of `PARTS`,
    and call only functions that its file imports by name. The cache compares the `sources` of these, and no other file.
    """
    compiled: Any = numba.njit(**OPTIONS)(function)
    if not getattr(config, "DISABLE_JIT", 0):
        with contextlib.suppress(RuntimeError):  # no writable cache directory, as in a read-only container
            compiled._cache = _Cache(function)
    return compiled  # type: ignore[no-any-return]  # a dispatcher, which is called like the function


def is_compiled(compiled: Any) -> bool:
    """Whether the machine code of a kernel is in memory or on disk, for any types of arguments."""
    return bool(getattr(compiled, "overloads", None)) or (
        isinstance(cache := getattr(compiled, "_cache", None), _Cache) and cache.is_on_disk
    )


def runs(*kernels: Any) -> Callable[[F], F]:
    """Mark a function as the fast twin of a plain one, and say which kernels it runs; see `arraycoref.twin`.

    It gets an attribute ``is_ready``, which says whether the machine code of all these is in memory or on disk.
    """

    def mark(function: F) -> F:
        function.is_ready = lambda: all(map(is_compiled, kernels))  # type: ignore[attr-defined]
        return function

    return mark


def contiguous(array: NDArray[Any], dtype: type[np.generic] = np.int64) -> NDArray[Any]:
    """Return the array as contiguous, of one dtype and read-only; for other types, kernels would be compiled again."""
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


class _Cache(FunctionCache):
    """Numba's cache of one kernel, with `_Files` instead of its files; numba has no public way to replace them."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        locator = self._impl.locator
        stamp = repr((_digest(*sources(function.__module__)), locator.get_source_stamp(), numba.__version__))
        self._cache_file: _Files = _Files(self.cache_path, self._impl.filename_base, _hash(stamp.encode()).hex())

    @property
    def is_on_disk(self) -> bool:
        """Whether there is machine code of the present sources that this processor can run."""
        return bool(self._cache_file.is_saved)

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        """Keep code with bounds checks apart from code without them, which numba's own key confuses."""
        return super()._index_key(signature, codegen), bool(getattr(config, "BOUNDSCHECK", 0))

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Look for machine code before numba prepares to compile: preparing takes longest of all in a short run."""
        rtsys.initialize(target_context)  # the allocator, which machine code calls
        return self._load_overload(signature, target_context)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with contextlib.suppress(OSError):  # a full disk: the machine code is used all the same
            super().save_overload(signature, compiled)


class _Files(IndexDataCacheFile):
    """The files with one kernel's machine code, without the index that numba keeps of such files.

    Numba numbers the files and keeps an index. If two processes compile for different types at once, or if one is
    stopped in between after an upgrade, the index can lead to the wrong machine code. If a full disk or a power failure
    cuts the index short, every later run fails. Here the name of a file is made from the sources and the types, its
    first bytes are a checksum of the rest, and a kernel whose file cannot be read is compiled anew.
    """

    def __init__(self, folder: str, base: str, stamp: str) -> None:
        super().__init__(folder, base, stamp)
        self._base = base

    def save(self, key: object, data: object) -> None:
        self._save_data(self._data_name(key), data)
        for path in self._paths():
            if self._source_stamp not in os.path.basename(path):  # a file of another version
                os.unlink(path)

    def load(self, key: object) -> Any:
        try:
            content = self._content(self._data_path(self._data_name(key)))
            return None if content is None else pickle.loads(content)
        except Exception:  # one that this Python cannot read
            return None

    @property
    def is_saved(self) -> bool:
        """Whether there is a whole file of the present version, for this processor, that this user can read."""
        start = f"{self._base}.{self._source_stamp}{_processor()}"
        paths = (path for path in self._paths() if os.path.basename(path).startswith(start))
        return any(self._content(path) is not None for path in paths)

    def flush(self) -> None:
        for path in self._paths():
            os.unlink(path)

    def _data_name(self, key: object) -> str:
        return f"{self._base}.{self._source_stamp}{_processor()}{_hash(repr(key).encode()).hex()}.nbc"

    def _content(self, path: str) -> bytes | None:
        """Return a file's machine code; None if there is no such file, or if it is damaged or another user's."""
        try:
            with open(path, "rb") as file:
                checksum, content = file.read(CHECKSUM_BYTES), file.read()
        except OSError:
            return None
        return content if checksum == _hash(content) else None

    def _paths(self) -> list[str]:
        return glob.glob(os.path.join(glob.escape(self._cache_path), f"{glob.escape(self._base)}.*.nbc"))

    def _dump(self, data: object) -> bytes:
        content: bytes = super()._dump(data)
        return _hash(content) + content


@functools.cache
def _processor() -> str:
    """Return a digest of the processor, whose machine code another one may not run."""
    features = getattr(config, "CPU_FEATURES", None) or llvm.get_host_cpu_features().flatten()
    return _hash(repr((getattr(config, "CPU_NAME", None) or llvm.get_host_cpu_name(), features)).encode()).hex()


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()


class _Notice(event.Listener):
    """Print a line when the first kernel is compiled, if standard error is a terminal or a notebook."""

    shown = False

    def on_start(self, compiling: Any) -> None:
        module = str(compiling.data["dispatcher"].py_func.__module__)
        if not self.shown and module.startswith(PACKAGE) and sys.stderr is not None:
            self.shown = True
            if sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel"):
                print(NOTICE, file=sys.stderr, flush=True)

    def on_end(self, compiling: Any) -> None:
        pass


event.register("numba:compile", _Notice())


def sources(module: str) -> tuple[str, ...]:
    """Return the source files of a module, of all files of kernels that it imports, directly or not, and of pages.

    A kernel that calls a kernel of another file contains the machine code of both. Pages of metrics, whose formulas are
    compiled into a kernel, are imported as modules.
    """
    found: dict[str, str] = {}
    ahead = [module]
    while ahead:
        name = ahead.pop()
        if name not in found and name in sys.modules:
            found[name] = getattr(sys.modules[name], "__file__", None) or ""
            for value in vars(sys.modules[name]).values():
                imported = str(getattr(value, "__name__" if ismodule(value) else "__module__", ""))
                if imported.startswith(KERNELS) or (ismodule(value) and imported.startswith(PACKAGE)):
                    ahead.append(imported)
    return tuple(found[name] for name in sorted(found))


@functools.cache
def _digest(*files: str) -> str:
    """Return a digest of the given source files and of those in `PARTS`.

    Some versions of numba compare only the time and the size of a file, which may be the same after an upgrade, and no
    version looks at the files of other kernels.
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
