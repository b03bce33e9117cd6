"""Count the errors of each type, and find what each costs, from a response in which some types are corrected.

The numbers are sums per document, which add up, bootstrap and compare as others do.

| type | what the response does |
|---|---|
| conflated | holds mentions of another entity: a cell without the head of the response's entity |
| extra-mention | adds a mention that the key lacks |
| extra-entity | makes up an entity: of two or more mentions that the key lacks, and at most pronouns that it has |
| divided | tears an entity apart: a cell without the representative of the key's entity |
| missing-mention | leaves out a mention of the key |
| missing-entity | leaves out an entity: two or more mentions of it, and all that are not pronouns |
| span | has a mention with other boundaries, which then counts as the key's |
| extra-singleton | adds a mention that the key lacks, as an entity by itself |
| missing-singleton | leaves out an entity of one mention |

An entity's representative is its first mention that is not a pronoun, or else its first. The piece that contains it, a
cell or an absent mention, is where the entity is, and not an error; other pieces are errors. Without the last three,
which MUC does not see, the types are an exact account of MUC's lost links, see `lost_links`.

Source: Kummerfeld and Klein (2013), as their program counts. Singletons are counted apart here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import comb, nan
from typing import Any, ClassVar

import numpy as np

from arraycoref.analysis.index import KEY
from arraycoref.analysis.pair import OF_KEY, OF_RESPONSE, TYPES, Pair, Type
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, in_latex, plural
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings, Contributions
from arraycoref.scoring.contributions import CONTRIBUTIONS
from arraycoref.scoring.counts import Counts, score_sums
from arraycoref.scoring.format import format_score, metric_title
from arraycoref.scoring.metrics.registry import COUNTED_ERRORS, RATIOS, REGISTRIES, Metric, counted_metrics, find_metric
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats.draws import IntervalOptions
from arraycoref.stats.how import By, How
from arraycoref.stats.intervals import Interval, bootstrap
from arraycoref.stats.runs import Runs
from arraycoref.stats.sample import Sample

SOURCE = "Kummerfeld and Klein (2013), section 3"

TITLES = {name: name.replace("-", " ").capitalize() for name in TYPES}
REGISTRIES.append({n: Metric(n, t, SOURCE, key_only_denominator=False, **COUNTED_ERRORS) for n, t in TITLES.items()})
"""The types as entries of a registry. Of the four sums, errors in the key's entities come first, documents second,
errors in the response's entities third, documents again last; the score is the number of errors."""


def count_types(pair: Pair) -> Floats:
    """Count the errors of each type in each document: float64 (D, 9, 4), by type as in `TYPES`, see `REGISTRIES`."""
    errors, shape = pair.pieces, (len(pair.index.names), len(TYPES))
    counts = np.bincount(errors.document * shape[1] + errors.type, minlength=shape[0] * shape[1]).reshape(shape)
    rows = np.zeros((*shape, 4))
    rows[:, :, 1::2] = 1
    for type_ in range(len(TYPES)):
        rows[:, type_, 0 if type_ in OF_KEY else 2] = counts[:, type_]
    return rows


def contributions_of(pair: Pair) -> dict[str, Contributions]:
    """Divide each error among its mentions, by type; the one document is its first mention's."""
    errors, labels = pair.pieces, pair.index.labels[[KEY, pair.side]]
    owner = np.arange(len(errors)).repeat(np.diff(errors.bounds))
    value, one = 1.0 / np.diff(errors.bounds)[owner], np.flatnonzero(labels.max(axis=0) >= 0)[:1].repeat(2)
    result = {}
    for type_, name in enumerate(TYPES):
        chosen = errors.type[owner] == type_
        place = np.full(np.count_nonzero(chosen), 0 if type_ in OF_KEY else 2)
        result[name] = Contributions(
            np.append(errors.mentions[chosen], one),
            np.append(place, np.array([1, 3])[: one.size]),
            np.append(value[chosen], np.ones(one.size)),
        )
    return result


def lost_links(pair: Pair) -> tuple[Ints, Ints]:
    """Count MUC's lost links of each type: int64 (9,) of recall, and of precision.

    An entity of p pieces loses p - 1 links. Each error loses one, but a missing or extra entity one for each of its
    absent mentions, without the representative if that is absent. If spans were corrected first, ``span`` is what
    that gained.
    """
    errors, result = pair.pieces, np.zeros((2, len(TYPES)), np.int64)
    n_errors = np.bincount(errors.type, minlength=len(TYPES))
    n_mentions = np.bincount(errors.type, np.diff(errors.bounds), len(TYPES))
    for one, types in enumerate((OF_KEY, OF_RESPONSE)):
        n = np.count_nonzero(pair.sides[one].is_whole & ~pair.sides[one].is_represented)
        result[one, types[:3]] = n_errors[types[0]], n_errors[types[1]], n_mentions[types[2]] - n
    return result[0], result[1]


def corrected(pair: Pair, types: Collection[int]) -> Ints:
    """Return the labels of the response without the errors of some types: int64 (M,), -1 for absent mentions.

    - ``conflated``: each cell of a response entity without its representative becomes an entity of its own. A
      representative that the key lacks leaves, as no other type has it, unless the entity is extra as a whole.
    - ``extra-...``: the mentions leave.
    - ``divided``: each cell of a key entity moves to the cell of its representative. If that is missing, it enters
      first, unless the entity is missing as a whole; then cells move to the first of them.
    - ``missing-mention``: the mention joins the representative's cell; or the first cell, where that is still missing.
    - ``missing-entity``: its missing mentions enter together, where the representative is if that is a shared pronoun.
    - ``missing-singleton``: it enters.
    - ``span``: the mention has the key's words.

    Args:
        pair: a key and a response.
        types: positions in `arraycoref.analysis.pair.TYPES`.
    """
    labels, key = pair.response.copy(), pair.key
    of_key, label_of_cell = pair.cell_entities[0], pair.cell_entities[1].copy()
    n_cells, (n_key, n_response) = of_key.size, pair.n_entities
    new_of_cell, new_of_key = n_response, n_response + n_cells  # where new labels begin
    if Type.CONFLATED in types:
        apart = pair.cells_apart(1)
        label_of_cell[apart] = new_of_cell + apart
    extra, place = pair.sides[1].absent
    for n, type_ in enumerate(OF_RESPONSE):
        if type_ in types:
            labels[extra[place == n]] = -1
    # where the mentions of each key entity belong
    first_cell = np.full(n_key, n_cells)
    first_cell[key[pair.shared][::-1]] = pair.cell[::-1]  # of repeated indices, NumPy keeps the last
    is_whole, is_represented = pair.sides[0].is_whole, pair.sides[0].is_represented
    enters = ~is_represented & (is_whole if Type.MISSING_ENTITY in types else False)
    enters |= ~is_represented & ~is_whole & (Type.DIVIDED in types)
    home = np.append(label_of_cell, -1)[np.where(is_represented, pair.home_cells[0], first_cell)]
    home[enters] = new_of_key + np.flatnonzero(enters)
    if Type.DIVIDED in types:
        label_of_cell = home[of_key]
    labels[pair.shared] = label_of_cell[pair.cell]
    missing, place = pair.sides[0].absent
    for n, type_ in enumerate(OF_KEY):
        if type_ in types:
            owner = key[missing[place == n]]
            labels[missing[place == n]] = new_of_key + owner if type_ == Type.MISSING_SINGLETON else home[owner]
    if Type.SPAN not in types and pair.spans.size:
        labels[pair.spans[1]] = labels[pair.spans[0]]
        labels[pair.spans[0]] = -1
    return labels


MUC = counted_metrics(("muc",))

PLAYERS: Mapping[str, tuple[int, ...]] = {
    "conflated": (Type.CONFLATED,),
    "divided": (Type.DIVIDED,),
    "span": (Type.SPAN,),
    "missing": (Type.MISSING_MENTION, Type.MISSING_ENTITY),
    "extra": (Type.EXTRA_MENTION, Type.EXTRA_ENTITY),
    "singletons": (Type.MISSING_SINGLETON, Type.EXTRA_SINGLETON),
}
"""The types that are corrected together where the loss is divided among types, see `Costs.shares`."""

SHARE, GAIN, LOSS = "share of F1 lost", "F1 gained if fixed", "F1 lost if only this is left"
"""The titles of costs."""

F1 = RATIOS.index("f1")

FEW_UNITS = 2.5
"""With so few effective units, intervals of Student's t are too wide to say anything."""

SINGLETONS = frozenset(PLAYERS["singletons"])


@dataclass(frozen=True, eq=False)
class Costs:
    """What the errors of one response cost in a metric: counts of responses in which sets of types are corrected.

    Attributes:
        pair: the key and the response.
        players: (P,) names of `PLAYERS` with a type that was looked for.
        types: the types that were looked for.
        counts: rows float64 (2**P + 2T, D, K, 4): of the sets of players, where player p is in set s if bit p of s is
            1; of each type by itself; and of all types but each.
        metric: name of the metric.
        signature: signature of the scores.
    """

    pair: Pair
    players: tuple[str, ...]
    types: tuple[int, ...]
    counts: Counts
    metric: str
    signature: Signature

    @classmethod
    def from_pair(cls, pair: Pair, types: Sequence[int], metric: str, signature: Signature) -> Costs:
        """Correct and count each set of types. What singletons add to sums over mentions does not depend on the rest.

        Args:
            pair: a key and a response.
            types: the types that are looked for.
            metric: name of the metric.
            signature: signature of the scores.
        """
        players = tuple(name for name, own in PLAYERS.items() if set(own) & set(types))
        metrics, rows = counted_metrics((metric,)), dict[frozenset[int], Floats]()
        of_mentions = all(each.name in CONTRIBUTIONS and CONTRIBUTIONS[each.name].sums is None for each in metrics)

        def count(chosen: frozenset[int]) -> Floats:
            if chosen not in rows:
                labels = corrected(pair, chosen)
                rows[chosen] = count_documents(Clusterings(pair.key, labels, pair.index.offsets), metrics).rows
            return rows[chosen]

        none, stacked = frozenset[int](), []
        for chosen in [*_sets(players), *(frozenset({t}) for t in types), *(frozenset(types) - {t} for t in types)]:
            apart = chosen & SINGLETONS if of_mentions else none
            stacked.append(count(chosen - apart) + sum(count(frozenset({t})) - count(none) for t in sorted(apart)))
        names = pair.index.names if pair.index.has_names else None
        counts = Counts(names, tuple(each.name for each in metrics), np.stack(stacked))
        return cls(pair, players, tuple(types), counts, metric, signature)

    def f1(self, rows: Floats) -> Floats:
        """Compute F of rows of sums, float64 (..., K, 4) -> (...)."""
        sums = np.moveaxis(rows, (-2, -1), (0, 1))
        return np.asarray(score_sums(sums, self.counts.metrics, self.metric, self.signature).f1)

    @cached_property
    def weights(self) -> Floats:
        """The weight of F of each set of players in the share of each, float64 (P, 2**P)."""
        n = len(self.players)
        sets = np.arange(1 << n)
        size = np.array([s.bit_count() for s in sets.tolist()])
        orders = np.array([1.0 / (n * comb(n - 1, k)) for k in range(n)])  # a player is next after k others
        return np.array([np.where(sets >> p & 1, orders[size - 1], -orders[np.minimum(size, n - 1)]) for p in range(n)])

    def shares(self, rows: Floats | None = None) -> Floats:
        """Divide what the response loses among the players, float64 (P,): fractions that add up to the F that is lost.

        A player's share is what F gains when its types are corrected, on average over all orders of the players.

        Args:
            rows: float64 (2**P, K, 4) sums of the sets of players; None for those of all documents.

        Source: Shapley (1953), A value for n-person games.
        """
        sums = self.counts.rows[: 1 << len(self.players)].sum(axis=1) if rows is None else rows
        return (self.weights @ self.f1(sums)).round(15) + 0.0

    def sample(self, by: By, *others: Costs) -> Sample:
        """Take the documents or other units of `runs`, and of those of other responses to the same key after them."""
        all_runs = [self.runs, *(other.runs for other in others)]
        rows = np.concatenate([runs.counts.rows for runs in all_runs])
        first, labels = all_runs[0], tuple(chain.from_iterable(runs.clusterings for runs in all_runs))
        joint = replace(first, settings=tuple(range(len(rows))), counts=replace(first.counts, rows=rows))
        return Sample.from_runs(replace(joint, notes=((),) * len(rows), clusterings=labels), "micro", by)

    def influences(self, sample: Sample, response: int = 0) -> Floats:
        """Return how much the share of each player changes with the weight of each unit of a sample, float64 (P, U)."""
        n = 1 << len(self.players)
        return self.weights @ np.stack([sample.influences(0, F1, s) for s in range(response * n, response * n + n)])

    def intervals(self, by: By, confidence: float) -> dict[str, Interval]:
        """Return the share of each player, with its linearized interval."""
        sample = self.sample(by)
        both = zip(self.players, self.shares().tolist(), self.influences(sample), strict=True)
        return {player: linearized(share, influences, sample, confidence) for player, share, influences in both}

    @cached_property
    def runs(self) -> Runs:
        """The response with each set of players corrected, as systems; the first one is the response itself."""
        index, sets = self.pair.index, _sets(self.players)
        rows, labels = self.counts.rows[: len(sets)], tuple[Clusterings, ...]()
        if len(index.names) == 1:
            labels = tuple(Clusterings(self.pair.key, corrected(self.pair, each), index.offsets) for each in sets)
        counts = Counts.read_only(self.counts.names, self.counts.metrics, rows)
        settings, notes = tuple(range(len(sets))), ((),) * len(sets)
        return Runs(settings, counts, (self.metric,), self.signature, notes, clusterings=labels)


def linearized(
    value: float, influences: Floats, sample: Sample, confidence: float, second: int | None = None
) -> Interval:
    """Return the interval of a number by Student's t from the influences of units, float64 (U,), which add up to 0.

    Args:
        value: the number.
        influences: how much it changes with the weight of each unit.
        sample: the units; they have errors in common by its first system.
        confidence: level of the interval.
        second: position of another system by which they have errors in common too.

    Returns:
        The interval; its ends are nan where it would rest on `FEW_UNITS` effective units or fewer.
    """
    spread = sample.spread_of(influences, 0, second)
    if not spread.effective > FEW_UNITS:
        return Interval(value, nan, nan, spread.error)
    from scipy.special import stdtrit

    half = float(stdtrit(spread.effective, (1.0 + confidence) / 2.0)) * spread.error
    return Interval(value, value - half, value + half, spread.error)


def _sets(players: Sequence[str]) -> list[frozenset[int]]:
    """List the types of each set of players."""
    sets = [[name for p, name in enumerate(players) if s >> p & 1] for s in range(1 << len(players))]
    return [frozenset(chain.from_iterable(PLAYERS[name] for name in chosen)) for chosen in sets]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ErrorTable(Report):
    """The errors of S responses by type, and what each type costs in a metric.

    Attributes:
        systems: (S,) names of the responses.
        types: (T,) the types that were looked for; ``span`` only where spans are known. Those whose player has the
            largest share come first, that of the first response.
        metric: name of the metric in which costs are given.
        errors: for each response the number of errors of each type, with its interval.
        shares: for each response what each player of `PLAYERS` has of the F that is lost, with a linearized interval;
            see `Costs.shares`.
        gain_if_fixed: float64 (S, T) how much the F of the metric gains if only this type is corrected, a fraction.
        loss_if_left: float64 (S, T) 1 minus the F where all types but this one are corrected: what it costs at the end.
        f1: float64 (S,) the F of the metric.
        lost: int64 (S, 2, T) MUC's lost links by type, of recall and of precision.
        absent_heads: int64 (S, 2) representatives that the response lacks, and that only it has, which are not error
            of a type: an entity is where its representative is.
        n_documents: number of documents.
        how: how documents were resampled.
        notes: what a reader should know before trusting the numbers, and what happened in the responses.
        signature: signature of the scores.
        find: makes the sentences that come before the table, `arraycoref.analysis.findings.Findings`; None for none.
    """

    systems: tuple[str, ...]
    types: tuple[str, ...]
    metric: str
    errors: tuple[tuple[Interval, ...], ...]
    shares: tuple[Mapping[str, Interval], ...]
    gain_if_fixed: Floats
    loss_if_left: Floats
    f1: Floats
    lost: Ints
    absent_heads: Ints
    n_documents: int
    how: How
    notes: tuple[str, ...]
    signature: Signature
    find: Callable[[], Report] | None = None
    key_columns: ClassVar[tuple[str, ...]] = ("system", "type")

    @cached_property
    def findings(self) -> Report | None:
        """The findings, where they are asked for: CSV does not have them."""
        return None if self.find is None else self.find()

    def opening(self, digits: int) -> Sequence[str]:
        """Return the findings."""
        return () if self.findings is None else self.findings.opening(digits)

    def share(self, s: int, t: int) -> Interval | None:
        """Return the share of the player of a type in a response; None for all types of a player but the first."""
        player = player_of(self.types[t])
        return self.shares[s][player] if player not in map(player_of, self.types[:t]) else None

    @property
    def lost_links(self) -> Ints:
        """Links that MUC counts as lost, int64 (S, 2): denominator minus numerator of recall, and of precision."""
        links: Ints = self.lost.sum(axis=2)
        return links

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each type, with columns for each response."""
        heads = ("errors", "interval", "links", SHARE, GAIN, LOSS)
        rows = [[name] for name in self.types]
        for s, intervals in enumerate(self.errors):
            lost = self.lost[s].sum(axis=0).tolist()
            for t, row in enumerate(rows):
                i, share = intervals[t], self.share(s, t)
                ends = "" if np.isnan(i.low) else f"{i.low:.0f} to {i.high:.0f}"
                row += [f"{i.estimate:.0f}", in_latex(ends, f"[{i.low:.0f}, {i.high:.0f}]")]
                row.append(f"{lost[t]}" if "singleton" not in self.types[t] else "")
                row.append("" if share is None else format_score(share.estimate, self.metric, digits))
                costs = (self.gain_if_fixed[s, t], "+"), (self.loss_if_left[s, t], "")
                row.extend(format_score(value, self.metric, digits, sign=sign) for value, sign in costs)
        headers = ["", *heads * len(self.systems)]
        if len(self.systems) == 1:
            return [TextTable(headers, rows)]
        groups = (("", 1), *((system, len(heads)) for system in self.systems))
        return [TextTable(headers, rows, groups=groups)]

    def caption(self, digits: int) -> list[str]:
        """Say what the columns mean, and that the types are an account of MUC's lost links."""
        title, unit = metric_title(self.metric), "percent" if find_metric(self.metric).unit == "ratio" else "counts"
        how, seed = self.how.intervals()
        documents = f"{plural(self.n_documents, 'document')}, {how}{seed}"
        scores = [format_score(value, self.metric, digits, profile=self.signature.profile) for value in self.f1]
        if len(self.systems) > 1:
            scores = [f"{system} {score}" for system, score in zip(self.systems, scores, strict=True)]
        added = [f1 + sum(i.estimate for i in own.values()) for f1, own in zip(self.f1, self.shares, strict=True)]
        lost = "the points lost" if min(added) > 1.0 - 5e-4 else "the points lost except 0/0"
        lines = [f"{title} F{self.signature.beta:g}: {', '.join(scores)}; the shares add up to {lost}; {unit}"]
        for s, system in enumerate(self.systems):
            of = f"{system}: " if len(self.systems) > 1 else ""
            sums = []
            for side, field, types in zip(self.lost[s], ("recall", "precision"), (OF_KEY, OF_RESPONSE), strict=True):
                named = [TYPES[t] for t in (*types[:3], Type.SPAN) if TYPES[t] in self.types]
                parts = ", ".join(f"{n} {name}" for name in named if (n := side[self.types.index(name)]))
                sums.append(plural(int(side.sum()), f"{field} link") + f" ({parts})" * bool(parts))
            lines.append(f"{of}MUC loses {' and '.join(sums)}")
            if self.absent_heads[s].any():
                missing, extra = self.absent_heads[s].tolist()
                heads = f"{missing} missing and {extra} extra mentions that represent their entities"
                lines.append(f"{of}not counted: {heads}")
        return [*lines, documents, *self.notes, str(self.signature)]

    def facts(self) -> dict[str, Any]:
        """Return how intervals were made, and for each response its F and what MUC loses."""
        systems = {}
        for s, system in enumerate(self.systems):
            lost = dict(zip(("recall", "precision"), self.lost_links[s].tolist(), strict=True))
            heads = dict(zip(("missing", "extra"), self.absent_heads[s].tolist(), strict=True))
            systems[system] = {"f1": float(self.f1[s]), "muc_lost_links": lost, "absent_heads": heads}
        made = self.how.facts("method", "confidence", "resamples", "seed")
        findings = {} if self.findings is None else {"findings": self.findings.to_dict()["rows"]}
        return {"metric": self.metric, **made, **findings, "systems": systems}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each response and type."""
        for s, system in enumerate(self.systems):
            for t, (name, i) in enumerate(zip(self.types, self.errors[s], strict=True)):
                links = dict(zip(("recall_links", "precision_links"), self.lost[s, :, t].tolist(), strict=True))
                numbers = {"errors": i.estimate, "low": i.low, "high": i.high, **links}
                share = self.share(s, t)
                ends = (None,) * 3 if share is None else (share.estimate, share.low, share.high)
                costs = dict(zip(("share", "share_low", "share_high"), ends, strict=True))
                costs |= {name: float(getattr(self, name)[s, t]) for name in ("gain_if_fixed", "loss_if_left")}
                yield {"system": system, "type": name, **numbers, **costs}


def player_of(type_: str) -> str:
    """Return the player of a type."""
    return next(player for player, types in PLAYERS.items() if TYPES.index(type_) in types)


def error_table(costs: Sequence[Costs], runs: Runs, options: IntervalOptions) -> ErrorTable:
    """Make the table; see `Analysis.error_table`.

    Args:
        costs: what errors cost, of each of S responses.
        runs: the numbers of their errors.
        options: how intervals are found.
    """
    first = bootstrap(runs.batch(0), **options)
    options = {**options, "seed": first.how.seed}
    intervals = [first, *(bootstrap(runs.batch(s), **options) for s in range(1, len(runs)))]
    shares = tuple(cost.intervals(options.get("resample_by"), first.how.confidence) for cost in costs)
    of_type = {t: player_of(TYPES[t]) for t in costs[0].types}
    types = sorted(costs[0].types, key=lambda t: -shares[0][of_type[t]].estimate)
    pairs, places = [cost.pair for cost in costs], [costs[0].types.index(t) for t in types]
    f1 = np.stack([cost.f1(cost.counts.rows.sum(axis=1)) for cost in costs])
    gain_if_fixed, loss_if_left = np.moveaxis(f1[:, -2 * len(types) :].reshape(len(costs), 2, -1)[..., places], 1, 0)
    muc = count_documents(pairs[0].index.clusterings, MUC).rows.reshape(len(runs), -1, 4).sum(axis=1)
    lost = np.stack([np.stack(lost_links(pair)) for pair in pairs])
    lost[:, :, Type.SPAN] = (muc[:, 1::2] - muc[:, ::2]).astype(np.int64) - lost.sum(axis=2)
    heads = [[np.count_nonzero(side.absent[1] == 0) for side in pair.sides] for pair in pairs]
    return ErrorTable(
        systems=pairs[0].index.systems,
        types=tuple(TYPES[t] for t in types),
        metric=costs[0].metric,
        errors=tuple(tuple(of_system[TYPES[t]].f1 for t in types) for of_system in intervals),
        shares=shares,
        gain_if_fixed=gain_if_fixed - f1[:, :1],
        loss_if_left=1.0 - loss_if_left,
        f1=f1[:, 0],
        lost=lost[:, :, types],
        absent_heads=np.array(heads),
        n_documents=runs.n_documents,
        notes=joint_notes(runs.names, [of_system.notes for of_system in intervals]),
        signature=first.signature,
        how=first.how,
    )
