"""The options of scoring, each defined once: its name, its values, its default and its help text.

To add a policy, add a field to `Policies`, an entry to `OPTIONS` and a line to the ``TypedDict`` of the functions that
accept it. The signatures and docstrings of these functions and ``--help`` are made from these definitions. A policy on
which scores depend also needs a field of `Signature`, which is printed with every score.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, cast, get_args

from arraycoref import __version__
from arraycoref.errors import ReadError, UnknownNameError
from arraycoref.keywords import Option, refuse_unknown, shows
from arraycoref.runtime import progress_of
from arraycoref.scoring.metrics.score import check_beta

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
        "names of metrics, an iterable or one string with commas; None: the defaults; see `arraycoref.METRIC_NAMES`.",
        kind="str | Iterable[str] | None",
    ),
    "profile": Option(
        "paper",
        "the defaults of the policies, BLANC's boundary cases and the way percentages are printed: as in the papers, "
        "or as in the reference scorer 8.01.",
        "Follow the papers, or the reference scorer 8.01.",
        choices=get_args(Profile),
    ),
    "duplicates": Option(
        None,
        "a mention in two entities, or twice in one: refuse it, keep it in the entity that comes first or last, or drop"
        " it. None for the profile's policy: ``error``, but for the response in profile ``conll``: ``first``.",
        "Refuse repeated mentions, keep them in the first or last entity, or drop them.  [default: by profile]",
        choices=get_args(Duplicates),
    ),
    "missing_documents": Option(
        None,
        "a key document that the response lacks: refuse it, score it against an empty response, or leave it out. None "
        "for the profile's policy: ``error``, but in profile ``conll``: ``empty``.",
        "Refuse key documents that the response lacks, score them as empty, or skip them.  [default: by profile]",
        choices=get_args(MissingDocuments),
    ),
    "extra_documents": Option(
        None,
        "a response document that the key lacks: refuse or ignore it. None for the profile's policy: ``error``, but "
        "in profile ``conll``: ``ignore``.",
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
        "number of threads; 0 for one per core. The scores do not depend on it.",
        "Use this many threads; 0: one per core.",
        kind="int",
    ),
    "progress": Option(
        None,
        "a function that is called with two numbers, of the documents (in a sweep, settings) done so far and of all; "
        "True for a bar in the terminal or notebook, drawn by tqdm.",
        kind="Callable[[int, int], None] | bool | None",
    ),
    "format": Option(
        None,
        "format of the files: ``conll``, ``jsonlines`` or the name of a shape of JSON; None to recognise it by each "
        "file's suffix and fields. All names: `arraycoref.read.FORMATS`.",
        "Read all files as conll, jsonlines, or JSON of this tool.  [default: by each file's suffix and fields]",
    ),
    "key_format": Option(None, "the same for the key alone.", "Read the key's files in this format."),
    "response_format": Option(None, "the same for the response alone.", "Read the response's files in this format."),
    "unit": Option(
        None,
        "what the positions in JSON count: ``word``, ``subtoken`` or ``character``; None for the shape's unit. This "
        "and the next four options can differ by side: ``key:word``, ``response:word``, or both with a comma.",
        "Read positions in JSON as numbers of words, subtokens or characters; key:UNIT or response:UNIT for one side.",
    ),
    "end": Option(
        None,
        "whether the last number of a mention in JSON is ``inclusive`` or ``exclusive``; None for the shape's end.",
        "Read the ends of mentions in JSON as inclusive or exclusive; key:END or response:END for one side.",
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
        "number of the coreference column in CoNLL files, from 1, or from -1 at the right; None for the last.",
        "Read the coreference in this column of CoNLL files, from 1, or from -1 at the right; key:N or response:N for "
        "one side.  [default: the last]",
        kind="int | str | None",
    ),
    "tokens": Option(
        "error",
        "compare tokens where both sides have them, and refuse documents with another number of tokens or many other "
        "words (few cause a warning); or do not compare. Profile ``conll`` compares the number of tokens only.",
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
        None, "called, in place of the warning, with each fault passed over.", kind="Callable[[ReadError], None] | None"
    ),
    "max_bytes": Option(
        None,
        "the most bytes that a file may hold, decompressed; see `arraycoref.read.read_documents`.",
        "Refuse files that hold more bytes, decompressed.  [default: 1 GiB or 200 times a compressed file's size]",
        kind="int | None",
    ),
    "checkpoint": Option(
        None,
        "an ``.npz`` file of scored settings. Settings in it are not scored again (a generator must still yield them). "
        "It is written every minute, at the end, and when the sweep is interrupted, with all settings scored so far.",
        kind="str | os.PathLike[str] | None",
    ),
    "group": Option(
        None,
        r"a regular expression that is found in the path of each run and whose named groups are its parameters, as in "
        r"``(?P<system>\w+)_s(?P<seed>\d+)``; None to find parameters such as ``seed=1`` without an expression.",
        r"Name runs by the named groups of REGEX in their paths: '(?P<system>\w+)_s(?P<seed>\d+)'.",
    ),
    "names": Option(None, "(D,) document names.", kind="Iterable[str] | None"),
    "present": Option(
        None,
        "for a key of labels: (M,) booleans, which mentions of the key the response has; None for all. The "
        "clusters of the response hold no others.",
        kind="ArrayLike | None",
    ),
    "mentions": Option(
        None,
        "for a key of clusters: the mention of each leaf, in order; if the key is a mapping, such mentions by document "
        "name. The key may lack some of them, and may have mentions without a leaf. No mention may have two leaves.",
        kind="Iterable[Hashable] | Mapping[str, Iterable[Hashable]] | None",
    ),
}
"""Every option that several functions accept, by name."""


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
    progress: Progress | Any  # `with_bar` replaces True by a function that draws a bar


class ClusterOptions(LabelOptions, MentionOptions, total=False):
    """Options for one document given as clusters."""


class BatchOptions(LabelBatchOptions, PolicyOptions, total=False):
    """Options for documents that are paired by name."""


class PartitionOptions(LabelOptions, PolicyOptions, total=False):
    """Options for documents that another engine, such as Dask, distributes to its workers."""

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
    """Options for the links or the hierarchical clustering of one system, cut at many thresholds."""

    names: Iterable[str] | None
    present: ArrayLike | None
    mentions: Iterable[Hashable] | Mapping[str, Iterable[Hashable]] | None


@dataclass(frozen=True)
class Policies:
    """The choices that the definitions of the metrics leave open; see `OPTIONS`.

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
        """The policy of both sides if it is the same, otherwise both with a slash, such as ``error/first``."""
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
    """All that a score depends on besides its input: version, profile and policies. It is printed as one line.

    Attributes:
        version: the version of arraycoref.
        profile: this and the attributes after it are the options of `OPTIONS`. ``duplicates`` is ``key/response``, such
            as ``error/first``, where the policies of the two sides differ.
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
    """Return the signature of policies, with which a reader can reproduce a score."""
    names = Signature.__annotations__.keys() - {"version"}
    return Signature(__version__, **{name: getattr(policies, name) for name in names})


def resolve_policies(options: Mapping[str, Any], *groups: type) -> Policies:
    """Return the policies of a profile, with the policies that the user gave in place of its defaults.

    Args:
        options: keywords that the user gave; those that are no policies are ignored here.
        groups: each ``TypedDict`` of options that the function accepts.

    Raises:
        TypeError: a keyword that the function does not accept.
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
    """Make a decorator that lists a function's ``**options`` in its signature and docstring, and draws a progress bar.

    See `arraycoref.keywords.shows`. A bar is drawn where the user gives ``progress=True``.

    Args:
        groups: each ``TypedDict`` of options that the function accepts.
        known: descriptions of the options, by name.
    """
    show = shows(*groups, known=known)
    if all("progress" not in group.__annotations__ for group in groups):
        return show
    return lambda function: show(_with_bar(function))


def _with_bar(function: F) -> F:
    """Let a function whose option ``progress`` is a function of two numbers, done and total, also accept True."""

    @wraps(function)
    def shown(*args: Any, **options: Any) -> Any:
        if "progress" in options:
            options["progress"] = progress_of(options)
        return function(*args, **options)

    return cast("F", shown)
