"""How scores were resampled and tested: the options, completed, and the words for them in captions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

TESTS = {"randomization": "approximate randomization", "bootstrap": "paired bootstrap"}
"""The tests, and their names in captions."""

LINEARIZED = "linearized"
"""The method of intervals that come from influences of units, without resamples."""

METHODS = {"bca": "bca bootstrap", "percentile": "percentile bootstrap", LINEARIZED: "linearized"}
"""The methods of intervals, and their names in captions."""

CORRECTIONS = {"maxt": "step-down maxT", "holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
"""The corrections, and their names in captions."""

RIVAL = "="
"""The mark of a score that is not significantly different from the best, and may be as good."""

Field = Literal["recall", "precision", "f1"]
Average = Literal["micro", "macro"]
Method = Literal["bca", "percentile"]
Test = Literal["randomization", "bootstrap"]
Alternative = Literal["two-sided", "greater", "less"]
Correction = Literal["maxt", "holm", "bh", "none"]
By = str | Iterable[object] | None


@dataclass(frozen=True, eq=False)
class How:
    """How scores were resampled and tested; what a result has no use for keeps its default.

    Attributes:
        average: ``micro`` or ``macro``.
        resample_by: what was resampled and exchanged: ``document``, ``entity``, ``component``, ``labels`` for those of
            the user, or the expression that names groups of documents; before `arraycoref.stats.sample.sample_of`, what
            the user asked for.
        n_units: number of units that were resampled.
        resamples: number of resamples.
        seed: integer that repeats the numbers.
        metric: name of the metric that was compared.
        field: ``recall``, ``precision`` or ``f1`` of the metric.
        method: kind of the intervals: ``percentile``, ``bca`` or ``linearized``.
        confidence: level of each interval by itself, not of all together.
        test: ``randomization`` or ``bootstrap``.
        alternative: ``two-sided``, ``greater`` or ``less``.
        correction: ``maxt``, ``holm``, ``bh`` or ``none``.
        alpha: significance level of the marks.
    """

    average: Average = "micro"
    resample_by: By = None
    n_units: int = 0
    resamples: int = 0
    seed: int = 0
    metric: str = ""
    field: str = ""
    method: str = ""
    confidence: float = math.nan
    test: str = ""
    alternative: str = ""
    correction: str = ""
    alpha: float = math.nan

    @property
    def drawn(self) -> str:
        """How many resamples were drawn, and with which seed."""
        return f"{self.resamples} resamples, seed {self.seed}"

    @property
    def level(self) -> str:
        """The level of intervals, in percent."""
        return f"{100 * self.confidence:g}%"

    def intervals(self, few: str = "") -> tuple[str, str]:
        """Say how intervals were made, and with which seed; nothing was drawn for linearized ones."""
        is_drawn = self.method != LINEARIZED
        drawn = f", {self.resamples} resamples" * is_drawn
        return f"{self.level} intervals ({METHODS[self.method]}{drawn}{few})", f", seed {self.seed}" * is_drawn

    def facts(self, *names: str) -> dict[str, Any]:
        """Return some of the attributes by name."""
        return {name: getattr(self, name) for name in names}
