"""List what the official validator of Universal Dependencies refuses in CorefUD files, though they can be scored."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.read.conllu import MISC
from arraycoref.read.corefud import GLOBAL, NO_ITEM, USUAL, Item, item_of, split_items
from arraycoref.read.documents import Documents, FileText
from arraycoref.read.faults import quote

REFUSED = "the UD validator refuses"

DIES = "CorefUD's scorer ends with an error at an entity without mentions in"

TYPES = (
    *("", "person", "place", "organization", "animal", "plant", "object", "substance", "time", "number", "abstract"),
    *("event", "other"),
)
"""Types of entities in CorefUD."""

ORDER = re.compile(r"s*c*|o*s*|s*c+o+s*")
"""Items of a line: s for a mention of one word, c for one that closes, o for one that opens."""

Found = tuple[int, str, str]
"""Line, what is refused, and the place where it is."""


def refused(documents: Documents) -> Iterator[ReadError]:
    """Yield what the validator refuses in files of CoNLL-U: of each kind the first place and how many there are.

    Args:
        documents: D documents that were read from any files; those that are not CoNLL-U are passed over.
    """
    files: dict[FileText, list[int]] = defaultdict(list)
    for d, file in enumerate(documents.text.files):
        if file is not None and file.tree is not None:
            files[file].append(d)
    for file, own in files.items():
        lines = file.data.tobytes().decode().replace("\r", "").split("\n")
        kinds: dict[str, list[Found]] = defaultdict(list)
        for place in (*_in_lines(lines), *_crossing(documents, own)):
            kinds[place[1]].append(place)
        for kind, ((line, _, shown), *later) in kinds.items():
            more = f"; there are {1 + len(later):,} such in all" if later else ""
            reason = kind if kind.startswith(DIES) else f"{REFUSED} {kind}"
            yield ReadError(documents.files[own[0]], line, f"{reason}: {shown}{more}")


def _in_lines(lines: list[str]) -> Iterator[Found]:
    """Yield what is refused in single lines of a file, and in what they say of one entity."""
    fields: tuple[str, ...] = ()
    first: dict[str, tuple[str, int]] = {}  # type and line of an entity
    relations: list[tuple[int, str, str]] = []  # line, Bridge or SplitAnte, an item of it
    for number, line in enumerate(lines, 1):
        if not fields and (named := GLOBAL.match(line)):
            fields = tuple(named[1].rstrip(" ").split("-"))
            if fields[:3] != USUAL[:3] or "other" in (*fields[:3], *fields[4:]):
                yield number, f"other fields than {'-'.join(USUAL[:3])} and {'-'.join(USUAL)}", quote("-".join(fields))
        columns = line.split("\t")
        if line.startswith("#") or len(columns) <= MISC:
            continue
        of_line = dict(field.partition("=")[::2] for field in columns[MISC].split("|"))
        if "-" in columns[0] and "Entity" in of_line:
            yield number, "Entity on the line of a multiword token", quote(columns[0])
        elif of_line.get("Entity") == "":
            yield number, "Entity without a value", quote(columns[MISC])
        elif "eid" in fields:
            items = [item_of(text, fields) for text in split_items(of_line.get("Entity", ""))]
            if items and NO_ITEM not in items:  # else the reader complains
                yield from _in_items(items, of_line["Entity"], number, fields, first)
        for name in ("Bridge", "SplitAnte"):
            pairs = [field.partition(":")[0] for field in filter(None, of_line.get(name, "").split(","))]
            relations += [(number, name, pair) for pair in pairs]
            if twice := next((pair for pair, n in Counter(pairs).items() if n > 1), None):
                yield number, f"a pair of entities twice in {name}", quote(twice)
        targets = Counter(field.partition("<")[2] for field in of_line.get("SplitAnte", "").split(","))
        if any(n == 1 for target, n in targets.items() if target):
            yield number, "a single antecedent in SplitAnte", quote(of_line["SplitAnte"])
    for number, name, pair in relations:
        unknown = next((entity for entity in pair.split("<") if entity not in first), None)
        if unknown is not None and "eid" in fields:
            yield number, f"{DIES} {name}", f"{quote(unknown)} in {quote(pair)}"


def _in_items(
    items: list[Item], value: str, number: int, fields: tuple[str, ...], first: dict[str, tuple[str, int]]
) -> Iterator[Found]:
    """Yield what is refused in the items of a line; add its entities to ``first``."""
    kinds = ["s" if item.opens and item.closes else "o" if item.opens else "c" for item in items]
    if not ORDER.fullmatch("".join(kinds)):
        expected = "expected closing ones before opening ones; mentions of one word first if some close, else last"
        yield number, "items in this order", f"{quote(value)}, {expected}"
    for item in [item for item in items if item.opens]:
        values = item.text.split("-")
        if len(values) > len(fields):
            yield number, "more fields than global.Entity has", quote("-".join(values))
        eid, type_ = item.entity, dict(zip(fields, values, strict=False)).get("etype", "")
        if type_ not in TYPES:
            yield number, f"other types of entities than {', '.join(TYPES[1:])}", quote(type_)
        before, line = first.setdefault(eid, (type_, number))
        if before != type_:
            yield (
                number,
                "an entity of two types",
                f"{quote(eid)}, {quote(type_)} here and {quote(before)} on line {line}",
            )


def _crossing(documents: Documents, chosen: list[int]) -> Iterator[Found]:
    """Yield the mentions that share words with another one of their entity, neither of which holds the other.

    Each mention is compared with those round it, a mention of several parts with all that overlap it.
    """
    mentions = documents.mentions
    sentence = np.zeros(len(mentions), np.int64) if mentions.sentence is None else mentions.sentence
    keys = mentions.first, sentence, mentions.entity, mentions.document
    rows = np.flatnonzero(np.isin(mentions.document, chosen))
    rows = rows[np.lexsort((-mentions.last[rows], *(key[rows] for key in keys)))]
    columns = zip(*(key[rows].tolist() for key in keys[1:]), strict=True)
    first, last, size = mentions.first.tolist(), mentions.last.tolist(), mentions.size.tolist()
    open_in, round_it, in_parts = None, list[int](), list[int]()
    for m, own in zip(rows.tolist(), columns, strict=True):
        if own != open_in:
            open_in, round_it, in_parts = own, [], []
        while round_it and last[round_it[-1]] < first[m]:
            round_it.pop()
        is_whole = len(mentions.parts_of(m)) == 1
        candidates = in_parts + (round_it[-1:] if is_whole else round_it)
        overlapping = (k for k in candidates if last[k] >= first[m])
        crossed = next((k for k in overlapping if 0 < mentions.n_common(k, mentions, m) < min(size[k], size[m])), None)
        if crossed is not None:
            spans = [f"{mentions.start[mention]}-{mentions.end[mention]}" for mention in (m, crossed)]
            shown = f"tokens {spans[0]} here and {spans[1]} on line {mentions.line[crossed]}"
            yield int(mentions.line[m]), "two mentions of one entity that cross", shown
        elif is_whole:
            round_it.append(m)
        else:
            in_parts.append(m)
