"""Check that key and response have the same tokens and number them alike; otherwise they score low in silence.

The checks of tokens end in an error where too much differs, all others in one warning for each pair of sides.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arraycoref.documents import Documents, WordsOf
from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.match import Occurrences, match
from arraycoref.options import Policies
from arraycoref.read.parsed import Fault, quote

MOST_DIFFERENT = 0.05
"""Share of a document's words that may differ between the sides."""

COUNTED = ("word", "subtoken", "character")
"""Units of which documents have a number, and texts."""

GO_ON = "tokens='ignore' goes on without comparing tokens"


def check_tokens(key: Documents, response: Documents, policies: Policies, note: Fault) -> None:
    """See that documents have as many tokens on both sides, and the same words; see ``docs/files.md``.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: whether tokens are compared, and words.
        note: takes the warning of words that differ.

    Raises:
        DocumentMismatchError: other numbers of tokens, or too many words that differ.
    """
    if policies.tokens == "ignore":
        return
    alike = np.array([a == b and a in COUNTED for a, b in zip(key.units, response.units, strict=True)], np.bool_)
    odd = alike & key.counted & response.counted & (key.n_tokens != response.n_tokens)
    if odd.any():
        d = int(odd.argmax())
        ours, theirs = key.words(d) or [], response.words(d) or []
        pairs = zip([*ours, None], [*theirs, None], strict=False)
        at = next((k for k, (a, b) in enumerate(pairs) if a != b), None) if ours and theirs else None
        unit = key.units[d].replace("word", "token")
        raise DocumentMismatchError(
            f"document {key.names[d]!r} has {key.n_tokens[d]} {unit}s in {key.sources[d]} and "
            f"{response.n_tokens[d]} in {response.sources[d]}; expected the same"
            f"{'' if at is None else f'. The first that differs is {_shown(ours, theirs, at)}'}. {GO_ON}"
        )
    if policies.profile == "conll":
        return
    n_different, first = _differences(key, response, np.flatnonzero(alike))
    if not n_different.any():
        return
    too_many = n_different > MOST_DIFFERENT * key.n_tokens
    d = int((too_many if too_many.any() else n_different > 0).argmax())
    place = _shown(key.words(d) or [], response.words(d) or [], int(first[d]))
    if too_many.any():
        raise DocumentMismatchError(
            f"document {key.names[d]!r}: {n_different[d]} of {key.n_tokens[d]} tokens differ between {key.sources[d]} "
            f"and {response.sources[d]}; expected the same text. The first is {place}. {GO_ON}"
        )
    reason = f"the words of {n_different.sum()} tokens differ from the key's; the first, in document "
    note(ReadError(response.sources[d], None, f"{reason}{key.names[d]!r}, is {place}"))


def _shown(ours: list[str], theirs: list[str], at: int) -> str:
    """Name a token, from 0, by its word on both sides."""
    a, b = (quote(words[at]) if at < len(words) else "missing" for words in (ours, theirs))
    return f"token {at}, {a} in the key and {b} in the response"


def _differences(
    key: Documents, response: Documents, chosen: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many words of each document differ, and the first of these; none where a side has no words."""
    n_different, first = np.zeros(len(key), np.int64), np.zeros(len(key), np.int64)
    of_files: dict[tuple[WordsOf, WordsOf], list[int]] = defaultdict(list)
    slowly = []
    for d in chosen.tolist():
        a, b = key.texts[d], response.texts[d]
        if isinstance(a, WordsOf) and isinstance(b, WordsOf) and a.layout == b.layout:
            of_files[a, b].append(d)
        elif not (a is None or b is None):
            slowly.append(d)
    for (a, b), documents in of_files.items():
        if a.layout == "conll":
            from arraycoref.kernels import conll_words as kernels

            rows = np.empty((len(documents), 3), np.int64)
            ours, theirs = (np.ascontiguousarray(side.places[documents]) for side in (key, response))
            kernels.compare_words(a.data, ours, b.data, theirs, rows)
            n_different[documents], first[documents] = rows[:, kernels.N_DIFFERENT], rows[:, kernels.FIRST]
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
            pairs = zip(our_words, their_words, strict=True)
            different = [k for k, (one, other) in enumerate(pairs) if one != other]
            n_different[d], first[d] = len(different), different[0]
    return n_different, first


def check_mentions(key: Documents, response: Documents, found: Occurrences, note: Fault) -> None:
    """Warn of a side without mentions, and of spans that would match much better if the sides counted alike.

    Args:
        key: D documents.
        response: the same documents in the same order, in the same units.
        found: their mentions on one index.
        note: takes the warnings.
    """
    for name, side in (("key", key), ("response", response)):
        if not side.start.size and len(side):
            source = next(filter(None, side.sources), name)
            note(ReadError(source, None, f"no document of the {name} has a mention"))
    if "mention" in key.units:
        return
    n_mentions = int(found.offsets[-1])
    n_distinct = [
        np.count_nonzero(np.bincount(each, minlength=1)) for each in (found.key_mention, found.response_mention)
    ]
    n_shared = sum(n_distinct) - n_mentions
    if 2 * n_shared >= min(n_distinct):
        return
    for moved, other in (("key", "response"), ("response", "key")):
        for shifts, what in ((0, "ends"), (1, "starts and ends")):
            sides = {"key": key, "response": response}
            side = sides[moved]
            sides[moved] = replace(side, start=side.start + np.int32(shifts), end=side.end + np.int32(1))
            n_then = sum(n_distinct) - int(match(**sides).offsets[-1])
            if 2 * n_shared < n_then:
                doubt = "Do they count from 1?" if shifts else "Are they exclusive?"
                reason = f"{n_shared} mentions are the key's, but {n_then} would be if the {what} in the {other} were "
                note(ReadError(next(filter(None, response.sources), "response"), None, f"{reason}one less. {doubt}"))
                return
