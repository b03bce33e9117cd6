"""The Rand index: the share of all pairs of mentions on which key and response agree.

>>> import arraycoref as ac
>>> ac.score([list("ab"), ["c"]], [list("abc")], metrics="rand")["rand"].f1
0.3333333333333333
"""

from __future__ import annotations

from arraycoref.scoring.cells import Cells
from arraycoref.scoring.metrics import blanc
from arraycoref.scoring.metrics.score import Floats


def count(cells: Cells) -> Floats:
    """Count the links on which key and response agree, and all links: float64 (D, 4); recall and precision are equal.

    Source: Rand (1971); Luo et al. (2014), section 3. The denominator is the one of its text, "the total number of
    links"; its equation 1 prints another.
    """
    links = blanc.count(cells)
    return links[:, 0] + links[:, 1]
