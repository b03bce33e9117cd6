"""Little work is done without numba; where kernels are compiled, a terminal or a notebook says so, once."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import arraycoref
from marks import process

pytestmark = [process, pytest.mark.kernels]

DATA = Path(arraycoref.__file__).parent / "cli"
FILES = [str(DATA / "demo_key.conll"), str(DATA / "demo_response.conll")]
SCORE = ["-m", "arraycoref", "score", *FILES]
SCORES = """
import sys, arraycoref as ac
from arraycoref.cli import main
ac.score([["a", "b"], ["c"]], [["a"], ["b", "c"]])
main(["score", *sys.argv[1:], "-b", "muc"], standalone_mode=False)
print("numba" in sys.modules)
"""
KERNELS = """
import numpy as np
from arraycoref.kernels.links import join_in_order
for integer in np.int64, np.int32:  # compiled twice
    join_in_order(*np.array([[0], [1]], integer), np.arange(2), np.empty((3, 1), np.int64))
"""
NOTEBOOK = f"""
import io, sys
shown = sys.stderr = type("OutStream", (io.StringIO,), {{"__module__": "ipykernel.iostream"}})()
{KERNELS}
print(shown.getvalue(), end="")
"""
NOTICE = "arraycoref: compiling kernels once, some seconds ..."


def run(*arguments, cache, **changes):
    """Run Python on a terminal, with a folder for machine code; return what the terminal shows, and the output."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    env = os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0", "ARRAYCOREF_ENGINE": ""}
    env["PYTHONPATH"] = str(DATA.parents[1])
    given = {"env": env | changes, "stdout": subprocess.PIPE, "stderr": theirs, "timeout": 600}
    printed = subprocess.run([sys.executable, *arguments], check=True, text=True, **given).stdout
    with open(ours, "rb", buffering=0) as terminal:
        shown = terminal.read(1 << 16) or b""
    os.close(theirs)
    return shown.decode().splitlines(), printed


def kept(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_small_inputs_are_scored_without_numba(tmp_path):
    shown, printed = run("-c", SCORES, *FILES, cache=tmp_path)
    assert shown == []
    assert printed.endswith("\nFalse\n")
    assert kept(tmp_path) == []


def test_compiling_is_said_once_and_done_once(tmp_path):
    shown, printed = run(*SCORE, cache=tmp_path, ARRAYCOREF_ENGINE="numba")
    assert shown == [NOTICE]
    before = kept(tmp_path)
    assert any(name.startswith("fused.count_blocks") for name in before)
    assert run(*SCORE, cache=tmp_path, ARRAYCOREF_ENGINE="numba") == ([], printed)
    assert kept(tmp_path) == before


def test_compiling_is_said_in_python_too(tmp_path):
    assert run("-c", KERNELS, cache=tmp_path / "terminal") == ([NOTICE], "")
    assert run("-c", NOTEBOOK, cache=tmp_path / "notebook") == ([], NOTICE + "\n")
    assert run("-c", NOTEBOOK, cache=tmp_path / "notebook") == ([], "")
