"""The options of scoring, each defined once: its name, its values, its default and its words for help.

A new policy is a field of `Policies`, an entry of `OPTIONS` and a line in the ``TypedDict`` of the functions that take
it; signatures, docstrings, ``--help`` and the signature printed with every score follow.
"""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from numbers import Real
from typing import Any, Literal, TypedDict, TypeVar, get_args

from numpy.typing import ArrayLike

from arraycoref.errors import OptionError, ReadError, UnknownNameError
from arraycoref.version import __version__

Profile = Literal["paper", "conll"]
Duplicates = Literal["error", "first", "last", "drop"]
MissingDocuments = Literal["error", "empty", "skip"]
ExtraDocuments = Literal["error", "ignore"]
Singletons = Literal["keep", "drop"]
Metrics = str | Iterable[str] | None
Progress = Callable[[int, int], None]

F = TypeVar("F", bound=Callable[..., Any])

LARGEST_BETA = 1e150

_POLICIES = ("duplicates", "missing_documents", "extra_documents", "singletons")


@dataclass(frozen=True)
class Option:
    """One option of the public functions and of the command line.

    Attributes:
        kind: its type, as signatures show it.
        default: what counts unless the user says otherwise.
        help: what it does, for docstrings.
        choices: its values, where they are few.
        brief: what it does in a line, for ``--help``; empty for an option that commands do not have.
    """

    kind: str
    default: object
    help: str
    choices: tuple[str, ...] = ()
    brief: str = ""


OPTIONS: Mapping[str, Option] = {
    "metrics": Option(
        "str | Iterable[str] | None",
        None,
        "names, an iterable or one string with commas; None for the default ones. `arraycoref.METRIC_NAMES` has all.",
        brief="Names, separated by commas.",
    ),
    "profile": Option(
        "Literal['paper', 'conll']",
        "paper",
        "defaults of the policies, BLANC's boundary cases and how percentages are printed: as the papers say, or as "
        "the reference scorer 8.01 does.",
        get_args(Profile),
        "Conventions: of the papers, or of the reference scorer 8.01.",
    ),
    "duplicates": Option(
        "Literal['error', 'first', 'last', 'drop'] | None",
        None,
        "a mention in two entities, or twice in one: refuse it, keep it in the entity that comes first or last, or drop"
        " it. None for the profile's policy: ``error``, but in profile ``conll`` ``first`` for the response.",
        get_args(Duplicates),
        "A mention in two entities, or twice in one.",
    ),
    "missing_documents": Option(
        "Literal['error', 'empty', 'skip'] | None",
        None,
        "a key document that the response lacks: refuse it, score it against an empty response, or leave it out. None "
        "for the profile's policy: ``error``, in profile ``conll`` ``empty``.",
        get_args(MissingDocuments),
        "Key documents that the response lacks.",
    ),
    "extra_documents": Option(
        "Literal['error', 'ignore'] | None",
        None,
        "a response document that the key lacks: refuse or ignore it. None for the profile's policy: ``error``, in "
        "profile ``conll`` ``ignore``.",
        get_args(ExtraDocuments),
        "Response documents that the key lacks.",
    ),
    "singletons": Option(
        "Literal['keep', 'drop']",
        "keep",
        "keep entities of one mention, or drop them on both sides.",
        get_args(Singletons),
        "Entities of one mention, on both sides.",
    ),
    "beta": Option(
        "float",
        1.0,
        "recall counts ``beta`` times as much as precision in the F-measure that ``.f1`` holds.",
        brief="Weight of recall against precision in F.",
    ),
    "threads": Option(
        "int",
        1,
        "number of threads; 0 for one per core. No number depends on it.",
        brief="0: one per core.",
    ),
    "progress": Option(
        "Callable[[int, int], None] | None",
        None,
        "called with the number of documents (of a sweep: settings) that are done, and of all.",
    ),
    "format": Option("str | None", None, "of the files, ``conll`` or ``jsonlines``; None to go by each file's suffix."),
    "column": Option(
        "int | None", None, "of the coreference in CoNLL files, from 1, or from -1 at the right; None for the last."
    ),
    "lenient": Option(
        "bool", False, "pass over structural faults, each with a `ReadWarning`, instead of raising the first."
    ),
    "report": Option(
        "Callable[[ReadError], None] | None", None, "called with each fault passed over, instead of the warning."
    ),
    "max_bytes": Option(
        "int | None",
        None,
        "the most bytes that a file may hold, decompressed; see `arraycoref.read.read_documents`.",
    ),
    "checkpoint": Option(
        "str | os.PathLike[str] | None",
        None,
        "an ``.npz`` file. Settings that it holds are not scored again (a generator is still asked for them). It is "
        "written every minute, at the end, and when the sweep is interrupted.",
    ),
    "names": Option("Iterable[str] | None", None, "(D,) document names."),
    "present": Option(
        "ArrayLike | None",
        None,
        "(M,) booleans, which mentions the response has; None for all of them. The others belong to no cluster.",
    ),
}
"""Every option that several functions take, by name."""


class ScoreOptions(TypedDict, total=False):
    """Policies of every scoring function."""

    profile: str
    singletons: str
    beta: float


class MentionOptions(ScoreOptions, total=False):
    """Policies for clusters, in which a mention may repeat."""

    duplicates: str | None


class PolicyOptions(MentionOptions, total=False):
    """Policies for documents that are paired by name."""

    missing_documents: str | None
    extra_documents: str | None


class LabelOptions(ScoreOptions, total=False):
    """Options for one document given as labels."""

    metrics: Metrics


class LabelBatchOptions(LabelOptions, total=False):
    """Options for documents given as labels."""

    threads: int
    progress: Progress | None


class ClusterOptions(LabelOptions, MentionOptions, total=False):
    """Options for one document given as clusters."""


class BatchOptions(LabelBatchOptions, PolicyOptions, total=False):
    """Options for documents that are paired by name."""


class PartitionOptions(LabelOptions, PolicyOptions, total=False):
    """Options for documents whose work another engine shares out."""

    progress: Progress | None


class FileOptions(BatchOptions, total=False):
    """Options for documents in files."""

    format: str | None
    column: int | None
    lenient: bool
    report: Callable[[ReadError], None] | None
    max_bytes: int | None


class SweepOptions(BatchOptions, total=False):
    """Options for a key and many responses."""

    names: Iterable[str] | None
    checkpoint: str | os.PathLike[str] | None


class SweepFileOptions(FileOptions, total=False):
    """Options for a key and many responses in files."""

    checkpoint: str | os.PathLike[str] | None


class CutOptions(LabelBatchOptions, total=False):
    """Options for a clusterer whose thresholds are swept."""

    names: Iterable[str] | None
    present: ArrayLike | None


@dataclass(frozen=True)
class Policies:
    """What is done where the definitions leave a choice; see `OPTIONS`.

    Attributes:
        key_duplicates: the policy ``duplicates`` for the key.
        response_duplicates: the policy ``duplicates`` for the response.
    """

    profile: Profile = "paper"
    key_duplicates: Duplicates = "error"
    response_duplicates: Duplicates = "error"
    missing_documents: MissingDocuments = "error"
    extra_documents: ExtraDocuments = "error"
    singletons: Singletons = "keep"
    beta: float = 1.0

    @property
    def duplicates(self) -> str:
        """One word where both sides have the same policy, otherwise ``key/response``."""
        if self.key_duplicates == self.response_duplicates:
            return self.key_duplicates
        return f"{self.key_duplicates}/{self.response_duplicates}"


PROFILES: Mapping[str, Policies] = {
    "paper": Policies(),
    "conll": Policies(
        profile="conll", response_duplicates="first", missing_documents="empty", extra_documents="ignore"
    ),
}


@dataclass(frozen=True)
class Signature:
    """What a score depends on besides its input, in one line that is printed with it: version, profile and policies.

    Attributes:
        version: the version of arraycoref.
        profile: and the attributes after it: see `OPTIONS`. ``duplicates`` is ``error/first`` and the like where key
            and response were treated differently.
    """

    version: str
    profile: str
    duplicates: str
    missing_documents: str
    extra_documents: str
    singletons: str
    beta: float

    def __str__(self) -> str:
        return (
            f"arraycoref|v:{self.version}|profile:{self.profile}|dup:{self.duplicates}|missing:{self.missing_documents}"
            f"|extra:{self.extra_documents}|singletons:{self.singletons}|beta:{self.beta:g}"
        )

    def as_dict(self) -> dict[str, str | float]:
        """Return the fields by name, as JSON shows them."""
        return dict(vars(self))


@cache
def signature(policies: Policies) -> Signature:
    """Say what a reader of a score needs to reproduce it."""
    return Signature(
        version=__version__,
        profile=policies.profile,
        duplicates=policies.duplicates,
        missing_documents=policies.missing_documents,
        extra_documents=policies.extra_documents,
        singletons=policies.singletons,
        beta=policies.beta,
    )


def resolve_policies(options: Mapping[str, Any], *groups: type) -> Policies:
    """Fill a profile's defaults with what the user asked for.

    Args:
        options: keywords that the user gave: policies, and others, which are left to whom they concern.
        groups: the ``TypedDict`` of the options that the function takes.

    Raises:
        TypeError: a keyword that the function does not take.
        UnknownNameError: a profile or policy that does not exist.
        OptionError: ``beta`` that `check_beta` refuses.
    """
    if not options:
        return PROFILES["paper"]
    known = [name for group in groups for name in group.__annotations__]
    for name in options:
        if name not in known:
            raise TypeError(f"got an unexpected keyword argument {name!r}; expected some of: {', '.join(known)}")
    profile = options.get("profile", "paper")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise UnknownNameError("profile", profile, PROFILES)
    base = PROFILES[profile]
    asked = {name: options[name] for name in _POLICIES if options.get(name) is not None}
    for name, value in asked.items():
        if value not in OPTIONS[name].choices:
            raise UnknownNameError(f"{name} policy", value, OPTIONS[name].choices)
    if "duplicates" in asked:
        asked["key_duplicates"] = asked["response_duplicates"] = asked.pop("duplicates")
    if "beta" in options:
        check_beta(options["beta"])
        asked["beta"] = float(options["beta"])
    return replace(base, **asked) if asked else base


def check_beta(beta: float) -> None:
    """Refuse what is no weight of recall against precision.

    Raises:
        OptionError: ``beta`` not a positive number, or so large that its square is none.
    """
    number: object = beta
    try:
        value = float(number) if isinstance(number, Real) else 0.0
    except OverflowError:
        value = 0.0
    if not 0.0 < value <= LARGEST_BETA:
        raise OptionError(f"beta is {beta!r}; expected a positive number, at most {LARGEST_BETA:g}")


def takes(*groups: type) -> Callable[[F], F]:
    """Let a function's signature and docstring show its ``**options``, each with its default.

    Editors and type checkers read the same from ``**options: Unpack[...]``. The line of the docstring that begins with
    ``**options:`` is replaced.

    Args:
        groups: the ``TypedDict`` of the options.
    """
    names = [name for group in groups for name in group.__annotations__]

    def complete(function: F) -> F:
        given = inspect.signature(function)
        own = [p for p in given.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shown = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=OPTIONS[name].default, annotation=OPTIONS[name].kind
            )
            for name in OPTIONS
            if name in names
        ]
        function.__signature__ = given.replace(parameters=[*own, *shown])  # type: ignore[attr-defined]
        function.__doc__ = _with_options(function.__doc__ or "", [p.name for p in shown])
        return function

    return complete


def _with_options(text: str, names: Iterable[str]) -> str:
    """Replace the line ``**options: ...`` of a docstring by a paragraph for each option."""
    lines = text.split("\n")
    place = next((n for n, line in enumerate(lines) if line.lstrip().startswith("**options:")), None)
    if place is None:
        return text
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    shown = [
        textwrap.fill(f"{name}: {OPTIONS[name].help}", 120, initial_indent=indent, subsequent_indent=indent + "    ")
        for name in names
    ]
    return "\n".join([*lines[:place], *shown, *lines[place + 1 :]])
