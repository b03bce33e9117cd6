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
from arraycoref.scoring.cells import cells_of, sum_segments
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics import ari
from arraycoref.scoring.metrics.registry import REGISTRIES, Metric
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature
from arraycoref.stats.how import How
from arraycoref.stats.intervals import Interval, bootstrap
from arraycoref.stats.notes import FEW_DOCUMENTS

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


def _measure(name: str, title: str, scored_by: str, parts: tuple[str, ...] = ()) -> Metric:
    more: Any = {"scored_by": scored_by, "parts": parts, "fields": ("f1",), "key_only_denominator": False}
    return Metric(name, title, "Artstein and Poesio (2008), section on anaphora", **more)


MEASURES = {name: _measure(name, title, "alpha.score") for name, (title, _) in DISTANCES.items()}
"""The measures as entries of a registry: each alpha, and from their first use kappa of two annotators and its mean."""

REGISTRIES.append(MEASURES)

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
        scores: each alpha and kappa of the D documents as scores, for `arraycoref.bootstrap`, `arraycoref.compare` and
            groups: of an alpha the sums of D_o and of D_e over the units, of each two annotators those of the adjusted
            Rand index.
        n_units: number of units.
        units: ``union``, the mentions that an annotator marked, where who lacks one gets an entity of one; or
            ``common``, the mentions that all annotators marked.
        how: how documents are resampled.
        threads: number of threads that share the work.
    """

    scores: BatchScores
    n_units: int
    units: str
    how: How
    threads: int
    key_columns: ClassVar[tuple[str, ...]] = ("measure",)

    def __getitem__(self, measure: str) -> Interval:
        check_name("measure", measure, self.intervals)
        return self.intervals[measure]

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Each alpha and kappa with its interval, fractions up to 1; all nan without a unit, ends with one document."""
        names = *DISTANCES, KAPPA
        if not self.n_units:
            return {name: Interval(*4 * [np.nan]) for name in names}
        asked = self.how.facts("method", "confidence", "resamples", "seed")
        found = bootstrap(self.scores, threads=self.threads, **asked)
        return {name: score.f1 for name, score in zip(names, found.values(), strict=True)}

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
        if len(self.scores) > 1:
            made = f"{self.how.method} bootstrap over documents, {self.how.drawn}"
            few = f"; from only {len(self.scores)} documents, they are too narrow" * (len(self.scores) < FEW_DOCUMENTS)
            lines.append(f"{self.how.level} intervals ({made}){few}")
        return lines

    def facts(self) -> dict[str, Any]:
        """Return what the units are, and their number."""
        return {"units": self.units, "mentions": self.n_units}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each measure: its name, the units, estimate, low, high, standard error."""
        yield from ({"measure": name, "units": self.units, **vars(i)} for name, i in self.intervals.items())


def chain_scores(labels: Ints, offsets: Ints, names: tuple[str, ...], signature: Signature) -> BatchScores:
    """Score the agreement of R annotators by document: each alpha, and kappa.

    Args:
        labels: int64 (R, M) the entity of each unit by each annotator, numbers from 0 in each document.
        offsets: int64 (D+1,) document bounds of the units.
        names: (D,) names of the documents.
        signature: signature of the scores.
    """
    n_annotators, n = labels.shape[0], np.diff(offsets).astype(np.float64)
    pairs, mean = list(combinations(labels, 2)), f"kappa_of_{n_annotators}"
    kappas = tuple(f"kappa_{a}_{b}" for a, b in combinations(range(1, n_annotators + 1), 2))
    MEASURES.update({name: _measure(name, "kappa of links (ARI)", "ari.score") for name in kappas})
    MEASURES[mean] = _measure(mean, "kappa of links (ARI)", "alpha.mean_kappa", kappas)
    rows = np.zeros((n.size, len(DISTANCES) + len(pairs), 4))
    apart = np.zeros((len(DISTANCES), n.size))  # sum of the distances of all ordered pairs of values
    for p, (key, response) in enumerate(pairs):
        cells = cells_of(Clusterings(key, response, offsets))
        shared, (one, other) = cells.shared.astype(np.float64), cells.sizes
        of_one = sum_by(cells.key_size**2, cells.key_offsets) + sum_by(cells.response_size**2, cells.response_offsets)
        apart += (2.0 * n * n - of_one) / (n_annotators - 1)  # each annotator's own values, in R - 1 pairs
        for k, (_, distance) in enumerate(DISTANCES.values()):
            delta = distance(shared, one, other)
            rows[:, k, 0] += sum_segments(shared * delta, cells.offsets) / len(pairs)
            apart[k] += 2.0 * (n * n - sum_segments(one * other * (1.0 - delta), cells.offsets))
        rows[:, len(DISTANCES) + p] = np.transpose(ari.sums(cells.totals))
    n_values = n_annotators * n
    rows[:, : len(DISTANCES), 1] = (n * apart / np.maximum(n_values * (n_values - 1.0), 1.0)).T
    return BatchScores((*DISTANCES, mean), Counts.read_only(names, (*DISTANCES, *kappas), rows), signature)


def unit_labels(
    clusterings: Mapping[tuple[int, int], tuple[Clusterings, Sequence[str]]], n_annotators: int, units: str, skip: bool
) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Bring the mentions of R annotators on one index: int64 (R, M) entities, int64 (D+1,) document bounds, and names.

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
    return np.where(labels < 0, alone, labels), bounds(np.bincount(of_unit, minlength=len(number))), tuple(number)
