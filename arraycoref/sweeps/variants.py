"""Score one response in the four ways in which the shared tasks on CorefUD report scores; files are read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Unpack

from arraycoref.api import score_clusterings
from arraycoref.match import encode_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.read import read_side
from arraycoref.read.sources import Source
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable
from arraycoref.scoring.metrics.registry import find_metric, resolve_metrics
from arraycoref.scoring.rows import format_score
from arraycoref.scoring.scores import BatchScores

VARIANTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "head": {"matching": "head", "singletons": "drop"},
        "partial": {"matching": "partial", "singletons": "drop"},
        "exact": {"matching": "exact", "singletons": "drop"},
        "head, singletons": {"matching": "head", "singletons": "keep"},
    }
)
"""The columns of the shared tasks' tables; the first ranks the systems."""

METRICS = ("mentions", "muc", "bcub", "ceafe", "conll")


@dataclass(frozen=True, eq=False, repr=False)
class Variants(Report, Mapping[str, BatchScores]):
    """Scores of one response in several ways, a mapping from each way to its `BatchScores`.

    Attributes:
        variants: the scores of each way.
    """

    variants: Mapping[str, BatchScores]

    def __getitem__(self, name: str) -> BatchScores:
        return self.variants[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variants)

    def __len__(self) -> int:
        return len(self.variants)

    def caption(self, digits: int) -> list[str]:
        """Return the signature of each way."""
        return [f"{name}: {b.signature}" for name, b in self.variants.items()]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each way: F of each metric, and recall and precision of mentions."""
        metrics = next(iter(self.variants.values())).metrics
        columns = [(metric, field) for metric in metrics for field in _fields(metric)]
        names = [f"{m} {'RPF'[('recall', 'precision', 'f1').index(f)]}" if m == "mentions" else m for m, f in columns]
        rows = [
            [name, *(format_score(getattr(b[m], f), m, digits, profile=b.signature.profile) for m, f in columns)]
            for name, b in self.variants.items()
        ]
        return [TextTable(["matching", *names], rows, "l" + "r" * len(columns))]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each way and metric."""
        yield ("variant", "metric", "recall", "precision", "f1")
        for name, b in self.variants.items():
            for metric in b.metrics:
                fields = find_metric(metric).fields
                values = (getattr(b[metric], f) if f in fields else None for f in ("recall", "precision", "f1"))
                yield (name, metric, *values)

    def nested(self) -> dict[str, Any]:
        """Return the plain values of each way's scores."""
        return {name: b.to_dict() for name, b in self.variants.items()}


def _fields(metric: str) -> tuple[str, ...]:
    return ("recall", "precision", "f1") if metric == "mentions" else ("f1",)


def score_variants(key: Source, response: Source, **options: Unpack[FileOptions]) -> Variants:
    r"""Score CoNLL-U files by heads, in part, exactly, and by heads with singletons.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> lines = ["# global.Entity = eid-etype-head", "1\ta" + 7 * "\t_" + "\tEntity=(e1-x-1)"]
        >>> _ = Path("key.conllu").write_text("\n".join([*lines, "2\tb" + 7 * "\t_" + "\tEntity=(e1-x-1)", "", ""]))
        >>> {name: b.conll for name, b in ac.score_variants("key.conllu", "key.conllu").items()}
        {'head': 1.0, 'partial': 1.0, 'exact': 1.0, 'head, singletons': 1.0}

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input; in CoNLL-U.
        response: likewise.
        **options: see `arraycoref.options`; the profile is ``corefud`` unless it is given, and ``matching`` and
            ``singletons`` are those of each way.

    Raises:
        InputError: as for `score_files`.
    """
    asked: dict[str, Any] = {"profile": "corefud", **options}
    asked["metrics"] = resolve_metrics(METRICS if options.get("metrics") is None else options["metrics"])
    policies = resolve_policies(asked | dict(VARIANTS["head"]), FileOptions)
    ours, theirs = (read_side(source, asked, side, policies) for side, source in (("key", key), ("response", response)))
    found: dict[str, BatchScores] = {}
    for name, variant in VARIANTS.items():
        own = resolve_policies(asked | dict(variant), FileOptions)
        own.notes.update(policies.notes)
        checked = replace(own, tokens="ignore") if found else own  # tokens are compared once
        clusterings = encode_documents(ours, theirs, checked, options.get("on_error"))
        found[name] = score_clusterings(clusterings, own, asked)
    return Variants(MappingProxyType(found))
