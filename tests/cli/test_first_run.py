"""The first run of the command compiles kernels and says so on a terminal; the second finds their machine code."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import arraycoref
from marks import process

pytestmark = process

DATA = Path(arraycoref.__file__).parent / "cli"
SCORE = [sys.executable, "-m", "arraycoref", "score", str(DATA / "demo_key.conll"), str(DATA / "demo_response.conll")]
NOTICE = b"arraycoref: compiling kernels once, some seconds ...\r\n"
KERNELS = ["conll_lines.scan_lines", "conll_mentions.pair_items", "fused.count_blocks", "mentions.number_mentions"]
"""All that a first user waits for: two of the reader, one of the matching, one of the metrics, each compiled once."""


def score(cache):
    """Run the command, which keeps machine code in a folder; return what a terminal shows of it, and its output."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    env = os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": str(DATA.parents[1])}
    printed = subprocess.run(SCORE, env=env, stdout=subprocess.PIPE, stderr=theirs, check=True, timeout=600).stdout
    with open(ours, "rb", buffering=0) as terminal:
        shown = terminal.read(1 << 16) or b""
    os.close(theirs)
    return shown, printed


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    shown, printed = score(cache)
    return cache, shown, printed


def kept(folder):
    return sorted(path.name.split("-")[0] for path in folder.rglob("*.nbc"))


def test_the_first_run_says_that_it_compiles(first):
    cache, shown, _ = first
    assert shown.startswith(NOTICE)
    assert shown.count(b"compiling") == 1
    assert kept(cache) == KERNELS


def test_a_later_run_compiles_nothing(first):
    cache, _, printed = first
    before = kept(cache)
    shown, again = score(cache)
    assert b"compiling" not in shown
    assert again == printed
    assert kept(cache) == before
