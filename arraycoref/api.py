"""Score label vectors, clusters and files: the public functions, which encode, count, and return the results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.exceptions import InputError, ReadError
from arraycoref.match import match_documents
from arraycoref.match.documents import ABSENT, pair_documents
from arraycoref.match.edit_script import partners
from arraycoref.match.objects import Clusters, instead_of, is_iterable, refuse_batch
from arraycoref.match.spans import Heads, encode_spans
from arraycoref.options import (
    LabelBatchOptions,
    ScoredFileOptions,
    SpanBatchOptions,
    SpanOptions,
    TruthSampleOptions,
    resolve_policies,
)
from arraycoref.options.policies import Policies
from arraycoref.read import read_side
from arraycoref.read.documents import Documents
from arraycoref.read.paths import Source, require_one_reader
from arraycoref.read.problems import ProblemLog, quote
from arraycoref.scoring.alignment import align_hard
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings, document_names
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.entity_sample import ESTIMABLE
from arraycoref.scoring.label_forms import lay_out
from arraycoref.scoring.labels import require_one_index
from arraycoref.scoring.metrics.registry import (
    DEFAULT_METRICS,
    RECORD_METRICS,
    counted_metrics,
    reading_options,
    resolve_metrics,
)
from arraycoref.scoring.restriction import are_plain, count_prepared, prepare
from arraycoref.scoring.scores import BatchScores, Scores
from arraycoref.scoring.signature import signature, written_notes
from arraycoref.twin import using, with_engine


@with_engine
def score(
    key: Clusters | Any, response: Clusters | Any, *, heads: Heads | None = None, **options: Unpack[SpanOptions]
) -> Scores:
    """Score one document, given as clusters of mentions.

        >>> import arraycoref as ac
        >>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]], metrics="muc,blanc")
        >>> s["muc"].recall, round(s["blanc"].f1, 4)
        (0.5, 0.4857)

    Args:
        key: iterable of entities, each an iterable of hashable mentions. Empty entities are ignored; a mention that is
            a list is read as a tuple. Also accepted are the objects in the table of `arraycoref.match.spacy_stanza`,
            such as a ``Doc`` of spaCy.
        response: the same.
        heads: the head of each mention of both sides, one of its words, for ``matching``; mentions are then spans
            (first word, last word) of words from 0.
        **options: see `arraycoref.options`.

    Raises:
        InputError: an argument that is not a clustering, or contains several documents; a mention that cannot be
            hashed; the same iterator in two places; an unknown value of an option; a mention without a head, or with
            one outside of it.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: documents of spaCy or stanza whose words differ, where ``tokens`` is ``error``.
    """
    policies = resolve_policies(options, SpanOptions)
    refuse_batch(key, "key")
    refuse_batch(response, "response")
    all_heads = None if heads is None else [heads]
    clusterings = encode_spans([key], [response], policies, None, all_heads, options.get("end"))
    return _score_document(clusterings, policies, options)


@with_engine
def score_labels(key: ArrayLike, response: ArrayLike, **options: Unpack[TruthSampleOptions]) -> Scores:
    """Score one document, given as two vectors with a label for each mention that the key or the response has.

        >>> import arraycoref as ac
        >>> s = ac.score_labels([0, 0, 0, 1, -1], [-1, 0, 0, 1, 1])
        >>> s["muc"].recall, round(s["blanc"].f1, 4)
        (0.5, 0.4857)

    Args:
        key: (M,) integers, the entity of each mention in the key; -1 where the key lacks the mention. Texts and
            categories are accepted too, see `arraycoref.scoring.labels`.
        response: (M,) the same. A position where both sides have -1 is ignored. Two pandas Series must have the
            same index.
        **options: see `arraycoref.options`.

    Raises:
        InputError: labels that are refused, lengths that differ, a label below -1, an unknown value of an option.
    """
    policies = resolve_policies(options, TruthSampleOptions)
    return _score_document(Clusterings.from_labels(key, response), policies, options)


@with_engine
def score_batch(
    keys: Iterable[Clusters] | Mapping[str, Clusters],
    responses: Iterable[Clusters] | Mapping[str, Clusters],
    *,
    names: Iterable[str] | None = None,
    heads: Iterable[Heads] | Mapping[str, Heads] | None = None,
    **options: Unpack[SpanBatchOptions],
) -> BatchScores:
    """Score many documents, given as clusters of mentions.

        >>> import arraycoref as ac
        >>> b = ac.score_batch({"x": [["a", "b"]], "y": [["c", "d"]]}, {"y": [["c", "d"]], "x": [["a"], ["b"]]})
        >>> b["muc"].recall, b["y"]["muc"].recall
        (0.5, 1.0)

    Args:
        keys: D clusterings, as `score` accepts them, or a mapping from document names to clusterings.
        responses: as many clusterings, or a mapping. Mappings are paired by name, in the order of ``keys``.
        names: (D,) document names, where both sides are sequences.
        heads: (D,) those of each document, see `score`; a mapping from document names if the sides are mappings.
        **options: see `arraycoref.options`. Two sequences must be equally long under all policies.

    Raises:
        InputError: as for `score`; a mapping on one side only; sequences of different lengths.
        DocumentMismatchError: as for `score`; a document on one side only, where the policy is ``error``.
    """
    policies = resolve_policies(options, SpanBatchOptions)
    return score_clusterings(encode_batch(keys, responses, policies, options, names, heads), policies, options)


@with_engine
def score_labels_batch(
    key: ArrayLike,
    response: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    documents: Any = None,
    names: Iterable[str] | None = None,
    ignore_index: int | None = None,
    **options: Unpack[LabelBatchOptions],
) -> BatchScores:
    """Score many documents, given as a label for each mention that the key or the response has.

        >>> import arraycoref as ac
        >>> b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4])
        >>> b["muc"].recall, b.documents["muc"].recall.tolist()
        (0.5, [0.0, 1.0])
        >>> padded = ac.score_labels_batch([[0, 0, 1], [0, 0, -1]], [[0, 0, 0], [1, 1, -1]])
        >>> padded["muc"].recall, padded["muc"].precision
        (1.0, 0.6666666666666666)

    Args:
        key: labels as for `score_labels`, -1 where the key lacks the mention: (M,), with ``offsets`` or ``documents``;
            a list of D vectors; or (D, L), with -1 on both sides for padding. The same label in two documents names two
            entities.
        response: the same. A position where both sides have -1 is ignored.
        offsets: (D+1,) integers from 0 to M; document d owns ``key[offsets[d]:offsets[d + 1]]``.
        documents: (M,) the name or number of each label's document, in any order; documents are scored in the order in
            which they first appear.
        names: (D,) document names.
        ignore_index: a label of the key, such as -100 for padding, whose positions are left out on both sides.
        **options: see `arraycoref.options`.

    Raises:
        InputError: labels that are refused, lengths that differ, a label below -1, bad offsets or names, an unknown
            value of an option.
    """
    policies = resolve_policies(options, LabelBatchOptions)
    if offsets is None or documents is not None or ignore_index is not None:
        sides = {"key": key, "response": response}
        (key, response), offsets, names = lay_out(sides, offsets, documents, names, ignore_index)
        if offsets is None:
            raise InputError("no offsets and no documents; expected one of them (score_labels takes one document)")
    return score_clusterings(Clusterings.from_labels(key, response, offsets, names), policies, options)


@with_engine
def score_files(key: Source, response: Source, **options: Unpack[ScoredFileOptions]) -> BatchScores:
    """Score files; documents are paired by name, mentions by their first and last token.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> ac.score_files("key.jsonl", "response.jsonl")["muc"].recall
        0.5

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input. Compressed where the
            suffix is .gz, .bz2, .xz or .zst.
        response: the same.
        **options: see `arraycoref.options`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; names path and line.
        DocumentMismatchError: a document on one side only, where the policy is ``error``; or no document on both
            sides, under any policy.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        OptionError: an option that makes no sense, or `UnknownNameError`: one that does not exist.
    """
    policies = resolve_policies(options, ScoredFileOptions)
    if options.get("metrics") is not None:
        options["metrics"] = resolve_metrics(options["metrics"])  # fail before files are read
    keys, responses = read_sides(key, response, options, policies)
    matched = match_documents(keys, responses, policies, options.get("on_error"))
    if options.get("metrics") is None and keys.units == ("mention",) and not keys.named[0]:
        options["metrics"] = RECORD_METRICS
    return score_clusterings(matched.clusterings, policies, options, matched.sides[0].headers)


def encode_files(
    key: Source, response: Source, policies: Policies, options: Mapping[str, Any], *, are_paired: bool = False
) -> tuple[Clusterings, tuple[str, ...]]:
    """Match the mentions of files; return their labels, and the headers of their documents.

    Arguments and errors are those of `read_sides` and `score_files`.
    """
    keys, responses = read_sides(key, response, options, policies, are_paired=are_paired)
    matched = match_documents(keys, responses, policies, options.get("on_error"))
    return matched.clusterings, matched.sides[0].headers


def read_sides(
    key: Source, response: Source, options: Mapping[str, Any], policies: Policies, *, are_paired: bool = False
) -> tuple[Documents, Documents]:
    """Read the files of both sides.

    Args:
        key: files of the key.
        response: files of the response.
        options: keywords that the user gave.
        policies: receive notes.
        are_paired: whether the user said that these two belong together: two documents then do, also under two names.

    Raises:
        ReadError, OptionError: as for `score_files`.
    """
    require_one_reader([key, response])
    options = reading_options(options)
    try:
        keys = read_side(key, options, "key", policies)
    except ReadError as error:
        _add_mends_of(response, error, options)
        raise
    responses = read_side(response, options, "response", policies)
    if keys.holds_predictions and responses.holds_predictions is False:
        reason = "this file of the key has predictions, and the response has none; are the sides swapped?"
        swapped = {"key": str(response), "response": str(key)}
        ProblemLog.from_options(options).warning(keys.files[0], None, reason, swapped)
    are_alike = are_paired and len(keys) == len(responses) == 1
    return keys, replace(responses, names=keys.names) if are_alike else responses


def _add_mends_of(response: Source, error: ReadError, options: Mapping[str, Any]) -> None:
    """Add to what fixes a problem of the key what fixes the response too, if that is a file that can be read again."""
    if isinstance(error.option, str) or not isinstance(response, str | os.PathLike) or not os.path.isfile(response):
        return
    try:
        read_side(response, {**options, "on_error": lambda _: None}, "response")
    except ReadError as other:
        if not isinstance(other.option, str):
            fixes = dict(error.option)
            for name, values in other.option.items():
                own = fixes.get(name, {})
                fixes[name] = values if isinstance(own, str) or isinstance(values, str) else {**own, **values}
            error.option = fixes


def score_clusterings(
    clusterings: Clusterings,
    policies: Policies,
    options: Mapping[str, Any],
    headers: tuple[str, ...] | None = None,
    *,
    is_part: bool = False,
) -> BatchScores:
    """Score validated clusterings; the other scoring functions prepare these and call this function.

    Args:
        clusterings: labels of D documents.
        policies: resolved policies.
        options: options that the user gave; only ``metrics``, ``threads`` and ``progress`` are read here.
        headers: (D,) headers of documents that come from files; see `BatchScores`.
        is_part: whether there are other documents elsewhere, so that nothing may be left of these.

    Raises:
        InputError: as for `arraycoref.scoring.batch.count_documents`; or policies by which no mention is left.
    """
    counts, headers, shown = count_clusterings(clusterings, policies, options, headers, is_part=is_part)
    return BatchScores(counts=counts, headers=headers, **shown)


def _score_document(clusterings: Clusterings, policies: Policies, options: Mapping[str, Any]) -> Scores:
    """Score one document, as `score_clusterings` scores many; a short one takes a tenth less time so."""
    counts, _, shown = count_clusterings(clusterings, policies, options)
    return Scores(counts=Counts(None, counts.metrics, counts.rows[0]), **shown)


def count_clusterings(
    clusterings: Clusterings,
    policies: Policies,
    options: Mapping[str, Any],
    headers: tuple[str, ...] | None = None,
    *,
    is_part: bool = False,
) -> tuple[Counts, tuple[str, ...] | None, dict[str, Any]]:
    """Count documents; return counts and headers of those that are scored, and the other fields of the results.

    Arguments and errors are those of `score_clusterings`.
    """
    metrics, threads = options.get("metrics"), options.get("threads", 1)
    usual = metrics if (is_usual := metrics is RECORD_METRICS) else DEFAULT_METRICS
    if policies.truth_sample != "none":
        usual = tuple(metric for metric in usual if metric in ESTIMABLE)
    wanted = usual if metrics is None or is_usual else resolve_metrics(metrics)
    prepared = prepare(clusterings, policies)
    prepared.note(policies.notes, policies.restrict, is_part=is_part)
    counted, progress = counted_metrics(wanted), options.get("progress")
    counts = count_prepared(prepared.clusterings, counted, policies, threads=threads, progress=progress)
    if prepared.scored is not None and not prepared.scored.all():  # named by position, where they have no name
        kept = np.flatnonzero(prepared.scored)
        names = counts.names or tuple(map(str, range(counts.n_documents)))
        counts = replace(counts, names=names).take(kept)
        headers = headers and tuple([headers[d] for d in kept.tolist()])
    notes = written_notes(policies.notes) if policies.notes else ()
    one = prepared.clusterings.for_results() if clusterings.offsets.size == 2 and are_plain(policies) else None
    return counts, headers, {"metrics": wanted, "signature": signature(policies), "notes": notes, "clusterings": one}


def encode_batch(
    keys: Iterable[Clusters] | Mapping[str, Clusters],
    responses: Iterable[Clusters] | Mapping[str, Clusters],
    policies: Policies,
    options: Mapping[str, Any],
    names: Iterable[str] | None = None,
    heads: Iterable[Heads] | Mapping[str, Heads] | None = None,
) -> Clusterings:
    """Match the mentions of many documents; arguments and errors are those of `score_batch`."""
    if isinstance(keys, Mapping) and isinstance(responses, Mapping):
        key_names, response_names = list(keys), list(responses)
        k, r = pair_documents(key_names, response_names, policies)
        shared: tuple[str, ...] | None = tuple(key_names[position] for position in k)
        key_documents = [keys[key_names[position]] for position in k]
        response_documents = [() if position == ABSENT else responses[response_names[position]] for position in r]
    elif isinstance(keys, Mapping) or isinstance(responses, Mapping):
        raise InputError("one side is a mapping and the other is not; expected two mappings or two sequences")
    else:
        key_documents, response_documents = _sequences(keys, responses)
        shared = document_names(names, len(key_documents))
    if isinstance(heads, Mapping):
        heads = [heads.get(name, {}) for name in shared or ()]
    all_heads = None if heads is None else list(heads)
    return encode_spans(key_documents, response_documents, policies, shared, all_heads, options.get("end"))


def _sequences(keys: Iterable[Clusters], responses: Iterable[Clusters]) -> tuple[list[Clusters], list[Clusters]]:
    """Check two sequences of documents, which are paired by position."""
    for side, documents in (("keys", keys), ("responses", responses)):
        unordered = isinstance(documents, str | bytes | set | frozenset) or hasattr(documents, "columns")
        if unordered or not is_iterable(documents):
            expected = f"expected a list of clusterings, or a mapping to them{instead_of(documents)}"
            raise InputError(f"{side} is {quote(documents)}; {expected}")
    require_one_index(keys=keys, responses=responses)
    key_documents, response_documents = list(keys), list(responses)
    if len(key_documents) != len(response_documents):
        raise InputError(
            f"got {len(key_documents)} key documents and {len(response_documents)} response documents; "
            "expected equally many, or two mappings from names to clusterings"
        )
    return key_documents, response_documents


def warmup() -> None:
    """Compile what the public functions need, and keep the machine code on disk, so that no later run waits for it.

    Processes that score millions of mentions use it; with less to do, they use NumPy and compile nothing.
    It scores small inputs of each kind.
    """
    from importlib.resources import as_file, files

    import arraycoref as ac  # functions above this layer too, as users call them

    labels = np.array([0, 0, 1, 1, 2, 2])
    scattered = labels[::-1] * 2**40
    with using("numba"):
        ac.score_labels(labels, scattered, metrics=ac.METRIC_NAMES)
        ac.score_labels([0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1], metrics="ceafm-rn")  # two rows want one column
        cells = cells_of(Clusterings.from_labels(labels, labels))
        align_hard(cells, cells.shared.astype(np.float64))
        ac.score([["a", "b"], ["c"]], [["a"], ["b", "c"]])
        ac.sweep_pairs(labels[:3], np.array([[0, 1], [1, 2]]), np.array([0.5, 0.1]))
        partners(labels, labels[1:-1] + 1)
        with as_file(files("arraycoref.cli")) as demo:
            ac.score_files(demo / "demo_key.conll", demo / "demo_response.conll")
