"""Hold the documents of one side as they were read, before the sides are matched: names, mentions, text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from arraycoref.display.tables import plural, written_name
from arraycoref.exceptions import InputError, ReadError, UnknownNameError, first_names
from arraycoref.ragged import Bools, Ints, Ints32, bounds_of, owners, ranges
from arraycoref.read.layers import Cells, Layers, tree_of
from arraycoref.read.mentions import AT_START, BITS, EMPTY, Mentions, join_mentions, join_parts
from arraycoref.read.problems import quote
from arraycoref.read.relations import Relations
from arraycoref.runtime import split_suffixes

Sentences = list[list[str]]
"""The words of each sentence."""

BOM = "\ufeff"
"""The mark of the order of bytes, which some files have within their text: it counts as a space, not as a word."""

_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
PIECE = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+|\S")
"""Matches a piece of a text: a run of letters and digits; or another character, or one of scripts without spaces."""

TEXTS = ("names", "headers", "files", "units")
"""Fields of `Documents` with a string per document, which is empty for an empty document."""


@dataclass(eq=False)
class Text:
    """The text of a document. Readers have their own kinds, whose words are made when they are asked for.

    Attributes:
        own: the words of each sentence; None where the file has no text.
        n_tokens: how many tokens the file says that the document has; -1 where it does not say that.
        are_windows: whether the sentences are windows of a text, which overlap.
        said: what the file says of the words; None for nothing.
        sent_ids: the ``sent_id`` of each sentence, empty where it has none; nothing for files without trees.
    """

    own: Sentences | None = None
    n_tokens: int = -1
    are_windows: bool = False
    said: Layers | None = None
    sent_ids: tuple[str, ...] = ()

    @property
    def has_words(self) -> bool:
        """Whether the file has the words."""
        return self.own is not None

    @property
    def has_tree(self) -> bool:
        """Whether the file is one with trees."""
        return self.said is not None and "head" in self.said.columns

    def sentences(self) -> Sentences | None:
        """Return the words of each sentence; None where the file has no text."""
        return self.own

    def words(self) -> list[str] | None:
        """Return the words; None where the file has no text."""
        sentences = self.sentences()
        return None if sentences is None else list(chain.from_iterable(sentences))

    def layers(self) -> Layers:
        """Return the words, if there are any, with all that the file says of them."""
        return self.said or Layers(self.sentences() or [])

    def cells(self, name: str) -> Cells:
        """Return a column of `arraycoref.read.layers.COLUMNS`, a cell for each word; empty if it says nothing."""
        return [] if self.said is None else self.said.columns.get(name, [])

    def types(self) -> Mapping[str, str]:
        """Return the types of entities by their ids in the file."""
        return {}

    def tree(self) -> Ints | None:
        """Return the parent of each word, int64 (W,) from 1 and 0 for none; None without trees."""
        return None if self.said is None else tree_of(self.said.columns.get("head", ()))

    def looks_like(self, other: Text) -> bool:
        """Whether the words are surely those of another text, without making them."""
        return self is other


@dataclass(frozen=True)
class Document:
    """A document of `Documents`, in Python's own types.

    Attributes:
        name: its name; see `Documents`.
        clusters: the mentions of each entity, (first, last) word from 0, inclusive. A mention with a gap or with empty
            nodes is a tuple of such parts; ``"3.1"`` is the first empty node after three words of the document,
            ``"3.0.1"`` one before the first word of the sentence after these.
        sentences: the words of each sentence; None if the file has none.
        unit: what the numbers of mentions count; see `Documents`.
        file: the file that it came from.
    """

    name: str
    clusters: list[list[tuple[Any, ...]]]
    sentences: Sentences | None
    unit: str
    file: str

    @property
    def words(self) -> list[str] | None:
        """The words; None if the file has none."""
        return None if self.sentences is None else list(chain.from_iterable(self.sentences))


@dataclass(frozen=True, eq=False, repr=False)
class Documents:
    """The D documents of one side (key or response), with their mentions and their text.

    It is a sequence of documents, which ``documents[name]`` finds by their names too.

        >>> from pathlib import Path
        >>> from arraycoref.read import read_documents
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "sentences": [["We", "met"]], "clusters": [[[0, 0]]]}')
        >>> for document in read_documents("key.jsonl"):
        ...     print(document.name, document.words, document.clusters)
        a ['We', 'met'] [[(0, 0)]]

    Attributes:
        names: (D,) unique document names. A CoNLL header ``(x); part 003`` gives ``x_3``, as neural systems write
            ``doc_key``; a header without a part gives ``x``.
        headers: (D,) what followed ``#begin document`` in the file, or the name in parentheses for other formats.
        files: (D,) the file that each document came from, as the user named it.
        units: (D,) what the mentions' numbers count: ``word``, ``subtoken``, ``character`` or ``mention``. A document
            of ``mention`` has values instead of spans: start and end are the number of the value among the document's
            words. An empty string fits any unit.
        named: bool (D,) whether the file names the document. If not, its name is its number in the file, or the file's
            name if it is the only document there.
        entities: (D,) the id of each entity in the file; nothing where none are kept: only CoNLL-U and the files of
            annotation tools have them. An entity without an id has that of its first mention.
        mentions: the mentions of all documents.
        text: (D,) the text of each document.
        columns: names of the columns that hold a mention, if the documents are from a table; otherwise empty.
        holds_predictions: whether a file has the field of predictions that its layout of JSON has beside that of the
            key's clusters; None for other layouts, and where the user named the field.
        sources: other files from which these documents were made.
        linked: of annotation tools, the types of spans that links join; None for other formats.
        unlinked: (D,) the spans of other types, each an entity alone, which are mentions only if those of a side that
            is compared are; None for a document without such spans. Empty for other formats.
        relations: (D,) what each file says beside identity; None for a document whose file cannot say it. Empty where
            no file can, or where it was not asked for (``keep_relations``).
    """

    names: tuple[str, ...]
    headers: tuple[str, ...]
    files: tuple[str, ...]
    units: tuple[str, ...]
    named: Bools
    entities: tuple[tuple[str, ...], ...]
    mentions: Mentions
    text: tuple[Text, ...]
    columns: tuple[str, ...] = ()
    holds_predictions: bool | None = None
    sources: tuple[str, ...] = ()
    linked: frozenset[str] | None = None
    unlinked: tuple[Mentions | None, ...] = ()
    relations: tuple[Relations | None, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Document]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, item: int | str) -> Document:
        """Return a document, by its position or name.

        Raises:
            UnknownNameError: no document has the name.
        """
        if isinstance(item, str):
            if item not in self.names:
                raise UnknownNameError("document", item, first_names(self.names))
            item = self.names.index(item)
        d = range(len(self))[item]
        start, end, entity = self.mentions_of(d)
        clusters: dict[int, list[tuple[Any, ...]]] = {who: [] for who in range(int(entity.max(initial=-1)) + 1)}
        is_span = self.mentions.are_spans[self.rows(d)].tolist()
        rows = zip(start.tolist(), end.tolist(), entity.tolist(), is_span, strict=True)
        for m, (first, last, who, simple) in enumerate(rows, int(self.offsets[d])):
            parts = self.mentions.parts_of(m).tolist() if not simple else ()
            clusters[who].append((first, last) if simple else tuple((_named(a), _named(b)) for a, b in parts))
        sentences = self.text[d].sentences()
        return Document(self.names[d], list(clusters.values()), sentences, self.units[d], self.files[d])

    def __repr__(self) -> str:
        files = ", ".join(first_names(tuple(dict.fromkeys(self.files)), 3))
        return f"<{plural(len(self), 'document')}, {plural(len(self.mentions), 'mention')}, from {files}>"

    def shown(self, d: int) -> str:
        """Return the name of a document as its file writes it, for messages: quoted, ``'(x); part 003'``."""
        return repr(written_name(self.headers[d]) or self.names[d])

    @cached_property
    def offsets(self) -> Ints:
        """Int64 (D+1,): document d owns the mentions ``offsets[d]:offsets[d + 1]``."""
        return self.mentions.document.searchsorted(np.arange(len(self) + 1))

    def rows(self, d: int) -> slice:
        """Return where the mentions of a document are among those of all."""
        return slice(*self.offsets[d : d + 2].tolist())

    @property
    def have_trees(self) -> bool:
        """Whether each document is from a file with trees."""
        return all(text.has_tree for text in self.text)

    @cached_property
    def lengths(self) -> Ints:
        """Number of tokens, int64 (D,), where the file gives it; otherwise -1."""
        return np.array([text.n_tokens for text in self.text], np.int64)

    @cached_property
    def n_tokens(self) -> Ints:
        """Number of tokens, int64 (D,), where the file gives it; otherwise as many as the document's mentions need."""
        n_tokens = self.lengths.copy()
        unknown = n_tokens < 0
        n_tokens[unknown] = 0
        needed = unknown[self.mentions.document]
        np.maximum.at(n_tokens, self.mentions.document[needed], self.mentions.end[needed].astype(np.int64) + 1)
        return n_tokens

    def with_types(self) -> Documents:
        """Return the documents with the types of entities as labels of their mentions, where the files have types."""
        if self.mentions.label is not None:
            return self
        label = np.full(len(self.mentions), None, object)
        for d, ids in enumerate(self.entities):
            if ids and (types := self.text[d].types()):
                entity = self.mentions.entity[self.rows(d)]
                label[self.rows(d)] = np.array([types.get(name) for name in ids], object)[entity]
        return replace(self, mentions=replace(self.mentions, label=label))

    def types_of(self, d: int) -> dict[int, list[str | None]]:
        """Return the types of the mentions of each entity of a document, by its number; nothing if none has a type."""
        rows, types = self.rows(d), dict[int, list[str | None]]()
        labels = [] if self.mentions.label is None else self.mentions.label[rows].tolist()
        for who, label in zip(self.mentions.entity[rows].tolist() if any(labels) else (), labels, strict=False):
            types.setdefault(who, []).append(label)
        return types

    def mentions_of(self, d: int) -> tuple[Ints32, Ints32, Ints32]:
        """Return first token, last token and entity of each mention of a document."""
        rows = self.rows(d)
        return self.mentions.start[rows], self.mentions.end[rows], self.mentions.entity[rows]


def _named(node: int) -> int | str:
    """Return a word, from 0, or the name of an empty node; see `Document`."""
    word, n = node >> BITS, node & EMPTY
    return f"{word}.{'0.' if n & AT_START else ''}{n & ~AT_START}" if n else word - 1


def make_documents(
    path: str, names: Sequence[str | None], mentions: Mentions, text: Sequence[Text], unit: str = "word", **others: Any
) -> Documents:
    """Return the D documents of one file.

    Args:
        path: its name.
        names: the name of each document; None where the file does not name it.
        mentions: their mentions.
        text: their texts.
        unit: what the numbers of mentions count, see `Documents`.
        **others: other fields of `Documents`, and those that are not as usual. ``relations`` number the mentions.
    """
    n, stem = len(names), PurePath(split_suffixes(path)[0]).name
    shown = tuple([(str(d + 1) if n > 1 else stem) if name is None else name for d, name in enumerate(names)])
    usual: dict[str, Any] = {"headers": tuple([f"({name})" for name in shown]), "units": (unit,) * n}
    usual |= {"entities": ((),) * n, "named": np.array([name is not None for name in names], np.bool_)}
    if "relations" in others:
        offsets = mentions.document.searchsorted(np.arange(n))
        mentions = replace(mentions, number=np.arange(len(mentions)) - offsets[mentions.document])
    return Documents(shown, files=(path,) * n, mentions=mentions, text=tuple(text), **(usual | others))


@dataclass(frozen=True, eq=False)
class Parsed:
    """What a reader returns for one file.

    Attributes:
        documents: its documents.
        begins: (D,) the line on which each begins.
        clusters_field: in JSON, the field of the clusters; all files of a side must have the same.
        bare_numbers: in CoNLL, how many numbers without a bracket were skipped, and line and value of the first.
    """

    documents: Documents
    begins: tuple[int, ...]
    clusters_field: str | None = None
    bare_numbers: tuple[int, int, str] | None = None


def repeated_mention(side: Documents, first: int, second: int) -> ReadError:
    """Return the error for two occurrences of one mention; its line is that of the second.

    Where files give texts of mentions and ids of entities, it has these too.
    """
    mentions = side.mentions
    d, start, line = int(mentions.document[first]), int(mentions.start[first]), int(mentions.line[second])
    is_in_two = mentions.entity[first] != mentions.entity[second]
    where = "two entities" if is_in_two else "one entity twice"
    what = "characters" if side.units[d] == "character" else "tokens"
    mention = f"of {what} {start}-{mentions.end[first]}"
    if side.units[d] == "mention":
        mention = (side.text[d].words() or [])[start]
    if mentions.text is not None and side.entities[d]:
        mention = f"{quote(mentions.text[first])} {mention}"
        names = [quote(side.entities[d][mentions.entity[m]]) for m in (first, second)]
        where = f"two entities, {names[0]} and {names[1]}" if is_in_two else f"entity {names[0]} twice"
    also = f", also on line {mentions.line[first]}" if line else ""
    reason = f"document {side.shown(d)}: the mention {mention} is in {where}{also}"
    return ReadError(side.files[d], line or None, reason)


def take(documents: Documents, indices: Sequence[int] | Ints) -> Documents:
    """Select documents, in the order of the indices.

    Args:
        documents: D documents.
        indices: int (E,) in 0..D-1, or -1 for an empty document, whose name, header and file are empty.

    Returns:
        E documents; `documents` itself where the indices are 0..D-1 in order.
    """
    wanted = np.asarray(indices, np.int64).reshape(-1)
    if np.array_equal(wanted, np.arange(len(documents))):
        return documents
    lengths = np.append(np.diff(documents.offsets), 0)[wanted]  # -1 takes the last one, 0
    mentions = documents.mentions.take(ranges(documents.offsets[wanted], lengths))
    changed: dict[str, Any] = {}
    absent_values = {**dict.fromkeys(TEXTS, ""), "entities": (), "text": Text()}
    absent_values |= {name: None for name in ("unlinked", "relations") if getattr(documents, name)}
    for name, absent in absent_values.items():
        values = (*getattr(documents, name), absent)
        changed[name] = tuple([values[d] for d in wanted.tolist()])
    return replace(
        documents,
        named=np.append(documents.named, True)[wanted],
        mentions=replace(mentions, document=np.arange(wanted.size, dtype=np.int32).repeat(lengths)),
        **changed,
    )


def with_reference(documents: Documents) -> Documents:
    """Return documents without the mentions of entities that refer to nothing."""
    kept = np.ones(len(documents.mentions), np.bool_)
    for d, relations in enumerate(documents.relations):
        if relations is not None:
            rows = documents.rows(d)
            kept[rows] = ~np.isin(documents.mentions.entity[rows], relations.pseudo)
    return documents if kept.all() else replace(documents, mentions=documents.mentions.take(np.flatnonzero(kept)))


def join_documents(batches: Sequence[Documents]) -> Documents:
    """Join the documents of one or more batches into one batch, in order."""
    before = bounds_of(batches).astype(np.int32)
    pairs = zip(batches, before[:-1], strict=True)
    mentions = [replace(batch.mentions, document=batch.mentions.document + n) for batch, n in pairs]
    linked = {batch.linked for batch in batches}
    texts_and_ids = (*TEXTS, "entities", "text", *(["unlinked"] if len(linked) == 1 else []))
    every = {name: tuple(chain.from_iterable(getattr(batch, name) for batch in batches)) for name in texts_and_ids}
    named = np.concatenate([batch.named for batch in batches])
    relations = tuple(chain.from_iterable(batch.relations or (None,) * len(batch) for batch in batches))
    hold = {batch.holds_predictions for batch in batches}
    return Documents(
        **every,
        named=named,
        mentions=join_mentions(mentions),
        columns=batches[0].columns,
        holds_predictions=True if True in hold else None if None in hold else False,
        linked=batches[0].linked if len(linked) == 1 else None,
        relations=relations if any(relations) else (),
    )


class WordsAt(NamedTuple):
    """Which words the characters of a text are; spaces belong to none.

    Attributes:
        before: int64 (C+1,) how many characters before each of C are not spaces.
        word: int64 (S,) the word of each character that is not a space.
        begins: bool (S+1,) whether a word begins there, or all end.
    """

    before: Ints
    word: Ints
    begins: Bools

    def spans(self, first: Ints | Ints32, last: Ints | Ints32) -> tuple[Ints, Ints, Bools]:
        """Return first and last word of spans of characters, (N,) each, and whether they begin or end within a word.

        Raises:
            InputError: a span of spaces.
        """
        low, high = self.before[first], self.before[last.astype(np.int64) + 1] - 1
        if (low > high).any():
            at = int((low > high).argmax())
            raise InputError(f"the mention of characters {first[at]}-{last[at]} has only spaces; expected a text")
        return self.word[low], self.word[high], ~(self.begins[low] & self.begins[high + 1])


def words_at(characters: Sequence[str], words: Iterable[str]) -> WordsAt:
    """Say which words the characters of a text are, where both have the same ones but for spaces.

    >>> words_at("a bc.", ["a", "bc", "."]).spans(np.array([0, 2]), np.array([1, 2]))
    (array([0, 1]), array([0, 1]), array([False,  True]))
    """
    lengths = [len(without_blanks([word])) for word in words]
    word = np.arange(len(lengths)).repeat(lengths)
    before = np.cumsum([0, *(not (character.isspace() or character == BOM) for character in characters)])
    return WordsAt(before, word, np.diff(word, prepend=-1, append=len(lengths)) > 0)


def without_blanks(words: Iterable[str]) -> str:
    """Return the characters of some words, or of a text, without spaces."""
    return "".join("".join(words).replace(BOM, "").split())


def pieces_of(characters: Sequence[str]) -> Sentences:
    """Return the pieces of a text, see `PIECE`: each line with some is a sentence."""
    return [pieces for line in "".join(characters).replace(BOM, " ").split("\n") if (pieces := PIECE.findall(line))]


def words_of(characters: Sequence[str]) -> Sentences:
    """Return the words between spaces of a text: each line with some is a sentence."""
    return [words for line in "".join(characters).replace(BOM, " ").split("\n") if (words := line.split())]


def in_words(documents: Documents, chosen: dict[int, Sentences]) -> tuple[Documents, list[tuple[int, int, int]]]:
    """Return documents with spans of words instead of spans of characters.

    Args:
        documents: D documents.
        chosen: the sentences of each document to change; their words have the characters of its text.

    Returns:
        The documents; and document, first and last character of the mentions that begin or end within a word, which
        become spans of these words.

    Raises:
        InputError: a mention of spaces.
    """
    if not chosen:
        return documents, []
    mentions, units, texts = documents.mentions, list(documents.units), list(documents.text)
    start, end = mentions.start.copy(), mentions.end.copy()
    parts, part_bounds, within = mentions.parts, mentions.part_bounds, np.zeros(len(mentions), np.bool_)
    parts = None if parts is None else parts.copy()
    for d, sentences in chosen.items():
        words = list(chain.from_iterable(sentences))
        at, rows = words_at(documents.text[d].words() or [], words), documents.rows(d)
        try:
            if parts is not None:
                own = part_bounds[rows.start : rows.stop + 1]
                nodes = parts[own[0] : own[-1]]
                first, last, are_within = at.spans(*((nodes >> BITS) - 1).T)
                nodes[:] = np.stack([first, last], axis=1) + 1 << BITS
                within[rows.start + owners(own - own[0])[are_within]] = True
            first, last, are_within = at.spans(start[rows], end[rows])
        except InputError as error:
            raise InputError(f"{documents.files[d]}: document {documents.shown(d)}: {error}") from None
        start[rows], end[rows] = first, last
        within[rows] |= are_within
        units[d], texts[d] = "word", Text(sentences, len(words) or -1)
    if parts is not None:  # two parts of characters may be of one word
        parts, part_bounds = join_parts(parts, part_bounds)
    columns = (mentions.document, mentions.start, mentions.end)
    odd = zip(*(column[within].tolist() for column in columns), strict=True)
    mentions = replace(mentions, start=start, end=end, parts=parts, part_bounds=part_bounds)
    return replace(documents, units=tuple(units), mentions=mentions, text=tuple(texts)), list(odd)
