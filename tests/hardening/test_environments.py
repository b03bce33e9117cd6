"""Scores are the same whatever runs Python, and however."""

import ctypes
import os
import shutil
import sys
from pathlib import Path

import pytest
from processes import HASH, HASHED, copy_package, python

from arraycoref.twin import ENGINES
from marks import process

pytestmark = process


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_score_from_many_threads(engine):
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
    assert python("-c", code, env={"ARRAYCOREF_ENGINE": engine}).stdout == "True\n"


WHERE = (
    "from arraycoref.kernels import contingency_batch; print(ac.__file__); print(contingency_batch.stats.cache_path)"
)


def without_privileges():
    """Let permissions hold for root too, from the next program on: to be run between fork and exec."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "prctl")


def in_place(folder, **env):
    """Hash numbers with a copied package and a home of which nothing, or not all, can be written."""
    nothing = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": None, "PYTHONPATH": str(folder / "site")}
    done = python("-c", HASH + WHERE, env=nothing | env, cwd=folder / "site", preexec_fn=without_privileges)
    hashed, path, place = done.stdout.splitlines(keepends=True)
    assert (hashed, done.stderr) == (HASHED, "")
    assert Path(path.strip()).parent == folder / "site" / "arraycoref"
    return place.strip()


@pytest.mark.kernels
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")
def test_read_only_install(tmp_path):
    """The machine code goes to the user's cache, which another run finds; without one, it is not kept."""
    copy_package(tmp_path, ignore=shutil.ignore_patterns("__pycache__"))
    home, nothing = tmp_path / "home", tmp_path / "nothing"
    home.mkdir()
    nothing.mkdir()
    for path in (nothing, tmp_path / "site", *(tmp_path / "site").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert Path(in_place(tmp_path, HOME=str(home))).is_relative_to(home)
    kept = sorted(home.rglob("*.nbc"))
    assert kept
    in_place(tmp_path, HOME=str(home))
    assert sorted(home.rglob("*.nbc")) == kept
    nowhere = str(nothing / "at" / "all")
    assert in_place(tmp_path, HOME=nowhere, TMPDIR=nowhere, XDG_CACHE_HOME=nowhere) == "None"
