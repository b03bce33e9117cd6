r"""Read and write text that language models annotate: words with tags, in the styles of prompts and of tools.

| format | a mention is |
|---|---|
| ``xml-text`` | ``<e1>Mary</e1>`` or ``<m id="1">Mary</m>``; tags of several names may cross |
| ``markdown`` | ``[Mary](#cluster_0)`` or ``[Mary]#1`` |
| ``brackets`` | ``[Mary: 1]`` |
| ``crac-text`` | ``word|TAGS`` on the first and last token, ``[e1``, ``e1]``, ``[e1]``; ``##`` is an empty node |
| ``corefinst`` | ``<m> Mary </m>#1``, and an empty node ``</z>@1``, in windows ``A[MID]B``, then ``B[MID]C`` |
| ``seq2seq`` | ``<m> Mary | 1 </m>``, in chunks that overlap |
| ``mention-strings`` | a string: the k-th one in the lists is the k-th one in the text; or ``[string, k]`` |

A tag makes a mention only with its partner and with a word between. Tags without one are left out and counted: a
closing tag takes the last open one of its name, and what is open at the end of the text never closes. In ``markdown``
and ``brackets``, brackets without an entity are words.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from arraycoref.exceptions import InputError, ReadError
from arraycoref.ragged import bounds_of
from arraycoref.read.documents import Documents, Parsed, Text, make_documents
from arraycoref.read.layouts import NAMES
from arraycoref.read.mentions import Mentions
from arraycoref.read.paths import JSON
from arraycoref.read.problems import ProblemLog, ReadingOptions, quote
from arraycoref.read.recognize import style_in
from arraycoref.runtime import Content, decoded

MIDDLE, EMPTY = "[MID]", "##"
"""What CorefInst writes between the halves of a window; the token for an empty node."""

STRINGS, LARGEST = "mention-strings", 1 << 30
"""The style of lists of strings, and the largest k of ``[string, k]``: no text has as many."""

FIELDS = ("pred_text", "generated_text", "output", "response", "text")
"""Fields of JSON that hold annotated text; the first one that is there counts."""


class Style(NamedTuple):
    """How a style writes tags.

    Attributes:
        tag: matches a tag. Its group ``open`` matches for an opening; ``name`` is the same for both tags of a mention,
            and ``id`` its entity, in either of them. With a group ``empty``, the tag is an empty node of this entity.
        may_be_word: whether a tag without an entity is a word.
        by_line: whether each line of a file of text is a document.
    """

    tag: str
    may_be_word: bool = False
    by_line: bool = False


STYLES: Mapping[str, Style] = {
    "corefinst": Style(r"(?P<open><m>)|</m>#(?P<id>\w*)|(?:<z>[ ]?)?</z>@(?P<empty>\w+)"),
    "seq2seq": Style(r"(?P<open><m>)|(?:\|[ ]?(?P<id>[^\s|<>]+)[ ]?)?</m>"),
    "markdown": Style(r"\\[\\\[\]]|(?P<open>\[)|\](?:\(#(?P<id>[^()\s]*)\)|#(?P<hash>\w+))?", may_be_word=True),
    "xml-text": Style(
        r"(?P<open><)(?P<name>[A-Za-z_][\w.-]*)(?P<fields>\s[^<>]*)?>|</(?P<close>[A-Za-z_][\w.-]*)>", by_line=True
    ),
    "crac-text": Style("", by_line=True),
    "brackets": Style(r"\\[\\\[\]]|(?P<open>\[)|(?::[ ]?(?P<id>[^\s:\[\]]+))?\]", may_be_word=True),
}
"""Each style by its name; how text of a style is recognized: `arraycoref.read.recognize.STYLE_SIGNS`."""

ELEMENTS = ("m", "mention", "e", "ent", "entity", "coref", "cluster")
"""Names of tags in ``xml-text`` that are of no entity, if they have no ``id``."""

_OF_BRACKETS = {"\\": "\\\\", "[": "\\[", "]": "\\]"}
ESCAPES = {"xml-text": {"&": "&amp;", "<": "&lt;"}, "markdown": _OF_BRACKETS, "brackets": _OF_BRACKETS}
"""What stands for the characters of tags in words."""

_TAGS = {name: re.compile(style.tag) for name, style in STYLES.items()}
_ID = re.compile(r"\b(?:id|entity|cluster)=[\"']?([^\"'\s]+)")
_CRAC = re.compile(r"(\[?)([^\s\[\],|]+)(\]?)")
_NUMBER = re.compile(r"[0-9]{1,9}")

WINDOWED = ("corefinst", "seq2seq")
"""Styles whose texts are windows of documents, or chunks."""

NO_ENTITY = "without an entity"


class Tagged(NamedTuple):
    """The words of a text, and first and last word and entity of each mention."""

    words: list[str]
    mentions: list[tuple[int, int, str]]


class Record(NamedTuple):
    """What a file holds for a document, or for a window of one: its line, name, place among windows, and text."""

    line: int
    name: str | None
    order: int
    text: Any


def read_annotated(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read a file of annotated text: text, or JSON that holds it in one of `FIELDS`.

    Documents in JSON are objects with a name and a text, or one object ``{name: {"generated_text": text}}``.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it; without a format, the text says which style it is.

    Raises:
        ReadError: an error, where reading is strict; windows without ``join``; tags none of which has an entity.
    """
    style = options.format or style_in(data)
    texts: dict[str | None, list[Record]] = {}
    for record in _records(data, path, style):
        if isinstance(record.text, ReadError):
            options.problems.error(path, record.line, record.text.reason)
            continue
        same = texts.setdefault(record.name, [])
        if same and style not in WINDOWED and record.name is not None:
            options.problems.error(path, record.line, f"a second text of the document {record.name!r}")
            continue
        same.append(record)
    unnamed = [[record] for record in texts.pop(None, [])]
    repairs: Counter[str] = Counter()
    collected = []
    for records in [*unnamed, *texts.values()]:
        first = records[0]
        if style == STRINGS:
            collected.append((first, [_strings(first, path, options)]))
            continue
        if len(records) > 1 and options.join is None:
            reason = f"document {first.name!r} has {len(records)} windows, whose entities count anew in each"
            raise ReadError(path, first.line, f"{reason}; join='overlap' joins those that share mentions", "join")
        records.sort(key=lambda record: record.order)
        collected.append((first, [tagged(record.text, style, repairs) for record in records]))
    if repairs[NO_ENTITY] and not any(part.mentions for _, parts in collected for part in parts):
        raise ReadError(path, None, f"{repairs[NO_ENTITY]} tags, none with an entity; expected a text with entities")
    for what, n in (+repairs).items():
        options.problems.note(path, n, "tag", f"left out, {what}")
    return Parsed(_documents(collected, path, style), tuple(first.line for first, _ in collected))


def tagged(text: str, style: str, repairs: Counter[str]) -> Tagged:
    """Take the tags out of a text.

        >>> tagged("<e1>Mary 's <e2>dog</e2></e1> ran</e3> .", "xml-text", repairs := Counter())
        Tagged(words=['Mary', "'s", 'dog', 'ran', '.'], mentions=[(2, 2, 'e2'), (0, 2, 'e1')])
        >>> +repairs
        Counter({'without an opening tag': 1})

    Args:
        text: the text.
        style: its style.
        repairs: counts the tags that are left out, by what is wrong with them.
    """
    result, opened = Tagged([], []), defaultdict[str, list[tuple[str, int]]](list)
    for kind, value, entity in _crac_parts(text) if style == "crac-text" else _parts(text, style):
        if kind == "word":
            result.words.append(value)
            continue
        if kind == "open":
            opened[value].append((entity, len(result.words)))
            continue
        if not opened[value]:
            repairs["without an opening tag"] += 1
            continue
        own, first = opened[value].pop()
        if not (entity := entity or own):
            repairs[NO_ENTITY] += 1
        elif first == len(result.words):
            repairs["with no word between"] += 1
        else:
            result.mentions.append((first, len(result.words) - 1, entity))
    repairs["without a closing tag"] += sum(map(len, opened.values()))
    while style == "xml-text" and _is_wrapped(result):
        result.mentions.pop()
        repairs["which is around the whole text"] += 1
    return result


def _is_wrapped(text: Tagged) -> bool:
    """Whether the mention that closed last is a tag such as ``<text>`` around all words and other mentions."""
    if len(text.mentions) < 2:
        return False
    first, last, entity = text.mentions[-1]
    is_single = not any(other == entity for *_, other in text.mentions[:-1])
    return is_single and (first, last) == (0, len(text.words) - 1) and not any(map(str.isdigit, entity))


def _parts(text: str, style: str) -> Iterator[tuple[str, str, str]]:
    """Yield the words and tags of a text: ``word``, ``open`` or ``close``, word or name of the tag, and entity."""
    tags = list(_TAGS[style].finditer(text))
    literal = _literal(tags) if STYLES[style].may_be_word else set()
    at = 0
    for k, tag in enumerate(tags):
        if k in literal:
            continue
        yield from _words(text[at : tag.start()], style)
        at = tag.end()
        parts = tag.groupdict()
        name = parts.get("name") or parts.get("close") or ""
        if empty := parts.get("empty"):
            yield from (("open", "", empty), ("word", EMPTY, ""), ("close", "", empty))
        elif parts["open"]:
            own = _ID.search(parts.get("fields") or "")
            yield "open", name, own[1] if own else "" if name in ELEMENTS else name
        else:
            yield "close", name, parts.get("id") or parts.get("hash") or ""
    yield from _words(text[at:], style)


def _words(text: str, style: str) -> Iterator[tuple[str, str, str]]:
    """Yield the words of a text without tags, as `_parts` does."""
    for word in text.split():
        if word != MIDDLE:
            for character, escape in reversed(ESCAPES.get(style, {}).items()):
                word = word.replace(escape, character)  # noqa: PLW2901
            yield "word", word, ""


def _literal(tags: Sequence[re.Match[str]]) -> set[int]:
    """Return which brackets are words: those that no pair with an entity, or with a place for one, has."""
    opened, literal = list[int](), set[int]()
    for k, tag in enumerate(tags):
        if tag["open"]:
            opened.append(k)
        elif tag[0][0] == "\\":
            literal.add(k)
        elif tag["id"] is None and tag.groupdict().get("hash") is None:
            literal |= {k, *opened[-1:]}
            del opened[-1:]
        elif opened:
            opened.pop()
    return literal | set(opened)


def _crac_parts(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what `_parts` does for text of CRAC."""
    for token in text.split():
        word, mark, tags = token.rpartition("|")
        parts = _CRAC.findall(tags) if mark and word else []
        if not any(begin or end for begin, _, end in parts):
            yield "word", token, ""
            continue
        yield from (("open", entity, entity) for begin, entity, _ in parts if begin)
        yield "word", word, ""
        yield from (("close", entity, "") for _, entity, end in parts if end)


def _records(data: Content, path: str, style: str) -> Iterator[Record]:
    """Yield the texts of a file."""
    from arraycoref.read.json import values_of  # most files of annotated text, and all others, do not need it

    if not JSON.match(data):
        text = decoded(bytes(data), path).removeprefix("\ufeff")
        if style == STRINGS:
            raise ReadError(path, None, "no JSON; expected objects with lists of strings in 'clusters'")
        if not STYLES[style].by_line:
            yield Record(1, None, 1, text)
            return
        yield from (Record(n, None, n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
        return
    for line, value in values_of(data):
        if isinstance(value, ReadError) or not isinstance(value, dict):
            reason = f"expected a JSON object, not {quote(value)}"
            yield Record(line, None, line, value if isinstance(value, ReadError) else ReadError("", None, reason))
            continue
        name = next((value[field] for field in NAMES if isinstance(value.get(field), str | int)), None)
        if name is None and not {*FIELDS, "clusters"} & value.keys():
            yield from (Record(line, key, line, _text_of(part, style)) for key, part in value.items())
            continue
        order = value.get("order")
        name = None if name is None else str(name)
        if style == "seq2seq" and name is not None and _NUMBER.fullmatch(name.rpartition("_")[2]):
            name, _, order = name.rpartition("_")
        place = int(order) if isinstance(order, int | str) and _NUMBER.fullmatch(str(order)) else line
        yield Record(line, name, place, _text_of(value, style))


def _text_of(value: Any, style: str) -> Any:
    """Return the annotated text of a value of JSON, or its lists of strings; a problem if it has none.

    A model continues the last line of its prompt, which may have begun the text, or a tag.
    """
    if style == STRINGS:
        return value.get("clusters", []) if isinstance(value, dict) else value
    if isinstance(value, str):
        return value
    field = next((name for name in FIELDS if isinstance(value.get(name), str)), None) if isinstance(value, dict) else ""
    if not field:
        return ReadError("", None, f"no text in {' or '.join(FIELDS)}, but {quote(value)}")
    prompt = value.get("prompt")
    begun = prompt.rpartition("\n")[2] if isinstance(prompt, str) and field == "generated_text" else ""
    return begun + value[field]


def _strings(record: Record, path: str, options: ReadingOptions) -> Tagged:
    """Number the strings of clusters: each is one mention, instead of words, and which one of equal strings it is."""
    result, n_before = Tagged([], []), Counter[str]()
    for number, cluster in enumerate(record.text if isinstance(record.text, list) else [record.text]):
        for mention in cluster if isinstance(cluster, list) else [cluster]:
            text, place = mention if isinstance(mention, list) and len(mention) == 2 else (mention, None)
            is_place = place is None or (type(place) is int and place > 0)
            if not isinstance(text, str) or not text.strip() or not is_place:
                reason = f"{quote(mention)} is not a mention; expected a string with text, or [string, k] with k from 1"
                options.problems.error(path, record.line, reason)
                continue
            place = n_before[text] + 1 if place is None else min(place, LARGEST)
            n_before[text] = max(n_before[text], place)
            result.words.append(text)
            result.mentions.append((place - 1, place - 1, str(number)))
    return result


def _documents(collected: Sequence[tuple[Record, list[Tagged]]], path: str, style: str) -> Documents:
    """Lay out the texts of D documents."""
    rows, texts, strings = list[tuple[int, int, int, int, int]](), list[Text](), list[str | None]()
    for d, (first, parts) in enumerate(collected):
        before, number_of = bounds_of([part.words for part in parts]).tolist(), dict[tuple[int, str], int]()
        for n, part in enumerate(parts):
            mentions = part.mentions if style == STRINGS else sorted(part.mentions, key=lambda m: (m[0], -m[1]))
            for start, end, entity in mentions:
                number = number_of.setdefault((n, entity), len(number_of))
                rows.append((d, before[n] + start, before[n] + end, number, first.line))
        strings += parts[0].words if style == STRINGS else [None] * sum(len(part.mentions) for part in parts)
        words = None if style == STRINGS else [part.words for part in parts]
        texts.append(Text(words, -1 if words is None else sum(map(len, words)), are_windows=style in WINDOWED))
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    document, start, end, entity = columns[:4].astype(np.int32)
    mention_text = np.array([*strings, None], object)[:-1] if style == STRINGS else None
    laid = Mentions(document, start, end, entity, columns[4], mention_text)
    unit = "string" if style == STRINGS else "word"
    return make_documents(path, [record.name for record, _ in collected], laid, texts, unit)


TAGS = {"xml-text": ("<e{0}>", "</e{0}>"), "markdown": ("[", "](#{0})")}
"""What is before and after a mention of an entity, which is numbered from 1, in each style."""


def annotated_blocks(documents: Documents, format: str, *, by_line: bool, problems: ProblemLog) -> Iterator[bytes]:
    """Yield each document as one line of JSON, with its name and its text; or its text as a line.

    Args:
        documents: documents of words.
        format: ``xml-text`` or ``markdown``.
        by_line: write lines of text without names instead of JSON.
        problems: what is done with mentions that cross others as tags cannot show, which are left out.

    Raises:
        InputError: a document without words.
        ReadError: such a mention, where writing is strict.
    """
    for d, name in enumerate(documents.names):
        sentences = documents.text[d].sentences()
        if sentences is None:
            raise InputError(f"document {name!r} has no words; expected a file with words, or another format")
        before, behind = _tags(documents, d, format, problems)
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
    documents: Documents, d: int, format: str, problems: ProblemLog
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    """Return the tags before and after the words of a document, in the order in which mentions begin."""
    begin, end = TAGS[format]
    before, behind = dict[int, list[str]](), dict[int, list[str]]()
    opened = defaultdict[int, list[int]](list)  # last words of open mentions, which must not cross each other
    rows = zip(*(column.tolist() for column in documents.mentions_of(d)), strict=True)
    for first, last, entity in sorted(rows, key=lambda row: (row[0], -row[1])):
        outer = opened[-1 if format == "markdown" else entity]
        while outer and outer[-1] < first:
            outer.pop()
        if outer and outer[-1] < last:
            place = f"document {documents.names[d]!r}"
            reason = f"{place}: the mention {(first, last)} crosses another, which {format} cannot show"
            problems.error(documents.files[d], None, reason)
            continue
        outer.append(last)
        before.setdefault(first, []).append(begin.format(entity + 1))
        behind.setdefault(last, []).append(end.format(entity + 1))
    return before, behind
