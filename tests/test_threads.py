"""Work in threads: in order, few items ahead, and nothing left running."""

import itertools
import subprocess
import sys
import threading
import time

import pytest

from arraycoref.threads import AHEAD, stream


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    def work(n):
        time.sleep(0.002 * (n % 3))  # later items are often done first
        return n * n

    assert list(stream(work, range(40), threads)) == [n * n for n in range(40)]
    assert list(stream(work, [], threads)) == []


@pytest.mark.parametrize("threads", [1, 3])
def test_items_are_drawn_as_the_work_goes_on(threads):
    drawn = itertools.count()
    results = stream(lambda n: n, drawn, threads)
    assert [next(results) for _ in range(50)] == list(range(50))
    assert next(drawn) <= 50 + AHEAD * threads + 1
    results.close()


@pytest.mark.parametrize("where", ["work", "items", "closed"])
def test_no_thread_is_left(where):
    before, done = threading.active_count(), []

    def items():
        yield from range(5)
        if where == "items":
            raise KeyError("mine")
        yield from range(5, 1000)

    def work(n):
        if where == "work" and n == 3:
            raise KeyError("mine")
        done.append(n)
        return n

    results = stream(work, items(), 2)
    if where == "closed":
        assert next(results) == 0
        results.close()
    else:
        with pytest.raises(KeyError, match="mine"):
            list(results)
    assert threading.active_count() == before
    assert len(done) < 20


INTERRUPTED = """
import os, signal, threading, time
from arraycoref.deadline import check_time
from arraycoref.threads import run

reached, main = threading.Event(), threading.current_thread()


def work(_):
    if threading.current_thread() is main:
        reached.wait()
        {fails}
        return
    reached.set()
    while True:
        check_time()
        time.sleep(0.001)


try:
    run(work, [1, 2], 2)
except BaseException as failure:
    print(type(failure).__name__)
check_time()
"""
FAILS = {
    "KeyError": "raise KeyError('mine')",
    # It comes while the main thread waits for the other one.
    "KeyboardInterrupt": "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()",
}


@pytest.mark.parametrize("failure", FAILS)
def test_a_failure_ends_what_the_other_threads_are_at(failure):
    """Even the only item of a thread, where it looks at the clock now and then; in a process with its own signals."""
    command = [sys.executable, "-c", INTERRUPTED.format(fails=FAILS[failure])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == [failure]
