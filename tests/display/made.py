"""Scores made from sums that are easy to check by hand; and reports of them."""

import numpy as np

import arraycoref as ac
from arraycoref.scoring.reports import ScoresReport
from arraycoref.scoring.signature import Signature

COUNTS = {
    "mentions": [[5, 6, 5, 7], [2, 2, 2, 2]],
    "muc": [[3, 5, 3, 3], [1, 1, 1, 1]],  # the first has recall 3/5 and precision 1: F1 prints 74.99
    "bcub": [[10 / 3, 6, 4.25, 7], [2, 2, 2, 2]],
    "ceafm": [[4, 6, 4, 7], [2, 2, 2, 2]],
    "ceafe": [[1.2, 3, 1.2, 4], [1, 1, 1, 1]],
    "blanc": [[2, 4, 2, 5, 4, 11, 4, 16, 6, 7, 5, 1], [1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2]],
}
NAMES = ("a_b|c_0", "d & e")
RATIO = r"\((\S+) / (\S+)\) (\S+)%"
SCORE = rf"Recall: {RATIO}\tPrecision: {RATIO}\tF1: (\S+)%"


def batch(names=NAMES, counts=COUNTS, profile="paper", beta=1.0, headers=None):
    """Make scores from sums: (D, 4) for each metric, (D, 12) for BLANC."""
    groups = [np.asarray(rows, float).reshape(len(names), np.shape(rows)[1] // 4, 4) for rows in counts.values()]
    found = ac.Counts(tuple(names), tuple(counts), np.concatenate(groups, axis=1))
    metrics = (*counts, *(["conll"] if {"muc", "bcub", "ceafe"} <= set(counts) else []))
    signature = Signature(version="9.9", profile=profile, beta=beta)
    return ac.BatchScores(metrics, found, signature, headers)


def muc_of(*sums, **options):
    """Make scores of one document with given MUC sums, and one shared mention."""
    return batch(["d"], {"mentions": [[1, 1, 1, 1]], "muc": [list(sums)]}, **options)


def render(b, format="table", *, digits=2, **shown):
    return ScoresReport(b, **shown).render(format, digits=digits)
