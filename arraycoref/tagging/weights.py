"""Weights of categories, one for all tags or one per part of speech: their files, and what they are counted from.

A weights file is TOML, with ``[categories]``, ``[by_pos.X]``, ``default`` and ``source``; or categories alone. Weights
are counted from the ambiguity of a corpus, from queries, from rules that a parser applied, or from a treebank.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import InputError, ReadError, UnknownNameError
from arraycoref.ragged import owners
from arraycoref.read.conllu import FEATS, HEAD, UPOS, read_sentences
from arraycoref.read.problems import quote
from arraycoref.runtime import load_text, once
from arraycoref.tagging.compare import TagTable, text_table
from arraycoref.tagging.tagsets import POS, AnyTagset, conllu_tag, load_tagset, load_toml
from arraycoref.tagging.texts import TaggedText, numbered

KEYS = ("categories", "by_pos", "default", "source")
"""The keys that a weights file may have, unless it is a mapping from categories to weights."""

UD_NAMES = {"pos": "pos", "negation": "Polarity", "post-prepositionality": "PrepCase", "accentability": "Variant"}
"""Universal Dependencies' names of preset categories, where they differ by more than a capital letter.

Accommodability and agglutination have no name there.
"""


@dataclass(frozen=True)
class Weights:
    """How much each category counts; the part of speech is the category ``pos``. Names are written as in the tagset.

    Attributes:
        categories: the weight of each category, for all parts of speech.
        by_pos: the weights under a part of speech, ``by_pos["ger"]["case"]`` being w(case|ger) and
            ``by_pos["ger"]["pos"]`` the weight w(ger) of the part of speech itself. What is missing here is taken from
            ``categories``.
        default: the weight of a category without a weight in either; None makes such a category an error.
        source: where the weights come from, for signatures.
    """

    categories: Mapping[str, float] = field(default_factory=dict)
    by_pos: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    default: float | None = None
    source: str = "by hand"

    def __post_init__(self) -> None:
        weights: dict[str, Any] = {**self.categories, **({} if self.default is None else {"default": self.default})}
        weights |= {f"{pos}.{name}": weight for pos, table in self.by_pos.items() for name, weight in table.items()}
        for name, weight in weights.items():
            is_number = isinstance(weight, Real) and not isinstance(weight, bool)
            if not is_number or not 0 <= weight <= sys.float_info.max:
                raise InputError(f"weight of {name} is {quote(weight)}; expected a finite number that is not negative")

    def rows(self, table: TagTable, conditional: bool = False) -> NDArray[np.float64]:
        """Look up the weight of each category in each tag.

        Args:
            table: V tags of C categories.
            conditional: use the weights under the tag's part of speech, where there are any.

        Returns:
            float64 (V, C).

        Raises:
            InputError: a category of some tag has no weight, and there is no default; or a name is spelled with other
                capitals than in the tags.
        """
        parts = table.value_names[0]
        self._check_capitals(chain(self.categories, *self.by_pos.values()), table.categories, table)
        self._check_capitals(self.by_pos, parts, table)
        default = math.nan if self.default is None else self.default
        rows = np.empty(table.values.shape)
        rows[:] = [self.categories.get(name, default) for name in table.categories]
        for part, weights in self.by_pos.items() if conditional else ():
            if part in parts:
                own = {**self.categories, **weights}
                rows[table.values[:, 0] == parts.index(part)] = [own.get(name, default) for name in table.categories]
        lacking = (np.isnan(rows) & (table.values >= 0)).any(axis=0)
        if lacking.any():
            missing = ", ".join(np.array(table.categories)[lacking])
            among = f"tagset {table.tagset.name}, weights {self.source}"
            raise InputError(f"no weight for {missing} ({among}); expected one for each category, or a default")
        return np.nan_to_num(rows, nan=0.0)

    def _check_capitals(self, given: Iterable[str], known: Sequence[str], table: TagTable) -> None:
        """Refuse a name that tags do not have, but another one that differs in capitals: it would count for nothing."""
        folded = {name.casefold(): name for name in known}
        for name in given:
            if name not in known and name.casefold() in folded:
                expected = f"expected {folded[name.casefold()]!r}, as in tags (tagset {table.tagset.name})"
                raise InputError(f"weights of {name!r} ({self.source}); {expected}")


AnyWeights = str | Path | Mapping[str, Any] | Weights


def load_weights(weights: AnyWeights, tagset: AnyTagset | None = None) -> Weights:
    """Get weights from a mapping, a file, or the name of a preset.

        >>> load_weights({"pos": 4, "case": 2}).categories["pos"]
        4

    Args:
        weights: a `Weights`; a mapping from categories to weights, or one with the keys of a weights file;
            ``poliqarp``; or the path of a weights file, ending in ``.toml``.
        tagset: the tagset of the tags; the names of a preset's categories depend on it.

    Returns:
        The weights.

    Raises:
        ReadError: a file that cannot be read or is not a weights file.
        InputError: a mapping that is of neither form, or a value that is not a weight.
        UnknownNameError: neither a preset nor a file with a known suffix.
    """
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, Mapping):
        return _from_mapping(weights, "")
    if weights == "poliqarp":
        return poliqarp(tagset)
    path = Path(weights)
    if path.suffix != ".toml":
        raise UnknownNameError("weights", str(weights), ("poliqarp", "FILE.toml"))
    try:
        return _from_mapping(load_toml(path, "a weights file"), path.name)
    except (InputError, TypeError, AttributeError) as error:
        raise ReadError(str(path), None, str(error)) from error


def _from_mapping(table: Mapping[str, Any], source: str) -> Weights:
    """Make weights of either form of mapping; without a source, weights of categories alone are their own name."""
    strange = [key for key in table if key not in KEYS]
    if len(strange) == len(table):
        return Weights(table, source=source or ",".join(f"{name}={weight}" for name, weight in table.items()))
    if strange:
        raise InputError(f"unknown key {strange[0]!r}; expected {', '.join(KEYS)}")
    return Weights(**{"source": source or "by hand", **table})


def poliqarp(tagset: AnyTagset | None = None) -> Weights:
    """Return the weights of the paper's experiment: how often queries to the Poliqarp search engine name each category.

        >>> poliqarp().categories["case"]
        14055.0

    Args:
        tagset: for Universal Dependencies, categories are renamed according to `UD_NAMES`.

    Returns:
        The weights, 0 for categories that no query named.

    Source: Table 1.
    """
    weights = load_weights(Path(__file__).with_name("poliqarp.toml"))
    if tagset is None or load_tagset(tagset).xpos:
        return weights
    return replace(weights, categories={UD_NAMES.get(k, k.capitalize()): n for k, n in weights.categories.items()})


def render_weights(weights: Weights) -> str:
    """Return the text of a weights file, which `load_weights` reads.

    >>> print(render_weights(Weights({"case": 2}, default=0)), end="")
    source = "by hand"
    default = 0.0
    <BLANKLINE>
    [categories]
    "case" = 2.0
    """
    lines = [f"source = {_quote(weights.source)}"]
    if weights.default is not None:
        lines.append(f"default = {float(weights.default)!r}")
    tables = {"categories": weights.categories}
    tables |= {f"by_pos.{_quote(name)}": table for name, table in weights.by_pos.items()}
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{_quote(category)} = {float(weight)!r}" for category, weight in table.items())]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """Quote a text as a TOML basic string, with the escapes of JSON, of which TOML lacks those of surrogates."""
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")


QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)", re.DOTALL)
"""A quoted string. One without a closing quote extends to the end of the query; otherwise the search would start again
at each of a million quotes, and read to the end in vain.
"""

ATTRIBUTE = re.compile(r"(?<![\w$-])([A-Za-z][\w-]*)\s*!?[=~]")


def average_ambiguity(text: TaggedText, tagset: AnyTagset) -> Weights:
    r"""Weigh each category by the average number of its different values per word, over all words of a corpus.

        >>> from arraycoref.tagging.texts import read_tabbed
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
    none, and names that are not category of the tagset (``orth``, ``base``) are ignored. A query counts once for each
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
    one of the two words has that category. Roots and empty nodes are not relations between words and are left out.

    Args:
        path: a CoNLL-U file with heads.
        tagset: the tagset of the tags. They are read from XPOS if its ``xpos`` is true, otherwise from UPOS and FEATS.

    Yields:
        The dependent and the head of each relation.

    Raises:
        ReadError: a line that breaks the format, a head that is not a word, or a tag that the tagset does not know.

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
