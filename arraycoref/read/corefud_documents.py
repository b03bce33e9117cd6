"""Read CorefUD files: make documents of the mentions that `arraycoref.read.corefud` finds in their sentences."""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError, first_names
from arraycoref.ragged import Ints, Ints32, bounds, bounds_of, number_by_appearance, number_rows, owners, ranges
from arraycoref.read.conllu import tree_of
from arraycoref.read.corefud import EntityReader
from arraycoref.read.corefud_items import USUAL
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.faults import ReadingOptions, collector_paused, quote
from arraycoref.read.layers import of_conllu
from arraycoref.read.mentions import BITS, Mentions, join_parts, parts_between
from arraycoref.runtime import Content, decoded, split_suffixes
from arraycoref.twin import twin

BLOCK = 1 << 20  # bytes of which the ends of lines are sought at a time
FEED = 10


def read_conllu(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read the documents of a CorefUD file.

    A document begins with a ``# newdoc`` comment. A file without any is one document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.

    Raises:
        ReadError: a fault of the sentences; or what `options.on_error` raises for a fault of the mentions.
    """
    text = bytes(data)
    if not text.isascii():
        decoded(text, path)
    with collector_paused():
        parsed, without_fields = _read(text, path, options)
    if not parsed.begins:
        options.on_error(ReadError(path, None, "no sentence; expected lines of ten columns with tabs between them"))
    if without_fields is not None:
        ids = [*dict.fromkeys(chain.from_iterable(parsed.documents.entities))]
        shown = ", ".join(map(quote, first_names(ids, 3)))
        reason = f"mentions, but no '# global.Entity'; their fields are taken to be {'-'.join(USUAL)}"
        reason += f", so that ids are {shown}"
        options.on_doubt(ReadError(path, without_fields, reason))
    return parsed


def _read(text: bytes, path: str, options: ReadingOptions) -> tuple[Parsed, int | None]:
    reader = EntityReader(path, options)
    read_text(reader, text.removeprefix(codecs.BOM_UTF8))
    return _parsed(reader, path, np.frombuffer(text, np.uint8)), reader.without_fields


@twin("corefud.read_text", each=5e-8, size=lambda _, text: len(text), compiled=False)
def read_text(reader: EntityReader, text: bytes) -> None:
    """Read the sentences of a file; mentions and words are then in the reader."""
    reader.read_text(text, 1)


def _parsed(reader: EntityReader, path: str, text: NDArray[np.uint8]) -> Parsed:
    """Lay out the documents as arrays; ``text`` is uint8 (N,) the bytes of the file."""
    documents, n = reader.documents, len(reader.documents)
    mentions, entities = _mentions(reader)
    unnamed = map(str, range(1, n + 1)) if n > 1 else [os.path.basename(split_suffixes(path)[0])]
    names = [document.name or number for document, number in zip(documents, unnamed, strict=False)]
    begins = tuple([max(document.line, 1) for document in documents])
    result = Documents(
        tuple(names),
        tuple([f"({name})" for name in names]),
        (path,) * n,
        ("word",) * n,
        np.array([document.name is not None for document in documents], np.bool_),
        entities,
        mentions,
        _text(reader, text, begins),
    )
    return Parsed(result, begins)


def _mentions(reader: EntityReader) -> tuple[Mentions, tuple[tuple[str, ...], ...]]:
    """Lay out the mentions of all documents; and list the ids of the entities of each document."""
    n_words = np.array([document.n_words for document in reader.documents], np.int64)
    before, empty = np.array(reader.empty, np.int64).reshape(-1, 2).T
    nodes = np.insert(ranges(np.ones_like(n_words), n_words) << BITS, before, empty)  # of each place in the file
    batches = [*reader.batches, _batch(reader)]
    columns = {name: np.concatenate([batch[name] for batch in batches]) for name in batches[-1]}
    parts, part_bounds = parts_between(nodes, columns.pop("first"), columns.pop("last"))
    part_bounds = part_bounds[bounds(columns.pop("n_parts"))]
    parts, part_bounds = join_parts(parts, part_bounds)  # those that a mention leaves out empty nodes between
    columns["head"] = nodes[columns["head"]]
    zeros = np.zeros(part_bounds.size - 1, np.int32)
    order = np.lexsort((columns["sentence"], columns["document"]))
    document = columns["document"][order]
    entity, entities = _numbered(document, columns["entity"][order], list(reader.number_of), n_words.size)
    mentions = Mentions(start=zeros, end=zeros, parts=parts, part_bounds=part_bounds, **columns).take(order)
    start, end = (np.maximum(node >> BITS, 1).astype(np.int32) - 1 for node in (mentions.first, mentions.last))
    return replace(mentions, document=document.astype(np.int32), start=start, end=end, entity=entity), entities


def _numbered(document: Ints, entity: Ints, ids: list[str], n: int) -> tuple[Ints32, tuple[tuple[str, ...], ...]]:
    """Number the entities of each document as they appear, and list their ids.

    Args:
        document: int64 (M,) ascending.
        entity: int64 (M,) numbers in the file.
        ids: the id of each of these.
        n: number of documents.
    """
    _, code = number_rows([document, entity])
    number, first = number_by_appearance(code, code.max(initial=-1) + 1)
    n_before = document[first].searchsorted(np.arange(n + 1))
    names = [ids[entity_id] for entity_id in entity[first].tolist()]
    entities = tuple([tuple(names[left:right]) for left, right in pairwise(n_before.tolist())])
    return (number - n_before[document]).astype(np.int32), entities


def _batch(reader: EntityReader) -> dict[str, NDArray[Any]]:
    """Return the mentions that were read one by one as a batch, see `EntityReader`."""
    of_documents = [[mention for mention in document.mentions if mention is not None] for document in reader.documents]
    mentions = list(chain.from_iterable(of_documents))
    entity, line, sentence, parts, head, upos, deps = zip(*mentions, strict=True) if mentions else ((),) * 7
    number_of = reader.number_of
    places = np.array([*chain.from_iterable(chain.from_iterable(parts))], np.int64)
    return {
        "document": owners(bounds_of(of_documents)),
        "entity": np.array([number_of.setdefault(id, len(number_of)) for id in entity], np.int64),
        "line": np.array(line, np.int64),
        "sentence": np.array(sentence, np.int64),
        "first": places[::2],
        "last": places[1::2],
        "n_parts": np.array([*map(len, parts)], np.int64),
        "head": np.array(head, np.int64),
        "upos": np.array(upos, np.int64),
        "deps": np.array(deps, object),
    }


def _text(reader: EntityReader, text: NDArray[np.uint8], begins: Sequence[int]) -> Text:
    """Return the text of all documents, whose words were joined while mentions were read."""
    feeds = [at + np.flatnonzero(text[at : at + BLOCK] == FEED) for at in range(0, text.size, BLOCK)]
    lines = np.append(0, np.concatenate([np.zeros(0, np.int64), *feeds]) + 1)
    starts = np.append(lines[np.array(begins, np.int64) - 1], text.size)
    documents = reader.documents
    forms_of = dict(zip(starts.tolist(), [document.forms for document in documents], strict=False))

    def words(first: int, _: int) -> bytes:
        return "\n".join(forms_of[first]).encode()

    def sentences(first: int, _: int) -> Sentences:
        return [forms.split("\t") for forms in forms_of[first]]

    file_text = FileText(text, sentences, "conllu", partial(tree_of, text), words, layers=partial(of_conllu, text))
    return Text(
        (file_text,) * len(documents),
        np.stack([starts[:-1], starts[1:]], axis=1),
        np.array([document.n_words for document in documents], np.int64),
        tuple([tuple(document.sent_ids) for document in documents]),
    )
