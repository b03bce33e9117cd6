"""The Rand index: the share of all pairs of mentions on which key and response agree.

>>> import arraycoref as ac
>>> ac.score([list("ab"), ["c"]], [list("abc")], metrics="rand")["rand"].f1
0.3333333333333333
"""

from __future__ import annotations

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics import blanc
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return the links on which key and response agree, and all links; recall and precision are equal.

    Source: Rand (1971); Luo et al. (2014), section 3. The denominator is the one of its text, "the total number of
    links"; its equation 1 prints another.
    """
    (linked, in_key, _, in_response), (apart, apart_in_key, _, apart_in_response), _ = blanc.sums(n)
    return linked + apart, in_key + apart_in_key, linked + apart, in_response + apart_in_response
