"""Define the options of the statistics, each once: its values, its default, its words for help, and its checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, TypedDict, TypeVar

import numpy as np

from arraycoref.errors import OptionError, check_name
from arraycoref.options import Metrics, check_options
from arraycoref.records import Record
from arraycoref.runtime import thread_count
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.stats.comparable import AVERAGES, check_field

Seed = int | np.random.Generator | None
R = TypeVar("R")

LARGEST_COUNT = 2**53
"""Largest number of documents or resamples that is accepted; beyond it, floats skip whole numbers."""

METHODS = ("percentile", "basic", "bca")
ALTERNATIVES = ("two-sided", "greater", "less")

TESTS = {"randomisation": "approximate randomisation", "bootstrap": "paired bootstrap"}
"""The tests, and their names in captions."""

CORRECTIONS = {"maxt": "step-down maxT", "holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
"""The corrections, and their names in captions."""


class SampleOptions(TypedDict, total=False):
    """How documents are resampled."""

    average: str
    resamples: int
    seed: Seed
    threads: int
    batch: int | None


class IntervalOptions(SampleOptions, total=False):
    """Options of confidence intervals."""

    method: str
    confidence: float


class BootstrapOptions(IntervalOptions, total=False):
    """Options of `bootstrap`."""

    metrics: Metrics


class TestOptions(SampleOptions, total=False):
    """Options of tests by one score."""

    metric: str
    field: str
    test: str


class PairedOptions(TestOptions, total=False):
    """Options of `paired_test`."""

    alternative: str
    exact: bool | None


class TableOptions(IntervalOptions, total=False):
    """Options of `table`."""

    test: str
    correction: str
    alpha: float


class CompareOptions(TestOptions, TableOptions, total=False):
    """Options of `compare`."""


class PowerOptions(TypedDict, total=False):
    """Options of `power`."""

    metric: str
    field: str
    average: str
    alpha: float
    seed: Seed
    threads: int


class CorrelationOptions(TypedDict, total=False):
    """Options of `correlate`."""

    metrics: Metrics
    average: str


def _option(default: Any, text: str, choices: tuple[str, ...] = (), kind: str = "") -> Any:
    """Define an option as a field of `Settings`; ``kind`` is its type in signatures if that is not the field's type."""
    return field(default=default, metadata={"help": text, "choices": choices, "kind": kind})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of a statistic, checked; each field is an option with its default and its help text."""

    metrics: str | Iterable[str] | None = _option(
        None, "names of metrics, an iterable or one string with commas; None for all that were scored."
    )
    metric: str = _option("conll", "name of the metric that is compared.")
    field: str = _option("f1", "``recall``, ``precision`` or ``f1`` of the metric.", RATIOS)
    average: str = _option(
        "micro",
        "``micro`` for corpus scores, ratios of sums over documents; ``macro`` for means of documents' scores.",
        AVERAGES,
    )
    test: str = _option(
        "randomisation",
        "``randomisation``, which exchanges documents between two systems, or ``bootstrap``, which draws documents.",
        tuple(TESTS),
    )
    alternative: str = _option(
        "two-sided",
        "``two-sided``; ``greater``, that the first system is better; ``less``, that the second is.",
        ALTERNATIVES,
    )
    exact: bool | None = _option(
        None, "True to list every outcome of the test; None to do so if there are at most ``resamples`` of them."
    )
    correction: str = _option(
        "maxt",
        "of p-values, for the number of tests: ``maxt``, the step-down maximum of all tested pairs in each resample; "
        "``holm``, ``bh`` (Benjamini-Hochberg) or ``none``, see `arraycoref.stats.adjust_pvalues`.",
        tuple(CORRECTIONS),
    )
    alpha: float = _option(0.05, "level at which a difference is significant.")
    method: str = _option(
        "bca",
        "kind of confidence intervals: ``percentile``, ``basic`` or ``bca`` (bias-corrected and accelerated).",
        METHODS,
    )
    confidence: float = _option(0.95, "confidence level of each interval.")
    resamples: int = _option(10_000, "number of resamples of the documents.")
    seed: int = _option(
        0,
        "an integer; a NumPy generator, from which one is drawn; None for a new integer each time. The result holds "
        "the integer, which repeats it. The same seed gives the same numbers, whatever other systems are compared.",
        kind="int | numpy.random.Generator | None",
    )
    threads: int = _option(1, "number of threads; 0 for one per core. The scores do not depend on it.")
    batch: int | None = _option(
        None, "resamples whose weights are in memory at a time; None for about 1 MB. No result depends on it."
    )

    def __post_init__(self) -> None:
        given = vars(self)  # changes fields although they are frozen: JSON takes Python numbers, not those of NumPy
        for each in fields(self):
            if each.metadata["choices"]:
                check_name(each.name, given[each.name], each.metadata["choices"])
        for name in ("alpha", "confidence"):
            given[name] = check_fraction(name, given[name])
        given["resamples"] = check_count("resamples", self.resamples)
        if self.batch is not None:
            given["batch"] = check_count("batch", self.batch)
        thread_count(self.threads)
        check_field(self.field, self.metric)
        if not isinstance(self.exact, bool | np.bool_ | None):
            raise OptionError(f"exact is {self.exact!r}; expected True, False or None")
        given["seed"] = entropy(self.seed)

    @classmethod
    def of(cls, options: Mapping[str, Any], group: type) -> Settings:
        """Check the options that the user gave, and complete them with defaults.

        Args:
            options: the keywords given.
            group: the ``TypedDict`` of the keywords that the function takes.

        Raises:
            TypeError: a keyword that the function does not take.
            OptionError: an option out of range.
            UnknownNameError: a name that does not exist.
        """
        check_options(options, group)
        return cls(**options)

    @property
    def place(self) -> int:
        """Position of recall, precision or F among the fields of a score."""
        return RATIOS.index(self.field)

    def result(self, kind: type[R], **found: Any) -> R:
        """Make a result of type ``kind`` from the values found and from the settings that are fields of ``kind``."""
        names = [f.name for f in fields(kind)]  # type: ignore[arg-type]
        return kind(**{**{name: value for name, value in vars(self).items() if name in names}, **found})


@dataclass(frozen=True, eq=False, kw_only=True)
class Resampled(Record):
    """Attributes that every result of resampling has beside its numbers.

    Attributes:
        average: ``micro`` or ``macro``.
        resamples: the number asked for, also if every outcome was listed.
        seed: integer that repeats the numbers.
        notes: what a reader should know before trusting the numbers.
    """

    average: str
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class OneScore(Resampled):
    """Attributes that results about one score have in addition.

    Attributes:
        metric: name of the metric that was compared.
        field: ``recall``, ``precision`` or ``f1`` of the metric.
    """

    metric: str
    field: str


def check_fraction(name: str, value: Any) -> float:
    """Return a value as a float, if it is a number above 0 and below 1.

    Raises:
        OptionError: it is no such number.
    """
    if not isinstance(value, Real) or value <= 0.0 or not value < 1.0:  # "not <" is true of nan
        raise OptionError(f"{name} is {value!r}; expected a fraction between 0 and 1, such as 0.05 or 0.95")
    return float(value)


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return a value as an int, if it is an integer from ``least`` to `LARGEST_COUNT`.

    Raises:
        OptionError: it is no such integer.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise OptionError(f"{name} is {value!r}; expected an integer, {least} or more")
    count = int(value)
    if count > LARGEST_COUNT:
        raise OptionError(f"{name} is {count}; expected {LARGEST_COUNT} at most")
    return count


def entropy(seed: Seed) -> int:
    """Turn the seed that the user gave into an integer that repeats the run.

    Args:
        seed: an integer of 0 or more; a generator, from which one integer is drawn; None for a new integer each time.

    Raises:
        OptionError: ``seed`` is none of these.
    """
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed is {seed!r}; expected an integer of 0 or more, a NumPy generator or None")
    return int(seed)
