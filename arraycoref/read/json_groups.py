"""Make a value per document of JSON that has something else: a mention, a graph, or the parts of many documents."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeGuard

from arraycoref.errors import ReadError
from arraycoref.read.json_values import NOWHERE, Each, Fields, Values, refuse_twice
from arraycoref.read.parsed import quote
from arraycoref.read.shapes import Shape

OF_MENTION = ("coref_chain", "sent_id", "tokens_number")


def openings_of(values: Values) -> dict[str, str]:
    """Return how the value of each field of the first document begins; see `arraycoref.read.shapes.shape_of`."""
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


def two_objects(values: Iterable[Each], shape: Shape) -> Iterator[Each]:
    """Join the clusters of all documents with their subtokens' words: two objects of one field per document."""
    found = list(itertools.islice(values, 3))
    broken = [each for each in found if not isinstance(each[2], Fields)]
    if broken:
        yield broken[0]
        return
    line, objects = found[0][1] if found else 1, [value for _, _, value in found if isinstance(value, Fields)]
    if len(objects) != 2 or objects[0].keys() != objects[1].keys() or objects[0].twice | objects[1].twice:
        reason = "expected two objects with the same documents: their clusters, and the words of their subtokens"
        yield NOWHERE, line, ReadError("", line, f"no document has 'clusters'; {reason}")
        return
    for name, clusters in objects[0].items():
        words = objects[1][name]
        yield NOWHERE, line, Fields({shape.names[0]: name, shape.clusters: clusters, shape.word_of[0]: words})


def mentions_alone(values: Iterable[Each], shape: Shape) -> Iterator[Each]:
    """Gather the mentions of documents, and of their chains, from objects of one mention each."""
    documents: dict[str, dict[object, list[object]]] = {}
    lines: dict[str, int] = {}
    for place, line, value in values:
        if not isinstance(value, Fields):
            yield place, line, value
            continue
        if (fault := _twice(value, line, (shape.names[0], "conll_doc_key", *OF_MENTION))) is not None:
            yield place, line, fault
            continue
        name, chain = (value.get(field) for field in (shape.names[0], "coref_chain"))
        tokens, sentence = value.get("tokens_number"), value.get("sent_id")
        if not isinstance(name, str | int) or not isinstance(chain, str | int) or not isinstance(sentence, str | int):
            fields = f"{shape.names[0]}, coref_chain or sent_id"
            yield place, line, ReadError("", line, f"a mention without {fields}, each a string or a number")
        elif not isinstance(tokens, list) or not tokens or any(type(token) is not int for token in tokens):
            yield place, line, ReadError("", line, f"tokens_number is {quote(tokens)}; expected numbers of tokens")
        elif sorted(tokens) != list(range(min(tokens), max(tokens) + 1)):
            yield place, line, ReadError("", line, f"the mention of tokens {quote(tokens)} has a gap")
        else:
            mention = f"{value.get('conll_doc_key', name)} {sentence} {min(tokens)}-{max(tokens)}"
            documents.setdefault(str(name), {}).setdefault(chain, []).append(mention)
            lines.setdefault(str(name), line)
    for name, chains in documents.items():
        yield NOWHERE, lines[name], Fields({shape.names[0]: name, shape.clusters: list(chains.values())})


def graphs(values: Iterable[Each], shape: Shape) -> Iterator[Each]:
    """Make clusters of mentions and the links between them."""
    for place, line, value in values:
        looked_at = (*shape.names, "type", "mentions", "links", shape.clusters)
        if isinstance(value, Fields) and (fault := _twice(value, line, looked_at)) is not None:
            yield place, line, fault
        elif isinstance(value, Fields) and value.get("type") == "graph":
            mentions, links = value.get("mentions"), value.get("links")
            if not _are_mentions(mentions) or not isinstance(links, list) or not all(map(_is_link, links)):
                yield (
                    place,
                    line,
                    ReadError("", line, "a graph without lists of mentions and of links [mention, mention]"),
                )
                continue
            clusters = {repr(mention): [mention] for mention in mentions}  # one list for all mentions of a cluster
            for a, b in links:
                one, other = (clusters.setdefault(repr(each), [each]) for each in (a, b))
                if one is not other:
                    few, many = sorted((one, other), key=len)
                    many += few
                    clusters.update((repr(mention), many) for mention in few)
            found = Fields({name: each for name, each in value.items() if name in shape.names})
            found[shape.clusters] = list({id(cluster): cluster for cluster in clusters.values()}.values())
            yield NOWHERE, line, found
        else:
            yield place, line, value


def _twice(value: Fields, line: int, fields: Iterable[str]) -> ReadError | None:
    try:
        refuse_twice(value, fields)
    except ReadError as error:
        return ReadError("", line, error.reason)
    return None


def _are_mentions(value: object) -> TypeGuard[list[str | int]]:
    return isinstance(value, list) and all(isinstance(mention, str | int) for mention in value)


def _is_link(value: object) -> bool:
    return _are_mentions(value) and len(value) == 2


GROUPS: Mapping[str, Callable[[Iterable[Each], Shape], Iterator[Each]]] = {
    "s2e": two_objects,
    "ucdcr": mentions_alone,
    "scorch": graphs,
}
"""By the name of a shape, what makes its documents."""
