"""Find where the spans of a document begin and end: in code points, without blanks at ends, in words if they fit."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np

from arraycoref.ragged import Ints, bounds
from arraycoref.read.annotated import Annotated, Range, Span
from arraycoref.read.documents import FileText

LARGEST = 2**31 - 2
"""The largest number of a character, where the text is not known."""

LAST_OF_UNIT = "\uffff"
"""The last character that is one unit of UTF-16; all behind it are two."""


class Places:
    """Finds the places of a document's spans.

    Where the text is known, places are ranges of the characters that are not blank: then blanks at the ends of spans,
    and blanks between their parts, are nothing.

    Attributes:
        solid: int64 (S,) the characters that are not blank; None where spans count words, or the text is not known.
        rank: int64 (N+1,) how many of these are before each character.
        before: int64 (N+1,) how many UTF-16 units are; None if numbers count code points.
    """

    def __init__(self, document: Annotated) -> None:
        self.characters, self.words = document.text, document.words
        self.flat = [*chain.from_iterable(self.words or [])]
        self.solid: Ints | None = None
        self.rank = self.ends = np.zeros(0, np.int64)
        self.before: Ints | None = None
        self.size, self.unit = len(self.flat), "words"
        if self.words is None:
            self.size, self.unit = LARGEST if document.text is None else len(document.text), "characters"
        if self.words is None and document.text is not None:
            is_solid = ~np.array([*map(str.isspace, document.text)], np.bool_)
            self.solid, self.rank = np.flatnonzero(is_solid), bounds(is_solid)
            self.before = _units(document)
        self.lengths = [*map(len, document.tokens or ())]
        self.tokens = np.array([*chain.from_iterable(document.tokens or ())], np.int64).reshape(-1, 2)
        if self.before is not None:
            self.tokens = self.before.searchsorted(self.tokens)

    def find(self, span: Span) -> list[Range] | str:
        """Return the parts of a span, in order, with something between them; or the reason why it is no mention."""
        parts = sorted(span.parts)
        if self.before is not None and parts[0][0] >= 0 and max(end for _, end in parts) <= self.before[-1]:
            parts = [(begin, end) for begin, end in self.before.searchsorted(np.array(parts)).tolist()]
        is_known = self.size < LARGEST
        if not is_known and span.text is not None:
            parts = _trimmed(parts, span.text)
        result: list[Range] = []
        for begin, end in parts:
            if not 0 <= begin < end:
                return f"from {begin} to {end} is empty; expected begin < end"
            if end > self.size:
                return f"from {begin} to {end} lies past the {self.size:,} {self.unit} of the text"
            first, last = (begin, end) if self.solid is None else (int(self.rank[begin]), int(self.rank[end]))
            if first == last:
                continue
            if result and first <= result[-1][1] + (not is_known):  # where no text is known, one may be a blank
                result[-1] = result[-1][0], max(last, result[-1][1])
            else:
                result.append((first, last))
        return result or "is blank"

    def text_at(self, parts: list[Range], most: int) -> str | None:
        """Return the text of a mention, with blanks between its parts; None if it is not known, or longer than that.

        The texts of nested mentions would take memory as the square of their number.
        """
        if sum(end - begin for begin, end in parts) > most:
            return None
        if self.words is not None:
            return " ".join(" ".join(self.flat[begin:end]) for begin, end in parts)
        if self.characters is None or self.solid is None:
            return None
        return " ".join(self.characters[self.solid[begin] : self.solid[end - 1] + 1] for begin, end in parts)

    def in_unit(self, ranks: dict[int, list[Range]]) -> tuple[str, dict[int, list[Range]]]:
        """Return the unit of the document, and the parts of each mention in this unit."""
        solid = self.solid
        if solid is None:
            return "character" if self.words is None else "word", ranks
        words = self.rank[np.clip(self.tokens, 0, self.size)].tolist()
        starts = {begin: word for word, (begin, _) in enumerate(words)}
        ends = {end: word + 1 for word, (_, end) in enumerate(words)}
        if words and all(begin in starts and end in ends for begin, end in chain.from_iterable(ranks.values())):
            return "word", {m: [(starts[begin], ends[end]) for begin, end in parts] for m, parts in ranks.items()}
        return "character", {
            m: [(int(solid[begin]), int(solid[end - 1]) + 1) for begin, end in parts] for m, parts in ranks.items()
        }

    def text_in(self, unit: str) -> tuple[FileText | None, int]:
        """Return the text as words or characters, and their number; None and -1 if they are not known."""
        text, words, nothing = self.characters, self.words, np.empty(0, np.uint8)
        if words is None and text is not None and unit == "character":
            return FileText(nothing, lambda *_: [list(text)]), len(text)
        if words is None and text is not None:
            each = iter([text[begin:end].strip() for begin, end in self.tokens.tolist()])
            words = [[*islice(each, n)] for n in self.lengths]
        return (None, -1) if words is None else (FileText(nothing, lambda *_: words), sum(map(len, words)))


def _units(document: Annotated) -> Ints | None:
    """Return how many UTF-16 units are before each character, int64 (N+1,); None if numbers count code points."""
    text = document.text or ""
    if document.unit == "code points" or not text or max(text) <= LAST_OF_UNIT:
        return None
    before = bounds(1 + np.array([character > LAST_OF_UNIT for character in text]))
    if document.unit:
        return before
    texts = [(span, span.text) for span in document.spans if span.text is not None and len(span.parts) == 1]
    places = [span.parts[0] for span, _ in texts]
    in_units = np.minimum(before.searchsorted(np.clip(places, 0, int(before[-1]))), len(text)).tolist()
    as_points, as_units = (
        sum(text[begin:end] == own for (begin, end), (_, own) in zip(every, texts, strict=True))
        for every in (places, in_units)
    )
    return before if as_units > as_points else None


def _trimmed(parts: list[Range], text: str) -> list[Range]:
    """Leave out blanks at the ends of parts, by the span's own text, in which a blank is between parts."""
    result, at = [], 0
    for begin, end in parts:
        own = text[at : at + end - begin]
        at += end - begin + 1
        fits = len(own) == end - begin and own.strip()
        result.append((begin + len(own) - len(own.lstrip()), begin + len(own.rstrip())) if fits else (begin, end))
    return result
