"""Convert files to another format, maybe with the words of other files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, Unpack

from arraycoref.exceptions import ReadError
from arraycoref.match import on_words
from arraycoref.options import SideOptions, check_options
from arraycoref.options.policies import ExtraDocuments, MissingDocuments, Tokens
from arraycoref.read import format_of, read_documents, read_side
from arraycoref.read.paths import Source
from arraycoref.read.write import write_documents


class WordOptions(SideOptions, total=False):
    """Options for documents whose words are from other files."""

    missing_documents: MissingDocuments | None
    extra_documents: ExtraDocuments | None
    tokens: Tokens
    max_changed: float | str | None


def convert(
    source: Source,
    target: str | os.PathLike[str],
    *,
    to: Literal["conll", "jsonlines", "conllu", "xml-text", "markdown"] | None = None,
    words: Source | None = None,
    zeros: Literal["keep", "drop"] = "keep",
    side: Literal["key", "response"] = "key",
    lenient: bool = False,
    on_error: Callable[[ReadError], None] | None = None,
    **options: Unpack[WordOptions],
) -> None:
    """Convert files to another format, as the command ``convert`` does.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [2, 2]]]}')
        >>> ac.convert("key.jsonl", "key.conll")
        >>> [mention for cluster in next(iter(ac.read_documents("key.conll"))).clusters for mention in cluster]
        [(0, 1), (2, 2)]

    Args:
        source: files as for `arraycoref.read_documents`.
        target: the file that is written, as for `arraycoref.read.write.write_documents`.
        to: its format; None to go by its suffix.
        words: files whose words, and what they say of these, the target has; heads are from the source, or else from
            the trees of these files. None for the words of the source.
        zeros: ``drop`` leaves out mentions of empty nodes, and all empty nodes in others.
        side: ``key`` or ``response``, for files that have the clusters of both.
        lenient: pass over faults in the files, and mentions that CoNLL-U cannot hold.
        on_error: called with each of these, and with what the format cannot hold, in place of warnings.
        **options: see `arraycoref.options`; of documents, ``tokens`` and ``max_changed``, with ``words`` only.

    Raises:
        ReadError, InputError, OptionError, OSError: as for `arraycoref.read_documents`,
            `arraycoref.match.on_words` and `arraycoref.read.write.write_documents`.
    """
    check_options(options, WordOptions)
    policies: Any = {name: value for name, value in options.items() if name not in SideOptions.__annotations__}
    documents = read_side(source, {**options, "lenient": lenient, "on_error": on_error, "layers": True}, side)
    if words is not None:
        of_words = read_documents(words, on_error=on_error, layers=True)
        documents = on_words(documents, of_words, on_error=on_error, **policies)
    elif (to or format_of(os.fspath(target))) == "conllu" and documents.have_trees and not documents.mentions.has_heads:
        documents = on_words(documents, documents, on_error=on_error)
    writing: Any = {"zeros": zeros, "lenient": lenient, "on_error": on_error, "max_bytes": options.get("max_bytes")}
    write_documents(documents, target, format=to, **writing)
