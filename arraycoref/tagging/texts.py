"""Read the words of tagged files with their tags, sentences and documents, and align those of two files.

The formats are CoNLL-U, XCES and tab-separated text. Two texts are aligned into segments: pairs of gold and system
words, and words that the other side lacks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import numpy as np

from arraycoref.exceptions import InputError, OptionError, ReadError, check_name
from arraycoref.ragged import Bools, Ints, bounds, bounds_of, owners
from arraycoref.read.conllu import FEATS, FORM, UPOS, read_sentences
from arraycoref.runtime import STDIN, decoded, import_extra, load, split_suffixes

T = TypeVar("T", bound=Hashable)

ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
"""The spaces, which are the characters of the Unicode class Zs, as a table with which `str.translate` removes them."""


@dataclass(eq=False)
class TaggedText:
    """The W words of one side (gold or system), in S sentences and D documents; only the reader of a file changes it.

    Attributes:
        source: the file as the user named it.
        forms: (W,) form of each word.
        lines: (W,) line of each word, from 1.
        tags: (T,) tags of all words, word by word, each once; in CoNLL-U, ``UPOS TAB XPOS TAB FEATS``.
        tag_offsets: (W+1,) word w has the tags ``tags[tag_offsets[w]:tag_offsets[w + 1]]``.
        tokens: (K,) form of each token: a word, or a multiword token.
        multiword: (K,) number of words of each multiword token; 0 for a token that is a word.
        sentences: (S+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: (D+1,) document d has the sentences ``documents[d]:documents[d + 1]``.
        document_names: (D,) may repeat.
    """

    source: str
    forms: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    tag_offsets: list[int] = field(default_factory=lambda: [0])
    tokens: list[str] = field(default_factory=list)
    multiword: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])
    documents: list[int] = field(default_factory=lambda: [0])
    document_names: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.forms)

    def add(self, form: str, tags: Iterable[str], line: int) -> None:
        """Add a word that is a token, with each of its tags once."""
        self.forms.append(form)
        self.lines.append(line)
        self.tags += dict.fromkeys(tags)
        self.tag_offsets.append(len(self.tags))
        self.tokens.append(form)
        self.multiword.append(0)

    def end_sentence(self) -> None:
        """End the sentence, if it has words."""
        if self.sentences[-1] < len(self.forms):
            self.sentences.append(len(self.forms))

    def end_document(self, name: str = "") -> None:
        """End the sentence; and the document, if it has sentences. One without a name is called by its number."""
        self.end_sentence()
        if self.documents[-1] < len(self.sentences) - 1:
            self.documents.append(len(self.sentences) - 1)
            self.document_names.append(name or f"document {len(self.document_names) + 1}")

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The V distinct tags, in the order in which they appear."""
        return tuple(dict.fromkeys(self.tags))

    @cached_property
    def pieces(self) -> list[str]:
        """The tokens without spaces: the text that is compared."""
        return [token if token.isascii() and " " not in token else token.translate(ZS) for token in self.tokens]

    @cached_property
    def spans(self) -> tuple[Ints, Ints, Bools]:
        """The places of the words in the text without spaces.

        int64 (W,) the first character of each word, or of the multiword token that contains it; int64 (W,) the
        one after its last; bool (W,) whether it is part of a multiword token.
        """
        characters, n_words = bounds_of(self.pieces), np.array(self.multiword, np.int64)
        token = owners(bounds(np.maximum(n_words, 1)))  # of each word
        return characters[token], characters[token + 1], n_words[token] > 0


def numbered(items: Iterable[T], ids: dict[T, int]) -> list[int]:
    """Return the numbers of items; an item that is not in ``ids`` is added to it with the next number."""
    return [ids.setdefault(item, len(ids)) for item in items]


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make names differ: the second ``x`` becomes ``x#2``."""
    seen: dict[str, int] = {}
    unique: dict[str, None] = {}
    for name in names:
        seen[name] = n = seen.get(name, 0) + 1
        candidate = name if n == 1 else f"{name}#{n}"
        while candidate in unique:
            candidate += "'"
        unique[candidate] = None
    return tuple(unique)


@dataclass(frozen=True, eq=False)
class Segments:
    """The N segments of two texts, in the order of the text.

    Attributes:
        gold_word: int64 (N,) gold word of each segment, -1 where only the system has a word.
        system_word: int64 (N,) system word of each segment, -1 where only gold has a word.
        sentence: int64 (N,) gold sentence of each segment; for an unaligned system word, that of the gold word before.
    """

    gold_word: Ints
    system_word: Ints
    sentence: Ints


def align(gold: TaggedText, system: TaggedText | None) -> Segments:
    """Align the words of two texts by their characters, as the CoNLL 2018 evaluation does.

    White space is ignored. Two words are aligned when they cover the same characters of the text. The words of a
    multiword token have no characters of their own. They are aligned by the longest common subsequence of lower-cased
    forms: in each run of overlapping multiword tokens, of either side, all words inside the run are compared. Where a
    token of one side crosses the bounds of a multiword token of the other side, the evaluation of the shared task
    includes some words beside the run, and so does this function.

    Args:
        gold: W words.
        system: V words over the same text; None leaves all gold words unaligned.

    Returns:
        The segments: one for each pair of aligned words, and one for each unaligned word of either side.

    Raises:
        InputError: the texts differ; the message gives both places.

    Source: Zeman et al. (2018), CoNLL 2018 Shared Task; universaldependencies.org/conll18/evaluation.html.
    """
    if system is None:
        nothing = np.full(len(gold), -1, np.int64)
        return Segments(np.arange(len(gold), dtype=np.int64), nothing, owners(np.array(gold.sentences)))
    if "".join(gold.pieces) != "".join(system.pieces):
        raise InputError(_difference(gold, system))
    pairs = list(_pairs(gold, system))
    return _segments(gold, system, np.array(pairs, np.int64).reshape(-1, 2))


def _pairs(gold: TaggedText, system: TaggedText) -> Iterator[tuple[int, int]]:
    """Yield the gold and system words that are aligned, in order.

    Where tokens overlap in ways that the page of the shared task does not describe, regions begin and end as in the
    task's evaluation, to give the same numbers.
    """
    gold_start, gold_end, gold_multiword = (each.tolist() for each in gold.spans)
    system_start, system_end, system_multiword = (each.tolist() for each in system.spans)
    n, m = len(gold), len(system)
    g = s = 0
    while g < n and s < m:
        if not gold_multiword[g] and not system_multiword[s]:
            if gold_start[g] == system_start[s] and gold_end[g] == system_end[s]:
                yield g, s
                g, s = g + 1, s + 1
            elif gold_start[g] <= system_start[s]:
                g += 1
            else:
                s += 1
            continue
        # A region begins with the multiword token; one plain word of the other side that begins before it is left out.
        if gold_multiword[g]:
            last = gold_end[g]
            s += not system_multiword[s] and system_start[s] < gold_start[g]
        else:
            last = system_end[s]
            g += gold_start[g] < system_start[s]
        first_g, first_s = g, s
        # The region grows with each multiword token that begins inside it. Words are added in the order of the text.
        while True:
            in_gold = g < n and (gold_start[g] < last if gold_multiword[g] else gold_end[g] <= last)
            in_system = s < m and (system_start[s] < last if system_multiword[s] else system_end[s] <= last)
            if not in_gold and not in_system:
                break
            if g < n and (s >= m or gold_start[g] <= system_start[s]):
                if gold_multiword[g]:
                    last = max(last, gold_end[g])
                g += 1
            else:
                if system_multiword[s]:
                    last = max(last, system_end[s])
                s += 1
        forms = _forms(gold, gold_multiword, first_g, g), _forms(system, system_multiword, first_s, s)
        yield from ((first_g + i, first_s + j) for i, j in common_words(*forms))


def _forms(text: TaggedText, multiword: list[bool], first: int, after: int) -> list[str]:
    """Return the lower-cased forms of words; those outside of multiword tokens lose their spaces, as in the text."""
    words = range(first, after)
    return [text.forms[w].lower() if multiword[w] else text.forms[w].lower().translate(ZS) for w in words]


def common_words(gold: list[str], system: list[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence of two lists of forms.

    >>> common_words(["a", "b", "c"], ["a", "x", "c"])
    [(0, 0), (2, 2)]
    """
    if gold == system:
        return [(i, i) for i in range(len(gold))]
    ids: dict[str, int] = {}
    ours, theirs = (np.array(numbered(forms, ids), np.int64) for forms in (gold, system))
    longest = np.zeros((len(gold) + 1, len(system) + 1), np.int32)  # from each place to the ends
    for g in reversed(range(len(gold))):
        below = longest[g + 1]
        best = np.where(theirs == ours[g], below[1:] + 1, below[:-1])
        longest[g, :-1] = np.maximum.accumulate(best[::-1])[::-1]
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif longest[g + 1, s] == longest[g, s]:
            g += 1
        else:
            s += 1
    return pairs


def _segments(gold: TaggedText, system: TaggedText, pairs: Ints) -> Segments:
    """Put aligned pairs and unaligned words in the order of the text."""
    partner = np.full(len(gold), -1, np.int64)
    partner[pairs[:, 0]] = pairs[:, 1]
    single = np.ones(len(system), bool)
    single[pairs[:, 1]] = False
    alone = np.flatnonzero(single)
    # An unaligned system word is placed after the last gold word that does not begin later; but never before the gold
    # partner of an earlier system word, nor after the gold partner of a later one.
    gold_of = np.full(len(system) + 2, -1, np.int64)
    gold_of[pairs[:, 1] + 1] = pairs[:, 0]
    least = np.maximum.accumulate(gold_of)[alone + 1] + 1
    most = np.minimum.accumulate(np.where(gold_of < 0, len(gold), gold_of)[::-1])[::-1][alone + 1]
    before = np.clip(np.searchsorted(gold.spans[0], system.spans[0][alone], side="right"), least, most)
    gold_word = np.insert(np.arange(len(gold), dtype=np.int64), before, -1)
    system_word = np.insert(partner, before, alone)
    sentence = owners(np.array(gold.sentences))
    return Segments(gold_word, system_word, np.insert(sentence, before, sentence[np.maximum(before - 1, 0)]))


def _difference(gold: TaggedText, system: TaggedText) -> str:
    ours, theirs = "".join(gold.pieces), "".join(system.pieces)
    shorter = min(len(ours), len(theirs))
    at = next((n for n in range(shorter) if ours[n] != theirs[n]), shorter)
    places = []
    for text, pieces in ((gold, ours), (system, theirs)):
        word = min(int(np.searchsorted(text.spans[1], at, side="right")), len(text) - 1)
        rest = pieces[at : at + 20]
        places.append(f"{rest!r} at {text.source}:{text.lines[word]}" if rest else f"the end of {text.source}")
    return f"the texts differ: {places[0]}, {places[1]}; words can be aligned only over the same characters"


SUFFIXES = {".conllu": "conllu", ".conll": "conllu", ".xml": "xces", ".xces": "xces", ".tsv": "tsv", ".txt": "tsv"}

PARSING = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "dtd_validation", "attribute_defaults", "huge_tree"), False),
    **dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True),
}
"""Options of lxml: read nothing but the file itself, and keep lxml's limits on its size and depth."""


class TagReadingOptions(TypedDict, total=False):
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

    Empty nodes (ID ``8.1``) are not words. The words of a multiword token (ID ``8-9``) have the span of the token.
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

    A word whose second column is empty or missing has no tags. Further columns are ignored, and spaces around words and
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
        The words. Each outermost ``chunk`` that is not a sentence is a document, named by its ``id`` or ``n``.

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
    """Return the text of a child element, with one space for each run of spaces; None if there is no such child.

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
