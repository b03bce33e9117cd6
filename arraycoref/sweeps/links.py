"""Links between mentions, which a threshold makes in the order of their heights: of linkages, pairs, antecedents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.antecedents import antecedent_links, joins_of, roots_of
from arraycoref.scoring.labels import as_numpy, require_one_index


class LinksByHeight(NamedTuple):
    """Links between mentions. A cut at t makes the links of height t or less.

    Attributes:
        first: int64 (E,) a mention of each link.
        second: int64 (E,) the other.
        height: float64 (E,).
    """

    first: Ints
    second: Ints
    height: Floats


def from_linkage(rows: Floats, leaves: Ints, what: str) -> LinksByHeight:
    """Link the leaves of one document that a linkage brings into one cluster.

    Args:
        rows: float64 (n-1, 4) linkage matrix of scipy.
        leaves: int64 (n,) mentions of the leaves.
        what: the linkage, for messages.

    Returns:
        A link for each row, between a leaf of each of the two clusters. Its height is the largest distance in the row's
        subtree: with an inversion, as centroid and median linkage have, a cluster appears only where all of its parts
        do.
    """
    if leaves.size < 2 and rows.size == 0:
        return LinksByHeight(leaves[:0], leaves[:0], np.empty(0))
    from scipy.cluster.hierarchy import is_valid_linkage, maxdists

    try:
        is_valid_linkage(rows, throw=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}") from None
    if len(rows) != leaves.size - 1:
        raise InputError(f"{what} has {len(rows)} rows for {leaves.size} mentions; expected one row less than mentions")
    if np.isnan(rows).any():
        raise InputError(f"{what}: row {int(np.isnan(rows).any(axis=1).argmax())} has nan; expected numbers")
    children = rows[:, :2].astype(np.int64)
    leaf_of = roots_of(np.concatenate([np.arange(leaves.size), children[:, 0]]))
    first, second = leaves[leaf_of[children]].T
    return LinksByHeight(first, second, maxdists(rows))


def from_antecedents(antecedents: Any, scores: Any, leaves: Ints, offsets: Ints | None) -> LinksByHeight:
    """Link mentions with their antecedents; arguments as for `from_pairs`, but antecedents (M,) and scores (M,)."""
    require_one_index(antecedents=antecedents, scores=scores)
    found, values = as_numpy(antecedents, "antecedents"), as_numpy(scores, "scores")
    if not found.shape == values.shape == leaves.shape:
        shapes = f"antecedents have shape {found.shape} and scores {values.shape}"
        raise InputError(f"{shapes}; expected {leaves.shape} each, one per mention")
    mention, antecedent = antecedent_links(found, offsets)
    return from_pairs((mention, antecedent), values[mention], leaves, offsets)


def from_pairs(pairs: Any, scores: Any, leaves: Ints, offsets: Ints | None) -> LinksByHeight:
    """Link pairs of mentions.

    Args:
        pairs: (E, 2) integers, or two arrays (E,).
        scores: (E,) numbers; -inf never links.
        leaves: int64 (n,) the mentions that pairs are numbers of.
        offsets: int64 (D+1,) document bounds of these; None for one document.

    Returns:
        Links whose heights are the negative scores.

    Raises:
        InputError: arrays that differ in length, mentions that do not exist or lie in two documents, NaN scores.
    """
    if are_columns(pairs):
        require_one_index(**{"pairs[0]": pairs[0], "pairs[1]": pairs[1], "scores": scores})
        both = np.stack([as_numpy(side, "pairs") for side in pairs], axis=-1)
    else:
        both = np.asarray(as_numpy(pairs, "pairs"))
    values = np.asarray(as_numpy(scores, "scores"), np.float64)
    both = both if both.size else np.empty((0, 2), np.int64)
    outside, missing = ((both < 0) | (both >= leaves.size)).any(axis=1), np.isnan(values)
    document = np.zeros_like(both)
    if offsets is not None:
        document = np.searchsorted(offsets, both, side="right")
    for wrong, expected in (
        (outside, f"expected mentions from 0 to {leaves.size - 1}"),
        (missing, "with score nan; expected a number"),
        (document[:, 0] != document[:, 1], "mentions of two documents; expected one document"),
    ):
        if wrong.any():
            e = int(wrong.argmax())
            raise InputError(f"pair {e} is ({both[e, 0]}, {both[e, 1]}), {expected}")
    linked = values > -np.inf
    first, second = leaves[both[linked]].T
    return LinksByHeight(first, second, -values[linked])


def are_columns(pairs: Any) -> bool:
    """Whether pairs are a tuple of their first and their second items; two short lists or tuples are two pairs."""
    is_rows = all(isinstance(side, list | tuple) and len(side) == 2 for side in pairs) if len(pairs) == 2 else True
    return isinstance(pairs, tuple) and not is_rows


def merges_of(links: Sequence[LinksByHeight], n_mentions: int) -> LinksByHeight:
    """Make links in the order of their heights, and return those that join two components.

    Returns:
        Links from the first mention of one component to that of the other, which is lower, with ascending heights.
    """
    none = LinksByHeight(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    first, second, height = map(np.concatenate, zip(none, *links, strict=True))
    order = np.argsort(height, kind="stable")
    joined, onto, positions = joins_of(first[order], second[order], n_mentions)
    return LinksByHeight(joined, onto, height[order[positions]])
