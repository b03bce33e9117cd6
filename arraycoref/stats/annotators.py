"""Measure how far annotators agree: the F of every pair, its means, and the documents on which they agree least."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from arraycoref.api import score_batch, score_files
from arraycoref.errors import InputError, OptionError
from arraycoref.options import FileOptions
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.counts import undefined
from arraycoref.scoring.format import format_score
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, joint_notes

LEAST = 10
"""How many of the least agreed documents a table shows."""

Row = dict[str, float]
"""F of each metric, by its name, fractions 0-1."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Report):
    """How far annotators agree.

    Attributes:
        pairs: the scores of each pair of annotators, by their two names. The first is the key; F does not depend on it.
        metrics: names of the metrics.
        signature: version, profile and policies.
    """

    pairs: Mapping[tuple[str, str], BatchScores]
    metrics: tuple[str, ...]
    signature: Signature

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened where pairs were scored, such as documents left out."""
        return joint_notes(list(map(" and ".join, self.pairs)), [b.notes for b in self.pairs.values()])

    @cached_property
    def scores(self) -> dict[tuple[str, str], Row]:
        """F of each pair."""
        return {pair: {metric: b[metric].f1 for metric in self.metrics} for pair, b in self.pairs.items()}

    @cached_property
    def means(self) -> Row:
        """Means over the pairs."""
        rows = self.scores.values()
        return {metric: float(np.mean([row[metric] for row in rows])) for metric in self.metrics}

    @cached_property
    def documents(self) -> dict[str, Row]:
        """Means over the pairs by document, the least agreed first; nan where F of a pair is 0/0."""
        values: dict[str, list[list[float]]] = {}
        for b in self.pairs.values():
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
        **options: see `arraycoref.options`; those of files for files only.

    Raises:
        InputError: fewer than two annotators; see also `score_files` and `score_batch`.
        OptionError: a ``beta``, by which F would depend on which annotator is the key.
    """
    if len(annotators) < 2:
        raise InputError(f"there is {number_of(len(annotators), 'annotator')}; expected two at least")
    if options.get("beta", 1) != 1:
        raise OptionError(f"beta is {options['beta']}; expected 1, by which F is the same for both orders", "beta")
    if options.get("restrict") == "key":
        raise OptionError("restrict is 'key', by which F depends on the order; expected 'shared' or 'none'", "restrict")
    pairs: dict[tuple[str, str], BatchScores] = {}
    for names in combinations(annotators, 2):
        one, other = (annotators[name] for name in names)
        first = one[0] if isinstance(one, list | tuple) and one else one
        if isinstance(first, str | os.PathLike):
            pairs[names] = score_files(one, other, **options)
        else:
            sides: Any = (one, other) if isinstance(one, Mapping) else ([one], [other])
            pairs[names] = score_batch(*sides, **options)  # type: ignore[misc, arg-type]  # options of files are refused there
    b = next(iter(pairs.values()))
    return Agreement(pairs, b.metrics, b.signature)
