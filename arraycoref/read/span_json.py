"""Read JSON of spans and relations: tasks of Label Studio, lines of doccano and of Prodigy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from arraycoref.exceptions import ReadError
from arraycoref.ragged import bounds_of
from arraycoref.read.annotation import Annotated, Link, Range, Span
from arraycoref.read.json import values_of
from arraycoref.read.json_layouts import Numbered, bad
from arraycoref.read.layouts import NAMES
from arraycoref.read.problems import ReadingOptions, quote
from arraycoref.runtime import Content, split_suffixes

NAMES_OF_TEXTS = (*NAMES[:2], "doc", "document", "file_name", "filename", "title")
"""Usual fields of the name of a document, but for an id, which is the name of one among several only."""

IN_TEXT = ("labels", "hypertextlabels", "paragraphlabels")
"""Types of results of Label Studio that are spans."""

JsonObject = Mapping[str, Any]


def read_spans(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the documents of a file.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it; its format is the tool's name.

    Raises:
        ReadError: an error, where reading is strict.
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
            for document in READERS[options.format or ""](value, path, line, options):
                document.name, document.named = name, bool(name)
                documents.append(document)
                ids.append(id)
        except ReadError as error:
            options.problems.error(path, error.line or line, error.reason, error.option)
    is_one = len({document.name or id for document, id in zip(documents, ids, strict=True)}) < 2
    for document, id in zip(documents, ids, strict=True):
        if not document.named:
            document.name = os.path.basename(split_suffixes(path)[0]) if is_one else id or str(document.line)
            document.named = bool(id) and not is_one
    return documents


def _names(value: JsonObject, options: ReadingOptions) -> tuple[str, str]:
    """Return the name of a document, and an id where it has no name; either may be empty."""
    fields = [value, *(each for each in (value.get("data"), value.get("meta")) if isinstance(each, dict))]
    wanted = NAMES_OF_TEXTS if options.name_field is None else (options.name_field,)
    names = [each[name] for name in wanted for each in fields if isinstance(each.get(name), str | int)]
    ids = [value[name] for name in ("id", "_input_hash") if isinstance(value.get(name), str | int)]
    return str(next(iter(names), "")), str(next(iter(ids), ""))


def _range(value: JsonObject, first: str, last: str, inclusive: bool = False) -> Range:
    """Return the range that two fields give.

    Raises:
        ReadError: they are not whole numbers.
    """
    begin, end = value.get(first), value.get(last)
    if type(begin) is not int or type(end) is not int:
        raise bad(f"{first} and {last} of a span are {quote(begin)} and {quote(end)}; expected whole numbers")
    limit = 1 << 40
    return min(begin, limit), min(end, limit) + inclusive


def _objects(value: object, what: str) -> list[JsonObject]:
    """Return the objects in a list; none for null.

    Raises:
        ReadError: it is not a list of objects.
    """
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise bad(f"{what} is {quote(value)}; expected a list of objects")
    return value


def _id(value: JsonObject, name: str) -> str:
    """Return an id as a text; none for null.

    Raises:
        ReadError: it is a list or an object.
    """
    id = value.get(name)
    if id is not None and not isinstance(id, str | int | float):
        raise bad(f"{name} is {quote(id)}; expected a text or a number")
    return "" if id is None else str(id)


def _link(ends: tuple[str, str], kind: object, line: int) -> Link:
    """Return a relation between the spans of two ids."""
    name = kind if isinstance(kind, str) else ""
    return Link(ends, name, name, line)


def _text_of(data: object) -> tuple[str, list[int]]:
    """Return the text of a task of Label Studio, and where each turn of a dialogue begins; nothing for one text.

    It is the field ``text``, or the only one of turns, or else of text.

    Raises:
        ReadError: no such field, or several.
    """
    fields = data if isinstance(data, dict) else {}
    turns: dict[str, list[str]] = {}
    for name, field in fields.items():
        listed = field if isinstance(field, list) else []
        spoken = [turn["text"] for turn in listed if isinstance(turn, dict) and isinstance(turn.get("text"), str)]
        turns |= {name: spoken} if spoken and len(spoken) == len(listed) else {}
    texts = [name for name, each in fields.items() if isinstance(each, str)]
    chosen = next((names[0] for names in (["text"] * ("text" in texts), [*turns], texts) if len(names) == 1), None)
    if chosen is None:
        shown = quote(", ".join(texts or fields))
        raise bad(f"no text among the fields {shown} of data; expected a field text, or a list of turns with one each")
    if chosen not in turns:
        return fields[chosen], []
    return "\n".join(turns[chosen]), (bounds_of(turns[chosen])[:-1] + np.arange(len(turns[chosen]))).tolist()


def _label_studio(value: JsonObject, path: str, line: int, options: ReadingOptions) -> list[Annotated]:
    """Return a document for each annotator of a task; for a response that of predictions, if it has any."""
    text, turns = _text_of(value.get("data"))
    by_people = [each for each in _objects(value.get("annotations"), "annotations") if not each.get("was_cancelled")]
    by_models = _objects(value.get("predictions"), "predictions")
    if options.annotator is None and by_people and by_models:
        by_people, by_models = ([], by_models) if options.side == "response" else (by_people, [])
    documents = []
    for each in (*by_people, *by_models):
        person = each.get("completed_by", each.get("model_version", ""))
        if isinstance(person, dict):
            person = person.get("email") or person.get("username") or person.get("id")
        document = Annotated(path, "", line=line, annotator=str(person or ""), text=text, unit="")
        for result in _objects(each.get("result"), "result"):
            kind, of, labels = result.get("type"), result.get("value"), result.get("labels")
            if kind in IN_TEXT and isinstance(of, dict):
                labels, own = of.get(kind), of.get("text")
                label = str(labels[0]) if isinstance(labels, list) and labels else ""
                place = _in_turns(of, turns) if turns else _range(of, "start", "end")
                own = own if isinstance(own, str) else None
                document.spans.append(Span([place], _id(result, "id"), label, line, own))
            elif kind == "relation":
                label = labels[0] if isinstance(labels, list) and labels else ""
                document.links.append(_link((_id(result, "from_id"), _id(result, "to_id")), label, line))
            else:
                document.leave_out(line, "results", str(kind))
        documents.append(document)
    return documents


def _in_turns(value: JsonObject, turns: list[int]) -> Range:
    """Return the range of a span of a dialogue, which begins and ends in turns.

    Raises:
        ReadError: turns that are not there, or no whole numbers.
    """
    ends = []
    for name in ("start", "end"):
        turn = str(value.get(name))
        if not turn.isdecimal() or int(turn) >= len(turns):
            raise bad(f"{name} of a span is {quote(value.get(name))}; expected one of {len(turns):,} turns, from 0")
        ends.append(turns[int(turn)])
    begin, end = _range(value, "startOffset", "endOffset")
    return ends[0] + begin, ends[1] + end


def _doccano(value: JsonObject, path: str, line: int, options: ReadingOptions) -> list[Annotated]:
    """Return the document of a line of doccano."""
    text = value.get("text")
    if not isinstance(text, str):
        raise bad(f"text is {quote(text)}; expected a string")
    document = Annotated(path, "", line=line, text=text, unit="utf-16")
    for each in _objects(value.get("entities"), "entities"):
        span = _range(each, "start_offset", "end_offset")
        document.spans.append(Span([span], _id(each, "id"), str(each.get("label", "")), line))
    for each in _objects(value.get("relations"), "relations"):
        document.links.append(_link((_id(each, "from_id"), _id(each, "to_id")), each.get("type"), line))
    return [document]


def _prodigy(value: JsonObject, path: str, line: int, options: ReadingOptions) -> list[Annotated]:
    """Return the document of a line of Prodigy, in words; none if it was not accepted."""
    if value.get("answer", "accept") != "accept":
        return []
    tokens = _objects(value.get("tokens"), "tokens")
    annotator = str(value.get("_annotator_id") or value.get("_session_id") or "")
    words = [[str(each.get("text", "")) for each in tokens]]
    document = Annotated(path, "", line=line, annotator=annotator, words=words)
    spans: dict[Range, Span] = {}

    def at(span: object, word: object = None) -> str:
        """Return the id of a span, or of the end of a relation that is a word alone; add it if it is new."""
        if isinstance(span, dict):
            words, kind = _range(span, "token_start", "token_end", inclusive=True), str(span.get("label") or "")
        else:
            words, kind = _range({"head": word, "child": word}, "head", "child", inclusive=True), ""
        return spans.setdefault(words, Span([words], f"{words[0]}-{words[1] - 1}", kind, line)).id

    for each in _objects(value.get("spans"), "spans"):
        at(each)
    for each in _objects(value.get("relations"), "relations"):
        ends = at(each.get("head_span"), each.get("head")), at(each.get("child_span"), each.get("child"))
        document.links.append(_link(ends, each.get("label"), line))
    document.spans += spans.values()
    return [document]


READERS: Mapping[str, Callable[[JsonObject, str, int, ReadingOptions], list[Annotated]]] = {
    "label-studio": _label_studio,
    "doccano": _doccano,
    "prodigy": _prodigy,
}
"""Name of a format, and the function that makes documents of an object of its files."""
