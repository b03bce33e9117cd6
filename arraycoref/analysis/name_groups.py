"""Find groups of documents in their names, and test which of them score otherwise than all other documents.

Documents are permuted among groups. The statistic of a group is its F minus that of the others over a standard error to
first order, as a p-value of Welch's t test, since statistics of small groups have heavy tails. The least of these
p-values in each permutation corrects for the number of groups, step by step.

Source: Westfall and Young (1993), Resampling-Based Multiple Testing, section 2.6.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints
from arraycoref.scoring.grouped import OTHER
from arraycoref.stats.sample import STEP

LEAST, MOST = 3, 40
"""The fewest documents in a group and outside, and the most groups that one part of the names makes."""

FEWEST = 8
"""With fewer documents in all, no group is tested; with fewer effective units, no number."""

PERMUTATIONS, LEAST_PERMUTATIONS, WORK = 999, 199, 1 << 25
"""How often documents are permuted; less often where groups times documents times permutations are more than `WORK`."""

AT_ONCE = 1 << 21
"""The most memberships of documents in permuted groups that are added up at once."""

BLOCKS = 2048
"""The most units whose signs are drawn; more are added up in so many blocks."""

PARTS = re.compile(r"[^\W\d_]+|\d+")

Score = Callable[[Any], Any]
"""A function of sums (w, ...) that returns F of each (...)."""


@dataclass(frozen=True, eq=False)
class NameGroup:
    """A group of documents.

    Attributes:
        name: the part of their names that they share, or the label that the user gave.
        pattern: a regular expression that finds the group, for ``--by``; empty if none does, and for the user's labels.
        members: bool (D,) which documents it has.
    """

    name: str
    pattern: str
    members: Bools


class GroupTest(NamedTuple):
    """How G groups differ from all other documents.

    Attributes:
        inside, outside: float64 (G,) F of the group, and of all other documents.
        error: float64 (G,) standard error of the difference.
        pvalue: float64 (G,) corrected for the number of groups.
    """

    inside: Floats
    outside: Floats
    error: Floats
    pvalue: Floats


def groups_of_names(names: Sequence[str]) -> list[NameGroup]:
    """Find groups in names: documents with the same run of letters or digits as part k, or in one folder.

        >>> [(group.name, group.members.sum().item()) for group in groups_of_names(["a_1", "a_2", "a_3", *"bcd"])]
        [('a', 3)]

    A part is used if it makes at most 40 groups of three documents that leave three outside, and these cover half of
    the documents. Of several groups of the same documents, the first is kept.
    """
    parts = [PARTS.findall(name) for name in names]
    fields: list[list[str | None]] = [
        [own[k] if k < len(own) else None for own in parts] for k in range(max(map(len, parts), default=0))
    ]
    fields.append([name.rpartition("/")[0] or None for name in names])
    groups: dict[bytes, NameGroup] = {}
    for k, field in enumerate(fields):
        values, codes, n = np.unique([value or "" for value in field], return_inverse=True, return_counts=True)
        used = np.flatnonzero((n >= LEAST) & (len(names) - n >= LEAST) & (values != ""))
        if not 1 <= used.size <= MOST or 2 * n[used].sum() < len(names):
            continue
        for code in used.tolist():
            members, value = codes == code, str(values[code])
            if members.tobytes() in groups:
                continue
            before = rf"^(?:[\W_]*(?:[^\W\d_]+|\d+)){{{k}}}[\W_]*"
            end = r"(?:[^\d]|$)" if value.isdigit() else r"(?:[\W\d_]|$)"
            exact = f"^({re.escape(value)})/[^/]*$" if k + 1 == len(fields) else f"{before}({re.escape(value)}){end}"
            is_exact = [re.search(exact, name) is not None for name in names] == members.tolist()
            groups[members.tobytes()] = NameGroup(value, simplest(value, exact * is_exact, names, members), members)
    return list(groups.values())


def groups_of_labels(groups: Mapping[str, Sequence[int]], pattern: str, names: Sequence[str]) -> list[NameGroup]:
    """Return the groups that the user named, without documents that are in none."""
    made = []
    for name, documents in groups.items():
        members = np.isin(np.arange(len(names)), documents)
        if name != OTHER:
            made.append(NameGroup(name, pattern and simplest(name, pattern, names, members), members))
    return made


def simplest(value: str, pattern: str, names: Sequence[str], members: Bools) -> str:
    """Return the text of a group as a pattern if it is found in the names of its documents only; else the pattern."""
    text = re.escape(value)
    return text if [text in name for name in names] == members.tolist() else pattern


def in_units(groups: Iterable[NameGroup], unit: Ints) -> list[tuple[NameGroup, Bools]]:
    """Return the groups that can be tested, with the units that each has: those that are inside as a whole.

    Args:
        groups: groups of D documents.
        unit: int64 (D,) the unit of each document, -1 for documents that are left out.
    """
    kept, n = list[tuple[NameGroup, Bools]](), np.bincount(unit[unit >= 0])
    for group in groups:
        n_inside = np.bincount(unit[(unit >= 0) & group.members], minlength=n.size)
        inside = n_inside > 0
        is_whole = n.size >= FEWEST and np.array_equal(n_inside[inside], n[inside])
        is_new = not any(np.array_equal(inside, other) for _, other in kept)
        if is_whole and is_new and LEAST <= inside.sum() <= n.size - LEAST:
            kept.append((group, inside))
    return kept


def differ(rows: Floats, members: Bools, score: Score) -> Floats:
    """Score G groups of units and all other units, and find the standard error of the difference to first order.

    Args:
        rows: float64 (U, w) sums of units.
        members: bool (G, U) the units of each group.
        score: the function of their sums.

    Returns:
        float64 (4, G): F of the group, F of the others, standard error, and p of Welch's t test.
    """
    from scipy.special import stdtr

    w, n_groups = rows.shape[1], len(members)
    one, other = np.triu_indices(w)
    products = rows[:, one] * rows[:, other] * np.where(one == other, 1.0, 2.0)
    together = np.concatenate([rows, products], axis=1)
    sums = members.astype(np.float64) @ together
    both = np.concatenate([sums, together.sum(axis=0) - sums]).T
    f1 = score(both[:w])
    slopes = slopes_of(both[:w], score)
    squares = np.einsum("pg,pg->g", slopes[one] * slopes[other], both[w:]).reshape(2, -1)
    n = np.stack([members.sum(axis=1), (~members).sum(axis=1)]).astype(np.float64)
    squares = np.maximum(squares * n / (n - 1.0), 1e-24)
    freedom = squares.sum(axis=0) ** 2 / (squares**2 / (n - 1.0)).sum(axis=0)
    inside, outside, error = f1[:n_groups], f1[n_groups:], np.sqrt(squares.sum(axis=0))
    return np.stack([inside, outside, error, 2.0 * stdtr(freedom, -np.abs(inside - outside) / error)])


def slopes_of(sums: Floats, score: Score) -> Floats:
    """Return how much F changes with each of the sums, float64 (w, G) -> (w, G), see `Sample.slopes`."""
    slopes = np.empty_like(sums)
    for c in range(len(sums)):
        moved = sums.astype(np.complex128)
        moved[c] += 1j * STEP
        slopes[c] = score(moved).imag / STEP
    slopes[sums == 0.0] = 0.0  # no document has any of these
    return slopes


def permuted(rows: Floats, members: Bools, score: Score, seed: int) -> GroupTest:
    """Test groups by permuting the units among them.

    Args:
        rows: as of `differ`.
        members: likewise.
        score: likewise.
        seed: an integer that repeats the numbers.
    """
    n_groups, n_units = members.shape
    observed = differ(rows, members, score)
    n = int(min(max(WORK // (n_groups * n_units), LEAST_PERMUTATIONS), PERMUTATIONS))
    rng, pvalues = np.random.default_rng(seed), [observed[-1:]]
    step = max(1, AT_ONCE // (n_groups * n_units))
    for first in range(0, n, step):
        orders = rng.permuted(np.tile(np.arange(n_units), (min(step, n - first), 1)), axis=1)
        moved = np.moveaxis(members[:, orders], 0, 1).reshape(-1, n_units)
        pvalues.append(differ(rows, moved, score)[-1].reshape(-1, n_groups))
    inside, outside, error, _ = observed
    return GroupTest(inside, outside, error, step_down(np.concatenate(pvalues)))


def flipped(influences: Floats, values: Floats, seed: int, *, two_sided: bool = False) -> Floats:
    """Test which of C numbers are above 0 by the signs of the influences of units, corrected for C.

    A number that rests on fewer than `FEWEST` effective units is not: too few signs make an error that is too small.

    Args:
        influences: float64 (C, U); they add up to 0.
        values: float64 (C,) the numbers.
        seed: an integer that repeats the signs.
        two_sided: test which are not 0.

    Returns:
        p-values, float64 (C,).
    """
    n = min(influences.shape[1], BLOCKS)
    block = np.arange(influences.shape[1]) % n
    z = np.stack([np.bincount(block, own, n) for own in influences])
    squares = (z**2).sum(axis=1)
    sums = np.random.default_rng(seed).choice([-1.0, 1.0], (PERMUTATIONS, n)) @ z.T
    rests = (squares > 1e-24) & (squares**2 >= FEWEST * (z**4).sum(axis=1))
    scale = n / max(n - 1, 1)
    errors = np.sqrt(scale * np.maximum(np.append([squares], squares - sums**2 / n, axis=0), 1e-24))
    statistics = np.concatenate([[np.where(rests, values, 0.0)], sums]) / errors
    return step_down(-np.abs(statistics) if two_sided else -statistics)


def step_down(statistics: Floats) -> Floats:
    """Correct for C hypotheses by the least statistic of each permutation, step by step: p-values, float64 (C,).

    Args:
        statistics: float64 (1+B, C) the observed statistics, and those of B permutations; small ones are extreme.
    """
    order = statistics[0].argsort(kind="stable")
    least = np.minimum.accumulate(statistics[:, order[::-1]], axis=1)[:, ::-1]
    corrected = np.empty(order.size)
    corrected[order] = np.maximum.accumulate((least <= least[0] + 1e-9 * abs(least[0])).mean(axis=0))  # equal ones tie
    return corrected
