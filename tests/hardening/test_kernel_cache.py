"""Machine code on disk is never that of something else, and broken files of it are compiled anew."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest
from processes import HASH, HASHED, copy_package, environment, python

import arraycoref as ac
from arraycoref.kernels import factorize, jit
from marks import process, slow

pytestmark = process

MISSES = """
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in (drop_singletons, hash_numbers)))
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


def test_broken_files_are_compiled_anew(warm):
    """As a full disk, a loss of power or a worn disk leaves them: cut short, empty, of zeros, or with a wrong bit."""
    for n, path in enumerate(sorted(warm.rglob("*.nbc"))):
        content = path.read_bytes()
        flipped = content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]
        path.write_bytes([content[: len(content) // 2], b"", bytes(len(content)), flipped][n % 4])
    assert compiled(warm) == 2
    assert compiled(warm) == 0


def flips(content):
    """Yield copies of a file with one wrong bit: in each byte of the checksum, and at places all over the rest."""
    places = {*range(jit.CHECKSUM_BYTES), *np.linspace(0, len(content) - 1, 400, dtype=int).tolist()}
    for n, place in enumerate(sorted(places)):
        changed = bytearray(content)
        changed[place] ^= 1 << n % 8
        yield bytes(changed)


def holes(content):
    """Yield copies in which pages are zeros, as in sparse files, or are those of another place."""
    for page in (512, 4096):
        for first in range(0, len(content), max(page, len(content) // 100 // page * page)):
            part = content[first : first + page]
            if part.strip(b"\0"):
                yield content[:first] + bytes(len(part)) + content[first + page :]
        if content[:page] != content[page : 2 * page]:
            yield content[page : 2 * page] + content[:page] + content[2 * page :]


def cuts(content):
    """Yield copies that end too early, at places all over the file, or too late."""
    for length in np.linspace(0, len(content) - 1, 200, dtype=int).tolist():
        yield content[:length]
        yield content[:length] + bytes(len(content) - length)
    yield content + b"\0"
    yield content + content


@pytest.mark.parametrize("damaged", [flips, holes, cuts])
def test_no_damage_to_a_file_goes_unnoticed(warm, tmp_path, monkeypatch, damaged):
    """Of every file that real kernels have left; a wrong bit in machine code would give wrong scores."""
    path, kept = tmp_path / "kernel.nbc", files(tmp_path)
    monkeypatch.setattr(kept, "_data_name", lambda _key: path.name)
    n_whole = 0
    for file in sorted(warm.rglob("*.nbc")):
        content = file.read_bytes()
        path.write_bytes(content)
        if kept.load("types") is None:  # another test here has damaged it
            continue
        n_whole += 1
        for changed in damaged(content):
            path.write_bytes(changed)
            assert kept.load("types") is None
    assert n_whole == 2


def files(folder, digest="0123456789abcdef", base="kernel-1.py"):
    return jit._Files(str(folder), base, digest)


def without_last(content):
    return content[:-1]


def with_another(content):
    """Machine code of a valid form, as of another version, under a checksum that is not its own."""
    return content.replace(b"machine", b"another")


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"garbage", b"\x80\x05\x8c", without_last, with_another])
def test_whatever_the_files_hold(tmp_path, content):
    kept = files(tmp_path)
    kept.save("types", "machine code")
    assert kept.load("types") == "machine code"
    (path,) = tmp_path.iterdir()
    path.write_bytes(content(path.read_bytes()) if callable(content) else content)
    assert kept.load("types") is None
    kept.save("types", "machine code")
    assert kept.load("types") == "machine code"


def test_processes_that_save_different_types_at_once(tmp_path, monkeypatch):
    """Neither reads the machine code of the other, wherever one is overtaken."""
    for method in ("_save_data", "_data_path", "_paths"):
        one, other = files(tmp_path), files(tmp_path)
        step = getattr(one, method)

        def overtaken(*arguments, step=step, other=other):
            other.save("floats", "code for floats")
            return step(*arguments)

        monkeypatch.setattr(one, method, overtaken)
        one.save("integers", "code for integers")
        reader = files(tmp_path)
        assert reader.load("integers") == "code for integers"
        assert reader.load("floats") == "code for floats"
        for path in tmp_path.iterdir():
            path.unlink()


@pytest.mark.parametrize("method", ["_save_data", "_paths"])
def test_an_upgrade_that_is_interrupted(tmp_path, monkeypatch, method):
    """A process that ends before or after writing its code leaves nothing that a later one takes for its own."""
    files(tmp_path, "1" * 16).save("types", "old code")

    def killed(*_arguments):
        raise KeyboardInterrupt

    new = files(tmp_path, "2" * 16)
    monkeypatch.setattr(new, method, killed)
    with pytest.raises(KeyboardInterrupt):
        new.save("types", "new code")
    assert files(tmp_path, "1" * 16).load("types") == "old code"
    assert files(tmp_path, "2" * 16).load("types") in (None, "new code")
    files(tmp_path, "2" * 16).save("types", "new code")
    assert files(tmp_path, "2" * 16).load("types") == "new code"
    assert files(tmp_path, "1" * 16).load("types") is None  # another version's is removed


def test_the_kernels_use_these_files():
    if not hasattr(factorize.factorize_labels, "_cache"):
        pytest.skip("kernels are interpreted")
    assert isinstance(factorize.factorize_labels._cache._cache_file, jit._Files)


def test_a_full_disk(tmp_path):
    """Machine code that cannot be kept is used all the same, and leaves no half files."""
    limit = (resource.RLIMIT_FSIZE, (2000, 2000))
    done = python("-c", HASH, env={"NUMBA_CACHE_DIR": str(tmp_path)}, preexec_fn=lambda: resource.setrlimit(*limit))
    assert done.stdout == HASHED
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


SHARED = "import arraycoref as ac; print(int(ac.score_labels([0] * 7, [0] * 7).counts['mentions'][0]))\n"
EDITS = [
    ("hashtable", "x = U(key) ^ seed", "x = U(123) ^ seed", HASH, HASHED, "[1, 1, 1] (1, 2)\n"),
    pytest.param("contingency", "shared += in_both\n", "shared = size-ONE\n", SHARED, "7\n", "6\n", marks=slow),
]


@pytest.mark.parametrize(("file", "old", "new", "code", "before", "after"), EDITS)
def test_upgrade_and_downgrade_in_place(tmp_path, file, old, new, code, before, after):
    """Other behaviour of equal size and time, then the first again with an older time: each run has its own.

    The file that is changed is not that of the kernel which Python calls, but of one that is compiled into it.
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
        printed = python("-c", code + "print(ac.__file__, ac.__version__)", env=env, cwd=site).stdout
        found, where = printed.splitlines(keepends=True)
        path, number = where.split()
        assert path.startswith(site)
        return found, number

    assert run() == (before, ac.__version__)
    kernel.write_text(changed)
    os.utime(kernel, (at, at))
    version.write_text('__version__ = "99"\n')
    assert run() == (after, "99")
    kernel.write_text(original)
    os.utime(kernel, (at - 1e6, at - 1e6))
    assert run() == (before, "99")
