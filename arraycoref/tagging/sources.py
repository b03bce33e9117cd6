"""Count weights: from the ambiguity of a corpus, from queries, from rules that a parser applied, from a treebank."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arraycoref.errors import InputError, ReadError
from arraycoref.ragged import owners
from arraycoref.read.conllu import FEATS, HEAD, UPOS, read_sentences
from arraycoref.read.faults import quote
from arraycoref.runtime import load_text, once
from arraycoref.tagging.compare import text_table
from arraycoref.tagging.tagsets import POS, AnyTagset, conllu_tag, load_tagset
from arraycoref.tagging.texts import TaggedText, numbered
from arraycoref.tagging.weights import Weights

QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)", re.DOTALL)
"""A quoted string. One without a closing quote extends to the end of the query; otherwise the search would start again
at each of a million quotes, and read to the end in vain.
"""

ATTRIBUTE = re.compile(r"(?<![\w$-])([A-Za-z][\w-]*)\s*!?[=~]")


def average_ambiguity(text: TaggedText, tagset: AnyTagset) -> Weights:
    r"""Weigh each category by the average number of its different values per word, over all words of a corpus.

        >>> from arraycoref.tagging.read import read_tabbed
        >>> text = read_tabbed(b"to\tADP+PART\nrun\tVERB", "lexicon", separator="+")
        >>> average_ambiguity(text, "ud").categories
        {'pos': 1.5}

    The conditional weights under a part of speech p are averages over the words that have an analysis with p. For these
    weights, only the values in analyses with p count; but the weight of ``pos`` counts all parts of speech of the word.

    Args:
        text: W words with all their analyses as tags, at least one.
        tagset: parses the tags.

    Returns:
        Unconditional and conditional weights; the weight of a category that no analysis has is 0, by default.

    Raises:
        ReadError: a tag that the tagset does not know.

    Source: sections 2.3.1 and 2.4.
    """
    table, word = text_table(text.tag_names, load_tagset(tagset), [text]), owners(np.array(text.tag_offsets))
    values = table.values[numbered(text.tags, {})]
    part = values[:, 0].astype(np.int64)
    n_parts = len(table.value_names[0])
    word_and_part = np.unique(word * n_parts + part)
    words_of_part = np.bincount(word_and_part % n_parts, minlength=n_parts)
    parts_of_word = np.bincount(word_and_part // n_parts, minlength=len(text))
    parts_beside = np.bincount(word_and_part % n_parts, parts_of_word[word_and_part // n_parts], n_parts)
    general: dict[str, float] = {}
    averages = {POS: parts_beside / words_of_part}  # no division by 0: every tag is some word's
    for column, category in enumerate(table.categories):
        has = values[:, column] >= 0
        if not has.any():
            continue
        n_values = len(table.value_names[column])
        general[category] = np.unique(word[has] * n_values + values[has, column]).size / len(text)
        if category != POS:
            triples = np.unique((word[has] * n_parts + part[has]) * n_values + values[has, column])
            averages[category] = np.bincount(triples // n_values % n_parts, minlength=n_parts) / words_of_part
    by_pos = {
        name: {category: float(average[p]) for category, average in averages.items()}
        for p, name in enumerate(table.value_names[0])
    }
    return Weights(general, by_pos, default=0.0, source=f"ambiguity of {text.source}")


def query_weights(queries: Iterable[str], tagset: AnyTagset, source: str = "query log") -> Weights:
    """Weigh each category by the number of queries that name it.

        >>> query_weights(["[pos=subst & case!=gen]", "[case=nom]"], "nkjp").categories["case"]
        2.0

    A query names a category by comparing it with a value: ``[pos=subst & case!=gen]`` names two. Quoted strings name
    none, and names that are no category of the tagset (``orth``, ``base``) are ignored. A query counts once for each
    category that it names, however often it names it. There are no conditional weights, since a log does not show which
    parts of speech were found.

    Args:
        queries: queries in the syntax of Poliqarp or CQP.
        tagset: the tagset whose categories are counted; for Universal Dependencies, ``pos`` and all names that begin
            with a capital letter.
        source: where the queries come from, for signatures.

    Returns:
        Weights, with 0 for categories that no query names.

    Raises:
        InputError: no query names any category.

    Source: section 2.3.3; section 3 for counting occurrences.
    """
    tagset = load_tagset(tagset)
    counts = Counter(dict.fromkeys(tagset.categories, 0))
    for query in queries:
        named = dict.fromkeys(ATTRIBUTE.findall(QUOTED.sub("''", query)))
        counts.update(name for name in named if name in tagset.categories or (not tagset.xpos and name[0].isupper()))
    if not counts.total():
        raise InputError(f"{source}: no query names a category (tagset {tagset.name})")
    return Weights({name: float(count) for name, count in counts.items()}, default=0.0, source=source)


def read_queries(path: str | Path) -> list[str]:
    r"""Read a query log, one query per line; empty lines and those that begin with ``#`` are left out.

        >>> _ = Path("queries.txt").write_text("# of 2010\n[case=nom]\n")
        >>> read_queries("queries.txt")
        ['[case=nom]']

    Raises:
        ReadError: the file cannot be read, or is not UTF-8.
    """
    lines = re.split(r"\r\n?|\n", load_text(path))  # `splitlines` would also split within a query
    return [line for line in lines if line.strip() and not line.startswith("#")]


class Terminal(NamedTuple):
    """A word on the right-hand side of an applied rule.

    Attributes:
        categories: the categories of the word to which the rule refers; ``pos`` where it names the part of speech.
        pos: the word's part of speech, from the parse if the rule does not name it; None if it is unknown.
    """

    categories: Sequence[str]
    pos: str | None = None


def rule_weights(rules: Iterable[Iterable[Terminal]], source: str = "rule applications") -> Weights:
    """Weigh each category by the number of words in which applied rules refer to it.

        >>> rule_weights([[Terminal(["pos", "case"], "adj"), Terminal(["pos"], "subst")]]).categories
        {'pos': 2.0, 'case': 1.0}

    Args:
        rules: the applications of rules in the parses of all sentences, each as the words of the rule's right-hand
            side. A category counts once per word, however often the rule names it there.
        source: where the rules come from, for signatures.

    Returns:
        The counts as weights; other categories weigh 0. The conditional weights under a part of speech count its words
        only. Words whose part of speech is not known have no part in conditional weights.

    Raises:
        InputError: no rule refers to a category.

    Source: the algorithm of section 2.3.2; section 2.4 for conditional weights.
    """
    general: Counter[str] = Counter()
    by_pos: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for categories, pos in chain.from_iterable(rules):
        named = list(dict.fromkeys(categories))
        general.update(named)
        if pos is not None:
            by_pos[pos].update(named)
    if not general:
        raise InputError(f"{source}: no rule refers to a category")
    conditional = {pos: {category: float(counts[category]) for category in general} for pos, counts in by_pos.items()}
    return Weights({name: float(count) for name, count in general.items()}, conditional, default=0.0, source=source)


def read_rules(path: str | Path) -> Iterator[list[Terminal]]:
    r"""Read rule applications, one JSON object per line.

        >>> _ = Path("rules.jsonl").write_text('{"terminals": [{"pos": "adj", "categories": ["case"]}]}\n')
        >>> list(read_rules("rules.jsonl"))
        [[Terminal(categories=('case',), pos='adj')]]

    A line is ``{"rule": "NP -> A N", "terminals": [{"pos": "adj", "categories": ["pos", "case"]}, ...]}``; ``rule`` and
    ``pos`` may be missing.

    Yields:
        The words of each application.

    Raises:
        ReadError: a line has another form.
    """
    for number, line in enumerate(load_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            terminals = [_terminal(**terminal) for terminal in json.loads(line, object_pairs_hook=once)["terminals"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f'expected {{"terminals": [{{"pos": ..., "categories": [...]}}]}}: {error}'
            raise ReadError(str(path), number, reason) from error
        yield terminals


def _terminal(categories: Any, pos: Any = None, **_: Any) -> Terminal:
    if not isinstance(categories, list) or not all(isinstance(name, str) for name in [*categories, pos or ""]):
        raise TypeError(f"categories are {quote(categories)}, pos is {quote(pos)}")
    return Terminal(tuple(categories), pos)


def read_agreement(path: str | Path, tagset: AnyTagset) -> Iterator[list[Terminal]]:
    r"""Read the relations of a CoNLL-U treebank as rule applications.

        >>> words = "1\ta\t_\tDET\t_\t_\t2\t_\t_\t_\n2\trun\t_\tNOUN\t_\t_\t0\t_\t_\t_\n"
        >>> _ = Path("treebank.conllu").write_text(words)
        >>> list(read_agreement("treebank.conllu", "ud"))
        [[Terminal(categories=('pos',), pos='DET'), Terminal(categories=('pos',), pos='NOUN')]]

    A relation between a word and its head is one application of a rule with two words on its right-hand side. It
    refers to the parts of speech of both, and to each category that both tags have with the same value. This
    approximates a grammar, since the categories that a rule mentions are not known. A value that two words share by
    chance is counted as agreement. Government is not seen, such as the case that a preposition demands, because only
    one of the two words has that category. Roots and empty nodes are no relations between words and are left out.

    Args:
        path: a CoNLL-U file with heads.
        tagset: the tagset of the tags. They are read from XPOS if its ``xpos`` is true, otherwise from UPOS and FEATS.

    Yields:
        The dependent and the head of each relation.

    Raises:
        ReadError: a line that breaks the format, a head that is no word, or a tag that the tagset does not know.

    Source: section 2.3.2, whose algorithm `rule_weights` applies to these relations.
    """
    tagset = load_tagset(tagset)
    parse = cache(tagset.parse)
    for sentence in read_sentences(load_text(path), str(path)):
        tags = []
        for columns, line in zip(sentence.words, sentence.lines, strict=True):
            try:
                tags.append(parse(conllu_tag("\t".join(columns[UPOS : FEATS + 1]), tagset)))
            except InputError as error:
                raise ReadError(str(path), line, str(error)) from error
        heads = {str(n): tag for n, tag in enumerate(tags, 1)}
        for (number, tag), columns, line in zip(heads.items(), sentence.words, sentence.lines, strict=True):
            head = columns[HEAD]
            if head == "0":
                continue
            if head not in heads or head == number:
                raise ReadError(str(path), line, f"head {head!r}, expected another word's number or 0")
            other = heads[head]
            agreeing = [category for category in tag if category != POS and other.get(category) == tag[category]]
            yield [Terminal((POS, *agreeing), tag[POS]), Terminal((POS, *agreeing), other[POS])]
