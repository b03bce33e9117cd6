"""Score one response under each convention in use, to see which of them may have made a number that others printed."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple, Unpack

import numpy as np

from arraycoref.api import read_sides, score_clusterings
from arraycoref.exceptions import ArraycorefError, InputError, ReadError
from arraycoref.match import match_documents
from arraycoref.options import OPTIONS, FileOptions, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents
from arraycoref.read.paths import Source, require_one_reader
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.convention_table import Convention, Conventions, Published
from arraycoref.scoring.metrics.registry import lacking, resolve_metrics
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import signature
from arraycoref.twin import with_engine

ONLY_SCORED = ("beta", "zero_division", "restrict")
"""Policies on which the labels of both sides do not depend."""

NOT_COUNTED = (
    *("profile", "duplicates", "missing_documents", "extra_documents", "tokens", "max_changed", "lenient"),
    *("matching", "zeros", "heads", "upos", "frame", "window", "level", "beta", "zero_division"),
)
"""Policies on which the sums do not depend once mentions are matched and none is in several entities."""


FIXES = {"duplicates": "first", "missing_documents": "empty", "extra_documents": "ignore", "tokens": "ignore"}
"""Values of policies by which an input is scored that a way refuses, unless the user asked for others."""


class Way(NamedTuple):
    """One way to score, beside that which the user asked for.

    Attributes:
        name: what it is called in the table.
        options: options that replace the user's; the last of them is what is new in comparison with another way.
        average: how documents are averaged: ``micro`` or ``macro``.
        average_of: the metric that is printed as the CoNLL average.
        skips_empty: whether documents without response clusters are left out, as some programs do; no option does that.
    """

    name: str
    options: Mapping[str, str]
    average: str = "micro"
    average_of: str = "conll"
    skips_empty: bool = False

    @property
    def before(self) -> tuple[Mapping[str, str], str]:
        """The options and the average of the way from which this one differs in one thing."""
        return dict(list(self.options.items())[:-1]), self.average


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
    yield Way("documents without response clusters skipped", {}, skips_empty=True)


@with_engine
def conventions(
    key: Source, response: Source, *, published: object | Iterable[object] = (), **options: Unpack[FileOptions]
) -> Conventions:
    """Score files under each profile, policy and average in use; with published figures, find those that fit them.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]], [[6, 6]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> c = ac.conventions("key.jsonl", "response.jsonl", published=69.4)
        >>> c["singletons drop"].printed("conll"), [row.command for row in c.consistent]
        ('69.40', ['arraycoref score key.jsonl response.jsonl --singletons drop'])

    Args:
        key: a file, a directory, a glob pattern, or a list of files.
        response: the same.
        published: figures in percent: ``61.2`` for the CoNLL average, or ``"muc.recall=48.1"``; with as many digits as
            were printed, so in quotes if the last is 0.
        **options: see `arraycoref.options`; the rows are compared with what these make.

    Raises:
        ArraycorefError: as for `arraycoref.score_files`; the first, if no convention can score the files.
    """
    require_one_reader([key, key, response, response])  # as profiles read in different ways
    metrics = resolve_metrics(options.get("metrics"))
    figures = (published,) if isinstance(published, str | int | float | Decimal) else tuple(published or ())  # type: ignore[arg-type]
    wanted = tuple(Published.parse(figure, metrics) for figure in figures)
    named = [figure.metric for figure in wanted]
    metrics += tuple(lacking(metrics, named))
    asked = resolve_policies(options, FileOptions)
    preparation = _Preparation(key, response, dict(options), metrics)
    made: dict[tuple[str, str], Convention] = {}
    rows, no_effect, errors = list[Convention](), list[str](), list[ArraycorefError]()
    same_as, not_applicable = dict[str, str](), dict[str, str]()
    for way in ways_beside(asked):
        if way.average_of != "conll" and ("conll" not in metrics or (wanted and "conll" not in named)):
            continue
        try:
            row = preparation.scored(way)
        except (InputError, ReadError) as error:
            errors.append(error)
            not_applicable[way.name] = _reason(error)
            continue
        before, average = way.before
        compared = [made.get((str(before), average)), *rows[:1]]
        made.setdefault((str(dict(way.options)), way.average), row)
        same = next((one.name for one in rows if _equal(one, row)), None)
        if any(one is not None and _equal(one, row) for one in compared):
            no_effect.append(way.name)
        elif same is not None:
            same_as[way.name] = same
        else:
            rows.append(row)
    if not rows:
        raise errors[0]
    notes = [f"scored with {fix}, as otherwise: {reason}" for reason, fix in preparation.fixed.items()]
    notes += preparation.notes or ()
    return Conventions(tuple(rows), metrics, tuple(no_effect), same_as, not_applicable, wanted, tuple(notes))


def _reason(error: Exception) -> str:
    """Return the first part of an error's message, without the value of a policy, so that equal reasons are equal."""
    return re.sub(r"\A(\w+) '[\w-]+' ", r"\1 ", str(error).partition(";")[0])


def _equal(one: Convention, other: Convention) -> bool:
    """Whether two conventions have the same values, which also look the same where their scorers print them."""
    values = [rounded_for_ties(np.array(list(each.values.values()))) for each in (one, other)]
    printed = [[each.printed(metric) for metric in each.values] for each in (one, other)]
    return np.array_equal(values[0], values[1], equal_nan=True) and printed[0] == printed[1]


class _Preparation:
    """Files that are read, matched and counted once for all ways for which the result is the same.

    Attributes:
        notes: what happened in the first way that could be scored; None before that.
        fixed: why that way refused the input as it is, and what makes it score it.
    """

    def __init__(self, key: Source, response: Source, options: dict[str, Any], metrics: tuple[str, ...]) -> None:
        self.notes: tuple[str, ...] | None = None
        self.fixed: dict[str, str] = {}
        self._sources, self._asked, self._metrics = (key, response), options, metrics
        self._counted = tuple(dict.fromkeys((*metrics, *["kbp"] * ("conll" in metrics), "mentions")))
        self._sides: dict[object, tuple[Documents, Documents]] = {}
        self._matched: dict[object, Clusterings] = {}
        self._scores: dict[object, BatchScores] = {}

    def scored(self, way: Way) -> Convention:
        """Score in one way; with other policies for documents, mentions and tokens if it refuses these."""
        asked, fixes = {**self._asked, **way.options}, dict[str, str]()
        while True:
            try:
                return self._scored(way, asked | fixes, fixes)
            except (InputError, ReadError) as error:
                name = str(error.option)
                if name not in FIXES or name in fixes:
                    raise
                if asked.get(name, OPTIONS[name].default) != OPTIONS[name].default:
                    raise
                if self.notes is None:
                    self.fixed[_reason(error)] = f"{name.replace('_', ' ')} {FIXES[name]}"
                fixes[name] = FIXES[name]

    def _scored(self, way: Way, options: dict[str, Any], fixes: Mapping[str, str]) -> Convention:
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
        with_clusters = np.flatnonzero(b.documents["mentions"].precision_den) if way.skips_empty else ()
        scored: BatchScores = b[with_clusters] if len(with_clusters) else b
        view = scored.macro if way.average == "macro" else scored.corpus
        values = {metric: tuple(map(float, view[metric])) for metric in self._metrics}
        if "conll" in values:
            values["conll"] = (math.nan, math.nan, float(view[way.average_of].f1))
        typed = _typed({**fixes, **way.options}) + ["--macro"] * (way.average == "macro")
        typed += ["--metrics", way.average_of] * (way.average_of != "conll")
        names = [os.fspath(side) if isinstance(side, str | os.PathLike) else "FILES" for side in self._sources]
        given = {name: value for name, value in self._asked.items() if name not in {**fixes, **way.options}}
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
        has_nodes = any(side.mentions.has_parts or side.mentions.head is not None for side in sides)
        if policies.matching == "exact" and not (has_nodes or policies.upos):
            usual["singletons"] = "keep"  # otherwise they are dropped before mentions are matched
        of_labels = of_files, replace(policies, **usual)
        if of_labels not in self._matched:
            labels = match_documents(*sides, policies, silent.get("on_error")).clusterings
            same = [each for each in self._matched.values() if _same_labels(each, labels)]
            self._matched[of_labels] = same[0] if same else labels
        return self._matched[of_labels]


def _same_labels(one: Clusterings, other: Clusterings) -> bool:
    """Whether two clusterings have the same labels of the same documents, and nothing else that is counted."""
    extra = (each.matched or each.repeated or each.split for each in (one, other))
    if any(each is not None for each in extra) or one.names != other.names:
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
