"""Adjusted mutual information of two clusterings of the same mentions: V-measure, corrected for chance.

MI is the mutual information of key and response, E what it is on average where both sides keep the sizes of their
entities and mentions are dealt out at random, and H the entropy of a side. The score is (MI - E) / (mean H - E), the
mean being that of both sides: 1 for equal sides, 0 on average for unrelated ones. A corpus is computed from the sums
over documents of n MI, n E and n H.

    >>> import arraycoref as ac
    >>> round(ac.score_labels([0, 0, 1, 1], [0, 0, 1, 2], metrics="ami")["ami"].f1, 4)
    0.5714
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.ragged import Floats, Ints, owners, ranges
from arraycoref.scoring.cells import Cells
from arraycoref.scoring.metrics import vmeasure
from arraycoref.scoring.metrics.score import Score, Sums, V, ratio, single_value


def count(cells: Cells) -> Sums:
    """Count n MI, n E, n H(key) and n H(response), in nats.

    Source: Vinh et al. (2010), section 4.
    """
    information, of_response, _, of_key = vmeasure.count(cells)
    sides = [(cells.key_size, cells.key_offsets), (cells.response_size, cells.response_offsets)]
    expected = [
        _expected(*(sizes[offsets[d] : offsets[d + 1]] for sizes, offsets in sides))
        for d in range(cells.offsets.size - 1)
    ]
    return information, np.array(expected, np.float64), of_key, of_response


def _expected(key: Ints, response: Ints) -> float:
    """Return n times the mutual information that entities of these sizes, int64 (A,) and (B,), have on average.

    A cell of entities of sizes a and b holds m mentions with a hypergeometric probability. Entities of one size are
    counted together.

    Source: Vinh et al. (2010), equation 24a.
    """
    from scipy.special import gammaln

    def log_factorial(n: Ints) -> Floats:
        logs: Floats = gammaln(n + 1.0)
        return logs

    n, total = key.sum(), 0.0
    b, times_b = np.unique(response, return_counts=True)
    for a, times_a in zip(*np.unique(key, return_counts=True), strict=True):
        least, most = np.maximum(1, a + b - n), np.minimum(a, b)
        m = ranges(least, most - least + 1)
        row = owners(np.append(0, np.cumsum(most - least + 1)))
        of_rows = log_factorial(a) + log_factorial(n - a) - log_factorial(n) + log_factorial(b) + log_factorial(n - b)
        of_cells = (
            log_factorial(m) + log_factorial(a - m) + log_factorial(b[row] - m) + log_factorial(n - a - b[row] + m)
        )
        terms = m * np.log(n * m / (a * b[row])) * np.exp(of_rows[row] - of_cells)
        total += float(times_a * (times_b[row] * terms).sum())
    return total


def score(sums: Sequence[V], _profile: str = "paper", _beta: float = 1.0) -> Score[V]:
    """Correct the information for chance; 1 for equal sides, also where that is 0 / 0.

    Source: Vinh et al. (2010), equation 2, with the mean of the entropies.
    """
    information, expected, of_key, of_response = sums
    equal = 1.0 * ((information == of_key) & (information == of_response))
    corrected: V = ratio((information - expected) * (1.0 - equal), (of_key + of_response) / 2.0 - expected)
    return single_value(corrected + equal)
