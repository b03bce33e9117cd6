"""Score files: read both sides, pair their documents, match their mentions, resolve repeated ones, count."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from arraycoref.api import Metrics, score_clusterings
from arraycoref.batch import Progress
from arraycoref.clusterings import Clusterings
from arraycoref.documents import Documents
from arraycoref.errors import OptionError, ReadError, printable
from arraycoref.metrics import resolve_metrics
from arraycoref.occurrences import Integers, resolve_duplicates
from arraycoref.pairing import pair_documents
from arraycoref.policies import Duplicates, Policies, resolve_policies
from arraycoref.results import BatchScores
from arraycoref.threads import thread_count

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def score_files(
    key: Source,
    response: Source,
    *,
    metrics: Metrics = None,
    profile: str = "paper",
    duplicates: str | None = None,
    missing_documents: str | None = None,
    extra_documents: str | None = None,
    singletons: str = "keep",
    beta: float = 1.0,
    threads: int = 1,
    format: str | None = None,
    column: int | None = None,
    lenient: bool = False,
    report: Callable[[ReadError], None] | None = None,
    max_bytes: int | None = None,
    progress: Progress | None = None,
) -> BatchScores:
    """Score files; documents are paired by name, mentions by their first and last token.

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input. Compressed where the
            suffix is .gz, .bz2, .xz or .zst.
        response: likewise.
        metrics: and the options down to ``threads``: see `arraycoref.api`.
        profile: as above.
        duplicates: as above.
        missing_documents: as above.
        extra_documents: as above.
        singletons: as above.
        beta: as above.
        threads: as above.
        format: ``conll`` or ``jsonlines``; None to go by each file's suffix.
        column: of the coreference in CoNLL files, from 1, or from -1 at the right; None for the last.
        lenient: pass over structural faults, each with a `ReadWarning`, instead of raising the first.
        report: called with each fault passed over, in place of the warning.
        max_bytes: the most bytes that a file may hold, decompressed; see `arraycoref.read.read_documents`.
        progress: called with the number of documents scored and their number.

    Raises:
        ReadError: a file that cannot be read or breaks its format; names path and line.
        DocumentMismatchError: a document on one side only, where the policy refuses that; or, where it
            leaves them out, none on both.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        OptionError: an option that makes no sense, or `UnknownNameError`: one that does not exist.
    """
    from arraycoref.read import read_documents
    from arraycoref.read.sources import is_stream

    policies = resolve_policies(
        profile,
        duplicates=duplicates,
        missing_documents=missing_documents,
        extra_documents=extra_documents,
        singletons=singletons,
        beta=beta,
    )
    metrics, threads = resolve_metrics(metrics), thread_count(threads)  # complain before hours of reading
    if key == response and is_stream(key):
        raise OptionError(f"key and response are both {key!r}, which can be read only once")
    options: dict[str, Any] = {
        "format": format,
        "column": column,
        "lenient": lenient,
        "report": report,
        "max_bytes": max_bytes,
    }
    ours = read_documents(key, side="key", **options)
    theirs = read_documents(response, side="response", **options)
    clusterings = encode_documents(ours, theirs, policies)
    header_of = dict(zip(ours.names, ours.headers, strict=True))
    headers = tuple(header_of[name] for name in clusterings.names or ())
    return score_clusterings(clusterings, policies, metrics, threads, progress, headers=headers)


def encode_documents(key: Documents, response: Documents, policies: Policies) -> Clusterings:
    """Pair the documents of two sides and lay their mentions out as label vectors.

    Args:
        key: what the key's files hold.
        response: what the response's files hold.
        policies: for documents on one side only and for repeated mentions.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    from arraycoref.match import match, take

    key_positions, response_positions = pair_documents(key.names, response.names, policies)
    key, response = take(key, key_positions), take(response, response_positions)
    found = match(key, response)
    n_mentions = int(found.offsets[-1])
    return Clusterings.from_labels(
        resolve_document_duplicates(key, found.key_mention, n_mentions, policies.key_duplicates),
        resolve_document_duplicates(response, found.response_mention, n_mentions, policies.response_duplicates),
        found.offsets,
        key.names,
    )


def resolve_document_duplicates(side: Documents, mention: Integers, n_mentions: int, policy: Duplicates) -> Integers:
    """Give each mention of an index its entity on one side; see `arraycoref.occurrences.resolve_duplicates`.

    Args:
        side: N occurrences.
        mention: int64 (N,) the mention of each.
        n_mentions: M, size of the index.
        policy: for repeated mentions.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy refuses that; names file and line.
    """
    return resolve_duplicates(
        mention, side.entity, n_mentions, policy, lambda first, second: _describe(side, first, second)
    )


def _describe(side: Documents, first: int, second: int) -> str:
    """Name the place of two occurrences of one mention."""
    d = int(side.offsets.searchsorted(first, side="right")) - 1
    where = "two entities" if side.entity[first] != side.entity[second] else "one entity twice"
    return (
        f"{printable(side.sources[d])}:{side.line[second]}: document {side.names[d]!r}: the mention of tokens "
        f"{side.start[first]}-{side.end[first]} stands in {where}, also on line {side.line[first]}"
    )
