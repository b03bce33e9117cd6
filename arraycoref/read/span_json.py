"""Read JSON of spans and relations: tasks of Label Studio, lines of doccano and of Prodigy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arraycoref.errors import ReadError
from arraycoref.read.annotated import Annotated, Link, Range, Span
from arraycoref.read.faults import ReadingOptions, quote
from arraycoref.read.json import values_of
from arraycoref.read.json_layouts import Numbered, bad
from arraycoref.read.layouts import NAMES
from arraycoref.runtime import Content, split_suffixes

NAMES_OF_TEXTS = (*NAMES[:2], "doc", "document", "file_name", "filename", "title")
"""Usual fields of the name of a document, but for an id, which is the name of one among several only."""

IN_TEXT = ("labels", "hypertextlabels", "paragraphlabels")
"""Types of results of Label Studio that are spans."""

Fields = Mapping[str, Any]


def read_spans(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the documents of a file.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it; its format is the tool's name.

    Raises:
        ReadError: what `options.on_error` raises.
    """
    return documents_of(values_of(data), path, options)


def documents_of(values: Iterable[Numbered], path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the documents of JSON values, each a text with its spans and relations."""
    documents: list[Annotated] = []
    ids: list[str] = []
    for line, value in values:
        try:
            if isinstance(value, ReadError):
                raise value
            if not isinstance(value, dict):
                raise bad(f"expected a JSON object, not {quote(value)}")
            name, id = _names(value, options)
            for document in TOOLS[options.format or ""](value, path, line, options):
                document.name, document.named = name, bool(name)
                documents.append(document)
                ids.append(id)
        except ReadError as error:
            options.on_error(ReadError(path, error.line or line, error.reason, error.option))
    is_one = len({document.name or id for document, id in zip(documents, ids, strict=True)}) < 2
    for document, id in zip(documents, ids, strict=True):
        if not document.named:
            document.name = os.path.basename(split_suffixes(path)[0]) if is_one else id or str(document.line)
            document.named = bool(id) and not is_one
    return documents


def _names(value: Fields, options: ReadingOptions) -> tuple[str, str]:
    """Return the name of a document, and an id where it has no name; either may be empty."""
    fields = [value, *(each for each in (value.get("data"), value.get("meta")) if isinstance(each, dict))]
    wanted = NAMES_OF_TEXTS if options.name_field is None else (options.name_field,)
    names = [each[name] for name in wanted for each in fields if isinstance(each.get(name), str | int)]
    ids = [value[name] for name in ("id", "_input_hash") if isinstance(value.get(name), str | int)]
    return str(next(iter(names), "")), str(next(iter(ids), ""))


def _range(value: Fields, first: str, last: str, inclusive: bool = False) -> Range:
    """Return the range that two fields give.

    Raises:
        ReadError: they are no whole numbers.
    """
    begin, end = value.get(first), value.get(last)
    if type(begin) is not int or type(end) is not int:
        raise bad(f"{first} and {last} of a span are {quote(begin)} and {quote(end)}; expected whole numbers")
    limit = 1 << 40
    return min(begin, limit), min(end, limit) + inclusive


def _objects(value: object, what: str) -> list[Fields]:
    """Return the objects in a list; none for null.

    Raises:
        ReadError: it is no list of objects.
    """
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise bad(f"{what} is {quote(value)}; expected a list of objects")
    return value


def _link(document: Annotated, place: Mapping[object, int], ends: tuple[object, object], kind: object) -> None:
    """Add a relation.

    Raises:
        ReadError: it joins what is no span.
    """
    if not all(isinstance(end, str | int | tuple) and end in place for end in ends):
        raise bad(f"a relation of {quote(ends[0])} and {quote(ends[1])}, of which one is no span of this document")
    name = kind if isinstance(kind, str) else ""
    document.links.append(Link(place[ends[0]], place[ends[1]], name, name))


def _label_studio(value: Fields, path: str, line: int, options: ReadingOptions) -> list[Annotated]:
    """Return a document for each annotator of a task; for a response that of predictions, if it has any."""
    data = value.get("data")
    texts = {name: each for name, each in data.items() if isinstance(each, str)} if isinstance(data, dict) else {}
    text = texts.get("text") if "text" in texts or len(texts) != 1 else next(iter(texts.values()))
    if text is None:
        raise bad(f"no text among the fields {quote(', '.join(texts))} of data; expected a field text")
    by_people = [each for each in _objects(value.get("annotations"), "annotations") if not each.get("was_cancelled")]
    by_models = _objects(value.get("predictions"), "predictions")
    if options.annotator is None and by_people and by_models:
        by_people, by_models = (by_people, []) if options.side == "key" else ([], by_models)
    documents = []
    for each in (*by_people, *by_models):
        person = each.get("completed_by", each.get("model_version", ""))
        person = (
            person.get("email") or person.get("username") or person.get("id") if isinstance(person, dict) else person
        )
        document = Annotated(path, "", line=line, annotator=str(person or ""), text=text, unit="")
        results = _objects(each.get("result"), "result")
        place: dict[object, int] = {}
        for result in results:
            of = result.get("value")
            if result.get("type") in IN_TEXT and isinstance(of, dict):
                labels = of.get(str(result["type"]))
                kind = str(labels[0]) if isinstance(labels, list) and labels else ""
                place[result.get("id")] = len(document.spans)
                own = of.get("text")
                own = own if isinstance(own, str) else None
                document.spans.append(Span([_range(of, "start", "end")], str(result.get("id")), kind, line, own))
        for result in results:
            if result.get("type") == "relation":
                labels = result.get("labels")
                kind = labels[0] if isinstance(labels, list) and labels else ""
                _link(document, place, (result.get("from_id"), result.get("to_id")), kind)
        documents.append(document)
    return documents


def _doccano(value: Fields, path: str, line: int, options: ReadingOptions) -> list[Annotated]:
    """Return the document of a line of doccano."""
    text = value.get("text")
    if not isinstance(text, str):
        raise bad(f"text is {quote(text)}; expected a string")
    document = Annotated(path, "", line=line, text=text, unit="utf-16")
    place: dict[object, int] = {}
    for each in _objects(value.get("entities"), "entities"):
        place[each.get("id")] = len(document.spans)
        span = _range(each, "start_offset", "end_offset")
        document.spans.append(Span([span], str(each.get("id")), str(each.get("label", "")), line))
    for each in _objects(value.get("relations"), "relations"):
        _link(document, place, (each.get("from_id"), each.get("to_id")), each.get("type"))
    return [document]


def _prodigy(value: Fields, path: str, line: int, options: ReadingOptions) -> list[Annotated]:
    """Return the document of a line of Prodigy, in words; none if it was not accepted."""
    if value.get("answer", "accept") != "accept":
        return []
    tokens = _objects(value.get("tokens"), "tokens")
    annotator = str(value.get("_annotator_id") or value.get("_session_id") or "")
    document = Annotated(
        path, "", line=line, annotator=annotator, words=[[str(each.get("text", "")) for each in tokens]]
    )
    place: dict[object, int] = {}

    def at(span: object, word: object = None) -> Range:
        """Return the words of a span, or of the end of a relation that is a word alone; add it if it is new."""
        if isinstance(span, dict):
            words, kind = _range(span, "token_start", "token_end", inclusive=True), str(span.get("label") or "")
        else:
            words, kind = _range({"head": word, "child": word}, "head", "child", inclusive=True), ""
        if words not in place:
            place[words] = len(document.spans)
            document.spans.append(Span([words], f"{words[0]}-{words[1] - 1}", kind, line))
        return words

    for each in _objects(value.get("spans"), "spans"):
        at(each)
    for each in _objects(value.get("relations"), "relations"):
        ends = at(each.get("head_span"), each.get("head")), at(each.get("child_span"), each.get("child"))
        _link(document, place, ends, each.get("label"))
    return [document]


TOOLS: Mapping[str, Callable[[Fields, str, int, ReadingOptions], list[Annotated]]] = {
    "label-studio": _label_studio,
    "doccano": _doccano,
    "prodigy": _prodigy,
}
"""Name of a format, and the function that makes documents of an object of its files."""
