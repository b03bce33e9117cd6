"""Break scores down by categories of mentions: by attributes of mentions, of entities, or of links to antecedents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.analysis.index import KEY, MentionIndex
from arraycoref.analysis.pair import Pair, stable_order
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural
from arraycoref.exceptions import InputError, OptionError, check_name
from arraycoref.ragged import Bools, Floats, Ints, bounds, owners, run_starts
from arraycoref.read.mentions import UPOS
from arraycoref.scoring.contributions import CONTRIBUTIONS
from arraycoref.scoring.counts import Counts, undefined
from arraycoref.scoring.format import SUMS, fields_of, format_score, score_name
from arraycoref.scoring.metrics.registry import RATIOS, check_field, counted_metrics, known_metric
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats.draws import Draws
from arraycoref.stats.how import How
from arraycoref.stats.intervals import Resamples
from arraycoref.stats.notes import sample_notes
from arraycoref.stats.runs import Runs
from arraycoref.stats.sample import Sample, sample_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NONE = "(none)"
"""The category of mentions whose attribute is not known."""

FIRST, ONE = "first", "one mention"
"""The categories of the first mentions of their entities, which have no antecedent; and of entities without a range."""

LENGTHS, SIZES = (1, 2, 3, 5, 10), (1, 2, 3, 6, 11)
RANGES, DISTANCES, SENTENCES = (0, 1, 11, 51, 201, 1001), (1, 2, 6, 11, 21, 51), (0, 1, 2, 4, 8, 16)
POSITIONS, RANKS = (0, 512, 1024, 2048, 4096), (1, 2, 4, 11)
"""The least value of each category; the last one has no end."""

KINDS = ("pronoun", "name", "noun", "other")


@dataclass(frozen=True, eq=False)
class Attribute:
    """The category of each mention by one attribute.

    Attributes:
        name: name of the attribute.
        classes: (C,) names of the categories, in order.
        codes: int64 (1+S, M) the category of each mention as one of the key's and of each response's; -1 for none.
        of_mention: whether a mention has one category on all sides. Otherwise recall is that of the key's mentions of a
            category, and precision that of the response's, and there is no F of both.
        values: int64 (1+S, M) the number by which each mention was sorted; None for attributes that are not numbers.
    """

    name: str
    classes: tuple[str, ...]
    codes: Ints
    of_mention: bool = True
    values: Ints | None = None


def attribute_of(index: MentionIndex, name: str | ArrayLike | Mapping[Any, Any], title: str = "label") -> Attribute:
    """Sort the mentions of an index into categories.

    Args:
        index: the mentions.
        name: one of `ATTRIBUTES`; or a label for each mention of the index, (M,); or a mapping from mentions, as they
            were given, to labels. Labels of other types than text are shown as text, None as ``(none)``.
        title: name of the attribute that is given as labels.

    Raises:
        UnknownNameError: there is no such attribute.
        InputError: the mentions do not have it; or not a label for each mention.
    """
    if isinstance(name, str):
        check_name("attribute", name, ATTRIBUTES)
        return ATTRIBUTES[name](index, name)
    if isinstance(name, Mapping):
        pairs = zip(index.start.tolist(), index.end.tolist(), strict=True) if index.has_spans else None
        mentions = index.values.tolist() if index.values is not None else list(pairs or range(len(index)))
        name = np.array([name.get(mention) for mention in mentions], object)
    labels = np.asarray(name, object)
    if labels.shape != (len(index),):
        raise InputError(f"labels of shape {labels.shape}; expected ({len(index)},), one for each mention of the index")
    return _of_texts(index, title, [labels] * len(index.labels))


def known_attributes(index: MentionIndex, names: Collection[str] = ()) -> list[Attribute]:
    """Sort the mentions of an index by those attributes that they have, of `USUAL` where no names are given."""
    known = []
    for name in names or USUAL:
        with suppress(InputError):
            known.append(ATTRIBUTES[name](index, name))
    return known


def _binned(
    index: MentionIndex, name: str, values: Sequence[Any], least: Sequence[int], special: str = "", **more: Any
) -> Attribute:
    """Sort by numbers, one array for each side; numbers below the least are in the category ``special``."""
    ends = [f"{low}" if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(least)]
    classes = [*([special] if special else []), *ends, f"{least[-1]}+"]
    codes = np.stack([np.searchsorted(least, each, side="right") - (not special) for each in values])
    return Attribute(name, tuple(classes), np.where(index.labels < 0, -1, codes), values=np.stack(values), **more)


def _of_texts(index: MentionIndex, name: str, sides: Sequence[Any]) -> Attribute:
    """Sort mentions by texts, each by that of the first side that knows it; the most frequent category is first."""
    known = [side.tolist() for side in sides if side is not None]
    labels = (next((label for label in own if label is not None), NONE) for own in zip(*known, strict=True))
    texts = np.array(list(map(str, labels)), str)
    classes, codes, n = np.unique(texts, return_inverse=True, return_counts=True)
    order = np.lexsort((classes, -n, classes == NONE))
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    codes = np.broadcast_to(rank[codes], index.labels.shape)
    return Attribute(name, tuple(classes[order].tolist()), np.where(index.labels < 0, -1, codes))


def _length(index: MentionIndex, name: str) -> Attribute:
    start, end = _spans(index, name)
    return _binned(index, name, [end - start + 1] * len(index.labels), LENGTHS)


def _position(index: MentionIndex, name: str) -> Attribute:
    return _binned(index, name, [_spans(index, name)[0]] * len(index.labels), POSITIONS)


def _nested(index: MentionIndex, name: str) -> Attribute:
    start, end = _spans(index, name)
    far, codes = index.document * (1 + end.max(initial=0)), index.labels.copy()
    for own in codes:
        present = np.flatnonzero(own >= 0)
        own[present] = nested((start + far)[present], (end + far)[present])
    return Attribute(name, ("outermost", "nested"), codes, of_mention=False)


def _upos(index: MentionIndex, name: str) -> Attribute:
    return _of_texts(index, name, [np.array([*UPOS, None], object)[_known_upos(index, name)]])


def _kind(index: MentionIndex, name: str) -> Attribute:
    upos = _known_upos(index, name)
    kind_of = [{"PRON": 0, "PROPN": 1, "NOUN": 2}.get(each, 3) for each in (*UPOS, "")]
    codes = np.broadcast_to(np.array(kind_of)[upos], index.labels.shape)
    return Attribute(name, KINDS, np.where(index.labels < 0, -1, codes))


def _type(index: MentionIndex, name: str) -> Attribute:
    sides = [index.types(side) for side in range(len(index.labels))]
    if all(side is None for side in sides):
        raise InputError(f"attribute {name!r} needs types of mentions, which these files do not have")
    return _of_texts(index, name, sides)


def _size(index: MentionIndex, name: str) -> Attribute:
    sizes = [np.bincount(labels + 1, minlength=1)[labels + 1] for labels in index.labels]
    return _binned(index, name, sizes, SIZES, of_mention=False)


def _rank(index: MentionIndex, name: str) -> Attribute:
    ranks = []
    for labels, of_documents in zip(index.labels, index.entity_bounds, strict=True):
        sizes, document = np.bincount(labels + 1, minlength=1 + of_documents[-1])[1:], owners(of_documents)
        rank = np.zeros(sizes.size + 1, np.int64)  # the last place is for absent mentions, whose label is -1
        rank[np.lexsort((-sizes, document))] = np.arange(sizes.size) - of_documents[document] + 1
        ranks.append(rank[labels])
    return _binned(index, name, ranks, RANKS, of_mention=False)


def _range(index: MentionIndex, name: str) -> Attribute:
    start, end = _spans(index, name)
    values = []
    for labels in index.labels:
        n = int(labels.max(initial=-1)) + 2  # the last place is for absent mentions, whose label is -1
        first, last, size = np.full(n, end.max(initial=0)), np.zeros(n, np.int64), np.bincount(labels + 1, minlength=n)
        np.minimum.at(first, labels, start)
        np.maximum.at(last, labels, end)
        values.append(np.where(size[labels + 1] == 1, 0, (last - first + 1)[labels]))
    attribute = _binned(index, name, values, RANGES, of_mention=False)
    return replace(attribute, classes=(ONE, *attribute.classes[1:]))


def _distances(
    index: MentionIndex, name: str, places: Sequence[Ints], bins: Sequence[int] = DISTANCES, least: int = 1
) -> Attribute:
    """Sort by the distance to the closest antecedent, from the place of each mention on each side."""
    values = []
    for labels, place in zip(index.labels, places, strict=True):
        antecedent = antecedents(labels)
        values.append(np.where(antecedent < 0, -1, np.maximum(place - place[antecedent], least)))
    return _binned(index, name, values, bins, FIRST, of_mention=False)


def _mention_distance(index: MentionIndex, name: str) -> Attribute:
    return _distances(index, name, list(np.cumsum(index.labels >= 0, axis=1)))


def _token_distance(index: MentionIndex, name: str) -> Attribute:
    return _distances(index, name, [_spans(index, name)[0]] * len(index.labels))


def _sentence_distance(index: MentionIndex, name: str) -> Attribute:
    start, _ = _spans(index, name)
    sentence = np.zeros(len(index), np.int64)
    for d in range(len(index.names)):
        rows, starts = slice(*index.offsets[d : d + 2].tolist()), index.sentence_bounds[d]
        if starts is None:
            raise InputError(f"attribute {name!r} needs sentences, which document {index.names[d]!r} does not have")
        sentence[rows] = starts.searchsorted(start[rows], side="right")
    return _distances(index, name, [sentence] * len(index.labels), SENTENCES, 0)


ATTRIBUTES: Mapping[str, Callable[[MentionIndex, str], Attribute]] = {
    "length": _length,
    "position": _position,
    "nested": _nested,
    "upos": _upos,
    "kind": _kind,
    "type": _type,
    "size": _size,
    "rank": _rank,
    "range": _range,
    "distance": _mention_distance,
    "distance-tokens": _token_distance,
    "distance-sentences": _sentence_distance,
}
"""The attributes by name: number of words; number of the first word in the document, from 0; whether another mention of
its side contains it; part of speech of the head; pronoun, name or noun; the type that files give with a mention or
entity; number of mentions of the entity; its rank by that number in its document, from 1; words from its first to its
last mention; distance to the closest antecedent in mentions, words, and sentences. A new one is a function, and a line
here."""

USUAL = "length", "kind", "size", "distance"
"""The attributes by which scores are broken down where the user names none."""


def antecedents(labels: Ints) -> Ints:
    """Return the closest earlier mention of the same entity for each mention, int64 (M,); -1 where there is none.

    >>> antecedents(np.array([0, 1, -1, 0, 0])).tolist()
    [-1, -1, -1, 0, 3]
    """
    present = np.flatnonzero(labels >= 0)
    order = present[stable_order(labels[present])]
    result = np.full(labels.size, -1)
    same = labels[order[1:]] == labels[order[:-1]]
    result[order[1:][same]] = order[:-1][same]
    return result


def nested(first: Ints, last: Ints) -> Bools:
    """Return which of M ranges are inside a longer one, bool (M,)."""
    order = np.lexsort((-last, first))
    starts = run_starts(first[order], last[order])
    before = np.maximum.accumulate(np.append(-1, last[order]))[starts]  # the furthest end of those that begin earlier
    result = np.empty(first.size, np.bool_)
    result[order] = (before >= last[order][starts]).repeat(np.diff(starts, append=first.size))
    return result


def _spans(index: MentionIndex, name: str) -> tuple[Ints, Ints]:
    if not index.has_spans:
        raise InputError(f"attribute {name!r} needs mentions that are spans of words")
    return index.words_of_spans


def _known_upos(index: MentionIndex, name: str) -> Ints:
    if index.any_upos is None:
        raise InputError(f"attribute {name!r} needs parts of speech, Penn's or universal, in column 5 or in CoNLL-U")
    return index.any_upos


GROUPS: Mapping[str, tuple[str, ...]] = {
    **{metric: (metric,) for metric in ("mentions", "muc", "bcub", "ceafm", "ceafe")},
    "blanc": ("pairwise", "others", "mentions"),
    **{metric: (metric,) for metric in ("lea", "pairwise")},
}
"""The metrics that are broken down, and their groups of four sums. Each mention contributes to them what
`arraycoref.scoring.contributions` says, except that links count for their later mention, the anaphor:

| group | recall numerator | recall denominator |
|---|---|---|
| muc | 1 if it is not the first of its cell | 1 if it is not the first of its entity |
| pairwise | shared mentions of its cell before it | mentions of its entity before it |
| others | pairs with a mention before it that are of two entities on both sides | of two entities of the key |

Where several alignments are equally good, what a mention contributes to CEAF depends on which was found, but not the
sums."""


def add_up(pair: Pair, metrics: Sequence[str], classes: tuple[Ints, Ints], n_classes: int) -> Floats:
    """Add up what the mentions of each category contribute to the sums of metrics, document by document.

    Args:
        pair: a key and a response; mentions whose span alone is wrong count as absent.
        metrics: names of metrics of `GROUPS`.
        classes: int64 (M,) the category of each mention as a mention of the key, and of the response; -1 for none.
        n_classes: C.

    Returns:
        float64 (D, C, K, 4) for the K groups of the metrics.
    """
    groups = [group for metric in metrics for group in GROUPS[metric]]
    links = _link_columns(pair, groups) if {"muc", "pairwise", "others"} & set(groups) else {}
    n_documents, width = len(pair.index.names), n_classes + 1
    first, both = pair.index.document * width, zip(pair.labels, classes, strict=True)  # the first is for no class
    row_of = [first + np.where(labels >= 0, codes + 1, 0) for labels, codes in both]
    rows = np.zeros((n_documents * width, len(groups), 4))
    for k, group in enumerate(groups):
        columns = links[group] if group in links else CONTRIBUTIONS[group].columns(pair.unit_cells)
        for place, column in enumerate(columns):
            rows[:, k, place] = np.bincount(row_of[place // 2], column, len(rows))
    return rows.reshape(n_documents, width, len(groups), 4)[:, 1:]


def _link_columns(pair: Pair, groups: Collection[str]) -> dict[str, tuple[Ints, ...]]:
    """Return the four numbers of each mention, int64 (M,) each, of those groups that count links."""
    shared_cell = np.full(len(pair.index), -1)
    shared_cell[pair.shared] = pair.cell
    shared, key, response = (_before(labels) for labels in (shared_cell, *pair.labels))
    pairwise = shared, key, shared, response
    result = {"muc": tuple(np.minimum(n, 1) for n in pairwise), "pairwise": pairwise}
    if "others" in groups:
        is_shared, document = shared_cell >= 0, pair.index.document
        are_present = (*(labels >= 0 for labels in pair.labels), is_shared)
        of_key, of_response, both = (_before(np.where(present, document, -1)) for present in are_present)
        in_key, in_response = (_before(np.where(is_shared, labels, -1)) for labels in pair.labels)
        apart = both - in_key - in_response + shared
        result["others"] = apart, of_key - key, apart, of_response - response
    return result


def _before(groups: Ints) -> Ints:
    """Return how many earlier mentions have the group of each, int64 (M,), 0 for those of none, -1.

    >>> _before(np.array([0, 1, -1, 0, 0])).tolist()
    [0, 0, 0, 1, 2]
    """
    present = np.flatnonzero(groups >= 0)
    order = present[stable_order(groups[present])]
    sizes = np.bincount(groups[present])
    result = np.zeros_like(groups)
    result[order] = np.arange(order.size) - bounds(sizes)[:-1].repeat(sizes)
    return result


HEADS = {"recall": "R", "precision": "P", "f1": "F"}
ALL = "all"
"""The last row: all mentions. Where a category has this name, it is in brackets."""


def with_all(classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of categories, and that of the last row."""
    name = ALL
    while name in classes:
        name = f"({name})"
    return (*classes, name)


@dataclass(frozen=True, eq=False, repr=False)
class Breakdown(Report):
    """The scores of S responses by C categories of mentions.

    A category has its part of a metric's sums, and its recall and precision are ratios of these parts; of the CoNLL
    average, F of a category is the mean of its three F, and not a part of the whole. Where an attribute belongs to the
    entity or the link, recall is that of the key's mentions of the category, and precision that of the response's.
    These are other mentions, so that there is no F of both.

        >>> import arraycoref as ac
        >>> a = ac.analyze_labels([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, -1])
        >>> b = a.breakdown("size", metrics="bcub")
        >>> b.attribute.classes[:3], b.score("bcub", "recall").round(3).tolist()[0][:3]
        (('1', '2', '3-5'), [0.0, 1.0, 0.556])

    Attributes:
        attribute: the categories.
        systems: (S,) names of the responses.
        metrics: names of the metrics, in the order asked for.
        by_class: scores of each response and category as `Runs` with S * C settings (response, category), from which
            intervals and tests follow; the last category is `ALL` mentions.
        key_mentions: int64 (C+1,) mentions of the key in each category, and in all.
        response_mentions: int64 (S, C+1) the same of each response.
        low, high: float64 (K, 3, S, C+1) ends of the intervals of each metric and field; None if not asked for.
        about: how the intervals were made; empty for none.
        notes: what a reader should know, and what happened in the responses.
        signature: signature of the scores.
    """

    attribute: Attribute
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    by_class: Runs
    key_mentions: Ints
    response_mentions: Ints
    low: Floats | None
    high: Floats | None
    about: str
    notes: tuple[str, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("system", "attribute", "class", "metric")

    @property
    def classes(self) -> tuple[str, ...]:
        """The categories, and `ALL`."""
        return with_all(self.attribute.classes)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that are shown: recall and precision, and F unless they are of other mentions."""
        return RATIOS if self.attribute.of_mention else RATIOS[:2]

    def score(self, metric: str, field: str = "f1") -> Floats:
        """Return the score of each response and category, float64 (S, C+1), fractions 0-1.

        Of a category, 0/0 is nan; of all mentions, it is what scoring has.
        """
        metric = known_metric(metric, self.metrics)
        values = self.by_class.score(metric, field).reshape(len(self.systems), -1)
        return np.where(self.undefined(metric)[RATIOS.index(field)], np.nan, values)

    def undefined(self, metric: str) -> Bools:
        """Return where recall, precision and F of a category are 0/0, bool (3, S, C+1); False for all mentions."""
        ratios = undefined(self.by_class.counts.total(), metric, self.signature)
        ratios = ratios.reshape(len(RATIOS), len(self.systems), -1)
        ratios[..., -1] = False
        return ratios

    def runs(self, name: str) -> Runs:
        """Return the scores of all responses on the mentions of one category, for `arraycoref.compare` and others.

        Raises:
            UnknownNameError: there is no such category.
        """
        check_name("category", name, self.classes)
        n, c = len(self.classes), self.classes.index(name)
        chosen = self.by_class.select(np.arange(len(self.systems)) * n + c)
        return Runs(self.systems, chosen.counts, self.metrics, self.signature, chosen.notes)

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each category, with columns for each metric and response; "-" for 0/0 of a category."""
        headers, columns = ["", "key"], [list(self.classes), [f"{n}" for n in self.key_mentions]]
        groups = [(self.attribute.name, 1), ("number", 1 + len(self.systems))]
        several = len(self.systems) > 1
        for system, numbers in zip(self.systems, self.response_mentions.tolist(), strict=True):
            headers.append(system if several else "response")
            columns.append([f"{n}" for n in numbers])
        for k, metric in enumerate(self.metrics):
            for s, system in enumerate(self.systems):
                before = len(headers)
                for field in self._shown(metric):
                    values = self.score(metric, field)[s].tolist()
                    headers.append(HEADS[field])
                    columns.append([self._cell(value, metric, digits) for value in values])
                    if self.low is not None and self.high is not None and field == self.fields[-1]:
                        place = k, RATIOS.index(field), s
                        ends = zip(self.low[place].tolist(), self.high[place].tolist(), values, strict=True)
                        headers.append("interval")
                        columns.append([self._ends(*each, metric, digits) for each in ends])
                groups.append((f"{metric} {system}" if several else metric, len(headers) - before))
        rows = list(zip(*columns, strict=True))
        groups = [group for group in groups if group[1]]
        return [TextTable(headers, rows, groups=groups)]

    def caption(self, digits: int) -> list[str]:
        """Say what is shown."""
        n = plural(self.by_class.n_documents, "document")
        lines = [f"{n}, percent; the counts of the rows add up to the last row"]
        if not self.attribute.of_mention:
            lines.append(f"{self.attribute.name}: R uses the key's mentions, P the response's, and there is no F")
        return [*lines, *filter(None, [self.about]), *self.notes, str(self.signature)]

    def facts(self) -> dict[str, Any]:
        """Return the name of the attribute."""
        return {"attribute": self.attribute.name}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each response, category and metric: mentions, scores, ends of intervals, and sums."""
        totals, n = self.by_class.counts.total(), len(self.classes)
        for (s, system), (c, name) in product(enumerate(self.systems), enumerate(self.classes)):
            head: dict[str, Any] = {"system": system, "attribute": self.attribute.name, "class": name}
            head |= {"key_mentions": int(self.key_mentions[c]), "response_mentions": int(self.response_mentions[s, c])}
            for k, metric in enumerate(self.metrics):
                values = {field: float(self.score(metric, field)[s, c]) for field in self._shown(metric)}
                if self.low is not None and self.high is not None:
                    for field in tuple(values):
                        place = k, RATIOS.index(field), s, c
                        values |= {f"{field}_low": float(self.low[place]), f"{field}_high": float(self.high[place])}
                sums = totals[metric][s * n + c].tolist() if metric in totals and metric != "blanc" else ()
                yield {**head, "metric": metric, **values, **dict(zip(SUMS, sums, strict=bool(sums)))}

    def plot(self, metric: str, field: str | None = None, **options: Any) -> Figure:
        """Draw a bar for each category and response, with intervals; see `arraycoref.stats.figures.plot_classes`.

        Args:
            metric: name of a metric.
            field: ``recall``, ``precision`` or ``f1``; None for F, or recall where there is no F.
            **options: ``width`` of the figure in inches.
        """
        from arraycoref.stats.figures import plot_classes

        metric = known_metric(metric, self.metrics)
        field = field or ("f1" if self.attribute.of_mention else "recall")
        place = self.metrics.index(metric), check_field(field, metric)
        ends = None if self.low is None or self.high is None else (self.low[place], self.high[place])
        title = f"{score_name(metric, field, self.signature.beta, title=True)} in percent"
        options |= {"attribute": self.attribute.name}
        return plot_classes(self.classes, self.systems, self.score(metric, field), ends, title, **options)

    def _shown(self, metric: str) -> Sequence[str]:
        return [field for field in fields_of(metric) if field in self.fields]

    def _cell(self, value: float, metric: str, digits: int) -> str:
        return "-" if np.isnan(value) else format_score(value, metric, digits, profile=self.signature.profile)

    def _ends(self, low: float, high: float, value: float, metric: str, digits: int) -> str:
        if np.isnan(value) or np.isnan(low):
            return ""
        return " to ".join(format_score(end, metric, digits, profile=self.signature.profile) for end in (low, high))


@dataclass(frozen=True, eq=False, repr=False)
class Breakdowns(Report):
    """Breakdowns of the same scores by several attributes, as one report.

    Attributes:
        parts: the breakdowns, one or more.
    """

    parts: Sequence[Breakdown]

    @property
    def signature(self) -> Signature:
        """Signature of the scores."""
        return self.parts[0].signature

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, and what happened in the responses."""
        return self.parts[0].notes

    def tables(self, digits: int) -> list[TextTable]:
        """Return the table of each attribute."""
        return [table for part in self.parts for table in part.tables(digits)]

    def caption(self, digits: int) -> list[str]:
        """Return the lines of all breakdowns, each once."""
        *lines, last = dict.fromkeys(line for part in self.parts for line in part.caption(digits)[:-1])
        return [*lines, last, str(self.signature)]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each attribute, response, category and metric."""
        return chain.from_iterable(part.rows() for part in self.parts)


def break_down(
    pairs: Sequence[Pair],
    attribute: Attribute,
    metrics: tuple[str, ...],
    signature: Signature,
    notes: tuple[tuple[str, ...], ...],
    how: How | None,
    draws: Draws,
) -> Breakdown:
    """Break the scores of S responses down; see `Analysis.breakdown`.

    Args:
        pairs: the key with each response; mentions whose span alone is wrong count as absent.
        attribute: the categories of their mentions.
        metrics: names of the metrics.
        signature: signature of the scores.
        notes: (S,) what happened in each response.
        how: options of intervals; None for no intervals.
        draws: how documents are resampled.

    Raises:
        OptionError: a metric that cannot be divided among mentions.
    """
    counted = tuple(metric.name for metric in counted_metrics(metrics))
    if unknown := [name for name in counted if name not in GROUPS]:
        expected = f"expected some of: {', '.join(GROUPS)}"
        raise OptionError(f"metric {unknown[0]!r} has no parts by mention; {expected}", "metrics")
    index, codes, classes = pairs[0].index, attribute.codes, with_all(attribute.classes)
    rows = []
    for pair in pairs:
        of_classes = add_up(pair, counted, (codes[KEY], codes[pair.side]), len(attribute.classes))
        rows += [*np.moveaxis(of_classes, 1, 0), of_classes.sum(axis=1)]
    counts = Counts.read_only(index.names if index.has_names else None, counted, np.stack(rows))
    settings = tuple((system, name) for system in index.systems for name in classes)
    by_class = Runs(settings, counts, metrics, signature, tuple(each for each in notes for _ in classes))
    in_class = [np.bincount(code[code >= 0], minlength=len(attribute.classes)) for code in codes]
    key, *responses = (np.append(numbers, numbers.sum()) for numbers in in_class)
    low = high = None
    about, joint = "", joint_notes(index.systems, notes)
    if how is not None:
        sample, made = sample_of(by_class, replace(how, average="micro"))
        resampled = Resamples.from_sample(sample, draws, made.method, made.confidence)
        low, high = resampled.ends().reshape(2, len(metrics), len(RATIOS), len(pairs), len(classes))
        about = "".join(made.intervals())
        whole = by_class.select([len(classes) - 1])
        joint = (*sample_notes(whole, Sample.from_runs(whole, "micro", how.resample_by)), *joint)
    numbers = key, np.stack(responses), low, high, about
    return Breakdown(attribute, index.systems, metrics, by_class, *numbers, tuple(dict.fromkeys(joint)), signature)
