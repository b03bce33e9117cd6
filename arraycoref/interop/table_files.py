"""Score what tools write as tables of text or as mappings in JSON: records, words or times, and their entity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack

from arraycoref.api import score_clusterings
from arraycoref.errors import ReadError
from arraycoref.files import encode_documents, read_some
from arraycoref.interop.two_tables import TableOptions
from arraycoref.metrics import resolve_metrics
from arraycoref.options import resolve_policies, takes
from arraycoref.read.sources import Source
from arraycoref.results import BatchScores
from arraycoref.tables.shapes import Asked, Names
from arraycoref.threads import thread_count


@takes(TableOptions)
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
    r"""Score tables of text, of one tool or of two.

        >>> from pathlib import Path
        >>> _ = Path("key.csv").write_text("mention,label\nr1,Ada\nr2,Ada\nr3,Bob\n")
        >>> _ = Path("splink.csv").write_text("cluster_id,unique_id,name\nc1,r1,Ada\nc1,r2,A.\nc1,r3,Bob\n")
        >>> score_table_files("key.csv", "splink.csv", metrics="muc")["muc"].precision
        0.5

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input, compressed or not.
        response: likewise.
        key_format: one of the formats that `arraycoref.tables.reading` lists; None to go by the suffix and the names of
            the columns. Beside a table of first and last words, a side may be of `arraycoref.read.FORMATS`.
        response_format: likewise.
        document: column of the documents, where its name is not the format's; None for one document.
        mention: column of the mentions, or columns that make a mention together, where it is not the format's.
        label: column of the entities, where it is not the format's.
        frame: seconds of a frame of RTTM.
        report: called with each warning, in place of `ReadWarning`.
        **options: see `arraycoref.options`. ``max_bytes`` is as for `arraycoref.read.read_documents`.

    Raises:
        ReadError: a file that cannot be read, or breaks its format; names path and line.
        InputError: mentions of different kinds, or a side with a document without a name beside others.
        UnknownNameError: a format that does not exist.
        OptionError: a frame of no length.
        DuplicateMentionError: a mention in two entities, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    policies = resolve_policies(options, TableOptions)
    metrics = resolve_metrics(options.get("metrics"))  # complain before hours of reading
    thread_count(options.get("threads", 1))
    asked = Asked(names=Names.of(document, mention, label), frame=frame)
    reading = {"max_bytes": options.get("max_bytes"), "report": report}
    ours = read_some(key, reading | {"format": key_format, "side": "key"}, asked=asked)
    theirs = read_some(response, reading | {"format": response_format, "side": "response"}, asked=asked)
    if len(ours) == len(theirs) == 1 and theirs.named[0] and not ours.named[0]:
        ours = replace(ours, names=theirs.names)  # that of a file would be less than that of a document
    clusterings = encode_documents(ours, theirs, policies, report)
    return score_clusterings(clusterings, policies, options | {"metrics": metrics})
