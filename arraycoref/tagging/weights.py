"""Weights of categories, one for all tags or one per part of speech, and the files that hold them.

A weights file is TOML, with ``[categories]``, ``[by_pos.X]``, ``default`` and ``source``; or categories alone.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.read.faults import quote
from arraycoref.runtime import write_text
from arraycoref.tagging.compare import TagTable
from arraycoref.tagging.tagsets import AnyTagset, load_tagset, load_toml

KEYS = ("categories", "by_pos", "default", "source")
"""The keys that a weights file may have, unless it is a mapping from categories to weights."""

UD_NAMES = {"pos": "pos", "negation": "Polarity", "post-prepositionality": "PrepCase", "accentability": "Variant"}
"""Universal Dependencies' names of preset categories, where they differ by more than a capital letter.

Accommodability and agglutination have no name there.
"""


@dataclass(frozen=True)
class Weights:
    """How much each category counts; the part of speech is the category ``pos``. Names are written as in the tagset.

    Attributes:
        categories: the weight of each category, whatever the part of speech.
        by_pos: the weights under a part of speech, ``by_pos["ger"]["case"]`` being w(case|ger) and
            ``by_pos["ger"]["pos"]`` the weight w(ger) of the part of speech itself. What is missing here is taken from
            ``categories``.
        default: the weight of a category without a weight in either; None makes such a category an error.
        source: where the weights come from, for signatures.
    """

    categories: Mapping[str, float] = field(default_factory=dict)
    by_pos: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    default: float | None = None
    source: str = "by hand"

    def __post_init__(self) -> None:
        of_parts = list(self.by_pos.values()) if isinstance(self.by_pos, Mapping) else [self.by_pos]
        for table in (self.categories, *of_parts):
            if not isinstance(table, Mapping):
                raise InputError(
                    f"{quote(table)}; expected a table for categories, and for each part of speech in by_pos"
                )
        weights: dict[str, Any] = {**self.categories, **({} if self.default is None else {"default": self.default})}
        weights |= {f"{pos}.{name}": weight for pos, table in self.by_pos.items() for name, weight in table.items()}
        for name, weight in weights.items():
            is_number = isinstance(weight, Real) and not isinstance(weight, bool)
            if not is_number or not 0 <= weight <= sys.float_info.max:
                raise InputError(f"weight of {name} is {quote(weight)}; expected a finite number that is not negative")

    def rows(self, table: TagTable, conditional: bool = False) -> NDArray[np.float64]:
        """Look up the weight of each category in each tag.

        Args:
            table: V tags of C categories.
            conditional: use the weights under the tag's part of speech, where there are any.

        Returns:
            float64 (V, C).

        Raises:
            InputError: a category of some tag has no weight, and there is no default; or a name is spelled with other
                capitals than in the tags.
        """
        parts = table.value_names[0]
        self._check_capitals(chain(self.categories, *self.by_pos.values()), table.categories, table)
        self._check_capitals(self.by_pos, parts, table)
        default = math.nan if self.default is None else self.default
        rows = np.empty(table.values.shape)
        rows[:] = [self.categories.get(name, default) for name in table.categories]
        for part, weights in self.by_pos.items() if conditional else ():
            if part in parts:
                own = {**self.categories, **weights}
                rows[table.values[:, 0] == parts.index(part)] = [own.get(name, default) for name in table.categories]
        lacking = (np.isnan(rows) & (table.values >= 0)).any(axis=0)
        if lacking.any():
            missing = ", ".join(np.array(table.categories)[lacking])
            among = f"tagset {table.tagset.name}, weights {self.source}"
            raise InputError(f"no weight for {missing} ({among}); expected one for each category, or a default")
        return np.nan_to_num(rows, nan=0.0)

    def _check_capitals(self, given: Iterable[str], known: Sequence[str], table: TagTable) -> None:
        """Refuse a name that tags do not have, but another one that differs in capitals: it would count for nothing."""
        folded = {name.casefold(): name for name in known}
        for name in given:
            if name not in known and name.casefold() in folded:
                expected = f"expected {folded[name.casefold()]!r}, as in tags (tagset {table.tagset.name})"
                raise InputError(f"weights of {name!r} ({self.source}); {expected}")


AnyWeights = str | Path | Mapping[str, Any] | Weights


def load_weights(weights: AnyWeights, tagset: AnyTagset | None = None) -> Weights:
    """Get weights from a mapping, a file, or the name of a preset.

        >>> load_weights({"pos": 4, "case": 2}).categories["pos"]
        4

    Args:
        weights: a `Weights`; a mapping from categories to weights, or one with the keys of a weights file;
            ``poliqarp``; or the path of a weights file, ending in ``.toml``.
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
    if isinstance(weights, Mapping):
        return _from_mapping(weights, "")
    if weights == "poliqarp":
        return poliqarp(tagset)
    path = Path(weights)
    if path.suffix != ".toml":
        raise UnknownNameError("weights", str(weights), ("poliqarp", "FILE.toml"))
    try:
        return _from_mapping(load_toml(path, "a weights file"), path.name)
    except InputError as error:
        raise ReadError(str(path), None, str(error)) from error


def _from_mapping(table: Mapping[str, Any], source: str) -> Weights:
    """Make weights of either form of mapping; without a source, weights of categories alone are their own name."""
    strange = [key for key in table if key not in KEYS]
    if len(strange) == len(table):
        return Weights(table, source=source or ",".join(f"{name}={weight}" for name, weight in table.items()))
    if strange:
        raise InputError(f"unknown key {strange[0]!r}; expected {', '.join(KEYS)}")
    return Weights(**{"source": source or "by hand", **table})


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
    return replace(weights, categories={UD_NAMES.get(k, k.capitalize()): n for k, n in weights.categories.items()})


def write_weights(weights: Weights, path: str | Path) -> None:
    """Write a weights file; it appears whole or not at all.

        >>> write_weights(Weights({"pos": 4, "case": 2}), "weights.toml")
        >>> load_weights("weights.toml").categories
        {'pos': 4.0, 'case': 2.0}

    Raises:
        OSError: the file cannot be written.
    """
    write_text(render_weights(weights), path)


def render_weights(weights: Weights) -> str:
    """Return the text of a weights file.

    >>> print(render_weights(Weights({"case": 2}, default=0)), end="")
    source = "by hand"
    default = 0.0
    <BLANKLINE>
    [categories]
    "case" = 2.0
    """
    lines = [f"source = {_quote(weights.source)}"]
    if weights.default is not None:
        lines.append(f"default = {float(weights.default)!r}")
    tables = {"categories": weights.categories}
    tables |= {f"by_pos.{_quote(name)}": table for name, table in weights.by_pos.items()}
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{_quote(category)} = {float(weight)!r}" for category, weight in table.items())]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """Quote a text as a TOML basic string, with the escapes of JSON, of which TOML lacks those of surrogates."""
    whole = text.encode("utf-8", "backslashreplace").decode(
        "utf-8"
    )  # the name of a file may hold bytes that are no text
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
