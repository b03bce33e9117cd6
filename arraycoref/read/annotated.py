"""Hold a document as an annotation tool has it: spans, the chains or sets that they are in, links between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arraycoref.read.documents import Sentences

Range = tuple[int, int]
"""First and past-the-last character, or word."""


class Span(NamedTuple):
    """A span that an annotator marked.

    Attributes:
        parts: its parts, in any order.
        id: what the file calls it, for messages.
        type: its type, or the layer that it is of.
        line: line of the file, or 0.
        text: the text that the file gives with it, or None.
        layer: layer of the chains or sets that it is in one of, or None.
        entity: the chain or set of this layer.
    """

    parts: Sequence[Range]
    id: str
    type: str
    line: int
    text: str | None = None
    layer: str | None = None
    entity: str = ""


class Link(NamedTuple):
    """A link between two spans.

    Attributes:
        one: position of a span in the document's list of spans.
        other: position of the other.
        layer: layer of the link; its value, where the format has no layers.
        value: its label; may be empty.
    """

    one: int
    other: int
    layer: str
    value: str

    @property
    def kind(self) -> str:
        """The layer if that is one of coreference; otherwise its label, if it has one."""
        return self.layer if "coref" in self.layer.lower() or self.value in ("", "*", "_") else self.value


@dataclass(eq=False)
class Annotated:
    """A document as an annotation tool has it.

    Attributes:
        path: its file.
        name: its name.
        spans: the spans, see `Span`.
        links: the links between them.
        line: the line on which it begins.
        named: whether the file names it; see `arraycoref.read.documents.Documents`.
        annotator: who marked it; empty if that is not known.
        text: its characters; None if they are not known.
        words: the words of each sentence; if they are given, spans count words.
        tokens: the words of each sentence as ranges of characters; if all mentions begin and end at one, they become
            spans of words.
        unit: what numbers of characters count: ``code points``, or ``utf-16`` units; empty if the spans' texts tell.
        with_events: line, value and event of links that join an event, which is no span.
        only_linked: whether the spans are no mentions where no file of the side has links or chains.
        has_ids: whether a type that ends in a hyphen and a number may name an entity.
    """

    path: str
    name: str
    spans: list[Span] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    line: int = 1
    named: bool = False
    annotator: str = ""
    text: str | None = None
    words: Sentences | None = None
    tokens: list[list[Range]] | None = None
    unit: str = "code points"
    with_events: list[tuple[int, str, str]] = field(default_factory=list)
    only_linked: bool = False
    has_ids: bool = False
