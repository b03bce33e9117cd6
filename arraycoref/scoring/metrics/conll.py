"""The CoNLL average: the mean F1 of MUC, B-cubed and CEAFe. It has no counts of its own.

>>> import arraycoref as ac
>>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")], metrics="conll")
>>> round(s["conll"].f1, 4)
0.4582
"""

from __future__ import annotations

from collections.abc import Sequence

from arraycoref.scoring.metrics.score import Score, V, plain_score, single_value


def score(muc: Sequence[V], bcub: Sequence[V], ceafe: Sequence[V], _profile: str, beta: float) -> Score[V]:
    """Average F over the three metrics.

    Source: Pradhan et al. (2014), section 4.
    """
    total = plain_score(muc, beta=beta).f1 + plain_score(bcub, beta=beta).f1
    return single_value((total + plain_score(ceafe, beta=beta).f1) / 3)
