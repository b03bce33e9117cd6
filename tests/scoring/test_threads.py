"""Work in threads: in order, few items ahead, and nothing left running."""

import gc
import importlib
import itertools
import os
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import arraycoref.threads
from arraycoref.threads import AHEAD, run, stream


def test_names_are_fetched_by_one_thread_at_a_time(monkeypatch):
    """Two threads that import a package and a part of it at once would get modules half made."""
    at_work, most = [], []

    def slowly(name):
        at_work.append(name)
        time.sleep(0.01)
        most.append(len(at_work))
        at_work.remove(name)
        return importlib.import_module(name)

    monkeypatch.setattr(arraycoref, "import_module", slowly)
    names = ["score", "score_files", "sweep", "stats", "metrics", "Accumulator"]
    with ThreadPoolExecutor(len(names)) as pool:
        score, *_ = list(pool.map(arraycoref.__getattr__, names))
    assert score is arraycoref.score
    assert most == [1] * len(names)


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
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.split() == [failure]


def native_threads():
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs a list of threads")
def test_threads_are_kept_for_later_work():
    def names(_):
        time.sleep(0.001)
        return threading.get_ident()

    run(names, range(40), 4)
    before = native_threads()
    for _ in range(50):
        assert len(set(run(names, range(8), 4))) <= 4
    assert native_threads() <= before + 3  # one that is about to wait is not there yet


def test_a_thread_that_waits_keeps_nothing():
    class Item:
        pass

    def held():
        items = [Item() for _ in range(6)]
        run(lambda item: (time.sleep(0.001), item), items, 3)
        return [weakref.ref(item) for item in items]

    references = held()
    deadline = time.monotonic() + 30
    while any(reference() for reference in references) and time.monotonic() < deadline:
        time.sleep(0.01)
        gc.collect()
    assert not any(reference() for reference in references)


def test_many_callers_at_once_and_within_each_other():
    def inner(n):
        return sum(run(lambda k: k * n, range(10), 3))

    def outer(n):
        return sum(run(inner, range(n), 2))

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(outer, range(30)))
    assert found == [sum(45 * k for k in range(n)) for n in range(30)]


def test_a_thread_works_on_after_a_failure():
    def work(n):
        if n == 3:
            raise KeyError("mine")
        return n

    for _ in range(20):
        with pytest.raises(KeyError, match="mine"):
            run(work, range(8), 3)
        assert run(lambda n: -n, range(8), 3) == [0, -1, -2, -3, -4, -5, -6, -7]


FORKED = """
import os, warnings
warnings.simplefilter("ignore")  # Python warns of forks beside threads, which is what this is about
from arraycoref.threads import run

run(abs, [-1, -2, -3, -4], 3)
child = os.fork()
found = run(abs, [-1, -2, -3, -4], 3)
assert found == [1, 2, 3, 4]
if not child:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_threads_of_its_own():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout == "7\n"


def test_a_system_without_threads(monkeypatch):
    """The calling thread does the work alone."""

    def refused(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(arraycoref.threads, "_pool", None)
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert run(abs, [-1, -2, -3, -4], 3) == [1, 2, 3, 4]


AT_THE_END = """
import atexit
from arraycoref.threads import run

run(abs, [-1, -2, -3, -4], 3)
atexit.register(lambda: print(run(abs, [-1, -2, -3, -4], 3)))
"""


def test_work_while_the_interpreter_ends():
    """When it no longer starts threads."""
    done = subprocess.run([sys.executable, "-c", AT_THE_END], capture_output=True, text=True, check=True, timeout=600)
    assert (done.stdout, done.stderr) == ("[1, 2, 3, 4]\n", "")
