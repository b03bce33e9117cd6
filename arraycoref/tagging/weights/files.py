"""Read and write weights files: TOML or JSON, with ``[categories]``, ``[by_pos.X]``, ``default`` and ``source``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.read.parsed import once
from arraycoref.read.sources import load_text
from arraycoref.read.unpacking import write_text
from arraycoref.tagging.tagsets import AnyTagset, load_tagset
from arraycoref.tagging.toml import load_toml
from arraycoref.tagging.weights.record import Weights

PRESETS = ("poliqarp",)
"""The weights that come with the package."""

UD_NAMES = {"negation": "Polarity", "post-prepositionality": "PrepCase", "accentability": "Variant"}
"""The names in Universal Dependencies that differ by more than case; accommodability and agglutination have none."""


def load_weights(weights: str | Path | Mapping[str, Any] | Weights, tagset: AnyTagset | None = None) -> Weights:
    """Get weights from whatever a user has.

        >>> load_weights({"pos": 4, "case": 2}).categories["pos"]
        4

    Args:
        weights: a `Weights`; a mapping from categories to weights, or one with the keys of a weights file;
            ``poliqarp``; or the path of a weights file, TOML or JSON.
        tagset: the tagset that they are for, which decides the names of a preset.

    Returns:
        The weights.

    Raises:
        ReadError: a file that cannot be read or breaks its form.
        InputError: a mapping that breaks its form.
        UnknownNameError: neither a preset nor a file with a known suffix.
    """
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, Mapping) or not isinstance(weights, str | Path):
        return _from_mapping(weights, "by hand")
    if weights in PRESETS:
        return poliqarp(tagset)
    path = Path(weights)
    if path.suffix.lower() not in (".toml", ".json"):
        raise UnknownNameError("weights", str(weights), (*PRESETS, "FILE.toml", "FILE.json"))
    table = load_toml(path, "a weights file") if path.suffix.lower() == ".toml" else _load_json(path)
    try:
        return _from_mapping(table, path.name)
    except InputError as error:
        raise ReadError(str(path), None, str(error)) from error


def poliqarp(tagset: AnyTagset | None = None) -> Weights:
    """Return the weights of the paper's experiment: how often queries of the Poliqarp search engine name a category.

        >>> poliqarp().categories["case"]
        14055.0

    Args:
        tagset: for Universal Dependencies the categories are renamed as `UD_NAMES` says.

    Returns:
        The weights, 0 for categories that no query named.

    Source: Table 1.
    """
    weights = load_weights(Path(__file__).with_name("poliqarp.toml"))
    if tagset is None or load_tagset(tagset).xpos:
        return weights
    return replace(weights, categories={UD_NAMES.get(name, name): n for name, n in weights.categories.items()})


def _load_json(path: Path) -> Any:
    text = load_text(path)
    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ReadError(str(path), error.lineno, f"not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # of numbers of thousands of digits; of deep nesting; of `once`
        raise ReadError(str(path), None, f"not a weights file: {error}") from error


def write_weights(weights: Weights, path: str | Path) -> None:
    """Write a weights file, TOML or JSON by the suffix; it appears whole or not at all.

        >>> write_weights(Weights({"pos": 4, "case": 2}), "weights.toml")
        >>> load_weights("weights.toml").categories
        {'pos': 4.0, 'case': 2.0}

    Raises:
        OSError: the file cannot be written.
    """
    write_text(render_weights(weights, "toml" if Path(path).suffix.lower() == ".toml" else "json"), path)


def render_weights(weights: Weights, format: str) -> str:
    """Return the text of a weights file.

        >>> print(render_weights(Weights({"case": 2}, default=0), "toml"), end="")
        source = "by hand"
        default = 0.0
        <BLANKLINE>
        [categories]
        "case" = 2.0

    Raises:
        UnknownNameError: the format is neither ``json`` nor ``toml``.
    """
    if format == "json":
        return json.dumps(weights.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if format != "toml":
        raise UnknownNameError("weights format", format, ("json", "toml"))
    lines = [f"source = {_quote(weights.source)}"]
    if weights.default is not None:
        lines.append(f"default = {float(weights.default)!r}")
    tables = [("categories", weights.categories)]
    tables += [(f"by_pos.{_quote(name)}", table) for name, table in weights.by_pos.items()]
    for name, table in tables:
        lines += ["", f"[{name}]", *(f"{_quote(category)} = {float(weight)!r}" for category, weight in table.items())]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """Quote as a TOML basic string; JSON's escapes are among TOML's."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def _from_mapping(table: Any, source: str) -> Weights:
    if not isinstance(table, Mapping):
        raise InputError(f"weights are {type(table).__name__}; expected a mapping from categories to weights")
    if "categories" not in table and "by_pos" not in table:
        return Weights(table, source=source)
    strange = sorted(set(table) - {"categories", "by_pos", "default", "source"})
    if strange:
        raise InputError(f"unknown key {strange[0]!r}; expected categories, by_pos, default, source")
    categories, by_pos = table.get("categories", {}), table.get("by_pos", {})
    return Weights(categories, by_pos, table.get("default"), str(table.get("source", source)))
