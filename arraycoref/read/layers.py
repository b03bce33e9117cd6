"""Find what a file says of a document beside its words and mentions: parts of speech, parses, speakers, empty nodes.

Nothing of this is scored. Writers take it from one format to another; a column that two formats have has one name here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from arraycoref.display.tables import plural
from arraycoref.ragged import Ints
from arraycoref.read.conllu import DEPREL, DEPS, FEATS, HEAD, MISC, UPOS, XPOS

Cells = list[list[str]]
"""A text for each word, sentence by sentence."""

IN_CONLL = {"pos": 4, "parse": 5, "lemma": 6, "frameset": 7, "sense": 8, "speakers": 9, "named_entity": 10}
"""Columns of CoNLL-2012 by name, from 0; the arguments of predicates are after them."""

IN_CONLLU = {
    **{"lemma": 2, "upos": UPOS, "pos": XPOS, "feats": FEATS},
    **{"head": HEAD, "deprel": DEPREL, "deps": DEPS, "misc": MISC},
}
"""Columns of CoNLL-U by name, from 0."""

SHARED = ("pos", "lemma", "speakers")
"""Columns that CoNLL has in common with others, which write ``_`` for nothing instead of ``-``."""

COLUMNS = (*dict.fromkeys((*IN_CONLL, "arguments", *IN_CONLLU)),)
"""All names of columns; in JSON lines, a field of this name has a list of texts for each sentence."""

PER_SENTENCE = ("comments", "multiword", "empty_nodes")
"""What CoNLL-U has beside words: of each sentence the comments, and the columns of multiword tokens and empty nodes."""

TYPES = "entity_types"
"""In JSON, the field of the types of entities, one or null for each cluster."""

MENTION_TYPES = "mention_types"
"""In JSON, the field of the types of mentions, if those of an entity differ: a list like that of the clusters."""

NOTHING = {"", "_", "-", "*"}
"""Cells that say nothing."""

OF_ENTITIES = ("Entity=", "Bridge=", "SplitAnte=", "Split=")
"""What lines of CoNLL-U say of entities, which is written anew."""

SPEAKER = "# speaker = "


def speaker_of(cells: Sequence[str]) -> str:
    """Return the speaker of all words of a sentence; nothing if they have several, or some have none."""
    return cells[0] if len(set(cells)) == 1 and cells[0] not in NOTHING else ""


LINKS = ("bridges", "split antecedents")
HELD: Mapping[str, frozenset[str]] = {
    "conll": frozenset({*IN_CONLL, "arguments"}),
    "jsonlines": frozenset({*COLUMNS, *PER_SENTENCE, "types of entities", "types of mentions"}),
    "conllu": frozenset({*IN_CONLLU, *PER_SENTENCE, *LINKS, "speakers", "types of entities", "heads of mentions"}),
}
"""What a format can hold; CoNLL-U has the speaker of a sentence, in a comment."""


@dataclass(frozen=True)
class Layers:
    """What a file says of a document.

    Attributes:
        sentences: its words.
        columns: cells of each word, by a name of `COLUMNS`; without columns that say nothing.
        per_sentence: by a name of `PER_SENTENCE`, a list for each sentence.
        others: how often the file says something else that no other format can hold, by its name.
        of_entities: the same of what it says of its own entities.
    """

    sentences: Cells
    columns: Mapping[str, Cells] = field(default_factory=dict)
    per_sentence: Mapping[str, list[list[Any]]] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)
    of_entities: Mapping[str, int] = field(default_factory=dict)

    def counts(self) -> Counter[str]:
        """Count the words about which each column says something, and what is in no column; not of entities."""
        found = Counter({name: sum(map(_says_something, cells)) for name, cells in self.columns.items()})
        found.update({name: sum(map(len, lists)) for name, lists in self.per_sentence.items()})
        found.update(self.others)
        return found


def listed(counts: Mapping[str, int]) -> str:
    """Write what is left out: columns with the numbers of their words, and how many there are of everything else.

    >>> listed({"head": 3, "speakers": 1, "empty_nodes": 2})
    'the columns head (3 words), speakers (1 word); empty nodes (2)'
    """
    columns = [f"{name} ({plural(n, 'word')})" for name, n in counts.items() if name in COLUMNS]
    titles = {name: name.replace("_", " ") for name in PER_SENTENCE}
    rest = [f"{titles.get(name, name)} ({n:,})" for name, n in counts.items() if name not in COLUMNS]
    of_words = f"the column{'s' * (len(columns) > 1)} {', '.join(columns)}" if columns else ""
    return "; ".join(filter(None, [of_words, ", ".join(rest)]))


def one_line(text: str) -> str:
    r"""Return a text that a cell of columns can hold: without tabs, line ends, invalid Unicode, or spaces around.

    >>> one_line("a\tb"), one_line(" ")
    ('a b', '_')
    """
    if not text.isprintable():
        text = re.sub("[\t\n\r\0]+", " ", text.encode("utf-8", "replace").decode())
    text = text.strip(" ")
    return text if text.strip() else "_"


def _says_something(cells: Sequence[str]) -> int:
    """Count the cells that say something."""
    return sum(n for cell, n in Counter(cells).items() if not NOTHING.issuperset(cell.split("\t")))


def informative(columns: Mapping[str, Cells]) -> dict[str, Cells]:
    """Return the columns that say something."""
    return {name: cells for name, cells in columns.items() if any(map(_says_something, cells))}


def of_rows(rows: list[list[list[str]]], column: int) -> Layers:
    """Return the layers of a document in columns of CoNLL-2012.

    Args:
        rows: the cells of each word, sentence by sentence.
        column: the column of the coreference, from 1, or from -1 at the right.
    """
    width = 1 + max(IN_CONLL.values())
    columns: dict[str, Cells] = {name: [] for name in ("form", *IN_CONLL, "arguments")}
    for sentence in rows:
        for cells in sentence:
            coreference = column - 1 if column > 0 else len(cells) + column
            if coreference >= width:
                del cells[coreference]
            elif coreference >= 0:
                cells[coreference] = "_"
            cells.extend((width - len(cells)) * ["_"])
        by_place = [[cells[place] for cells in sentence] for place in range(width)]
        columns["form"].append(by_place[3])
        for name, place in IN_CONLL.items():
            cells = by_place[place]
            if name in SHARED:
                cells = ["_" if cell == "-" != word else cell for cell, word in zip(cells, by_place[3], strict=True)]
            columns[name].append(cells)
        columns["arguments"].append(["\t".join(cells[width:]) for cells in sentence])
    forms = columns.pop("form")
    if {"_"}.issuperset(chain.from_iterable(forms)):
        return Layers([])
    is_conll = all(cells[2].isdigit() for cells in rows[0])  # not in SemEval, which has other columns
    return Layers(forms, informative(columns) if is_conll else {})


def own_items(misc: str) -> list[str]:
    """Return what the last column of a line of CoNLL-U says of other than entities."""
    return [item for item in misc.split("|") if item != "_" and not item.startswith(OF_ENTITIES)]


def of_fields(fields: Mapping[str, Any], sentences: Cells, known: Sequence[str]) -> Layers:
    """Return the layers of a document in JSON.

    Args:
        fields: its fields.
        sentences: its words.
        known: fields that are read elsewhere.
    """
    lengths = [*map(len, sentences)]
    columns: dict[str, Cells] = {}
    per_sentence: dict[str, list[list[Any]]] = {}
    others: Counter[str] = Counter()
    for name, value in fields.items():
        is_listed = isinstance(value, list) and set(map(type, value)) <= {list} and len(value) == len(lengths)
        if name in known or value in (None, [], ""):
            continue
        if is_listed and name in PER_SENTENCE and all(_fits(name, entry) for entries in value for entry in entries):
            per_sentence[name] = value
        elif is_listed and name in COLUMNS and [*map(len, value)] == lengths:
            columns[name] = [[*map(str, cells)] for cells in value]
        else:
            others[f"field {name}"] += 1
    return Layers(sentences, informative(columns), per_sentence, others)


def _fits(name: str, entry: object) -> bool:
    """Whether an entry of JSON can be a comment, or the ten columns of a line, of CoNLL-U."""
    if name == "comments":
        return isinstance(entry, str) and entry.startswith("#") and entry.isprintable()
    return isinstance(entry, list) and len(entry) == MISC + 1 and set(map(type, entry)) == {str}


def types_in(fields: Mapping[str, Any], sizes: list[int]) -> list[str | None]:
    """Return the types of mentions in clusters of these sizes, from JSON; none if it does not have those of all."""
    types = fields.get(MENTION_TYPES)
    if types is None and isinstance(fields.get(TYPES), list):
        types = [size * [kind] for kind, size in zip(fields[TYPES], sizes, strict=False)]
    if not isinstance(types, list) or [len(own) if isinstance(own, list) else -1 for own in types] != sizes:
        return []
    listed = [*chain.from_iterable(types)]
    return listed if set(map(type, listed)) <= {str, type(None)} else []


def tree_of(heads: Iterable[Sequence[str]]) -> Ints | None:
    """Return the parent of each word of a document, int64 (W,) from 1, and 0 for none; None if no word has one or 0.

    Args:
        heads: for each sentence the cell of each word that has its parent, from 1 in the sentence.
    """
    parents: list[int] = []
    for cells in heads:
        places = [int(cell) if re.fullmatch("[0-9]{1,9}", cell) else -1 for cell in cells]
        parents += [len(parents) + place if 0 < place <= len(cells) else min(place, 0) for place in places]
    tree = np.array(parents, np.int64)
    return np.maximum(tree, 0) if tree.max(initial=-1) >= 0 else None
