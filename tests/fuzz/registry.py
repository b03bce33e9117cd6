"""The targets by name, and the inputs kept for each."""

from collections.abc import Callable
from pathlib import Path

from fuzz import arrays, coreference, tagged

HERE = Path(__file__).parent

TARGETS: dict[str, Callable[[bytes], None]] = {
    name.removeprefix("target_"): function
    for module in (coreference, tagged, arrays)
    for name, function in vars(module).items()
    if name.startswith("target_")
}


def kept(name: str) -> list[Path]:
    """The corpus of a target, and the inputs that once broke a promise."""
    return [path for kind in ("corpus", "findings") for path in sorted((HERE / kind / name).glob("*"))]
