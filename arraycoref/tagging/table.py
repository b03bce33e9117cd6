"""Parse distinct tags into one table of integers: a row per tag, a column per category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.read.sources import quote
from arraycoref.tagging.tagsets import POS, AnyTagset, Tagset, load_tagset

ABSENT = -1
"""The number in `TagTable.values` where a tag lacks a category."""

MOST_CATEGORIES = 500
"""Limit on the categories of a table, each of which is a column. Universal Dependencies have about 250."""


@dataclass(frozen=True, eq=False)
class TagTable:
    """The V distinct tags of both sides, parsed: a row per tag, a column per category.

    Attributes:
        tagset: the tagset of all of them.
        names: the V tags as written.
        categories: the C categories, the part of speech first.
        values: int32 (V, C) the value of each category, `ABSENT` where a tag lacks it.
        value_names: the values of each category, by number.
    """

    tagset: Tagset
    names: tuple[str, ...]
    categories: tuple[str, ...]
    values: NDArray[np.int32]
    value_names: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def canonical(self) -> NDArray[np.int32]:
        """int32 (V,) for each tag, the first tag that has the same values: tags may be equal in different spellings."""
        _, first, inverse = np.unique(self.values, axis=0, return_index=True, return_inverse=True)
        same: NDArray[np.int32] = first[inverse.reshape(-1)].astype(np.int32)
        return same

    def column(self, category: str) -> int:
        """Return the column of a category.

        Raises:
            InputError: the table has no such category; the message lists those that it has.
        """
        if category not in self.categories:
            expected = f"expected one of: {', '.join(self.categories)}"
            raise InputError(f"unknown category {category!r} (tagset {self.tagset.name}); {expected}")
        return self.categories.index(category)


def tag_table(
    names: Sequence[str], tagset: AnyTagset, blame: Callable[[int, str], Exception] | None = None
) -> TagTable:
    """Parse distinct tags.

        >>> tag_table(["NOUN|Case=Nom", "NOUN"], "ud").values.tolist()
        [[0, 0], [0, -1]]

    Args:
        names: V different tags.
        tagset: the tagset of the tags, as `load_tagset` accepts it.
        blame: makes the error to raise for a tag that cannot be parsed, from the index of the tag in ``names`` and the
            reason; None raises the `InputError` of the tagset.

    Returns:
        The table, with the tagset's categories and any others that its parser found.

    Raises:
        InputError: a tag that cannot be parsed, or has no part of speech; more than `MOST_CATEGORIES` categories.
    """
    tagset = load_tagset(tagset)
    found: dict[str, dict[str, int]] = {category: {} for category in tagset.categories}
    cells: list[tuple[int, str, int]] = []
    for i, name in enumerate(names):
        try:
            parsed = tagset.parse(name)
        except InputError as error:
            if blame is None:
                raise
            raise blame(i, str(error)) from error
        if POS not in parsed:  # possible with tagsets that users write in Python
            raise InputError(f"tag {name!r}: no part of speech, {POS!r}, among {parsed} (tagset {tagset.name})")
        for category, value in parsed.items():
            numbers = found.setdefault(category, {})
            cells.append((i, category, numbers.setdefault(value, len(numbers))))
        if len(found) > MOST_CATEGORIES:
            among = f"among them {quote(category)} (tagset {tagset.name})"
            raise InputError(f"more than {MOST_CATEGORIES} categories, {among}")
    categories = tuple(found)
    if tagset.categories == (POS,):  # an open tagset: its features are sorted, whatever the order of the tags
        categories = (POS, *sorted(found.keys() - {POS}))
    columns = {category: column for column, category in enumerate(categories)}
    values = np.full((len(names), len(columns)), ABSENT, np.int32)
    for i, category, number in cells:
        values[i, columns[category]] = number
    return TagTable(tagset, tuple(names), categories, values, tuple(tuple(found[name]) for name in categories))
