"""Read CorefUD files: make documents of the mentions that `arraycoref.read.corefud` finds in their sentences."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError, first_names
from arraycoref.ragged import bounds_of, owners, ranges
from arraycoref.read.conllu import read_sentences, tree_of
from arraycoref.read.corefud import EntityReader
from arraycoref.read.corefud_items import USUAL
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.faults import ReadingOptions, collector_paused, quote
from arraycoref.read.layers import of_conllu
from arraycoref.read.mentions import BITS, Mentions, join_parts, parts_between
from arraycoref.runtime import Content, decoded, split_suffixes

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
    reader = EntityReader(path, options)
    with collector_paused():
        for sentence in read_sentences(text.decode().removeprefix("\ufeff"), path):
            reader.read(sentence)
        parsed = _parsed(reader, path, np.frombuffer(text, np.uint8))
    if not parsed.begins:
        options.on_error(ReadError(path, None, "no sentence; expected lines of ten columns with tabs between them"))
    if reader.without_fields is not None:
        ids = [*dict.fromkeys(chain.from_iterable(parsed.documents.entities))]
        shown = ", ".join(map(quote, first_names(ids, 3)))
        reason = f"mentions, but no '# global.Entity'; their fields are taken to be {'-'.join(USUAL)}"
        reason += f", so that ids are {shown}"
        options.on_doubt(ReadError(path, reader.without_fields, reason))
    return parsed


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
    kept = [[mention for mention in document.mentions if mention is not None] for document in reader.documents]
    number_of: list[dict[str, int]] = [{} for _ in kept]  # of each entity of a document, in the order of appearance
    entity = [ids.setdefault(m.entity, len(ids)) for ids, own in zip(number_of, kept, strict=True) for m in own]
    _, line, sentence, parts, head, upos, deps = zip(*chain.from_iterable(kept), strict=True) if entity else ((),) * 7
    first, last = np.array([*chain.from_iterable(parts)], np.int64).reshape(-1, 2).T
    part_nodes, part_bounds = parts_between(nodes, first, last)
    # Parts become one where a mention leaves out empty nodes alone.
    part_nodes, part_bounds = join_parts(part_nodes, part_bounds[bounds_of(parts)])
    zeros = np.zeros(len(entity), np.int32)
    mentions = Mentions(
        owners(bounds_of(kept)).astype(np.int32),
        zeros,
        zeros,
        np.array(entity, np.int32),
        np.array(line, np.int64),
        parts=part_nodes,
        part_bounds=part_bounds,
        head=nodes[np.array(head, np.int64)],
        sentence=np.array(sentence, np.int64),
        upos=np.array(upos, np.int64),
        deps=np.array(deps, object),
    )
    start, end = (np.maximum(node >> BITS, 1).astype(np.int32) - 1 for node in (mentions.first, mentions.last))
    return replace(mentions, start=start, end=end), tuple(map(tuple, number_of))


def _text(reader: EntityReader, text: NDArray[np.uint8], begins: Sequence[int]) -> Text:
    """Return the text of all documents, whose words were joined while mentions were read."""
    lines = np.append(0, np.flatnonzero(text == FEED) + 1)
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
