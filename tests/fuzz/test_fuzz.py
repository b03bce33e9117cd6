"""The short run: every input kept, every past finding, hundreds of random changes of them, both kinds of kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from fuzz import changes, promises
from fuzz.registry import HERE, TARGETS, corpus, findings

SLOW = {"command": 40, "tables": 100, "parquet": 60}
"""Changes of targets of which one takes milliseconds."""
CHANGES = 200


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():  # NumPy on headers of Python 2, lenient readers: not what is tested here
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", TARGETS)
def test_corpus_findings_and_changes(name):
    paths = corpus(name) + findings(name)
    assert paths
    for path in paths:
        TARGETS[name](path.read_bytes())
    seeds = [path.read_bytes() for path in paths]
    for position, data in enumerate(changes.changed(seeds, SLOW.get(name, CHANGES), seed=1)):
        try:
            TARGETS[name](data)
        except BaseException as error:
            error.add_note(f"change {position} of target {name}: {data!r}")
            raise


def test_promises_are_kept_to():
    """The targets can fail: a reader that raises, or misplaces its fault, is told on."""
    with pytest.raises(ZeroDivisionError):
        promises.attempt(lambda: 1 // 0)
    error = promises.attempt(lambda: promises.check_place(None, b""))[1]
    assert error is None
    with pytest.raises(AssertionError, match="line 3 is not in the file"):
        promises.check_place(promises.ReadError("file", 3, "reason"), b"a\nb")
    with pytest.raises(AssertionError):
        promises.check_place(promises.ReadError("other", 1, "reason"), b"a\nb")


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="uint64 + int64 is a float there")
def test_compiled_kernels_equal_interpreted_ones():
    """On every input kept, to the last note: what the guided run finds in one holds for the other."""
    names = [name for name in TARGETS if name not in SLOW]
    runs = []
    for interpreted in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": interpreted, "NUMBA_BOUNDSCHECK": "0"}
        command = [sys.executable, "-m", "tests.fuzz", ",".join(names), "--child", "digest"]
        runs.append(
            subprocess.Popen(command, cwd=HERE.parent.parent, env=environment, stdout=subprocess.PIPE, text=True)
        )
    compiled, plain = (json.loads(run.communicate()[0].splitlines()[-1]) for run in runs)
    assert len(compiled) == sum(len(corpus(name)) + len(findings(name)) for name in names)
    assert {path for path in compiled if compiled[path] != plain[path]} == set()


def test_corpus_is_small():
    files = [path for folder in ("corpus", "findings") for path in Path(HERE, folder).rglob("*") if path.is_file()]
    assert len(files) < 300
    assert sum(path.stat().st_size for path in files) < 300_000
    assert {path.parent.name for path in files} <= set(TARGETS)
