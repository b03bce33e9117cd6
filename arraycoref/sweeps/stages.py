"""Count the true pairs of records that a linker loses in each stage: blocking, threshold, closing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural
from arraycoref.options import PairOptions, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.ragged import number_rows, pairs_within
from arraycoref.scoring.antecedents import components
from arraycoref.scoring.format import format_score
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.metrics.score import ratio
from arraycoref.sweeps.records import Records, records_at

STAGES = ("compared", "linked", "closed")
"""Pairs that blocking left; those whose scores reach the threshold; and those that links connect, directly or not."""


@dataclass(frozen=True, eq=False, repr=False)
class Stages(Report):
    """The pairs of records that each stage of a linker leaves, and how many of them are true.

    Attributes:
        threshold: pairs whose scores reach it are links.
        n_true: number of true pairs, whose two records are of one entity.
        true: (3,) number of true pairs after each of `STAGES`.
        pairs: (3,) number of all pairs after each; recall is ``true / n_true``, and precision is ``true / pairs``.
        n_uncompared: number of true pairs that closing links and blocking left out.
    """

    threshold: float
    n_true: int
    true: tuple[int, ...]
    pairs: tuple[int, ...]
    n_uncompared: int
    key_columns: ClassVar[tuple[str, ...]] = ("stage",)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each stage; recall and precision are fractions 0-1."""
        for stage, true, pairs in zip(STAGES, self.true, self.pairs, strict=True):
            recall, precision = (ratio(float(true), float(n)) for n in (self.n_true, pairs))
            yield {"stage": stage, "true_pairs": true, "pairs": pairs, "recall": recall, "precision": precision}

    def opening(self, digits: int) -> list[str]:
        """Say what each stage loses, and which false pairs it leaves."""
        compared, linked, closed = self.true
        n_false = [pairs - true for true, pairs in zip(self.true, self.pairs, strict=True)]
        n_false[2] -= n_false[1]
        false = [plural(n, "false pair") for n in n_false]
        lost, below = f"{self.n_true - compared} of {plural(self.n_true, 'true pair')}", compared - linked
        added = f"{plural(closed - linked, 'true pair')} ({self.n_uncompared} never compared)"
        sentences = (
            f"Blocking leaves out {lost} and lets {false[0]} through",
            f"The threshold {self.threshold} leaves out {plural(below, 'more true pair')} and links {false[1]}",
            f"Closing adds {added} and {false[2]}",
        )
        texts = [[format_score(row[name], "pairwise", digits) for name in RATIOS[:2]] for row in self.rows()]
        ratios = [f"recall {recall}, precision {precision}" for recall, precision in texts]
        return [f"{sentence} ({own})." for sentence, own in zip(sentences, ratios, strict=True)]

    def tables(self, digits: int) -> list[TextTable]:
        """Return no table."""
        return []


def linking_stages(
    truth: Any, pairs: Any, threshold: float, scores: ArrayLike | None = None, **options: Unpack[PairOptions]
) -> Stages:
    """Count the true pairs of records that blocking, a threshold and closing lose or add.

        >>> import pandas
        >>> from arraycoref.sweeps import linking_stages
        >>> rows = {"id_l": ["a", "b", "d"], "id_r": ["b", "c", "e"], "score": [0.9, 0.8, 0.3]}
        >>> stages = linking_stages([["a", "b", "c"], ["d", "e", "f"]], pandas.DataFrame(rows), 0.5)
        >>> print(stages)
        Blocking leaves out 3 of 6 true pairs and lets 0 false pairs through (recall 50.00, precision 100.00).
        The threshold 0.5 leaves out 1 more true pair and links 0 false pairs (recall 33.33, precision 100.00).
        Closing adds 1 true pair (1 never compared) and 0 false pairs (recall 50.00, precision 100.00).

    Args:
        truth: as for `arraycoref.sweep_pairs`.
        pairs: the same.
        threshold: pairs whose scores reach it are links.
        scores: (E,) numbers; None where the pairs have them.
        **options: see `arraycoref.options`. Pairs of a record that the truth lacks are false, as in the metric
            ``pairwise``; with ``restrict="key"`` they do not count.

    Raises:
        InputError: as for `arraycoref.sweep_pairs`.
    """
    policies = resolve_policies(options, PairOptions)
    return stages_of(records_at(truth, pairs, scores, options, policies), threshold, policies)


def stages_of(records: Records, threshold: float, policies: Policies) -> Stages:
    """Count the pairs after each stage; see `linking_stages`."""
    first, second, entity, n = records.first, records.second, records.truth, records.truth.size
    is_link = (records.scores >= threshold) & (records.scores > -np.inf)
    cluster = components(first[is_link], second[is_link], n)
    is_known = entity >= 0
    is_scored = is_known if policies.restrict != "none" else np.ones(n, np.bool_)
    rows = np.flatnonzero((first != second) & is_scored[first] & is_scored[second])
    ends = np.minimum(first[rows], second[rows]) * n + np.maximum(first[rows], second[rows])
    distinct, place = np.unique(ends, return_inverse=True)
    linked = np.zeros(distinct.size, np.bool_)
    linked[place[is_link[rows]]] = True
    one, other = np.divmod(distinct, n)
    is_true = is_known[one] & (entity[one] == entity[other])
    closed = pairs_within(number_rows([entity[is_known], cluster[is_known]])[1])
    n_joined = int(np.count_nonzero(is_true & (cluster[one] == cluster[other])))
    true = int(np.count_nonzero(is_true)), int(np.count_nonzero(is_true & linked)), closed
    every = distinct.size, int(np.count_nonzero(linked)), pairs_within(cluster[is_scored])
    n_true = pairs_within(number_rows([entity[is_known]])[1])
    return Stages(threshold, n_true, true, every, closed - n_joined)
