"""Intervals, tests and correlations of scores: documents are resampled as rows of counts, and nothing is scored twice.

Same seed, same numbers, to the bit: on any number of threads, with any ``batch``, in any order of the systems and
beside any other systems (`arraycoref.exact`, `arraycoref.stats.resampling`).
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
