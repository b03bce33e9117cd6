"""Compare the texts that files give with their mentions with the words at their places, which may be others there."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.match.tokens import COUNTED, GO_ON, MOST_DIFFERENT
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents
from arraycoref.read.sources import OnError, quote

MOST_OF_OWN = 0.5
"""Largest share of a document's texts that may differ from the words of their own file. Tools write some in two ways:
JSON made of CorefUD has the contraction ``del`` among the words, and ``de el`` in the texts."""

WAYS = (
    (1, 1, "starts and ends were one less. Do they count from 1?"),
    (0, 1, "ends were one less. Are they exclusive?"),
)
"""Other ways to count: what to take from starts, and from ends, and words for it."""

Row = tuple[str, int, int]
"""The text of a mention, its first and its last token."""


class Texts(NamedTuple):
    """The texts of the mentions of one document, and the words that they are compared with.

    Attributes:
        rows: the text of each mention, its first and its last token.
        words_at: returns the words from a token to another one, None if they are not known.
        unit: ``token`` or ``character``.
        own: whether the words are of the same file as the texts; otherwise, of the other side.
    """

    rows: list[Row]
    words_at: Callable[[int, int], str | None]
    unit: str
    own: bool

    @classmethod
    def of(cls, side: Documents, other: Documents, d: int) -> Texts | None:
        """Return the texts of a document; None if it has none, or no side has words or texts in the same unit."""
        own, unit = side.text.files[d] is not None, side.units[d]
        if unit not in COUNTED or not (own or other.units[d] == unit):
            return None
        words, joint = (side if own else other).text.words(d), "" if unit == "character" else " "
        known = {} if words else {(start, end): text for text, start, end in _rows(other, d)}

        def words_at(start: int, end: int) -> str | None:
            if not words:
                return known.get((start, end))
            return joint.join(words[start : end + 1]) if 0 <= start <= end < len(words) else None

        return cls(_rows(side, d), words_at, unit.replace("word", "token"), own) if words or known else None

    def differing(self, first: int = 0, last: int = 0) -> tuple[list[str], int, bool]:
        """Describe the texts that differ from the words at their places, if these are some tokens less.

        Returns:
            What differs; of how many texts, without those at whose places no words are; and whether it is too much.
        """
        n, found = 0, []
        for text, start, end in self.rows:
            there = self.words_at(start - first, end - last)
            if there is not None:
                n += 1
                if there != text and _bare(there) != _bare(text):
                    found.append(f"{quote(text)} at {self.unit}s {start}-{end}, which are {quote(there)}")
        return found, n, len(found) > (MOST_OF_OWN if self.own else MOST_DIFFERENT) * n


def _rows(side: Documents, d: int) -> list[Row]:
    """Return text, first and last token of the mentions of a document that have a text."""
    if side.mention_texts is None:
        return []
    here = slice(*side.offsets[d : d + 2])
    columns = (column[here].tolist() for column in (side.mention_texts, side.start, side.end))
    return [row for row in zip(*columns, strict=True) if row[0] is not None]


def check_mention_texts(key: Documents, response: Documents, policies: Policies, on_doubt: OnError) -> None:
    """Check that the texts of mentions are the words at their places, of the same file or else of the other side.

    Where neither has words, texts are compared with those that the other side gives with mentions of the same places.

    Args:
        key: D documents.
        response: the same documents in the same order, with mentions as they were read.
        policies: these say whether words are compared.
        on_doubt: called with a warning if a few of the texts of a side differ from the words of the other side.

    Raises:
        DocumentMismatchError: too many of a document's texts differ.
    """
    if policies.tokens == "ignore" or policies.profile == "conll":
        return
    doubts: list[ReadError] = []
    for side, other in ((key, response), (response, key)):
        few: list[str] = []
        for d in range(len(side)) if side.mention_texts is not None else ():
            texts = Texts.of(side, other, d)
            if texts is None:
                continue
            differing, n, are_many = texts.differing()
            if are_many:
                reason = f"the texts of {len(differing)} of {n} mentions in {side.sources[d]} differ from "
                where = "its words" if texts.own else f"the words of {other.sources[d]}"
                raise DocumentMismatchError(
                    f"document {side.names[d]!r}: {reason}{where} at their places; expected the same tokens. The first "
                    f"is {differing[0]}. {_hint(texts)}{GO_ON}",
                    option="tokens",
                )
            if not texts.own:
                few += [f"{each}, in document {side.names[d]!r}" for each in differing]
        if few:
            reason = f"the texts of {len(few)} mentions differ from the words at their places; the first is {few[0]}"
            doubts.append(ReadError(next(filter(None, side.sources)), None, reason))
    for doubt in doubts[:1]:  # texts of both sides differ in the same places
        on_doubt(doubt)


def _hint(texts: Texts) -> str:
    """Say in which other way of counting the texts would be the words at their places; empty for none."""
    for first, last, how in WAYS:
        _, n, are_many = texts.differing(first, last)
        if n and not are_many:
            return f"Texts and words would be the same if {how} "
    return ""


def _bare(text: str) -> str:
    """Leave out blanks, and ``_`` and ``#``, with which tools write blanks and empty nodes."""
    return "".join(text.replace("_", " ").replace("#", " ").split())
