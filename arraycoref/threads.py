"""Threads over ranges of documents; compiled kernels let go of the interpreter's lock."""

from __future__ import annotations

import os
import threading
from _thread import LockType, allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextvars import Context, copy_context
from operator import index
from typing import TypeVar, cast

from arraycoref.deadline import stop_with
from arraycoref.errors import OptionError

T = TypeVar("T")
R = TypeVar("R")

MOST_PARKED = 64
"""Threads that are kept for later work."""

_parked: list[_Helper] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_parked.clear)  # a forked process has none of them

AHEAD = 3
"""Items a thread that `stream` draws before the first of them is done."""


def thread_count(threads: int) -> int:
    """Number of threads to use: as asked, or one a core for 0.

    Raises:
        OptionError: a negative number, or no whole one.
    """
    try:
        n = index(threads)
    except TypeError:
        n = -1
    if n < 0:
        raise OptionError(f"threads is {threads!r}; expected 1 or more, or 0 for one a core")
    if n > 0:
        return n
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    work: Callable[[T], R],
    items: Sequence[T],
    threads: int,
    progress: Callable[[int, int], None] | None = None,
    sizes: Sequence[int] | None = None,
) -> list[R]:
    """Return ``work(item)`` of each item, in order.

    The calling thread works too, and does not wait until the others run, as `threading.Thread.start` would: that takes
    0.2 ms, as long as five thousand mentions do.

    Args:
        work: touches nothing that the work on another item touches.
        items: what to work on.
        threads: 1 or more.
        progress: called with the items done so far and all of them, one call at a time.
        sizes: how many each item counts for ``progress``; None for one.

    Raises:
        BaseException: the first that ``work`` or ``progress`` raises; what is under way is finished, the rest left.
    """
    if threads == 1 and progress is None:
        return [work(item) for item in items]
    results: list[R | None] = [None] * len(items)
    failures: list[BaseException] = []
    ahead = iter(range(len(items)))
    lock = threading.Lock()
    sizes = [1] * len(items) if sizes is None else sizes
    finished, total = 0, sum(sizes)

    def take() -> None:
        nonlocal finished
        stop_with(failures)
        try:
            while not failures:
                with lock:
                    position = next(ahead, None)
                if position is None:
                    return
                results[position] = work(items[position])
                with lock:
                    finished += sizes[position]
                    if progress is not None:
                        progress(finished, total)
        except BaseException as failure:
            failures.append(failure)

    at_work: list[LockType] = []
    for _ in range(min(threads, len(items)) - 1):
        try:
            at_work.append(_start(take))
        except RuntimeError:  # the system has no more threads to give
            break
    copy_context().run(take)
    while at_work:
        try:
            at_work[-1].acquire()
            at_work.pop()
        except BaseException as failure:  # Ctrl-C, most likely
            failures.append(failure)
    if failures:
        raise failures[0]
    return cast("list[R]", results)


class _Helper:
    """A thread that waits for work once it has done some: to wake one takes half as long as to start one."""

    def __init__(self) -> None:
        self.woken = allocate_lock()
        self.woken.acquire()
        self.task: tuple[Context, Callable[[], None], LockType] | None = None
        start_new_thread(self._live, ())

    def _live(self) -> None:
        while True:
            self.woken.acquire()
            context, work, ended = cast("tuple[Context, Callable[[], None], LockType]", self.task)
            try:
                context.run(work)
            finally:
                self.task = None
                del context, work  # what they hold is no longer needed
                parked = len(_parked) < MOST_PARKED
                if parked:
                    _parked.append(self)
                ended.release()
            if not parked:
                return


def _start(work: Callable[[], None]) -> LockType:
    """Let another thread do work, in a copy of this one's context; return a lock that is released once it is done.

    Raises:
        RuntimeError: there can be no other thread.
    """
    try:
        helper = _parked.pop()
    except IndexError:
        helper = _Helper()
    ended = allocate_lock()
    ended.acquire()
    helper.task = copy_context(), work, ended
    helper.woken.release()
    return ended


def stream(work: Callable[[T], R], items: Iterable[T], threads: int) -> Generator[R, None, None]:
    """Yield ``work(item)`` of each item, in order; items are drawn as the work goes on, few of them at a time.

    What is under way is finished when the items end, when ``work`` or the items raise, and when the iterator is closed.

    Args:
        work: touches nothing that the work on another item touches.
        items: what to work on, drawn in the calling thread.
        threads: 1 or more.

    Raises:
        BaseException: the first that ``work`` raises, in order, or that the items do.
    """
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    under_way: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            under_way.append(pool.submit(copy_context().run, work, item))
            if len(under_way) > AHEAD * threads:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
