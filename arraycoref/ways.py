"""Score one response under each convention in use, to see which of them may have made a number that others printed."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from arraycoref.api import read_sides, score_clusterings
from arraycoref.errors import ArraycorefError, InputError, OptionError, ReadError, UnknownNameError
from arraycoref.match import encode_documents
from arraycoref.options import OPTIONS, FileOptions, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents
from arraycoref.read.paths import Source
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.format import format_score
from arraycoref.scoring.metrics.registry import RATIOS, find_metric, lacking, resolve_metrics, split_field
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, signature
from arraycoref.twin import with_engine

ONLY_SCORED = ("beta", "zero_division", "restrict")
"""Policies on which the labels of both sides do not depend."""

NOT_COUNTED = ("profile", "duplicates", "missing_documents", "extra_documents", "beta", "zero_division")
"""Policies on which the sums do not depend once mentions are matched and none is in several entities."""

SLACK = 1e-9
"""How far a percentage may be off by rounding of floats."""


class Way(NamedTuple):
    """One way to score, beside that which the user asked for.

    Attributes:
        name: what it is called in the table.
        options: options that replace the user's; the last of them is what is new in comparison with another way.
        average: how documents are averaged: ``micro`` or ``macro``.
        average_of: the metric that is printed as the CoNLL average.
    """

    name: str
    options: Mapping[str, str]
    average: str = "micro"
    average_of: str = "conll"

    @property
    def before(self) -> tuple[Mapping[str, str], str]:
        """The options and the average of the way from which this one differs in one thing."""
        return dict(list(self.options.items())[:-1]), self.average


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
    """A figure that somebody published, in percent: ``61.2`` or ``muc.recall=48.1``."""

    metric: str
    field: str
    value: Decimal

    @classmethod
    def parse(cls, figure: object, metrics: Sequence[str]) -> Published:
        """Read a figure; it is the CoNLL average's F, or that of the first metric, unless it names another.

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
            raise OptionError(
                f"published is {figure!r:.60}; expected a percentage, 61.2 or muc.recall=48.1", "published"
            )
        return cls(metric, field, value)

    def __str__(self) -> str:
        return f"{self.metric}{'' if self.field == 'f1' else '.' + self.field} {self.value}"

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
        rows: the conventions; the first is what was asked for, or the first that this input can be scored by.
        metrics: names of the metrics.
        unchanged: names of the ways that change no number.
        refused: the reason why each other way cannot score this input, by its name.
        published: the figures to look for.
        notes: what happened while the first row was made.
    """

    rows: tuple[Convention, ...]
    metrics: tuple[str, ...]
    unchanged: tuple[str, ...] = ()
    refused: Mapping[str, str] = ()  # type: ignore[assignment]
    published: tuple[Published, ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Convention:
        names = [row.name for row in self.rows]
        if name not in names:
            raise UnknownNameError("convention", name, names)
        return self.rows[names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return (row.name for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def consistent(self) -> tuple[Convention, ...]:
        """The rows whose values have the digits of all published figures; all rows if there is no figure."""
        return tuple([row for row in self.rows if all(figure.fits(row) for figure in self.published)])

    def changes(self, row: Convention) -> dict[str, float]:
        """Return by how much values differ from those of the first row: ``{"muc.recall": 0.02}``."""
        found = {}
        for metric in self.metrics:
            for n, field in enumerate(RATIOS):
                difference = row.values[metric][n] - self.rows[0].values[metric][n]
                if abs(difference) > SLACK / 100:
                    found[metric if field == "f1" else f"{metric}.{field}"] = difference
        return found

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out F of each metric, empty where it is that of the first row, and the largest change."""
        first, rows = self.rows[0], []
        for row in self.consistent:
            cells = [row.printed(metric, digits=digits) for metric in self.metrics]
            if row is not first:
                same = [first.printed(metric, digits=digits) for metric in self.metrics]
                cells = ["" if one == other else one for one, other in zip(cells, same, strict=True)]
            largest = sorted(self.changes(row).items(), key=lambda item: -abs(item[1]))[:1]
            change = "".join(f"{name} {100 * value:+.{digits}f}" for name, value in largest)
            rows.append([row.name, *cells, change, row.options])
        if not rows:
            return []
        headers = ["convention (F)", *self.metrics, "largest change", first.command]
        return [TextTable(headers, rows, "l" + "r" * (len(self.metrics) + 1) + "l")]

    def caption(self, digits: int) -> list[str]:
        """Say what the published figures are consistent with, which ways change nothing, and which do not apply."""
        lines = []
        if self.published:
            figures = ", ".join(map(str, self.published))
            if self.consistent:
                lines.append(f"{figures}: consistent with {number_of(len(self.consistent), 'row')} of {len(self)}")
            else:
                of = self.published[0]
                near = min(self.rows, key=of.distance)
                nearest = f"the nearest, {near.name}: {near.printed(of.metric, of.field, max(digits, 2))}"
                lines.append(f"{figures}: no row of {len(self)} is consistent with it; {nearest}")
        if self.unchanged:
            lines.append(f"{number_of(len(self.unchanged), 'other way')} change no number: {', '.join(self.unchanged)}")
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason, []).append(name)
        lines += [f"not for this input: {', '.join(names)}: {reason}" for reason, names in reasons.items()]
        return [*lines, *self.notes, f"{self.rows[0].name}: {self.rows[0].signature}"]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each convention: names, options, command, ratios, consistency and signature."""
        fields = [(metric, field) for metric in self.metrics for field in find_metric(metric).fields]
        titles = [f"{metric}_{field}" for metric, field in fields]
        yield ("convention", "options", "command", *titles, "consistent", "signature")
        for row in self.rows:
            values = [row.values[metric][RATIOS.index(field)] for metric, field in fields]
            fits = row in self.consistent if self.published else None
            yield (row.name, row.options, row.command, *values, fits, str(row.signature))

    def signed_records(self) -> Iterator[Sequence[object]]:
        """Yield the records, which have a signature each."""
        return self.records()

    def nested(self) -> dict[str, Any]:
        """Return the records, and what was left out."""
        header, *records = self.records()
        rows = [dict(zip(map(str, header), record, strict=True)) for record in records]
        figures = [str(figure) for figure in self.published]
        left_out = {"unchanged": list(self.unchanged), "refused": dict(self.refused)}
        return {"published": figures, "conventions": rows, **left_out, "notes": list(self.notes)}


def ways_beside(asked: Policies) -> Iterator[Way]:
    """Yield the ways to score: each profile, each value of each policy, and averages.

    Args:
        asked: the policies that the user asked for.
    """
    yield Way("as asked" if asked != Policies() else "profile paper", {})
    for name, option in OPTIONS.items():
        if option.about == "scores" and name in FileOptions.__annotations__ and name != "zero_division":
            beside = {"matching": "head"} if name == "heads" and asked.matching == "exact" else {}
            for value in option.choices:
                if value != getattr(asked, name):
                    options = {**beside, name: value}
                    words = ", ".join(f"{key.replace('_', ' ')} {each}" for key, each in options.items())
                    yield Way(words, options)
    if not asked.window:
        yield Way("window bookcoref", {"window": "bookcoref"})
    yield Way("mean of documents' F", {}, "macro")
    if asked.zero_division == "zero":
        yield Way("mean of documents' F but 0/0", {"zero_division": "skip"}, "macro")
    yield Way("mean of four F, with BLANC", {}, average_of="kbp")


@with_engine
def conventions(
    key: Source,
    response: Source,
    *,
    published: object | Iterable[object] = (),
    **options: Unpack[FileOptions],
) -> Conventions:
    """Score files under each profile, policy and average in use; with published figures, find those that fit them.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]], [[6, 6]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> c = ac.conventions("key.jsonl", "response.jsonl", published=72.2)
        >>> c["singletons drop"].printed("conll"), [row.command for row in c.consistent]
        ('75.56', ['arraycoref score key.jsonl response.jsonl --restrict key'])

    Args:
        key: a file, a directory, a glob pattern, or a list of files.
        response: likewise.
        published: figures in percent: ``61.2`` for the CoNLL average, or ``"muc.recall=48.1"``; with as many digits as
            were printed, so in quotes if the last is 0.
        **options: see `arraycoref.options`; the rows are compared with what these make.

    Raises:
        ArraycorefError: as for `arraycoref.score_files`; the first, if no convention can score the files.
    """
    for source in (key, response):
        if isinstance(source, str | os.PathLike) and (source == "-" or Path(source).is_fifo()):
            raise OptionError(f"{source!r} can be read only once; expected a file, as profiles read in different ways")
    metrics = resolve_metrics(options.get("metrics"))
    figures = (published,) if isinstance(published, str | int | float | Decimal) else tuple(published or ())  # type: ignore[arg-type]
    wanted = tuple(Published.parse(figure, metrics) for figure in figures)
    named = [figure.metric for figure in wanted]
    metrics += tuple(lacking(metrics, named))
    asked = resolve_policies(options, FileOptions)
    preparation = _Preparation(key, response, dict(options), metrics)
    made: dict[tuple[str, str], Convention] = {}
    rows, unchanged, refused, errors = list[Convention](), list[str](), dict[str, str](), list[ArraycorefError]()
    for way in ways_beside(asked):
        if way.average_of != "conll" and ("conll" not in metrics or (wanted and "conll" not in named)):
            continue
        try:
            row = preparation.scored(way)
        except (InputError, ReadError) as error:
            errors.append(error)
            refused[way.name] = str(error)
            continue
        before, average = way.before
        compared = [made.get((str(before), average)), *rows[:1]]
        made.setdefault((str(dict(way.options)), way.average), row)
        if any(one is not None and _equal(one, row) for one in compared):
            unchanged.append(way.name)
        else:
            rows.append(row)
    if not rows:
        raise errors[0]
    return Conventions(tuple(rows), metrics, tuple(unchanged), refused, wanted, preparation.notes or ())


def _equal(one: Convention, other: Convention) -> bool:
    """Whether two conventions have the same values, which also look the same where their scorers print them."""
    values = [rounded_for_ties(np.array(list(each.values.values()))) for each in (one, other)]
    printed = [[each.printed(metric) for metric in each.values] for each in (one, other)]
    return np.array_equal(values[0], values[1], equal_nan=True) and printed[0] == printed[1]


class _Preparation:
    """Files that are read, matched and counted once for all ways for which the result is the same.

    Attributes:
        notes: what happened in the first way that could be scored; None before that.
    """

    def __init__(self, key: Source, response: Source, options: dict[str, Any], metrics: tuple[str, ...]) -> None:
        self.notes: tuple[str, ...] | None = None
        self._sources, self._asked, self._metrics = (key, response), options, metrics
        self._counted = (*metrics, "kbp") if "conll" in metrics else metrics
        self._sides: dict[object, tuple[Documents, Documents]] = {}
        self._matched: dict[object, Clusterings] = {}
        self._scores: dict[object, BatchScores] = {}

    def scored(self, way: Way) -> Convention:
        """Score in one way."""
        options = {**self._asked, **way.options}
        policies = resolve_policies(options, FileOptions)
        labels = self._labels(options, policies)
        usual = {name: getattr(Policies, name) for name in NOT_COUNTED}
        if labels.matched is not None or labels.repeated is not None:
            usual = {name: usual[name] for name in ONLY_SCORED[:2]}
        of_sums = id(labels), replace(policies, **usual)
        if of_sums not in self._scores:
            counting = {"metrics": self._counted, "threads": options.get("threads", 1)}
            self._scores[of_sums] = score_clusterings(labels, policies, counting)
        b = replace(self._scores[of_sums], signature=signature(policies))
        self.notes = self._scores[of_sums].notes if self.notes is None else self.notes
        view = b.macro if way.average == "macro" else b.corpus
        values = {metric: tuple(map(float, view[metric])) for metric in self._metrics}
        if "conll" in values:
            values["conll"] = (math.nan, math.nan, float(view[way.average_of].f1))
        typed = _typed(way.options) + ["--macro"] * (way.average == "macro")
        typed += ["--metrics", way.average_of] * (way.average_of != "conll")
        names = [os.fspath(side) if isinstance(side, str | os.PathLike) else "FILES" for side in self._sources]
        given = {name: value for name, value in self._asked.items() if name not in way.options}
        given.pop("metrics" if way.average_of != "conll" else "", None)
        command = shlex.join(["arraycoref", "score", *names, *_typed(given), *typed])
        return Convention(way.name, shlex.join(typed), command, values, view.signature)  # type: ignore[arg-type]

    def _labels(self, options: dict[str, Any], policies: Policies) -> Clusterings:
        """Read and match the files, once for all policies by which the labels are the same."""
        silent = {**options, "on_error": lambda _: None} if self._sides else options
        of_files = policies.profile == "conll", policies.level
        if of_files not in self._sides:
            self._sides[of_files] = read_sides(*self._sources, silent, policies)
        sides = self._sides[of_files]
        usual = {name: getattr(Policies, name) for name in ONLY_SCORED}
        if not sides[0].text.have_trees:
            usual["singletons"] = "keep"
        of_labels = of_files, replace(policies, **usual)
        if of_labels not in self._matched:
            labels = encode_documents(*sides, policies, silent.get("on_error"))
            same = [each for each in self._matched.values() if _same_labels(each, labels)]
            self._matched[of_labels] = same[0] if same else labels
        return self._matched[of_labels]


def _same_labels(one: Clusterings, other: Clusterings) -> bool:
    """Whether two clusterings have the same labels of the same documents, and nothing else that is counted."""
    if any(each.matched is not None or each.repeated is not None for each in (one, other)) or one.names != other.names:
        return False
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("key", "response", "offsets"))


def _typed(options: Mapping[str, Any]) -> list[str]:
    """Write options as on the command line; those that only Python has, and those that change no number, are left out.

    >>> _typed({"format": "fastcoref", "singletons": "drop", "lenient": True, "threads": 2, "profile": None})
    ['--input-format', 'fastcoref', '--singletons', 'drop', '--lenient']
    """
    words = []
    for name, value in options.items():
        option = OPTIONS.get(name)
        if option is None or value is None or value == option.default or (not option.brief and name != "metrics"):
            continue
        flag = "--input-format" if name == "format" else f"--{name.replace('_', '-')}"
        if option.kind is bool:
            words.append(flag)
        elif option.about != "running" or name == "metrics":
            text = value if isinstance(value, str | int | float) else ",".join(map(str, value))
            words += [flag, str(text)]
    return words
