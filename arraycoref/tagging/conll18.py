"""The format ``conll``: the table of the CoNLL 2018 shared task's evaluation, for scripts that parse it."""

from __future__ import annotations

from arraycoref.errors import InputError
from arraycoref.tagging.measures import FACETS, WORDS
from arraycoref.tagging.results import TagScores

CONLL18 = (WORDS, *FACETS)
"""The measures that the format shows, in its order; those of syntax and lemmas are no matter of tags."""

HEADER = "Metric     | Precision |    Recall |  F1 Score | AligndAcc"
RULE = "-----------+-----------+-----------+-----------+-----------"


def render_conll18(scores: TagScores) -> str:
    """Write a line a measure: precision, recall, F1 and, but for `WORDS`, accuracy on aligned words; percent.

    Args:
        scores: of measures of `CONLL18`.

    Returns:
        Text that ends with a newline.

    Raises:
        InputError: a measure that the evaluation does not have.

    Source: universaldependencies.org/conll18/evaluation.html, option ``-v``.
    """
    strange = [measure for measure in scores.metrics if measure not in CONLL18]
    if strange:
        raise InputError(f"format 'conll' shows the measures {', '.join(CONLL18)}; not {', '.join(strange)}")
    lines = [HEADER, RULE]
    for measure in (measure for measure in CONLL18 if measure in scores.metrics):
        score = scores[measure]
        n_words = score.precision_den + score.recall_den
        # One division, as there: two that are rounded may differ in the last digit shown.
        f1 = 2 * score.recall_num / n_words if n_words else 0.0
        shown = "|".join(f"{100 * value:10.2f} " for value in (score.precision, score.recall, f1))
        accuracy = scores.correctness(measure).aligned_accuracy or 0.0
        lines.append(f"{measure:11}|{shown}|" + ("" if measure == WORDS else f"{100 * accuracy:10.2f}"))
    return "\n".join(lines) + "\n"
