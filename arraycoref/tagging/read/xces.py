"""XCES XML of the IPI PAN Corpus and NKJP tools: ``tok`` elements with several interpretations (``lex``)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from arraycoref.errors import MissingDependencyError, ReadError
from arraycoref.tagging.read.builder import TextBuilder
from arraycoref.tagging.texts import TaggedText


def read_xces(data: bytes, source: str, *, analyses: bool = False) -> TaggedText:
    """Read XCES, in the layouts of the IPI PAN Corpus (``<chunk type="s">``) and of CCL (``<sentence>``).

    A word has the tags of its ``lex`` elements with ``disamb="1"``, each once even if several lemmas have it. Entities
    are not expanded, nor DTDs or other files loaded: a document that declares entities is refused.

    Args:
        data: the file.
        source: its name, for messages.
        analyses: take all ``lex`` elements, for weights from the ambiguity of a corpus.

    Returns:
        The words. Each outermost ``chunk`` that is no sentence is a document, named by its ``id`` or ``n``.

    Raises:
        ReadError: XML that is not well-formed or declares entities, and a ``tok`` without ``orth`` or a ``lex``
            without ``ctag``.
        MissingDependencyError: lxml is not installed.
    """
    try:
        from lxml import etree
    except ImportError as error:
        raise MissingDependencyError("XCES needs lxml: pip install 'arraycoref[xml]'") from error
    builder = TextBuilder(source)
    depth = 0
    try:
        events = etree.iterparse(
            BytesIO(data), events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False,
            dtd_validation=False, attribute_defaults=False, huge_tree=False, remove_comments=True, remove_pis=True,
        )  # fmt: skip
        for event, element in events:
            name = etree.QName(element).localname
            if event == "start":
                if depth == 0:
                    _refuse_entities(element, source)
                depth += name == "chunk" and element.get("type") != "s"
            elif name == "tok":
                _add_word(builder, element, source, analyses)
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


def _add_word(builder: TextBuilder, token: Any, source: str, analyses: bool) -> None:
    line = int(token.sourceline or 0)
    orth = token.findtext("{*}orth")
    if orth is None:
        raise ReadError(source, line, "a tok without orth")
    tags = []
    for lex in token.iterfind("{*}lex"):
        if not analyses and lex.get("disamb") != "1":
            continue
        tag = (lex.findtext("{*}ctag") or "").strip()
        if not tag:
            raise ReadError(source, int(lex.sourceline or line), f"a lex of {orth!r} without ctag")
        tags.append(tag)
    if not builder.add(orth.strip(), tags, line):
        raise ReadError(source, line, "a tok with an empty orth")


def _refuse_entities(root: Any, source: str) -> None:
    """Refuse a document type with entities of its own; an external one, which is not loaded, may stand there."""
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise ReadError(source, None, "the document type declares entities; they are not expanded")


def _drop(element: Any) -> None:
    """Free an element, and its elder siblings, once it is read."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
