"""arraycoref: score coreference resolution and other clusterings, as arrays, fast and exactly.

    >>> import arraycoref as ac
    >>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])
    >>> round(s["blanc"].f1, 4)
    0.4857

Importing this package imports numpy and nothing heavier; numba is imported when the first score is computed.
"""

from arraycoref.api import score, score_batch, score_labels, score_labels_batch
from arraycoref.batch import warmup
from arraycoref.errors import (
    ArraycorefError,
    DocumentMismatchError,
    DuplicateMentionError,
    InputError,
    MissingDependencyError,
    ReadError,
    ReadWarning,
    UnknownNameError,
)
from arraycoref.files import score_files
from arraycoref.metrics import DEFAULT_METRICS, METRIC_NAMES
from arraycoref.results import BatchScores, DocumentScores, MacroScores, Scores
from arraycoref.scores import BlancScore, Score
from arraycoref.version import __version__

__all__ = [
    "DEFAULT_METRICS",
    "METRIC_NAMES",
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
    "UnknownNameError",
    "__version__",
    "score",
    "score_batch",
    "score_files",
    "score_labels",
    "score_labels_batch",
    "warmup",
]
