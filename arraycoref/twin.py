"""Name the fast twin of a function, and choose between the two, call by call.

A room holds the plain way to do a thing. What exists for speed is in `kernels`, has the arguments and the result of
its plain twin, and is named by a decorator on it::

    @twin("links.joins_of", each=4e-7, compiling=0.5, size=lambda first, *_: first.size)
    def joins_of(first, second, n): ...

Here `arraycoref.kernels.links.joins_of` is the fast twin. It may return `NotImplemented`: then the plain way is taken.
Without the folder `kernels`, or without numba, all that is left works as before.

Importing numba and loading machine code takes 0.2 to 0.3 s, compiling up to 10 s. So a process begins with NumPy, and a
tally is kept of the time spent in plain functions that have a compiled twin. Machine code is loaded once that time,
with what the next call is expected to take, reaches `LOADING`. If it is not on disk, it is compiled once the plain
function has spent as long as compiling takes. A process takes at most about twice as long as with the better engine.
A twin in NumPy is used from the first call on for which the plain function is expected to need more than `SMALL`.

The option ``engine``, or the environment variable `VARIABLE` where it is not given, is ``numpy`` or ``numba`` to use
one of them from the start. The scores do not depend on it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from arraycoref.exceptions import UnknownNameError, check_name

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "ARRAYCOREF_ENGINE"
ENGINES = ("numpy", "numba")
PLAIN = "plain"
"""The engine that tests use to have no twins at all, not even those that are written in NumPy."""

KERNELS = "arraycoref.kernels"

LABELS = {"labels_true": "key", "labels_pred": "response"}

LOADING = 0.1
"""Seconds in plain functions after which numba is loaded. Loading takes longer, but most such processes go on."""

SMALL = 2e-4
"""Seconds that a call of a twin takes that is written in NumPy, however little there is to do."""


@dataclass(eq=False)
class Twin:
    """A plain function and its fast twin.

    Attributes:
        name: module and function of the fast twin in `arraycoref.kernels`, such as ``links.joins_of``.
        plain: the plain function.
        size: the number of elements to work through, from the arguments.
        call: seconds that a call of the plain function takes without elements.
        each: seconds that it takes for each element.
        compiling: seconds that compiling the twin takes.
        is_compiled: whether the twin is compiled; otherwise it is written in NumPy.
        fast: the fast twin, once it is used.
        spent: seconds spent in the plain function.
        is_awaited: whether machine code was looked for on disk, and not found.
    """

    name: str
    plain: Callable[..., Any]
    size: Callable[..., float]
    call: float
    each: float
    compiling: float
    is_compiled: bool
    fast: Callable[..., Any] | None = None
    spent: float = 0.0
    is_awaited: bool = False

    def chosen(self, seconds: float) -> Callable[..., Any] | None:
        """Return the fast twin if it is to be used, where the plain function is expected to take some seconds."""
        engine = _engine.get()
        if engine is not None:
            return self.of_engine(engine)
        if self.fast is not None:
            return self.fast
        if self.is_compiled:
            least, spent = LOADING, sum(entry.spent for entry in TWINS.values() if entry.is_compiled)
        else:
            least, spent = SMALL, 0.0
        if spent + seconds < least:
            return None
        fast = _load(self.name)
        if fast is None:
            return None
        if self.is_compiled and self.spent + seconds < self.compiling:
            ready: Callable[[], bool] = fast.is_ready  # type: ignore[attr-defined]  # of `kernels.jit.runs`
            self.is_awaited = self.is_awaited or not ready()
            if self.is_awaited:
                return None
        self.fast = fast
        return fast

    def of_engine(self, engine: str) -> Callable[..., Any] | None:
        """Return the fast twin if an engine uses it."""
        if engine == PLAIN or (engine == "numpy" and self.is_compiled):
            return None
        check_name(f"engine in the environment variable {VARIABLE}", engine, ENGINES)
        if self.fast is None:
            self.fast = _load(self.name)
        return self.fast


class _Thread(threading.local):
    """The twins whose plain functions a thread is in, the innermost last."""

    def __init__(self) -> None:
        self.within: list[Twin] = []


class _HandOverError(Exception):
    """Raised in a plain function that turned out to take long, for its fast twin to take over."""

    def __init__(self, fast: Callable[..., Any]) -> None:
        super().__init__(fast)
        self.fast = fast


TWINS: dict[str, Twin] = {}
"""Every twin of the modules that were imported, by name."""

_engine: ContextVar[str | None] = ContextVar("engine", default=os.environ.get(VARIABLE) or None)
_thread = _Thread()
_failed: dict[str, Exception] = {}
"""Why modules of fast twins, by path, cannot be imported; of ``numba``, if a warning said so."""

_importing = threading.RLock()
_held: list[Any] = []


@cache
def _watch_forks() -> None:
    """Let forks wait for imports and compilers: in the child, locks of threads that it lacks are held for ever.

    The locks of other modules that numba imports come first, as they are taken last.
    """
    import_module("logging")
    import_module("concurrent.futures.thread")

    def before() -> None:
        _importing.acquire()
        _held.append(_importing)
        compilers = getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)
        if compilers is not None:
            compilers.acquire()
            _held.append(compilers)

    def after() -> None:
        while _held:
            _held.pop().release()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)


def twin(
    name: str,
    *,
    size: Callable[..., float],
    call: float = 0.0,
    each: float = 0.0,
    compiling: float = 10.0,
    compiled: bool = True,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Name the fast twin of a function; the arguments are attributes of `Twin`, ``compiled`` its `is_compiled`."""

    def decorate(plain: Callable[P, R]) -> Callable[P, R]:
        entry = TWINS[name] = Twin(name, plain, size, call, each, compiling, compiled)

        @wraps(plain)
        def either(*args: P.args, **kwargs: P.kwargs) -> R:
            engine = _engine.get()
            if engine is not None:
                fast = entry.of_engine(engine)
            else:
                fast = entry.fast or entry.chosen(call + each * size(*args, **kwargs))
            result: R = NotImplemented
            if fast is None:
                try:
                    result = _tallied(entry, *args, **kwargs)
                except _HandOverError as hand_over:
                    fast = hand_over.fast
            if fast is not None:
                result = fast(*args, **kwargs)
            return _tallied(entry, *args, **kwargs) if result is NotImplemented else result

        return either

    return decorate


def _tallied(entry: Twin, *args: Any, **kwargs: Any) -> Any:
    """Call a plain function, and add the time to its tally; of nested ones, only the outermost counts."""
    within = _thread.within
    within.append(entry)
    start = time.thread_time()
    try:
        return entry.plain(*args, **kwargs)
    finally:
        within.pop()
        if not within:
            entry.spent += time.thread_time() - start


def hand_over(seconds: float) -> None:
    """Leave the innermost plain function for its fast twin, if that is to be used where some seconds are expected."""
    fast = _thread.within[-1].chosen(seconds) if _thread.within else None
    if fast is not None:
        raise _HandOverError(fast)


def with_engine(door: Callable[P, R]) -> Callable[P, R]:
    """Use the engine that a public function is called with, its option ``engine``, until it returns.

    Labels may be named as scikit-learn names them: ``labels_true`` is the key, ``labels_pred`` the response.
    """

    @wraps(door)
    def run(*args: P.args, **options: P.kwargs) -> R:
        if "labels_pred" in options:
            options = {LABELS.get(name, name): value for name, value in options.items()}  # type: ignore[assignment]
        engine = options.get("engine")
        if engine is None:
            return door(*args, **options)
        with using(engine):  # type: ignore[arg-type]  # checked there
            return door(*args, **options)

    return run


def in_engine(engine: str | None, function: Callable[..., R], *arguments: Any) -> R:
    """Call a function in a block of `using`, in a process or thread that another library has started."""
    with using(engine):
        return function(*arguments)


@contextmanager
def using(engine: str | None) -> Iterator[None]:
    """Use an engine in a block, and in the threads that it starts; None changes nothing.

    Raises:
        UnknownNameError: an engine that does not exist.
    """
    if engine is None:
        yield
        return
    if not isinstance(engine, str) or engine not in (*ENGINES, PLAIN):
        raise UnknownNameError("engine", engine, ENGINES)
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)


def _load(name: str) -> Callable[..., Any] | None:
    """Import a fast twin; None if there is no folder of kernels, or if numba cannot be imported, with one warning."""
    path, _, function = f"{KERNELS}.{name}".rpartition(".")
    module = sys.modules.get(path)
    if module is None or getattr(module.__spec__, "_initializing", False):
        thread = threading.Thread(target=_import, args=(path,))  # Ctrl-C ends the waiting, and not half-way the import
        thread.start()
        thread.join()
        module = sys.modules.get(path)
    if error := _failed.get(path):
        is_absent = isinstance(error, ImportError) and (error.name or "").startswith(KERNELS)
        if not is_absent and "numba" not in _failed:
            _failed["numba"] = error
            warnings.warn(f"numba cannot be imported ({error}); NumPy is used, which is slower", stacklevel=2)
        return None
    fast: Callable[..., Any] = getattr(module, function)
    return fast


def _import(path: str) -> None:
    """Import a module of fast twins, or keep the error, unless that was done; a fork waits for it."""
    _watch_forks()
    with _importing:
        if path not in _failed:
            try:
                import_module(path)
            except Exception as error:  # a numba that this Python or NumPy breaks raises errors of all kinds
                _failed[path] = error


def machine_code_of(name: str) -> str | None:
    """Return the folder on disk in which the machine code of a kernel is kept; None if there is none."""
    stats = getattr(_load(name), "stats", None)  # absent where numba does not compile
    folder: str | None = getattr(stats, "cache_path", None)
    return folder or None
