"""Measure how far annotators agree: the F of every pair, its means, and the documents on which they agree least.

Each pair is scored both ways, once with each of the two as the key, and F is the mean of the two. Most metrics have the
same F both ways; matching in part, older metrics, and profile ``conll`` in rare cases have not.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from arraycoref.api import score_batch, score_files
from arraycoref.errors import DocumentMismatchError, InputError, OptionError
from arraycoref.options import FileOptions, resolve_policies
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.counts import Counts, undefined
from arraycoref.scoring.format import format_score
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, joint_notes, signature

LEAST = 10
"""How many of the least agreed documents a table shows."""

OF_DOCUMENTS = re.compile(r"[\d,]+ documents? (scored as empty|of the response left out), which")
"""Notes on documents that a side lacks, which are written anew with the annotator's name."""

SWAPPED = [2, 3, 0, 1]
"""The sums of a document whose sides change places."""

Row = dict[str, float]
"""F of each metric, by its name, fractions 0-1."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Report):
    """How far annotators agree.

    Attributes:
        pairs: the scores of each pair of annotators, by their two names, of which the first is the key.
        swapped: the same with the second as the key.
        metrics: names of the metrics.
        signature: version, profile and policies.
    """

    pairs: Mapping[tuple[str, str], BatchScores]
    swapped: Mapping[tuple[str, str], BatchScores]
    metrics: tuple[str, ...]
    signature: Signature

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened where pairs were scored, such as documents left out."""
        gaps = {m: max(abs(b[m].f1 - self.swapped[pair][m].f1) for pair, b in self.pairs.items()) for m in self.metrics}
        shown = [f"{m} by {format_score(gap, m, 2)} at most" for m, gap in gaps.items() if gap > 1e-9]
        averaged = (f"F depends on which annotator is the key, and is the mean of both: {', '.join(shown)}",)
        happened = joint_notes(list(map(" and ".join, self.pairs)), [b.notes for b in self.pairs.values()])
        return happened + averaged * bool(shown)

    @cached_property
    def scores(self) -> dict[tuple[str, str], Row]:
        """F of each pair, the mean over both orders."""
        return {
            pair: {metric: (b[metric].f1 + self.swapped[pair][metric].f1) / 2 for metric in self.metrics}
            for pair, b in self.pairs.items()
        }

    @cached_property
    def means(self) -> Row:
        """Means over the pairs."""
        rows = self.scores.values()
        return {metric: float(np.mean([row[metric] for row in rows])) for metric in self.metrics}

    @cached_property
    def documents(self) -> dict[str, Row]:
        """Means over the pairs by document, the least agreed first; nan where F of a pair is 0/0."""
        values: dict[str, list[list[float]]] = {}
        for b in (*self.pairs.values(), *self.swapped.values()):
            lost = [undefined(b.counts, metric, b.signature)[2] for metric in self.metrics]
            f1 = np.where(lost, np.nan, [b.documents[metric].f1 for metric in self.metrics])
            for name, row in zip(b.names, f1.T.tolist(), strict=True):
                values.setdefault(name, []).append(row)
        means = {name: np.mean(rows, axis=0).tolist() for name, rows in values.items()}
        by = self.metrics.index("conll") if "conll" in self.metrics else 0
        ordered = sorted(means, key=lambda name: (math.isnan(means[name][by]), means[name][by]))
        return {name: dict(zip(self.metrics, means[name], strict=True)) for name in ordered}

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the least agreed documents, if there are several, and F of every pair with the means over pairs."""
        found = {"least agreed": dict(list(self.documents.items())[:LEAST])} if len(self.documents) > 1 else {}
        found["pair"] = {", ".join(pair): row for pair, row in self.scores.items()} | {"mean": self.means}
        return [
            TextTable(
                [f"{title} (F1)", *self.metrics],
                [[name, *(format_score(row[metric], metric, digits) for metric in row)] for name, row in rows.items()],
            )
            for title, rows in found.items()
        ]

    def caption(self, digits: int) -> list[str]:
        """Say how many annotators and documents there are, and what happened."""
        n = len({name for pair in self.pairs for name in pair})
        n_documents = number_of(len(self.documents), "document")
        return [f"{n} annotators, {n_documents}, ratios in percent", *self.notes, str(self.signature)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header, and a row for each pair and each document."""
        yield ("annotator", "other", "document", *self.metrics)
        yield from ((*pair, "", *row.values()) for pair, row in self.scores.items())
        yield from (("mean", "", name, *row.values()) for name, row in {"": self.means, **self.documents}.items())


def agreement(annotators: Mapping[str, Any], **options: Unpack[FileOptions]) -> Agreement:
    """Measure how far annotators agree: the F of every pair of them.

        >>> import arraycoref as ac
        >>> clusters = {"Ada": [["a", "b", "c"]], "Bob": [["a", "b"]], "Cleo": [["a", "b", "c"]]}
        >>> found = ac.agreement(clusters, metrics="mentions,muc")
        >>> found.scores["Ada", "Cleo"]["muc"], round(found.means["muc"], 4)
        (1.0, 0.7778)

    Args:
        annotators: by name, the clusters of one document as `score` has them, a mapping from documents to clusters, or
            files as `score_files` has them; the same kind for all, and two annotators at least.
        **options: see `arraycoref.options`; those of files for files only. ``missing_documents`` is for documents that
            either annotator lacks, and ``extra_documents`` has no effect.

    Raises:
        InputError: fewer than two annotators; see also `score_files` and `score_batch`.
        OptionError: ``beta`` or ``restrict``, by which F would depend on which annotator is the key.
    """
    if len(annotators) < 2:
        raise InputError(f"there is {number_of(len(annotators), 'annotator')}; expected two at least")
    if options.get("beta", 1) != 1:
        raise OptionError(f"beta is {options['beta']}; expected 1, by which F is the same for both orders", "beta")
    if options.get("restrict") == "key":
        raise OptionError("restrict is 'key', by which F depends on the order; expected 'shared' or 'none'", "restrict")
    signed = signature(resolve_policies(options, FileOptions))
    pairs: dict[tuple[str, str], BatchScores] = {}
    swapped: dict[tuple[str, str], BatchScores] = {}
    for one, other in combinations(annotators, 2):
        sides = {name: annotators[name] for name in (one, other)}
        first, second = (_score(sides, *names, options) for names in ((one, other), (other, one)))
        alone = [_lacking(first, second), _lacking(second, first)]
        notes = tuple(
            note for note in first.notes if signed.missing_documents == "skip" or not OF_DOCUMENTS.match(note)
        )
        for name, documents in zip((other, one), alone, strict=True):
            if documents:
                notes += (f"{number_of(len(documents), 'document')} scored as empty, which {name} lacks",)
        pairs[one, other] = replace(_with_documents(first, second, alone[1]), signature=signed, notes=notes)
        swapped[one, other] = replace(_with_documents(second, first, alone[0]), signature=signed, notes=notes)
    return Agreement(pairs, swapped, next(iter(pairs.values())).metrics, signed)


def _score(sides: Mapping[str, Any], key: str, response: str, options: Mapping[str, Any]) -> BatchScores:
    """Score two annotators on the documents of the first.

    Raises:
        DocumentMismatchError: a document of the first that the second lacks, where the policy refuses that.
    """
    one, other = sides[key], sides[response]
    asked: Any = {**options, "extra_documents": "ignore"}  # they are the documents of the first, the other way round
    first = one[0] if isinstance(one, list | tuple) and one else one
    try:
        if isinstance(first, str | os.PathLike):
            if one == other and options.get("annotator") is None:  # files with the work of both
                asked["annotator"] = f"key:{key},response:{response}"
            return score_files(one, other, **asked)
        return score_batch(*((one, other) if isinstance(one, Mapping) else ([one], [other])), **asked)
    except DocumentMismatchError as error:
        error.args = (f"{key} as the key, {response} as the response: {error}", *error.args[1:])
        raise


def _lacking(scores: BatchScores, other: BatchScores) -> list[int]:
    """Return the positions of the documents that other scores lack."""
    known = set(other.names)
    return [d for d, name in enumerate(scores.names) if name not in known]


def _with_documents(scores: BatchScores, other: BatchScores, documents: list[int]) -> BatchScores:
    """Add documents of scores the other way round, whose recall is precision here."""
    if not documents:
        return scores
    more = other.counts.take(documents)
    names, rows = scores.names + (more.names or ()), np.concatenate([scores.counts.rows, more.rows[..., SWAPPED]])
    return replace(scores, counts=Counts.read_only(names, scores.counts.metrics, rows), headers=None)
