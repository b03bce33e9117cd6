"""Views on counts, each a mapping from metric names to scores: of one document or corpus, of many, and their means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arraycoref.report.formats import HEAD, Report
from arraycoref.report.tables import TextTable
from arraycoref.scoring.counts import Counts, score_counts, undefined
from arraycoref.scoring.metrics.registry import RATIOS, find_metric, known_metric
from arraycoref.scoring.metrics.score import BlancScore, Floats, Score, V, single_value
from arraycoref.scoring.print import document_table, render_repr, score_rows, short_table
from arraycoref.scoring.rows import rows_dict, rows_of, score_columns
from arraycoref.scoring.signature import Signature


@dataclass(frozen=True, eq=False)
class View(Report, Mapping[str, Score[V]], Generic[V]):
    """Scores by metric: ``view["muc"].f1``. Ratios are computed from the sums when a score is accessed.

    Attributes:
        metrics: names of the metrics, in the order asked for.
        counts: the sums from which the scores are computed.
        signature: version, profile and policies.
        notes: what happened while documents were read and matched, such as documents scored as empty.
    """

    metrics: tuple[str, ...]
    counts: Counts
    signature: Signature
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @overload
    def __getitem__(self, metric: Literal["blanc", "blanc-gold"]) -> BlancScore[V]: ...
    @overload
    def __getitem__(self, metric: str) -> Score[V]: ...
    def __getitem__(self, metric: str) -> Score[V]:
        return score_counts(self.counts, known_metric(metric, self.metrics), self.signature)

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def conll(self) -> V:
        """Mean F1 of MUC, B-cubed and CEAFe; if ``beta`` is not 1, the mean of their F-measures with that ``beta``.

        Raises:
            InputError: one of them was not scored.
        """
        average: V = score_counts(self.counts, "conll", self.signature).f1
        return average

    def tables(self, digits: int) -> Sequence[TextTable]:
        """Lay out recall, precision and F of each metric."""
        return [short_table(self, digits)[1]]

    def caption(self, digits: int) -> Sequence[str]:
        """Return the line that says what the table shows, notes and the signature."""
        return [short_table(self, digits)[0], *self.notes, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return columns with a row for each metric: ``metric``, its ratios and its sums."""
        return score_rows(self)

    def nested(self) -> Any:
        """Return ``{metric: {name: value}}`` with plain floats, and None where a metric has no such number."""
        return rows_dict(rows_of(self, self.metrics))

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return render_repr(self)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(View[float]):
    """Scores of one document or corpus: a mapping from metric names to `Score`.

    ``counts`` has the sums of each metric: float64 (4,), or (3, 4) for BLANC.

        >>> import arraycoref as ac
        >>> s = ac.score([["a", "b"]], [["a", "b", "c"]])
        >>> s["bcub"].recall, s.counts["bcub"].tolist(), len(s)
        (1.0, [2.0, 2.0, 1.3333333333333333, 3.0], 9)

    Attributes:
        n_documents: number of documents that were scored.
    """

    n_documents: int = 1

    @property
    def name(self) -> str | None:
        """Name of the document, None for a corpus."""
        return self.counts.names[0] if self.counts.names else None


class DocumentScores(View[Floats]):
    """Scores of D documents, or of S settings: each attribute of each metric is an array (D,) or (S,)."""

    @property
    def n_documents(self) -> int:
        """Number of documents, D."""
        return self.counts.n_documents

    def tables(self, digits: int) -> Sequence[TextTable]:
        """Lay out F of the first documents or settings."""
        return [document_table(self, digits)]

    def caption(self, digits: int) -> Sequence[str]:
        """Return the line that says how many documents or settings there are."""
        title = f"DocumentScores of {self.n_documents}" + (f", the first {HEAD}" if self.n_documents > HEAD else "")
        return [title, *self.notes, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return columns with a row for each document or setting: ``name`` if it has one, ``muc_recall`` and so on."""
        names = {} if self.counts.names is None else {"name": list(self.counts.names)}
        return names | score_columns(self, self.metrics)

    nested = Report.nested

    def __repr__(self) -> str:
        return f"<DocumentScores, arrays of shape {self.counts.rows.shape[:-2]}: {', '.join(self.metrics)}>"


class MacroScores(View[float]):
    """Unweighted means over documents of recall, precision and F; without any document they are 0.

    A ratio 0/0 counts as 0; with the option ``zero_division="skip"``, the document is left out of the mean.
    """

    @overload
    def __getitem__(self, metric: Literal["blanc", "blanc-gold"]) -> BlancScore[float]: ...
    @overload
    def __getitem__(self, metric: str) -> Score[float]: ...
    def __getitem__(self, metric: str) -> Score[float]:
        means = _mean(self.documents[metric], self._lost(metric))
        return means if "recall" in find_metric(metric).fields else single_value(means.f1)

    def _lost(self, metric: str) -> NDArray[np.bool_] | None:
        """Return which recalls, precisions and F are left out, bool (3, D); None for none."""
        skips = self.signature.zero_division == "skip"
        return undefined(self.counts, known_metric(metric, self.metrics), self.signature) if skips else None

    @property
    def documents(self) -> DocumentScores:
        """The scores of which these are the means."""
        return DocumentScores(self.metrics, self.counts, self.signature)

    @property
    def n_documents(self) -> int:
        """Number of documents over which the means are taken."""
        return self.counts.n_documents

    @property
    def conll(self) -> float:
        """Mean over documents of their CoNLL averages."""
        skips = self.signature.zero_division == "skip"
        lost = undefined(self.counts, "conll", self.signature) if skips else None
        return _mean(single_value(self.documents.conll), lost).f1


def _mean(arrays: Score[Floats], lost: NDArray[np.bool_] | None = None) -> Score[float]:
    """Average recall, precision and F over documents; the sums become nan, since their means say nothing.

    Args:
        arrays: the scores of D documents.
        lost: bool (3, D) which recalls, precisions and F are left out; None for none.
    """
    means = []
    for values, out in zip(arrays, (None,) * len(RATIOS) if lost is None else lost, strict=True):
        kept = values if out is None else values[~out]
        means.append(float(kept.mean()) if kept.size else 0.0)
    recall, precision, f1 = means
    none = float("nan")
    if isinstance(arrays, BlancScore):
        classes = {}
        for name in ("coreference", "non_coreference"):
            part = getattr(arrays, name)
            empty = part.recall_den == 0, part.precision_den == 0
            classes[name] = _mean(part, None if lost is None else np.array([*empty, empty[0] & empty[1]]))
        return BlancScore(recall, precision, f1, none, none, none, none, **classes)
    return Score(recall, precision, f1, none, none, none, none)
