"""Tagsets: NKJP, IPI PAN, Universal Dependencies, Prague, and any other from a definition file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from arraycoref.errors import UnknownNameError
from arraycoref.tagging.tagsets.definition import read_definition
from arraycoref.tagging.tagsets.layouts import POS, PositionalTagset, SeparatedTagset, Slot, Tagset, UniversalTagset

AnyTagset = str | Path | Tagset
"""What names a tagset; see `load_tagset`."""

TAGSETS = ("ipipan", "nkjp", "prague", "ud")
"""The tagsets that come with the package."""


def load_tagset(name: AnyTagset) -> Tagset:
    """Get a tagset.

        >>> load_tagset("nkjp").parse("subst:sg:nom:n")
        {'pos': 'subst', 'number': 'sg', 'case': 'nom', 'gender': 'n'}

    Args:
        name: one of `TAGSETS`, the path of a definition file ending in ``.toml``, or a tagset, which is returned.

    Returns:
        The tagset.

    Raises:
        UnknownNameError: neither; the message lists the names.
        ReadError: a definition file that cannot be read.
    """
    if name in TAGSETS:
        return _shipped(str(name))
    if isinstance(name, str | Path):
        if str(name).endswith(".toml"):
            return read_definition(name)
    elif hasattr(name, "parse"):
        return name
    raise UnknownNameError("tagset", str(name), (*TAGSETS, "FILE.toml"))


@cache
def _shipped(name: str) -> Tagset:
    return UniversalTagset() if name == "ud" else read_definition(Path(__file__).with_name(f"{name}.toml"))


__all__ = [
    "POS",
    "TAGSETS",
    "AnyTagset",
    "PositionalTagset",
    "SeparatedTagset",
    "Slot",
    "Tagset",
    "UniversalTagset",
    "load_tagset",
    "read_definition",
]
