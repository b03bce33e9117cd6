"""Call arraycoref's kernels from a compiled function of your own: here, a jackknife of pairwise F1 over mentions.

A compiled function that calls kernels must not be cached on disk (``cache=True``), as numba does not notice when a
kernel of another file changes.
"""

from __future__ import annotations

import numba
import numpy as np

from arraycoref.kernels import contingency_document


@numba.njit
def leave_one_out(key: np.ndarray, response: np.ndarray) -> np.ndarray:
    """Return (M,): for each mention, the pairwise F1 of the document without this mention."""
    found = np.empty(key.size)
    for left_out in range(key.size):
        k, r = key.copy(), response.copy()
        k[left_out] = r[left_out] = -1
        totals = contingency_document(k, r)[-1]
        links = totals[3] + totals[4]  # of the key and of the response
        found[left_out] = 2 * totals[7] / links if links > 0 else 0.0
    return found


def main() -> np.ndarray:
    """Return the jackknife of a small document."""
    return leave_one_out(np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 2]))


if __name__ == "__main__":
    print(main())
