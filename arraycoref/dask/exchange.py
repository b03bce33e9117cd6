"""Bring parts of the same number together, from every task that made some."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from arraycoref.dask.tasks import Task, task

DIRECT = 2**14
"""Pairs of task and part up to which each part is fetched from each task; beyond, by way of tasks in between."""


def exchange(splits: Sequence[Task], n_parts: int, join: Callable[[list[Any]], Any]) -> list[list[Task]]:
    """Collect the parts of each number.

    Args:
        splits: tasks, each of which returns a list of ``n_parts`` parts.
        n_parts: their number.
        join: puts parts of one number together, in the order of the tasks.

    Returns:
        For each number, tasks that return parts of it, in the order of ``splits``.
    """
    if len(splits) * n_parts <= DIRECT:
        return [[split[part] for split in splits] for part in range(n_parts)]
    width, height = math.isqrt(n_parts - 1) + 1, math.isqrt(len(splits) - 1) + 1
    bundled = [task(bundle, split, width) for split in splits]
    parts: list[list[Task]] = [[] for _ in range(n_parts)]
    for first in range(0, len(splits), height):
        for b in range(-(-n_parts // width)):
            joined = task(join_bundles, [one[b] for one in bundled[first : first + height]], join)
            for part in range(b * width, min((b + 1) * width, n_parts)):
                parts[part].append(joined[part - b * width])
    return parts


def bundle(parts: list[Any], width: int) -> list[list[Any]]:
    """Bundle parts of neighbouring numbers."""
    return [parts[first : first + width] for first in range(0, len(parts), width)]


def join_bundles(bundles: list[list[Any]], join: Callable[[list[Any]], Any]) -> list[Any]:
    """Put bundles of the same numbers together, number by number."""
    return [join(list(parts)) for parts in zip(*bundles, strict=True)]
