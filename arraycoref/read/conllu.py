"""Read CoNLL-U: sentences with their words, multiword tokens and empty nodes, and the line on which each is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from arraycoref.exceptions import ReadError
from arraycoref.read.mentions import AT_START, BITS

FORM, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = 1, 3, 4, 5, 6, 7, 8, 9
"""Places of columns, from 0."""

ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")
NEWDOC = re.compile(r"# *newdoc(?![^ \t])(?:[ \t]+id[ \t]*=)?[ \t]*(.*)")


class MultiwordToken(NamedTuple):
    """A token of several words, such as ``8-9``.

    Attributes:
        first: number of its first word in the sentence, from 1.
        last: number of its last word.
        line: its line in the file, from 1.
        columns: its ten columns.
    """

    first: int
    last: int
    line: int
    columns: list[str]


class EmptyNode(NamedTuple):
    """A node that is not a word of the text, such as ``8.1``.

    Attributes:
        after: number of the word before it, 0 at the start of the sentence.
        number: its number among the empty nodes there, from 1.
        line: its line in the file, from 1.
        columns: its ten columns.
    """

    after: int
    number: int
    line: int
    columns: list[str]


@dataclass(eq=False, slots=True)
class Sentence:
    """What is between two empty lines of a file: a sentence, or comments alone.

    Attributes:
        comments: the lines that begin with ``#``, as written.
        words: the ten columns of each word; word n is ``words[n - 1]``.
        lines: the line of each word in the file, from 1.
        multiword: the multiword tokens, which do not overlap.
        empty: the empty nodes.
        first_line: the line of its first comment, from 1; 0 if it has none.
    """

    comments: list[str] = field(default_factory=list)
    words: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    multiword: list[MultiwordToken] = field(default_factory=list)
    empty: list[EmptyNode] = field(default_factory=list)
    first_line: int = 0

    @property
    def covered(self) -> int:
        """The number of the last word of the last multiword token, 0 if there is none."""
        return self.multiword[-1].last if self.multiword else 0

    @property
    def new_documents(self) -> list[str]:
        """The names of the documents that begin with this sentence; empty for a ``newdoc`` comment without a name."""
        comments = [comment for comment in self.comments if "newdoc" in comment]
        return [begins[1].strip() for comment in comments if (begins := NEWDOC.match(comment))]


def read_sentences(text: str, source: str) -> Iterator[Sentence]:
    r"""Read the sentences of a CoNLL-U file.

        >>> text = "1-2\tzum" + "\t_" * 8 + "\n1\tzu" + "\t_" * 8 + "\n2\tdem" + "\t_" * 8 + "\n"
        >>> [word[FORM] for sentence in read_sentences(text, "words.conllu") for word in sentence.words]
        ['zu', 'dem']

    Args:
        text: the text of the file.
        source: its name, for messages.

    Yields:
        The sentences in order, and comments that stand alone.

    Raises:
        ReadError: a line that has not ten columns; an ID of another form; words that are not numbered 1, 2, ... in each
            sentence; multiword tokens that overlap, begin after the next word or end after the sentence; a token
            without a form.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    number = -1
    for block in text.split("\n\n"):
        sentence = Sentence()
        words, lines = sentence.words, sentence.lines
        for number, line in enumerate(block.split("\n"), number + 2):  # noqa: B020  # after the empty line
            columns = line.split("\t")
            if len(columns) == 10 and columns[0] == str(len(words) + 1) and columns[FORM].strip():  # most lines
                words.append(columns)
                lines.append(number)
            elif line[:1] == "#":
                sentence.comments.append(line)
                sentence.first_line = sentence.first_line or number
            elif line and (reason := _add(sentence, columns, number)):
                raise ReadError(source, number, reason)
        if sentence.covered > len(words):
            token = sentence.multiword[-1]
            reason = f"a multiword token that ends with word {token.last}, in a sentence of {len(words)} words"
            raise ReadError(source, token.line, reason)
        if words or sentence.empty or sentence.comments:
            yield sentence


def in_order(sentence: Sentence, source: str) -> tuple[list[list[str]], list[int]]:
    """Return the columns of the words and the empty nodes of a sentence, in order, and their lines.

    Raises:
        ReadError: an empty node that is not after the word of its number, or out of order.
    """
    if not sentence.empty:
        return sentence.words, sentence.lines
    words, rows, lines, before = sentence.words, list[list[str]](), list[int](), (0, 0)
    for after, number, line, columns in sentence.empty:
        if after > len(words):
            raise ReadError(source, line, f"the empty node {columns[0]!r}, but its sentence has no such word")
        is_behind = not after or sentence.lines[after - 1] < line
        is_before = after == len(words) or line < sentence.lines[after]
        if not (is_behind and is_before and before < (after, number) and 0 < number < AT_START):
            reason = f"the empty node {columns[0]!r}; expected it after word {after}, numbers rising from .1"
            raise ReadError(source, line, reason)
        rows += words[before[0] : after]
        lines += sentence.lines[before[0] : after]
        rows.append(columns)
        lines.append(line)
        before = after, number
    return rows + words[before[0] :], lines + sentence.lines[before[0] :]


def empty_node(n_before: int, number: int, is_at_start: bool) -> int:
    """Return an empty node as mentions have it, see `BITS`.

    Args:
        n_before: how many words of the document are before it.
        number: its number among the empty nodes there.
        is_at_start: whether it stands before the first word of its sentence.
    """
    return n_before << BITS | number | (AT_START if is_at_start else 0)


def _add(sentence: Sentence, columns: list[str], line: int) -> str:
    """Add what a line holds to its sentence; return what is wrong with the line, empty if nothing is."""
    if len(columns) != 10:
        return f"{len(columns)} columns, expected 10"
    parts = ID.fullmatch(columns[0])
    if parts is None:
        return f"ID {columns[0]!r}, expected a form like 3, 3-4 or 3.1"
    sign, first, last = parts[2], int(parts[1]), int(parts[3] or parts[1])
    following, covered = len(sentence.words) + 1, sentence.covered
    if sign == ".":
        sentence.empty.append(EmptyNode(first, last, line, columns))
        return ""
    if sign == "-" and not covered < first == following <= last:
        return f"the multiword token {columns[0]!r} does not begin with the next word, or overlaps another"
    if first != following:
        return f"word {first} where word {following} is expected"
    if not columns[FORM].strip() and (sign or following > covered):  # words of multiword tokens may lack forms
        return "a word without a form"
    if sign:
        sentence.multiword.append(MultiwordToken(first, last, line, columns))
    else:
        sentence.words.append(columns)
        sentence.lines.append(line)
    return ""


def nodes_in_order(sentences: Iterable[Sentence]) -> Iterator[tuple[int, int]]:
    """Yield the node and the sentence of each word and empty node of a document, in order; see `BITS`."""
    n_words = 0
    for number, sentence in enumerate(sentences):
        words = range((n_words + 1) << BITS, (n_words + len(sentence.words) + 1) << BITS, 1 << BITS)
        empty = [empty_node(n_words + node.after, node.number, not node.after) for node in sentence.empty]
        yield from ((node, number) for node in sorted([*words, *empty]))
        n_words += len(sentence.words)
