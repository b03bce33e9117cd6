"""Fuzz for long, guided by coverage: ``python -m tests.fuzz TARGET --minutes 5``; needs atheris.

Kernels run interpreted, so that coverage leads into them. An input that breaks a promise is kept in
``tests/fuzz/findings/TARGET`` and ends the run; from then on `test_fuzz` runs it.
"""

import argparse
import contextlib
import importlib
import os
import pkgutil
import subprocess
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(PROJECT)]


def main() -> None:
    """Read the command line, and run the targets one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", help="a name, or all")
    parser.add_argument("--minutes", type=float, default=5.0, help="for each target (default 5)")
    parser.add_argument("--guided", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.guided:
        _guided(options.target, options.minutes)
    from fuzz.registry import TARGETS

    if options.target not in (*TARGETS, "all"):
        parser.error(f"expected a target: {', '.join(TARGETS)}, or all")
    for name in TARGETS if options.target == "all" else [options.target]:
        arguments = [sys.executable, "-m", "tests.fuzz", name, "--guided", "--minutes", str(options.minutes)]
        subprocess.run(arguments, cwd=PROJECT, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True)


def _guided(name: str, minutes: float) -> None:
    """Hand over to libFuzzer, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["arraycoref"]):
        import arraycoref

        for module in pkgutil.walk_packages(arraycoref.__path__, "arraycoref."):
            if not module.name.startswith(("arraycoref.stats.figures", "arraycoref.__main__")):
                with contextlib.suppress(ImportError):  # needs a package that is not installed
                    importlib.import_module(module.name)
    from fuzz.registry import TARGETS

    warnings.filterwarnings("ignore", category=RuntimeWarning)  # interpreted kernels let integers wrap
    folders = [HERE / kind / name for kind in ("corpus", "findings")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={max(1, round(60 * minutes))}", "-timeout=10", "-rss_limit_mb=6000", "-max_len=4096"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={folders[1]}/", *map(str, folders)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
