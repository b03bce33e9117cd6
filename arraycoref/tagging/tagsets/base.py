"""What a tagset is: a name, its categories, and a parser of tags."""

from __future__ import annotations

from typing import Protocol

POS = "pos"
"""The part of speech, as a category among the others: the position that every tag has."""


class Tagset(Protocol):
    """A parser of tags."""

    @property
    def name(self) -> str:
        """The name in messages and signatures."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that tags may have, `POS` first; of an open tagset, those known before any tag is read."""

    @property
    def xpos(self) -> bool:
        """Whether its tags stand in the XPOS column of CoNLL-U files, not in UPOS and FEATS."""

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
