"""Measure how far annotators agree: F of every pair and of every document, alpha of chains, and kappa of links.

Each pair is scored both ways, once with each of the two as the key, and F is the mean of the two. Most metrics have the
same F both ways; matching in part, older metrics, and profile ``conll`` in rare cases have not. Agreement beyond chance
is Krippendorff's alpha of chains, and kappa of coreference links.

A unit is a mention. Its value is its chain, the set of the units in its entity, itself included; alpha compares values
by a distance. It is 1 - D_o / D_e: the mean distance of the values that two annotators give to one unit, and the mean
distance of any two values, by whichever annotator and of whichever unit. As all units of an entity have one value, both
are sums over the cells of the annotators' contingency matrix.

With several documents, only values of one document are paired. Each document counts with its N units in both means:
D_e is the sum of N D_e over the documents, divided by all units, as D_o is. So D_e is what D_o would be if the values
of each document were dealt out to its units at random, however long documents are. In one pool, two values from
different documents would always be at distance 1, and alpha would grow with the number of documents.

The two values of one unit always share that unit, which other values need not. So entities that are drawn at random
have an alpha above 0 by most distances: 0.27 by Passonneau's, 0.05 by Jaccard's for some 8 mentions per entity.

Kappa is that of Cohen, over the decisions whether two units of one document are in one entity, in one pool of all
documents; it is the adjusted Rand index, `arraycoref.scoring.metrics.ari` (Warrens 2008).

Source: Krippendorff (1980), Content Analysis; Passonneau (2004); Artstein and Poesio (2008), section on anaphora.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

from arraycoref.api import encode_batch, score_clusterings
from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural
from arraycoref.exceptions import DocumentMismatchError, InputError, OptionError, check_name
from arraycoref.match import match_documents
from arraycoref.options import FileOptions, SpanBatchOptions, resolve_policies
from arraycoref.options.policies import Notes
from arraycoref.ragged import Floats, Ints, bounds, owners, sum_by
from arraycoref.read import read_side
from arraycoref.read.annotation import with_types_of_all
from arraycoref.read.documents import Documents
from arraycoref.read.layouts import ANNOTATOR
from arraycoref.read.paths import Source
from arraycoref.read.problems import quote
from arraycoref.scoring.cells import cells_of, sum_segments
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts, score_sums, undefined
from arraycoref.scoring.format import format_score
from arraycoref.scoring.metrics import ari
from arraycoref.scoring.metrics.registry import REGISTRIES, Metric, reading_options, resolve_metrics
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, joint_notes, signature
from arraycoref.stats.curation import Curated, adjudicate, adjudicated_table, curate
from arraycoref.stats.draws import Seed, how_of
from arraycoref.stats.how import How, Method
from arraycoref.stats.intervals import Interval, bootstrap
from arraycoref.stats.notes import FEW_DOCUMENTS
from arraycoref.twin import with_engine

LEAST = 10
"""How many of the least agreed documents a table shows."""

USUAL = "mentions", "conll"
"""The metrics that a short table has; of the distances of alpha, Passonneau's."""

OF_DOCUMENTS = re.compile(r"[\d,]+ documents? (scored as empty|of the response left out), which")
"""Notes on documents that a side lacks, which are written anew with the annotator's name."""

ALL = "all"
"""The annotators of the row of alpha and kappa."""

SWAPPED = [2, 3, 0, 1]
"""The sums of a document whose sides change places."""

Row = dict[str, float]
"""F of each metric, by its name, fractions 0-1."""


class ChainOptions(TypedDict, total=False):
    """How documents are resampled for the intervals of alpha and kappa."""

    method: Method
    confidence: float
    resamples: int
    seed: Seed
    threads: int


class AgreementOptions(FileOptions, ChainOptions, total=False):
    """Options for annotators' files or clusters.

    Attributes:
        quorum: how many annotators, 0 for all, must mark a mention of the annotation that is made of theirs, and link
            two; without it, none is made. Of files only.
        adjudicated: a file, or several, with what was decided in the end: it says who was right how often.
    """

    quorum: int | None
    adjudicated: Source | None


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Report):
    """How far annotators agree.

    Attributes:
        pairs: the scores of each pair of annotators, by their two names; the first one is the key.
        swapped: the same with the second as the key.
        metrics: names of the metrics.
        signature: version, profile and policies.
        chains: alpha of chains and kappa of links, of all annotators together; None where a mention counts in several
            entities, as both take one entity per mention.
        is_full: whether tables have all metrics, and all distances of alpha, or the most usual ones.
        curated: what a quorum of annotators agrees on; None if that was not asked for.
        adjudicated: who was right how often, see `arraycoref.stats.curation.adjudicate`; None the same.
    """

    pairs: Mapping[tuple[str, str], BatchScores]
    swapped: Mapping[tuple[str, str], BatchScores]
    metrics: tuple[str, ...]
    signature: Signature
    chains: ChainAgreement | None
    is_full: bool = True
    curated: Curated | None = None
    adjudicated: Mapping[str, Mapping[str, float]] | None = None
    key_columns: ClassVar[tuple[str, ...]] = ("annotator", "other", "document")

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened where pairs were scored, such as documents left out."""
        gaps = {m: max(abs(b[m].f1 - self.swapped[pair][m].f1) for pair, b in self.pairs.items()) for m in self.metrics}
        shown = [f"{m} by {format_score(gap, m, 2)} at most" for m, gap in gaps.items() if gap > 1e-9]
        averaged = (f"F depends on which annotator is the key, and is the mean of both: {', '.join(shown)}",)
        happened = joint_notes(list(map(" and ".join, self.pairs)), [b.notes for b in self.pairs.values()])
        no_chains = "no alpha or kappa, as mentions are in several entities; duplicates 'first', 'last' or 'drop'"
        return happened + averaged * bool(shown) + (no_chains,) * (self.chains is None)

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

    @property
    def ordering(self) -> str:
        """The metric that says where agreement is least."""
        return "conll" if "conll" in self.metrics else self.metrics[0]

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
        by = self.metrics.index(self.ordering)
        ordered = sorted(means, key=lambda name: (math.isnan(means[name][by]), means[name][by]))
        return {name: dict(zip(self.metrics, means[name], strict=True)) for name in ordered}

    @cached_property
    def gains(self) -> dict[str, float]:
        """How much the CoNLL average would rise if the second of two annotators had done one document as the first.

        Means over the pairs by the document's name, fractions 0-1, the largest first.
        """
        gains: dict[str, float] = {}
        for b in self.pairs.values():
            rows = b.counts.rows
            sums = np.moveaxis(rows.sum(axis=0) - rows + rows[..., [1, 1, 1, 1]], 0, -1)
            f1 = score_sums(sums, b.counts.metrics, "conll", b.signature).f1
            for name, value in zip(b.names, f1.tolist(), strict=True):
                gains[name] = gains.get(name, 0.0) + (value - b["conll"].f1) / len(self.pairs)
        return dict(sorted(gains.items(), key=lambda item: -item[1]))

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out F of every pair with the means, the chains, and the least agreed documents, if there are several."""
        shown = [metric for metric in self.metrics if self.is_full or metric in USUAL] or self.metrics
        of_pairs = {", ".join(pair): row for pair, row in self.scores.items()}
        of_pairs |= {"mean": self.means} if len(of_pairs) > 1 else {}

        def table(title: str, rows: Iterable[tuple[str, Row]]) -> TextTable:
            cells = [[name, *(format_score(row[metric], metric, digits) for metric in shown)] for name, row in rows]
            return TextTable([f"{title} (F1)", *shown], cells)

        documents = table("least agreed", islice(self.documents.items(), LEAST))
        chains = [] if self.chains is None else self.chains.tables(digits)
        if not self.is_full:
            alpha, _ = DISTANCES["alpha_passonneau"]
            chains = [replace(table, rows=[row for row in table.rows if row[0] == alpha]) for table in chains]
        more = self.curated.tables() if self.curated else []
        more += [adjudicated_table(self.adjudicated, digits)] if self.adjudicated else []
        return [table("pair", of_pairs.items()), *chains, *[documents] * (len(self.documents) > 1), *more]

    def caption(self, digits: int) -> list[str]:
        """Say how many annotators and documents there are, and what happened."""
        n = len({name for pair in self.pairs for name in pair})
        n_documents = plural(len(self.documents), "document")
        chains = [] if self.chains is None else self.chains.caption(digits)
        about = [self.curated.about] if self.curated else []
        return [f"{n} annotators, {n_documents}, F in percent", *chains, *about, *self.notes, str(self.signature)]

    def facts(self) -> dict[str, Any]:
        """Return what `ChainAgreement.nested` does, or None; what is left to decide, and who was right how often."""
        more: dict[str, Any] = {"left": self.curated.left} if self.curated else {}
        more |= {"adjudicated": self.adjudicated} if self.adjudicated else {}
        return {"chains": self.chains and self.chains.nested(), **more}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each pair and each document, and one with alpha and kappa; all have the notes."""
        chains = {} if self.chains is None else {name: i.estimate for name, i in self.chains.intervals.items()}
        named = {(*pair, ""): row for pair, row in self.scores.items()}
        named |= {("mean", "", name): row for name, row in {"": self.means, **self.documents}.items()}
        named |= {(ALL, "", ""): chains} if chains else {}
        empty, notes = dict.fromkeys((*self.metrics, *chains)), {"notes": "; ".join(self.notes)}
        for names, row in named.items():
            yield {**dict(zip(self.key_columns, names, strict=True)), **empty, **row, **notes}


@with_engine
def agree(annotators: Mapping[str, Any], **options: Unpack[AgreementOptions]) -> Agreement:
    """Measure how far annotators agree: the F of every pair of them, and alpha and kappa of all.

        >>> import arraycoref as ac
        >>> clusters = {"Ada": [["a", "b", "c"]], "Bob": [["a", "b"]], "Cleo": [["a", "b", "c"]]}
        >>> agreement = ac.agree(clusters, metrics="mentions,muc")
        >>> agreement.scores["Ada", "Cleo"]["muc"], round(agreement.means["muc"], 4)
        (1.0, 0.7778)
        >>> round(agreement.chains["alpha_jaccard"].estimate, 4)
        -0.0667

    Args:
        annotators: by name, the clusters of one document as `score` has them, a mapping from documents to clusters, or
            files as `score_files` has them; the same kind for all, and two annotators at least.
        **options: see `arraycoref.options`; those of files for files only. ``missing_documents`` is for documents that
            either annotator lacks, and ``extra_documents`` has no effect. ``restrict`` says what the units of alpha
            and kappa are, too: the mentions of all annotators (``shared``), or of any.

    Raises:
        InputError: fewer than two annotators; see also `score_files` and `score_batch`.
        OptionError: ``beta`` or ``restrict``, by which F would depend on which annotator is the key.
    """
    if not isinstance(annotators, Mapping):
        raise InputError(f"annotators is {quote(annotators)}; expected a mapping from their names to clusters or files")
    if len(annotators) < 2:
        n = plural(len(annotators), "annotator")
        raise InputError(f"there is {n}; expected two at least, with a source for each")
    if options.get("beta", 1) != 1:
        raise OptionError(f"beta is {options['beta']}; expected 1, by which F is the same for both orders", "beta")
    if options.get("restrict") == "key":
        raise OptionError("restrict is 'key', by which F depends on the order; expected 'shared' or 'none'", "restrict")
    names = ChainOptions.__annotations__
    quorum, adjudicated = options.pop("quorum", None), options.pop("adjudicated", None)
    how, draws = how_of({name: options[name] for name in names if name in options}, ChainOptions)  # type: ignore[literal-required]
    scored: dict[str, Any] = {name: value for name, value in options.items() if name not in names or name == "threads"}
    if scored.get("metrics") is not None:
        scored["metrics"] = resolve_metrics(scored["metrics"])  # fail before files are read
    signed = signature(resolve_policies(scored, FileOptions))
    pairs: dict[tuple[str, str], BatchScores] = {}
    swapped: dict[tuple[str, str], BatchScores] = {}
    labels: dict[tuple[int, int], tuple[Clusterings, tuple[str, ...]]] = {}
    own_names: dict[str, dict[str, str]] = {name: {} for name in annotators}
    read = _read(annotators, scored)
    for (a, one), (b, other) in combinations(enumerate(annotators), 2):
        first, labels[a, b] = _score(read, one, other, scored)
        second, labels[b, a] = _score(read, other, one, scored)
        if len(first) == len(second) and set(first.names).isdisjoint(second.names):  # files' names, paired in order
            shared = [own_names[one].get(name, name) for name in first.names]
            own_names[other] = dict(zip(second.names, shared, strict=True)) | own_names[other]
        first, labels[a, b] = _renamed(first, labels[a, b], own_names[one])
        second, labels[b, a] = _renamed(second, labels[b, a], own_names[other])
        whole, other_way = _with_documents(first, second), _with_documents(second, first)
        skips = signed.missing_documents == "skip"
        notes = tuple(note for note in first.notes if skips or not OF_DOCUMENTS.match(note))
        for name, n_lacking in ((other, len(other_way) - len(second)), (one, len(whole) - len(first))):
            if n_lacking:
                notes += (f"{plural(n_lacking, 'document')} scored as empty, which {name} lacks",)
        pairs[one, other] = replace(whole, signature=signed, notes=notes)
        swapped[one, other] = replace(other_way, signature=signed, notes=notes)
    chains = None
    if all(clusterings.repeated is None for clusterings, _ in labels.values()):
        units = UNITS[signed.restrict]
        of_units = unit_labels(labels, len(annotators), units, signed.missing_documents == "skip")
        of_chains = chain_scores(*of_units, signed)
        chains = ChainAgreement(of_chains, of_units[0].shape[1], units, how, draws.threads)
    result = Agreement(pairs, swapped, next(iter(pairs.values())).metrics, signed, chains)
    who, sources = [*annotators], [source for source, _ in read.values() if isinstance(source, Documents)]
    if sources and quorum is not None:
        made = curate(who, sources, quorum or len(who), signed, scored.get("on_error"))
        result = replace(result, curated=made)
    if sources and adjudicated is not None:
        sources += with_types_of_all(read_side(adjudicated, scored, ANNOTATOR), *sources)[:1]
        result = replace(result, adjudicated=adjudicate(who, sources, signed))
    return result


def _read(annotators: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, tuple[Any, Notes]]:
    """Read the files of each annotator, once; return the documents, or clusters that are not files, and notes."""
    policies = {name: resolve_policies(options, FileOptions) for name in annotators}
    sources = dict(annotators)
    for name, source in annotators.items():
        first = source[0] if isinstance(source, list | tuple) and source else source
        if isinstance(first, str | os.PathLike):
            is_shared = list(annotators.values()).count(source) > 1 and options.get("annotator") is None
            asked = {**options, "annotator": name} if is_shared else options
            sources[name] = read_side(source, reading_options(asked), ANNOTATOR, policies[name])
    if all(isinstance(documents, Documents) for documents in sources.values()):
        sources = dict(zip(sources, with_types_of_all(*sources.values()), strict=True))
    return {name: (source, policies[name].notes) for name, source in sources.items()}


def _score(
    annotators: Mapping[str, tuple[Any, Notes]], key: str, response: str, options: Mapping[str, Any]
) -> tuple[BatchScores, tuple[Clusterings, tuple[str, ...]]]:
    """Score two annotators on the documents of the first; return also their labels, with the documents' names.

    Raises:
        DocumentMismatchError: a document of the first that the second lacks, where the policy is ``error``.
    """
    one, other = annotators[key][0], annotators[response][0]
    asked: Any = {**options, "extra_documents": "ignore"}  # they are the documents of the first, the other way round
    headers = None
    try:
        if isinstance(one, Documents):
            policies = resolve_policies(asked, FileOptions)
            for name in (key, response):
                for (noun, what), n in annotators[name][1].items():
                    policies.note(n, noun, what.replace("the annotator", name))
            matched = match_documents(one, other, policies, asked.get("on_error"))
            labels, headers = matched.clusterings, matched.sides[0].headers
        else:
            policies = resolve_policies(asked, SpanBatchOptions)
            one, other = (one, other) if isinstance(one, Mapping) else ([one], [other])
            labels = encode_batch(one, other, policies, asked)
    except DocumentMismatchError as error:
        error.args = (f"{key} as the key, {response} as the response: {error}", *error.args[1:])
        raise
    scores = score_clusterings(labels, policies, asked, headers)
    if policies.singletons == "drop" and labels.matched is None:
        # numbers of entities stay those of each annotator with each other side
        kept = labels.without_singletons()
        own_key, own_response = np.where(kept.key < 0, -1, labels.key), np.where(kept.response < 0, -1, labels.response)
        labels = replace(labels, key=own_key, response=own_response)
    return scores, (labels, labels.names or tuple(map(str, range(len(labels)))))


def _renamed(
    scores: BatchScores, labels: tuple[Clusterings, tuple[str, ...]], names: Mapping[str, str]
) -> tuple[BatchScores, tuple[Clusterings, tuple[str, ...]]]:
    """Give documents the names of the annotator who came first, where each annotator's own are those of files."""
    if names.keys().isdisjoint(scores.names):
        return scores, labels
    renamed = [tuple(names.get(name, name) for name in of_side) for of_side in (scores.names, labels[1])]
    return replace(scores, counts=replace(scores.counts, names=renamed[0])), (labels[0], renamed[1])


def _with_documents(scores: BatchScores, other: BatchScores) -> BatchScores:
    """Add the documents that only scores the other way round have, whose recall is precision here."""
    known = set(scores.names)
    lacking = [d for d, name in enumerate(other.names) if name not in known]
    if not lacking:
        return scores
    more = other.counts.take(lacking)
    names, rows = scores.names + (more.names or ()), np.concatenate([scores.counts.rows, more.rows[..., SWAPPED]])
    return replace(scores, counts=Counts.read_only(names, scores.counts.metrics, rows), headers=None)


Distance = Callable[[Floats, Floats, Floats], Floats]
"""A function of the mentions that two chains share and of the sizes of both, which returns their distance, 0 to 1."""


def nominal(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return 0 for equal chains, 1 for others."""
    return (2.0 * shared < one + other).astype(np.float64)


def passonneau(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return 0 for equal chains, 1/3 where one contains the other, 2/3 where they overlap; Passonneau (2004)."""
    return (nominal(shared, one, other) + (shared < np.minimum(one, other))) / 3.0


def jaccard(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return the share of the mentions of both chains that is not in both."""
    return 1.0 - shared / (one + other - shared)


def masi(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return 1 - J M, for J the Jaccard index and M = 1, 2/3 or 1/3 as chains are equal, nested or overlap.

    Source: Passonneau (2006), "measuring agreement on set-valued items"; NLTK's ``masi_distance`` is the same.
    """
    return 1.0 - (1.0 - jaccard(shared, one, other)) * (1.0 - passonneau(shared, one, other))


def dkpro_masi(shared: Floats, one: Floats, other: Floats) -> Floats:
    """Return (1 - J) times Passonneau's distance of 2004: what DKPro Agreement, INCEpTION's library, calls MASI."""
    return jaccard(shared, one, other) * passonneau(shared, one, other)


DISTANCES: Mapping[str, tuple[str, Distance]] = {
    "alpha_nominal": ("alpha, nominal", nominal),
    "alpha_passonneau": ("alpha, Passonneau (2004)", passonneau),
    "alpha_jaccard": ("alpha, Jaccard", jaccard),
    "alpha_masi": ("alpha, MASI (Passonneau 2006)", masi),
    "alpha_dkpro_masi": ("alpha, MASI of DKPro", dkpro_masi),
}
"""The distances of chains: the title of each alpha, and the function."""

KAPPA = "kappa"


def _measure(name: str, title: str, scored_by: str, parts: tuple[str, ...] = ()) -> Metric:
    more: Any = {"scored_by": scored_by, "parts": parts, "fields": ("f1",), "key_only_denominator": False}
    return Metric(name, title, "Artstein and Poesio (2008), section on anaphora", **more)


MEASURES = {name: _measure(name, title, "alpha.score") for name, (title, _) in DISTANCES.items()}
"""The measures as entries of a registry: each alpha, and from their first use kappa of two annotators and its mean."""

REGISTRIES.append(MEASURES)

UNITS = {"none": "union", "shared": "common"}
"""Which mentions are units, by the policy ``restrict``."""


@dataclass(frozen=True, eq=False, repr=False)
class ChainAgreement(Report):
    """Krippendorff's alpha of chains by several distances, and kappa of links, of R annotators on D documents.

        >>> import arraycoref as ac
        >>> annotators = {"Ada": [["a", "b"], ["c", "d"]], "Bob": [["a", "b"], ["c"], ["d"]]}
        >>> chains = ac.agree(annotators).chains
        >>> round(chains["alpha_passonneau"].estimate, 4), round(chains["kappa"].estimate, 4)
        (0.7455, 0.5714)

    Attributes:
        scores: each alpha and kappa of the D documents as scores, for `arraycoref.bootstrap`, `arraycoref.compare` and
            groups: of an alpha the sums of D_o and of D_e over the units, of each two annotators those of the adjusted
            Rand index.
        n_units: number of units.
        units: ``union``, the mentions that an annotator marked, where who lacks one gets an entity of one; or
            ``common``, the mentions that all annotators marked.
        how: how documents are resampled.
        threads: number of threads that share the work.
    """

    scores: BatchScores
    n_units: int
    units: str
    how: How
    threads: int
    key_columns: ClassVar[tuple[str, ...]] = ("measure",)

    def __getitem__(self, measure: str) -> Interval:
        check_name("measure", measure, self.intervals)
        return self.intervals[measure]

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Each alpha and kappa with its interval, fractions up to 1; all nan without a unit, ends with one document."""
        names = *DISTANCES, KAPPA
        if not self.n_units:
            return {name: Interval(*4 * [np.nan]) for name in names}
        asked = self.how.facts("method", "confidence", "resamples", "seed")
        found = bootstrap(self.scores, threads=self.threads, **asked)
        return {name: score.f1 for name, score in zip(names, found.values(), strict=True)}

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out each measure, with its interval if there are several documents."""
        headers = [f"chains ({self.units}, {plural(self.n_units, 'mention')})", "value", "interval"]
        titles = [title for title, _ in DISTANCES.values()] + ["kappa of links (ARI)"]
        rows = []
        for title, i in zip(titles, self.intervals.values(), strict=True):
            value, low, high = ("" if np.isnan(x) else f"{x:.{digits + 2}f}" for x in (i.estimate, i.low, i.high))
            rows.append([title, value, low and f"{low} to {high}"])
        shown = 3 if any(row[2] for row in rows) else 2
        return [TextTable(headers[:shown], [row[:shown] for row in rows])]

    def caption(self, digits: int) -> list[str]:
        """Say what the units are, and how intervals were made."""
        of_whom = "all annotators marked"
        if self.units == "union":
            of_whom = "any annotator marked; unmarked, it counts as that annotator's singleton"
        lines = [f"alpha and kappa use every mention that {of_whom}"]
        if len(self.scores) > 1:
            made = f"{self.how.method} bootstrap over documents, {self.how.drawn}"
            few = f"; from only {len(self.scores)} documents, they are too narrow" * (len(self.scores) < FEW_DOCUMENTS)
            lines.append(f"{self.how.level} intervals ({made}){few}")
        return lines

    def facts(self) -> dict[str, Any]:
        """Return what the units are, and their number."""
        return {"units": self.units, "mentions": self.n_units}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each measure: its name, the units, estimate, low, high, standard error."""
        yield from ({"measure": name, "units": self.units, **vars(i)} for name, i in self.intervals.items())


def chain_scores(labels: Ints, offsets: Ints, names: tuple[str, ...], signature: Signature) -> BatchScores:
    """Score the agreement of R annotators by document: each alpha, and kappa.

    Args:
        labels: int64 (R, M) the entity of each unit by each annotator, numbers from 0 in each document.
        offsets: int64 (D+1,) document bounds of the units.
        names: (D,) names of the documents.
        signature: signature of the scores.
    """
    n_annotators, n = labels.shape[0], np.diff(offsets).astype(np.float64)
    pairs, mean = list(combinations(labels, 2)), f"kappa_of_{n_annotators}"
    kappas = tuple(f"kappa_{a}_{b}" for a, b in combinations(range(1, n_annotators + 1), 2))
    MEASURES.update({name: _measure(name, "kappa of links (ARI)", "ari.score") for name in kappas})
    MEASURES[mean] = _measure(mean, "kappa of links (ARI)", "alpha.mean_kappa", kappas)
    rows = np.zeros((n.size, len(DISTANCES) + len(pairs), 4))
    apart = np.zeros((len(DISTANCES), n.size))  # sum of the distances of all ordered pairs of values
    for p, (key, response) in enumerate(pairs):
        cells = cells_of(Clusterings(key, response, offsets))
        shared, (one, other) = cells.shared.astype(np.float64), cells.sizes
        of_one = sum_by(cells.key_size**2, cells.key_offsets) + sum_by(cells.response_size**2, cells.response_offsets)
        apart += (2.0 * n * n - of_one) / (n_annotators - 1)  # each annotator's own values, in R - 1 pairs
        for k, (_, distance) in enumerate(DISTANCES.values()):
            delta = distance(shared, one, other)
            rows[:, k, 0] += sum_segments(shared * delta, cells.offsets) / len(pairs)
            apart[k] += 2.0 * (n * n - sum_segments(one * other * (1.0 - delta), cells.offsets))
        rows[:, len(DISTANCES) + p] = np.transpose(ari.sums(cells.totals))
    n_values = n_annotators * n
    rows[:, : len(DISTANCES), 1] = (n * apart / np.maximum(n_values * (n_values - 1.0), 1.0)).T
    return BatchScores((*DISTANCES, mean), Counts.read_only(names, (*DISTANCES, *kappas), rows), signature)


def unit_labels(
    clusterings: Mapping[tuple[int, int], tuple[Clusterings, Sequence[str]]], n_annotators: int, units: str, skip: bool
) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Bring the mentions of R annotators on one index: int64 (R, M) entities, int64 (D+1,) document bounds, and names.

    A mention is matched with those of each other annotator from the first annotator who has it.

    Args:
        clusterings: of each two annotators, in both orders, by their numbers: their labels, and the names of the
            documents, which are those of the first. A side's own mentions come in one order with each other side.
        n_annotators: R.
        units: ``union`` or ``common``, see `ChainAgreement`.
        skip: whether documents are left out that an annotator lacks.
    """
    number = {name: d for d, name in enumerate(dict.fromkeys(chain.from_iterable(n for _, n in clusterings.values())))}
    in_all = np.ones(len(number), np.bool_)
    places = {pair: np.array([number[name] for name in names], np.int64) for pair, (_, names) in clusterings.items()}
    for place in places.values() if skip else ():
        in_all &= np.isin(np.arange(in_all.size), place)
    parts, documents = [], []
    for a in range(n_annotators):
        rows: dict[int, Ints] = {}
        for b in (b for b in range(n_annotators) if b != a):
            pair, _ = clusterings[a, b]
            document = places[a, b][owners(pair.offsets)]
            own = (pair.key >= 0) & in_all[document]
            rows |= {a: pair.key[own], b: pair.response[own]}
        entity = np.array([rows[b] for b in range(n_annotators)])
        is_new = (entity[:a] < 0).all(axis=0) if units == "union" else (entity >= 0).all(axis=0) & (a == 0)
        parts.append(entity[:, is_new])
        documents.append(document[own][is_new])
    of_unit = np.concatenate(documents)
    labels = np.concatenate(parts, axis=1)[:, np.argsort(of_unit, kind="stable")]
    alone = labels.max(initial=-1) + 1 + np.arange(of_unit.size)
    return np.where(labels < 0, alone, labels), bounds(np.bincount(of_unit, minlength=len(number))), tuple(number)
