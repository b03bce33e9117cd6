"""Compute confidence intervals, tests and correlations of scores, from the counts of each document.

No document is scored again: the counts of a resample are sums of rows, each row times how often its document is drawn.
The same seed gives the same numbers, to the last bit, with any number of threads, any ``batch``, any order of the
systems, and whatever other systems are compared with them (`arraycoref.scoring.exact`, `arraycoref.stats.resampling`).
"""

from __future__ import annotations

from arraycoref.stats.bootstrapping import Interval, Intervals, ScoreInterval, bootstrap
from arraycoref.stats.correlation import Correlation, correlate
from arraycoref.stats.multiple_tests import adjust_pvalues
from arraycoref.stats.paired import PairedTest, paired_test
from arraycoref.stats.paper import table
from arraycoref.stats.ranking import Comparison, RankedSystem, compare
from arraycoref.stats.sample_size import Power, power
from arraycoref.stats.score_table import ScoreTable

__all__ = [
    "Comparison",
    "Correlation",
    "Interval",
    "Intervals",
    "PairedTest",
    "Power",
    "RankedSystem",
    "ScoreInterval",
    "ScoreTable",
    "adjust_pvalues",
    "bootstrap",
    "compare",
    "correlate",
    "paired_test",
    "power",
    "table",
]
