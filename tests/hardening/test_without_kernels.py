"""The package works, with the same results, without the folder of kernels: rooms hold the plain way of everything."""

import shutil
from pathlib import Path

import pytest
from processes import PACKAGE, python

from marks import process

pytestmark = process

ROOT = Path(__file__).parents[2]
ROOMS = ("scoring", "match", "sweeps", "interop", "display", "read")


@pytest.mark.kernels
def test_the_suite_passes_without_kernels(tmp_path):
    unneeded = shutil.ignore_patterns("kernels", "__pycache__", "dask_engine")
    shutil.copytree(PACKAGE, tmp_path / "arraycoref", ignore=unneeded)
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=unneeded)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    tests = [tmp_path / "tests" / room for room in ROOMS]
    for path in [path for room in tests for path in room.rglob("test_*.py")]:
        if "from arraycoref.kernels" in (text := path.read_text(encoding="utf-8")):
            assert "mark.kernels" in text, path
            path.unlink()
    command = ["-m", "pytest", "-q", "-n", "2", "-m", "not kernels and not process", *map(str, tests)]
    env = {
        "PYTHONPATH": str(tmp_path),
        "ARRAYCOREF_PROCESS": None,
        "ARRAYCOREF_ENGINE": None,
        "ARRAYCOREF_FUZZ_EXAMPLES": "10",
    }
    done = python(*command, env=env, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    where = python("-c", "import arraycoref; print(arraycoref.__file__)", env=env, cwd=tmp_path).stdout
    assert Path(where.strip()).parent == tmp_path / "arraycoref"
