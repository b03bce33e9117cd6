"""Measure medians of repeated runs, in this process and in fresh ones."""

from __future__ import annotations

import gc
import hashlib
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def median_seconds(function: Callable[[], object], *, least: int = 5, seconds: float = 1.0) -> float:
    """Return the median time of calls: at least ``least``, and for about ``seconds``, after one call to warm up."""
    function()
    times: list[float] = []
    gc.disable()
    try:
        while len(times) < least or (sum(times) < seconds and len(times) < 5000):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return statistics.median(times)


def in_turn(functions: Sequence[Callable[[], object]], *, rounds: int = 20, seconds: float = 0.1) -> Floats:
    """Return the median time of each function's calls in each round, float64 (rounds, functions).

    The functions take turns, ``seconds`` each, so that a slow moment of the machine affects all.
    """
    medians = np.empty((rounds, len(functions)))
    gc.disable()
    try:
        for number_of_round in range(rounds):
            for position, function in enumerate(functions):
                function()
                times: list[float] = []
                end = time.perf_counter() + seconds
                while not times or time.perf_counter() < end:
                    start = time.perf_counter()
                    function()
                    times.append(time.perf_counter() - start)
                medians[number_of_round, position] = statistics.median(times)
    finally:
        gc.enable()
    return medians


def arithmetic(seconds: float) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return two functions that do the same hashing, in one thread and in two, and hardly use memory.

    The function in one thread takes about ``seconds``.
    """

    def work(rounds: int) -> None:
        hashlib.pbkdf2_hmac("sha256", b"", b"", rounds)

    def in_two(rounds: int) -> None:
        other = threading.Thread(target=work, args=(rounds // 2,))
        other.start()
        work(rounds // 2)
        other.join()

    rounds = round(10_000 * seconds / median_seconds(lambda: work(10_000), seconds=0.2))
    return lambda: work(rounds), lambda: in_two(rounds)


def once(function: Callable[[], object]) -> float:
    """Return the time of a single call, for functions that take too long to repeat."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def python(*arguments: str, env: Mapping[str, str] | None = None) -> str:
    """Run Python in a fresh process and return what it prints."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, text=True
    ).stdout


def python_cpu(*arguments: str, env: Mapping[str, str] | None = None) -> float:
    """Run Python in a fresh process and return its CPU time in seconds, in which other programs hardly show."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python(*arguments, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def process_seconds(*arguments: str, env: Mapping[str, str] | None = None, repeats: int = 7) -> float:
    """Return the median time of a fresh Python process."""
    return statistics.median(once(lambda: python(*arguments, env=env)) for _ in range(repeats))


def number(value: float) -> str:
    """Write a number with three significant figures, or as a whole number from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
