"""What a wheel and an sdist must hold, and must not: ``python tests/check_wheel.py WHEEL SDIST``."""

import re
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = {"numpy", "scipy", "numba", "click", "narwhals", "ormsgpack", "backports-zstd"}


def main(wheel, sdist):
    """Compare both with the source tree; return the names of the wheel's dependencies."""
    ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / "arraycoref").rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        scripts = archive.read(f"{info}/entry_points.txt").decode()
    packed = {name for name in names if not name.startswith(info)}
    assert packed == ours, f"in the wheel only: {packed - ours}; missing: {ours - packed}"
    assert {"arraycoref/py.typed", "arraycoref/cli/demo_key.conll"} <= packed
    assert any(name.endswith("LICENSE") for name in names)
    relative = re.findall(r"\]\((?!https?:)[^)]*\)", metadata.get_payload())
    assert not relative, f"links that lead nowhere on an index: {relative}"
    assert "arraycoref = arraycoref.__main__:run" in scripts
    required = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    found = {line.split(">")[0].split(";")[0].strip() for line in required}
    assert found == NEEDED, found
    with tarfile.open(sdist) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    assert ours <= sources
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/oracle/muc.py", "benchmarks/__main__.py"} <= sources
    assert not any("__pycache__" in name or name.startswith((".git/", ".ci/")) for name in sources)
    print(f"{Path(wheel).name}: {len(packed)} files; {Path(sdist).name}: {len(sources)}")
    print(f"needs {', '.join(sorted(required))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
