"""Weights from corpora: the ambiguity of their words, and the query logs of their search engines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from arraycoref.deadline import within_time
from arraycoref.errors import InputError
from arraycoref.read.sources import load_text
from arraycoref.tagging.table import TagTable
from arraycoref.tagging.tagsets import POS, AnyTagset, load_tagset
from arraycoref.tagging.texts import TaggedText, owners
from arraycoref.tagging.weights.record import Weights

QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)", re.DOTALL)
"""A quoted string; one that never ends goes to the end, or each of a million quotes would be tried in vain."""
ATTRIBUTE = re.compile(r"(?<![\w$-])([A-Za-z][\w-]*)\s*!?[=~]")


def average_ambiguity(text: TaggedText, table: TagTable) -> Weights:
    r"""Weigh each category by the average number of its different values per word, over all words of a corpus.

        >>> from arraycoref.tagging import tag_table
        >>> from arraycoref.tagging.read import read_tabbed
        >>> text = read_tabbed(b"to\tADP+PART\nrun\tVERB", "lexicon", separator="+")
        >>> average_ambiguity(text, tag_table(text.tag_names, "ud")).categories
        {'pos': 1.5}

    Under a part of speech p (conditional weights), the average is over the words that have an analysis with p: of the
    values in those analyses, and for the part of speech itself of the words' different parts of speech.

    Args:
        text: W words with all their analyses as tags.
        table: the table of ``text.tag_names``.

    Returns:
        Unconditional and conditional weights; categories that no analysis has are left out and count nothing.

    Raises:
        InputError: there are no words, or the table is that of other tags.

    Source: sections 2.3.1 and 2.4.
    """
    if len(table) != len(text.tag_names):
        found = f"a table of {len(table)} tags and {len(text.tag_names)} of {text.source}"
        raise InputError(f"{found}; expected the table of text.tag_names")
    n_words = len(text)
    if n_words == 0:
        raise InputError(f"{text.source}: no words to take weights from")
    word = owners(text.tag_offsets)
    values = table.values[text.tags]
    part = values[:, 0].astype(np.int64)
    n_parts = len(table.value_names[0])
    word_and_part = np.unique(word * n_parts + part)
    words_of_part = np.bincount(word_and_part % n_parts, minlength=n_parts)
    parts_of_word = np.bincount(word_and_part // n_parts, minlength=n_words)
    parts_beside = np.bincount(word_and_part % n_parts, parts_of_word[word_and_part // n_parts], n_parts)
    general: dict[str, float] = {}
    averages = {POS: parts_beside / words_of_part}  # every tag is that of a word
    for column, category in enumerate(table.categories):
        has = values[:, column] >= 0
        if not has.any():
            continue
        n_values = len(table.value_names[column])
        general[category] = np.unique(word[has] * n_values + values[has, column]).size / n_words
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

    A query names a category where it compares it: ``[pos=subst & case!=gen]`` names two. Quoted strings name none, and
    names that are no category of the tagset (``orth``, ``base``) are passed over. A query counts once per
    category, however often it names it. There are no conditional weights: a log does not say what parts of speech were
    found.

    Args:
        queries: queries in the syntax of Poliqarp or CQP.
        tagset: its categories are counted; of Universal Dependencies, any name that begins with a capital.
        source: where the queries come from, for signatures.

    Returns:
        Weights, with 0 for categories that no query names.

    Raises:
        InputError: no query names any category.

    Source: section 2.3.3; section 3 for counting occurrences.
    """
    tagset = load_tagset(tagset)
    known = {category.casefold(): category for category in tagset.categories}
    features: dict[str, str] = {}
    counts = Counter(dict.fromkeys(tagset.categories, 0))
    for query in within_time(queries):
        named: dict[str, None] = {}
        for name in ATTRIBUTE.findall(QUOTED.sub("''", query)):
            if name.casefold() in known:
                named[known[name.casefold()]] = None
            elif not tagset.xpos and name[0].isupper():
                named[features.setdefault(name.casefold(), name)] = None
        counts.update(list(named))
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
    return [line for line in load_text(path).splitlines() if line.strip() and not line.startswith("#")]
