"""Lay out the scores of one response under several conventions, and find those that fit published figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar, NamedTuple

from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural
from arraycoref.exceptions import OptionError, check_name
from arraycoref.scoring.format import format_score, is_count
from arraycoref.scoring.metrics.registry import RATIOS, find_metric, split_field
from arraycoref.scoring.signature import Signature

SLACK = 1e-9
"""How far a percentage may be off by rounding of floats."""


@dataclass(frozen=True)
class Convention:
    """The scores of one way.

    Attributes:
        name: name of the way.
        options: the options that make it, as they are typed.
        command: the whole command that prints its scores.
        values: recall, precision and F of each metric, fractions 0-1; nan where a metric has no such value.
        signature: version, profile and policies.
    """

    name: str
    options: str
    command: str
    values: Mapping[str, tuple[float, float, float]]
    signature: Signature

    def printed(self, metric: str, field: str = "f1", digits: int = 2) -> str:
        """Write a value as the scorer of the profile prints it."""
        value = self.values[metric][RATIOS.index(field)]
        return format_score(value, metric, digits, profile=self.signature.profile)


class Published(NamedTuple):
    """A figure that somebody published, in percent: ``61.2`` or ``muc.recall=48.1``; or as a fraction, ``0.612``."""

    metric: str
    field: str
    value: Decimal
    is_fraction: bool = False

    @classmethod
    def parse(cls, figure: object, metrics: Sequence[str]) -> Published:
        """Read a figure; it is the CoNLL average's F, or that of the first metric, unless it names another.

        One of at most 1, which no system has in percent, is a fraction.

        Raises:
            OptionError: no number.
            UnknownNameError: no metric.
        """
        name, _, text = str(figure).rpartition("=")
        metric, field = split_field(name or ("conll" if "conll" in metrics else metrics[0]))
        try:
            value = Decimal(text.strip().removesuffix("%"))
        except InvalidOperation:
            value = Decimal("NaN")
        if not value.is_finite():
            expected = "expected a percentage, 61.2 or muc.recall=48.1"
            raise OptionError(f"published is {figure!r:.60}; {expected}", "published")
        is_fraction = 0 < value <= 1 and not is_count(metric)
        return cls(metric, field, value.scaleb(2) if is_fraction else value, is_fraction)

    def __str__(self) -> str:
        return f"{self.metric}{'' if self.field == 'f1' else '.' + self.field} {self.value:f}"

    def distance(self, convention: Convention) -> float:
        """Return by how many points a convention's value differs."""
        return abs(100 * convention.values[self.metric][RATIOS.index(self.field)] - float(self.value))

    def fits(self, convention: Convention) -> bool:
        """Whether a convention's value, rounded or cut off to the digits of the figure, is the figure."""
        exponent = self.value.as_tuple().exponent
        unit = 10.0**exponent if isinstance(exponent, int) else 1.0
        if self.distance(convention) <= unit / 2 + SLACK:
            return True
        above = 100 * convention.values[self.metric][RATIOS.index(self.field)] - float(self.value)
        return convention.signature.profile == "conll" and -SLACK <= above < unit


@dataclass(frozen=True, repr=False)
class Conventions(Report, Mapping[str, Convention]):
    """The scores of one response under each convention that changes a number.

    Attributes:
        ways: the conventions; the first is what was asked for, or the first that this input can be scored by.
        metrics: names of the metrics.
        no_effect: names of the ways that change no number.
        same_as: names of the ways that give the numbers of an earlier row, and the name of that row.
        not_applicable: the reason why each other way cannot score this input, by its name.
        published: the figures to look for.
        notes: what happened while the first row was made.
        is_full: whether the caption names the ways that are not rows.
    """

    ways: tuple[Convention, ...]
    metrics: tuple[str, ...]
    no_effect: tuple[str, ...] = ()
    same_as: Mapping[str, str] = field(default_factory=dict)
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    notes: tuple[str, ...] = ()
    is_full: bool = True
    key_columns: ClassVar[tuple[str, ...]] = ("convention",)

    def __getitem__(self, name: str) -> Convention:
        names = [row.name for row in self.ways]
        check_name("convention", name, names)
        return self.ways[names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return (row.name for row in self.ways)

    def __len__(self) -> int:
        return len(self.ways)

    @property
    def consistent(self) -> tuple[Convention, ...]:
        """The rows whose values have the digits of all published figures; all rows if there is no figure."""
        return tuple([row for row in self.ways if all(figure.fits(row) for figure in self.published)])

    def changes(self, row: Convention) -> dict[str, float]:
        """Return by how much values differ from those of the first row: ``{"muc.recall": 0.02}``."""
        found = {}
        for metric in self.metrics:
            for n, name in enumerate(RATIOS):
                difference = row.values[metric][n] - self.ways[0].values[metric][n]
                if abs(difference) > SLACK / 100:
                    found[metric if name == "f1" else f"{metric}.{name}"] = difference
        return found

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out F of each metric, empty where it is that of the first row above, and the largest change."""
        first, rows = self.ways[0], []
        for row in self.consistent:
            cells = [row.printed(metric, digits=digits) for metric in self.metrics]
            if row is not first and not self.published:
                same = [first.printed(metric, digits=digits) for metric in self.metrics]
                cells = ["" if one == other else one for one, other in zip(cells, same, strict=True)]
            largest = sorted(self.changes(row).items(), key=lambda item: -abs(item[1]))[:1]
            change = "".join(f"{name} {100 * value:+.{digits}f}" for name, value in largest)
            rows.append([row.name, *cells, change, row.options])
        if not rows:
            return []
        headers = ["convention (F)", *self.metrics, "largest change", "options"]
        return [TextTable(headers, rows, "l" + "r" * (len(self.metrics) + 1) + "l")]

    def caption(self, digits: int) -> list[str]:
        """Say what the published figures are consistent with, which ways change nothing, and which do not apply."""
        lines, signed = [], f"{self.ways[0].name}: {self.ways[0].signature}"
        if self.published:
            figures = ", ".join(map(str, self.published))
            fractions = [str(figure) for figure in self.published if figure.is_fraction]
            lines += [f"read as a fraction, in percent: {', '.join(fractions)}"] if fractions else []
            if self.consistent:
                lines.append(f"{figures}: consistent with {plural(len(self.consistent), 'row')} of {len(self)}")
            else:
                of = self.published[0]
                near = min(self.ways, key=of.distance)
                nearest = f"the nearest, {near.name}: {near.printed(of.metric, of.field, max(digits, 2))}"
                lines.append(f"{figures}: no row of {len(self)} is consistent with it; {nearest}")
        command = self.ways[0].command.removesuffix(self.ways[0].options).rstrip()
        lines.append(f"a row again: {command} OPTIONS")
        left_out = {
            "change nothing": self.no_effect,
            "give the numbers of a row": self.same_as,
            "do not apply": self.not_applicable,
        }
        if not self.is_full:
            counts = ", ".join(f"{len(names)} {what}" for what, names in left_out.items() if names)
            return [*lines, *([f"other conventions: {counts} (--all lists them)"] * bool(counts)), *self.notes, signed]
        same = ", ".join(f"{name} = {row}" for name, row in self.same_as.items())
        lines += [f"no effect here: {_listed(self.no_effect)}"] * bool(self.no_effect)
        lines += [f"same numbers as another row: {same}"] * bool(same)
        reasons: dict[str, list[str]] = {}
        for name, reason in self.not_applicable.items():
            reasons.setdefault(reason, []).append(name)
        lines += [f"not applicable: {_listed(names)} ({reason})" for reason, names in reasons.items()]
        return [*lines, *self.notes, signed]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each convention: names, options, command, ratios, consistency and signature."""
        fields = [(metric, field) for metric in self.metrics for field in find_metric(metric).fields]
        for way in self.ways:
            values = {f"{metric}_{field}": way.values[metric][RATIOS.index(field)] for metric, field in fields}
            fits = way in self.consistent if self.published else None
            head = {"convention": way.name, "options": way.options, "command": way.command}
            yield {**head, **values, "consistent": fits, "signature": str(way.signature)}

    def facts(self) -> dict[str, Any]:
        """Return the figures, and the ways that were left out."""
        left_out = {name: getattr(self, name) for name in ("no_effect", "same_as", "not_applicable")}
        return {"published": [str(figure) for figure in self.published], **left_out}


def _listed(names: Iterable[str]) -> str:
    """List the names of ways, values of one option together.

    >>> _listed(["duplicates first", "duplicates drop", "profile conll"])
    'duplicates first/drop, profile conll'
    """
    values: dict[str, list[str]] = {}
    for name in names:
        option, _, value = name.rpartition(" ")
        values.setdefault(option, []).append(value)
    return ", ".join(f"{option} {'/'.join(each)}" for option, each in values.items())
