"""Universal Dependencies: a UPOS, and features with one or several values."""

from __future__ import annotations

from dataclasses import dataclass

from arraycoref.errors import InputError
from arraycoref.tagging.tagsets.base import POS

UPOS = frozenset(
    {
        "ADJ",
        "ADP",
        "ADV",
        "AUX",
        "CCONJ",
        "DET",
        "INTJ",
        "NOUN",
        "NUM",
        "PART",
        "PRON",
        "PROPN",
        "PUNCT",
        "SCONJ",
        "SYM",
        "VERB",
        "X",
    }
)
"""The universal parts of speech."""

UNIVERSAL_FEATURES = frozenset(
    {
        "Abbr",
        "Animacy",
        "Aspect",
        "Case",
        "Definite",
        "Degree",
        "Evident",
        "Foreign",
        "Gender",
        "Mood",
        "NumType",
        "Number",
        "Person",
        "Polarity",
        "Polite",
        "Poss",
        "PronType",
        "Reflex",
        "Tense",
        "VerbForm",
        "Voice",
    }
)
"""The features of UD version 2.0 that CoNLL 2018 evaluates; layered ones (``Gender[psor]``) are not among them."""


@dataclass(frozen=True)
class UniversalTagset:
    """Tags written ``UPOS|FEATS``, such as ``NOUN|Case=Nom|Number=Sing``; ``NOUN`` or ``NOUN|_`` without features.

    Features of any name are categories, since treebanks add their own. The values of a feature are a set:
    ``Gender=Fem,Masc`` equals ``Gender=Masc,Fem``, and a set counts as agreeing only as a whole.

    Attributes:
        name: the name in messages and signatures.
        xpos: False: in CoNLL-U its tags stand in UPOS and FEATS.
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
        if pos not in UPOS:
            raise InputError(f"tag {tag!r}: unknown part of speech {pos!r} (tagset {self.name})")
        parsed = {POS: pos}
        if features in ("", "_"):
            return parsed
        for feature in features.split("|"):
            category, equals, values = feature.partition("=")
            if not category or not equals or not all(values.split(",")):
                raise InputError(f"tag {tag!r}: {feature!r} is not Feature=Value (tagset {self.name})")
            if category in parsed or category == POS:
                raise InputError(f"tag {tag!r}: feature {category!r} stands twice (tagset {self.name})")
            parsed[category] = ",".join(sorted(set(values.split(","))))
        return parsed
