"""Match mentions as CorefUD's scorer does in its version 4fd7b0e, two faults included: the profile ``crac``.

- Of several best choices, that one is taken which SciPy finds in the matrix of all mentions of the document, or of all
  zeros, that are not paired yet. It may depend on mentions that have nothing to do with the choice.
- Pairs of mentions that are not equal are in one table for both sides, in which a zero of the key and a zero of the
  response of the same number are one entry. If both have other partners, that of the response's zero is left, and
  the key looks up that one too. So the sides may see different pairs. The score of zeros sees an equal mention first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arraycoref.match.assignment import Candidates, Weigh
from arraycoref.match.matchings import weigh_by_dependencies, weigh_by_dependencies_in_floats
from arraycoref.match.mentions import Occurrences, memberships
from arraycoref.ragged import Ints
from arraycoref.read.mentions import Mentions
from arraycoref.scoring.duplicates import Repeated


def choose_by_matrix(key: Mentions, response: Mentions, candidates: Candidates, weigh: Weigh) -> Candidates:
    """Choose pairs of the largest total weight in each document, those which SciPy finds.

    Arguments and results are those of `arraycoref.match.assignment.choose`; weights are rounded as the scorer does.
    """
    from scipy.optimize import linear_sum_assignment

    are_zeros = weigh is weigh_by_dependencies
    weigh = weigh_by_dependencies_in_floats if are_zeros else weigh
    rows_of = [np.flatnonzero(side.is_zero | (not are_zeros)) for side in (key, response)]
    document_of = [side.document[rows] for side, rows in zip((key, response), rows_of, strict=True)]
    order = key.document[candidates[0]].argsort(kind="stable")
    i, j = (rows[order] for rows in candidates)
    documents = np.unique(key.document[i])
    cuts = key.document[i].searchsorted(documents)
    chosen = [np.empty((2, 0), np.int64)]
    for d, rows, columns in zip(documents, np.split(i, cuts)[1:], np.split(j, cuts)[1:], strict=True):
        k, r = (own[slice(*of.searchsorted([d, d + 1]))] for own, of in zip(rows_of, document_of, strict=True))
        weights = np.zeros((k.size, r.size))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            weights[k.searchsorted(row), r.searchsorted(column)] = weigh(key, response, row, column)
        pairs = np.stack(linear_sum_assignment(-weights))
        pairs = pairs[:, weights[tuple(pairs)] > 0]
        chosen.append(np.stack([k[pairs[0]], r[pairs[1]]]))
    key_rows, response_rows = np.concatenate(chosen, axis=1)
    return key_rows, response_rows


@dataclass(frozen=True, eq=False)
class PairTable:
    """The numbers under which mentions are looked up on the other side.

    Attributes:
        entries: int64 by number of a mention, the number of its partner; its own if there is none.
        numbers: int64 (N,) of each side, the number of the mention of each occurrence.
        documents: int64 documents in which a side sees other pairs than those that were chosen.
        pairs: int64 (P,) rows in the key and in the response, partners in the score of zeros.
    """

    entries: Ints
    numbers: Sequence[Ints]
    documents: Ints
    pairs: Candidates

    @classmethod
    def of(cls, distinct: Sequence[Mentions], own: Sequence[Ints], numbers: Sequence[Ints], partner: Ints) -> PairTable:
        """Make the table of paired mentions.

        Args:
            distinct: the K and R distinct mentions of key and response.
            own: int64 (K,) and (R,) numbers of these, equal for equal mentions.
            numbers: see above.
            partner: int64 (R,) the row in the key of each response mention's partner, -1 for none.
        """
        entries = np.arange(1 + int(max(each.max(initial=-1) for each in own)))
        paired = np.flatnonzero(partner >= 0)
        of_key, of_response = own[0][partner[paired]], own[1][paired]
        differ = of_key != of_response
        entries[of_key[differ]] = of_response[differ]
        entries[of_response[differ]] = of_key[differ]
        row_of = [np.full(entries.size, -1) for _ in own]
        for rows, number in zip(row_of, own, strict=True):
            rows[number] = np.arange(number.size)
        chosen = np.full(own[0].size, -1)
        chosen[partner[paired]] = paired
        found = [other[entries[number]] for number, other in zip(own, row_of[::-1], strict=True)]
        differing = [rows != right for rows, right in zip(found, (chosen, partner), strict=True)]
        documents = [side.document[rows] for side, rows in zip(distinct, differing, strict=True)]
        equal = row_of[1][own[0]]
        seen = np.where(equal >= 0, equal, found[0])
        pairs = np.flatnonzero(seen >= 0), seen[seen >= 0]
        return cls(entries, numbers, np.unique(np.concatenate(documents)).astype(np.int64), pairs)

    def repeated(self, sides: Sequence[Occurrences], repeated: Repeated | None, profile: str) -> Repeated | None:
        """Return the documents that labels cannot hold, with those in which a side sees other pairs.

        Args:
            sides: the occurrences of key and response.
            repeated: the documents in which a mention is in several entities.
            profile: the profile.
        """
        if not self.documents.size:
            return repeated
        documents = self.documents if repeated is None else np.union1d(self.documents, repeated.documents)
        rows = []
        for side, numbers in zip(sides, self.numbers, strict=True):
            own = memberships(side._replace(code=numbers), documents)
            rows.append(own._replace(partner=self.entries[own.mention]))
        return Repeated(documents, rows[0], rows[1], profile)
