"""Fresh Python processes for tests, as users start them."""

import ctypes
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import arraycoref
import oracle

PACKAGE = Path(arraycoref.__file__).parent
KEY, RESPONSE = [0, 0, 0, 1, -1, 2], [-1, 0, 0, 1, 1, 2]

SCORE = f"""
import arraycoref as ac
far = [label << 40 if label > 0 else label for label in {KEY}]
s = ac.score_labels(far, {RESPONSE}, metrics="muc,mentions,bcub")
print(s["muc"].recall, s["muc"].precision, *map(int, s.counts["mentions"]))
"""
"""Prints what `expected` returns."""

HASH = """
import arraycoref as ac, numpy as np
from arraycoref.kernels.factorize import drop_singletons
from arraycoref.kernels.giants import deal_by_hash
ends, dealt, kept = np.zeros(1024, np.int64), np.empty(3, np.int64), np.empty(3, np.int64)
deal_by_hash(np.array([7, 9, 7]), np.uint64(1), ends, dealt, *np.empty((2, 3), np.int32))
drop_singletons(np.array([0, 1, 0], np.int32), np.array([0, 3]), np.array([0, 2]), kept)
print(np.unique(ends).size - 1, kept.tolist())
"""
"""Counts the buckets of labels, and shows which mentions are no singletons; both kernels compile fast."""

HASHED = "2 [0, -1, 0]\n"
"""What `HASH` prints."""

TIMEOUT = 600
"""Seconds after which a process counts as hung."""


def expected():
    """Return what `SCORE` has to print, by the oracle."""
    sides = [[{m for m, e in enumerate(labels) if e == entity} for entity in range(3)] for labels in (KEY, RESPONSE)]
    num, den, precision_num, precision_den = oracle.muc(*sides)
    ratios = (float(Fraction(num, den)), float(Fraction(precision_num, precision_den)))
    return " ".join(map(str, (*ratios, *oracle.mentions(*sides)))) + "\n"


def environment(**changes):
    """Return this process's environment, changed; None takes a variable away."""
    changed = {name: value for name, value in (os.environ | changes).items() if value is not None}
    changed.setdefault("PYTHONPATH", str(PACKAGE.parent))
    return changed


def python(*arguments, env=None, check=True, **options):
    """Run Python with arguments; return what it printed and how it ended."""
    options = {"capture_output": True, "text": True, "timeout": TIMEOUT, "env": environment(**(env or {}))} | options
    done = subprocess.run([sys.executable, *arguments], check=False, **options)
    assert not check or done.returncode == 0, done.stderr
    return done


def command(*arguments, **options):
    """Run the command line."""
    return python("-m", "arraycoref", *map(str, arguments), **options)


def start(*arguments, **options):
    """Start the command line and go on."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment()} | options
    return subprocess.Popen([sys.executable, "-m", "arraycoref", *map(str, arguments)], **options)


def copy_package(folder, warm=True):
    """Copy the package, with or without the machine code that it has; return what to put on the path."""
    leave = None if warm else shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "site" / "arraycoref", ignore=leave)
    return str(folder / "site")


def without_privileges():
    """Let permissions hold for root too, from the next program on: to be run between fork and exec."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "prctl")


def read_only(*folders):
    """Take the permission to write away from folders and all below."""
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
