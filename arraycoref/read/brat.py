"""Read brat's standoff, ``.ann`` with the text in ``.txt`` beside it, and LitBank's tables of the same suffix."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import compress, pairwise

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.ragged import bounds_of
from arraycoref.read.annotated import Annotated, Link, Span
from arraycoref.read.annotators import name_of
from arraycoref.read.faults import ReadingOptions, quote
from arraycoref.runtime import COMPRESSIONS, Content, decoded, load, split_suffixes

OTHERS = "EAMN#"
"""First characters of lines that are passed over: events, attributes, normalisations, notes."""

_SPAN = re.compile(r"(T[^\t]*)\t(\S+) ([0-9]{1,10} [0-9]{1,10}(?:;[0-9]{1,10} [0-9]{1,10})*)(?:\t(.*))?\Z", re.DOTALL)
_MENTION = re.compile(r"MENTION\t([^\t]*)" + r"\t([0-9]{1,9})" * 4 + r"\t([^\t]*)\t([^\t]*)\t([^\t]*)")

LITBANK = ("MENTION", "COREF", "COP", "APPOS")

Lines = list[tuple[int, str]]
"""Number and text of each line that is not blank."""

Fault = Callable[[int, str], None]
"""Takes a line, and what is wrong with it."""


def read_brat(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the document of an ``.ann`` file.

    Relations (``R``) and equivalences (``*``) are links, whatever the names of their roles. Where the ``.txt`` is
    missing, characters are compared as they are.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it.

    Raises:
        ReadError: what `options.on_error` raises; or text that is not UTF-8.
    """
    name, annotator = name_of(path)
    document = Annotated(path, name, annotator=annotator, text=_text_beside(path, options), has_ids=True)
    text = decoded(bytes(data), path).removeprefix("\ufeff")
    lines = [(number, line.removesuffix("\r")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    fault = lambda line, reason: options.on_error(ReadError(path, line, reason))  # noqa: E731
    if lines and lines[0][1].partition("\t")[0] in LITBANK:
        _read_litbank(document, lines, fault)
    else:
        _read_lines(document, lines, fault)
    return [document]


def _text_beside(path: str, options: ReadingOptions) -> str | None:
    """Return the text in the ``.txt`` of the same name, compressed or not; None if there is none."""
    stem = split_suffixes(path)[0]
    for name in (f"{stem}.txt{compression}" for compression in ("", *COMPRESSIONS)):
        if os.path.isfile(name):
            text = decoded(bytes(load(name, options.max_bytes)), name)
            return " " + text[1:] if text.startswith("\ufeff") else text  # brat counts this character
    return None


def _read_lines(document: Annotated, lines: Lines, fault: Fault) -> None:
    """Read the spans of brat's lines and the links between them, which may name a span of a later line."""
    place: dict[str, int] = {}
    again, triggers, linked = set[str](), set[str](), set[str]()
    links: list[tuple[int, str, list[str]]] = []
    for number, line in lines:
        mark, columns, span = line[0], line.split("\t"), _SPAN.match(line)
        words = columns[1].split() if len(columns) > 1 else []
        if span is not None:
            if place.setdefault(span[1], len(document.spans)) < len(document.spans):
                again.add(span[1])
            ranges = [part.split(" ") for part in span[3].split(";")]
            parts = [(int(begin), int(end)) for begin, end in ranges]
            document.spans.append(Span(parts, span[1], span[2], number, span[4] or None))
        elif mark == "R" and len(words) > 2:
            links.append((number, words[0], [role.partition(":")[2] for role in words[1:]]))
        elif mark == "*" and len(words) > 1:
            links.append((number, words[0], words[1:]))
        elif mark == "E" and words:
            triggers.add(words[0].partition(":")[2])
        elif mark not in OTHERS or len(columns) < 2:
            reason = f"the line {quote(line)}; expected one such as T1, TYPE 0 5 and a text, with tabs between"
            fault(number, f"{reason}. Has the text before it an end of line?" if document.spans else reason)
    for number, kind, ids in links:
        document.with_events += [(number, kind, each) for each in ids if each.startswith("E")][:1]
        ends = [each for each in ids if not each.startswith("E")]
        unknown = [each for each in ends if each not in place]
        twice = [each for each in ends if each in again]
        if unknown or twice:
            what = f"{quote(unknown[0])}, which is no span" if unknown else f"{quote(twice[0])}, which is two spans"
            fault(number, f"{quote(kind)} names {what} of this file")
            continue
        linked.update(ends)
        document.links += [Link(place[one], place[other], kind, kind) for one, other in pairwise(ends)]
    _leave_out(document, triggers - linked)


def _leave_out(document: Annotated, ids: set[str]) -> None:
    """Leave out spans that no link names."""
    left = [span.id not in ids for span in document.spans]
    new = (np.cumsum(left) - 1).tolist()
    document.spans = [*compress(document.spans, left)]
    document.links = [link._replace(one=new[link.one], other=new[link.other]) for link in document.links]


def _read_litbank(document: Annotated, lines: Lines, fault: Fault) -> None:
    """Read LitBank's table: mentions by sentence and token, from 0 and inclusive, and the entity of each."""
    if document.text is None:
        fault(1, "its mentions count words, but there is no .txt beside this file, with a sentence on each line")
    words = [line.split() for line in (document.text or "").split("\n")]
    document.words, first = words, bounds_of(words).tolist()
    entity: dict[str, str] = {}
    for number, line in lines:
        mention, columns = _MENTION.match(line), line.split("\t")
        if mention is not None:
            ends = [(int(mention[n]), int(mention[n + 1])) for n in (2, 4)]
            if all(sentence < len(words) and token < len(words[sentence]) for sentence, token in ends):
                begin, end = (first[sentence] + token for sentence, token in ends)
                kind = f"{mention[8]}_{mention[7]}"
                document.spans.append(Span([(begin, end + 1)], mention[1], kind, number, mention[6], ""))
            else:
                fault(number, f"the mention {quote(mention[1])} lies past the sentences of the .txt, or their words")
        elif columns[0] == "COREF" and len(columns) > 2:
            entity[columns[1]] = columns[2]
        elif columns[0] not in LITBANK[2:]:
            fault(number, f"the line {quote(line)}; expected MENTION, COREF, COP or APPOS, with tabs between columns")
    document.spans = [span._replace(entity=entity.get(span.id, f"{span.id} alone")) for span in document.spans]
