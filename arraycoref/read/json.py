"""Read JSON of coreference: objects with the clusters of a document each, in any of the layouts that tools write.

The objects are on one line each, several on a line or over lines; or they are the items of one array. The parts of a
document are looked up one by one. The numbers of mentions are taken together, by NumPy, for many documents; a mention
whose numbers fall outside its document is then looked at by itself, for the message.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain, compress, islice, repeat
from typing import Any, NamedTuple

import numpy as np

from arraycoref.exceptions import OptionError, ReadError
from arraycoref.ragged import Bools, Ints, Ints32, bounds, bounds_of, owners, run_starts, sum_by
from arraycoref.read.annotation import Annotated
from arraycoref.read.conll import parse_header
from arraycoref.read.documents import Parsed, Sentences, Text, make_documents
from arraycoref.read.json_layouts import GROUPS, JsonObject, Numbered, bad, layout_of, object_of, opening_of
from arraycoref.read.layers import MENTION_TYPES, TYPES, of_fields, types_in
from arraycoref.read.layouts import ANNOTATOR, CHARACTERS, PREDICTED, JsonLayout
from arraycoref.read.mentions import Mentions
from arraycoref.read.problems import ReadingOptions, collector_paused, quote
from arraycoref.read.recognize import TOOLS, recognized_tool
from arraycoref.runtime import Content

DOCUMENTS, FAULTS, MENTIONS = 1024, 64, 1 << 16
"""How much is turned into arrays at a time, if that many are there: the lists of so many mentions take some 10 MB."""

_SPACE = re.compile(r"[ \t\r\n]*")
_ALONE = re.compile(r"\{[ \t\r]*\n")
_FEED = re.compile(rb"\n")
_BAD = (ValueError, RecursionError)  # for bad syntax and integers of thousands of digits; for deep nesting

LARGEST = 2**31 - 2
"""The largest number of a token."""

SEEN = 100
"""Number of mentions that a message looks at to find out what their numbers mean."""

_HUGE = 1 << 62
_WORD_END, _SENTENCE_END = "\n", "\v"
_HEADER = re.compile(r"(?:#[ \t]*begin[ \t]+document[ \t]*)?(\(.+\);(?:[ \t]*part[ \t]+[0-9]++)?)")


def read_json(data: Content, path: str, options: ReadingOptions) -> Parsed | list[Annotated]:
    """Read the documents of a file of JSON lines, or of other layouts of JSON.

    A broken mention is dropped in lenient mode; any other problem drops the document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.

    Raises:
        ReadError: an error, where reading is strict; or fields that leave open what the numbers count, where no option
            says it.
    """
    with collector_paused():
        values = values_of(data)
        first = list(islice(values, 1))
        fields = first[0][1] if first else None
        is_known = options.format not in (None, "jsonlines") or options.clusters_field is not None
        tool = "" if is_known or not isinstance(fields, JsonObject) else recognized_tool(fields, path)
        if tool:
            reader = import_module(f"arraycoref.read.{TOOLS[tool].partition('.')[0]}")
            documents: list[Annotated] = reader.documents_of(chain(first, values), path, replace(options, format=tool))
            return documents
        try:
            layout = layout_of(first[0][1] if first else None, options)
        except OptionError as error:
            raise ReadError(path, None, str(error), error.option) from None
        if options.side != "key" and not layout.predicted and options.clusters_field is None:
            layout = _predicted(data, path, layout, options)
        wanted: tuple[str, ...] = (layout.clusters,)
        if options.side != "key" and layout.predicted:
            wanted = layout.predicted, layout.clusters
            if options.side == ANNOTATOR and all(_has_field(data, name) for name in wanted):
                _warn_of_others(path, layout, layout.predicted, options)
        elif layout.predicted == "span_clusters" and not _has_field(data, layout.clusters):
            wanted = (layout.predicted,)  # stanza writes keys with these only
        if _has_field(data, wanted[0]):
            layout, wanted = replace(layout, clusters=wanted[0]), wanted[:1]
        values = chain(first, values)
        holds_predictions = _has_field(data, layout.predicted) if layout.predicted else None
        reading = _Reading(path, options, layout, wanted, holds_predictions)
        if layout.group:
            values = GROUPS[layout.group](values, path, layout, options)
        for line, value in values:
            reading.add(line, value)
        return reading.parsed()


def _has_field(data: Content, field: str) -> bool:
    return re.search(rf'"{re.escape(field)}"\s*:'.encode(), data) is not None


def _predicted(data: Content, path: str, layout: JsonLayout, options: ReadingOptions) -> JsonLayout:
    """Return the layout with the clusters that were predicted, if the file has these beside others."""
    for field in (*(f"{begin}{layout.clusters}" for begin in PREDICTED), "predicted_clusters"):
        if re.search(rf'"{re.escape(field)}"\s*:\s*(?!"UNK"|null|-1\b|\[\s*\])\S'.encode(), data) is not None:
            _warn_of_others(path, layout, field, options)
            return replace(layout, clusters=field, texts=())
    return layout


def _warn_of_others(path: str, layout: JsonLayout, predicted: str, options: ReadingOptions) -> None:
    """Warn that a file has clusters beside the predicted ones that are read."""
    read, way = ("the response is", "response:") if options.side == "response" else ("an annotator's are", "")
    hint = f"clusters_field='{way}{layout.clusters}' reads the others"
    reason = f"clusters are in {layout.clusters} and in {predicted}; {read} what was predicted; {hint}"
    options.problems.warning(path, None, reason, "clusters_field")


class _Reading:
    """The documents of a file as they are read: the last ones as lists, those before as columns.

    Args:
        path: name of the file.
        options: how to read it.
        layout: layout of the file.
        wanted: the fields that the clusters may be in, for a message.
        holds_predictions: see `Documents`.
    """

    def __init__(
        self,
        path: str,
        options: ReadingOptions,
        layout: JsonLayout,
        wanted: Sequence[str],
        holds_predictions: bool | None,
    ) -> None:
        self.holds_predictions = holds_predictions
        self.path, self.options, self.layout, self.wanted = path, options, layout, wanted
        self.documents: list[JsonDocument] = []
        self.lines: list[int] = []
        self.faults: list[tuple[int, int, ReadError]] = []
        self.n_mentions = self.n_faults = 0
        self.names: list[str | None] = []
        self.units: list[str] = []
        self.text: list[Text] = []
        self.texts: list[str | None] = []
        self.types: list[str | None] = []
        self.numbers: list[Ints] = []
        self.spans: list[Ints32] = []

    def add(self, line: int, value: object) -> None:
        """Add the document of a value, or its problem."""
        if isinstance(value, ReadError):
            self.faults.append((len(self.documents), line, value))
        else:
            try:
                document = document_of(value, self.layout, self.wanted)
                if self.options.layers and document.unit == "word" and isinstance(value, JsonObject):
                    document = document._replace(text=with_layers(document.text, value, self.layout))
                self.documents.append(document)
                self.lines.append(line)
                self.n_mentions += len(document.mentions)
            except ReadError as error:
                self.faults.append((len(self.documents), line, error))
        if len(self.documents) >= DOCUMENTS or len(self.faults) >= FAULTS or self.n_mentions >= MENTIONS:
            self.make_columns()

    def make_columns(self) -> None:
        """Turn the last documents into columns, and report their problems."""
        documents = self.documents
        first = bounds_of(each.mentions for each in documents)
        start, end, fine = spans_of(documents, self.layout)
        self._report_all(first, fine)
        lengths = sum_by(fine, first)
        n_nulls = [each.n_nulls for each in documents]
        self.numbers.append(np.array([self.lines, lengths, n_nulls], np.int64))
        self.spans.append(np.array([start[fine], end[fine], _entities(documents, fine, lengths)], np.int32))
        self.names += [each.name for each in documents]
        self.units += [each.unit for each in documents]
        for each in documents:
            each.text.n_tokens = -1 if each.n_tokens is None else each.n_tokens
            self.text.append(each.text)
        if self.layout.texts:
            texts = [each.texts or repeat(None, len(each.mentions)) for each in documents]
            self.texts += compress(chain.from_iterable(texts), fine.tolist())
        if any(each.types for each in documents):
            types = [each.types or repeat(None, len(each.mentions)) for each in documents]
            n_before = sum(spans.shape[1] for spans in self.spans[:-1])
            self.types += [None] * (n_before - len(self.types))
            self.types += compress(chain.from_iterable(types), fine.tolist())
        self.documents, self.lines, self.faults, self.n_mentions = [], [], [], 0

    def _report_all(self, first: Ints, fine: Bools) -> None:
        """Report problems of documents and mentions in their order in the file."""
        places = [(d, False, n) for n, (d, _, _) in enumerate(self.faults)]
        faulty = np.flatnonzero(~fine)
        places += zip(owners(first)[faulty].tolist(), repeat(True), faulty.tolist(), strict=False)
        for d, is_of_mention, n in sorted(places):
            if is_of_mention:
                self._report(self.lines[d], fault_of(self.documents[d], n - int(first[d]), self.layout))
            else:
                self._report(*self.faults[n][1:])

    def _report(self, line: int | None, fault: ReadError) -> None:
        """Report a problem in this file, on this line if it does not say on which."""
        self.n_faults += 1
        option = fault.option
        if not isinstance(option, str):
            own = str if self.options.side == ANNOTATOR else lambda value: {self.options.side: str(value)}
            option = {name: own(value) for name, value in option.items()}
        self.options.problems.error(self.path, fault.line or line, fault.reason, option)

    def parsed(self) -> Parsed:
        """Report the problems and doubts of the file as a whole, and return its documents."""
        self.make_columns()
        line, lengths, n_nulls = np.concatenate(self.numbers, axis=1)
        if not self.names and not self.n_faults:
            self._report(None, bad("no document; expected one JSON object per line"))
        named = np.array([name is not None for name in self.names], np.bool_)
        asked = self.options.name_field
        if asked is not None and named.size and not named.any():
            reason = f"no document has its name in the field {asked!r}; expected the field of the names"
            self._report(None, bad(reason, "name_field"))
        if n_nulls.any():
            reason = f"{n_nulls.sum()} mentions are null, without a place in the text; they do not count"
            self.options.problems.warning(self.path, int(line[n_nulls.argmax()]), reason)
        document = np.arange(len(self.names), dtype=np.int32).repeat(lengths)
        start, end, entity = np.concatenate(self.spans, axis=1)
        types = self.types + [None] * (start.size - len(self.types))
        text, label = (np.array(column, object) if any(column) else None for column in (self.texts, types))
        mentions = Mentions(document, start, end, entity, line.repeat(lengths), text, label)
        others: dict[str, Any] = {"units": tuple(self.units), "holds_predictions": self.holds_predictions}
        documents = make_documents(self.path, self.names, mentions, self.text, **others)
        return Parsed(documents, tuple(line.tolist()), self.layout.clusters if self.names else None)


def _entities(documents: Sequence[JsonDocument], fine: Bools, lengths: Ints) -> Ints:
    """Number the entities of the mentions that are fine, from 0 in each document; empty clusters are not entities.

    Args:
        documents: D documents.
        fine: bool (M,) whether a mention counts.
        lengths: int64 (D,) how many do in each document.
    """
    sizes = np.array([*chain.from_iterable(each.sizes for each in documents)], np.int64)
    cluster = owners(bounds(sizes))[fine]
    begins = np.zeros(cluster.size, np.bool_)
    begins[run_starts(cluster)] = True
    of_document = bounds(sum_by(begins, bounds(lengths)))[:-1]
    return np.cumsum(begins) - 1 - of_document.repeat(lengths)


class JsonDocument(NamedTuple):
    """The parts of a document, as its JSON value has them.

    Attributes:
        name: None if it has none.
        unit: what the spans count; see `arraycoref.read.documents.Documents`.
        text: the text, see `packed`; without words if the value does not have them.
        n_tokens: number of tokens, None if the value does not give it.
        lengths: number of tokens of each sentence, if mentions begin with the number of their sentence.
        word_of: int64 (S,) the word of each subtoken, -1 for none; None if spans count words.
        mentions: the mentions, cluster by cluster, without those that are null.
        numbers: the numbers of each mention, in a list; anything else for what is not a mention.
        sizes: number of mentions of each cluster.
        texts: the texts of the mentions; empty if the value does not have one for each.
        n_nulls: number of mentions that are null, if the layout allows them.
        types: the type of each mention's entity; empty if the value does not have one, or None, for each cluster.
    """

    name: str | None
    unit: str
    text: Text
    n_tokens: int | None
    lengths: list[int]
    word_of: Ints | None
    mentions: list[Any]
    numbers: list[Any]
    sizes: list[int]
    texts: list[str]
    n_nulls: int
    types: list[str | None]

    @property
    def limit(self) -> int:
        """The number that all numbers in spans are below."""
        if self.word_of is not None:
            return self.word_of.size
        return LARGEST + 1 if self.n_tokens is None else self.n_tokens


def document_of(value: object, layout: JsonLayout, wanted: Sequence[str]) -> JsonDocument:
    """Find the parts of a document.

    Args:
        value: the JSON value of the document.
        layout: layout of the file; clusters are read from its field `clusters`.
        wanted: the fields that the clusters may be in, for the message.

    Raises:
        ReadError: a problem of the document, other than one of a mention; it has a reason, but neither file nor line.
    """
    fields = object_of(value, layout.looked_at)
    name, clusters, n_nulls = name_of(fields, layout), _clusters(fields, layout, wanted), 0
    if layout.nulls and any(None in cluster for cluster in clusters):
        n_nulls = sum(cluster.count(None) for cluster in clusters)
        clusters = [[mention for mention in cluster if mention is not None] for cluster in clusters]
    mentions, sizes = list(chain.from_iterable(clusters)), list(map(len, clusters))
    if layout.unit == "mention":
        number_of: dict[str, int] = {}
        codes = [number_of.setdefault(repr(m), len(number_of)) if type(m) in (str, int) else -1 for m in mentions]
        numbers: list[Any] = [[code, code + layout.exclusive] for code in codes]
        text = packed([list(number_of)]) if number_of else Text()
        return JsonDocument(name, "mention", text, len(number_of), [], None, mentions, numbers, sizes, [], n_nulls, [])
    numbers, of_texts = mentions, fields
    if layout.fields:
        objects = [m if isinstance(m, JsonObject) and m.twice.isdisjoint(layout.fields) else None for m in mentions]
        numbers = [None if m is None else [m.get(field) for field in layout.fields] for m in objects]
        own = {field: [[m.get(field) for m in mentions if isinstance(m, JsonObject)]] for field in layout.texts}
        of_texts = JsonObject(own)
    texts = texts_of(of_texts, layout, len(mentions))
    sentences, lengths = _tokens(fields, layout)
    n_tokens = sum(lengths) if sentences is not None else _count(fields, layout)
    unit, word_of = layout.unit, None
    if unit == "character" and sentences is not None and not isinstance(fields[layout.tokens[0]], str):
        unit = "word"
    if unit == "subtoken" and layout.word_of:
        unit, word_of = "word", _word_of(fields, layout, n_tokens)
        n_tokens = 1 + int(word_of.max(initial=-1)) if n_tokens is None else n_tokens
    text = Text() if sentences is None else packed(sentences)
    types = types_in(fields, sizes) if layout.clusters == "clusters" else []
    return JsonDocument(name, unit, text, n_tokens, lengths, word_of, mentions, numbers, sizes, texts, n_nulls, types)


def name_of(value: Mapping[str, object], layout: JsonLayout) -> str | None:
    """Return the name of a document, with the part that it is, if the layout has parts; None if it has no name.

    The part may be a list, the same for each word; or it is in the name, if that is a whole header of CoNLL.

    Raises:
        ReadError: a name or part that is neither a text nor a whole number.
    """
    for field in layout.names:
        name = value.get(field)
        if isinstance(name, str) or type(name) is int:
            part = value.get(layout.part) if layout.part and field == layout.names[0] else None
            if isinstance(part, list) and part and all(other == part[0] for other in part):
                part = part[0]
            if part is None:
                header = _HEADER.fullmatch(name) if isinstance(name, str) else None
                return parse_header(header[1]) if header else str(name)
            if not isinstance(part, str) and type(part) is not int:
                raise bad(f"{layout.part} is {quote(part)}; expected a whole number or a string")
            return f"{name}_{part}"
        if name is not None:
            raise bad(f"{field} is {quote(name)}; expected a string")
    return None


def _clusters(value: JsonObject, layout: JsonLayout, wanted: Sequence[str]) -> list[list[Any]]:
    if layout.clusters not in value:
        alike = [field for field in value if opening_of(value[field]).startswith("[[[")]
        if len(alike) > 1:
            alike = [field for field in alike if re.search("cluster|coref|chain", field)]
        reason = f"no {' or '.join(wanted)} among the fields {quote(', '.join(value))}"
        if len(alike) == 1:
            hint = f"; clusters_field='[SIDE:]{alike[0]}' reads the only one that may hold clusters"
            # Readers of a response look for predictions, so no command is printed that hides a mistake.
            if "pred" in alike[0] and not any("pred" in name for name in wanted):
                raise bad(f"{reason}{hint}. It holds what a system predicts: are the sides swapped?")
            raise bad(reason + hint, {"clusters_field": alike[0]})
        if "text" in value and not any(opening_of(value[field]).startswith("[") for field in value):
            style = "xml-text" if re.search("</[^<>]+>", str(value["text"])) else "markdown"
            hint = f"; annotated text without a mention is read by its format, such as format={style!r}"
            raise bad(reason + hint, "format")
        raise bad(reason, "clusters_field")
    clusters = value[layout.clusters]
    if isinstance(clusters, JsonObject) and (layout.fields or layout.unit == "mention"):
        clusters = list(object_of(clusters, clusters).values())
    if not isinstance(clusters, list) or not set(map(type, clusters)) <= {list}:
        form = "mentions" if layout.fields or layout.unit == "mention" else "[start, end]"
        raise bad(f"{layout.clusters} is {quote(clusters)}; expected lists of {form}")
    return clusters


def texts_of(value: Mapping[str, object], layout: JsonLayout, n: int) -> list[str]:
    """Return the texts of n mentions: the lists in the first of the fields of texts that is there, without nulls.

    There are none if these lists do not have n texts.
    """
    if not layout.texts:
        return []
    listed = next((value[field] for field in layout.texts if value.get(field) is not None), None)
    lists = [texts for texts in listed if isinstance(texts, list)] if isinstance(listed, list) else []
    texts = [text for text in chain.from_iterable(lists) if text is not None]
    return texts if len(texts) == n and set(map(type, texts)) <= {str} else []


def _tokens(value: JsonObject, layout: JsonLayout) -> tuple[Sentences | None, list[int]]:
    """Return the words, sentence by sentence, and the number of tokens of each sentence; None if they are not there.

    A list without inner lists is one sentence. The words of a text are its characters.
    """
    field = value.get(layout.tokens[0]) if layout.tokens else None
    if field is None:
        return None, []
    if layout.unit == "character" and isinstance(field, str):
        return [list(field)], [len(field)]
    if isinstance(field, list):
        if layout.depth == 1:
            return [field], [len(field)]
        if layout.depth == 0:
            try:
                sentences = [list(_leaves(entry, layout)) for entry in field]
                return sentences, list(map(len, sentences))
            except KeyError:
                pass  # an object without the next field
        elif set(map(type, field)) <= {list}:
            if not layout.blanks:
                return field, list(map(len, field))
            lengths = [0 if sentence == [" "] else len(sentence) for sentence in field]
            return [sentence for sentence in field if sentence != [" "]], lengths
    kind = "a list of lists of words" if layout.depth == 2 else "a list of words"
    if layout.tokens[1:]:
        kind = f"a list of sentences with {', '.join(layout.tokens[1:])}"
    raise bad(f"{layout.tokens[0]} is not {kind}")


def _leaves(value: object, layout: JsonLayout) -> Iterator[Any]:
    """Yield the tokens of an entry: the items of nested lists, and of objects the fields that the layout names."""
    pending = [(value, layout.tokens[1:])]
    while pending:
        entry, path = pending.pop()
        if isinstance(entry, list):
            pending += [(item, path) for item in reversed(entry)]
        elif path and isinstance(entry, JsonObject):
            pending.append((entry[path[0]], path[1:]))
        else:
            yield entry


def _count(value: JsonObject, layout: JsonLayout) -> int | None:
    n_tokens = value.get(layout.count) if layout.count else None
    if n_tokens is not None and (type(n_tokens) is not int or not 0 <= n_tokens <= LARGEST + 1):
        raise bad(f"{layout.count} is {quote(n_tokens)}; expected a number of tokens")
    return n_tokens


def _word_of(value: JsonObject, layout: JsonLayout, n_tokens: int | None) -> Ints:
    """Return the word of each subtoken, int64 (S,), -1 for none."""
    field = next((field for field in layout.word_of if value.get(field) is not None), None)
    if field is None:
        raise bad(f"no {' or '.join(layout.word_of)}, which gives the words of the subtokens")
    words = value[field]
    kinds = set(map(type, words)) if isinstance(words, list) else {object}
    if not kinds <= {int, type(None)} or not all(word is None or 0 <= word <= LARGEST for word in words):
        raise bad(f"{field} is {quote(words)}; expected the word of each subtoken, a list of numbers")
    word_of = np.array([-1 if word is None else word for word in words], np.int64)
    n_words = 1 + int(word_of.max(initial=-1))
    if n_tokens is not None and n_words > n_tokens:
        raise bad(f"{field} has the word {n_words - 1}, but {layout.tokens[0]} has {n_tokens}")
    return word_of


@dataclass(eq=False, kw_only=True)
class PackedText(Text):
    """Words as bytes, which take a tenth of the memory: UTF-8, with an end after each word and each sentence."""

    data: bytes

    has_words = True

    def sentences(self) -> Sentences:
        """Return the words of each sentence."""
        text = self.data.decode("utf-8", "surrogatepass")
        return [sentence.split(_WORD_END)[:-1] for sentence in text.split(_SENTENCE_END)[:-1]]

    def looks_like(self, other: Text) -> bool:
        """Whether other packed words are the same in the same sentences."""
        return self is other or (isinstance(other, PackedText) and self.data == other.data)


def packed(sentences: Sentences) -> Text:
    """Return a text of words, which are packed unless one of them has an end in it."""
    try:
        text = "".join([_WORD_END.join([*sentence, _SENTENCE_END]) for sentence in sentences])
    except TypeError:  # words that are numbers, say
        return packed([[*map(str, sentence)] for sentence in sentences])
    if text.count(_WORD_END) != sum(map(len, sentences)) or text.count(_SENTENCE_END) != len(sentences):
        return Text(sentences)
    return PackedText(data=text.encode("utf-8", "surrogatepass"))


def with_layers(text: Text, fields: JsonObject, layout: JsonLayout) -> Text:
    """Return the text of a document with all that its fields say of the words, if it has words."""
    sentences = text.sentences()
    if not sentences:
        return text
    known = (*layout.looked_at, "clusters", layout.predicted, TYPES, MENTION_TYPES)
    return Text(sentences, said=of_fields(fields, sentences, known))


def spans_of(documents: Sequence[JsonDocument], layout: JsonLayout) -> tuple[Ints, Ints, Bools]:
    """Find the words of the mentions of D documents.

    Args:
        documents: the documents.
        layout: layout of their file.

    Returns:
        First and last word of each mention, int64 (M,), and whether it is a mention of its document, bool (M,). For
        one that is not, `fault_of` has the reason, and its words mean nothing.
    """
    numbers, fine = _integers([row for document in documents for row in document.numbers], 2 + layout.nested)
    document = owners(bounds_of(each.mentions for each in documents))
    start, end = numbers[:, -2] - layout.first, numbers[:, -1] - layout.first - int(layout.exclusive)
    fine &= (start >= 0) & (start <= end) & (end <= LARGEST)
    if layout.nested:
        first_sentence = bounds_of(each.lengths for each in documents)
        lengths = np.array([*chain.from_iterable(each.lengths for each in documents), 0], np.int64)
        sentence, first_token = numbers[:, 0] - layout.first, bounds(lengths)
        fine &= (sentence >= 0) & (sentence < np.diff(first_sentence)[document])
        sentence = np.where(fine, sentence + first_sentence[document], -1)
        fine &= end < lengths[sentence]
        before = first_token[sentence] - first_token[first_sentence[document]]
        start, end = start + before, end + before
    else:
        fine &= end < np.array([each.limit for each in documents], np.int64)[document]
    maps = [each.word_of for each in documents if each.word_of is not None]
    if maps:  # then all have one
        first_subtoken, words = bounds_of(maps)[document], np.append(np.concatenate(maps), -1)
        start, end = (words[np.where(fine, first_subtoken + place, -1)] for place in (start, end))
        fine &= (start >= 0) & (start <= end)
    return start, end, fine


def _integers(rows: Sequence[Any], arity: int) -> tuple[Ints, Bools]:
    """Return the numbers in rows, int64 (M, arity), and whether each row is a list of so many integers, bool (M,)."""
    fine = np.ones(len(rows), np.bool_)
    numbers: list[Any] = list(chain.from_iterable(rows)) if set(map(type, rows)) <= {list} else [None]
    if not (set(map(type, numbers)) <= {int} and set(map(len, rows)) <= {arity}):
        usual = [row if type(row) is list and list(map(type, row)) == [int] * arity else None for row in rows]
        fine[:] = [row is not None for row in usual]
        numbers = list(chain.from_iterable(row or [0] * arity for row in usual))
    try:
        return np.array(numbers, np.int64).reshape(-1, arity), fine
    except OverflowError:
        clipped = [max(-_HUGE, min(number, _HUGE)) for number in numbers]
        return np.array(clipped, np.int64).reshape(-1, arity), fine


def fault_of(document: JsonDocument, m: int, layout: JsonLayout) -> ReadError:
    """Return what is wrong with a mention of a document that `spans_of` finds no mention of it."""
    mention, numbers = document.mentions[m], document.numbers[m]
    if layout.unit == "mention":
        return bad(f"the mention {quote(mention)} is neither a string nor a whole number")
    if not _integers([numbers], 2 + layout.nested)[1].all():
        if isinstance(mention, JsonObject) and (twice := mention.twice.intersection(layout.fields)):
            return bad(f"the field {min(twice)!r:.60} appears twice in one object")
        form = ", ".join(layout.fields) or ("sentence, start, end" if layout.nested else "start, end")
        return bad(f"the mention {quote(mention)} is not [{form}], {'three' if layout.nested else 'two'} integers")
    start, end = numbers[-2] - layout.first, numbers[-1] - layout.first - layout.exclusive
    if not 0 <= start <= end:
        rule = "start <= end (the last token, inclusive)"
        if layout.exclusive:
            rule = "start < end (the token after, exclusive)"
        reason = f"the mention {quote(mention)} has no tokens; expected {layout.first} <= {rule}"
        if layout.exclusive and 0 <= start == end + 1:
            return bad(f"{reason}; is its end inclusive? end='[SIDE:]inclusive' reads it so", {"end": "inclusive"})
        return bad(reason)
    if end > LARGEST:
        return bad(f"the mention {quote(mention)} lies past token {LARGEST}")
    if layout.nested:
        sentence, n_sentences = numbers[0] - layout.first, len(document.lengths)
        if not document.text.has_words:
            return bad(f"no {layout.tokens[0]}, in which the mention {quote(mention)} may lie")
        if not 0 <= sentence < n_sentences:
            return bad(f"the mention {quote(mention)} lies past the {n_sentences} sentences of the document")
        n_tokens = document.lengths[sentence]
        return bad(f"the mention {quote(mention)} lies past the {n_tokens} tokens of its sentence")
    if end >= document.limit:
        what = "subtokens" if document.word_of is not None else f"{document.unit}s".replace("word", "token")
        hint, fixes = _other_ways(document, [*document.numbers[:SEEN], numbers], layout)
        reason = f"the mention {quote(mention)} lies past the {document.limit} {what} of the document{hint}"
        return bad(reason, fixes or "end")
    words = [] if document.word_of is None else document.word_of[[start, end]].tolist()
    words = [None if word < 0 else word for word in words]
    return bad(f"the mention {quote(mention)} is of the words {quote(words)}")


def _other_ways(document: JsonDocument, numbers: Sequence[Any], layout: JsonLayout) -> tuple[str, dict[str, str]]:
    """Say in which other ways some mentions may count, if one lies past the document; and what reads them so."""
    spans = [span[-2:] for span in numbers if _integers([span], 2)[1].all()]
    last = max(end for _, end in spans)
    as_characters = "are they numbers of characters? unit='[SIDE:]character' with end='[SIDE:]exclusive'"
    ways = {
        "is its end exclusive? end='[SIDE:]exclusive'": {"end": "exclusive"},
        "do its numbers count from 1? start='[SIDE:]1'": {"start": "1"},
        as_characters: {"unit": "character", "end": "exclusive"},
    }
    is_short, starts_before = last <= document.limit, all(start < end for start, end in spans)
    fits = (
        is_short and starts_before and not layout.exclusive,
        is_short and layout.first == 0 and all(start > 0 for start, _ in spans),
        document.limit < last <= CHARACTERS * document.limit and document.unit == "word" and starts_before,
    )
    likely = [how for how, fit in zip(ways, fits, strict=True) if fit]
    return "".join(f"; {how} reads it so" for how in likely), ways[likely[0]] if likely else {}


def values_of(data: Content) -> Iterator[Numbered]:
    """Yield line and value of each JSON text of a file; a `ReadError` for broken syntax.

    After a broken text, reading goes on with the next line; after a broken item of an array, it ends.
    """
    text = _Text(data)
    if text.skip() and text.text[text.at] == "[":
        text.at, text.in_array = text.at + 1, True
        yield from _items(text)
        return
    may_span = True  # but not after a broken text: each line of a broken file would be read to the file's end
    while text.skip():
        line, spans = text.line, may_span and text.text[text.at] == "{"
        value = text.value(spans)
        if text.is_broken:
            may_span = may_span and not spans
            text.leave_line()
        yield line, value


def _items(text: _Text) -> Iterator[Numbered]:
    is_first = True
    while True:
        text.skip()
        mark = text.text[text.at : text.at + 1]
        if mark == "]":
            text.at += 1
            if text.skip():
                yield text.line, _broken(text.line, "text after the array")
            return
        if not is_first:
            if mark != ",":
                yield text.line, _broken(text.line, "expected ',' or ']' after an element of the array")
                return
            text.at += 1
            text.skip()
        is_first, line = False, text.line
        yield line, text.value(True)
        if text.is_broken:
            return


class _Text:
    """The text of a file, line by line; more lines are added while a value goes on over several.

    Args:
        data: the bytes of the file. Those that are not UTF-8 become lone surrogates, which `value` refuses.

    Attributes:
        text: some lines.
        at: position in these of what comes next.
        line: number of the line of this position.
        next: position in the file after these lines.
        in_array: whether values are the items of an array.
        is_broken: whether the last value had broken syntax; then it is not skipped.
        is_utf8: whether all lines were UTF-8 so far.
    """

    def __init__(self, data: Content) -> None:
        self.data, self.text, self.at, self.line = data, "", 0, 1
        self.in_array, self.is_broken, self.is_utf8 = False, False, True
        self.next = len(codecs.BOM_UTF8) if bytes(data[:3]) == codecs.BOM_UTF8 else 0

    def more(self) -> bool:
        """Drop what was skipped, and add as many lines as make the rest twice as long; False if there are none."""
        self.text, self.at = self.text[self.at :], 0
        feed = _FEED.search(self.data, min(self.next + len(self.text), len(self.data)))
        lines = self.data[self.next : feed.end() if feed else len(self.data)]
        try:
            self.text += str(lines, "utf-8")
        except UnicodeDecodeError:
            self.text, self.is_utf8 = self.text + str(lines, "utf-8", "surrogateescape"), False
        self.next += len(lines)
        return len(lines) > 0

    def skip(self) -> bool:
        """Pass over white space; return whether anything is left."""
        while True:
            space = _SPACE.match(self.text, self.at)
            stop = space.end() if space else self.at
            self.line += self.text.count("\n", self.at, stop)
            self.at = stop
            if stop < len(self.text) or not self.more():
                return stop < len(self.text)

    def leave_line(self) -> None:
        """Go to the next line."""
        stop = self.text.find("\n", self.at) + 1 or len(self.text)
        self.next -= len(self.text[stop:].encode("utf-8", "surrogateescape"))
        self.text, self.at, self.line = "", 0, self.line + 1

    def value(self, spans: bool) -> object:
        """Return the value that begins here, or the problem if it is not JSON or not UTF-8.

        Args:
            spans: whether the value may go on after the lines that are there.
        """
        faults = []  # not raised: then each would stay in memory, in a cycle with this list
        while True:
            try:
                value, stop = _DECODER.raw_decode(self.text, self.at)
                break
            except _BAD as error:
                faults.append(self._explain(error))
            if not spans or not self.more():
                self.is_broken = True
                return faults[-1 if self.in_array or _ALONE.match(self.text, self.at) else 0]
        self.is_broken, fault = False, self._bad_text(stop)
        self.line += self.text.count("\n", self.at, stop)
        self.at = stop
        return value if fault is None else fault

    def _explain(self, error: Exception) -> ReadError:
        """Return the problem of the value that begins here."""
        line_end = self.text.find("\n", self.at)
        if fault := self._bad_text(line_end if line_end >= 0 else len(self.text)):
            return fault
        if not isinstance(error, json.JSONDecodeError):
            return _broken(self.line, "nested too deeply" if isinstance(error, RecursionError) else str(error))
        stop = min(error.pos, len(self.text) - self.text.endswith("\n"))  # not on the line after the last one
        before = max(self.text.rfind("\n", self.at, stop), self.at - 1)
        line = self.line + self.text.count("\n", self.at, stop)
        message = error.msg.removesuffix(" at")
        if message == "Invalid control character" and self.text[stop] == "\n":
            message = "Unterminated string ending"
        return _broken(line, f"{message} at column {stop - before}")

    def _bad_text(self, stop: int) -> ReadError | None:
        """Return the problem of text from here on that is not UTF-8; None if it is."""
        try:
            if not self.is_utf8:
                self.text[self.at : stop].encode("utf-8", "surrogateescape").decode()
        except UnicodeDecodeError as error:
            return _broken(self.line, str(error))
        return None


def _broken(line: int, reason: str) -> ReadError:
    return ReadError("", line, f"not JSON: {reason}")


def _fields(pairs: list[tuple[str, object]]) -> JsonObject:
    fields = JsonObject(pairs)
    if len(fields) < len(pairs):
        fields.twice = frozenset(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
    return fields


_DECODER = json.JSONDecoder(object_pairs_hook=_fields)
