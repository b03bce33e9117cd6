"""Make one annotation of what annotators agree on, and say who was right by one that was made of theirs later.

A mention is taken if a quorum of annotators marked it, as the same span; two mentions are linked if a quorum links
them. Links are closed: entities are the components of these links. With a quorum of all this adds nothing, as each
annotator's links are closed; with less it may join two mentions that no quorum links, and such entities are listed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from arraycoref.api import score_clusterings
from arraycoref.display.tables import TextTable, plural
from arraycoref.exceptions import OptionError
from arraycoref.match import MatchedSides, match_documents
from arraycoref.match.documents import on_whole_words
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, bounds_of, number_by_appearance, number_rows, pairs_within, run_starts
from arraycoref.read.documents import Documents, join_documents, pieces_of, take
from arraycoref.read.mentions import join_mentions
from arraycoref.read.problems import OnError, ProblemLog
from arraycoref.scoring.antecedents import components
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.format import format_score


def agreed(labels: Ints, quorum: int) -> Ints:
    """Return the entity of each of M mentions that a quorum of R annotators agrees on: int64 (M,); -1 for no mention.

        >>> anna, bo, cleo = [0, 0, 0, -1], [0, 0, 1, 1], [0, 1, 0, 0]
        >>> agreed(np.array([anna, bo, cleo]), 2).tolist()  # two of them link 0 and 1, two 0 and 2, two 2 and 3
        [0, 0, 0, 0]

    Args:
        labels: int64 (R, M) the entity of each mention by each annotator, those of two documents with two numbers; -1
            where an annotator lacks it.
        quorum: how many annotators must mark a mention, and link two, 1..R.
    """
    n = n_nodes = labels.shape[1]
    mentions, nodes = [], []
    for some in combinations(labels, quorum):  # what they all link is closed: a node for each entity of it
        by_all = np.flatnonzero((np.array(some) >= 0).all(axis=0))
        mentions.append(by_all)
        nodes.append(n_nodes + number_rows([row[by_all] for row in some])[1])
        n_nodes = int(nodes[-1].max(initial=n_nodes - 1)) + 1
    one = np.concatenate(mentions)
    entity, kept = np.full(n, -1), np.unique(one)
    entity[kept] = number_by_appearance(components(one, np.concatenate(nodes), n_nodes)[kept], n_nodes)[0]
    return entity


def pairs_below(labels: Ints, entity: Ints, quorum: int) -> dict[int, int]:
    """Return how many pairs of mentions fewer than the quorum link, for each entity that has such pairs."""
    kept = np.flatnonzero(entity >= 0)
    order, number = number_rows([entity[kept], *labels[:, kept]])
    alike = kept[order[run_starts(number[order])]]  # one of the mentions with which all annotators did the same
    size, start = np.bincount(number), run_starts(entity[alike])
    result = {}
    for rows in np.split(np.arange(alike.size), start[1:]):
        own = labels[:, alike[rows]]
        n_linking = ((own[:, :, np.newaxis] == own[:, np.newaxis]) & (own >= 0)[:, np.newaxis]).sum(axis=0)
        if n_below := int(size[rows] @ (n_linking < quorum) @ size[rows]) // 2:
            result[int(entity[alike[rows[0]]])] = n_below
    return result


def on_one_index(sources: Sequence[Documents], policies: Policies) -> tuple[Documents, Ints]:
    """Bring the mentions of R annotators on one index by their spans.

    Returns:
        The documents of all annotators, each with all mentions that any of them marked, M in all; and labels as
        `agreed` has them.
    """
    policies = replace(policies, matching="exact", window="", singletons="keep", missing_documents="empty")
    policies = replace(policies, extra_documents="ignore")

    def matched(base: Documents, source: Documents) -> MatchedSides:
        return match_documents(base, source, policies.with_own_notes(), lambda _: None)

    base = sources[0]
    for source in sources[1:]:
        known = set(base.names)
        more = [d for d, name in enumerate(source.names) if name not in known]
        if more and base.named.all() and source.named.all():
            base = join_documents([base, take(source, more)])
        base = matched(base, source).sides[0]  # of words, if one annotator marked words and another characters
    made = [matched(base, source) for source in sources]
    every, number_of = [each.sides[1].with_types().mentions for each in made], dict[bytes, int]()
    mentions, code = join_mentions(every), np.concatenate([own.codes(number_of) for own in every])
    order, number = number_rows([*np.array([mentions.document, mentions.start, -mentions.end], np.int64), code])
    labels, at = np.full((len(sources), int(number.max(initial=-1)) + 1), -1), bounds_of(every)
    for row, each, first, end in zip(labels, made, at[:-1], at[1:], strict=True):
        entity = each.clusterings.response[each.places[1]]  # as the policy for repeated mentions has it
        own = number_rows([mentions.document[first:end].astype(np.int64), entity])[1]
        row[number[first:end]] = np.where(entity < 0, -1, own)
    files = tuple(dict.fromkeys(file for source in sources for file in source.files if file))
    union = mentions.take(order[run_starts(number[order])])
    nothing: Any = {"entities": ((),) * len(base), "linked": None, "unlinked": (), "sources": files}
    return replace(base, mentions=union, **nothing), labels


class Curated(NamedTuple):
    """What a quorum of annotators agrees on, and what is left to decide.

    Attributes:
        documents: the mentions and entities that a quorum agrees on, for `arraycoref.read.write.write_documents`.
        about: how many annotators agreed, and on how much.
        left: a row for each entity in which closing the links joined pairs of mentions that fewer link, with their
            number, and for the mentions of each document that fewer marked, with their annotators.
    """

    documents: Documents
    about: str
    left: list[dict[str, Any]]

    def tables(self) -> list[TextTable]:
        """Lay out what is left, long lists of mentions cut."""
        rows = [[f"{value!s:.{WIDEST}}" for value in row.values()] for row in self.left]
        return [TextTable(["left to decide", "what", "n", "mentions"], rows, "llrl")] * bool(rows)


def curate(
    annotators: Sequence[str], sources: Sequence[Documents], quorum: int, policies: Policies, on_error: OnError | None
) -> Curated:
    """Curate what R annotators marked; mentions of characters become those of words, runs of letters and digits.

    Raises:
        OptionError: a quorum that cannot be reached, or of nobody.
    """
    if not 1 <= quorum <= len(annotators):
        raise OptionError(f"quorum is {quorum}; expected 1 to {len(annotators)}, the annotators", "quorum")
    union, labels = on_one_index(sources, policies)
    entity, document, left = agreed(labels, quorum), union.mentions.document, list[tuple[int, dict[str, Any]]]()
    texts = [text.words() for text in union.text]

    def add(what: str, n: int, rows: Ints, with_annotators: bool) -> None:
        d = int(document[rows[0]])
        words, blank, mentions = texts[d], "" if union.units[d] == "character" else " ", []
        for m, start, end in zip(rows, union.mentions.start[rows], union.mentions.end[rows], strict=True):
            by = ", ".join(name for name, label in zip(annotators, labels[:, m], strict=True) if label >= 0)
            mention = f"{start}-{end}" if words is None else blank.join(words[start : end + 1])
            mentions.append(mention + f" ({by})" * with_annotators)
        row = {"document": union.names[d], "left": what, "n": n, "mentions": "; ".join(mentions)}
        left.append((d, row))

    for e, n_pairs in pairs_below(labels, entity, quorum).items():
        add("pairs linked by closing", n_pairs, np.flatnonzero(entity == e), False)
    below = np.flatnonzero(entity < 0)
    for rows in np.split(below, run_starts(document[below])[1:]) if below.size else ():
        add("mentions below the quorum", rows.size, rows, True)
    kept = np.flatnonzero(entity >= 0)
    mentions, first = union.mentions.take(kept), np.full(len(union), entity.size)
    np.minimum.at(first, mentions.document, entity[kept])
    mentions = replace(mentions, entity=(entity[kept] - first[mentions.document]).astype(np.int32))
    pieces = {d: pieces_of(text) for d, text in enumerate(texts) if text and union.units[d] == "character"}
    problems = ProblemLog.from_options({"on_error": on_error})
    made = on_whole_words("gold", replace(union, mentions=mentions), pieces, problems)
    sizes = f"{plural(kept.size, 'mention')}; entities: {entity.max(initial=-1) + 1}"
    in_order = [row for _, row in sorted(left, key=lambda row: row[0])]
    return Curated(made, f"{quorum} of {len(annotators)} annotators agree on {sizes}", in_order)


def linked_pairs(labels: Sequence[Ints]) -> int:
    """Count the pairs of M mentions that all of some annotators link: int64 (M,) each."""
    return pairs_within(number_rows(list(labels))[1])


def adjudicate(
    annotators: Sequence[str], sources: Sequence[Documents], policies: Policies
) -> dict[str, dict[str, float]]:
    """Find how often R annotators were right, by the last of R + 1 sources, which was decided later.

    Documents that it lacks, or that no annotator has, do not count; documents of other names are paired in order.

    Returns:
        By name, F of `SCORED` with that source as the key; and in how many of the disagreements on mentions and on
        links it has what the annotator has, see `RIGHT`. Annotators disagree on a mention that some marked, and on a
        pair that some linked, of mentions that all marked and that were kept.
    """
    union, labels = on_one_index(sources, policies)
    decided = {*sources[-1].names}.intersection(chain.from_iterable(source.names for source in sources[:-1]))
    is_decided = np.array([name in decided or not decided for name in union.names])
    labels = np.where(is_decided[union.mentions.document], labels, -1)
    marked, offsets = labels >= 0, union.mentions.document.searchsorted(np.arange(len(union) + 1))
    differ = marked[:-1].any(axis=0) & ~marked[:-1].all(axis=0)
    *every, truth = labels[:, marked.all(axis=0)]
    # by inclusion and exclusion, the pairs that any annotator links, and those of them that were kept
    some = [(1 - 2 * (n % 2), chosen) for n in range(len(every)) for chosen in combinations(every, n + 1)]
    n_any, n_kept = (sum(sign * linked_pairs([*chosen, *more]) for sign, chosen in some) for more in ([], [truth]))
    result = {}
    for r, (name, own) in enumerate(zip(annotators, every, strict=True)):
        clusterings = Clusterings.from_labels(labels[-1], labels[r], offsets, union.names)
        scores = score_clusterings(clusterings, policies.with_own_notes(), {"metrics": SCORED})
        n_right, n_own, mentions = linked_pairs([own, truth]), linked_pairs([own]), marked[r] == marked[-1]
        links = n_right - linked_pairs([*every, truth]) + (n_any - n_own) - (n_kept - n_right)
        counts = int(mentions[differ].sum()), int(differ.sum()), links, n_any - linked_pairs(every)
        result[name] = {metric: scores[metric].f1 for metric in SCORED} | dict(zip(RIGHT, counts, strict=True))
    return result


def adjudicated_table(rows: Mapping[str, Mapping[str, float]], digits: int) -> TextTable:
    """Lay out what `adjudicate` found."""
    cells = []
    for name, row in rows.items():
        shares = f"{row['right_mentions']} of {row['of_mentions']}", f"{row['right_links']} of {row['of_links']}"
        cells.append([name, *(format_score(row[metric], metric, digits) for metric in SCORED), *shares])
    return TextTable(["adjudicated (F1)", *SCORED, "right on mentions", "right on links"], cells)


SCORED = ("mentions", "conll")
RIGHT = ("right_mentions", "of_mentions", "right_links", "of_links")
"""The metrics, and the counts, of an annotator beside an adjudicated annotation."""

WIDEST = 60
"""The most characters of a cell of what is left."""
