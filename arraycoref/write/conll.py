"""Write documents as CoNLL columns: name, token number, coreference."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from arraycoref.documents import Documents
from arraycoref.errors import InputError
from arraycoref.read.conll import parse_header

_TOKENS = 100_000  # a piece


def conll_blocks(documents: Documents) -> Iterator[bytes]:
    """Yield each document's text, in pieces.

    Raises:
        InputError: a name that no header can hold, or two crossing mentions of one entity, which brackets show
            like two nested ones.
    """
    for d in range(len(documents)):
        name = documents.names[d]
        header = _header(documents, d)
        label = re.sub(r"[\s#]", "_", name) or "-"
        items = _items(documents, d)
        n_tokens = max(int(documents.n_tokens[d]), 1 + max(items, default=-1))
        yield f"#begin document {header}\n".encode()
        for first in range(0, n_tokens, _TOKENS):  # JSON of 60 bytes may speak of 2^31 tokens
            tokens = range(first, min(first + _TOKENS, n_tokens))
            yield "".join(f"{label}\t{token}\t{items.get(token, '-')}\n" for token in tokens).encode()
        yield b"#end document\n"


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

    What closes comes first, since it began before; then entities in order, so that their numbers read back.
    """
    chosen = slice(documents.offsets[d], documents.offsets[d + 1])
    start, end = documents.start[chosen], documents.end[chosen]
    entity = documents.entity[chosen]
    _refuse_crossing(documents, d)
    single = start == end
    kinds = (
        (end[~single], entity[~single], 0),
        (start[single], entity[single], 1),
        (start[~single], entity[~single], 2),
    )
    tokens = np.concatenate([token for token, _, _ in kinds])
    who = np.concatenate([entity for _, entity, _ in kinds])
    kind = np.concatenate([np.full(token.size, kind) for token, _, kind in kinds])
    order = np.lexsort((kind, who, kind > 0, tokens))
    items: dict[int, list[str]] = {}
    for token, number, how in zip(tokens[order].tolist(), who[order].tolist(), kind[order].tolist(), strict=True):
        items.setdefault(token, []).append((f"{number})", f"({number})", f"({number}")[how])
    return {token: "|".join(values) for token, values in items.items()}


def _refuse_crossing(documents: Documents, d: int) -> None:
    """Raise where two mentions of one entity overlap and neither holds the other."""
    chosen = slice(documents.offsets[d], documents.offsets[d + 1])
    start, end, entity = documents.start[chosen], documents.end[chosen], documents.entity[chosen]
    order = np.lexsort((-end.astype(np.int64), start, entity))
    stack: list[tuple[int, int]] = []
    last = -1
    for first, final, who in zip(start[order].tolist(), end[order].tolist(), entity[order].tolist(), strict=True):
        if who != last:
            stack, last = [], who
        while stack and (stack[-1][1] < first or (stack[-1][1] == first and first < final)):
            stack.pop()
        if stack and stack[-1][1] < final:
            raise InputError(
                f"document {documents.names[d]!r}: mentions {stack[-1]} and {(first, final)} of entity {who} cross, "
                "which the brackets of CoNLL cannot express; write JSON lines"
            )
        stack.append((first, final))
