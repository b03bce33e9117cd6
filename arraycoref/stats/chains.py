"""Agreement of annotators beyond chance: Krippendorff's alpha of chains, and kappa of coreference links.

A unit is a mention. Its value is its chain, the set of the units in its entity, itself included; alpha compares values
by a distance. It is 1 - D_o / D_e: the mean distance of the values that two annotators give to one unit, and the mean
distance of any two values, by whichever annotator and of whichever unit. As all units of an entity have one value, both
are sums over the cells of the annotators' contingency matrix.

With several documents, only values of one document are paired. Each document counts with its N units in both means:
D_e is the sum of N D_e over the documents, divided by all units, as D_o is. So D_e is what D_o would be if the values
of each document were dealt out to its units at random, however long documents are. In one pool, two values from
different documents would always be at distance 1, and alpha would grow with the number of documents.

The two values of one unit always share that unit, which other values need not. So entities that are drawn at random
have an alpha above 0 by most distances: 0.27 by Passonneau's, 0.05 by Jaccard's for some 8 mentions per entity.

Kappa is that of Cohen, over the decisions whether two units of one document are in one entity, in one pool of all
documents; it is the adjusted Rand index, `arraycoref.scoring.metrics.ari` (Warrens 2008).

Source: Krippendorff (1980), Content Analysis; Passonneau (2004); Artstein and Poesio (2008), section on anaphora.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import Any, ClassVar

import numpy as np

from arraycoref.errors import check_name
from arraycoref.ragged import Floats, Ints, bounds, owners, sum_by
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.cells import sum_segments
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import cells_of
from arraycoref.scoring.metrics import ari
from arraycoref.scoring.metrics.score import ratio
from arraycoref.stats.intervals import ends_of
from arraycoref.stats.notes import FEW_DOCUMENTS
from arraycoref.stats.resampling import Draws, multiplicities
from arraycoref.stats.results import Interval

Distance = Callable[[Floats, Floats, Floats], Floats]
"""A function of the mentions that two chains share and of the sizes of both, which returns their distance, 0 to 1."""


def nominal(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return 0 for equal chains, 1 for others."""
    return (2.0 * shared < one + other).astype(np.float64)


def passonneau(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return 0 for equal chains, 1/3 where one contains the other, 2/3 where they overlap; Passonneau (2004)."""
    return (nominal(shared, one, other) + (shared < np.minimum(one, other))) / 3.0


def jaccard(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return the share of the mentions of both chains that is not in both."""
    return 1.0 - shared / (one + other - shared)


def masi(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return 1 - J M, for J the Jaccard index and M = 1, 2/3 or 1/3 as chains are equal, nested or overlap.

    Source: Passonneau (2006), "measuring agreement on set-valued items"; NLTK's ``masi_distance`` is the same.
    """
    return 1.0 - (1.0 - jaccard(shared, one, other)) * (1.0 - passonneau(shared, one, other))


def dkpro_masi(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return (1 - J) times Passonneau's distance of 2004: what DKPro Agreement, INCEpTION's library, calls MASI."""
    return jaccard(shared, one, other) * passonneau(shared, one, other)


DISTANCES: Mapping[str, tuple[str, Distance]] = {
    "alpha_nominal": ("alpha, nominal", nominal),
    "alpha_passonneau": ("alpha, Passonneau (2004)", passonneau),
    "alpha_jaccard": ("alpha, Jaccard", jaccard),
    "alpha_masi": ("alpha, MASI (Passonneau 2006)", masi),
    "alpha_dkpro_masi": ("alpha, MASI of DKPro", dkpro_masi),
}
"""The distances of chains: the title of each alpha, and the function."""

KAPPA = "kappa"
UNITS = {"none": "union", "shared": "common"}
"""Which mentions are units, by the policy ``restrict``."""


@dataclass(frozen=True, eq=False, repr=False)
class ChainAgreement(Report):
    """Krippendorff's alpha of chains by several distances, and kappa of links, of R annotators on D documents.

        >>> import arraycoref as ac
        >>> annotators = {"Ada": [["a", "b"], ["c", "d"]], "Bob": [["a", "b"], ["c"], ["d"]]}
        >>> chains = ac.agreement(annotators).chains
        >>> round(chains["alpha_passonneau"].estimate, 4), round(chains["kappa"].estimate, 4)
        (0.7455, 0.5714)

    Attributes:
        sums: float64 (D, w) of each document and distance, the sums of D_o and of D_e over its units; of each pair of
            annotators, the four sums of the adjusted Rand index.
        n_units: number of units.
        units: ``union``, the mentions that an annotator marked, where who lacks one gets an entity of one; or
            ``common``, the mentions that all annotators marked.
        draws: how documents are resampled.
        method: kind of the intervals, ``percentile`` or ``bca``.
        confidence: their level.
    """

    sums: Floats
    n_units: int
    units: str
    draws: Draws
    method: str
    confidence: float
    key_columns: ClassVar[tuple[str, ...]] = ("measure",)

    @classmethod
    def of(
        cls, labels: Ints, offsets: Ints, units: str, draws: Draws, method: str, confidence: float
    ) -> ChainAgreement:
        """Add up the cells of each pair of annotators.

        Args:
            labels: int64 (R, M) the entity of each unit by each annotator, numbers from 0 in each document.
            offsets: int64 (D+1,) document bounds of the units.
            units: this and the others are attributes.
            draws: see there.
            method: see there.
            confidence: see there.
        """
        n_annotators, n = labels.shape[0], np.diff(offsets).astype(np.float64)
        pairs = list(combinations(labels, 2))
        observed, kappas = np.zeros((len(DISTANCES), n.size)), []
        apart = np.zeros_like(observed)  # sum of the distances of all ordered pairs of values
        for key, response in pairs:
            cells = cells_of(Clusterings(key, response, offsets))
            shared, (one, other) = cells.shared.astype(np.float64), cells.sizes
            of_one = sum_by(cells.key_size**2, cells.key_offsets) + sum_by(
                cells.response_size**2, cells.response_offsets
            )
            apart += (2.0 * n * n - of_one) / (n_annotators - 1)  # each annotator's own values, in R - 1 pairs
            for k, (_, distance) in enumerate(DISTANCES.values()):
                delta = distance(shared, one, other)
                observed[k] += sum_segments(shared * delta, cells.offsets) / len(pairs)
                apart[k] += 2.0 * (n * n - sum_segments(one * other * (1.0 - delta), cells.offsets))
            kappas.append(np.array(ari.sums(cells.totals), np.float64))
        n_values = n_annotators * n
        expected = n * apart / np.maximum(n_values * (n_values - 1.0), 1.0)
        rows = np.ascontiguousarray(np.concatenate([observed, expected, *kappas]).T)
        return cls(rows, labels.shape[1], units, draws, method, confidence)

    def __getitem__(self, measure: str) -> Interval:
        check_name("measure", measure, self.intervals)
        return self.intervals[measure]

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Each alpha and kappa with its interval, fractions up to 1; all nan without a unit, ends with one document."""
        names, totals, n_documents = (*DISTANCES, KAPPA), self.sums.sum(axis=0), len(self.sums)
        values = _measures(totals) if self.n_units else np.full(len(names), np.nan)
        if n_documents < 2 or not self.n_units:
            return {name: Interval(value, *3 * [np.nan]) for name, value in zip(names, values.tolist(), strict=True)}
        weights = multiplicities(self.draws.seed, n_documents)
        drawn = np.hstack([*self.draws.over_blocks(lambda w: _measures(self.sums.T @ w.T), weights, n_documents)])
        without = _measures((totals - self.sums).T) if self.method == "bca" else None
        found = {}
        for k, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
            ends = ends_of(drawn[k], value, None if without is None else without[k], self.confidence)
            found[name] = Interval(value, *ends, float(drawn[k].std(ddof=1)) if self.draws.resamples > 1 else np.nan)
        return found

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out each measure, with its interval if there are several documents."""
        headers = [f"chains ({self.units}, {number_of(self.n_units, 'mention')})", "value", "interval"]
        titles = [title for title, _ in DISTANCES.values()] + ["kappa of links (ARI)"]
        rows = [
            [title, *("" if np.isnan(value) else f"{value:.{digits + 2}f}" for value in (i.estimate, i.low, i.high))]
            for title, i in zip(titles, self.intervals.values(), strict=True)
        ]
        rows = [[title, value, low and f"{low} to {high}"] for title, value, low, high in rows]
        shown = 3 if any(row[2] for row in rows) else 2
        return [TextTable(headers[:shown], [row[:shown] for row in rows])]

    def caption(self, digits: int) -> list[str]:
        """Say what the units are, and how intervals were made."""
        of_whom = "all annotators marked"
        if self.units == "union":
            of_whom = "any annotator marked; one that an annotator lacks is an entity of its own there"
        lines = [f"alpha and kappa: fractions, over the mentions that {of_whom}"]
        if len(self.sums) > 1:
            made = f"{self.method} bootstrap over documents, {self.draws.resamples} resamples, seed {self.draws.seed}"
            few = f"; from only {len(self.sums)} documents, they are too narrow" * (len(self.sums) < FEW_DOCUMENTS)
            lines.append(f"{100 * self.confidence:g}% intervals ({made}){few}")
        return lines

    def facts(self) -> dict[str, Any]:
        """Return what the units are, and their number."""
        return {"units": self.units, "mentions": self.n_units}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each measure: its name, the units, estimate, low, high, standard error."""
        yield from ({"measure": name, "units": self.units, **vars(i)} for name, i in self.intervals.items())


def _measures(sums: Floats) -> Floats:
    """Return each alpha and kappa from sums over documents, float64 (w, ...) -> (m, ...); 1 where D_e is 0."""
    n = len(DISTANCES)
    observed, expected = sums[:n], sums[n : 2 * n]
    alphas = 1.0 - ratio(observed, expected)
    kappas = [ari.score(four).f1 for four in sums[2 * n :].reshape(-1, 4, *sums.shape[1:])]
    return np.concatenate([alphas, np.mean(kappas, axis=0)[np.newaxis]])


def unit_labels(
    clusterings: Mapping[tuple[int, int], tuple[Clusterings, Sequence[str]]], n_annotators: int, units: str, skip: bool
) -> tuple[Ints, Ints]:
    """Bring the mentions of R annotators on one index: int64 (R, M) entities, int64 (D+1,) document bounds.

    A mention is matched with those of each other annotator from the first annotator who has it.

    Args:
        clusterings: of each two annotators, in both orders, by their numbers: their labels, and the names of the
            documents, which are those of the first. A side's own mentions come in one order, whatever the other side.
        n_annotators: R.
        units: ``union`` or ``common``, see `ChainAgreement`.
        skip: whether documents are left out that an annotator lacks.
    """
    number = {name: d for d, name in enumerate(dict.fromkeys(chain.from_iterable(n for _, n in clusterings.values())))}
    in_all = np.ones(len(number), np.bool_)
    places = {pair: np.array([number[name] for name in names], np.int64) for pair, (_, names) in clusterings.items()}
    for place in places.values() if skip else ():
        in_all &= np.isin(np.arange(in_all.size), place)
    parts, documents = [], []
    for a in range(n_annotators):
        rows: dict[int, Ints] = {}
        for b in (b for b in range(n_annotators) if b != a):
            pair, _ = clusterings[a, b]
            document = places[a, b][owners(pair.offsets)]
            own = (pair.key >= 0) & in_all[document]
            rows |= {a: pair.key[own], b: pair.response[own]}
        entity = np.array([rows[b] for b in range(n_annotators)])
        is_new = (entity[:a] < 0).all(axis=0) if units == "union" else (entity >= 0).all(axis=0) & (a == 0)
        parts.append(entity[:, is_new])
        documents.append(document[own][is_new])
    of_unit = np.concatenate(documents)
    labels = np.concatenate(parts, axis=1)[:, np.argsort(of_unit, kind="stable")]
    alone = labels.max(initial=-1) + 1 + np.arange(of_unit.size)
    return np.where(labels < 0, alone, labels), bounds(np.bincount(of_unit, minlength=len(number)))
