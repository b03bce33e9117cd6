"""Scores are the same whatever runs Python, and however."""

import importlib.util
import multiprocessing
import re
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from processes import HASH, HASHED, PACKAGE, SCORE, copy_package, expected, python, read_only, without_privileges

import arraycoref as ac
from arraycoref.lazy import cached_property
from marks import process, slow

pytestmark = process

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


def batch(seed, n=400):
    rng = np.random.default_rng(seed)
    return rng.integers(-1, 9, 20 * n), rng.integers(-1, 9, 20 * n), np.arange(0, 20 * n + 1, 20)


def test_many_threads_at_once():
    """Python threads that score at the same time, each in threads of its own."""
    batches = [batch(seed) for seed in range(8)]
    alone = [ac.score_labels_batch(*each) for each in batches]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda each: ac.score_labels_batch(*each, threads=3), batches * 6))
    assert together == alone * 6


def test_the_first_score_from_many_threads():
    """Kernels are loaded, or compiled, while others wait for them."""
    code = """
import threading, arraycoref as ac
found, gate = [], threading.Barrier(8)
def work():
    gate.wait()
    found.append(ac.score_labels([0, 0, 1], [0, 0, 0])["muc"].recall)
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(found == [1.0] * 8)
"""
    assert python("-c", code).stdout == "True\n"


def test_cached_properties_have_no_lock():
    """Two objects compute theirs at the same time."""

    class Slow:
        @cached_property
        def value(self):
            return gate.wait(20)

    gate = threading.Barrier(2)
    objects = [Slow(), Slow()]
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(lambda each: each.value, objects)) == [0, 1]
    assert [each.value for each in objects] == [each.__dict__["value"] for each in objects]  # and once
    assert Slow.value.name == "value"
    sources = "".join(path.read_text() for path in PACKAGE.rglob("*.py") if path.name != "lazy.py")
    assert not re.search(r"functools(\.| import .*)cached_property", sources)


FORK = """
import faulthandler, os, threading, warnings
import numpy as np
import arraycoref as ac
warnings.simplefilter("ignore", DeprecationWarning)  # Python's, of forks beside threads
rng = np.random.default_rng(0)
key, response = rng.integers(-1, 9, (2, 40_000))
offsets = np.arange(0, 40_001, 20)
def work():
    return ac.score_labels_batch(key, response, offsets, threads=2)
alone, stop = work(), threading.Event()
def others():
    while not stop.is_set():
        work()
threads = [threading.Thread(target=others, daemon=True) for _ in range(2)]
[thread.start() for thread in threads]
for _ in range(20):
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(20, exit=True)
        os._exit(0 if work() == alone else 3)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
print(work() == alone)
"""


@posix
def test_fork_beside_threads():
    """A lock that another thread holds while the process forks is held in the child for good."""
    assert python("-c", FORK).stdout == "True\n"


POOL = """
import sys, warnings
import arraycoref as ac
def work(pair):
    return ac.score_labels(*pair)
if __name__ == "__main__":
    import multiprocessing
    warnings.simplefilter("ignore", DeprecationWarning)
    pairs = [([0, 0, 1, e], [0, 0, 0, -1]) for e in range(4)]
    alone = [work(pair) for pair in pairs]
    ac.score_labels_batch([0] * 8, [0] * 8, [0, 4, 8], threads=2)
    for how in sys.argv[1:]:
        if how == "joblib":
            import joblib
            found = joblib.Parallel(n_jobs=2)(joblib.delayed(work)(pair) for pair in pairs)
        else:
            with multiprocessing.get_context(how).Pool(1) as pool:
                found = pool.map(work, pairs)
        print(how, found == alone)
"""


def test_pools_of_processes(tmp_path):
    """Functions, arguments and results go to other processes and back."""
    ways = [*multiprocessing.get_all_start_methods(), *["joblib"] * bool(importlib.util.find_spec("joblib"))]
    script = tmp_path / "script.py"
    script.write_text(POOL)
    assert python(str(script), *ways).stdout == "".join(f"{how} True\n" for how in ways)


FLAGS = [["-I", "-W", "error"], ["-O"]]
MORE_FLAGS = [["-OO"], ["-X", "dev", "-W", "ignore"], ["-bb"]]


@pytest.mark.parametrize("flags", [*FLAGS, *(pytest.param(each, marks=slow) for each in MORE_FLAGS)], ids=" ".join)
def test_flags(flags):
    assert python(*flags, "-c", SCORE).stdout == expected()


INTERPRETED = """
import warnings, arraycoref as ac
with warnings.catch_warnings(record=True) as told:  # labels that need no hashing, which is meant to wrap
    warnings.simplefilter("always")
    ac.score_labels([0, 0, 1, -1], [0, 1, 1, 2])
print([str(each.message) for each in told if "overflow" in str(each.message)])
warnings.simplefilter("ignore")
import numpy as np
key = [5, 5, 5, -1, 0, 0, 2**62, -1]
response = [2**40, 2**40, 0, 0, 0, 9, 9, -1]
metrics = [m for m in ac.METRIC_NAMES if m not in ("rand", "blanc-gold")]
b = ac.score_labels_batch(key, response, [0, 4, 4, 8], metrics=metrics)
tree = np.array([[0, 1, 0.5, 2], [2, 3, 0.7, 2], [4, 5, 1.0, 4]])
cuts = ac.sweep_linkage([0, 0, 1, -1], tree)
swept = ac.sweep([0, 0, 1, 2**50], [[0, 1, -1, 2**40]])
print([[float(x) for x in counts.ravel()] for counts in b.counts.values()])
print(b.conll, cuts.sums.ravel().tolist(), swept.sums.ravel().tolist())
"""


def test_interpreted_kernels(capsys):
    """Without compiling, as for a debugger: the same sums, and whole numbers that do not wrap."""
    interpreted = python("-c", INTERPRETED, env={"NUMBA_DISABLE_JIT": "1"}).stdout
    with warnings.catch_warnings():
        exec(INTERPRETED, {})
    assert interpreted == capsys.readouterr().out
    assert interpreted.startswith("[]\n[[")


def test_notebook():
    """What a cell shows is a table, and a cell may be run again."""
    pytest.importorskip("IPython")
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
first = shell.run_cell("import arraycoref as ac; b = ac.score_labels_batch([0, 0], [0, 0], [0, 2], threads=2); b")
assert first.success
for _ in range(2):
    shown = shell.display_formatter.format(shell.run_cell("b.corpus").result)[0]
    assert shown["text/html"].startswith("<table><caption>Scores, percent") and "<td>100.00</td>" in shown["text/html"]
    assert shown["text/plain"].startswith("<Scores, percent")
shown = shell.display_formatter.format(first.result)[0]
assert "BatchScores of 1 document" in shown["text/html"]
cell = "import multiprocessing as m\\nwith m.get_context('fork').Pool(2) as p: print(p.map(len, [b, b]))"
assert shell.run_cell(cell).success
"""
    done = python("-c", code, env={"IPYTHONDIR": "/nonexistent", "PYTHONWARNINGS": "ignore"})
    assert done.stdout.splitlines()[-1] == "[1, 1]"


def test_html_is_escaped():
    name = "<script>'&\""
    shown = ac.score_batch({name: [["a"]]}, {name: [["a"]]})[name]._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


# -- where nothing can be written --------------------------------------------------------------------------------------


def in_place(folder, **env):
    """Hash numbers with a copied package and a home of which nothing, or not all, can be written."""
    nothing = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "PYTHONPATH": str(folder / "site")}
    code = HASH + "from arraycoref.cli.warmup import _cache_place; print(ac.__file__); print(_cache_place())"
    done = python("-c", code, env=nothing | env, cwd=folder / "site", preexec_fn=without_privileges)
    hashed, path, place = done.stdout.splitlines(keepends=True)
    assert hashed == HASHED
    assert done.stderr == ""
    assert Path(path.strip()).parent == folder / "site" / "arraycoref"
    return place.strip()


@posix
def test_read_only_install(tmp_path):
    """The machine code goes to the user's cache, which another run finds."""
    copy_package(tmp_path, warm=False)
    home = tmp_path / "home"
    home.mkdir()
    read_only(tmp_path / "site")
    assert Path(in_place(tmp_path, HOME=str(home))).is_relative_to(home)
    kept = sorted(home.rglob("*.nbc"))
    assert kept
    in_place(tmp_path, HOME=str(home))
    assert sorted(home.rglob("*.nbc")) == kept


@posix
@pytest.mark.parametrize("home", ["absent", pytest.param("unset", marks=slow)])
def test_no_home_and_no_writable_directory(tmp_path, home):
    copy_package(tmp_path, warm=False)
    (tmp_path / "nothing").mkdir()
    read_only(tmp_path / "site", tmp_path / "nothing")
    nowhere = str(tmp_path / "nothing" / "at" / "all")
    variables = {"HOME": nowhere if home == "absent" else None, "TMPDIR": nowhere, "XDG_CACHE_HOME": nowhere}
    assert in_place(tmp_path, **variables) == "memory only, for no directory is writable"


@posix
def test_a_cache_directory_that_cannot_be_made(tmp_path):
    """``NUMBA_CACHE_DIR`` of somebody else's is passed over."""
    copy_package(tmp_path, warm=True)
    (tmp_path / "nothing").mkdir()
    read_only(tmp_path / "nothing")
    place = in_place(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "nothing" / "here"))
    assert place == str(tmp_path / "site" / "arraycoref" / "kernels" / "__pycache__")


def test_closed_streams():
    """A process without standard streams, as daemons are, can score."""
    code = "import arraycoref as ac, os; os._exit(int(ac.score_labels([0, 0], [0, 0])['muc'].recall))"
    run = subprocess.run(["sh", "-c", '"$0" -c "$1" <&- >&- 2>&-', sys.executable, code], check=False, timeout=120)
    assert run.returncode == 1
