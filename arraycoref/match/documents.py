"""Pair the documents of key and response by name, under the policies for those that one side lacks."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from arraycoref.errors import DocumentMismatchError
from arraycoref.options import Policies

ABSENT = -1
"""The position of a response document that is missing and scored as empty."""

SHOWN = 3
"""The most documents that a message names."""

LOOKED_AT, LONGEST = 1000, 100
"""The most names that are searched for the most similar ones, and the most characters of a name that are compared."""


@dataclass(frozen=True)
class Unpaired:
    """Documents that one side lacks.

    Attributes:
        n: number of documents that one side lacks.
        total: number of all documents of the other side, which has them.
        shown: position and name of the first `SHOWN` documents that one side lacks.
        names: names of the first `LOOKED_AT` of these documents, to find similar names; empty if they are not known.
    """

    n: int = 0
    total: int = 0
    shown: tuple[tuple[int, str], ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Unpaired]) -> Unpaired:
        """Join the results for several parts of the documents."""
        every = list(parts)
        shown = sorted(one for part in every for one in part.shown)[:SHOWN]
        return cls(sum(part.n for part in every), sum(part.total for part in every), tuple(shown))

    def __str__(self) -> str:
        shown = ", ".join(repr(name) for _, name in self.shown)
        more = f" and {self.n - SHOWN} more" if self.n > SHOWN else ""
        return f"{self.n} of {self.total} documents ({shown}{more})"


def pair_documents(key: Sequence[str], response: Sequence[str], policies: Policies) -> tuple[list[int], list[int]]:
    """Find the positions of the documents to score, in the key's order.

    Args:
        key: unique names of the key's documents.
        response: unique names of the response's.
        policies: for ``missing_documents`` and ``extra_documents``.

    Returns:
        Positions in the key, and in the response or `ABSENT`.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy refuses that; or no document on both
            sides, where the policy leaves out the others.
    """
    if tuple(key) == tuple(response):
        return list(range(len(key))), list(range(len(key)))
    positions = {name: position for position, name in enumerate(response)}
    pairs = [(k, positions.get(name, ABSENT)) for k, name in enumerate(key)]
    check_paired(lacking(key, positions), lacking(response, set(key)), policies)
    if policies.missing_documents == "skip":
        pairs = [pair for pair in pairs if pair[1] != ABSENT]
    return [k for k, _ in pairs], [r for _, r in pairs]


def lacking(names: Sequence[str], known: Container[str]) -> Unpaired:
    """Name the documents of one side that the other lacks."""
    lacking = [(position, name) for position, name in enumerate(names) if name not in known]
    known_names = tuple([str(name) for _, name in lacking[:LOOKED_AT]])
    return Unpaired(len(lacking), len(names), tuple(lacking[:SHOWN]), known_names)


def check_paired(missing: Unpaired, extra: Unpaired, policies: Policies) -> None:
    """Refuse documents on one side only, where the policies do; and, where they skip these, sides that share none.

    Args:
        missing: documents that the response lacks.
        extra: documents that the key lacks.
        policies: for ``missing_documents`` and ``extra_documents``.

    Raises:
        DocumentMismatchError: there are documents that a policy refuses, or no document is left.
    """
    if missing.n and policies.missing_documents == "error":
        raise DocumentMismatchError(
            f"the response lacks {missing} of the key; "
            "missing_documents='empty' scores them as empty responses, 'skip' leaves them out"
            f"{_instead('response', missing, extra)}",
            option="missing_documents",
        )
    if extra.n and policies.extra_documents == "error":
        raise DocumentMismatchError(
            f"the key lacks {extra} of the response; extra_documents='ignore' leaves them out"
            f"{_instead('key', extra, missing)}",
            option="extra_documents",
        )
    if policies.missing_documents == "skip" and 0 < missing.total == missing.n:
        raise DocumentMismatchError(
            f"none of the key's {missing.total} documents is among the response's {extra.total}"
            f"{_instead('response', missing, extra)}"
        )


def _instead(side: str, lacking: Unpaired, other: Unpaired) -> str:
    """Say which documents a side has in place of those that it lacks, and which of their names are the most similar."""
    if not other.n:
        return ""
    known = {name[:LONGEST]: name for name in other.names}
    found = [near for _, name in lacking.shown for near in get_close_matches(str(name)[:LONGEST], known, 1)]
    near = ", ".join(repr(known[name]) for name in dict.fromkeys(found))
    return f". The {side} has {other} instead{near and f', the nearest of which: {near}'}"
