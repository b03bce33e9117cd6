"""Whether systems can be compared, and by what: the checks at the door of every statistic."""

from __future__ import annotations

from collections.abc import Mapping

from arraycoref.errors import DocumentMismatchError, InputError, UnknownNameError
from arraycoref.metrics import find_metric
from arraycoref.results import BatchScores

FIELDS = ("recall", "precision", "f1")
AVERAGES = ("micro", "macro")


def check_comparable(runs: Mapping[str, BatchScores]) -> BatchScores:
    """Check that systems were scored on the same documents under the same conventions, and return the first.

    Raises:
        InputError: no system, or different profiles or betas; of taggers, different tagsets, weights or units.
        DocumentMismatchError: different documents; names the first that differs.
    """
    if not runs:
        raise InputError("no systems were given; expected one at least")
    (first_name, first), *others = runs.items()
    for name, b in others:
        if len(b) != len(first):
            raise DocumentMismatchError(
                f"{first_name!r} was scored on {len(first)} documents and {name!r} on {len(b)}; expected the same"
            )
        if b.names != first.names:
            d = next(d for d, (x, y) in enumerate(zip(first.names, b.names, strict=True)) if x != y)
            raise DocumentMismatchError(
                f"document {d} is {first.names[d]!r} for {first_name!r} but {b.names[d]!r} for {name!r}; "
                "expected the same documents in the same order"
            )
        for option in ("profile", "singletons", "beta", "tagset", "weights", "unit"):  # the last three: of taggers
            values = getattr(first.signature, option, ""), getattr(b.signature, option, "")
            if values[0] != values[1]:
                raise InputError(
                    f"{first_name!r} was scored with {option} {values[0]} and {name!r} with {values[1]}; "
                    "expected the same"
                )
    return first


def check_field(field: str, metric: str) -> int:
    """Return the position of recall, precision or F.

    Raises:
        UnknownNameError: none of these.
        InputError: recall or precision of a metric that has none, as the CoNLL average.
    """
    if field not in FIELDS:
        raise UnknownNameError("field", field, FIELDS)
    if field not in find_metric(metric).fields:
        raise InputError(f"metric {metric!r} has no {field}; expected field 'f1'")
    return FIELDS.index(field)
