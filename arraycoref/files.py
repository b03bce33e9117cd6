"""Score files: read both sides, pair their documents, match their mentions, resolve repeated ones, count."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Unpack

from arraycoref.api import score_clusterings
from arraycoref.errors import OptionError
from arraycoref.match.mentions import encode_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.read import read_side
from arraycoref.read.sources import is_stream
from arraycoref.runtime import thread_count
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.scores import BatchScores

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def score_files(key: Source, response: Source, **options: Unpack[FileOptions]) -> BatchScores:
    """Score files; documents are paired by name, mentions by their first and last token.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> ac.score_files("key.jsonl", "response.jsonl")["muc"].recall
        0.5

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input. Compressed where the
            suffix is .gz, .bz2, .xz or .zst.
        response: likewise.
        **options: see `arraycoref.options`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; names path and line.
        DocumentMismatchError: a document on one side only, where the policy refuses that; or no document on both
            sides, where the policy leaves out the others.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        OptionError: an option that makes no sense, or `UnknownNameError`: one that does not exist.
    """
    policies = resolve_policies(options, FileOptions)
    metrics = resolve_metrics(options.get("metrics"))  # complain before hours of reading
    thread_count(options.get("threads", 1))
    paths = isinstance(key, str | os.PathLike) and isinstance(response, str | os.PathLike)  # no arrays to compare
    if paths and key == response and is_stream(key):
        raise OptionError(f"key and response are both {key!r}, which can be read only once")
    ours, theirs = read_side(key, options, "key"), read_side(response, options, "response")
    clusterings = encode_documents(ours, theirs, policies, options.get("report"))
    header_of = dict(zip(ours.names, ours.headers, strict=True))
    headers = tuple(header_of[name] for name in clusterings.names or ())
    return score_clusterings(clusterings, policies, options | {"metrics": metrics}, headers)
