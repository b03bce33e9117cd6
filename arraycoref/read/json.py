"""Read JSON of coreference: objects with the clusters of a document each, in any of the layouts that tools write.

Other objects (a mention, a graph, the parts of many documents) are first converted to objects of one document each.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

from arraycoref.errors import OptionError, ReadError
from arraycoref.read.documents import Parsed
from arraycoref.read.json_collected import Collected
from arraycoref.read.json_values import NOWHERE, Each, Fields, Values, bad, object_of
from arraycoref.read.shapes import NAMES, SHAPES, JsonLayout
from arraycoref.read.sources import ReadingOptions, quote
from arraycoref.runtime import Content

SMALL = 1 << 16
"""Size in bytes below which a file is read without importing msgspec."""

OF_MENTION = ("coref_chain", "sent_id", "tokens_number")


def read_json(data: Content, path: str, options: ReadingOptions, small: int = SMALL) -> Parsed:
    """Read the documents of a file of JSON lines, or of other layouts of JSON.

    A faulty mention is dropped in lenient mode; any other fault drops the document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.
        small: a file of fewer bytes is read by the strict reader alone; the result is the same.

    Raises:
        ReadError: what `options.on_error` raises; or fields that leave open what the numbers count, where no option
            says it.
    """
    values, batches = Values(data), None
    if len(data) >= small:
        from arraycoref.read.json_batches import Batches

        batches = Batches(data)
    try:
        layout = layout_of((batches and batches.openings(values)) or openings_of(Values(data)), options)
    except OptionError as error:
        raise ReadError(path, None, str(error), error.option) from None
    wanted: tuple[str, ...] = (layout.clusters,)
    if options.side == "response" and layout.predicted:
        wanted = layout.predicted, layout.clusters
    elif layout.predicted == "span_clusters" and not re.search(rf'"{re.escape(layout.clusters)}"\s*:'.encode(), data):
        wanted = (layout.predicted,)  # stanza writes keys with these only
    if re.search(rf'"{re.escape(wanted[0])}"\s*:'.encode(), data):
        layout, wanted = replace(layout, clusters=wanted[0]), wanted[:1]
    collected = Collected(data, path, options, layout, wanted)
    group = GROUPS.get(layout.group)
    if batches is None or not batches.set_layout(layout):
        collected.add_all(values if group is None else group(values, layout))
    else:
        while not values.over:
            batches.run(values, collected)
            if (each := values.next()) is not None:
                collected.add_all([each])
    return collected.parsed()


def openings_of(values: Values) -> dict[str, str]:
    """Return how the value of each field of the first document begins; see `layout_of`."""
    first = values.next()
    return {name: _opening(value) for name, value in first[2].items()} if first and isinstance(first[2], Fields) else {}


def _opening(value: object) -> str:
    brackets = ""
    while isinstance(value, list):
        brackets += "["
        if not value:
            return brackets + "]"
        value = value[0]
    return brackets + ("{" if isinstance(value, Mapping) else '"' if isinstance(value, str) else "0")


def layout_of(openings: Mapping[str, str], options: ReadingOptions) -> JsonLayout:
    """Recognise the layout of a file, and change it by the user's options.

        >>> from arraycoref.read.sources import ReadingOptions
        >>> layout_of({"id": '"', "sentences": '[["', "mention_clusters": "[[[0"}, ReadingOptions()).exclusive
        True

    Args:
        openings: for each field of the first document, how its value begins: brackets, then one more character.
        options: the user's options.

    Raises:
        OptionError: fields that leave open what the numbers count.
    """
    named = SHAPES.get(options.format or "")
    layout = SHAPES[_name_of(openings, options)] if named is None else named
    if options.end is not None:
        layout = replace(layout, exclusive=options.end == "exclusive")
    if options.unit == "character":
        layout = replace(layout, tokens=("text",), depth=1, nested=False)
    elif options.unit is not None and layout.unit == "character":
        layout = replace(layout, tokens=())
    if options.unit is not None:
        layout = replace(layout, unit=options.unit)
    if options.clusters_field is not None:
        texts = layout.texts if layout.fields or options.clusters_field == layout.clusters else ()
        layout = replace(layout, clusters=options.clusters_field, predicted="", texts=texts)
    if options.name_field is not None:
        layout = replace(layout, names=(options.name_field,), part="")
    return layout


def _name_of(openings: Mapping[str, str], options: ReadingOptions) -> str:
    for name, layout in SHAPES.items():
        for marks in layout.marks:
            wanted = [mark.partition(":") for mark in marks]
            if all(openings.get(field, " ").startswith(opening) for field, _, opening in wanted if opening) and all(
                field in openings for field, _, _ in wanted
            ):
                return name
    named = openings.keys() & {*NAMES, options.name_field or "doc_key"}
    usual = named or openings.keys() & {"clusters", "predicted_clusters", options.clusters_field or "clusters"}
    if not usual and openings and all(opening.startswith("[") for opening in openings.values()):
        return "s2e"
    if "text" in openings and not named and "sentences" not in openings and options.unit is None:
        raise OptionError(
            "documents with 'text' and 'clusters' only do not say whether these count words or characters; "
            "expected the options unit and end, or the format (fastcoref, say)",
            "unit end format",
        )
    return "e2e"


def two_objects(values: Iterable[Each], layout: JsonLayout) -> Iterator[Each]:
    """Make documents of two objects with a field per document: one has the clusters, one the words of subtokens."""
    found = list(itertools.islice(values, 3))
    broken = [each for each in found if not isinstance(each[2], Fields)]
    if broken:
        yield broken[0]
        return
    line, objects = found[0][1] if found else 1, [value for _, _, value in found if isinstance(value, Fields)]
    if len(objects) != 2 or objects[0].keys() != objects[1].keys() or objects[0].twice | objects[1].twice:
        reason = "expected two objects with the same documents: their clusters, and the words of their subtokens"
        yield NOWHERE, line, bad(f"no document has 'clusters'; {reason}")
        return
    for name, clusters in objects[0].items():
        words = objects[1][name]
        yield NOWHERE, line, Fields({layout.names[0]: name, layout.clusters: clusters, layout.word_of[0]: words})


def mentions_alone(values: Iterable[Each], layout: JsonLayout) -> Iterator[Each]:
    """Make documents of objects of one mention each: group the mentions by document and chain."""
    documents: dict[str, dict[object, list[object]]] = {}
    lines: dict[str, int] = {}
    for place, line, value in values:
        try:
            name, chain, mention = _mention(value, layout.names[0])
        except ReadError as error:
            yield place, line, error
            continue
        documents.setdefault(name, {}).setdefault(chain, []).append(mention)
        lines.setdefault(name, line)
    for name, chains in documents.items():
        yield NOWHERE, lines[name], Fields({layout.names[0]: name, layout.clusters: list(chains.values())})


def _mention(value: object, name_field: str) -> tuple[str, object, str]:
    """Return the document of a mention, its chain, and the mention as a text.

    Raises:
        ReadError: it is not a mention; the error has a reason, but neither file nor line.
    """
    found = object_of(value, (name_field, "conll_doc_key", *OF_MENTION))
    name, chain, sentence = (found.get(field) for field in (name_field, "coref_chain", "sent_id"))
    if not isinstance(name, str | int) or not isinstance(chain, str | int) or not isinstance(sentence, str | int):
        raise bad(f"a mention without {name_field}, coref_chain or sent_id, each a string or a number")
    tokens = found.get("tokens_number")
    if not isinstance(tokens, list) or not tokens or any(type(token) is not int for token in tokens):
        raise bad(f"tokens_number is {quote(tokens)}; expected numbers of tokens")
    first, last = min(tokens), max(tokens)
    if not len(tokens) == len(set(tokens)) == last - first + 1:
        raise bad(f"the mention of tokens {quote(tokens)} has a gap")
    return str(name), chain, f"{found.get('conll_doc_key', name)} {sentence} {first}-{last}"


def graphs(values: Iterable[Each], layout: JsonLayout) -> Iterator[Each]:
    """Make documents with clusters from graphs: the clusters are the mentions that links connect."""
    for place, line, value in values:
        try:
            made = _clustered(value, layout)
        except ReadError as error:
            yield place, line, error
        else:
            yield place, line, made


def _clustered(value: object, layout: JsonLayout) -> Fields:
    """Return a document with clusters for a graph; return an object that is no graph unchanged.

    Raises:
        ReadError: it is not an object, or a graph without lists of mentions and links.
    """
    graph = object_of(value, (*layout.names, "type", "mentions", "links", layout.clusters))
    if graph.get("type") != "graph":
        return graph
    mentions, links = graph.get("mentions"), graph.get("links")
    if not _are_mentions(mentions) or not isinstance(links, list) or not all(map(_is_link, links)):
        raise bad("a graph without lists of mentions and of links [mention, mention]")
    clusters = {repr(mention): [mention] for mention in mentions}  # one list for all mentions of a cluster
    for a, b in links:
        one, other = (clusters.setdefault(repr(each), [each]) for each in (a, b))
        if one is not other:
            few, many = sorted((one, other), key=len)
            many += few
            clusters.update((repr(mention), many) for mention in few)
    found = Fields({name: each for name, each in graph.items() if name in layout.names})
    found[layout.clusters] = list({id(cluster): cluster for cluster in clusters.values()}.values())
    return found


def _are_mentions(value: object) -> TypeGuard[list[str | int]]:
    return isinstance(value, list) and all(isinstance(mention, str | int) for mention in value)


def _is_link(value: object) -> bool:
    return _are_mentions(value) and len(value) == 2


GROUPS: Mapping[str, Callable[[Iterable[Each], JsonLayout], Iterator[Each]]] = {
    "s2e": two_objects,
    "ucdcr": mentions_alone,
    "scorch": graphs,
}
"""Name of a layout, and the function that makes documents of the values in its files."""
