"""Weights from parses: how often the rules that were applied refer to a category."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arraycoref.errors import InputError, ReadError
from arraycoref.tagging.weights.record import Weights


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
        rules: each application of a rule, in the parses of all sentences, as the words of its right-hand side.
        source: where the rules come from, for signatures.

    Returns:
        The counts as weights, 0 for other categories; under a part of speech (conditional weights) the counts of its
        words alone, where words tell their part of speech.

    Raises:
        InputError: no rule refers to a category.

    Source: the algorithm of section 2.3.2; section 2.4 for conditional weights.
    """
    general: dict[str, float] = {}
    by_pos: dict[str, dict[str, float]] = {}
    for rule in rules:
        for terminal in rule:
            tables = [general]
            if terminal.pos is not None:
                tables.append(by_pos.setdefault(terminal.pos, {}))
            for category in terminal.categories:
                for table in tables:
                    table[category] = table.get(category, 0.0) + 1.0
    if not general:
        raise InputError(f"{source}: no rule refers to a category")
    for table in by_pos.values():
        for category in general:
            table.setdefault(category, 0.0)
    return Weights(general, by_pos, default=0.0, source=source)


def read_rules(path: str | Path) -> Iterator[list[Terminal]]:
    """Read rule applications, one JSON object a line.

    A line is ``{"rule": "NP -> A N", "terminals": [{"pos": "adj", "categories": ["pos", "case"]}, ...]}``; ``rule`` and
    ``pos`` may be missing.

    Args:
        path: the file.

    Yields:
        The words of each application.

    Raises:
        ReadError: a line breaks this form.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(str(path), None, f"not a file of rules: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield [_terminal(terminal) for terminal in json.loads(line)["terminals"]]
        except (ValueError, KeyError, TypeError) as error:
            raise ReadError(
                str(path), number, f'expected {{"terminals": [{{"pos": ..., "categories": [...]}}]}}: {error}'
            ) from error


def _terminal(terminal: Any) -> Terminal:
    categories, part_of_speech = terminal["categories"], terminal.get("pos")
    if not isinstance(categories, list) or not all(isinstance(category, str) for category in categories):
        raise TypeError(f"categories are {categories!r}")
    if part_of_speech is not None and not isinstance(part_of_speech, str):
        raise TypeError(f"pos is {part_of_speech!r}")
    return Terminal(tuple(dict.fromkeys(categories)), part_of_speech)
