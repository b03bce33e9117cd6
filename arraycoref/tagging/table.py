"""Parse distinct tags into one table of integers: a row per tag, a column per category."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.lazy import cached_property
from arraycoref.read.parsed import quote
from arraycoref.records import Record
from arraycoref.tagging.tagsets import POS, AnyTagset, Tagset, load_tagset

ABSENT = -1
"""The number in `TagTable.values` where a tag lacks a category."""

MOST_CATEGORIES = 500
"""Limit on the categories of a table, each of which is a column. Universal Dependencies have about 250."""


@dataclass(frozen=True, eq=False)
class TagTable(Record):
    """The V distinct tags of both sides, parsed.

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
        if str(category) in self.categories:  # as written first: two features may differ in case alone
            return self.categories.index(str(category))
        names = [name.casefold() for name in self.categories]
        if str(category).casefold() in names:
            return names.index(category.casefold())
        expected = f"expected one of: {', '.join(self.categories)}"
        raise InputError(f"unknown category {category!r} (tagset {self.tagset.name}); {expected}")


def tag_table(names: Sequence[str], tagset: AnyTagset, fault: Callable[[int, str], None] | None = None) -> TagTable:
    """Parse distinct tags.

        >>> tag_table(["NOUN|Case=Nom", "NOUN"], "ud").values.tolist()
        [[0, 0], [0, -1]]

    Args:
        names: V different tags.
        tagset: the tagset of the tags, as `load_tagset` accepts it.
        fault: called for each tag that cannot be parsed, with the index of the tag in ``names`` and the reason. If it
            returns, the tag counts as a part of speech of its own. None raises the `InputError` of the tagset.

    Returns:
        The table, with the tagset's categories and any others that its parser found.

    Raises:
        InputError: a tag that cannot be parsed, or has no part of speech; more than `MOST_CATEGORIES` categories.
    """
    tagset = load_tagset(tagset)
    found: dict[str, dict[str, int]] = {category: {} for category in tagset.categories}
    cells: list[tuple[int, str, int]] = []
    unknown: list[int] = []
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(f"tag {i} is {name!r:.60}; expected a text")
        try:
            parsed = tagset.parse(name)
        except InputError as error:
            if fault is None:
                raise
            fault(i, str(error))
            unknown.append(i)
            continue
        if POS not in parsed:  # possible with tagsets that users write in Python
            raise InputError(f"tag {name!r}: no part of speech, {POS!r}, among {parsed} (tagset {tagset.name})")
        for category, value in parsed.items():
            if category not in found and len(found) >= MOST_CATEGORIES:
                among = f"among them {quote(category)} (tagset {tagset.name})"
                raise InputError(f"more than {MOST_CATEGORIES} categories, {among}")
            numbers = found.setdefault(category, {})
            cells.append((i, category, numbers.setdefault(value, len(numbers))))
    parts = found[POS]
    number_of: dict[str, int] = {}
    for i in unknown:
        own = name = names[i]  # CoNLL-U tags that differ in other columns have the same name here
        if name not in number_of:
            while own in parts:  # such as a class of the tagset that lacks its values
                own += "'"
            number_of[name] = parts[own] = len(parts)
        cells.append((i, POS, number_of[name]))
    categories = tuple(found)
    if tagset.categories == (POS,):  # an open tagset: its features are sorted, whatever the order of the tags
        categories = (POS, *sorted(found.keys() - {POS}))
    columns = {category: column for column, category in enumerate(categories)}
    values = np.full((len(names), len(columns)), ABSENT, np.int32)
    for i, category, number in cells:
        values[i, columns[category]] = number
    return TagTable(tagset, tuple(names), categories, values, tuple(tuple(found[name]) for name in categories))
