"""Fuzz for long: ``python -m tests.fuzz TARGET --minutes 5``.

It is guided by coverage where atheris is installed, and its kernels run interpreted, so that coverage leads into them.
Elsewhere inputs are changed at random. An input that breaks a promise is kept in ``tests/fuzz/findings/TARGET`` and
ends the run; from then on `test_fuzz` runs it.
"""

import argparse
import contextlib
import importlib
import importlib.util
import os
import pkgutil
import subprocess
import sys
import time
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
        if importlib.util.find_spec("atheris"):
            arguments = [sys.executable, "-m", "tests.fuzz", name, "--guided", "--minutes", str(options.minutes)]
            subprocess.run(arguments, cwd=PROJECT, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True)
        else:
            _random(name, options.minutes)


def _random(name: str, minutes: float) -> None:
    """Run a target over changes of what is kept, for some minutes."""
    from fuzz import changes
    from fuzz.registry import TARGETS, kept

    warnings.simplefilter("ignore")
    end, done = time.monotonic() + 60 * minutes, 0
    seeds = [path.read_bytes() for path in kept(name)]
    while time.monotonic() < end:
        for data in changes.changed(seeds, 1000, seed=2 + done):  # the suite has those of seed 1
            try:
                TARGETS[name](data)
            except BaseException:
                (HERE / "findings" / name).mkdir(parents=True, exist_ok=True)
                (HERE / "findings" / name / f"random-{hash(data) & 0xFFFFFFFF:08x}").write_bytes(data)
                raise
        done += 1000
    print(f"{name}: {len(seeds)} inputs, {done} changes", flush=True)


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
