"""Slow, obviously correct definitions of every metric, to hold the package against.

Sets, loops and exact fractions; nothing here imports arraycoref, or another metric's result where a definition
can be written down again. A clustering is a list of entities, an entity a list of hashable mentions, no mention twice
(`policies` makes it so). A metric returns four exact numbers: recall numerator and denominator, precision numerator
and denominator; BLANC returns them for both classes of links.
"""

from importlib import import_module
from pkgutil import iter_modules

from oracle.bcub import bcub
from oracle.blanc import BlancCounts, blanc, blanc_gold, blanc_score
from oracle.ceaf import ceaf_phi1, ceaf_phi2, ceafe, ceafm
from oracle.lea import lea
from oracle.mentions import mentions
from oracle.muc import muc
from oracle.pairwise import pairwise
from oracle.policies import apply_policies, drop_singletons, resolve_duplicates
from oracle.rand import rand
from oracle.scores import conll_mean, f_beta, macro, micro, ratio, score, total
from oracle.twinless import TWINLESS

_MODULES = [import_module(f"oracle.{module.name}") for module in iter_modules(__path__)]

COUNTS = {name: function for module in _MODULES for name, function in getattr(module, "COUNTS", {}).items()}
"""By name, the metrics that are one row of four numbers for any two clusterings (`rand` is one for gold mentions only).
A module may hold several; a new metric is a module with ``COUNTS``, found by itself."""

SCORES = {name: function for module in _MODULES for name, function in getattr(module, "SCORES", {}).items()}
"""How those are scored that are no plain ratios: functions of four numbers and beta, recall and precision None where
there are none."""

LINEAR = {name: function for name, function in COUNTS.items() if name not in SCORES}
"""Those that are plain ratios."""

__all__ = [
    "COUNTS",
    "LINEAR",
    "SCORES",
    "TWINLESS",
    "BlancCounts",
    "apply_policies",
    "bcub",
    "blanc",
    "blanc_gold",
    "blanc_score",
    "ceaf_phi1",
    "ceaf_phi2",
    "ceafe",
    "ceafm",
    "conll_mean",
    "drop_singletons",
    "f_beta",
    "lea",
    "macro",
    "mentions",
    "micro",
    "muc",
    "pairwise",
    "rand",
    "ratio",
    "resolve_duplicates",
    "score",
    "total",
]
