"""Score files that tools write as tables of text or JSON mappings: records, words or times, each with its entity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack

from arraycoref.api import score_clusterings
from arraycoref.errors import ReadError
from arraycoref.files import encode_documents, read_some
from arraycoref.interop.two_tables import TableOptions
from arraycoref.options import resolve_policies
from arraycoref.read.sources import Source
from arraycoref.read.table_shapes import Asked, Names
from arraycoref.runtime import thread_count
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.scores import BatchScores


def score_table_files(
    key: Source,
    response: Source,
    *,
    key_format: str | None = None,
    response_format: str | None = None,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    frame: float = 0.01,
    report: Callable[[ReadError], None] | None = None,
    **options: Unpack[TableOptions],
) -> BatchScores:
    r"""Score tables of text; key and response may be of different tools.

        >>> from pathlib import Path
        >>> _ = Path("key.csv").write_text("mention,label\nr1,Ada\nr2,Ada\nr3,Bob\n")
        >>> _ = Path("splink.csv").write_text("cluster_id,unique_id,name\nc1,r1,Ada\nc1,r2,A.\nc1,r3,Bob\n")
        >>> score_table_files("key.csv", "splink.csv", metrics="muc")["muc"].precision
        0.5

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input, compressed or not.
        response: likewise.
        key_format: one of the formats that `arraycoref.read.table_reading` lists; None to recognise it by the suffix
        and
            the names of the columns. If one side is a table of first and last words, the other side may also have a
            format of `arraycoref.read.FORMATS`.
        response_format: likewise.
        document: column of the documents, if its name is not that of the format; None if each file is a document.
        mention: column of the mentions, or columns that identify a mention together, if not those of the format.
        label: column of the entities, if its name is not that of the format.
        frame: length of a frame of RTTM, in seconds.
        report: called with each warning, in place of `ReadWarning`.
        **options: see `arraycoref.options`. For ``max_bytes``, see `arraycoref.read.read_documents`.

    Raises:
        ReadError: a file that cannot be read, or breaks its format; names path and line.
        InputError: sides with different kinds of mentions.
        UnknownNameError: a format that does not exist.
        OptionError: a frame that is not a number of seconds from 1e-6 to 1e6.
        DuplicateMentionError: a mention in two entities, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that; documents without names that
            cannot be paired in their order.
    """
    policies = resolve_policies(options, TableOptions)
    metrics = resolve_metrics(options.get("metrics"))  # checked before the files are read, which may take hours
    thread_count(options.get("threads", 1))
    asked = Asked(names=Names.of(document, mention, label), frame=frame)
    reading = {"max_bytes": options.get("max_bytes"), "report": report}
    ours = read_some(key, reading | {"format": key_format, "side": "key"}, asked=asked)
    theirs = read_some(response, reading | {"format": response_format, "side": "response"}, asked=asked)
    if len(ours) == len(theirs) == 1 and theirs.named[0] and not ours.named[0]:
        ours = replace(ours, names=theirs.names)  # ours is only the name of a file
    clusterings = encode_documents(ours, theirs, policies, report)
    return score_clusterings(clusterings, policies, options | {"metrics": metrics})
