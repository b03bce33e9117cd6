"""Compute confidence intervals, tests and correlations of scores, from the counts of each document.

No document is scored again: the counts of a resample are sums of rows, each row times how often its document is drawn.
Functions of several systems take `Runs`, or a mapping from the systems' names to their scores. With the same seed, the
numbers do not depend on the number of threads, the order of the systems, or on other systems that are compared with
them, up to rounding: sums may differ in the 16th digit, and scores that differ by less than 1e-12 are equal.
"""

from __future__ import annotations

from arraycoref.stats.annotators import Agreement as Agreement, agree as agree
from arraycoref.stats.correlation import Correlation as Correlation, correlate as correlate
from arraycoref.stats.groups import Contrast as Contrast, contrast as contrast
from arraycoref.stats.how import How as How
from arraycoref.stats.intervals import (
    Interval as Interval,
    Intervals as Intervals,
    ScoreInterval as ScoreInterval,
    bootstrap as bootstrap,
)
from arraycoref.stats.needed_documents import Power as Power, power as power
from arraycoref.stats.ranking import (
    Comparison as Comparison,
    RankedSystem as RankedSystem,
    best as best,
    compare as compare,
)
from arraycoref.stats.score_table import ScoreTable as ScoreTable, table as table
from arraycoref.stats.tests import (
    PairedTest as PairedTest,
    adjust_pvalues as adjust_pvalues,
    paired_test as paired_test,
)
