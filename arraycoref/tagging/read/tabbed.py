"""Tab-separated words and tags: ``word TAB tag|tag``, an empty line after each sentence."""

from __future__ import annotations

from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault, refuse
from arraycoref.tagging.read.builder import TextBuilder
from arraycoref.tagging.texts import TaggedText


def read_tabbed(data: bytes, source: str, fault: Fault | None = None, *, separator: str = "|") -> TaggedText:
    """Read tab-separated words with one or several tags.

    A word without a tag (an empty second column, or none) has no tags. Further columns are left alone.

    Args:
        data: the file, UTF-8.
        source: its name, for messages and as the name of its one document.
        fault: takes each fault; the line or tag is then passed over, and other bytes stand for U+FFFD. None raises the
            first.
        separator: what stands between the tags of a word; an empty string where a word has one tag.

    Returns:
        The words.

    Raises:
        ReadError: a line without a word, an empty tag, or text that is not UTF-8.
    """
    builder = TextBuilder(source)
    report = fault or refuse
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            line = raw.decode("utf-8").rstrip("\r")
        except UnicodeDecodeError as error:
            report(ReadError(source, number, f"not UTF-8: {raw[error.start : error.start + 20]!r}"))
            line = raw.decode("utf-8", "replace").rstrip("\r")
        if not line.strip():
            builder.end_sentence()
            continue
        columns = line.split("\t")
        tags = [] if len(columns) == 1 or not columns[1] else _split(columns[1], separator)
        if "" in tags:
            report(ReadError(source, number, f"an empty tag in {columns[1]!r}"))
        if not builder.add(columns[0], filter(None, tags), number):
            report(ReadError(source, number, "a line without a word, expected word TAB tag"))
    builder.end_document(source)
    return builder.build()


def _split(tags: str, separator: str) -> list[str]:
    return tags.split(separator) if separator else [tags]
