"""Score one response in the four ways in which the shared tasks on CorefUD report scores; files are read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Unpack

from arraycoref.api import read_sides, score_clusterings
from arraycoref.match import encode_documents
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.read.sources import Source
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable
from arraycoref.scoring.metrics.registry import RATIOS, resolve_metrics
from arraycoref.scoring.rows import Row, format_score
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import joint_notes, signature
from arraycoref.sweeps.pairs import joined, score_each
from arraycoref.twin import with_engine

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
class Variants(Report, Mapping[str, Any]):
    """Scores of one response, or of many pairs of files, in several ways: a mapping from each way to its scores.

    Attributes:
        variants: of each way the `BatchScores`, or the `GroupScores` of the pairs.
    """

    variants: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.variants[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variants)

    def __len__(self) -> int:
        return len(self.variants)

    @property
    def reports(self) -> dict[str, Any]:
        """The report of each way: of one response, or of many pairs."""
        return {name: b.report() for name, b in self.variants.items()}

    @property
    def failures(self) -> Mapping[str, Exception]:
        """The error of each pair that could not be scored, by its name."""
        return getattr(next(iter(self.variants.values())), "failures", {})

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers as the report of each way does, and return the signature of each."""
        lines = {name: report.caption(digits) for name, report in self.reports.items()}
        notes = joint_notes(tuple(lines), [own[:-1] for own in lines.values()])
        return [*notes, *(f"{name}: {own[-1]}" for name, own in lines.items())]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each way: F of each metric, and recall and precision of mentions.

        With pairs, a second table has a row for each pair and a column for each way: F of the CoNLL mean, or of the
        last metric without it.
        """
        reports = self.reports
        report = next(iter(reports.values()))
        heads = [f"{m}{end}" for m in report.b.metrics for end in ((" R", " P", " F") if m == "mentions" else ("",))]
        main = heads.index("conll") if "conll" in heads else len(heads) - 1
        profile = report.b.signature.profile
        rows = []
        for way, names, scores in self._rows():
            shown = [(row.metric, ratio) for row in scores for ratio in row.ratios[2 * (row.metric != "mentions") :]]
            rows.append([way, *names, *(format_score(ratio, m, digits, profile=profile) for m, ratio in shown)])
        n = 1 + len(report.titles)
        tables = [TextTable(["matching", *report.titles, *heads], rows, "l" * n + "r" * len(heads))]
        if report.titles:
            pairs = [names[0] for names, _ in report.totals()]
            columns = [[row[n + main] for row in rows if row[0] == way] for way in reports]
            of_pairs = list(map(list, zip(pairs, *columns, strict=True)))
            tables.append(TextTable([f"pair ({heads[main]})", *reports], of_pairs))
        return tables

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each way, pair and metric, in fractions 0-1."""
        yield ("variant", *next(iter(self.reports.values())).titles, "metric", *RATIOS)
        for way, names, rows in self._rows():
            yield from ((way, *names, row.metric, *row.ratios) for row in rows)

    def nested(self) -> dict[str, Any]:
        """Return the plain values of each way's scores."""
        return {name: b.to_dict() for name, b in self.variants.items()}

    def _rows(self) -> Iterator[tuple[str, tuple[str, ...], list[Row]]]:
        """Yield each way, its pairs and means by name, and the score of each metric as a whole."""
        for way, report in self.reports.items():
            for names, rows in report.totals():
                yield way, names, [row for row in rows if not row.link_class]


@with_engine
def score_variants(key: Any, response: Any = None, *, pairs: bool = False, **options: Unpack[FileOptions]) -> Variants:
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
        pairs: score many pairs, such as those of a task's data sets, each by itself, and their mean; ``key`` and
            ``response`` are then ``pairs`` and ``responses`` of `score_pairs`.
        **options: see `arraycoref.options`; the profile is ``corefud`` unless it is given, and ``matching`` and
            ``singletons`` are those of each way.

    Raises:
        InputError: as for `score_files` or `score_pairs`.
    """
    asked: dict[str, Any] = {"profile": "corefud", **options}
    asked["metrics"] = resolve_metrics(METRICS if options.get("metrics") is None else options["metrics"])
    if not pairs:
        return Variants(MappingProxyType(_score_variants(key, response, **asked)))
    each = score_each(key, response, _score_variants, asked)
    groups = {}
    for name, variant in VARIANTS.items():
        of_way = {pair: found[name] for pair, found in each.found.items()}
        signed = signature(resolve_policies(asked | dict(variant), FileOptions))
        groups[name] = joined(replace(each, found=of_way), asked["metrics"], signed)
    return Variants(MappingProxyType(groups))


def _score_variants(key: Source, response: Source, **asked: Any) -> dict[str, BatchScores]:
    """Score one key and response in each way; arguments and errors are as for `score_variants`."""
    policies = resolve_policies(asked | dict(VARIANTS["head"]), FileOptions)
    ours, theirs = read_sides(key, response, asked, policies)
    found: dict[str, BatchScores] = {}
    for name, variant in VARIANTS.items():
        own = resolve_policies(asked | dict(variant), FileOptions)
        own.notes.update(policies.notes)
        checked, on_doubt = own, asked.get("on_error")
        if found:  # compare tokens, and warn, once
            checked, on_doubt = replace(own, tokens="ignore"), lambda _doubt: None
        found[name] = score_clusterings(encode_documents(ours, theirs, checked, on_doubt), own, asked)
    return found
