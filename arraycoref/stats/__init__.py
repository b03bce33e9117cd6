"""Compute confidence intervals, tests and correlations of scores, from the counts of each document.

No document is scored again: the counts of a resample are sums of rows, each row times how often its document is drawn.
Functions of several systems take `Runs`, or a mapping from the systems' names to their scores. With the same seed, the
numbers do not depend on the number of threads, the order of the systems, or on other systems that are compared with
them, up to rounding: sums may differ in the 16th digit, and scores that differ by less than 1e-12 are equal.
"""

from __future__ import annotations

from arraycoref.stats.annotators import Agreement, agree
from arraycoref.stats.correlation import Correlation, correlate
from arraycoref.stats.groups import Contrast, contrast
from arraycoref.stats.how import How
from arraycoref.stats.intervals import Interval, Intervals, ScoreInterval, bootstrap
from arraycoref.stats.needed_documents import Power, power
from arraycoref.stats.ranking import Comparison, RankedSystem, best, compare
from arraycoref.stats.score_table import ScoreTable, table
from arraycoref.stats.tests import PairedTest, adjust_pvalues, paired_test

__all__ = [
    "Agreement",
    "Comparison",
    "Contrast",
    "Correlation",
    "How",
    "Interval",
    "Intervals",
    "PairedTest",
    "Power",
    "RankedSystem",
    "ScoreInterval",
    "ScoreTable",
    "adjust_pvalues",
    "agree",
    "best",
    "bootstrap",
    "compare",
    "contrast",
    "correlate",
    "paired_test",
    "power",
    "table",
]
