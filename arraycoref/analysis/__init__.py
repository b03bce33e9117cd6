"""Find what went wrong: types of errors, breakdowns, links, entities; of one response, or of several to one key.

`analyze`, `analyze_labels` and `analyze_files` return an `Analysis`, which has the mentions of all
sides on one index.
"""

from arraycoref.analysis.api import (
    Analysis as Analysis,
    analyze as analyze,
    analyze_files as analyze_files,
    analyze_labels as analyze_labels,
    explain as explain,
)
from arraycoref.analysis.description import describe as describe
from arraycoref.analysis.explanation import Explanation as Explanation
from arraycoref.analysis.index import MentionIndex as MentionIndex
from arraycoref.analysis.pair import TYPES as TYPES, ErrorList as ErrorList, Pair as Pair
