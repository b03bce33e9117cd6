"""Check that key and response have the same tokens and count them alike; if not, scores are low and nothing says why.

The check of tokens raises an error where too much differs. Everything else that is found is a warning, which is given
once for a pair of sides, not once for each document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import ne

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.match.mentions import Matching, UnionLabels, number_mentions
from arraycoref.options import Policies
from arraycoref.read.documents import Documents, WordsOf
from arraycoref.read.parsed import Fault, quote

MOST_DIFFERENT = 0.05
"""Largest share of a document's words that may differ between the sides; more is an error."""

COUNTED = ("word", "subtoken", "character")
"""Units that are parts of a text: only in these are the numbers of tokens, and the words, of two sides compared."""

FEWEST_MOVED = 4
"""A warning suggests another way to count if it makes the sides share this many more mentions; fewer may be chance."""

WRITTEN = "texts and numbers were the same, '1' and 1, 01 and 1.0"
"""Words of the warning that says how mentions that are values, not spans, would be shared."""

SHIFTS = tuple(
    (moved, shift, f"the {what} in the {other} were one less. {question}")
    for moved, other in (("key", "response"), ("response", "key"))
    for shift, what, question in ((0, "ends", "Are they exclusive?"), (1, "starts and ends", "Do they count from 1?"))
)
"""Other ways to count spans: the side to change, the number to add to its starts (1 is added to its ends), and words.

The words name the other side: to add 1 on one side is to subtract 1 on the other.
"""

GO_ON = "tokens='ignore' goes on without comparing tokens"


def check_tokens(key: Documents, response: Documents, policies: Policies, note: Fault) -> None:
    """Check that documents have as many tokens on both sides, and the same words; see ``docs/files.md``.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: these say whether tokens are compared at all, and whether their words are.
        note: called with a warning if a few words differ, or if a mention ends behind the last token of the other side.

    Raises:
        DocumentMismatchError: a document has different numbers of tokens, or too many words that differ.
    """
    if policies.tokens == "ignore":
        return
    alike = np.array([a == b and a in COUNTED for a, b in zip(key.units, response.units, strict=True)], np.bool_)
    odd = alike & key.counted & response.counted & (key.n_tokens != response.n_tokens)
    if odd.any():
        d = int(odd.argmax())
        shown = _shown(key, response, d)
        unit = key.units[d].replace("word", "token")
        raise DocumentMismatchError(
            f"document {key.names[d]!r} has {key.n_tokens[d]} {unit}s in {key.sources[d]} and "
            f"{response.n_tokens[d]} in {response.sources[d]}; expected the same"
            f"{shown and f'. The first that differs is {shown}'}. {GO_ON}",
            option="tokens",
        )
    for side, other in ((key, response), (response, key)):
        past = alike & side.counted & (other.n_tokens > side.n_tokens)
        if past.any():
            d = int(past.argmax())
            n, unit = int(side.n_tokens[d]), key.units[d].replace("word", "token")
            reason = f"document {key.names[d]!r} has {n} {unit}s in {side.sources[d]}, but a mention up to {unit} "
            hint = ". Is its end exclusive?" if other.n_tokens[d] == n + 1 else ""
            note(ReadError(other.sources[d], None, f"{reason}{other.n_tokens[d] - 1} here, counted from 0{hint}"))
    if policies.profile == "conll":
        return
    with_words = [d for d in np.flatnonzero(alike).tolist() if None not in (key.texts[d], response.texts[d])]
    if not with_words:
        return
    n_different = _differences(key, response, with_words)
    if not n_different.any():
        return
    too_many = n_different > MOST_DIFFERENT * key.n_tokens
    d = int((too_many if too_many.any() else n_different > 0).argmax())
    place = _shown(key, response, d)
    if too_many.any():
        raise DocumentMismatchError(
            f"document {key.names[d]!r}: {n_different[d]} of {key.n_tokens[d]} tokens differ between {key.sources[d]} "
            f"and {response.sources[d]}; expected the same text. The first is {place}. {GO_ON}",
            option="tokens",
        )
    reason = f"the words of {n_different.sum()} tokens differ from the key's; the first, in document "
    note(ReadError(response.sources[d], None, f"{reason}{key.names[d]!r}, is {place}"))


def _shown(key: Documents, response: Documents, d: int) -> str:
    """Name the number, from 0, and the two words of the first token that differs; empty if a side has no words."""
    one, other = key.texts[d], response.texts[d]
    if isinstance(one, WordsOf) and isinstance(other, WordsOf) and one.layout == other.layout == "conll":
        first = np.empty(5, np.int64)  # receives where the two words are, so that the words before need not be made
        if _compare_columns(one, other, key, response, [d], first).any():
            at, i, j, k, m = first.tolist()
            a, b = (
                quote(str(each, "utf-8", "backslashreplace")) for each in (one.data[i:j].data, other.data[k:m].data)
            )
            return f"token {at}, {a} in the key and {b} in the response"
    ours, theirs = key.words(d) or [], response.words(d) or []
    if not ours or not theirs or ours == theirs:
        return ""
    at = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    a, b = (quote(words[at]) if at < len(words) else "missing" for words in (ours, theirs))
    return f"token {at}, {a} in the key and {b} in the response"


def _compare_columns(
    one: WordsOf, other: WordsOf, key: Documents, response: Documents, documents: list[int], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the words that differ, for each of some documents of two CoNLL files; see `compare_words` for `first`."""
    from arraycoref.kernels.conll_words import compare_words

    n_different = np.empty(len(documents), np.int64)
    ours, theirs = (np.ascontiguousarray(side.places[documents]) for side in (key, response))
    compare_words(one.data, ours, other.data, theirs, n_different, first)
    return n_different


def _differences(key: Documents, response: Documents, chosen: list[int]) -> NDArray[np.int64]:
    """Count the words that differ in each chosen document, which has words on both sides; 0 for all other documents."""
    n_different = np.zeros(len(key), np.int64)
    of_files: dict[tuple[WordsOf, WordsOf], list[int]] = defaultdict(list)
    slowly = []
    for d in chosen:
        a, b = key.texts[d], response.texts[d]
        if isinstance(a, WordsOf) and isinstance(b, WordsOf) and a.layout == b.layout:
            of_files[a, b].append(d)
        else:
            slowly.append(d)
    for (a, b), documents in of_files.items():
        if a.layout == "conll":
            n_different[documents] = _compare_columns(a, b, key, response, documents, np.empty(0, np.int64))
        else:
            bounds = np.concatenate([key.places[documents], response.places[documents]], axis=1).tolist()
            slowly += [
                d
                for d, (i, j, k, m) in zip(documents, bounds, strict=True)
                if a.data[i:j].tobytes() != b.data[k:m].tobytes()
            ]
    for d in slowly:
        our_words, their_words = key.words(d) or [], response.words(d) or []
        if our_words != their_words and len(our_words) == len(their_words):
            n_different[d] = sum(map(ne, our_words, their_words))
    return n_different


def check_mentions(
    key: Documents, response: Documents, found: UnionLabels, matching: Matching, policies: Policies, note: Fault
) -> None:
    """Warn of a side without mentions, and of mentions that would match better if written or counted in another way.

    Args:
        key: D documents.
        response: the same documents in the same order, in the same units.
        found: the mentions of both sides on one index.
        matching: the matching that found them.
        policies: for repeated mentions.
        note: called with each warning.
    """
    if not any(one and other for one, other in zip(key.sources, response.sources, strict=True)):
        return  # the sides share no document: one that a side lacks has an empty source there
    sources = [next(filter(None, side.sources), name) for name, side in (("key", key), ("response", response))]
    note_mentions(sources, found.n_mentions, found.n_shared, _otherwise(key, response, matching, policies), note)


def note_mentions(
    sources: Sequence[str], n_mentions: Sequence[int], n_shared: int, otherwise: Iterable[tuple[int, str]], note: Fault
) -> None:
    """Warn of a side without mentions, or of mentions that the sides seem to write or count in two ways.

    Args:
        sources: names of the key and of the response.
        n_mentions: number of mentions of the key, and of the response.
        n_shared: number of mentions that both have.
        otherwise: for each other way to write or count mentions, how many both sides would then have, and words for
            this way. Read only if few mentions are shared.
        note: called with each warning.
    """
    for name, source, n in zip(("key", "response"), sources, n_mentions, strict=True):
        if not n:
            note(ReadError(source, None, f"no document of the {name} has a mention"))
    if 2 * n_shared < min(n_mentions):
        likely = ((n, how) for n, how in otherwise if 2 * n_shared < n >= n_shared + FEWEST_MOVED)
        for n, how in islice(likely, 1):
            note(ReadError(sources[1], None, f"{n_shared} mentions are the key's, but {n} would be if {how}"))


def _otherwise(
    key: Documents, response: Documents, matching: Matching, policies: Policies
) -> Iterator[tuple[int, str]]:
    """Yield how many mentions would be shared if a side wrote or counted them in another way, and words for this way.

    The arguments are those of `check_mentions`.
    """
    if "mention" in key.units:
        yield sum(_n_alike_as_texts(key, response, d) for d in range(len(key))), WRITTEN
        return
    for moved, shift, how in SHIFTS:
        sides = {"key": key, "response": response}
        side = sides[moved]
        sides[moved] = replace(side, start=side.start + np.int32(shift), end=side.end + np.int32(1))
        ours, theirs = matching(sides["key"], sides["response"])
        yield number_mentions(ours, theirs, policies, lambda *_: "").n_shared, how


def _n_alike_as_texts(key: Documents, response: Documents, d: int) -> int:
    """Count the mentions that both sides of a document share, if a number equals every text that writes it."""
    ours, theirs = (set(map(_number_of, side.words(d) or [])) for side in (key, response))
    return len(ours & theirs)


def _number_of(value: str) -> str:
    """Write a number without the quotes of a text, without zeros in front, and without the ``.0`` of a float."""
    value = value.strip("'\"")
    digits = value.removesuffix(".0")
    return (digits.lstrip("0") or "0") if digits.isdecimal() else value
