"""Define the entries of the registry of metrics; the page of a metric is imported when it is first used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from arraycoref.lazy import cached_property

if TYPE_CHECKING:
    from arraycoref.scoring.cells import Cells
    from arraycoref.scoring.metrics.score import Floats, Score

RATIOS = ("recall", "precision", "f1")


@dataclass(frozen=True)
class Metric:
    """An entry of the registry; everything else about the metric is on its page in `arraycoref.scoring.metrics`.

    Attributes:
        name: the name that users write.
        title: the name in tables of papers.
        source: paper and section.
        page: module and function that count, such as ``"bcub.count"``: a function from the `Cells` of D documents to
            their sums, float64 (D, 4), or (D, groups, 4). Empty for a metric made of the counts of others.
        scored_by: module and function of a score that is not the plain ratio, such as ``"blanc.score"``: a function of
            the sums of the metric's `parts`, the profile and beta.
        parts: metrics whose counts the score needs; empty if it needs only those of the metric itself.
        groups: names of the metric's groups of four sums; most metrics have one group, without a name.
        fields: fields of a score that are defined: recall, precision and f1, or f1 only.
        unit: ``ratio``, printed in percent, or ``count``, printed as it is.
        better: whether ``higher`` or ``lower`` values are better.
        gold_mentions: whether the metric is defined only if key and response hold the same mentions.
        made_of: which parts of `Cells` the counts need. ``totals``: only the totals. ``squares``: the numerators are
            the sums of n_ij^2 / k_i and of n_ij^2 / r_j. ``links``: the numerators are the sums of
            k_i L(n_ij) / L(k_i) and of r_j L(n_ij) / L(r_j), each plus the shared singletons. For both, the
            denominators are the numbers of mentions of each side. Sweeps of a linkage update these three kinds from
            merge to merge. ``alignment``: the best one-to-one alignment of entities; counts are sums over connected
            components. ``cells``: anything else.
        key_alone: whether the denominators of recall depend on the key alone. Then different denominators show that two
            systems were scored with different keys.
    """

    name: str
    title: str
    source: str
    page: str = ""
    scored_by: str = ""
    parts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ("",)
    fields: tuple[str, ...] = RATIOS
    unit: Literal["ratio", "count"] = "ratio"
    better: Literal["higher", "lower"] = "higher"
    gold_mentions: bool = False
    made_of: Literal["totals", "squares", "links", "alignment", "cells"] = "cells"
    key_alone: bool = True

    @cached_property
    def count(self) -> Callable[[Cells], Floats]:
        """The function on the metric's page that computes the counts."""
        count: Callable[[Cells], Floats] = _fetch(self.page)
        return count

    @cached_property
    def score(self) -> Callable[..., Score[Any]]:
        """The function from sums to a score; see `arraycoref.scoring.metrics.score`."""
        score: Callable[..., Score[Any]] = _fetch(self.scored_by or "score.plain_score")
        return score

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of the metrics whose counts the score is made of."""
        return self.parts or (self.name,)


def _fetch(place: str) -> Any:
    module, _, function = place.partition(".")
    return getattr(import_module(f"arraycoref.scoring.metrics.{module}"), function)
