"""The scores of many documents, as a batch and in groups."""

from __future__ import annotations

import math
import os
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any, Literal, Self, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ArraycorefError, UnknownNameError, first_names
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable
from arraycoref.runtime import write_text
from arraycoref.scoring.counts import Counts, macro_notes
from arraycoref.scoring.metrics.registry import as_metric
from arraycoref.scoring.metrics.score import BlancScore, Score
from arraycoref.scoring.print import GroupsReport, ScoresReport
from arraycoref.scoring.rows import score_columns, to_dict
from arraycoref.scoring.settings import documents_by, text_of
from arraycoref.scoring.views import DocumentScores, MacroScores, Scores, View


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

    @overload
    def __getitem__(self, item: Literal["blanc", "blanc-gold"]) -> BlancScore[float]: ...
    @overload
    def __getitem__(self, item: SupportsIndex) -> Scores: ...  # type: ignore[overload-overlap]  # arrays are below
    @overload
    def __getitem__(self, item: slice | Sequence[int] | NDArray[Any]) -> Self: ...
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
        return self._take(item)

    def _take(self, documents: Any, name: str = "") -> Self:
        """Return the scores of some documents, given by a slice, positions or a mask (D,); the signature names them."""
        counts = replace(self.counts, names=self.names).take(documents)  # names, or positions in place of names
        headers = self.headers and tuple(np.array(self.headers, object)[documents].tolist())
        subset = text_of((*filter("all".__ne__, [self.signature.subset]), name or f"{len(counts.rows)} of {len(self)}"))
        return replace(self, counts=counts, headers=headers, signature=replace(self.signature, subset=subset))

    def by(self, labels: str | Iterable[object]) -> GroupScores:
        r"""Group the documents, such as those of one genre.

            >>> import arraycoref as ac
            >>> b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["news_x", "blog_y"])
            >>> genres = b.by(r"^[a-z]+")
            >>> list(genres), genres["blog"]["muc"].recall, genres.total["muc"].recall
            (['news', 'blog'], 1.0, 0.5)

        Args:
            labels: (D,) labels; or a regular expression that is found in each name. Its groups, or else all that it
                matches, name the group of a document.

        Raises:
            OptionError: a text that is no regular expression.
            InputError: a name in which the expression is not found, or another number of labels than documents.
        """
        groups = {name: self._take(documents, name) for name, documents in documents_by(self.names, labels).items()}
        return GroupScores(self, groups, tuple(groups))

    def __contains__(self, item: object) -> bool:
        return isinstance(item, str) and (item in self.metrics or item in self._positions)

    def document(self, item: SupportsIndex | str) -> Scores:
        """Return the scores of one document, by position or name."""
        if isinstance(item, str):
            if item not in self._positions:
                raise UnknownNameError("document", item, first_names(self.names))
            position = self._positions[item]
        else:
            position = index(item)
            if not -len(self) <= position < len(self):
                raise IndexError(f"no document has position {position}; there are {len(self)}")
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
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def corpus(self) -> Scores:
        """Scores of the corpus: the sums are added over documents once, then divided."""
        counts = self.counts
        if len(counts.rows) == 1 and not math.isnan(counts.rows[0, 0, 0]):  # it has the sums of the corpus
            one = Counts(None, counts.metrics, counts.rows[0])
            return Scores(self.metrics, one, self.signature, 1, notes=self.notes)
        return Scores(self.metrics, counts.total(), self.signature, int(counts.scored.sum()), notes=self.notes)

    @property
    def documents(self) -> DocumentScores:
        """Scores of each document, as arrays (D,)."""
        return DocumentScores(self.metrics, self.counts, self.signature, notes=self.notes)

    @property
    def macro(self) -> MacroScores:
        """Means of the documents' scores; a note says in how many documents a ratio is 0/0."""
        notes = (*self.notes, *macro_notes(self.counts, self.metrics, self.signature))
        return MacroScores(self.metrics, self.counts, replace(self.signature, average="macro"), notes=notes)

    @property
    def conll(self) -> float:
        """Mean F1 of MUC, B-cubed and CEAFe, for the corpus."""
        return self.corpus.conll

    def nested(self, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
        """Return signature, notes, number of documents and corpus scores, as ``--format json`` writes them."""
        return to_dict(self, per_document=per_document, macro=macro)

    def render(
        self,
        format: str = "table",
        *,
        digits: int = 2,
        width: int | None = None,
        per_document: bool = False,
        macro: bool = False,
    ) -> str:
        """Write the scores as ``arraycoref score`` does: in the formats of all results, or as ``conll``.

        Args:
            format: the name of the format.
            digits: decimals of percentages; json and csv have fractions at full precision.
            width: most characters of a line of ``table``; None for no limit.
            per_document: write the scores of every document too.
            macro: write means over documents instead of corpus scores.

        Raises:
            UnknownNameError: there is no such format.
        """
        return ScoresReport(self, per_document, macro).render(format, digits=digits, width=width)

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


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(Report, Mapping[str, BatchScores]):
    """Scores of groups of documents, such as genres or pairs of files: a mapping from their names to `BatchScores`.

    Each group has documents of its own, so that groups are not compared, but added up.

    Attributes:
        total: scores of the documents of all groups.
        batches: the scores of each group, by its name.
        names: names of all groups, of pairs that failed too, in the order given.
        kind: what a group is: ``group`` or ``pair``.
        failures: the error of each pair that could not be scored, by its name.
    """

    total: BatchScores
    batches: Mapping[str, BatchScores]
    names: tuple[str, ...]
    kind: str = "group"
    failures: Mapping[str, ArraycorefError] = field(default_factory=dict)

    def __getitem__(self, name: str) -> BatchScores:
        if name not in self.batches:
            raise UnknownNameError(f"{self.kind} that was scored", name, first_names(tuple(self.batches)))
        return self.batches[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)

    def report(self, per_document: bool = False, macro: bool = False) -> GroupsReport:
        """Return the report of all groups and their total, whose `render` writes it in a format.

        Args:
            per_document: show the scores of every document too.
            macro: show means over documents instead of corpus scores.
        """
        return GroupsReport(self.total, per_document, macro, groups=self)

    def render(
        self,
        format: str = "table",
        *,
        digits: int = 2,
        width: int | None = None,
        per_document: bool = False,
        macro: bool = False,
    ) -> str:
        """Write the scores of all groups and their total; the arguments are those of `BatchScores.render`."""
        return self.report(per_document, macro).render(format, digits=digits, width=width)

    def tables(self, digits: int) -> Sequence[TextTable]:
        """Lay out F of each group and of all together."""
        return self.report().tables(digits)

    def caption(self, digits: int) -> Sequence[str]:
        """Return number of groups, notes and the signature."""
        return self.report().caption(digits)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each group and metric."""
        return self.report().records()

    def nested(self) -> dict[str, Any]:
        """Return the scores of each group and of all together."""
        return self.report().nested()

    def __repr__(self) -> str:
        return f"<GroupScores of {len(self)} {self.kind}s, {len(self.failures)} failed, in total {self.total!r}>"
