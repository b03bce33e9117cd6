"""Results of one kind by name, such as those of genres or of pairs of files, as one report; and groups of documents."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from arraycoref.display.formats import Format, Report, plain
from arraycoref.display.tables import TextTable, plural
from arraycoref.exceptions import InputError, OptionError, UnknownNameError, first_names, printable
from arraycoref.scoring.format import Row
from arraycoref.scoring.labels import is_missing
from arraycoref.scoring.metrics.registry import RATIOS, direction
from arraycoref.scoring.reports import ScoresReport
from arraycoref.scoring.signature import joint_notes

MEAN = "mean of pairs"
"""Name of the row, or the block of rows, of the means over pairs of files, which all count the same."""

OTHER = "(other)"
"""The group of documents whose names an expression does not match."""

ABOUT_OTHER = f"{OTHER}: documents whose names the expression does not match"
"""The note on this group."""


def _conll(groups: GroupedScores, digits: int) -> str:
    """Write what the reference scorer prints for each part; for a pair that failed, this is the first line only."""
    from arraycoref.scoring.conll_format import first_line

    failed = first_line(groups.total.signature.version) + "\n"
    names = (*groups, *groups.failures) if not groups.names else groups.names
    return "".join(groups[name].render("conll", **groups.choices) if name in groups else failed for name in names)


@dataclass(frozen=True, eq=False, repr=False)
class GroupedScores(Report, Mapping[str, Any]):
    """Results of one kind, such as scores of genres, of pairs of files, or of ways to match, by their names.

    A table has the rows of all parts, one below the other, with a first column that names the part.

    Attributes:
        scores: the result of each part, by its name.
        group_kind: what a part is, such as ``group`` or ``pair``; the title of the first column.
        total: the result of all parts together; None if there is none, as parts are the same documents.
        names: names of all parts, of those that failed too, in the order given; empty for those of ``scores``.
        failures: the error of each other part, by its name.
        description: a line on how the parts belong together; empty for none.
        compare_by: name of the column that a second table shows side by side for all parts; "" for no second table.
        choices: the choices of `report`.
    """

    scores: Mapping[str, Any]
    group_kind: str
    total: Any = None
    names: tuple[str, ...] = ()
    failures: Mapping[str, Exception] = field(default_factory=dict)
    description: str = ""
    compare_by: str = ""
    choices: Mapping[str, Any] = field(default_factory=dict)
    own_formats: ClassVar[Mapping[str, Format]] = {"conll": _conll}

    def __getitem__(self, name: str) -> Any:
        if name not in self.scores:
            raise UnknownNameError(f"{self.group_kind} that was scored", name, first_names(tuple(self.scores)))
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def report(self, **choices: Any) -> GroupedScores:
        """Return the same results with choices for the report of each part."""
        return replace(self, choices={**self.choices, **choices}) if choices else self

    def worst_first(self, metric: str, field: str = "f1") -> GroupedScores:
        """Return the same results, parts with the worst score first; documents of no group stay last."""
        scores = {name: direction(metric) * getattr(part.corpus[metric], field) for name, part in self.scores.items()}
        names = sorted(self.scores, key=lambda name: (name == OTHER, scores[name]))
        return replace(self, scores={name: self.scores[name] for name in names})

    @property
    def reports(self) -> dict[str, Any]:
        """The report of each part."""
        return {name: part.report(**self.choices) for name, part in self.items()}

    @property
    def mean(self) -> list[Row]:
        """Means over pairs, each of which counts the same, as shared tasks over several data sets report them."""
        if self.group_kind != "pair" or len(self) < 2:
            return []
        means = []
        for first, *others in zip(*(report.of_metrics for report in self.reports.values()), strict=True):
            ratios = zip(first.ratios, *(row.ratios for row in others), strict=True)
            values = [math.fsum(of_pairs) / len(self) for of_pairs in ratios]
            means.append(Row(first.metric, first.link_class, values, 4 * [math.nan]))
        return means

    @property
    def _with_total(self) -> dict[str, Any]:
        """The reports of the parts, of the total and of the mean of pairs, by the names in the first column."""
        reports = self.reports
        if reports and self.total is not None:
            reports["total"] = self.total.report(**self.choices)
        if mean := self.mean:
            reports[MEAN] = _Mean(self.total, **self.choices, means=mean)
        return reports

    def opening(self, digits: int) -> Sequence[str]:
        """Return what comes before the tables of all parts together."""
        return () if self.total is None else self.total.report(**self.choices).opening(digits)

    def tables(self, digits: int) -> list[TextTable]:
        """Return the tables of all parts as one, below that of documents if ``per_document`` is set.

        Where parts have parts, a second table has a row for each of these, and a column for each part.
        """
        reports = self._with_total or {"": self.total.report(**self.choices)}
        laid = {name: report.as_part(digits) for name, report in reports.items()}
        tables = [self._joined(laid if self.scores else {}, next(iter(laid.values())), next(iter(reports.values())))]
        if self.choices.get("per_document") and self.scores:
            documents = {name: report.tables(digits)[0] for name, report in self.reports.items() if len(report.b)}
            tables[:0] = [self._joined(documents, first) for first in list(documents.values())[:1]]
        if self.compare_by:
            first = next(iter(laid.values()))
            column = first.headers.index(self.compare_by)
            rows = zip(*(table.rows for table in laid.values()), strict=True)
            cells = [[same[0][0], *(row[column] for row in same)] for same in rows]
            tables.append(TextTable([f"{first.headers[0]} ({self.compare_by})", *laid], cells))
        return tables

    def _joined(self, laid: Mapping[str, TextTable], first: TextTable, report: Any = None) -> TextTable:
        """Return tables one below the other, with their names in a first column."""
        title = f"{self.group_kind} {getattr(report, 'heading', '')}".rstrip()
        rows = [[name, *row] for name, table in laid.items() for row in table.rows]
        headers, align = [title, *first.headers], "l" + first.alignment
        return TextTable(headers, rows, align, groups=[("", 1), *first.groups] if first.groups else ())

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers: how many parts, which were not scored, joint notes, and the signature."""
        reports = self.reports
        if self.total is None:
            captions = {name: report.caption(digits) for name, report in reports.items()}
            notes = joint_notes(tuple(captions), [own[:-1] for own in captions.values()])
            return [*notes, *(f"{name}: {own[-1]}" for name, own in captions.items())]
        size, *others = self.total.report(**self.choices).caption(digits)
        lines = [self.description] if self.description else []
        lines += [ABOUT_OTHER] if OTHER in self.scores else []
        if not reports:
            return [f"no {self.group_kind} was scored: {', '.join(self.failures)}", *others]
        lines.append(f"{plural(len(self), self.group_kind)}, {size}")
        if self.failures:
            lines.append(f"not scored, and not in the total: {', '.join(self.failures)}")
        notes = joint_notes(tuple(self), [report.notes for report in reports.values()])
        return list(dict.fromkeys([*lines, *notes, *others]))

    @property
    def _in_rows(self) -> Mapping[str, Any]:
        return self.reports if self.choices.get("per_document") else self._with_total

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of each part, and of the total but for documents, with the part's name first."""
        for name, report in self._in_rows.items():
            yield from ({self.group_kind: name, **row} for row in report.rows())

    def signed_records(self) -> Iterator[Sequence[object]]:
        """Yield a header and the same rows with the signature of the part after each."""
        for n, (name, report) in enumerate((self._in_rows or {"": self.total.report(**self.choices)}).items()):
            header, *rows = report.signed_records()
            yield from [(self.group_kind, *header)] * (n == 0)
            yield from ((name, *row) for row in rows if self.scores)

    def nested(self) -> dict[str, Any]:
        """Return the plain values of each part and of the total, and the reasons why other parts failed."""
        parts = {name: report.nested() for name, report in self.reports.items()}
        if self.total is None:
            return parts
        total = self.total.report(**{**self.choices, "per_document": False} if self.choices else {}).nested()
        record = {f"{self.group_kind}s": parts, "total": total if parts else None}
        if isinstance(self.total, Mapping):  # scores, whose signature is the same but for the subset
            record = {"signature": total["signature"], **record}
            for part in (*parts.values(), total):
                del part["signature"]
        if self.group_kind != "pair":
            return record
        mean = {row.name: dict(zip(RATIOS, map(plain, row.ratios), strict=True)) for row in self.mean}
        return record | {"mean": mean or None, "failures": {name: str(error) for name, error in self.failures.items()}}


@dataclass(frozen=True)
class _Mean(ScoresReport):
    """Means over several scores, as a report."""

    means: Sequence[Row] = ()

    @property
    def of_metrics(self) -> list[Row]:
        """The means."""
        return list(self.means)


def documents_by(names: Sequence[str], labels: str | Iterable[object], option: str = "by") -> dict[str, list[int]]:
    r"""Group documents by labels, or by what a regular expression finds in their names.

        >>> documents_by(["GUM_bio_byron", "GUM_news_crane", "GUM_bio_dvorak"], r"GUM_(\w+?)_")
        {'bio': [0, 2], 'news': [1]}

    Args:
        names: (D,) names of the documents.
        labels: (D,) labels, such as genres, or a mapping from names to them; or an expression, whose groups name a
            document's group, or else all that it matches. Names that ``by`` does not match are the last group, `OTHER`.
        option: name of the argument, for messages.

    Returns:
        The positions of each group's documents, by the text of the label, in the order in which the groups appear.

    Raises:
        OptionError: a text that is not a regular expression.
        InputError: another number of labels than documents; or the expression is found in no name, or, unless it is
            that of ``by``, not in all.
    """
    if isinstance(labels, str):
        matches = list(map(compiled(option, labels).search, names))
        if not all(matches) if option != "by" else not any(matches):
            found = f"{option} {labels!r} is not found in {names[matches.index(None)]!r}" if names else "no document"
            raise InputError(f"{found}; expected it in each document's name", option)
        listed: list[object] = [
            OTHER if match is None else ", ".join(filter(None, match.groups())) or match[0] for match in matches
        ]
    else:
        listed = [labels[name] for name in names if name in labels] if isinstance(labels, Mapping) else list(labels)
    refuse_missing(listed, option)
    if len(listed) != len(names):
        raise InputError(f"got {len(listed)} labels for {len(names)} documents; expected one for each")
    groups: dict[str, list[int]] = {}
    for position, label in enumerate(listed):
        text = ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
        groups.setdefault(printable(text), []).append(position)
    if OTHER in groups:
        groups[OTHER] = groups.pop(OTHER)
    return groups


def refuse_missing(labels: Sequence[object], option: str) -> None:
    """Refuse labels of documents or mentions if one is None or NaN, which does not name a group."""
    if (n := next((n for n, label in enumerate(labels) if is_missing(label)), None)) is not None:
        raise InputError(f"label {n} of {option} is missing; expected one for each document or mention", option)


def compiled(option: str, expression: str) -> re.Pattern[str]:
    """Compile a regular expression that the user gave.

    Raises:
        OptionError: no regular expression.
    """
    try:
        return re.compile(expression)
    except re.error as error:
        reason = f"{option} is {expression!r}, which is not a regular expression: {error}"
        raise OptionError(reason, option) from None
