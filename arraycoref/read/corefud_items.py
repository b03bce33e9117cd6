"""Read the items of ``Entity=`` in CorefUD, such as ``(e1-person-2``, each by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from arraycoref.read.faults import quote

USUAL = ("eid", "etype", "head", "other")
"""Fields of a mention in a file without ``# global.Entity``."""

ITEM = re.compile(r"(\()?([^()]+)(\))?")
PLACE = re.compile(r"[1-9][0-9]{0,8}")
PART = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]")


class Item(NamedTuple):
    """An item of ``Entity=``, such as ``(e1-person-2``.

    Attributes:
        opens: whether it opens a mention, or a part of one.
        closes: whether it closes one.
        text: what is between the brackets.
        name: what an item that opens and one that closes have in common: ``e1`` or, of a part, ``e1[1/2]``.
        entity: the id of the entity.
        part: number of the part, from 1.
        n_parts: of how many parts the mention consists.
        head: which of its words and empty nodes is its head, from 1; None if the item does not say it.
        fault: what is wrong with an item that opens, empty if nothing is.
        is_usual: whether it opens a mention of one part, and has no fault.
    """

    opens: bool
    closes: bool
    text: str
    name: str
    entity: str = ""
    part: int = 1
    n_parts: int = 1
    head: int | None = None
    fault: str = ""
    is_usual: bool = False


NO_ITEM = Item(False, False, "", "")


class Items(dict[str, Item]):
    """The items of a file by their texts; each text is looked into once.

    Attributes:
        fields: names of the fields of a mention.
    """

    fields: Sequence[str] = USUAL

    def __missing__(self, text: str) -> Item:
        item = self[text] = item_of(text, self.fields)
        return item


def split_items(value: str) -> list[str]:
    """Split the value of ``Entity`` into items.

    >>> split_items("e1)(e2-person-1)")
    ['e1)', '(e2-person-1)']
    """
    return [text for text in value.replace("(", "\t(").replace(")", ")\t").split("\t") if text]


def item_of(text: str, fields: Sequence[str]) -> Item:
    """Read an item; `NO_ITEM` if a text is none."""
    brackets = ITEM.fullmatch(text)
    if brackets is None or not (brackets[1] or brackets[3]):
        return NO_ITEM
    if not brackets[1]:
        return Item(False, True, brackets[2], brackets[2])
    values = dict(zip(fields, brackets[2].split("-", len(fields) - 1), strict=False))
    name, head = values.get("eid", ""), values.get("head")
    entity, part, n_parts, fault = name, 1, 1, ""
    if numbers := PART.fullmatch(name):
        entity, part, n_parts = numbers[1], int(numbers[2]), int(numbers[3])
    if not name:
        fault = f"a mention {quote(brackets[2])} without an entity"
    elif head is not None and not PLACE.fullmatch(head):
        fault = f"the head of {quote(brackets[2])} is {quote(head)}; expected 1, 2, ..., a place in the mention"
    elif not 1 <= part <= n_parts:
        fault = f"{quote(name)} is part {part} of {n_parts}"
    place = None if fault or head is None else int(head)
    is_usual = not fault and name == entity
    return Item(True, bool(brackets[3]), brackets[2], name, entity, part, n_parts, place, fault, is_usual)
