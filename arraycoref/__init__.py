"""arraycoref: score coreference resolution and other clusterings, as arrays, fast and exactly.

    >>> import arraycoref as ac
    >>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])
    >>> round(s["blanc"].f1, 4)
    0.4857

Importing this package imports nothing else. The module of a public name is imported when the name is first used; numpy
is imported with the first function, numba only where there is enough work.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers treat this name as true, also without an import of typing
if TYPE_CHECKING:
    from arraycoref.analysis import (
        Analysis as Analysis,
        analyze as analyze,
        analyze_files as analyze_files,
        analyze_labels as analyze_labels,
        describe as describe,
        explain as explain,
    )
    from arraycoref.analysis.api import breakdown as breakdown, errors as errors, report as report, show as show
    from arraycoref.api import (
        score as score,
        score_batch as score_batch,
        score_files as score_files,
        score_labels as score_labels,
        score_labels_batch as score_labels_batch,
        warmup as warmup,
    )
    from arraycoref.exceptions import (
        ArraycorefError as ArraycorefError,
        DocumentMismatchError as DocumentMismatchError,
        DuplicateMentionError as DuplicateMentionError,
        InputError as InputError,
        MissingDependencyError as MissingDependencyError,
        OptionError as OptionError,
        ReadError as ReadError,
        ReadWarning as ReadWarning,
        UnknownNameError as UnknownNameError,
    )
    from arraycoref.interop.accumulator import Accumulator as Accumulator
    from arraycoref.interop.tables import score_table as score_table
    from arraycoref.match import convert as convert
    from arraycoref.pairs import score_corefud as score_corefud, score_file_pairs as score_file_pairs
    from arraycoref.pairs.conventions import conventions as conventions
    from arraycoref.read import read_documents as read_documents
    from arraycoref.read.lint import Problems as Problems, check as check
    from arraycoref.scoring.convention_table import Conventions as Conventions
    from arraycoref.scoring.counts import Counts as Counts
    from arraycoref.scoring.grouped import GroupedScores as GroupedScores
    from arraycoref.scoring.metrics.registry import DEFAULT_METRICS as DEFAULT_METRICS, METRIC_NAMES as METRIC_NAMES
    from arraycoref.scoring.metrics.score import BlancScore as BlancScore, Score as Score
    from arraycoref.scoring.scores import BatchScores as BatchScores, DocumentScores as DocumentScores, Scores as Scores
    from arraycoref.stats import (
        agree as agree,
        bootstrap as bootstrap,
        compare as compare,
        contrast as contrast,
        correlate as correlate,
        paired_test as paired_test,
        power as power,
        table as table,
    )
    from arraycoref.stats.runs import Runs as Runs, load_runs as load_runs
    from arraycoref.stats.store import load_scores as load_scores
    from arraycoref.sweeps import (
        sweep as sweep,
        sweep_antecedents as sweep_antecedents,
        sweep_files as sweep_files,
        sweep_linkage as sweep_linkage,
        sweep_pairs as sweep_pairs,
    )

_MODULES = {
    "analysis": "Analysis analyze analyze_files analyze_labels describe explain",
    "analysis.api": "breakdown errors report show",
    "api": "score score_batch score_files score_labels score_labels_batch warmup",
    "match": "convert",
    "scoring.counts": "Counts",
    "exceptions": "ArraycorefError DocumentMismatchError DuplicateMentionError InputError "
    "MissingDependencyError OptionError ReadError ReadWarning UnknownNameError",
    "interop.accumulator": "Accumulator",
    "interop.tables": "score_table",
    "read": "read_documents",
    "read.lint": "Problems check",
    "scoring.metrics.registry": "DEFAULT_METRICS METRIC_NAMES",
    "scoring.metrics.score": "BlancScore Score",
    "stats.runs": "Runs load_runs",
    "scoring.convention_table": "Conventions",
    "scoring.grouped": "GroupedScores",
    "pairs": "score_file_pairs score_corefud",
    "pairs.conventions": "conventions",
    "scoring.scores": "BatchScores DocumentScores Scores",
    "stats": "agree bootstrap compare contrast correlate paired_test power table",
    "stats.store": "load_scores",
    "sweeps": "sweep sweep_antecedents sweep_files sweep_linkage sweep_pairs",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}
_ROOMS = {
    *("analysis", "api", "display", "exceptions", "interop", "kernels", "match", "options", "read", "scoring", "stats"),
    *("sweeps", "tagging"),
}
"""Modules that are used by their own names, such as ``arraycoref.read``; ``import arraycoref`` makes them available."""

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605  # type checkers use the imports above


def __getattr__(name: str) -> object:
    """Import a public name or a room when it is first used; functions get signatures that have all options."""
    if name in _MODULE_OF:
        value = getattr(import_module(f"arraycoref.{_MODULE_OF[name]}"), name)
        globals()[name] = import_module("arraycoref.options").with_signature(value) if name.islower() else value
        return value
    if name in _ROOMS:
        return import_module(f"arraycoref.{name}")
    here = "" if name.startswith("_") else import_module("arraycoref.options").OTHER_NAMES.get(name)
    hint = f"; it is named {here!r}" if here in _MODULE_OF else ""
    raise AttributeError(f"module 'arraycoref' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS, "__version__"})
