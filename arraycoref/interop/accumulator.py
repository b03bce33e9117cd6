"""Sum counts batch by batch, in the manner of torchmetrics, and score all documents at the end."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.api import encode_batch, score_clusterings
from arraycoref.exceptions import InputError
from arraycoref.match.objects import refuse_batch
from arraycoref.options import Metrics, PolicyOptions, resolve_policies, with_signature
from arraycoref.ragged import Floats
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.label_forms import lay_out
from arraycoref.scoring.labels import is_array
from arraycoref.scoring.metrics.registry import counted_metrics, group_names, resolve_metrics
from arraycoref.scoring.scores import BatchScores, Scores
from arraycoref.scoring.signature import signature
from arraycoref.sweeps.responses import is_label_vector
from arraycoref.twin import using


class Accumulator:
    """Sum the counts of documents batch by batch, and score all of them at the end.

        >>> accumulator = Accumulator("muc,bcub")
        >>> for key, response in [([0, 0, 1], [0, 0, 0]), ([0, 0], [0, 0])]:
        ...     accumulator.update(key, response)
        >>> accumulator.compute()["muc"].recall
        1.0

    The state is a sum: accumulators of several processes are merged by `merge`, or by adding up their states, as in
    ``torch.distributed.all_reduce(torch.from_numpy(accumulator.state))``, which changes the state in place. Sums of
    whole numbers are exact in any order of addition; sums of fractions (B-cubed, CEAFe, LEA) may differ by rounding.

    Args:
        keep_documents: keep each document's counts too, for the method `documents`. They are not part of the state.
        ignore_index: a label of the key, such as -100 for padding, whose positions are left out on both sides.
        **options: see `arraycoref.options`.

    Attributes:
        metrics: names of the metrics.
        state: float64 (1 + 4K,), the number of documents, then the four sums of each of the K groups of
            `arraycoref.scoring.counts.Counts`. Callers may write to the array; the accumulator never replaces it by
            another.

    Raises:
        OptionError: a value that is not allowed for its option, or `UnknownNameError`: a name that does not exist.
    """

    @with_signature
    def __init__(
        self,
        metrics: Metrics = None,
        *,
        keep_documents: bool = False,
        ignore_index: int | None = None,
        **options: Unpack[PolicyOptions],
    ) -> None:
        self.options = options
        self.ignore_index = ignore_index
        self.signature = signature(resolve_policies(options, PolicyOptions))
        self.metrics = resolve_metrics(metrics)
        self.keep_documents = keep_documents
        self._counted = tuple(metric.name for metric in counted_metrics(self.metrics))
        self._kept: list[Counts] = []
        self._names: set[str] = set()
        self.state: Floats = np.zeros(1 + 4 * len(group_names(self._counted)))

    @property
    def n_documents(self) -> int:
        """Number of documents so far."""
        return int(self.state[0])

    def update(self, key: Any, response: Any, offsets: ArrayLike | None = None) -> None:
        """Add documents.

        Args:
            key: (M,) labels, -1 where the key lacks the mention; or (D, L) labels, one row per document, with -1 on
                both sides for padding; or a list of D arrays, the labels of each document; or clusters of one document;
                or a mapping from document names to clusters.
            response: the same. Labels may be an array of any library, such as a tensor. Two lists of arrays that are
                not equally long, pair by pair, are clusters, as two lists of lists are.
            offsets: (D+1,) document bounds of labels (M,); None for one document.

        Raises:
            InputError: input that the scoring functions refuse, a name that was added before; the state is then
                unchanged.
        """
        self(key, response, offsets)

    def __call__(self, key: Any, response: Any, offsets: ArrayLike | None = None) -> Scores:
        """Add documents, and return the scores of these alone; two empty lists are a batch without documents."""
        batch = self._score(key, response, offsets)
        if not all(isinstance(side, list | tuple) and not side for side in (key, response)) or offsets is not None:
            self.add(batch)
        return batch.corpus

    def add(self, scores: BatchScores | Scores) -> None:
        """Add documents that are already scored, or the scores of a corpus; documents without a score are left out.

        Raises:
            InputError: scores with other options, or without a metric of this accumulator; a document whose name was
                added before.
        """
        if scores.signature.conventions != self.signature.conventions:
            raise InputError(f"the scores have signature {scores.signature}; expected {self.signature}")
        counts = scores.counts.only(self._counted)
        if isinstance(scores, BatchScores):
            counts, n_documents = counts.take(counts.scored), int(counts.scored.sum())
        else:
            counts, n_documents = replace(counts, rows=counts.rows[np.newaxis]), scores.n_documents
        if self.options.get("restrict", "none") == "none":  # otherwise, documents without names have their numbers
            self._add_names(counts.names or ())
        self.state[0] += n_documents
        self.state[1:] += counts.rows.sum(axis=0).ravel()
        self._kept += [counts] * self.keep_documents

    def _add_names(self, names: Collection[str]) -> None:
        if twice := self._names.intersection(names):
            expected = "expected each once, and `reset` between epochs"
            raise InputError(f"document {min(twice)!r} was added before; {expected}")
        self._names.update(names)

    def compute(self) -> Scores:
        """Return the scores of all documents so far as one corpus.

        Raises:
            InputError: there are no documents.
        """
        if not self.n_documents:
            raise InputError("nothing was added to this accumulator; expected one document or more")
        totals = self.state[1:].copy().reshape(-1, 4)
        return Scores(self.metrics, Counts(None, self._counted, totals), self.signature, self.n_documents)

    def documents(self) -> BatchScores:
        """Return the scores of each document so far, with their names if every document has a different name.

        Raises:
            InputError: the accumulator was made without ``keep_documents``, or its state has documents of others.
        """
        n_kept = sum(len(counts.rows) for counts in self._kept)
        if n_kept != self.n_documents:
            found = f"the state has {self.n_documents} documents; {n_kept} of them are kept here"
            raise InputError(f"{found}; keep_documents=True keeps them, and `merge` adds another accumulator's")
        rows = np.concatenate([np.empty((0, self.state.size // 4, 4)), *(counts.rows for counts in self._kept)])
        names = tuple(chain.from_iterable(counts.names or () for counts in self._kept))
        known = names if len(set(names)) == len(rows) else None
        return BatchScores(self.metrics, Counts.read_only(known, self._counted, rows), self.signature)

    def merge(self, other: Accumulator) -> None:
        """Add the sums of another accumulator, and the documents that it keeps.

        Raises:
            InputError: an accumulator with other metrics or options; or only one of the two keeps documents.
        """
        expected, found = (
            f"{', '.join(one.metrics)} under {one.signature}, keep_documents={one.keep_documents}"
            for one in (self, other)
        )
        if found != expected:
            raise InputError(f"the other accumulator has {found}; expected {expected}")
        self._add_names(other._names)
        self.state += other.state
        self._kept += other._kept

    def reset(self) -> None:
        """Forget all documents."""
        self.state[...] = 0.0
        self._kept.clear()
        self._names.clear()

    def _score(self, key: Any, response: Any, offsets: ArrayLike | None) -> BatchScores:
        """Score documents. Policies may leave out all of them: other documents may have mentions left."""
        policies = resolve_policies(self.options, PolicyOptions)
        if offsets is None and not any(map(is_label_vector, (key, response))) and not _are_vectors(key, response):
            if not hasattr(key, "keys") and not hasattr(response, "keys"):
                refuse_batch(key, "key")
                refuse_batch(response, "response")
                key, response = [key], [response]
            clusterings = encode_batch(key, response, policies, self.options)
        else:
            sides = {"key": key, "response": response}
            (key, response), offsets, _ = lay_out(sides, offsets, ignore_index=self.ignore_index)
            clusterings = Clusterings.from_labels(key, response, offsets)
        with using(self.options.get("engine")):
            return score_clusterings(clusterings, policies, {"metrics": self.metrics}, is_part=True)

    def __repr__(self) -> str:
        return f"Accumulator of {self.n_documents} documents, {', '.join(self.metrics)}"


def _are_vectors(key: Any, response: Any) -> bool:
    """Whether two lists are of vectors, equally long pair by pair: the arrays of a ragged batch."""
    if not all(isinstance(side, list | tuple) for side in (key, response)) or len(key) != len(response):
        return False
    shapes = [[tuple(np.shape(each)) if is_array(each) else () for each in side] for side in (key, response)]
    return shapes[0] == shapes[1] and set(map(len, shapes[0])) == {1}
