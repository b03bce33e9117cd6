"""Read tagged files: CoNLL-U, XCES, tab-separated words. A new format is a function and a line in `FORMATS`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, TypedDict

from arraycoref.errors import OptionError, ReadError, check_name
from arraycoref.read.conllu import FEATS, FORM, UPOS, read_sentences
from arraycoref.runtime import STDIN, decoded, import_extra, load, split_suffixes
from arraycoref.tagging.texts import TaggedText

SUFFIXES = {".conllu": "conllu", ".conll": "conllu", ".xml": "xces", ".xces": "xces", ".tsv": "tsv", ".txt": "tsv"}

PARSING = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "dtd_validation", "attribute_defaults", "huge_tree"), False),
    **dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True),
}
"""Options of lxml: read nothing but the file itself, and keep lxml's limits on its size and depth."""


class ReadingOptions(TypedDict, total=False):
    """How tagged files are read; see `read_tagged`."""

    format: str | None
    separator: str
    max_bytes: int | None


def read_tagged(
    path: str | Path,
    format: str | None = None,
    *,
    analyses: bool = False,
    separator: str = "|",
    max_bytes: int | None = None,
) -> TaggedText:
    r"""Read a tagged file.

        >>> _ = Path("words.tsv").write_text("to\tADP|PART\nrun\tVERB\n")
        >>> read_tagged("words.tsv").forms
        ['to', 'run']

    Args:
        path: the file, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard input.
        format: a name in `FORMATS`; by default the format of the file's suffix.
        analyses: in XCES, read all interpretations of a word, not only the chosen ones. Other formats have no others.
        separator: in tab-separated files, the text between the tags of a word; empty if each word has one tag.
        max_bytes: the most bytes that the file may hold, decompressed; see `arraycoref.read.read_documents`.

    Returns:
        The words with their tags.

    Raises:
        ReadError: the file cannot be read, is empty, or breaks its format.
        UnknownNameError: there is no such format.
        OptionError: no format has the suffix.
    """
    source = STDIN if str(path) == "-" else os.fspath(path)
    suffix = split_suffixes(source)[1]
    name = format or SUFFIXES.get(suffix.lower())
    if name is None:
        if source != STDIN and not os.path.exists(source):
            load(source)  # raises the error that there is no such file
        expected = f"expected one of {', '.join(SUFFIXES)}, or format=NAME"
        raise OptionError(f"{source}: no format has the suffix {suffix!r}; {expected}", option="format")
    check_name("format", name, FORMATS)
    data = bytes(load(source, max_bytes)).removeprefix(b"\xef\xbb\xbf")
    own: dict[str, dict[str, Any]] = {"xces": {"analyses": analyses}, "tsv": {"separator": separator}}
    text = FORMATS[name](data, source, **own.get(name, {}))
    if not len(text):
        raise ReadError(source, None, f"no words in this file (format {name})")
    return text


def read_conllu(data: bytes, source: str) -> TaggedText:
    r"""Read CoNLL-U.

        >>> read_conllu(b"1\tzu\t_\tADP\t_\t_\t0\t_\t_\t_\n", "words.conllu").forms
        ['zu']

    Empty nodes (ID ``8.1``) are no words. The words of a multiword token (ID ``8-9``) have the span of the token.
    Each word has one tag, ``UPOS TAB XPOS TAB FEATS``; tagset and measures decide later which part of it counts.

    Args:
        data: the file, UTF-8.
        source: its name, for messages.

    Returns:
        The words. Without ``newdoc`` comments the file is one document with the file's name; a document without a name
        is called by its number.

    Raises:
        ReadError: a line breaks the format, or is not UTF-8.
    """
    text, document = TaggedText(source), source
    for sentence in read_sentences(decoded(data, source), source):
        for name in sentence.new_documents:
            text.end_document(document)
            document = name
        forms = [columns[FORM] for columns in sentence.words]
        text.forms += forms
        text.lines += sentence.lines
        text.tags += ["\t".join(columns[UPOS : FEATS + 1]) for columns in sentence.words]
        at = 0
        for token in sentence.multiword:
            text.tokens += [*forms[at : token.first - 1], token.columns[FORM]]
            text.multiword += [*[0] * (token.first - 1 - at), token.last - token.first + 1]
            at = token.last
        text.tokens += forms[at:]
        text.multiword += [0] * (len(forms) - at)
        text.end_sentence()
    text.end_document(document)
    text.tag_offsets = list(range(len(text) + 1))
    return text


def read_tabbed(data: bytes, source: str, *, separator: str = "|") -> TaggedText:
    r"""Read tab-separated words with one or several tags, and an empty line after each sentence.

        >>> read_tabbed(b"a\tX|Y\nb\tX\n", "words.tsv").tag_names
        ('X', 'Y')

    A word whose second column is empty or missing has no tags. Further columns are ignored, and blanks around words and
    tags are removed.

    Args:
        data: the file, UTF-8.
        source: its name, for messages and as the name of its one document.
        separator: the text between the tags of a word; an empty string if each word has one tag.

    Returns:
        The words.

    Raises:
        ReadError: a line without a word, an empty tag, or text that is not UTF-8 or has a NUL or a carriage return
            within a line.
    """
    text = TaggedText(source)
    lines = decoded(data, source).replace("\r\n", "\n").removesuffix("\r").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            text.end_sentence()
            continue
        if "\r" in line or "\0" in line:
            reason = "a NUL or carriage return within the line; expected UTF-8 text whose lines end with a line feed"
            raise ReadError(source, number, reason)
        form, written = (*map(str.strip, line.split("\t")), "")[:2]
        if not form:
            raise ReadError(source, number, "a line without a word, expected word TAB tag")
        tags = [tag.strip() for tag in (written.split(separator) if separator else [written])] if written else []
        if "" in tags:
            raise ReadError(source, number, f"an empty tag in {written!r}")
        text.add(form, tags, number)
    text.end_document(source)
    return text


def read_xces(data: bytes, source: str, *, analyses: bool = False) -> TaggedText:
    """Read XCES, in the layouts of the IPI PAN Corpus (``<chunk type="s">``) and of CCL (``<sentence>``).

    A word has the tags of its ``lex`` elements with ``disamb="1"``, each once even if several lemmas have it. Entities
    are not expanded, and no DTD or other file is loaded; a document that declares entities is refused.

    Args:
        data: the file.
        source: its name, for messages.
        analyses: read all ``lex`` elements, as weights from the ambiguity of a corpus need them.

    Returns:
        The words. Each outermost ``chunk`` that is no sentence is a document, named by its ``id`` or ``n``.

    Raises:
        ReadError: XML that is not well-formed or declares entities, and a ``tok`` without ``orth`` or a ``lex``
            without ``ctag``.
        MissingDependencyError: lxml is not installed.
    """
    etree: Any = import_extra("lxml.etree", "XCES needs lxml", "xml")
    text = TaggedText(source)
    depth = 0
    try:
        for event, element in etree.iterparse(BytesIO(data), events=("start", "end"), **PARSING):
            name = element.tag.rpartition("}")[2]  # QName refuses names such as x::y, which the parser accepts
            is_sentence = name == "sentence" or (name == "chunk" and element.get("type") == "s")
            if event == "start":
                dtd = element.getroottree().docinfo.internalDTD if depth == 0 else None
                if dtd is not None and any(True for _ in dtd.iterentities()):
                    raise ReadError(source, None, "the document type declares entities; they are not expanded")
                depth += name == "chunk" and not is_sentence
                continue
            if name == "tok":
                _add_word(text, element, source, analyses)
            elif is_sentence:
                text.end_sentence()
            elif name == "chunk":
                depth -= 1
                if depth == 0:
                    text.end_document(element.get("id") or element.get("n") or "")
            if name in ("tok", "sentence", "chunk"):  # free what was read, and the siblings before it
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise ReadError(source, error.lineno or None, f"not well-formed XML: {error.msg}") from error
    text.end_document(source)
    return text


def _add_word(text: TaggedText, token: Any, source: str, analyses: bool) -> None:
    line = int(token.sourceline or 0)
    orth = _text(token, "orth", source)
    if not orth:
        raise ReadError(source, line, "a tok without orth" if orth is None else "a tok with an empty orth")
    tags = []
    for lex in token.iterfind("{*}lex"):
        if analyses or lex.get("disamb") == "1":
            tag = _text(lex, "ctag", source)
            if not tag:
                raise ReadError(source, int(lex.sourceline or line), f"a lex of {orth!r} without ctag")
            tags.append(tag)
    text.add(orth, tags, line)


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


FORMATS: dict[str, Callable[..., TaggedText]] = {"conllu": read_conllu, "xces": read_xces, "tsv": read_tabbed}
"""The readers by name: functions of a file's bytes, its name, and the format's own options."""
