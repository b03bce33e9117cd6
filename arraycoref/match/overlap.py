"""Warn if key and response share few mentions, and say why: positions off by one, numbers against texts, capitals.

The labels on the union index say how many mentions are shared. If these are few, the mentions of some documents are
asked for, as Python values or as rows of whole numbers, and compared again in each way of the table.

| if the sides share more mentions where ... | they are |
|---|---|
| ends, or starts and ends, of one side are one less | spans |
| texts and the numbers that they write are the same | values |
| spaces around texts, and capitals, do not count | values |
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from arraycoref.match.mentions import UnionLabels
from arraycoref.ragged import Bools, Ints, bounds, bounds_of, number_rows, owners, ranges
from arraycoref.read.documents import Documents
from arraycoref.read.problems import ProblemLog, quote_both

MOST_DOCUMENTS = 50
"""How many documents, the first that both sides have mentions in, are searched for the reason."""

FEWEST, SHARE = 8, 20
"""There is a warning without a reason too if less than one in `SHARE` is shared of a side of `FEWEST` mentions."""

FEWEST_MOVED = 4
"""Another way is a reason if the sides share this many more mentions by it: fewer spans may be chance. Of values, fewer
are enough if they are all values of a side."""

SHIFTS = tuple(
    (moved, shift, f"the {what} in the {other} were one less. {question}")
    for moved, other in enumerate(("response", "key"))
    for shift, what, question in ((0, "ends", "Are they exclusive?"), (1, "starts and ends", "Do they count from 1?"))
)
"""Other ways to count spans: the side to change, the number to add to its starts (1 is added to its ends), and words.

The words name the other side: to add 1 on one side is to subtract 1 on the other.
"""


class Values(NamedTuple):
    """The mentions of one side of D documents, as what is compared: values of any kind, or whole numbers.

    Attributes:
        offsets: int64 (D+1,) document d has the mentions ``offsets[d]:offsets[d + 1]``.
        mentions: N hashable values; or int64 (N, k), tuples that end with the first and the last token.
    """

    offsets: Ints
    mentions: Sequence[Any] | Ints

    @classmethod
    def of_documents(cls, side: Documents, chosen: Ints) -> Values:
        """Return the mentions of some documents of files: spans, or values."""
        if "mention" not in side.units:
            mentions, (offsets, rows) = side.mentions, rows_of(side.offsets, chosen)
            return cls(offsets, np.stack([mentions.start[rows], mentions.end[rows]], axis=1).astype(np.int64))
        values = []
        for d in chosen.tolist():
            written = side.text[d].words() or []
            values.append([_value_of(written[number]) for number in np.unique(side.mentions_of(d)[0]).tolist()])
        return cls(bounds_of(values), list(chain.from_iterable(values)))

    def listed(self) -> list[Any]:
        """Return the mentions as Python values."""
        if isinstance(self.mentions, np.ndarray):
            return list(map(tuple, self.mentions.tolist()))
        return list(self.mentions)

    def rows(self) -> Ints | None:
        """Return tuples of whole numbers, all equally long, as int64 (N, k); None for other mentions."""
        if isinstance(self.mentions, np.ndarray):
            return self.mentions
        if set(map(type, self.mentions)) != {tuple} or len(set(map(len, self.mentions))) != 1:
            return None
        if not all(issubclass(kind, Integral) for kind in set(map(type, chain.from_iterable(self.mentions)))):
            return None
        try:
            return np.array(self.mentions, np.int64)
        except OverflowError:
            return None


def rows_of(offsets: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the bounds between the mentions of some documents, int64 (C+1,), and the positions of these mentions."""
    lengths = np.diff(offsets)[chosen]
    return bounds(lengths), ranges(offsets[chosen], lengths)


def _value_of(written: str) -> Any:
    """Return the value that a file's text of a mention writes, as Python does."""
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return written


class Overlap(NamedTuple):
    """How many mentions both sides have in one call, or in a part of it.

    Attributes:
        n_documents: number of documents that both sides have; the rest counts only these.
        n_mentions: number of mentions of the key, and of the response.
        n_shared: number of mentions that both have.
        n_searched: number of the documents that were searched for the reason.
        fewest: number of mentions there of the side that has fewer.
        n_equal: number of mentions there that both have, as they are written.
        examples: a mention that only the key has, and one that only the response has; empty if not looked for.
        more: how many more mentions both would have there in another way to write or count them, by words for this way.
    """

    n_documents: int
    n_mentions: tuple[int, int]
    n_shared: int
    n_searched: int = 0
    fewest: int = 0
    n_equal: int = 0
    examples: tuple[str, ...] = ()
    more: Counter[str] = Counter()  # noqa: RUF012 - is never changed

    @classmethod
    def from_labels(
        cls,
        labels: UnionLabels,
        values: Callable[[Ints], tuple[Values, Values]],
        both: Bools | None = None,
        n_equal: int | None = None,
    ) -> Overlap:
        """Count the mentions of both sides; where less than half of the smaller side is shared, look for the reason.

        Args:
            labels: the labels of both sides of D documents.
            values: returns the mentions of the key and of the response in some documents; called only where there is
                reason to look.
            both: bool (D,) whether both sides have the document; None if they have all.
            n_equal: how many shared mentions are equal, where others may match too; None if all are.
        """
        in_key, in_response = labels.key >= 0, labels.response >= 0
        n_documents = labels.offsets.size - 1 if both is None else int(np.count_nonzero(both))
        if both is not None and n_documents < both.size:
            common = both[owners(labels.offsets)]
            in_key, in_response = in_key & common, in_response & common
        n_key, n_response = int(np.count_nonzero(in_key)), int(np.count_nonzero(in_response))
        n_shared = int(np.count_nonzero(in_key & in_response))
        overlap = cls(n_documents, (n_key, n_response), n_shared)
        n_equal = n_shared if n_equal is None else n_equal
        if 2 * n_equal >= min(n_key, n_response):
            return overlap
        document, n = owners(labels.offsets), labels.offsets.size - 1
        in_documents = [np.bincount(document[there], minlength=n) for there in (in_key, in_response)]
        chosen = np.flatnonzero(np.logical_and(*in_documents))[:MOST_DOCUMENTS]
        if not chosen.size:
            return overlap
        sides = values(chosen)
        (n_as_written, _), *ways = _ways(*sides)
        more = Counter({how: n - n_as_written for n, how in ways if n > n_as_written})
        if n_equal < n_shared and max(more.values(), default=0) <= n_as_written:
            return overlap  # systems may have other spans with the same heads
        fewest = min(int(counts[chosen].sum()) for counts in in_documents)
        return cls(
            n_documents, (n_key, n_response), n_equal, chosen.size, fewest, n_as_written, _examples(*sides), more
        )

    @classmethod
    def joined(cls, parts: Iterable[Overlap]) -> Overlap:
        """Join the overlaps of parts of one call."""
        every = list(parts)
        n_key, n_response = (sum(part.n_mentions[side] for part in every) for side in (0, 1))
        examples = next((part.examples for part in every if part.examples), ())
        more = sum((part.more for part in every), Counter[str]())
        names = ("n_documents", "n_shared", "n_searched", "fewest", "n_equal")
        numbers = {name: sum(getattr(part, name) for part in every) for name in names}
        return cls(n_mentions=(n_key, n_response), examples=examples, more=more, **numbers)

    def warn(self, sources: Sequence[str], problems: ProblemLog) -> None:
        """Warn once of sides that share few mentions, or of each side without any.

        Args:
            sources: names of the key and of the response.
            problems: receives each warning.
        """
        if not self.n_documents:
            return
        for name, source, n in zip(("key", "response"), sources, self.n_mentions, strict=True):
            if not n:
                problems.warning(source, None, f"no document of the {name} has a mention")
        fewest, n_shared = min(self.n_mentions), self.n_shared
        if 2 * n_shared >= fewest:
            return
        ((how, more),) = self.more.most_common(1) or [("", 0)]
        all_values = self.n_equal + more == self.fewest and how not in {shift for *_, shift in SHIFTS}
        likely = more > self.n_equal and (more >= FEWEST_MOVED or all_values)
        if likely or (fewest >= FEWEST and SHARE * n_shared < fewest):
            counts = " and ".join(map(str, self.n_mentions))
            reason = f"{n_shared or 'none'} of {counts} mentions {'is' if n_shared < 2 else 'are'} shared"
            if self.examples:
                reason += ". Only the key has {}, only the response {}".format(*self.examples)
            there = f" of {self.fewest} in {self.n_searched} documents" if self.n_searched < self.n_documents else ""
            reason += f". {self.n_equal + more}{there} would be shared if {how}" if likely else ""
            sides = [name for name in ("key", "response") if f" in the {name} " in how]
            fixes = {"start": "1"} if "from 1" in how else {"end": "exclusive"}
            is_json = likely and bool(sides) and ".json" in sources[("key", "response").index(sides[0])]
            by_side = {name: {sides[0]: value} for name, value in fixes.items()} if is_json else ""
            problems.warning(sources[1], None, reason, by_side)


def _examples(key: Values, response: Values) -> tuple[str, ...]:
    """Show a mention that only the key has, and one that only the response has, of the first document with both."""
    key_mentions, response_mentions = key.listed(), response.listed()
    for d in range(key.offsets.size - 1):
        one = key_mentions[key.offsets[d] : key.offsets[d + 1]]
        other = response_mentions[response.offsets[d] : response.offsets[d + 1]]
        alone = [next((m for m in a if m not in b), None) for a, b in ((one, set(other)), (other, set(one)))]
        if None not in alone:
            return quote_both(*alone)
    return ()


def _ways(key: Values, response: Values) -> Iterator[tuple[int, str]]:
    """Yield how many mentions both sides have as given, then in each other way to write or count them, with words."""
    documents = [owners(side.offsets) for side in (key, response)]
    rows = [side.rows() for side in (key, response)]
    widths = {0 if numbers is None else numbers.shape[1] for numbers in rows}
    if len(widths) == 1 and min(widths) > 1:
        for moved, shift, how in ((0, 0, ""), *SHIFTS):
            changed = [numbers.copy() for numbers in rows if numbers is not None]
            changed[moved][:, -2:] += shift, bool(how)
            every = [np.column_stack(both) for both in zip(documents, changed, strict=True)]
            number, n_key = number_rows([*np.concatenate(every).T])[1], len(every[0])
            yield np.intersect1d(number[:n_key], number[n_key:]).size, how
        return
    sides = []
    for of_mention, side in zip(documents, (key, response), strict=True):
        parts = (mention if isinstance(mention, tuple) else (mention,) for mention in side.listed())
        sides.append(list(zip(of_mention.tolist(), parts, strict=True)))
    for form, how in FORMS:
        one, other = ({(d, *map(form, mention)) for d, mention in side} for side in sides)
        yield len(one & other), how


def _number_of(value: Any) -> Any:
    """Return a number as text, without zeros in front, and without the ``.0`` of a float."""
    text = str(value) if isinstance(value, int | float) else value
    if not isinstance(text, str):
        return value
    digits = text.removesuffix(".0")
    return (digits.lstrip("0") or "0") if digits.isdecimal() else text


FORMS: tuple[tuple[Callable[[Any], Any], str], ...] = (
    (lambda value: value, ""),
    (_number_of, "texts and numbers were the same, '1' and 1, 01 and 1.0"),
    (
        lambda value: value.strip().casefold() if isinstance(value, str) else value,
        "spaces around texts, and capitals, did not count",
    ),
)
"""Other ways to write values, or each item of a tuple: a function that makes another value, and words for the way."""
