"""Slow, obviously correct definitions of every metric, with which tests compare the package.

They use sets, loops and exact fractions. Nothing here imports arraycoref, and a metric does not use another metric's
result if the definition can be written out again. A clustering is a list of entities, and an entity a list of hashable
mentions; no mention is in a clustering twice (`policies` removes repeated ones). A metric returns four exact numbers:
recall numerator and denominator, precision numerator and denominator. BLANC returns four for each class of links.
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
from oracle.policies import apply_policies, drop_singletons, resolve_duplicates, restrict
from oracle.rand import rand
from oracle.scores import conll_mean, f_beta, macro, micro, ratio, score, total
from oracle.twinless import TWINLESS

_MODULES = [import_module(f"oracle.{module.name}") for module in iter_modules(__path__)]

COUNTS = {name: function for module in _MODULES for name, function in getattr(module, "COUNTS", {}).items()}
"""By name, the metrics that give one row of four numbers for any two clusterings. Each module's ``COUNTS`` lists its
metrics; a new module is found by its ``COUNTS``."""

GOLD = {name: function for module in _MODULES for name, function in getattr(module, "GOLD", {}).items()}
"""By name, the metrics that need the same mentions on both sides."""

SCORES = {name: function for module in _MODULES for name, function in getattr(module, "SCORES", {}).items()}
"""By name, functions that score metrics that are not plain ratios. They take four numbers and beta, and return recall,
precision and score; recall and precision are None if the metric has none."""

LINEAR = {name: function for name, function in COUNTS.items() if name not in SCORES}
"""The metrics whose recall and precision are plain ratios."""

__all__ = [
    "COUNTS",
    "GOLD",
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
    "restrict",
    "score",
    "total",
]
