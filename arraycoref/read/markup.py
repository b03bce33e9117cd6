"""Read the elements of XML in the order of their ends, with their lines; nothing is fetched, no entity is expanded."""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from xml.parsers import expat

from arraycoref.exceptions import ReadError
from arraycoref.runtime import Content

_VERSION_1_1 = re.compile(rb"\s*<\?xml version=.1\.1")


class Element(NamedTuple):
    """An element of XML.

    Attributes:
        space: its namespace; empty for none.
        name: its name.
        attributes: its attributes; the name of one with a namespace begins with that and a space.
        text: the text in it, but not in elements in it.
        line: the line on which it begins.
        depth: how many elements it is in.
    """

    space: str
    name: str
    attributes: dict[str, str]
    text: str
    line: int
    depth: int


def elements(data: Content, path: str) -> list[Element]:
    """Return the elements of a file in the order of their ends.

    >>> [(each.name, each.text) for each in elements(b"<words><word id='1'>Ann</word></words>", "words.xml")]
    [('word', 'Ann'), ('words', '')]

    Raises:
        ReadError: it is not XML, or has entities of its own, which might expand without limit.
    """
    parser: Any = expat.ParserCreate(namespace_separator=" ")
    opened: list[tuple[str, dict[str, str], int, list[str]]] = []
    result: list[Element] = []

    def end(_: str) -> None:
        tag, attributes, line, texts = opened.pop()
        space, _, name = tag.rpartition(" ")
        result.append(Element(space, name, attributes, "".join(texts), line, len(opened)))

    def refuse(name: str, *_: object) -> None:
        line = parser.CurrentLineNumber
        raise ReadError(
            path, line, f"the entity {name!r:.60} of the document's own; expected XML without such entities"
        )

    parser.buffer_text = True
    parser.specified_attributes = True  # not the defaults of a DTD, which may be long
    parser.StartElementHandler = lambda tag, attributes: opened.append((tag, attributes, parser.CurrentLineNumber, []))
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: opened[-1][3].append(text)  # noqa: PLW0108 - the last changes
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    content = bytes(data)
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, ReadError):
            raise
        hint = "; export it as XML 1.0, as XML 1.1 may hold control characters" if _VERSION_1_1.match(content) else ""
        raise ReadError(path, getattr(error, "lineno", None), f"not XML: {error}{hint}") from error
    return result
