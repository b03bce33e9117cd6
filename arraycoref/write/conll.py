"""Write documents as CoNLL columns: name, token number, coreference."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from arraycoref.documents import Documents
from arraycoref.errors import InputError
from arraycoref.read.conll import parse_header

_TOKENS = 100_000  # a piece


def conll_blocks(documents: Documents, most: int | None = None) -> Iterator[bytes]:
    """Yield each document's text, in pieces.

    Args:
        documents: D documents.
        most: bytes that the lines of their tokens may take; None for any number.

    Raises:
        InputError: a name that no header can hold, or two crossing mentions of one entity, which brackets show
            like two nested ones; or tokens, by what is said of them, that take more bytes.
    """
    n_tokens = _tokens(documents)
    labels = [re.sub(r"[\s#]", "_", name) or "-" for name in documents.names]
    if most is not None:
        _refuse_more(documents, n_tokens, labels, most)
    for d in range(len(documents)):
        header = _header(documents, d)
        items = _items(documents, d)
        yield f"#begin document {header}\n".encode()
        for first in range(0, n_tokens[d], _TOKENS):
            tokens = range(first, min(first + _TOKENS, n_tokens[d]))
            yield "".join(f"{labels[d]}\t{token}\t{items.get(token, '-')}\n" for token in tokens).encode()
        yield b"#end document\n"


def _tokens(documents: Documents) -> list[int]:
    """Count the tokens of each document (D,): as many as are said, or up to the end of the last mention."""
    bounds = zip(documents.offsets[:-1].tolist(), documents.offsets[1:].tolist(), strict=True)
    ends = [1 + int(documents.end[first:stop].max(initial=-1)) for first, stop in bounds]
    return list(map(max, ends, documents.n_tokens.tolist()))


def _refuse_more(documents: Documents, n_tokens: list[int], labels: list[str], most: int) -> None:
    """Refuse to write more bytes: tokens need no more input than a number.

    Raises:
        InputError: names the longest document, and the mention that makes it so long.
    """
    sizes = [n * len(f"{label}\t0\t-\n".encode(errors="replace")) for n, label in zip(n_tokens, labels, strict=True)]
    if sum(sizes) <= most:
        return
    d = sizes.index(max(sizes))
    start, end, _ = documents.spans(d)
    why = "by its n_tokens"
    if end.size and end.max() + 1 == n_tokens[d]:
        last = end.argmax()
        why = f"up to the end of the mention {(int(start[last]), int(end[last]))}"
    raise InputError(
        f"document {documents.names[d]!r} has {n_tokens[d]} tokens, {why}: with a line for each, CoNLL would take "
        f"{sum(sizes)} bytes or more, and the limit is {most}. Write JSON lines; max_bytes=N or ARRAYCOREF_MAX_BYTES "
        "sets another limit"
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

    What closes comes first, since it began before; then entities in order, so that their numbers read back.
    """
    _refuse_crossing(documents, d)
    start, end, entity = documents.spans(d)
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
    start, end, entity = documents.spans(d)
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
