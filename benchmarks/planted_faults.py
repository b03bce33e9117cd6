"""Plant known faults and ask whether the findings name them: ``python -m benchmarks.planted_faults [WORD...]``.

Each fault is planted in a response that has errors of all kinds already, made from the key at random. GUM and LitBank
are read from the folder that ARRAYCOREF_DATA names; records are generated. Words select faults by their names. Without
words, a second part counts in how many corpora without a group effect a group is named.

Two counts are printed. A fault is *named* if the first or the second finding has all words of an alternative. As a
finding may have them in any response, it is named *because of the fault* if also one of these words is in a claim that
the first two findings do not make without the fault, in any numbers. A claim is what stands between full stops and
semicolons, so "wrong boundaries cost most" is a claim that "wrong boundaries" in a list is not. Of two systems, the
response without the fault is the first.

To add a fault, write a function from documents and a generator to documents below `fault`, which takes the corpus, the
seed, and what the first or the second sentence must contain: all words of one of the strings.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

import arraycoref as ac
from benchmarks.data import data_file
from benchmarks.simulate_data import markdown

FOLDERS = ("dakar", "lima", "oslo", "quito", "turin")
SOURCES = ("crm", "web", "shop", "post")
PRONOUNS = re.compile(
    "i|me|my|mine|myself|we|us|ours?|ourselves|you|yours?|yourself|yourselves|he|him|his|himself|she|hers?|herself|its?|"
    "itself|they|them|theirs?|themselves|who|whom|whose|thee|thou|thy"
)
ARTICLES, PREPOSITIONS = {"the", "a", "an", "this", "that", "these", "those"}, {"of", "in", "on", "at", "to", "for"}
STRENGTH = {"gum": 0.8, "litbank": 0.65, "records": 1.4}
"""How many errors the responses have to which faults are added."""


class Mention(NamedTuple):
    """First and last word of a mention, and the number of its entity in the document."""

    start: int
    end: int
    entity: int


class Document(NamedTuple):
    """A document of one side.

    Attributes:
        name: its name.
        group: GUM's genre, LitBank's folder; a part of the name.
        sentences: the words of each sentence; GUM's are underscores, records are words of one sentence.
        words: the words of all sentences.
        tags: Penn's tags of the words, by a rule.
        mentions: the mentions in the order of the text.
    """

    name: str
    group: str
    sentences: list[list[str]]
    words: list[str]
    tags: list[str]
    mentions: list[Mention]

    def text(self, mention: Mention) -> str:
        """Return the words of a mention."""
        return " ".join(self.words[mention.start : mention.end + 1])

    def kind(self, mention: Mention) -> str:
        """Return ``pronoun``, ``name`` or ``noun``, by the last word; ``noun`` in GUM."""
        return {"PRP": "pronoun", "NNP": "name"}.get(self.tags[mention.end], "noun")

    def having(self, mentions: list[Mention]) -> Document:
        """Return the document with other mentions, without those that cross a mention of their entity."""
        kept: list[Mention] = []
        is_open: dict[int, list[int]] = {}
        for m in sorted(mentions, key=lambda m: (m.start, -m.end)):
            ends = is_open.setdefault(m.entity, [])
            while ends and ends[-1] < m.start:
                ends.pop()
            if not ends or m.end <= ends[-1]:
                ends.append(m.end)
                kept.append(m)
        return self._replace(mentions=kept)


T = TypeVar("T")
Documents = list[Document]
Plant = Callable[[Documents, np.random.Generator], Documents]


class Fault(NamedTuple):
    """A fault to plant; ``options`` are those of `arraycoref.analyze_files`.

    Of two systems, the first is the response without the fault and the second the one with it.
    """

    name: str
    corpus: str
    seed: int
    expected: tuple[str, ...]
    plant: Plant
    two_systems: bool
    options: dict[str, Any]


FAULTS: list[Fault] = []


def fault(
    corpus: str, seed: int, *expected: str, two_systems: bool = False, **options: Any
) -> Callable[[Plant], Plant]:
    """List a function as a fault, under its name."""

    def listed(plant: Plant) -> Plant:
        FAULTS.append(Fault(plant.__name__.replace("_", " "), corpus, seed, expected, plant, two_systems, options))
        return plant

    return listed


def keep(documents: Documents, wanted: Callable[[Document, Mention], bool]) -> Documents:
    """Keep the mentions that are wanted."""
    return [d.having([m for m in d.mentions if wanted(d, m)]) for d in documents]


def regroup(documents: Documents, entity_of: Callable[[Document, Mention], Hashable]) -> Documents:
    """Give each mention the entity that a function names, by any value."""
    result = []
    for d in documents:
        numbers: dict[Hashable, int] = {}
        result.append(
            d.having([m._replace(entity=numbers.setdefault(entity_of(d, m), len(numbers))) for m in d.mentions])
        )
    return result


def respan(documents: Documents, wanted: Callable[[Document, Mention], bool], left: int, right: int) -> Documents:
    """Let mentions that are wanted begin and end some words later, where no other mention has the new span."""
    result = []
    for d in documents:
        spans, mentions = {(m.start, m.end) for m in d.mentions}, []
        for m in d.mentions:
            moved = wanted(d, m) and free((m.start + left, m.end + right), spans, len(d.words))
            mentions.append(Mention(*moved, m.entity) if moved else m)
        result.append(d.having(mentions))
    return result


def exchanged(document: Document, rng: np.random.Generator, share: float) -> Document:
    """Give a share of the mentions the entity of any mention of the document."""
    entities = rng.permutation([m.entity for m in document.mentions]).tolist()
    pairs = zip(document.mentions, entities, rng.random(len(entities)) < share, strict=True)
    return document.having([m._replace(entity=e) if is_changed else m for m, e, is_changed in pairs])


def sizes(document: Document) -> Counter[int]:
    """Return the number of mentions of each entity."""
    return Counter(m.entity for m in document.mentions)


# Faults in GUM


@fault("gum", 1, "reddit mention")
def mentions_of_one_genre_missing(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out most mentions of a genre."""
    return keep(documents, lambda d, m: d.group != "reddit" or rng.random() < 0.2)


@fault("gum", 2, "vlog")
def entities_of_one_genre_shuffled(documents: Documents, rng: np.random.Generator) -> Documents:
    """Exchange the entities of a genre's mentions at random, within each document."""
    return [exchanged(d, rng, 1) if d.group == "vlog" else d for d in documents]


@fault("gum", 3, "textbook")
def documents_of_one_genre_empty(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out all mentions of a genre."""
    return keep(documents, lambda d, m: d.group != "textbook")


@fault("gum", 4, "span", "boundar")
def spans_begin_one_word_early(documents: Documents, rng: np.random.Generator) -> Documents:
    """Let some mentions begin one word early."""
    return respan(documents, lambda d, m: rng.random() < 0.035, -1, 0)


@fault("gum", 5, "singleton")
def singletons_dropped(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out some entities of one mention."""
    n = {d.name: sizes(d) for d in documents}
    return keep(documents, lambda d, m: n[d.name][m.entity] > 1 or rng.random() < 0.75)


@fault("gum", 6, "singleton")
def singletons_added(documents: Documents, rng: np.random.Generator) -> Documents:
    """Make entities of single words."""
    result = []
    for d in documents:
        spans, new = {(m.start, m.end) for m in d.mentions}, count(1 + max(sizes(d), default=0))
        words = np.flatnonzero(rng.random(len(d.tags)) < 0.035).tolist()
        result.append(d.having(d.mentions + [Mention(w, w, next(new)) for w in words if (w, w) not in spans]))
    return result


@fault("gum", 7, "document missing", missing_documents="empty")
def documents_missing(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out documents."""
    left_out = set(rng.choice(len(documents), size=20, replace=False).tolist())
    return [d for place, d in enumerate(documents) if place not in left_out]


@fault("gum", 8, "repeated", "duplicate", "twice", duplicates="first")
def mentions_repeated_in_another_entity(documents: Documents, rng: np.random.Generator) -> Documents:
    """Add some mentions to another entity too."""
    return [d.having([*dict.fromkeys(d.mentions + exchanged(d, rng, 0.09).mentions)]) for d in documents]


@fault("gum", 9, "fiction", two_systems=True)
def second_system_links_badly_in_one_genre(documents: Documents, rng: np.random.Generator) -> Documents:
    """Exchange the entities of some of a genre's mentions."""
    return [exchanged(d, rng, 0.5) if d.group == "fiction" else d for d in documents]


# Faults in LitBank


@fault("litbank", 11, "oslo mention", "oslo pronoun")
def pronouns_of_one_folder_missing(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out half of a folder's pronouns."""
    return keep(documents, lambda d, m: d.group != "oslo" or d.kind(m) != "pronoun" or rng.random() < 0.5)


@fault("litbank", 12, "divided", "name")
def entities_divided_by_name(documents: Documents, rng: np.random.Generator) -> Documents:
    """Give each of an entity's names an entity of its own, in most documents."""
    chosen = {d.name for d in documents if rng.random() < 0.7}
    return regroup(documents, lambda d, m: (m.entity, d.name in chosen and d.kind(m) == "name" and d.text(m)))


@fault("litbank", 13, "span", "boundar")
def spans_end_one_word_late(documents: Documents, rng: np.random.Generator) -> Documents:
    """Let some mentions that are not pronouns end one word late."""
    return respan(documents, lambda d, m: d.kind(m) != "pronoun" and rng.random() < 0.06, 0, 1)


@fault("litbank", 14, "conflated")
def two_largest_entities_conflated(documents: Documents, rng: np.random.Generator) -> Documents:
    """Make one entity of a document's two largest."""
    largest = {d.name: [e for e, _ in sizes(d).most_common(2)] for d in documents}
    return regroup(documents, lambda d, m: -1 if m.entity in largest.get(d.name, ()) else m.entity)


@fault("litbank", 15, "distance", "divided")
def long_links_cut(documents: Documents, rng: np.random.Generator) -> Documents:
    """Begin a new entity where the closest antecedent is far away."""
    result = []
    for d in documents:
        last: dict[int, int] = {}
        pieces: Counter[int] = Counter()
        entities = []
        for place, m in enumerate(d.mentions):
            pieces[m.entity] += place - last.get(m.entity, place) > 60
            last[m.entity] = place
            entities.append((m.entity, pieces[m.entity]))
        number = {entity: n for n, entity in enumerate(dict.fromkeys(entities))}
        result.append(d.having([m._replace(entity=number[e]) for m, e in zip(d.mentions, entities, strict=True)]))
    return result


@fault("litbank", 16, "first", "missing")
def first_mentions_missing(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out the first mentions of some entities."""
    result = []
    for d in documents:
        n, first = sizes(d), {m.entity: m for m in reversed(d.mentions)}
        result.append(
            d.having([m for m in d.mentions if n[m.entity] == 1 or m != first[m.entity] or rng.random() < 0.5])
        )
    return result


@fault("litbank", 17, "pronoun", two_systems=True)
def second_system_links_pronouns_to_the_mention_before(documents: Documents, rng: np.random.Generator) -> Documents:
    """Link some pronouns to the mention before."""
    result = []
    for d in documents:
        before = [d.mentions[0], *d.mentions]
        pairs = zip(before, d.mentions, strict=False)
        result.append(
            d.having(
                [m._replace(entity=b.entity) if d.kind(m) == "pronoun" and rng.random() < 0.1 else m for b, m in pairs]
            )
        )
    return result


@fault("litbank", 18, "length", "long", "words", two_systems=True)
def second_system_misses_long_mentions(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out most mentions of five words and more."""
    return keep(documents, lambda d, m: m.end - m.start < 4 or rng.random() < 0.4)


# Faults in records


@fault("records", 21, "shop", "divided")
def one_source_never_linked(documents: Documents, rng: np.random.Generator) -> Documents:
    """Let some records of a source be alone."""
    return regroup(documents, lambda d, m: (m.entity, d.text(m).startswith("shop") and rng.random() < 0.25 and m))


@fault("records", 22, "conflated")
def clusters_merged_by_bad_links(documents: Documents, rng: np.random.Generator) -> Documents:
    """Merge pairs of clusters."""
    (d,) = documents
    entities = rng.permutation([*sizes(d)]).tolist()
    into = dict(zip(entities[:150], entities[150:300], strict=True))
    return regroup(documents, lambda _, m: into.get(m.entity, m.entity))


@fault("records", 23, "divided")
def few_huge_clusters_divided(documents: Documents, rng: np.random.Generator) -> Documents:
    """Divide the largest clusters."""
    huge = {e for e, _ in sizes(documents[0]).most_common(12)}
    return regroup(documents, lambda d, m: (m.entity, m.entity in huge and rng.integers(5)))


# Faults by another author


@fault(
    "gum",
    10,
    *("miss end document", "miss last document", "miss after word", "miss later", "miss tail", "miss second half"),
    *("miss position", "miss long document", "recall end document", "truncat", "cut off"),
)
def mentions_after_a_number_of_words_missing(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out the mentions that begin after the longest input that a model reads."""
    return keep(documents, lambda d, m: m.start < 1024)


@fault("gum", 19, "nested", "inside", "embedded", "within other", "within another", "part of another")
def nested_mentions_missing(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out some of the mentions that are parts of others, as where spans must not overlap."""
    result = []
    for d in documents:
        end, mentions = -1, []
        for m in sorted(d.mentions, key=lambda m: (m.start, -m.end)):
            if m.end > end or rng.random() < 0.8:
                mentions.append(m)
            end = max(end, m.end)
        result.append(d.having(mentions))
    return result


@fault("gum", 20, "letter", "shift")
def offsets_of_one_genre_shifted(documents: Documents, rng: np.random.Generator) -> Documents:
    """Let all mentions of a genre begin and end one word late, as after a heading that only one side counts."""
    return [
        d.having([Mention(m.start + 1, m.end + 1, m.entity) for m in d.mentions if m.end + 1 < len(d.words)])
        if d.group == "letter"
        else d
        for d in documents
    ]


@fault(
    "gum",
    24,
    *("second divid", "second split", "second fragment", "second separate", "second miss link", "second distance"),
    two_systems=True,
)
def second_system_never_links_across_windows(documents: Documents, rng: np.random.Generator) -> Documents:
    """Begin all entities anew every 512 words."""
    return regroup(documents, lambda d, m: (m.entity, m.start // 512))


@fault(
    "litbank",
    25,
    *("conflat pronoun", "merg pronoun", "link pronoun", "wrong pronoun", "speaker", "narrator", "first person"),
    *('conflat "i"', "conflat “i”", "conflat 'i'", "conflat my"),
)
def pronouns_of_all_speakers_conflated(documents: Documents, rng: np.random.Generator) -> Documents:
    """Link all that say I, or to whom they say you, to the entity that has most of either."""
    persons = ({"i", "me", "my", "mine", "myself"}, {"you", "your", "yours", "yourself"})
    person = {word: n for n, words in enumerate(persons) for word in words}
    result = []
    for d in documents:
        of_person = [person.get(d.text(m).lower()) for m in d.mentions]
        n: dict[int | None, Counter[int]] = {}
        for m, p in zip(d.mentions, of_person, strict=True):
            n.setdefault(p, Counter())[m.entity] += 1
        into: dict[int | None, int] = {p: e.most_common(1)[0][0] for p, e in n.items() if p is not None}
        pairs = zip(d.mentions, of_person, strict=True)
        result.append(d.having([m._replace(entity=into.get(p, m.entity)) for m, p in pairs]))
    return result


@fault(
    "litbank",
    26,
    *("add pronoun", "spurious pronoun", "extra pronoun", "too many pronoun", "superfluous pronoun"),
    *("invent pronoun", "precision pronoun", "not in the key pronoun", "only in the response pronoun"),
    *('"it"', "“it”", "'it'"),
)
def pronouns_that_the_key_leaves_out_added(documents: Documents, rng: np.random.Generator) -> Documents:
    """Make mentions of each "it", of things and of the weather, and link them to the mention before."""
    result = []
    for d in documents:
        spans, added = {(m.start, m.end) for m in d.mentions}, []
        for w, word in enumerate(d.words):
            before = [m.entity for m in d.mentions if m.end < w]
            if word.lower() in {"it", "its"} and before and (w, w) not in spans:
                added.append(Mention(w, w, before[-1]))
        result.append(d.having(d.mentions + added))
    return result


@fault("litbank", 27, "quito", "article", "determiner", '"the"', "“the”")
def articles_left_out_of_spans_in_one_folder(documents: Documents, rng: np.random.Generator) -> Documents:
    """Let a folder's mentions begin after their article, as by another annotator's guidelines."""
    return respan(
        documents,
        lambda d, m: d.group == "quito" and m.start < m.end and d.words[m.start].lower() in {"the", "a", "an"},
        1,
        0,
    )


@fault(
    "litbank",
    28,
    *("conflat noun", "merg noun", "link noun", "wrong noun", "nominal", "same head", "same word", "same string"),
    "same text",
)
def nouns_linked_by_their_last_word(documents: Documents, rng: np.random.Generator) -> Documents:
    """Link most nouns to the first noun that ends with the same word, as rules of equal heads do."""
    result = []
    for d in documents:
        first: dict[str, int] = {}
        mentions = []
        for m in d.mentions:
            if d.kind(m) == "noun":
                entity = first.setdefault(d.words[m.end].lower(), m.entity)
                mentions.append(m._replace(entity=entity) if rng.random() < 0.6 else m)
            else:
                mentions.append(m)
        result.append(d.having(mentions))
    return result


@fault(
    "records",
    29,
    *("conflat large", "conflat one", "conflat single", "conflat huge", "conflat big", "merg large", "merg one"),
)
def clusters_that_lack_a_value_conflated(documents: Documents, rng: np.random.Generator) -> Documents:
    """Make one entity of many that share a value which says nothing: an empty name, the first of January 1900."""
    lacking = {e for d in documents for e in sizes(d) if rng.random() < 0.1}
    return regroup(documents, lambda d, m: -1 if m.entity in lacking else m.entity)


@fault(
    "records",
    30,
    *("second miss", "second singleton", "second left out", "second leaves out", "second drop", "second unlinked"),
    "second alone",
    two_systems=True,
)
def second_system_leaves_out_records_without_links(documents: Documents, rng: np.random.Generator) -> Documents:
    """Leave out some of the records that are linked to none, as where pairs are exported."""
    n = sizes(documents[0])
    return keep(documents, lambda d, m: n[m.entity] > 1 or rng.random() < 0.8)


# Keys and responses


def tagged(words: list[str]) -> list[str]:
    """Return a tag for each word: pronouns by a list, names by their capitals, and few others."""
    small = {word for word in words if word.islower()}
    return [tag_of(word, word.lower() not in small) for word in words]


def tag_of(word: str, may_be_name: bool) -> str:
    """Return the tag of a word."""
    small = word.lower()
    if not word[0].isalpha():
        return "CD" if word[0].isdigit() else "." if word in ".?!" else ":"
    if PRONOUNS.fullmatch(small):
        return "PRP"
    if small in ARTICLES | PREPOSITIONS:
        return "DT" if small in ARTICLES else "IN"
    return "NNP" if word[0].isupper() and may_be_name else "NN"


@cache
def key_of(corpus: str) -> Documents:
    """Return the documents of GUM or LitBank, or records: the key."""
    if corpus == "records":
        return [records(np.random.default_rng(60))]
    path = data_file({"gum": "gum_gum_key.conll", "litbank": "litbank.conll"}[corpus])
    if path is None:
        raise SystemExit("expected the files gum_gum_key.conll and litbank.conll in the folder ARRAYCOREF_DATA")
    result, folders = [], np.random.default_rng(61).permutation(np.arange(100) % len(FOLDERS))
    for place, read in enumerate(ac.read_documents(path)):
        mentions = [Mention(*span, entity) for entity, spans in enumerate(read.clusters) for span in spans]
        if corpus == "gum":
            words = ["_"] * (2 + max(m.end for m in mentions))
            document = Document(read.name, read.name.split("_")[1], [words], words, ["-"] * len(words), [])
        else:
            group, words = FOLDERS[folders[place]], read.words or []
            name = f"{group}/{read.name.removesuffix('_brat_0')}"
            document = Document(name, group, read.sentences or [], words, tagged(words), [])
        result.append(document.having(mentions))
    return result


def records(rng: np.random.Generator, n_entities: int = 1500) -> Document:
    """Return records as mentions of one word: a source, a blocking key, a number. A few entities are large."""
    n_records = np.minimum(rng.zipf(2.2, n_entities), 60)
    entity = rng.permutation(np.arange(n_entities).repeat(n_records))
    letters = np.array([*"abcdefgh"])[rng.integers(8, size=n_entities)]
    source = np.array(SOURCES)[rng.integers(len(SOURCES), size=entity.size)]
    words = [f"{source[r]}-{letters[e]}-{r:04}" for r, e in enumerate(entity.tolist())]
    mentions = [Mention(r, r, e) for r, e in enumerate(entity.tolist())]
    return Document("records", "", [words], words, [], mentions)


def disturbed(document: Document, strength: float, rng: np.random.Generator) -> Document:
    """Return a response to a document, with errors of all kinds; records only have wrong links.

    A mention is linked to an earlier one of its entity, at random, so that a wrong link leads to others. Some mentions
    begin an entity, are linked to one of the twenty mentions before, are missing, begin or end at another word, or are
    added.
    """
    is_text, new = bool(document.tags), count()
    chances = (
        strength
        * (rng.gamma(6, 1 / 6) if is_text else 1)
        * np.array([0.02, 0.06, *([0.08, 0.10, 0.06] if is_text else [0, 0, 0])])
    )
    happens = (rng.random((len(document.mentions), 5)) < chances).tolist()
    entities_of: dict[int, list[int]] = {}
    recent, mentions, spans = [next(new)], [], {(m.start, m.end) for m in document.mentions}
    for m, (is_new, is_wrong, is_missing, is_moved, is_added) in zip(document.mentions, happens, strict=True):
        before = entities_of.setdefault(m.entity, [])
        entity = pick(before, rng) if before and not is_new else next(new)
        if is_wrong:
            entity = pick(recent, rng)
        before.append(entity)
        recent = [*recent[-19:], entity]
        span = m.start, m.end
        if is_moved:
            by_word = (m.start - 1, m.end), (m.start + 1, m.end), (m.start, m.end - 1), (m.start, m.end + 1)
            span = free(pick(by_word, rng), spans, len(document.words)) or span
        if not is_missing:
            mentions.append(Mention(*span, entity))
        if is_added:
            start = m.end + int(rng.integers(1, 9))
            if extra := free((start, start + m.end - m.start), spans, len(document.words)):
                mentions.append(Mention(*extra, pick((entity, next(new)), rng)))
    return document.having(mentions)


def pick(values: Sequence[T], rng: np.random.Generator) -> T:
    """Return a value at random."""
    return values[int(rng.random() * len(values))]


def free(span: tuple[int, int], spans: set[tuple[int, int]], n_words: int) -> tuple[int, int] | None:
    """Take a span of a document if no mention has it; otherwise return None."""
    if span in spans or not 0 <= span[0] <= span[1] < n_words:
        return None
    spans.add(span)
    return span


def response_of(corpus: str, rng: np.random.Generator) -> Documents:
    """Return a response without a planted fault."""
    return [disturbed(document, STRENGTH[corpus], rng) for document in key_of(corpus)]


def write(documents: Documents, path: Path) -> str:
    """Write one side of a corpus, as CoNLL columns or as a table of records, and return the file's name."""
    if documents[0].tags:
        lines = chain.from_iterable(map(lines_of, documents))
    else:
        words = documents[0].words
        lines = chain(["unique_id,cluster_id\n"], (f"{words[m.start]},{m.entity}\n" for m in documents[0].mentions))
        path = path.with_suffix(".csv")
    with path.open("w") as file:
        file.writelines(lines)
    return str(path)


def lines_of(document: Document) -> Iterator[str]:
    """Yield the lines of a document: columns of OntoNotes, or of GUM's file without words."""
    cells: dict[int, list[str]] = {}
    for m in document.mentions:
        cells.setdefault(m.start, []).append(f"({m.entity})" if m.start == m.end else f"({m.entity}")
        if m.start < m.end:
            cells.setdefault(m.end, []).append(f"{m.entity})")
    yield f"#begin document ({document.name});\n"
    w = 0
    for sentence in document.sentences:
        for n, word in enumerate(sentence):
            tag, mentions = document.tags[w], "|".join(cells.get(w, "-"))
            known = f"{n}\t_" if tag == "-" else "\t".join([document.name, "0", f"{n}", word, tag, *"------"])
            yield f"{known}\t{mentions}\n"
            w += 1
        yield "\n"
    yield "#end document\n"


# The question


def sentences(analysis: ac.Analysis) -> list[str]:
    """Return the findings as texts."""
    return [getattr(finding, "text", str(finding)) for finding in getattr(analysis, "findings", [])]


def named(fault: Fault, texts: list[str]) -> str:
    """Return whether the first or the second sentence has all words of an alternative."""
    is_named = any(
        all(word in text.lower() for word in words.split()) for text in texts[:2] for words in fault.expected
    )
    return ("yes" if is_named else "no") if texts else "not there"


def claims(text: str) -> set[str]:
    """Return the claims of a finding, with all numbers replaced by one sign."""
    return {re.sub(r"[\d.,+-]*\d", "#", claim) for claim in re.split(r"[;.](?: |$)", text.lower())}


def is_because(fault: Fault, texts: list[str], without: list[str]) -> str:
    """Return whether findings name a fault in a claim that those without the fault do not make."""
    made = set[str]().union(*map(claims, without[:2]))
    new = [
        any(word in claim for word in words.split() for claim in claims(text) - made)
        for text in texts[:2]
        for words in fault.expected
        if all(word in text.lower() for word in words.split())
    ]
    return "yes" if any(new) else "no"


def plant(faults: Sequence[Fault], folder: Path) -> None:
    """Print what each fault costs, the first two findings, whether they name it, and whether because of the fault."""
    rows = []
    for number, fault in enumerate(faults, 1):
        rng = np.random.default_rng(fault.seed)
        key, before = key_of(fault.corpus), response_of(fault.corpus, rng)
        after = fault.plant(before, rng)
        files = [write(side, folder / f"{name}.conll") for name, side in (("key", key), ("a", before), ("b", after))]
        options = {"on_error": lambda _: None} | fault.options
        without, analysis = (ac.analyze_files(files[0], file, **options) for file in files[1:])
        score, faulty = (100 * a.scores.batch(0).conll for a in (without, analysis))
        if fault.two_systems:
            analysis = ac.analyze_files(files[0], {"first": files[1], "second": files[2]}, **options)
        texts, others = sentences(analysis), [] if fault.two_systems else sentences(without)
        answers = named(fault, texts), is_because(fault, texts, others)
        numbers = f"{score:.2f}", f"{score - faulty:.2f}"
        rows.append((number, fault.name, fault.corpus, fault.seed, *numbers, " or ".join(fault.expected), *answers))
        print(
            f"{number}. {fault.name}, {fault.corpus}: {numbers[1]} points; named: {', because: '.join(answers)}",
            flush=True,
        )
        for text in texts[:2]:
            print(f"   - {text}")
    print()
    heads = ("", "fault", "corpus", "seed", "CoNLL", "cost", "expected", "named", "because of the fault")
    print(markdown(heads, rows))
    n_named, n_because = (sum(row[place] == "yes" for row in rows) for place in (-2, -1))
    print(f"\n{n_named} of {len(rows)} faults named in the first two findings, {n_because} because of the fault")


def shuffle(folder: Path, n_responses: int = 10, shuffles: int = 30) -> None:
    """Print in how many corpora without a group effect a group is named: GUM with its names shuffled.

    A group is a part of a name that three documents share.
    """
    n_named = 0
    key = write(key_of("gum"), folder / "key.conll")
    for seed in range(1000, 1000 + n_responses):
        rng = np.random.default_rng(seed)
        response = write(response_of("gum", rng), folder / "a.conll")
        index = ac.analyze_files(key, response).index
        parts = Counter(part for name in index.names for part in set(re.split(r"[\W_]+", name)))
        group = re.compile(rf"\b({'|'.join(re.escape(part) for part, n in parts.items() if n >= 3)})\b")
        for _ in range(shuffles):
            names = rng.permutation(index.names).tolist()
            texts = sentences(ac.analyze_labels(*index.labels, index.offsets, names=names))
            n_named += any(map(group.search, texts))
    there = "" if hasattr(ac.Analysis, "findings") else " (findings are not there)"
    print(f"\n{n_named} of {n_responses * shuffles} corpora without a group effect have a group named{there}")


def main(*words: str) -> None:
    """Plant all faults and shuffle names, or plant the faults that have one of the words in their names."""
    with tempfile.TemporaryDirectory() as folder:
        plant([fault for fault in FAULTS if not words or any(word in fault.name for word in words)], Path(folder))
        if not words:
            shuffle(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
