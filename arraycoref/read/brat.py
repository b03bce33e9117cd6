"""Read brat's standoff, ``.ann`` with the text in ``.txt`` beside it, and LitBank's tables of the same suffix."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.ragged import bounds_of
from arraycoref.read.annotation import Annotated, Link, Range, Span, name_of
from arraycoref.read.faults import ReadingOptions, quote
from arraycoref.report.tables import number_of
from arraycoref.runtime import COMPRESSIONS, Content, decoded, load, split_suffixes

OTHERS = "EAMN#"
"""First characters of lines that are passed over: events, attributes, normalisations, notes."""

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
        _read_lines(document, lines, fault, options)
    return [document]


def _text_beside(path: str, options: ReadingOptions) -> str | None:
    """Return the text in the ``.txt`` of the same name, compressed or not; None if there is none."""
    stem = split_suffixes(path)[0]
    for name in (f"{stem}.txt{compression}" for compression in ("", *COMPRESSIONS)):
        if os.path.isfile(name):
            text = decoded(bytes(load(name, options.max_bytes)), name)
            return " " + text[1:] if text.startswith("\ufeff") else text  # brat counts this character
    return None


def _read_lines(document: Annotated, lines: Lines, fault: Fault, options: ReadingOptions) -> None:
    """Read the spans of brat's lines and the links between them, which may name a span of a later line."""
    place: dict[str, int] = {}
    again, triggers, events = set[str](), set[str](), list[tuple[int, str]]()
    links: list[tuple[int, str, list[str]]] = []
    for number, line in lines:
        mark, columns = line[0], line.split("\t", 2)
        words = columns[1].split() if len(columns) > 1 else []
        if mark == "T":
            parts = _parts(words[1:])
            if parts is None:
                fault(number, f"the line {quote(line)}; expected an id, a type with begin and end, and a text, with tabs between")
                continue
            if place.setdefault(columns[0], len(document.spans)) < len(document.spans):
                again.add(columns[0])
            text = columns[2] if len(columns) > 2 else None
            document.spans.append(Span(parts, columns[0], words[0], number, text))
        elif mark == "R" and len(words) > 2:
            links.append((number, words[0], [role.partition(":")[2] for role in words[1:]]))
        elif mark == "*" and len(words) > 1:
            links.append((number, words[0], words[1:]))
        elif mark == "E" and words:
            triggers.add(words[0].partition(":")[2])
        elif mark not in OTHERS or len(columns) < 2:
            reason = f"the line {quote(line)}; expected one of brat, such as T1, TYPE 0 5 and a text with tabs between"
            fault(number, f"{reason}. A text with an end of line in it?" if document.spans else reason)
    named = set[str]()
    for number, kind, ids in links:
        is_event = [each[:1] == "E" for each in ids]
        if any(is_event):
            events.append((number, ids[is_event.index(True)]))
            continue
        unknown = next((each for each in ids if each not in place), None) or next((each for each in ids if each in again), None)
        if unknown is not None:
            fault(number, f"{kind} names {quote(unknown)}, which is {'two spans' if unknown in again else 'no span of this file'}")
            continue
        named.update(ids)
        document.links += [Link(place[one], place[other], kind, kind) for one, other in pairwise(ids)]
    if events:
        (number, name), n = events[0], number_of(len(events), "relation")
        options.on_doubt(ReadError(document.path, number, f"{n} with events, such as {name}, which join no mentions"))
    _leave_out(document, [span.id in triggers - named for span in document.spans])


def _parts(words: list[str]) -> list[Range] | None:
    """Return the parts of a span, from words such as ``0``, ``5;8`` and ``9``; None if they are no numbers."""
    ranges = [part.split(" ") for part in " ".join(words).split(";")]
    if not all(len(part) == 2 and all(each.isdecimal() and len(each) < 11 for each in part) for part in ranges):
        return None
    return [(int(begin), int(end)) for begin, end in ranges]


def _leave_out(document: Annotated, left_out: list[bool]) -> None:
    """Leave out spans that no link names."""
    if any(left_out):
        new = (np.cumsum(~np.array(left_out)) - 1).tolist()
        document.spans = [span for span, is_out in zip(document.spans, left_out, strict=True) if not is_out]
        document.links = [link._replace(one=new[link.one], other=new[link.other]) for link in document.links]


def _read_litbank(document: Annotated, lines: Lines, fault: Fault) -> None:
    """Read LitBank's table: mentions by sentence and token, from 0 and inclusive, and the entity of each."""
    if document.text is None:
        fault(1, "mentions count words, but there is no .txt beside this file, with a sentence on each line")
    document.words = [line.split() for line in (document.text or "").split("\n")]
    first = bounds_of(document.words).tolist()
    entity: dict[str, str] = {}
    for number, line in lines:
        columns = line.split("\t")
        if columns[0] == "MENTION" and len(columns) > 6 and all(each.isdecimal() and len(each) < 11 for each in columns[2:6]):
            places = [int(each) for each in columns[2:6]]
            begin, end = (
                first[sentence] + token if sentence < len(first) - 1 and token < first[sentence + 1] - first[sentence] else -1
                for sentence, token in (places[:2], places[2:])
            )
            if min(begin, end) < 0:
                fault(number, f"the mention {quote(columns[1])} lies past the {len(first) - 1:,} sentences of the .txt, or its tokens")
                continue
            kind = "_".join(reversed(columns[7:9]))
            document.spans.append(Span([(begin, end + 1)], columns[1], kind, number, columns[6], ""))
        elif columns[0] == "COREF" and len(columns) > 2:
            entity[columns[1]] = columns[2]
        elif columns[0] not in LITBANK[2:]:
            fault(number, f"the line {quote(line)}; expected MENTION, COREF, COP or APPOS, with tabs between columns")
    document.spans = [span._replace(entity=entity.get(span.id, f"{span.id} alone")) for span in document.spans]
