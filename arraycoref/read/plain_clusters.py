"""Read clusters from files without a header: lines of a cluster or a label, mappings in JSON, and who speaks when."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from arraycoref.exceptions import NO_ENTITY, NO_LABEL, InputError, OptionError, ReadError
from arraycoref.read.layouts import Table
from arraycoref.read.problems import ReadingOptions
from arraycoref.runtime import once

MOST_FRAMES, LATEST, MICROSECONDS = 10_000_000, 1_000_000_000, 1_000_000
"""The most frames of a file of RTTM; times are below so many seconds, as no recording is as long; and parts of one."""

_CONFIDENCE = re.compile(r"|-|<?n/?a>?|none|null|unknown|[01]|-?\d*\.\d*(e[-+]?\d+)?", re.IGNORECASE)
"""Matches the ninth field of RTTM, but not what is after a space in a name, such as the 2 of ``Speaker 2``."""


def _lines(text: str, path: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line.

    Raises:
        ReadError: a carriage return within a line, such as in a file whose lines end in CR alone.
    """
    for number, line in enumerate(text.split("\n"), 1):
        ended = line.removesuffix("\r")
        if "\r" in ended:
            raise ReadError(path, number, "a carriage return within a line; expected lines that end in LF or CR LF")
        yield number, ended


def read_clueval(text: str, path: str, _options: ReadingOptions) -> Table:
    """Read a cluster per line, from the last of the columns, which are separated by tabs."""
    if "|" not in text and re.search(r"\S[\t ,;]+\S", text):
        reason = "no line has a '|'; expected clusters a|b|c, or format='members' for tabs, commas or spaces"
        raise ReadError(path, None, reason, {"format": "members"})
    clusters = []
    for number, line in _lines(text, path):
        if line.strip():
            members = [member.strip() for member in line.split("\t")[-1].split("|")]
            if "" in members:
                raise ReadError(path, number, f"a cluster with an empty element, {line!r:.60}; expected a|b|c")
            clusters.append(members)
    return Table({None: clusters}, ("element",))


def read_members(text: str, path: str, _options: ReadingOptions) -> Table:
    """Read a cluster per line, whose members are between tabs, commas or spaces; ``#`` begins a comment."""
    lines = [line.strip() for _, line in _lines(text, path) if line.strip() and not line.startswith("#")]
    mark = next((mark for mark in "\t,;" if any(mark in line for line in lines)), None)
    clusters = [[member.strip() for member in line.split(mark) if member.strip()] for line in lines]
    return Table({None: clusters}, ("element",))


def read_labels(text: str, path: str, _options: ReadingOptions) -> Table:
    """Read the label of a mention in each line; a line without one, or with -1, is a mention that the side lacks."""
    clusters: dict[str, list[int]] = {}
    for number, line in _lines(text, path):
        label = line.strip()
        if len(label.split()) > 1 or (NO_LABEL.fullmatch(label) and label not in NO_ENTITY):
            raise ReadError(path, number, f"{label!r:.60}; expected one label, or nothing where there is none")
        if label not in NO_ENTITY:
            clusters.setdefault(label, []).append(number)
    n_lines = text.removesuffix("\n").count("\n") + 1
    return Table({None: list(clusters.values())}, ("line",), n_lines={None: n_lines})


def read_mapping(text: str, path: str, options: ReadingOptions) -> Table:
    """Read a JSON object that maps clusters to their elements, or elements to their clusters."""
    try:
        mapping = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, InputError) else f"not JSON: {error}"
        raise ReadError(path, getattr(error, "lineno", None), reason) from error
    if not isinstance(mapping, dict):
        raise ReadError(path, None, f"holds a {type(mapping).__name__}; expected one object")
    clusters: dict[str, list[str]] = {}
    for name, value in mapping.items():
        items = value["signature_ids"] if isinstance(value, dict) and "signature_ids" in value else value
        if not isinstance(items, list) or not set(map(type, items)) <= {str, int}:
            reason = f"{name!r:.60} maps to {value!r:.60}; expected a list of texts or whole numbers"
            raise ReadError(path, None, reason)
        if options.format != "clusim":
            clusters[name] = list(map(str, items))
        elif len(items) != 1:
            where = f"{len(items)} clusters, {items!r:.60}" if items else "no cluster"
            raise ReadError(path, None, f"element {name!r:.60} is in {where}; expected one")
        else:
            clusters.setdefault(repr(items[0]), []).append(name)
    only = [items[0] for items in clusters.values() if len(items) == 1]
    if options.format != "clusim" and len(set(only)) < len(only) == len(clusters):
        reason = "looks like a mapping from elements to their clusters: each value has one item, and some are equal"
        expected = "expected clusters and their members (format clusim reads the former)"
        raise ReadError(path, None, f"{reason}; {expected}")
    return Table({None: list(clusters.values())}, ("element",))


def read_rttm(text: str, path: str, options: ReadingOptions) -> Table:
    """Read who speaks in each frame of each recording."""
    if not 1e-6 <= options.frame <= 1e6:
        raise OptionError(f"frame is {options.frame!r}; expected seconds, such as 0.01", "frame")
    recordings: dict[str | None, dict[int, tuple[str, int]]] = {}
    step, n_frames = round(options.frame * MICROSECONDS), 0
    for number, line in _lines(text, path):
        fields = [field.strip(" ") for field in line.strip(" \t").split("\t")]
        if len(fields) < 8:
            fields = [field for field in line.replace("\t", " ").split(" ") if field]  # names may have other spaces
        if not fields or fields[0] != "SPEAKER":  # other types, and comments
            continue
        if len(fields) < 8:
            raise ReadError(path, number, f"{len(fields)} fields; expected 8 at least, the speaker in the last of them")
        if len(fields) > 10 or not _CONFIDENCE.fullmatch("".join(fields[8:9])):
            reason = f"{len(fields)} fields, the speaker {fields[7]!r:.60}; expected 10 at most, after the speaker a "
            reason += "confidence or <NA>. If a name has a space, separate fields by tabs"
            raise ReadError(path, number, reason)
        if fields[7] in ("<NA>", ""):  # speakers who were not identified
            raise ReadError(path, number, f"{fields[7] or 'nothing'} instead of the speaker; expected a name")
        (onset, duration), speaker = (_time(seconds, path, number) for seconds in fields[3:5]), fields[7]
        frames = [-((step - 2 * time) // (2 * step)) for time in (onset, onset + duration)]
        n_frames += frames[1] - frames[0]
        if n_frames > MOST_FRAMES:
            reason = f"more than {MOST_FRAMES:,} frames of {options.frame} s; expected longer ones"
            raise ReadError(path, number, reason)
        spoken = recordings.setdefault(fields[1], {})
        for frame in range(*frames):
            other, place = spoken.setdefault(frame, (speaker, number))
            if other != speaker:
                when = f"at {frame * step / MICROSECONDS:.3f} s of {fields[1]!r}"
                both = f"{speaker!r} speaks {when}, and so does {other!r} of line {place}"
                raise ReadError(path, number, f"{both}; overlapping speakers are not a clustering")
    return Table({name: _speakers(spoken) for name, spoken in recordings.items()}, ("frame",))


def _speakers(spoken: Mapping[int, tuple[str, int]]) -> list[list[Any]]:
    frames_of: dict[str, list[Any]] = {}
    for frame, (speaker, _) in spoken.items():
        frames_of.setdefault(speaker, []).append(frame)
    return list(frames_of.values())


def _time(text: str, path: str, line: int) -> int:
    """Return the time in microseconds that a text gives in seconds."""
    try:
        seconds = Decimal(text)
        if "_" not in text and 0 <= seconds < LATEST:
            return round(seconds * MICROSECONDS)
    except InvalidOperation:  # no number, or NaN
        pass
    raise ReadError(path, line, f"{text!r:.60} is not a time; expected seconds from 0 on, below {LATEST:,}")
