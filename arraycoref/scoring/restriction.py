"""Prepare documents as policies ask: without singletons, and without the mentions that one side lacks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arraycoref.errors import InputError
from arraycoref.options.policies import Notes, Policies
from arraycoref.ragged import Bools, Ints, bounds
from arraycoref.scoring.clusterings import Clusterings

WHERE = ("of the key left out, which the response lacks", "of the response left out, which the key lacks")


class Prepared(NamedTuple):
    """Documents as they are counted.

    Attributes:
        clusterings: their labels.
        left_out: int64 (2, D) number of mentions of the key and of the response that are left out; None for no
            restriction.
        scored: bool (D,) whether a document has mentions left; None for no restriction.
    """

    clusterings: Clusterings
    left_out: Ints | None = None
    scored: Bools | None = None

    def note(
        self, notes: Notes, restrict: str, documents: Bools | slice = slice(None), *, is_part: bool = False
    ) -> None:
        """Note how many mentions, and how many documents without others, were left out of some documents.

        Args:
            notes: what is added to.
            restrict: the policy.
            documents: which documents.
            is_part: whether there are other documents elsewhere, so that all of these may be left out.

        Raises:
            InputError: nothing is left.
        """
        if self.left_out is None or self.scored is None:
            return
        n_left_out, scored = self.left_out[:, documents].sum(axis=1).tolist(), self.scored[documents]
        if scored.size and not scored.any() and not is_part:
            raise InputError(
                f"no mention is left of {n_left_out[0]} of the key and {n_left_out[1]} of the response; "
                "expected some on both sides, or restrict='none'",
                "restrict",
            )
        for n, what in zip(n_left_out, WHERE, strict=True):
            if n:
                notes["mention", f"{what} (restrict: {restrict})"] += n
        if not scored.all():
            notes["document", f"not scored, of which no mention is left (restrict: {restrict})"] += int((~scored).sum())


def prepare(clusterings: Clusterings, policies: Policies) -> Prepared:
    """Drop singletons, then leave out mentions that one side lacks, if the policies ask for it."""
    if policies.singletons == "drop":
        clusterings = clusterings.without_singletons()
    if policies.restrict == "none":
        return Prepared(clusterings)
    kept, of_documents = clusterings.restricted(policies.restrict), clusterings.response_bounds
    sides = (np.tile(clusterings.key, clusterings.n_responses), kept.key), (clusterings.response, kept.response)
    n_before, n_kept = (
        np.array([np.diff(bounds(labels != -1)[of_documents]) for labels in of_sides])
        for of_sides in zip(*sides, strict=True)
    )
    return Prepared(kept, n_before - n_kept, n_kept.sum(axis=0) > 0)
