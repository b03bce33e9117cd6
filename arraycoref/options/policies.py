"""The choices that the definitions of the metrics leave open, and the profiles, each of which makes all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from arraycoref.exceptions import OptionError

Profile = Literal["paper", "conll", "corefud", "crac", "coval", "e2e", "maverick", "stanza"]
Duplicates = Literal["error", "both", "first", "last", "drop"]
MissingDocuments = Literal["error", "empty", "skip"]
ZeroDivision = Literal["zero", "skip"]
ExtraDocuments = Literal["error", "ignore"]
Singletons = Literal["keep", "drop", "drop-response", "neural", "drop-in-lea"]
Corpus = Literal["sums", "ratios"]
Tokens = Literal["error", "ignore", "align"]
Matching = Literal["exact", "head", "partial", "min"]
Zeros = Literal["dependent", "linear", "drop"]
Split = Literal["drop", "keep"]
Restrict = Literal["none", "key", "shared"]
TruthSample = Literal["none", "entities", "entities:size"]
Level = Literal["document", "subtopic", "topic", "corpus"]
Heads = Literal["agreed", "file", "key-tree", "first"]
Notes = Counter[tuple[str, str]]
"""How often something happened, by a noun in the singular, such as ``document``, and words such as ``left out``."""


@dataclass(frozen=True)
class Policies:
    """The choices that the definitions of the metrics leave open; see `OPTIONS`.

    Attributes:
        notes: what happened in one call, and how often; see `note`. Each call has its own.
    """

    profile: Profile = "paper"
    duplicates: Duplicates = "error"
    missing_documents: MissingDocuments = "error"
    extra_documents: ExtraDocuments = "error"
    singletons: Singletons = "keep"
    beta: float = 1.0
    tokens: Tokens = "error"
    max_changed: float | None = None
    lenient: bool = False
    zero_division: ZeroDivision = "zero"
    matching: Matching = "exact"
    zeros: Zeros = "dependent"
    split: Split = "drop"
    heads: Heads = "agreed"
    upos: str = ""
    bridging_relations: str = ""
    restrict: Restrict = "none"
    truth_sample: TruthSample = "none"
    frame: float = 0.01
    window: str = ""
    level: Level = "document"
    corpus: Corpus = "sums"
    notes: Notes = field(default_factory=Counter, compare=False, repr=False)

    def note(self, n: int, noun: str, what: str) -> None:
        """Note what happened to ``n`` things in this call, as ``note(3, "document", "scored as empty")``; adds up."""
        if n:
            self.notes[noun, what] += n

    def with_own_notes(self) -> Policies:
        """Return the same policies without notes."""
        return replace(self, notes=Counter())


PROFILES: Mapping[str, Policies] = {
    "paper": Policies(),
    "conll": Policies(profile="conll", duplicates="both", missing_documents="empty", extra_documents="ignore"),
    "corefud": Policies(profile="corefud", duplicates="both", singletons="drop", matching="head"),
    "crac": Policies(profile="crac", duplicates="both", singletons="drop", matching="head"),
    "coval": Policies(profile="coval", duplicates="both", extra_documents="ignore"),
    "e2e": Policies(profile="e2e", duplicates="both", singletons="neural"),
    "maverick": Policies(profile="maverick", duplicates="both", singletons="drop-in-lea"),
    "stanza": Policies(profile="stanza", duplicates="both", singletons="drop-in-lea", corpus="ratios"),
}


def window_of(value: object) -> str:
    """Return the length of windows as a text: a number of words, or ``bookcoref``.

    Raises:
        OptionError: it is neither.
    """
    text = str(value).strip().lower()
    if text == "bookcoref" or (text.isascii() and text.isdigit() and 0 < int(text) < 2**31):
        return text if text == "bookcoref" else str(int(text))
    raise OptionError(f"window is {value!r:.60}; expected a number of words from 1, or 'bookcoref'", "window")


def of_side(value: str, side: str) -> str:
    """Return the values of an option that apply to a side: all but those after ``key:`` or ``response:`` of the other.

    >>> of_side("key:Id,True Id", "key"), of_side("key:Id,True Id", "response")
    ('Id,True Id', '')
    >>> of_side("book,id,key:gold,response:who", "response")
    'book,id,who'
    """
    values, applies = list[str](), True
    for part in map(str.strip, value.split(",")):
        prefix, _, name = part.partition(":")
        is_prefix = prefix in ("key", "response")
        applies = prefix == side if is_prefix else applies
        values += [name if is_prefix else part] * applies
    return ",".join(values)


def share_of(value: object) -> float:
    """Return a share that is a number, such as 0.05, or a text, such as ``5%``.

    Raises:
        OptionError: it is neither, or not from 0 to 1.
    """
    text = str(value).strip()
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        expected = "expected a share from 0 to 1, such as 0.05 or '5%'"
        raise OptionError(f"max_changed is {value!r}; {expected}", "max_changed")
    return share
