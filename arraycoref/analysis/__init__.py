"""Find what went wrong: types of errors, breakdowns, links, entities; of one response, or of several to one key.

`analyze`, `analyze_labels` and `analyze_files` return an `Analysis`, which has the mentions of all
sides on one index.
"""

from arraycoref.analysis.api import Analysis, analyze, analyze_files, analyze_labels, explain
from arraycoref.analysis.description import describe
from arraycoref.analysis.explanation import Explanation
from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.pair import TYPES, ErrorPieces, Pair

__all__ = [
    "TYPES",
    "Analysis",
    "ErrorPieces",
    "Explanation",
    "MentionIndex",
    "Pair",
    "analyze",
    "analyze_files",
    "analyze_labels",
    "describe",
    "explain",
]
