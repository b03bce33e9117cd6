"""Tagsets whose tags are a class and values in the class's order, some optional: ``subst:sg:nom:n``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from arraycoref.errors import InputError
from arraycoref.tagging.tagsets.base import POS


@dataclass(frozen=True)
class Slot:
    """One place after the class: a category, and whether tags may leave it out."""

    category: str
    optional: bool = False


@dataclass(frozen=True)
class SeparatedTagset:
    """A tagset of classes with slots.

    Attributes:
        name: the name in messages and signatures.
        separator: what stands between the values.
        values: the values of each category.
        classes: the slots of each part of speech, in the order of the tag.
        xpos: True: in CoNLL-U its tags stand in XPOS.
    """

    name: str
    separator: str
    values: Mapping[str, frozenset[str]]
    classes: Mapping[str, tuple[Slot, ...]]
    xpos: bool = True

    @property
    def categories(self) -> tuple[str, ...]:
        """`POS` and the other categories, in the order of the definition."""
        return (POS, *self.values)

    def parse(self, tag: str) -> dict[str, str]:
        """Split a tag at the separator and find the category of each value; see `Tagset.parse`."""
        pos, *values = tag.split(self.separator)
        slots = self.classes.get(pos)
        if slots is None:
            raise InputError(f"tag {tag!r}: unknown part of speech {pos!r} (tagset {self.name})")
        readings = self._readings(slots, values)
        if len(readings) == 1:
            return {POS: pos, **dict(zip(readings[0], values, strict=True))}
        if readings:
            index = next(i for i in range(len(values)) if len({reading[i] for reading in readings}) > 1)
            fits = " and ".join(dict.fromkeys(reading[index] for reading in readings))
            raise InputError(f"tag {tag!r}: value {values[index]!r} fits {fits} (tagset {self.name})")
        raise InputError(f"tag {tag!r}: {self._fault(slots, values)} (tagset {self.name})")

    def _readings(self, slots: tuple[Slot, ...], values: list[str]) -> list[tuple[str, ...]]:
        """The ways to give the values to slots in order, leaving out optional slots only: none, one, or two of many.

        Row i, column j of a table holds the ways to give ``values[j:]`` to ``slots[i:]``; it is filled from the end.
        """
        if len(values) > len(slots):
            return []
        following: list[list[tuple[str, ...]]] = [[] for _ in values] + [[()]]
        for slot in reversed(slots):
            row = []
            for j, rest in enumerate(following):
                ways = rest if slot.optional else []
                if j < len(values) and values[j] in self.values[slot.category]:
                    ways = [*((slot.category, *way) for way in following[j + 1]), *ways]
                row.append(ways[:2])
            following = row
        return following[0]

    def _fault(self, slots: tuple[Slot, ...], values: list[str]) -> str:
        """Say why no reading exists: the longest run of values that some slots take, and what follows it."""
        best = (0, 0)
        reached = {0}  # how many values the slots so far may have taken
        for used, slot in enumerate(slots, 1):
            taken = {n + 1 for n in reached if n < len(values) and values[n] in self.values[slot.category]}
            reached = taken | (reached if slot.optional else set())
            if reached and max(reached) > best[0]:
                best = (max(reached), used)
        n, used = best
        return _describe(slots[used:], values[n:])


def _describe(slots: tuple[Slot, ...], values: list[str]) -> str:
    obligatory = [slot.category for slot in slots if not slot.optional]
    if not values:
        return f"too short, {', '.join(obligatory)} missing"
    if not slots:
        return f"value {values[0]!r} comes after the last category"
    allowed = [slots[0].category]
    for before, slot in pairwise(slots):
        if not before.optional:
            break
        allowed.append(slot.category)
    return f"unknown value {values[0]!r}; expected a value of {' or '.join(allowed)}"
