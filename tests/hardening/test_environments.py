"""Scores are the same whatever runs Python, and however."""

import multiprocessing
import sys
import warnings
from pathlib import Path

import pytest
from processes import HASH, HASHED, SCORE, copy_package, expected, python, read_only, without_privileges

from marks import process

pytestmark = process

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


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


POOL = """
import sys, warnings
import arraycoref as ac
def work(pair):
    return ac.score_labels(*pair)
if __name__ == "__main__":
    import multiprocessing
    warnings.simplefilter("ignore", DeprecationWarning)
    pairs = [([0, 0, 1, e], [0, 0, 0, -1]) for e in range(4)]
    alone = [repr(work(pair)) for pair in pairs]
    ac.score_labels_batch([0] * 8, [0] * 8, [0, 4, 8], threads=2)
    for how in sys.argv[1:]:
        with multiprocessing.get_context(how).Pool(1) as pool:
            print(how, list(map(repr, pool.map(work, pairs))) == alone)
"""


def test_pools_of_processes(tmp_path):
    """Functions, arguments and results go to other processes and back; a fork after threads have scored works."""
    ways = multiprocessing.get_all_start_methods()
    script = tmp_path / "script.py"
    script.write_text(POOL)
    assert python(str(script), *ways).stdout == "".join(f"{how} True\n" for how in ways)


@pytest.mark.parametrize("flags", [["-I", "-W", "error"], ["-O"]], ids=" ".join)
def test_flags(flags):
    assert python(*flags, "-c", SCORE).stdout == expected()


INTERPRETED = """
import warnings, arraycoref as ac
with warnings.catch_warnings(record=True) as told:  # labels that need no hashing, which is meant to wrap
    warnings.simplefilter("always")
    ac.score_labels([0, 0, 1, -1], [0, 1, 1, 2])
print([str(each.message) for each in told if "overflow" in str(each.message)])
warnings.simplefilter("ignore")
key = [5, 5, 5, -1, 0, 0, 2**62, -1]
response = [2**40, 2**40, 0, 0, 0, 9, 9, -1]
metrics = [m for m in ac.METRIC_NAMES if m not in ("rand", "blanc-gold")]
b = ac.score_labels_batch(key, response, [0, 4, 4, 8], metrics=metrics)
swept = ac.sweep([0, 0, 1, 2**50], [[0, 1, -1, 2**40]])
print([[float(x) for x in counts.ravel()] for counts in b.counts.values()])
print(b.conll, swept["muc"].recall.tolist())
"""


def test_interpreted_kernels(capsys):
    """Without compiling, as for a debugger: the same sums, and whole numbers that do not wrap."""
    interpreted = python("-c", INTERPRETED, env={"NUMBA_DISABLE_JIT": "1"}).stdout
    with warnings.catch_warnings():
        exec(INTERPRETED, {})
    assert interpreted == capsys.readouterr().out
    assert interpreted.startswith("[]\n[[")


WHERE = (
    "from arraycoref.kernels import contingency_batch; print(ac.__file__); print(contingency_batch.stats.cache_path)"
)


def in_place(folder, **env):
    """Hash numbers with a copied package and a home of which nothing, or not all, can be written."""
    nothing = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "PYTHONPATH": str(folder / "site")}
    done = python("-c", HASH + WHERE, env=nothing | env, cwd=folder / "site", preexec_fn=without_privileges)
    hashed, path, place = done.stdout.splitlines(keepends=True)
    assert (hashed, done.stderr) == (HASHED, "")
    assert Path(path.strip()).parent == folder / "site" / "arraycoref"
    return place.strip()


@posix
def test_read_only_install(tmp_path):
    """The machine code goes to the user's cache, which another run finds; without one, it is not kept."""
    copy_package(tmp_path, warm=False)
    home, nothing = tmp_path / "home", tmp_path / "nothing"
    home.mkdir()
    nothing.mkdir()
    read_only(tmp_path / "site", nothing)
    assert Path(in_place(tmp_path, HOME=str(home))).is_relative_to(home)
    kept = sorted(home.rglob("*.nbc"))
    assert kept
    in_place(tmp_path, HOME=str(home))
    assert sorted(home.rglob("*.nbc")) == kept
    nowhere = str(nothing / "at" / "all")
    assert in_place(tmp_path, HOME=nowhere, TMPDIR=nowhere, XDG_CACHE_HOME=nowhere) == "None"
