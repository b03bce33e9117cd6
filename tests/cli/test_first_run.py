"""The first run of the command: each kernel is compiled once, by one of two processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import arraycoref

DATA = Path(arraycoref.__file__).parent / "data"
CODE = "import sys; sys.argv[1:] = {!r}; from arraycoref.__main__ import run; run()"


def run(code, **env):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=True)


def kept(folder):
    return sorted(path.name.split("-")[0] for path in folder.rglob("*.nbc"))


def test_the_very_first_run(tmp_path):
    """No kernel is compiled for types that the other process did not foresee, and the score is what it always is."""
    half, sides = tmp_path / "half", ("key", "response")
    run("from arraycoref.warming import warm_counting; warm_counting()", NUMBA_CACHE_DIR=str(half))
    assert len(kept(half)) == len(set(kept(half))) > 4
    columns = [str(DATA / f"demo_{side}.conll") for side in sides]
    lines = [str(tmp_path / f"{side}.jsonl") for side in sides]
    for side, path, converted in zip(sides, columns, lines, strict=True):
        run(CODE.format(["convert", path, converted, "--side", side]))
    matching = ["spans.place", "sums.column_sums"]
    scanning = ["conll_lines.scan_lines", "conll_mentions.pair_items"]
    for paths, others in ((columns, [*scanning, *matching]), (lines, matching)):
        whole = tmp_path / paths[0][-5:]
        command, place = CODE.format(["score", *paths]), {"NUMBA_CACHE_DIR": str(whole), "NUMBA_DISABLE_JIT": "0"}
        assert run(command, **place).stdout == run(command, **place).stdout
        assert kept(whole) == sorted([*kept(half), *others])


def test_a_later_run(tmp_path):
    """It imports nothing that only compiling needs; where one kernel is lost, that one is compiled after all."""
    unneeded = {"numba.np.arrayobj", "numba.cpython.unicode", "numpy.ma", "scipy", "yaml"}
    unneeded -= set(run("import numpy, sys; print(*sys.modules)").stdout.split())  # NumPy 1 imports masked arrays
    code = (
        f"import sys; sys.argv[1:] = {['score', str(DATA / 'demo_key.conll'), str(DATA / 'demo_response.conll')]!r}\n"
        "try:\n"
        "    from arraycoref.__main__ import run; run()\n"
        "finally:\n"
        f"    sys.stderr.write(' '.join(sys.modules.keys() & {unneeded}))\n"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    first, later = run(code, **cache), run(code, **cache)
    assert later.stdout == first.stdout
    assert later.stderr == ""
    for path in tmp_path.rglob("alignment.align-*"):
        path.unlink()
    again = run(code, **cache)
    assert again.stdout == first.stdout
    assert "numba.np.arrayobj" in again.stderr
    assert "alignment.align" in kept(tmp_path)


def test_what_is_kept(tmp_path):
    """A kernel as it stands: neither an older one nor one with bounds checks; and where none can be, none is missed."""
    ask = (
        "from arraycoref.kernels.contingency import contingency_batch\n"
        "from arraycoref.kernels.jit import is_kept\n"
        "print(is_kept(contingency_batch))\n"
    )
    compile = "import arraycoref as ac; ac.score_labels([0], [0], metrics='muc')\n"
    place = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    assert run(ask + compile + ask, **place, NUMBA_BOUNDSCHECK="1").stdout.split() == ["False", "True"]
    assert run(ask + compile + ask, **place, NUMBA_BOUNDSCHECK="0").stdout.split() == ["False", "True"]
    assert run(ask, **place, NUMBA_BOUNDSCHECK="0").stdout.split() == ["True"]
    older = "import arraycoref.kernels.jit as jit; jit._digest = lambda source: 'older'\n"
    assert run(older + ask, **place, NUMBA_BOUNDSCHECK="0").stdout.split() == ["False"]
    assert run(ask, NUMBA_DISABLE_JIT="1").stdout.split() == ["True"]


def test_numba_without_scipy():
    """What numba would have imported is not hidden from anybody else."""
    code = (
        "import sys; from arraycoref.kernels.lean import import_numba; import_numba(); import_numba()\n"
        "assert 'scipy' not in sys.modules\n"
        "import numpy as np, arraycoref as ac\n"
        "print(ac.score_labels([0, 0, 1], [0, 0, 0])['muc'].recall)\n"
        "assert 'scipy' not in sys.modules\n"
        "import scipy.linalg; print(scipy.linalg.det(np.eye(2)))\n"
    )
    assert run(code).stdout.split() == ["1.0", "1.0"]


def test_a_module_left_unread():
    """It is there for who looks into it, and gone once machine code is loaded."""
    code = (
        "import sys; from arraycoref.kernels.lean import import_numba; import_numba()\n"
        "from arraycoref.kernels import jit\n"
        "with jit.while_loading():\n"
        "    print(sys.modules['numba.np.arrayobj'].__name__ in sys.modules)\n"
        "print('numba.np.arrayobj' in sys.modules)\n"
        "with jit.while_loading():\n"
        "    from numba.np.arrayobj import make_array\n"
        "with jit.while_loading():\n"
        "    from numba.np.arrayobj import make_array as again\n"
        "print(make_array is again, sys.modules['numba.np.arrayobj'].make_array is again)\n"
    )
    assert run(code, NUMBA_DISABLE_JIT="0").stdout.split() == ["True", "False", "True", "True"]
