"""Rule applications from a dependency treebank: each relation is a rule, agreement is what it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arraycoref.errors import InputError, ReadError
from arraycoref.read.parsed import Fault, refuse
from arraycoref.read.sources import load_text
from arraycoref.tagging.tagsets import POS, Tagset
from arraycoref.tagging.weights.parsing import Terminal


def read_agreement(path: str | Path, tagset: Tagset, fault: Fault = refuse) -> Iterator[list[Terminal]]:
    """Take the relations of a CoNLL-U treebank as rule applications.

    A relation between a word and its head is one application of a rule with two words on its right-hand side. It
    refers to the parts of speech of both, and to each category that both tags have with the same value. This
    approximates a grammar: which categories a rule mentions is not known, and a value shared by chance is taken for
    agreement, while government (a preposition's case that only one of the two words bears) goes unseen. Roots and
    empty nodes are no relations between words and are left out.

    Args:
        path: a CoNLL-U file with heads.
        tagset: where it is one of XPOS, the tags are taken from there, otherwise from UPOS and FEATS.
        fault: takes each fault; the line, and with it the relations of its word, is then passed over. The default
            raises the first.

    Yields:
        The dependent and the head of each relation.

    Raises:
        ReadError: a line breaks the format, a head that is no word, or a tag that is none of the tagset's.

    Source: section 2.3.2, whose algorithm `rule_weights` applies to these.
    """
    parsed: dict[str, dict[str, str] | None] = {}
    sentence: dict[str, Word] = {}
    for number, line in enumerate([*load_text(path).replace("\r\n", "\n").split("\n"), ""], 1):
        columns = line.split("\t")
        if not line:
            yield from _relations(str(path), sentence, fault)
            sentence = {}
        elif not line.startswith("#") and columns[0].isdigit():
            if len(columns) != 10:
                fault(ReadError(str(path), number, f"{len(columns)} columns, expected 10"))
                continue
            tag = columns[4] if tagset.xpos else f"{columns[3]}|{columns[5]}"
            if tag not in parsed:
                parsed[tag] = None
                try:
                    parsed[tag] = tagset.parse(tag)
                except InputError as error:
                    fault(ReadError(str(path), number, str(error)))
            sentence[columns[0]] = Word(number, parsed[tag], columns[6])


class Word(NamedTuple):
    """A word of a treebank: its line, the values of its tag (None: of no use), and the number of its head."""

    line: int
    tag: dict[str, str] | None
    head: str


def _relations(path: str, sentence: dict[str, Word], fault: Fault) -> Iterator[list[Terminal]]:
    for line, tag, head in sentence.values():
        if head == "0":
            continue
        if head not in sentence:
            fault(ReadError(path, line, f"head {head!r}, expected a word's number or 0"))
            continue
        other = sentence[head].tag
        if tag is None or other is None:
            continue
        agreeing = [category for category in tag if category != POS and other.get(category) == tag[category]]
        yield [Terminal((POS, *agreeing), tag[POS]), Terminal((POS, *agreeing), other[POS])]
