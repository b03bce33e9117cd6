"""Write documents to files: CoNLL columns, JSON lines or CoNLL-U, plain or compressed."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from itertools import repeat
from string import ascii_lowercase

import numpy as np

from arraycoref import runtime
from arraycoref.display.tables import plural
from arraycoref.exceptions import InputError, OptionError, ReadError, check_name
from arraycoref.read.annotated_text import MIDDLE, TAGS, annotated_blocks
from arraycoref.read.conll import HEADER_PART, parse_header
from arraycoref.read.documents import Documents, in_words, with_reference, words_of
from arraycoref.read.layers import (
    HELD,
    IN_CONLL,
    MENTION_TYPES,
    NOTHING,
    SHARED,
    TYPES,
    Layers,
    listed,
    one_line,
    speaker_of,
)
from arraycoref.read.mentions import BITS, without_empty_nodes
from arraycoref.read.problems import OnError, ProblemLog, quote
from arraycoref.read.recognize import SUFFIXES, format_of
from arraycoref.read.write_corefud import corefud_blocks, crossing

__all__ = ["FORMATS", "write_documents"]

FORMATS = ("conll", "jsonlines", "conllu", *TAGS)
"""Names of the formats."""

TITLES = {"conll": "CoNLL", "jsonlines": "JSON lines", "conllu": "CoNLL-U", **dict.fromkeys(TAGS, "annotated text")}

_TOKENS = 100_000  # in one piece of text

Told = Callable[[int], Layers | None]
"""A function that returns the words of a document with all that its file says of them; None without words."""


def write_documents(
    documents: Documents,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    max_bytes: int | None = None,
    zeros: str = "keep",
    lenient: bool = False,
    on_error: OnError | None = None,
) -> None:
    """Write documents to a file, which appears complete or not at all (see `arraycoref.runtime.atomic_write`).

    It has the words, and all that the files of the documents say of these and that the format can hold; see
    `arraycoref.read.layers`.

        >>> from pathlib import Path
        >>> from arraycoref.read import read_documents
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [2, 2]]]}')
        >>> write_documents(read_documents("key.jsonl"), "key.conll")
        >>> print(Path("key.conll").read_text().expandtabs(4), end="")
        #begin document (a)
        a   0   (0
        a   1   0)
        a   2   (0)
        #end document

    Args:
        documents: the documents of one side. Mentions of characters become those of words between spaces.
        target: a path, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard output.
        format: ``conll``, ``jsonlines``, ``conllu``, or ``xml-text`` or ``markdown``, which are lines of JSON with name
            and text, or lines of text if the suffix is ``.txt``; None to go by the suffix. CoNLL-U needs words, on
            which `arraycoref.match.on_words` brings documents that have none.
        max_bytes: the most bytes to write, before compression; or 200 times the size of the files that the documents
            came from, if that is more. None for what ``ARRAYCOREF_MAX_BYTES`` in the environment says, or 1 GiB. There
            is a limit because CoNLL has a line for each token, and 60 bytes of JSON can describe 2^31 tokens.
        zeros: ``drop`` leaves out mentions of empty nodes, which only CoNLL-U can hold, and the empty nodes in others.
        lenient: leave out mentions that the format cannot hold, or tags cannot show; otherwise the first is an error.
        on_error: called, instead of a warning, with the first such mention of each kind, and with a list of what the
            files say and the format cannot hold.

    Raises:
        ReadError: a mention that the format cannot hold.
        UnknownNameError: a format that does not exist.
        OptionError: no format, and a suffix of some other kind of file; a limit that is not a number of bytes; a file
            that the documents were read from.
        InputError: documents that the format cannot hold, or not within the limit, or whose mentions are not of words,
            nor of characters that are words between spaces.
        OSError: a file that cannot be written.
    """
    path, problems = os.fspath(target), ProblemLog.from_options({"lenient": lenient, "on_error": on_error})
    if format is not None:
        check_name("format", format, FORMATS)
    _, suffix, compression = runtime.split_suffixes(path)
    if format is None and SUFFIXES.get(suffix.lower(), "conll") not in FORMATS:
        reason = "a file of that suffix is neither CoNLL nor JSON lines; expected another, or the format"
        raise OptionError(f"{path}: {reason}")
    documents = with_words(with_reference(documents))
    for document, unit in zip(documents.names, documents.units, strict=True):
        if unit not in ("word", ""):
            what = "values of their own" if unit == "mention" else f"of {unit}s"
            way = "; words=FILE takes these from another file" if unit == "character" else ""
            reason = f"document {document!r}: its mentions are {what}; expected spans of words{way}"
            raise InputError(reason, "words" if way else "")
    if any(text.are_windows for text in documents.text):
        raise InputError("documents in windows, which overlap; expected them on the words of a key", "words")
    name = format or format_of(path)
    if zeros == "drop":
        documents = _without_zeros(documents, problems)
    mentions = documents.mentions
    can_be = mentions.are_words if name == "conll" else mentions.are_spans
    if name != "conllu" and not can_be.all():
        odd, n = int(can_be.argmin()), int(np.count_nonzero(~can_be))
        what, way = "a gap", f"lenient leaves out all such mentions, {n:,} here"
        if not mentions.are_words[odd]:
            what, way = "an empty node", "zeros='drop' leaves out all zeros"
        reason = f"a mention that opens here has {what}, which {TITLES[name]} cannot hold; {way}"
        file, line = documents.files[mentions.document[odd]], int(mentions.line[odd])
        problems.error(file, line or None, reason, "lenient" if what == "a gap" else "zeros")
        documents = replace(documents, mentions=mentions.take(np.flatnonzero(can_be)))
    documents = documents.with_types()
    files = {*documents.files, *documents.sources}
    read = sum(os.path.getsize(file) for file in files if os.path.isfile(file))
    most = max(runtime.byte_limit(max_bytes) or runtime.PLENTY, runtime.RATIO * read)
    layers = _Told(documents, name)
    blocks = {
        "conll": partial(conll_blocks, documents, layers, most),
        "jsonlines": partial(jsonlines_blocks, documents, layers),
        "conllu": partial(corefud_blocks, documents, layers, problems),
    }
    for style in TAGS:
        blocks[style] = partial(annotated_blocks, documents, style, by_line=suffix == ".txt", problems=problems)
    if path == "-":
        runtime.print_bytes(blocks[name]())
    else:
        with runtime.atomic_write(path, sorted(files)) as file:
            runtime.write_blocks(blocks[name](), file, compression)
    if left_out := layers.left_out():
        problems.report(left_out, "warning")


def with_words(documents: Documents) -> Documents:
    """Return documents with spans of words between spaces instead of characters, where these are known."""
    chosen = {
        d: words_of(documents.text[d].words() or [])
        for d, unit in enumerate(documents.units)
        if unit == "character" and documents.text[d].has_words
    }
    changed, within = in_words(documents, chosen)
    for d, first, last in within[:1]:
        text = quote("".join((documents.text[d].words() or [])[first : last + 1]))
        reason = f"the mention {text} of characters {first}-{last} begins or ends within a word"
        expected = "expected spans of words between spaces; words=FILE takes the words of another file"
        raise InputError(f"{documents.files[d]}: document {documents.names[d]!r}: {reason}; {expected}", "words")
    return changed


def _without_zeros(documents: Documents, problems: ProblemLog) -> Documents:
    """Leave out empty nodes, and the mentions of these, whose number is a doubt."""
    mentions, n_zeros, n_mixed = without_empty_nodes(documents.mentions)
    if n_zeros or n_mixed:
        shorter = f", and {plural(n_mixed, 'other mention')} without the empty nodes in it" * bool(n_mixed)
        reason = f"{plural(n_zeros, 'zero')} left out{shorter}"
        problems.warning(next(filter(None, documents.files), "documents"), None, reason)
    return replace(documents, mentions=mentions)


class _Told:
    """What the files say of documents, found for one document at a time, and what a format cannot hold of it.

    Args:
        documents: the documents.
        format: the format in which they are written.
    """

    def __init__(self, documents: Documents, format: str) -> None:
        self.documents, self.format = documents, format
        self.counts: Counter[str] = Counter()
        self._counted: set[int] = set()
        self._layers = lru_cache(1)(lambda d: documents.text[d].layers())

    def __call__(self, d: int) -> Layers | None:
        """Return the layers of a document; None if it has no words."""
        layers = self._layers(d)
        if d not in self._counted:
            self._counted.add(d)
            self._count(d, layers)
        return layers if layers.sentences else None

    def _count(self, d: int, layers: Layers) -> None:
        for types in self.documents.types_of(d).values():
            self.counts["types of entities"] += len(set(types)) == 1 and types[0] is not None
            self.counts["types of mentions"] += len(types) if len(set(types)) > 1 else 0
        self.counts.update(layers.counts())
        self.counts.update({} if self.documents.sources else layers.of_entities)
        if self.documents.relations and (relations := self.documents.relations[d]) is not None:
            numbers = self.documents.mentions.number[self.documents.rows(d)]
            self.counts["bridges"] += relations.anaphor.size
            self.counts["bridges of mentions left out"] += int((~np.isin(relations.anaphor, numbers)).sum())
            self.counts["split antecedents"] += relations.whole.size
            self.counts["entities without reference"] += relations.pseudo.size
        if (minimum := self.documents.mentions.minimum) is not None:
            self.counts["minimum spans"] += int(np.count_nonzero(minimum[self.documents.rows(d)]))
        if self.format == "conllu":
            mixed = sum(bool({*c} - NOTHING) and not speaker_of(c) for c in layers.columns.get("speakers", ()))
            self.counts["sentences of several speakers"] += mixed
        if self.format in TAGS:
            words = [word for sentence in layers.sentences for word in sentence]
            self.counts["words with spaces, or empty"] += sum(word.split() != [word] for word in words)
            self.counts[f"words {MIDDLE}, which part windows"] += words.count(MIDDLE)
        elif self.format != "jsonlines":
            odd = sum(one_line(word) != word for sentence in layers.sentences for word in sentence)
            self.counts["words with tabs, line ends or spaces around"] += odd

    def left_out(self) -> ReadError | None:
        """Return a list of what the format cannot hold, with counts; None if it holds all."""
        for d in range(len(self.documents)):
            if d not in self._counted:
                self(d)
        counts = {name: n for name, n in self.counts.items() if name not in HELD.get(self.format, ()) and n > 0}
        if not counts:
            return None
        files = list(dict.fromkeys(filter(None, self.documents.files)))
        more = f", and in {plural(len(files) - 1, 'other file')}," * (len(files) > 1)
        reason = f"not all that is here{more} is in the output, as {TITLES[self.format]} cannot hold it: "
        return ReadError(files[0] if files else "documents", None, reason + listed(counts))


def conll_blocks(documents: Documents, layers: Told, most: int) -> Iterator[bytes]:
    """Yield each document's text, in pieces: the columns of CoNLL-2012, or three if no document has words.

    Args:
        documents: D documents.
        layers: what their files say of each.
        most: bytes that the lines of tokens without words may take.

    Raises:
        InputError: a name that no header can hold; or two crossing mentions of one entity, which brackets show like
            two nested ones; or lines of tokens that would take more than ``most`` bytes.
    """
    n_tokens = documents.n_tokens.copy()
    np.maximum.at(n_tokens, documents.mentions.document, documents.mentions.end.astype(np.int64) + 1)
    labels = [re.sub(r"[\s#]", "_", name) or "-" for name in documents.names]
    has_words = [documents.text[d].sentences() not in (None, []) for d in range(len(documents))]
    _refuse_more(documents, np.where(has_words, 0, n_tokens).tolist(), labels, most)
    for d in range(len(documents)):
        header, n = _header(documents, d), int(n_tokens[d])
        items = _items(documents, d)
        yield f"#begin document {header}\n".encode()
        if has_words[d] and (written := layers(d)):
            yield _with_columns(written, labels[d], header, items, n).encode()
        else:
            columns = "\t0\t{}\t" + 8 * "_\t" if any(has_words) else "\t{}\t"
            for first in range(0, n, _TOKENS):
                tokens = range(first, min(first + _TOKENS, n))
                yield "".join(f"{labels[d]}{columns.format(t)}{items.get(t, '-')}\n" for t in tokens).encode()
        yield b"#end document\n"


def _with_columns(layers: Layers, label: str, header: str, items: Mapping[int, str], n_tokens: int) -> str:
    """Return the lines of a document with the columns of CoNLL-2012, and an empty line after each sentence."""
    part, lines, token = HEADER_PART.search(header), list[str](), 0
    begin = f"{label.rpartition('_')[0] if part else label}\t{int(part[1]) if part else 0}"
    rest = n_tokens - sum(map(len, layers.sentences))
    for s, words in enumerate([*layers.sentences, rest * ["_"]]):
        columns = [words]
        for name in (*IN_CONLL, "arguments"):
            nothing = "" if name == "arguments" else "*" if name in ("parse", "named_entity") else "-"
            written = layers.columns.get(name, [])
            own = written[s] if s < len(written) else len(words) * [nothing]
            columns.append(["-" if cell == "_" else cell for cell in own] if name in SHARED else own)
        for k, (*cells, arguments) in enumerate(zip(*columns, strict=True)):
            shown = "\t".join(map(one_line, [*cells, *(arguments.split("\t") if arguments else ())]))
            lines.append(f"{begin}\t{k}\t{shown}\t{items.get(token, '-')}")
            token += 1
        lines += [""] * bool(words)
    return "\n".join([*lines, ""])


def _refuse_more(documents: Documents, n_tokens: list[int], labels: list[str], most: int) -> None:
    """Refuse to write more than ``most`` bytes: one number in the input can claim any number of tokens.

    Raises:
        InputError: names the longest document, and the mention that makes it so long.
    """
    sizes = [n * len(f"{label}\t0\t-\n".encode(errors="replace")) for n, label in zip(n_tokens, labels, strict=True)]
    if sum(sizes) <= most:
        return
    d = sizes.index(max(sizes))
    start, end, _ = documents.mentions_of(d)
    why = "by its n_tokens"
    if end.size and end.max() + 1 == n_tokens[d]:
        last = end.argmax()
        why = f"up to the end of the mention {(int(start[last]), int(end[last]))}"
    raise InputError(
        f"document {documents.shown(d)} has {n_tokens[d]} tokens, {why}: with a line for each, CoNLL would take "
        f"{sum(sizes)} bytes or more, and the limit is {most}. Write JSON lines; max_bytes=N or ARRAYCOREF_MAX_BYTES "
        "sets another limit",
        option="max_bytes",
    )


def _header(documents: Documents, d: int) -> str:
    """Return a header that reads back as the document's name: the original one, or the name in parentheses."""
    name = documents.names[d]
    for header in (documents.headers[d], f"({name})"):
        line = header.strip(" \t\r\v\f")
        unbroken = line == header and not {"\n", "\r", "\0"} & set(line)
        if unbroken and parse_header(line) == name and line.encode(errors="replace").decode() == line:
            return header
    raise InputError(f"no CoNLL header can hold the document name {name!r}; write JSON lines, or rename the document")


def _items(documents: Documents, d: int) -> dict[int, str]:
    """Return the coreference column of the tokens at which a mention begins or ends.

    Closing brackets come first, as their mentions began before; then the others in the order of entities, so that
    entities get the same numbers when the file is read. Parts of mentions with gaps have letters in their ids.
    """
    mentions = _rows(documents, d)
    whole = np.array([row[:3] for row in mentions if not row[3]], np.int64).reshape(-1, 3)
    for m, other in crossing(*whole.T):
        first, last, who = whole[m].tolist()
        shown = f"mentions {(first, last)} and {tuple(whole[other, :2].tolist())} of entity {who} cross"
        raise InputError(
            f"document {documents.shown(d)}: {shown}, which the brackets of CoNLL cannot express; write JSON lines"
        )
    if len(whole) < len(mentions):
        ids = {(who, letters) for _, _, who, letters in mentions}
        n_ids = Counter(who for who, _ in ids)
        if max(n_ids[who] for who, letters in ids if letters) == 1:
            only = min(who for who, letters in ids if letters)
            reason = f"the mention with a gap of entity {only} is the only one of its entity"
            raise InputError(f"document {documents.shown(d)}: {reason}; in CoNLL, its parts would be mentions")
    mentions.sort(key=lambda row: (row[2], row[0] < row[1]))  # within an entity, mentions of one token first
    items: dict[int, list[str]] = {}
    for first, last, who, letters in mentions:
        if first < last:
            items.setdefault(last, []).append(f"{who}{letters})")
    for first, last, who, letters in mentions:
        items.setdefault(first, []).append(f"({who}{letters})" if first == last else f"({who}{letters}")
    return {token: "|".join(values) for token, values in items.items()}


def _rows(documents: Documents, d: int) -> list[tuple[int, int, int, str]]:
    """Return first and last token and entity of each mention without a gap, and of each part of the others.

    After these are the letters in the id of a part: ``a`` for the first mention with gaps of its entity, and so on.
    """
    mentions, (start, end, entity) = documents.mentions, documents.mentions_of(d)
    if not mentions.has_parts:
        return list(zip(start.tolist(), end.tolist(), entity.tolist(), repeat("")))
    rows: list[tuple[int, int, int, str]] = []
    n_gaps: Counter[int] = Counter()
    for m, who in enumerate(entity.tolist(), int(documents.offsets[d])):
        parts = mentions.parts[mentions.part_bounds[m] : mentions.part_bounds[m + 1]]
        letters = _letters(n_gaps[who]) if len(parts) > 1 else ""
        rows += [(first, last, who, letters) for first, last in ((parts >> BITS) - 1).tolist()]
        n_gaps[who] += len(parts) > 1
    return rows


def _letters(n: int) -> str:
    """Return the n-th, from 0, of ``a``, ``b``, ..., ``z``, ``aa``, ``ab`` and so on."""
    rest, place = divmod(n, 26)
    return (_letters(rest - 1) if rest else "") + ascii_lowercase[place]


def jsonlines_blocks(documents: Documents, layers: Told) -> Iterator[bytes]:
    """Yield one line per document: ``doc_key``, ``sentences``, and ``clusters`` in the order of entity numbers.

    Beside the words is what the file says of them, see `arraycoref.read.layers`. Without words, there is ``n_tokens``;
    it is left out if the document's file did not give it: the end of the last mention would be too small a
    number, and a file of the other side with all tokens would seem to have another text.

    The lines take no more bytes than the documents do in memory, so that no limit is needed.
    """
    for d, name in enumerate(documents.names):
        clusters: dict[int, list[list[int]]] = {}
        for first, last, entity in zip(*(column.tolist() for column in documents.mentions_of(d)), strict=True):
            clusters.setdefault(entity, []).append([first, last])
        written, n_tokens, types = layers(d), documents.text[d].n_tokens, sorted(documents.types_of(d).items())
        record: dict[str, object] = {"doc_key": name}
        if written is not None:
            record |= {"sentences": written.sentences, **written.columns, **written.per_sentence}
        elif n_tokens >= 0:
            record["n_tokens"] = n_tokens
        record["clusters"] = [clusters[entity] for entity in sorted(clusters)]
        if any(len(set(of_entity)) > 1 for _, of_entity in types):
            record[MENTION_TYPES] = [of_entity for _, of_entity in types]
        elif types:
            record[TYPES] = [of_entity[0] for _, of_entity in types]
        try:
            yield json.dumps(record, ensure_ascii=False).encode() + b"\n"
        except UnicodeEncodeError:  # half a pair of surrogates
            yield json.dumps(record).encode() + b"\n"
