"""Compare the texts that files give with their mentions with the words at their places, which may be others there."""

from __future__ import annotations

from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.match.tokens import COUNTED, GO_ON, MOST_DIFFERENT
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents
from arraycoref.read.sources import OnError, quote
from arraycoref.report.tables import number_of

MOST_OF_OWN = 0.5
"""Largest share of a document's texts that may differ from the words of their own file. Tools write some in two ways:
JSON made of CorefUD has the contraction ``del`` among the words, and ``de el`` in the texts."""

WAYS = (
    (1, 1, "starts and ends were one less. Do they count from 1?"),
    (0, 1, "ends were one less. Are they exclusive?"),
    (0, -1, "ends were one more. Are they inclusive?"),
)
"""Other ways to count: what to take from starts, and from ends, and words for it."""


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
            has_words = side.text.files[d] is not None
            most = MOST_OF_OWN if has_words else MOST_DIFFERENT
            differing, n = _differing(side, other, d)
            if len(differing) > most * n:
                where = "its words" if has_words else f"the words of {other.sources[d]}"
                others = ((how, *_differing(side, other, d, first, last)) for first, last, how in WAYS)
                better = next((how for how, still, n_there in others if n_there and len(still) <= most * n_there), "")
                hint = better and f"Texts and words would be the same if {better} "
                raise DocumentMismatchError(
                    f"document {side.names[d]!r}: the texts of {len(differing)} of {n} mentions in {side.sources[d]} "
                    f"differ from {where} at their places; expected the same tokens. The first is {differing[0]}. "
                    f"{hint}{GO_ON}",
                    option="tokens",
                )
            if not has_words:
                few += [f"{each}, in document {side.names[d]!r}" for each in differing]
        if few:
            reason = f"the texts of {number_of(len(few), 'mention')} differ from the words at their places"
            doubts.append(ReadError(next(filter(None, side.sources)), None, f"{reason}; the first is {few[0]}"))
    for doubt in doubts[:1]:  # texts of both sides differ in the same places
        on_doubt(doubt)


def _differing(side: Documents, other: Documents, d: int, first: int = 0, last: int = 0) -> tuple[list[str], int]:
    """Describe the texts of a document that differ from the words at their places.

    Args:
        side: the documents with texts.
        other: the other side, whose words, or else texts, count where this one has no words.
        d: the document.
        first: how many tokens earlier the places begin.
        last: how many tokens earlier they end.

    Returns:
        What differs, and of how many texts: those at whose places words, or texts, are known.
    """
    has_words, unit = side.text.files[d] is not None, side.units[d]
    if unit not in COUNTED or not (has_words or other.units[d] == unit):
        return [], 0
    words, joint = (side if has_words else other).text.words(d), "" if unit == "character" else " "
    known = {} if words else {(start, end): text for text, start, end in _rows(other, d)}
    n, found = 0, []
    for text, start, end in _rows(side, d):
        a, b = start - first, end - last
        there = joint.join(words[a : b + 1]) if words and 0 <= a <= b < len(words) else known.get((a, b))
        n += there is not None
        if there is not None and _bare(there) != _bare(text):
            place = f"{unit.replace('word', 'token')}s {start}-{end}"
            found.append(f"{quote(text)} at {place}, which are {quote(there)}")
    return found, n


def _rows(side: Documents, d: int) -> list[tuple[str, int, int]]:
    """Return text, first and last token of the mentions of a document that have a text."""
    if side.mention_texts is None:
        return []
    here = slice(*side.offsets[d : d + 2])
    columns = (column[here].tolist() for column in (side.mention_texts, side.start, side.end))
    return [row for row in zip(*columns, strict=True) if row[0] is not None]


def _bare(text: str) -> str:
    """Leave out blanks, and ``_`` and ``#``, with which tools write blanks and empty nodes."""
    return "".join(text.replace("_", " ").replace("#", " ").split())
