"""The decorators of every compiled function, and their machine code on disk."""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import config
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.runtime.nrt import rtsys

F = TypeVar("F", bound=Callable[..., object])

NEEDLESS = ("InlineClosureLikes", "NopythonRewrites")
"""Passes of numba's compiler that look for functions within functions, and for arithmetic on whole arrays, of which
they make one loop. Kernels are written with neither; to look takes a twelfth of the compiling."""


class _Compiler(CompilerBase):
    """Numba's own, less what is needless."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0].__name__ not in NEEDLESS]
        passes.finalize()
        return [passes]


OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "pipeline_class": _Compiler,
}
"""Of kernels and helpers; wrappers for callers that there are none of take a twentieth of the compiling."""

PARTS = ("jit.py", "instructions.py")
"""Files whose edits have every kernel compiled anew."""


def before_compiling() -> None:
    """Nothing; what `arraycoref.kernels.lean` puts in its place is called when a kernel is not on disk."""


while_loading: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext
"""Likewise, what machine code is loaded in."""


def helper(function: F) -> F:
    """Compile a function that only kernels of the same file call, never Python: it is kept on disk as part of them."""
    alone = OPTIONS | {"no_cpython_wrapper": True}
    compiled: F = numba.njit(**alone)(function)
    return compiled


def kernel(function: F) -> F:
    """Compile on first call, keep the machine code on disk, release the GIL.

    Not ``parallel=True``: `batch` hands disjoint document ranges to threads. Not ``fastmath``: a score must not depend
    on the processor. A file that holds kernels calls kernels and reads constants of that file only: the disk cache
    does not notice edits elsewhere.
    """
    try:
        compiled: F = numba.njit(**OPTIONS, cache=True)(function)
    except RuntimeError:  # no writable cache directory, as in a read-only container
        compiled = numba.njit(**OPTIONS)(function)
    if (cache := getattr(compiled, "_cache", None)) and hasattr(cache, "_cache_file"):
        _make_safe(cache, function.__code__.co_filename)
    compiled.__doc__ = function.__doc__
    return compiled  # a dispatcher, which is called like the function


def is_kept(function: Callable[..., object]) -> bool:
    """Tell whether machine code of a kernel as it stands is on disk, for any types, or none can be kept."""
    files = getattr(getattr(function, "_cache", None), "_cache_file", None)
    return not isinstance(files, _Files) or bool(files._load_index())


class _Files(IndexDataCacheFile):
    """Numba's files of one kernel's machine code, safe from everything but wrong bits.

    Numba names data by number and writes the index first: two processes that compile for different types at once, or
    one that is stopped in between after an upgrade, leave an index that leads to the machine code of something else,
    and an index cut short by a full disk or a loss of power ends every later run. Here a file's name tells its source
    and its types, the index comes last, and what cannot be read is compiled anew.
    """

    def __init__(self, cache_path: str, base: str, stamp: object, digest: str) -> None:
        super().__init__(cache_path, base, (stamp, digest))
        self.base, self.digest = base, digest

    def save(self, key: object, data: object) -> None:
        name = f"{self.base}.{self.digest}{hashlib.blake2b(repr(key).encode(), digest_size=8).hexdigest()}.nbc"
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})
        for path in glob.iglob(os.path.join(glob.escape(self._cache_path), f"{glob.escape(self.base)}.*.nbc")):
            if self.digest not in os.path.basename(path):  # of another version
                os.unlink(path)

    def _load_index(self) -> dict[Any, str]:
        try:
            return dict(super()._load_index())
        except Exception:  # whatever broken bytes make pickle do
            return {}

    def _load_data(self, name: str) -> object:
        try:
            with while_loading():
                return super()._load_data(name)
        except Exception as error:
            raise FileNotFoundError(name) from error  # numba takes it for a kernel not compiled yet


def _make_safe(cache: Any, source: str) -> None:
    """Let a kernel's cache use `_Files`, load without preparing to compile, and give way where nothing can be written.

    Numba prepares to compile before it looks for machine code: half of what a process's first kernel takes to load.
    """
    files, save = cache._cache_file, cache.save_overload

    def load_overload(signature: Any, target: Any) -> object:
        rtsys.initialize(target)  # the allocator, which machine code calls
        with cache._guard_against_spurious_io_errors():
            found = cache._load_overload(signature, target)
        if found is None:
            before_compiling()
        return found

    def save_overload(*arguments: Any) -> None:
        with contextlib.suppress(OSError):
            save(*arguments)

    checked = ".checked" if getattr(config, "BOUNDSCHECK", 0) else ""  # numba would take one for the other
    base = cache._impl.filename_base + checked
    cache._cache_file = _Files(cache.cache_path, base, files._source_stamp, _digest(source))
    cache.save_overload = save_overload
    cache.load_overload = load_overload


@functools.cache
def _digest(source: str) -> str:
    """Digest of a source file, and of what every kernel may be made of.

    Times and sizes, which numba goes by, may be the same after an upgrade, and it looks at no other file.
    """
    parts = [os.path.join(os.path.dirname(__file__), name) for name in PARTS]
    return hashlib.blake2b(b"".join(map(_read, [source, *parts])), digest_size=8).hexdigest()


@functools.cache
def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # a package without its sources
        return b""
