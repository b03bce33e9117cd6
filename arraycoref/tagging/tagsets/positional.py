"""Tagsets whose tags have one character a position: ``NNMS1-----A----``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arraycoref.errors import InputError
from arraycoref.tagging.tagsets.base import POS


@dataclass(frozen=True)
class PositionalTagset:
    """A tagset of positions.

    Attributes:
        name: the name in messages and signatures.
        positions: the category of each position; `POS` is among them.
        values: the characters that each category takes.
        absent: the character that says that a tag lacks a category.
        xpos: True: in CoNLL-U its tags stand in XPOS.
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
        """Read one category a character; see `Tagset.parse`."""
        if len(tag) != len(self.positions):
            length = "short" if len(tag) < len(self.positions) else "long"
            raise InputError(
                f"tag {tag!r}: too {length}, {len(tag)} characters where {len(self.positions)} are expected "
                f"(tagset {self.name})"
            )
        parsed = {}
        for category, value in zip(self.positions, tag, strict=True):
            if value == self.absent and category != POS:
                continue
            if value not in self.values[category]:
                raise InputError(f"tag {tag!r}: unknown value {value!r} of {category} (tagset {self.name})")
            parsed[category] = value
        return parsed
