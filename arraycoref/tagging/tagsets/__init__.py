"""Tagsets: NKJP, IPI PAN, Universal Dependencies, Prague, and any other from a definition file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.read.parsed import quote
from arraycoref.tagging.tagsets.layouts import POS, PositionalTagset, SeparatedTagset, Slot, Tagset, UniversalTagset
from arraycoref.tagging.toml import load_toml

AnyTagset = str | Path | Tagset
"""A tagset, its name, or the path of its definition file; see `load_tagset`."""

TAGSETS = ("ipipan", "nkjp", "prague", "ud")
"""The tagsets that come with the package."""

MOST_SLOTS = 40
"""Limit on the categories of a class: the time to parse a tag grows with the square of their number."""


def load_tagset(name: AnyTagset) -> Tagset:
    """Get a tagset.

        >>> load_tagset("nkjp").parse("subst:sg:nom:n")
        {'pos': 'subst', 'number': 'sg', 'case': 'nom', 'gender': 'n'}

    Args:
        name: one of `TAGSETS`, the path of a definition file ending in ``.toml``, or a tagset, which is returned.

    Returns:
        The tagset.

    Raises:
        UnknownNameError: ``name`` is none of these; the message lists the names.
        ReadError: a definition file that cannot be read, or has another form.
    """
    if isinstance(name, str) and name in TAGSETS:
        return _shipped(name)
    if isinstance(name, str | Path):
        if str(name).endswith(".toml"):
            return read_definition(name)
    elif hasattr(name, "parse"):
        return name
    raise UnknownNameError("tagset", str(name), (*TAGSETS, "FILE.toml"))


@cache
def _shipped(name: str) -> Tagset:
    return UniversalTagset() if name == "ud" else read_definition(Path(__file__).with_name(f"{name}.toml"))


def read_definition(path: str | Path) -> SeparatedTagset | PositionalTagset:
    """Read a tagset from a definition file.

    In the layout ``separated``, the file lists the categories with their values, and the classes (parts of speech) with
    their categories in the order of the tag; optional categories are in brackets. In the layout ``positional``, the
    file lists the positions, and the characters that each position may have::

        name = "ipipan"                            name = "prague"
        layout = "separated"                       layout = "positional"
        separator = ":"                            absent = "-"
        [categories]                               positions = ["pos", "subpos", "gender"]
        number = ["sg", "pl"]                      [categories]
        [classes]                                  pos = "ACDIJNPRTVXZ"
        qub = ["[vocalicity]"]                     gender = "FHIMNQTXYZ"

    Args:
        path: the file.

    Returns:
        The tagset.

    Raises:
        ReadError: the file cannot be read, or has another form; the message names the key.
    """
    table = load_toml(path, "a tagset definition")
    layout = table.get("layout")
    if layout not in ("separated", "positional"):
        raise ReadError(str(path), None, f"layout is {quote(layout)}; expected 'separated' or 'positional'")
    try:
        return _separated(table) if layout == "separated" else _positional(table)
    except InputError as error:
        raise ReadError(str(path), None, str(error)) from error


def _separated(table: Mapping[str, Any]) -> SeparatedTagset:
    values = _values(table)
    if POS in values:
        raise InputError(f"[categories] must not define {POS!r}: the classes are its values")
    classes = {}
    for pos, slots in _section(table, "classes").items():
        if not isinstance(slots, list) or not all(isinstance(slot, str) for slot in slots):
            raise InputError(f"classes.{pos} is {quote(slots)}; expected a list of categories")
        parsed = [Slot(slot.strip("[]"), optional=slot.startswith("[") and slot.endswith("]")) for slot in slots]
        for slot in parsed:
            if slot.category not in values:
                raise InputError(f"classes.{pos}: unknown category {slot.category!r}")
        if len({slot.category for slot in parsed}) < len(parsed):
            raise InputError(f"classes.{pos}: a category appears twice")
        if len(parsed) > MOST_SLOTS:
            raise InputError(f"classes.{pos}: {len(parsed)} categories; expected at most {MOST_SLOTS}")
        classes[pos] = tuple(parsed)
    return SeparatedTagset(_text(table, "name"), _text(table, "separator"), values, classes)


def _positional(table: Mapping[str, Any]) -> PositionalTagset:
    values = _values(table)
    positions = table.get("positions")
    if not isinstance(positions, list) or POS not in positions or len(set(map(str, positions))) < len(positions):
        raise InputError(f"positions is {quote(positions)}; expected a list of different names with {POS!r}")
    missing = [position for position in positions if not isinstance(position, str) or position not in values]
    if missing:
        raise InputError(f"[categories] lacks the position {quote(missing[0])}")
    return PositionalTagset(_text(table, "name"), tuple(positions), values, _text(table, "absent"))


def _values(table: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    values = {}
    for category, listed in _section(table, "categories").items():
        if not isinstance(listed, str | list) or not all(isinstance(value, str) for value in listed):
            raise InputError(f"categories.{category} is {quote(listed)}; expected a list of values")
        values[category] = frozenset(listed)
    return values


def _section(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key)
    if not isinstance(found, dict):
        raise InputError(f"[{key}] is missing")
    return found


def _text(table: Mapping[str, Any], key: str) -> str:
    found = table.get(key)
    if not isinstance(found, str) or not found:
        raise InputError(f"{key} is {quote(found)}; expected a string")
    return found


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
