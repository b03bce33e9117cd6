"""What the user names on either side -> files paired by name, read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from arraycoref.errors import InputError, ReadError
from arraycoref.options import Policies
from arraycoref.pairing import ABSENT, pair_documents
from arraycoref.read.parsed import Fault
from arraycoref.read.sources import expand, is_stream
from arraycoref.read.unpacking import split_compression
from arraycoref.tagging.read import fault_of, read_tagged
from arraycoref.tagging.texts import TaggedText
from arraycoref.threads import run, thread_count

Source = str | Path | Sequence[str | Path]
Progress = Callable[[int, int], None]


class TextPair(NamedTuple):
    """A gold text, the system's of the same file, and what the file is called beside others.

    Attributes:
        gold: the gold words.
        system: the system's; None where the system lacks the file, all of whose words then count as unaligned.
        name: the name, empty where there is one file a side.
    """

    gold: TaggedText
    system: TaggedText | None
    name: str = ""


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Attributes:
        format: of all files; None for what each suffix says.
        separator: see `read_tagged`.
        lenient: likewise.
        report: likewise.
        max_bytes: the most bytes that a file may hold, decompressed; see `read_tagged`.
        threads: threads over files, 0 for one a core.
        progress: called with the number of files read and their number.
    """

    format: str | None = None
    separator: str = "|"
    lenient: bool = False
    report: Fault | None = None
    max_bytes: int | None = None
    threads: int = 1
    progress: Progress | None = None


def read_pairs(gold: Source, system: Source, policies: Policies, reading: Reading) -> list[TextPair]:
    """Read the files of two sides.

    One file on each side are a pair. Of more, those of one name are: the path below the directory that was named, or
    the file's own name, without the suffixes of format and compression.

    Args:
        gold: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input.
        system: likewise.
        policies: for files that one side lacks (``missing_documents``, ``extra_documents``).
        reading: how.

    Raises:
        ReadError: a file that cannot be read or breaks its format.
        InputError: two files of one name on a side; both sides from standard input.
        DocumentMismatchError: a file on one side only, where the policy refuses that.
    """
    if gold == system and is_stream(gold):
        raise InputError(f"gold and system are both {gold!r}, which can be read only once")
    threads = thread_count(reading.threads)
    ours, theirs = named_files(gold), named_files(system)
    names, paths = [""], list(zip(ours.values(), theirs.values(), strict=False))
    if len(ours) != 1 or len(theirs) != 1:
        positions = zip(*pair_documents(list(ours), list(theirs), policies), strict=True)
        gold_names, system_paths = list(ours), list(theirs.values())
        names, paths = [], []
        for g, s in positions:
            names.append(gold_names[g])
            paths.append((ours[gold_names[g]], "" if s == ABSENT else system_paths[s]))
    files = [path for pair in paths for path in pair if path]
    found = run(lambda path: _read(path, reading), files, threads, reading.progress)
    fault = fault_of(reading.lenient, reading.report)
    for _, faults in found:
        for error in faults:
            if fault is not None:
                fault(error)
    texts = iter(text for text, _ in found)
    return [
        TextPair(next(texts), next(texts) if path else None, name) for name, (_, path) in zip(names, paths, strict=True)
    ]


def named_files(source: Source) -> dict[str, str]:
    """List the files that a source stands for, by name.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: two files of one name.
    """
    found: dict[str, str] = {}
    for root in [source] if isinstance(source, str | Path) else source:
        folder = os.fspath(root)
        for path in expand(folder):
            relative = os.path.relpath(path, folder) if os.path.isdir(folder) else os.path.basename(path)
            name = os.path.splitext(split_compression(relative)[0])[0].replace(os.sep, "/")
            if name in found:
                raise InputError(f"two files are named {name!r}: {found[name]} and {path}; expected names that differ")
            found[name] = path
    if not found:
        raise InputError("no files were given; expected one at least")
    return found


def _read(path: str, reading: Reading) -> tuple[TaggedText, list[ReadError]]:
    """Read a file, and keep its faults, for files are read in any order."""
    faults: list[ReadError] = []
    text = read_tagged(
        path,
        reading.format,
        separator=reading.separator,
        lenient=reading.lenient,
        report=faults.append,
        max_bytes=reading.max_bytes,
    )
    return text, faults
