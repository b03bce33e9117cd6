"""Read MMAX2: words in one file, markables of words in another, with a set or a pointer to an antecedent each.

A document is a ``.mmax`` file, which names the file of its words, or a file of words alone. Files that belong to it
have its stem, and lie in its folder or in ``Basedata``, ``Markables`` and ``Schemes`` there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from arraycoref.errors import ReadError
from arraycoref.read.annotated import Annotated, Link, Range, Span
from arraycoref.read.annotators import name_of
from arraycoref.read.faults import ReadingOptions, quote
from arraycoref.read.markup import Element, elements
from arraycoref.runtime import Content, load, split_suffixes

SETS = ("coref_class", "mention_group", "coref_set")
"""Usual attributes of the set that a markable is in, where no scheme says it."""

NOTHING = ("", "empty", "none")
"""Values of attributes that name no set, or no markable."""

_LEVEL = re.compile(r"_(\w*?)_?level\.xml\Z", re.IGNORECASE)


def read_mmax2(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read a document.

    Args:
        data: the bytes of a ``.mmax`` file, or of a file of words.
        path: its name.
        options: how to read it.

    Raises:
        ReadError: what `options.on_error` raises; or a file that is no XML, or cannot be read.
    """
    name, annotator = name_of(path)
    document = Annotated(path, name.removesuffix("_words"), annotator=annotator)
    own = elements(data, path)
    folder = os.path.dirname(path)
    root = os.path.dirname(folder) if os.path.basename(folder).lower() == "basedata" else folder
    if own[-1].name == "mmax_project":
        named = next((each.text.strip() for each in own if each.name == "words"), "").replace("\\", "/")
        named = os.path.basename(named)
        words = next(_files(root, "basedata", re.compile(re.escape(named) + r"\Z")), None)
        if words is None:
            raise ReadError(
                path, None, f"the words are in {quote(named)}, which is neither beside this file nor in Basedata"
            )
        own = elements(load(words, options.max_bytes), words)
    forms = [each for each in own if each.name == "word"]
    document.words = [[each.text.strip() for each in forms]]
    word_of = {each.attributes.get("id", ""): at for at, each in enumerate(forms)}
    levels = {match[1].lower(): file for file, match in _levels(root, os.path.basename(split_suffixes(path)[0]))}
    of_stem = {level: file for level, file in levels.items() if "_" not in level}  # not those of x_2 for x
    of_coreference = (
        {level: file for level, file in (of_stem or levels).items() if "coref" in level} or of_stem or levels
    )
    for level, file in of_coreference.items():
        if level not in ("sentence", "sentences"):
            _add_level(document, level, file, _set_attributes(root, level, options), word_of, options)
    if not of_coreference:
        reason = f"no markables, such as {document.name}_coref_level.xml, beside this file or in Markables"
        options.on_error(ReadError(path, None, reason))
    return [document]


def _files(root: str, folder: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield the files in a folder, and in one below it whose name is given in lower case, that a pattern matches."""
    below = sorted(each for each in os.listdir(root or os.curdir) if each.lower() == folder)
    for place in (root, *(os.path.join(root, each) for each in below)):
        if os.path.isdir(place or os.curdir):
            yield from (
                os.path.join(place, each) for each in sorted(os.listdir(place or os.curdir)) if pattern.match(each)
            )


def _levels(root: str, stem: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each file of markables of a document, and the match of its level."""
    stem = stem.removesuffix("_words")
    for file in _files(root, "markables", re.compile(re.escape(stem) + "_")):
        match = _LEVEL.match(os.path.basename(file), len(stem))
        if match is not None:
            yield file, match


def _set_attributes(root: str, level: str, options: ReadingOptions) -> list[str]:
    """Return the attributes, in lower case, that hold the set of a markable: those of the scheme, or the usual ones."""
    for file in _files(root, "schemes", re.compile(re.escape(level) + r"_?scheme\.xml\Z", re.IGNORECASE)):
        attributes = [
            each.attributes for each in elements(load(file, options.max_bytes), file) if each.name == "attribute"
        ]
        names = [each.get("name", "").lower() for each in attributes if each.get("type") == "markable_set"]
        if names:
            return sorted(names, key=lambda name: name not in SETS)
    return list(SETS)


def _add_level(
    document: Annotated, level: str, file: str, of_sets: list[str], word_of: dict[str, int], options: ReadingOptions
) -> None:
    """Add the markables of a level."""
    markables = [each for each in elements(load(file, options.max_bytes), file) if each.name == "markable"]
    names = [{name.lower(): value for name, value in each.attributes.items()} for each in markables]
    of_set = next((name for name in of_sets if any(name in each for each in names)), None)
    place: dict[str, int] = {}
    kept: list[tuple[int, Element, dict[str, str]]] = []
    for each, attributes in zip(markables, names, strict=True):
        id, text = attributes.get("id", ""), attributes.get("span", "")
        parts = _parts(text, word_of)
        if parts is None:
            reason = (
                f"the markable {quote(id)} of {quote(text)}; expected words of the document, as word_1..word_5,word_7"
            )
            options.on_error(ReadError(file, each.line, reason))
            continue
        entity = attributes.get(of_set or "", "")
        alone = f"{id} alone" if entity in NOTHING else entity
        place[id] = len(document.spans)
        kept.append((len(document.spans), each, attributes))
        document.spans.append(Span(parts, id, level, 0, None, level if of_set else None, alone if of_set else ""))
    for m, each, attributes in kept:
        for target in filter(None, re.split(r"[;,]", attributes.get("ref", ""))):
            if target in NOTHING:
                continue
            if target.strip() in place:
                value = attributes.get("type") or attributes.get("reltype") or ""
                document.links.append(Link(m, place[target.strip()], level, value))
            else:
                reason = f"the markable {attributes.get('id')} refers to {quote(target)}, which is not in this file"
                options.on_error(ReadError(file, each.line, reason))


def _parts(span: str, word_of: dict[str, int]) -> list[Range] | None:
    """Return the parts of a markable, from a span such as ``word_1..word_5,word_7``; None if it has other words."""
    parts = []
    for part in span.split(","):
        first, _, last = part.strip().partition("..")
        begin, end = word_of.get(first), word_of.get(last or first)
        if begin is None or end is None or begin > end:
            return None
        parts.append((begin, end + 1))
    return parts
