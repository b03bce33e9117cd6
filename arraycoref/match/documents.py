"""Pair the documents of key and response, also where files leave names out, and bring them to the same units."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain

import numpy as np

from arraycoref.display.tables import plural
from arraycoref.exceptions import DocumentMismatchError, InputError
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints32
from arraycoref.read.conll import parse_header
from arraycoref.read.documents import Documents, Sentences, Text, in_words, pieces_of, take, without_blanks, words_of
from arraycoref.read.problems import ProblemLog, quote, quote_both
from arraycoref.read.tables import kinds

ABSENT = -1
"""The position of a response document that is missing and scored as empty."""

SHOWN = 3
"""The most documents that a message names."""

_ZEROS = re.compile(r"_0+(?=[0-9]+\Z)")
_PART = re.compile(r"part[ \t]+[0-9]++\Z")

LOOKED_AT, LONGEST = 1000, 100
"""The most names that are searched for the most similar ones, and the most characters of a name or mention."""


@dataclass(frozen=True)
class Unpaired:
    """Documents that one side lacks.

    Attributes:
        n: number of documents that one side lacks.
        total: number of all documents of the other side, which has them.
        shown: position and name of the first `SHOWN` documents that one side lacks.
        names: names of the first `LOOKED_AT` of these documents, to find similar names; empty if they are not known.
    """

    n: int = 0
    total: int = 0
    shown: tuple[tuple[int, str], ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Unpaired]) -> Unpaired:
        """Join the results for several parts of the documents."""
        every = list(parts)
        shown = sorted(one for part in every for one in part.shown)[:SHOWN]
        return cls(sum(part.n for part in every), sum(part.total for part in every), tuple(shown))

    def __str__(self) -> str:
        shown = ", ".join(repr(name) for _, name in self.shown)
        more = f" and {self.n - SHOWN} more" if self.n > SHOWN else ""
        return f"{self.n} of {self.total} documents ({shown}{more})"


def pair_documents(key: Sequence[str], response: Sequence[str], policies: Policies) -> tuple[list[int], list[int]]:
    """Find the positions of the documents to score, in the key's order.

    Args:
        key: unique names of the key's documents.
        response: unique names of the response's.
        policies: for ``missing_documents`` and ``extra_documents``.

    Returns:
        Positions in the key, and in the response or `ABSENT`.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy is ``error``; or no document on both
            sides, under any policy.
    """
    if tuple(key) == tuple(response):
        return list(range(len(key))), list(range(len(key)))
    positions = {name: position for position, name in enumerate(response)}
    pairs = [(k, positions.get(name, ABSENT)) for k, name in enumerate(key)]
    check_paired(lacking(key, positions), lacking(response, set(key)), policies)
    if policies.missing_documents == "skip":
        pairs = [pair for pair in pairs if pair[1] != ABSENT]
    return [k for k, _ in pairs], [r for _, r in pairs]


def lacking(names: Sequence[str], present: Container[str]) -> Unpaired:
    """Name the documents of one side that the other lacks."""
    lacking = [(position, name) for position, name in enumerate(names) if name not in present]
    known_names = tuple([str(name) for _, name in lacking[:LOOKED_AT]])
    return Unpaired(len(lacking), len(names), tuple(lacking[:SHOWN]), known_names)


def check_paired(missing: Unpaired, extra: Unpaired, policies: Policies) -> None:
    """Refuse documents on one side only, where the policies do; note others; refuse sides that share none.

    Args:
        missing: documents that the response lacks.
        extra: documents that the key lacks.
        policies: for ``missing_documents`` and ``extra_documents``; receives the notes.

    Raises:
        DocumentMismatchError: there are documents that a policy refuses, or the sides share none.
    """
    skipped = policies.missing_documents == "skip"
    if 0 < missing.total == missing.n and (extra.total or skipped):
        instead = _instead("response", missing, extra) or ". The response has none"
        raise DocumentMismatchError(
            f"key and response have no document in common: missing from the response are {missing} of the key{instead}"
        )
    if missing.n and policies.missing_documents == "error":
        raise DocumentMismatchError(
            f"missing from the response: {missing} of the key; "
            "missing_documents='empty' scores them as empty responses, 'skip' leaves them out"
            f"{_instead('response', missing, extra)}",
            option="missing_documents",
        )
    if extra.n and policies.extra_documents == "error":
        raise DocumentMismatchError(
            f"missing from the key: {extra} of the response; extra_documents='ignore' leaves them out"
            f"{_instead('key', extra, missing)}",
            option="extra_documents",
        )
    policies.note(missing.n, "document", f"{'left out' if skipped else 'scored as empty'}: not in the response")
    policies.note(extra.n, "response document", "left out: not in the key")


def _instead(side: str, lacking: Unpaired, other: Unpaired) -> str:
    """Say which documents a side has instead of those that it lacks, and which of their names are the most similar."""
    if not other.n:
        return ""
    full_name = {name[:LONGEST]: name for name in other.names}
    nearest = [near for _, name in lacking.shown for near in get_close_matches(str(name)[:LONGEST], full_name, 1)]
    alike = {unicodedata.normalize("NFC", name) for _, name in lacking.shown}
    names = [full_name[name] for name in dict.fromkeys(nearest)]
    near = ", ".join(ascii(name) if unicodedata.normalize("NFC", name) in alike else repr(name) for name in names)
    return f". The {side} has {other} instead{near and f'; the nearest names: {near}'}"


def paired(key: Documents, response: Documents, policies: Policies) -> tuple[Documents, Documents]:
    """Return the documents to score of both sides, in the key's order, under the key's names.

    Raises:
        DocumentMismatchError: as `pair_documents` does; or, if documents have no names: the sides have different
            numbers of documents, two documents of a pair differ, or they have nothing to compare.
    """
    response = _with_like_names(key, _with_names_of(key, response, policies.tokens == "align"))
    key_positions, response_positions = pair_documents(key.names, response.names, policies)
    return take(key, key_positions), take(response, response_positions)


def _with_names_of(key: Documents, response: Documents, by_place: bool) -> Documents:
    """Return the response with the key's names, if some documents have no name: then documents pair in their order.

    If each side has one document, the two pair without a check. Otherwise the documents of a pair must have the same
    words, or, if a side has no words, the same number of tokens. A single document may have the name of its file.

    Args:
        key: D documents.
        response: D documents, or any number if all documents have names.
        by_place: pair documents with texts in their order without comparing these, which are aligned later.

    Raises:
        DocumentMismatchError: the sides have different numbers of documents, or two documents of a pair differ or have
            neither words nor a number of tokens.
    """
    if key.named.all() and response.named.all():
        return response
    lone, several = sorted((key, response), key=len)
    if len(lone) == 1 < len(several) and several.named.all():
        known = {*several.names, *_only_parts(several).values()}
        if not known.isdisjoint((lone.names[0], lone.names[0].removesuffix(".txt"))):
            return response  # the name of a file, which is the only one in its folder
    if len(key) != len(response):
        unnamed = response if key.named.all() else key
        names, option = ("name_field says which field holds the names", "name_field")
        if unnamed.have_trees:
            names, option = ("lines '# newdoc id = NAME' name them", "")
        raise DocumentMismatchError(
            f"documents have no names, so they are paired in order, but the key has {len(key)} and the response "
            f"{len(response)}; {names}",
            option,
        )
    for d in range(len(key) if len(key) > 1 else 0):
        problem = option = ""
        if key.named[d] and response.named[d]:
            if key.names[d] != response.names[d]:
                problem = f"is {key.shown(d)} in the key, {response.shown(d)} in the response"
        elif key.text[d].has_words and response.text[d].has_words:
            texts = ["" if by_place else without_blanks(side.text[d].words() or []) for side in (key, response)]
            if texts[0] != texts[1]:
                problem = f"has another text in the response: {_difference(*texts)}; tokens='align' aligns their words"
                option = "tokens"
        elif min(key.lengths[d], response.lengths[d]) < 0 or key.units[d] != response.units[d]:
            problem = "has neither words nor a number of tokens on both sides"
        elif key.n_tokens[d] != response.n_tokens[d]:
            problem = f"has {key.n_tokens[d]} tokens in the key, {response.n_tokens[d]} in the response"
        if problem:
            which = f"document {d + 1}, which has no name on both sides and pairs by its position,"
            raise DocumentMismatchError(f"{which} {problem}", option)
    return replace(response, names=key.names)


def _with_like_names(key: Documents, response: Documents) -> Documents:
    """Return the response with the key's names of documents that one side alone has, where tools write them otherwise.

    Converters put ``:`` instead of ``/``, and keep the zeros of ``part 000``; file systems change how accents are
    written; some tools keep the suffix ``.txt`` of the document's text. A CoNLL document of a single part is ``x_0`` on
    one side, and may be ``x`` on the other. A name counts that no other one of its side is like.
    """
    alike: list[dict[str, list[str]]] = [{}, {}]
    for side, own, other in ((0, key, response), (1, response, key)):
        without_part = _only_parts(own)
        for name in set(own.names) - set(other.names):
            alike[side].setdefault(as_usual(without_part.get(name, name)), []).append(name)
    new_name = {
        names[0]: alike[0][written][0]
        for written, names in alike[1].items()
        if len(names) == len(alike[0].get(written, ())) == 1
    }
    return replace(response, names=tuple([new_name.get(name, name) for name in response.names]))


def as_usual(name: str) -> str:
    """Return a name, or a header of CoNLL, in a form that is the same for all ways in which tools write it.

    >>> as_usual("(bc:cnn:x); part 000"), as_usual("bc/cnn/x_0")
    ('bc/cnn/x_0', 'bc/cnn/x_0')
    """
    return _ZEROS.sub("_", unicodedata.normalize("NFC", parse_header(name)).replace(":", "/").removesuffix(".txt"))


def _only_parts(side: Documents) -> dict[str, str]:
    """Map the name of each CoNLL document of a single part 0, ``x_0``, to its name without the part, ``x``."""
    parts = defaultdict(list)
    for name, header in zip(side.names, side.headers, strict=True):
        head, _, digits = name.rpartition("_")
        if digits.isdigit() and header != f"({name})" and _PART.search(header):
            parts[head].append(name)
    return {names[0]: head for head, names in parts.items() if names == [f"{head}_0"]}


def in_one_unit(key: Documents, response: Documents, problems: ProblemLog) -> tuple[Documents, Documents]:
    """Return both sides with mentions in the same unit.

    Spans of characters become spans of the other side's words. Mentions that are values get new numbers, so that equal
    values have equal numbers.

    Args:
        key: D documents.
        response: the same documents in the same order.
        problems: receives the number of mentions of characters that begin or end within a word.

    Raises:
        InputError: other units that differ, columns of other kinds, or texts that differ.
    """
    if key.columns and response.columns and kinds(key.columns) != kinds(response.columns):
        shown = f"the key's mentions are {'+'.join(key.columns)}, the response's {'+'.join(response.columns)}"
        raise InputError(f"{shown}; expected the same; columns='DOCUMENT,MENTION,LABEL' names others", "columns")
    both = enumerate(zip(key.units, response.units, strict=True))
    odd = [d for d, (one, other) in both if one != other or one == "mention"]
    if not odd:
        return key, response
    chosen: tuple[dict[int, Sentences], dict[int, Sentences]] = {}, {}
    values = []
    for d in odd:
        units = key.units[d], response.units[d]
        if units == ("mention", "mention"):
            values.append(d)
        elif sorted(units) == ["character", "word"]:
            one = units.index("character")
            side, other = (key, response)[:: 1 - 2 * one]
            chosen[one][d] = (
                _words_for(side, other, d) if np.ptp(side.offsets[d : d + 2]) else other.text[d].sentences() or []
            )
        elif "" not in units:
            named = ["column " + "+".join(side.columns) if side.columns else "" for side in (key, response)]
            of = [name or f"{unit}s" for name, unit in zip(named, units, strict=True)]
            reason = f"document {key.shown(d)}: mentions are of {of[0]} in the key and of {of[1]} in the response"
            ways = "unit key_format response_format"
            raise InputError(f"{reason}; unit, key_format and response_format say otherwise", ways)
    key, response = (
        on_whole_words(name, side, own, problems)
        for name, side, own in zip(("key", "response"), (key, response), chosen, strict=True)
    )
    if not values:
        return key, response
    columns, texts = (response.mentions.start.copy(), response.mentions.end.copy()), list(response.text)
    for d in values:
        numbers, texts[d] = _number_alike(key, response, d)
        rows = response.rows(d)
        for column in columns:
            column[rows] = numbers[column[rows]]
    mentions = replace(response.mentions, start=columns[0], end=columns[1])
    return key, replace(response, mentions=mentions, text=tuple(texts))


def with_like_characters(
    key: Documents, response: Documents, policies: Policies, problems: ProblemLog
) -> tuple[Documents, Documents]:
    """Return both sides, where the key's text is of characters and the response has another text or other spaces.

    If they differ in spaces alone, mentions of characters become those of the key's. If they are to be aligned, the
    key's mentions become spans of the pieces of its text.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: these say whether texts are compared, and aligned.
        problems: receives the number of the key's mentions that begin or end within a piece.
    """
    same, cut = dict[int, Sentences](), dict[int, Sentences]()
    for d in [d for d, unit in enumerate(key.units) if unit == "character" and policies.tokens != "ignore"]:
        characters, words, unit = key.text[d].words(), response.text[d].words(), response.units[d]
        if characters is None or characters == words or (words is None and unit != "string"):
            continue
        if words is not None and without_blanks(characters) == without_blanks(words):
            same.update({d: key.text[d].sentences() or []} if unit == "character" else {})
        elif policies.tokens == "align" or unit == "string" or response.text[d].are_windows:
            cut[d] = pieces_of(characters)
    moved, _ = in_words(response, same)
    return on_whole_words("key", key, cut, problems), replace(
        moved, units=tuple("character" if d in same else unit for d, unit in enumerate(moved.units))
    )


def on_whole_words(side_name: str, side: Documents, chosen: dict[int, Sentences], problems: ProblemLog) -> Documents:
    """Return a side with spans of words instead of characters, and say which begin or end within a word.

    Args:
        side_name: ``key`` or ``response``.
        side: D documents.
        chosen: the sentences of each document to change; see `arraycoref.read.documents.in_words`.
        problems: receives the number of mentions that begin or end within a word.
    """
    changed, within = in_words(side, chosen)
    for d, first, last in within[:1]:
        shown = quote("".join((side.text[d].words() or [])[first : min(last, first + 99) + 1]))
        n_mentions = f"{plural(len(within), 'mention')} of the {side_name}"
        what = "with a boundary within a word, counted as whole words"
        problems.warning(side.files[d], None, f"{n_mentions} {what}; the first is {shown}")
    return changed


def _number_alike(key: Documents, response: Documents, d: int) -> tuple[Ints32, Text]:
    """Number the values of a response document as in the key; those that the key lacks get higher numbers.

    Returns:
        The number of each value of the response; and the values by their numbers, as words of a text.

    Raises:
        InputError: all mentions of one side are texts, and none of the other.
    """
    key_values, response_values = (side.text[d].words() or [] for side in (key, response))
    are_texts = [{value[0] in "'\"" for value in values} for values in (key_values, response_values)]
    if {True} in are_texts and {False} in are_texts:
        places = f"like {key_values[0]:.60} in {key.files[d]} and like {response_values[0]:.60} in {response.files[d]}"
        raise InputError(f"document {key.shown(d)}: mentions are {places}; expected texts on both sides, or on none")
    number = {value: number for number, value in enumerate(key_values)}
    numbers = [number.setdefault(value, len(number)) for value in response_values]
    return np.array(numbers, np.int32), Text([list(number)], len(number))


def _words_for(side: Documents, other: Documents, d: int) -> Sentences:
    """Return the sentences of the other side, to whose words the characters of a document belong.

    Where the other side has no words, but as many tokens as the text has words between spaces, these are the words.

    Raises:
        InputError: a side without text, or texts that differ.
    """
    characters, sentences = side.text[d].words(), other.text[d].sentences()
    if sentences is None and characters is not None:
        by_blanks = words_of(characters)
        sentences = by_blanks if sum(map(len, by_blanks)) == other.lengths[d] else None
    if characters is None or sentences is None:
        hint = "; for .ann, it is in the .txt beside" if characters is None and ".ann" in side.files[d] else ""
        raise InputError(
            f"document {side.shown(d)}: mentions are of characters in {side.files[d]} and of words in "
            f"{other.files[d]}; expected the text on both sides{hint}"
        )
    own_text, text_of_words = without_blanks(characters), without_blanks(chain.from_iterable(sentences))
    if own_text != text_of_words:
        difference = _difference(own_text, text_of_words)
        raise InputError(
            f"document {side.shown(d)}: {side.files[d]} and {other.files[d]} have different texts: {difference}; "
            "tokens='align' aligns their words",
            "tokens",
        )
    return sentences


def _difference(one: str, other: str) -> str:
    """Show 20 characters of two texts, from the first that differs."""
    pairs = zip(one, other, strict=False)
    at = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    return "{} and {}, without spaces".format(*quote_both(one[at : at + 20], other[at : at + 20]))
