"""The results of scoring: views on counts. Each is a mapping from metric names to scores."""

from __future__ import annotations

import math
import os
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any, Generic, Literal, Self, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from arraycoref.display.formats import HEAD, Report
from arraycoref.display.tables import TextTable, written_name
from arraycoref.exceptions import UnknownNameError, first_names, printable
from arraycoref.ragged import Floats
from arraycoref.runtime import write_text
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts, macro_notes, score_counts
from arraycoref.scoring.format import rows_dict, rows_of, score_columns, to_dict
from arraycoref.scoring.grouped import GroupedScores, documents_by
from arraycoref.scoring.metrics.registry import PlainMetric, as_metric, known_metric, with_own_field
from arraycoref.scoring.metrics.score import BlancScore, Score, V
from arraycoref.scoring.reports import ScoresReport, render_repr, score_rows, short_table, table_of_f
from arraycoref.scoring.signature import Signature


@dataclass(frozen=True, eq=False)
class View(Report, Mapping[str, Score[V]], Generic[V]):
    """Scores by metric: ``view["muc"].f1``. Ratios are computed from the sums when a score is accessed.

    Attributes:
        metrics: names of the metrics, in the order asked for.
        counts: the sums from which the scores are computed.
        signature: version, profile and policies.
        notes: what happened while documents were read and matched, such as documents scored as empty.
        clusterings: the labels of one document, whose entities statistics resample; None for others.
    """

    metrics: tuple[str, ...]
    counts: Counts
    signature: Signature
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    clusterings: Clusterings | None = field(default=None, kw_only=True, repr=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @overload
    def __getitem__(self, metric: Literal["blanc", "blanc-gold"]) -> BlancScore[V]: ...
    @overload
    def __getitem__(self, metric: str) -> Score[V]: ...
    def __getitem__(self, metric: str) -> Score[V]:
        if metric in self.metrics:
            return score_counts(self.counts, metric, self.signature)
        return with_own_field(score_counts(self.counts, known_metric(metric, self.metrics), self.signature), metric)

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
        """Return signature, notes, and scores: by metric plain floats, None where a metric has no such number."""
        scores = rows_dict(rows_of(self, self.metrics))
        return {"signature": self.signature.as_dict(), "notes": list(self.notes), "scores": scores}

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return render_repr(self)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(View[float]):
    """Scores of one document or corpus, or means over documents: a mapping from metric names to `Score`.

    ``counts`` has the sums of each metric: float64 (4,), or (3, 4) for BLANC; of means, those of each document.

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
        """Name of the document, None for a corpus and for means."""
        return self.counts.names[0] if self.counts.names and self.counts.rows.ndim == 2 else None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scores as those of one document, which `arraycoref.load_scores` reads; see `BatchScores.save`.

        The scores of a corpus are those of its sums, and a note says of how many documents; means keep each document.
        """
        counts, notes = self.counts, self.notes
        if counts.rows.ndim > 2:
            notes = tuple([note for note in notes if note not in macro_notes(counts, self.metrics, self.signature)])
        else:
            counts = replace(counts, rows=counts.rows[np.newaxis])
            notes += (f"sums of {self.n_documents} documents",) * (self.n_documents > 1)
        BatchScores(self.metrics, counts, self.signature, notes=notes, clusterings=self.clusterings).save(path)


class DocumentScores(View[Floats]):
    """Scores of D documents, or of S settings: each attribute of each metric is an array (D,) or (S,)."""

    @property
    def n_documents(self) -> int:
        """Number of documents, D."""
        return self.counts.n_documents

    def tables(self, digits: int) -> Sequence[TextTable]:
        """Lay out F of the first documents or settings."""
        shown = range(min(self.n_documents, HEAD))
        return [table_of_f({f"(F{self.signature.beta:g})": self.counts.names or shown}, self, shown, digits)]

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


@dataclass(frozen=True, eq=False, repr=False)
class BatchScores(View[float]):
    """Scores of D documents: ``b["muc"]`` of the corpus, ``b[3]`` or ``b["name"]`` of a document.

    ``b[:9]``, ``b[[1, 2]]`` and ``b[mask]`` hold some of the documents, and ``b.by(genres)`` groups them.

    A corpus score is a ratio of sums over the documents (micro). A document that is named like a metric is reached by
    its position or with `document`. ``len(b)`` is D. Iterating over ``b`` yields the scores of each document, but
    ``b.items()`` has the scores of the corpus, by metric.

        >>> import arraycoref as ac
        >>> b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["x", "y"])
        >>> b["bcub"].recall, b["y"]["bcub"].recall, b.macro["bcub"].recall, b.counts["bcub"].shape
        (0.75, 1.0, 0.75, (2, 4))

    Attributes:
        metrics: names of the metrics, in the order asked for.
        counts: the sums of each document, from which all scores are computed. Rows may be summed, resampled and scored
            again.
        signature: version, profile and policies.
        headers: (D,) text after ``#begin document`` in the key's CoNLL files, ``(name)`` for other formats; None for
            documents that do not come from files.
    """

    headers: tuple[str, ...] | None = None

    @overload  # type: ignore[override]  # a metric is read as in `View`, and other texts name documents
    def __getitem__(self, item: Literal["blanc", "blanc-gold"]) -> BlancScore[float]: ...
    @overload
    def __getitem__(self, item: SupportsIndex) -> Scores: ...  # type: ignore[overload-overlap]  # arrays are below
    @overload
    def __getitem__(self, item: slice | Sequence[int] | NDArray[Any]) -> Self: ...
    @overload
    def __getitem__(self, item: PlainMetric) -> Score[float]: ...
    @overload
    def __getitem__(self, item: str) -> Any: ...
    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, str) and item in self.metrics:
            return self.corpus[item]
        if isinstance(item, str) and item not in self._positions:
            if as_metric(item) in self.metrics:
                return self.corpus[item]
            raise UnknownNameError("metric or document", item, (*self.metrics, *first_names(self.names, 5)))
        if isinstance(item, str) or (np.ndim(item) == 0 and not isinstance(item, slice)):
            return self.document(item)
        return self._take(list(item) if isinstance(item, tuple) else item)

    def _take(self, documents: Any, name: str = "") -> Self:
        """Return the scores of some documents, given by a slice, positions or a mask (D,); the signature names them."""
        counts = replace(self.counts, names=self.names).take(documents)  # names, or positions instead of names
        one = self.clusterings if len(counts.rows) == 1 else None
        headers = self.headers and tuple(np.array(self.headers, object)[documents].tolist())
        subset = printable(name or f"{len(counts.rows)} of {len(self)}")
        if self.signature.subset != "all":
            subset = f"{self.signature.subset}, {subset}"
        signed = replace(self.signature, subset=subset)
        return replace(self, counts=counts, headers=headers, signature=signed, clusterings=one)

    def by(self, labels: str | Iterable[object]) -> GroupedScores:
        r"""Group the documents, such as those of one genre.

            >>> import arraycoref as ac
            >>> b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["news_x", "blog_y"])
            >>> genres = b.by(r"^[a-z]+")
            >>> list(genres), genres["blog"]["muc"].recall, genres.total["muc"].recall
            (['news', 'blog'], 1.0, 0.5)

        Args:
            labels: (D,) labels, or a mapping from names to them; or a regular expression that is found in each name.
                Its groups, or else all that it matches, name the group of a document.

        Raises:
            OptionError: a text that is not a regular expression.
            InputError: a name in which the expression is not found, or another number of labels than documents.
        """
        groups = {name: self._take(documents, name) for name, documents in documents_by(self.names, labels).items()}
        return GroupedScores(groups, "group", self)

    def __contains__(self, item: object) -> bool:
        return isinstance(item, str) and (item in self._positions or as_metric(item) in self.metrics)

    def document(self, item: SupportsIndex | str) -> Scores:
        """Return the scores of one document, by position or name."""
        if isinstance(item, str):
            if item not in self._positions:
                raise UnknownNameError("document", item, first_names(self.names))
            position = self._positions[item]
        else:
            position = index(item)
        one = Counts((self.names[position],), self.counts.metrics, self.counts.rows[position])
        signed = self.signature if self.signature.subset == "all" else replace(self.signature, subset="all")
        return Scores(self.metrics, one, signed)

    def __len__(self) -> int:
        return len(self.counts.rows)

    @property
    def document_names(self) -> tuple[str, ...] | None:
        """(D,) names, None for documents without names; `names` has a text for each document in both cases."""
        return self.counts.names

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Document names, (D,); the positions as text for documents without names."""
        return self.counts.names or tuple(map(str, range(len(self))))

    def __iter__(self) -> Iterator[Scores]:  # type: ignore[override]  # other views iterate over metrics
        return map(self.document, range(len(self)))

    def keys(self) -> KeysView[str]:
        """Names of the metrics."""
        return self.corpus.keys()

    def values(self) -> ValuesView[Score[float]]:
        """Scores of the corpus by each metric."""
        return self.corpus.values()

    def items(self) -> ItemsView[str, Score[float]]:
        """Metrics and scores of the corpus; ``zip(b.names, b)`` gives document names and the scores of documents."""
        return self.corpus.items()

    @cached_property
    def _positions(self) -> dict[str, int]:
        written = zip(map(written_name, self.headers or ()), range(len(self)), strict=False)
        return {**dict(written), **{name: position for position, name in enumerate(self.names)}}

    @cached_property
    def corpus(self) -> Scores:
        """Scores of the corpus: the sums are added over documents once, then divided."""
        counts = self.counts
        if len(counts.rows) == 1 and not math.isnan(counts.rows[0, 0, 0]):  # it has the sums of the corpus
            one = Counts(None, counts.metrics, counts.rows[0])
            return Scores(self.metrics, one, self.signature, 1, notes=self.notes, clusterings=self.clusterings)
        return Scores(self.metrics, counts.total(), self.signature, int(counts.scored.sum()), notes=self.notes)

    @property
    def documents(self) -> DocumentScores:
        """Scores of each document, as arrays (D,)."""
        return DocumentScores(self.metrics, self.counts, self.signature, notes=self.notes)

    @property
    def macro(self) -> Scores:
        """Unweighted means over documents of recall, precision and F, without sums; without any document they are 0.

        A ratio 0/0 counts as 0; with the option ``zero_division="skip"``, the document is left out of the mean. A note
        says in how many documents a ratio is 0/0.
        """
        notes = (*self.notes, *macro_notes(self.counts, self.metrics, self.signature))
        return Scores(self.metrics, self.counts, replace(self.signature, average="macro"), len(self), notes=notes)

    @property
    def conll(self) -> float:
        """Mean F1 of MUC, B-cubed and CEAFe, for the corpus."""
        return self.corpus.conll

    def nested(self, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
        """Return signature, notes, number of documents and corpus scores, as ``--format json`` writes them."""
        return to_dict(self, per_document=per_document, macro=macro)

    def report(self, **choices: Any) -> ScoresReport:
        """Return what `render` writes, as ``arraycoref score`` does."""
        return ScoresReport(self, **choices)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write scores and sums of all documents as JSON, which `arraycoref.load_scores` reads.

        If writing fails, the file is left as it was.

        Args:
            path: the file, compressed where the suffix is .gz, .bz2, .xz or .zst.

        Raises:
            InputError: two documents with the same name, as in a resample.
            OSError: the file cannot be written.
        """
        write_text(self.render("json", per_document=True), path)

    def columns(self) -> dict[str, Any]:
        """Return columns with a row for each document: ``name``, ``muc_recall`` and so on."""
        return {"name": list(self.names) or np.zeros(0, "U1"), **score_columns(self.documents, self.metrics)}

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.metrics, *self.names]
