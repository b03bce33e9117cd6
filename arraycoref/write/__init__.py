"""Write documents to files: CoNLL columns or JSON lines, plain or compressed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from arraycoref.deadline import within_time
from arraycoref.documents import Documents
from arraycoref.errors import InputError, OptionError, UnknownNameError
from arraycoref.read import format_of
from arraycoref.read.sources import PLENTY, RATIO, byte_limit
from arraycoref.read.unpacking import split_suffixes, write_blocks
from arraycoref.saving import atomic_write, print_bytes
from arraycoref.write.conll import conll_blocks
from arraycoref.write.jsonlines import jsonlines_blocks

__all__ = ["FORMATS", "write_documents"]

FORMATS: dict[str, Callable[[Documents, int | None], Iterator[bytes]]] = {
    "conll": conll_blocks,
    "jsonlines": jsonlines_blocks,
}
"""Name of a format and the function that yields its text, unless that takes more bytes than a limit."""


OTHERS = {
    *(".7z", ".arrow", ".conllu", ".conllua", ".csv", ".entities", ".feather", ".parquet", ".pq", ".rar", ".rttm"),
    *(".tar", ".tgz", ".tsv", ".xlsx", ".xml", ".zip"),
}
"""Suffixes that promise something else than columns, tables of text among them: these are not read as columns."""


def write_documents(
    documents: Documents,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    max_bytes: int | None = None,
) -> None:
    """Write documents to a file, which appears complete or not at all (see `arraycoref.saving.atomic_write`).

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
        documents: the documents of one side.
        target: a path, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard output.
        format: ``conll`` or ``jsonlines``; None to go by the suffix.
        max_bytes: CoNLL has a line for each token, and 60 bytes of JSON may speak of 2^31 tokens. What is written may
            hold so many bytes, before it is compressed, or 200 times those of the files that the documents came from
            if that is more. None for what ``ARRAYCOREF_MAX_BYTES`` in the environment says, or 1 GiB.

    Raises:
        UnknownNameError: a format that does not exist.
        OptionError: no format, and a suffix of some other kind of file; a limit that is no number of bytes.
        InputError: documents that the format cannot hold, or not within the limit, or whose mentions are no spans of
            words.
        OSError: a file that cannot be written.
    """
    if not isinstance(documents, Documents):
        raise InputError(f"documents is {type(documents).__name__}; expected Documents, as read_documents returns")
    path = os.fspath(target)
    if format is not None and format not in tuple(FORMATS):
        raise UnknownNameError("format", format, FORMATS)
    _, suffix, compression = split_suffixes(path)
    if format is None and suffix.lower() in OTHERS:
        raise OptionError(
            f"{path}: a file of that suffix is neither CoNLL nor JSON lines; expected another, or the format"
        )
    for name, unit in zip(documents.names, documents.units, strict=True):
        if unit not in ("word", ""):
            found = "values of their own" if unit == "mention" else f"of {unit}s"
            raise InputError(f"document {name!r}: its mentions are {found}; expected spans of words")
    read = sum(os.path.getsize(source) for source in set(documents.sources) if os.path.isfile(source))
    most = max(byte_limit(max_bytes) or PLENTY, RATIO * read)
    blocks = within_time(FORMATS[format or format_of(path)](documents, most))
    if path == "-":
        print_bytes(blocks)
        return
    with atomic_write(path) as file:
        write_blocks(blocks, file, compression)
