"""Rule applications from a dependency treebank: each relation is a rule, agreement is what it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arraycoref.errors import InputError, ReadError
from arraycoref.tagging.tagsets import POS, Tagset
from arraycoref.tagging.weights.parsing import Terminal


def read_agreement(path: str | Path, tagset: Tagset) -> Iterator[list[Terminal]]:
    """Take the relations of a CoNLL-U treebank as rule applications.

    A relation between a word and its head is one application of a rule with two words on its right-hand side. It
    refers to the parts of speech of both, and to each category that both tags have with the same value. This
    approximates a grammar: which categories a rule mentions is not known, and a value shared by chance is taken for
    agreement, while government (a preposition's case that only one of the two words bears) goes unseen. Roots and
    empty nodes are no relations between words and are left out.

    Args:
        path: a CoNLL-U file with heads.
        tagset: where it is one of XPOS, the tags are taken from there, otherwise from UPOS and FEATS.

    Yields:
        The dependent and the head of each relation.

    Raises:
        ReadError: a line breaks the format, a head that is no word, or a tag that is none of the tagset's.

    Source: section 2.3.2, whose algorithm `rule_weights` applies to these.
    """
    parsed: dict[str, dict[str, str]] = {}
    sentence: list[tuple[int, dict[str, str], str]] = []
    for number, line in enumerate([*_lines(path), ""], 1):
        columns = line.split("\t")
        if not line:
            yield from _relations(str(path), sentence)
            sentence = []
        elif not line.startswith("#") and columns[0].isdigit():
            if len(columns) != 10:
                raise ReadError(str(path), number, f"{len(columns)} columns, expected 10")
            tag = columns[4] if tagset.xpos else f"{columns[3]}|{columns[5]}"
            if tag not in parsed:
                try:
                    parsed[tag] = tagset.parse(tag)
                except InputError as error:
                    raise ReadError(str(path), number, str(error)) from error
            sentence.append((number, parsed[tag], columns[6]))


def _relations(path: str, sentence: list[tuple[int, dict[str, str], str]]) -> Iterator[list[Terminal]]:
    for number, tag, head in sentence:
        if head == "0":
            continue
        if not head.isdigit() or int(head) > len(sentence):
            raise ReadError(path, number, f"head {head!r}, expected a number from 0 to {len(sentence)}")
        other = sentence[int(head) - 1][1]
        agreeing = [category for category in tag if category != POS and other.get(category) == tag[category]]
        yield [Terminal((POS, *agreeing), tag[POS]), Terminal((POS, *agreeing), other[POS])]


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").replace("\r\n", "\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(str(path), None, f"not a CoNLL-U file: {error}") from error
