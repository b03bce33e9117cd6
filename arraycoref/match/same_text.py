"""Check that key and response have the same text and tokens; otherwise scores are low for no visible reason.

Tokens are compared, and the texts that files give with their mentions, which are to be the words at their places. It is
an error if too much differs. Everything else is a warning, once for a pair of sides, not once for each document.
"""

from __future__ import annotations

from operator import ne

import numpy as np

from arraycoref.display.tables import plural
from arraycoref.exceptions import DocumentMismatchError
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints
from arraycoref.read.documents import Documents
from arraycoref.read.layouts import CHARACTERS
from arraycoref.read.problems import ProblemLog, quote, quote_both

MOST_DIFFERENT = 0.05
"""Largest share of a document's words that may differ between the sides; more is an error."""

TEXT_UNITS = ("word", "subtoken", "character")
"""Units that are parts of a text: only in these are the numbers of tokens, and the words, of two sides compared; the
numbers of labels too, where a file has one for each mention."""

GO_ON = "tokens='ignore' goes on without comparing tokens"
ALIGN = "tokens='align' aligns those of files; "
"""A way that works for words and characters, unless it is in use."""

MOST_OF_OWN = 0.5
"""Largest share of a document's texts that may differ from the words of their own file. Tools write some in two ways:
JSON made of CorefUD has the contraction ``del`` among the words, and ``de el`` in the texts."""

MOST_COMPARED = 100
"""How many tokens of a mention are compared beside twice as many as its text has characters: each has one at least."""

WAYS = (
    (1, 1, "starts and ends were one less. Do they count from 1?"),
    (0, 1, "ends were one less. Are they exclusive?"),
    (0, -1, "ends were one more. Are they inclusive?"),
)
"""Other ways to count: what to take from starts, and from ends, and words for it."""


def check_tokens(key: Documents, response: Documents, policies: Policies, problems: ProblemLog) -> None:
    """Check that documents have as many tokens on both sides, and the same words; see ``docs/files.md``.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: these say whether tokens are compared at all, and whether their words are.
        problems: receives a warning if a few words differ, or if a mention ends after the other side's last token.

    Raises:
        DocumentMismatchError: a document has different sentences, numbers of tokens, or too many words that differ.
    """
    if policies.tokens == "ignore":
        return
    are_lines = key.columns == response.columns == ("line",)
    units = zip(key.units, response.units, strict=True)
    alike = np.array([are_lines or (a == b and a in TEXT_UNITS) for a, b in units], np.bool_)
    texts = enumerate(zip(key.text, response.text, strict=True))
    with_sentences = [d for d, both in texts if all(text.sent_ids for text in both)]
    align = ALIGN if policies.tokens != "align" else ""
    for d in with_sentences:
        _check_sent_ids(key, response, d)
    odd = alike & (key.lengths >= 0) & (response.lengths >= 0) & (key.lengths != response.lengths)
    for d in np.flatnonzero(odd)[:1].tolist():
        unit = "label" if are_lines else key.units[d].replace("word", "token")
        shown = "" if are_lines else _shown(key, response, d)
        reason = f"{key.n_tokens[d]} {unit}s in {key.files[d]} and {response.n_tokens[d]} in {response.files[d]}; "
        reason += f"expected the same{shown and f'. The first that differs is {shown}'}"
        raise _mismatch(key, d, reason, align if shown and unit != "subtoken" else "", " has ")
    for d in with_sentences:
        _check_lengths(key, response, d)
    for name, side, other in (("response", key, response), ("key", response, key)):
        past = alike & (side.lengths >= 0) & (other.n_tokens > side.n_tokens)
        for d in np.flatnonzero(past)[:1].tolist():
            _warn_of_later(side, other, name, d, problems)
    if policies.profile != "conll":
        _check_words(key, response, np.flatnonzero(alike).tolist(), align, problems)


def _mismatch(side: Documents, d: int, reason: str, way: str = "", joint: str = ": ") -> DocumentMismatchError:
    """Return the error of a document that differs, with a way to read both and how to go on."""
    return DocumentMismatchError(f"document {side.shown(d)}{joint}{reason}. {way}{GO_ON}", option="tokens")


def _warn_of_later(side: Documents, other: Documents, name: str, d: int, problems: ProblemLog) -> None:
    """Warn that a mention of the other side, whose name this is, ends after the last token of a document."""
    n, unit = int(side.n_tokens[d]), side.units[d].replace("word", "token")
    hint, fixes = "", dict[str, str]()
    if other.n_tokens[d] == n + 1:
        hint, fixes = ". Is its end exclusive?", {"end": "exclusive"}
    elif not other.text[d].has_words and other.n_tokens[d] <= CHARACTERS * n:
        hint, fixes = ". Does it count characters?", {"unit": "character", "end": "exclusive"}
    reason = f"document {side.shown(d)} has {n} {unit}s in {side.files[d]}, but a mention up to {unit} "
    reason += f"{other.n_tokens[d] - 1} here, counted from 0{hint}"
    problems.warning(other.files[d], None, reason, {option: {name: value} for option, value in fixes.items()})


def _check_words(key: Documents, response: Documents, chosen: list[int], align: str, problems: ProblemLog) -> None:
    """Compare the words of some documents, of those that have words on both sides and equally many."""
    with_words = [d for d in chosen if key.text[d].has_words and response.text[d].has_words]
    n_different = _differences(key, response, with_words)
    too_many = n_different > MOST_DIFFERENT * key.n_tokens
    if not n_different.any():
        return
    d = int((too_many if too_many.any() else n_different > 0).argmax())
    place = _shown(key, response, d)
    if not too_many.any():
        differing = f"the words of {plural(int(n_different.sum()), 'token')}"
        reason = f"{differing} differ from the key's; the first, in document {key.shown(d)}, is {place}"
        problems.warning(response.files[d], None, reason)
        return
    for side in (key, response):
        words = [word for d in with_words for word in side.text[d].words() or []]
        if len(set(words)) == 1 < len(words):  # such as [WORD], instead of any word
            return
    reason = f"{n_different[d]} of {key.n_tokens[d]} tokens differ between {key.files[d]} and {response.files[d]}"
    raise _mismatch(key, d, f"{reason}; expected the same text. The first is {place}", align)


def _check_sent_ids(key: Documents, response: Documents, d: int) -> None:
    """Compare the sentences of a CoNLL-U document, by their number and by the ids that both sides give them."""
    key_ids, response_ids = key.text[d].sent_ids, response.text[d].sent_ids
    pairs = enumerate(zip(key_ids, response_ids, strict=False))
    at = next((n for n, (one, other) in pairs if one and other and one != other), min(len(key_ids), len(response_ids)))
    if at < max(len(key_ids), len(response_ids)):
        one, other = (repr(ids[at]) if at < len(ids) else "missing" for ids in (key_ids, response_ids))
        is_lost = at < len(key_ids) and key_ids[at] and key_ids[at] not in response_ids
        lacks = f", where {one} is missing" if is_lost else ""
        reason = f"sentence {at + 1} is {one} in the key and {other} in the response{lacks}; expected the same"
        raise _mismatch(key, d, reason)


def _check_lengths(key: Documents, response: Documents, d: int) -> None:
    """Compare how many words each sentence of a CoNLL-U document has."""
    if key.text[d].looks_like(response.text[d]):
        return
    lengths = [[*map(len, side.text[d].sentences() or [])] for side in (key, response)]
    for n, (one, other) in enumerate(zip(*lengths, strict=False), 1):
        if one != other:
            reason = f"sentence {n} has length {one} in the key and {other} in the response; expected the same"
            raise _mismatch(key, d, reason)


def _shown(key: Documents, response: Documents, d: int) -> str:
    """Name the number, from 0, and the two words of the first token that differs; empty if a side has no words."""
    key_words, response_words = key.text[d].words() or [], response.text[d].words() or []
    if not key_words or not response_words or key_words == response_words:
        return ""
    n_both = min(len(key_words), len(response_words))
    at = next((k for k in range(n_both) if key_words[k] != response_words[k]), n_both)
    if at < n_both:
        a, b = quote_both(key_words[at], response_words[at])
    else:
        a, b = (quote(words[at]) if at < len(words) else "missing" for words in (key_words, response_words))
    return f"token {at}, {a} in the key and {b} in the response"


def _differences(key: Documents, response: Documents, chosen: list[int]) -> Ints:
    """Count the words that differ in each chosen document, which has words on both sides; 0 for all other documents.

    Where a side has another number of words, or none, none is counted.
    """
    n_different = np.zeros(len(key), np.int64)
    for d in chosen:
        if key.text[d].looks_like(response.text[d]):
            continue
        words = key.text[d].words() or [], response.text[d].words() or []
        if len(words[0]) == len(words[1]):
            n_different[d] = sum(map(ne, *words))
    return n_different


def check_mention_texts(key: Documents, response: Documents, policies: Policies, problems: ProblemLog) -> None:
    """Check that the texts of mentions are the words at their places, of the same file or else of the other side.

    Where neither has words, texts are compared with those that the other side gives with mentions of the same places.

    Args:
        key: D documents.
        response: the same documents in the same order, with mentions as they were read.
        policies: these say whether words are compared.
        problems: receives a warning if a few of the texts of a side differ from the words of the other side.

    Raises:
        DocumentMismatchError: too many of a document's texts differ.
    """
    if policies.tokens == "ignore" or policies.profile == "conll":
        return
    doubts: list[tuple[str, None, str]] = []
    for side, other in ((key, response), (response, key)):
        few: list[str] = []
        for d in range(len(side)) if side.mentions.text is not None else ():
            has_words = side.text[d].has_words
            most = MOST_OF_OWN if has_words else MOST_DIFFERENT
            differing, n = _differing(side, other, d)
            if len(differing) > most * n:
                where = "its words" if has_words else f"the words of {other.files[d]}"
                ways = ((how, *_differing(side, other, d, first, last)) for first, last, how in WAYS)
                better = next((how for how, still, n_there in ways if n_there and len(still) <= most * n_there), "")
                hint = better and f"Texts and words would be the same if {better} "
                reason = f"the texts of {len(differing)} of {n} mentions in {side.files[d]} differ from {where} at "
                reason += f"their places; expected the same tokens. The first is {differing[0]}"
                raise _mismatch(side, d, reason, hint)
            if not has_words:
                few += [f"{text}, in document {side.shown(d)}" for text in differing]
        if few:
            reason = f"the texts of {plural(len(few), 'mention')} differ from the words at their places"
            doubts.append((next(filter(None, side.files)), None, f"{reason}; the first is {few[0]}"))
    for doubt in doubts[:1]:  # texts of both sides differ in the same places
        problems.warning(*doubt)


def _differing(side: Documents, other: Documents, d: int, first: int = 0, last: int = 0) -> tuple[list[str], int]:
    """Describe the texts of a document that differ from the words at their places.

    Args:
        side: the documents with texts.
        other: the other side, whose words, or else texts, count where this one has no words.
        d: the document.
        first: how many tokens earlier the places begin.
        last: how many tokens earlier they end.

    Returns:
        What differs, and of how many texts: those at whose places words, or texts, are known.
    """
    has_words, unit = side.text[d].has_words, side.units[d]
    if unit not in TEXT_UNITS or not (has_words or other.units[d] == unit):
        return [], 0
    words, joint = (side if has_words else other).text[d].words(), "" if unit == "character" else " "
    text_at = {} if words else {(start, end): text for text, start, end in _rows(other, d)}
    n, differing = 0, []
    for text, start, end in _rows(side, d):
        a, b = start - first, end - last
        stop = min(b, a + MOST_COMPARED + 2 * len(text)) + 1  # a longer one differs anyway
        there = joint.join(words[a:stop]) if words and 0 <= a <= b < len(words) else text_at.get((a, b))
        n += there is not None
        unquoted = text[1:-1].replace('""', '"') if text[:1] == text[-1:] == '"' else text  # as pandas quotes it
        if there is not None and _bare(there) not in (_bare(text), _bare(unquoted)):
            place = f"{unit.replace('word', 'token')}s {start}-{end}"
            differing.append("{} at {place}, which are {}".format(*quote_both(text, there), place=place))
    return differing, n


def _rows(side: Documents, d: int) -> list[tuple[str, int, int]]:
    """Return text, first and last token of the mentions of a document that have a text and no gap."""
    mentions = side.mentions
    if mentions.text is None:
        return []
    rows = side.rows(d)
    columns = (column[rows].tolist() for column in (mentions.text, mentions.start, mentions.end, mentions.are_spans))
    return [row[:3] for row in zip(*columns, strict=True) if row[0] is not None and row[3]]


def _bare(text: str) -> str:
    """Leave out spaces, and ``_`` and ``#``, with which tools write spaces and empty nodes."""
    return "".join(text.replace("_", " ").replace("#", " ").split())
