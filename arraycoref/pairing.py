"""Pair the documents of key and response by name, under the policies for those that one side lacks."""

from __future__ import annotations

from collections.abc import Sequence

from arraycoref.errors import DocumentMismatchError
from arraycoref.options import Policies

ABSENT = -1
"""Position of a response document that is missing and counts as empty."""


def pair_documents(key: Sequence[str], response: Sequence[str], policies: Policies) -> tuple[list[int], list[int]]:
    """Find the positions of the documents to score, in the key's order.

    Args:
        key: unique names of the key's documents.
        response: unique names of the response's.
        policies: for ``missing_documents`` and ``extra_documents``.

    Returns:
        Positions in the key, and in the response or `ABSENT`.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy refuses that; or, where it
            leaves them out, none on both.
    """
    positions = {name: position for position, name in enumerate(response)}
    missing = [name for name in key if name not in positions]
    if missing and policies.missing_documents == "error":
        raise missing_error(missing, len(missing), len(key))
    if policies.extra_documents == "error" and len(response) > len(key) - len(missing):
        known = set(key)
        extra = [name for name in response if name not in known]
        raise extra_error(extra, len(extra), len(response))
    pairs = [(k, positions.get(name, ABSENT)) for k, name in enumerate(key)]
    if policies.missing_documents == "skip":
        if missing and len(missing) == len(key):
            raise common_error(len(key), len(response))
        pairs = [pair for pair in pairs if pair[1] != ABSENT]
    return [k for k, _ in pairs], [r for _, r in pairs]


def missing_error(names: Sequence[str], n: int, total: int) -> DocumentMismatchError:
    """Return the error for ``n`` of ``total`` key documents that the response lacks, the first of them by name."""
    return DocumentMismatchError(
        f"the response lacks {_listing(names, n, total)} of the key; "
        "missing_documents='empty' scores them as empty responses, 'skip' leaves them out"
    )


def extra_error(names: Sequence[str], n: int, total: int) -> DocumentMismatchError:
    """Return the error for ``n`` of ``total`` response documents that the key lacks."""
    return DocumentMismatchError(
        f"the key lacks {_listing(names, n, total)} of the response; extra_documents='ignore' leaves them out"
    )


def common_error(n_key: int, n_response: int) -> DocumentMismatchError:
    """Return the error for two sides that have no document in common."""
    return DocumentMismatchError(f"none of the key's {n_key} documents is among the response's {n_response}")


def _listing(names: Sequence[str], n: int, total: int) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {n - 3} more" if n > 3 else ""
    return f"{n} of {total} documents ({shown}{more})"
