"""Count the errors of each type, and find what each costs, from a response in which some types are corrected.

The numbers are sums per document, which add up, bootstrap and compare as others do.

| type | what the response does |
|---|---|
| conflated | holds mentions of another entity: a cell without the head of the response's entity |
| extra-mention | adds a mention that the key lacks |
| extra-entity | makes up an entity: of two or more mentions that the key lacks, and at most pronouns that it has |
| divided | tears an entity apart: a cell without the head of the key's entity |
| missing-mention | leaves out a mention of the key |
| missing-entity | leaves out an entity: two or more mentions of it, and all that are no pronouns |
| span | has a mention with other boundaries, which then counts as the key's |
| extra-singleton | adds a mention that the key lacks, as an entity by itself |
| missing-singleton | leaves out an entity of one mention |

An entity's head mention is its first that is no pronoun, or else its first. The piece that holds it, a cell or an
absent mention, is where the entity is, and no error; other pieces are errors. Without the last three, of which MUC
knows nothing, the types are an exact account of MUC's lost links, see `lost_links`.

Source: Kummerfeld and Klein (2013), as their program counts. Singletons are counted apart here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arraycoref.analysis.index import KEY
from arraycoref.analysis.pair import (
    CONFLATED,
    DIVIDED,
    MISSING_ENTITY,
    MISSING_SINGLETON,
    OF_KEY,
    OF_RESPONSE,
    SPAN,
    TYPES,
    Pair,
)
from arraycoref.ragged import Floats, Ints
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable, in_latex, number_of
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings, Contributions
from arraycoref.scoring.counts import Counts, score_counts
from arraycoref.scoring.format import format_score, metric_title
from arraycoref.scoring.metrics.registry import REGISTRIES, Metric, counted_metrics, find_metric
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats.draws import IntervalOptions
from arraycoref.stats.how import How
from arraycoref.stats.intervals import Interval, bootstrap
from arraycoref.stats.runs import Runs

SOURCE = "Kummerfeld and Klein (2013), section 3"

REGISTRIES.append(
    {
        name: Metric(
            name,
            name.replace("-", " ").capitalize(),
            SOURCE,
            scored_by="merge_distance.score",
            fields=("f1",),
            unit="count",
            better="lower",
            key_only_denominator=False,
        )
        for name in TYPES
    }
)
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
    absent mentions, without the head if that is among them. Where spans were corrected first, ``span`` is what that
    gained.
    """
    errors, result = pair.pieces, np.zeros((2, len(TYPES)), np.int64)
    n_errors = np.bincount(errors.type, minlength=len(TYPES))
    n_mentions = np.bincount(errors.type, np.diff(errors.bounds), len(TYPES))
    for one, types in enumerate((OF_KEY, OF_RESPONSE)):
        heads = np.count_nonzero(pair.sides[one].is_whole & ~pair.sides[one].head_is_shared)
        result[one, types[:3]] = n_errors[types[0]], n_errors[types[1]], n_mentions[types[2]] - heads
    return result[0], result[1]


def corrected(pair: Pair, types: Collection[int]) -> Ints:
    """Return the labels of the response without the errors of some types: int64 (M,), -1 for absent mentions.

    - ``conflated``: each cell of a response entity that does not hold its head becomes an entity of its own. A head
      that the key lacks leaves, as no other type has it, unless the entity is extra as a whole.
    - ``extra-...``: the mentions leave.
    - ``divided``: each cell of a key entity moves to the cell that holds its head. A head that is missing enters before
      that, unless the entity is missing as a whole; then cells move to the first of them.
    - ``missing-mention``: the mention joins the cell of the head; or the first cell, where the head is still missing.
    - ``missing-entity``: its missing mentions enter together, where the head is if that is a shared pronoun.
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
    if CONFLATED in types:
        apart = pair.cells_apart(1)
        label_of_cell[apart] = new_of_cell + apart
    extra, place = pair.sides[1].absent
    for n, type_ in enumerate(OF_RESPONSE):
        if type_ in types:
            labels[extra[place == n]] = -1
    # where the mentions of each key entity belong
    first_cell = np.full(n_key, n_cells)
    first_cell[key[pair.shared][::-1]] = pair.cell[::-1]  # of repeated indices, NumPy keeps the last
    is_whole, has_head = pair.sides[0].is_whole, pair.sides[0].head_is_shared
    enters = ~has_head & (is_whole if MISSING_ENTITY in types else False)
    enters |= ~has_head & ~is_whole & (DIVIDED in types)
    home = np.append(label_of_cell, -1)[np.where(has_head, pair.head_cells[0], first_cell)]
    home[enters] = new_of_key + np.flatnonzero(enters)
    if DIVIDED in types:
        label_of_cell = home[of_key]
    labels[pair.shared] = label_of_cell[pair.cell]
    missing, place = pair.sides[0].absent
    for n, type_ in enumerate(OF_KEY):
        if type_ in types:
            owner = key[missing[place == n]]
            labels[missing[place == n]] = new_of_key + owner if type_ == MISSING_SINGLETON else home[owner]
    if SPAN not in types and pair.spans.size:
        labels[pair.spans[1]] = labels[pair.spans[0]]
        labels[pair.spans[0]] = -1
    return labels


MUC = counted_metrics(("muc",))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ErrorTable(Report):
    """The errors of S responses by type, and what each type costs in a metric.

    Attributes:
        systems: (S,) names of the responses.
        types: (T,) the types that were looked for; ``span`` only where spans are known.
        metric: name of the metric in which costs are given.
        errors: for each response the number of errors of each type, with its interval.
        alone: float64 (S, T) how much the F of the metric gains if only this type is corrected, a fraction.
        all_but: float64 (S, T) 1 minus the F where all types but this one are corrected: what it costs at the end.
        f1: float64 (S,) the F of the metric.
        lost: int64 (S, 2, T) MUC's lost links by type, of recall and of precision.
        absent_heads: int64 (S, 2) heads of entities that the response lacks, and that only it has, which are no error
            of a type: an entity's head is where it is.
        n_documents: number of documents.
        how: how documents were resampled.
        notes: what a reader should know before trusting the numbers, and what happened in the responses.
        signature: signature of the scores.
    """

    systems: tuple[str, ...]
    types: tuple[str, ...]
    metric: str
    errors: tuple[tuple[Interval, ...], ...]
    alone: Floats
    all_but: Floats
    f1: Floats
    lost: Ints
    absent_heads: Ints
    n_documents: int
    how: How
    notes: tuple[str, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("system", "type")

    @property
    def lost_links(self) -> Ints:
        """Links that MUC counts as lost, int64 (S, 2): denominator minus numerator of recall, and of precision."""
        links: Ints = self.lost.sum(axis=2)
        return links

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each type, with columns for each response."""
        heads = ("errors", "interval", "links", "alone", "all but")
        rows = [[name] for name in self.types]
        for s, intervals in enumerate(self.errors):
            lost = self.lost[s].sum(axis=0).tolist()
            for t, row in enumerate(rows):
                costs = (self.alone[s, t], "+"), (self.all_but[s, t], "")
                i = intervals[t]
                ends = "" if np.isnan(i.low) else f"{i.low:.0f} to {i.high:.0f}"
                row += [f"{i.estimate:.0f}", in_latex(ends, f"[{i.low:.0f}, {i.high:.0f}]")]
                row.append(f"{lost[t]}" if "singleton" not in self.types[t] else "")
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
        documents = f"{number_of(self.n_documents, 'document')}, {how}{seed}"
        scores = [format_score(value, self.metric, digits, profile=self.signature.profile) for value in self.f1]
        if len(self.systems) > 1:
            scores = [f"{system} {score}" for system, score in zip(self.systems, scores, strict=True)]
        costs = f"alone: gain if only this type is corrected; all but: what is lacking if all others are; {unit}"
        lines = [f"{title} F{self.signature.beta:g}: {', '.join(scores)}; {costs}"]
        for s, system in enumerate(self.systems):
            of = f"{system}: " if len(self.systems) > 1 else ""
            sums = []
            for side, field, types in zip(self.lost[s], ("recall", "precision"), (OF_KEY, OF_RESPONSE), strict=True):
                named = [TYPES[t] for t in (*types[:3], SPAN) if TYPES[t] in self.types]
                parts = " + ".join(f"{side[self.types.index(name)]} {name}" for name in named)
                sums.append(f"{field} {side.sum()} = {parts}")
            lines.append(f"{of}links that MUC loses: {'; '.join(sums)}")
            if self.absent_heads[s].any():
                missing, extra = self.absent_heads[s].tolist()
                heads = f"heads of entities that are missing ({missing}) or extra ({extra})"
                lines.append(f"{of}{heads} are of no type: an entity is where its head is")
        return [*lines, documents, *self.notes, str(self.signature)]

    def facts(self) -> dict[str, Any]:
        """Return how intervals were made, and for each response its F and what MUC loses."""
        systems = {}
        for s, system in enumerate(self.systems):
            lost = dict(zip(("recall", "precision"), self.lost_links[s].tolist(), strict=True))
            heads = dict(zip(("missing", "extra"), self.absent_heads[s].tolist(), strict=True))
            systems[system] = {"f1": float(self.f1[s]), "muc_lost_links": lost, "absent_heads": heads}
        made = self.how.facts("method", "confidence", "resamples", "seed")
        return {"metric": self.metric, **made, "systems": systems}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each response and type."""
        for s, system in enumerate(self.systems):
            for t, (name, i) in enumerate(zip(self.types, self.errors[s], strict=True)):
                links = dict(zip(("recall_links", "precision_links"), self.lost[s, :, t].tolist(), strict=True))
                numbers = {"errors": i.estimate, "low": i.low, "high": i.high, **links}
                costs = {"alone": float(self.alone[s, t]), "all_but": float(self.all_but[s, t])}
                yield {"system": system, "type": name, **numbers, **costs}


def error_table(
    pairs: Sequence[Pair], runs: Runs, types: Sequence[int], metric: str, options: IntervalOptions
) -> ErrorTable:
    """Make the table; see `Analysis.error_table`.

    Args:
        pairs: the key with each of S responses.
        runs: the numbers of their errors.
        types: the types to show.
        metric: the metric of costs.
        options: how intervals are found.
    """
    first = bootstrap(runs.batch(0), **options)
    options = {**options, "seed": first.how.seed}
    intervals = [first, *(bootstrap(runs.batch(s), **options) for s in range(1, len(runs)))]
    costs = [_costs(pair, types, metric, runs.signature) for pair in pairs]
    f1, alone, all_but = (np.stack(parts) for parts in zip(*costs, strict=True))
    muc = count_documents(pairs[0].index.clusterings, MUC).rows.reshape(len(runs), -1, 4).sum(axis=1)
    lost = np.stack([np.stack(lost_links(pair)) for pair in pairs])
    lost[:, :, SPAN] = (muc[:, 1::2] - muc[:, ::2]).astype(np.int64) - lost.sum(axis=2)
    heads = [[np.count_nonzero(side.absent[1] == 0) for side in pair.sides] for pair in pairs]
    return ErrorTable(
        systems=pairs[0].index.systems,
        types=tuple(TYPES[t] for t in types),
        metric=metric,
        errors=tuple(tuple(of_system[TYPES[t]].f1 for t in types) for of_system in intervals),
        alone=alone,
        all_but=all_but,
        f1=f1,
        lost=lost[:, :, types],
        absent_heads=np.array(heads),
        n_documents=runs.n_documents,
        notes=joint_notes(runs.names, [of_system.notes for of_system in intervals]),
        signature=first.signature,
        how=first.how,
    )


def _costs(pair: Pair, types: Sequence[int], metric: str, signature: Signature) -> tuple[float, Floats, Floats]:
    """Return F of a metric, the gain by each type alone, and what lacks without each type, float64 (T,)."""
    sets = [[], *([t] for t in types), *([u for u in types if u != t] for t in types)]
    labels = np.concatenate([corrected(pair, chosen) for chosen in sets])
    clusterings = Clusterings(pair.key, labels, pair.index.offsets, n_responses=len(sets))
    metrics = counted_metrics((metric,))
    rows = count_documents(clusterings, metrics).rows
    sums = rows.reshape(len(sets), -1, *rows.shape[1:]).sum(axis=1)
    counts = Counts(None, tuple(each.name for each in metrics), sums)
    f1 = np.array([score_counts(counts.setting(s), metric, signature).f1 for s in range(len(sets))])
    return float(f1[0]), f1[1 : 1 + len(types)] - f1[0], 1.0 - f1[1 + len(types) :]
