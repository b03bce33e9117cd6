"""Parse tags by tagsets: NKJP, IPI PAN, Universal Dependencies, Prague, and any other from a definition file.

The layouts of tags: separated values (``subst:sg:nom:n``), one character per position, Universal Dependencies.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from arraycoref.exceptions import InputError, ReadError, UnknownNameError
from arraycoref.read.problems import quote
from arraycoref.runtime import load_text

POS = "pos"
"""The category of the part of speech; every tag has it."""

UNIVERSAL_POS = re.compile(r"ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X")
"""The universal parts of speech."""

TAGSETS = ("ipipan", "nkjp", "prague", "ud")
"""The tagsets that come with the package."""


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


AnyTagset = str | Path | Tagset
"""A tagset, its name, or the path of its definition file; see `load_tagset`."""


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
        if not UNIVERSAL_POS.fullmatch(pos):
            raise InputError(f"tag {tag!r}: unknown part of speech {pos!r} (tagset {self.name})")
        parsed = {POS: pos}
        if features in ("", "_"):
            return parsed
        for feature in features.split("|"):
            category, equals, values = feature.partition("=")
            if not category or not equals or not all(values.split(",")):
                raise InputError(f"tag {tag!r}: {feature!r} is not Feature=Value (tagset {self.name})")
            if category in parsed:
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
        # For each n, the ways in which the slots so far can take the first n values, as categories; two are enough.
        readings: dict[int, list[tuple[str, ...]]] = {0: [()]}
        taken, used = 0, 0  # the most values that could be taken, and the slots that it took
        for place, slot in enumerate(slots, 1):
            following: dict[int, list[tuple[str, ...]]] = {}
            for n, ways in sorted(readings.items(), reverse=True):
                if slot.optional:
                    following.setdefault(n, []).extend(ways)
                if n < len(values) and values[n] in self.values[slot.category]:
                    following.setdefault(n + 1, []).extend((*way, slot.category) for way in ways)
            readings = {n: ways[:2] for n, ways in following.items()}
            if max(readings, default=0) > taken:
                taken, used = max(readings), place
        found = readings.get(len(values), [])
        if len(found) == 1:
            return {POS: pos, **dict(zip(found[0], values, strict=True))}
        if found:
            value, *fits = next(each for each in zip(values, *found, strict=True) if len(set(each[1:])) > 1)
            reason = f"value {value!r} fits {' and '.join(fits)}"  # the first that has another category in each reading
        else:
            reason = self._fault(values[taken:], slots[used:])
        raise InputError(f"tag {tag!r}: {reason} (tagset {self.name})")

    @staticmethod
    def _fault(values: Sequence[str], slots: Sequence[Slot]) -> str:
        """Explain why no reading exists, given the first value that fits no slot and the slots that are left for it."""
        if not values:
            return f"too short, {', '.join(slot.category for slot in slots if not slot.optional)} missing"
        if not slots:
            return f"value {values[0]!r} comes after the last category"
        n_fitting = next((n for n, slot in enumerate(slots, 1) if not slot.optional), len(slots))
        allowed = " or ".join(slot.category for slot in slots[:n_fitting])
        return f"unknown value {values[0]!r}; expected a value of {allowed}"


def load_tagset(name: AnyTagset) -> Tagset:
    """Get a tagset.

        >>> load_tagset("nkjp").parse("subst:sg:nom:n")
        {'pos': 'subst', 'number': 'sg', 'case': 'nom', 'gender': 'n'}

    Args:
        name: one of `TAGSETS`, the path of a definition file ending in ``.toml``, or a tagset, which is returned.

    Returns:
        The tagset.

    Raises:
        UnknownNameError: ``name`` is not one of these; the message lists the names.
        ReadError: a definition file that cannot be read, or has another form.
    """
    if not isinstance(name, str | Path):
        return name
    if name in TAGSETS:
        return _shipped(str(name))
    if not str(name).endswith(".toml"):
        raise UnknownNameError("tagset", str(name), (*TAGSETS, "FILE.toml"))
    return read_definition(name)


def conllu_tag(name: str, tagset: Tagset) -> str:
    r"""Return the part of a tag of CoNLL-U that a tagset parses: XPOS if its ``xpos`` is true, else UPOS and FEATS.

        >>> conllu_tag("NOUN\tsubst\tCase=Nom", load_tagset("ud"))
        'NOUN|Case=Nom'

    Args:
        name: the tag, ``UPOS TAB XPOS TAB FEATS``.
        tagset: the tagset.
    """
    upos, xpos, feats = name.split("\t")
    return xpos if tagset.xpos else f"{upos}|{feats}"


@cache
def _shipped(name: str) -> Tagset:
    return UniversalTagset() if name == "ud" else read_definition(Path(__file__).with_name(f"{name}.toml"))


def load_toml(path: str | Path, what: str) -> dict[str, Any]:
    """Read a file of TOML.

    Raises:
        ReadError: the file cannot be read, or is not TOML; ``what`` was expected, such as ``a weights file``.
    """
    text = load_text(path)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # for invalid TOML, integers of thousands of digits, deep nesting
        raise ReadError(str(path), None, f"not {what}: {str(error)[:200]}") from error


def read_definition(path: str | Path) -> SeparatedTagset | PositionalTagset:
    """Read a tagset from a definition file.

    In the layout ``separated``, the file lists the categories with their values, and the classes (parts of speech) with
    their categories in the order of the tag; optional categories are in brackets. In the layout ``positional``, the
    file lists the positions, and the characters that each position may have::

        name = "ipipan"                            name = "prague"
        layout = "separated"                       layout = "positional"
        separator = ":"                            absent = "-"
        [categories]                               positions = ["pos", "subpos", "gender"]
        number = ["sg", "pl"]                      [categories]
        [classes]                                  pos = "ACDIJNPRTVXZ"
        qub = ["[vocalicity]"]                     gender = "FHIMNQTXYZ"

    Args:
        path: the file.

    Returns:
        The tagset.

    Raises:
        ReadError: the file cannot be read, or has another form; the message names the key.
    """
    table = load_toml(path, "a tagset definition")
    layout = table.get("layout")
    if layout not in ("separated", "positional"):
        raise ReadError(str(path), None, f"layout is {quote(layout)}; expected 'separated' or 'positional'")
    try:
        return _separated(table) if layout == "separated" else _positional(table)
    except (InputError, TypeError, AttributeError) as error:
        raise ReadError(str(path), None, str(error)) from error


def _separated(table: Mapping[str, Any]) -> SeparatedTagset:
    values = _values(table)
    if POS in values:
        raise InputError(f"[categories] must not define {POS!r}: the classes are its values")
    classes = {}
    for pos, slots in _entry(table, "classes", dict).items():
        parsed = [Slot(slot.strip("[]"), optional=slot.startswith("[") and slot.endswith("]")) for slot in slots]
        for slot in parsed:
            if slot.category not in values:
                raise InputError(f"classes.{pos}: unknown category {slot.category!r}")
        if len({slot.category for slot in parsed}) < len(parsed):
            raise InputError(f"classes.{pos}: a category appears twice")
        classes[pos] = tuple(parsed)
    return SeparatedTagset(_entry(table, "name", str), _entry(table, "separator", str), values, classes)


def _positional(table: Mapping[str, Any]) -> PositionalTagset:
    values, positions = _values(table), _entry(table, "positions", list)
    if POS not in positions or len(set(map(str, positions))) < len(positions):
        raise InputError(f"positions is {quote(positions)}; expected a list of different names with {POS!r}")
    for position in positions:
        if not isinstance(position, str) or position not in values:
            raise InputError(f"[categories] lacks the position {quote(position)}")
    return PositionalTagset(_entry(table, "name", str), tuple(positions), values, _entry(table, "absent", str))


def _values(table: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    return {category: frozenset(listed) for category, listed in _entry(table, "categories", dict).items()}


def _entry(table: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return what a definition has under a key.

    Raises:
        InputError: nothing, something empty or something of another kind.
    """
    found = table.get(key)
    if not isinstance(found, kind) or not found:
        kinds = {"dict": f"a table [{key}]", "list": "a list", "str": "a string"}
        raise InputError(f"{key} is {quote(found)}; expected {kinds[kind.__name__]}")
    return found
