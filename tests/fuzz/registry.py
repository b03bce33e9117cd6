"""The targets by name, each with a bound of time and memory per byte of its input; and the inputs kept for each."""

import contextlib
import functools
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from fuzz import analyzed, annotated, arrays, coreference, tagged, texts

with contextlib.suppress(ImportError):  # on Windows
    import resource

HERE = Path(__file__).parent

SECONDS, SECONDS_A_BYTE = 2.0, 2e-3
MEGABYTES, MEGABYTES_A_BYTE = 64.0, 0.02
"""A target may take so much, and so much more for each byte of its input: what is linear takes a tenth of it."""


def bounded(target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Hold a target to the bounds; an input that seems to break one runs again, as the first may import and compile."""

    @functools.wraps(target)
    def run(data: bytes) -> None:
        begin, before = time.thread_time(), _peak()
        target(data)
        seconds, megabytes = SECONDS + SECONDS_A_BYTE * len(data), MEGABYTES + MEGABYTES_A_BYTE * len(data)
        if time.thread_time() - begin < seconds and _peak() - before < megabytes:
            return
        tracemalloc.start()
        try:
            begin = time.thread_time()
            target(data)
            taken, held = time.thread_time() - begin, tracemalloc.get_traced_memory()[1] / 1e6
        finally:
            tracemalloc.stop()
        assert taken < 4 * seconds, f"{len(data)} bytes take {taken:.1f} s"  # tracing takes its time
        assert held < megabytes, f"{len(data)} bytes take {held:.0f} MB"

    return run


def _peak() -> float:
    """Return the most megabytes that the process has held so far; 0 where the system does not say it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3 if "resource" in globals() else 0.0


TARGETS: dict[str, Callable[[bytes], None]] = {
    name.removeprefix("target_"): bounded(function)
    for module in (coreference, analyzed, annotated, tagged, arrays, texts)
    for name, function in vars(module).items()
    if name.startswith("target_")
}


def kept(name: str) -> list[Path]:
    """The corpus of a target, and the inputs that once broke a promise."""
    return [path for kind in ("corpus", "findings") for path in sorted((HERE / kind / name).glob("*"))]
