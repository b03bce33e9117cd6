"""Count the metrics that look at words and empty nodes, not at entities alone: the mention overlap ratio, and zeros."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arraycoref.match.pairs import Mentions
from arraycoref.scoring.cells import Cells, Integers, join, make_cells, ranges
from arraycoref.scoring.metrics.registry import Metric
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.metrics.zeros import Zeros


@dataclass(frozen=True, eq=False)
class Matched:
    """The distinct mentions of both sides, and which of them match.

    Attributes:
        n_documents: D.
        key: mentions of the key.
        response: mentions of the response.
        entities: int64 of each mention of each side, its entity, numbered on through the documents.
        occurring: int64 rows of the mentions of each side, repeated for those that count in several entities.
        partner: int64 (R,) the row in the key of each response mention's partner, -1 for a mention without one.
        engine: see `arraycoref.kernels.engine`.
    """

    n_documents: int
    key: Mentions
    response: Mentions
    entities: tuple[Integers, Integers]
    occurring: tuple[Integers, Integers]
    partner: Integers
    engine: str | None = None

    @property
    def n_equal(self) -> int:
        """Number of response mentions whose partner is equal, not only alike."""
        partner = np.append(self.key.number, -1)[self.partner]
        return int(np.count_nonzero(partner == self.response.number))

    def count(self, metric: Metric) -> Floats:
        """Count the sums of a metric that is counted from words or from zeros: float64 (D, 4)."""
        if metric.counted_from == "words":
            return metric.count(self._words())
        sides = zip((self.key, self.response), self.entities, strict=True)
        ours, theirs = ((side.document, entity, side.is_zero) for side, entity in sides)
        zeros = Zeros(self.n_documents, *ours, *theirs, self.partner)
        found: Floats = metric.count(zeros)  # type: ignore[arg-type]
        return found

    def _words(self) -> Cells:
        """Return cells in which a mention stands for an entity, and its words and empty nodes for mentions."""
        k, r = (side.take(rows) for side, rows in zip((self.key, self.response), self.occurring, strict=True))
        nodes = [side.node[ranges(side.start, side.size)] for side in (k, r)]
        i, j = join(*nodes)
        key, response = (np.arange(side.size.size).repeat(side.size)[at] for side, at in ((k, i), (r, j)))
        width = max(r.size.size, 1)
        pairs = np.sort(key * width + response, kind="stable")  # takes little time for pairs that are almost in order
        bounds_of_pairs = np.flatnonzero(np.diff(pairs, prepend=-1, append=-1))
        shared = np.diff(bounds_of_pairs)
        key, response = np.divmod(pairs[bounds_of_pairs[:-1]], width)
        bounds = [side.document.searchsorted(np.arange(self.n_documents + 1)) for side in (k, r)]
        return make_cells(shared, key, response, k.size, r.size, *bounds, engine=self.engine)
