"""Find shortest edit scripts with the plain function of `arraycoref.match.edit_script`, compiled."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import contiguous, helper, kernel, runs
from arraycoref.match import edit_script
from arraycoref.ragged import Ints

helper(edit_script.meet)  # which search calls by its name
_search = helper(edit_script.search)


@kernel
def search(a: Ints, b: Ints, result: Ints, furthest: Ints, waiting: Ints, most: int) -> bool:
    """Search a shortest edit script; arguments are those of the plain function, its two rows of paths in one array."""
    return bool(_search(a, b, result, furthest[0], furthest[1], waiting, most))


@runs(search)
def inner_partners(a: Ints, b: Ints, most: int) -> Ints | None:
    """Find what stays: the fast twin of `arraycoref.match.edit_script.inner_partners`."""
    result, furthest = np.full(b.size, -1), np.empty((2, a.size + b.size + 3), np.int64)
    waiting = np.empty(edit_script.DEPTH, np.int64)
    return result if search(contiguous(a), contiguous(b), result, furthest, waiting, most) else None
