"""Weights of categories, one for all tags or one per part of speech, and the files that hold them.

A weights file is TOML or JSON, with ``[categories]``, ``[by_pos.X]``, ``default`` and ``source``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.read.parsed import quote
from arraycoref.runtime import load_text, once, write_text
from arraycoref.tagging.table import TagTable
from arraycoref.tagging.tagsets import AnyTagset, load_tagset
from arraycoref.tagging.toml import load_toml

CategoryWeights = Mapping[str, float]

LARGEST = 1e300
"""The largest weight: the sum of such weights over all categories of a tag is still finite."""

KEYS = ("categories", "by_pos", "default", "source")
"""The keys that a weights file may have, unless it is a mapping from categories to weights."""

PRESETS = ("poliqarp",)
"""The weights that come with the package."""

UD_NAMES = {"negation": "Polarity", "post-prepositionality": "PrepCase", "accentability": "Variant"}
"""Universal Dependencies' names of preset categories, where they differ by more than case.

Accommodability and agglutination have no name there.
"""


@dataclass(frozen=True)
class Weights:
    """How much each category counts; the part of speech is the category ``pos``.

    Case does not matter in names of categories; parts of speech are written as in tags.

    Attributes:
        categories: the weight of each category, whatever the part of speech.
        by_pos: the weights under a part of speech, ``by_pos["ger"]["case"]`` being w(case|ger) and
            ``by_pos["ger"]["pos"]`` the weight w(ger) of the part of speech itself. What is missing here is taken from
            ``categories``.
        default: the weight of a category without a weight in either; None makes such a category an error.
        source: where the weights come from, for signatures.
    """

    categories: CategoryWeights = field(default_factory=dict)
    by_pos: Mapping[str, CategoryWeights] = field(default_factory=dict)
    default: float | None = None
    source: str = "by hand"

    def __post_init__(self) -> None:
        if not isinstance(self.categories, Mapping) or not isinstance(self.by_pos, Mapping):
            raise InputError("categories and by_pos must be tables")
        if not all(isinstance(weights, Mapping) for weights in self.by_pos.values()):
            raise InputError("by_pos must hold a table for each part of speech")
        fields = self.__dict__  # set despite `frozen`; the record keeps copies, since callers may change their mappings
        if self.default is not None:
            fields["default"] = _number("default", self.default)
        fields["by_pos"] = {pos: _checked(f"{pos}.", weights) for pos, weights in self.by_pos.items()}
        fields["categories"] = _checked("", self.categories)

    def rows(self, table: TagTable, conditional: bool = False) -> NDArray[np.float64]:
        """Look up the weight of each category in each tag.

        Args:
            table: V tags of C categories.
            conditional: use the weights under the tag's part of speech, where there are any.

        Returns:
            float64 (V, C).

        Raises:
            InputError: a category of some tag has no weight, and there is no default; or ``by_pos`` spells a part of
                speech with other capitals than the tags.
        """
        general = _folded(self.categories)
        default = math.nan if self.default is None else self.default
        names = [category.casefold() for category in table.categories]
        rows = np.empty(table.values.shape)
        rows[:] = [general.get(name, default) for name in names]
        for part_of_speech, weights in self.by_pos.items() if conditional else ():
            if part_of_speech in table.value_names[0]:
                mine = table.values[:, 0] == table.value_names[0].index(part_of_speech)
                own = general | _folded(weights)
                rows[mine] = [own.get(name, default) for name in names]
            else:
                self._check_capitals(part_of_speech, table)
        lacking = (np.isnan(rows) & (table.values >= 0)).any(axis=0)
        if lacking.any():
            missing = ", ".join(np.array(table.categories)[lacking])
            among = f"tagset {table.tagset.name}, weights {self.source}"
            raise InputError(f"no weight for {missing} ({among}); expected one for each category, or a default")
        return np.nan_to_num(rows, nan=0.0)

    def _check_capitals(self, part_of_speech: str, table: TagTable) -> None:
        """Refuse a part of speech of ``by_pos`` that the tags spell with other capitals.

        It is allowed if the spelling of the tags has weights of its own, since two parts of speech may differ only in
        capitals.
        """
        for name in table.value_names[0]:
            if name.casefold() == str(part_of_speech).casefold() and name not in self.by_pos:
                given = f"weights under the part of speech {part_of_speech!r} ({self.source})"
                raise InputError(f"{given}; expected {name!r}, as in tags (tagset {table.tagset.name})")

    @property
    def label(self) -> str:
        """The source, and eight digits of a hash of the weights, which distinguish different weights of one source."""
        folded = {
            name: {category: float(weight) for category, weight in _folded(table).items()}
            for name, table in {"": self.categories, **self.by_pos}.items()
        }
        content = json.dumps([folded, None if self.default is None else float(self.default)], sort_keys=True)
        return f"{self.source}#{sha256(content.encode()).hexdigest()[:8]}"

    def to_dict(self) -> dict[str, Any]:
        """Return the weights as the dictionary that a weights file in JSON holds."""
        return {
            "source": self.source,
            **({} if self.default is None else {"default": self.default}),
            "categories": dict(self.categories),
            **({"by_pos": {name: dict(weights) for name, weights in self.by_pos.items()}} if self.by_pos else {}),
        }


def _folded(weights: CategoryWeights) -> dict[str, float]:
    return {category.casefold(): weight for category, weight in weights.items()}


def _checked(place: str, weights: CategoryWeights) -> dict[str, float]:
    """Copy and check the weights of categories; two names that differ only in case are an error."""
    written: dict[str, str] = {}
    for category in weights:
        if not isinstance(category, str):
            raise InputError(f"weight of {place}{quote(category)}; expected the name of a category")
        other = written.setdefault(category.casefold(), category)
        if other != category:
            raise InputError(f"weights of {place}{other} and of {place}{category}; case does not matter in these names")
    return {category: _number(f"{place}{category}", weight) for category, weight in weights.items()}


def _number(name: str, weight: object) -> float:
    """Check a weight, and return it as a Python number."""
    number = weight.item() if isinstance(weight, np.generic) else weight
    if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= LARGEST:
        return number
    expected = f"expected a finite number that is not negative, at most {LARGEST:g}"
    raise InputError(f"weight of {name} is {quote(weight)}; {expected}")


def load_weights(weights: str | Path | Mapping[str, Any] | Weights, tagset: AnyTagset | None = None) -> Weights:
    """Get weights from a mapping, a file, or the name of a preset.

        >>> load_weights({"pos": 4, "case": 2}).categories["pos"]
        4

    Args:
        weights: a `Weights`; a mapping from categories to weights, or one with the keys of a weights file;
            ``poliqarp``; or the path of a weights file, TOML or JSON.
        tagset: the tagset of the tags; the names of a preset's categories depend on it.

    Returns:
        The weights.

    Raises:
        ReadError: a file that cannot be read or is no weights file.
        InputError: a mapping that is of neither form, or a value that is no weight.
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
    """Return the weights of the paper's experiment: how often queries to the Poliqarp search engine name each category.

        >>> poliqarp().categories["case"]
        14055.0

    Args:
        tagset: for Universal Dependencies, categories are renamed according to `UD_NAMES`.

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
    except (ValueError, RecursionError) as error:  # long integers, deep nesting, names given twice
        raise ReadError(str(path), None, f"not a weights file: {error}") from error


def write_weights(weights: Weights, path: str | Path) -> None:
    """Write a weights file, in TOML or JSON according to its suffix; the file appears whole or not at all.

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
    """Quote a text as a TOML basic string, with the escapes of JSON except for characters beyond U+FFFF.

    The name of a file may hold bytes that are no text, and TOML has no escape for these. They are written as the
    visible text of a Python escape.
    """
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    escaped = (f"\\U{ord(c):08x}" if c > "\uffff" else json.dumps(c)[1:-1] for c in whole)
    return f'"{"".join(escaped)}"'.replace("\x7f", "\\u007f")


def _from_mapping(table: Any, source: str) -> Weights:
    if not isinstance(table, Mapping):
        raise InputError(f"weights are {type(table).__name__}; expected a mapping from categories to weights")
    strange = sorted(set(table) - set(KEYS), key=str)
    if len(strange) == len(table):
        return Weights(table, source=source)
    if strange:
        raise InputError(f"unknown key {strange[0]!r}; expected {', '.join(KEYS)}")
    categories, by_pos = table.get("categories", {}), table.get("by_pos", {})
    return Weights(categories, by_pos, table.get("default"), str(table.get("source", source)))
