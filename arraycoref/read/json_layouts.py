"""Recognize the layout of a JSON file, and make values of one document each where it has others.

Other values are an object per mention, a graph of links, and two objects with a field per document.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from arraycoref.exceptions import Fixes, OptionError, ReadError
from arraycoref.read.layouts import NAMES, SHAPES, JsonLayout
from arraycoref.read.problems import NO_LEVEL, ReadingOptions, quote

Numbered = tuple[int, object]
"""The line of a value, and the value or the `ReadError` of a broken one."""

Values = Iterable[Numbered]
Group = Callable[[Values, str, JsonLayout, ReadingOptions], Iterator[Numbered]]
"""Makes documents of the values of a file."""

OF_MENTION = ("sent_id", "tokens_number")
OF_SENTENCE = ("part_id", "words", "coref_spans")


class JsonObject(dict[str, Any]):
    """An object of JSON.

    Attributes:
        twice: names of the fields that appear in it more than once; it holds their last values.
    """

    twice: frozenset[str] = frozenset()


def bad(reason: str, option: str | Fixes = "") -> ReadError:
    """Return the problem of a value; the code that catches it adds the file and the line."""
    return ReadError("", None, reason, option)


def object_of(value: object, fields: Iterable[str]) -> JsonObject:
    """Return the value if it is an object in which none of some fields is repeated.

    Raises:
        ReadError: the value is not an object, or has one of the fields twice.
    """
    if not isinstance(value, JsonObject):
        raise bad(f"expected a JSON object, not {quote(value)}")
    if value.twice and (twice := value.twice.intersection(fields)):
        raise bad(f"the field {min(twice)!r:.60} appears twice in one object")
    return value


def layout_of(first: object, options: ReadingOptions) -> JsonLayout:
    """Recognize the layout of a file, and change it by the user's options.

        >>> from arraycoref.read.problems import ReadingOptions
        >>> layout_of(JsonObject({"id": "a", "sentences": [["A"]], "mention_clusters": []}), ReadingOptions()).exclusive
        True

    Args:
        first: the first value of the file.
        options: the user's options.

    Raises:
        OptionError: fields that leave open what the numbers count; or a level, but no single mentions.
    """
    fields = first if isinstance(first, JsonObject) else JsonObject()
    layout = SHAPES.get(options.format or "") or SHAPES[_name_of(fields, options)]
    layout = replace(layout, names=tuple(dict.fromkeys((*layout.names, *NAMES))))
    if layout.tokens == ("sentences",) and "sentences" not in fields and not layout.nested:
        depth = opening_of(fields.get("tokens")).find('"')  # 2 for sentences of words, 1 for words
        layout = replace(layout, tokens=("tokens",), depth=depth) if depth > 0 else layout
    if options.end is not None:
        layout = replace(layout, exclusive=options.end == "exclusive")
    if options.start is not None:
        layout = replace(layout, first=int(options.start))
    if options.unit == "character":
        layout = replace(layout, tokens=("text",), depth=1, nested=False)
    elif options.unit is not None and layout.unit == "character":
        layout = replace(layout, tokens=())
    if options.unit is not None:
        layout = replace(layout, unit=options.unit)
    if options.clusters_field is not None:
        texts = layout.texts if layout.fields or options.clusters_field == layout.clusters else ()
        layout = replace(layout, clusters=options.clusters_field, predicted="", texts=texts)
    if options.level != "document" and layout.group != "ucdcr":
        raise OptionError(NO_LEVEL, "level")
    if layout.group == "ucdcr" and "conll_doc_key" not in fields and "doc_id" in fields:
        layout = replace(layout, names=("doc_id",))  # WEC has one topic, and names that are unique
    if options.name_field is not None:
        layout = replace(layout, names=(options.name_field,), part="")
    return layout


def _name_of(fields: JsonObject, options: ReadingOptions) -> str:
    openings = {field: opening_of(value) for field, value in fields.items()}
    for name, layout in SHAPES.items():
        for marks in layout.marks:
            wanted = [mark.partition(":") for mark in marks]
            if all(field in fields and openings[field].startswith(opening) for field, _, opening in wanted):
                return name
    named = fields.keys() & {*NAMES, options.name_field or "doc_key"}
    usual = named or fields.keys() & {"clusters", "predicted_clusters", options.clusters_field or "clusters"}
    if not usual and fields and all(opening.startswith("[") for opening in openings.values()):
        return "s2e"
    if "text" in fields and not named and "sentences" not in fields and options.unit is None:
        raise OptionError(
            "documents with 'text' and 'clusters' only do not say whether these count words or characters; "
            "expected the options unit and end, or the format (fastcoref, say)",
            "unit end format",
        )
    return "e2e"


def opening_of(value: object) -> str:
    """Return how a value begins in JSON: the brackets of its first lists, and one more character."""
    brackets = ""
    while isinstance(value, list):
        brackets += "["
        if not value:
            return brackets + "]"
        value = value[0]
    return brackets + ("{" if isinstance(value, JsonObject) else '"' if isinstance(value, str) else "0")


def two_objects(values: Values, path: str, layout: JsonLayout, options: ReadingOptions) -> Iterator[Numbered]:
    """Make documents of two objects with a field per document: one has the clusters, one the words of subtokens."""
    first = list(itertools.islice(values, 3))
    broken = [(line, value) for line, value in first if not isinstance(value, JsonObject)]
    if broken:
        yield broken[0]
        return
    line, objects = first[0][0] if first else 1, [value for _, value in first if isinstance(value, JsonObject)]
    if len(objects) != 2 or objects[0].keys() != objects[1].keys() or objects[0].twice | objects[1].twice:
        reason = "expected two objects with the same documents: their clusters, and the words of their subtokens"
        yield line, bad(f"no document has 'clusters'; {reason}")
        return
    for name, clusters in objects[0].items():
        yield line, JsonObject({layout.names[0]: name, layout.clusters: clusters, layout.word_of[0]: objects[1][name]})


def mentions_alone(values: Values, path: str, layout: JsonLayout, options: ReadingOptions) -> Iterator[Numbered]:
    """Make documents of objects of one mention each: group them by document, or what the level is, and by chain."""
    documents: dict[str, dict[object, list[object]]] = {}
    lines: dict[str, int] = {}
    for line, value in values:
        if isinstance(value, ReadError):
            yield line, value
            continue
        try:
            name, chain, mention = _mention(value, layout.names[0], layout.clusters)
            name = _at_level(name, options.level)
            documents.setdefault(name, {}).setdefault(chain, []).append(mention)
            lines.setdefault(name, line)
        except ReadError as error:
            yield line, error
    places = Counter(chain for chains in documents.values() for chain in chains)
    if several := sum(n > 1 for n in places.values()):
        what = "1 entity is" if several == 1 else f"{several:,} entities are"
        counts = f"in several {options.level}s; links between {options.level}s do not count"
        reason = f"{what} {counts}; level='corpus' makes one document of all"
        options.problems.warning(path, next(iter(lines.values())), reason)
    for name, chains in documents.items():
        yield lines[name], JsonObject({layout.names[0]: name, layout.clusters: list(chains.values())})


def _at_level(name: str, level: str) -> str:
    """Return the name of what a document of this name is part of.

        >>> [_at_level("1/1a/x", level) for level in ("document", "subtopic", "topic", "corpus")]
        ['1/1a/x', '1/1a', '1', 'corpus']

    Raises:
        ReadError: the name has no topic.
    """
    if level in ("document", "corpus"):
        return name if level == "document" else level
    parts = name.split("/")
    if len(parts) < 2:
        raise bad(f"the name {quote(name)} has no {level}; expected TOPIC/.../NAME, or another level", "level")
    return "/".join(parts[: -1 if level == "subtopic" else 1])


def _mention(value: object, name_field: str, chain_field: str) -> tuple[str, object, str]:
    """Return the document of a mention, its chain, and the mention as a text.

    Raises:
        ReadError: it is not a mention; the error has a reason, but neither file nor line.
    """
    fields = object_of(value, (name_field, "conll_doc_key", chain_field, *OF_MENTION))
    name, chain, sentence = (fields.get(field) for field in (name_field, chain_field, "sent_id"))
    if not isinstance(name, str | int) or not isinstance(chain, str | int) or not isinstance(sentence, str | int):
        raise bad(f"a mention without {name_field}, {chain_field} or sent_id, each a string or a number")
    tokens = fields.get("tokens_number")
    if not isinstance(tokens, list) or not tokens or any(type(token) is not int for token in tokens):
        raise bad(f"tokens_number is {quote(tokens)}; expected numbers of tokens")
    first, last = min(tokens), max(tokens)
    shown = f"{first}-{last}" if last - first < len(tokens) else ",".join(map(str, sorted(tokens)))
    return str(name), chain, f"{fields.get('conll_doc_key', name)} {sentence} {shown}"


def one_by_one(make: Callable[[object, JsonLayout], Iterable[object]]) -> Group:
    """Return the function that makes documents of values, each of which has one or more by itself."""

    def documents(values: Values, path: str, layout: JsonLayout, options: ReadingOptions) -> Iterator[Numbered]:
        for line, value in values:
            try:
                if isinstance(value, ReadError):
                    raise value
                yield from [(line, document) for document in make(value, layout)]
            except ReadError as error:
                yield line, error

    return documents


def clusters_of(value: object, layout: JsonLayout) -> list[JsonObject]:
    """Make a document with clusters from a graph, the mentions that links connect; any other object stays.

    Raises:
        ReadError: it is not an object, or a graph without lists of mentions and links.
    """
    graph = object_of(value, (*layout.names, "type", "mentions", "links", layout.clusters))
    if graph.get("type") != "graph":
        return [graph]
    mentions, links = graph.get("mentions"), graph.get("links")
    pairs: list[Any] = links if isinstance(links, list) else [None]
    if not (_are_mentions(mentions) and all(_are_mentions(pair) and len(pair) == 2 for pair in pairs)):
        raise bad("a graph without lists of mentions and of links [mention, mention]")
    clusters = {repr(mention): [mention] for mention in mentions}  # one list for all mentions of a cluster
    for a, b in pairs:
        one, other = (clusters.setdefault(repr(mention), [mention]) for mention in (a, b))
        if one is not other:
            few, many = sorted((one, other), key=len)
            many += few
            clusters.update((repr(mention), many) for mention in few)
    document = JsonObject({name: value for name, value in graph.items() if name in layout.names})
    document[layout.clusters] = list({id(cluster): cluster for cluster in clusters.values()}.values())
    return [document]


def _are_mentions(value: object) -> TypeGuard[list[str | int]]:
    return isinstance(value, list) and all(isinstance(mention, str | int) for mention in value)


def parts_of(row: object, layout: JsonLayout) -> Iterator[JsonObject]:
    """Make a document of each part of a row of OntoNotes, as Hugging Face's conll2012_ontonotesv5 has it.

    Each sentence has its part, its words, and ``coref_spans``: entity, first and last word, from 0, both inclusive.

    Raises:
        ReadError: it is not a row; the error has a reason, but neither file nor line.
    """
    fields, documents = object_of(row, (*layout.names, "sentences")), dict[int, Any]()
    sentences = fields.get("sentences")
    for sentence in sentences if isinstance(sentences, list) else [None]:
        part, words, spans = map(object_of(sentence, OF_SENTENCE).get, OF_SENTENCE)
        if type(part) is not int or not isinstance(words, list) or not _are_spans(spans):
            expected = "part_id, words and coref_spans, lists [entity, first word, last word]"
            raise bad(f"the sentence {quote(sentence)}; expected {expected}")
        texts, entities = documents.setdefault(part, ([], {}))
        for entity, *span in spans:
            entities.setdefault(entity, []).append([len(texts), *span])
        texts.append(words)
    for part, (texts, entities) in documents.items():
        own = {layout.part: part, layout.tokens[0]: texts, layout.clusters: list(entities.values())}
        yield JsonObject({name: fields[name] for name in layout.names if name in fields} | own)


def _are_spans(value: object) -> TypeGuard[list[list[Any]]]:
    return isinstance(value, list) and all(isinstance(span, list) and len(span) == 3 for span in value)


GROUPS: Mapping[str, Group] = {
    "s2e": two_objects,
    "ucdcr": mentions_alone,
    "scorch": one_by_one(clusters_of),
    "conll2012": one_by_one(parts_of),
}
"""Name of a layout, and the function that makes documents of the values in its files."""
