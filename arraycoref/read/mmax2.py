"""Read MMAX2: words in one file, markables of words in another, with a set or a pointer to an antecedent each.

A document is a ``.mmax`` file, which names the file of its words, or a file of words alone. Files that belong to it
have its stem, and lie in its folder or in ``Basedata``, ``Markables`` and ``Schemes`` there.
"""

from __future__ import annotations

import os
import re
from itertools import chain, pairwise

from arraycoref.exceptions import ReadError
from arraycoref.read.annotation import NO_IDENTITY, Annotated, Link, Range, Span, name_of
from arraycoref.read.markup import elements
from arraycoref.read.problems import ReadingOptions, quote
from arraycoref.runtime import Content, load, split_suffixes

SETS = ("coref_class", "mention_group", "coref_set")
"""Usual attributes of the set that a markable is in, where no scheme says it."""

REF = "ref"
"""The usual attribute of an antecedent, also where a scheme names others; the markable has the type of the link."""

NOTHING = ("", "empty", "none")
"""Values of attributes that name no set, or no markable."""


def read_mmax2(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read a document.

    Args:
        data: the bytes of a ``.mmax`` file, or of a file of words.
        path: its name.
        options: how to read it.

    Raises:
        ReadError: an error, where reading is strict; or a file that is not XML, or cannot be read.
    """
    name, annotator = name_of(path)
    document = Annotated(path, name.removesuffix("_words"), annotator=annotator)
    own, words = elements(data, path), path
    folder = os.path.dirname(path)
    root = os.path.dirname(folder) if os.path.basename(folder).lower() == "basedata" else folder
    if own[-1].name == "mmax_project":
        named = next((each.text.strip() for each in own if each.name == "words"), "").replace("\\", "/")
        named = os.path.basename(named)
        words = next(iter(_files(root, "basedata", re.escape(named))), "")
        if not words:
            reason = f"the words are in {quote(named)}, which is neither beside this file nor in Basedata"
            raise ReadError(path, None, reason)
        own = elements(load(words, options.max_bytes), words)
    forms = [each for each in own if each.name == "word"]
    word_of: dict[str, int] = {}
    for at, each in enumerate(forms):
        if word_of.setdefault(each.attributes.get("id", f" {at}"), at) != at:
            options.problems.error(words, each.line, f"a second word {quote(each.attributes['id'])}")
    stem = os.path.basename(split_suffixes(path)[0]).removesuffix("_words")
    files = _files(root, "markables", rf"{re.escape(stem)}_(?i:(\w*?)_?level\.xml)")
    levels = {match[1].lower(): file for file, match in files.items()}
    of_sentences = [_markables(levels.pop(name), options) for name in ("sentence", "sentences") if name in levels]
    parts = [_parts(each["span"], word_of) or [(0, 0)] for _, each in chain(*of_sentences) if "span" in each]
    bounds = [*sorted({0, *(each[0][0] for each in parts)}), len(forms)]
    document.words = [[each.text.strip() for each in forms[begin:end]] for begin, end in pairwise(bounds)]
    levels = {level: file for level, file in levels.items() if "_" not in level} or levels  # not those of x_2 for x
    levels = {level: file for level, file in levels.items() if "coref" in level} or levels
    for level, file in levels.items():
        _add_level(document, root, level, file, word_of, options)
    for link in document.links:
        if link.ends[1][1] not in levels:
            document.leave_out(0, "pointers into the level", link.ends[1][1], link.layer)
    document.links = [link for link in document.links if link.ends[1][1] in levels]
    if not levels:
        reason = f"no markables, such as {document.name}_coref_level.xml, beside this file or in Markables"
        options.problems.error(path, None, reason)
    return [document]


def _files(root: str, folder: str, pattern: str) -> dict[str, re.Match[str]]:
    """Return the files in a folder, and in one below it whose name is given in lower case, that a pattern matches."""
    root = root or os.curdir
    places = [root, *(os.path.join(root, each) for each in sorted(os.listdir(root)) if each.lower() == folder)]
    names = [(place, name) for place in places if os.path.isdir(place) for name in sorted(os.listdir(place))]
    matches = [(place, re.fullmatch(pattern, name)) for place, name in names]
    return {os.path.normpath(os.path.join(place, match[0])): match for place, match in matches if match}


def _markables(file: str, options: ReadingOptions) -> list[tuple[int, dict[str, str]]]:
    """Return line and attributes, their names in lower case, of each markable of a level."""
    every = [each for each in elements(load(file, options.max_bytes), file) if each.name == "markable"]
    return [(each.line, {name.lower(): value for name, value in each.attributes.items()}) for each in every]


def _scheme(root: str, level: str, options: ReadingOptions) -> tuple[list[str], list[str]]:
    """Return the attributes of a level, in lower case, that hold the set of a markable, and those that point to others.

    They are those of the scheme; the usual ones, if it has no set, and beside its pointers.
    """
    sets, pointers = list[str](), [REF]
    for file in _files(root, "schemes", rf"(?i:{re.escape(level)}_?scheme\.xml)"):
        for each in elements(load(file, options.max_bytes), file):
            name, kind = each.attributes.get("name", "").lower(), each.attributes.get("type")
            if each.name == "attribute" and kind in ("markable_set", "markable_pointer") and name not in pointers:
                (sets if kind == "markable_set" else pointers).append(name)
    return sorted(sets, key=lambda name: name not in SETS) or list(SETS), pointers


def _add_level(
    document: Annotated, root: str, level: str, file: str, word_of: dict[str, int], options: ReadingOptions
) -> None:
    """Add the markables of a level, with their sets and their links to antecedents."""
    of_sets, pointers = _scheme(root, level, options)
    markables = _markables(file, options)
    of_set = next((name for name in of_sets if any(name in each for _, each in markables)), "")
    ids = {each.get("id", "") for _, each in markables}
    for line, each in markables:
        id, span = each.get("id", ""), each.get("span", "")
        parts = _parts(span, word_of)
        if parts is None:
            expected = "expected words of the document, as word_1..word_5,word_7"
            options.problems.error(file, line, f"the markable {quote(id)} of {quote(span)}; {expected}")
            continue
        entity = each.get(of_set, "")
        entity = "" if not of_set else f"{id} alone" if entity in NOTHING else entity
        document.spans.append(Span(parts, id, level, 0, None, level if of_set else None, entity, (id, level)))
        for name, value in each.items():
            if value in NOTHING or name in ("id", "span", "mmax_level", of_set):
                continue
            layer, kind = (level, each.get("type") or each.get("reltype") or "") if name == REF else (name, name)
            names = [target.strip() for target in re.split("[;,]", value)] if name in pointers else [value]
            if name in pointers and len(names) == 1:
                other, _, target = names[0].rpartition(":")
                ends = (id, level), (target, other.lower() or level)
                document.links.append(Link(ends, layer, kind, line, file))
            elif name in pointers:
                document.leave_out(0, "pointers to several markables", name, layer)
            elif value in ids and not NO_IDENTITY.match(name):
                document.leave_out(0, "pointers that no scheme declares", name, level)
            else:
                document.leave_out(0, "attributes", name)


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
