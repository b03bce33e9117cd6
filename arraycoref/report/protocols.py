"""What reports need of a result: `arraycoref.results` offers it, and so may anything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from arraycoref.options import Signature


class ScoresLike(Protocol):
    """The scores of one document: a score under the name of each metric.

    A score has some of the attributes that `rows.FIELDS` lists (floats, fractions 0-1 and counts); BLANC's has a score
    of each link class besides, ``coreference`` and ``non_coreference``.
    """

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics, in the order in which reports list them."""

    def __getitem__(self, metric: str, /) -> Any:
        """The score of one metric."""


class BatchScoresLike(ScoresLike, Protocol):
    """The scores of D documents and of the corpus that they make."""

    @property
    def names(self) -> Sequence[str]:
        """The D document names."""

    @property
    def signature(self) -> Signature:
        """What the scores depend on besides their input."""

    @property
    def macro(self) -> Any:
        """Means over documents, by metric."""

    @property
    def documents(self) -> Any:
        """Scores by metric whose attributes are arrays of shape (D,)."""

    def __len__(self) -> int:
        """The number of documents, D."""
