"""The metrics: pure functions from cells to counts, one page each, and their registry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import MappingProxyType

from arraycoref.errors import OptionError, UnknownNameError
from arraycoref.metrics import bcub, ceaf, lea, links, mentions, muc, twinless
from arraycoref.metrics.base import Metric

METRICS = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("mentions", "Mentions", mentions.count, "Pradhan et al. (2014), section 3"),
            Metric("muc", "MUC", muc.count, "Vilain et al. (1995)"),
            Metric("bcub", "B³", bcub.count, "Bagga and Baldwin (1998)"),
            Metric("ceafm", "CEAFm", ceaf.count_mention, "Luo (2005), phi3"),
            Metric("ceafe", "CEAFe", ceaf.count_entity, "Luo (2005), phi4"),
            Metric("blanc", "BLANC", links.count_blanc, "Luo et al. (2014)", width=12),
            Metric("lea", "LEA", lea.count, "Moosavi and Strube (2016)"),
            Metric("pairwise", "Pairwise", links.count_pairwise, "Luo et al. (2014), equation 16"),
            Metric("ceaf-phi1", "CEAF φ1", ceaf.count_phi1, "Luo (2005), phi1", default=False),
            Metric("ceaf-phi2", "CEAF φ2", ceaf.count_phi2, "Luo (2005), phi2", default=False),
            Metric("bcub-0", "B³ 0", twinless.count_bcub_0, "Stoyanov et al. (2009)", default=False),
            Metric("bcub-all", "B³ all", twinless.count_bcub_all, "Stoyanov et al. (2009)", default=False),
            Metric("bcub-rn", "B³ rn", twinless.count_bcub_rn, "Rahman and Ng (2009)", default=False),
            Metric("ceafm-rn", "CEAFm rn", twinless.count_ceafm_rn, "Rahman and Ng (2009)", default=False),
            Metric("ceafe-rn", "CEAFe rn", twinless.count_ceafe_rn, "Rahman and Ng (2009)", default=False),
            Metric("bcub-sys", "B³ sys", twinless.count_bcub_sys, "Cai and Strube (2010)", default=False),
            Metric("ceafm-sys", "CEAFm sys", twinless.count_ceafm_sys, "Cai and Strube (2010)", default=False),
            Metric("ceafe-sys", "CEAFe sys", twinless.count_ceafe_sys, "Cai and Strube (2010)", default=False),
            Metric(
                "blanc-gold",
                "BLANC-gold",
                links.count_blanc,
                "Luo et al. (2014), equations 2-8",
                width=12,
                default=False,
                gold_mentions=True,
            ),
            Metric("rand", "Rand", links.count_rand, "Rand (1971)", default=False, gold_mentions=True),
        )
    }
)
"""Every metric that has counts, by name."""

CONLL = "conll"
CONLL_PARTS = ("muc", "bcub", "ceafe")
"""The CoNLL average has no counts of its own: it is the mean F1 of these."""

METRIC_NAMES = (
    *(name for name, metric in METRICS.items() if metric.default),
    CONLL,
    *(name for name, metric in METRICS.items() if not metric.default),
)
DEFAULT_METRICS = tuple(name for name in METRIC_NAMES if name == CONLL or METRICS[name].default)


def resolve_metrics(metrics: str | Iterable[str] | None, known: Sequence[str] = METRIC_NAMES) -> tuple[str, ...]:
    """Check metric names; None gives the default ones, a string one or more names parted by commas or spaces.

    Args:
        metrics: the names.
        known: those that there are; of results other than the scorer's, their own.

    Raises:
        OptionError: no metric named.
        UnknownNameError: a name that is no metric.
    """
    if metrics is None:
        return DEFAULT_METRICS
    if not isinstance(metrics, Iterable):
        raise OptionError(f"metrics is {metrics!r}; expected names, or one string of them")
    wanted = list(metrics.replace(",", " ").split() if isinstance(metrics, str) else metrics)
    for name in wanted:
        if name not in known:
            raise UnknownNameError("metric", name, known)
    if not wanted:
        raise OptionError(f"no metrics named; expected some of: {', '.join(known)}")
    return tuple(dict.fromkeys(wanted))


@lru_cache
def counted_metrics(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """Metrics whose counts the named ones need: the parts of the CoNLL average in place of it."""
    needed = dict.fromkeys(part for name in names for part in (CONLL_PARTS if name == CONLL else (name,)))
    return tuple(METRICS[name] for name in needed)
