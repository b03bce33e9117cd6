"""Limit the time of long work, which checks the limit between its pieces."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import TypeVar

from arraycoref.errors import ArraycorefError, OptionError, TimeLimitError

T = TypeVar("T")

_deadline: ContextVar[tuple[float, float] | None] = ContextVar("deadline", default=None)
_failures: ContextVar[Sequence[BaseException]] = ContextVar("failures", default=())


class StoppedError(ArraycorefError):
    """A thread stops before its work is done, because another thread of the same work failed."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let reading, scoring, testing or writing in the ``with`` block end with `TimeLimitError` if it takes too long.

        >>> import arraycoref as ac
        >>> with ac.time_limit(60):
        ...     scores = ac.score_labels([0, 0, 1], [0, 1, 1])

    The time is checked between pieces of work (a file, a chunk of documents, a block of resamples), which take some
    hundred milliseconds on small documents, and up to some seconds on documents of 10^8 mentions. Limits may be nested;
    the one that ends first counts. A limit holds for the thread, or the asynchronous task, that sets it, and for the
    threads that scoring starts.

    Args:
        seconds: of wall-clock time, above 0; infinity for no limit.

    Raises:
        OptionError: not a positive number.
        TimeLimitError: the work in the block is not done when the time is over.
    """
    given: object = seconds
    try:
        seconds = float(given) if isinstance(given, Real) else 0.0
    except OverflowError:
        seconds = 0.0
    if not seconds > 0:  # also true of nan
        raise OptionError(f"time limit is {given!r:.40}; expected seconds, a number above 0 that a float holds, or inf")
    end = time.monotonic() + seconds
    outer = _deadline.get()
    token = _deadline.set((end, seconds) if outer is None else min(outer, (end, seconds)))
    try:
        yield
    finally:
        _deadline.reset(token)


def stop_with(failures: Sequence[BaseException]) -> None:
    """Let `check_time` end the work of this thread as soon as ``failures``, which other threads fill, is not empty."""
    _failures.set(failures)


def check_time() -> None:
    """Raise `TimeLimitError` past the limit, and `StoppedError` when other threads of the same work failed."""
    if _failures.get():
        raise StoppedError
    deadline = _deadline.get()
    if deadline is not None and time.monotonic() > deadline[0]:
        raise TimeLimitError(f"not done within the limit of {deadline[1]:g} s")


def within_time(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and call `check_time` before each."""
    for item in items:
        check_time()
        yield item
