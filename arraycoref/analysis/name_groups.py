"""Find groups of documents in their names, and test numbers by the signs of influences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints
from arraycoref.scoring.grouped import OTHER
from arraycoref.stats.groups import PERMUTATIONS
from arraycoref.stats.tests import step_down

LEAST, MOST = 3, 40
"""The fewest documents in a group and outside, and the most groups that one part of the names makes."""

FEWEST = 8
"""With fewer documents in all, no group is tested; with fewer effective units, no number."""

BLOCKS = 2048
"""The most units whose signs are drawn; more are added up in so many blocks."""

PARTS = re.compile(r"[^\W\d_]+|\d+")


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


def groups_of_names(names: Sequence[str]) -> list[NameGroup]:
    """Find groups in names: documents with the same run of letters or digits as part k, or in one folder.

        >>> [(group.name, group.members.sum().item()) for group in groups_of_names(["a_1", "a_2", "a_3", *"bcd"])]
        [('a', 3)]

    A part is used if it makes at most 40 groups of three documents that leave three outside, and these cover half of
    the documents. Of several groups of the same documents, the first is kept.
    """
    parts = [PARTS.findall(name) for name in names]
    fields = [*zip_longest(*parts, fillvalue=""), [name.rpartition("/")[0] for name in names]]
    groups: dict[bytes, NameGroup] = {}
    for k, field in enumerate(fields):
        values, codes, n = np.unique(field, return_inverse=True, return_counts=True)
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
    statistics = np.abs(statistics) if two_sided else np.maximum(statistics, 0.0)
    return step_down(statistics[0], np.ones(len(values)), [statistics[1:].T])
