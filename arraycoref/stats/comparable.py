"""Check whether systems can be compared, and in which metric and field; write notes on what makes a comparison weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from arraycoref.errors import DocumentMismatchError, InputError, OptionError, UnknownNameError, check_name
from arraycoref.scoring.metrics.registry import METRIC_NAMES, RATIOS, find_metric
from arraycoref.scoring.scores import BatchScores

AVERAGES = ("micro", "macro")

FEW_DOCUMENTS = 30
"""Number of documents below which a note warns: of 95 % intervals from 20 documents, only 90 % hold the true score
(docs/statistics.md)."""

LARGE_SHARE = 0.5
"""Fraction of the key above which a note warns that one document holds so much of it."""


def check_comparable(runs: Mapping[str, BatchScores]) -> BatchScores:
    """Check that systems were scored on the same documents under the same conventions, and return the first.

    Raises:
        InputError: see `check_conventions`.
        DocumentMismatchError: different documents or keys; the message names the first document that differs.
    """
    check_conventions(runs)
    (first_name, first), *others = runs.items()
    for name, b in others:
        if len(b) != len(first):
            raise DocumentMismatchError(
                f"{first_name!r} was scored on {len(first)} documents and {name!r} on {len(b)}; expected the same"
            )
        if b.names != first.names:
            d = next(d for d, (x, y) in enumerate(zip(first.names, b.names, strict=True)) if x != y)
            raise DocumentMismatchError(
                f"document {d} is {first.names[d]!r} for {first_name!r} but {b.names[d]!r} for {name!r}; "
                "expected the same documents in the same order"
            )
        if (differing := key_difference(first, b)) is not None:
            d, metric, ours, theirs = differing
            raise DocumentMismatchError(
                f"the key of document {first.names[d]!r} differs: the denominator of {metric} recall is {ours:g} for "
                f"{first_name!r} and {theirs:g} for {name!r}; expected systems scored against one key"
            )
    return first


def key_difference(one: BatchScores, other: BatchScores) -> tuple[int, str, float, float] | None:
    """Find the first metric in which the keys of two systems have different counts, and the first such document.

    Returns:
        Position of the document, the metric, and the recall denominators of the two systems; None if all are equal.
    """
    for metric in dict.fromkeys((*METRIC_NAMES, *one.metrics)):  # taggers have metrics of their own
        if find_metric(metric).key_only_denominator and metric in one.counts and metric in other.counts:
            ours, theirs = one.counts[metric][..., 1], other.counts[metric][..., 1]
            if (changed := ours != theirs).any():
                place = np.unravel_index(changed.argmax(), changed.shape)  # BLANC: (document, group)
                return int(place[0]), metric, float(ours[place]), float(theirs[place])
    return None


def check_conventions(runs: Any) -> None:
    """Check that there are systems, that their names differ, and that they were scored under the same conventions.

    Raises:
        InputError: ``runs`` is no mapping or is empty; two systems have the same name; a value is no `BatchScores` or
            has no documents; different profiles, treatments of singletons or betas; for taggers, different tagsets,
            weights or units.
    """
    if not isinstance(runs, Mapping) or isinstance(runs, BatchScores):
        raise InputError(f"systems are {type(runs).__name__}; expected a mapping from their names to BatchScores")
    if not runs:
        raise InputError("no systems were given; expected one at least")
    for name, b in runs.items():
        if not isinstance(b, BatchScores):
            raise InputError(
                f"{name!r} is {type(b).__name__}; expected BatchScores, the scores of each document, as score_batch, "
                "score_labels_batch and score_files return"
            )
        if not len(b):
            raise InputError(f"the scores of {name!r} hold no documents; expected one at least")
    (text, n), *_ = Counter(map(str, runs)).most_common(1)
    if n > 1:
        raise InputError(f"{n} systems are named {text}; expected names that differ as texts")
    (first_name, first), *others = runs.items()
    for name, b in others:
        for option in ("profile", "singletons", "beta", "tagset", "weights", "unit"):  # last three: taggers only
            values = getattr(first.signature, option, ""), getattr(b.signature, option, "")
            if values[0] != values[1]:
                raise InputError(
                    f"{first_name!r} was scored with {option} {values[0]} and {name!r} with {values[1]}; "
                    "expected the same"
                )


def check_field(field: str, metric: Any) -> int:
    """Return the position of recall, precision or F.

    Raises:
        UnknownNameError: ``field`` is none of these.
        OptionError: the metric does not have the field; the CoNLL average has no recall and no precision.
        InputError: ``metric`` is not a string.
    """
    if not isinstance(metric, str):
        raise InputError(f"metric is {metric!r}; expected a name")
    place = field_place(field)
    if field not in find_metric(metric).fields:
        raise OptionError(f"metric {metric!r} has no {field}; expected field 'f1'")
    return place


def field_place(field: str) -> int:
    """Return the position of recall, precision or F, whatever the metric.

    Raises:
        UnknownNameError: ``field`` is none of these.
    """
    check_name("field", field, RATIOS)
    return RATIOS.index(field)


def baseline_place(baseline: object, names: Iterable[object]) -> int | None:
    """Return the position of the baseline among the systems, with names compared as strings; None without a baseline.

    Raises:
        UnknownNameError: no system has the name of the baseline.
    """
    texts = list(map(str, names))
    if baseline is not None and str(baseline) not in texts:
        raise UnknownNameError("baseline", baseline, texts)
    return None if baseline is None else texts.index(str(baseline))


def document_notes(runs: Mapping[str, BatchScores], average: str) -> tuple[str, ...]:
    """Write notes where resampling means little, as documents are few or one is large; add `convention_notes`."""
    b = next(iter(runs.values()))
    notes, n = [], len(b)
    if n == 1:
        notes.append(
            "one document: resampling documents says nothing about it, so intervals are undefined and no paired "
            "test can find a difference"
        )
    elif n < FEW_DOCUMENTS:
        notes.append(
            f"only {n} documents: bootstrap intervals from so few are too narrow, and the bootstrap test finds too much"
        )
    metric = next((name for name in ("mentions", "bcub", "ceafm") if name in b.counts), next(iter(b.counts)))
    weight = np.atleast_2d(b.counts[metric].T[1])[-1]  # BLANC: its group of mentions
    if average == "micro" and n > 1 and weight.sum() > 0 and weight.max() > LARGE_SHARE * weight.sum():
        largest = int(np.argmax(weight))
        notes.append(
            f"document {b.names[largest]!r} holds {weight[largest] / weight.sum():.0%} of the key: corpus scores are "
            "mostly its own, and so are their intervals and tests; macro averages weigh documents alike"
        )
    return (*notes, *convention_notes(runs))


def convention_notes(runs: Mapping[str, BatchScores]) -> tuple[str, ...]:
    """Write a note for each option that differs between systems, as only the first system's signature is printed."""
    notes = []
    for option in next(iter(runs.values())).signature.as_dict():
        names: dict[str | float, list[str]] = {}
        for name, b in runs.items():
            names.setdefault(b.signature.as_dict()[option], []).append(str(name))
        if len(names) > 1:
            found = "; ".join(f"{value} of {', '.join(those)}" for value, those in names.items())
            notes.append(f"systems were scored with different {option}: {found}")
    return tuple(notes)


def differing_note(n_differing: int, alpha: float = 0.05, *, of_swaps: bool = True) -> str | None:
    """Write a note if two systems differ in no document, or in too few for a test by swaps to reach ``alpha``."""
    if n_differing == 0:
        return "the systems have the same counts, or scores where these are averaged, in every document"
    smallest = smallest_pvalue(n_differing)
    if smallest <= alpha or not of_swaps:
        return None
    one = n_differing == 1
    return (
        f"the systems differ in {n_differing} document{'' if one else 's'} only: approximate randomisation cannot give "
        f"a two-sided p below {smallest:g}"
    )


def smallest_pvalue(n_documents: int) -> float:
    """Return the smallest two-sided p-value of approximate randomisation, by the number of documents that differ."""
    return 2.0 ** (1 - n_documents)
