"""The registry of metrics. A module beside it has the formula of a metric's sums; variants of older papers share one.

A new metric needs such a module, and a line here; CONTRIBUTING.md lists the rest. Importing the registry imports no
module of a metric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from arraycoref.exceptions import OptionError, UnknownNameError, check_name

if TYPE_CHECKING:
    from arraycoref.scoring.metrics.score import Score

T = TypeVar("T")
RATIOS = ("recall", "precision", "f1")


@dataclass(frozen=True, eq=False)
class Metric:
    """An entry of the registry; everything else is in its module in `arraycoref.scoring.metrics`.

    Attributes:
        name: the name that users write.
        title: the name in tables of papers.
        source: paper and section.
        counted_by: module and function of the sums, such as ``"muc.sums"``. Empty for a metric made of the counts of
            others.
        takes: what that function takes: ``totals`` for a formula of `Totals`, ``cells`` for a function of the `Cells`
            of D documents, ``zeros`` for one of `Zeros`, ``links`` for one of `Bridging`.
        needs: which of the last sums of `Totals` a formula needs: ``squares``, ``resolved``, ``phi3``, ``phi4``.
        scored_by: module and function of a score that is not the plain ratio, such as ``"blanc.score"``: a function of
            the sums of the metric's `parts`, the profile and beta.
        parts: metrics whose counts the score needs; empty if it needs only those of the metric itself.
        groups: names of the metric's groups of four sums; most metrics have one group, without a name.
        fields: fields of a score that are defined: recall, precision and f1, or f1 only.
        unit: ``ratio``, printed in percent, or ``count``, printed as it is.
        better: whether ``higher`` or ``lower`` values are better.
        gold_mentions: whether the metric is defined only if key and response hold the same mentions.
        key_only_denominator: whether the denominators of recall depend on the key alone. Then different denominators
            show that two systems were scored with different keys.
        counted_from: what the sums are of: the cells of ``entities``; of ``words``, in which a mention stands
            for an entity, and its words for mentions; ``zeros``; or bridging ``links``. Only some files have the last
            three.
        common: whether messages list the metric; those that few ask for are in the documentation.
    """

    name: str
    title: str
    source: str
    counted_by: str = ""
    scored_by: str = ""
    parts: tuple[str, ...] = ()
    takes: Literal["totals", "cells", "zeros", "links"] = "totals"
    needs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ("",)
    fields: tuple[str, ...] = RATIOS
    unit: Literal["ratio", "count"] = "ratio"
    better: Literal["higher", "lower"] = "higher"
    gold_mentions: bool = False
    key_only_denominator: bool = True
    counted_from: Literal["entities", "words", "zeros", "links"] = "entities"
    common: bool = True

    @cached_property
    def count(self) -> Callable[[Any], Any]:
        """The function in the metric's module that computes four sums, or four for each group; see `takes`."""
        count: Callable[[Any], Any] = _fetch(self.counted_by)
        return count

    @cached_property
    def score(self) -> Callable[..., Score[Any]]:
        """The function from sums to a score; see `arraycoref.scoring.metrics.score`."""
        score: Callable[..., Score[Any]] = _fetch(self.scored_by or "score.plain_score")
        return score

    @property
    def made_of(self) -> tuple[str, ...]:
        """Names of the metrics whose counts the score is made of."""
        return self.parts or (self.name,)


def _fetch(place: str) -> Any:
    module, _, function = place.partition(".")
    return getattr(import_module(f"arraycoref.scoring.metrics.{module}"), function)


_LINKS: Any = {"scored_by": "blanc.score", "groups": ("coreference", "non_coreference", "mentions")}
_SAME: Any = {"gold_mentions": True, "key_only_denominator": False}
_CELLS: Any = {"takes": "cells"}
_OLDER: Any = {"common": False, **_CELLS}
_ENTROPIES: Any = {"scored_by": "vmeasure.score", **_CELLS, **_SAME}
_GEOMETRIC: Any = {"scored_by": "fowlkes_mallows.score"}
_PURITY: Any = {"scored_by": "purity.score", "fields": ("f1",), **_CELLS}
COUNTED_ERRORS: Any = {"scored_by": "merge_distance.score", "fields": ("f1",), "unit": "count", "better": "lower"}
_BRIDGING: Any = {"takes": "links", "counted_from": "links"}
_UA = "Yu et al. (2022)"
_FOUR = ("muc", "bcub", "ceafe", "blanc")

_DEFAULT = (
    Metric("mentions", "Mentions", "Pradhan et al. (2014), section 3", "mentions.sums"),
    Metric("muc", "MUC", "Vilain et al. (1995)", "muc.sums"),
    Metric("bcub", "B³", "Bagga and Baldwin (1998)", "bcub.sums", needs=("squares",)),
    Metric("ceafm", "CEAFm", "Luo (2005), phi3", "ceaf.sums_of_mentions", needs=("phi3",)),
    Metric("ceafe", "CEAFe", "Luo (2005), phi4", "ceaf.sums_of_entities", needs=("phi4",)),
    Metric("blanc", "BLANC", "Luo et al. (2014)", "blanc.sums", **_LINKS),
    Metric("lea", "LEA", "Moosavi and Strube (2016)", "lea.sums", needs=("resolved",)),
    Metric("pairwise", "Pairwise", "Luo et al. (2014), equation 16", "pairwise.sums"),
    Metric("conll", "CoNLL", "Pradhan et al. (2014)", "", "conll.score", ("muc", "bcub", "ceafe"), fields=("f1",)),
)
"""Metrics that are computed if the user names none."""

_ON_REQUEST = (
    Metric("cluster", "Exact clusters", "Luo (2005), phi1", "ceaf.count_phi1", **_CELLS),
    Metric("mor", "MOR", "Žabokrtský et al. (2022)", "mor.sums", needs=("phi3",), counted_from="words"),
    Metric("zero", "Zeros", "Žabokrtský et al. (2022)", "zeros.count", takes="zeros", counted_from="zeros"),
    Metric("bridging-anaphors", "Bridging anaphors", _UA, "bridging.count_anaphors", **_BRIDGING),
    Metric("bridging-mentions", "Bridging mentions", _UA, "bridging.count_mentions", **_BRIDGING),
    Metric("bridging-entities", "Bridging entities", _UA, "bridging.count_entities", **_BRIDGING),
    Metric("non-referring", "Non-referring mentions", _UA, "non_referring.count", **_BRIDGING),
    Metric("kbp", "KBP", "Mitamura et al. (2015)", "", "conll.score_of_four", _FOUR, fields=("f1",), common=False),
    Metric("ceaf-phi2", "CEAF φ2", "Luo (2005), phi2", "ceaf.count_phi2", **_OLDER),
    Metric("bcub-0", "B³ 0", "Stoyanov et al. (2009)", "twinless.count_bcub_0", **_OLDER),
    Metric("bcub-all", "B³ all", "Stoyanov et al. (2009)", "twinless.count_bcub_all", **_OLDER),
    Metric("bcub-rn", "B³ rn", "Rahman and Ng (2009)", "twinless.count_bcub_rn", **_OLDER),
    Metric("ceafm-rn", "CEAFm rn", "Rahman and Ng (2009)", "twinless.count_ceafm_rn", **_OLDER),
    Metric("ceafe-rn", "CEAFe rn", "Rahman and Ng (2009)", "twinless.count_ceafe_rn", **_OLDER),
    Metric("bcub-sys", "B³ sys", "Cai and Strube (2010)", "twinless.count_bcub_sys", **_OLDER),
    Metric("ceafm-sys", "CEAFm sys", "Cai and Strube (2010)", "twinless.count_ceafm_sys", **_OLDER),
    Metric("ceafe-sys", "CEAFe sys", "Cai and Strube (2010)", "twinless.count_ceafe_sys", **_OLDER),
    Metric("blanc-gold", "BLANC-gold", "Luo et al. (2014), section 3", "blanc.sums", gold_mentions=True, **_LINKS),
    Metric("rand", "Rand", "Rand (1971)", "rand.sums", gold_mentions=True),
    Metric("vmeasure", "V-measure", "Rosenberg and Hirschberg (2007)", "vmeasure.count", **_ENTROPIES),
    Metric("ari", "ARI", "Hubert and Arabie (1985)", "ari.sums", "ari.score", fields=("f1",), **_SAME),
    Metric("ami", "AMI", "Vinh et al. (2010)", "ami.count", "ami.score", fields=("f1",), **_CELLS, **_SAME),
    Metric("fowlkes-mallows", "Fowlkes-Mallows", "Fowlkes and Mallows (1983)", "fowlkes_mallows.sums", **_GEOMETRIC),
    Metric("purity", "Purity", "Zhao and Karypis (2001)", "purity.count", key_only_denominator=False, **_PURITY),
    Metric("inverse-purity", "Inverse purity", "Amigó et al. (2009)", "purity.count_inverse", common=False, **_PURITY),
    Metric("merge-distance", "Merge distance", "Menestrina et al. (2010)", "merge_distance.sums", **COUNTED_ERRORS),
)

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (*_DEFAULT, *_ON_REQUEST)}
"""Every metric, by name."""

REGISTRIES: list[Mapping[str, Metric]] = [METRICS]
"""The registries in which names are looked up: that of coreference, and those that other evaluations append."""

ALL_NAMES = tuple(METRICS)
METRIC_NAMES = tuple(name for name, metric in METRICS.items() if metric.counted_from == "entities")
"""Metrics of any input. The others are counted from words, zeros or links, which only some files have."""

PlainMetric = (
    Literal["mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairwise", "conll", "cluster", "kbp", "ceaf-phi2"]
    | Literal["bcub-0", "bcub-all", "bcub-rn", "ceafm-rn", "ceafe-rn", "bcub-sys", "ceafm-sys", "ceafe-sys"]
    | Literal["rand", "vmeasure", "ari", "ami", "fowlkes-mallows", "purity", "inverse-purity", "merge-distance"]
)
"""Those whose score is a `Score` and no more, for type checkers, which cannot look names up."""

DEFAULT_METRICS = tuple(metric.name for metric in _DEFAULT)
RECORD_METRICS = tuple(dict.fromkeys(("pairwise", "bcub", "cluster", *DEFAULT_METRICS)))
"""Metrics that are computed of one clustering without text, if the user names none: those that linkers read first."""


SETS = {"bridging": ("bridging-anaphors", "bridging-entities")}
"""Names that stand for several metrics, where metrics are listed."""

OF_REFERENCE = ("muc", "bcub", "ceafm", "ceafe", "blanc")
"""Metrics of the reference scorer, in the order in which it prints them."""


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold()).removesuffix("score")


_SPELLINGS = {_squeezed(text): metric.name for metric in METRICS.values() for text in (metric.title, metric.name)}
FIELD_OF_SPELLING = {"homogeneity": "precision", "completeness": "recall", "nmi": "f1", "normalizedmutualinfo": "f1"}
"""Names that clusterers use for a field of V-measure."""

_SPELLINGS |= dict.fromkeys(FIELD_OF_SPELLING, "vmeasure")
_SPELLINGS |= {"adjustedrand": "ari", "adjustedmutualinfo": "ami", "accuracy": "ceafm", "clusteringaccuracy": "ceafm"}
_SPELLINGS |= {"b3": "bcub", "bcubed": "bcub", "phi3": "ceafm", "phi4": "ceafe", "avg": "conll", "ceafphi1": "cluster"}
_SPELLINGS["bridging"] = "bridging-entities"


def as_metric(name: Any) -> Any:
    """Return the metric's name if this is a spelling of one, in any case, with or without hyphens; else the argument.

    scikit-learn's names are spellings, and ``accuracy``, by the best assignment of clusters to classes, is CEAFm.

    >>> [as_metric(name) for name in ("B3", "CEAF_m", "phi4", "avg", "adjusted_rand_score", "accuracy", "UPOS")]
    ['bcub', 'ceafm', 'ceafe', 'conll', 'ari', 'ceafm', 'UPOS']
    """
    return _SPELLINGS.get(_squeezed(name), name) if isinstance(name, str) else name


def known_metric(name: Any, known: Collection[str] = ALL_NAMES, kind: str = "metric") -> str:
    """Return the name of one of some metrics that is spelled in any way, see `as_metric`.

    Args:
        name: the name.
        known: the metrics that there are.
        kind: what the message of the error calls the name.

    Raises:
        UnknownNameError: it is not one of the known metrics.
    """
    metric: str = name if isinstance(name, str) and name in known else as_metric(name)
    if not isinstance(metric, str) or metric not in known:
        common = [other for other in known if find_metric(other).common]
        raise UnknownNameError(kind, name, known, common if len(common) == len(known) else (*common, "..."))
    return metric


def split_field(text: str, kind: str = "metric") -> tuple[str, str]:
    """Split ``METRIC`` or ``METRIC.FIELD``, such as ``muc.recall``; the field is F if there is none.

    >>> split_field("b3.recall"), split_field("homogeneity"), split_field("nmi")
    (('bcub', 'recall'), ('vmeasure', 'precision'), ('vmeasure', 'f1'))

    Raises:
        UnknownNameError: there is no such metric or field.
        OptionError: the metric does not have the field.
    """
    spelling, _, field = text.partition(".")
    metric, own = known_metric(spelling.strip(), kind=kind), own_field(spelling)
    field = field.strip().lower() or own or "f1"
    check_field(field, metric)
    if own is not None and field != own:
        raise OptionError(f"{text!r}: {spelling} is {metric}.{own}; expected it without a field")
    return metric, field


def own_field(name: str) -> str | None:
    """Return the field that a name means, such as precision for ``homogeneity``; None for a metric's own name."""
    return FIELD_OF_SPELLING.get(_squeezed(name))


def with_own_field(score: T, name: str) -> T:
    """Return the score of a metric that was asked for by a name of one of its fields: its F is then that field."""
    own = own_field(name)
    changed: T = score if own is None else replace(score, f1=getattr(score, own))  # type: ignore[type-var]
    return changed


def find_metric(name: str) -> Metric:
    """Return the entry of a metric, of coreference in any spelling."""
    return next((registry[name] for registry in REGISTRIES if name in registry), None) or METRICS[as_metric(name)]


def names_beside(name: str) -> tuple[str, ...]:
    """Return the names of all metrics of the registry that has this one."""
    return next(tuple(registry) for registry in REGISTRIES if name in registry)


def direction(name: str) -> int:
    """Return 1 if higher values of a metric are better, -1 if lower are: the highest ``direction * value`` is best.

    >>> direction("muc")
    1
    """
    return 1 if find_metric(name).better == "higher" else -1


def check_field(field: str, metric: str) -> int:
    """Return the position of a metric's recall, precision or F.

    Raises:
        UnknownNameError: there is no such field.
        OptionError: the metric does not have the field; the CoNLL average has no recall and no precision.
    """
    check_name("field", field, RATIOS)
    if field not in find_metric(metric).fields:
        raise OptionError(f"metric {metric!r} has no {field}; expected field 'f1'")
    return RATIOS.index(field)


def resolve_metrics(metrics: str | Iterable[str] | None, known: Sequence[str] = ALL_NAMES) -> tuple[str, ...]:
    """Check the names of metrics and return them, each once.

    Args:
        metrics: the names in any spelling of `as_metric`, or a string of names separated by commas or spaces; None for
            the default metrics, or for all of ``known`` if it is given.
        known: the names that exist: by default all metrics of the registry; for existing results, their metrics.

    Raises:
        OptionError: no metric is named.
        UnknownNameError: a name that does not exist.
    """
    if metrics is None:
        return DEFAULT_METRICS if known is ALL_NAMES else tuple(known)
    names = metrics.replace(",", " ").split() if isinstance(metrics, str) else metrics
    wanted = [known_metric(each, known) for name in names for each in SETS.get(str(name), (name,))]
    if not wanted:
        raise OptionError(f"no metrics named; expected some of: {', '.join(known)}")
    return tuple(dict.fromkeys(wanted))


def reading_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with ``keep_relations``, if they name a metric of links, or keep split antecedents."""
    metrics = map(find_metric, resolve_metrics(options.get("metrics")))
    need_them = options.get("split") == "keep" or any(metric.counted_from == "links" for metric in metrics)
    return {"keep_relations": need_them, **options}


@lru_cache
def counted_metrics(names: tuple[str, ...]) -> tuple[Metric, ...]:
    """Return the metrics that must be counted to score the named ones: for the CoNLL average, its three parts."""
    parts = dict.fromkeys(part for name in names for part in find_metric(name).made_of)
    return tuple(map(find_metric, parts))


@lru_cache
def group_slices(names: tuple[str, ...]) -> Mapping[str, slice]:
    """Return the positions of each metric's groups among the K groups of all named metrics."""
    places, first = {}, 0
    for name in names:
        last = first + len(find_metric(name).groups)
        places[name] = slice(first, last)
        first = last
    return places


@lru_cache
def group_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the K groups of four sums: ``muc``, ``blanc/coreference`` and so on."""
    return tuple(f"{name}/{group}" if group else name for name in names for group in find_metric(name).groups)


def lacking(scored: Sequence[str], metrics: Iterable[str]) -> list[str]:
    """Return those of ``metrics`` that cannot be computed from the sums of the metrics in ``scored``."""
    counted = {metric.name for metric in counted_metrics(tuple(scored))}
    return [metric for metric in dict.fromkeys(metrics) if not counted.issuperset(find_metric(metric).made_of)]
