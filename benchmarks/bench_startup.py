"""Measure the time of the command line from the start of the process, and the time of the import."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.timing import in_turn, once, process_seconds, python


def rows(key: Path, response: Path, name: str) -> Iterator[str]:
    """Yield a row for the import, and rows for first and later runs, which compile nothing unless told to."""
    imports = ("import numpy", "from arraycoref import score")
    numpy, ours = np.median(in_turn([lambda code=code: python("-c", code) for code in imports], rounds=10), axis=0)
    yield f"| `from arraycoref import score`, beyond numpy's {1e3 * numpy:.0f} ms | {1e3 * (ours - numpy):.0f} ms |"
    command = ("-m", "arraycoref", "score", str(key), str(response), "--profile", "conll")
    with tempfile.TemporaryDirectory() as cache:
        env = {"NUMBA_CACHE_DIR": cache}
        yield f"| `arraycoref score`, {name}, the very first time | {once(lambda: python(*command, env=env)):.2f} s |"
        yield f"| the same again | {process_seconds(*command, env=env):.2f} s |"
        env["ARRAYCOREF_ENGINE"] = "numba"
        yield f"| the first time with compiled kernels | {once(lambda: python(*command, env=env)):.2f} s |"
        yield f"| the same again | {process_seconds(*command, env=env):.2f} s |"
