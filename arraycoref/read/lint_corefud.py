"""List what is doubtful in CorefUD files: mentions that cross or are lost, and links between entities."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from arraycoref.exceptions import ReadError
from arraycoref.read.conllu import MISC, in_order, nodes_in_order
from arraycoref.read.corefud import ConlluText, link_of, openings, parsed
from arraycoref.read.documents import Documents
from arraycoref.read.mentions import EMPTY
from arraycoref.read.problems import quote

REFUSED = "the UD validator refuses"

LINKS = {"Bridge": "Bridge", "SplitAnte": "SplitAnte", "Split": "SplitAnte"}
"""Fields of the last column with links of entities, and their names today."""

Place = tuple[int, str, str]
"""Line, what is refused, and what is there."""


def refused(documents: Documents) -> Iterator[ReadError]:
    """Yield what is doubtful in files of CoNLL-U: of each kind the first place and how many there are.

    Args:
        documents: D documents that were read from any files; those that are not CoNLL-U are skipped.
    """
    kinds: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for d, text in enumerate(documents.text):
        if isinstance(text, ConlluText):
            for place in (*_in_lines(documents, d, text), *_crossing(documents, d)):
                kinds[documents.files[d], place[1]].append(place)
    for (file, kind), ((line, _, shown), *later) in kinds.items():
        more = f"; there are {1 + len(later):,} such in all" if later else ""
        yield ReadError(file, line, f"{REFUSED} {kind}: {shown}{more}")


def _in_lines(documents: Documents, d: int, text: ConlluText) -> Iterator[Place]:
    """Yield what is doubtful in the lines of a document."""
    before, nodes, identity = text.line - 1, nodes_in_order(parsed(text)), dict[str, str]()
    for sentence in parsed(text):
        for token in sentence.multiword:
            if "Entity=" in token.columns[MISC]:
                yield before + token.line, "Entity on the line of a multiword token", quote(token.columns[0])
        for columns, line in zip(*in_order(sentence, ""), strict=True):
            node, _ = next(nodes)
            for values in openings(columns[MISC], text.fields):
                eid, own = values.get("eid", "").partition("[")[0], values.get("identity", "")
                if own and identity.setdefault(eid, own) != own:
                    yield before + line, "an entity of two identities", f"{quote(eid)}, {identity[eid]!r} and {own!r}"
            for name, _, value in (field.partition("=") for field in columns[MISC].split("|")):
                for kind, shown in _of_links(documents, d, node, LINKS[name], value) if name in LINKS else ():
                    yield before + line, kind, shown


def _of_links(documents: Documents, d: int, node: int, name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield what is doubtful in links such as ``e1<e2:part,e3<e2``, at a node; and what is there."""
    links, known = [link.partition(":")[0] for link in filter(None, value.split(","))], documents.entities[d]
    for link in links:
        antecedent, anaphor, _, fault = link_of(link)
        if fault:
            yield f"{fault} in {name}", quote(link)
        elif unknown := [entity for entity in (antecedent, anaphor) if entity not in known]:
            yield f"an entity without mentions in {name}", f"{quote(unknown[0])} in {quote(link)}"
        elif name == "Bridge" and not _holds(documents, d, known.index(anaphor), node):
            yield "an anaphor without a mention at its Bridge", quote(link)
    if twice := next((link for link, n in Counter(links).items() if n > 1), None):
        yield f"a pair of entities twice in {name}", quote(twice)
    if name == "SplitAnte" and 1 in Counter(link.partition("<")[2] for link in links if "<" in link).values():
        yield "a single antecedent in SplitAnte", quote(value)


def _holds(documents: Documents, d: int, entity: int, node: int) -> bool:
    """Whether a mention of an entity holds a node."""
    rows = documents.offsets[d] + np.flatnonzero(documents.mentions_of(d)[2] == entity)
    parts = [part for m in rows.tolist() for part in documents.mentions.parts_of(m).tolist()]
    return any(first <= node <= last and bool(first & EMPTY) == bool(node & EMPTY) for first, last in parts)


def _crossing(documents: Documents, d: int) -> Iterator[Place]:
    """Yield the mentions that share words with another one of their entity, without one containing the other.

    Each mention is compared with those round it, a mention of several parts with all that overlap it.
    """
    mentions = documents.mentions
    rows = np.arange(*documents.offsets[d : d + 2])
    keys = mentions.first, mentions.sentence, mentions.entity
    rows = rows[np.lexsort((-mentions.last[rows], *(key[rows] for key in keys)))]
    first, last, size = (column.tolist() for column in (mentions.first, mentions.last, mentions.size))
    open_in, round_it, in_parts = None, list[int](), list[int]()
    for m in rows.tolist():
        own = mentions.sentence[m], mentions.entity[m]
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
