"""The CoNLL average: the mean F1 of MUC, B-cubed and CEAFe; and that of these and BLANC. They have no own counts.

>>> import arraycoref as ac
>>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")], metrics="conll")
>>> round(s["conll"].f1, 4)
0.4582
"""

from __future__ import annotations

from collections.abc import Sequence

from arraycoref.scoring.metrics import blanc as page_of_blanc
from arraycoref.scoring.metrics.score import Score, V, plain_score, single_value


def score(muc: Sequence[V], bcub: Sequence[V], ceafe: Sequence[V], _profile: str, beta: float) -> Score[V]:
    """Average F over the three metrics.

    Source: Pradhan et al. (2014), section 4.
    """
    total = plain_score(muc, beta=beta).f1 + plain_score(bcub, beta=beta).f1
    return single_value((total + plain_score(ceafe, beta=beta).f1) / 3)


def score_of_four(
    muc: Sequence[V], bcub: Sequence[V], ceafe: Sequence[V], blanc: Sequence[Sequence[V]], profile: str, beta: float
) -> Score[V]:
    """Average F over the three metrics and BLANC, which papers on events also call the CoNLL average.

    Source: Mitamura et al. (2015), Overview of TAC KBP 2015 Event Nugget Track, section on coreference.
    """
    three = score(muc, bcub, ceafe, profile, beta).f1
    return single_value((3 * three + page_of_blanc.score(blanc, profile, beta).f1) / 4)
