"""arraycoref: score coreference resolution and other clusterings, as arrays, fast and exactly.

    >>> import arraycoref as ac
    >>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])
    >>> round(s["blanc"].f1, 4)
    0.4857

Importing this package imports nothing else. The module of a public name is imported when the name is first used; numpy
is imported with the first function, and numba when something is first scored.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock  # built in; importing threading would take a millisecond
from importlib import import_module

TYPE_CHECKING = False  # type checkers treat this name as true, also without an import of typing
if TYPE_CHECKING:
    from arraycoref.api import (
        score as score,
        score_batch as score_batch,
        score_labels as score_labels,
        score_labels_batch as score_labels_batch,
    )
    from arraycoref.counts import Counts as Counts
    from arraycoref.deadline import time_limit as time_limit
    from arraycoref.errors import (
        ArraycorefError as ArraycorefError,
        DocumentMismatchError as DocumentMismatchError,
        DuplicateMentionError as DuplicateMentionError,
        InputError as InputError,
        MissingDependencyError as MissingDependencyError,
        OptionError as OptionError,
        ReadError as ReadError,
        ReadWarning as ReadWarning,
        TimeLimitError as TimeLimitError,
        UnknownNameError as UnknownNameError,
    )
    from arraycoref.files import score_files as score_files
    from arraycoref.interop.accumulator import Accumulator as Accumulator
    from arraycoref.interop.tables import score_table as score_table
    from arraycoref.lint import Findings as Findings, check_files as check_files
    from arraycoref.metrics import DEFAULT_METRICS as DEFAULT_METRICS, METRIC_NAMES as METRIC_NAMES
    from arraycoref.metrics.score import BlancScore as BlancScore, Score as Score
    from arraycoref.pairs import PairScores as PairScores, score_pairs as score_pairs
    from arraycoref.results import (
        BatchScores as BatchScores,
        DocumentScores as DocumentScores,
        MacroScores as MacroScores,
        Scores as Scores,
    )
    from arraycoref.stats import (
        bootstrap as bootstrap,
        compare as compare,
        correlate as correlate,
        paired_test as paired_test,
        power as power,
        table as table,
    )
    from arraycoref.stored import load_scores as load_scores
    from arraycoref.sweeps import (
        load_sweep as load_sweep,
        sweep as sweep,
        sweep_antecedents as sweep_antecedents,
        sweep_files as sweep_files,
        sweep_linkage as sweep_linkage,
        sweep_pairs as sweep_pairs,
    )
    from arraycoref.version import __version__ as __version__
    from arraycoref.warming import warmup as warmup

_MODULES = {
    "api": ("score", "score_batch", "score_labels", "score_labels_batch"),
    "counts": ("Counts",),
    "deadline": ("time_limit",),
    "errors": (
        "ArraycorefError",
        "DocumentMismatchError",
        "DuplicateMentionError",
        "InputError",
        "MissingDependencyError",
        "OptionError",
        "ReadError",
        "ReadWarning",
        "TimeLimitError",
        "UnknownNameError",
    ),
    "files": ("score_files",),
    "interop.accumulator": ("Accumulator",),
    "interop.tables": ("score_table",),
    "lint": ("Findings", "check_files"),
    "metrics": ("DEFAULT_METRICS", "METRIC_NAMES"),
    "metrics.score": ("BlancScore", "Score"),
    "pairs": ("PairScores", "score_pairs"),
    "results": ("BatchScores", "DocumentScores", "MacroScores", "Scores"),
    "stats": ("bootstrap", "compare", "correlate", "paired_test", "power", "table"),
    "stored": ("load_scores",),
    "sweeps": ("load_sweep", "sweep", "sweep_antecedents", "sweep_files", "sweep_linkage", "sweep_pairs"),
    "version": ("__version__",),
    "warming": ("warmup",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_REACHABLE = {
    *("antecedents", "api", "compat", "dask", "errors", "interop", "kernels", "metrics", "plot", "read", "stats"),
    *("sweeps", "tagging", "write"),
}
"""Modules that are used by their own names, such as ``arraycoref.read``; ``import arraycoref`` makes them available."""

_MOVED = {
    "interop.clustering": "interop.sklearn",
    "kernels.dense": "kernels.factorize_labels and kernels.factorize_scattered",
    "kernels.giant": "kernels.partitioned_contingency",
    "kernels.levels": "kernels.align",
    "kernels.links": "metrics, on the pages of muc, pairwise and blanc",
    "kernels.meeting": "kernels.align",
    "kernels.ratios": "metrics, on the pages of bcub, lea and ceaf",
    "pipelines": "interop",
    "plot.documents": "plot.systems",
    "plot.ranked": "plot.systems",
    "policies": "options",
    "report.signature": "options",
    "scores": "metrics.score",
    "stats.adjustment": "stats.multiple_tests",
    "stats.enumeration": "stats.resampling",
    "stats.letters": "stats.multiple_tests",
    "stats.plan": "stats.options",
    "sweeping": "sweeps",
}
"""Former names of modules, and what replaces each. The changelog lists functions and classes that were renamed."""


class _MovedModules:
    """Make imports of former module names fail with a message that gives the new name.

    Python asks this finder after all others, when none of them has found the module.
    """

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        """Return None, which means that no module was found.

        Raises:
            ImportError: the name is a former name of a module.
        """
        package, _, module = name.partition(".")
        if package == __name__ and module in _MOVED:
            raise ImportError(_moved(module))


def _moved(module: str) -> str:
    return f"arraycoref.{module} is now arraycoref.{_MOVED[module]}"


sys.meta_path.append(_MovedModules())

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605  # type checkers use the imports above


_importing = RLock()


def _renew_lock() -> None:
    global _importing  # noqa: PLW0603
    _importing = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)  # in a forked process, nobody would release a lock that was held


def __getattr__(name: str) -> object:
    """Import a public name or a module when it is first used.

    Only one thread at a time imports: if one thread imports a package and another one a module of this package, Python
    may give one of them a module that is only half initialised.
    """
    if name in _MODULE_OF:
        with _importing:
            value = globals()[name] = getattr(import_module(f"arraycoref.{_MODULE_OF[name]}"), name)
        return value
    if name in _REACHABLE:
        with _importing:
            return import_module(f"arraycoref.{name}")
    if name in _MOVED:
        raise AttributeError(_moved(name))
    raise AttributeError(f"module 'arraycoref' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_REACHABLE, *(name for name in globals() if name.startswith("__"))})
