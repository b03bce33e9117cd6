"""Weights from parses: how often the rules that were applied refer to a category."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arraycoref.errors import InputError, ReadError
from arraycoref.read.parsed import Fault, quote, refuse
from arraycoref.read.sources import load_text
from arraycoref.tagging.weights.record import Weights

MOST_WEIGHTS = 100_000
"""Conditional weights, one for each part of speech and category: a tagset has some hundreds."""


class Terminal(NamedTuple):
    """A word on the right-hand side of an applied rule.

    Attributes:
        categories: the categories of the word to which the rule refers; ``pos`` where it names the part of speech.
        pos: the part of speech, also where the rule does not name it; it may be read off the parse. None: not known.
    """

    categories: Sequence[str]
    pos: str | None = None


def rule_weights(rules: Iterable[Iterable[Terminal]], source: str = "rule applications") -> Weights:
    """Weigh each category by how often applied rules refer to it in a word.

    Args:
        rules: each application of a rule, in the parses of all sentences, as the words of its right-hand side. A
            category counts once a word, however often the rule names it there.
        source: where the rules come from, for signatures.

    Returns:
        The counts as weights, 0 for other categories; under a part of speech (conditional weights) the counts of its
        words alone, where words tell their part of speech.

    Raises:
        InputError: no rule refers to a category, or rules to too many; or a word's categories are a string.

    Source: the algorithm of section 2.3.2; section 2.4 for conditional weights.
    """
    general: dict[str, float] = {}
    by_pos: dict[str, dict[str, float]] = {}
    for rule in rules:
        for terminal in rule:
            tables = [general]
            if terminal.pos is not None:
                tables.append(by_pos.setdefault(terminal.pos, {}))
            if isinstance(terminal.categories, str):
                raise InputError(f"the categories of a terminal are {terminal.categories!r}; expected a list of names")
            for category in dict.fromkeys(terminal.categories):
                for table in tables:
                    table[category] = table.get(category, 0.0) + 1.0
    if not general:
        raise InputError(f"{source}: no rule refers to a category")
    if len(by_pos) * len(general) > MOST_WEIGHTS:
        raise InputError(
            f"{source}: {len(by_pos)} parts of speech and {len(general)} categories; expected at most "
            f"{MOST_WEIGHTS} conditional weights"
        )
    for table in by_pos.values():
        for category in general:
            table.setdefault(category, 0.0)
    return Weights(general, by_pos, default=0.0, source=source)


def read_rules(path: str | Path, fault: Fault = refuse) -> Iterator[list[Terminal]]:
    """Read rule applications, one JSON object a line.

    A line is ``{"rule": "NP -> A N", "terminals": [{"pos": "adj", "categories": ["pos", "case"]}, ...]}``; ``rule`` and
    ``pos`` may be missing.

    Args:
        path: the file.
        fault: takes each line that breaks this form, which is then passed over. The default raises the first.

    Yields:
        The words of each application.

    Raises:
        ReadError: a line breaks this form.
    """
    for number, line in enumerate(load_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            terminals = [_terminal(terminal) for terminal in json.loads(line)["terminals"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f'expected {{"terminals": [{{"pos": ..., "categories": [...]}}]}}: {error}'
            fault(ReadError(str(path), number, reason))
            continue
        yield terminals


def _terminal(terminal: Any) -> Terminal:
    categories, part_of_speech = terminal["categories"], terminal.get("pos")
    if not isinstance(categories, list) or not all(isinstance(category, str) for category in categories):
        raise TypeError(f"categories are {quote(categories)}")
    if part_of_speech is not None and not isinstance(part_of_speech, str):
        raise TypeError(f"pos is {quote(part_of_speech)}")
    return Terminal(tuple(dict.fromkeys(categories)), part_of_speech)
