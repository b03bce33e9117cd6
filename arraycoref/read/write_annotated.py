"""Write documents as text with tags, for the prompts of language models and what these are to answer."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from arraycoref.errors import InputError, ReadError
from arraycoref.read.annotated_text import ESCAPES
from arraycoref.read.documents import Documents
from arraycoref.read.faults import OnError

TAGS = {"xml-text": ("<e{0}>", "</e{0}>"), "markdown": ("[", "](#{0})")}
"""What is before and behind a mention of an entity, which is numbered from 1, in each style."""


def annotated_blocks(documents: Documents, format: str, *, by_line: bool, on_error: OnError) -> Iterator[bytes]:
    """Yield each document as one line of JSON, with its name and its text; or its text as a line.

    Args:
        documents: documents of words.
        format: ``xml-text`` or ``markdown``.
        by_line: write lines of text without names in place of JSON.
        on_error: called with the first mention that crosses another one as tags cannot show, and is left out.

    Raises:
        InputError: a document without words.
        ReadError: what ``on_error`` raises.
    """
    for d, name in enumerate(documents.names):
        sentences = documents.text.sentences(d)
        if sentences is None:
            raise InputError(f"document {name!r} has no words; expected a file with words, or another format")
        before, behind = _tags(documents, d, format, on_error)
        table, lines, word = str.maketrans(ESCAPES[format]), [], 0
        for sentence in sentences:
            tagged = []
            for form in sentence:
                tagged.append("".join([*before.get(word, ()), form.translate(table), *reversed(behind.get(word, []))]))
                word += 1
            lines.append(" ".join(tagged))
        text = " ".join(lines) if by_line else "\n".join(lines)
        if by_line:
            yield text.encode("utf-8", "replace") + b"\n"
            continue
        record = json.dumps({"doc_key": name, "text": text}, ensure_ascii=False)
        yield record.encode("utf-8", "backslashreplace") + b"\n"  # \ud800 is JSON's escape too


def _tags(
    documents: Documents, d: int, format: str, on_error: OnError
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Return the tags before and behind the words of a document, in the order in which mentions begin."""
    begin, end = TAGS[format]
    before, behind = dict[int, list[str]](), dict[int, list[str]]()
    opened = defaultdict[int, list[int]](list)  # last words of open mentions, which must not cross each other
    rows = zip(*(column.tolist() for column in documents.of(d)), strict=True)
    for first, last, entity in sorted(rows, key=lambda row: (row[0], -row[1])):
        outer = opened[-1 if format == "markdown" else entity]
        while outer and outer[-1] < first:
            outer.pop()
        if outer and outer[-1] < last:
            place = f"document {documents.names[d]!r}"
            reason = f"{place}: the mention {(first, last)} crosses another, which {format} cannot show"
            on_error(ReadError(documents.files[d], None, reason))
            continue
        outer.append(last)
        before.setdefault(first, []).append(begin.format(entity + 1))
        behind.setdefault(last, []).append(end.format(entity + 1))
    return before, behind
