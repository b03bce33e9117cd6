"""Threads over ranges of documents; compiled kernels release the GIL."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from operator import index
from typing import TYPE_CHECKING, TypeVar, cast

from arraycoref.deadline import check_time, stop_with, within_time
from arraycoref.errors import OptionError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")
R = TypeVar("R")

_pool: ThreadPoolExecutor | None = None
"""Threads that all calls share; they are kept, because starting one takes as long as scoring five thousand mentions."""

AHEAD = 3
"""Items per thread that `stream` draws before the first of them is done."""


def _forget_pool() -> None:
    global _pool  # noqa: PLW0603
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)  # a forked process has none of the threads


def thread_count(threads: int) -> int:
    """Return the number of threads to use: the given number, or one per core for 0.

    Raises:
        OptionError: a negative number, or no whole one.
    """
    try:
        n = -1 if isinstance(threads, bool) else index(threads)
    except TypeError:
        n = -1
    if n < 0:
        raise OptionError(
            f"threads is {threads!r}; expected 1 or more, or 0 for one per core, as an integer", option="threads"
        )
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
    """Return ``work(item)`` of each item, in order; the time limit is checked before each item.

    The calling thread works too, so that ``work`` may call `run` itself even if all shared threads are busy.

    Args:
        work: function of an item; it changes nothing that the work on another item uses.
        items: what to work on.
        threads: 1 or more.
        progress: called with the sizes of the items done, summed, and of all items; one call at a time.
        sizes: size of each item, for ``progress``; None if each counts as 1.

    Raises:
        BaseException: the first that ``work`` or ``progress`` raises; work that has begun is finished, no other begins.
    """
    if threads == 1 and progress is None:
        return [work(item) for item in within_time(items)]
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
                check_time()
                results[position] = work(items[position])
                with lock:
                    finished += sizes[position]
                    if progress is not None:
                        progress(finished, total)
        except BaseException as failure:
            failures.append(failure)

    helpers = _submit(take, min(threads, len(items)) - 1)
    copy_context().run(take)
    for helper in helpers:
        while not helper.cancel() and not helper.done():  # one that has not begun is cancelled
            try:
                helper.exception()
            except BaseException as failure:  # Ctrl-C, most likely
                failures.append(failure)
    if failures:
        raise failures[0]
    return cast("list[R]", results)


def _submit(work: Callable[[], None], times: int) -> list[Future[None]]:
    """Let other threads call ``work`` so many times, in copies of this context; fewer if no more threads can start."""
    global _pool  # noqa: PLW0603
    submitted: list[Future[None]] = []
    if times < 1:
        return submitted
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(thread_name_prefix="arraycoref")
    with suppress(RuntimeError):  # the system has no more threads to give, or the interpreter is about to end
        submitted.extend(_pool.submit(copy_context().run, work) for _ in range(times))
    return submitted


def stream(work: Callable[[T], R], items: Iterable[T], threads: int) -> Generator[R, None, None]:
    """Yield ``work(item)`` of each item, in order; items are drawn as the work goes on, few of them at a time.

    The time limit is checked before each item is drawn. If drawing an item raises, as in a generator that is
    interrupted, the results of the items drawn before are yielded first. If ``work`` raises, or the iterator is closed,
    work that has begun is finished.

    Args:
        work: function of an item; it changes nothing that the work on another item uses.
        items: what to work on, drawn in the calling thread.
        threads: 1 or more.

    Raises:
        BaseException: the first that ``work`` raises, in the order of the items, or that drawing an item raises.
    """
    if threads == 1:
        yield from map(work, within_time(items))
        return
    from concurrent.futures import ThreadPoolExecutor

    failures: list[BaseException] = []

    def drawn() -> Iterator[T]:
        try:
            yield from within_time(items)
        except BaseException as failure:
            failures.append(failure)

    under_way: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in drawn():
            under_way.append(pool.submit(copy_context().run, work, item))
            while under_way and (len(under_way) > AHEAD * threads or under_way[0].done()):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    if failures:
        raise failures[0]
