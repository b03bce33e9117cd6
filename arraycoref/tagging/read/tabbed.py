"""Read tab-separated words and tags: ``word TAB tag|tag``, an empty line after each sentence."""

from __future__ import annotations

from arraycoref.errors import ReadError
from arraycoref.read.parsed import Fault, refuse
from arraycoref.tagging.texts import TaggedText, TextBuilder, decoded_lines


def read_tabbed(data: bytes, source: str, fault: Fault | None = None, *, separator: str = "|") -> TaggedText:
    r"""Read tab-separated words with one or several tags.

        >>> read_tabbed(b"a\tX|Y\nb\tX\n", "words.tsv").tag_names
        ('X', 'Y')

    A word whose second column is empty or missing has no tags. Further columns are ignored, and blanks around words and
    tags are removed.

    Args:
        data: the file, UTF-8.
        source: its name, for messages and as the name of its one document.
        fault: called with each fault; the line or tag is then left out, and bytes that are not UTF-8 become U+FFFD.
            None raises the first fault.
        separator: the text between the tags of a word; an empty string if each word has one tag.

    Returns:
        The words.

    Raises:
        ReadError: a line without a word, an empty tag, or text that is not UTF-8 or has a NUL or a carriage return
            within a line.
    """
    builder = TextBuilder(source)
    report = fault or refuse
    for number, line in decoded_lines(data, source, report):
        if not line.strip():
            builder.end_sentence()
            continue
        if "\r" in line or "\0" in line:
            reason = "a NUL or carriage return within the line; expected UTF-8 text whose lines end with a line feed"
            report(ReadError(source, number, reason))
            continue
        form, _, rest = line.partition("\t")
        written = rest.partition("\t")[0].strip()
        tags = [tag.strip() for tag in (written.split(separator) if separator else [written])]
        if "" in tags:
            if written:
                report(ReadError(source, number, f"an empty tag in {written!r}"))
            tags = [tag for tag in tags if tag]
        if not builder.add(form.strip(), tags, number):
            report(ReadError(source, number, "a line without a word, expected word TAB tag"))
    builder.end_document(source)
    return builder.build()
