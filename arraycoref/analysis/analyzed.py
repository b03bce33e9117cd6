"""Hold what was analyzed: the mentions of a key and of several responses, their scores and their errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.analysis.breakdown import Breakdown, attribute_of, break_down
from arraycoref.analysis.entities import Entities, entities_of
from arraycoref.analysis.errors import Costs, ErrorTable, contributions_of, count_types, error_table
from arraycoref.analysis.explanation import WORKED, Explanation, explain_document
from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.links import AntecedentLinks, Differences, differences, links_of
from arraycoref.analysis.pair import TYPES, ErrorList, Pair, Type, pair_of
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural
from arraycoref.exceptions import UnknownNameError, first_names
from arraycoref.match.documents import as_usual
from arraycoref.options import Metrics, with_signature
from arraycoref.options.policies import Policies
from arraycoref.ragged import Bools
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.grouped import documents_by
from arraycoref.scoring.metrics import registry
from arraycoref.scoring.metrics.score import best_first
from arraycoref.scoring.signature import Signature, signature, written_notes
from arraycoref.stats.draws import IntervalOptions, how_of
from arraycoref.stats.runs import Runs

BROKEN_DOWN = ("mentions", "muc", "bcub", "ceafe")
"""The metrics of breakdowns, if the user names none."""


@dataclass(frozen=True, eq=False, repr=False)
class Analyzed(Report):
    """S responses to one key, on one index.

    Attributes:
        index: the mentions of all sides, and what is known of them. metrics: names of the metrics in which responses
        are scored. signature: version, profile and policies. notes: (S,) what happened in each response, such as
        documents scored as empty. spans: how mentions are found whose span alone is wrong; see
        `arraycoref.analysis.pair.span_errors`. is_pronoun: bool (M,) whether each mention is a pronoun,
        which represents an entity only if there is nothing else; None if that is not known.
    """

    index: MentionIndex
    metrics: tuple[str, ...]
    signature: Signature
    notes: tuple[tuple[str, ...], ...]
    spans: str = "none"
    is_pronoun: Bools | None = None
    inner = f"{Report.inner} as_runs is_pronoun pairs plain_pairs"

    @classmethod
    def from_index(
        cls,
        index: MentionIndex,
        policies: Policies,
        own: Sequence[Policies],
        options: Mapping[str, Any],
        spans: str,
        is_pronoun: Bools | None,
    ) -> Self:
        """Make the result from the index, the policies, those of each response with notes, and the user's options."""
        wanted = registry.resolve_metrics(options.get("metrics"))
        written = tuple(written_notes(policies.notes | each.notes) for each in own)
        return cls(index, wanted, signature(policies), written, spans, is_pronoun)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the responses, (S,)."""
        return self.index.systems

    @property
    def documents(self) -> tuple[str, ...]:
        """Names of the documents, (D,)."""
        return self.index.names

    def side(self, system: str | int | None = None) -> int:
        """Return the side of a response, from 1, in the arrays of `index`.

        Args:
            system: its name, or its position from 0; None for the first.

        Raises:
            UnknownNameError: there is no such response.
        """
        if isinstance(system, str) and system in self.systems:
            return self.systems.index(system) + 1
        position = 0 if system is None else system
        if isinstance(position, str) or not 0 <= position < len(self.systems):
            raise UnknownNameError("response", system, self.systems)
        return position + 1

    def by(self, labels: str | Iterable[object]) -> dict[str, Self]:
        r"""Group the documents, as `arraycoref.BatchScores.by` does: the analysis of each group, by its name.

        >>> import arraycoref as ac
        >>> a = ac.analyze_labels([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4], names=["news_1", "talk_1"])
        >>> {group: part.error_counts.score("divided").tolist() for group, part in a.by(r"(\w+)_").items()}
        {'news': [1.0], 'talk': [0.0]}
        """
        return {name: self._of(documents, name) for name, documents in documents_by(self.documents, labels).items()}

    def _of(self, documents: Sequence[int], subset: str) -> Self:
        index, mentions = self.index.take(documents)
        flags = None if self.is_pronoun is None else self.is_pronoun[mentions]
        return replace(self, index=index, is_pronoun=flags, signature=replace(self.signature, subset=subset))

    @cached_property
    def scores(self) -> Runs:
        """The scores of each response, by document and in all."""
        clusterings, metrics = self.index.clusterings, registry.counted_metrics(self.metrics)
        rows = count_documents(clusterings, metrics).rows
        runs = self.as_runs(tuple(metric.name for metric in metrics), rows, self.metrics)
        return runs if len(self.documents) > 1 else replace(runs, clusterings=self._clusterings)

    @property
    def _clusterings(self) -> tuple[Clusterings, ...]:
        """The labels of one document, whose entities statistics resample, by response."""
        key, *responses = self.index.labels
        return tuple(Clusterings(key, labels, self.index.offsets) for labels in responses)

    def as_runs(self, counted: tuple[str, ...], rows: Any, metrics: tuple[str, ...]) -> Runs:
        """Return sums of this analysis' responses and documents, float64 (S, D, K, 4) or (S * D, K, 4), as `Runs`."""
        rows = rows.reshape(len(self.systems), len(self.documents), *rows.shape[-2:])
        names = self.documents if self.index.has_names else None
        counts = Counts.read_only(names, counted, rows)
        return Runs(self.systems, counts, metrics, self.signature, self.notes)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The key with each response, (S,)."""
        index = self.index
        return tuple(pair_of(index, side, self.is_pronoun, self.spans) for side in range(1, 1 + len(self.systems)))

    def errors(self, system: str | int | None = None) -> ErrorList:
        """Return every error of a response, with its type, document, entity and mentions; see `ErrorList`.

            >>> import arraycoref as ac
            >>> a = ac.analyze_labels([0, 0, 1, 1, 1], [0, 0, 0, 0, 1])
            >>> from arraycoref.analysis.pair import TYPES
            >>> errors = a.errors()
            >>> [TYPES[t] for t in errors.type], errors.mentions.tolist(), errors.bounds.tolist()
            (['conflated', 'divided'], [2, 3, 4], [0, 2, 3])

        Args:
            system: name or position of the response; None for the first.
        """
        return self.pairs[self.side(system) - 1].pieces

    @cached_property
    def error_counts(self) -> Runs:
        """The number of errors of each type, by response and document; see `arraycoref.analysis.errors`."""
        rows = np.stack([count_types(pair) for pair in self.pairs])
        runs = self.as_runs(TYPES, rows, TYPES)
        if len(self.documents) > 1:
            return runs
        both = zip(self._clusterings, self.pairs, strict=True)
        labels = tuple(replace(one, contributions=contributions_of(pair)) for one, pair in both)
        return replace(runs, clusterings=labels)

    @with_signature
    def error_table(self, metric: str = "conll", **options: Unpack[IntervalOptions]) -> ErrorTable:
        """Return the table of error types: numbers with intervals, MUC's lost links, and what each type costs.

            >>> import arraycoref as ac
            >>> table = ac.analyze_labels([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]).error_table("muc")
            >>> table.types[0], table.errors[0][0].estimate, round(float(table.gain_if_fixed[0, 0]), 3)
            ('divided', 1.0, 0.333)

        Args:
            metric: the metric in whose F costs are given.
            **options: see `arraycoref.options`.
        """
        return error_table(self.costs(metric), self.error_counts, options)

    def costs(self, metric: str = "conll") -> tuple[Costs, ...]:
        """Return what the errors of each response cost in a metric, (S,); see `arraycoref.analysis.errors.Costs`."""
        name = registry.known_metric(metric, registry.METRIC_NAMES)
        if name not in self._known_costs:
            types = [t for t in range(len(TYPES)) if t != Type.SPAN or self.spans != "none"]
            self._known_costs[name] = tuple(Costs.from_pair(pair, types, name, self.signature) for pair in self.pairs)
        return self._known_costs[name]

    @cached_property
    def _known_costs(self) -> dict[str, tuple[Costs, ...]]:
        return {}

    def worst(self, n: int = 1, sort: str | None = None) -> list[int]:
        """Return the positions of the n worst documents of the first response, the worst first.

        Args:
            n: number of documents.
            sort: the score, ``muc`` or ``muc.recall``; None for the CoNLL average, or the first metric.
        """
        metric, field = registry.split_field(sort or self.scores.first_metric)
        values = getattr(self.scores.batch(0).documents[metric], field)
        worst: list[int] = best_first(-registry.direction(metric) * values)[:n].tolist()
        return worst

    def _position(self, document: str | int) -> int:
        """Return the position of a document; it may be named as a file of any side names it, if only one is so."""
        fit = [] if isinstance(document, str) else [document]
        if isinstance(document, str):
            every = [*enumerate(zip(self.documents, *(side.headers for side in self.index.documents), strict=True))]
            fit = [d for d, names in every if names[0] == document]
            fit = fit or [d for d, names in every if as_usual(document) in map(as_usual, names)]
        if len(fit) != 1 or not 0 <= fit[0] < len(self.documents):
            raise UnknownNameError("document", document, first_names(self.documents))
        return fit[0]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the scores of each response, and its numbers of errors."""
        counts = [[system, *(f"{n:.0f}" for n in self._counts(s))] for s, system in enumerate(self.systems)]
        return [*self.scores.tables(digits), TextTable(["errors", *TYPES], counts)]

    def caption(self, digits: int) -> list[str]:
        """Say how many documents and mentions there are; notes and the signature come last."""
        size = f"{plural(len(self.documents), 'document')}, {plural(len(self.index), 'mention')}"
        return [size, *self.scores.joint_notes, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return a row for each response: its scores, fractions 0-1, and its numbers of errors."""
        counts = np.array([self._counts(s) for s in range(len(self.systems))])
        return self.scores.columns() | {name.replace("-", "_"): counts[:, t] for t, name in enumerate(TYPES)}

    def _counts(self, s: int) -> list[float]:
        return [float(self.error_counts.corpus[name].f1[s]) for name in TYPES]

    @cached_property
    def plain_pairs(self) -> tuple[Pair, ...]:
        """The key with each response, (S,), where mentions whose span alone is wrong are not matched."""
        if self.spans == "none":
            return self.pairs
        return tuple(pair_of(self.index, side) for side in range(1, 1 + len(self.systems)))

    @with_signature
    def breakdown(
        self,
        attribute: str | ArrayLike | Mapping[Any, Any],
        metrics: Metrics = BROKEN_DOWN,
        *,
        title: str = "label",
        intervals: bool = False,
        **options: Unpack[IntervalOptions],
    ) -> Breakdown:
        """Break the scores down by classes of mentions.

            >>> import arraycoref as ac
            >>> a = ac.analyze_labels([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
            >>> b = a.breakdown(["she", "she", "name", "name", "she"], "muc", title="form")
            >>> b.classes, b.score("muc", "recall").round(2).tolist()
            (('she', 'name', 'all'), [[1.0, 0.0, 0.67]])

        Args:
            attribute: a name of `arraycoref.analysis.breakdown.ATTRIBUTES`: ``length``, ``position``, ``nested``,
                ``upos``, ``kind`` (pronoun, name, noun), ``type``, ``size`` of the entity, its ``rank`` by size in the
                document, its ``range``, ``distance`` to the closest antecedent, ``distance-tokens``,
                ``distance-sentences``; or a label for each mention of `index`; or a mapping from
                mentions, as they were given, to labels.
            metrics: names of ``mentions``, ``muc``, ``bcub``, ``ceafm``, ``ceafe``, ``blanc``, ``lea``, ``pairwise``
                and ``conll``.
            title: name of an attribute that is given as labels.
            intervals: whether to find confidence intervals.
            **options: how documents are resampled for these, see `arraycoref.options`.

        Raises:
            UnknownNameError, InputError: as for `arraycoref.analysis.breakdown.attribute_of`.
            OptionError: a metric that has no parts by mention.
        """
        how, draws = how_of(options, IntervalOptions)
        classes = attribute_of(self.index, attribute, title)
        conventions = self.signature, self.notes
        wanted = registry.resolve_metrics(metrics)
        return break_down(self.plain_pairs, classes, wanted, *conventions, how if intervals else None, draws)

    def explain(self, metric: str, document: str | int | None = None, system: str | int | None = None) -> Explanation:
        """Explain a metric's score of one document, step by step, in exact fractions; see `arraycoref.explain`.

        Args:
            metric: ``muc``, ``bcub``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` or ``pairwise``.
            document: name or position of the document; None for the worst by this metric.
            system: name or position of the response; None for the first.

        Raises:
            UnknownNameError: there is no such document or response, or the metric cannot be explained.
        """
        metric, side = registry.known_metric(metric, WORKED, "metric to explain"), self.side(system)
        d = replace(self, metrics=(metric,)).worst()[0] if document is None else self._position(document)
        n = len(self.documents)
        about = self.signature if n == 1 else replace(self.signature, subset=f"1 of {n}")
        return explain_document(self.index.take([d])[0], side, metric, about, self.notes[side - 1])

    def links(self, system: str | int | None = None, *, precision: bool = False) -> AntecedentLinks:
        """Return the links of the key, and which of them a response lacks; or those of the response.

            >>> import arraycoref as ac
            >>> links = ac.analyze_labels([0, 0, 0], [0, 1, 0]).links()
            >>> links.anaphor.tolist(), links.antecedent.tolist(), links.is_wrong.tolist()
            ([1, 2], [0, 0], [True, False])

        Args:
            system: name or position of the response; None for the first.
            precision: whether to return the links of the response, and which of them the key lacks.
        """
        return links_of(self.plain_pairs[self.side(system) - 1], precision)

    def entities(self, system: str | int | None = None, *, of_response: bool = False) -> Entities:
        """Return the table of the key's entities, those that a response loses most of first; or of the response's.

            >>> import arraycoref as ac
            >>> table = ac.analyze([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]]).entities()
            >>> table.data["mention"], table.data["pieces"].tolist(), table.data["cost"].round(2).tolist()
            (['a', 'd'], [2, 1], [1.33, 0.0])

        Args:
            system: name or position of the response; None for the first.
            of_response: whether to return the response's entities, against the key's.
        """
        return entities_of(self.plain_pairs[self.side(system) - 1], of_response, self.signature)

    def differences(self, first: str | int = 0, second: str | int = 1, *, metric: str | None = None) -> Differences:
        """Compare two responses: what both have wrong, what the second fixes, and what it breaks.

            >>> import arraycoref as ac
            >>> d = ac.analyze_labels([0, 0, 0], {"old": [0, 0, 1], "new": [0, 1, 1]}).differences()
            >>> missing = d.changes["missing link"]
            >>> missing.anaphor.tolist(), missing.fixed.tolist(), missing.broken.tolist()
            ([1, 2], [False, True], [True, False])

        Args:
            first: name or position of a response.
            second: the same.
            metric: metric, and maybe field, by which documents are sorted; None for the CoNLL average, or else the
                first metric that was scored.

        Raises:
            UnknownNameError: there is no such response, or no such metric.
        """
        chosen = self.scores.first_metric if metric is None else metric
        return differences(self.scores, self.plain_pairs, self.side(first) - 1, self.side(second) - 1, chosen)
