"""Connected components of links between mentions."""

from __future__ import annotations

from arraycoref.kernels.jit import Ints, kernel


@kernel
def component_labels(first: Ints, second: Ints, labels: Ints) -> None:
    """Label each mention by the first mention of its component.

    Args:
        first: int64 (E,) a mention of each link, 0 to M - 1; not checked.
        second: int64 (E,) the other.
        labels: int64 (M,) receives the labels.
    """
    for m in range(labels.size):
        labels[m] = m
    for e in range(first.size):
        a = first[e]
        while labels[a] != a:
            labels[a] = labels[labels[a]]
            a = labels[a]
        b = second[e]
        while labels[b] != b:
            labels[b] = labels[labels[b]]
            b = labels[b]
        labels[max(a, b)] = min(a, b)
    for m in range(labels.size):
        labels[m] = labels[labels[m]]
