"""Say what went wrong in sentences, each with its numbers and the command that shows more; what they claim was tested.

Sentences are in the order of what they cost: how much F would gain if a group of documents scored as the others do, if
a category of mentions had its share of the errors and no more, or without mentions of several entities.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from arraycoref.analysis.analyzed import Analyzed
from arraycoref.analysis.breakdown import GROUPS, Attribute, add_up, antecedents, known_attributes
from arraycoref.analysis.errors import PLAYERS, Costs, linearized
from arraycoref.analysis.index import KEY
from arraycoref.analysis.name_groups import FEWEST, NameGroup, flipped, groups_of_labels, groups_of_names, in_units
from arraycoref.analysis.pair import TYPES, Pair
from arraycoref.display.formats import Report
from arraycoref.display.tables import Styled, TextTable, html_text, latex_text, markdown_code, plural
from arraycoref.exceptions import printable
from arraycoref.ragged import Bools, Floats, Ints
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import score_sums
from arraycoref.scoring.format import metric_title
from arraycoref.scoring.grouped import documents_by
from arraycoref.scoring.metrics.registry import counted_metrics
from arraycoref.scoring.signature import Signature
from arraycoref.stats.groups import permuted, slopes_of
from arraycoref.stats.how import By
from arraycoref.stats.intervals import Interval, bootstrap
from arraycoref.stats.sample import Sample
from arraycoref.stats.tests import paired_test

MOST, ALPHA = 7, 0.05
"""The most sentences, and the level of tests."""

KINDS: Mapping[str, tuple[str, ...]] = {
    "linking": ("conflated", "divided"),
    "missing and extra mentions": ("missing", "extra", "singletons"),
    "wrong boundaries": ("span",),
}
"""The kinds of errors, and their players, see `arraycoref.analysis.errors.PLAYERS`."""

PLAYER_NAMES: Mapping[str, str] = {
    "conflated": "conflated entities",
    "divided": "divided entities",
    "span": "wrong boundaries",
    "missing": "missing mentions",
    "extra": "extra mentions",
    "singletons": "missing and extra singletons",
}

CATEGORIES: Mapping[str, tuple[Mapping[str, str], str, str]] = {
    "kind": ({"pronoun": "pronouns", "name": "names", "noun": "nouns"}, "", ""),
    "rank": ({"1": "mentions of the largest entity"}, "mentions of the {1} largest entities", ""),
    "nested": ({"nested": "mentions inside others"}, "", ""),
    "length": ({"1": "mentions of 1 word"}, "mentions of {0}-{1} words", "mentions of {}+ words"),
    "distance": (
        {"first": "first mentions", "1": "mentions next to their antecedent"},
        *("mentions whose antecedent is {0}-{1} mentions before", "mentions whose antecedent is {}+ mentions before"),
    ),
    "size": ({"1": "singletons"}, "", "mentions of larger entities ({}+)"),
    "position": ({}, "mentions in words {0}-{1} of their document", "mentions after word {} of their document"),
}
"""The attributes whose categories are looked at, and what sentences call these: classes by name, all classes up to a
number, and all from a number."""

ERRORS: Mapping[str, tuple[int, str]] = {
    "conflated": (1, "are conflated"),
    "divided": (0, "are divided"),
    "span": (0, "have wrong boundaries"),
    "missing": (0, "are missing"),
    "extra": (1, "are extra"),
}
"""What may be wrong with a mention, as the types of errors begin: the side that has it, and what a sentence says."""

WORDS_OF_RECORDS = {"mention": "record", "Mention": "Record", "entities": "clusters", "entity": "cluster"}

WORDS = re.compile("“[^“”]*”|Mentions F|[Mm]ention|entities|entity")
"""These words, and what has them but is kept: names in quotes and the title of a metric."""

SIDES = "key", "response"

EXCESS = 1.15
"""A category of mentions is named if errors are more than `EXCESS` times as frequent in it as in other mentions."""

MOVED = 0.005
"""A convention is named if it would change F by so much."""

SHOWN, LEAST_COST = 5e-4, 1e-3
"""Costs below the first print as 0.0 and are left out, and findings below the second."""


class Call(NamedTuple):
    """A command that shows more.

    Attributes:
        name: the command.
        systems: positions of the responses that it reads; empty for the one of the finding.
        options: its options.
    """

    name: str
    systems: tuple[int, ...] = ()
    options: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Finding:
    """A sentence or two on one subject.

    Attributes:
        kind: ``score``, ``documents``, ``mentions``, ``convention`` or ``systems``.
        text: the sentences.
        cost: what it costs, a fraction of F, by which findings are sorted.
        numbers: the numbers in it by name, at full precision.
        interval: confidence interval of the first of these; None where there is none.
        p: p-value of what it claims, corrected for all that was tested with it; nan where nothing is tested.
        command: the command that shows more, if any; ``KEY``, ``RESPONSE`` or names of responses stand for files.
        call: the same in parts; None for none.
        place: where the report shows it: ``errors``, ``group=NAME``, ``breakdown=NAME``, ``scores``.
    """

    kind: str
    text: str
    cost: float
    numbers: Mapping[str, float]
    interval: tuple[float, float] | None = None
    p: float = float("nan")
    command: str = ""
    call: Call | None = None
    place: str = "errors"


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Report):
    """At most seven findings on what went wrong, what costs most first.

    Attributes:
        findings: the findings.
        signature: signature of the scores.
    """

    findings: tuple[Finding, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("kind",)

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each finding."""
        for each in self.findings:
            low, high = each.interval or (None, None)
            head = {name: getattr(each, name) for name in ("kind", "text", "cost", "command", "place", "p")}
            yield {**head, "low": low, "high": high}

    def facts(self) -> dict[str, Any]:
        """Return the numbers of each finding."""
        return {"numbers": [{name: float(value) for name, value in each.numbers.items()} for each in self.findings]}

    def opening(self, digits: int) -> list[str]:
        """Return the sentences of each finding, and its command in a line below."""
        lines = list[str]()
        for each in self.findings:
            lines.append(each.text)
            if code := printable(each.command):
                html = f"<code>{html_text(code)}</code>"
                lines.append(Styled.coded(f"  {code}", latex=latex_text(code), markdown=markdown_code(code), html=html))
        return lines

    def tables(self, digits: int) -> list[TextTable]:
        """Return no table."""
        return []

    def caption(self, digits: int) -> list[str]:
        """Return the signature."""
        return [str(self.signature)]


class UnusualGroup(NamedTuple):
    """A group of documents that scores otherwise than the others.

    Attributes:
        group: the group.
        inside, outside: F of the group, and of the others.
        value: the difference.
        half: half of the width of the interval of the difference.
        p: corrected for all groups.
        cost: how much F of all documents changes without the group.
    """

    group: NameGroup
    inside: float
    outside: float
    value: float
    half: float
    p: float
    cost: float


class Category(NamedTuple):
    """How often mentions of a category are wrong in one way, and how often other mentions.

    Attributes:
        attribute: name of the attribute.
        phrase: what a sentence calls the category.
        error: a name of `ERRORS`.
        inside, outside: fraction of the mentions that are wrong, of the category and of the others.
        influences: float64 (2, U) influences on the first, and on the first minus `EXCESS` times the second.
        cost: what F would gain, roughly, if errors were as frequent in it as in all mentions.
    """

    attribute: str
    phrase: str
    error: str
    inside: float
    outside: float
    influences: Floats
    cost: float


@dataclass(frozen=True, eq=False)
class Search:
    """Where findings about one response are looked for.

    Attributes:
        analysis: the analysis.
        system: position of the response.
        metric: the metric of costs.
        by: groups of documents to test, as in `arraycoref.BatchScores.by`; None for those found in names.
        resample_by: units, as in `arraycoref.options`.
        confidence: level of the intervals.
        seed: an integer that repeats resamples and permutations.
    """

    analysis: Analyzed
    system: int = 0
    metric: str = "conll"
    by: By = None
    resample_by: By = None
    confidence: float = 0.95
    seed: int = 0

    @cached_property
    def costs(self) -> Costs:
        """What errors cost."""
        return self.analysis.costs(self.metric)[self.system]

    @cached_property
    def sample(self) -> Sample:
        """The units, and the response with each set of error types corrected."""
        return self.costs.sample(self.resample_by)

    @property
    def pair(self) -> Pair:
        """Key and response, where mentions whose span alone is wrong do not match."""
        return self.analysis.plain_pairs[self.system]

    @property
    def name(self) -> str:
        """The name of the response, where there are several; otherwise none."""
        return self.analysis.systems[self.system] if len(self.analysis.systems) > 1 else ""

    @property
    def is_text(self) -> bool:
        """Whether there are several documents, or words; other data are called records and clusters."""
        return len(self.analysis.documents) > 1 or self.analysis.index.has_spans

    def made(self, kind: str, text: str, cost: float, numbers: Mapping[str, float], **more: Any) -> Finding:
        """Make a finding; sentences and commands name the response, and records where there is no text."""
        if not self.is_text:
            text = WORDS.sub(lambda word: WORDS_OF_RECORDS.get(word[0], word[0]), text)
        text = f"{self.name}: {text}" if self.name and kind != "systems" else text
        if (call := more.get("call")) is not None:
            more["call"] = call = call._replace(systems=call.systems or (self.system,))
            names = [self.analysis.systems[s] for s in call.systems] if self.name else ["RESPONSE"]
            options = chain.from_iterable(call.options.items())
            more["command"] = shlex.join(["arraycoref", call.name, "KEY", *names, *options])
        return Finding(kind, text, cost, numbers, **more)

    def f1(self, sums: Floats) -> Any:
        """Compute F of sums of counts, (4K, ...) -> (...)."""
        parts = sums.reshape(-1, 4, *sums.shape[1:])
        return score_sums(parts, self.costs.counts.metrics, self.metric, self.analysis.signature).f1

    @cached_property
    def rows(self) -> Floats:
        """The counts of each document, float64 (D, 4K)."""
        return np.asarray(self.costs.counts.flat[0])

    @cached_property
    def unit_of_document(self) -> Ints:
        """The unit of each document, int64 (D,), where units are documents or groups of them."""
        unit = np.arange(len(self.analysis.documents))
        for u, documents in enumerate(self.sample.units.groups):
            unit[list(documents)] = u
        return unit

    def interval(self, value: float, influences: Floats) -> Interval:
        """Return the linearized interval of a number."""
        return linearized(value, influences, self.sample, self.confidence)

    def shares(self, costs: Costs, sample: Sample) -> tuple[dict[str, float], dict[str, Floats]]:
        """Return what each player costs, and its influences; no link is wrong where only mentions count."""
        shares = dict(zip(costs.players, costs.shares().tolist(), strict=True))
        influences = dict(zip(costs.players, costs.influences(sample), strict=True))
        if self.metric == "mentions":  # heads, which leave and enter with conflated and divided entities
            for own in (shares, influences):
                own["extra"], own["missing"] = own["extra"] + own.pop("conflated"), own["missing"] + own.pop("divided")
        return shares, influences

    def score(self) -> Finding:
        """Divide the F that is lost among types of errors, and add these up by their kinds."""
        asked: Any = {"resample_by": self.resample_by, "confidence": self.confidence, "seed": self.seed}
        whole = bootstrap(self.costs.runs.batch(0), **asked)[self.metric].f1
        (shares, influences), p = self.shares(self.costs, self.sample), float("nan")
        ranked = sorted(shares, key=lambda player: -shares[player])
        ranked, lost = [player for player in ranked if abs(shares[player]) >= SHOWN], sum(shares.values())
        text = f"{metric_title(self.metric)} F1 is {_points(whole.estimate)}"
        text += _ends(whole, f" ({100 * self.confidence:g}% interval ")
        text += f": {_points(lost)} points are lost" if ranked else ""
        if (rest := 1.0 - whole.estimate - lost) >= SHOWN:  # the key itself would not score 100
            of_key = zip(self.costs.counts.metrics, self.rows.sum(axis=0)[1::4], strict=True)
            names = _listed([metric_title(metric) for metric, total in of_key if not total])
            text += f"{', and' if ranked else ':'} {_points(rest)} are 0/0{names and f' ({names})'}"
        text += "."
        if ranked:
            first, *others = ranked
            i = self.interval(shares[first], influences[first])
            if others and i.low > -np.inf:
                spread = self.sample.spread_of(influences[first] - influences[others[0]])
                p = _two_sided(shares[first] - shares[others[0]], spread.error, spread.effective)
            most = " most," if p <= ALPHA else ""
            text += f" {PLAYER_NAMES[first].capitalize()} cost{most} {_points(shares[first])}{_ends(i)}"
            parts = [f"{PLAYER_NAMES[player]} {_points(shares[player])}" for player in others]
            text += f"; {_listed(parts)}." if parts else "."
        for kind, players in KINDS.items() if len(ranked) > 2 else ():
            if len(own := [player for player in players if player in ranked]) > 1:
                i = self.interval(sum(shares[p] for p in own), np.sum([influences[p] for p in own], axis=0))
                text += f" {kind.capitalize()}: {_points(i.estimate)}{_ends(i)} together."
        numbers, ends = {"f1": whole.estimate, "lost": lost, **shares}, (whole.low, whole.high)
        return self.made("score", text, lost, numbers, interval=ends, p=p, call=Call("show"))

    @cached_property
    def groups(self) -> list[NameGroup]:
        """The groups of documents that are looked at."""
        names = self.analysis.documents
        if self.by is None:
            return groups_of_names(names) if self.analysis.index.has_names else []
        return groups_of_labels(documents_by(names, self.by), self.by if isinstance(self.by, str) else "", names)

    def documents(self) -> Iterator[Finding]:
        """Name groups of documents that score otherwise than the others, and say what differs there."""
        kept = np.ones(len(self.rows), np.bool_)
        first = next(iter(self._differing(kept)), None)
        if first is None:
            return
        text, numbers = self._of_group(first)
        kept, rest = kept & ~first.group.members, list[UnusualGroup]()
        for each in self._differing(kept):  # of two halves, the worse one
            if not any((each.group.members != other.group.members)[kept].all() for other in rest):
                rest.append(each)
        if rest := rest[:4]:
            parts = list[str]()
            for each in rest:
                gap = f"{'better' if each.value > 0 else 'worse'} ({_points(each.value, '+')}, p {_p(each.p)})"
                parts.append(f"“{each.group.name}” is {gap}")
                numbers[each.group.name] = each.value
            text += f" Among the other documents, {_listed(parts)}."
        pattern, ends = first.group.pattern, (first.value - first.half, first.value + first.half)
        call = Call("errors", options={"--by": pattern}) if pattern else None
        more: dict[str, Any] = {"p": first.p, "call": call, "place": f"group={first.group.name}"}
        yield self.made("documents", text, first.cost, numbers, interval=ends, **more)

    def _differing(self, kept: Bools, other: Search | None = None) -> list[UnusualGroup]:
        """Return the groups that differ from the others among some documents: worse ones first, by what they cost.

        With another response, F is how much better that is.
        """
        place, result = np.full(kept.size, -1), list[UnusualGroup]()
        number, place[kept] = np.unique(self.unit_of_document[kept], return_inverse=True)
        candidates, width = in_units(self.groups, place), self.rows.shape[1]
        if not candidates:
            return result
        all_rows = self.rows if other is None else np.concatenate([self.rows, other.rows], axis=1)
        rows = np.stack([_added(place[kept], column, number.size) for column in all_rows[kept].T], axis=1)
        members, of_key = np.stack([inside for _, inside in candidates]), rows[:, 1:width:4]  # what recall divides by
        is_scored = np.stack([(of_key[own].any(axis=0) & of_key[~own].any(axis=0)).all() for own in members])
        candidates, members = [candidates[g] for g in np.flatnonzero(is_scored)], members[is_scored]
        if not candidates:
            return result
        from scipy.special import stdtrit

        def score(sums: Floats) -> Any:
            return self.f1(sums) if other is None else other.f1(sums[width:]) - self.f1(sums[:width])

        whole = float(score(rows.sum(axis=0)))
        test = permuted(rows, members, score, self.seed)
        for g in np.flatnonzero(test[-1] <= ALPHA).tolist():
            inside, outside, error, _, p = test[:, g].tolist()
            half = float(stdtrit(members[g].sum() - 1.0, (1.0 + self.confidence) / 2.0)) * error
            scores, cost = (inside, outside, inside - outside), abs(whole - outside)
            result.append(UnusualGroup(candidates[g][0], *scores, half, p, cost))
        return sorted(result, key=lambda each: (each.value > 0, -each.cost))

    def _of_group(self, found: UnusualGroup) -> tuple[str, dict[str, float]]:
        """Say how a group differs, in which kinds of errors and types: by Welch's t, corrected for all of these."""
        members, sign = found.group.members, 1.0 if found.value < 0 else -1.0
        inside, outside, gaps = self._part(members), self._part(~members), dict[str, float]()
        ends = f"{_points(found.value - found.half, '+')} to {_points(found.value + found.half, '+')}"
        text = f"{plural(int(members.sum()), 'document')} named “{found.group.name}” score "
        text += f"{_points(found.inside)}, the others {_points(found.outside)} "
        text += f"(difference {_points(found.value, '+')}, {ends}, p {_p(found.p)})."
        numbers = {"difference": found.value, "inside": found.inside, "outside": found.outside}
        for name, (one, variance, n) in inside.items():
            other, more, n_outside = outside[name]
            both, below = variance + more, variance**2 / (n - 1) + more**2 / (n_outside - 1)
            p = _two_sided(one - other, both**0.5, both**2 / below if below else 1.0)
            if p * len(inside) <= ALPHA and sign * (one - other) > 0:
                gaps[name] = sign * (one - other)
        for player in sorted(gaps, key=lambda player: -gaps[player]):
            one, other = inside[player][0], outside[player][0]
            numbers |= {f"{player} inside": one, f"{player} outside": other}
            name = PLAYER_NAMES[player].capitalize()
            text += f" {name} cost {_points(one)} points there, {_points(other)} elsewhere."
        return text, numbers

    def _part(self, members: Bools) -> dict[str, tuple[float, float, int]]:
        """Return the share of each player in some documents, its variance, and the number of units."""
        documents = np.flatnonzero(members)
        costs = replace(self.costs, counts=self.costs.counts.take(documents))
        shares, influences = self.shares(costs, costs.sample(None))
        unit = np.unique(self.unit_of_document[documents], return_inverse=True)[1]
        n, result = int(unit.max()) + 1, {}
        for name, own in influences.items():
            result[name] = shares[name], float((np.bincount(unit, own, n) ** 2).sum()) * n / (n - 1), n
        return result

    @cached_property
    def attributes(self) -> list[tuple[Attribute, dict[str, Bools]]]:
        """The attributes of mentions that are looked at, and the classes of each category, bool (C,), by its phrase."""
        index, result = self.analysis.index, list[tuple[Attribute, dict[str, Bools]]]()
        looked_at = [name for name in CATEGORIES if name != "position" or len(self.analysis.documents) > 1]
        for attribute in known_attributes(index, looked_at if self.is_text else ("size", "rank")):
            phrases, up_to, from_ = CATEGORIES[attribute.name]
            least = np.array([int(re.sub(r"\D.*", "", name) or -1) for name in attribute.classes])
            numbers, classes = np.unique(least[least >= 0]), np.array(attribute.classes)
            categories = {phrase: classes == name for name, phrase in phrases.items()}
            for number in numbers[1:].tolist():
                below = (least >= 0) & (least < number)
                if up_to and (below.sum() > 1 or not phrases):
                    categories[up_to.format(numbers[0], number - 1)] = below
                if from_:
                    categories[from_.format(number)] = least >= number
            result.append((attribute, categories))
        for group in () if self.is_text else groups_of_names(index.texts(0)):
            codes = np.where(index.labels < 0, -1, np.where(group.members, 0, 1))
            categories = {f"mentions named “{group.name}”": np.array([True, False])}
            result.append((Attribute(group.name, (group.name, ""), codes), categories))
        return result

    def categories(self) -> list[Category]:
        """Return how often mentions of each category are wrong, in each way."""
        pair, made, n_units = self.analysis.pairs[self.system], list[Category](), self.sample.n_units
        pieces, shares, one = pair.marks, self.shares(self.costs, self.sample)[0], self.sample.clustering
        unit = self.unit_of_document[pair.index.document] if one is None else np.maximum(one.units(0), 0)
        n_of_type, owner = np.bincount(pieces.type, minlength=len(TYPES)), np.diff(pieces.bounds)
        for error, (side, _) in ERRORS.items():
            is_type = np.array([name.startswith(error) for name in TYPES])
            cost = 0.0  # of the players, as many parts as they have errors of these types
            for player in shares:
                own = n_of_type[list(PLAYERS[player])]
                cost += shares[player] * (own @ is_type[list(PLAYERS[player])]) / max(own.sum(), 1)
            wrong, labels = np.zeros((2, len(pair.index)), np.bool_), pair.labels[side]
            wrong[0, pieces.first[is_type[pieces.type]]] = True
            wrong[1, pieces.mentions[is_type[pieces.type].repeat(owner)]] = True
            counted = labels >= 0
            if error in KINDS["linking"]:
                counted = antecedents(labels) >= 0
            elif error != "span":
                wrong[:] = counted & (pair.labels[1 - side] < 0)  # heads too
            for attribute, categories in self.attributes:
                n, codes = len(attribute.classes), attribute.codes[pair.side if side else KEY]
                place, known = np.where(codes < 0, 0, unit * n + codes), counted & (codes >= 0)
                is_wrong = known & wrong[int(attribute.of_mention or error == "conflated")]
                of_class = np.stack([np.bincount(place, each, n_units * n) for each in (is_wrong, known)])
                of_class = of_class.reshape(2, n_units, n)
                inside = of_class @ np.stack([*categories.values()], axis=1)  # (2, U, categories)
                outside = of_class.sum(axis=2, keepdims=True) - inside
                (bad, n_inside), (bad_outside, n_outside) = inside.sum(axis=1), outside.sum(axis=1)
                is_spread = n_inside**2 >= FEWEST * (inside[1] ** 2).sum(axis=0)  # over so many units
                for c in np.flatnonzero((bad > 0) & (n_outside > 0) & is_spread).tolist():
                    rates = float(bad[c] / n_inside[c]), float(bad_outside[c] / n_outside[c])
                    rate = (inside[0, :, c] - rates[0] * inside[1, :, c]) / n_inside[c]
                    other = (outside[0, :, c] - rates[1] * outside[1, :, c]) / n_outside[c]
                    gain = cost * float(bad[c] / is_wrong.sum() - n_inside[c] / known.sum())
                    influences = np.stack([rate, rate - EXCESS * other])
                    made.append(Category(attribute.name, [*categories][c], error, *rates, influences, gain))
        return made

    def mentions(self) -> Iterator[Finding]:
        """Name categories of mentions that are wrong more often than others, for each way the one that costs most."""
        candidates = self.categories() if self.sample.n_units >= FEWEST else []
        if not candidates:
            return
        stretched = [self.sample.spread_of(each.influences[1]).design_effect ** 0.5 for each in candidates]
        values = np.array([each.inside - EXCESS * each.outside for each in candidates])
        pvalues = flipped(np.stack([each.influences[1] for each in candidates]), values / stretched, self.seed)
        ranked = sorted(np.flatnonzero(pvalues <= ALPHA).tolist(), key=lambda c: candidates[c].cost)
        named = {candidates[c].error: c for c in ranked if candidates[c].cost >= LEAST_COST}
        shown = sorted(named.values(), key=lambda c: -candidates[c].cost)[:3]
        if not shown:
            return
        parts, numbers, intervals = list[str](), dict[str, float](), list[Interval]()
        for each in (candidates[c] for c in shown):
            side, word = ERRORS[each.error]
            if each.error in KINDS["linking"] and "antecedent" not in each.phrase:  # these alone are counted
                word = f"{'with an antecedent' if self.is_text else 'after the first of their entity'} {word}"
            intervals.append(i := self.interval(each.inside, each.influences[0]))
            parts.append(f"{_percent(each.inside)}{_ends(i)} of the {SIDES[side]}'s {each.phrase} {word}, ")
            parts[-1] += f"{_percent(each.outside)} of the others."
            numbers |= {f"{each.phrase}: {each.error}": each.inside, f"others: {each.error}": each.outside}
        first, i = candidates[shown[0]], intervals[0]
        more: dict[str, Any] = {"interval": (i.low, i.high), "p": float(pvalues[shown[0]])}
        if self.is_text:
            names = ",".join(dict.fromkeys(candidates[c].attribute for c in shown))
            are_links = [candidates[c].error in KINDS["linking"] for c in shown]
            metrics = ",".join(dict.fromkeys("muc" if is_link else "mentions" for is_link in are_links))
            call = Call("breakdown", options={"--attribute": names, "--metrics": metrics})
            more |= {"call": call, "place": f"breakdown={first.attribute}"}
        yield self.made("mentions", " ".join(parts), first.cost, numbers, **more)

    def conventions(self) -> Iterator[Finding]:
        """Name what would change F by half a point or more: repeated mentions, singletons, documents left empty."""
        pair, index, now = self.pair, self.analysis.index, float(self.f1(self.rows.sum(axis=0)))
        metrics, moved = counted_metrics((self.metric,)), list[tuple[str, Call, Sequence[Bools]]]()
        is_single = [np.append(side.sizes, 0)[own] == 1 for side, own in zip(pair.sides, pair.labels, strict=True)]
        n = [int(chosen.sum()) for chosen in is_single]
        more, fewer = (0, 1) if n[0] > n[1] else (1, 0)
        if 100 * n[fewer] < n[more]:
            text = f"The {SIDES[more]} has {plural(n[more], 'singleton')}, "
            text += f"the {SIDES[fewer]} {n[fewer] or 'none'}. Without singletons"
            moved.append((text, Call("score", options={"--singletons": "drop", "--metrics": self.metric}), is_single))
        repeated = index.is_repeated(KEY) | index.is_repeated(pair.side)
        text = f"{plural(int(repeated.sum()), 'mention')} in several entities (repeated). Without repeated mentions"
        moved.append((text, Call("check"), [repeated, repeated]))
        is_empty = np.bincount(index.document[pair.labels[1] >= 0], minlength=len(self.rows)) == 0
        text = f"{is_empty.sum()} of {is_empty.size} documents are missing or empty in the response. Without these"
        left_out = (is_empty & ~is_empty.all())[index.document]
        moved.append((text, Call("conventions"), [left_out, left_out]))
        for text, call, left_out in moved:
            labels = [np.where(chosen, -1, own) for chosen, own in zip(left_out, pair.labels, strict=True)]
            rows = count_documents(Clusterings(labels[0], labels[1], index.offsets), metrics).rows
            other = float(self.f1(rows.sum(axis=0).ravel()))
            if abs(other - now) >= MOVED:
                numbers = {"otherwise": other, "now": now}
                sentence = f"{text}, F1 is {_points(other)} instead of {_points(now)}."
                yield self.made("convention", sentence, abs(other - now), numbers, call=call, place="scores")

    def compared(self, other: Search) -> Iterator[Finding]:
        """Compare with another response: by how much that is better, where, and by which types of errors."""
        names, n = (self.name, other.name), len(self.rows)
        asked: Any = {"resample_by": self.resample_by, "seed": self.seed}
        batches = other.costs.runs.batch(0), self.costs.runs.batch(0)
        i = bootstrap(*batches, confidence=self.confidence, **asked)[self.metric].f1
        p = paired_test(*batches, metric=self.metric, **asked).pvalue
        scores = [float(search.f1(search.rows.sum(axis=0))) for search in (self, other)]
        text = f"{metric_title(self.metric)} F1 is {_points(scores[0])} for {names[0]} and {_points(scores[1])} for "
        text += f"{names[1]} (difference {_points(i.estimate, '+')}{_ends(i, ', ', '')}, p {_p(p)})."
        text += "" if p <= ALPHA else " The difference is not significant."
        n_systems = len(self.analysis.systems)
        text += f" Only the first two of {n_systems} systems are compared." if n_systems > 2 else ""
        if n > 1:
            gain = np.round(other.f1(other.rows.T) - self.f1(self.rows.T), 12)
            text += f" {names[1]} is better in {(gain > 0).sum()} of {n} documents and worse in {(gain < 0).sum()}."
        sample = self.costs.sample(self.resample_by, other.costs)
        influences = self.costs.influences(sample) - other.costs.influences(sample, 1)
        saved = self.costs.shares() - other.costs.shares()
        second = len(sample) // 2
        spreads = [sample.spread_of(own, 0, second) for own in influences]
        stretched = np.array([spread.design_effect**0.5 for spread in spreads])
        pvalues = flipped(influences, saved / stretched, self.seed, two_sided=True)
        parts, numbers = list[str](), {"difference": i.estimate, **dict(zip(names, scores, strict=True))}
        is_named = (pvalues <= ALPHA) & (np.abs(saved) >= SHOWN)
        for player in sorted(np.flatnonzero(is_named).tolist(), key=lambda player: -abs(saved[player])):
            name = self.costs.players[player]
            ends = linearized(float(saved[player]), influences[player], sample, self.confidence, second)
            parts.append(f"{PLAYER_NAMES[name]} {_points(saved[player], '+')}{_ends(ends)}")
            numbers[f"{name} saved"] = float(saved[player])
        text += f" Errors that differ, in points that {names[1]} gains: {_listed(parts)}." if parts else ""
        call = Call("errors", (self.system, other.system), {"--list": "differences"} if n > 1 else {})
        yield self.made("systems", text, 1.0, numbers, interval=(i.low, i.high), p=p, call=call, place="comparison")
        if n > 1:
            yield from self._where(other, i.estimate)

    def _where(self, other: Search, difference: float) -> Iterator[Finding]:
        """Name the group or category in which the difference of two responses is not what it is elsewhere."""
        both, whole = (self.system, other.system), np.stack([self.rows, other.rows])
        counted, candidates = self.costs.counts.metrics, list[tuple[str, Call | None, str]]()
        gaps, influences = list[list[float]](), list[Floats]()

        def look(name: str, call: Call | None, place: str, inside: Floats, rows: Floats) -> None:
            sums = np.stack([inside, rows - inside])  # (2, 2, D, w): inside or not, response
            totals = np.moveaxis(sums.sum(axis=2), -1, 0)
            if totals[1::4].all():  # what recall divides by
                slopes = slopes_of(totals.reshape(-1, 4), self.f1).T.reshape(2, 2, -1, 1)
                of_document = (sums @ slopes)[..., 0]
                added = [_added(self.unit_of_document, own[1] - own[0], self.sample.n_units) for own in of_document]
                f1, size = self.f1(totals), float(totals[1, 0, 0] / totals[1, :, 0].sum())
                candidates.append((name, call, place))
                influences.append(np.stack([added[0] - added[1], added[0]]))
                gaps.append([*(f1[:, 1] - f1[:, 0]), size * (1.0 - size), *f1[0]])

        differing = self._differing(np.ones(len(self.rows), np.bool_), other)
        for group in (each.group for each in differing):
            call = Call("errors", both, {"--by": group.pattern}) if group.pattern else None
            inside = whole * group.members[:, np.newaxis]
            look(f"In documents named “{group.name}”", call, f"group={group.name}", inside, whole)
        for attribute, categories in self.attributes if set(counted) <= set(GROUPS) else ():
            if attribute.of_mention:
                n = len(attribute.classes)
                codes = [(attribute.codes[KEY], attribute.codes[search.pair.side]) for search in (self, other)]
                pairs = zip((self.pair, other.pair), codes, strict=True)
                of_class = np.stack([add_up(pair, counted, of_sides, n) for pair, of_sides in pairs])
                of_class = of_class.reshape(2, len(self.rows), n, -1)
                call = Call("breakdown", both, {"--attribute": attribute.name, "--metrics": self.metric})
                for phrase, classes in categories.items():
                    rows = of_class[:, :, classes].sum(axis=2), of_class.sum(axis=2)
                    look(f"On {phrase}", call, f"breakdown={attribute.name}", *rows)
        if not candidates:
            return
        there, elsewhere, sizes, first, second = np.array(gaps).T
        tested = zip(np.stack(influences, axis=1), (there - elsewhere, there), strict=True)
        pvalues, pvalues_there = (flipped(own, values, self.seed, two_sided=True) for own, values in tested)
        pvalues[: len(differing)] = [each.p for each in differing]
        is_reversed = (there * difference < 0) & (pvalues_there <= ALPHA)
        is_named = (pvalues <= ALPHA) & ((np.abs(there) > np.abs(elsewhere)) | is_reversed)
        weight = np.abs(there - elsewhere) * sizes * is_named
        c = int((weight * np.where(is_reversed, 1.0 + 1e-9, 1.0)).argmax())  # of two halves, the one that is reversed
        if not weight[c]:
            return
        name, call, place = candidates[c]
        i = self.interval(float(there[c]), influences[c][1])
        text = f"{name}, " + ("the order is reversed: " if is_reversed[c] else "")
        text += f"{other.name} scores {_points(second[c])} and {self.name} {_points(first[c])} (difference "
        text += f"{_points(there[c], '+')}{_ends(i, ', ', '')}). Elsewhere, the difference is "
        text += f"{_points(elsewhere[c], '+')} (the two differ, p {_p(pvalues[c])})."
        numbers = {"there": float(there[c]), "elsewhere": float(elsewhere[c])}
        more: dict[str, Any] = {"call": call, "place": place, "p": float(pvalues[c])}
        yield self.made("systems", text, 1.0, numbers, interval=(i.low, i.high), **more)


def _added(unit: Ints, values: Floats, n: int) -> Floats:
    """Add values up by unit, float64 (n,)."""
    return np.asarray(np.bincount(unit, values, n), np.float64)


def _two_sided(value: float, error: float, freedom: float) -> float:
    """Return p of Student's t; nan without an error."""
    if not error > 0:
        return float("nan")
    from scipy.special import stdtr

    return float(2.0 * stdtr(freedom, -abs(value) / error))


def _points(value: float, sign: str = "") -> str:
    return f"{100.0 * value + 0.0:{sign}.1f}"


def _percent(value: float) -> str:
    return f"{100.0 * value:.{0 if value >= 0.095 else 1}f}%"


def _ends(i: Interval, before: str = " (", after: str = ")") -> str:
    return "" if np.isnan(i.low) else f"{before}{_points(i.low)} to {_points(i.high)}{after}"


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.0005 else "<0.001"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]


def findings_of(analysis: Analyzed, metric: str = "conll", **options: Any) -> Findings:
    """Find what went wrong, and say it in at most seven sentences.

    Args:
        analysis: one response to a key; of several, the first two are compared, and the second is looked at.
        metric: the metric in whose F costs are given.
        **options: ``by``, ``resample_by``, ``confidence`` and ``seed`` of `Search`.
    """
    n = min(len(analysis.systems), 2)
    *before, search = (Search(analysis, s, metric, **options) for s in range(n))
    compared = [finding for first in before for finding in first.compared(search)]
    rest = [*search.documents(), *search.mentions(), *search.conventions()]
    findings = [*compared, search.score(), *sorted(rest, key=lambda finding: -finding.cost)]
    findings = [finding for finding in findings if finding.kind in ("score", "systems") or finding.cost >= LEAST_COST]
    return Findings(tuple(findings[:MOST]), analysis.signature)
