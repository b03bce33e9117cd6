"""Weights from the query log of a corpus search engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from arraycoref.errors import InputError
from arraycoref.read.sources import load_text
from arraycoref.tagging.tagsets import Tagset
from arraycoref.tagging.weights.record import Weights

QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)", re.DOTALL)
"""A quoted string; one that never ends goes to the end, or each of a million quotes would be tried in vain."""
ATTRIBUTE = re.compile(r"(?<![\w$-])([A-Za-z][\w-]*)\s*!?[=~]")


def query_weights(queries: Iterable[str], tagset: Tagset, source: str = "query log") -> Weights:
    """Weigh each category by the number of queries that name it.

    A query names a category where it compares it: ``[pos=subst & case!=gen]`` names two. Quoted strings name none, and
    names that are no category of the tagset (``orth``, ``base``) are passed over. A query counts once a category,
    however often it names it. There are no conditional weights: a log does not tell the parts of speech found.

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
    known = {category.casefold(): category for category in tagset.categories}
    counts = dict.fromkeys(tagset.categories, 0.0)
    for query in queries:
        named: dict[str, None] = {}
        for name in ATTRIBUTE.findall(QUOTED.sub("''", query)):
            category = known.get(name.casefold())
            if category is None and not tagset.xpos and name[0].isupper():
                category = name
            if category is not None:
                named[category] = None
        for category in named:
            counts[category] = counts.get(category, 0.0) + 1.0
    if not any(counts.values()):
        raise InputError(f"{source}: no query names a category (tagset {tagset.name})")
    return Weights(counts, default=0.0, source=source)


def read_queries(path: str | Path) -> list[str]:
    """Read a query log, one query a line; empty lines and those that begin with ``#`` are left out.

    Raises:
        ReadError: the file cannot be read, or is not UTF-8.
    """
    return [line for line in load_text(path).splitlines() if line.strip() and not line.startswith("#")]
