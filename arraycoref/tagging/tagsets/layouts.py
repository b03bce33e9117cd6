"""The layouts of tags: separated values (``subst:sg:nom:n``), one character per position, Universal Dependencies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from arraycoref.errors import InputError

POS = "pos"
"""The category of the part of speech; every tag has it."""

UPOS = re.compile(r"ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X")
"""The universal parts of speech."""


class Tagset(Protocol):
    """A parser of tags."""

    @property
    def name(self) -> str:
        """The name in messages and signatures."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that tags may have, `POS` first; for an open tagset, those known before any tag is read."""

    @property
    def xpos(self) -> bool:
        """Whether CoNLL-U files hold its tags in the column XPOS, not in UPOS and FEATS."""

    def parse(self, tag: str) -> dict[str, str]:
        """Split a tag into its values, by category.

        Args:
            tag: the tag as written.

        Returns:
            The value of each category that the tag has; `POS` is always among them.

        Raises:
            InputError: an unknown value, a value that fits two categories, a tag too short or too long. The message
                names the tag and the tagset.
        """


@dataclass(frozen=True)
class PositionalTagset:
    """A tagset whose tags have one character per position: ``NNMS1-----A----``.

    Attributes:
        name: the name in messages and signatures.
        positions: the category of each position; `POS` is among them.
        values: the characters that each category may have.
        absent: the character that is written for a category that a tag lacks.
        xpos: True: CoNLL-U files hold its tags in XPOS.
    """

    name: str
    positions: tuple[str, ...]
    values: Mapping[str, frozenset[str]]
    absent: str = "-"
    xpos: bool = True

    @property
    def categories(self) -> tuple[str, ...]:
        """`POS` and the other positions in order."""
        return (POS, *(position for position in self.positions if position != POS))

    def parse(self, tag: str) -> dict[str, str]:
        """Read one category per character; see `Tagset.parse`."""
        if len(tag) != len(self.positions):
            length = "short" if len(tag) < len(self.positions) else "long"
            expected = f"{len(tag)} characters where {len(self.positions)} are expected"
            raise InputError(f"tag {tag!r}: too {length}, {expected} (tagset {self.name})")
        parsed = {}
        for category, value in zip(self.positions, tag, strict=True):
            if value == self.absent and category != POS:
                continue
            if value not in self.values[category]:
                raise InputError(f"tag {tag!r}: unknown value {value!r} of {category} (tagset {self.name})")
            parsed[category] = value
        return parsed


@dataclass(frozen=True)
class UniversalTagset:
    """Tags written ``UPOS|FEATS``, such as ``NOUN|Case=Nom|Number=Sing``; ``NOUN`` or ``NOUN|_`` without features.

    Features of any name are categories, since treebanks add their own. The values of a feature are a set:
    ``Gender=Fem,Masc`` equals ``Gender=Masc,Fem``, and a set counts as agreeing only as a whole.

    Attributes:
        name: the name in messages and signatures.
        xpos: False: CoNLL-U files hold its tags in UPOS and FEATS.
    """

    name: str = "ud"
    xpos: bool = False

    @property
    def categories(self) -> tuple[str, ...]:
        """`POS` alone; the features are known once tags are read."""
        return (POS,)

    def parse(self, tag: str) -> dict[str, str]:
        """Split UPOS from features and features from values; see `Tagset.parse`."""
        pos, _, features = tag.partition("|")
        if not UPOS.fullmatch(pos):
            raise InputError(f"tag {tag!r}: unknown part of speech {pos!r} (tagset {self.name})")
        parsed = {POS: pos}
        if features in ("", "_"):
            return parsed
        for feature in features.split("|"):
            category, equals, values = feature.partition("=")
            if not category or not equals or not all(values.split(",")):
                raise InputError(f"tag {tag!r}: {feature!r} is not Feature=Value (tagset {self.name})")
            if category in parsed or category == POS:
                raise InputError(f"tag {tag!r}: feature {category!r} appears twice (tagset {self.name})")
            parsed[category] = ",".join(sorted(set(values.split(","))))
        return parsed


@dataclass(frozen=True)
class Slot:
    """One place after the class: a category, and whether tags may leave it out."""

    category: str
    optional: bool = False


@dataclass(frozen=True)
class SeparatedTagset:
    """A tagset whose tags are a class and its values, some optional, in an order set by the class: ``subst:sg:nom:n``.

    Attributes:
        name: the name in messages and signatures.
        separator: the text between the values.
        values: the values of each category.
        classes: the slots of each part of speech, in the order of the tag.
        xpos: True: CoNLL-U files hold its tags in XPOS.
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
        """Return the ways to assign the values to slots in order, skipping optional slots only; two ways at most.

        Row i, column j of a table holds the ways to assign ``values[j:]`` to ``slots[i:]``; it is filled from the end.
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
        """Explain why no reading exists: find the longest run of first values that fits the slots, and what follows."""
        best = (0, 0)
        reached = {0}  # the possible numbers of values that the slots so far have used
        for used, slot in enumerate(slots, 1):
            taken = {n + 1 for n in reached if n < len(values) and values[n] in self.values[slot.category]}
            reached = taken | (reached if slot.optional else set())
            if reached and max(reached) > best[0]:
                best = (max(reached), used)
        n, used = best
        rest = slots[used:]
        if n == len(values):
            return f"too short, {', '.join(slot.category for slot in rest if not slot.optional)} missing"
        if not rest:
            return f"value {values[n]!r} comes after the last category"
        allowed = [rest[0].category]
        for before, slot in pairwise(rest):
            if not before.optional:
                break
            allowed.append(slot.category)
        return f"unknown value {values[n]!r}; expected a value of {' or '.join(allowed)}"
