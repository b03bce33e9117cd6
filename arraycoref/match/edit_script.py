"""Find a shortest edit script between two sequences: which elements stay, when as few as possible go and come.

The method is the linear-space one of Myers (1986), section 4b: paths from both ends meet in the middle, and both halves
are solved the same. A path uses up at least as many elements of the longer sequence as that is longer. So paths with
few further ones are looked at first, and paths with more only if none of these is shortest (Wu, Manber, Myers and
Miller 1990). With N elements, P elements of the shorter sequence that do not stay, and D insertions and deletions, this
takes time O(N + D P) and memory O(N).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.ragged import Ints
from arraycoref.twin import hand_over, twin

WIDTH = 64
"""How many elements of the shorter sequence may at first not stay; four times as many when this does not suffice."""

EACH = 3e-7
"""Seconds that a step of the plain search takes."""

DEPTH = 512
"""Places for halves that wait: four numbers each, and as many as D can be halved."""


def partners(a: Ints, b: Ints, most: int | None = None) -> Ints | None:
    """Return the element of one sequence that each element of another one is, by a shortest edit script.

        >>> partners(np.array([1, 2, 3, 4]), np.array([2, 9, 3, 4, 4])).tolist()
        [1, -1, 2, -1, 3]

    Args:
        a: int64 (N,) numbers of elements, from 0.
        b: int64 (M,) the same.
        most: how many elements of the shorter sequence may at most not stay; None for all.

    Returns:
        int64 (M,) ascending positions in ``a`` of what stays; -1 for what is inserted. None for more than ``most``.

    Source: Myers (1986), An O(ND) difference algorithm and its variations.
    """
    n = min(a.size, b.size)
    most = n if most is None else most
    different = np.flatnonzero(a[:n] != b[:n])
    before = int(different[0]) if different.size else n
    different = np.flatnonzero(a[::-1][: n - before] != b[::-1][: n - before])
    behind = int(different[0]) if different.size else n - before
    result = np.arange(b.size)
    result[b.size - behind :] += a.size - b.size
    one, other = a[before : a.size - behind], b[before : b.size - behind]
    inner = inner_partners(one, other, most)
    if inner is None:
        return None
    result[before : b.size - behind] = np.where(inner < 0, -1, inner + before)
    return result


def _steps(a: Ints, b: Ints, _most: int) -> float:
    """Estimate the steps of a search, from how often each element is in both sequences."""
    length = 1 + max(int(a.max(initial=0)), int(b.max(initial=0)))
    n_edits = np.abs(np.bincount(a, minlength=length) - np.bincount(b, minlength=length)).sum()
    n_few = (n_edits - abs(a.size - b.size)) / 2
    return float(a.size + b.size + n_edits * min(n_few + WIDTH, n_edits))


@twin("edit_script.inner_partners", each=EACH, compiling=2.5, size=_steps)
def inner_partners(a: Ints, b: Ints, most: int) -> Ints | None:
    """Do what `partners` does, for sequences without a common beginning or end."""
    width = min(WIDTH, most)
    while True:  # the fast twin takes over where the estimate was wrong, as in sentences in another order
        result = [-1] * b.size
        furthest = [[0] * (a.size + b.size + 3) for _ in range(2)]
        if search(a.tolist(), b.tolist(), result, furthest[0], furthest[1], [0] * DEPTH, width):
            return np.array(result, np.int64)
        if width == most:
            return None
        width = min(4 * width, most)
        hand_over(EACH * 4 * width * (abs(a.size - b.size) + 2 * width))


def meet(a: Any, b: Any, ahead: Any, back: Any, part: Any, width: int) -> Any:
    """Let the paths from both ends of a part meet.

    Args:
        a: see `search`.
        b: the same.
        ahead: the same.
        back: the same.
        part: begin and end in ``a``, then in ``b``.
        width: how many elements of the shorter sequence may not stay.

    Returns:
        The number of insertions and deletions, 0 where no paths meet; the first x and y in the part of what stays where
        they meet, and the x after it.
    """
    a0, a1, b0, b1 = part
    n, m = a1 - a0, b1 - b0
    gap, middle, n_edits = n - m, m + 1, 0
    first_x = last_x = first_y = 0
    ahead[middle] = back[middle] = d = 0
    ahead[0] = back[0] = ahead[n + m + 2] = back[n + m + 2] = -2
    low = high = 0
    n_steps = abs(gap) // 2 + width + 1  # with more, a path loses more elements
    while n_edits == 0 and d < n_steps:
        d += 1
        before_low, before_high = low, high
        low = max(-d, d - 2 * width if gap >= 0 else -d, -m + (m + d) % 2)
        high = min(d, 2 * width - d if gap < 0 else d, n - (n + d) % 2)
        for k in range(low, high + 1, 2):
            left, right = ahead[middle + k - 1], ahead[middle + k + 1]
            x = right if k == -d or (k != d and left < right) else left + 1
            start, y = x, x - k
            while x < n and y < m and a[a0 + x] == b[b0 + y]:
                x, y = x + 1, y + 1
            ahead[middle + k] = x
            other = gap - k
            if gap % 2 and before_low <= other <= before_high and x + back[middle + other] >= n:
                n_edits, first_x, first_y, last_x = 2 * d - 1, start, start - k, x
                break
        for k in range(low, high + 1 if n_edits == 0 else low, 2):
            left, right = back[middle + k - 1], back[middle + k + 1]
            x = right if k == -d or (k != d and left < right) else left + 1
            start, y = x, x - k
            while x < n and y < m and a[a1 - 1 - x] == b[b1 - 1 - y]:
                x, y = x + 1, y + 1
            back[middle + k] = x
            other = gap - k
            if gap % 2 == 0 and low <= other <= high and x + ahead[middle + other] >= n:
                n_edits, first_x, first_y, last_x = 2 * d, n - x, m - x + k, n - start
                break
    return n_edits, first_x, first_y, last_x


def search(a: Any, b: Any, result: Any, ahead: Any, back: Any, waiting: Any, most: int) -> bool:
    """Search a shortest edit script; its fast twin compiles this function.

    Args:
        a: N numbers of elements, in a list or an array.
        b: M the same.
        result: M times -1; receives what `partners` returns.
        ahead: N + M + 3 numbers; for each diagonal k = x - y of the part that is solved, how many of its elements x of
            ``a`` the path reaches that comes furthest from the beginning.
        back: the same, from the end.
        waiting: receives the parts that wait: begin and end in ``a``, then in ``b``.
        most: see `partners`.

    Returns:
        Whether no more than ``most`` elements of the shorter sequence do not stay.
    """
    waiting[0], waiting[1], waiting[2], waiting[3] = 0, len(a), 0, len(b)
    n_waiting, is_whole = 1, True
    while n_waiting:
        n_waiting -= 1
        a0, a1 = waiting[4 * n_waiting], waiting[4 * n_waiting + 1]
        b0, b1 = waiting[4 * n_waiting + 2], waiting[4 * n_waiting + 3]
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            result[b0] = a0
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            result[b1] = a1
        n, m = a1 - a0, b1 - b0
        if n == 0 or m == 0:
            if is_whole and min(len(a), len(b)) - (len(b) - m if n == 0 else len(a) - n) > most:
                return False
            is_whole = False
            continue
        gap, width, n_edits = n - m, min(WIDTH, most) if is_whole else WIDTH, 0
        first_x = last_x = first_y = 0
        while n_edits == 0:
            n_edits, first_x, first_y, last_x = meet(a, b, ahead, back, (a0, a1, b0, b1), width)
            n_lost = (n_edits - abs(gap)) // 2
            if n_edits == 0 or n_lost > width or (is_whole and n_lost > most):
                if is_whole and width >= most:
                    return False
                width, n_edits = min(4 * width, most) if is_whole else 4 * width, 0
        is_whole = False
        for x in range(first_x, last_x):
            result[b0 + first_y + x - first_x] = a0 + x
        last_y = first_y + last_x - first_x
        waiting[4 * n_waiting], waiting[4 * n_waiting + 1] = a0, a0 + first_x
        waiting[4 * n_waiting + 2], waiting[4 * n_waiting + 3] = b0, b0 + first_y
        waiting[4 * n_waiting + 4], waiting[4 * n_waiting + 5] = a0 + last_x, a1
        waiting[4 * n_waiting + 6], waiting[4 * n_waiting + 7] = b0 + last_y, b1
        n_waiting += 2
    return True
