"""Read XCES XML of the IPI PAN Corpus and NKJP tools: ``tok`` elements with several interpretations (``lex``)."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

from arraycoref.deadline import within_time
from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault, refuse
from arraycoref.runtime import import_extra
from arraycoref.tagging.texts import TaggedText, TextBuilder

PARSING = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "dtd_validation", "attribute_defaults", "huge_tree"), False),
    **dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True),
}
"""Options of lxml: read nothing but the file itself, and keep lxml's limits on its size and depth."""


def read_xces(data: bytes, source: str, fault: Fault | None = None, *, analyses: bool = False) -> TaggedText:
    """Read XCES, in the layouts of the IPI PAN Corpus (``<chunk type="s">``) and of CCL (``<sentence>``).

    A word has the tags of its ``lex`` elements with ``disamb="1"``, each once even if several lemmas have it. Entities
    are not expanded, and no DTD or other file is loaded; a document that declares entities is refused.

    Args:
        data: the file.
        source: its name, for messages.
        fault: called with an error for each ``tok`` and ``lex`` that is left out; None raises the first error. XML that
            is not well-formed or declares entities is an error in any case.
        analyses: read all ``lex`` elements, as weights from the ambiguity of a corpus need them.

    Returns:
        The words. Each outermost ``chunk`` that is no sentence is a document, named by its ``id`` or ``n``.

    Raises:
        ReadError: XML that is not well-formed or declares entities, and a ``tok`` without ``orth`` or a ``lex``
            without ``ctag``.
        MissingDependencyError: lxml is not installed.
    """
    etree: Any = import_extra("lxml.etree", "XCES needs lxml", "xml")
    builder = TextBuilder(source)
    depth = 0
    try:
        events = etree.iterparse(BytesIO(data), events=("start", "end"), **PARSING)
        for event, element in within_time(events):
            name = element.tag.rpartition("}")[2]  # QName refuses names such as x::y, which the parser accepts
            if event == "start":
                if depth == 0:
                    _refuse_entities(element, source)
                depth += name == "chunk" and element.get("type") != "s"
            elif name == "tok":
                _add_word(builder, element, source, analyses, fault or refuse)
                _drop(element)
            elif name == "sentence" or (name == "chunk" and element.get("type") == "s"):
                builder.end_sentence()
                _drop(element)
            elif name == "chunk":
                depth -= 1
                if depth == 0:
                    builder.end_document(element.get("id") or element.get("n") or f"document {len(builder.names) + 1}")
                    _drop(element)
    except etree.XMLSyntaxError as error:
        raise ReadError(source, error.lineno or None, f"not well-formed XML: {error.msg}") from error
    builder.end_document(source)
    return builder.build()


def _add_word(builder: TextBuilder, token: Any, source: str, analyses: bool, fault: Fault) -> None:
    line = int(token.sourceline or 0)
    orth = _text(token, "orth", source)
    if orth is None:
        fault(ReadError(source, line, "a tok without orth"))
        return
    tags = []
    for lex in token.iterfind("{*}lex"):
        if not analyses and lex.get("disamb") != "1":
            continue
        tag = _text(lex, "ctag", source)
        if tag:
            tags.append(tag)
        else:
            fault(ReadError(source, int(lex.sourceline or line), f"a lex of {orth!r} without ctag"))
    if not builder.add(orth, tags, line):
        fault(ReadError(source, line, "a tok with an empty orth"))


def _text(parent: Any, name: str, source: str) -> str | None:
    """Return the text of a child element, with one space for each run of blanks; None if there is no such child.

    A child that holds an element or an entity is refused. Otherwise an entity that only an external DTD declares would
    be dropped unnoticed.
    """
    child = parent.find(f"{{*}}{name}")
    if child is None:
        return None
    if len(child):
        reason = f"{name} holds an element or entity; expected text, entities are not read"
        raise ReadError(source, int(child.sourceline or 0), reason)
    return re.sub(r"[ \t\r\n]+", " ", child.text or "").strip()  # no tab, which would look like CoNLL-U


def _refuse_entities(root: Any, source: str) -> None:
    """Refuse a document type that declares entities; an external document type is allowed, since it is not loaded."""
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise ReadError(source, None, "the document type declares entities; they are not expanded")


def _drop(element: Any) -> None:
    """Free an element that was read, and the siblings before it."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
