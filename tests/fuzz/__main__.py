"""Fuzz for long: ``python -m tests.fuzz TARGET --minutes 5``; ``--compare`` holds compiled kernels to interpreted ones.

``--changes 100`` is the short run: so many changes of each target's inputs, the same in every run, compiled kernels, no
atheris. In the long one the kernels run interpreted, so that coverage leads into them. An input that breaks a promise,
or takes 10 seconds, is kept in ``tests/fuzz/findings/TARGET`` and ends the run; from then on `test_fuzz` runs it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
SHORT_SEED = 2
"""The suite runs other changes."""
sys.path[:0] = [str(HERE.parent), str(PROJECT)]


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", nargs="?", help="a name, or all")
    parser.add_argument("--minutes", type=float, default=5.0, help="for each target (default 5)")
    parser.add_argument("--changes", type=int, help="run so many changes of the inputs, the same in every run")
    parser.add_argument("--corpus", type=Path, help="a folder to begin with and to add to, a folder a target in it")
    parser.add_argument("--compare", action="store_true", help="run the corpus twice, and compare the fingerprints")
    parser.add_argument("--child", choices=("atheris", "random", "digest"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.corpus or Path(tempfile.mkdtemp(prefix="arraycoref-fuzz-"))
    if options.child:
        return _child(options.child, options.target, folder, options.minutes)
    from fuzz.registry import TARGETS

    if options.target not in (*TARGETS, "all"):
        parser.error(f"expected a target: {', '.join(TARGETS)}, or all")
    names = list(TARGETS) if options.target == "all" else [options.target]
    if options.changes is not None:
        return _short(names, options.changes)
    if options.compare:
        return max(_compare(name, folder) for name in names)
    return max(_fuzz(name, folder, options.minutes) for name in names)


def _short(names: list[str], n: int) -> int:
    """Run targets in this process over what is kept, and over n changes of it."""
    from fuzz import changes
    from fuzz.registry import TARGETS, corpus, findings

    warnings.simplefilter("ignore")
    for name in names:
        start = time.monotonic()
        seeds = [path.read_bytes() for path in (*corpus(name), *findings(name))]
        for data in (*seeds, *changes.changed(seeds, n, SHORT_SEED)):
            try:
                TARGETS[name](data)
            except BaseException:
                _keep(name, data)
                raise
        print(f"{name}: {len(seeds)} inputs, {n} changes, {time.monotonic() - start:.1f} s", flush=True)
    return 0


def _run(child: str, name: str, folder: Path, minutes: float = 0.0, interpreted: bool = True) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-m", "tests.fuzz", name, "--child", child, "--corpus", str(folder)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if interpreted else "0"}
    return subprocess.Popen(
        [*arguments, "--minutes", str(minutes)],
        cwd=PROJECT,
        env=environment,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if child != "digest" else None,
    )


def _fuzz(name: str, folder: Path, minutes: float) -> int:
    """Run one target; print executions, coverage and time, and what broke."""
    child = "atheris" if importlib.util.find_spec("atheris") else "random"
    (folder / name).mkdir(parents=True, exist_ok=True)
    start, last, lines = time.monotonic(), "", []
    process = _run(child, name, folder, minutes)
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        del lines[:-60]
        found = re.search(r"#(\d+)\s.*?(cov: \d+ ft: \d+ corp: \d+)", line)
        last = f"{found[1]} executions, {found[2]}" if found else last
    status = process.wait()
    if status:
        print("".join(lines))
    print(f"{name}: {last or lines[-1:]}, {time.monotonic() - start:.0f} s, {child}, status {status}", flush=True)
    return int(status != 0)


def _compare(name: str, folder: Path) -> int:
    """Run the corpus with compiled and with interpreted kernels."""
    outputs = []
    for interpreted in (False, True):
        process = _run("digest", name, folder, interpreted=interpreted)
        text = process.communicate()[0]
        if process.returncode:
            print(text)
            return 1
        outputs.append(json.loads(text.splitlines()[-1]))
    different = [path for path in outputs[0] if outputs[0][path] != outputs[1][path]]
    print(f"{name}: {len(outputs[0])} inputs, {len(different)} differ between compiled and interpreted kernels")
    print("".join(f"  {path}\n" for path in different), end="", flush=True)
    return int(bool(different))


def _child(kind: str, name: str, folder: Path, minutes: float) -> int:
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # interpreted kernels let integers wrap
    if kind == "atheris":
        _guided(name, folder, minutes)
    from fuzz import changes, promises
    from fuzz.registry import TARGETS, corpus, findings

    def inputs(name: str) -> list[Path]:
        return [*corpus(name), *findings(name), *sorted((folder / name).glob("*"))]

    if kind == "digest":
        digests = {
            str(path): promises.digest(TARGETS[each], path.read_bytes())
            for each in name.split(",")
            for path in inputs(each)
        }
        print(json.dumps(digests))
        return 0
    paths = inputs(name)
    seeds, end, n = [path.read_bytes() for path in paths], time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        for data in changes.changed(seeds, 1000, n):
            try:
                TARGETS[name](data)
            except BaseException:
                _keep(name, data)
                raise
        n += 1000
    print(f"#{n} random cov: 0 ft: 0 corp: {len(seeds)}")
    return 0


def _keep(name: str, data: bytes) -> None:
    (HERE / "findings" / name).mkdir(parents=True, exist_ok=True)
    (HERE / "findings" / name / f"random-{hash(data) & 0xFFFFFFFF:08x}").write_bytes(data)


def _guided(name: str, folder: Path, minutes: float) -> None:
    """Hand over to libFuzzer, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=["arraycoref"]):
        import arraycoref

        for module in pkgutil.walk_packages(arraycoref.__path__, "arraycoref."):
            if not module.name.startswith(("arraycoref.stats.figures", "arraycoref.__main__")):
                with contextlib.suppress(ImportError):  # needs a package that is not installed
                    importlib.import_module(module.name)
    from fuzz.registry import TARGETS

    kept = HERE / "findings" / name
    kept.mkdir(parents=True, exist_ok=True)
    arguments = [
        f"-max_total_time={max(1, round(60 * minutes))}",
        "-timeout=10",
        "-rss_limit_mb=6000",
        "-max_len=4096",
        "-print_final_stats=1",
        f"-artifact_prefix={kept}/",
        str(folder / name),
        str(HERE / "corpus" / name),
    ]
    (HERE / "corpus" / name).mkdir(parents=True, exist_ok=True)
    atheris.Setup([sys.argv[0], *arguments], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
