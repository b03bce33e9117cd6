"""Tagsets: NKJP, IPI PAN, Universal Dependencies, Prague, and any other from a definition file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from arraycoref.errors import UnknownNameError
from arraycoref.tagging.tagsets.base import POS, Tagset
from arraycoref.tagging.tagsets.definition import read_definition
from arraycoref.tagging.tagsets.positional import PositionalTagset
from arraycoref.tagging.tagsets.separated import SeparatedTagset, Slot
from arraycoref.tagging.tagsets.universal import UniversalTagset

TAGSETS = ("ipipan", "nkjp", "prague", "ud")
"""The tagsets that come with the package."""

__all__ = [
    "POS",
    "TAGSETS",
    "PositionalTagset",
    "SeparatedTagset",
    "Slot",
    "Tagset",
    "UniversalTagset",
    "load_tagset",
    "read_definition",
]


def load_tagset(name: str | Path | Tagset) -> Tagset:
    """Get a tagset.

    Args:
        name: one of `TAGSETS`, the path of a definition file ending in ``.toml``, or a tagset, which is returned.

    Returns:
        The tagset.

    Raises:
        UnknownNameError: neither; the message lists the names.
        ReadError: a definition file that cannot be read.
    """
    if isinstance(name, str | Path):
        if str(name).endswith(".toml"):
            return read_definition(name)
        if name not in TAGSETS:
            raise UnknownNameError("tagset", str(name), (*TAGSETS, "FILE.toml"))
        return _shipped(str(name))
    return name


@cache
def _shipped(name: str) -> Tagset:
    if name == "ud":
        return UniversalTagset()
    return read_definition(Path(__file__).with_name(f"{name}.toml"))
