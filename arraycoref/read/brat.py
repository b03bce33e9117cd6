"""Read brat's standoff, ``.ann`` with the text in ``.txt`` beside it, and LitBank's tables of the same suffix."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import chain

from arraycoref.ragged import bounds_of
from arraycoref.read.annotation import Annotated, Link, Span, name_of
from arraycoref.read.problems import ReadingOptions, quote
from arraycoref.runtime import COMPRESSIONS, Content, archived, decoded, load, split_suffixes

OTHERS = {"E": "events", "A": "attributes", "M": "attributes", "N": "normalizations", "#": "notes"}
"""First characters of lines that are not read, and what these are."""

_SPAN = re.compile(r"(T[^\t]*)\t(\S+) ([0-9]{1,10} [0-9]{1,10}(?:;[0-9]{1,10} [0-9]{1,10})*)(?:\t(.*))?\Z", re.DOTALL)
_MENTION = re.compile(r"MENTION\t([^\t]*)" + r"\t([0-9]{1,9})" * 4 + r"\t([^\t]*)\t([^\t]*)\t([^\t]*)")

LITBANK = ("MENTION", "COREF", "COP", "APPOS")

Lines = list[tuple[int, str]]
"""Number and text of each line with a text."""

Fault = Callable[[int, str], None]
"""Takes a line, and what is wrong with it."""


def read_brat(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the document of an ``.ann`` file.

    Relations (``R``) and equivalences (``*``) are links, with any names of their roles. Where the ``.txt`` is
    missing, characters are compared as they are.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it.

    Raises:
        ReadError: an error, where reading is strict; or text that is not UTF-8.
    """
    name, annotator = name_of(path)
    document = Annotated(path, name, annotator=annotator, text=_text_beside(path, options), has_ids=True)
    text = decoded(bytes(data), path).removeprefix("\ufeff")
    lines = [(number, line.removesuffix("\r")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    fault = lambda line, reason: options.problems.error(path, line, reason)  # noqa: E731
    if lines and lines[0][1].partition("\t")[0] in LITBANK:
        _read_litbank(document, lines, fault)
    else:
        _read_lines(document, lines, fault)
    if (document.text or "").startswith("\ufeff"):  # brat counts this character, and other programs do not
        counted, bare = " " + (document.text or "")[1:], (document.text or "")[1:]
        fits = [[span.text == text[slice(*span.parts[0])] for span in document.spans] for text in (counted, bare)]
        document.text = bare if sum(fits[1]) > sum(fits[0]) else counted
    return [document]


def _text_beside(path: str, options: ReadingOptions) -> str | None:
    """Return the text in the ``.txt`` of the same name, compressed or not; None if there is none."""
    stem = split_suffixes(path)[0]
    for name in (f"{stem}.txt{compression}" for compression in ("", *COMPRESSIONS)):
        if os.path.isfile(name) or archived(name, options.max_bytes):
            return decoded(bytes(load(name, options.max_bytes)), name)
    return None


def _read_lines(document: Annotated, lines: Lines, fault: Fault) -> None:
    """Read the spans of brat's lines and the links between them; triggers of events are spans if a link names them."""
    triggers = set[str]()
    for number, line in lines:
        mark, columns, span = line[0], line.split("\t"), _SPAN.match(line)
        words = columns[1].split() if len(columns) > 1 else []
        if span is not None:
            ranges = [part.split(" ") for part in span[3].split(";")]
            parts = [(int(begin), int(end)) for begin, end in ranges]
            document.spans.append(Span(parts, span[1], span[2], number, span[4] or None))
        elif (mark == "R" and len(words) > 2) or (mark == "*" and len(words) > 1):
            ids = [role.partition(":")[2] for role in words[1:]] if mark == "R" else words[1:]
            ends = [each for each in ids if not each.startswith("E")]
            if len(ends) > 1:
                document.links.append(Link(tuple(ends), words[0], words[0], number))
            if len(ends) < len(ids):
                document.leave_out(number, "links with events", words[0], words[0])
        elif mark not in OTHERS or len(columns) < 2:
            reason = f"the line {quote(line)}; expected one such as T1, TYPE 0 5 and a text, with tabs between"
            fault(number, f"{reason}. Has the text before it an end of line?" if document.spans else reason)
        else:
            triggers |= {words[0].partition(":")[2]} if mark == "E" and words else set()
            document.leave_out(number, OTHERS[mark], words[0].partition(":")[0] if words else "")
    left_out = triggers.difference(chain.from_iterable(link.ends for link in document.links))
    document.spans = [span for span in document.spans if span.id not in left_out]


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
