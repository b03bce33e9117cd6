"""Read the documents of CorefUD files: usual sentences with NumPy, all others one by one.

`arraycoref.read.corefud_blocks` has the one reader, `arraycoref.read.corefud` the other, which makes all messages.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.kernels.byte_lines import BLOCK, FEED, Bytes, Unusual, cut, number_by_appearance
from arraycoref.ragged import Ints, bounds
from arraycoref.read.conll import find_bad_text
from arraycoref.read.conllu import FORM, read_sentences, tree_of
from arraycoref.read.corefud import USUAL, Document, EntityReader, Mention, begin_documents
from arraycoref.read.corefud_blocks import ENDS, Block, Mentions as BlockMentions
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.mentions import BITS, Mentions, parts_between
from arraycoref.read.sources import ReadingOptions, collector_paused
from arraycoref.runtime import Content, decoded, split_suffixes

OF_MENTIONS = "sentence", "line", "entity", "size", "node", "head", "upos", "deps"
"""Fields of `Mentions`."""

END = re.compile(rb"\n\r?\n")


def read_conllu(data: Content, path: str, options: ReadingOptions, by_blocks: bool = True) -> Parsed:
    """Read the documents of a CorefUD file.

    A document begins with a ``# newdoc`` comment. A file without any is one document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.
        by_blocks: whether usual sentences are read with NumPy.

    Raises:
        ReadError: a fault of the sentences; or what `options.on_error` raises for a fault of the mentions.
    """
    text = np.frombuffer(data, np.uint8)
    if find_bad_text(text) is not None:
        decoded(bytes(data), path)
        by_blocks = False
    at, n_lines = len(codecs.BOM_UTF8) if text[:3].tobytes() == codecs.BOM_UTF8 else 0, 0
    reading = Reading(path, EntityReader(path, options))
    with collector_paused():
        if by_blocks:
            at, n_lines = reading.read_blocks(text, at)
        reading.read_strictly(text[at:].tobytes(), n_lines)
        parsed = reading.parsed(text)
    if not parsed.begins:
        options.on_error(ReadError(path, None, "no sentence; expected lines of ten columns with tabs between them"))
    if reading.reader.without_fields is not None:
        reason = f"mentions, but no '# global.Entity'; their fields are taken to be {'-'.join(USUAL)}"
        options.on_doubt(ReadError(path, reading.reader.without_fields, reason))
    return parsed


class Reading:
    """What was read of a file.

    Args:
        path: its name.
        reader: reads the mentions of unusual sentences.
    """

    def __init__(self, path: str, reader: EntityReader) -> None:
        self._path, self.reader = path, reader
        self._documents: list[Document] = []
        self._number_of: dict[str, int] = {}  # of each id of an entity
        self._found: list[tuple[Ints, BlockMentions]] = []
        self._forms: list[bytes] = []  # of words, with a tab between them, and a line feed at the end of a sentence
        self._n_bytes = 0  # of these
        self._starts: list[int] = []  # of each document in these

    def read_blocks(self, text: Bytes, at: int) -> tuple[int, int]:
        """Read sentences with NumPy as far as possible; return the position up to which, and the number of lines."""
        n_lines = 0
        with contextlib.suppress(Unusual):
            while at < text.size:
                if self.reader.fields:
                    block = cut(text, at, text.size, ENDS)
                    if at + len(block) <= text.size and not block.endswith(ENDS):  # a sentence longer than a block
                        raise Unusual
                    n_read = self._read_block(block, n_lines)
                    at += len(block) - 1
                else:
                    end = END.search(text.data, at)
                    stop = end.end() if end else text.size
                    sentence = text[at:stop].tobytes()
                    self.read_strictly(sentence, n_lines)
                    n_read = sentence.count(b"\n")
                    at = stop
                n_lines += n_read
        return at, n_lines

    def read_strictly(self, text: bytes, n_lines: int) -> None:
        """Read sentences one by one; n_lines is the number of lines before them."""
        for sentence in read_sentences(text.decode("utf-8"), self._path, n_lines + 1):
            begin_documents(sentence, self._documents, self._path)
            if len(self._starts) < len(self._documents):
                self._starts.append(self._n_bytes)
            self.reader.read(sentence, self._documents[-1])
            if sentence.words:
                self._add_forms(("\t".join([columns[FORM] for columns in sentence.words]) + "\n").encode())

    def _add_forms(self, forms: bytes) -> None:
        self._forms.append(forms)
        self._n_bytes += len(forms)

    def _read_block(self, block: bytes, n_lines: int) -> int:
        """Read a block of sentences; return its number of lines."""
        found = Block(block)
        sent_ids, mentions, (forms, form_bounds) = (
            found.sent_ids(),
            found.mentions(self.reader.fields, self._number_of),
            found.forms(),
        )
        n_sentences = len(sent_ids)
        n_before = np.append(0, np.cumsum(found.n_words))
        document, number, first_node = (np.zeros(n_sentences, np.int64) for _ in range(3))
        first = 0
        for s in (*np.flatnonzero(found.is_unusual).tolist(), n_sentences):
            if s > first:
                run, here = slice(first, s), self._documents[-1]
                document[run] = len(self._documents) - 1
                number[run] = np.arange(len(here.sentences), len(here.sentences) + s - first)
                first_node[run] = here.n_words + n_before[run] - n_before[first]
                here.n_words += int(n_before[s] - n_before[first])
                here.sentences += sent_ids[run]
                self._add_forms(forms[form_bounds[first] : form_bounds[s]])
            if s < n_sentences:
                self.read_strictly(block[found.begin[s] : found.begin[s + 1]], n_lines + int(found.first_line[s]))
            first = s + 1
        of_mention, first_node = document[mentions.sentence], (first_node << BITS)[mentions.sentence]
        mentions = replace(
            mentions,
            sentence=number[mentions.sentence],
            line=mentions.line + (n_lines + 1),
            node=mentions.node + first_node.repeat(mentions.size),
            head=mentions.head + first_node,
        )
        self._found.append((of_mention, mentions))
        return found.n_lines

    def parsed(self, text: Bytes) -> Parsed:
        """Lay out the documents as arrays; ``text`` is uint8 (N,) the bytes of the file."""
        documents, n = self._documents, len(self._documents)
        kept = [[mention for mention in document.mentions if mention.node] for document in documents]
        strict = _as_arrays(list(chain.from_iterable(kept)), self._number_of)
        parts = [*self._found, (np.arange(n).repeat(np.array([len(each) for each in kept], np.int64)), strict)]
        document = np.concatenate([part for part, _ in parts])
        every: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for _, part in parts]) for name in OF_MENTIONS
        }
        order = np.lexsort((every["sentence"], document))
        document = document[order]
        offsets = document.searchsorted(np.arange(n + 1))
        size, line, of_id = (every.pop(name) for name in ("size", "line", "entity"))
        entity, ids = self._numbers(of_id[order], document, offsets)
        node_bounds = bounds(size)
        every["parts"], every["part_bounds"] = parts_between(every.pop("node"), node_bounds[:-1], node_bounds[1:] - 1)
        zeros = np.zeros(size.size, np.int32)
        mentions = Mentions(zeros, zeros, zeros, zeros, line, **every).take(order)
        start, end = (np.maximum(node >> BITS, 1).astype(np.int32) - 1 for node in (mentions.first, mentions.last))
        mentions = replace(mentions, document=document.astype(np.int32), start=start, end=end, entity=entity)
        unnamed = map(str, range(1, n + 1)) if n > 1 else [os.path.basename(split_suffixes(self._path)[0])]
        names = [each.name or number for each, number in zip(documents, unnamed, strict=False)]
        begins = tuple([max(each.line, 1) for each in documents])
        lengths = np.array([each.n_words for each in documents], np.int64)
        sent_ids = tuple([tuple(each.sentences) for each in documents])
        found = Documents(
            tuple(names),
            tuple([f"({name})" for name in names]),
            (self._path,) * n,
            ("word",) * n,
            np.array([each.name is not None for each in documents], np.bool_),
            ids,
            mentions,
            self._text(text, begins, lengths, sent_ids),
        )
        return Parsed(found, begins)

    def _numbers(
        self, entity: Ints, document: Ints, offsets: Ints
    ) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
        """Number the entities of each document as they appear: int32 (M,); and list the ids of each document.

        Args:
            entity: int64 (M,) numbers of their ids in the file.
            document: int64 (M,) documents, ascending.
            offsets: int64 (D + 1,) where those of each document begin, and their end.
        """
        key = document * len(self._number_of) + entity
        order = key.argsort(kind="stable")
        is_new = np.ones(order.size, np.bool_)
        is_new[1:] = key[order[1:]] != key[order[:-1]]
        first, every = np.sort(order[is_new]), list(self._number_of)
        ids = [every[number] for number in entity[first].tolist()]
        of_documents = tuple([tuple(ids[a:b]) for a, b in pairwise(first.searchsorted(offsets).tolist())])
        return number_by_appearance(order, is_new, document, offsets), of_documents

    def _text(self, text: Bytes, begins: Sequence[int], lengths: Ints, sent_ids: tuple[tuple[str, ...], ...]) -> Text:
        """Return the text of all documents, whose words were joined while mentions were read."""
        feeds = [at + np.flatnonzero(text[at : at + BLOCK] == FEED) for at in range(0, text.size, BLOCK)]
        lines = np.append(0, np.concatenate([np.zeros(0, np.int64), *feeds]) + 1)
        starts = np.append(lines[np.array(begins, np.int64) - 1], text.size)
        forms, ends = b"".join(self._forms), [*self._starts, self._n_bytes]
        place_of = dict(zip(starts.tolist(), pairwise(ends), strict=False))

        def words(first: int, _: int) -> bytes:
            return forms[slice(*place_of[first])]

        def sentences(first: int, stop: int) -> Sentences:
            return [line.split("\t") for line in words(first, stop).decode("utf-8").split("\n")[:-1]]

        file = FileText(text, sentences, "conllu", partial(tree_of, text), words)
        return Text((file,) * len(begins), np.stack([starts[:-1], starts[1:]], axis=1), lengths, sent_ids)


def _as_arrays(mentions: list[Mention], number_of: dict[str, int]) -> BlockMentions:
    """Lay out mentions that were read one by one; ids of entities get numbers."""
    return BlockMentions(
        np.array([mention.sentence for mention in mentions], np.int64),
        np.array([mention.line for mention in mentions], np.int64),
        np.array([number_of.setdefault(mention.entity, len(number_of)) for mention in mentions], np.int64),
        np.array([len(mention.node) for mention in mentions], np.int64),
        np.fromiter(chain.from_iterable(mention.node for mention in mentions), np.int64),
        np.array([mention.at_head[0] for mention in mentions], np.int64),
        np.array([mention.at_head[1] for mention in mentions], np.int64),
        np.array([mention.at_head[2] for mention in mentions], object),
    )
