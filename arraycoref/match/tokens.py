"""Check that key and response have the same tokens and count them alike; if not, scores are low and nothing says why.

The check of tokens raises an error where too much differs. Everything else that is found is a warning, which is given
once for a pair of sides, not once for each document.
"""

from __future__ import annotations

from collections import defaultdict
from operator import ne

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DocumentMismatchError, ReadError
from arraycoref.options.policies import Policies
from arraycoref.read.blocks import Unusual
from arraycoref.read.conll_words import count_different_words
from arraycoref.read.documents import Documents, FileText
from arraycoref.read.sources import OnError, quote
from arraycoref.report.tables import number_of

MOST_DIFFERENT = 0.05
"""Largest share of a document's words that may differ between the sides; more is an error."""

COUNTED = ("word", "subtoken", "character")
"""Units that are parts of a text: only in these are the numbers of tokens, and the words, of two sides compared."""

GO_ON = "tokens='ignore' goes on without comparing tokens"


def check_tokens(key: Documents, response: Documents, policies: Policies, on_doubt: OnError) -> None:
    """Check that documents have as many tokens on both sides, and the same words; see ``docs/files.md``.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: these say whether tokens are compared at all, and whether their words are.
        on_doubt: called with a warning if a few words differ, or if a mention ends behind the other side's last token.

    Raises:
        DocumentMismatchError: a document has different sentences, numbers of tokens, or too many words that differ.
    """
    if policies.tokens == "ignore":
        return
    _check_sentences(key, response)
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
    _check_lengths(key, response)
    for side, other in ((key, response), (response, key)):
        past = alike & side.counted & (other.n_tokens > side.n_tokens)
        if past.any():
            d = int(past.argmax())
            n, unit = int(side.n_tokens[d]), key.units[d].replace("word", "token")
            reason = f"document {key.names[d]!r} has {n} {unit}s in {side.sources[d]}, but a mention up to {unit} "
            hint = ". Is its end exclusive?" if other.n_tokens[d] == n + 1 else ""
            on_doubt(ReadError(other.sources[d], None, f"{reason}{other.n_tokens[d] - 1} here, counted from 0{hint}"))
    if policies.profile == "conll":
        return
    with_words = [d for d in np.flatnonzero(alike).tolist() if None not in (key.text.files[d], response.text.files[d])]
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
    reason = f"the words of {number_of(int(n_different.sum()), 'token')} differ from the key's; the first, in document "
    on_doubt(ReadError(response.sources[d], None, f"{reason}{key.names[d]!r}, is {place}"))


def _check_sentences(key: Documents, response: Documents) -> None:
    """Compare the sentences of CoNLL-U documents, by their number and by the ids that both sides give them."""
    if key.nodes is None or response.nodes is None:
        return
    for d, (ours, theirs) in enumerate(zip(key.nodes.sentences, response.nodes.sentences, strict=True)):
        if ours == theirs:
            continue
        pairs = enumerate(zip(ours, theirs, strict=False))
        at = next((n for n, (one, other) in pairs if one and other and one != other), min(len(ours), len(theirs)))
        if at < max(len(ours), len(theirs)) and ours and theirs and key.sources[d] and response.sources[d]:
            one, other = (repr(each[at]) if at < len(each) else "missing" for each in (ours, theirs))
            lacks = f", which lacks {one}" if at < len(ours) and ours[at] and ours[at] not in theirs else ""
            raise DocumentMismatchError(
                f"document {key.names[d]!r}: sentence {at + 1} is {one} in the key and {other} in the response{lacks}; "
                f"expected the same. {GO_ON}",
                "tokens",
            )


def _check_lengths(key: Documents, response: Documents) -> None:
    """Compare how many words each sentence of CoNLL-U documents has."""
    if key.nodes is None or response.nodes is None:
        return
    for d, (ours, theirs) in enumerate(zip(key.nodes.sentences, response.nodes.sentences, strict=True)):
        if ours and theirs and key.text.compared(d) != response.text.compared(d):
            pairs = zip(*([*map(len, side.text.sentences(d) or [])] for side in (key, response)), strict=False)
            found = next(((n, *pair) for n, pair in enumerate(pairs, 1) if len(set(pair)) > 1), None)
            if found is not None:
                n, one, other = found
                what = (
                    f"document {key.names[d]!r}: sentence {n} has length {one} in the key and {other} in the response"
                )
                raise DocumentMismatchError(f"{what}; expected the same. {GO_ON}", "tokens")


def _shown(key: Documents, response: Documents, d: int) -> str:
    """Name the number, from 0, and the two words of the first token that differs; empty if a side has no words."""
    ours, theirs = key.text.words(d) or [], response.text.words(d) or []
    if not ours or not theirs or ours == theirs:
        return ""
    at = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    a, b = (quote(words[at]) if at < len(words) else "missing" for words in (ours, theirs))
    return f"token {at}, {a} in the key and {b} in the response"


def _differences(key: Documents, response: Documents, chosen: list[int]) -> NDArray[np.int64]:
    """Count the words that differ in each chosen document, which has words on both sides; 0 for all other documents."""
    n_different = np.zeros(len(key), np.int64)
    of_files: dict[tuple[FileText, FileText], list[int]] = defaultdict(list)
    slowly = []
    for d in chosen:
        a, b = key.text.files[d], response.text.files[d]
        if isinstance(a, FileText) and isinstance(b, FileText) and a.layout == b.layout is not None:
            of_files[a, b].append(d)
        else:
            slowly.append(d)
    for (a, b), documents in of_files.items():
        ours, theirs = (side.text.places[documents] for side in (key, response))
        if a.layout == "conll":
            try:
                n_different[documents] = count_different_words(a.data, ours, b.data, theirs, key.n_tokens[documents])
            except Unusual:
                slowly += documents
        else:
            bounds = np.concatenate([ours, theirs], axis=1).tolist()
            slowly += [
                d for d, (i, j, k, m) in zip(documents, bounds, strict=True) if a.compared(i, j) != b.compared(k, m)
            ]
    for d in slowly:
        our_words, their_words = key.text.words(d) or [], response.text.words(d) or []
        if our_words != their_words and len(our_words) == len(their_words):
            n_different[d] = sum(map(ne, our_words, their_words))
    return n_different
