"""The targets by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

from fuzz import arrays, commands, coreference, stored, tables, tagged

HERE = Path(__file__).parent

TARGETS: MappingProxyType[str, Callable[[bytes], None]] = MappingProxyType(
    {
        name.removeprefix("target_"): function
        for module in (coreference, tagged, arrays, tables, stored, commands)
        for name, function in vars(module).items()
        if name.startswith("target_")
    }
)


def corpus(name: str) -> list[Path]:
    """The files kept for a target."""
    return sorted((HERE / "corpus" / name).glob("*"))


def findings(name: str) -> list[Path]:
    """The inputs that once broke a promise."""
    return sorted((HERE / "findings" / name).glob("*"))
