"""Machine code on disk is never that of something else, and broken files of it are compiled anew."""

import os
import subprocess
import sys

import pytest
from processes import HASH, HASHED, copy_package, environment, python

import arraycoref as ac
from marks import process, slow

pytestmark = [process, pytest.mark.kernels]

MISSES = """
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in (number_mentions, join_in_order)))
"""
"""Prints how many of the two kernels were compiled."""


def compiled(cache, **env):
    """Hash numbers in a fresh process; return how many kernels it had to compile."""
    printed = python("-c", HASH + MISSES, env={"NUMBA_CACHE_DIR": str(cache)} | env).stdout
    assert printed.startswith(HASHED)
    return int(printed.removeprefix(HASHED))


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A cache that two processes filled at once, each from nothing."""
    cache = tmp_path_factory.mktemp("cache")
    start = [sys.executable, "-c", HASH]
    env = environment(NUMBA_CACHE_DIR=str(cache))
    both = [subprocess.Popen(start, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=600)[0] for process in both] == [HASHED] * 2
    return cache


def test_two_processes_compile_at_once(warm):
    assert compiled(warm) == 0
    names = [path.name for path in warm.rglob("*") if path.is_file()]
    assert all(name.endswith(".nbc") for name in names)
    assert len(names) == 2


def test_checks_of_bounds_are_not_left_behind(warm):
    """Numba keeps code with checks of bounds as it keeps code without: whichever comes first would stay."""
    assert compiled(warm, NUMBA_BOUNDSCHECK="1") == 2
    assert compiled(warm, NUMBA_BOUNDSCHECK="1") == 0
    assert compiled(warm) == 0


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes(each ^ 1 for each in content[middle : middle + 1]) + content[middle + 1 :]


DAMAGES = {
    "cut short": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
    "a wrong bit": flipped,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_broken_files_are_compiled_anew(warm, damage):
    """As a full disk, a loss of power or a worn disk leaves them; a wrong bit would give wrong scores."""
    for path in sorted(warm.rglob("*.nbc")):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert compiled(warm) == 2
    assert compiled(warm) == 0


SHARED = "import arraycoref as ac; print(int(ac.score_labels([0] * 7, [0] * 7).counts['mentions'][0]))\n"
EDITS = [
    ("hashtable", "number < 0 else", "number < 9 else", HASH, HASHED, "6 1\n"),  # none of six is known
    pytest.param("cells", "shared += in_both\n", "shared = size-ONE\n", SHARED, "7\n", "6\n", marks=slow),
]


@pytest.mark.parametrize(("file", "old", "new", "code", "before", "after"), EDITS)
def test_upgrade_and_downgrade_in_place(tmp_path, file, old, new, code, before, after):
    """Other behavior of equal size and time, then the first again with an older time: each run has its own.

    What is changed is not the kernel which Python calls, but a function that is compiled into it.
    """
    site = copy_package(tmp_path)
    kernel, version = (tmp_path / "site" / "arraycoref" / name for name in (f"kernels/{file}.py", "__init__.py"))
    original, at = kernel.read_text(), kernel.stat().st_mtime
    changed = original.replace(old, new)
    assert changed != original
    assert len(changed) == len(original)

    def run():
        for stale in kernel.parent.rglob(f"{file}.*.pyc"):
            stale.unlink()  # as installers do; Python itself goes by size and time
        env = {"NUMBA_CACHE_DIR": None, "PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1"}
        env["ARRAYCOREF_ENGINE"] = "numba"
        printed = python("-c", code + "print(ac.__file__, ac.__version__)", env=env, cwd=site).stdout
        found, where = printed.splitlines(keepends=True)
        path, number = where.split()
        assert path.startswith(site)
        return found, number

    assert run() == (before, ac.__version__)
    kernel.write_text(changed)
    os.utime(kernel, (at, at))
    version.write_text(version.read_text().replace(f'"{ac.__version__}"', '"99"'))
    assert run() == (after, "99")
    kernel.write_text(original)
    os.utime(kernel, (at - 1e6, at - 1e6))
    assert run() == (before, "99")
