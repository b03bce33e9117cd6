"""Find the links that a response lacks, and those it makes up: each mention with its closest antecedent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arraycoref.analysis.attributes import antecedents
from arraycoref.analysis.pair import Pair
from arraycoref.ragged import Bools, Ints


@dataclass(frozen=True, eq=False)
class Links:
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


def links_of(pair: Pair, precision: bool = False) -> Links:
    """Return the key's links, of which the response lacks some; or, for precision, the response's.

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
    return Links(anaphor, np.where(is_wrong, in_entity[anaphor], in_cell[anaphor]), is_wrong)


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
