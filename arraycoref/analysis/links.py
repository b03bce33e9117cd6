"""Find the links that a response lacks or adds, and compare what two responses have wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arraycoref.analysis.breakdown import antecedents
from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.pair import Pair
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural
from arraycoref.ragged import Bools, Floats, Ints
from arraycoref.scoring.format import format_score, score_name
from arraycoref.scoring.metrics.registry import direction, known_metric, split_field
from arraycoref.scoring.signature import Signature
from arraycoref.stats.runs import Runs


@dataclass(frozen=True, eq=False)
class AntecedentLinks:
    """The L links of one side: each mention of an entity but its first, with one antecedent.

    Attributes:
        anaphor: int64 (L,) mentions of the index, ascending.
        antecedent: int64 (L,) the closest earlier mention of the entity that is in one entity on the other side too;
            or, where there is none, the closest earlier mention of the entity.
        is_wrong: bool (L,) whether the other side lacks the link: there is no such mention. Their number is that of
            MUC's lost links.
    """

    anaphor: Ints
    antecedent: Ints
    is_wrong: Bools

    def __len__(self) -> int:
        return self.anaphor.size

    @property
    def wrong(self) -> tuple[Ints, Ints]:
        """Anaphor and antecedent of the links that the other side lacks, int64 (E,) each."""
        return self.anaphor[self.is_wrong], self.antecedent[self.is_wrong]


def links_of(pair: Pair, precision: bool = False) -> AntecedentLinks:
    """Return the key's links, and which are missing from the response; or, for precision, the response's.

    Source: Martschat and Strube (2014), section 3, with the closest antecedents in their spanning trees.

    Args:
        pair: a key and a response.
        precision: whether to return the links of the response.
    """
    shared_cell = np.full(len(pair.index), -1)
    shared_cell[pair.shared] = pair.cell
    in_cell, in_entity = antecedents(shared_cell), antecedents(pair.labels[precision])
    anaphor = np.flatnonzero(in_entity >= 0)
    is_wrong = in_cell[anaphor] < 0
    return AntecedentLinks(anaphor, np.where(is_wrong, in_entity[anaphor], in_cell[anaphor]), is_wrong)


@dataclass(frozen=True, eq=False)
class Change:
    """What two responses have wrong of one kind: mentions, or links, of the index.

    Attributes:
        anaphor: int64 (E,) mentions, ascending; of links, the later one.
        antecedent: int64 (E,) the earlier one of links; None for mentions.
        first, second: bool (E,) whether the first response has it wrong, and the second.
        in_all: bool (E,) whether all responses of the analysis have it wrong.
    """

    anaphor: Ints
    antecedent: Ints | None
    first: Bools
    second: Bools
    in_all: Bools

    @property
    def fixed(self) -> Bools:
        """Whether the first response has it wrong and the second right, bool (E,)."""
        return self.first & ~self.second

    @property
    def broken(self) -> Bools:
        """Whether the first response has it right and the second wrong, bool (E,)."""
        return self.second & ~self.first

    @property
    def both(self) -> Bools:
        """Whether both have it wrong, bool (E,)."""
        return self.first & self.second


KINDS_OF_CHANGE = ("missing link", "false link", "missing mention", "extra mention")


def changes(pairs: Sequence[Pair], first: int, second: int) -> dict[str, Change]:
    """Compare what two of several responses to one key have wrong: `Change` by each of `KINDS_OF_CHANGE`.

    Args:
        pairs: the key with each response.
        first: position of the first response.
        second: position of the second.
    """
    m = len(pairs[0].index)
    by_kind: dict[str, Change] = {}
    for kind in KINDS_OF_CHANGE:
        wrong = [_wrong(pair, kind, m) for pair in pairs]
        codes = np.union1d(wrong[first], wrong[second])
        flags = [np.isin(codes, each, assume_unique=True) for each in wrong]
        anaphor, antecedent = np.divmod(codes, m) if kind.endswith("link") else (codes, None)
        by_kind[kind] = Change(anaphor, antecedent, flags[first], flags[second], np.logical_and.reduce(flags))
    return by_kind


def _wrong(pair: Pair, kind: str, m: int) -> Ints:
    """Return what a response has wrong of one kind, as ascending numbers."""
    if kind.endswith("link"):
        anaphor, antecedent = links_of(pair, kind == "false link").wrong
        return anaphor * m + antecedent
    one, other = pair.labels if kind == "missing mention" else pair.labels[::-1]
    return np.flatnonzero((one >= 0) & (other < 0))


STATES = ("both", "fixed", "broken")
"""What happens to an error from the first response to the second: both make it, or one of them."""

LISTED = ("kind", "state", "document", "mention", "antecedent", "mention_number", "antecedent_number")
"""The columns of `Differences.listed`; numbers are those of the index."""


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Report):
    """What two responses have wrong, by document; those that the second makes worst, or else changes most, come first.

    Attributes:
        systems: names of the first and the second response.
        metric: metric and field by which documents are sorted, such as ``conll.f1``.
        index: the mentions, and the names of D documents.
        scores: float64 (2, D) the score of each document.
        total: float64 (2,) the score of the corpus.
        changes: mentions and links that one of them has wrong, by `KINDS_OF_CHANGE`.
        counts: int64 (D, 4, 3) numbers of these by kind, and by state as in `STATES`.
        in_all: int64 (4,) how many of each kind all responses of the analysis have wrong.
        n_systems: number of the responses.
        signature: signature of the scores.
        head: how many documents are printed and listed; None for all.
    """

    systems: tuple[str, str]
    metric: tuple[str, str]
    index: MentionIndex
    scores: Floats
    total: Floats
    changes: Mapping[str, Change]
    counts: Ints
    in_all: Ints
    n_systems: int
    signature: Signature
    head: int | None = None

    @property
    def order(self) -> Ints:
        """The documents from the one that the second response makes worst to the one that it makes best, int64 (D,)."""
        gain = direction(self.metric[0]) * (self.scores[1] - self.scores[0])
        return np.lexsort((np.arange(gain.size), np.nan_to_num(gain).round(12)))

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the totals, and the documents from the worst to the best difference."""
        states = [*STATES]
        headers = ["", *self.systems, "difference", *states * len(KINDS_OF_CHANGE)]
        groups = [("", 1), (score_name(*self.metric, self.signature.beta, title=True), 3)]
        groups += [(f"{kind}s", len(STATES)) for kind in KINDS_OF_CHANGE]
        order = self.order[: self.head].tolist()
        rows = [self._row(self.index.names[d], self.scores[:, d], self.counts[d], digits) for d in order]
        rows.insert(0, self._row("all documents", self.total, self.counts.sum(axis=0), digits))
        return [TextTable(headers, rows, groups=groups)]

    def caption(self, digits: int) -> list[str]:
        """Say what the states mean."""
        first, second = self.systems
        shown = plural(len(self.index.names), "document")
        shown = shown if self.head is None else f"{min(self.head, len(self.index.names))} of {shown}"
        lines = [f"{shown}, by the difference of {second} from {first}, the worst first"]
        lines.append(f"both: wrong in both; fixed: wrong in {first} only; broken: wrong in {second} only")
        if self.n_systems > 2:
            numbers = (f"{n} {kind}s" for kind, n in zip(KINDS_OF_CHANGE, self.in_all.tolist(), strict=True))
            lines.append(f"wrong in all {self.n_systems} responses: {', '.join(numbers)}")
        return [*lines, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return a row for each document, in order of the difference."""
        order = self.order[: self.head]
        first, second = self.scores[:, order]
        columns: dict[str, Any] = {"document": [self.index.names[d] for d in order.tolist()]}
        columns |= {"first": first, "second": second, "difference": second - first}
        for k, kind in enumerate(KINDS_OF_CHANGE):
            name = f"{kind}s ".replace(" ", "_")
            columns |= {name + state: self.counts[order, k, s] for s, state in enumerate(STATES)}
        return columns

    def listed(self) -> dict[str, Any]:
        """Return columns with a row for each error: kind, state, document, texts of its mentions, and their numbers."""
        index = self.index
        texts = [text for d in range(len(index.names)) for text in index.texts(d)]
        listed: dict[str, list[Any]] = {name: [] for name in LISTED}
        for kind, change in self.changes.items():
            earlier = np.full(change.anaphor.size, -1) if change.antecedent is None else change.antecedent
            rows = change.anaphor.tolist(), earlier.tolist()
            state = np.where(change.both, 0, np.where(change.fixed, 1, 2)).tolist()
            columns = (
                [kind] * len(state),
                [STATES[s] for s in state],
                [index.names[d] for d in index.document[change.anaphor].tolist()],
                *([texts[m] if m >= 0 else "" for m in mentions] for mentions in rows),
                *rows,
            )
            for name, column in zip(LISTED, columns, strict=True):
                listed[name] += column
        return listed

    def _row(self, name: str, scores: Floats, counts: Ints, digits: int) -> list[str]:
        first, second = scores.tolist()
        cells = [format_score(value, self.metric[0], digits) for value in (first, second)]
        cells.append(format_score(second - first, self.metric[0], digits, sign="+"))
        return [name, *cells, *map(str, counts.ravel().tolist())]


def differences(scores: Runs, pairs: Sequence[Pair], first: int, second: int, metric: str) -> Differences:
    """Compare two of several responses, given by their positions; see `Analysis.differences`."""
    name, field = split_field(metric)
    name = known_metric(name, scores.metrics)
    index = pairs[0].index
    by_kind = changes(pairs, first, second)
    counts = np.zeros((len(index.names), len(KINDS_OF_CHANGE), len(STATES)), np.int64)
    for k, change in enumerate(by_kind.values()):
        for s, state in enumerate(STATES):
            wrong: Sequence[bool] = getattr(change, state)
            counts[:, k, s] = np.bincount(index.document[change.anaphor[wrong]], minlength=len(index.names))
    systems, runs = (index.systems[first], index.systems[second]), (scores.batch(first), scores.batch(second))
    values = np.stack([getattr(b.documents[name], field) for b in runs])
    total = np.array([getattr(b[name], field) for b in runs])
    in_all = np.array([int(change.in_all.sum()) for change in by_kind.values()])
    of_kinds = by_kind, counts, in_all
    return Differences(systems, (name, field), index, values, total, *of_kinds, len(pairs), scores.signature)
