"""Fresh Python processes for tests, as users start them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import arraycoref

PACKAGE = Path(arraycoref.__file__).parent
KEY, RESPONSE = (PACKAGE / "cli" / f"demo_{side}.conll" for side in ("key", "response"))
HASH = """
import arraycoref as ac, numpy as np
from arraycoref.kernels.links import join_in_order
from arraycoref.kernels.mentions import number_mentions
side, bounds, numbers = (np.array([0, 3]), np.array([7, 9, 7])), np.zeros(2, np.int64), np.empty((2, 3), np.int64)
number_mentions(side, side, np.uint64(1), bounds, *numbers)
print(bounds[1], join_in_order(*np.array([[0, 0], [1, 1]]), np.arange(2), np.empty((3, 2), np.int64)))
"""
"""Counts mentions, and the links that join something; both kernels compile fast."""

HASHED = "2 1\n"
"""What `HASH` prints."""

TIMEOUT = 600
"""Seconds after which a process counts as hung."""


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
    return python("-m", "arraycoref", *map(str, arguments), **options)


def copy_package(folder, ignore=None):
    """Copy the package, with the machine code that it has; return what to put on the path."""
    shutil.copytree(PACKAGE, folder / "site" / "arraycoref", ignore=ignore)
    return str(folder / "site")
