"""What scoring returns: scores of one document, and of a batch with its counts, documents and averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any, Literal, Self, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.lazy import cached_property
from arraycoref.metrics import CONLL, CONLL_PARTS
from arraycoref.report.signature import Signature
from arraycoref.scores import BlancScore, Score, average_score, corpus_totals, score_row, score_rows

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores(Mapping[str, Score[float]]):
    """Scores of one document or corpus: a mapping from metric names to `Score`.

    Attributes:
        metrics: names of the metrics, in the order asked for.
        counts: the sums behind each metric, float64 (4,), for BLANC (12,).
        signature: version, profile and policies.
        name: of the document, None for a corpus.
    """

    metrics: tuple[str, ...]
    counts: Mapping[str, Floats]
    signature: Signature
    name: str | None = None

    @overload
    def __getitem__(self, metric: Literal["blanc", "blanc-gold"]) -> BlancScore[float]: ...
    @overload
    def __getitem__(self, metric: str) -> Score[float]: ...
    def __getitem__(self, metric: str) -> Score[float]:
        if metric not in self.metrics:
            raise UnknownNameError("metric", metric, self.metrics)
        if metric == CONLL:
            return average_score(self.conll)
        return score_row(self.counts[metric].tolist(), self.signature.profile, self.signature.beta)

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def conll(self) -> float:
        """Mean F1 of MUC, B-cubed and CEAFe; the mean of what ``.f1`` holds, with another ``beta``."""
        rows = (self.counts[part].tolist() for part in _conll_parts(self.counts))
        muc, bcub, ceafe = (score_row(row, beta=self.signature.beta).f1 for row in rows)
        return (muc + bcub + ceafe) / 3  # as for arrays; the built-in sum rounds otherwise from Python 3.12 on

    def to_dict(self) -> dict[str, Any]:
        """Plain floats by metric and name, None where a score has no such number."""
        from arraycoref.report.frames import to_dict

        return to_dict(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scores) and self.name == other.name and _same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        from arraycoref.report.text import render_repr

        return render_repr(self)

    def _repr_html_(self) -> str:
        from arraycoref.report.text import render_html

        return render_html(self)


@dataclass(frozen=True, eq=False)
class DocumentScores(Mapping[str, Score[Floats]]):
    """Scores of D documents, each attribute of each metric an array (D,)."""

    metrics: tuple[str, ...]
    counts: Mapping[str, Floats]
    signature: Signature

    @overload
    def __getitem__(self, metric: Literal["blanc", "blanc-gold"]) -> BlancScore[Floats]: ...
    @overload
    def __getitem__(self, metric: str) -> Score[Floats]: ...
    def __getitem__(self, metric: str) -> Score[Floats]:
        if metric not in self.metrics:
            raise UnknownNameError("metric", metric, self.metrics)
        if metric == CONLL:
            return average_score(self.conll)
        return score_rows(self.counts[metric], self.signature.profile, self.signature.beta)

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def conll(self) -> Floats:
        """Mean F1 of MUC, B-cubed and CEAFe, float64 (D,)."""
        rows = (self.counts[part] for part in _conll_parts(self.counts))
        muc, bcub, ceafe = (score_rows(row, beta=self.signature.beta).f1 for row in rows)
        return (muc + bcub + ceafe) / 3

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DocumentScores) and _same(self, other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_documents(self) -> int:
        """D."""
        return len(next(iter(self.counts.values())))

    def __repr__(self) -> str:
        return f"<DocumentScores, arrays of shape ({self.n_documents},): {', '.join(self.metrics)}>"


@dataclass(frozen=True, eq=False)
class MacroScores(Mapping[str, Score[float]]):
    """Unweighted means over documents of recall, precision and F; an empty ratio counts as 0, no documents give 0."""

    documents: DocumentScores

    @overload
    def __getitem__(self, metric: Literal["blanc", "blanc-gold"]) -> BlancScore[float]: ...
    @overload
    def __getitem__(self, metric: str) -> Score[float]: ...
    def __getitem__(self, metric: str) -> Score[float]:
        return average_score(self.conll) if metric == CONLL else _mean(self.documents[metric])

    def __iter__(self) -> Iterator[str]:
        return iter(self.documents)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return self.documents.metrics

    @property
    def signature(self) -> Signature:
        """Version, profile and policies."""
        return self.documents.signature

    @property
    def n_documents(self) -> int:
        """Number of documents that the means are of."""
        return self.documents.n_documents

    @property
    def conll(self) -> float:
        """Mean over documents of their CoNLL averages."""
        return _mean(average_score(self.documents.conll)).f1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MacroScores) and self.documents == other.documents

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        from arraycoref.report.text import render_repr

        return render_repr(self)

    def _repr_html_(self) -> str:
        from arraycoref.report.text import render_html

        return render_html(self)


@dataclass(frozen=True, eq=False)
class BatchScores:
    """Scores of D documents: ``b["muc"]`` of the corpus, ``b[3]`` or ``b["name"]`` of a document, ``b[:9]`` of nine.

    A corpus score is the ratio of the documents' sums (micro). A document named like a metric is reached by its
    position or by `document`.

    Attributes:
        metrics: names of the metrics, in the order asked for.
        counts: the heart: float64 (D, 4) a metric, the four sums of each document (recall numerator, recall
            denominator, precision numerator, precision denominator). BLANC's is (D, 12): the four of coreference
            links, of non-coreference links and of mentions. Rows may be summed, resampled and scored again.
        signature: version, profile and policies.
        document_names: (D,) names, None for documents known by position; `names` has a text for each either way.
        headers: (D,) what stands behind ``#begin document`` in the key's files, where the documents come from files.
    """

    metrics: tuple[str, ...]
    counts: Mapping[str, Floats]
    signature: Signature
    document_names: tuple[str, ...] | None = None
    headers: tuple[str, ...] | None = None

    @overload
    def __getitem__(self, item: Literal["blanc", "blanc-gold"]) -> BlancScore[float]: ...
    @overload
    def __getitem__(
        self,
        item: Literal[
            "mentions",
            "muc",
            "bcub",
            "ceafm",
            "ceafe",
            "lea",
            "pairwise",
            "conll",
            "rand",
            "ceaf-phi1",
            "ceaf-phi2",
            "bcub-0",
            "bcub-all",
            "bcub-rn",
            "ceafm-rn",
            "ceafe-rn",
            "bcub-sys",
            "ceafm-sys",
            "ceafe-sys",
        ],
    ) -> Score[float]: ...
    @overload
    def __getitem__(self, item: SupportsIndex) -> Scores: ...
    @overload
    def __getitem__(self, item: slice) -> BatchScores: ...
    @overload
    def __getitem__(self, item: str) -> Any: ...
    def __getitem__(self, item: SupportsIndex | slice | str) -> Score[float] | Scores | BatchScores:
        if isinstance(item, slice):
            return self._some(item)
        if isinstance(item, str) and item in self.metrics:
            return self.corpus[item]
        if isinstance(item, str) and item not in self._positions:
            raise UnknownNameError("metric or document", item, (*self.metrics, *self.names[:5], "..."))
        return self.document(item)

    def __contains__(self, item: object) -> bool:
        if isinstance(item, Scores):  # as those that iteration yields
            return item.name in self._positions and self.document(item.name) == item
        return isinstance(item, str) and (item in self.metrics or item in self._positions)

    def _some(self, rows: slice) -> Self:
        """Scores of some documents, under the names that they have here."""
        counts = {metric: counts[rows] for metric, counts in self.counts.items()}
        headers = None if self.headers is None else self.headers[rows]
        return replace(self, counts=counts, document_names=self.names[rows], headers=headers)

    def document(self, item: SupportsIndex | str) -> Scores:
        """Scores of one document, by position or name."""
        if isinstance(item, str):
            if item not in self._positions:
                raise UnknownNameError("document", item, (*self.names[:8], "..."))
            position = self._positions[item]
        else:
            position = index(item)
            if not -len(self) <= position < len(self):
                raise IndexError(f"document {position} of {len(self)}")
        rows = {metric: counts[position] for metric, counts in self.counts.items()}
        return Scores(self.metrics, rows, self.signature, self.names[position])

    def __len__(self) -> int:
        return len(next(iter(self.counts.values())))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Document names, (D,); positions as text where none were given."""
        return self.document_names or tuple(map(str, range(len(self))))

    def __iter__(self) -> Iterator[Scores]:
        return map(self.document, range(len(self)))

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def corpus(self) -> Scores:
        """Scores of the corpus: sums over documents, then one division."""
        totals = {metric: corpus_totals(counts) for metric, counts in self.counts.items()}
        return Scores(self.metrics, totals, self.signature)

    @cached_property
    def documents(self) -> DocumentScores:
        """Scores of each document, as arrays (D,)."""
        return DocumentScores(self.metrics, self.counts, self.signature)

    @property
    def macro(self) -> MacroScores:
        """Means of the documents' scores."""
        return MacroScores(self.documents)

    @property
    def conll(self) -> float:
        """Mean F1 of MUC, B-cubed and CEAFe, for the corpus."""
        return self.corpus.conll

    def to_dict(self) -> dict[str, Any]:
        """Signature, number of documents and corpus scores, as ``--format json`` writes them."""
        from arraycoref.report.frames import to_dict

        return to_dict(self)

    @overload
    def to_frame(self, backend: Literal["pandas"]) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["polars"]) -> polars.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"]) -> pyarrow.Table: ...
    @overload
    def to_frame(self, backend: None = None) -> Any: ...
    def to_frame(self, backend: str | None = None) -> Any:
        """Table of documents x metrics, in the first of pandas, polars and pyarrow that is installed."""
        from arraycoref.report.frames import to_frame

        return to_frame(self, backend)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BatchScores) and self.names == other.names and _same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        from arraycoref.report.text import render_repr

        return render_repr(self)

    def _repr_html_(self) -> str:
        from arraycoref.report.text import render_html

        return render_html(self)


def _conll_parts(counts: Mapping[str, Floats]) -> tuple[str, ...]:
    """Names of the metrics that the CoNLL average is the mean of, all of which must have been counted."""
    missing = [part for part in CONLL_PARTS if part not in counts]
    if missing:
        raise InputError(f"the CoNLL average needs {', '.join(missing)}, not among the metrics scored; add 'conll'")
    return CONLL_PARTS


def _mean(arrays: Score[Floats]) -> Score[float]:
    """Average recall, precision and F over documents; sums have no mean that would mean anything."""

    def mean(values: Floats) -> float:
        return float(values.mean()) if values.size else 0.0

    none = float("nan")
    means = (mean(arrays.recall), mean(arrays.precision), mean(arrays.f1), none, none, none, none)
    if isinstance(arrays, BlancScore):
        return BlancScore(*means, coreference=_mean(arrays.coreference), non_coreference=_mean(arrays.non_coreference))
    return Score(*means)


def _same(a: Scores | DocumentScores | BatchScores, b: Scores | DocumentScores | BatchScores) -> bool:
    """Whether metrics, signature and all counts are equal."""
    return (
        a.metrics == b.metrics
        and a.signature == b.signature
        and a.counts.keys() == b.counts.keys()
        and all(np.array_equal(counts, b.counts[metric]) for metric, counts in a.counts.items())
    )
