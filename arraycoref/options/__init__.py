r"""The options of the public functions, which they accept as keywords (``**options: Unpack[BatchOptions]``).

Every function's policies; None is the profile's:
profile: the defaults of the policies, BLANC's boundary cases, the items read in CoNLL files and the way percentages are
    printed: as in the papers (``paper``), the reference scorer 8.01 (``conll``), CorefUD's scorer (``corefud``, and
    ``crac``, to the digit), the port of the reference scorer to Python (``coval``), or the evaluators of neural systems
    (``e2e``, ``maverick``, ``stanza``); see ``docs/conventions.md``.
duplicates: a mention in two entities, or twice in one: refuse it (``error``); count it in ``both``, as the profile's
    scorer does, see `arraycoref.scoring.duplicates`; keep it in the ``first`` or ``last`` entity; or ``drop``
    it. None: ``error``; ``conll`` and ``corefud``: ``both``; with ``lenient``, ``first`` instead of ``error``.
missing_documents: a key document that the response lacks: refuse it (``error``), score it against an ``empty``
    response, or ``skip`` it. None: ``error``; ``conll``: ``empty``.
extra_documents: ``error`` refuses a response document that the key lacks, ``ignore`` leaves it out, as ``conll`` does.
singletons: ``keep`` entities of one mention, or ``drop`` them on both sides, as ``corefud`` does, or
    ``drop-response`` on that side; ``neural``: drop them
    for B³ and LEA, and those of the response for CEAFe, as ``e2e``; ``drop-in-lea``, as ``maverick`` and ``stanza``.
tokens, max_changed: compare tokens where both sides have them, in files or as documents of spaCy and stanza, and refuse
    documents with another number of tokens, many other words, or texts of mentions that are not the words there
    (``error``; few cause a warning); do not (``ignore``); or ``align`` words of files, see ``docs/language_models.md``,
    unless more than a share changed, 0.05 or ``"5%"``. Profile ``conll`` compares their number only.
restrict: ``none`` scores the mentions of both sides; ``key`` leaves out those that the key lacks, ``shared`` those that
    either side lacks, after singletons. Documents with no mention left are skipped. ``shared`` lets metrics that need
    equal mentions score sides with different ones.
truth_sample: of labels, tables and files of one clustering whose key is a sample of whole entities, where the response
    has all records: ``entities`` that were drawn alike, or ``entities:size``, those of records that were drawn; see
    `arraycoref.scoring.entity_sample`. ``none`` takes the key as the whole truth.
beta: recall counts ``beta`` times as much as precision in the F-measure that ``.f1`` holds; 1.0.
corpus: of documents, the ``sums`` are divided; or, as by ``stanza``, ``ratios``: recall and precision are means over
    documents, and F is that of the means. LEA and BLANC, and what is not a ratio, stay sums.
zero_division: in means over documents, 0/0 counts as ``zero``, or ``skip`` leaves the document out of that
    mean. F is 0/0 if both R and P are; the CoNLL average, if any of its three metrics is. Corpus ratios stay 0.

What is scored, and how fast:
metrics: names of metrics, an iterable or one string with commas; None for the defaults, or in statistics for all that
    were scored. All names: `arraycoref.METRIC_NAMES`.
threads, engine: number of threads, 0 for one per core; ``numpy``, ``numba``, or None: compiled code once there is
    work for it, see `arraycoref.twin`. The scores do not depend on them.
progress, names: a function of the numbers of documents (in a sweep, settings) done so far and of all, True for tqdm's
    bar; (D,) document names.

Files:
matching: mentions match if they have the same words, ``exact``; ``head``: also others of one head; ``partial``: also
    parts of a key mention with its head; ``min``: also parts of a key mention with its minimum span, in CoNLL-UA; see
    `arraycoref.match.assignment`. None: ``exact``; ``corefud``: ``head``.
split: ``keep`` gives an entity with split antecedents one more mention, which counts by how well they are resolved; see
    `arraycoref.match.split_antecedents`. ``drop`` ignores split antecedents.
zeros: ``dependent`` matches empty nodes by what they depend on, ``linear`` by their numbers; ``drop`` leaves them out.
heads: of mentions in CoNLL-U: ``agreed``, those in the files, if both sides made them by one rule; ``file``, those in
    the files; ``key-tree``, for both sides the word whose parent in the key's tree is outside; the ``first`` word. Of
    clusters, a mapping from each mention to its head.
window: score windows of so many words, each as a document, with the mentions that begin in it; ``bookcoref``: those
    of 1,500 words by which BookCoref scores, see `arraycoref.match.scoring_windows`.
level: of JSON with an object per mention, whose chains cross documents: make a document of each ``document``, of each
    ``subtopic`` (all parts of its name but the last, ``1/1a`` of ``1/1a/x``) or ``topic`` (the first part), or one of
    the ``corpus``.
bridging_relations: score only bridging links of these relations: ``subset,element``, as the files name them.
upos: score only entities with a head, or a ``flat`` child of one, of these parts of speech: ``NOUN,PROPN``, in CoNLL-U.
spans, pronouns: in analysis, how mentions with wrong boundaries are found: by their ``head``, their ``text``, or
    ``none``, see `arraycoref.analysis.pair.span_errors`; whether an entity is represented by its first mention that
    is not a pronoun, or for clusters, the mentions that are pronouns.
format, key_format, response_format: format of all files, or of those of one side: ``conll``, ``jsonlines`` or a tool,
    see `arraycoref.read.FORMATS`; None to recognize it by each file's suffix and content.
unit: what the positions in JSON count: ``word``, ``subtoken`` or ``character``; None for the shape's unit. This and the
    next six options can differ by side: ``key:word``, ``response:word``, or both with a comma. A side applies to all
    values after it, up to the other: ``key:Id,True Id,response:Id,Cluster``.
end: whether the last number of a mention in JSON, or in clusters with heads, is ``inclusive`` or ``exclusive``; None
    for the shape's end, or inclusive.
start: the number of the first token in JSON, 0 or 1; None for the shape's.
clusters_field, name_field: fields of the clusters and of the document's name in JSON; None for the shape's.
column: number of the coreference column in CoNLL files, from 1, or from -1 at the right; None for the last. Its name in
    CoNLL-UA, such as ``discourse_deixis``; None for ``identity``.
columns, frame: columns of tables, ``DOCUMENT,MENTION,LABEL`` or ``MENTION,LABEL``, with ``start+end`` for columns that
    make a mention together; they can differ by side; None for the tool's. Length of a frame of RTTM in seconds.
relations, annotator: of annotation tools, names of the links or the layer of chains that mean identity, with commas;
    None for those named coreference, or the only ones. Whose annotation is read, which can differ by side too.
join: ``overlap`` joins windows of a document in annotated text by the mentions that they share; None refuses windows.
lenient: skip problems of the files instead of raising the first, with a `ReadWarning` for each of the first ten of a
    side and one that counts the others; and keep repeated mentions in the ``first`` entity, see ``duplicates``.
on_error, max_bytes: called with each problem skipped and each warning, instead of warnings; most bytes of a file.
layers: whether documents keep what JSON says beside words and clusters, see `arraycoref.read.layers`.
keep_relations: whether documents keep bridging and the like, see `arraycoref.read.relations`; metrics that need it do.

Sweeps:
name_pattern: a regular expression that is found in the path of each run and whose named groups are its parameters, as
    in ``(?P<system>\w+)_s(?P<seed>\d+)``; None to find parameters such as ``seed=1`` without an expression.
pair_columns: columns of a table of scored pairs, ``LEFT,RIGHT,SCORE``, with ``SOURCE+ID`` for ids of two columns; None
    for those of Splink and other usual names, see `arraycoref.read.columns`.
present: for a key of labels: (M,) booleans, which of its mentions the response has, and no others; None for all.
mentions: for a key of clusters: the mention of each leaf, in order, or such mentions by document name. The key may lack
    some of them, and may have mentions without a leaf. No mention may have two leaves.

Statistics:
metric, field: name of the metric that is compared; its ``recall``, ``precision`` or ``f1``.
average: ``micro`` for corpus scores, ratios of sums over documents; ``macro`` for means of documents' scores.
test: ``randomization``, which exchanges documents of two systems, or ``bootstrap``, which draws documents.
alternative: ``two-sided``; ``greater``, that the first system is better; ``less``, that the second is.
correction: of p-values, for the number of tests: ``maxt``, the step-down maximum of all tested pairs in each resample;
    ``holm``, ``bh`` (Benjamini-Hochberg) or ``none``, see `arraycoref.stats.adjust_pvalues`.
resample_by: what is resampled and exchanged: each ``document``, or groups whose counts are added up: an expression that
    finds the group in a document's name, (D,) labels, or a mapping from names to them. Of one document, each key
    ``entity`` (and mention that the key lacks), each ``component`` of entities that share mentions, or groups of
    mentions, (M,) labels. None: ``document``, or ``entity`` of one document; see `arraycoref.stats.sample`.
alpha, resamples: level at which a difference is significant; number of resamples of the documents.
method, confidence: kind of confidence intervals, ``percentile`` or ``bca`` (bias-corrected, accelerated; of one
    clustering: ``linearized``, Student's t); their level.
seed: an integer, a NumPy generator that draws one, or None for a new one; the result holds it, to repeat the result.

A policy has a field of `arraycoref.options.policies.Policies` with its values and default, an entry in `OPTIONS`, which
makes ``--help``, and a line here and in a ``TypedDict``.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal, TypedDict, TypeVar, get_args, get_type_hints

from arraycoref.exceptions import OptionError, ReadError, UnknownNameError
from arraycoref.options import policies as values
from arraycoref.options.policies import PROFILES, Policies, share_of, window_of

F = TypeVar("F", bound=Callable[..., Any])
Metrics = str | Iterable[str] | None
Progress = Callable[[int, int], None]


class ScoreOptions(TypedDict, total=False):
    """Policies of every scoring function, and its engine."""

    profile: values.Profile
    singletons: values.Singletons | None
    restrict: values.Restrict
    beta: float
    zero_division: values.ZeroDivision
    corpus: values.Corpus | None
    engine: Literal["numpy", "numba"] | None


class MentionOptions(ScoreOptions, total=False):
    """Policies for clusters, in which a mention may repeat, of documents that may have words."""

    duplicates: values.Duplicates | None
    tokens: values.Tokens


class PolicyOptions(MentionOptions, total=False):
    """Policies for documents that are paired by name."""

    missing_documents: values.MissingDocuments | None
    extra_documents: values.ExtraDocuments | None


class LabelOptions(ScoreOptions, total=False):
    """Options for one document given as labels."""

    metrics: Metrics


class TruthSampleOptions(LabelOptions, total=False):
    """Options for one document given as labels, whose key may be a sample."""

    truth_sample: values.TruthSample


class LabelBatchOptions(LabelOptions, total=False):
    """Options for documents given as labels."""

    threads: int
    progress: Progress | bool | None


class ClusterOptions(LabelOptions, MentionOptions, total=False):
    """Options for one document given as clusters."""


class BatchOptions(LabelBatchOptions, PolicyOptions, total=False):
    """Options for documents that are paired by name."""


class TableOptions(BatchOptions, TruthSampleOptions, total=False):
    """Options for tables, whose key may be a sample."""


class SpanOptions(ClusterOptions, total=False):
    """Options for one document given as clusters, of spans if heads are given."""

    matching: values.Matching | None
    end: str | None


class SpanBatchOptions(SpanOptions, BatchOptions, total=False):
    """Options for documents given as clusters, of spans if heads are given."""


class PartitionOptions(LabelOptions, PolicyOptions, total=False):
    """Options for documents that another engine, such as Dask, distributes to its workers."""

    progress: Progress | bool | None


class SideOptions(TypedDict, total=False):
    """Options for reading files of one side."""

    format: str | None
    unit: str | None
    end: str | None
    start: int | str | None
    clusters_field: str | None
    name_field: str | None
    column: int | str | None
    columns: Any
    frame: float
    level: values.Level
    join: Literal["overlap"] | None
    relations: Any
    annotator: str | None
    max_bytes: int | None


class ReadOptions(SideOptions, total=False):
    """Options for reading files of both sides."""

    key_format: str | None
    response_format: str | None
    lenient: bool
    on_error: Callable[[ReadError], None] | None


class ConvertOptions(SideOptions, total=False):
    """Options for documents that may get the words of other files."""

    missing_documents: values.MissingDocuments | None
    extra_documents: values.ExtraDocuments | None
    tokens: values.Tokens
    max_changed: float | str | None


class FileOptions(BatchOptions, ReadOptions, total=False):
    """Options for documents in files."""

    matching: values.Matching | None
    zeros: values.Zeros
    split: values.Split
    heads: values.Heads
    upos: str | None
    bridging_relations: str | None
    window: int | str | None
    max_changed: float | str | None


class ScoredFileOptions(FileOptions, TruthSampleOptions, total=False):
    """Options for documents in files, whose key may be a sample."""


class SweepFileOptions(FileOptions, total=False):
    """Options for a key and many responses in files."""

    name_pattern: str | None


class SweepOptions(BatchOptions, total=False):
    """Options for a key and many responses."""

    names: Iterable[str] | None


class CutOptions(SweepOptions, total=False):
    """Options for the links or the hierarchical clustering of one system, cut at many thresholds."""

    present: Any
    mentions: Iterable[Any] | Mapping[str, Iterable[Any]] | None


class PairOptions(CutOptions, SideOptions, total=False):
    """Options for scored pairs, of mentions or of records in tables."""

    pair_columns: str | None


@dataclass(frozen=True)
class Option:
    """One option of the public functions and of the command line.

    Attributes:
        default: its value if the user gives none.
        brief: what it does, for ``--help``; empty for an option that is not made from this definition there.
        choices: its values, if they are a fixed set.
        kind: ``int``, ``float``, ``bool``; ``str`` for text, maybe beside others; ``object`` for what is not text.
        about: what it changes: ``scores``, whose signature names it; ``statistics``, whose footer names it; ``reading``
            files and input; or ``running``. It is also the option's group in ``--help``.
        limits: of an ``int``, the least and the greatest value; of a ``float``, numbers between which it is.
        per_side: whether its values may differ by side: see `arraycoref.options.policies.of_side`.
        noted: whether a note names its value where it is given, because scores depend on it.
    """

    default: object
    brief: str = ""
    choices: tuple[str, ...] = ()
    kind: type = str
    about: str = "scores"
    limits: tuple[float, float] = (0, float("inf"))
    per_side: bool = False
    noted: bool = False

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that is not one of the choices, not of the kind, or beyond the limits."""
        low, high = self.limits
        if self.kind is object or value is self.default:
            return
        if self.choices:
            if not isinstance(value, str) or value not in self.choices:
                raise UnknownNameError(name, value, self.choices)
        elif self.kind is int:
            if isinstance(value, bool) or not isinstance(value, Integral) or not low <= int(value) <= high:
                raise OptionError(f"{name} is {value!r}; expected a whole number, {low} or more", name)
        elif self.kind is float:
            if not isinstance(value, Real) or not low < float(value) < high:
                raise OptionError(f"{name} is {value!r}; expected a number above {low:g} and below {high:g}", name)
        elif self.kind is bool and value not in (True, False):
            raise OptionError(f"{name} is {value!r:.60}; expected True or False", name)


def _completed(name: str, option: Option) -> Option:
    """Return an option; that of a policy with its values, and its default, None where that depends on the profile."""
    if option.default is not _POLICY:
        return option
    defaults = {getattr(policies, name) for policies in PROFILES.values()}
    if len(defaults) == 1:
        return replace(option, default=getattr(Policies, name), choices=get_args(_KINDS[name]))
    brief = f"{option.brief}  [default: by profile]"
    return replace(option, default=None, brief=brief, choices=get_args(_KINDS[name]))


_KINDS, _POLICY = get_type_hints(Policies), object()
_READ, _RUN, _STATS = (partial(Option, about=about) for about in ("reading", "running", "statistics"))
_SIDE = partial(_READ, per_side=True, noted=True)
_policy = partial(Option, _POLICY)

_DEFINED = {  # every option that several functions accept, by name
    "metrics": _RUN(None, kind=object),
    "profile": Option(
        "paper", "Follow the papers, the reference scorer 8.01, CorefUD's scorer, or that of a system.", tuple(PROFILES)
    ),
    "duplicates": _policy(
        "A mention in two entities. error: stop; both: count it in each; first, last: keep one; drop: leave it out."
    ),
    "missing_documents": _policy(
        "Key documents that are missing from the response. error: stop; empty: score them as empty; skip: leave them "
        "out."
    ),
    "extra_documents": _policy("Response documents that are not in the key. error: stop; ignore: leave them out."),
    "singletons": _policy(
        "Entities with one mention. keep; drop: on both sides; drop-response; neural, drop-in-lea: in some metrics, as "
        "profiles e2e and maverick do."
    ),
    "restrict": _policy("Which mentions to score. none: all; key: those in the key; shared: those on both sides."),
    "truth_sample": _policy(
        "The truth is a sample of whole entities. entities: all equally likely; entities:size: those of drawn records."
    ),
    "matching": _policy(
        "Which mentions match. exact: same words; head: or same head; partial: or part of a key mention; min: or a "
        "part with its minimum span."
    ),
    "zeros": _policy("Empty nodes (zeros). dependent: match by parent; linear: by number; drop: leave out."),
    "split": _policy("Split antecedents (CorefUD, CoNLL-UA). drop: ignore them; keep: score them as one more mention."),
    "heads": _policy(
        "Where heads come from. agreed: the files, if both sides use one head rule; file: the files; key-tree: the "
        "key's syntax trees; first: first words."
    ),
    "upos": Option(None, "Score only entities with a head of these parts of speech (CoNLL-U)."),
    "bridging_relations": Option(None, "Score only bridging links of these relations, as the files name them."),
    "window": Option(None, "Score windows of N words as documents; bookcoref: 1,500 words, as BookCoref does."),
    "level": _policy("What counts as one document in JSON with one object per mention (chains across documents)."),
    "spans": _READ(
        None,
        "Find mentions with wrong boundaries. head: same head, else last word; text: same text without articles and "
        "punctuation, else head; none: do not look.  [default: head, if mentions are spans of words]",
        ("head", "text", "none"),
    ),
    "pronouns": _READ(None, kind=object),
    "beta": _policy(
        "F-beta: recall counts this many times as much as precision.",
        kind=float,
        limits=(0, 1e150),  # the square of a larger one might be no number
    ),
    "zero_division": _policy("0/0 in means over documents. zero: count it as 0; skip: leave the document out."),
    "corpus": _policy(
        "Corpus scores. sums: divide sums over documents; ratios: average the documents' recall and precision."
    ),
    "threads": _RUN(1, "Use this many threads; 0: one per core.", kind=int),
    "engine": _RUN(None, choices=("numpy", "numba")),
    "progress": _RUN(None, kind=object),
    "format": _READ(
        None,
        "Read all files as conll, craft, conllu, conllua, jsonlines, or as JSON, a table or the markup of this tool.  "
        "[default: by each file's suffix and content]",
        noted=True,
    ),
    "key_format": _READ(None, "Read the key's files in this format."),
    "response_format": _READ(None, "Read the response's files in this format."),
    "unit": _SIDE(None, "Read positions in JSON as numbers of words, subtokens or characters."),
    "end": _SIDE(None, "Read the ends of mentions in JSON as inclusive or exclusive."),
    "start": _SIDE(None, "Number of the first token in JSON: 0 or 1."),
    "clusters_field": _SIDE(None, "Read the clusters in this field of JSON."),
    "name_field": _READ(None, "Read the documents' names in this field of JSON.", per_side=True),
    "column": _SIDE(
        None,
        "Coreference column of CoNLL files: a number from 1, or from -1 at the right; of CoNLL-UA: identity or "
        "discourse_deixis.  [default: the last, identity]",
    ),
    "columns": _READ(
        None,
        "Columns of tables: DOCUMENT,MENTION,LABEL or MENTION,LABEL; start+end joins two columns.  [default: "
        "document,mention,label, or those of the tool]",
        per_side=True,
    ),
    "join": _READ(None, "Join windows of annotated text that share mentions: overlap.", ("overlap",)),
    "frame": _policy("Cut RTTM into frames of this many seconds.", kind=float),
    "relations": _READ(
        None, "Join mentions by these relations, or layer of chains, of annotation tools: NAME,NAME.", noted=True
    ),
    "annotator": _SIDE(None, "Read this annotator's work from files of annotation tools that have several's."),
    "tokens": _policy(
        "Tokens that differ from the key's. error: stop; ignore: compare positions only; align: match the texts."
    ),
    "max_changed": Option(
        None, "With --tokens align: stop if more tokens of a document were changed, deleted or inserted."
    ),
    "lenient": _policy(
        "Skip what cannot be read, warn about the first ten problems, and keep a repeated mention in its first entity.",
        kind=bool,
    ),
    "on_error": _READ(None, kind=object),
    "layers": _READ(False, kind=bool),
    "keep_relations": _READ(False, kind=bool),
    "max_bytes": _READ(
        None,
        "Stop at files with more bytes, decompressed.  [default: 1 GiB or 200 times a compressed file's size]",
        kind=int,
        limits=(1, 2**62),
    ),
    "name_pattern": _READ(
        None, r"Name runs by the named groups of REGEX in their paths: '(?P<system>\w+)_s(?P<seed>\d+)'."
    ),
    "pair_columns": _READ(None, "Read these columns of scored pairs: LEFT,RIGHT,SCORE; SOURCE+ID: both make the id."),
    **dict.fromkeys(("names", "present", "mentions"), _READ(None, kind=object)),
    "metric": _STATS("conll", "Rank systems by this metric."),
    "field": _STATS("f1", "Rank by the metric's recall, precision or F.", choices=("recall", "precision", "f1")),
    "average": Option("micro", choices=("micro", "macro")),
    "test": _STATS(
        "randomization",
        "Test by approximate randomization or paired bootstrap, two-sided.",
        choices=("randomization", "bootstrap"),
    ),
    "alternative": _STATS("two-sided", choices=("two-sided", "greater", "less")),
    "correction": _STATS(
        "maxt",
        "Correct p-values for many tests; maxt: step-down maximum over all tests in each resample; bh: "
        "Benjamini-Hochberg.",
        choices=("maxt", "holm", "bh", "none"),
    ),
    "alpha": _STATS(0.05, "Significance level.", kind=float, limits=(0, 1)),
    "method": _STATS("bca", "Compute bootstrap intervals of this kind.", choices=("bca", "percentile")),
    "confidence": _STATS(0.95, "Confidence level of intervals.", kind=float, limits=(0, 1)),
    "resample_by": _STATS(
        None,
        "What to resample: documents, groups of documents (REGEX finds the group in the name), or, for a single "
        "document, its entities or components.",
        kind=object,
    ),
    "resamples": _STATS(10_000, "Number of resamples.", kind=int, limits=(1, 2**53)),
    "seed": _STATS(0, "Random seed.", kind=object),
}
OPTIONS: Mapping[str, Option] = {name: _completed(name, option) for name, option in _DEFINED.items()}


OTHER_NAMES = {
    **{"n_resamples": "resamples", "random_state": "seed", "rng": "seed", "n_jobs": "threads"},
    **{"confidence_level": "confidence", "metric": "metrics"},
    **{"score_pairs": "score_file_pairs", "score_variants": "score_corefud", "load_sweep": "load_runs"},
    **{"Grouped": "GroupedScores", "pairs": "file_pairs", "variants": "corefud_columns", "rows": "max_sentences"},
    **{"edges": "scored_pairs", "edge_columns": "pair_columns", "group": "name_pattern", "table": "listed"},
    **{"colour": "color", "by": "plot_by", "over": "plot_over"},
}
"""Options of NumPy, SciPy and scikit-learn, and names in older scripts, with the names to use."""


def with_signature(function: F) -> F:
    """Let ``help`` show each option of a function that takes ``**options``, with its values and its default.

    The values come from the ``TypedDict`` that its annotation names, the defaults and the order from `OPTIONS`. How the
    function is called stays as it is.
    """
    written = inspect.signature(function)
    group = re.fullmatch(r"Unpack\[(\w+)\]", str(getattr(written.parameters.get("options"), "annotation", "")))
    if group:
        kinds = get_type_hints(inspect.unwrap(function).__globals__[group[1]])
        shown = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kinds[name])
            for name, option in OPTIONS.items()
            if name in kinds
        ]
        own = [*written.parameters.values()][:-1]
        function.__signature__ = written.replace(parameters=[*own, *shown])  # type: ignore[attr-defined]
    return function


def check_options(options: Mapping[str, Any], *groups: type) -> None:
    """Refuse keywords that a function does not accept, and values that an option does not have.

    Args:
        options: keywords that the user gave.
        groups: each ``TypedDict`` of options that the function accepts.

    Raises:
        TypeError: a keyword in none of the groups.
        UnknownNameError: a value that is not one of an option's choices.
        OptionError: a value out of range.
    """
    known = dict.fromkeys(name for group in groups for name in group.__annotations__)
    for name, value in options.items():
        if name not in known:
            here, named = OTHER_NAMES.get(name), {*known, "metrics", "file_pairs", "max_sentences"}
            here = f"{here}={value!r:.60}" if here in named else f"some of: {', '.join(known)}"
            raise TypeError(f"got an unexpected keyword argument {name!r}; expected {here}")
        if name in OPTIONS:
            OPTIONS[name].check(name, value)


def resolve_policies(options: Mapping[str, Any], *groups: type) -> Policies:
    """Return the policies of a profile, with those that the user gave instead of its defaults.

    All options are checked, also those that are not policies; arguments and errors are those of `check_options`.
    """
    if not options:
        usual = object.__new__(Policies)  # in half the time that Policies() takes
        usual.__dict__.update(vars(PROFILES["paper"]), notes=Counter())
        return usual
    check_options(options, *groups)
    asked = {name: value for name, value in options.items() if name in _KINDS and value is not None}
    if "upos" in asked:
        asked["upos"] = ",".join(sorted({name.strip().upper() for name in asked["upos"].split(",")}))
    if "bridging_relations" in asked:
        asked["bridging_relations"] = ",".join(sorted(map(str.strip, asked["bridging_relations"].split(","))))
    asked |= {name: share_of(value) for name, value in asked.items() if name == "max_changed"}
    asked |= {name: window_of(value) for name, value in asked.items() if name == "window"}
    asked |= {name: float(value) for name, value in asked.items() if OPTIONS[name].kind is float}
    profile = PROFILES[options.get("profile", "paper")]
    if "max_changed" in asked and asked.get("tokens", profile.tokens) != "align":
        raise OptionError("max_changed has no effect without tokens='align'; expected both", "max_changed tokens")
    first: Any = {"duplicates": "first"} if asked.get("lenient") and profile.duplicates == "error" else {}
    policies = replace(profile, notes=Counter(), **(first | asked))
    if policies.matching != "exact" and not any("matching" in group.__annotations__ for group in groups):
        reason = "is for files with heads, and for score and score_batch with heads={mention: head}"
        raise OptionError(f"matching {policies.matching!r} {reason}; expected 'exact' here", "matching")
    return policies
