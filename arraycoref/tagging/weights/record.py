"""Weights of categories: one for all tags, or one per part of speech."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.read.parsed import quote
from arraycoref.tagging.table import TagTable

CategoryWeights = Mapping[str, float]

LARGEST = 1e300
"""So large a weight can be added up over all categories of a tag."""


@dataclass(frozen=True)
class Weights:
    """How much each category counts; the part of speech is the category ``pos``.

    Case does not matter in names of categories; parts of speech are written as in tags.

    Attributes:
        categories: the weight of each category, whatever the part of speech.
        by_pos: the weights under a part of speech, ``by_pos["ger"]["case"]`` being w(case|ger) and
            ``by_pos["ger"]["pos"]`` the weight w(ger) of the part of speech itself. What is missing here is taken from
            ``categories``.
        default: the weight of a category that neither names; None makes such a category an error.
        source: where the weights come from, for signatures.
    """

    categories: CategoryWeights = field(default_factory=dict)
    by_pos: Mapping[str, CategoryWeights] = field(default_factory=dict)
    default: float | None = None
    source: str = "by hand"

    def __post_init__(self) -> None:
        if not isinstance(self.categories, Mapping) or not isinstance(self.by_pos, Mapping):
            raise InputError("categories and by_pos are tables")
        if not all(isinstance(weights, Mapping) for weights in self.by_pos.values()):
            raise InputError("by_pos holds a table for each part of speech")
        fields = self.__dict__  # of a frozen record, which keeps copies: their owner may change what he gave
        if self.default is not None:
            fields["default"] = _number("default", self.default)
        fields["by_pos"] = {pos: _checked(f"{pos}.", weights) for pos, weights in self.by_pos.items()}
        fields["categories"] = _checked("", self.categories)

    def rows(self, table: TagTable, conditional: bool = False) -> NDArray[np.float64]:
        """Look up the weight of each category in each tag.

        Args:
            table: V tags of C categories.
            conditional: take the weights under the tag's part of speech where there are any.

        Returns:
            float64 (V, C).

        Raises:
            InputError: a category that some tag has is without a weight, and there is no default; weights under a part
                of speech that tags write with other capitals.
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
        """Refuse a part of speech that no tag has, but for its capitals; two may differ in these alone."""
        for name in table.value_names[0]:
            if name.casefold() == str(part_of_speech).casefold() and name not in self.by_pos:
                given = f"weights under the part of speech {part_of_speech!r} ({self.source})"
                raise InputError(f"{given}; expected {name!r}, as in tags (tagset {table.tagset.name})")

    @property
    def label(self) -> str:
        """The source, and eight digits of a hash of the weights, which differ where two weights of one source do."""
        folded = {
            name: {category: float(weight) for category, weight in _folded(table).items()}
            for name, table in {"": self.categories, **self.by_pos}.items()
        }
        content = json.dumps([folded, None if self.default is None else float(self.default)], sort_keys=True)
        return f"{self.source}#{sha256(content.encode()).hexdigest()[:8]}"

    def to_dict(self) -> dict[str, Any]:
        """Return the weights as a weights file in JSON holds them."""
        return {
            "source": self.source,
            **({} if self.default is None else {"default": self.default}),
            "categories": dict(self.categories),
            **({"by_pos": {name: dict(weights) for name, weights in self.by_pos.items()}} if self.by_pos else {}),
        }


def _folded(weights: CategoryWeights) -> dict[str, float]:
    return {category.casefold(): weight for category, weight in weights.items()}


def _checked(place: str, weights: CategoryWeights) -> dict[str, float]:
    """Copy the weights of categories, whose names differ by more than case."""
    written: dict[str, str] = {}
    for category in weights:
        if not isinstance(category, str):
            raise InputError(f"weight of {place}{quote(category)}; expected the name of a category")
        other = written.setdefault(category.casefold(), category)
        if other != category:
            raise InputError(f"weights of {place}{other} and of {place}{category}; case does not matter in these names")
    return {category: _number(f"{place}{category}", weight) for category, weight in weights.items()}


def _number(name: str, weight: object) -> float:
    """Check a weight, and make a number of Python of one of NumPy's."""
    number = weight.item() if isinstance(weight, np.generic) else weight
    if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= LARGEST:
        return number
    expected = f"expected a finite number that is not negative, at most {LARGEST:g}"
    raise InputError(f"weight of {name} is {quote(weight)}; {expected}")
