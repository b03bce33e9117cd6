"""arraycoref: score coreference resolution and other clusterings, as arrays, fast and exactly.

    >>> import arraycoref as ac
    >>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])
    >>> round(s["blanc"].f1, 4)
    0.4857

Importing this package imports numpy and nothing heavier; numba is imported when the first score is computed. What
stands on the scores (statistics, sweeps, tables) is imported when its name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from arraycoref.api import score, score_batch, score_labels, score_labels_batch
from arraycoref.deadline import time_limit
from arraycoref.errors import (
    ArraycorefError,
    DocumentMismatchError,
    DuplicateMentionError,
    InputError,
    MissingDependencyError,
    ReadError,
    ReadWarning,
    TimeLimitError,
    UnknownNameError,
)
from arraycoref.files import score_files
from arraycoref.metrics import DEFAULT_METRICS, METRIC_NAMES
from arraycoref.results import BatchScores, DocumentScores, MacroScores, Scores
from arraycoref.scores import BlancScore, Score
from arraycoref.version import __version__
from arraycoref.warming import warmup

if TYPE_CHECKING:
    from arraycoref.pipelines.accumulator import Accumulator
    from arraycoref.pipelines.tables import score_table
    from arraycoref.stats import bootstrap, compare, correlate, paired_test, power
    from arraycoref.sweeps import (
        load_sweep,
        sweep,
        sweep_antecedents,
        sweep_files,
        sweep_linkage,
        sweep_pairs,
    )

_LAZY = {
    "Accumulator": "arraycoref.pipelines.accumulator",
    "bootstrap": "arraycoref.stats",
    "compare": "arraycoref.stats",
    "correlate": "arraycoref.stats",
    "paired_test": "arraycoref.stats",
    "power": "arraycoref.stats",
    "score_table": "arraycoref.pipelines.tables",
    "load_sweep": "arraycoref.sweeps",
    "sweep": "arraycoref.sweeps",
    "sweep_antecedents": "arraycoref.sweeps",
    "sweep_files": "arraycoref.sweeps",
    "sweep_linkage": "arraycoref.sweeps",
    "sweep_pairs": "arraycoref.sweeps",
}

__all__ = [
    "DEFAULT_METRICS",
    "METRIC_NAMES",
    "Accumulator",
    "ArraycorefError",
    "BatchScores",
    "BlancScore",
    "DocumentMismatchError",
    "DocumentScores",
    "DuplicateMentionError",
    "InputError",
    "MacroScores",
    "MissingDependencyError",
    "ReadError",
    "ReadWarning",
    "Score",
    "Scores",
    "TimeLimitError",
    "UnknownNameError",
    "__version__",
    "bootstrap",
    "compare",
    "correlate",
    "load_sweep",
    "paired_test",
    "power",
    "score",
    "score_batch",
    "score_files",
    "score_labels",
    "score_labels_batch",
    "score_table",
    "sweep",
    "sweep_antecedents",
    "sweep_files",
    "sweep_linkage",
    "sweep_pairs",
    "time_limit",
    "warmup",
]


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'arraycoref' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
