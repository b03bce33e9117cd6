"""Analyze labels, clusters and files: the public functions, which bring all sides on one index, and their result."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.analysis.analyzed import BROKEN_DOWN, Analyzed
from arraycoref.analysis.breakdown import Breakdowns, known_attributes
from arraycoref.analysis.errors import ErrorTable
from arraycoref.analysis.explanation import Explanation
from arraycoref.analysis.findings import Findings, findings_of
from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.page import Page
from arraycoref.analysis.show import Shown, TextLayout
from arraycoref.api import read_sides
from arraycoref.exceptions import InputError, OptionError
from arraycoref.match import MatchedSides, match_documents
from arraycoref.match.documents import pair_documents
from arraycoref.match.mentions import label_mentions
from arraycoref.match.objects import Clusters, ObjectMentions, refuse_batch
from arraycoref.match.spacy_stanza import ClustersOfText, clusters_of
from arraycoref.match.spans import Heads, documents_of_spans, refuse_heads
from arraycoref.options import FileOptions, LabelBatchOptions, SpanBatchOptions, resolve_policies
from arraycoref.options.policies import Policies
from arraycoref.ragged import Bools, Ints, Objects, number_rows, owners, run_starts
from arraycoref.read import read_side
from arraycoref.read.annotation import with_types_of_all
from arraycoref.read.documents import take
from arraycoref.read.paths import Source
from arraycoref.read.record_fields import NO_FIELDS, further_fields, read_fields
from arraycoref.scoring.clusterings import Clusterings, document_names
from arraycoref.scoring.label_forms import lay_out
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.restriction import WITHOUT, prepare
from arraycoref.stats.draws import IntervalOptions
from arraycoref.twin import with_engine

RESPONSE = "response"
"""The name of a response that was given without one."""


class LookOptions(FileOptions, total=False):
    """Options of `analyze_files`, and those of `analyze` that are not among them."""

    spans: Literal["head", "text", "none"] | None
    pronouns: Any
    records: Any


class CostOptions(LookOptions, IntervalOptions, total=False):
    """Options of analysis, and of the intervals of what it finds."""


@with_engine
def analyze_files(
    key: Source,
    response: Source | Mapping[str, Source],
    *,
    spans: str | None = None,
    pronouns: bool = True,
    records: Any = None,
    bridging: bool = False,
    **options: Unpack[FileOptions],
) -> Analysis:
    """Find what went wrong in one response, or in several responses to one key, from files.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> ac.analyze_files("key.jsonl", "response.jsonl").error_counts["missing-mention"].f1.tolist()
        [1.0]

    Args:
        key: as in `arraycoref.score_files`.
        response: the same, or a mapping from names to sources for several responses. With
            ``missing_documents="skip"``, only documents that all responses have are analyzed.
        spans: how mentions are found whose span alone is wrong, see `arraycoref.analysis.pair.span_errors`: ``head``,
            ``text`` or ``none``; None for ``head`` where mentions are spans of words, otherwise ``none``.
        pronouns: whether an entity is represented by its first mention that is not a pronoun, if tags are known.
        records: the fields of mentions that are records, which `Analysis.show` and the page show: a table or its path,
            as for `arraycoref.sweeps.wrong_pairs`; None for further columns of a key that is one table.
        bridging: whether to read bridging links, which `Analysis.show` shows.
        **options: see `arraycoref.options`.

    Raises:
        ReadError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `arraycoref.score_files`; or an
            option that analysis cannot honor: ``duplicates="both"``, and ``restrict="shared"`` for several responses.
    """
    policies = _single(resolve_policies(options, FileOptions), options)
    asked, policies = policies.split, replace(policies, split="drop")
    if options.get("metrics") is not None:
        options["metrics"] = resolve_metrics(options["metrics"])  # fail before files are read
    systems = _named(response)
    own, on_error = [policies.with_own_notes() for _ in systems], options.get("on_error")
    first, *others = systems.values()
    reading = {**options, "keep_relations": bridging}
    keys, read = read_sides(key, first, reading, own[0])
    policies_of = zip(others, own[1:], strict=True)
    responses = [read, *(read_side(source, reading, "response", policy) for source, policy in policies_of)]
    keys, *responses = with_types_of_all(keys, *responses)
    matched = [match_documents(keys, side, policy, on_error) for side, policy in zip(responses, own, strict=True)]
    for policy in own if asked == "keep" else ():
        policy.note(len(keys), "document", "without split antecedents: only mentions that have words are analyzed")
    names = [pair.clusterings.names or () for pair in matched]
    if len(set(names)) > 1:  # with missing_documents="skip"
        shared = set(names[0]).intersection(*names[1:])
        kept = take(keys, [d for d, name in enumerate(keys.names) if name in shared])
        own = [replace(policy.with_own_notes(), extra_documents="ignore") for policy in own]
        matched = [match_documents(kept, side, policy, on_error) for side, policy in zip(responses, own, strict=True)]
        for policy in own:
            policy.notes.clear()
            policy.note(len(keys) - len(kept), "document", "left out: not in every response")

    def flags_of(index: MentionIndex) -> Bools | None:
        return index.is_pronoun if pronouns else None

    fields, n_parts, limit = NO_FIELDS, len(keys.columns), options.get("max_bytes")
    if records is not None:
        fields = read_fields(records, keys.columns, n_parts or 1, limit)
    elif n_parts and len(keys) == 1 and not keys.named[0]:
        fields = further_fields(key, n_parts, options.get("columns"), limit)
    made = _of_matched(systems, matched, policies, own, options, spans, flags_of)
    if not fields.names:
        return made
    missing = fields.missing(chain.from_iterable(map(TextLayout(made.index).ids, range(len(keys)))), options)
    notes = tuple([(*of_system, *missing) for of_system in made.notes])
    return replace(made, index=replace(made.index, fields=fields), notes=notes)


@with_engine
def analyze(
    key: Clusters | Mapping[str, Clusters],
    response: Any,
    *,
    heads: Heads | Mapping[str, Heads] | None = None,
    spans: str | None = None,
    pronouns: Collection[Any] = (),
    **options: Unpack[SpanBatchOptions],
) -> Analysis:
    """Find what went wrong in one response, or in several responses to one key, given as clusters of mentions.

    Mentions that all are pairs of whole numbers are spans (first word, last word), in the order of the text; others
    are in the order in which they occur first, in the key, then in the responses.

        >>> import arraycoref as ac
        >>> a = ac.analyze([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])
        >>> {name: a.error_counts[name].f1.tolist() for name in ("missing-mention", "extra-mention")}
        {'missing-mention': [0.0], 'extra-mention': [1.0]}

    Args:
        key: clusters of one document, as `arraycoref.score` accepts them; or a mapping from names of documents to
            clusters.
        response: the same. For several responses, a mapping from their names to clusters; if the key is a mapping, to
            mappings.
        heads: as for `arraycoref.score`, or by names of documents as for `arraycoref.score_batch`.
        spans: as for `analyze_files`.
        pronouns: the mentions that are pronouns; an entity is represented by its first mention that is not one.
        **options: see `arraycoref.options`.

    Raises:
        InputError, DuplicateMentionError, DocumentMismatchError: as for `arraycoref.score_batch`; and options as for
            `analyze_files`.
    """
    policies = _single(resolve_policies(options, SpanBatchOptions), options)
    several = isinstance(response, Mapping)
    if isinstance(key, Mapping):
        if not isinstance(response, Mapping):
            raise InputError("the key is a mapping and the response is not; expected a mapping from names of documents")
        several = bool(response) and all(isinstance(side, Mapping) for side in response.values())
    systems = _named(response) if several else {RESPONSE: response}
    own = [policies.with_own_notes() for _ in systems]
    if isinstance(key, Mapping):
        pairs = [pair_documents([*key], [*side], policy)[0] for side, policy in zip(systems.values(), own, strict=True)]
        names: list[str] | None = [name for d, name in enumerate(key) if all(d in kept for kept in pairs)]
        sides = [[side.get(name, ()) for name in names or ()] for side in (key, *systems.values())]
    else:
        names, sides = None, [[key], *([clusters] for clusters in systems.values())]
        for what, (clusters,) in zip(("key", *systems), sides, strict=True):
            refuse_batch(clusters, what)
    sides = [list(map(clusters_of, side)) for side in sides]
    if heads is None:
        refuse_heads(policies)
    if heads is not None or _are_spans(sides):
        of_names: Any = None if heads is None else [heads] if names is None else [heads.get(name, {}) for name in names]
        has_text = any(isinstance(clusters, ClustersOfText) for clusters in sides[0])  # as documents of spaCy
        is_open = has_text or options.get("end") == "exclusive"
        end = "exclusive" if is_open else "inclusive"
        named_sides = zip(("key", *systems), sides, strict=True)
        read = [documents_of_spans(what, side, names, of_names, end) for what, side in named_sides]
        matched = []
        for side, policy in zip(read[1:], own, strict=True):
            on_error = None if read[0].mentions and side.mentions else (lambda _: None)
            matched.append(match_documents(read[0], side, replace(policy, heads="file"), on_error))

        def flags_of(index: MentionIndex) -> Bools | None:
            spans_of = zip(index.start.tolist(), (index.end + is_open).tolist(), strict=True)
            return np.array([span in pronouns for span in spans_of], np.bool_) if pronouns else None

        return _of_matched(systems, matched, policies, own, options, spans, flags_of)
    if spans not in (None, "none"):
        raise OptionError(f"spans is {spans!r}, but the mentions are not spans of words; expected 'none'", "spans")
    labels, offsets, values = _labeled(sides, tuple(systems), names, own)
    prepared = _prepared([Clusterings(*pair, offsets) for pair in labels], own)
    of_sides, shown = [prepared[0][0], *(labels for _, labels in prepared)], document_names(names, len(sides[0]))
    index = MentionIndex.of_labels(list(systems), of_sides, offsets, shown, values=values)
    flags = np.array([value in pronouns for value in values.tolist()], np.bool_) if pronouns else None
    return Analysis.from_index(index, policies, own, options, "none", flags)


@with_engine
def analyze_labels(
    key: ArrayLike,
    response: Any,
    offsets: ArrayLike | None = None,
    *,
    names: Iterable[str] | None = None,
    pronouns: ArrayLike | None = None,
    **options: Unpack[LabelBatchOptions],
) -> Analysis:
    """Find what went wrong in one response, or in several responses to one key, given as labels of mentions.

    The labels of a document are in the order of the text, for which mention of an entity comes first matters.

        >>> import arraycoref as ac
        >>> a = ac.analyze_labels([0, 0, 0, 1], {"a": [0, 0, 1, 1], "b": [0, 0, 0, -1]})
        >>> a.error_counts["divided"].f1.tolist(), a.error_counts["missing-singleton"].f1.tolist()
        ([1.0, 0.0], [0.0, 1.0])

    Args:
        key: labels, -1 where the key lacks the mention, in each form without ``documents`` that
            `arraycoref.score_labels_batch` takes; (M,) without offsets are of one document.
        response: the same; or a mapping from names to labels, for several responses.
        offsets: (D+1,) document d owns ``key[offsets[d]:offsets[d + 1]]``; None for one document.
        names: (D,) names of the documents.
        pronouns: bool (M,) which mentions are pronouns; an entity is represented by its first that is not one.
        **options: see `arraycoref.options`.

    Raises:
        InputError: as for `arraycoref.score_labels_batch`; and options as for `analyze_files`.
    """
    policies = _single(resolve_policies(options, LabelBatchOptions), options)
    systems = _named(response)
    listed = None if names is None else tuple(names)
    own = [policies.with_own_notes() for _ in systems]
    (key, *responses), offsets, _ = lay_out({"the key": key} | systems, offsets)
    labels = [Clusterings.from_labels(key, side, offsets, listed) for side in responses]
    pairs = _prepared(labels, own)
    sides = [pairs[0][0], *(response_labels for _, response_labels in pairs)]
    index = MentionIndex.of_labels(list(systems), sides, labels[0].offsets, labels[0].names)
    flags = None if pronouns is None else np.asarray(pronouns, np.bool_)
    if flags is not None and flags.shape != (len(index),):
        raise InputError(f"pronouns has shape {flags.shape}; expected ({len(index)},), a value for each mention")
    return Analysis.from_index(index, policies, own, options, "none", flags)


@with_engine
def errors(key: Any, response: Any, metric: str = "conll", **options: Unpack[CostOptions]) -> ErrorTable:
    """Say what went wrong, and what each type of errors costs, as the command ``errors`` does.

        >>> import arraycoref as ac
        >>> table = ac.errors([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]], metric="muc")
        >>> [name for name, row in zip(table.types, table.errors[0]) if row.estimate]
        ['divided', 'conflated']

    Args:
        key: path of files as for `arraycoref.analyze_files`, or clusters as for `arraycoref.analyze`.
        response: the same, of one response; a mapping from names for several.
        metric: the metric in whose F costs are given.
        **options: see `arraycoref.options`; ``spans``, ``pronouns`` and, for clusters, ``heads`` as for these two.

    Returns:
        The table of types, which prints the findings first. `arraycoref.Analysis` has all else.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for these two functions.
    """
    analysis, sampling = _analyzed(key, response, {**options, "metrics": metric})
    table = analysis.error_table(metric, **sampling)
    how = table.how.facts("confidence", "seed") | {"resample_by": sampling.get("resample_by")}
    return replace(table, find=partial(findings_of, analysis, metric, **how))


@with_engine
def breakdown(
    key: Any,
    response: Any,
    attributes: str | Sequence[str] | None = None,
    *,
    intervals: bool = False,
    **options: Unpack[CostOptions],
) -> Breakdowns:
    """Break scores down by length, part of speech or distance, as the command ``breakdown`` does.

        >>> import arraycoref as ac
        >>> b = ac.breakdown([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]], "size", metrics="muc")
        >>> [(row["class"], row["recall"]) for row in b.rows() if row["recall"] >= 0]
        [('3-5', 0.5), ('all', 0.5)]

    Args:
        key: as for `errors`.
        response: the same.
        attributes: names of `arraycoref.analysis.breakdown.ATTRIBUTES`, or one string with commas; None for length,
            kind, size and distance, if they are known.
        intervals: whether to find confidence intervals.
        **options: as for `errors`; ``metrics`` as for `arraycoref.Analysis.breakdown`.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or
            `UnknownNameError`: there is no such attribute.
    """
    analysis, sampling = _analyzed(key, response, options)
    usual = attributes or [each.name for each in known_attributes(analysis.index)]
    names = attributes.split(",") if isinstance(attributes, str) else usual
    metrics = options.get("metrics") or BROKEN_DOWN
    return Breakdowns([analysis.breakdown(name.strip(), metrics, intervals=intervals, **sampling) for name in names])


@with_engine
def show(
    key: Any,
    response: Any,
    *documents: str | int,
    worst: int = 3,
    sort: str | None = None,
    max_sentences: int | None = None,
    bridging: bool = False,
    **options: Unpack[LookOptions],
) -> Shown:
    """Show sentences with errors, key above response, as the command ``show`` does.

        >>> import arraycoref as ac
        >>> print(ac.show([[(0, 0), (2, 3)]], [[(0, 0), (5, 5)]]))
        0  conll 25.00; 1 + extra mention, 1 − missing mention
           1  key       [0]k1 · −[2 3]k1 · 5
              response  [0]r1 · 2 3 · +[5]r1

    Args:
        key: as for `errors`.
        response: the same, one response.
        *documents: names or positions of documents; none for the worst.
        worst: how many documents are shown if none is named.
        sort: the score by which they are the worst, ``muc`` or ``muc.recall``; None for the CoNLL average.
        max_sentences: most sentences of a document, 0 for all that have errors; None for 12, or for all if documents
            are named.
        bridging: whether bridging links of files are shown: ``[the door]k2→k1`` is an anaphor of the entity k1.
        **options: as for `errors`.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or
            `UnknownNameError`: there is no such document.
    """
    max_sentences = (0 if documents else 12) if max_sentences is None else max_sentences
    links = {"bridging": True} if bridging else {}  # only files have them
    return _analyzed(key, response, {**options, **links})[0].show(
        *documents, worst=worst, sort=sort, max_sentences=max_sentences
    )


@with_engine
def report(
    key: Any,
    response: Any,
    output: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    words: bool = True,
    worst: int = 0,
    sort: str | None = None,
    **options: Unpack[LookOptions],
) -> int:
    """Write a page of HTML that shows every error in its text, as the command ``report`` does.

        >>> import arraycoref as ac
        >>> ac.report([[(0, 0), (2, 3)]], [[(0, 0), (5, 5)]], "report.html") < 100_000
        True

    Args:
        key: as for `errors`.
        response: the same, of one or two responses.
        output: the file.
        names: as for `arraycoref.Analysis.save_html`, as all that follow.
        words: the same.
        worst: the same.
        sort: the same.
        **options: as for `errors`.

    Returns:
        Number of bytes.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or OSError:
            the file cannot be written.
    """
    return _analyzed(key, response, options)[0].save_html(output, names=names, words=words, worst=worst, sort=sort)


@with_engine
def explain(
    metric: str, key: Any, response: Any, *, document: str | int | None = None, **options: Unpack[FileOptions]
) -> Explanation:
    """Explain a metric's score of one document, step by step, in exact fractions.

    The result prints as the entities of both sides; a table of what the metric adds up (for MUC and LEA the parts into
    which the other side cuts each entity, for B-cubed each mention, for CEAF each pair of entities and the alignment,
    for BLANC and pairwise the classes of links); and the lines that compute recall, precision and F.

        >>> import arraycoref as ac
        >>> e = ac.explain("muc", [list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])
        >>> for row in e.parts[0]:
        ...     print(*row, sep=" | ")
        K1 | {a, b} {c} | 3 − 2 | 3 − 1
        K2 | {d} {e} {f, g} | 4 − 3 | 4 − 1
        >>> e.sums, e.f1
        ([(Fraction(2, 1), Fraction(5, 1), Fraction(2, 1), Fraction(5, 1))], Fraction(2, 5))

    Args:
        metric: ``muc``, ``bcub``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` or ``pairwise``.
        key: as for `errors`.
        response: the same, one response.
        document: name or position of the document; None for the worst by this metric.
        **options: as for `errors`.

    Raises:
        ReadError, InputError, DocumentMismatchError, DuplicateMentionError, OptionError: as for `errors`; or
            `UnknownNameError`: there is no such document, or the metric cannot be explained.

    Source: Pradhan et al. (2014), section 4; Luo et al. (2014), section 4.2.
    """
    return _analyzed(key, response, {**options, "spans": "none"})[0].explain(metric, document)


def _analyzed(key: Any, response: Any, options: Mapping[str, Any]) -> tuple[Analysis, dict[str, Any]]:
    """Analyze files or clusters; return the options of intervals beside."""
    sampling = {name: value for name, value in options.items() if name in IntervalOptions.__annotations__}
    of_sides = {name: value for name, value in options.items() if name not in sampling}
    door: Any = analyze_files if isinstance(key, str | os.PathLike) else analyze
    return door(key, response, **of_sides), sampling


def _named(response: Any) -> dict[str, Any]:
    """Return responses by name.

    Raises:
        InputError: no response, or names that are the same text.
    """
    given = response if isinstance(response, Mapping) else {RESPONSE: response}
    systems = {str(name): side for name, side in given.items()}
    if not systems:
        raise InputError("no responses were given; expected a mapping from names to responses")
    return systems


def _single(policies: Policies, options: Mapping[str, Any]) -> Policies:
    """Refuse policies by which a mention has several entities, or metrics see other singletons.

    Profiles that have them count the first entity, and all singletons; those of ratios analyze sums.
    """
    for name, usual in (("duplicates", "first"), ("singletons", "keep"), ("corpus", "sums")):
        value = getattr(policies, name)
        if value in ("both", "ratios", *WITHOUT):
            if options.get(name) == value:
                needs = "one entity of each mention" if value == "both" else "the same sums of all metrics"
                raise OptionError(f"error analysis needs {needs}; expected {name} {usual!r}", name)
            changes: Any = {name: usual}
            policies = replace(policies, **changes)
    return policies


def _of_matched(
    systems: Mapping[str, Any],
    matched: Sequence[MatchedSides],
    policies: Policies,
    own: Sequence[Policies],
    options: Mapping[str, Any],
    spans: str | None,
    flags_of: Callable[[MentionIndex], Bools | None],
) -> Analysis:
    """Analyze key and responses whose mentions were matched."""
    labels = _prepared([pair.clusterings for pair in matched], own)
    index = MentionIndex.of_matched(list(systems), matched, labels).with_upos(policies.note)
    is_word = index.has_spans and "character" not in index.documents[0].units
    return Analysis.from_index(index, policies, own, options, spans or ("head" if is_word else "none"), flags_of(index))


def _prepared(clusterings: Sequence[Clusterings], own: Sequence[Policies]) -> list[tuple[Ints, Ints]]:
    """Return the labels of key and response, for each of S responses, after the policies, which note what they did."""
    if len(own) > 1 and own[0].restrict == "shared":
        reason = "restrict='shared' leaves out other mentions of the key for each response"
        raise OptionError(f"{reason}; expected 'key' or 'none' for several responses", "restrict")
    prepared = [prepare(one, policies) for one, policies in zip(clusterings, own, strict=True)]
    for one, policies in zip(prepared, own, strict=True):
        one.note(policies.notes, policies.restrict)
    return [(one.clusterings.key, one.clusterings.response) for one in prepared]


def _are_spans(sides: Sequence[Sequence[Any]]) -> bool:
    """Whether all mentions are pairs (first word, last word); iterators are no such clusters."""
    listed, every = (list, tuple, set, frozenset), [*chain.from_iterable(sides)]
    if not all(isinstance(own, listed) and all(isinstance(cluster, listed) for cluster in own) for own in every):
        return False
    mentions = chain.from_iterable(chain.from_iterable(every))
    return all(isinstance(m, list | tuple) and [*map(type, m)] == [int, int] and 0 <= m[0] <= m[1] for m in mentions)


def _labeled(
    sides: Sequence[Sequence[Any]], systems: Sequence[str], names: Sequence[str] | None, own: Sequence[Policies]
) -> tuple[list[tuple[Ints, Ints]], Ints, Objects]:
    """Label mentions that are objects: of the key with each response, on one index; its bounds; the mentions."""
    read: list[ObjectMentions] = []
    for what, side in zip(("key", *systems), sides, strict=True):
        read.append(ObjectMentions(what, side, names, read[-1].numbers if read else None))
    objects = np.empty(len(read[-1].numbers), object)
    objects[:] = list(read[-1].numbers)
    rank = np.arange(objects.size)
    items = [mention if type(mention) is tuple else (mention,) for mention in objects]
    if {int, *map(type, chain.from_iterable(items))} == {int}:
        rank[sorted(rank.tolist(), key=items.__getitem__)] = rank.copy()
    document = np.concatenate([owners(side.occurrences.offsets) for side in read])
    number = rank[np.concatenate([side.occurrences.code for side in read])]
    order, place = number_rows([document, number])
    distinct = order[run_starts(document[order], number[order])]
    offsets = document[distinct].searchsorted(np.arange(len(sides[0]) + 1))
    of_side = np.split(place, np.cumsum([side.occurrences.code.size for side in read])[:-1])
    placed = [side.occurrences._replace(code=places) for side, places in zip(read, of_side, strict=True)]
    labels = []
    for s, policies in enumerate(own, 1):

        def describe(side: str, first: int, second: int, s: int = s) -> str:
            return read[0 if side == "key" else s].describe(first, second)

        union = label_mentions(placed[0], placed[s], offsets, policies, describe)
        labels.append((union.key, union.response))
    by_rank = np.empty_like(objects)
    by_rank[rank] = objects
    return labels, offsets, by_rank[number[distinct]]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Analyzed):
    """What went wrong in S responses to one key: see `arraycoref.analysis.analyzed.Analyzed` for what it holds.

    >>> import arraycoref as ac
    >>> a = ac.analyze([["a", "b", "c"], ["d", "e"]], [["b", "c", "d"], ["x"]])
    >>> a.systems, len(a.errors())
    (('response',), 4)
    """

    @cached_property
    def findings(self) -> Findings:
        """What went wrong, in at most seven sentences, each with its numbers and the command that shows more.

        >>> import arraycoref as ac
        >>> a = ac.analyze_labels([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 3, 3])
        >>> [finding.kind for finding in a.findings]
        ['score', 'convention']
        """
        return findings_of(self)

    def show(self, *documents: str | int, worst: int = 1, sort: str | None = None, max_sentences: int = 0) -> Shown:
        """Show documents as text: their sentences with errors, with brackets, numbers of entities and signs.

            >>> import arraycoref as ac
            >>> print(ac.analyze([[(0, 0), (2, 3)]], [[(0, 0), (5, 5)]]).show())
            0  conll 25.00; 1 + extra mention, 1 − missing mention
               1  key       [0]k1 · −[2 3]k1 · 5
                  response  [0]r1 · 2 3 · +[5]r1

        Args:
            *documents: names or positions; none for the worst.
            worst: how many documents are shown if none is named.
            sort: the score by which they are the worst, see `worst`.
            max_sentences: most sentences, or rows, of a document; 0 for all that have errors.

        Returns:
            What prints as text, in colors with ``text(colors=True)``.

        Raises:
            UnknownNameError: there is no such document.
        """
        return Shown(self, [*map(self._position, documents)] or self.worst(worst, sort), max_sentences)

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        names: Sequence[str] | None = None,
        words: bool = True,
        worst: int = 0,
        sort: str | None = None,
        findings: Findings | None = None,
    ) -> int:
        """Write one page of HTML that shows documents side by side, their errors and a summary; it needs no network.

        Args:
            path: the file.
            names: names of the key and of each response, for people; None for ``key`` and `systems`.
            words: whether the page has words; otherwise, their numbers.
            worst: write only so many documents, the worst; 0 for all.
            sort: the score by which they are the worst, see `worst`.
            findings: sentences for the top of the page; None for `Analysis.findings`.

        Returns:
            Number of bytes. Browsers open pages of more than 100 MB slowly: ``worst`` and ``words`` make them smaller.

        Raises:
            OptionError: more than two responses, or other names than sides; a path from which the analysis was read.
            OSError: the file cannot be written.
        """
        chosen = self.worst(worst, sort) if worst else None
        sentences = [(each.text, each.command, each.place) for each in (findings or self.findings)]
        return Page(self, names, words, chosen, sentences).write(path)
