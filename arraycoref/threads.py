"""Threads over ranges of documents; compiled kernels let go of the interpreter's lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from arraycoref.errors import InputError

T = TypeVar("T")
R = TypeVar("R")


def thread_count(threads: int) -> int:
    """Number of threads to use: as asked, or one a core for 0.

    Raises:
        InputError: a negative number.
    """
    if threads < 0:
        raise InputError(f"threads is {threads}; expected 1 or more, or 0 for one a core")
    if threads > 0:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(work: Callable[[T], R], items: Sequence[T], threads: int, done: Callable[[int], None] | None = None) -> list[R]:
    """Return ``work(item)`` of each item, in order.

    The calling thread works too, so that one thread less has to be started: that takes as long as some thousand
    mentions do.

    Args:
        work: touches nothing that the work on another item touches.
        items: what to work on.
        threads: 1 or more.
        done: called with the number of items done, one call at a time.

    Raises:
        BaseException: the first that ``work`` or ``done`` raises; what is under way is finished, the rest left.
    """
    if threads == 1 and done is None:
        return [work(item) for item in items]
    results: list[R | None] = [None] * len(items)
    failures: list[BaseException] = []
    ahead = iter(range(len(items)))
    lock = threading.Lock()
    finished = 0

    def take() -> None:
        nonlocal finished
        try:
            while not failures:
                with lock:
                    position = next(ahead, None)
                if position is None:
                    return
                results[position] = work(items[position])
                with lock:
                    finished += 1
                    if done is not None:
                        done(finished)
        except BaseException as failure:
            failures.append(failure)

    others = [threading.Thread(target=take) for _ in range(min(threads, len(items)) - 1)]
    for thread in others:
        thread.start()
    take()
    for thread in others:
        thread.join()
    if failures:
        raise failures[0]
    return cast("list[R]", results)
