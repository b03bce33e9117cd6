"""The options of scoring, each defined once: its name, its values, its default and its words for help.

A new policy is a field of `Policies`, an entry of `OPTIONS` and a line in the ``TypedDict`` of the functions that take
it; signatures, docstrings, ``--help`` and the signature printed with every score follow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, get_args

from arraycoref.errors import ReadError, UnknownNameError
from arraycoref.keywords import Option, refuse_unknown, shows
from arraycoref.metrics.score import check_beta
from arraycoref.progress import with_bar
from arraycoref.version import __version__

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Profile = Literal["paper", "conll"]
Duplicates = Literal["error", "first", "last", "drop"]
MissingDocuments = Literal["error", "empty", "skip"]
ExtraDocuments = Literal["error", "ignore"]
Singletons = Literal["keep", "drop"]
Tokens = Literal["error", "ignore"]
Metrics = str | Iterable[str] | None
Progress = Callable[[int, int], None]

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: Mapping[str, Option] = {
    "metrics": Option(
        None,
        "names, an iterable or one string with commas; None for the default ones. `arraycoref.METRIC_NAMES` has all.",
        kind="str | Iterable[str] | None",
    ),
    "profile": Option(
        "paper",
        "defaults of the policies, BLANC's boundary cases and how percentages are printed: as the papers say, or as "
        "the reference scorer 8.01 does.",
        "Follow the papers, or the reference scorer 8.01.",
        choices=get_args(Profile),
    ),
    "duplicates": Option(
        None,
        "a mention in two entities, or twice in one: refuse it, keep it in the entity that comes first or last, or drop"
        " it. None for the profile's policy: ``error``, but in profile ``conll`` ``first`` for the response.",
        "Refuse repeated mentions, keep them in the first or last entity, or drop them.  [default: by profile]",
        choices=get_args(Duplicates),
    ),
    "missing_documents": Option(
        None,
        "a key document that the response lacks: refuse it, score it against an empty response, or leave it out. None "
        "for the profile's policy: ``error``, in profile ``conll`` ``empty``.",
        "Refuse key documents that the response lacks, score them as empty, or skip them.  [default: by profile]",
        choices=get_args(MissingDocuments),
    ),
    "extra_documents": Option(
        None,
        "a response document that the key lacks: refuse or ignore it. None for the profile's policy: ``error``, in "
        "profile ``conll`` ``ignore``.",
        "Refuse or ignore response documents that the key lacks.  [default: by profile]",
        choices=get_args(ExtraDocuments),
    ),
    "singletons": Option(
        "keep",
        "keep entities of one mention, or drop them on both sides.",
        "Keep entities of one mention, or drop them on both sides.",
        choices=get_args(Singletons),
    ),
    "beta": Option(
        1.0,
        "recall counts ``beta`` times as much as precision in the F-measure that ``.f1`` holds.",
        "Weight recall this many times as much as precision in F.",
        kind="float",
    ),
    "threads": Option(
        1,
        "number of threads; 0 for one per core. No number depends on it.",
        "Use this many threads; 0: one per core.",
        kind="int",
    ),
    "progress": Option(
        None,
        "a function that is called with the number of documents (of a sweep: settings) that are done, and of all; True "
        "for a bar in the terminal or notebook, drawn by tqdm.",
        kind="Callable[[int, int], None] | bool | None",
    ),
    "format": Option(
        None,
        "of the files: ``conll``, ``jsonlines`` or the name of a shape of JSON; None to go by each file's suffix, and "
        "by the fields. `arraycoref.read.FORMATS` has all names.",
        "Read all files as conll, jsonlines, or JSON of this tool.  [default: by each file's suffix and fields]",
    ),
    "key_format": Option(None, "the same for the key alone.", "Read the key's files in this format."),
    "response_format": Option(None, "the same for the response alone.", "Read the response's files in this format."),
    "unit": Option(
        None,
        "what the numbers in JSON count: ``word``, ``subtoken`` or ``character``; None for what the shape has. Like "
        "the next three, it holds for one side as ``key:word`` or ``response:word``; with a comma, for both.",
        "Take numbers in JSON for those of a word, subtoken or character; key:UNIT or response:UNIT for one side.",
    ),
    "end": Option(
        None,
        "whether the last number of a mention in JSON is ``inclusive`` or ``exclusive``; None for what the shape has.",
        "Take the ends of mentions in JSON as inclusive or exclusive; key:END or response:END for one side.",
    ),
    "clusters_field": Option(
        None,
        "field of the clusters in JSON; None for the shape's.",
        "Read the clusters in this field of JSON; key:FIELD or response:FIELD for one side.",
    ),
    "name_field": Option(
        None,
        "field of the document's name in JSON; None for the shape's.",
        "Read the documents' names in this field of JSON; key:FIELD or response:FIELD for one side.",
    ),
    "column": Option(
        None,
        "of the coreference in CoNLL files, from 1, or from -1 at the right; None for the last.",
        "Read the coreference in this column of CoNLL files, from 1, or from -1 at the right; key:N or response:N for "
        "one side.  [default: the last]",
        kind="int | str | None",
    ),
    "tokens": Option(
        "error",
        "compare the tokens of key and response where both have them: refuse other numbers, and other words; or ignore "
        "them. Profile ``conll`` does not compare words.",
        "Refuse documents whose tokens differ between key and response, or ignore that.",
        choices=get_args(Tokens),
    ),
    "lenient": Option(
        False,
        "pass over structural faults, each with a `ReadWarning`, instead of raising the first.",
        "Warn of faults in the files and go on.",
        kind="bool",
    ),
    "report": Option(
        None, "called with each fault passed over, instead of the warning.", kind="Callable[[ReadError], None] | None"
    ),
    "max_bytes": Option(
        None,
        "the most bytes that a file may hold, decompressed; see `arraycoref.read.read_documents`.",
        "Refuse files that hold more bytes, decompressed.  [default: 1 GiB or 200 times a compressed file's size]",
        kind="int | None",
    ),
    "checkpoint": Option(
        None,
        "an ``.npz`` file. Settings that it holds are not scored again (a generator is still asked for them). It is "
        "written every minute, at the end, and when the sweep is interrupted, with all that was drawn.",
        kind="str | os.PathLike[str] | None",
    ),
    "group": Option(
        None,
        r"a regular expression that is found in the path of each run and whose named groups are its parameters, as in "
        r"``(?P<system>\w+)_s(?P<seed>\d+)``; None for the parameters that paths show by themselves.",
        r"Name runs by the named groups of REGEX in their paths: '(?P<system>\w+)_s(?P<seed>\d+)'.",
    ),
    "names": Option(None, "(D,) document names.", kind="Iterable[str] | None"),
    "present": Option(
        None,
        "(M,) booleans, which mentions of a key of labels the response has; None for all of them. The others belong "
        "to no cluster.",
        kind="ArrayLike | None",
    ),
    "mentions": Option(
        None,
        "beside a key of clusters: the mention of each leaf, in their order, or a mapping from names of documents to "
        "such, where the key is one. The key may lack some, and have others without a leaf. No mention has two leaves.",
        kind="Iterable[Hashable] | Mapping[str, Iterable[Hashable]] | None",
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
    progress: Progress | Any  # or True, which `with_bar` replaces before the function looks


class ClusterOptions(LabelOptions, MentionOptions, total=False):
    """Options for one document given as clusters."""


class BatchOptions(LabelBatchOptions, PolicyOptions, total=False):
    """Options for documents that are paired by name."""


class PartitionOptions(LabelOptions, PolicyOptions, total=False):
    """Options for documents whose work another engine shares out."""

    progress: Progress | Any


class SideOptions(TypedDict, total=False):
    """Options for reading files of one side."""

    format: str | None
    unit: str | None
    end: str | None
    clusters_field: str | None
    name_field: str | None
    column: int | str | None
    max_bytes: int | None


class ReadOptions(SideOptions, total=False):
    """Options for reading files of both sides."""

    key_format: str | None
    response_format: str | None
    lenient: bool
    report: Callable[[ReadError], None] | None


class FileOptions(BatchOptions, ReadOptions, total=False):
    """Options for documents in files."""

    tokens: str


class SweepOptions(BatchOptions, total=False):
    """Options for a key and many responses."""

    names: Iterable[str] | None
    checkpoint: str | os.PathLike[str] | None


class SweepFileOptions(FileOptions, total=False):
    """Options for a key and many responses in files."""

    group: str | None
    checkpoint: str | os.PathLike[str] | None


class CutOptions(BatchOptions, total=False):
    """Options for a clusterer whose thresholds are swept."""

    names: Iterable[str] | None
    present: ArrayLike | None
    mentions: Iterable[Hashable] | Mapping[str, Iterable[Hashable]] | None


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
    tokens: Tokens = "error"
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
    names = Signature.__annotations__.keys() - {"version"}
    return Signature(__version__, **{name: getattr(policies, name) for name in names})


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
    refuse_unknown(options, *groups)
    profile = options.get("profile", "paper")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise UnknownNameError("profile", profile, PROFILES)
    base = PROFILES[profile]
    asked = {name: value for name, value in options.items() if OPTIONS[name].choices and value is not None}
    for name, value in asked.items():
        if not isinstance(value, str) or value not in OPTIONS[name].choices:
            raise UnknownNameError(f"{name} policy", value, OPTIONS[name].choices)
    if "duplicates" in asked:
        asked["key_duplicates"] = asked["response_duplicates"] = asked.pop("duplicates")
    if "beta" in options:
        check_beta(options["beta"])
        asked["beta"] = float(options["beta"])
    return replace(base, **asked) if asked else base


def takes(*groups: type, known: Mapping[str, Option] = OPTIONS) -> Callable[[F], F]:
    """Let a function show its ``**options``, see `arraycoref.keywords.shows`, and draw a bar if they ask for one.

    Args:
        groups: the ``TypedDict`` of the options.
        known: what describes them.
    """
    show = shows(*groups, known=known)
    if all("progress" not in group.__annotations__ for group in groups):
        return show
    return lambda function: show(with_bar(function))
