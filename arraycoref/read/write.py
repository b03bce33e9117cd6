"""Write documents to files: CoNLL columns, JSON lines or CoNLL-U, plain or compressed."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import repeat
from string import ascii_lowercase

import numpy as np

from arraycoref import runtime
from arraycoref.errors import InputError, OptionError, check_name
from arraycoref.read import format_of
from arraycoref.read.conll import parse_header
from arraycoref.read.documents import Documents
from arraycoref.read.faults import OnError, refuse
from arraycoref.read.mentions import BITS
from arraycoref.read.words import in_words
from arraycoref.read.write_annotated import TAGS, annotated_blocks
from arraycoref.read.write_corefud import corefud_blocks, crossing

__all__ = ["FORMATS", "write_documents"]

FORMATS = ("conll", "jsonlines", "conllu", *TAGS)
"""Names of the formats."""

_TOKENS = 100_000  # in one piece of text

OTHERS = {
    *(".ann", ".ca2", ".ca2z", ".mmax", ".xmi"),
    *(".7z", ".arrow", ".conllua", ".csv", ".entities", ".feather", ".parquet", ".pq", ".rar", ".rttm"),
    *(".tar", ".tgz", ".tsv", ".xlsx", ".xml", ".zip"),
}
"""Suffixes of other kinds of file, such as tables of text, that readers would not read as CoNLL columns."""


def write_documents(
    documents: Documents,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    max_bytes: int | None = None,
    on_error: OnError = refuse,
) -> None:
    """Write documents to a file, which appears complete or not at all (see `arraycoref.runtime.atomic_write`).

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
        documents: the documents of one side. Mentions of characters become those of words between blanks.
        target: a path, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard output.
        format: ``conll``, ``jsonlines``, ``conllu``, or ``xml-text`` or ``markdown``, which are lines of JSON with name
            and text, or lines of text if the suffix is ``.txt``; None to go by the suffix. For CoNLL-U, the words are
            those of a CoNLL-U file, on which `arraycoref.match.on_words` brings documents of other formats.
        max_bytes: the most bytes to write, before compression; or 200 times the size of the files that the documents
            came from, if that is more. None for what ``ARRAYCOREF_MAX_BYTES`` in the environment says, or 1 GiB. There
            is a limit because CoNLL has a line for each token, and 60 bytes of JSON can describe 2^31 tokens.
        on_error: called with the first mention of each kind that CoNLL-U cannot hold, and each that tags cannot show,
            which are then left out; by default, it raises the error.

    Raises:
        ReadError: what ``on_error`` raises.
        UnknownNameError: a format that does not exist.
        OptionError: no format, and a suffix of some other kind of file; a limit that is no number of bytes; a file
            that the documents were read from.
        InputError: documents that the format cannot hold, or not within the limit, or whose mentions are no spans of
            words, nor of characters that are words between blanks; CoNLL holds mentions of words with gaps too.
        OSError: a file that cannot be written.
    """
    path = os.fspath(target)
    if format is not None:
        check_name("format", format, FORMATS)
    _, suffix, compression = runtime.split_suffixes(path)
    if format is None and suffix.lower() in OTHERS:
        raise OptionError(
            f"{path}: a file of that suffix is neither CoNLL nor JSON lines; expected another, or the format"
        )
    documents = in_words(documents)
    for document, unit in zip(documents.names, documents.units, strict=True):
        if unit not in ("word", ""):
            what = "values of their own" if unit == "mention" else f"of {unit}s"
            raise InputError(f"document {document!r}: its mentions are {what}; expected spans of words")
    name = format or format_of(path)
    mentions = documents.mentions
    can_be = mentions.are_words if name == "conll" else mentions.are_spans
    if name != "conllu" and not can_be.all():
        odd = int(can_be.argmin())
        reason = "has an empty node" if name == "conll" else "has a gap or an empty node; expected spans of words"
        place = f"{documents.files[mentions.document[odd]]}:{mentions.line[odd]}"
        raise InputError(f"{place}: a mention that opens here {reason}")
    read = sum(os.path.getsize(file) for file in set(documents.files) if os.path.isfile(file))
    most = max(runtime.byte_limit(max_bytes) or runtime.PLENTY, runtime.RATIO * read)
    blocks = {
        "conll": conll_blocks(documents, most),
        "jsonlines": jsonlines_blocks(documents),
        "conllu": corefud_blocks(documents, on_error),
    }
    for style in TAGS:
        blocks[style] = annotated_blocks(documents, style, by_line=suffix == ".txt", on_error=on_error)
    if path == "-":
        runtime.print_bytes(blocks[name])
        return
    with runtime.atomic_write(path, documents.files) as file:
        runtime.write_blocks(blocks[name], file, compression)


def conll_blocks(documents: Documents, most: int) -> Iterator[bytes]:
    """Yield each document's text, in pieces.

    Args:
        documents: D documents.
        most: bytes that the lines of their tokens may take.

    Raises:
        InputError: a name that no header can hold; or two crossing mentions of one entity, which brackets show like
            two nested ones; or lines of tokens that would take more than ``most`` bytes.
    """
    n_tokens = documents.n_tokens.copy()
    np.maximum.at(n_tokens, documents.mentions.document, documents.mentions.end.astype(np.int64) + 1)
    labels = [re.sub(r"[\s#]", "_", name) or "-" for name in documents.names]
    _refuse_more(documents, n_tokens.tolist(), labels, most)
    for d in range(len(documents)):
        header = _header(documents, d)
        items = _items(documents, d)
        yield f"#begin document {header}\n".encode()
        for first in range(0, int(n_tokens[d]), _TOKENS):
            tokens = range(first, min(first + _TOKENS, int(n_tokens[d])))
            yield "".join(f"{labels[d]}\t{token}\t{items.get(token, '-')}\n" for token in tokens).encode()
        yield b"#end document\n"


def _refuse_more(documents: Documents, n_tokens: list[int], labels: list[str], most: int) -> None:
    """Refuse to write more than ``most`` bytes: one number in the input can claim any number of tokens.

    Raises:
        InputError: names the longest document, and the mention that makes it so long.
    """
    sizes = [n * len(f"{label}\t0\t-\n".encode(errors="replace")) for n, label in zip(n_tokens, labels, strict=True)]
    if sum(sizes) <= most:
        return
    d = sizes.index(max(sizes))
    start, end, _ = documents.of(d)
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

    Behind these are the letters in the id of a part: ``a`` for the first mention with gaps of its entity, and so on.
    """
    mentions, (start, end, entity) = documents.mentions, documents.of(d)
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


def jsonlines_blocks(documents: Documents) -> Iterator[bytes]:
    """Yield one line per document: ``doc_key``, ``n_tokens``, and ``clusters`` in the order of entity numbers.

    ``n_tokens`` is left out if the document's file did not give it: the end of the last mention would be too small a
    number, and a file of the other side with all tokens would seem to have another text.

    The lines take no more bytes than the documents do in memory, so that no limit is needed.
    """
    for d, name in enumerate(documents.names):
        clusters: dict[int, list[list[int]]] = {}
        for first, last, entity in zip(*(column.tolist() for column in documents.of(d)), strict=True):
            clusters.setdefault(entity, []).append([first, last])
        n_tokens = int(documents.text.lengths[d])
        count = {"n_tokens": n_tokens} if n_tokens >= 0 else {}
        record = {"doc_key": name, **count, "clusters": [clusters[entity] for entity in sorted(clusters)]}
        yield json.dumps(record).encode() + b"\n"
