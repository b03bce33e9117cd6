"""The metrics: one page each, from cells to counts and from counts to a score, and their registry.

A new metric is a page, and a line here. Importing the registry imports no page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from arraycoref.errors import OptionError, UnknownNameError
from arraycoref.metrics.base import Metric

_LINKS: Any = {
    "scored_by": "blanc.score",
    "groups": ("coreference", "non_coreference", "mentions"),
    "made_of": "totals",
}
_ALIGNED: Any = {"made_of": "alignment"}

_DEFAULT = (
    Metric("mentions", "Mentions", "Pradhan et al. (2014), section 3", "mentions.count", made_of="totals"),
    Metric("muc", "MUC", "Vilain et al. (1995)", "muc.count", made_of="totals"),
    Metric("bcub", "B³", "Bagga and Baldwin (1998)", "bcub.count", made_of="squares"),
    Metric("ceafm", "CEAFm", "Luo (2005), phi3", "ceaf.count_mention", **_ALIGNED),
    Metric("ceafe", "CEAFe", "Luo (2005), phi4", "ceaf.count_entity", **_ALIGNED),
    Metric("blanc", "BLANC", "Luo et al. (2014)", "blanc.count", **_LINKS),
    Metric("lea", "LEA", "Moosavi and Strube (2016)", "lea.count", made_of="links"),
    Metric("pairwise", "Pairwise", "Luo et al. (2014), equation 16", "pairwise.count", made_of="totals"),
    Metric("conll", "CoNLL", "Pradhan et al. (2014)", "", "conll.score", ("muc", "bcub", "ceafe"), fields=("f1",)),
)
"""What is computed when the user names no metrics."""

_ON_REQUEST = (
    Metric("ceaf-phi1", "CEAF φ1", "Luo (2005), phi1", "ceaf.count_phi1", **_ALIGNED),
    Metric("ceaf-phi2", "CEAF φ2", "Luo (2005), phi2", "ceaf.count_phi2", **_ALIGNED),
    Metric("bcub-0", "B³ 0", "Stoyanov et al. (2009)", "twinless.count_bcub_0"),
    Metric("bcub-all", "B³ all", "Stoyanov et al. (2009)", "twinless.count_bcub_all"),
    Metric("bcub-rn", "B³ rn", "Rahman and Ng (2009)", "twinless.count_bcub_rn"),
    Metric("ceafm-rn", "CEAFm rn", "Rahman and Ng (2009)", "twinless.count_ceafm_rn", **_ALIGNED),
    Metric("ceafe-rn", "CEAFe rn", "Rahman and Ng (2009)", "twinless.count_ceafe_rn", **_ALIGNED),
    Metric("bcub-sys", "B³ sys", "Cai and Strube (2010)", "twinless.count_bcub_sys"),
    Metric("ceafm-sys", "CEAFm sys", "Cai and Strube (2010)", "twinless.count_ceafm_sys", **_ALIGNED),
    Metric("ceafe-sys", "CEAFe sys", "Cai and Strube (2010)", "twinless.count_ceafe_sys", **_ALIGNED),
    Metric("blanc-gold", "BLANC-gold", "Luo et al. (2014), section 3", "blanc.count", gold_mentions=True, **_LINKS),
    Metric("rand", "Rand", "Rand (1971)", "rand.count", gold_mentions=True, made_of="totals"),
    Metric(
        "vmeasure", "V-measure", "Rosenberg and Hirschberg (2007)", "vmeasure.count", "vmeasure.score", key_alone=False
    ),
    Metric(
        "ari",
        "ARI",
        "Hubert and Arabie (1985)",
        "ari.count",
        "ari.score",
        fields=("f1",),
        made_of="totals",
        key_alone=False,
    ),
    Metric(
        "merge-distance",
        "Merge distance",
        "Menestrina et al. (2010)",
        "merge_distance.count",
        "merge_distance.score",
        fields=("f1",),
        unit="count",
        better="lower",
        made_of="totals",
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in (*_DEFAULT, *_ON_REQUEST)})
"""Every metric, by name."""

METRIC_NAMES = tuple(METRICS)
DEFAULT_METRICS = tuple(metric.name for metric in _DEFAULT)


def find_metric(name: str) -> Metric:
    """Return the entry of a metric; a plain ratio of its own counts for one of another kind of results (taggers')."""
    return METRICS.get(name) or Metric(name, name, "")


def direction(name: str) -> int:
    """Return 1 for a metric of which more is better, -1 where less is: of ``direction * value``, the greatest is best.

    >>> direction("muc")
    1
    """
    return 1 if find_metric(name).better == "higher" else -1


def resolve_metrics(metrics: str | Iterable[str] | None, known: Sequence[str] = METRIC_NAMES) -> tuple[str, ...]:
    """Check metric names; a string holds one or more, parted by commas or spaces.

    Args:
        metrics: the names; None for the default ones, where all metrics are known.
        known: those that there are; of results other than the scorer's, their own.

    Raises:
        OptionError: no metric named.
        UnknownNameError: a name that is no metric.
    """
    if metrics is None and known is METRIC_NAMES:
        return DEFAULT_METRICS
    if not isinstance(metrics, Iterable) or getattr(metrics, "ndim", 1) == 0:
        raise OptionError(f"metrics is {metrics!r}; expected names, or one string of them")
    wanted = list(metrics.replace(",", " ").split() if isinstance(metrics, str) else metrics)
    for name in wanted:
        if not isinstance(name, str) or name not in known:
            raise UnknownNameError("metric", name, known)
    if not wanted:
        raise OptionError(f"no metrics named; expected some of: {', '.join(known)}")
    return tuple(dict.fromkeys(wanted))


@lru_cache
def counted_metrics(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """Metrics whose counts the named ones need: the parts of the CoNLL average in place of it."""
    return tuple(
        find_metric(part) for part in dict.fromkeys(part for name in names for part in find_metric(name).counted)
    )


@lru_cache
def group_slices(names: tuple[str, ...]) -> Mapping[str, slice]:
    """Places of metrics among the K groups of their counts."""
    places, first = {}, 0
    for name in names:
        last = first + len(find_metric(name).groups)
        places[name] = slice(first, last)
        first = last
    return MappingProxyType(places)


@lru_cache
def group_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the K groups of four sums: ``muc``, ``blanc/coreference``, ..."""
    return tuple(f"{name}/{group}" if group else name for name in names for group in find_metric(name).groups)
