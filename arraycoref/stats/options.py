"""Define the options of the statistics, each once: its values, its default, its words for help, and its checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, TypedDict, TypeVar

import numpy as np

from arraycoref.errors import OptionError, check_name
from arraycoref.keywords import Option, refuse_unknown
from arraycoref.metrics.base import RATIOS
from arraycoref.options import OPTIONS, Metrics
from arraycoref.records import Record
from arraycoref.stats.comparable import AVERAGES, check_field
from arraycoref.threads import thread_count

Seed = int | np.random.Generator | None
R = TypeVar("R")

LARGEST_COUNT = 2**53
"""Of documents and resamples; beyond it, floats skip whole numbers."""

METHODS = ("percentile", "basic", "bca")
ALTERNATIVES = ("two-sided", "greater", "less")

TESTS = {"randomisation": "approximate randomisation", "bootstrap": "paired bootstrap"}
"""The tests, and what captions call them."""

CORRECTIONS = {"maxt": "step-down maxT", "holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
"""The corrections, and what captions call them."""


class SampleOptions(TypedDict, total=False):
    """How documents are resampled."""

    average: str
    n_resamples: int
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
    """Define an option as a field of `Settings`; ``kind`` is its type in signatures where that is not the field's."""
    return field(default=default, metadata={"help": text, "choices": choices, "kind": kind})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a statistic was asked for, checked; each field is an option with its default and its words for help."""

    metrics: str | Iterable[str] | None = _option(
        None, "names, an iterable or one string with commas; None for all that were scored."
    )
    metric: str = _option("conll", "name of the metric that is compared.")
    field: str = _option("f1", "``recall``, ``precision`` or ``f1`` of it.", RATIOS)
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
        None, "list every outcome of the test; None to do so where there are at most ``n_resamples`` of them."
    )
    correction: str = _option(
        "maxt",
        "of p-values for the number of tests: ``maxt``, the step-down maximum of all tested pairs in each resample; "
        "``holm``, ``bh`` (Benjamini-Hochberg) or ``none``, see `arraycoref.stats.adjust_pvalues`.",
        tuple(CORRECTIONS),
    )
    alpha: float = _option(0.05, "level at which a difference is significant.")
    method: str = _option(
        "bca",
        "of confidence intervals: ``percentile``, ``basic`` or ``bca`` (bias-corrected and accelerated).",
        METHODS,
    )
    confidence: float = _option(0.95, "of each interval.")
    n_resamples: int = _option(10_000, "resamples of the documents.")
    seed: int = _option(
        0,
        "an integer; a NumPy generator, from which one is drawn; None for another one each time. The result holds the "
        "integer that repeats it. The same seed gives the same numbers, whatever other systems are compared.",
        kind="int | numpy.random.Generator | None",
    )
    threads: int = _option(1, OPTIONS["threads"].help)
    batch: int | None = _option(
        None, "resamples whose weights are held at a time; None for about 1 MB of them. No number depends on it."
    )

    def __post_init__(self) -> None:
        given = vars(self)  # frozen, but for numbers of NumPy, in place of which there are ones that JSON takes
        for name, option in STATISTICS.items():
            value = given[name]
            if option.choices:
                check_name("interval method" if name == "method" else name, value, option.choices)
        for name in ("alpha", "confidence"):
            given[name] = check_fraction(name, given[name])
        given["n_resamples"] = check_count("n_resamples", self.n_resamples)
        if self.batch is not None:
            given["batch"] = check_count("batch", self.batch)
        thread_count(self.threads)
        check_field(self.field, self.metric)
        if not isinstance(self.exact, bool | np.bool_ | None):
            raise OptionError(f"exact is {self.exact!r}; expected True, False or None")
        given["seed"] = entropy(self.seed)

    @classmethod
    def of(cls, options: Mapping[str, Any], group: type) -> Settings:
        """Complete what the user gave with defaults, and check it.

        Args:
            options: the keywords given.
            group: the ``TypedDict`` of those that the function takes.

        Raises:
            TypeError: a keyword that the function does not take.
            OptionError: an option out of range.
            UnknownNameError: a name that does not exist.
        """
        refuse_unknown(options, group)
        return cls(**options)

    @property
    def place(self) -> int:
        """Position of recall, precision or F among the fields of a score."""
        return RATIOS.index(self.field)

    def result(self, kind: type[R], **found: Any) -> R:
        """Make a result of what was found and of the settings that it shows."""
        names = [f.name for f in fields(kind)]  # type: ignore[arg-type]
        return kind(**{**{name: value for name, value in vars(self).items() if name in names}, **found})


STATISTICS: Mapping[str, Option] = {
    f.name: Option(f.default, f.metadata["help"], "", f.metadata["choices"], f.metadata["kind"] or str(f.type))
    for f in fields(Settings)
}
"""Every option of the statistics by name, as `arraycoref.options.takes` reads them."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Resampled(Record):
    """What every result of resampling shows beside its numbers.

    Attributes:
        average: ``micro`` or ``macro``.
        n_resamples: as asked for.
        seed: repeats the numbers.
        notes: what a reader should know before trusting them.
    """

    average: str
    n_resamples: int
    seed: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class OneScore(Resampled):
    """What results about one score show besides.

    Attributes:
        metric: what was compared.
        field: ``recall``, ``precision`` or ``f1`` of it.
    """

    metric: str
    field: str


def check_fraction(name: str, value: Any) -> float:
    """Return a number between 0 and 1.

    Raises:
        OptionError: it is none.
    """
    if not isinstance(value, Real) or value <= 0.0 or not value < 1.0:  # nan is neither
        raise OptionError(f"{name} is {value!r}; expected a fraction between 0 and 1, such as 0.05 or 0.95")
    return float(value)


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return an integer of some size at least, and `LARGEST_COUNT` at most.

    Raises:
        OptionError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise OptionError(f"{name} is {value!r}; expected an integer, {least} or more")
    count = int(value)
    if count > LARGEST_COUNT:
        raise OptionError(f"{name} is {count}; expected {LARGEST_COUNT} at most")
    return count


def entropy(seed: Seed) -> int:
    """Turn what the user gave into a number that repeats the run.

    Args:
        seed: an integer of 0 or more; a generator, from which one number is drawn; None for fresh entropy.

    Raises:
        OptionError: none of these.
    """
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"seed is {seed!r}; expected an integer of 0 or more, a NumPy generator or None")
    return int(seed)
